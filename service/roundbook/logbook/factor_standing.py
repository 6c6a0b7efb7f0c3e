"""Do factors still stand? Against the scores that count today and the latest factors of these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, text


class FactorStanding(NamedTuple):
    """A factor set, and what counts today in its round.

    `newest_matrix` and `newest_revision` are the latest scores', `withdrawn` why these are
    withdrawn, None where they count; `newest_version` is the latest version of their factors,
    None where they have none.
    """

    factor_set_id: int
    round: str
    version: int
    matrix: int
    revision: int
    newest_matrix: int
    newest_revision: int
    withdrawn: str | None
    newest_version: int | None

    @property
    def stands(self) -> bool:
        """Whether these are the latest factors of the scores that count."""
        return self.withdrawn is None and self.version == self.newest_version

    @property
    def has_successor(self) -> bool:
        """Whether its round has factors of scores that count, these or others."""
        return self.withdrawn is None and self.newest_version is not None

    def why(self) -> str | None:
        """Return why it stands no more; None where it does."""
        said = scores_why(self.revision, self.newest_matrix, self.newest_revision, self.withdrawn)
        if self.withdrawn is None and self.newest_version is None:
            return f"{said}, which has no factors"
        if said is None and self.version != self.newest_version:
            return f"factor version {self.newest_version} was fitted since"
        return said


def scores_why(
    revision: int, newest_matrix: int, newest_revision: int, withdrawn: str | None
) -> str | None:
    """Return why a revision of a score matrix counts no more; None where it does.

    Parameters
    ----------
    withdrawn : str, optional
        Why the newest revision is withdrawn; None where it counts.
    """
    if revision < newest_revision:
        said = f"superseded by revision {newest_revision} (matrix {newest_matrix})"
        return said if withdrawn is None else f"{said}, which is withdrawn: {withdrawn.rstrip('.')}"
    if withdrawn is not None:
        return f"matrix {newest_matrix} is withdrawn: {withdrawn.rstrip('.')}"
    return None


def read_factor_standings(connection: Connection, ids: Iterable[int]) -> dict[int, FactorStanding]:
    """Return where factor sets stand, by id; one query."""
    rows = connection.execute(text(_STANDINGS), {"ids": sorted(set(ids))})
    return {found.factor_set_id: found for found in map(FactorStanding._make, rows)}


_STANDINGS = """
SELECT factor_set.id, round.label, factor_set.version, matrix.id, matrix.revision,
       newest.id, newest.revision, withdrawn.reason,
       (SELECT max(version) FROM roundbook.factor_set AS later WHERE later.matrix_id = newest.id)
FROM roundbook.factor_set
JOIN roundbook.round ON round.id = factor_set.round_id
JOIN roundbook.matrix ON matrix.id = factor_set.matrix_id
CROSS JOIN LATERAL (
    SELECT id, revision FROM roundbook.matrix AS later
    WHERE (later.round_id, later.measure_id, later.assessments)
          = (matrix.round_id, matrix.measure_id, matrix.assessments)
    ORDER BY revision DESC LIMIT 1
) AS newest
LEFT JOIN roundbook.withdrawn ON withdrawn.matrix_id = newest.id
WHERE factor_set.id = ANY (CAST(:ids AS bigint[]))
"""
