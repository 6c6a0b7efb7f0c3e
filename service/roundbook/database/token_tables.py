"""The record's tables of access tokens, stored as hashes only."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, DateTime, LargeBinary, Table, UniqueConstraint

from roundbook.database.table_parts import identity, metadata, recorded, refers, required

# `scope` is the most that a token allows: reading, logging or everything; a task limits it to one.
access_token = Table(
    "access_token",
    metadata,
    identity(),
    required("name"),
    Column("hash", LargeBinary, nullable=False),
    required("scope"),
    refers("task_id", "task", nullable=True),
    Column("expires_at", DateTime(timezone=True)),
    *recorded("created"),
    UniqueConstraint("name"),
    UniqueConstraint("hash"),
    CheckConstraint("name <> ''", name="named"),
    CheckConstraint("octet_length(hash) = 32", name="hash"),
    CheckConstraint("scope IN ('read', 'log', 'admin')", name="scope"),
    CheckConstraint("expires_at > created_at", name="expires_at"),
)

# Revoked tokens: one with a row here is refused.
token_revocation = Table(
    "token_revocation",
    metadata,
    refers("access_token_id", "access_token"),
    *recorded("revoked"),
    UniqueConstraint("access_token_id"),
)

# Tokens belong to one service: archives leave them out.
TOKEN_TABLES = (access_token, token_revocation)
