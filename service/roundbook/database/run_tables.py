"""The record's tables of what runs retrieved and how documents were assessed.

Documents are numbered within a round, from 0 on, in the order in which they came; names of such
numbers are in ``document_names`` and nowhere else. ``run_list`` and ``judgment_list`` are leaves:
nothing refers to them, so that they can be partitioned or distributed like ``score_vector``.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import ARRAY, REAL

from roundbook.database.table_parts import identity, metadata, now, refers, required

# What ranks below is not kept; trec_eval, as campaigns use it, looks no further.
DEPTH = 1000

_FILES = (
    "cardinality(files) >= 1 AND cardinality(file_sizes) = cardinality(files)"
    " AND cardinality(file_hashes) = cardinality(files)"
)


def _files() -> tuple[Column[Any], ...]:
    """Return columns of the files that something came in: names, bytes and SHA-256 of each."""
    return (
        Column("files", ARRAY(Text), nullable=False),
        Column("file_sizes", ARRAY(BigInteger), nullable=False),
        Column("file_hashes", ARRAY(Text), nullable=False),
    )


# Uploads count within a round. `documents` is how many of the round are numbered after it.
run_upload = Table(
    "run_upload",
    metadata,
    identity(),
    refers("round_id", "round"),
    Column("number", Integer, nullable=False),
    Column("runs", Integer, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("beyond_depth", BigInteger, nullable=False),
    *_files(),
    required("software"),
    now("logged_at"),
    required("logged_by"),
    UniqueConstraint("round_id", "number"),
    CheckConstraint("number >= 1", name="number"),
    CheckConstraint("runs >= 1 AND documents >= 1 AND beyond_depth >= 0", name="size"),
    CheckConstraint(_FILES, name="files"),
)

# The runs of an upload: a run of a round has its lists once, and for good. `topics` are those it
# has lists for, `documents` how many are in these together.
uploaded_run = Table(
    "uploaded_run",
    metadata,
    refers("run_upload_id", "run_upload"),
    refers("run_id", "run"),
    Column("topics", Integer, nullable=False),
    Column("documents", Integer, nullable=False),
    required("content_hash"),
    PrimaryKeyConstraint("run_upload_id", "run_id"),
    UniqueConstraint("run_id"),
    CheckConstraint("topics >= 1 AND documents >= topics", name="size"),
)

# What a run retrieved for a topic: the numbers of the documents in trec_eval's order, the score of
# each. IS TRUE refuses NULL within the arrays too; NaN is greater than infinity.
run_list = Table(
    "run_list",
    metadata,
    Column("run_upload_id", BigInteger, nullable=False),
    Column("run_id", BigInteger, nullable=False),
    refers("topic_id", "topic"),
    Column("documents", ARRAY(Integer, dimensions=1), nullable=False),
    Column("scores", ARRAY(REAL, dimensions=1), nullable=False),
    PrimaryKeyConstraint("run_upload_id", "run_id", "topic_id"),
    ForeignKeyConstraint(
        ["run_upload_id", "run_id"], [uploaded_run.c.run_upload_id, uploaded_run.c.run_id]
    ),
    CheckConstraint(
        "array_ndims(documents) = 1 AND array_ndims(scores) = 1"
        f" AND cardinality(documents) BETWEEN 1 AND {DEPTH}"
        " AND cardinality(scores) = cardinality(documents)",
        name="length",
    ),
    CheckConstraint("(0 <= ALL (documents)) IS TRUE", name="documents"),
    CheckConstraint(
        "('-Infinity' < ALL (scores) AND 'Infinity' > ALL (scores)) IS TRUE", name="finite"
    ),
)

# Names of documents of a round, many a row: those numbered `first`, `first` + 1, ...
document_names = Table(
    "document_names",
    metadata,
    refers("round_id", "round"),
    Column("first", Integer, nullable=False),
    Column("names", ARRAY(Text), nullable=False),
    required("content_hash"),
    PrimaryKeyConstraint("round_id", "first"),
    CheckConstraint("first >= 0", name="first"),
    CheckConstraint("array_ndims(names) = 1 AND array_position(names, NULL) IS NULL", name="names"),
)

# The relevance assessments of a round; a correction is a further revision, as of score matrices.
qrels = Table(
    "qrels",
    metadata,
    identity(),
    refers("round_id", "round"),
    required("assessments"),
    Column("revision", Integer, nullable=False),
    Column("reason", Text),
    Column("topics", Integer, nullable=False),
    Column("judged", Integer, nullable=False),
    Column("relevant", Integer, nullable=False),
    required("content_hash"),
    *_files(),
    required("software"),
    now("logged_at"),
    required("logged_by"),
    UniqueConstraint("round_id", "assessments", "revision"),
    CheckConstraint("revision = 1 OR coalesce(reason, '') <> ''", name="revised_for_a_reason"),
    CheckConstraint("topics >= 1 AND judged >= topics", name="size"),
    CheckConstraint("relevant BETWEEN 0 AND judged", name="relevant"),
    CheckConstraint(_FILES, name="files"),
)

# The judged documents of a topic by number, and the grade of each as it was given.
judgment_list = Table(
    "judgment_list",
    metadata,
    refers("qrels_id", "qrels"),
    refers("topic_id", "topic"),
    Column("documents", ARRAY(Integer, dimensions=1), nullable=False),
    Column("grades", ARRAY(Integer, dimensions=1), nullable=False),
    PrimaryKeyConstraint("qrels_id", "topic_id"),
    CheckConstraint(
        "array_ndims(documents) = 1 AND array_ndims(grades) = 1"
        " AND cardinality(grades) = cardinality(documents)",
        name="length",
    ),
    CheckConstraint("(0 <= ALL (documents)) IS TRUE", name="documents"),
    CheckConstraint("array_position(grades, NULL) IS NULL", name="grades"),
)
