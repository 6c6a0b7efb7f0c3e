"""Score vectors are a leaf, saved results one table, and no guard reads transaction ids."""

from __future__ import annotations

from importlib import import_module

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_SCORE_VIEW = """
CREATE VIEW roundbook.score AS
SELECT vector.matrix_id AS matrix, run.tag AS run, topic.name AS topic, score.value
FROM roundbook.score_vector AS vector
{runs}
CROSS JOIN LATERAL unnest(vector.scores) WITH ORDINALITY AS score (value, place)
JOIN roundbook.matrix_topic
  ON matrix_topic.matrix_id = vector.matrix_id AND matrix_topic.position = score.place - 1
JOIN roundbook.topic ON topic.id = matrix_topic.topic_id
"""
_RUNS_OF_VECTORS = "JOIN roundbook.run ON run.id = vector.run_id"
_RUNS_BY_POSITION = """JOIN roundbook.matrix_run
  ON matrix_run.matrix_id = vector.matrix_id AND matrix_run.position = vector.position
JOIN roundbook.run ON run.id = matrix_run.run_id"""

_WHOLE_MATRIX = """
CREATE OR REPLACE FUNCTION roundbook.refuse_half_a_matrix() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    vectors bigint;
    runs bigint;
    topics bigint;
BEGIN
    SELECT count(*) INTO vectors FROM roundbook.score_vector WHERE matrix_id = NEW.id;
    SELECT count(*) INTO runs FROM roundbook.{runs} WHERE matrix_id = NEW.id;
    SELECT count(*) INTO topics FROM roundbook.matrix_topic WHERE matrix_id = NEW.id;
    IF vectors <> NEW.runs OR runs <> NEW.runs OR topics <> NEW.topics THEN
        RAISE EXCEPTION 'matrix % says % topics and % runs but has % and %',
            NEW.id, NEW.topics, NEW.runs, topics, least(vectors, runs)
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NOT EXISTS (
        SELECT FROM roundbook.variance_estimate WHERE matrix_id = NEW.id AND scale = 'raw'
    ) THEN
        RAISE EXCEPTION 'matrix % has no variance', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NOT EXISTS (SELECT FROM roundbook.event WHERE matrix_id = NEW.id) THEN
        RAISE EXCEPTION 'no event tells of matrix %', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$
"""

# A further version comes when the teams of a matrix's runs become known. It says of no score
# anything that the version before did not.
_FURTHER_ESTIMATE = """
CREATE FUNCTION roundbook.refuse_other_estimate() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    other bigint;
BEGIN
    SELECT max(part.matrix_id) INTO other
    FROM added AS part
    LEFT JOIN roundbook.variance_estimate AS before
        ON before.matrix_id = part.matrix_id AND before.scale = part.scale
        AND before.factor_set_id IS NOT DISTINCT FROM part.factor_set_id
        AND before.version = part.version - 1
    WHERE part.version > 1 AND (
        before.id IS NULL
        OR part.clusters >= before.clusters
        OR (part.topics, part.runs, part.sum_of_squares, part.dof, part.variance,
            part.two_way_sum_of_squares, part.two_way_dof,
            part.topic_ids, part.topic_squares, part.two_way_topic_squares)
        IS DISTINCT FROM
           (before.topics, before.runs, before.sum_of_squares, before.dof, before.variance,
            before.two_way_sum_of_squares, before.two_way_dof,
            before.topic_ids, before.topic_squares, before.two_way_topic_squares)
    );
    IF other IS NOT NULL THEN
        RAISE EXCEPTION
            'a further estimate of matrix % differs from the one before in more than its teams',
            other USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$
"""

# The triggers that read transaction ids, by table, and their functions.
_READS_TRANSACTIONS = (
    ("event", "noted"),
    *((table, "told") for table in ("task", "round", "run", "factor_set", "published_variance")),
    *((table, "told") for table in ("withdrawal", "plan", "drift_report")),
    *((table, "in_time") for table in ("factor", "factor_set_run", "plan_estimate")),
    ("variance_estimate", "in_time"),
)
_FUNCTIONS = ("note_event", "refuse_untold", "refuse_late_part", "refuse_late_estimate")


def upgrade() -> None:
    """Make the change."""
    for table, trigger in _READS_TRANSACTIONS:
        op.execute(f"DROP TRIGGER {trigger} ON roundbook.{table}")
    for function in _FUNCTIONS:
        op.execute(f"DROP FUNCTION roundbook.{function}()")
    op.execute(_FURTHER_ESTIMATE)
    op.execute(
        "CREATE TRIGGER further AFTER INSERT ON roundbook.variance_estimate"
        " REFERENCING NEW TABLE AS added FOR EACH STATEMENT"
        " EXECUTE FUNCTION roundbook.refuse_other_estimate()"
    )
    op.execute("ALTER TABLE roundbook.variance_estimate ENABLE ALWAYS TRIGGER further")
    _pin("refuse_other_estimate")
    _make_vectors_a_leaf()
    _save_results_in_one_table()


# A plan's request, as its result echoes it. Paired designs without a choice took the one-way
# variance; a limit that is not named was the pooled variance.
_PLAN_REQUEST = """
jsonb_strip_nulls(jsonb_build_object(
    'variance', CASE WHEN result -> 'estimate' = 'null' THEN result -> 'variance' END,
    'task', result #> '{estimate,task}',
    'measure', result #> '{estimate,measure}',
    'scale', result #> '{estimate,scale}',
    'assessments', CASE
        WHEN result -> 'estimate' = 'null' THEN NULL
        WHEN jsonb_array_length(result #> '{estimate,mixed}') > 0 THEN result #> '{estimate,mixed}'
        ELSE jsonb_build_array(result #> '{estimate,assessments}') END,
    'pool_by', result #> '{estimate,pooled,weights}',
    'variance_of', CASE
        WHEN result -> 'estimate' = 'null' OR result ->> 'design' NOT LIKE 'paired-%' THEN NULL
        ELSE coalesce(result ->> 'variance_of', 'conservative') END,
    'variance_at', CASE
        WHEN result -> 'estimate' = 'null' THEN NULL
        WHEN result ->> 'variance_at' = 'given' THEN result -> 'variance'
        ELSE to_jsonb(coalesce(result ->> 'variance_at', 'pooled')) END,
    'design', result -> 'design', 'solve', result -> 'solve', 'engine', result -> 'engine',
    'm', result -> 'm', 'min_d', result -> 'min_d', 'topics', result -> 'topics',
    'alpha', result -> 'alpha',
    'beta', CASE WHEN result ->> 'solve' <> 'power' AND result ->> 'design' NOT LIKE '%-width'
                 THEN result -> 'beta' END
))"""

# minD sets the margin too, unless that is named.
_REPORT_REQUEST = """
jsonb_strip_nulls(jsonb_build_object(
    'task', result -> 'task', 'measure', result -> 'measure',
    'assessments', result -> 'assessments',
    'from_round', result -> 'from', 'to_round', result -> 'to',
    'margin', CASE
        WHEN result ->> 'margin_from' = 'given' THEN result -> 'margin'
        WHEN result ->> 'margin_from' = 'min-d' THEN NULL
        WHEN (result ->> 'margin')::float8 = 0.2 AND (result ->> 'min_d')::float8 = 0.1 THEN NULL
        ELSE result -> 'margin' END,
    'sd_ratio_margin', result -> 'sd_ratio_margin', 'm', result -> 'm',
    'min_d', CASE
        WHEN result ->> 'margin_from' = 'min-d' OR (result ->> 'min_d')::float8 <> 0.1
        THEN result -> 'min_d' END
))"""

_CARRY_PLANS_OVER = f"""
WITH plans AS (
    INSERT INTO roundbook.result
        (task_id, kind, name, version, request, result, note, software, saved_at, saved_by)
    SELECT task_id, 'plan', name, version, {_PLAN_REQUEST},
           result, note, software, saved_at, saved_by
    FROM roundbook.plan ORDER BY id
    RETURNING id, name, version
)
INSERT INTO roundbook.result_input
    (result_id, position, variance_estimate_id, published_variance_id, known)
SELECT plans.id, position, variance_estimate_id, published_variance_id,
       CASE WHEN counted.round ? 'collection'
            THEN jsonb_build_object('collection', counted.round -> 'collection')
            ELSE '{{}}' END
FROM plans
JOIN roundbook.plan USING (name, version)
JOIN roundbook.plan_estimate ON plan_estimate.plan_id = plan.id
CROSS JOIN LATERAL (
    SELECT plan.result #> ARRAY['estimate', 'rounds', position::text]
) AS counted (round)
"""  # noqa: S608

# How many runs of unknown team or system there were, is known of both rounds together.
_CARRY_REPORTS_OVER = f"""
WITH reports AS (
    INSERT INTO roundbook.result
        (task_id, kind, name, version, request, result, note, software, saved_at, saved_by)
    SELECT task_id, 'drift', task.name || '/drift-' || number, 1, {_REPORT_REQUEST},
           result, note, software, saved_at, saved_by
    FROM roundbook.drift_report JOIN roundbook.task ON task.id = task_id
    ORDER BY drift_report.id
    RETURNING id, task_id, name, result
)
INSERT INTO roundbook.result_input (result_id, position, factor_set_id, known)
SELECT reports.id, position, factor_set_id,
       jsonb_build_object('collection', reports.result -> collection)
       || CASE WHEN reports.result ->> 'verdict' = 'unbridged' THEN '{{}}'
               WHEN reports.result -> 'units' IS NULL THEN '{{"rule": 1}}'
               WHEN position = 0 THEN jsonb_strip_nulls(jsonb_build_object(
                   'runs_without_team', reports.result #> '{{units,runs_without_team}}',
                   'runs_without_system', reports.result #> '{{units,runs_without_system}}'))
               ELSE '{{}}' END
FROM reports
JOIN roundbook.task ON task.id = reports.task_id
JOIN roundbook.drift_report
    ON drift_report.task_id = reports.task_id
    AND task.name || '/drift-' || drift_report.number = reports.name
CROSS JOIN LATERAL (
    VALUES (0, from_factor_set_id, 'from_collection'), (1, to_factor_set_id, 'to_collection')
) AS compared (position, factor_set_id, collection)
"""  # noqa: S608


def _save_results_in_one_table() -> None:
    op.create_table(
        "result",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("task_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("request", postgresql.JSONB(), nullable=False),
        sa.Column("result", postgresql.JSONB(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("software", sa.Text(), nullable=False),
        sa.Column(
            "saved_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("saved_by", sa.Text(), nullable=False),
        sa.CheckConstraint("kind <> '' AND name <> ''", name=op.f("result_named")),
        sa.CheckConstraint("jsonb_typeof(result) = 'object'", name=op.f("result_result")),
        sa.CheckConstraint("jsonb_typeof(request) = 'object'", name=op.f("result_request")),
        sa.CheckConstraint(
            "saved_at BETWEEN '0001-01-02 00:00:00+00' AND '9999-12-30 00:00:00+00'",
            name=op.f("result_saved_at"),
        ),
        sa.ForeignKeyConstraint(["task_id"], ["roundbook.task.id"], name=op.f("result_task_id_fk")),
        sa.PrimaryKeyConstraint("id", name=op.f("result_pk")),
        sa.UniqueConstraint("kind", "name", "version", name=op.f("result_kind_name_version_key")),
        schema="roundbook",
    )
    origins = ("variance_estimate", "published_variance", "factor_set", "matrix")
    op.create_table(
        "result_input",
        sa.Column("result_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        *(sa.Column(f"{table}_id", sa.BigInteger(), nullable=True) for table in origins),
        sa.Column("known", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.CheckConstraint(
            f"num_nonnulls({', '.join(f'{table}_id' for table in origins)}) = 1",
            name=op.f("result_input_one_origin"),
        ),
        sa.CheckConstraint("jsonb_typeof(known) = 'object'", name=op.f("result_input_known")),
        *(
            sa.ForeignKeyConstraint(
                [f"{table}_id"], [f"roundbook.{table}.id"], name=op.f(f"result_input_{table}_id_fk")
            )
            for table in ("result", *origins)
        ),
        sa.PrimaryKeyConstraint("result_id", "position", name=op.f("result_input_pk")),
        schema="roundbook",
    )
    op.execute(_CARRY_PLANS_OVER)
    op.execute(_CARRY_REPORTS_OVER)
    for table in ("result", "result_input"):
        _guard(table)
    op.execute(
        "CREATE CONSTRAINT TRIGGER in_turn AFTER INSERT ON roundbook.result"
        " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
        " EXECUTE FUNCTION roundbook.refuse_gap('version', 'kind', 'name')"
    )
    op.execute("ALTER TABLE roundbook.result ENABLE ALWAYS TRIGGER in_turn")
    for table in ("plan_estimate", "plan", "drift_report"):
        op.drop_table(table, schema="roundbook")


def _make_vectors_a_leaf() -> None:
    op.execute("DROP VIEW roundbook.score")
    op.create_unique_constraint(
        op.f("matrix_id_runs_key"), "matrix", ["id", "runs"], schema="roundbook"
    )
    op.create_table(
        "matrix_run",
        sa.Column("matrix_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.CheckConstraint("position >= 0 AND position < runs", name=op.f("matrix_run_position")),
        sa.ForeignKeyConstraint(
            ["run_id"], ["roundbook.run.id"], name=op.f("matrix_run_run_id_fk")
        ),
        sa.ForeignKeyConstraint(
            ["matrix_id", "runs"],
            ["roundbook.matrix.id", "roundbook.matrix.runs"],
            name=op.f("matrix_run_matrix_id_runs_fk"),
        ),
        sa.PrimaryKeyConstraint("matrix_id", "position", name=op.f("matrix_run_pk")),
        sa.UniqueConstraint("matrix_id", "run_id", name=op.f("matrix_run_matrix_id_run_id_key")),
        schema="roundbook",
    )
    op.execute(
        "INSERT INTO roundbook.matrix_run (matrix_id, position, run_id, runs)"
        " SELECT matrix_id, position, run_id, runs FROM roundbook.score_vector"
    )
    _guard("matrix_run")
    _standardising_runs_are_of("matrix_run")
    op.drop_column("score_vector", "run_id", schema="roundbook")
    op.execute(_SCORE_VIEW.replace("{runs}", _RUNS_BY_POSITION))
    op.execute(_WHOLE_MATRIX.replace("{runs}", "matrix_run"))
    _pin("refuse_half_a_matrix")


def _standardising_runs_are_of(table: str) -> None:
    name = op.f("factor_set_run_matrix_id_run_id_fk")
    op.drop_constraint(name, "factor_set_run", schema="roundbook", type_="foreignkey")
    op.create_foreign_key(
        name,
        "factor_set_run",
        table,
        ["matrix_id", "run_id"],
        ["matrix_id", "run_id"],
        source_schema="roundbook",
        referent_schema="roundbook",
    )


def _guard(table: str) -> None:
    op.execute(
        f"CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON roundbook.{table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION roundbook.refuse_change()"
    )
    op.execute(f"ALTER TABLE roundbook.{table} ENABLE ALWAYS TRIGGER immutable")


def _pin(function: str) -> None:
    # Whoever writes may have types and operators of his own, and look there first.
    op.execute(f"ALTER FUNCTION roundbook.{function}() SET search_path = pg_catalog, pg_temp")


# A report that was renewed becomes a further report of its task.
_GIVE_BACK = (
    """
    INSERT INTO roundbook.plan (name, task_id, version, note, result, software, saved_at, saved_by)
    SELECT name, task_id, version, note, result, software, saved_at, saved_by
    FROM roundbook.result WHERE kind = 'plan' ORDER BY id
    """,
    """
    INSERT INTO roundbook.plan_estimate
        (plan_id, position, variance_estimate_id, published_variance_id)
    SELECT plan.id, position, variance_estimate_id, published_variance_id
    FROM roundbook.result
    JOIN roundbook.plan USING (name, version)
    JOIN roundbook.result_input ON result_input.result_id = result.id
    WHERE result.kind = 'plan'
    """,
    """
    INSERT INTO roundbook.drift_report
        (task_id, number, measure_id, assessments, from_factor_set_id, to_factor_set_id,
         note, result, software, saved_at, saved_by)
    SELECT result.task_id, row_number() OVER (PARTITION BY result.task_id ORDER BY result.id),
           earlier.measure_id, earlier.assessments, earlier.id, later.id,
           result.note, result.result, result.software, result.saved_at, result.saved_by
    FROM roundbook.result
    JOIN roundbook.result_input AS first ON (first.result_id, first.position) = (result.id, 0)
    JOIN roundbook.result_input AS second ON (second.result_id, second.position) = (result.id, 1)
    JOIN roundbook.factor_set AS earlier ON earlier.id = first.factor_set_id
    JOIN roundbook.factor_set AS later ON later.id = second.factor_set_id
    WHERE result.kind = 'drift' ORDER BY result.id
    """,
)


def downgrade() -> None:
    """Take it back, leaving no trace."""
    _save_results_apart()
    _give_vectors_their_runs()
    op.execute("DROP TRIGGER further ON roundbook.variance_estimate")
    op.execute("DROP FUNCTION roundbook.refuse_other_estimate()")
    _guard_by_transactions()


def _save_results_apart() -> None:
    plans = import_module("roundbook_migrations.versions.0002_the_statistics")
    reports = import_module("roundbook_migrations.versions.0003_nothing_silently_changed")
    guards = import_module("roundbook_migrations.versions.0004_nothing_slipped_in")
    plans._make_plan_tables()
    reports._make_drift_report_table()
    for statement in _GIVE_BACK:
        op.execute(statement)
    for table in ("plan", "drift_report"):
        op.create_check_constraint(
            op.f(f"{table}_result"), table, "jsonb_typeof(result) = 'object'", schema="roundbook"
        )
        op.create_check_constraint(
            op.f(f"{table}_saved_at"), table, f"saved_at {guards._YEARS}", schema="roundbook"
        )
        columns = ", ".join(f"'{column}'" for column in guards._COUNTS[table])
        guards._at_commit(table, "in_turn", "INSERT", f"refuse_gap({columns})")
    for table in ("plan", "plan_estimate", "drift_report"):
        _guard(table)
    for table in ("result_input", "result"):
        op.drop_table(table, schema="roundbook")


def _give_vectors_their_runs() -> None:
    op.execute("DROP VIEW roundbook.score")
    # A column that is added stands last, and others may count on the order of the columns.
    op.execute(
        "CREATE TABLE roundbook.vector AS"
        " SELECT matrix_id, run_id, position, topics, score_vector.runs, scores"
        " FROM roundbook.score_vector JOIN roundbook.matrix_run USING (matrix_id, position)"
    )
    op.drop_table("score_vector", schema="roundbook")
    first = import_module("roundbook_migrations.versions.0001_the_record")
    first._make_vector_table()
    op.execute("INSERT INTO roundbook.score_vector TABLE roundbook.vector")
    op.drop_table("vector", schema="roundbook")
    _guard("score_vector")
    _standardising_runs_are_of("score_vector")
    op.drop_table("matrix_run", schema="roundbook")
    op.drop_constraint(op.f("matrix_id_runs_key"), "matrix", schema="roundbook", type_="unique")
    op.execute(_SCORE_VIEW.replace("{runs}", _RUNS_OF_VECTORS))
    before = import_module("roundbook_migrations.versions.0003_nothing_silently_changed")
    op.execute(before._WHOLE.replace("{more}", before._WITH_STATISTICS_AND_EVENT))
    _pin("refuse_half_a_matrix")


def _guard_by_transactions() -> None:
    """Make the guards again as revisions 0004 and 0005 left them."""
    before = import_module("roundbook_migrations.versions.0004_nothing_slipped_in")
    estimates = import_module("roundbook_migrations.versions.0005_honest_intervals")
    for function in (before._NOTE_EVENT, before._UNTOLD, before._LATE_PART, before._LATE_ESTIMATE):
        op.execute(function)
    late = estimates._LATE_ESTIMATE.replace("{first}", "part.version = 1 AND ")
    op.execute(late.replace("{further}", estimates._FURTHER_ESTIMATE))
    for function in _FUNCTIONS:
        _pin(function)
    before._trigger("event", "noted", "AFTER INSERT", "FOR EACH ROW", "note_event()")
    for table, change in before._TOLD.items():
        before._at_commit(table, "told", change, "refuse_untold()")
    for table, (whole, column) in before._PARTS.items():
        before._with_its_whole(table, f"refuse_late_part('{whole}', '{column}')")
    before._with_its_whole("variance_estimate", "refuse_late_estimate()")
