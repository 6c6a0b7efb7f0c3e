"""A record in Python, a server's, the embedded one or a service's: a method for each use case."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator, Sequence
from multiprocessing.util import Finalize
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from roundbook.errors import InputError, RequestError
from roundbook.jobs.job import ENDED
from roundbook.logbook.kinds import kind_and_fields
from roundbook.logbook.studies.studies import find_entry, of_all_rounds
from roundbook.python.answers import Answer
from roundbook.python.scores import array_file, as_files, as_matrix
from roundbook.python.ways_out import with_ways_out
from roundbook.requests.base import Request
from roundbook.requests.matrices import LogRequest
from roundbook.requests.results import ListJobs, SaveResult, ShowJob, StartStudy
from roundbook.use_cases import find_use_case, report_name

if TYPE_CHECKING:
    from roundbook.python.local import LocalRecord
    from roundbook.python.remote import RemoteRecord


class Book:
    """An open record; `roundbook.open` opens one.

    Each method is one transaction. It takes the fields of its request as keywords, with the
    terminal's defaults, and returns an `Answer`. What cannot be done raises a
    `roundbook.errors.RoundbookError`, whose message says why.

    Parameters
    ----------
    address : str, optional
        A PostgreSQL server's, ``postgresql://user:password@host:port/database``, or a service's,
        ``https://host``. Default: the settings' address, else the embedded server.
    token : str, optional
        A service's token.

    Examples
    --------
    >>> import numpy, roundbook
    >>> book = roundbook.open()
    >>> generator = numpy.random.default_rng(0)
    >>> for year in ("2025", "2026"):
    ...     scores = generator.random((50, 8)).round(4)
    ...     logged = book.log("adhoc", year, scores, measure="AP", topics=range(50),
    ...                       runs=[f"run{number}" for number in range(8)], create=True)
    >>> history = book.variances("adhoc", "AP")
    >>> [round(of_round.variance, 3) for of_round in history.rounds]
    [0.088, 0.078]
    >>> history.to_frame()[["round", "variance", "dof"]].round(3)
      round  variance  dof
    0  2025     0.088  392
    1  2026     0.078  392
    2   NaN     0.083  784
    >>> book.plan("adhoc", "AP", m=(10,), min_d=(0.1,)).cells[0].topics
    261
    >>> book.close()
    """

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

            with with_ways_out():
                self._opened = LocalRecord(address)
        # The embedded server is stopped when the book is closed or garbage-collected.
        self._close = weakref.finalize(self, self._opened.close)
        # Processes that multiprocessing forked end without what `finalize` does at exit.
        Finalize(self, self._close, exitpriority=0)

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

    # Questions

    def tasks(self) -> Answer:
        """Return the tasks."""
        return self.ask("tasks")

    def rounds(self, task: str) -> Answer:
        """Return a task's rounds, in order."""
        return self.ask("rounds", task=task)

    def round(self, task: str, round: str) -> Answer:
        """Return a round with all that was logged in it: scores, runs and relevance assessments."""
        return self.ask("round", task=task, round=round)

    def measures(self, task: str | None = None) -> Answer:
        """Return the measures with scores, and how each is spelled."""
        return self.ask("measures", task=task)

    def matrices(self, task: str, **fields: object) -> Answer:
        """Return the logged score matrices of a task: all, or those of a round, measure or assessments."""
        return self.ask("matrices", task=task, **fields)

    def scores(self, task: str, round: str, measure: str, assessments: str | None = None) -> Answer:
        """Return the raw scores of a round's current matrix; ``to_frame`` has a column a run.

        Raises
        ------
        NotRecordedError
            When none are logged.
        WithdrawnError
            When they are withdrawn.
        InputError
            When there are scores of several assessments, and none is named.
        """
        return self.ask(
            "export_matrix", task=task, round=round, measure=measure, assessments=assessments
        )

    def variances(self, task: str, measure: str, **fields: object) -> Answer:
        """Return a measure's residual variance in every round, with intervals, and pooled.

        See `requests.variances.VarianceRequest` for the fields: ``scale``, ``assessments``,
        ``pool_by``.
        """
        return self.ask("variances", task=task, measure=measure, **fields)

    def factors(self, task: str, round: str, measure: str, **fields: object) -> Answer:
        """Return the latest standardisation factors of a round, or those of a ``version``."""
        return self.ask("factors", task=task, round=round, measure=measure, **fields)

    def plan(self, task: str | None = None, measure: str | None = None, **fields: object) -> Answer:
        """Return topic set sizes from a task's variance, or a given one: ``variance=0.05``.

        See `requests.plans.PlanRequest` for the fields: ``design``, ``m``, ``min_d``, ``alpha``,
        ``beta``, ``variance_at`` and others.
        """
        return self.ask("plan", task=task, measure=measure, **fields)

    def drift(self, task: str, measure: str, **fields: object) -> Answer:
        """Return a drift report: whether a round's factors still hold in a later round.

        See `requests.drift.DriftRequest` for the fields: ``from_round`` (default: the first),
        ``to_round`` (default: the latest), ``margin``.
        """
        return self.ask("drift", task=task, measure=measure, **fields)

    def ageing(self, task: str, measure: str, **fields: object) -> Answer:
        """Return the ageing curve: the first round's factors against those of every later round."""
        return self.ask("ageing", task=task, measure=measure, **fields)

    def standardise(self, task: str, round: str, measure: str, **fields: object) -> Answer:
        """Return a round's standardised scores: ``scale`` std-ab (default), std-cdf, std, e-std."""
        return self.ask("standardise", task=task, round=round, measure=measure, **fields)

    def standardise_files(
        self,
        task: str,
        factors_from: str,
        scores: object,
        measure: str,
        *,
        topics: Sequence[object] | None = None,
        runs: Sequence[object] | None = None,
        **fields: object,
    ) -> Answer:
        """Return the scores of new runs, as `log` takes them, standardised by a round's factors."""
        about = {"task": task, "factors_from": factors_from, "measure": measure} | fields
        if topics is not None or runs is not None:
            matrix = as_matrix(scores, topics, runs, measure)
            with array_file(matrix) as (file, layout):
                return self._upload("standardise_files", about | {"layout": layout}, file)
        with as_files(scores) as files:
            return self._upload("standardise_files", about, *files)

    def rank(self, task: str, round: str, measure: str, **fields: object) -> Answer:
        """Return a round's run rankings by raw and by standardised means, and their agreement."""
        return self.ask("rank", task=task, round=round, measure=measure, **fields)

    def generalisability(self, task: str, measure: str, **fields: object) -> Answer:
        """Return the variance components and the reliability of each round's ranking."""
        return self.ask("generalisability", task=task, measure=measure, **fields)

    def report(self, kind: str, task: str, output: str | Path, **fields: object) -> Answer:
        """Write a report: ``html`` (one self-contained page), ``latex`` or ``datacite``.

        Parameters
        ----------
        output : path
            The file to write, on this machine; `latex` and `datacite` take a directory too.
        **fields
            Of the request in `requests.reports`: ``round``, ``measure``, ``force`` and others.
        """
        with with_ways_out():
            about = {"task": task, "output": output} | fields
            return Answer(self._record.download(report_name(kind), about))

    def export(
        self, archive: str | Path, tasks: Sequence[str] = (), *, force: bool = False
    ) -> Answer:
        """Write the record, or some tasks of it, into an archive on this machine."""
        with with_ways_out():
            about = {"archive": archive, "tasks": tasks, "force": force}
            return Answer(self._record.download("export", about))

    def results(self, task: str | None = None, **fields: object) -> Answer:
        """Return the saved results, and which of them are stale."""
        return self.ask("results", task=task, **fields)

    def result(self, name: str, version: int | None = None, kind: str | None = None) -> Answer:
        """Return a saved result by its name, and its kind where two kinds have the name."""
        return self.ask("result", name=name, version=version, kind=kind)

    def impact(self, matrix: int) -> Answer:
        """Return everything derived from a score matrix, and whether it is stale."""
        return self.ask("impact", matrix=matrix)

    def events(self, task: str | None = None, **fields: object) -> Answer:
        """Return the events: who changed what in the record, when and why."""
        return self.ask("events", task=task, **fields)

    def verify(self, task: str | None = None) -> Answer:
        """Compute everything derived again, and return the differences from what is stored."""
        return self.ask("verify", task=task)

    # Decisions

    def log(
        self,
        task: str,
        round: str,
        scores: object,
        measure: str | Sequence[str] | None = None,
        *,
        topics: Sequence[object] | None = None,
        runs: Sequence[object] | None = None,
        **fields: object,
    ) -> Answer:
        """Log the scores of a round.

        Parameters
        ----------
        scores : path, sequence of paths, data frame, open file, (topics, runs) array_like, or None
            A frame is wide (a row for each topic, a column for each run) or long, as files are.
            None computes the scores from the round's runs and relevance assessments.
        measure : str or sequence of str
            Several for a long file or frame; None for all it holds, with ``all_measures=True``.
        topics, runs : sequence
            Names of the rows and columns; with them `scores` is taken as an array.
        **fields
            Of `requests.matrices.LogFilesRequest`: ``create``, ``revise``, ``missing``,
            ``teams`` and others.

        Returns
        -------
        Answer
            The logged matrices, one for each measure, in ``matrices``; of an array, its one matrix.

        Raises
        ------
        ContentDiffersError
            When other scores are logged, and no reason to ``revise`` them is given.
        """
        about = {"task": task, "round": round} | fields
        if topics is not None or runs is not None:
            if "teams" in fields:
                reason = "an array comes without `teams`: record them by describe_teams"
                raise RequestError("teams", reason)
            matrix = as_matrix(scores, topics, runs, measure)
            with with_ways_out():
                request = LogRequest(**about, measure=matrix.measure)
                return Answer(self._record.log_matrix(request, matrix))
        names = (measure,) if isinstance(measure, str) else tuple(measure or ())
        if scores is None:
            return self._upload("log", about | {"measures": names, "from_runs": True})
        with as_files(scores) as files:
            return self._upload("log", about | {"measures": names}, *files)

    def describe_teams(self, task: str, round: str, file: str | Path, **fields: object) -> Answer:
        """Record the runs' teams from a team file; with ``revise``, a reason, correct them."""
        return self._upload("describe_teams", {"task": task, "round": round} | fields, _path(file))

    def log_runs(
        self, task: str, round: str, *files: str | Path | Sequence[str | Path], **fields: object
    ) -> Answer:
        """Log the ranked lists of a round's runs, from TREC run files, each or a list of them."""
        about = {"task": task, "round": round} | fields
        listed = (
            file
            for given in files
            for file in (given if isinstance(given, list | tuple) else [given])
        )
        return self._upload("log_runs", about, *map(_path, listed))

    def log_qrels(self, task: str, round: str, file: str | Path, **fields: object) -> Answer:
        """Log a round's relevance assessments, from a qrels file."""
        return self._upload("log_qrels", {"task": task, "round": round} | fields, _path(file))

    def alias_topics(self, task: str, file: str | Path) -> Answer:
        """Record other ids of topics that returned, from a file of topic, round and id."""
        return self._upload("alias_topics", {"task": task}, _path(file))

    def import_archive(self, archive: str | Path, *, trusted: bool = False) -> Answer:
        """Read an archive into the record: all of it, or nothing; verify it unless it is trusted."""
        return self._upload("import", {"trusted": trusted}, _path(archive))

    def fit(self, task: str, round: str, measure: str, reason: str, **fields: object) -> Answer:
        """Fit a new version of a round's factors, on the pooled runs or the ``runs`` named."""
        return self.ask("fit", task=task, round=round, measure=measure, reason=reason, **fields)

    def renew(
        self,
        name: str | None = None,
        task: str | None = None,
        *,
        kind: str | None = None,
        dry_run: bool = False,
    ) -> Answer:
        """Renew a saved result, by its kind too where two have the name, or a task's stale ones."""
        return self.ask("renew", name=name, task=task, kind=kind, dry_run=dry_run)

    def create_task(self, task: str, title: str | None = None) -> Answer:
        """Create a task."""
        return self.ask("create_task", task=task, title=title)

    def create_round(self, task: str, round: str, **fields: object) -> Answer:
        """Create a round, after the last one of its task."""
        return self.ask("create_round", task=task, round=round, **fields)

    def publish(
        self, task: str, round: str, reason: str | None = None, *, dry_run: bool = False
    ) -> Answer:
        """Publish a round for good: from then on its names are public."""
        return self.ask("publish", task=task, round=round, reason=reason, dry_run=dry_run)

    def withdraw(self, matrix: int, reason: str, *, dry_run: bool = False) -> Answer:
        """Withdraw a score matrix: it stays readable, but no longer counts."""
        return self.ask("withdraw", matrix=matrix, reason=reason, dry_run=dry_run)

    def restore(self, matrix: int, reason: str, *, dry_run: bool = False) -> Answer:
        """Take a withdrawal back."""
        return self.ask("restore", matrix=matrix, reason=reason, dry_run=dry_run)

    def record_variance(self, task: str, round: str, measure: str, **fields: object) -> Answer:
        """Record a published variance without its score matrix, with its ``source``."""
        return self.ask("record_variance", task=task, round=round, measure=measure, **fields)

    # Studies, and what is saved

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
            request = find_entry(name).request(**named)
            return Answer(self._record.study(request))

    def save(
        self, kind: str, name: str | None = None, note: str | None = None, **fields: object
    ) -> Answer:
        """Compute a plan, drift report or study, and save it with its inputs.

        Parameters
        ----------
        kind : str
            ``plan``, ``drift``, or the name of a study.
        name, note : str, optional
            As in `requests.results.SaveResult`.
        **fields
            Of the kind's request, as `plan`, `drift` and `study` take them.
        """
        with with_ways_out():
            if fields.pop("all_rounds", False):
                kind, fields = of_all_rounds(kind, fields)
            kind, fields = kind_and_fields(kind, fields)
            return Answer(self._record.save(kind, fields, SaveResult(name=name, note=note)))

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
            As in `save`.

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


def _path(file: object) -> Path:
    if isinstance(file, (str, PathLike)):
        return Path(file)
    raise InputError(f"This takes the path of a file, not what is of type {type(file).__name__}.")


def _without_none(**fields: object) -> dict[str, object]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}
