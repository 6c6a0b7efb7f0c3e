"""A record opened by this process: the embedded one, or that of a PostgreSQL server."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from roundbook.formats import ScoreMatrix
from roundbook.formats.extras import import_extra
from roundbook.jobs.job import Job, JobList
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.matrices.log_matrix import log_scores
from roundbook.logbook.matrices.logged import LoggedMatrix
from roundbook.logbook.saving import SavedResult, save_long_result
from roundbook.logbook.session import Session, Work, begin, open_record
from roundbook.logbook.studies.studies import run_study
from roundbook.logbook.studies.study import Study
from roundbook.requests.base import Request, is_kept
from roundbook.requests.matrices import LogRequest
from roundbook.requests.results import SaveResult
from roundbook.requests.studies import StudyRequest
from roundbook.settings import read_settings
from roundbook.use_cases import DOWNLOADS, UPLOADS, Upload, UseCase, find_use_case


class LocalRecord:
    """An open record, by default that of the settings; each method is one transaction."""

    def __init__(self, address: str | None) -> None:
        self._settings = read_settings()  # the environment may have been changed since the last
        stack = ExitStack()
        self._engine = stack.enter_context(open_record(self._settings, address))
        self.close = stack.close
        work = Work(max_file_bytes=self._settings.max_file_bytes)
        self._begin = partial(begin, self._engine, self._settings.user, work=work)

    def ask(self, name: str, request: Request | None) -> BaseModel:
        """Return the result of a use case."""
        return self._run(find_use_case(name), request)

    def study(self, request: StudyRequest) -> Study:
        """Compute and return a study."""
        with self._transaction(changes=False) as session:
            return run_study(session, request)

    def save(self, kind: str, fields: dict[str, Any], under: SaveResult) -> SavedResult:
        """Compute a result of a kind and save it."""
        request = find_kind(kind).request(**fields)
        return save_long_result(self._begin, kind, request, under)

    def job(self, name: str, request: Request) -> Job | JobList:
        """Return the result of `start_study`, `list_jobs`, `show_job` or `cancel_job`."""
        import_extra("procrastinate", "serve", "a study in the background")
        from roundbook.jobs import studies
        from roundbook.jobs.job_queue import make_queue

        if name == "start_study":
            make_queue(self._engine)
        with self._transaction(changes=name in ("start_study", "cancel_job")) as session:
            result: Job | JobList = getattr(studies, name)(session, request)
        return result

    def download(self, name: str, fields: dict[str, Any]) -> BaseModel:
        """Return the result of a use case that writes a file."""
        case = DOWNLOADS[name]
        with self._transaction(changes=False) as session:
            written: BaseModel = case.run(session, case.request(**fields))
        return written

    def log_matrix(self, request: LogRequest, matrix: ScoreMatrix) -> LoggedMatrix:
        """Log scores that are in memory."""
        with self._transaction(changes=True, keep=is_kept(request)) as session:
            return log_scores(session, request, matrix)

    def upload(self, name: str, fields: dict[str, Any], files: tuple[Path, ...]) -> BaseModel:
        """Return the result of a use case that reads files."""
        upload = UPLOADS[name]
        return self._run(upload, upload.ask(fields, *files))

    def _run(self, case: UseCase | Upload, request: Request | None) -> BaseModel:
        with self._transaction(changes=case.changes, keep=is_kept(request)) as session:
            result: BaseModel = case.run(session, request)
        return result

    def _transaction(self, *, changes: bool, keep: bool = True) -> AbstractContextManager[Session]:
        """Return a transaction; one that changes nothing reads one snapshot of the record."""
        return self._begin(keep=keep, one_snapshot=not changes)
