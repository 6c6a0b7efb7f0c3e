"""What runs retrieved and how it was assessed: logged once, whole, and never changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, func, select

from roundbook.database.lists import StoredList, write_lists
from roundbook.database.run_tables import (
    DEPTH,
    judgment_list,
    qrels,
    run_list,
    run_upload,
    uploaded_run,
)
from roundbook.database.tables import run, topic
from roundbook.errors import (
    ContentDiffersError,
    InputError,
    NotRecordedError,
    RevisedMeanwhileError,
)
from roundbook.formats.trec import QrelsFile, RunFiles, StoredFile, read_qrels, read_runs
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import check_name, check_reason, find_round, find_task, is_named
from roundbook.logbook.recorded_names import recorded_tags, recorded_topics
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.rounds import open_round
from roundbook.logbook.runs.loading import runs_without_lists
from roundbook.logbook.runs.recorded_runs import record_runs
from roundbook.logbook.runs.storing import lists_hash, number_documents, store_names
from roundbook.logbook.same_topics import refuse_topic_twice
from roundbook.logbook.session import Session
from roundbook.logbook.storing import ensure_topics
from roundbook.requests.runs import LogQrels, LogRuns

Status = Literal["logged", "unchanged"]


class LoggedFile(Result):
    """A file as it was read: its name, and its bytes counted and hashed as it is stored."""

    file: str
    size: int
    sha256: str


class LoggedRuns(Result):
    """What logging runs did.

    `upload` counts within the round, and is None where nothing was stored; `status` is ``logged``
    or ``unchanged``, and with `dry_run` says what would have been done. `unchanged_runs` had the
    same lists already. `lists` is how many of runs and topics were stored, `documents` how many
    documents are in them, `new_documents` how many of these the round did not have, `beyond_depth`
    how many were ranked below `depth` and left out. `without_lists` are runs that score matrices of
    the round have and no upload.
    """

    task: str
    round: str
    upload: int | None
    status: Status
    dry_run: bool
    runs: int
    unchanged_runs: int
    topics: int
    lists: int
    documents: int
    new_documents: int
    depth: int
    beyond_depth: int
    new_topics: list[str]
    without_lists: list[str]
    files: list[LoggedFile]
    software: str = SOFTWARE


class LoggedQrels(Result):
    """What logging relevance assessments did.

    `judged` counts judgments and `relevant` those with a grade above 0, `grades` each grade;
    `without_relevant` are topics with none that is relevant, `without_judgments` topics that runs of
    the round have lists for and that are not assessed, `repeated` lines that said the same again.
    """

    task: str
    round: str
    assessments: str
    revision: int
    status: Status
    dry_run: bool
    topics: int
    judged: int
    relevant: int
    grades: dict[str, int]
    new_documents: int
    repeated: int
    without_relevant: list[str]
    without_judgments: list[str]
    new_topics: list[str]
    files: list[LoggedFile]
    software: str = SOFTWARE


class _Run(NamedTuple):
    """A run of the files, its lists by topic and their hash."""

    tag: str
    lists: list[tuple[str, npt.NDArray[np.int32], npt.NDArray[np.float32]]]
    digest: str


def log_runs(
    session: Session,
    request: LogRuns,
    *,
    max_file_bytes: int,
    progress: Callable[[str], object] = lambda _: None,
) -> LoggedRuns:
    """Log what runs of a round retrieved, to depth 1,000: all of the files, or nothing.

    Runs that have the same lists already stay as they are; others never replace them. A run that
    the round does not have yet is recorded, and so is a topic.

    Parameters
    ----------
    max_file_bytes : int
        No larger file is read.
    progress : callable
        Told in a few words what is done next.

    Raises
    ------
    BadFileError
        When a file cannot be read as runs, with file:line:column.
    NotRecordedError
        When the task or round is not there.
    ContentDiffersError
        When a run has other lists already.
    InputError
        When a topic is there under two of its ids.
    """
    connection = session.connection
    _require_round(connection, request)
    # Before anybody who writes has to wait.
    read = read_runs(request.files, max_bytes=max_file_bytes, depth=DEPTH)
    task_id, round_id = open_round(
        connection, request.task, request.round, create=request.create, user=session.user
    )
    progress("Storing the lists ...")
    tags = _recorded("run", recorded_tags(connection, round_id, read.runs))
    topics = _recorded("topic", recorded_topics(connection, task_id, read.topics))
    refuse_topic_twice(connection, task_id, request.task, topics)
    documents = number_documents(connection, round_id, read.documents)
    runs = _runs(read, tags, topics, documents.numbers)
    recorded: dict[str, str] = {
        row.tag: row.content_hash
        for row in connection.execute(
            select(run.c.tag, uploaded_run.c.content_hash)
            .join(uploaded_run, uploaded_run.c.run_id == run.c.id)
            .where(run.c.round_id == round_id)
        )
    }
    _refuse_other_lists(request, runs, recorded)
    new = [entry for entry in runs if entry.tag not in recorded]
    new_topics = _unknown_topics(connection, task_id, topics)
    number = None
    if new:
        number = (
            1
            + connection.execute(
                select(func.coalesce(func.max(run_upload.c.number), 0)).filter_by(round_id=round_id)
            ).scalar_one()
        )
        store_names(connection, round_id, documents)
        store_runs(
            connection,
            new,
            round_id,
            {
                "number": number,
                "runs": len(new),
                "documents": documents.documents,
                "beyond_depth": read.beyond_depth,
                **_file_columns(read.files),
                "software": SOFTWARE,
                "logged_by": session.user,
            },
        )
    lists = [part for entry in new for part in entry.lists]
    logged = LoggedRuns(
        task=request.task.strip(),
        round=request.round.strip(),
        upload=None if request.dry_run else number,
        status="logged" if new else "unchanged",
        dry_run=request.dry_run,
        runs=len(new),
        unchanged_runs=len(runs) - len(new),
        topics=len({name for name, *_ in lists}),
        lists=len(lists),
        documents=sum(len(ranked) for _, ranked, _ in lists),
        new_documents=len(documents.new),
        depth=DEPTH,
        beyond_depth=read.beyond_depth,
        new_topics=new_topics,
        without_lists=runs_without_lists(connection, round_id),
        files=_files(read.files),
    )
    if new:
        record_event(
            connection,
            "runs logged",
            who=session.user,
            task_id=task_id,
            round_id=round_id,
            details={
                "upload": number,
                "files": [file.file for file in read.files],
                **logged.model_dump(include={"runs", "topics", "lists", "documents"}),
            },
        )
    return logged


def _require_round(connection: Connection, request: LogRuns | LogQrels) -> None:
    """Refuse a round that is not there, before large files are read."""
    if not request.create:
        task_id = find_task(connection, request.task, way_out="no task")
        find_round(connection, task_id, request.task, request.round, way_out="no round")


def _recorded(what: str, names: Mapping[str, str]) -> list[str]:
    """Return names as they are recorded; refuse two that are one."""
    spelled = list(names.values())
    if len(set(spelled)) < len(spelled):
        raise InputError(
            f"Two {what}s of the files have one name, with its accents encoded otherwise."
        )
    return spelled


def _runs(
    read: RunFiles, tags: Sequence[str], topics: Sequence[str], numbers: npt.NDArray[np.int32]
) -> list[_Run]:
    lists: list[list[tuple[str, npt.NDArray[np.int32], npt.NDArray[np.float32]]]] = [
        [] for _ in tags
    ]
    for ranked in read.lists:
        lists[ranked.run].append((topics[ranked.topic], numbers[ranked.documents], ranked.scores))
    return [_Run(tag, of_run, lists_hash(of_run)) for tag, of_run in zip(tags, lists, strict=True)]


def _refuse_other_lists(
    request: LogRuns, runs: Sequence[_Run], recorded: Mapping[str, str]
) -> None:
    differing = [
        entry.tag for entry in runs if recorded.get(entry.tag, entry.digest) != entry.digest
    ]
    if differing:
        more = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
        raise ContentDiffersError(
            f"Run '{differing[0]}'{more} of round '{request.round}' has other lists already, and"
            " what a run retrieved is never changed. Nothing was logged.",
            way_out="other lists",
            task=request.task,
            round=request.round,
        )


def _unknown_topics(connection: Connection, task_id: int, topics: Sequence[str]) -> list[str]:
    known = set(
        connection.execute(
            select(topic.c.name).where(topic.c.task_id == task_id, topic.c.name.in_(topics))
        ).scalars()
    )
    return [name for name in topics if name not in known]


def store_runs(
    connection: Connection, runs: Sequence[_Run], round_id: int, upload: Mapping[str, Any]
) -> None:
    """Store runs of a round with their lists, as an upload of these columns."""
    upload_id = connection.execute(
        run_upload.insert().values(round_id=round_id, **upload).returning(run_upload.c.id)
    ).scalar_one()
    run_ids = record_runs(connection, round_id, [entry.tag for entry in runs], {}).ids.tolist()
    topics = list(dict.fromkeys(name for entry in runs for name, *_ in entry.lists))
    topic_ids = dict(zip(topics, ensure_topics(connection, round_id, topics).tolist(), strict=True))
    connection.execute(
        uploaded_run.insert(),
        [
            {
                "run_upload_id": upload_id,
                "run_id": run_id,
                "topics": len(entry.lists),
                "documents": sum(len(documents) for _, documents, _ in entry.lists),
                "content_hash": entry.digest,
            }
            for run_id, entry in zip(run_ids, runs, strict=True)
        ],
    )
    write_lists(
        connection,
        (
            StoredList(run_id, topic_ids[name], documents, scores)
            for run_id, entry in zip(run_ids, runs, strict=True)
            for name, documents, scores in entry.lists
        ),
        upload_id,
    )


def latest_qrels(session: Session, request: LogQrels) -> int:
    """Return the latest revision of the assessments that the request logs, 0 where none is."""
    connection = session.connection
    task_id = find_task(connection, request.task, way_out="no task")
    round_id = find_round(connection, task_id, request.task, request.round, way_out="no round")
    row = _latest(connection, round_id, check_name("assessments label", request.assessments))
    return 0 if row is None else int(row.revision)


def _latest(connection: Connection, round_id: int, label: str) -> Row[Any] | None:
    return connection.execute(
        select(qrels)
        .where(qrels.c.round_id == round_id, is_named(qrels.c.assessments, label))
        .order_by(qrels.c.revision.desc())
        .limit(1)
    ).one_or_none()


def log_qrels(session: Session, request: LogQrels, *, max_file_bytes: int) -> LoggedQrels:
    """Log the relevance assessments of a round: all of the file, or nothing.

    The same content again is ``unchanged``; other content needs a reason (`revise`) and becomes a
    new revision, and the old ones stay readable.

    Parameters
    ----------
    max_file_bytes : int
        No larger file is read.

    Raises
    ------
    BadFileError
        When the file cannot be read as assessments, with file:line:column.
    NotRecordedError
        When the task or round is not there, or there is nothing to revise.
    ContentDiffersError
        When other assessments of this label are logged already and there is no reason.
    RevisedMeanwhileError
        When the latest revision is another than the expected one.
    InputError
        When no document is relevant, the reason to revise is empty, or a topic is there under two
        of its ids.
    """
    connection = session.connection
    reason = check_reason(request.revise)
    label = check_name("assessments label", request.assessments)
    _require_round(connection, request)
    read = read_qrels(request.file, max_bytes=max_file_bytes)
    if not (read.grade > 0).any():
        raise InputError(
            f"{read.file.file}: no document has a grade above 0, so these assessments find nothing"
            " relevant and no measure can be computed with them."
        )
    task_id, round_id = open_round(
        connection, request.task, request.round, create=request.create, user=session.user
    )
    topics = _recorded("topic", recorded_topics(connection, task_id, read.topics))
    refuse_topic_twice(connection, task_id, request.task, topics)
    latest = _latest(connection, round_id, label)
    documents = number_documents(connection, round_id, read.documents)
    lists = _judgments(read, topics, documents.numbers)
    digest = lists_hash(lists)
    unchanged = latest is not None and latest.content_hash == digest
    if not unchanged:
        _check_revision(request, label, latest, reason)
    revision = 1 if latest is None else int(latest.revision) + (not unchanged)
    new_topics = _unknown_topics(connection, task_id, topics)
    counts = {
        "topics": len(topics),
        "judged": len(read.grade),
        "relevant": int((read.grade > 0).sum()),
    }
    if not unchanged:
        store_names(connection, round_id, documents)
        qrels_id = connection.execute(
            qrels.insert()
            .values(
                round_id=round_id,
                assessments=label if latest is None else latest.assessments,
                revision=revision,
                reason=reason,
                content_hash=digest,
                **_file_columns([read.file]),
                software=SOFTWARE,
                logged_by=session.user,
                **counts,
            )
            .returning(qrels.c.id)
        ).scalar_one()
        topic_ids = ensure_topics(connection, round_id, topics).tolist()
        connection.execute(
            judgment_list.insert(),
            [
                {
                    "qrels_id": qrels_id,
                    "topic_id": topic_id,
                    "documents": judged.tolist(),
                    "grades": grades.tolist(),
                }
                for topic_id, (_, judged, grades) in zip(topic_ids, lists, strict=True)
            ],
        )
        record_event(
            connection,
            "assessments logged" if revision == 1 else "assessments revised",
            who=session.user,
            why=reason,
            task_id=task_id,
            round_id=round_id,
            details={"assessments": label, "revision": revision, "file": read.file.file, **counts},
        )
    return LoggedQrels(
        task=request.task.strip(),
        round=request.round.strip(),
        assessments=label,
        revision=revision,
        status="unchanged" if unchanged else "logged",
        dry_run=request.dry_run,
        **counts,
        grades={str(grade): count for grade, count in sorted(Counter(read.grade.tolist()).items())},
        new_documents=len(documents.new),
        repeated=read.repeated,
        without_relevant=[name for name, _, grades in lists if not (grades > 0).any()],
        without_judgments=_without_judgments(connection, round_id, topics),
        new_topics=new_topics,
        files=_files([read.file]),
    )


def _judgments(
    read: QrelsFile, topics: Sequence[str], numbers: npt.NDArray[np.int32]
) -> list[tuple[str, npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
    """Return the judged documents of each topic, in the order of their numbers, and the grades."""
    documents = numbers[read.document]
    order = np.lexsort((documents, read.topic))
    starts = np.searchsorted(read.topic[order], np.arange(1, len(topics)))
    parts = zip(
        np.split(documents[order], starts), np.split(read.grade[order], starts), strict=True
    )
    return [(name, *part) for name, part in zip(topics, parts, strict=True)]


def _check_revision(
    request: LogQrels, label: str, latest: Row[Any] | None, reason: str | None
) -> None:
    where = f"the assessments '{label}' of round '{request.round}'"
    if latest is None:
        if reason is not None:
            raise NotRecordedError(
                f"Nothing is logged for {where} yet to revise.", way_out="nothing to revise"
            )
    elif reason is None:
        raise ContentDiffersError(
            f"For {where} other judgments are logged already ({latest.judged}, of which"
            f" {latest.relevant} relevant).",
            way_out="other judgments",
        )
    elif request.expected_revision not in (None, latest.revision):
        raise RevisedMeanwhileError(
            f"{latest.logged_by} logged revision {latest.revision} of {where} while this correction"
            " was under way, so it was not logged.",
            way_out="qrels revised meanwhile",
            task=request.task,
            round=request.round,
        )


def _without_judgments(connection: Connection, round_id: int, assessed: Iterable[str]) -> list[str]:
    names = connection.execute(
        select(topic.c.name)
        .where(
            topic.c.id.in_(
                select(run_list.c.topic_id).where(
                    run_list.c.run_upload_id.in_(
                        select(run_upload.c.id).where(run_upload.c.round_id == round_id)
                    )
                )
            )
        )
        .order_by(topic.c.id)
    ).scalars()
    return [name for name in names if name not in set(assessed)]


def _file_columns(files: Sequence[StoredFile]) -> dict[str, list[Any]]:
    return {
        "files": [file.file for file in files],
        "file_sizes": [file.size for file in files],
        "file_hashes": [file.sha256 for file in files],
    }


def _files(files: Sequence[StoredFile]) -> list[LoggedFile]:
    return [LoggedFile(**file._asdict()) for file in files]
