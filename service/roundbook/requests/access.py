"""Requests about who may do what: tokens of the service, and roles of the database server."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from roundbook.requests.base import Request

Scope = Literal["read", "log", "admin"]
Access = Literal["service", "reader"]


class CreateToken(Request):
    """A new token, which is shown once."""

    name: str = Field(description="Whose, or what for; events name it.")
    scope: Scope = Field(
        "read", description="The most it allows: to read drafts, also to log, or everything."
    )
    task: str | None = Field(None, description="Only this task. (default: all)")
    days: int | None = Field(
        None, ge=1, le=36_500, description="So many days until it expires. (default: never)"
    )


class RevokeToken(Request):
    """A token that is refused from now on."""

    name: str = Field(description="Its name, as the list of tokens has it.")


class GrantRequest(Request):
    """Give a role the rights that it needs, and no more."""

    role: str = Field(description="An existing role of the server.")
    access: Access = Field(description="To work with the record, or only to read it.")
