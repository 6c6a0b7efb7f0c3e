"""The record: tasks, rounds, score matrices, factors and variances."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_IMMUTABLE = (
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
)

_REFUSE_CHANGE = """
CREATE FUNCTION roundbook.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of roundbook.% is refused: what is logged stays as it is',
        TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', HINT = 'Log a revision instead.';
END $$
"""

# Deferred to the commit, when all of the matrix must be there.
_REFUSE_HALF_A_MATRIX = """
CREATE FUNCTION roundbook.refuse_half_a_matrix() RETURNS trigger LANGUAGE plpgsql AS $$
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
    END IF;
    RETURN NULL;
END $$
"""

_SCORE_VIEW = """
CREATE VIEW roundbook.score AS
SELECT vector.matrix_id AS matrix, run.tag AS run, topic.name AS topic, score.value
FROM roundbook.score_vector AS vector
JOIN roundbook.run ON run.id = vector.run_id
CROSS JOIN LATERAL unnest(vector.scores) WITH ORDINALITY AS score (value, place)
JOIN roundbook.matrix_topic
  ON matrix_topic.matrix_id = vector.matrix_id AND matrix_topic.position = score.place - 1
JOIN roundbook.topic ON topic.id = matrix_topic.topic_id
"""


def _guard() -> None:
    op.execute(_REFUSE_CHANGE)
    for table in _IMMUTABLE:
        op.execute(
            f"CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON roundbook.{table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change()"
        )
    # A run may be given its team or system later, but never another tag or round.
    op.execute(
        "CREATE TRIGGER immutable BEFORE UPDATE OF id, round_id, tag ON roundbook.run"
        " FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change()"
    )
    op.execute(_REFUSE_HALF_A_MATRIX)
    op.execute(
        "CREATE CONSTRAINT TRIGGER whole AFTER INSERT ON roundbook.matrix"
        " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
        " EXECUTE FUNCTION roundbook.refuse_half_a_matrix()"
    )


def upgrade() -> None:
    """Make the change."""
    op.create_table(
        "measure",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("family", sa.Text(), nullable=False),
        sa.Column("cutoff", sa.Integer(), nullable=True),
        sa.Column(
            "parameters",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default="{}",
            nullable=False,
        ),
        sa.Column("lower_bound", sa.Double(), nullable=True),
        sa.Column("upper_bound", sa.Double(), nullable=True),
        sa.CheckConstraint("cutoff > 0", name=op.f("measure_cutoff")),
        sa.CheckConstraint("lower_bound < upper_bound", name=op.f("measure_bounds")),
        sa.PrimaryKeyConstraint("id", name=op.f("measure_pk")),
        schema="roundbook",
    )
    op.create_index(
        "measure_name_folded_key",
        "measure",
        [sa.literal_column("lower(name)")],
        unique=True,
        schema="roundbook",
    )
    op.create_table(
        "task",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("name <> ''", name=op.f("task_named")),
        sa.PrimaryKeyConstraint("id", name=op.f("task_pk")),
        sa.UniqueConstraint("name", name=op.f("task_name_key")),
        schema="roundbook",
    )
    op.create_table(
        "team",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("team_pk")),
        schema="roundbook",
    )
    op.create_index(
        "team_name_folded_key",
        "team",
        [sa.literal_column("lower(name)")],
        unique=True,
        schema="roundbook",
    )
    op.create_table(
        "round",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("task_id", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("held", sa.Date(), nullable=True),
        sa.Column("status", sa.Text(), server_default="draft", nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint("label <> ''", name=op.f("round_labelled")),
        sa.CheckConstraint("status IN ('draft', 'published')", name=op.f("round_status")),
        sa.ForeignKeyConstraint(["task_id"], ["roundbook.task.id"], name=op.f("round_task_id_fk")),
        sa.PrimaryKeyConstraint("id", name=op.f("round_pk")),
        sa.UniqueConstraint("task_id", "label", name=op.f("round_task_id_label_key")),
        sa.UniqueConstraint("task_id", "ordinal", name=op.f("round_task_id_ordinal_key")),
        schema="roundbook",
    )
    op.create_table(
        "topic",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("task_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["roundbook.task.id"], name=op.f("topic_task_id_fk")),
        sa.PrimaryKeyConstraint("id", name=op.f("topic_pk")),
        sa.UniqueConstraint("task_id", "name", name=op.f("topic_task_id_name_key")),
        schema="roundbook",
    )
    op.create_table(
        "matrix",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("round_id", sa.BigInteger(), nullable=False),
        sa.Column("measure_id", sa.BigInteger(), nullable=False),
        sa.Column("assessments", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("topics", sa.Integer(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("missing_policy", sa.Text(), nullable=False),
        sa.Column("missing_cells", sa.Integer(), nullable=False),
        sa.Column("dropped_topics", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("files", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("layout", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=True),
        sa.Column("software", sa.Text(), nullable=False),
        sa.Column(
            "logged_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("logged_by", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "missing_policy IN ('reject', 'zero', 'drop-topic')", name=op.f("matrix_missing_policy")
        ),
        sa.CheckConstraint(
            "revision = 1 OR reason <> ''", name=op.f("matrix_revised_for_a_reason")
        ),
        sa.CheckConstraint("topics >= 2 AND runs >= 1", name=op.f("matrix_size")),
        sa.ForeignKeyConstraint(
            ["measure_id"], ["roundbook.measure.id"], name=op.f("matrix_measure_id_fk")
        ),
        sa.ForeignKeyConstraint(
            ["round_id"], ["roundbook.round.id"], name=op.f("matrix_round_id_fk")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("matrix_pk")),
        sa.UniqueConstraint(
            "id",
            "round_id",
            "measure_id",
            "assessments",
            name=op.f("matrix_id_round_id_measure_id_assessments_key"),
        ),
        sa.UniqueConstraint("id", "topics", "runs", name=op.f("matrix_id_topics_runs_key")),
        sa.UniqueConstraint("id", "topics", name=op.f("matrix_id_topics_key")),
        sa.UniqueConstraint(
            "round_id",
            "measure_id",
            "assessments",
            "revision",
            name=op.f("matrix_round_id_measure_id_assessments_revision_key"),
        ),
        schema="roundbook",
    )
    op.create_table(
        "published_variance",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("round_id", sa.BigInteger(), nullable=False),
        sa.Column("measure_id", sa.BigInteger(), nullable=False),
        sa.Column("assessments", sa.Text(), nullable=False),
        sa.Column("scale", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("topics", sa.Integer(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("variance", sa.Double(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("software", sa.Text(), nullable=False),
        sa.Column(
            "recorded_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("recorded_by", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "revision = 1 OR reason <> ''", name=op.f("published_variance_revised_for_a_reason")
        ),
        sa.CheckConstraint(
            "scale IN ('raw', 'std', 'std-cdf', 'std-ab')", name=op.f("published_variance_scale")
        ),
        sa.CheckConstraint("source <> ''", name=op.f("published_variance_source")),
        sa.CheckConstraint(
            "variance > 0 AND variance < 'Infinity'", name=op.f("published_variance_variance")
        ),
        sa.CheckConstraint("topics >= 2 AND runs >= 1", name=op.f("published_variance_size")),
        sa.ForeignKeyConstraint(
            ["measure_id"], ["roundbook.measure.id"], name=op.f("published_variance_measure_id_fk")
        ),
        sa.ForeignKeyConstraint(
            ["round_id"], ["roundbook.round.id"], name=op.f("published_variance_round_id_fk")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("published_variance_pk")),
        sa.UniqueConstraint(
            "round_id",
            "measure_id",
            "assessments",
            "scale",
            "revision",
            name=op.f("published_variance_revision_key"),
        ),
        schema="roundbook",
    )
    op.create_table(
        "run",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("round_id", sa.BigInteger(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("team_id", sa.BigInteger(), nullable=True),
        sa.Column("type", sa.Text(), nullable=True),
        sa.Column("contributed_to_pool", sa.Boolean(), nullable=True),
        sa.Column("system", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["round_id"], ["roundbook.round.id"], name=op.f("run_round_id_fk")),
        sa.ForeignKeyConstraint(["team_id"], ["roundbook.team.id"], name=op.f("run_team_id_fk")),
        sa.PrimaryKeyConstraint("id", name=op.f("run_pk")),
        sa.UniqueConstraint("round_id", "tag", name=op.f("run_round_id_tag_key")),
        schema="roundbook",
    )
    op.create_table(
        "factor_set",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("matrix_id", sa.BigInteger(), nullable=False),
        sa.Column("round_id", sa.BigInteger(), nullable=False),
        sa.Column("measure_id", sa.BigInteger(), nullable=False),
        sa.Column("assessments", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("standardising", sa.Text(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("zero_sd", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("software", sa.Text(), nullable=False),
        sa.Column(
            "fitted_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("fitted_by", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "standardising IN ('all', 'pooled', 'chosen')", name=op.f("factor_set_standardising")
        ),
        sa.CheckConstraint("zero_sd IN ('average', 'drop')", name=op.f("factor_set_zero_sd")),
        sa.CheckConstraint("runs >= 2", name=op.f("factor_set_runs")),
        sa.CheckConstraint("version >= 1", name=op.f("factor_set_version")),
        sa.ForeignKeyConstraint(
            ["matrix_id", "round_id", "measure_id", "assessments"],
            [
                "roundbook.matrix.id",
                "roundbook.matrix.round_id",
                "roundbook.matrix.measure_id",
                "roundbook.matrix.assessments",
            ],
            name=op.f("factor_set_matrix_id_round_id_measure_id_assessments_fk"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("factor_set_pk")),
        sa.UniqueConstraint("id", "matrix_id", name=op.f("factor_set_id_matrix_id_key")),
        sa.UniqueConstraint(
            "round_id",
            "measure_id",
            "assessments",
            "version",
            name=op.f("factor_set_round_id_measure_id_assessments_version_key"),
        ),
        schema="roundbook",
    )
    op.create_table(
        "matrix_topic",
        sa.Column("matrix_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("topics", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "position >= 0 AND position < topics", name=op.f("matrix_topic_position")
        ),
        sa.ForeignKeyConstraint(
            ["matrix_id", "topics"],
            ["roundbook.matrix.id", "roundbook.matrix.topics"],
            name=op.f("matrix_topic_matrix_id_topics_fk"),
        ),
        sa.ForeignKeyConstraint(
            ["topic_id"], ["roundbook.topic.id"], name=op.f("matrix_topic_topic_id_fk")
        ),
        sa.PrimaryKeyConstraint("matrix_id", "position", name=op.f("matrix_topic_pk")),
        sa.UniqueConstraint(
            "matrix_id", "topic_id", name=op.f("matrix_topic_matrix_id_topic_id_key")
        ),
        schema="roundbook",
    )
    _make_vector_table()
    op.create_table(
        "factor",
        sa.Column("factor_set_id", sa.BigInteger(), nullable=False),
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("matrix_id", sa.BigInteger(), nullable=False),
        sa.Column("mean", sa.Double(), nullable=False),
        sa.Column("sd", sa.Double(), nullable=False),
        sa.CheckConstraint("mean > '-Infinity' AND mean < 'Infinity'", name=op.f("factor_mean")),
        sa.CheckConstraint("sd >= 0 AND sd < 'Infinity'", name=op.f("factor_sd")),
        sa.ForeignKeyConstraint(
            ["factor_set_id", "matrix_id"],
            ["roundbook.factor_set.id", "roundbook.factor_set.matrix_id"],
            name=op.f("factor_factor_set_id_matrix_id_fk"),
        ),
        sa.ForeignKeyConstraint(
            ["matrix_id", "topic_id"],
            ["roundbook.matrix_topic.matrix_id", "roundbook.matrix_topic.topic_id"],
            name=op.f("factor_matrix_id_topic_id_fk"),
        ),
        sa.PrimaryKeyConstraint("factor_set_id", "topic_id", name=op.f("factor_pk")),
        schema="roundbook",
    )
    op.create_table(
        "factor_set_run",
        sa.Column("factor_set_id", sa.BigInteger(), nullable=False),
        sa.Column("matrix_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["factor_set_id", "matrix_id"],
            ["roundbook.factor_set.id", "roundbook.factor_set.matrix_id"],
            name=op.f("factor_set_run_factor_set_id_matrix_id_fk"),
        ),
        sa.ForeignKeyConstraint(
            ["matrix_id", "run_id"],
            ["roundbook.score_vector.matrix_id", "roundbook.score_vector.run_id"],
            name=op.f("factor_set_run_matrix_id_run_id_fk"),
        ),
        sa.PrimaryKeyConstraint("factor_set_id", "run_id", name=op.f("factor_set_run_pk")),
        schema="roundbook",
    )
    op.create_table(
        "variance_estimate",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("matrix_id", sa.BigInteger(), nullable=False),
        sa.Column("factor_set_id", sa.BigInteger(), nullable=True),
        sa.Column("scale", sa.Text(), nullable=False),
        sa.Column("topics", sa.Integer(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("sum_of_squares", sa.Double(), nullable=False),
        sa.Column("dof", sa.BigInteger(), nullable=False),
        sa.Column("variance", sa.Double(), nullable=False),
        sa.Column("software", sa.Text(), nullable=False),
        sa.Column(
            "estimated_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.CheckConstraint(
            "(scale = 'raw') = (factor_set_id IS NULL)",
            name=op.f("variance_estimate_standardised_by_factors"),
        ),
        sa.CheckConstraint(
            "dof > 0 AND variance >= 0 AND variance < 'Infinity'",
            name=op.f("variance_estimate_estimate"),
        ),
        sa.CheckConstraint(
            "scale IN ('raw', 'std', 'std-cdf', 'std-ab')", name=op.f("variance_estimate_scale")
        ),
        sa.ForeignKeyConstraint(
            ["factor_set_id", "matrix_id"],
            ["roundbook.factor_set.id", "roundbook.factor_set.matrix_id"],
            name=op.f("variance_estimate_factor_set_id_matrix_id_fk"),
        ),
        sa.ForeignKeyConstraint(
            ["matrix_id"], ["roundbook.matrix.id"], name=op.f("variance_estimate_matrix_id_fk")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("variance_estimate_pk")),
        sa.UniqueConstraint(
            "matrix_id",
            "scale",
            "factor_set_id",
            name=op.f("variance_estimate_matrix_id_scale_factor_set_id_key"),
            postgresql_nulls_not_distinct=True,
        ),
        schema="roundbook",
    )
    _guard()
    op.execute(_SCORE_VIEW)


def _make_vector_table() -> None:
    op.create_table(
        "score_vector",
        sa.Column("matrix_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("topics", sa.Integer(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("scores", postgresql.ARRAY(sa.Double(), dimensions=1), nullable=False),
        sa.CheckConstraint(
            "array_position(scores, NULL) IS NULL AND 'NaN' <> ALL (scores) AND 'Infinity' <> ALL (scores) AND '-Infinity' <> ALL (scores)",
            name=op.f("score_vector_finite"),
        ),
        sa.CheckConstraint(
            "array_ndims(scores) = 1 AND cardinality(scores) = topics",
            name=op.f("score_vector_length"),
        ),
        sa.CheckConstraint("position >= 0 AND position < runs", name=op.f("score_vector_position")),
        sa.ForeignKeyConstraint(
            ["matrix_id", "topics", "runs"],
            ["roundbook.matrix.id", "roundbook.matrix.topics", "roundbook.matrix.runs"],
            name=op.f("score_vector_matrix_id_topics_runs_fk"),
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["roundbook.run.id"], name=op.f("score_vector_run_id_fk")
        ),
        sa.PrimaryKeyConstraint("matrix_id", "position", name=op.f("score_vector_pk")),
        sa.UniqueConstraint("matrix_id", "run_id", name=op.f("score_vector_matrix_id_run_id_key")),
        schema="roundbook",
    )
    # Scores rarely compress, and trying costs more than writing them.
    op.execute("ALTER TABLE roundbook.score_vector ALTER COLUMN scores SET STORAGE EXTERNAL")


def downgrade() -> None:
    """Take it back, leaving no trace but the empty schema with Alembic's table."""
    op.execute("DROP VIEW roundbook.score")
    op.drop_table("variance_estimate", schema="roundbook")
    op.drop_table("factor_set_run", schema="roundbook")
    op.drop_table("factor", schema="roundbook")
    op.drop_table("score_vector", schema="roundbook")
    op.drop_table("matrix_topic", schema="roundbook")
    op.drop_table("factor_set", schema="roundbook")
    op.drop_table("run", schema="roundbook")
    op.drop_table("published_variance", schema="roundbook")
    op.drop_table("matrix", schema="roundbook")
    op.drop_table("topic", schema="roundbook")
    op.drop_table("round", schema="roundbook")
    op.drop_index("team_name_folded_key", table_name="team", schema="roundbook")
    op.drop_table("team", schema="roundbook")
    op.drop_table("task", schema="roundbook")
    op.drop_index("measure_name_folded_key", table_name="measure", schema="roundbook")
    op.drop_table("measure", schema="roundbook")
    for function in ("refuse_change", "refuse_half_a_matrix"):
        op.execute(f"DROP FUNCTION roundbook.{function}()")
