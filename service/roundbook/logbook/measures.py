"""Identities of measures and their look-up by any spelling.

A measure is identified by family, cutoff and parameters: ``nDCG@10``, ``RBP(p=0.8)``,
``nDCG(gains=exp)@10``. It is recorded under its canonical name, and found by every spelling of
that name, in any case, and by the names of measures that were merged into it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, func, select, text
from sqlalchemy.dialects.postgresql import insert

from roundbook.database.tables import measure
from roundbook.errors import AlreadyRecordedError, InputError, NotRecordedError
from roundbook.logbook.names import near_name
from roundbook.measure_names import (
    FAMILIES,
    FAMILY_OF,
    canonical_measure,
    clean_measure,
    is_known_measure,
    is_measure_like,
    split_measure,
)

# How much of a measure's name is enough to ask whether it is meant.
_LEAST_START = 3
_SHORT_SPELLING = 3
# A cutoff in which letters may stand for digits: 1O of nDCG@1O, P_1O and ndcg1O.
_LETTERS_IN_CUTOFF = re.compile(r"((?<=[@_.])[OoIl]+)?[0-9][0-9OoIl]*$|(?<=@)[OoIl]+$")

_DIGITS = str.maketrans("OoIl", "0011")


class MeasureIdentity(NamedTuple):
    """The identity of a measure: its family, cutoff and parameters."""

    name: str
    family: str
    cutoff: int | None
    parameters: dict[str, str]


def parse_measure(name: str) -> MeasureIdentity:
    """Return the identity of a measure from any spelling of its name.

    Its canonical name is split as ``family(parameter=value, ...)@cutoff``; any other name is a
    family alone.

    Raises
    ------
    InputError
        When the name is empty, has control characters, or a cutoff of 0.
    """
    if not clean_measure(name) or not name.strip().isprintable() or len(name) > 200:
        raise InputError(
            "A measure needs a printable name of at most 200 characters, such as nDCG@10."
        )
    name = canonical_measure(name)
    parts = split_measure(name)
    if parts is None or "." in (parts.cutoff or ""):
        if "(" in name or ")" in name:
            raise InputError(
                f"The measure '{name}' cannot be read; write parameters as in nDCG(gains=exp)@10.",
                measure=name,
            )
        return MeasureIdentity(name, name, None, {})
    cutoff = int(parts.cutoff) if parts.cutoff else None
    if cutoff is not None and not 0 < cutoff < 2**31:
        raise InputError(
            f"The measure '{name}' has a cutoff of {cutoff}, which is none.", measure=name
        )
    return MeasureIdentity(name, parts.family, cutoff, parts.parameters)


class RecordedMeasure(NamedTuple):
    """A measure of the record; its scores lie within `bounds`, if these are known.

    `is_new` is whether nothing of it counts in the task yet. It may then be mistyped for one of
    `others`, of which something counts there; they are empty where it is not new, or is a known
    measure that the record has.
    """

    id: int
    name: str
    bounds: tuple[float, float] | None
    is_new: bool
    others: list[str]


def ensure_measure(
    connection: Connection, task_id: int, name: str, bounds: tuple[float, float] | None = None
) -> RecordedMeasure:
    """Return a measure that a task has scores of, which is recorded if it is new.

    It is first sought among those that the task has numbers for, as `find_measure` does: a name may
    be a spelling of one of these, and in other tasks a measure of its own.

    Raises
    ------
    InputError
        When `bounds` are not a valid interval.
    AlreadyRecordedError
        When the measure is recorded with other bounds.
    """
    identity = parse_measure(name)
    if bounds is not None and not -inf < bounds[0] < bounds[1] < inf:
        raise InputError(
            f"Bounds are two finite numbers, the lower first, not {bounds}.", measure=identity.name
        )
    lower, upper = bounds or (None, None)
    row = added = None
    # The measure found may be merged into another one before it is locked: look again.
    while row is None:
        of_task = measures_of(connection, task_id)
        match = measure_named(of_task, name) or measure_named(
            connection.execute(select(measure)).all(), name
        )
        if match is None:
            added = connection.execute(
                insert(measure)
                .values(**identity._asdict(), lower_bound=lower, upper_bound=upper)
                .on_conflict_do_nothing()
                .returning(measure.c.id)
            ).scalar_one_or_none()
        by_name = func.lower(measure.c.name) == func.lower(identity.name)
        row = lock_measure(connection, by_name if match is None else measure.c.id == match.id)
    recorded = None if row.lower_bound is None else (row.lower_bound, row.upper_bound)
    if bounds is not None and bounds != recorded:
        described = f"bounds {recorded[0]:g} to {recorded[1]:g}" if recorded else "no bounds"
        raise AlreadyRecordedError(
            f"The measure {row.name} is recorded with {described}.",
            way_out="other bounds",
            measure=row.name,
        )
    counting = {other.id: other.name for other in of_task if other.counts}
    is_new = row.id not in counting
    may_be_slip = is_new and (added is not None or not is_known_measure(row.name))
    others = list(counting.values()) if may_be_slip else []
    return RecordedMeasure(row.id, row.name, recorded, is_new, others)


def lock_measure(connection: Connection, condition: ColumnElement[bool]) -> Row[Any] | None:
    """Return a measure that nobody merges until the transaction ends, None if it was merged."""
    return connection.execute(
        select(measure).where(condition).with_for_update(read=True, key_share=True)
    ).one_or_none()


def find_measure(connection: Connection, task_id: int, task: str, name: str) -> tuple[int, str]:
    """Return the id and recorded name of a measure as `measure_among` does."""
    row = measure_among(measures_of(connection, task_id), task, name)
    return row.id, row.name


def measure_among(rows: Sequence[Row[Any]], task: str, name: str) -> Row[Any]:
    """Return the measure that a name means among those that `task` has numbers for.

    Raises
    ------
    NotRecordedError
        Listing the measures that the task has.
    """
    if row := measure_named(rows, name):
        return row
    parse_measure(name)  # which refuses names that no measure can have
    if not rows:
        raise NotRecordedError(
            f"Task '{task}' has no scores yet.", way_out="log a round", task=task, measure=name
        )
    names = [row.name for row in rows if row.counts] or [row.name for row in rows]
    known = near_measure(name)
    near = known if known in names else near_name(name, names)
    raise NotRecordedError(
        f"Task '{task}' has nothing for measure '{name}'; it has {', '.join(names)}."
        + (f" Did you mean {near}?" if near else ""),
        task=task,
        measure=name,
    )


def near_measure(name: str) -> str | None:
    """Return the known measure that a canonical name most likely means, misspelt or cut short.

    None if there is none. Its parameters and cutoff stay as they are; a cutoff may lack its @, as
    in ``ndcg10``, or have letters for digits, as in ``nDCG@1O``.
    """
    if is_known_measure(name):
        return None
    measure = canonical_measure(
        _LETTERS_IN_CUTOFF.sub(lambda cutoff: cutoff[0].translate(_DIGITS), name)
    )
    lacking = re.fullmatch(r"([^\W\d_]+)_?([0-9]+)", measure)
    # Names such as NERR10 have a number and no cutoff.
    if lacking and not is_measure_like(measure):
        measure = canonical_measure(f"{lacking[1]}@{lacking[2]}")
    if not is_known_measure(measure):
        family = re.split(r"[(@]", measure, maxsplit=1)[0]
        measure = (_near_family(family) or family) + measure.removeprefix(family)
    return measure if is_known_measure(measure) and not measure.endswith("@0") else None


def _near_family(family: str) -> str | None:
    """Return the family of known measures that a name most likely means, or None."""
    # As `prec` is short for precision, whatever else it is near to.
    starts = {
        known
        for spelling, known in FAMILY_OF.items()
        if len(family) >= _LEAST_START and spelling.startswith(family.lower())
    }
    if len(starts) == 1:
        return starts.pop()
    # Short spellings, such as `map` and `mrr`, are near to the names of many measures.
    spelling = near_name(family, [known for known in FAMILY_OF if len(known) > _SHORT_SPELLING])
    return near_name(family, FAMILIES) or (spelling and FAMILY_OF[spelling])


def measure_named(rows: Sequence[Row[Any]], name: str) -> Row[Any] | None:
    """Return the row (with ``name`` and ``spellings``) of the measure that a name means, or None.

    Names are compared before spellings, as separately recorded measures may differ in spelling
    only.
    """
    typed, canonical = clean_measure(name).lower(), canonical_measure(name).lower()
    for spelling in (typed, canonical):
        for row in rows:
            if row.name.lower() == spelling:
                return row
    for row in rows:
        spellings = {canonical_measure(row.name).lower(), *map(str.lower, row.spellings)}
        if not spellings.isdisjoint((typed, canonical)):
            return row
    return None


def measures_of(connection: Connection, task_id: int) -> Sequence[Row[Any]]:
    """Return the measures that a task has numbers for, by name; `counts` is whether any counts."""
    return connection.execute(_MEASURES, {"task": task_id}).all()


_MEASURES = text("""
SELECT measure.*, used.counts
FROM roundbook.measure
JOIN (
    SELECT measure_id, bool_or(counts) AS counts
    FROM roundbook.round
    CROSS JOIN LATERAL (
        SELECT measure_id, false AS counts FROM roundbook.matrix WHERE round_id = round.id
        UNION
        SELECT measure_id, true FROM roundbook.current_matrix WHERE round_id = round.id
        UNION
        SELECT measure_id, true FROM roundbook.published_variance WHERE round_id = round.id
    ) AS used
    WHERE task_id = :task
    GROUP BY measure_id
) AS used ON used.measure_id = measure.id
ORDER BY name
""")
