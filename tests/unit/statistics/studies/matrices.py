"""Score matrices that the tests of several studies use."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.statistics.score_files import read_scores

from roundbook.statistics.standardisation import fit_factors, scale_scores


def _columns(*runs):
    return np.column_stack([np.array(run.split(), dtype=float) for run in runs])


# Three runs on five topics, few enough to go through all permutations.
TOY = _columns(".7 .3 .2 .6 .4", ".5 .1 0 .2 .4", "0 0 .2 .1 .3")
# Table 5.1 of Sakai, Laboratory Experiments in Information Retrieval: three runs on 20 topics.
XYZ = _columns(
    ".7 .3 .2 .6 .4 .4 0 .7 .1 .3 .5 .4 0 .6 .5 .3 .1 .5 .2 .1",
    ".5 .1 0 .2 .4 .3 0 .5 .3 .3 .4 .4 .1 .4 .2 .1 .1 .6 .3 .2",
    "0 0 .2 .1 .3 .3 .1 .2 .4 .4 .4 .3 .3 .2 .2 .2 .1 .5 .4 .3",
)


def scaled(shared, name, scale):
    """Read one of the shared matrices and put it on a scale by the factors of all its runs."""
    scores = read_scores(shared, name)
    if scale == "raw":
        return scores
    factors = fit_factors(scores)
    return scale_scores(scores, factors.mean, factors.sd, scale)


def rows_of(table):
    """Return (name, scale, cells) of each line of a table; the largest matrices are slow."""
    rows = []
    for line in table.strip().splitlines():
        name, scale, *cells = line.split()
        marks = () if "named17" in name else pytest.mark.slow
        rows.append(pytest.param(name, scale, cells, marks=marks, id=f"{name} {scale}"))
    return rows
