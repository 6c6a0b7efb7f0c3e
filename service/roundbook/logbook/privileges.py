"""Granting other roles privileges on the record: to work with it, or only to read it."""

from __future__ import annotations

from typing import Any

from psycopg import sql
from pydantic import Field
from sqlalchemy import Connection, Row, text

from roundbook.database.engine import driver_connection
from roundbook.database.table_parts import SCHEMA, VERSION_TABLE
from roundbook.database.tables import event, metadata
from roundbook.errors import AlreadyRecordedError, DatabaseError, NotRecordedError
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.requests.access import Access, GrantRequest

# Logged facts are only inserted. Only these columns are filled in, decided or corrected later.
_CHANGEABLE = {
    "task": ("title", "name"),
    "round": ("held", "collection", "status", "label", "ordinal"),
    "run": ("team_id", "type", "contributed_to_pool", "system"),
    "measure": ("spellings",),
    **dict.fromkeys(("matrix", "factor_set", "published_variance"), ("measure_id",)),
}
# Tasks, rounds and measures may be deleted without scores; the database refuses it with scores.
_REMOVABLE = frozenset({"task", "round", "topic_alias", "measure"})
# Events are numbered in the order in which they came, so a writer must not set the number.
_INSERT = {
    "event": f"INSERT ({', '.join(column.name for column in event.columns if column.identity is None)})"
}

QUEUE_SCHEMA = "roundbook_jobs"
_ON_QUEUE = {
    "SCHEMA": "USAGE",
    "ALL TABLES IN SCHEMA": "SELECT, INSERT, UPDATE, DELETE",
    "ALL SEQUENCES IN SCHEMA": "USAGE",
}


class Granted(Result):
    """The privileges of a role on a table, a view or the schema."""

    on: str
    privileges: list[str]


class GrantedAccess(Result):
    """All privileges of a role on the record, after the grant."""

    role: str
    access: Access = Field(serialization_alias="as")
    grants: list[Granted]


def grant_access(session: Session, request: GrantRequest) -> GrantedAccess:
    """Give an existing role the privileges it needs on the record, and revoke all others.

    Raises
    ------
    DatabaseError
        When the connected role is not the record's owner.
    NotRecordedError
        When there is no such role, with the SQL that creates it.
    AlreadyRecordedError
        When the role has all privileges already, as owner or superuser.
    """
    connection, role = session.connection, request.role
    status = _role_status(connection, role)
    if not status.owns:
        raise DatabaseError(
            f"Only the record's owner, '{status.owner}', can grant rights on it; connect as"
            " that role.",
            owner=status.owner,
        )
    if not status.exists:
        name = sql.Identifier(role).as_string()
        raise NotRecordedError(
            f"The server has no role '{role}'. Make it first, in SQL: CREATE ROLE {name} LOGIN"
            " PASSWORD '...'",
            role=role,
        )
    if status.may_all:
        raise AlreadyRecordedError(
            f"Role '{role}' is the record's owner, a member of it or a superuser, and so may"
            " do everything; grant to a role that is none of these.",
            role=role,
        )
    writes = request.access == "service"
    needed = _needed_privileges(connection, writes=writes)
    _replace_privileges(connection, role, needed)
    grants = [
        Granted(on=f"schema {SCHEMA}", privileges=["USAGE"]),
        *(
            Granted(on=f"{SCHEMA}.{name}", privileges=privileges)
            for name, privileges in needed.items()
        ),
    ]
    if _grant_queue(connection, role, writes=writes):
        grants.append(Granted(on=f"schema {QUEUE_SCHEMA}", privileges=["USAGE"]))
    return GrantedAccess(role=role, access=request.access, grants=grants)


def _role_status(connection: Connection, role: str) -> Row[Any]:
    """Return the record's owner, whether this session counts as it, and what the role may.

    A superuser, or a member of the owner, counts as the owner. The role need not exist.
    """
    return connection.execute(
        text(
            "SELECT owner.rolname AS owner, role.oid IS NOT NULL AS exists,"
            " coalesce(pg_has_role(role.oid, owner.oid, 'MEMBER'), false) AS may_all,"
            " (SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_class"
            "  WHERE relnamespace = pg_namespace.oid AND relkind IN ('r', 'v')) AS owns"
            " FROM pg_namespace JOIN pg_roles AS owner ON owner.oid = nspowner"
            " LEFT JOIN pg_roles AS role ON role.rolname = :role WHERE nspname = :schema"
        ),
        {"role": role, "schema": SCHEMA},
    ).one()


def _needed_privileges(connection: Connection, *, writes: bool) -> dict[str, list[str]]:
    """Return the privileges a role needs, by table of this program and view of the database.

    Identity columns need no privilege on their sequences.
    """
    needed = {}
    for name in sorted(table.name for table in metadata.tables.values()):
        privileges = needed[name] = ["SELECT"]
        if writes:
            privileges.append(_INSERT.get(name, "INSERT"))
            if name in _REMOVABLE:
                privileges.append("DELETE")
            if name in _CHANGEABLE:
                privileges.append(f"UPDATE ({', '.join(_CHANGEABLE[name])})")
    views = connection.execute(
        text("SELECT viewname FROM pg_views WHERE schemaname = :schema ORDER BY viewname"),
        {"schema": SCHEMA},
    ).scalars()
    return needed | {name: ["SELECT"] for name in (VERSION_TABLE, *views)}


def _replace_privileges(connection: Connection, role: str, needed: dict[str, list[str]]) -> None:
    """Replace all privileges of a role on the record by those needed."""
    driver = driver_connection(connection)
    schema, grantee = sql.Identifier(SCHEMA), sql.Identifier(role)
    for privileges in ("ALL ON ALL TABLES IN SCHEMA", "ALL ON SCHEMA"):
        driver.execute(sql.SQL("REVOKE {} {} FROM {}").format(sql.SQL(privileges), schema, grantee))
    driver.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, grantee))
    for name, granted in needed.items():
        driver.execute(
            sql.SQL("GRANT {} ON TABLE {} TO {}").format(
                sql.SQL(", ".join(granted)), sql.Identifier(SCHEMA, name), grantee
            )
        )


def _grant_queue(connection: Connection, role: str, *, writes: bool) -> bool:
    """Give a role its privileges on the job queue, and return whether it has any.

    Without a queue, or with one that another role owns, nothing is granted.
    """
    owned = connection.execute(
        text("SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = :schema"),
        {"schema": QUEUE_SCHEMA},
    ).scalar_one_or_none()
    if not owned:
        return False
    driver = driver_connection(connection)
    schema, grantee = sql.Identifier(QUEUE_SCHEMA), sql.Identifier(role)
    for objects, privileges in _ON_QUEUE.items():
        on, allowed = sql.SQL(objects), sql.SQL(privileges)
        driver.execute(sql.SQL("REVOKE ALL ON {} {} FROM {}").format(on, schema, grantee))
        if writes:
            driver.execute(sql.SQL("GRANT {} ON {} {} TO {}").format(allowed, on, schema, grantee))
    return writes
