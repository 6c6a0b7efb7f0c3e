"""Changes of a round: its dates and collection, its label, its removal, its publication."""

from __future__ import annotations

from datetime import datetime
from operator import not_
from typing import Any

from pydantic import Field
from sqlalchemy import Connection, Row, func, select

from roundbook.database.tables import current_matrix, event, round_
from roundbook.errors import (
    AlreadyRecordedError,
    InputError,
    NotRecordedError,
    RecordError,
    RoundPublishedError,
)
from roundbook.logbook.events import record_event
from roundbook.logbook.impact import Dependent, stale_results
from roundbook.logbook.input_rows import results_of_round
from roundbook.logbook.lookup import recorded_round, round_named
from roundbook.logbook.names import check_name, check_text
from roundbook.logbook.result import Result
from roundbook.logbook.round_fingerprint import PUBLISHED, fingerprint_round, published_fingerprint
from roundbook.logbook.rounds import (
    Round,
    collection_name,
    near_collection,
    read_rounds,
    round_exists,
)
from roundbook.logbook.same_topics import collections_differ, same_topics, topics_of_rounds
from roundbook.logbook.session import Session
from roundbook.logbook.tasks import content_of_rounds, not_empty_error
from roundbook.requests.tasks import PublishRound, RemoveRound, RenameRound, SetRound


class PublishedRound(Round):
    """A published round; `status` is ``unchanged`` if it was published already.

    With `dry_run` nothing was published, and the status stays ``draft``.
    `published_at` is the time of publication, None if unknown; `fingerprint` is today's,
    `published_fingerprint` the one noted at publication, None if none was.
    """

    dry_run: bool
    published_at: datetime | None
    fingerprint: str
    published_fingerprint: str | None


class ChangedRound(Round):
    """A round just changed; `impact` lists the saved results that are stale by its collection.

    With `dry_run` it is what would have been done. `near_collection` is that of another round which
    a collection just declared may be a misspelling of. `no_longer_shared` has the rounds which are
    on another collection by it, with the number of topics that they shared with the round.
    """

    dry_run: bool
    no_longer_shared: dict[str, int] = Field(default_factory=dict, exclude_if=not_)
    near_collection: str | None = Field(None, exclude_if=not_)
    impact: list[Dependent]


class RenamedRound(Round):
    """A round's new label, and its former one."""

    was: str


class RemovedRound(Result):
    """A removed round."""

    task: str
    round: str


def set_round(session: Session, request: SetRound) -> ChangedRound:
    """Record the day and the document collection of a round.

    Unknown values are filled in; recorded ones change only with `force`, and those that are None in
    the request stay as they are. An empty collection takes back the declared one.

    Raises
    ------
    InputError
        When there is nothing to set.
    NotRecordedError
        When there is no such task or round.
    AlreadyRecordedError
        When another value is recorded and `force` is not given.
    """
    collection = collection_name(request) if (request.collection or "").strip() else None
    values: dict[str, Any] = {}
    if request.held is not None:
        values["held"] = request.held
    if request.collection is not None:
        values["collection"] = collection
    if not values:
        raise InputError("There is nothing to set.", way_out="nothing to set")
    connection = session.connection
    recorded = recorded_round(connection, request.task, request.round, lock=True)
    task_id = recorded.task_id
    new = {name: value for name, value in values.items() if value != getattr(recorded, name)}
    former = {name: getattr(recorded, name) for name in new}
    for name, was in former.items():
        if was is not None and not request.force:
            raise AlreadyRecordedError(
                f"Round '{recorded.label}' is recorded with {name} '{was}', not '{new[name] or ''}'.",
                way_out="force a change",
                round=recorded.label,
            )
    impact = []
    if new:
        connection.execute(round_.update().where(round_.c.id == recorded.id).values(**new))
        record_event(
            session,
            "round changed",
            task_id=task_id,
            round_id=recorded.id,
            details={
                name: {"was": was and str(was), "is": new[name] and str(new[name])}
                for name, was in former.items()
            },
        )
        # A fact that results depend on changes under its own name, as does ``collection``.
        impact = stale_results(
            connection,
            task_id,
            lambda entry, _: any(
                change.code in new and change.round == recorded.label for change in entry.changes
            ),
        )
    rounds = read_rounds(connection, task_id)
    changed = next(row for row in rounds if row.round == recorded.label)
    return ChangedRound(
        **dict(changed),
        dry_run=request.dry_run,
        near_collection=near_collection(rounds, collection),
        no_longer_shared=_no_longer_shared(connection, recorded, changed.collection),
        impact=impact,
    )


def _no_longer_shared(
    connection: Connection, recorded: Row[Any], collection: str | None
) -> dict[str, int]:
    """Return the rounds with which a round shared topics until its new collection, and how many."""
    if collection == recorded.collection:
        return {}
    same = same_topics(connection, recorded.task_id).ids
    rounds = topics_of_rounds(connection, recorded.task_id)
    topics = {row.id: {same.get(id_, id_) for id_ in row.topics} for row in rounds}
    shared = {
        row.label: len(topics[row.id] & topics.get(recorded.id, set()))
        for row in rounds
        if collections_differ(collection, row.collection)
        and not collections_differ(recorded.collection, row.collection)
    }
    return {label: number for label, number in shared.items() if number}


def rename_round(session: Session, request: RenameRound) -> RenamedRound:
    """Give a round another label; if it holds scores, only with `force`.

    Raises
    ------
    NotRecordedError
        When there is no such task or round.
    AlreadyRecordedError
        When the task has a round of the new label.
    RoundPublishedError
        When the round is published.
    RecordError
        When a saved result uses it, or it holds scores and `force` is not given.
    """
    connection = session.connection
    label = check_name("round", request.name)
    recorded = recorded_round(connection, request.task, request.round, lock=True)
    task_id = recorded.task_id
    was = recorded.label
    if round_named(connection, task_id, label) not in (None, recorded.id):
        raise round_exists(request.task, label)
    if recorded.status == "published":
        raise RoundPublishedError(f"Round '{was}' is published, so it keeps its label.", round=was)
    if saved := results_of_round(connection, recorded.id):
        raise RecordError(
            f"The saved result '{saved[0]}' rests on round '{was}', so it keeps its label.",
            round=was,
            result=saved[0],
        )
    content = content_of_rounds(connection, [recorded.id])
    if content is not None and not request.force:
        raise RecordError(f"Round '{was}' holds {content}.", way_out="force a rename", round=was)
    if label != was:
        connection.execute(round_.update().where(round_.c.id == recorded.id).values(label=label))
        details = {"round": {"was": was, "is": label}}
        record_event(
            session, "round renamed", task_id=task_id, round_id=recorded.id, details=details
        )
    return RenamedRound(**dict(read_rounds(connection, task_id, label)[0]), was=was)


def remove_round(session: Session, request: RemoveRound) -> RemovedRound:
    """Remove a round without scores; later rounds move up, and its events stay.

    Raises
    ------
    NotRecordedError
        When there is no such task or round.
    RecordError
        When it holds scores.
    """
    connection = session.connection
    recorded = recorded_round(connection, request.task, request.round, lock=True)
    task_id = recorded.task_id
    if content := content_of_rounds(connection, [recorded.id]):
        # A published round keeps its label, and so does one that a saved result rests on.
        rename = recorded.status != "published" and not results_of_round(connection, recorded.id)
        raise not_empty_error(content, request.task, recorded.label, rename=rename)
    connection.execute(round_.delete().where(round_.c.id == recorded.id))
    later = connection.execute(
        select(round_.c.id)
        .where(round_.c.task_id == task_id, round_.c.ordinal > recorded.ordinal)
        .order_by(round_.c.ordinal)
    ).scalars()
    # One by one, as two rounds must never have the same ordinal.
    for round_id in later.all():
        moved_up = round_.update().where(round_.c.id == round_id)
        connection.execute(moved_up.values(ordinal=round_.c.ordinal - 1))
    record_event(session, "round removed", task_id=task_id, details={"round": recorded.label})
    return RemovedRound(task=request.task, round=recorded.label)


def publish_round(session: Session, request: PublishRound) -> PublishedRound:
    """Publish a round: from then on it accepts a score matrix only as a revision with a reason.

    This cannot be undone. For a published round it is ``unchanged``, and the reason is not
    recorded.

    Raises
    ------
    NotRecordedError
        When there is no such task or round, or the round has no current matrix.
    """
    reason = check_text("reason", request.reason)
    connection = session.connection
    recorded = recorded_round(connection, request.task, request.round, lock=True)
    task_id = recorded.task_id
    fingerprint = fingerprint_round(connection, recorded.id)
    if recorded.status != "published":
        counted = connection.execute(
            select(func.count())
            .select_from(current_matrix)
            .where(current_matrix.c.round_id == recorded.id)
        ).scalar_one()
        if not counted:
            raise NotRecordedError(
                f"Round '{recorded.label}' has no score matrix to publish.",
                way_out="nothing to publish",
                round=recorded.label,
            )
        connection.execute(
            round_.update().where(round_.c.id == recorded.id).values(status="published")
        )
        record_event(
            session,
            PUBLISHED,
            why=reason,
            task_id=task_id,
            round_id=recorded.id,
            details={"matrices": counted, "fingerprint": fingerprint},
        )
    published_at = connection.execute(
        select(func.min(event.c.at)).where(
            event.c.round_id == recorded.id, event.c.what == PUBLISHED
        )
    ).scalar_one()
    fields = dict(read_rounds(connection, task_id, recorded.label)[0]) | {
        "dry_run": request.dry_run,
        "published_at": published_at,
        "fingerprint": fingerprint,
        "published_fingerprint": published_fingerprint(connection, recorded.id),
    }
    if recorded.status == "published":
        fields["status"] = "unchanged"
    elif request.dry_run:
        fields |= {"status": "draft", "published_at": None, "published_fingerprint": None}
    return PublishedRound(**fields)
