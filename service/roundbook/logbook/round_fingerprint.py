"""The fingerprint of a round: SHA-256 over the names, scores and factors that count in it.

The lines of JSON that are hashed are described in docs/how-to/publish-a-round.md. A measure has
the name under which its scores were logged, as it may be renamed or merged later.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

from sqlalchemy import Connection, func, select, text

from roundbook.database.tables import event, round_, task
from roundbook.errors import NotRecordedError
from roundbook.logbook.lookup import read_round, recorded_round
from roundbook.logbook.matrices.listing import find_matrix
from roundbook.logbook.names import is_named
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.storing import content_hash, load_matrix
from roundbook.requests.record import RoundVerificationRequest

PUBLISHED = "round published"
# The kinds of events that change a round's current scores or factors, and so its fingerprint.
CHANGING = (
    "matrix logged",
    "matrix revised",
    "matrix withdrawn",
    "matrix restored",
    "factors fitted",
)

_MATRICES = text("""
SELECT coalesce(noted.measure, measure.name) AS measure, matrix.assessments, matrix.content_hash,
       matrix.id, latest.zero_sd,
       ARRAY(
           SELECT topic.name
           FROM roundbook.matrix_topic JOIN roundbook.topic ON topic.id = matrix_topic.topic_id
           WHERE matrix_topic.matrix_id = matrix.id
       ) AS topics,
       ARRAY(
           SELECT run.tag FROM roundbook.matrix_run JOIN roundbook.run ON run.id = run_id
           WHERE matrix_run.matrix_id = matrix.id
       ) AS runs,
       ARRAY(
           SELECT run.tag FROM roundbook.matrix_run JOIN roundbook.run ON run.id = run_id
           WHERE matrix_run.matrix_id = matrix.id AND (
               latest.standardising = 'all'
               OR run_id IN (
                   SELECT factor_set_run.run_id FROM roundbook.factor_set_run
                   WHERE factor_set_run.factor_set_id = latest.id
               )
           )
       ) AS standardising,
       (
           SELECT jsonb_agg(jsonb_build_array(topic.name, factor.mean, factor.sd))
           FROM roundbook.factor JOIN roundbook.topic ON topic.id = factor.topic_id
           WHERE factor.factor_set_id = latest.id
       ) AS factors
FROM roundbook.current_matrix
JOIN roundbook.matrix ON matrix.id = current_matrix.id
JOIN roundbook.measure ON measure.id = matrix.measure_id
LEFT JOIN LATERAL (
    SELECT details ->> 'measure' AS measure FROM roundbook.event
    WHERE event.matrix_id = matrix.id AND what IN ('matrix logged', 'matrix revised')
    ORDER BY id LIMIT 1
) AS noted ON true
LEFT JOIN LATERAL (
    SELECT * FROM roundbook.factor_set WHERE factor_set.matrix_id = matrix.id
    ORDER BY version DESC LIMIT 1
) AS latest ON true
WHERE matrix.round_id = :round
""")


class Publication(Result):
    """The fingerprints of a published round: today's, and that of its publication or None."""

    fingerprint: str
    published_fingerprint: str | None


class RoundChange(Result):
    """An event that changed the current scores or factors of a round."""

    event: int
    at: datetime
    what: str


class VerifiedRound(Result):
    """A round's fingerprint and the expected one; `status` is same or different.

    `published_fingerprint` is that noted at its publication, None if none was.
    `changed_by` are the events since its publication that changed its current scores or factors,
    oldest first; empty if the fingerprints are the same or it is not published.
    """

    task: str
    round: str
    fingerprint: str
    expected: str
    published_fingerprint: str | None
    status: Literal["same", "different"]
    changed_by: list[RoundChange]


def verify_round(session: Session, request: RoundVerificationRequest) -> VerifiedRound:
    """Compare a round's fingerprint with the given one, or with that noted at its publication.

    It is computed from the scores and the stored factors.

    Raises
    ------
    NotRecordedError
        When there is no such task or round, or no fingerprint to compare with.
    RecordError
        When a score matrix is damaged.
    """
    connection = session.connection
    round_id = recorded_round(connection, request.task, request.round).id
    published = published_fingerprint(connection, round_id)
    expected = request.fingerprint or published
    if expected is None:
        raise NotRecordedError(
            f"No fingerprint was noted of round '{request.round.strip()}': it is not published,"
            " or was before fingerprints were. Give the one to compare with.",
            round=request.round.strip(),
        )
    fingerprint = fingerprint_round(connection, round_id, from_scores=True)
    expected = expected.lower()
    return VerifiedRound(
        task=request.task.strip(),
        round=request.round.strip(),
        fingerprint=fingerprint,
        expected=expected,
        published_fingerprint=published,
        status="same" if fingerprint == expected else "different",
        changed_by=[] if fingerprint == expected else _changes(connection, round_id),
    )


def find_publication(session: Session, task_name: str, label: str) -> Publication | None:
    """Return the fingerprints of a published round, None for a draft."""
    connection = session.connection
    row = connection.execute(
        select(round_.c.id, round_.c.status)
        .join(task, task.c.id == round_.c.task_id)
        .where(is_named(task.c.name, task_name), is_named(round_.c.label, label))
        .order_by(task.c.id, round_.c.id)
    ).first()
    if row is None or row.status != "published":
        return None
    return Publication(
        fingerprint=fingerprint_round(connection, row.id),
        published_fingerprint=published_fingerprint(connection, row.id),
    )


def published_fingerprint(connection: Connection, round_id: int) -> str | None:
    """Return the fingerprint noted at a round's publication, None if none was."""
    return connection.execute(
        select(event.c.details["fingerprint"].as_string())
        .where(event.c.round_id == round_id, event.c.what == PUBLISHED)
        .order_by(event.c.id.desc())
        .limit(1)
    ).scalar()


def fingerprint_round(connection: Connection, round_id: int, *, from_scores: bool = False) -> str:
    """Return today's fingerprint of a round, in 64 hexadecimal digits.

    It depends on neither the ids of a database nor the order in which matrices were logged. It is
    computed from the hashes stored at logging, or with `from_scores` from those of the scores.
    """
    digest = sha256()
    for line in _lines(connection, round_id, from_scores=from_scores):
        encoded = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        digest.update(encoded.encode() + b"\n")
    return digest.hexdigest()


def _changes(connection: Connection, round_id: int) -> list[RoundChange]:
    of_round = event.c.round_id == round_id
    published = select(func.max(event.c.id)).where(of_round, event.c.what == PUBLISHED)
    rows = connection.execute(
        select(event.c.id.label("event"), event.c.at, event.c.what)
        .where(of_round, event.c.what.in_(CHANGING), event.c.id > published.scalar_subquery())
        .order_by(event.c.id)
    )
    return [RoundChange(**row._mapping) for row in rows]


def _lines(connection: Connection, round_id: int, *, from_scores: bool) -> Iterator[list[Any]]:
    row = read_round(connection, round_id)
    yield ["roundbook round", 1]
    yield ["task", row.task]
    yield ["round", row.label]
    rows = connection.execute(_MATRICES, {"round": round_id}).all()
    # Sorted by code points, as collations differ between servers.
    for row in sorted(rows, key=lambda row: (row.measure, row.assessments)):
        digest = row.content_hash
        if from_scores:
            loaded = load_matrix(connection, find_matrix(connection, row.id))
            digest = content_hash(loaded.topics, loaded.runs, loaded.scores)
        yield ["matrix", row.measure, row.assessments, digest]
        yield ["topics", *sorted(row.topics)]
        yield ["runs", *sorted(row.runs)]
        if row.factors is not None:
            yield ["standardising runs", *sorted(row.standardising)]
            yield ["topics without spread", row.zero_sd]
            for name, mean, sd in sorted(row.factors):
                # Adding zero makes -0.0 the 0.0 it equals.
                yield ["factor", name, float(mean) + 0.0, float(sd) + 0.0]
