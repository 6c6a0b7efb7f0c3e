"""The variance estimates of an archive, completed by what it does not carry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from sqlalchemy import Connection

from roundbook.errors import BadFileError, ImpossibleStatisticError
from roundbook.logbook.estimates import estimate_columns
from roundbook.logbook.verifying.matrices import (
    DerivedMatrix,
    load_derived,
    of_matrix,
    read_matrices,
)
from roundbook.presentation.verification import difference_sentence
from roundbook.statistics.variance.parts import variance_parts


def complete_estimates(
    connection: Connection,
    rows: Iterable[dict[str, Any]],
    file: str,
    progress: Callable[[str], object],
) -> Iterator[dict[str, Any]]:
    """Yield an archive's variance estimates with what is computed from the recorded scores.

    Parameters
    ----------
    rows : iterable of dict
        Rows of ``variance_estimate`` by column, with ids of this database; their matrices and
        factors are recorded. What the archive's version did not have is not among their keys.
    file : str
        The archive, for the message.

    Raises
    ------
    BadFileError
        When the scores and factors have no such variance.
    """
    derived: DerivedMatrix | None = None
    member = f"{file}/variance_estimate.csv"
    for row in rows:
        if derived is None or derived.loaded.row.id != row["matrix_id"]:
            (recorded,) = read_matrices(connection, [row["matrix_id"]])
            progress(f"Computing the variances of {recorded.task} round {recorded.round} ...")
            derived = load_derived(connection, recorded)
        scale, factor_set_id = row["scale"], row["factor_set_id"]
        differs = partial(
            of_matrix,
            recorded,
            "variance",
            "variance_estimate",
            "topics",
            scale=scale,
            factor_version=factor_set_id and derived.factor_sets[factor_set_id].version,
        )
        try:
            scores, topic_ids = derived.on_scale(scale, factor_set_id)
            columns = estimate_columns(variance_parts(scores, derived.loaded.team_ids))
        except ImpossibleStatisticError as error:
            difference = differs(reason=str(error).rstrip("."))
            raise BadFileError(difference_sentence(difference), member) from None
        if row["topics"] != columns["topics"]:
            difference = differs(recorded=row["topics"], computed=columns["topics"])
            raise BadFileError(difference_sentence(difference), member)
        columns |= {"version": 1, "topic_ids": topic_ids}
        # Estimates of the first schema have no two-way residual, and archives of it no clusters.
        kept = {name for name, value in row.items() if value is not None or "clusters" in row}
        yield row | {name: value for name, value in columns.items() if name not in kept}
