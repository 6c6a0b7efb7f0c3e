"""Studies as jobs: starting, listing and cancelling them, and their progress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from procrastinate.connector import BaseConnector
from procrastinate.jobs import Job as QueuedJob
from sqlalchemy import Connection, RowMapping, text

from roundbook.errors import AlreadyRecordedError, InputError, NotRecordedError
from roundbook.jobs.job import Job, JobList
from roundbook.jobs.job_queue import QUEUE, has_queue, queue_in
from roundbook.logbook.lookup import find_logged, find_round, find_task
from roundbook.logbook.names import check_name, check_text
from roundbook.logbook.saving import asked_otherwise
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import BESIDE_SCORES
from roundbook.logbook.stored_results import versions_of
from roundbook.logbook.studies.studies import find_entry
from roundbook.requests.results import ListJobs, ShowJob, StartStudy
from roundbook.requests.studies import StudyRequest

_JOBS = """
SELECT study_job.*, task.name AS task, queued.status, queued.abort_requested, queued.args,
    computed.request AS request_now, former.request AS request_before
FROM roundbook_jobs.procrastinate_jobs AS queued
JOIN roundbook_jobs.study_job ON study_job.job = queued.id
JOIN roundbook.task ON task.id = study_job.task_id AND task.created_at <= study_job.asked_at
LEFT JOIN roundbook.result AS computed ON computed.kind = 'study'
  AND computed.name = study_job.result AND computed.version = study_job.version
LEFT JOIN roundbook.result AS former ON former.kind = 'study' AND study_job.saved = 'saved'
  AND former.name = study_job.result AND former.version = study_job.version - 1
WHERE (CAST(:job AS bigint) IS NULL OR queued.id = :job)
  AND (CAST(:task AS text) IS NULL OR normalize(task.name) = :task)
  AND (CAST(:before AS bigint) IS NULL OR queued.id < :before)
ORDER BY queued.id DESC LIMIT :limit
"""
# A job's task with its rounds, as far as they are those of the time when it was asked for.
_NAMES = """
SELECT task.name AS task, round.id, round.label
FROM roundbook_jobs.study_job
JOIN roundbook.task ON task.id = study_job.task_id AND task.created_at <= study_job.asked_at
LEFT JOIN roundbook.round ON round.task_id = task.id AND round.created_at <= study_job.asked_at
WHERE study_job.job = :job
"""
_STATUSES = {
    "todo": "waiting",
    "doing": "running",
    "succeeded": "done",
    "failed": "failed",
    "cancelled": "cancelled",
    "aborted": "cancelled",
}


def start_study(session: Session, request: StartStudy) -> Job:
    """Put a study into the queue; it is computed and saved in the name of the session's user.

    Raises
    ------
    InputError
        When there is no such study, or it reads files.
    NotRecordedError
        When there is no such task, round or scores.
    AlreadyRecordedError
        When another task has a study of this name.
    """
    study = study_request(request)
    if study.files or study.task is None:
        raise InputError("A job's study is saved, so it is of a round, not of files.")
    task_id = find_task(session.connection, study.task)
    labels = {
        field: label
        for field in ("round", "to_round")
        if (label := getattr(study, field, None)) is not None
    }
    # What the worker would not find is refused now.
    if not set(study.rests_on).issubset(BESIDE_SCORES):
        for label in labels.values():
            find_logged(session.connection, study.task, label, study.measure, study.assessments)
    # Rounds and tasks may be renamed before the job's turn.
    rounds = {
        field: find_round(session.connection, task_id, study.task, label)
        for field, label in labels.items()
    }
    name = None if request.name is None else check_name("study", request.name)
    if name is not None:
        versions_of(session.connection, "study", name, task_id)
    values: dict[str, Any] = {
        "request": study.model_dump(mode="json", exclude_none=True),
        "name": name,
        "note": check_text("note", request.note),
        "user": session.user,
        "rounds": rounds,
    }
    queued = queue_in(session.connection).defer_job(
        QueuedJob(queue=QUEUE, lock=None, queueing_lock=None, task_name="study", task_kwargs=values)
    )
    session.connection.execute(
        text(
            "INSERT INTO roundbook_jobs.study_job (job, task_id, asked_by) VALUES (:job, :task, :user)"
        ),
        {"job": queued.id, "task": task_id, "user": session.user},
    )
    assert queued.id is not None
    return show_job(session, ShowJob(job=queued.id))


def study_request(request: StartStudy) -> StudyRequest:
    """Return the request of the study that a job is to compute."""
    return find_entry(request.study).request(**request.request | {"study": request.study})


def list_jobs(session: Session, request: ListJobs) -> JobList:
    """Return the jobs, latest first."""
    return JobList(jobs=_jobs(session.connection, **dict(request)))


def show_job(session: Session, request: ShowJob) -> Job:
    """Return a job.

    Raises
    ------
    NotRecordedError
        When there is no job of this number; an ended job is deleted after thirty days.
    """
    jobs = _jobs(session.connection, job=request.job)
    if not jobs:
        raise NotRecordedError(f"There is no job {request.job}.", job=request.job)
    return jobs[0]


def cancel_job(session: Session, request: ShowJob) -> Job:
    """Take a job out of the queue, or have its worker stop; a cancelled job stays as it is.

    Raises
    ------
    NotRecordedError
        When there is no job of this number.
    AlreadyRecordedError
        When it is done or has failed.
    """
    job = show_job(session, request)
    if job.status == "cancelled" or job.stopping:
        return job
    if not queue_in(session.connection).cancel_job_by_id(request.job, abort=True):
        ended = show_job(session, request)
        raise AlreadyRecordedError(
            f"Job {request.job} is {ended.status} already.", job=request.job, status=ended.status
        )
    session.connection.execute(
        text(
            "UPDATE roundbook_jobs.study_job SET ended_at = now() FROM"
            " roundbook_jobs.procrastinate_jobs AS queued"
            " WHERE job = :job AND queued.id = job AND queued.status = 'cancelled'"
        ),
        {"job": request.job},
    )
    return show_job(session, request)


def current_names(connection: Connection, job: int, rounds: Mapping[str, int]) -> dict[str, str]:
    """Return the present names of a job's task and rounds, given by their ids, by field.

    Raises
    ------
    NotRecordedError
        When one is no longer there. Its id may be another's by now, where a backup was restored: that
        one was made after the job.
    """
    rows = connection.execute(text(_NAMES), {"job": job}).all()
    labels = {row.id: row.label for row in rows}
    if not rows or not labels.keys() >= set(rounds.values()):
        raise NotRecordedError("The task or the round that it was asked of is no longer there.")
    return {"task": rows[0].task} | {field: labels[number] for field, number in rounds.items()}


def note_job(connector: BaseConnector, job: int, **facts: object) -> None:
    """Update a job's progress or outcome."""
    assignments = ", ".join(f"{name} = %({name})s" for name in facts)
    connector.execute_query(
        f"UPDATE study_job SET {assignments} WHERE job = %(job)s",  # noqa: S608
        job=job,
        **facts,
    )


def _jobs(connection: Connection, **filters: object) -> list[Job]:
    if not has_queue(connection):
        return []
    filters = {"job": None, "task": None, "before": None, "limit": 1} | filters
    return [_job(row) for row in connection.execute(text(_JOBS), filters).mappings()]


def _job(row: RowMapping) -> Job:
    status, arguments = _STATUSES[row["status"]], row["args"]
    if status == "failed" and row["abort_requested"]:
        status = "cancelled"  # its worker was lost before it could stop
    running = status == "running"
    before, now = row["request_before"], row["request_now"]
    return Job(
        **{name: row[name] for name in Job.model_fields if name in row and name != "status"},
        study=arguments["request"]["study"],
        name=arguments["name"],
        note=arguments["note"],
        request=arguments["request"] | {"task": row["task"]},
        status=status,
        stopping=running and row["abort_requested"],
        asked_before=asked_otherwise(before, now) if before and now else {},
    )
