"""Verification of score matrices: hash, factors and variances, computed again from scores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from functools import partial
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import variance_estimate
from roundbook.errors import ImpossibleStatisticError, RecordError
from roundbook.logbook.estimates import (
    STANDARDISED,
    estimate_columns,
    estimates_in_force,
)
from roundbook.logbook.matrices.listing import read_matrices
from roundbook.logbook.session import ReportProgress
from roundbook.logbook.storing import LoadedMatrix, content_hash, load_matrix
from roundbook.logbook.verifying.differences import (
    ROUNDING,
    SAME,
    Difference,
    DifferenceKind,
    differing,
    same,
)
from roundbook.statistics.standardisation import fit_factors, scores_on_scale, usable_topics
from roundbook.statistics.variance.parts import MatrixVariances, ResidualVariance, variance_parts

# Tolerance of a runs' part, which is the difference of two variances far below 1.
_RUNS_PART = 1e-9
# If more than this share of a sum of squares may be rounding, its logarithm means nothing.
_MOST_ROUNDING = 1e-3

_FACTOR_SETS = text("""
SELECT id, version, standardising, runs, zero_sd,
       EXISTS (
           SELECT FROM roundbook.matrix
           WHERE matrix.id = matrix_id AND (matrix.round_id, matrix.measure_id, matrix.assessments)
               = (factor_set.round_id, factor_set.measure_id, factor_set.assessments)
       ) AND (version = 1 OR EXISTS (
           SELECT FROM roundbook.factor_set AS before
           WHERE (before.round_id, before.measure_id, before.assessments, before.version + 1)
               = (factor_set.round_id, factor_set.measure_id, factor_set.assessments,
                  factor_set.version)
       )) AS follows,
       coalesce(factors.means, '{}') AS means, coalesce(factors.sds, '{}') AS sds,
       ARRAY(
           SELECT matrix_run.position
           FROM roundbook.factor_set_run
           JOIN roundbook.matrix_run USING (matrix_id, run_id)
           WHERE factor_set_run.factor_set_id = factor_set.id
       ) AS listed
FROM roundbook.factor_set
CROSS JOIN LATERAL (
    SELECT array_agg(factor.mean ORDER BY matrix_topic.position) AS means,
           array_agg(factor.sd ORDER BY matrix_topic.position) AS sds
    FROM roundbook.matrix_topic
    JOIN roundbook.factor USING (topic_id)
    WHERE matrix_topic.matrix_id = factor_set.matrix_id AND factor.factor_set_id = factor_set.id
) AS factors
WHERE matrix_id = :matrix
ORDER BY id
""")

# The stored parts of a matrix; vectors of the wrong length do not count.
_SIZES = text("""
SELECT topics.number AS topics, runs.number AS runs, vectors.number AS score_vectors
FROM (
    SELECT count(*) AS number FROM roundbook.matrix_topic
    JOIN roundbook.topic ON topic.id = topic_id WHERE matrix_id = :matrix
) AS topics
CROSS JOIN (
    SELECT count(*) AS number FROM roundbook.matrix_run
    JOIN roundbook.run ON run.id = run_id WHERE matrix_id = :matrix
) AS runs
CROSS JOIN LATERAL (
    SELECT count(*) AS number FROM roundbook.score_vector
    WHERE matrix_id = :matrix AND cardinality(scores) = topics.number
) AS vectors
""")

# Runs of another round than their matrix, with that round.
_ELSEWHERE = text("""
SELECT matrix.id, run.tag, elsewhere.label
FROM roundbook.matrix
JOIN roundbook.matrix_run ON matrix_run.matrix_id = matrix.id
JOIN roundbook.run ON run.id = matrix_run.run_id
JOIN roundbook.round AS elsewhere ON elsewhere.id = run.round_id
WHERE matrix.id = ANY (:matrices) AND run.round_id <> matrix.round_id
ORDER BY matrix.id, matrix_run.position
""")


class DerivedMatrix(NamedTuple):
    """A score matrix with its factor sets by id, means and sds in the order of its topics."""

    loaded: LoadedMatrix
    factor_sets: dict[int, Row[Any]]

    def on_scale(
        self, scale: str, factor_set_id: int | None
    ) -> tuple[npt.NDArray[np.float64], list[int]]:
        """Return the (topics, runs) scores on a scale, and the ids of their topics.

        The stored factors are used: if a topic's scores hardly differ, a computed sd is only
        rounding.

        Raises
        ------
        ImpossibleStatisticError
            When the factors are missing, or do not fit the topics.
        """
        scores, topic_ids = self.loaded.scores, self.loaded.topic_ids
        if factor_set_id is not None:
            factors = self.factor_sets.get(factor_set_id)
            if factors is None:
                raise ImpossibleStatisticError("The factors that it is by are missing.")
            mean, sd = np.array(factors.means), np.array(factors.sds)
            if sd.size != topic_ids.size:
                raise ImpossibleStatisticError(
                    f"Factor version {factors.version} has factors of {sd.size} topics, not of"
                    f" {topic_ids.size}.",
                    version=factors.version,
                    topics=topic_ids.size,
                )
            scores = scores_on_scale(scores, mean, sd, scale, factors.zero_sd)
            topic_ids = topic_ids[usable_topics(sd, factors.zero_sd)]
        return scores, topic_ids.tolist()


def load_derived(connection: Connection, row: Row[Any]) -> DerivedMatrix:
    """Return a matrix, given as a row of `read_matrices`, with its scores and factors."""
    sets = connection.execute(_FACTOR_SETS, {"matrix": row.id})
    return DerivedMatrix(load_matrix(connection, row), {factors.id: factors for factors in sets})


def matrix_differences(
    connection: Connection, matrices: Sequence[int], progress: ReportProgress
) -> Iterator[Difference]:
    """Compute everything derived from matrices again, and yield the differences."""
    rows = read_matrices(connection, matrices)
    for missing in sorted({*matrices} - {row.id for row in rows}):
        yield Difference(kind="content-hash", table="matrix", what="references", matrix=missing)
    elsewhere = defaultdict(list)
    for matrix_id, tag, label in connection.execute(_ELSEWHERE, {"matrices": list(matrices)}):
        elsewhere[matrix_id].append((tag, label))
    for number, row in enumerate(rows, 1):
        progress(f"Verifying matrix {number} of {len(matrices)} ...")
        for tag, label in elsewhere[row.id]:
            facts = {"run": tag, "recorded": label, "computed": row.round}
            yield of_matrix(row, "content-hash", "run", "round", **facts)
        try:
            derived = load_derived(connection, row)
        except RecordError:
            sizes = connection.execute(_SIZES, {"matrix": row.id}).one()
            logged = {"topics": row.topics, "runs": row.runs, "score_vectors": row.runs}
            figures = [(name, size, getattr(sizes, name)) for name, size in logged.items()]
            for facts in differing(figures):
                yield of_matrix(row, "content-hash", "matrix", **facts)
            continue
        loaded = derived.loaded
        digest = content_hash(loaded.topics, loaded.runs, loaded.scores)
        if digest != row.content_hash:
            yield of_matrix(
                row, "content-hash", "matrix", "content_hash",
                recorded=row.content_hash, computed=digest,
            )  # fmt: skip
        if row.runs > 1 and not derived.factor_sets:
            yield of_matrix(row, "factors", "factor_set", "factor_sets", runs=row.runs)
        for factors in derived.factor_sets.values():
            yield from _factor_differences(loaded, factors)
        yield from _variance_differences(connection, derived)


def of_matrix(
    row: Row[Any],
    kind: DifferenceKind,
    table: str,
    what: str,
    **facts: Any,  # noqa: ANN401
) -> Difference:
    """Return a difference in a matrix, given as a row of `read_matrices`."""
    names = {
        name: getattr(row, name) for name in ("task", "round", "measure", "assessments", "revision")
    }
    return Difference(kind=kind, table=table, what=what, matrix=row.id, **names, **facts)


def _factor_differences(loaded: LoadedMatrix, factors: Row[Any]) -> Iterator[Difference]:
    differs = partial(of_matrix, loaded.row, "factors", factor_version=factors.version)
    topics, runs = loaded.scores.shape
    if not factors.follows:
        yield differs("factor_set", "version")
    if len(factors.means) != topics:
        yield differs("factor", "topics_with_factors", recorded=len(factors.means), computed=topics)
        return
    mask = np.full(runs, factors.standardising == "all")
    mask[factors.listed] = True
    listed = runs if factors.standardising == "all" and not factors.listed else len(factors.listed)
    if listed != factors.runs:
        yield differs("factor_set", "standardising_runs", recorded=factors.runs, computed=listed)
        return
    try:
        fitted = fit_factors(loaded.scores, mask)
    except ImpossibleStatisticError as error:
        yield differs("factor", "factors", reason=error)
        return
    standardising = loaded.scores[:, mask]
    noise = ROUNDING * np.abs(standardising).max(axis=1)
    # An sd of exactly 0 marks a tie of all standardising runs. Factors of earlier versions may have
    # an sd of mere rounding there, for scores equal but for rounding.
    equal = (standardising == standardising[:, :1]).all(axis=1)
    mean, sd = np.array(factors.means), np.array(factors.sds)
    tied_otherwise = np.where(sd == 0, fitted.sd > 0, equal & (sd > 0))
    for name, recorded, computed, wrong in (
        ("mean", mean, fitted.mean, np.zeros(topics, dtype=bool)),
        ("sd", sd, fitted.sd, tied_otherwise),
    ):
        for index in np.flatnonzero(_differ(recorded, computed, noise) | wrong):
            yield differs(
                "factor", name, topic=loaded.topics[index], runs=factors.runs,
                recorded=recorded[index].item(), computed=computed[index].item(),
            )  # fmt: skip


def _differ(
    recorded: npt.NDArray[np.float64],
    computed: npt.NDArray[np.float64],
    noise: Any,  # noqa: ANN401
) -> npt.NDArray[np.bool_]:
    """Return the mask of recorded values that differ from the computed ones beyond rounding."""
    largest = np.maximum(np.abs(recorded), np.abs(computed))
    return np.asarray(np.abs(recorded - computed) > np.maximum(SAME * largest, noise))


def _variance_differences(connection: Connection, derived: DerivedMatrix) -> Iterator[Difference]:
    row, team_ids = derived.loaded.row, derived.loaded.team_ids
    estimates = connection.execute(
        select(variance_estimate)
        .where(variance_estimate.c.matrix_id == row.id)
        .order_by(variance_estimate.c.id)
    ).all()
    last = {(estimate.scale, estimate.factor_set_id): estimate.id for estimate in estimates}
    yield from _missing_estimates(derived, last)
    versions: Counter[tuple[str, int | None]] = Counter()
    for estimate in estimates:
        key = estimate.scale, estimate.factor_set_id
        versions[key] += 1
        fitted = derived.factor_sets.get(estimate.factor_set_id)
        in_force = (
            row.revision == row.newest
            and estimate.id == last[key]
            and estimate.factor_set_id in (None, max(derived.factor_sets, default=None))
        )
        differs = partial(
            of_matrix,
            row,
            table="variance_estimate",
            scale=estimate.scale,
            factor_version=None if fitted is None else fitted.version,
        )
        try:
            scores, topic_ids = derived.on_scale(*key)
            parts = variance_parts(scores, team_ids)
        except ImpossibleStatisticError as error:
            yield differs(kind="variance", what="variance", reason=error)
            continue
        # The part of a sum of squares that may be rounding: squares of the scores' last digits.
        noise = scores.size * (ROUNDING * float(np.abs(scores).max())) ** 2
        for kind, column, computed, rounding in (
            ("variance", "version", versions[key], 0.0),
            *_computed(estimate, parts, scores, noise, in_force=in_force),
        ):
            recorded = getattr(estimate, column)
            if not same(recorded, computed, rounding):
                yield differs(kind=kind, what=column, recorded=recorded, computed=computed)
        if estimate.topic_ids != topic_ids:
            yield differs(kind="variance-parts", what="topic_ids")
            continue
        names = dict(zip(derived.loaded.topic_ids.tolist(), derived.loaded.topics, strict=True))
        for column, part in (
            ("topic_squares", parts.one_way),
            ("two_way_topic_squares", parts.two_way),
        ):
            squares = getattr(estimate, column)
            if (squares is None) != (part is None):
                yield differs(kind="variance-parts", what=column)
            elif part is not None:
                recorded = np.array(squares)
                for index in np.flatnonzero(_differ(recorded, part.by_topic, noise)):
                    yield differs(
                        kind="variance-parts",
                        what=column,
                        topic=names[topic_ids[index]],
                        recorded=recorded[index].item(),
                        computed=part.by_topic[index].item(),
                    )


def _missing_estimates(
    derived: DerivedMatrix, stored: Container[tuple[str, int | None]]
) -> Iterator[Difference]:
    """Yield the estimates that logging and fitting should have stored, and that are missing."""
    expected: list[tuple[str, int | None, int | None]] = [("raw", None, None)]
    for factors in derived.factor_sets.values():
        if usable_topics(np.array(factors.sds), factors.zero_sd).sum() > 1:
            expected += [(scale, factors.id, factors.version) for scale in STANDARDISED]
    for scale, factor_set_id, version in expected:
        if (scale, factor_set_id) not in stored:
            yield of_matrix(
                derived.loaded.row, "variance", "variance_estimate", "estimates",
                scale=scale, factor_version=version,
            )  # fmt: skip


def _computed(
    row: Row[Any],
    parts: MatrixVariances,
    scores: npt.NDArray[np.float64],
    noise: float,
    *,
    in_force: bool,
) -> Iterator[tuple[DifferenceKind, str, float | None, float]]:
    """Yield the values that columns of an estimate must hold, each within its rounding."""
    columns = estimate_columns(parts)
    for column in ("topics", "runs", "dof", "two_way_dof"):
        yield "variance", column, columns[column], 0.0
    for column in ("sum_of_squares", "two_way_sum_of_squares"):
        yield "variance", column, columns[column], noise
    # By the stored sum of squares, whose rounding may differ.
    yield "variance", "variance", row.sum_of_squares / row.dof, 0.0
    # An estimate with more clusters than the runs form today, or not in force, was computed when
    # fewer teams were known: with none, or with some, and it is not recorded with which.
    if row.clusters == parts.runs:
        if parts.clusters < parts.runs:
            columns = estimate_columns(variance_parts(scores))
    elif row.clusters > parts.clusters or not in_force:
        return
    yield "variance-parts", "clusters", columns["clusters"], 0.0
    for column, part in (("runs_part", parts.one_way), ("two_way_runs_part", parts.two_way)):
        rounding = _share_of_rounding(part, noise)
        if rounding < _MOST_ROUNDING:
            yield "variance-parts", column, columns[column], _RUNS_PART + 10 * rounding


def _share_of_rounding(part: ResidualVariance | None, noise: float) -> float:
    """Return the share of a residual that may be rounding; 0 without a residual."""
    if part is None or noise == 0:
        return 0.0
    return sqrt(noise / part.sum_of_squares) if part.sum_of_squares > 0 else 1.0


def team_differences(connection: Connection, rounds: Sequence[int]) -> Iterator[Difference]:
    """Yield the estimates in force with more clusters than their runs form by today's teams."""
    for estimate in estimates_in_force(connection, rounds, outdated=True):
        (row,) = read_matrices(connection, [estimate.matrix_id])
        values = {"recorded": estimate.clusters, "computed": estimate.clusters_today}
        of_scale = {"scale": estimate.scale, **values}
        yield of_matrix(row, "variance-parts", "variance_estimate", "latest_clusters", **of_scale)
