"""What a role needs to work with the record, or to read it, and no more."""

from __future__ import annotations

from typing import Literal, NamedTuple

from psycopg import sql
from sqlalchemy import Connection, text

from roundbook.database.tables import SCHEMA, event, metadata

# Logged facts are only ever inserted. These alone are learnt, decided or mended later.
_CHANGEABLE = {
    "task": ("title", "name"),
    "round": ("held", "collection", "status", "label", "ordinal"),
    "run": ("team_id", "type", "contributed_to_pool", "system"),
    "measure": ("spellings",),
    **dict.fromkeys(("matrix", "factor_set", "published_variance"), ("measure_id",)),
}
# Tasks, rounds and measures without scores; where there are any, the database refuses it.
_REMOVABLE = frozenset({"task", "round", "topic_alias", "measure"})

QUEUE_SCHEMA = "roundbook_jobs"
_ON_QUEUE = {
    "SCHEMA": ("USAGE",),
    "ALL TABLES IN SCHEMA": ("SELECT", "INSERT", "UPDATE", "DELETE"),
    "ALL SEQUENCES IN SCHEMA": ("USAGE",),
}

# An event's number tells when it came, so whoever adds one does not choose it.
_INSERT = {
    "event": f"INSERT ({', '.join(column.name for column in event.columns if column.identity is None)})"
}


class Grant(NamedTuple):
    """Privileges on a table, a view or the schema, as GRANT names them."""

    kind: Literal["SCHEMA", "TABLE"]
    name: str
    privileges: tuple[str, ...]


def wanted_grants(connection: Connection, *, writes: bool) -> list[Grant]:
    """Return what a role is to have, which `writes` the record or only reads it.

    The tables are those this program knows; the views those the database has in the schema.
    Identity columns need no right on their sequences.
    """
    views = connection.execute(
        text("SELECT viewname FROM pg_views WHERE schemaname = :schema ORDER BY viewname"),
        {"schema": SCHEMA},
    ).scalars()
    grants = [Grant("SCHEMA", SCHEMA, ("USAGE",))]
    for name in sorted(table.name for table in metadata.tables.values()):
        privileges = ["SELECT"]
        if writes:
            privileges.append(_INSERT.get(name, "INSERT"))
        if writes and name in _REMOVABLE:
            privileges.append("DELETE")
        if writes and name in _CHANGEABLE:
            privileges.append(f"UPDATE ({', '.join(_CHANGEABLE[name])})")
        grants.append(Grant("TABLE", name, tuple(privileges)))
    return [*grants, *(Grant("TABLE", name, ("SELECT",)) for name in ("alembic_version", *views))]


def replace_grants(connection: Connection, role: str, grants: list[Grant]) -> None:
    """Give a role these rights on the record, and take every other one on it away."""
    driver = connection.connection.driver_connection
    assert driver is not None
    schema, grantee = sql.Identifier(SCHEMA), sql.Identifier(role)
    for everything in ("ALL ON ALL TABLES IN SCHEMA", "ALL ON SCHEMA"):
        driver.execute(sql.SQL("REVOKE {} {} FROM {}").format(sql.SQL(everything), schema, grantee))
    for grant in grants:
        name = (SCHEMA,) if grant.kind == "SCHEMA" else (SCHEMA, grant.name)
        driver.execute(
            sql.SQL("GRANT {} ON {} {} TO {}").format(
                sql.SQL(", ".join(grant.privileges)),
                sql.SQL(grant.kind),
                sql.Identifier(*name),
                grantee,
            )
        )


def grant_queue(connection: Connection, role: str, *, writes: bool) -> list[Grant]:
    """Give a role its rights on the queue of jobs, and return them; none where there is no queue.

    A queue that another role owns is left alone.
    """
    owned = connection.execute(
        text("SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = :schema"),
        {"schema": QUEUE_SCHEMA},
    ).scalar_one_or_none()
    if not owned:
        return []
    driver = connection.connection.driver_connection
    assert driver is not None
    schema, grantee = sql.Identifier(QUEUE_SCHEMA), sql.Identifier(role)
    for objects, privileges in _ON_QUEUE.items():
        on = sql.SQL(objects)
        driver.execute(sql.SQL("REVOKE ALL ON {} {} FROM {}").format(on, schema, grantee))
        if writes:
            allowed = sql.SQL(", ".join(privileges))
            driver.execute(sql.SQL("GRANT {} ON {} {} TO {}").format(allowed, on, schema, grantee))
    return [Grant("SCHEMA", QUEUE_SCHEMA, ("USAGE",))] if writes else []


class RoleStatus(NamedTuple):
    """Who owns the record, whether this session does, and what a role may do already."""

    owner: str
    owns: bool
    exists: bool
    may_all: bool


def role_status(connection: Connection, role: str) -> RoleStatus:
    """Return what this session and `role`, which need not exist, may do with the record.

    A superuser, or a member of the owner, counts as the owner.
    """
    row = connection.execute(
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
    return RoleStatus(row.owner, row.owns, row.exists, row.may_all)


def role_making(role: str) -> str:
    """Return the SQL that makes a role which may connect."""
    return f"CREATE ROLE {sql.Identifier(role).as_string()} LOGIN PASSWORD '...'"
