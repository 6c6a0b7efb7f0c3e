"""The record's tables, in the PostgreSQL schema ``roundbook``.

The migrations create the schema; this module describes it to queries, and ``alembic check``
compares the two. Rows are only inserted: the database refuses DELETE and TRUNCATE, and UPDATE of
any column but those that become known of a task, round or run later. Tasks and rounds without
scores, and other ids of topics, may be removed.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from roundbook.database import table_parts, token_tables
from roundbook.database.run_tables import qrels, run_upload
from roundbook.database.table_parts import identity, now, recorded, refers, required, revised

SCHEMA, metadata = table_parts.SCHEMA, table_parts.metadata
TOKEN_TABLES = token_tables.TOKEN_TABLES

task = Table(
    "task",
    metadata,
    identity(),
    required("name"),
    Column("title", Text),
    now("created_at"),
    UniqueConstraint("name"),
    CheckConstraint("name <> ''", name="named"),
)

round_ = Table(
    "round",
    metadata,
    identity(),
    refers("task_id", "task"),
    Column("ordinal", Integer, nullable=False),
    required("label"),
    Column("held", Date),
    Column("collection", Text),
    Column("status", Text, nullable=False, server_default="draft"),
    # The secret key that orders the pseudonyms of the teams while the round is a draft.
    Column("pseudonym_key", Uuid, nullable=False, server_default=func.gen_random_uuid()),
    now("created_at"),
    UniqueConstraint("task_id", "label"),
    UniqueConstraint("task_id", "ordinal"),
    CheckConstraint("label <> ''", name="labelled"),
    CheckConstraint("status IN ('draft', 'published')", name="status"),
    CheckConstraint("held BETWEEN '0001-01-01' AND '9999-12-31'", name="held"),
)

# A topic keeps its identity across rounds: drift is measured on the topics that rounds share.
topic = Table(
    "topic",
    metadata,
    identity(),
    refers("task_id", "task"),
    required("name"),
    UniqueConstraint("task_id", "name"),
    UniqueConstraint("id", "task_id"),
    Index(
        "topic_unnormalised_index", "task_id", postgresql_where=text("name IS NOT NFC NORMALIZED")
    ),
)

# Another id under which a topic returned. Scores keep the ids of their files; wherever topics of
# two rounds are compared, this id stands for the topic.
topic_alias = Table(
    "topic_alias",
    metadata,
    refers("task_id", "task"),
    required("name"),
    Column("topic_id", BigInteger, nullable=False),
    *recorded("recorded"),
    PrimaryKeyConstraint("task_id", "name"),
    ForeignKeyConstraint(["topic_id", "task_id"], [topic.c.id, topic.c.task_id]),
    CheckConstraint("name <> ''", name="named"),
)

# Names that differ in capitals only are one team, shown in the spelling recorded first.
team = Table(
    "team",
    metadata,
    identity(),
    required("name"),
    Index("team_name_folded_key", func.lower(text("name")), unique=True),
)

# The same tag in two rounds does not mean the same system; `system` links recurring systems.
run = Table(
    "run",
    metadata,
    identity(),
    refers("round_id", "round"),
    required("tag"),
    refers("team_id", "team", nullable=True),
    Column("type", Text),
    Column("contributed_to_pool", Boolean),
    Column("system", Text),
    UniqueConstraint("round_id", "tag"),
)

# A measure is a family with cutoff and parameters; estimates of two measures are never pooled. It
# is also found by its spellings, the names of measures that were merged into it.
measure = Table(
    "measure",
    metadata,
    identity(),
    required("name"),
    required("family"),
    Column("cutoff", Integer),
    Column("parameters", JSONB, nullable=False, server_default="{}"),
    Column("lower_bound", Double),
    Column("upper_bound", Double),
    Column("spellings", ARRAY(Text), nullable=False, server_default="{}"),
    Index("measure_name_folded_key", func.lower(text("name")), unique=True),
    CheckConstraint("cutoff > 0", name="cutoff"),
    CheckConstraint("lower_bound < upper_bound", name="bounds"),
    CheckConstraint("lower_bound > '-Infinity' AND upper_bound < 'Infinity'", name="finite_bounds"),
)

matrix = Table(
    "matrix",
    metadata,
    identity(),
    refers("round_id", "round"),
    refers("measure_id", "measure"),
    required("assessments"),
    *revised(),
    Column("topics", Integer, nullable=False),
    Column("runs", Integer, nullable=False),
    required("content_hash"),
    required("missing_policy"),
    Column("missing_cells", Integer, nullable=False),
    Column("dropped_topics", ARRAY(Text), nullable=False),
    Column("files", ARRAY(Text), nullable=False),
    required("layout"),
    Column("tool", Text),
    *recorded("logged"),
    UniqueConstraint("round_id", "measure_id", "assessments", "revision"),
    UniqueConstraint("id", "topics"),
    UniqueConstraint("id", "runs"),
    UniqueConstraint("id", "topics", "runs"),
    UniqueConstraint("id", "round_id", "measure_id", "assessments"),
    CheckConstraint("topics >= 2 AND runs >= 1", name="size"),
    CheckConstraint("missing_policy IN ('reject', 'zero', 'drop-topic')", name="missing_policy"),
)

matrix_topic = Table(
    "matrix_topic",
    metadata,
    Column("matrix_id", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    refers("topic_id", "topic"),
    Column("topics", Integer, nullable=False),
    PrimaryKeyConstraint("matrix_id", "position"),
    UniqueConstraint("matrix_id", "topic_id"),
    ForeignKeyConstraint(["matrix_id", "topics"], [matrix.c.id, matrix.c.topics]),
    CheckConstraint("position >= 0 AND position < topics", name="position"),
)

matrix_run = Table(
    "matrix_run",
    metadata,
    Column("matrix_id", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    refers("run_id", "run"),
    Column("runs", Integer, nullable=False),
    PrimaryKeyConstraint("matrix_id", "position"),
    UniqueConstraint("matrix_id", "run_id"),
    ForeignKeyConstraint(["matrix_id", "runs"], [matrix.c.id, matrix.c.runs]),
    CheckConstraint("position >= 0 AND position < runs", name="position"),
)

# The scores of the run at a position of matrix_run, in the order of matrix_topic. No table refers
# to it and queries join it by matrix only, so that it can be partitioned or distributed by matrix.
# The composite key includes the matrix's size, so that the database can check the number of
# vectors and the length of each.
score_vector = Table(
    "score_vector",
    metadata,
    Column("matrix_id", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    Column("topics", Integer, nullable=False),
    Column("runs", Integer, nullable=False),
    Column("scores", ARRAY(Double, dimensions=1), nullable=False),
    PrimaryKeyConstraint("matrix_id", "position"),
    ForeignKeyConstraint(
        ["matrix_id", "topics", "runs"], [matrix.c.id, matrix.c.topics, matrix.c.runs]
    ),
    CheckConstraint("position >= 0 AND position < runs", name="position"),
    CheckConstraint("array_ndims(scores) = 1 AND cardinality(scores) = topics", name="length"),
    CheckConstraint(
        "array_position(scores, NULL) IS NULL AND 'NaN' <> ALL (scores)"
        " AND 'Infinity' <> ALL (scores) AND '-Infinity' <> ALL (scores)",
        name="finite",
    ),
)

# Versions are numbered within round, measure and assessments, across revisions of the matrix.
factor_set = Table(
    "factor_set",
    metadata,
    identity(),
    Column("matrix_id", BigInteger, nullable=False),
    Column("round_id", BigInteger, nullable=False),
    Column("measure_id", BigInteger, nullable=False),
    required("assessments"),
    Column("version", Integer, nullable=False),
    required("standardising"),
    Column("runs", Integer, nullable=False),
    required("zero_sd"),
    Column("reason", Text),
    *recorded("fitted"),
    UniqueConstraint("round_id", "measure_id", "assessments", "version"),
    UniqueConstraint("id", "matrix_id"),
    ForeignKeyConstraint(
        ["matrix_id", "round_id", "measure_id", "assessments"],
        [matrix.c.id, matrix.c.round_id, matrix.c.measure_id, matrix.c.assessments],
    ),
    CheckConstraint("version >= 1", name="version"),
    CheckConstraint("runs >= 2", name="runs"),
    CheckConstraint("standardising IN ('all', 'pooled', 'chosen')", name="standardising"),
    CheckConstraint("zero_sd IN ('average', 'drop')", name="zero_sd"),
)

# The standardising runs, listed only where they are not all runs of the matrix.
factor_set_run = Table(
    "factor_set_run",
    metadata,
    Column("factor_set_id", BigInteger, nullable=False),
    Column("matrix_id", BigInteger, nullable=False),
    Column("run_id", BigInteger, nullable=False),
    PrimaryKeyConstraint("factor_set_id", "run_id"),
    ForeignKeyConstraint(["factor_set_id", "matrix_id"], [factor_set.c.id, factor_set.c.matrix_id]),
    ForeignKeyConstraint(["matrix_id", "run_id"], [matrix_run.c.matrix_id, matrix_run.c.run_id]),
)

factor = Table(
    "factor",
    metadata,
    Column("factor_set_id", BigInteger, nullable=False),
    Column("topic_id", BigInteger, nullable=False),
    Column("matrix_id", BigInteger, nullable=False),
    Column("mean", Double, nullable=False),
    Column("sd", Double, nullable=False),
    PrimaryKeyConstraint("factor_set_id", "topic_id"),
    ForeignKeyConstraint(["factor_set_id", "matrix_id"], [factor_set.c.id, factor_set.c.matrix_id]),
    ForeignKeyConstraint(
        ["matrix_id", "topic_id"], [matrix_topic.c.matrix_id, matrix_topic.c.topic_id]
    ),
    CheckConstraint("sd >= 0 AND sd < 'Infinity'", name="sd"),
    CheckConstraint("mean > '-Infinity' AND mean < 'Infinity'", name="mean"),
)

_SCALES = "scale IN ('raw', 'std', 'std-cdf', 'std-ab')"
# NaN is greater than infinity, and NULL passes.
_FINITE = "0 <= ALL (ARRAY[{0}]) AND 'Infinity' > ALL (ARRAY[{0}])"
_TOPIC_SQUARES = (
    "array_position({0}, NULL) IS NULL AND 0 <= ALL ({0}) AND 'Infinity' > ALL ({0})"
    " AND cardinality({0}) = topics"
)

# An estimate has versions: when the teams of its runs become known, `runs_part` is estimated anew.
# The vectors by topic are in the order of `topic_ids`; with `runs_part` they give every interval
# without reading scores. The columns chi_square_low to bootstrap_seed were filled until schema
# 0004 and are no longer read.
variance_estimate = Table(
    "variance_estimate",
    metadata,
    identity(),
    refers("matrix_id", "matrix"),
    Column("factor_set_id", BigInteger),
    required("scale"),
    Column("topics", Integer, nullable=False),
    Column("runs", Integer, nullable=False),
    Column("sum_of_squares", Double, nullable=False),
    Column("dof", BigInteger, nullable=False),
    Column("variance", Double, nullable=False),
    Column("two_way_sum_of_squares", Double),
    Column("two_way_dof", BigInteger),
    Column("chi_square_low", Double),
    Column("chi_square_high", Double),
    Column("bootstrap_low", Double),
    Column("bootstrap_high", Double),
    Column("level", Double),
    Column("bootstrap_resamples", Integer),
    Column("bootstrap_seed", BigInteger),
    required("software"),
    now("estimated_at"),
    Column("version", Integer, nullable=False),
    Column("clusters", Integer, nullable=False),
    Column("runs_part", Double),
    Column("two_way_runs_part", Double),
    Column("topic_ids", ARRAY(BigInteger, dimensions=1), nullable=False),
    Column("topic_squares", ARRAY(Double, dimensions=1), nullable=False),
    Column("two_way_topic_squares", ARRAY(Double, dimensions=1)),
    UniqueConstraint(
        "matrix_id",
        "scale",
        "factor_set_id",
        "version",
        name="variance_estimate_version_key",
        postgresql_nulls_not_distinct=True,
    ),
    ForeignKeyConstraint(["factor_set_id", "matrix_id"], [factor_set.c.id, factor_set.c.matrix_id]),
    CheckConstraint(_SCALES, name="scale"),
    CheckConstraint("(scale = 'raw') = (factor_set_id IS NULL)", name="standardised_by_factors"),
    CheckConstraint("dof > 0 AND variance >= 0 AND variance < 'Infinity'", name="estimate"),
    CheckConstraint(_FINITE.format("sum_of_squares, two_way_sum_of_squares"), name="squares"),
    CheckConstraint(
        _FINITE.format("chi_square_low, chi_square_high, bootstrap_low, bootstrap_high"),
        name="limits",
    ),
    CheckConstraint("level > 0 AND level < 1", name="level"),
    CheckConstraint("version >= 1", name="version"),
    CheckConstraint("clusters >= 1 AND clusters <= runs", name="clusters"),
    CheckConstraint(_FINITE.format("runs_part, two_way_runs_part"), name="runs_parts"),
    CheckConstraint(
        "array_position(topic_ids, NULL) IS NULL AND cardinality(topic_ids) = topics",
        name="topic_ids",
    ),
    CheckConstraint(_TOPIC_SQUARES.format("topic_squares"), name="topic_squares"),
    CheckConstraint(_TOPIC_SQUARES.format("two_way_topic_squares"), name="two_way_topic_squares"),
)

# Variances published without their matrix: most of a campaign's history is in papers only. dof is
# runs * (topics - 1), as for a matrix.
published_variance = Table(
    "published_variance",
    metadata,
    identity(),
    refers("round_id", "round"),
    refers("measure_id", "measure"),
    required("assessments"),
    required("scale"),
    *revised(),
    Column("topics", Integer, nullable=False),
    Column("runs", Integer, nullable=False),
    Column("variance", Double, nullable=False),
    required("source"),
    *recorded("recorded"),
    Column("teams", Integer),
    UniqueConstraint(
        "round_id",
        "measure_id",
        "assessments",
        "scale",
        "revision",
        name="published_variance_revision_key",
    ),
    CheckConstraint(_SCALES, name="scale"),
    CheckConstraint("topics >= 2 AND runs >= 1", name="size"),
    CheckConstraint("teams >= 1 AND teams <= runs", name="teams"),
    CheckConstraint("variance > 0 AND variance < 'Infinity'", name="variance"),
    CheckConstraint("source <> ''", name="source"),
)

# Saved results: plans, drift reports, studies. A result is renewed by running its request again.
result = Table(
    "result",
    metadata,
    identity(),
    refers("task_id", "task", nullable=True),
    required("kind"),
    required("name"),
    Column("version", Integer, nullable=False),
    Column("request", JSONB, nullable=False),
    Column("result", JSONB, nullable=False),
    Column("note", Text),
    *recorded("saved"),
    UniqueConstraint("kind", "name", "version"),
    CheckConstraint("kind <> '' AND name <> ''", name="named"),
    CheckConstraint("jsonb_typeof(result) = 'object'", name="result"),
    CheckConstraint("jsonb_typeof(request) = 'object'", name="request"),
)

# The inputs of a result, a row for each, with what was known of its runs and round at the time.
result_input = Table(
    "result_input",
    metadata,
    refers("result_id", "result"),
    Column("position", Integer, nullable=False),
    refers("variance_estimate_id", "variance_estimate", nullable=True),
    refers("published_variance_id", "published_variance", nullable=True),
    refers("factor_set_id", "factor_set", nullable=True),
    refers("matrix_id", "matrix", nullable=True),
    Column("known", JSONB, nullable=False, server_default="{}"),
    Column("run_upload_id", BigInteger, ForeignKey(run_upload.c.id)),
    Column("qrels_id", BigInteger, ForeignKey(qrels.c.id)),
    PrimaryKeyConstraint("result_id", "position"),
    CheckConstraint(
        "num_nonnulls(variance_estimate_id, published_variance_id, factor_set_id, matrix_id,"
        " run_upload_id, qrels_id) = 1",
        name="one_origin",
    ),
    CheckConstraint("jsonb_typeof(known) = 'object'", name="known"),
)

# Withdrawals and restorations of matrices; the last row of a matrix is in force.
withdrawal = Table(
    "withdrawal",
    metadata,
    refers("matrix_id", "matrix"),
    Column("number", Integer, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    required("reason"),
    *recorded("decided"),
    PrimaryKeyConstraint("matrix_id", "number"),
    # They alternate, beginning with a withdrawal.
    CheckConstraint("number >= 1 AND withdrawn = (number % 2 = 1)", name="in_turn"),
    CheckConstraint("reason <> ''", name="reason"),
)

# Who did what, when and why. Null is unknown, for what was recorded before events were kept.
event = Table(
    "event",
    metadata,
    identity(),
    now("at", func.clock_timestamp()),
    Column("who", Text),
    required("what"),
    refers("task_id", "task", nullable=True),
    refers("round_id", "round", nullable=True),
    refers("matrix_id", "matrix", nullable=True),
    Column("why", Text),
    Column("details", JSONB, nullable=False, server_default="{}"),
    required("software"),
    # The database's own user name, filled in by the database whatever name was claimed.
    Column("database_user", Text, server_default=text("SESSION_USER")),
    Index("event_task_id_index", "task_id"),
    Index("event_matrix_id_index", "matrix_id"),
    CheckConstraint("what <> ''", name="what"),
)

# The record's views, described for queries; the migrations create them.
views = MetaData(schema=SCHEMA)

# The matrices withdrawn at present, with the reasons.
withdrawn = Table(
    "withdrawn",
    views,
    Column("matrix_id", BigInteger),
    Column("number", Integer),
    Column("reason", Text),
    Column("decided_at", DateTime(timezone=True)),
    Column("decided_by", Text),
)

# The current matrices: the latest revision of each, unless it is withdrawn.
current_matrix = Table(
    "current_matrix",
    views,
    Column("id", BigInteger),
    Column("round_id", BigInteger),
    Column("measure_id", BigInteger),
    Column("assessments", Text),
    Column("revision", Integer),
)
