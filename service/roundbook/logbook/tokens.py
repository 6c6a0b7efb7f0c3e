"""Access tokens: creating, listing, revoking and checking them."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from roundbook.database.tables import task as task_table
from roundbook.database.token_tables import access_token, token_revocation
from roundbook.errors import AlreadyRecordedError, NotRecordedError
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import find_task
from roundbook.logbook.names import check_name
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session
from roundbook.requests.access import CreateToken, RevokeToken, Scope

PREFIX = "rb_"


class Token(Result):
    """A token, which allows at most `scope`, on `task` only unless that is None.

    `status` is ``in force``, ``expired`` or ``revoked``.
    """

    name: str
    scope: Scope
    task: str | None
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    revoked_at: datetime | None
    status: str


class CreatedToken(Token):
    """A new token; `token` itself is stored nowhere, the record only keeps its hash."""

    token: str


class TokenList(Result):
    """The tokens of a record, in the order in which they were created."""

    tokens: list[Token]


def create_token(session: Session, request: CreateToken) -> CreatedToken:
    """Create a token of 32 random bytes and store its SHA-256.

    Raises
    ------
    AlreadyRecordedError
        When there is a token of this name, revoked or not.
    NotRecordedError
        When there is no such task.
    """
    name = check_name("token", request.name)
    connection = session.connection
    # Locked, so that nobody removes the task meanwhile.
    task_id = None
    if request.task is not None:
        task_id = find_task(connection, request.task, lock=True, way_out="create the task")
    secret = PREFIX + secrets.token_urlsafe(32)
    days = request.days
    expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
    token_id = connection.execute(
        insert(access_token)
        .values(
            name=name,
            hash=_hash(secret),
            scope=request.scope,
            task_id=task_id,
            expires_at=expires,
            software=SOFTWARE,
            created_by=session.user,
        )
        .on_conflict_do_nothing(index_elements=["name"])
        .returning(access_token.c.id)
    ).scalar_one_or_none()
    if token_id is None:
        in_force = _read(_find(session, name)).status == "in force"
        raise AlreadyRecordedError(
            f"There is a token '{name}' already; names are not used again.",
            way_out="replace the token" if in_force else "name another token",
            token=name,
        )
    details = {"token": name, "scope": request.scope}
    record_event(session, "token created", task_id=task_id, details=details)
    return CreatedToken(token=secret, **dict(_read(_find(session, name))))


def list_tokens(session: Session) -> TokenList:
    """Return all tokens, without the secrets themselves."""
    rows = session.connection.execute(_TOKENS.order_by(access_token.c.id))
    return TokenList(tokens=list(map(_read, rows)))


def revoke_token(session: Session, request: RevokeToken) -> Token:
    """Revoke a token; a revoked one stays so.

    Raises
    ------
    NotRecordedError
        When there is no token of this name.
    """
    name = check_name("token", request.name)
    row = _find(session, name)
    revoked = session.connection.execute(
        insert(token_revocation)
        .values(access_token_id=row.id, software=SOFTWARE, revoked_by=session.user)
        .on_conflict_do_nothing()
        .returning(token_revocation.c.access_token_id)
    ).one_or_none()
    if revoked is not None:
        record_event(session, "token revoked", task_id=row.task_id, details={"token": name})
    return _read(_find(session, name))


def check_token(session: Session, secret: str) -> Token | None:
    """Return the token with this secret, None if it is unknown, revoked or expired."""
    row = session.connection.execute(
        _TOKENS.where(access_token.c.hash == _hash(secret))
    ).one_or_none()
    token = None if row is None else _read(row)
    return token if token is not None and token.status == "in force" else None


_TOKENS = (
    select(
        *access_token.c["id", "task_id", "name", "scope", "created_at", "created_by", "expires_at"],
        task_table.c.name.label("task"),
        token_revocation.c.revoked_at,
    )
    .select_from(access_token)
    .outerjoin(task_table, task_table.c.id == access_token.c.task_id)
    .outerjoin(token_revocation, token_revocation.c.access_token_id == access_token.c.id)
)


def _find(session: Session, name: str) -> Any:  # noqa: ANN401
    row = session.connection.execute(_TOKENS.where(access_token.c.name == name)).one_or_none()
    if row is None:
        raise NotRecordedError(f"There is no token '{name}'.", way_out="list tokens", token=name)
    return row


def _read(row: Any) -> Token:  # noqa: ANN401
    status = "in force"
    if row.revoked_at is not None:
        status = "revoked"
    elif row.expires_at is not None and row.expires_at <= datetime.now(UTC):
        status = "expired"
    return Token(**row._mapping, status=status)


def _hash(secret: str) -> bytes:
    # 32 random bytes cannot be guessed, so that no slow hash is needed.
    return hashlib.sha256(secret.encode()).digest()
