"""Runs and assessments: what runs retrieved, how it was assessed, and studies that rest on both."""

from __future__ import annotations

from importlib import import_module

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_YEARS = "BETWEEN '0001-01-02 00:00:00+00' AND '9999-12-30 00:00:00+00'"
_INTEGERS = postgresql.ARRAY(sa.Integer(), dimensions=1)
_REALS: postgresql.ARRAY[float] = postgresql.ARRAY(sa.REAL(), dimensions=1)

# Deferred to the commit, when all of an upload must be there: every list of its runs, of documents
# that have a name, for topics of its task.
_HALF_AN_UPLOAD = """
CREATE FUNCTION roundbook.refuse_half_an_upload() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    listed record;
    named bigint;
BEGIN
    SELECT count(*) AS runs, coalesce(sum(topics), 0) AS lists,
           coalesce(sum(documents), 0) AS documents
    INTO listed FROM roundbook.uploaded_run WHERE run_upload_id = NEW.id;
    SELECT coalesce(max(first + cardinality(names)), 0) INTO named
    FROM roundbook.document_names WHERE round_id = NEW.round_id;
    IF listed.runs <> NEW.runs OR named < NEW.documents THEN
        RAISE EXCEPTION 'upload % says % runs and % documents but has % and %',
            NEW.id, NEW.runs, NEW.documents, listed.runs, named
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF (listed.lists, listed.documents) IS DISTINCT FROM (
        SELECT (count(*), coalesce(sum(cardinality(documents)), 0))
        FROM roundbook.run_list WHERE run_upload_id = NEW.id
    ) THEN
        RAISE EXCEPTION 'upload % has not all lists of its runs', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF EXISTS (
        SELECT FROM roundbook.uploaded_run JOIN roundbook.run ON run.id = run_id
        WHERE run_upload_id = NEW.id AND run.round_id <> NEW.round_id
    ) OR EXISTS (
        SELECT FROM roundbook.run_list
        JOIN roundbook.topic ON topic.id = topic_id
        JOIN roundbook.round ON round.id = NEW.round_id
        WHERE run_upload_id = NEW.id AND topic.task_id <> round.task_id
    ) THEN
        RAISE EXCEPTION 'upload % has a run or topic of another round or task', NEW.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$
"""

# A run's lists come with it.
_LATE_LIST = """
CREATE FUNCTION roundbook.refuse_late_list() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    late bigint;
BEGIN
    SELECT max(listed.run_id) INTO late
    FROM (
        SELECT run_upload_id, run_id, count(*) AS lists, sum(cardinality(documents)) AS documents
        FROM roundbook.run_list
        WHERE (run_upload_id, run_id) IN (SELECT run_upload_id, run_id FROM added)
        GROUP BY run_upload_id, run_id
    ) AS listed
    JOIN roundbook.uploaded_run USING (run_upload_id, run_id)
    WHERE listed.lists > uploaded_run.topics OR listed.documents > uploaded_run.documents;
    IF late IS NOT NULL THEN
        RAISE EXCEPTION 'run % has its lists and takes no further one', late
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$
"""

# And a run with its upload.
_LATE_RUN = """
CREATE FUNCTION roundbook.refuse_late_run() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    late bigint;
BEGIN
    SELECT max(id) INTO late
    FROM roundbook.run_upload
    WHERE id IN (SELECT run_upload_id FROM added)
      AND runs < (SELECT count(*) FROM roundbook.uploaded_run WHERE run_upload_id = run_upload.id);
    IF late IS NOT NULL THEN
        RAISE EXCEPTION 'upload % has its runs and takes no further one', late
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$
"""

_HALF_ASSESSED = """
CREATE FUNCTION roundbook.refuse_half_the_qrels() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    listed record;
    named bigint;
BEGIN
    SELECT count(*) AS topics, coalesce(sum(cardinality(documents)), 0) AS judged,
           coalesce(sum((SELECT count(*) FROM unnest(grades) AS grade WHERE grade > 0)), 0)
               AS relevant,
           max((SELECT max(document) FROM unnest(documents) AS document)) AS last,
           count(*) FILTER (WHERE topic.task_id IS DISTINCT FROM round.task_id) AS others
    INTO listed
    FROM roundbook.judgment_list
    LEFT JOIN roundbook.topic ON topic.id = topic_id
    LEFT JOIN roundbook.round ON round.id = NEW.round_id
    WHERE qrels_id = NEW.id;
    SELECT coalesce(max(first + cardinality(names)), 0) INTO named
    FROM roundbook.document_names WHERE round_id = NEW.round_id;
    IF (listed.topics, listed.judged, listed.relevant)
        IS DISTINCT FROM (NEW.topics::bigint, NEW.judged::bigint, NEW.relevant::numeric)
    THEN
        RAISE EXCEPTION 'qrels % say % topics, % judged and % relevant but have %, % and %',
            NEW.id, NEW.topics, NEW.judged, NEW.relevant,
            listed.topics, listed.judged, listed.relevant
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF listed.last >= named OR listed.others > 0 THEN
        RAISE EXCEPTION 'qrels % judge a document without a name, or a topic of another task',
            NEW.id USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$
"""

_LATE_JUDGMENTS = """
CREATE FUNCTION roundbook.refuse_late_judgments() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    late bigint;
BEGIN
    SELECT max(id) INTO late
    FROM roundbook.qrels
    WHERE id IN (SELECT qrels_id FROM added)
      AND topics < (SELECT count(*) FROM roundbook.judgment_list WHERE qrels_id = qrels.id);
    IF late IS NOT NULL THEN
        RAISE EXCEPTION 'qrels % have their judgments and take no further ones', late
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$
"""

# Every number has one name.
_GAP_IN_NAMES = """
CREATE FUNCTION roundbook.refuse_gap_in_names() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    gap bigint;
BEGIN
    SELECT min(added.first) INTO gap
    FROM added
    WHERE added.first > 0 AND NOT EXISTS (
        SELECT FROM roundbook.document_names AS before
        WHERE before.round_id = added.round_id
          AND before.first = (
              SELECT max(earlier.first) FROM roundbook.document_names AS earlier
              WHERE earlier.round_id = added.round_id AND earlier.first < added.first
          )
          AND before.first + cardinality(before.names) = added.first
    );
    IF gap IS NOT NULL THEN
        RAISE EXCEPTION 'the names of documents from number % on do not follow the ones before', gap
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$
"""

_FUNCTIONS = {
    "refuse_half_an_upload": _HALF_AN_UPLOAD,
    "refuse_late_list": _LATE_LIST,
    "refuse_late_run": _LATE_RUN,
    "refuse_half_the_qrels": _HALF_ASSESSED,
    "refuse_late_judgments": _LATE_JUDGMENTS,
    "refuse_gap_in_names": _GAP_IN_NAMES,
}
_NEW = ("run_list", "uploaded_run", "run_upload", "judgment_list", "qrels", "document_names")
# By table: the trigger, its name, and whether it waits for the commit.
_AT_COMMIT = {
    ("run_upload", "whole"): "refuse_half_an_upload()",
    ("run_upload", "in_turn"): "refuse_gap('number', 'round_id')",
    ("qrels", "whole"): "refuse_half_the_qrels()",
    ("qrels", "in_turn"): "refuse_gap('revision', 'round_id', 'assessments')",
}
_WITH_ITS_WHOLE = {
    ("run_list", "in_time"): "refuse_late_list()",
    ("uploaded_run", "in_time"): "refuse_late_run()",
    ("judgment_list", "in_time"): "refuse_late_judgments()",
    ("document_names", "in_turn"): "refuse_gap_in_names()",
}

_ORIGINS = ("variance_estimate_id", "published_variance_id", "factor_set_id", "matrix_id")
_NEW_ORIGINS = ("run_upload_id", "qrels_id")

_HELD_BEFORE = import_module("roundbook_migrations.versions.0007_real_use")._HELD
_HELD = _HELD_BEFORE.replace(
    "        OR EXISTS (SELECT FROM roundbook.run WHERE round_id = OLD.id)\n",
    "        OR EXISTS (SELECT FROM roundbook.run WHERE round_id = OLD.id)\n"
    "        OR EXISTS (SELECT FROM roundbook.qrels WHERE round_id = OLD.id)\n"
    "        OR EXISTS (SELECT FROM roundbook.document_names WHERE round_id = OLD.id)\n",
)


def upgrade() -> None:
    """Make the change."""
    _make_run_tables()
    _make_assessment_tables()
    for name, function in _FUNCTIONS.items():
        op.execute(function)
        _pin(name)
    for table in _NEW:
        change = f"BEFORE UPDATE OR DELETE OR TRUNCATE ON roundbook.{table} FOR EACH STATEMENT"
        _trigger(table, "immutable", f"TRIGGER immutable {change}", "refuse_change()")
    for (table, name), function in _AT_COMMIT.items():
        change = f"AFTER INSERT ON roundbook.{table} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
        _trigger(table, name, f"CONSTRAINT TRIGGER {name} {change}", function)
    for (table, name), function in _WITH_ITS_WHOLE.items():
        change = f"AFTER INSERT ON roundbook.{table} REFERENCING NEW TABLE AS added"
        _trigger(table, name, f"TRIGGER {name} {change} FOR EACH STATEMENT", function)
    for column in _NEW_ORIGINS:
        op.add_column("result_input", sa.Column(column, sa.BigInteger()), schema="roundbook")
        op.create_foreign_key(
            op.f(f"result_input_{column}_fk"),
            "result_input",
            column.removesuffix("_id"),
            [column],
            ["id"],
            source_schema="roundbook",
            referent_schema="roundbook",
        )
    _one_origin((*_ORIGINS, *_NEW_ORIGINS))
    _refuse_removing(_HELD)


def _pin(function: str) -> None:
    # Whoever writes may have types and operators of his own, and look there first.
    op.execute(f"ALTER FUNCTION roundbook.{function}() SET search_path = pg_catalog, pg_temp")


def _trigger(table: str, name: str, change: str, function: str) -> None:
    op.execute(f"CREATE {change} EXECUTE FUNCTION roundbook.{function}")
    # Whoever connects: not even a session that plays a replica writes past it.
    op.execute(f"ALTER TABLE roundbook.{table} ENABLE ALWAYS TRIGGER {name}")


def _one_origin(columns: tuple[str, ...]) -> None:
    name = op.f("result_input_one_origin")
    op.drop_constraint(name, "result_input", schema="roundbook", type_="check")
    op.create_check_constraint(
        name, "result_input", f"num_nonnulls({', '.join(columns)}) = 1", schema="roundbook"
    )


def _refuse_removing(function: str) -> None:
    op.execute(function.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"))
    _pin("refuse_removing_scores")


def _refers(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"roundbook.{other}.id"], name=op.f(f"{table}_{column}_fk")
    )


def _logged(table: str) -> tuple[sa.schema.SchemaItem, ...]:
    return (
        sa.Column("software", sa.Text(), nullable=False),
        sa.Column(
            "logged_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("logged_by", sa.Text(), nullable=False),
        sa.CheckConstraint(f"logged_at {_YEARS}", name=op.f(f"{table}_logged_at")),
        sa.CheckConstraint(
            "cardinality(files) >= 1 AND cardinality(file_sizes) = cardinality(files)"
            " AND cardinality(file_hashes) = cardinality(files)",
            name=op.f(f"{table}_files"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"{table}_pk")),
        _refers(table, "round_id", "round"),
    )


def _make_run_tables() -> None:
    op.create_table(
        "run_upload",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("round_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("beyond_depth", sa.BigInteger(), nullable=False),
        sa.Column("files", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("file_sizes", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("file_hashes", postgresql.ARRAY(sa.Text()), nullable=False),
        *_logged("run_upload"),
        sa.CheckConstraint("number >= 1", name=op.f("run_upload_number")),
        sa.CheckConstraint(
            "runs >= 1 AND documents >= 1 AND beyond_depth >= 0", name=op.f("run_upload_size")
        ),
        sa.UniqueConstraint("round_id", "number", name=op.f("run_upload_round_id_number_key")),
        schema="roundbook",
    )
    op.create_table(
        "uploaded_run",
        sa.Column("run_upload_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("topics", sa.Integer(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.CheckConstraint("topics >= 1 AND documents >= topics", name=op.f("uploaded_run_size")),
        _refers("uploaded_run", "run_upload_id", "run_upload"),
        _refers("uploaded_run", "run_id", "run"),
        sa.PrimaryKeyConstraint("run_upload_id", "run_id", name=op.f("uploaded_run_pk")),
        sa.UniqueConstraint("run_id", name=op.f("uploaded_run_run_id_key")),
        schema="roundbook",
    )
    op.create_table(
        "run_list",
        sa.Column("run_upload_id", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("documents", _INTEGERS, nullable=False),
        sa.Column("scores", _REALS, nullable=False),
        sa.CheckConstraint(
            "array_ndims(documents) = 1 AND array_ndims(scores) = 1"
            " AND cardinality(documents) BETWEEN 1 AND 1000"
            " AND cardinality(scores) = cardinality(documents)",
            name=op.f("run_list_length"),
        ),
        sa.CheckConstraint("(0 <= ALL (documents)) IS TRUE", name=op.f("run_list_documents")),
        sa.CheckConstraint(
            "('-Infinity' < ALL (scores) AND 'Infinity' > ALL (scores)) IS TRUE",
            name=op.f("run_list_finite"),
        ),
        sa.ForeignKeyConstraint(
            ["run_upload_id", "run_id"],
            ["roundbook.uploaded_run.run_upload_id", "roundbook.uploaded_run.run_id"],
            name=op.f("run_list_run_upload_id_run_id_fk"),
        ),
        _refers("run_list", "topic_id", "topic"),
        sa.PrimaryKeyConstraint("run_upload_id", "run_id", "topic_id", name=op.f("run_list_pk")),
        schema="roundbook",
    )
    # Numbers and scores rarely compress, and trying costs more than writing them.
    for column in ("documents", "scores"):
        op.execute(f"ALTER TABLE roundbook.run_list ALTER COLUMN {column} SET STORAGE EXTERNAL")
    op.create_table(
        "document_names",
        sa.Column("round_id", sa.BigInteger(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("names", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.CheckConstraint("first >= 0", name=op.f("document_names_first")),
        sa.CheckConstraint(
            "array_ndims(names) = 1 AND array_position(names, NULL) IS NULL",
            name=op.f("document_names_names"),
        ),
        _refers("document_names", "round_id", "round"),
        sa.PrimaryKeyConstraint("round_id", "first", name=op.f("document_names_pk")),
        schema="roundbook",
    )


def _make_assessment_tables() -> None:
    op.create_table(
        "qrels",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("round_id", sa.BigInteger(), nullable=False),
        sa.Column("assessments", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("topics", sa.Integer(), nullable=False),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("relevant", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("files", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("file_sizes", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("file_hashes", postgresql.ARRAY(sa.Text()), nullable=False),
        *_logged("qrels"),
        sa.CheckConstraint(
            "revision = 1 OR coalesce(reason, '') <> ''", name=op.f("qrels_revised_for_a_reason")
        ),
        sa.CheckConstraint("topics >= 1 AND judged >= topics", name=op.f("qrels_size")),
        sa.CheckConstraint("relevant BETWEEN 0 AND judged", name=op.f("qrels_relevant")),
        sa.UniqueConstraint(
            "round_id",
            "assessments",
            "revision",
            name=op.f("qrels_round_id_assessments_revision_key"),
        ),
        schema="roundbook",
    )
    op.create_table(
        "judgment_list",
        sa.Column("qrels_id", sa.BigInteger(), nullable=False),
        sa.Column("topic_id", sa.BigInteger(), nullable=False),
        sa.Column("documents", _INTEGERS, nullable=False),
        sa.Column("grades", _INTEGERS, nullable=False),
        sa.CheckConstraint(
            "array_ndims(documents) = 1 AND array_ndims(grades) = 1"
            " AND cardinality(grades) = cardinality(documents)",
            name=op.f("judgment_list_length"),
        ),
        sa.CheckConstraint("(0 <= ALL (documents)) IS TRUE", name=op.f("judgment_list_documents")),
        sa.CheckConstraint(
            "array_position(grades, NULL) IS NULL", name=op.f("judgment_list_grades")
        ),
        _refers("judgment_list", "qrels_id", "qrels"),
        _refers("judgment_list", "topic_id", "topic"),
        sa.PrimaryKeyConstraint("qrels_id", "topic_id", name=op.f("judgment_list_pk")),
        schema="roundbook",
    )


def downgrade() -> None:
    """Take it back, leaving no trace; of a result that rests on runs only the result stays."""
    _refuse_removing(_HELD_BEFORE)
    op.execute("ALTER TABLE roundbook.result_input DISABLE TRIGGER immutable")
    op.execute("DELETE FROM roundbook.result_input WHERE num_nonnulls(run_upload_id, qrels_id) = 1")
    op.execute("ALTER TABLE roundbook.result_input ENABLE ALWAYS TRIGGER immutable")
    _one_origin(_ORIGINS)
    for column in _NEW_ORIGINS:
        op.drop_column("result_input", column, schema="roundbook")
    for table in _NEW:
        op.drop_table(table, schema="roundbook")
    for name in _FUNCTIONS:
        op.execute(f"DROP FUNCTION roundbook.{name}()")
