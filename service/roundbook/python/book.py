"""A record in Python: one method a use case, its fields as keywords."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from roundbook.errors import InputError, NotRecordedError
from roundbook.python.answers import Answer
from roundbook.python.ways_out import with_ways_out
from roundbook.use_cases import find_use_case

if TYPE_CHECKING:
    from roundbook.python.local import LocalRecord
    from roundbook.python.remote import RemoteRecord


class Book:
    """An open record; `roundbook.open` opens one.

    Each method is one transaction: whole, or not at all. It takes the fields of its request as
    keywords, with the defaults that the terminal has, and answers with an `Answer`. What cannot
    be done raises a `roundbook.errors.RoundbookError`, whose message says why.

    Parameters
    ----------
    address : str, optional
        A PostgreSQL server's, as ``postgresql://user:password@host:port/database``, or that of a
        service, as ``https://host``. Default: that of the settings, and the embedded server where
        they name none.
    token : str, optional
        What a service is to know you by.

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
        self._opened: LocalRecord | RemoteRecord
        if address is not None and address.startswith(("http://", "https://")):
            from roundbook.python.remote import RemoteRecord

            self._opened = RemoteRecord(address, token)
        else:
            from roundbook.python.local import LocalRecord

            self._opened = LocalRecord(address)
        # An embedded server is stopped when the book is closed, or nobody has it any more.
        self._close = weakref.finalize(self, self._opened.close)

    @property
    def _record(self) -> LocalRecord | RemoteRecord:
        if not self._close.alive:
            raise InputError("The book is closed; roundbook.open() opens one.")
        return self._opened

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the record; the embedded server stops unless somebody else uses it."""
        self._close()

    def ask(self, use_case: str, /, **fields: Any) -> Answer[Any]:  # noqa: ANN401
        """Answer any use case of `roundbook.use_cases` by its name.

        Raises
        ------
        RequestError
            When a field cannot be as it is given, or there is no such field.
        """
        with with_ways_out():
            case = find_use_case(use_case)
            given = {field: value for field, value in fields.items() if value is not None}
            request = None if case.request is None else case.request(**given)
            return Answer(self._record.ask(use_case, request))

    # Questions

    def tasks(self) -> Answer[Any]:
        """Return the tasks."""
        return self.ask("tasks")

    def rounds(self, task: str) -> Answer[Any]:
        """Return a task's rounds, in order."""
        return self.ask("rounds", task=task)

    def round(self, task: str, round: str) -> Answer[Any]:
        """Return a round with all that was logged in it: scores, runs and relevance assessments."""
        return self.ask("round", task=task, round=round)

    def measures(self, task: str | None = None) -> Answer[Any]:
        """Return the measures with scores, and how each is spelled."""
        return self.ask("measures", task=task)

    def matrices(self, task: str, **fields: object) -> Answer[Any]:
        """Return the logged score matrices of a task; see `requests.matrices.ListMatrices`."""
        return self.ask("matrices", task=task, **fields)

    def scores(
        self, task: str, round: str, measure: str, assessments: str | None = None
    ) -> Answer[Any]:
        """Return the raw scores that count of a round: ``to_frame`` has a column a run.

        Raises
        ------
        NotRecordedError
            When none are logged.
        InputError
            When they rest on several assessments, and none is named.
        """
        with with_ways_out():
            found = self.matrices(
                task, round=round, measure=measure, assessments=assessments
            ).matrices
            counting = [matrix for matrix in found if matrix.standing == "current"]
            if len(counting) > 1:
                labels = ", ".join(matrix.assessments for matrix in counting)
                raise InputError(
                    f"Round '{round}' has scores of {measure} by several assessments: {labels}.",
                    way_out="several assessments",
                )
            if not counting:
                raise NotRecordedError(
                    f"Round '{round}' has no logged scores of {measure} that count.",
                    way_out="log scores",
                    task=task,
                    round=round,
                    measure=measure,
                )
            return self.ask("export_matrix", matrix=counting[0].matrix)

    def variances(self, task: str, measure: str, **fields: object) -> Answer[Any]:
        """Return a measure's residual variance in every round, with intervals, and pooled.

        See `requests.variances.VarianceRequest` for the fields: ``scale``, ``assessments``,
        ``pool_by``.
        """
        return self.ask("variances", task=task, measure=measure, **fields)

    def factors(self, task: str, round: str, measure: str, **fields: object) -> Answer[Any]:
        """Return the latest standardisation factors of a round, or those of a ``version``."""
        return self.ask("factors", task=task, round=round, measure=measure, **fields)

    def plan(
        self, task: str | None = None, measure: str | None = None, **fields: object
    ) -> Answer[Any]:
        """Return topic set sizes from a task's variance, or a given one: ``variance=0.05``.

        See `requests.plans.PlanRequest` for the fields: ``design``, ``m``, ``min_d``, ``alpha``,
        ``beta``, ``variance_at`` and others.
        """
        return self.ask("plan", task=task, measure=measure, **fields)

    def drift(self, task: str, measure: str, **fields: object) -> Answer[Any]:
        """Return whether a round's factors have aged by a later one.

        See `requests.drift.DriftRequest` for the fields: ``from_round`` (default: the first),
        ``to_round`` (default: the latest), ``margin``.
        """
        return self.ask("drift", task=task, measure=measure, **fields)

    def ageing(self, task: str, measure: str, **fields: object) -> Answer[Any]:
        """Return how the first round's factors have aged by every later round."""
        return self.ask("ageing", task=task, measure=measure, **fields)

    def standardise(self, task: str, round: str, measure: str, **fields: object) -> Answer[Any]:
        """Return a round's standardised scores: ``scale`` std-ab (default), std-cdf or std."""
        return self.ask("standardise", task=task, round=round, measure=measure, **fields)

    def standardise_files(
        self,
        task: str,
        factors_from: str,
        scores: Any,  # noqa: ANN401
        measure: str,
        **fields: Any,  # noqa: ANN401
    ) -> Answer[Any]:
        """Return new runs' scores, as `log` takes them, standardised by a round's factors."""
        from roundbook.python.scores import as_files

        about = {"task": task, "factors_from": factors_from, "measure": measure} | fields
        with as_files(scores) as files:
            return self._upload("standardise_files", about, *files)

    def rank(self, task: str, round: str, measure: str, **fields: object) -> Answer[Any]:
        """Return the ranking of a round's runs by raw beside standardised means."""
        return self.ask("rank", task=task, round=round, measure=measure, **fields)

    def generalisability(self, task: str, measure: str, **fields: object) -> Answer[Any]:
        """Return how reliably each round's topics rank its runs."""
        return self.ask("generalisability", task=task, measure=measure, **fields)

    def study(
        self,
        name: str,
        task: str,
        round: str | None = None,
        measure: str | None = None,
        *,
        all_rounds: bool = False,
        **fields: object,
    ) -> Answer[Any]:
        """Return a study of a round's scores: ``discriminative-power``, ``swap-rate`` and others.

        Parameters
        ----------
        round, measure : str, optional
            `round` is left out with `all_rounds`, and `measure` where the study has only one.
        all_rounds : bool
            Study all rounds that have the measure, as the terminal's ``--all-rounds`` does.
        **fields
            Of the study's request in `roundbook.requests.studies`: ``scales``, ``trials``, ``seed``,
            ``assessments`` and others; an error lists those there are.

        Raises
        ------
        InputError
            When there is no such study.
        """
        from roundbook.logbook.studies.studies import STUDIES, find_study

        with with_ways_out():
            name, fields = _over_rounds(name, fields, all_rounds=all_rounds)
            find_study(name)
            request = STUDIES[name].request(**_given(fields, task, round, measure))
            return Answer(self._record.study(request))

    def jobs(self, task: str | None = None, **fields: Any) -> Answer[Any]:  # noqa: ANN401
        """Return the studies that were started in the background, latest first."""
        from roundbook.requests.jobs import ListJobs

        with with_ways_out():
            return Answer(self._record.job("list_jobs", ListJobs(task=task, **fields)))

    def job(self, job: int) -> Answer[Any]:
        """Return a study in the background: how far it is, and what came of it."""
        from roundbook.requests.jobs import ShowJob

        with with_ways_out():
            return Answer(self._record.job("show_job", ShowJob(job=job)))

    def follow_job(self, job: int, seconds: float = 0.5) -> Iterator[Answer[Any]]:
        """Yield a study in the background whenever it has changed, until it is over.

        Parameters
        ----------
        seconds : float
            How long to wait between two looks.
        """
        from roundbook.jobs.job import ENDED

        shown = None
        while True:
            answer = self.job(job)
            if answer.model != shown:
                shown = answer.model
                yield answer
            if answer.status in ENDED:
                return
            time.sleep(seconds)

    def report(
        self,
        kind: str,
        task: str,
        output: str | Path,
        **fields: Any,  # noqa: ANN401
    ) -> Answer[Any]:
        """Write a report for others: ``html``, one self-contained page, ``latex`` or ``datacite``.

        Parameters
        ----------
        output : path
            The file to write, on this machine; `latex` and `datacite` take a directory too.
        **fields
            Of the request in `requests.reports`: ``round``, ``measure``, ``force`` and others.
        """
        with with_ways_out():
            return Answer(self._record.report(kind, {"task": task, "output": output} | fields))

    def results(self, task: str | None = None, **fields: object) -> Answer[Any]:
        """Return the saved results, and which of them are stale."""
        return self.ask("results", task=task, **fields)

    def result(self, name: str, version: int | None = None) -> Answer[Any]:
        """Return a saved result by its name."""
        return self.ask("result", name=name, version=version)

    def impact(self, matrix: int) -> Answer[Any]:
        """Return everything that rests on a score matrix, and whether it is stale."""
        return self.ask("impact", matrix=matrix)

    def events(self, task: str | None = None, **fields: object) -> Answer[Any]:
        """Return who changed what of the record, when and why."""
        return self.ask("events", task=task, **fields)

    def verify(self, task: str | None = None) -> Answer[Any]:
        """Compute everything derived again, and return what differs from what is stored."""
        return self.ask("verify", task=task)

    # Decisions

    def log(
        self,
        task: str,
        round: str,
        scores: Any,  # noqa: ANN401
        measure: str | Sequence[str] | None = None,
        *,
        topics: Sequence[object] | None = None,
        runs: Sequence[object] | None = None,
        **fields: Any,  # noqa: ANN401
    ) -> Answer[Any]:
        """Log the scores of a round.

        Parameters
        ----------
        scores : path, sequence of paths, data frame, open file, (topics, runs) array_like, or None
            A frame is wide (topics below each other, a column a run) or long, as files are. None
            computes them from the round's runs and relevance assessments.
        measure : str or sequence of str
            Several of a long file or frame; None for all in it, with ``all_measures=True``.
        topics, runs : sequence
            Names of an array's rows and columns; they make `scores` an array.
        **fields
            Of `requests.matrices.LogFilesRequest`: ``create``, ``revise``, ``missing``,
            ``teams`` and others.

        Returns
        -------
        Answer
            The logged matrices, one a measure.

        Raises
        ------
        ContentDiffersError
            When other scores are logged, and no reason to ``revise`` them is given.
        """
        from roundbook.python.scores import as_files, as_matrix
        from roundbook.requests.matrices import LogRequest

        about = {"task": task, "round": round} | fields
        if topics is not None or runs is not None:
            if topics is None or runs is None or not isinstance(measure, str):
                raise TypeError("an array takes `topics`, `runs` and one `measure`")
            matrix = as_matrix(scores, topics, runs, measure)
            with with_ways_out():
                request = LogRequest(**about, measure=measure)
                return Answer(self._record.log_matrix(request, matrix))
        names = (measure,) if isinstance(measure, str) else tuple(measure or ())
        if scores is None:
            return self._upload("log", about | {"measures": names, "from_runs": True})
        with as_files(scores) as files:
            return self._upload("log", about | {"measures": names}, *files)

    def describe_teams(
        self,
        task: str,
        round: str,
        file: str | Path,
        **fields: Any,  # noqa: ANN401
    ) -> Answer[Any]:
        """Record the runs' teams from a team file; with ``revise``, a reason, correct them."""
        return self._upload("describe_teams", {"task": task, "round": round} | fields, Path(file))

    def log_runs(
        self,
        task: str,
        round: str,
        *files: str | Path,
        **fields: Any,  # noqa: ANN401
    ) -> Answer[Any]:
        """Log what runs of a round retrieved, from TREC run files."""
        about = {"task": task, "round": round} | fields
        return self._upload("log_runs", about, *map(Path, files))

    def log_qrels(
        self,
        task: str,
        round: str,
        file: str | Path,
        **fields: Any,  # noqa: ANN401
    ) -> Answer[Any]:
        """Log a round's relevance assessments, from a qrels file."""
        return self._upload("log_qrels", {"task": task, "round": round} | fields, Path(file))

    def alias_topics(self, task: str, file: str | Path) -> Answer[Any]:
        """Record under which other ids topics returned, from a file of topic, round and id."""
        return self._upload("alias_topics", {"task": task}, Path(file))

    def _upload(self, name: str, fields: dict[str, Any], *files: Path) -> Answer[Any]:
        with with_ways_out():
            return Answer(self._record.upload(name, fields, files))

    def fit(
        self,
        task: str,
        round: str,
        measure: str,
        reason: str,
        **fields: object,
    ) -> Answer[Any]:
        """Fit a further version of a round's factors, on the ``runs`` named or all."""
        return self.ask("fit", task=task, round=round, measure=measure, reason=reason, **fields)

    def save(
        self,
        kind: str,
        name: str | None = None,
        note: str | None = None,
        **fields: Any,  # noqa: ANN401
    ) -> Answer[Any]:
        """Compute a plan, drift report or study, and keep it with its inputs.

        Parameters
        ----------
        kind : str
            ``plan``, ``drift``, or the name of a study.
        name : str, optional
            Default: the task, the kind and the next number.
        **fields
            Of the kind's request, as `plan`, `drift` and `study` take them.
        """
        from roundbook.logbook.kinds import kind_of

        with with_ways_out():
            all_rounds = bool(fields.pop("all_rounds", False))
            kind, given = _over_rounds(kind, fields, all_rounds=all_rounds)
            kind, given = kind_of(kind, given)
            return Answer(self._record.save(kind, given, name, note))

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
    ) -> Answer[Any]:
        """Start a study in the background, for a worker to compute and save.

        The worker is ``roundbook worker``, or the one beside ``roundbook serve``.

        Parameters
        ----------
        study, task, round, measure, all_rounds, **fields
            As `study` takes them.
        name, note : str, optional
            What it is saved under, and why, as in `save`.

        Returns
        -------
        Answer
            The job; `job` and `follow_job` take its number, ``.job``, and so does `cancel_job`.
        """
        from roundbook.requests.jobs import StartStudy

        with with_ways_out():
            study, fields = _over_rounds(study, fields, all_rounds=all_rounds)
            asked = _given(fields, task, round, measure)
            request = StartStudy(study=study, request=asked, name=name, note=note)
            return Answer(self._record.job("start_study", request))

    def cancel_job(self, job: int) -> Answer[Any]:
        """Take a study in the background out of the queue, or have its worker stop."""
        from roundbook.requests.jobs import ShowJob

        with with_ways_out():
            return Answer(self._record.job("cancel_job", ShowJob(job=job)))

    def renew(
        self, name: str | None = None, task: str | None = None, *, dry_run: bool = False
    ) -> Answer[Any]:
        """Renew a saved result, or all of a task that are stale."""
        return self.ask("renew", name=name, task=task, dry_run=dry_run)

    def create_task(self, task: str, title: str | None = None) -> Answer[Any]:
        """Make a task."""
        return self.ask("create_task", task=task, title=title)

    def create_round(self, task: str, round: str, **fields: object) -> Answer[Any]:
        """Make a round, after the last one of its task."""
        return self.ask("create_round", task=task, round=round, **fields)

    def publish(self, task: str, round: str, reason: str | None = None) -> Answer[Any]:
        """Publish a round for good: from then on its names are for everybody."""
        return self.ask("publish", task=task, round=round, reason=reason)

    def withdraw(self, matrix: int, reason: str) -> Answer[Any]:
        """Withdraw a score matrix: it stays readable, and counts no more."""
        return self.ask("withdraw", matrix=matrix, reason=reason)

    def restore(self, matrix: int, reason: str) -> Answer[Any]:
        """Take a withdrawal back."""
        return self.ask("restore", matrix=matrix, reason=reason)

    def record_variance(self, task: str, round: str, measure: str, **fields: object) -> Answer[Any]:
        """Record a variance that was only published, with its ``source``."""
        return self.ask("record_variance", task=task, round=round, measure=measure, **fields)


def _over_rounds(
    study: str, fields: dict[str, Any], *, all_rounds: bool
) -> tuple[str, dict[str, Any]]:
    """Return the study of all rounds in place of that of one, where that is asked for."""
    if not all_rounds:
        return study, fields
    if study not in _OVER_ROUNDS:
        raise InputError(f"There is no {study} of all rounds: it is of {', '.join(_OVER_ROUNDS)}.")
    if study == "swap-rate" and "trials" in fields:
        fields = {"swap_trials" if name == "trials" else name: of for name, of in fields.items()}
    return _OVER_ROUNDS[study], fields


_OVER_ROUNDS = {
    "discriminative-power": "across-rounds",
    "swap-rate": "across-rounds",
    "leave-one-out": "leave-one-out-rounds",
}


def _given(
    fields: dict[str, object], task: str, round: str | None, measure: str | None
) -> dict[str, Any]:
    """Return the fields of a study, without those that are left out."""
    given = {"task": task, "round": round, "measure": measure} | fields
    return {name: value for name, value in given.items() if value is not None}
