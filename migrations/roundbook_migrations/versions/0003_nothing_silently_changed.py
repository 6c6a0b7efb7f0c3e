"""Tables of events, withdrawals and saved drift reports; published rounds are guarded."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_NEW = ("event", "withdrawal", "drift_report")
_IMMUTABLE_BEFORE = (
    "topic",
    "measure",
    "matrix",
    "matrix_topic",
    "score_vector",
    "factor_set",
    "factor_set_run",
    "factor",
    "variance_estimate",
    "published_variance",
    "plan",
    "plan_estimate",
    "run",
    "round",
)

# What of these tables stays as it is; the rest of a row may become known later.
_KEPT = {
    "task": ("id", "name", "created_at"),
    "team": ("id", "name"),
    "round": ("id", "task_id", "ordinal", "label", "pseudonym_key", "created_at"),
    "run": ("id", "round_id", "tag"),
}

_PUBLISHED_STAYS = """
CREATE FUNCTION roundbook.refuse_unpublishing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status = 'published' AND NEW.status <> 'published' THEN
        RAISE EXCEPTION 'round % is published and stays so', OLD.label
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""

_REASON_ONCE_PUBLISHED = """
CREATE FUNCTION roundbook.refuse_without_reason() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(NEW.reason, '') = '' AND EXISTS (
        SELECT FROM roundbook.round WHERE id = NEW.round_id AND status = 'published'
    ) THEN
        RAISE EXCEPTION 'a published round takes a score matrix only with a reason'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$
"""

_WHOLE = """
CREATE OR REPLACE FUNCTION roundbook.refuse_half_a_matrix() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    vectors bigint;
    topics bigint;
BEGIN
    SELECT count(*) INTO vectors FROM roundbook.score_vector WHERE matrix_id = NEW.id;
    SELECT count(*) INTO topics FROM roundbook.matrix_topic WHERE matrix_id = NEW.id;
    IF vectors <> NEW.runs OR topics <> NEW.topics THEN
        RAISE EXCEPTION 'matrix % says % topics and % runs but has % and %',
            NEW.id, NEW.topics, NEW.runs, topics, vectors
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;{more}
    RETURN NULL;
END $$
"""
_WITH_STATISTICS_AND_EVENT = """
    IF NOT EXISTS (
        SELECT FROM roundbook.variance_estimate WHERE matrix_id = NEW.id AND scale = 'raw'
    ) THEN
        RAISE EXCEPTION 'matrix % has no variance', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NOT EXISTS (SELECT FROM roundbook.event WHERE matrix_id = NEW.id) THEN
        RAISE EXCEPTION 'no event tells of matrix %', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;"""

_WITHDRAWN_VIEW = """
CREATE VIEW roundbook.withdrawn AS
SELECT matrix_id, number, reason, decided_at, decided_by
FROM (
    SELECT DISTINCT ON (matrix_id) * FROM roundbook.withdrawal ORDER BY matrix_id, number DESC
) AS last
WHERE withdrawn
"""

_CURRENT_VIEW = """
CREATE VIEW roundbook.current_matrix AS
SELECT id, round_id, measure_id, assessments, revision
FROM (
    SELECT DISTINCT ON (round_id, measure_id, assessments)
           id, round_id, measure_id, assessments, revision
    FROM roundbook.matrix
    ORDER BY round_id, measure_id, assessments, revision DESC
) AS latest
WHERE NOT EXISTS (SELECT FROM roundbook.withdrawn WHERE withdrawn.matrix_id = latest.id)
"""

# What can be told of the time before events were kept, from what was recorded then. Factors that
# were fitted in the transaction that logged their matrix are part of that event.
_BACKFILL = """
INSERT INTO roundbook.event
    (at, who, what, task_id, round_id, matrix_id, why, details, software)
SELECT at, who, what, task_id, round_id, matrix_id, why,
       details || '{"told_from": "the record, before events were kept"}', software
FROM (
    SELECT created_at, NULL, 'task created', id, NULL::bigint, NULL::bigint, NULL,
           jsonb_build_object('task', name), 'unknown', 1, id
    FROM roundbook.task
    UNION ALL
    SELECT created_at, NULL, 'round created', task_id, id, NULL, NULL,
           jsonb_build_object('round', label), 'unknown', 2, id
    FROM roundbook.round
    UNION ALL
    SELECT logged_at, logged_by,
           CASE WHEN revision = 1 THEN 'matrix logged' ELSE 'matrix revised' END,
           round.task_id, round.id, matrix.id, reason,
           jsonb_build_object('measure', measure.name, 'assessments', assessments,
               'revision', revision, 'topics', topics, 'runs', runs),
           software, 3, matrix.id
    FROM roundbook.matrix
    JOIN roundbook.round ON round.id = matrix.round_id
    JOIN roundbook.measure ON measure.id = matrix.measure_id
    UNION ALL
    SELECT fitted_at, fitted_by, 'factors fitted', round.task_id, round.id, matrix.id,
           factor_set.reason,
           jsonb_build_object('measure', measure.name, 'assessments', factor_set.assessments,
               'version', version, 'standardising', standardising, 'runs', factor_set.runs),
           factor_set.software, 4, factor_set.id
    FROM roundbook.factor_set
    JOIN roundbook.matrix ON matrix.id = factor_set.matrix_id
    JOIN roundbook.round ON round.id = matrix.round_id
    JOIN roundbook.measure ON measure.id = matrix.measure_id
    WHERE fitted_at <> logged_at
    UNION ALL
    SELECT recorded_at, recorded_by, 'variance recorded', round.task_id, round.id, NULL, reason,
           jsonb_build_object('measure', measure.name, 'assessments', assessments,
               'scale', scale, 'revision', revision, 'variance', variance, 'source', source),
           software, 5, published.id
    FROM roundbook.published_variance AS published
    JOIN roundbook.round ON round.id = published.round_id
    JOIN roundbook.measure ON measure.id = published.measure_id
    UNION ALL
    SELECT saved_at, saved_by, 'plan saved', task_id, NULL, NULL, note,
           jsonb_build_object('plan', name, 'version', version), software, 6, id
    FROM roundbook.plan
) AS told (at, who, what, task_id, round_id, matrix_id, why, details, software, kind, id)
ORDER BY at, kind, id
"""


def _guard(table: str, change: str = "UPDATE OR DELETE OR TRUNCATE") -> None:
    op.execute(
        f"CREATE TRIGGER immutable BEFORE {change} ON roundbook.{table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change()"
    )


def upgrade() -> None:
    """Make the change."""
    _make_drift_report_table()
    op.create_table(
        "withdrawal",
        sa.Column("matrix_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("software", sa.Text(), nullable=False),
        sa.Column(
            "decided_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "number >= 1 AND withdrawn = (number % 2 = 1)", name=op.f("withdrawal_in_turn")
        ),
        sa.CheckConstraint("reason <> ''", name=op.f("withdrawal_reason")),
        sa.ForeignKeyConstraint(
            ["matrix_id"], ["roundbook.matrix.id"], name=op.f("withdrawal_matrix_id_fk")
        ),
        sa.PrimaryKeyConstraint("matrix_id", "number", name=op.f("withdrawal_pk")),
        schema="roundbook",
    )
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column(
            "at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("who", sa.Text(), nullable=True),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("task_id", sa.BigInteger(), nullable=True),
        sa.Column("round_id", sa.BigInteger(), nullable=True),
        sa.Column("matrix_id", sa.BigInteger(), nullable=True),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("details", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.Column("software", sa.Text(), nullable=False),
        sa.CheckConstraint("what <> ''", name=op.f("event_what")),
        sa.ForeignKeyConstraint(["task_id"], ["roundbook.task.id"], name=op.f("event_task_id_fk")),
        sa.ForeignKeyConstraint(
            ["round_id"], ["roundbook.round.id"], name=op.f("event_round_id_fk")
        ),
        sa.ForeignKeyConstraint(
            ["matrix_id"], ["roundbook.matrix.id"], name=op.f("event_matrix_id_fk")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("event_pk")),
        schema="roundbook",
    )
    for column in ("task_id", "matrix_id"):
        op.create_index(f"event_{column}_index", "event", [column], schema="roundbook")
    # A volatile default is worked out for each round that is there.
    op.add_column(
        "round",
        sa.Column(
            "pseudonym_key", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False
        ),
        schema="roundbook",
    )
    op.execute(_BACKFILL)
    op.execute(_WITHDRAWN_VIEW)
    op.execute(_CURRENT_VIEW)
    op.execute(_WHOLE.replace("{more}", _WITH_STATISTICS_AND_EVENT))
    op.execute(_PUBLISHED_STAYS)
    op.execute(
        "CREATE TRIGGER published BEFORE UPDATE ON roundbook.round"
        " FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_unpublishing()"
    )
    op.execute(_REASON_ONCE_PUBLISHED)
    op.execute(
        "CREATE TRIGGER published BEFORE INSERT ON roundbook.matrix"
        " FOR EACH ROW EXECUTE FUNCTION roundbook.refuse_without_reason()"
    )
    for table in _NEW:
        _guard(table)
    for table in ("round", "run"):
        op.execute(f"DROP TRIGGER immutable ON roundbook.{table}")
    for table, columns in _KEPT.items():
        _guard(table, f"UPDATE OF {', '.join(columns)} OR DELETE OR TRUNCATE")
    # Whoever connects: not even a session that plays a replica writes past them.
    _set_triggers("ENABLE ALWAYS")


def _make_drift_report_table() -> None:
    op.create_table(
        "drift_report",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("task_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("measure_id", sa.BigInteger(), nullable=False),
        sa.Column("assessments", sa.Text(), nullable=False),
        sa.Column("from_factor_set_id", sa.BigInteger(), nullable=False),
        sa.Column("to_factor_set_id", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("result", postgresql.JSONB(), nullable=False),
        sa.Column("software", sa.Text(), nullable=False),
        sa.Column(
            "saved_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("saved_by", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "from_factor_set_id <> to_factor_set_id", name=op.f("drift_report_two_ends")
        ),
        sa.ForeignKeyConstraint(
            ["task_id"], ["roundbook.task.id"], name=op.f("drift_report_task_id_fk")
        ),
        sa.ForeignKeyConstraint(
            ["measure_id"], ["roundbook.measure.id"], name=op.f("drift_report_measure_id_fk")
        ),
        sa.ForeignKeyConstraint(
            ["from_factor_set_id"],
            ["roundbook.factor_set.id"],
            name=op.f("drift_report_from_factor_set_id_fk"),
        ),
        sa.ForeignKeyConstraint(
            ["to_factor_set_id"],
            ["roundbook.factor_set.id"],
            name=op.f("drift_report_to_factor_set_id_fk"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("drift_report_pk")),
        sa.UniqueConstraint("task_id", "number", name=op.f("drift_report_task_id_number_key")),
        schema="roundbook",
    )


def _set_triggers(state: str) -> None:
    for table in sorted({*_IMMUTABLE_BEFORE, *_NEW, *_KEPT}):
        op.execute(f"ALTER TABLE roundbook.{table} {state} TRIGGER immutable")
    for table, trigger in (("matrix", "whole"), ("matrix", "published"), ("round", "published")):
        op.execute(f"ALTER TABLE roundbook.{table} {state} TRIGGER {trigger}")


def downgrade() -> None:
    """Take it back, leaving no trace."""
    _set_triggers("ENABLE")
    for table in _KEPT:
        op.execute(f"DROP TRIGGER immutable ON roundbook.{table}")
    _guard("round", "UPDATE OF id, task_id")
    _guard("run", "UPDATE OF id, round_id, tag")
    for table in ("matrix", "round"):
        op.execute(f"DROP TRIGGER published ON roundbook.{table}")
    for function in ("refuse_without_reason", "refuse_unpublishing"):
        op.execute(f"DROP FUNCTION roundbook.{function}()")
    op.execute(_WHOLE.replace("{more}", ""))
    op.execute("DROP VIEW roundbook.current_matrix")
    op.execute("DROP VIEW roundbook.withdrawn")
    op.drop_column("round", "pseudonym_key", schema="roundbook")
    for table in _NEW:
        op.drop_table(table, schema="roundbook")
