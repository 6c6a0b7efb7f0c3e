"""Variance estimates have versions, and store what their jackknife intervals need."""

from __future__ import annotations

from typing import Any

import numpy as np
import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects import postgresql

from roundbook.statistics.standardisation import scale_scores
from roundbook.statistics.variance.parts import variance_parts

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TABLE = "variance_estimate"
_COLUMNS: dict[str, sa.types.TypeEngine[Any]] = {
    "version": sa.Integer(),
    "clusters": sa.Integer(),
    "runs_part": sa.Double(),
    "two_way_runs_part": sa.Double(),
    "topic_ids": postgresql.ARRAY(sa.BigInteger(), dimensions=1),
    "topic_squares": postgresql.ARRAY(sa.Double(), dimensions=1),
    "two_way_topic_squares": postgresql.ARRAY(sa.Double(), dimensions=1),
}
_KNOWN_OF_ALL = ("version", "clusters", "topic_ids", "topic_squares")

_RUNS_PARTS = "ARRAY[runs_part, two_way_runs_part]"
_SQUARES = (
    "array_position({0}, NULL) IS NULL AND 0 <= ALL ({0}) AND 'Infinity' > ALL ({0})"
    " AND cardinality({0}) = topics"
)
# NaN is greater than infinity, and NULL passes.
_CHECKS = {
    "version": "version >= 1",
    "clusters": "clusters >= 1 AND clusters <= runs",
    "runs_parts": f"0 <= ALL ({_RUNS_PARTS}) AND 'Infinity' > ALL ({_RUNS_PARTS})",
    "topic_ids": "array_position(topic_ids, NULL) IS NULL AND cardinality(topic_ids) = topics",
    "topic_squares": _SQUARES.format("topic_squares"),
    "two_way_topic_squares": _SQUARES.format("two_way_topic_squares"),
}
_ONE_ESTIMATE = "variance_estimate_matrix_id_scale_factor_set_id_key"
_VERSIONS = "variance_estimate_version_key"

# A further version may come later: when teams of a matrix's runs become known. It says of no score
# anything that the version before did not.
_FURTHER_ESTIMATE = """    SELECT max(part.matrix_id) INTO late
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
    IF late IS NOT NULL THEN
        RAISE EXCEPTION
            'a further estimate of matrix % differs from the one before in more than its teams',
            late USING ERRCODE = 'restrict_violation';
    END IF;
"""
_LATE_ESTIMATE = """
CREATE OR REPLACE FUNCTION roundbook.refuse_late_estimate() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    late bigint;
BEGIN
    SELECT max(part.matrix_id) INTO late
    FROM added AS part
    LEFT JOIN roundbook.matrix ON matrix.id = part.matrix_id
    LEFT JOIN roundbook.factor_set ON factor_set.id = part.factor_set_id
    WHERE {first}coalesce(factor_set.xmin, matrix.xmin) IS DISTINCT FROM pg_current_xact_id()::xid;
    IF late IS NOT NULL THEN
        RAISE EXCEPTION 'matrix % has its variance estimates and takes no further one', late
            USING ERRCODE = 'restrict_violation';
    END IF;
{further}    RETURN NULL;
END $$
"""
_PINNED = "ALTER FUNCTION roundbook.refuse_late_estimate() SET search_path = pg_catalog, pg_temp"

_SCORES = sa.text(
    "SELECT scores FROM roundbook.score_vector WHERE matrix_id = :matrix ORDER BY position"
)
_TEAMS = sa.text(
    "SELECT run.team_id FROM roundbook.score_vector JOIN roundbook.run ON run.id = run_id"
    " WHERE matrix_id = :matrix ORDER BY position"
)
_ESTIMATES = sa.text("""
SELECT estimate.id, estimate.scale, factor_set.zero_sd,
       array_agg(matrix_topic.topic_id ORDER BY matrix_topic.position) AS topics,
       array_agg(factor.mean ORDER BY matrix_topic.position) AS means,
       array_agg(factor.sd ORDER BY matrix_topic.position) AS sds
FROM roundbook.variance_estimate AS estimate
JOIN roundbook.matrix_topic ON matrix_topic.matrix_id = estimate.matrix_id
LEFT JOIN roundbook.factor_set ON factor_set.id = estimate.factor_set_id
LEFT JOIN roundbook.factor
    ON factor.factor_set_id = factor_set.id AND factor.topic_id = matrix_topic.topic_id
WHERE estimate.matrix_id = :matrix
GROUP BY estimate.id, factor_set.id
ORDER BY estimate.id
""")
# The two-way residual was not computed before schema 0002.
_FILL_IN = sa.text("""
UPDATE roundbook.variance_estimate SET
    version = 1, clusters = :clusters, topic_ids = :topic_ids, topic_squares = :topic_squares,
    runs_part = :runs_part, two_way_runs_part = :two_way_runs_part,
    two_way_topic_squares = :two_way_topic_squares,
    two_way_sum_of_squares = coalesce(two_way_sum_of_squares, :two_way_sum_of_squares),
    two_way_dof = coalesce(two_way_dof, :two_way_dof)
WHERE id = :id
""")


def upgrade() -> None:
    """Make the change."""
    for name, kind in _COLUMNS.items():
        op.add_column(_TABLE, sa.Column(name, kind), schema="roundbook")
    op.add_column("published_variance", sa.Column("teams", sa.Integer()), schema="roundbook")
    op.create_check_constraint(
        op.f("published_variance_teams"),
        "published_variance",
        "teams >= 1 AND teams <= runs",
        schema="roundbook",
    )
    op.execute("ALTER TABLE roundbook.variance_estimate DISABLE TRIGGER immutable")
    _estimate_stored_matrices()
    op.execute("ALTER TABLE roundbook.variance_estimate ENABLE ALWAYS TRIGGER immutable")
    for name in _KNOWN_OF_ALL:
        op.alter_column(_TABLE, name, nullable=False, schema="roundbook")
    for name, check in _CHECKS.items():
        op.create_check_constraint(op.f(f"{_TABLE}_{name}"), _TABLE, check, schema="roundbook")
    op.drop_constraint(_ONE_ESTIMATE, _TABLE, schema="roundbook", type_="unique")
    op.create_unique_constraint(
        _VERSIONS,
        _TABLE,
        ["matrix_id", "scale", "factor_set_id", "version"],
        schema="roundbook",
        postgresql_nulls_not_distinct=True,
    )
    first = _LATE_ESTIMATE.replace("{first}", "part.version = 1 AND ")
    op.execute(first.replace("{further}", _FURTHER_ESTIMATE))
    op.execute(_PINNED)


def _estimate_stored_matrices() -> None:
    """Compute what every estimate lacks from its matrix's scores, by the factors as stored."""
    connection = op.get_bind()
    progress = context.config.attributes.get("progress", lambda _: None)
    matrices = list(
        connection.execute(
            sa.text("SELECT DISTINCT matrix_id FROM roundbook.variance_estimate ORDER BY 1")
        ).scalars()
    )
    for number, matrix in enumerate(matrices, 1):
        progress(f"Computing the variance parts of matrix {number} of {len(matrices)} ...")
        scores = np.array(connection.execute(_SCORES, {"matrix": matrix}).scalars().all()).T
        teams = connection.execute(_TEAMS, {"matrix": matrix}).scalars().all()
        for row in connection.execute(_ESTIMATES, {"matrix": matrix}).all():
            topics, on_scale = np.array(row.topics), scores
            if row.scale != "raw":
                mean, sd = np.array(row.means), np.array(row.sds)
                kept = sd > 0 if row.zero_sd == "drop" else np.ones(sd.size, dtype=bool)
                topics = topics[kept]
                on_scale = scale_scores(scores[kept], mean[kept], sd[kept], row.scale)
            parts = variance_parts(on_scale, teams)
            one_way, two_way = parts.one_way, parts.two_way
            connection.execute(
                _FILL_IN,
                {
                    "id": row.id,
                    "clusters": parts.clusters,
                    "topic_ids": topics.tolist(),
                    "topic_squares": one_way.by_topic.tolist(),
                    "runs_part": one_way.runs_part,
                    "two_way_runs_part": two_way and two_way.runs_part,
                    "two_way_topic_squares": two_way and two_way.by_topic.tolist(),
                    "two_way_sum_of_squares": two_way and two_way.sum_of_squares,
                    "two_way_dof": two_way and two_way.dof,
                },
            )


def downgrade() -> None:
    """Take it back, leaving no trace."""
    op.execute(_LATE_ESTIMATE.replace("{first}", "").replace("{further}", ""))
    op.execute(_PINNED)
    _keep_first_versions()
    op.drop_constraint(_VERSIONS, _TABLE, schema="roundbook", type_="unique")
    op.create_unique_constraint(
        _ONE_ESTIMATE,
        _TABLE,
        ["matrix_id", "scale", "factor_set_id"],
        schema="roundbook",
        postgresql_nulls_not_distinct=True,
    )
    for name in _CHECKS:
        op.drop_constraint(op.f(f"{_TABLE}_{name}"), _TABLE, schema="roundbook", type_="check")
    op.drop_constraint(
        op.f("published_variance_teams"), "published_variance", schema="roundbook", type_="check"
    )
    op.drop_column("published_variance", "teams", schema="roundbook")
    for name in reversed(_COLUMNS):
        op.drop_column(_TABLE, name, schema="roundbook")


def _keep_first_versions() -> None:
    """Let plans rest on the first version of an estimate, which differs in no variance."""
    guarded = ("plan_estimate", _TABLE)
    for table in guarded:
        op.execute(f"ALTER TABLE roundbook.{table} DISABLE TRIGGER immutable")
    op.execute("""
        UPDATE roundbook.plan_estimate SET variance_estimate_id = first.id
        FROM roundbook.variance_estimate AS later
        JOIN roundbook.variance_estimate AS first
            ON first.matrix_id = later.matrix_id AND first.scale = later.scale
            AND first.factor_set_id IS NOT DISTINCT FROM later.factor_set_id AND first.version = 1
        WHERE variance_estimate_id = later.id AND later.version > 1
    """)
    op.execute("DELETE FROM roundbook.variance_estimate WHERE version > 1")
    for table in guarded:
        op.execute(f"ALTER TABLE roundbook.{table} ENABLE ALWAYS TRIGGER immutable")
