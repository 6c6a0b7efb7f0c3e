"""The record's tables of ranked lists and relevance assessments.

Documents are numbered from 0 within a round, in order of arrival; their names are stored in
``document_names`` only. No table refers to ``run_list`` and ``judgment_list``, so that they can be
partitioned or distributed like ``score_vector``.
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

from roundbook.database.table_parts import identity, metadata, recorded, refers, required, revised
from roundbook.limits import LIST_DEPTH

_FILES = (
    "cardinality(files) >= 1 AND cardinality(file_sizes) = cardinality(files)"
    " AND cardinality(file_hashes) = cardinality(files)"
)


def _files() -> tuple[Column[Any], ...]:
    """Return the columns of uploaded files: the name, size and SHA-256 of each."""
    return (
        Column("files", ARRAY(Text), nullable=False),
        Column("file_sizes", ARRAY(BigInteger), nullable=False),
        Column("file_hashes", ARRAY(Text), nullable=False),
    )


# Uploads are numbered within a round; `documents` is how many the round has after the upload.
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
    *recorded("logged"),
    UniqueConstraint("round_id", "number"),
    CheckConstraint("number >= 1", name="number"),
    CheckConstraint("runs >= 1 AND documents >= 1 AND beyond_depth >= 0", name="size"),
    CheckConstraint(_FILES, name="files"),
)

# The runs of an upload: a run's lists are stored once and never changed. `topics` is how many
# topics it has lists for, `documents` how many documents these hold together.
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

# The ranked list of a run for a topic: document numbers in trec_eval's order, and their scores.
# IS TRUE refuses NULL within the arrays too; NaN is greater than infinity.
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
        f" AND cardinality(documents) BETWEEN 1 AND {LIST_DEPTH}"
        " AND cardinality(scores) = cardinality(documents)",
        name="length",
    ),
    CheckConstraint("(0 <= ALL (documents)) IS TRUE", name="documents"),
    CheckConstraint(
        "('-Infinity' < ALL (scores) AND 'Infinity' > ALL (scores)) IS TRUE", name="finite"
    ),
)

# Document names of a round, many to a row: those with the numbers `first`, `first` + 1, ...
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
    *revised(),
    Column("topics", Integer, nullable=False),
    Column("judged", Integer, nullable=False),
    Column("relevant", Integer, nullable=False),
    required("content_hash"),
    *_files(),
    *recorded("logged"),
    UniqueConstraint("round_id", "assessments", "revision"),
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
