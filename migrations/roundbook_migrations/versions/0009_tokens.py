"""Tokens: who may use the service, of which only hashes are kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_YEARS = "BETWEEN '0001-01-02 00:00:00+00' AND '9999-12-30 00:00:00+00'"


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "access_token",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("task_id", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("software", sa.Text(), nullable=False),
        _now("created_at"),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.CheckConstraint("name <> ''", name=op.f("access_token_named")),
        sa.CheckConstraint("octet_length(hash) = 32", name=op.f("access_token_hash")),
        sa.CheckConstraint("scope IN ('read', 'log', 'admin')", name=op.f("access_token_scope")),
        sa.CheckConstraint("expires_at > created_at", name=op.f("access_token_expires_at")),
        sa.CheckConstraint(f"created_at {_YEARS}", name=op.f("access_token_created_at")),
        sa.ForeignKeyConstraint(
            ["task_id"], ["roundbook.task.id"], name=op.f("access_token_task_id_fk")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("access_token_pk")),
        sa.UniqueConstraint("name", name=op.f("access_token_name_key")),
        sa.UniqueConstraint("hash", name=op.f("access_token_hash_key")),
        schema="roundbook",
    )
    op.create_table(
        "token_revocation",
        sa.Column("access_token_id", sa.BigInteger(), nullable=False),
        sa.Column("software", sa.Text(), nullable=False),
        _now("revoked_at"),
        sa.Column("revoked_by", sa.Text(), nullable=False),
        sa.CheckConstraint(f"revoked_at {_YEARS}", name=op.f("token_revocation_revoked_at")),
        sa.ForeignKeyConstraint(
            ["access_token_id"],
            ["roundbook.access_token.id"],
            name=op.f("token_revocation_access_token_id_fk"),
        ),
        sa.UniqueConstraint("access_token_id", name=op.f("token_revocation_access_token_id_key")),
        schema="roundbook",
    )
    for table in ("access_token", "token_revocation"):
        op.execute(
            f"CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON roundbook.{table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change()"
        )
        op.execute(f"ALTER TABLE roundbook.{table} ENABLE ALWAYS TRIGGER immutable")


def _now(name: str) -> sa.Column[object]:
    return sa.Column(
        name, sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
    )


def downgrade() -> None:
    """Take it back, leaving no trace."""
    op.drop_table("token_revocation", schema="roundbook")
    op.drop_table("access_token", schema="roundbook")
