"""The base model of studies, and the description of a kind of study."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

from pydantic import Field
from sqlalchemy import Connection, Row

from roundbook.formats.matrix import HiddenCells
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.study_source import StudySource
from roundbook.logbook.verifying.differences import Facts, NotComputed
from roundbook.requests.studies import StudyRequest

# The fields of requests that name the input of a study, not how it is computed.
_INPUT_FIELDS = set(StudyRequest.model_fields) - {"seed"}


class MatrixRead(NamedTuple):
    """The number of a score matrix, and the version of its factors if it is standardised."""

    matrix: int | None
    factor_version: int | None


class Study(Result):
    """A study of the scores of a round, or of `files`, which are in no record.

    `matrix`, `revision` and `assessments` are those of a round's scores; `factor_version` is the
    version of their factors, None if only raw scores were studied. Scores in files are standardised
    by factors of all their runs; `hidden` are the hidden parts of workbooks.
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
    hidden: list[HiddenCells] = Field(default_factory=list)
    topics: int
    runs: int
    trials: int
    seed: int
    software: str = SOFTWARE

    @property
    def matrices(self) -> list[MatrixRead]:
        """The matrices it was computed from, each with the version of its factors."""
        return [MatrixRead(self.matrix, self.factor_version)]

    @classmethod
    def of(cls, request: StudyRequest, source: StudySource, **computed: Any) -> Self:  # noqa: ANN401
        """Return a study with the fields of its request, of its source, and the computed ones."""
        options = request.model_dump(include=set(cls.model_fields) - _INPUT_FIELDS)
        return cls(**options | source._asdict() | computed)


class KindOfStudy(NamedTuple):
    """A kind of study; each module of studies holds its own as `STUDIES`, by name.

    Attributes
    ----------
    result : its type
    compute : from a session (None for files), a request, a `Work` and a study or None to the study
        Of a saved study the inputs are read again, even if they are no longer current.
    seconds : from a result to the approximate time of its computation
    other_differences : from a connection, a saved study's row and the study to its differences
        Differences in the figures that `compute` takes from the saved study, if facts on the runs
        and topics have changed since it was saved.
    """

    result: type[Study]
    compute: Callable[[Session | None, Any, Work, Any], Study]
    seconds: Callable[[Any], float]
    other_differences: Callable[[Connection, Row[Any], Any], Iterator[Facts | NotComputed]] = (
        lambda *_: iter(())
    )
