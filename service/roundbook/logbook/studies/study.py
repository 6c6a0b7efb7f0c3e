"""What all studies say of themselves."""

from __future__ import annotations

from pydantic import Field

from roundbook.logbook.result import SOFTWARE, Result


class Study(Result):
    """A study of the scores of a round, or of `files`, which are in no record.

    `matrix`, `revision` and `assessments` are those of a round's scores; `factor_version` is what
    standardised them, None where only raw scores were studied. Scores in files are standardised by
    factors of all their runs.
    """

    study: str
    task: str | None = None
    round: str | None = None
    measure: str
    assessments: str | None = None
    matrix: int | None = None
    revision: int | None = None
    factor_version: int | None = None
    files: list[str] = Field(default_factory=list)
    topics: int
    runs: int
    trials: int
    seed: int
    software: str = SOFTWARE
