"""Granting other roles privileges on the record: to work with it, or only to read it."""

from __future__ import annotations

from pydantic import Field

from roundbook.database.privileges import (
    create_role_sql,
    grant_queue,
    needed_grants,
    replace_grants,
    role_status,
)
from roundbook.database.tables import SCHEMA
from roundbook.errors import AlreadyRecordedError, DatabaseError, NotRecordedError
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.requests.privileges import Access, GrantRequest


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
    status = role_status(connection, role)
    if not status.owns:
        raise DatabaseError(
            f"Only the record's owner, '{status.owner}', can grant rights on it; connect as"
            " that role."
        )
    if not status.exists:
        raise NotRecordedError(
            f"The server has no role '{role}'. Make it first, in SQL: {create_role_sql(role)}"
        )
    if status.may_all:
        raise AlreadyRecordedError(
            f"Role '{role}' is the record's owner, a member of it or a superuser, and so may"
            " do everything; grant to a role that is none of these."
        )
    writes = request.access == "service"
    grants = needed_grants(connection, writes=writes)
    replace_grants(connection, role, grants)
    grants += grant_queue(connection, role, writes=writes)
    return GrantedAccess(
        role=role,
        access=request.access,
        grants=[
            Granted(
                on=f"schema {grant.name}" if grant.kind == "SCHEMA" else f"{SCHEMA}.{grant.name}",
                privileges=list(grant.privileges),
            )
            for grant in grants
        ],
    )
