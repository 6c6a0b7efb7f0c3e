"""Logging of runs' ranked lists, which are stored once and never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import not_
from typing import Any

from pydantic import Field
from sqlalchemy import Connection, select

from roundbook.database.copying import copy_rows
from roundbook.database.lists import StoredList, write_lists
from roundbook.database.run_tables import run_upload, uploaded_run
from roundbook.database.tables import run
from roundbook.errors import ContentDiffersError
from roundbook.formats.text import StoredFile
from roundbook.formats.trec import read_runs
from roundbook.limits import LIST_DEPTH
from roundbook.logbook.events import record_event
from roundbook.logbook.impact import Dependent, stale_by_source
from roundbook.logbook.names import NearName, recorded_tags, recorded_topics
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.rounds import open_round
from roundbook.logbook.runs.other_rounds import SameLists, find_same_lists
from roundbook.logbook.runs.recorded_runs import record_runs, runs_of_round
from roundbook.logbook.runs.storing import (
    RankedList,
    Status,
    UploadedLists,
    file_columns,
    find_open_round,
    lists_hash,
    number_documents,
    round_topics,
    store_names,
    unknown_topics,
)
from roundbook.logbook.same_topics import SameTopics, refuse_topic_twice, same_topics
from roundbook.logbook.session import ReportProgress, Session, ignore_progress
from roundbook.logbook.storing import ensure_topics
from roundbook.requests.runs import LogRuns


class LoggedRuns(Result):
    """The result of logging runs.

    `upload` is numbered within the round, None if nothing was stored; `status` is ``logged`` or
    ``unchanged``, with `dry_run` what would have been done. `unchanged_runs` had the same lists
    already. `lists` is the number of lists stored, `documents` the number of documents in them,
    `longest_list` the number in the longest, `new_documents` the number new to the round, and
    `beyond_depth` the number ranked below `depth` and left out. `without_lists` are runs in current
    score matrices of the round but in no upload, `without_scores` new runs in none of its score
    matrices, if runs there have no lists yet. `same_lists` is another round that has the lists of new
    runs already; `without_round_topics` are new runs without a list for any topic that is assessed or
    has scores in the round, `foreign_topics` topics of new runs that other rounds have, and this
    one has not, each if the round has any. `impact` is what was computed from the earlier runs and is
    stale; `near_names` are the task and round that were made, where they may be misspelt.
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
    longest_list: int
    beyond_depth: int
    new_topics: list[str]
    without_lists: list[str]
    without_scores: list[str]
    same_lists: SameLists | None = Field(None, exclude_if=not_)
    without_round_topics: list[str] = Field(default_factory=list, exclude_if=not_)
    foreign_topics: list[str] = Field(default_factory=list, exclude_if=not_)
    impact: list[Dependent]
    near_names: list[NearName] = Field(default_factory=list, exclude_if=not_)
    files: list[StoredFile]
    software: str = SOFTWARE


def log_runs(
    session: Session, request: LogRuns, progress: ReportProgress = ignore_progress
) -> LoggedRuns:
    """Log the ranked lists of a round's runs from files, to depth 1,000.

    Runs with the same lists already stay as they are; different lists never replace them. New runs
    and topics are recorded.

    Raises
    ------
    BadFileError
        When a file cannot be read as runs, with file:line:column.
    NotRecordedError
        When the task or round does not exist.
    ContentDiffersError
        When a run has different lists already.
    InputError
        When a topic occurs under two of its ids.
    """
    connection = session.connection
    if not request.create:
        find_open_round(connection, request)  # before large files are read
    # Checked before the task is locked, so that no other writer has to wait.
    read = read_runs(request.files, max_bytes=session.work.max_file_bytes)
    task_id, round_id, near_names = open_round(session, request)
    progress("Storing the lists ...")
    tags = recorded_tags(connection, round_id, read.runs)
    topics = recorded_topics(connection, task_id, read.topics)
    same = same_topics(connection, task_id)
    refuse_topic_twice(same, request.task, topics)
    documents = number_documents(connection, round_id, read.documents)
    lists_of: list[list[RankedList]] = [[] for _ in tags]
    for ranked in read.lists:
        of_topic = topics[ranked.topic], documents.numbers[ranked.documents], ranked.scores
        lists_of[ranked.run].append(of_topic)
    runs = [
        UploadedLists(tag, of_run, lists_hash(of_run))
        for tag, of_run in zip(tags, lists_of, strict=True)
    ]
    hashes = (
        select(run.c.tag, uploaded_run.c.content_hash)
        .join(uploaded_run, uploaded_run.c.run_id == run.c.id)
        .where(run.c.round_id == round_id)
    )
    recorded = {row.tag: row.content_hash for row in connection.execute(hashes)}
    _refuse_other_lists(request, runs, recorded)
    new = [entry for entry in runs if entry.tag not in recorded]
    new_topics = unknown_topics(connection, task_id, topics)
    number: int | None = None
    impact: list[Dependent] = []
    same_lists, without_round_topics, foreign_topics = None, list[str](), list[str]()
    if new:
        same_lists = find_same_lists(connection, round_id, new, read, documents)
        without_round_topics, foreign_topics = _apart(connection, round_id, new, same, new_topics)
        store_names(connection, round_id, documents)
        columns = {
            "runs": len(new),
            "documents": documents.documents,
            "beyond_depth": read.beyond_depth,
            **file_columns(read.files),
            "software": SOFTWARE,
            "logged_by": session.user,
        }
        number, impact = _store_upload(connection, new, round_id, columns)
    lists = [part for entry in new for part in entry.lists]
    recorded_runs = runs_of_round(connection, round_id)
    lacking = [row.tag for row in recorded_runs if row.counts and not row.listed]
    unscored = {row.tag for row in recorded_runs if not row.scored}
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
        depth=LIST_DEPTH,
        longest_list=max((len(ranked) for _, ranked, _ in lists), default=0),
        beyond_depth=read.beyond_depth,
        new_topics=new_topics,
        without_lists=lacking,
        # Further runs may come before their scores, once those with scores have their lists.
        without_scores=[entry.tag for entry in new if lacking and entry.tag in unscored],
        same_lists=same_lists,
        without_round_topics=without_round_topics,
        foreign_topics=foreign_topics,
        impact=impact,
        near_names=near_names,
        files=list(read.files),
    )
    if new:
        record_event(
            session,
            "runs logged",
            task_id=task_id,
            round_id=round_id,
            details={
                "upload": number,
                "files": [file.file for file in read.files],
                **logged.model_dump(include={"runs", "topics", "lists", "documents"}),
            },
        )
    return logged


def _refuse_other_lists(
    request: LogRuns, runs: Sequence[UploadedLists], recorded: Mapping[str, str]
) -> None:
    differing = [
        entry.tag for entry in runs if recorded.get(entry.tag, entry.digest) != entry.digest
    ]
    if differing:
        subject = f"Run '{differing[0]}' of round '{request.round}' has"
        if len(differing) > 1:
            subject = f"Run '{differing[0]}' and {len(differing) - 1} more of round '{request.round}' have"
        raise ContentDiffersError(
            f"{subject} other lists already, and what a run retrieved is never changed. Nothing was"
            " logged.",
            way_out="other lists",
            task=request.task,
            round=request.round,
            run=differing[0],
            runs=len(differing),
        )


def _apart(
    connection: Connection,
    round_id: int,
    runs: Sequence[UploadedLists],
    same: SameTopics,
    new_topics: Sequence[str],
) -> tuple[list[str], list[str]]:
    """Return the new runs apart from a round's topics, and their topics of other rounds alone.

    The former have no list for any topic that is assessed or has scores. The latter are not new to
    the task, and in the round not assessed, without scores and in no list of an earlier run. Both
    are empty in a round without such.
    """
    rows = round_topics(connection, round_id)
    judged = {same.name(row.name) for row in rows if row.scored or row.assessed}
    known = {same.name(row.name) for row in rows}
    without = [
        entry.tag
        for entry in runs
        if judged and judged.isdisjoint(same.name(name) for name, *_ in entry.lists)
    ]
    topics = dict.fromkeys(name for entry in runs for name, *_ in entry.lists)
    elsewhere = topics.keys() - set(new_topics)
    return without, [
        name for name in topics if known and name in elsewhere and same.name(name) not in known
    ]


def _store_upload(
    connection: Connection,
    runs: Sequence[UploadedLists],
    round_id: int,
    columns: Mapping[str, Any],
) -> tuple[int, list[Dependent]]:
    """Store runs with their lists as the next upload of a round, which has these columns.

    Return its number and what is stale by it.
    """
    latest = connection.execute(
        select(run_upload.c.id, run_upload.c.number)
        .where(run_upload.c.round_id == round_id)
        .order_by(run_upload.c.number.desc())
        .limit(1)
    ).one_or_none()
    number = 1 if latest is None else latest.number + 1
    upload_id = connection.execute(
        run_upload.insert()
        .values(round_id=round_id, number=number, **columns)
        .returning(run_upload.c.id)
    ).scalar_one()
    run_ids = record_runs(connection, round_id, [entry.tag for entry in runs], {}).ids.tolist()
    topics = list(dict.fromkeys(name for entry in runs for name, *_ in entry.lists))
    topic_ids = dict(zip(topics, ensure_topics(connection, round_id, topics).tolist(), strict=True))
    copy_rows(
        connection,
        uploaded_run,
        ("run_upload_id", "run_id", "topics", "documents", "content_hash"),
        (
            {
                "run_upload_id": upload_id,
                "run_id": run_id,
                "topics": len(entry.lists),
                "documents": sum(len(documents) for _, documents, _ in entry.lists),
                "content_hash": entry.digest,
            }
            for run_id, entry in zip(run_ids, runs, strict=True)
        ),
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
    if latest is None:
        return number, []
    return number, stale_by_source(connection, round_id, "run_upload", latest.id)
