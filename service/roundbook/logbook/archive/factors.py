"""The standardisation factors of an archive, fitted again to the scores that came with them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Row

from roundbook.errors import BadFileError
from roundbook.logbook.archive.scores import ROUNDING, SAME
from roundbook.statistics.standardisation.factors import fit_factors

Vector = npt.NDArray[np.float64]


class ReadFactors(NamedTuple):
    """Factors as the archive has them, (topics,) each in the order of the scores."""

    version: int
    mean: Vector
    sd: Vector
    zero_sd: str


def check_factors(
    row: Row[Any], topics: list[str], scores: npt.NDArray[np.float64], what: str, file: str
) -> ReadFactors:
    """Return the factors of a set, or refuse it where its scores give others.

    Parameters
    ----------
    row
        The set with its `means` and `sds` in the order of the topics, and as `listed` the
        positions of its standardising runs, where not all are.
    scores : (topics, runs) float array
    what : str
        Which matrix it is, for the message.

    Raises
    ------
    BadFileError
        Naming the matrix and version, and what was read beside what was found.
    """
    what = f"{what}, factor version {row.version}"
    mask = np.full(scores.shape[1], row.standardising == "all")
    mask[row.listed] = True
    place = f"{file}/factor_set.csv"
    if len(row.means) != len(topics):
        raise BadFileError(
            f"{what} has factors of {len(row.means)} topics, not of {len(topics)}", place
        )
    listed = int(mask.sum()) if row.standardising == "all" and not row.listed else len(row.listed)
    if listed != row.runs:
        raise BadFileError(
            f"{what} says that {row.runs} runs standardise it, but {listed} do", place
        )
    fitted = fit_factors(scores, mask)
    read = ReadFactors(row.version, np.array(row.means), np.array(row.sds), row.zero_sd)
    noise = ROUNDING * np.abs(scores[:, mask]).max(axis=1)
    # An sd of exactly 0 is what tells that all standardising runs tie. Factors of before this held
    # for scores equal but for rounding may have the sd of that rounding there.
    standardising = scores[:, mask]
    equal = (standardising == standardising[:, :1]).all(axis=1)
    tied_otherwise = np.where(read.sd == 0, fitted.sd > 0, equal)
    for name, said, found, wrong in (
        ("mean", read.mean, fitted.mean, False),
        ("sd", read.sd, fitted.sd, tied_otherwise),
    ):
        largest = np.maximum(np.abs(said), np.abs(found))
        differ = (np.abs(said - found) > np.maximum(SAME * largest, noise)) | wrong
        if differ.any():
            at = int(differ.argmax())
            raise BadFileError(
                f"{what}: the {name} of topic '{topics[at]}' is {said[at].item()!r}, and the scores"
                f" of its {row.runs} standardising runs give {found[at].item()!r}",
                f"{file}/factor.csv",
            )
    return read
