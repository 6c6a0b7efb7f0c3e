"""Rounds as drift loads them, without a database."""

from __future__ import annotations

import numpy as np

from roundbook.logbook.drift.compared_rounds import (
    ComparedRound,
    FittedRound,
    pair_rounds,
)
from roundbook.logbook.drift.report import compare_rounds
from roundbook.logbook.lookup import TaskSeries
from roundbook.requests.drift import DriftRequest
from roundbook.statistics.drift.units import kin_groups
from roundbook.statistics.standardisation import fit_factors


def loaded(label, scores, topics=None, teams=None, *, systems=None, collection=None, **fitted):
    """Return a round as it is loaded; by default each run is of a team of its own number.

    `systems` are by run, r0 and so on.
    """
    scores = np.asarray(scores, dtype=float)
    runs = [f"r{i}" for i in range(scores.shape[1])]
    teams = [f"team {tag}" for tag in runs] if teams is None else list(teams)
    factors = fit_factors(scores)
    facts = {"zero_sd": "average", "standardising": "all", "ordinal": 1, **fitted}
    names = list(topics or [f"t{j}" for j in range(scores.shape[0])])
    return ComparedRound(
        fitted=FittedRound(1, label, collection, 1, 1, matrix=1, revision=1, **facts),
        topics=names,
        canonical_topics=names,
        mean=factors.mean,
        sd=factors.sd,
        scores=scores,
        runs=runs,
        systems=[(systems or {}).get(tag) for tag in runs],
        teams=teams,
        standardising=np.ones(len(runs), dtype=bool),
        kin=kin_groups(scores) if None in teams else None,
    )


def drift_between(first, later, *, task="task", **asked):
    """Return the report on the drift between two loaded rounds."""
    request = DriftRequest(task=task, measure="AP", **asked)
    series = TaskSeries(1, task, 1, "AP", "official")
    return compare_rounds(pair_rounds(first, later), series, request)
