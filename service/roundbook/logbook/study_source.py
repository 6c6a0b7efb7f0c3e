"""What identifies the scores of a study, or the runs that it scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roundbook.formats.matrix import HiddenCells


class StudySource(NamedTuple):
    """What identifies scores of `topics` topics and `runs` runs, by fields of a `Study`.

    Logged scores are those of a `matrix` and its `revision`, standardised by the factors of
    `factor_version`. Scores computed from runs are those of the runs up to an `upload`, by the
    `revision` of the assessments or the file `qrels`. `files` are in no record; `hidden` are their
    hidden parts.
    """

    topics: int
    runs: int
    task: str | None = None
    round: str | None = None
    measure: str | None = None
    assessments: str | None = None
    matrix: int | None = None
    revision: int | None = None
    factor_version: int | None = None
    upload: int | None = None
    files: Sequence[str] = ()
    qrels: str | None = None
    hidden: Sequence[HiddenCells] = ()
