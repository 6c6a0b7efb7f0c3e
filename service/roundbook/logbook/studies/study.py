"""What all studies say of themselves, and what makes a kind of study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from pydantic import Field
from sqlalchemy import Connection, Row

from roundbook.formats.matrix import HiddenCells
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.verifying.differences import Facts, NotComputed
from roundbook.requests.studies import StudyRequest

# Fields of all requests that say what a study is of, not how it is done.
_OF_WHAT = set(StudyRequest.model_fields) - {"seed"}


class Study(Result):
    """A study of the scores of a round, or of `files`, which are in no record.

    `matrix`, `revision` and `assessments` are those of a round's scores; `factor_version` is what
    standardised them, None where only raw scores were studied. Scores in files are standardised by
    factors of all their runs; `hidden` is what workbooks hide of files.
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
    def matrices(self) -> list[tuple[int | None, int | None]]:
        """The matrices that it was computed from, each with the version of its factors."""
        return [(self.matrix, self.factor_version)]

    @classmethod
    def of(cls, request: StudyRequest, about: Mapping[str, Any], **computed: Any) -> Self:  # noqa: ANN401
        """Return a study: fields called as those of its request, then what it is of, then the rest."""
        asked = request.model_dump(include=set(cls.model_fields) - _OF_WHAT)
        return cls(**asked | dict(about) | computed)


class KindOfStudy(NamedTuple):
    """One kind of study; the module of each holds its own as `STUDY`.

    Attributes
    ----------
    result : its type
    compute : from a session, None for files, a request, how to work, and a study to the study
        With a study that was saved, what it was computed from is read again, whatever counts today.
    seconds : from a result to about how long it took
    known_then : from a connection, a saved study's row and the study to what of it is not so
        Of what rests on what was known of runs and topics when it was saved, where other things are
        known by now.
    """

    result: type[Study]
    compute: Callable[[Session | None, Any, Work, Any], Study]
    seconds: Callable[[Any], float]
    known_then: Callable[[Connection, Row[Any], Any], Iterator[Facts | NotComputed]] = lambda *_: (
        iter(())
    )
