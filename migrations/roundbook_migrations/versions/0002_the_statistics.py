"""The statistics, complete: intervals beside variances, collections, saved plans."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_SAVED = ("plan", "plan_estimate")

# Unknown of estimates stored before: they keep their values and have no interval.
_ESTIMATE_COLUMNS: tuple[tuple[str, sa.types.TypeEngine[Any]], ...] = (
    ("two_way_sum_of_squares", sa.Double()),
    ("two_way_dof", sa.BigInteger()),
    ("chi_square_low", sa.Double()),
    ("chi_square_high", sa.Double()),
    ("bootstrap_low", sa.Double()),
    ("bootstrap_high", sa.Double()),
    ("level", sa.Double()),
    ("bootstrap_resamples", sa.Integer()),
    ("bootstrap_seed", sa.BigInteger()),
)


def upgrade() -> None:
    """Make the change."""
    for name, kind in _ESTIMATE_COLUMNS:
        op.add_column("variance_estimate", sa.Column(name, kind), schema="roundbook")
    op.add_column("round", sa.Column("collection", sa.Text()), schema="roundbook")
    _make_plan_tables()
    for table in _SAVED:
        op.execute(
            f"CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON roundbook.{table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change()"
        )

    # A round stays in its task, whose topics are its own.
    op.execute(
        "CREATE TRIGGER immutable BEFORE UPDATE OF id, task_id ON roundbook.round"
        " FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change()"
    )


def _make_plan_tables() -> None:
    op.create_table(
        "plan",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("task_id", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("result", postgresql.JSONB(), nullable=False),
        sa.Column("software", sa.Text(), nullable=False),
        sa.Column(
            "saved_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("saved_by", sa.Text(), nullable=False),
        sa.CheckConstraint("name <> ''", name=op.f("plan_named")),
        sa.ForeignKeyConstraint(["task_id"], ["roundbook.task.id"], name=op.f("plan_task_id_fk")),
        sa.PrimaryKeyConstraint("id", name=op.f("plan_pk")),
        sa.UniqueConstraint("name", "version", name=op.f("plan_name_version_key")),
        schema="roundbook",
    )
    op.create_table(
        "plan_estimate",
        sa.Column("plan_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("variance_estimate_id", sa.BigInteger(), nullable=True),
        sa.Column("published_variance_id", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "num_nonnulls(variance_estimate_id, published_variance_id) = 1",
            name=op.f("plan_estimate_one_origin"),
        ),
        sa.ForeignKeyConstraint(
            ["plan_id"], ["roundbook.plan.id"], name=op.f("plan_estimate_plan_id_fk")
        ),
        sa.ForeignKeyConstraint(
            ["variance_estimate_id"],
            ["roundbook.variance_estimate.id"],
            name=op.f("plan_estimate_variance_estimate_id_fk"),
        ),
        sa.ForeignKeyConstraint(
            ["published_variance_id"],
            ["roundbook.published_variance.id"],
            name=op.f("plan_estimate_published_variance_id_fk"),
        ),
        sa.PrimaryKeyConstraint("plan_id", "position", name=op.f("plan_estimate_pk")),
        schema="roundbook",
    )


def downgrade() -> None:
    """Take it back, leaving no trace."""
    op.execute("DROP TRIGGER immutable ON roundbook.round")
    for table in reversed(_SAVED):
        op.drop_table(table, schema="roundbook")
    op.drop_column("round", "collection", schema="roundbook")
    for name, _ in reversed(_ESTIMATE_COLUMNS):
        op.drop_column("variance_estimate", name, schema="roundbook")
