"""The policies on missing scores: what completes a score matrix, or refuses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from roundbook.errors import BadFileError, MissingScoresError
from roundbook.formats.matrix import ScoreMatrix, files_shown

MissingPolicy = Literal["reject", "zero", "drop-topic"]
_NAMED_CELLS = 10


@dataclass(frozen=True, eq=False)
class CompleteMatrix(ScoreMatrix):
    """A score matrix without missing cells, and how it was completed.

    Attributes
    ----------
    missing_policy : str
        The policy asked for, also when nothing was missing.
    missing_cells : int
        How many cells were missing before the policy was applied.
    dropped_topics : tuple of str
        Topics left out by ``drop-topic``, which are not in `topics`.
    """

    missing_policy: str
    missing_cells: int
    dropped_topics: tuple[str, ...]


def apply_missing_policy(matrix: ScoreMatrix, policy: MissingPolicy) -> CompleteMatrix:
    """Return the score matrix completed by a policy on missing scores.

    Parameters
    ----------
    policy : MissingPolicy
        Raise, count a missing score as 0, or leave out every topic with a missing score.

    Raises
    ------
    MissingScoresError
        If the policy is ``reject`` and a cell is missing.
    BadFileError
        If ``drop-topic`` would leave no topic.
    """
    by_run = matrix.scores.T
    missing = np.isnan(by_run)
    count = int(missing.sum())
    topics: tuple[str, ...] = matrix.topics
    dropped: tuple[str, ...] = ()
    match policy:
        case "reject":
            if count:
                raise _missing_scores(matrix, missing)
        case "zero":
            if count:
                by_run = np.where(missing, 0.0, by_run)
        case "drop-topic":
            gaps = np.asarray(missing.any(axis=0))
            topics = tuple(name for name, gap in zip(matrix.topics, gaps, strict=True) if not gap)
            dropped = tuple(name for name, gap in zip(matrix.topics, gaps, strict=True) if gap)
            if not topics:
                raise BadFileError(
                    "every topic misses the score of some run",
                    files_shown(matrix.files),
                    way_out="no topic without gaps",
                )
            by_run = np.ascontiguousarray(by_run[:, ~gaps])
        case _:
            assert_never(policy)
    completed = {
        "topics": topics,
        "scores": by_run.T,
        "missing_policy": policy,
        "missing_cells": count,
        "dropped_topics": dropped,
    }
    return CompleteMatrix(**(vars(matrix) | completed))


def _missing_scores(matrix: ScoreMatrix, missing: NDArray[np.bool_]) -> MissingScoresError:
    cells = [(matrix.topics[t], matrix.runs[r]) for t, r in np.argwhere(missing.T).tolist()]
    named = ", ".join(f"topic {t} of run {r}" for t, r in cells[:_NAMED_CELLS])
    more = len(cells) - _NAMED_CELLS
    rest = f" and {more} more" if more > 0 else ""
    scores = "1 score is" if len(cells) == 1 else f"{len(cells)} scores are"
    return MissingScoresError(
        f"{scores} missing: {named}{rest}",
        files_shown(_files_without(matrix, cells) or matrix.files),
        cells,
        way_out="missing scores",
    )


def _files_without(matrix: ScoreMatrix, cells: Sequence[tuple[str, str]]) -> list[str]:
    """Return the files in which cells are missing: with both topic and run, else with the run."""
    parts = [(part.file, set(part.topics), set(part.runs)) for part in matrix.parts]
    lacking: set[str] = set()
    for topic, run in cells:
        of_run = [(file, topics) for file, topics, runs in parts if run in runs]
        of_both = [file for file, topics in of_run if topic in topics]
        lacking |= set(of_both or [file for file, _ in of_run])
    return [file for file in dict.fromkeys(part.file for part in matrix.parts) if file in lacking]
