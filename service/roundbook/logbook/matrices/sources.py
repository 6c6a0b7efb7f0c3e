"""The sources of computed scores: runs and assessments, and whether later ones exist."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import computed_field
from sqlalchemy import Connection, text

from roundbook.logbook.result import Result


class Source(Result):
    """The runs and assessments that a matrix was computed from, and the latest ones of its round.

    Assessments are numbered by `revision`, runs by `upload`.
    """

    upload: int
    revision: int
    latest_upload: int
    latest_revision: int

    @property
    def assessed_anew(self) -> bool:
        """Whether later assessments exist."""
        return self.revision < self.latest_revision

    @property
    def has_further_runs(self) -> bool:
        """Whether later runs exist."""
        return self.upload < self.latest_upload

    @computed_field  # type: ignore[prop-decorator]
    @property
    def outdated(self) -> bool:
        """Whether the scores are to be computed anew, as later runs or assessments exist."""
        return self.assessed_anew or self.has_further_runs


def read_sources(connection: Connection, matrices: Collection[int]) -> dict[int, Source]:
    """Return the sources of score matrices by number, without those logged from files."""
    rows = connection.execute(text(_SOURCES), {"matrices": list(matrices)})
    return {row.matrix_id: Source(**row._mapping) for row in rows}


# If later runs or assessments give the same scores, a further event records them as the source.
_SOURCES = """
SELECT source.*
FROM (
    SELECT DISTINCT ON (matrix.id) matrix.id AS matrix_id,
           CAST(event.details ->> 'upload' AS integer) AS upload,
           CAST(event.details ->> 'assessments_revision' AS integer) AS revision,
           (SELECT max(number) FROM roundbook.run_upload
            WHERE run_upload.round_id = matrix.round_id) AS latest_upload,
           (SELECT max(qrels.revision) FROM roundbook.qrels
            WHERE qrels.round_id = matrix.round_id
              AND normalize(qrels.assessments) = normalize(matrix.assessments)) AS latest_revision
    FROM roundbook.matrix
    JOIN roundbook.event ON event.matrix_id = matrix.id
    WHERE matrix.id = ANY (CAST(:matrices AS bigint[])) AND event.details ? 'assessments_revision'
    ORDER BY matrix.id, event.id DESC
) AS source
WHERE source.latest_upload IS NOT NULL AND source.latest_revision IS NOT NULL
"""
