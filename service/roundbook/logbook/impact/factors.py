"""The factor versions and variance estimates that rest on a score matrix."""

from __future__ import annotations

import shlex
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, text

from roundbook.logbook.factor_standing import FactorStanding, scores_why
from roundbook.logbook.impact.dependents import Dependent
from roundbook.logbook.lookup import Series, factor_sets


class _Succession(NamedTuple):
    """What takes the place of a matrix's factors, in words, or the command that fits it."""

    said: str | None
    renew: str | None


def factor_dependents(
    connection: Connection, matrix: Row[Any], newest: Row[Any]
) -> list[Dependent]:
    """Return the factor versions fitted to a matrix, then the estimates of its variance.

    Parameters
    ----------
    matrix : row of `roundbook.logbook.lookup.find_matrix`
    newest : row of `roundbook.logbook.lookup.latest_matrix`
        The latest revision of the same scores.
    """
    series = Series(
        matrix.round_id, matrix.measure_id, matrix.assessments, matrix.round, matrix.measure
    )
    sets = factor_sets(connection, series)
    own = [each for each in sets if each.matrix_id == matrix.id]
    latest = [each for each in sets if each.matrix_id == newest.id][-1:]
    followed = _Succession(None, None)
    if own and latest and matrix.id != newest.id and newest.withdrawn is None:
        followed = _succession(connection, matrix, own[-1], newest, latest[0])
    found, judged = [], {}
    for each in own:
        standing = FactorStanding(
            each.id,
            matrix.round,
            each.version,
            matrix.id,
            matrix.revision,
            newest.id,
            newest.revision,
            newest.withdrawn,
            latest[0].version if latest else None,
        )
        why = standing.why()
        judged[each.id] = (why and "; ".join(filter(None, (why, followed.said))), followed.renew)
        found.append(
            Dependent(
                kind="factor version",
                name=f"factor version {each.version}",
                where=f"round '{matrix.round}'",
                saved_at=each.fitted_at,
                saved_by=each.fitted_by,
                stale=why is not None,
                why=judged[each.id][0],
                renew=followed.renew,
            )
        )
    return found + _estimates(connection, matrix, newest, judged)


def _succession(
    connection: Connection, matrix: Row[Any], last: Row[Any], newest: Row[Any], latest: Row[Any]
) -> _Succession:
    by_logging = last.fitted_at == matrix.logged_at
    # Whoever fitted factors to the newest scores has decided which runs standardise there.
    decided = latest.fitted_at != newest.logged_at
    alike = last.standardising != "chosen" and (last.standardising, last.zero_sd) == (
        latest.standardising,
        latest.zero_sd,
    )
    if by_logging or decided or alike:
        return _Succession(f"factor version {latest.version} takes its place", None)
    runs = [last.standardising]
    if last.standardising == "chosen":
        listed = connection.execute(
            text(_STANDARDISING), {"factor_set": last.id, "newest": newest.id}
        ).all()
        gone = [row.tag for row in listed if not row.there]
        if gone:
            return _Succession(
                f"its standardising run '{gone[0]}' is not in revision {newest.revision}; factor"
                f" version {latest.version} takes its place",
                None,
            )
        runs = [row.tag for row in listed]
    words = ["roundbook", "factors", "fit", matrix.task, matrix.round, "--measure", matrix.measure]
    words += ["--assessments", matrix.assessments]
    for tag in runs:
        words += ["--runs", tag]
    words += ["--zero-sd", last.zero_sd] if last.zero_sd != "average" else []
    reason = f"the runs of factor version {last.version}, on revision {newest.revision}"
    return _Succession(None, shlex.join([*words, "--reason", reason]))


_STANDARDISING = """
SELECT run.tag, EXISTS (
    SELECT FROM roundbook.matrix_run AS later
    WHERE later.matrix_id = :newest AND later.run_id = run.id
) AS there
FROM roundbook.factor_set_run
JOIN roundbook.run ON run.id = factor_set_run.run_id
JOIN roundbook.matrix_run
    ON (matrix_run.matrix_id, matrix_run.run_id) = (factor_set_run.matrix_id, run.id)
WHERE factor_set_run.factor_set_id = :factor_set
ORDER BY matrix_run.position
"""


def _estimates(
    connection: Connection,
    matrix: Row[Any],
    newest: Row[Any],
    judged: dict[int, tuple[str | None, str | None]],
) -> list[Dependent]:
    """Return the variance estimates: a raw one stands with the scores, others with the factors.

    Parameters
    ----------
    judged : dict from factor set to (why, renew)
    """
    scores = scores_why(matrix.revision, newest.id, newest.revision, newest.withdrawn)
    if matrix.id != newest.id and newest.withdrawn is None:
        scores = f"{scores}; that of revision {newest.revision} takes its place"
    found = []
    for row in connection.execute(text(_ESTIMATES), {"matrix": matrix.id}):
        why, renew = (scores, None) if row.version is None else judged[row.factor_set_id]
        by = "" if row.version is None else f" by factor version {row.version}"
        if why is None and row.estimate_version < row.latest_version:
            why = f"teams became known since; estimate {row.latest_version} takes its place"
        if row.latest_version > 1:
            by += f", estimate {row.estimate_version}"
        found.append(
            Dependent(
                kind="variance estimate",
                name=f"{row.scale} variance{by}",
                where=f"round '{matrix.round}'",
                saved_at=row.estimated_at,
                saved_by=row.saved_by,
                stale=why is not None,
                why=why,
                renew=renew,
            )
        )
    return found


_ESTIMATES = """
SELECT estimate.scale, estimate.factor_set_id, estimate.estimated_at, factor_set.version,
       estimate.version AS estimate_version,
       max(estimate.version) OVER (PARTITION BY estimate.scale, estimate.factor_set_id)
           AS latest_version,
       coalesce(factor_set.fitted_by, matrix.logged_by) AS saved_by
FROM roundbook.variance_estimate AS estimate
JOIN roundbook.matrix ON matrix.id = estimate.matrix_id
LEFT JOIN roundbook.factor_set ON factor_set.id = estimate.factor_set_id
WHERE estimate.matrix_id = :matrix
ORDER BY factor_set.version NULLS FIRST, estimate.scale, estimate.version
"""
