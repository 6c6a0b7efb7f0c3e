"""An open record, a server's, the embedded one or a service's: its use cases, studies and jobs."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from roundbook.errors import InputError, RequestError
from roundbook.jobs.job import ENDED
from roundbook.logbook.kinds import kind_of
from roundbook.logbook.studies.studies import of_all_rounds, study_entry
from roundbook.python.answers import Answer
from roundbook.python.ways_out import with_ways_out
from roundbook.requests.base import Request
from roundbook.requests.results import ListJobs, ShowJob, StartStudy
from roundbook.use_cases import find_use_case

if TYPE_CHECKING:
    from roundbook.python.local import LocalRecord
    from roundbook.python.remote import RemoteRecord


def _without_none(**fields: object) -> dict[str, object]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


class OpenRecord:
    """An open record, with every use case by its name; see `Book`."""

    def __init__(self, address: str | None = None, token: str | None = None) -> None:
        for name, value in (("address", address), ("token", token)):
            if value is not None and not isinstance(value, str):
                raise RequestError(name, f"`{name}` takes a text, not {type(value).__name__}")
        self._opened: LocalRecord | RemoteRecord
        if address is not None and address.startswith(("http://", "https://")):
            from roundbook.python.remote import RemoteRecord

            self._opened = RemoteRecord(address, token)
        elif token is not None:
            raise InputError(
                "A token is for a service; name its address too:"
                " roundbook.open('https://...', token=...)."
            )
        else:
            from roundbook.python.local import LocalRecord

            self._opened = LocalRecord(address)
        # The embedded server is stopped when the book is closed or garbage-collected.
        self._close = weakref.finalize(self, self._opened.close)

    @property
    def _record(self) -> LocalRecord | RemoteRecord:
        if not self._close.alive:
            raise InputError("The book is closed; roundbook.open() opens one.")
        return self._opened

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise InputError(
            "An open book cannot be copied or sent to another process; open one there, by"
            " roundbook.open()."
        )

    def close(self) -> None:
        """Close the record; the embedded server stops unless somebody else uses it."""
        self._close()

    def ask(self, use_case: str, /, **fields: object) -> Answer:
        """Return the answer of any use case of `roundbook.use_cases`, by its name.

        Raises
        ------
        RequestError
            When a field has a value it cannot have, or there is no such field.
        """
        with with_ways_out():
            case = find_use_case(use_case)
            request = None if case.request is None else case.request(**_without_none(**fields))
            return Answer(self._record.ask(use_case, request))

    def _upload(self, name: str, fields: dict[str, Any], *files: Path) -> Answer:
        with with_ways_out():
            return Answer(self._record.upload(name, fields, files))

    def study(
        self,
        name: str,
        task: str,
        round: str | None = None,
        measure: str | None = None,
        *,
        all_rounds: bool = False,
        **fields: object,
    ) -> Answer:
        """Return a study of a round's scores: ``discriminative-power``, ``swap-rate`` and others.

        Parameters
        ----------
        round, measure : str, optional
            `round` is left out with `all_rounds`, and `measure` where the study has only one.
        all_rounds : bool
            Study all rounds that have the measure, as the terminal's ``--all-rounds`` does.
        **fields
            Of the study's request in `roundbook.requests.studies`: ``scales``, ``trials``, ``seed``,
            ``assessments`` and others; the error for an unknown field lists them all.

        Raises
        ------
        InputError
            When there is no such study.
        """
        with with_ways_out():
            if all_rounds:
                name, fields = of_all_rounds(name, fields)
            named = _without_none(task=task, round=round, measure=measure, **fields)
            request = study_entry(name).request(**named)
            return Answer(self._record.study(request))

    def save(
        self, kind: str, name: str | None = None, note: str | None = None, **fields: object
    ) -> Answer:
        """Compute a plan, drift report or study, and save it with its inputs.

        Parameters
        ----------
        kind : str
            ``plan``, ``drift``, or the name of a study.
        name : str, optional
            Default: the task, the kind and the next number.
        **fields
            Of the kind's request, as `plan`, `drift` and `study` take them.
        """
        with with_ways_out():
            if fields.pop("all_rounds", False):
                kind, fields = of_all_rounds(kind, fields)
            kind, fields = kind_of(kind, fields)
            return Answer(self._record.save(kind, fields, name, note))

    def start_study(
        self,
        study: str,
        task: str,
        round: str | None = None,
        measure: str | None = None,
        *,
        all_rounds: bool = False,
        name: str | None = None,
        note: str | None = None,
        **fields: object,
    ) -> Answer:
        """Start a study in the background, for a worker to compute and save.

        The worker is ``roundbook worker``, or the one beside ``roundbook serve``.

        Parameters
        ----------
        study, task, round, measure, all_rounds, **fields
            As `study` takes them.
        name, note : str, optional
            The name of the saved result, and a note on why, as in `save`.

        Returns
        -------
        Answer
            The job; `job` and `follow_job` take its number, ``.job``, and so does `cancel_job`.
        """
        with with_ways_out():
            if all_rounds:
                study, fields = of_all_rounds(study, fields)
            request = _without_none(task=task, round=round, measure=measure, **fields)
        return self._job(
            "start_study", StartStudy, study=study, request=request, name=name, note=note
        )

    def jobs(self, task: str | None = None, **fields: object) -> Answer:
        """Return the jobs, latest first."""
        return self._job("list_jobs", ListJobs, task=task, **fields)

    def job(self, job: int) -> Answer:
        """Return a job: a study in the background, with its progress or its outcome."""
        return self._job("show_job", ShowJob, job=job)

    def follow_job(self, job: int, seconds: float = 0.5) -> Iterator[Answer]:
        """Yield a job whenever it has changed, until it has ended.

        Parameters
        ----------
        seconds : float
            Time between two requests.
        """
        latest = None
        while True:
            answer = self.job(job)
            if answer.model != latest:
                latest = answer.model
                yield answer
            if answer.status in ENDED:
                return
            time.sleep(seconds)

    def cancel_job(self, job: int) -> Answer:
        """Cancel a job: take it out of the queue, or have its worker stop."""
        return self._job("cancel_job", ShowJob, job=job)

    def _job(self, use_case: str, model: type[Request], /, **fields: object) -> Answer:
        with with_ways_out():
            return Answer(self._record.job(use_case, model(**fields)))
