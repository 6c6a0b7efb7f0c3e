"""The privileges that a role needs to work with the record, or only to read it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from psycopg import sql
from sqlalchemy import Connection, text

from roundbook.database.engine import driver_connection
from roundbook.database.tables import SCHEMA, event, metadata

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

QUEUE_SCHEMA = "roundbook_jobs"
_ON_QUEUE = {
    "SCHEMA": ("USAGE",),
    "ALL TABLES IN SCHEMA": ("SELECT", "INSERT", "UPDATE", "DELETE"),
    "ALL SEQUENCES IN SCHEMA": ("USAGE",),
}

# Events are numbered in the order in which they came, so a writer must not set the number.
_INSERT = {
    "event": f"INSERT ({', '.join(column.name for column in event.columns if column.identity is None)})"
}


class Grant(NamedTuple):
    """Privileges on a table, a view or the schema, as GRANT names them."""

    kind: Literal["SCHEMA", "TABLE"]
    name: str
    privileges: tuple[str, ...]


def needed_grants(connection: Connection, *, writes: bool) -> list[Grant]:
    """Return the grants that a role needs to read the record, and to write to it if `writes`.

    They cover the tables of this program's schema and the views in the database's schema. Identity
    columns need no privilege on their sequences.
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
            if name in _REMOVABLE:
                privileges.append("DELETE")
            if name in _CHANGEABLE:
                privileges.append(f"UPDATE ({', '.join(_CHANGEABLE[name])})")
        grants.append(Grant("TABLE", name, tuple(privileges)))
    return [*grants, *(Grant("TABLE", name, ("SELECT",)) for name in ("alembic_version", *views))]


def replace_grants(connection: Connection, role: str, grants: list[Grant]) -> None:
    """Replace all privileges of a role on the record by these grants."""
    driver = driver_connection(connection)
    schema, grantee = sql.Identifier(SCHEMA), sql.Identifier(role)
    for privileges in ("ALL ON ALL TABLES IN SCHEMA", "ALL ON SCHEMA"):
        driver.execute(sql.SQL("REVOKE {} {} FROM {}").format(sql.SQL(privileges), schema, grantee))
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
    """Grant a role its privileges on the job queue, and return them.

    Without a queue, or with one that another role owns, nothing is granted.
    """
    owned = connection.execute(
        text("SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = :schema"),
        {"schema": QUEUE_SCHEMA},
    ).scalar_one_or_none()
    if not owned:
        return []
    driver = driver_connection(connection)
    schema, grantee = sql.Identifier(QUEUE_SCHEMA), sql.Identifier(role)
    for objects, privileges in _ON_QUEUE.items():
        on = sql.SQL(objects)
        driver.execute(sql.SQL("REVOKE ALL ON {} {} FROM {}").format(on, schema, grantee))
        if writes:
            allowed = sql.SQL(", ".join(privileges))
            driver.execute(sql.SQL("GRANT {} ON {} {} TO {}").format(allowed, on, schema, grantee))
    return [Grant("SCHEMA", QUEUE_SCHEMA, ("USAGE",))] if writes else []


class RoleStatus(NamedTuple):
    """The record's owner, whether this session counts as it, and a role's present privileges."""

    owner: str
    owns: bool
    exists: bool
    may_all: bool


def role_status(connection: Connection, role: str) -> RoleStatus:
    """Return the status of this session and of `role`, which need not exist, on the record.

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


def create_role_sql(role: str) -> str:
    """Return the SQL that creates a role with the right to log in."""
    return f"CREATE ROLE {sql.Identifier(role).as_string()} LOGIN PASSWORD '...'"
