"""The request to grant another role of the server rights on the record."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from roundbook.requests.base import Request

Access = Literal["service", "reader"]


class GrantRequest(Request):
    """Give a role the rights that it needs, and no more."""

    role: str = Field(description="An existing role of the server.")
    access: Access = Field(description="To work with the record, or only to read it.")
