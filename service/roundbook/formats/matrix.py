"""The score matrix as it comes out of files, and what becomes of its missing cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roundbook.errors import BadFileError, InputError, MissingScoresError

Scores = NDArray[np.float64]
MISSING_POLICIES = ("reject", "zero", "drop-topic")
_NAMED_CELLS = 10


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Scores of runs on topics, one measure, missing cells and all.

    Attributes
    ----------
    topics, runs : tuple of str
        In the order the files name them first.
    scores : (topics, runs) float64 array
        NaN where a run has no score for a topic; the transpose of a C-contiguous
        (runs, topics) buffer, since scores are stored run by run.
    measure : str or None
        The measure's name inside the files; None where they do not say.
    layout : str
        One of `LAYOUTS`.
    files : tuple of str
        The files as the user named them.
    """

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    scores: Scores
    measure: str | None
    layout: str
    files: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CompleteMatrix(ScoreMatrix):
    """A score matrix without missing cells, and what was done to complete it.

    Attributes
    ----------
    missing_policy : str
        The policy asked for, also when nothing was missing.
    missing_cells : int
        How many cells were missing before the policy was applied.
    dropped_topics : tuple of str
        Topics left out by ``drop-topic``; `topics` is without them.
    """

    missing_policy: str
    missing_cells: int
    dropped_topics: tuple[str, ...]


def apply_missing_policy(matrix: ScoreMatrix, policy: str) -> CompleteMatrix:
    """Complete a score matrix, or refuse to.

    Parameters
    ----------
    matrix : ScoreMatrix
    policy : {'reject', 'zero', 'drop-topic'}
        Raise, count a missing score as 0, or leave out every topic some run misses.

    Returns
    -------
    CompleteMatrix

    Raises
    ------
    MissingScoresError
        If the policy is ``reject`` and a cell is missing.
    BadFileError
        If ``drop-topic`` would leave no topic.
    InputError
        If there is no such policy.
    """
    if policy not in MISSING_POLICIES:
        raise InputError(
            f"there is no missing-score policy {policy!r}; choose {', '.join(MISSING_POLICIES)}"
        )
    by_run = matrix.scores.T
    missing = np.isnan(by_run)
    count = int(missing.sum())
    if count and policy == "reject":
        raise _missing_scores(matrix, missing)
    topics: tuple[str, ...] = matrix.topics
    dropped: tuple[str, ...] = ()
    if policy == "drop-topic":
        gaps = np.asarray(missing.any(axis=0))
        topics = tuple(name for name, gap in zip(matrix.topics, gaps, strict=True) if not gap)
        dropped = tuple(name for name, gap in zip(matrix.topics, gaps, strict=True) if gap)
        if not topics:
            raise BadFileError(
                "every topic misses the score of some run",
                _files_shown(matrix.files),
                way_out="no topic without gaps",
            )
        by_run = np.ascontiguousarray(by_run[:, ~gaps])
    elif count:
        by_run = np.where(missing, 0.0, by_run)
    return CompleteMatrix(
        topics=topics,
        runs=matrix.runs,
        scores=by_run.T,
        measure=matrix.measure,
        layout=matrix.layout,
        files=matrix.files,
        missing_policy=policy,
        missing_cells=count,
        dropped_topics=dropped,
    )


def _missing_scores(matrix: ScoreMatrix, missing: NDArray[np.bool_]) -> MissingScoresError:
    cells = [(matrix.topics[t], matrix.runs[r]) for t, r in np.argwhere(missing.T).tolist()]
    named = ", ".join(f"topic {t} of run {r}" for t, r in cells[:_NAMED_CELLS])
    more = len(cells) - _NAMED_CELLS
    rest = f" and {more} more" if more > 0 else ""
    scores = "1 score is" if len(cells) == 1 else f"{len(cells)} scores are"
    return MissingScoresError(
        f"{scores} missing: {named}{rest}",
        _files_shown(matrix.files),
        cells,
        way_out="missing scores",
    )


def _files_shown(files: tuple[str, ...]) -> str:
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"
