"""The factors behind a saved result, with the teams, systems and topic ids known at that time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from roundbook.database.tables import event, factor_set, matrix, result_input, round_
from roundbook.logbook.drift.compared_rounds import (
    FITTED,
    ComparedRound,
    FittedRound,
    kin_of_standardising,
    load_rounds,
)
from roundbook.logbook.teams import CORRECTED

_Names = list[str | None]


class SavedFactors(NamedTuple):
    """A factor set that a saved result was computed from.

    `facts` are those on the round and its runs when the result was saved; `fitted` has the
    collection declared at that time.
    """

    fitted: FittedRound
    task_id: int
    measure_id: int
    facts: Mapping[str, Any]


def saved_factors(connection: Connection, result: int) -> list[SavedFactors]:
    """Return the factor sets that a saved result was computed from, in the order of its inputs."""
    rows = connection.execute(
        select(*FITTED, round_.c.task_id, factor_set.c.measure_id, result_input.c.known)
        .join(factor_set, factor_set.c.round_id == round_.c.id)
        .join(matrix, matrix.c.id == factor_set.c.matrix_id)
        .join(result_input, result_input.c.factor_set_id == factor_set.c.id)
        .where(result_input.c.result_id == result)
        .order_by(result_input.c.position)
    )
    return [
        SavedFactors(
            FittedRound._make(fitted)._replace(collection=facts.get("collection")),
            task_id,
            measure_id,
            facts,
        )
        for *fitted, task_id, measure_id, facts in rows
    ]


def changed_since(connection: Connection, saved: Row[Any], rounds: Collection[int]) -> bool:
    """Return whether rounds with these ids have had any event since a result was saved."""
    events = select(event.c.id).where(event.c.round_id.in_(rounds), event.c.at >= saved.saved_at)
    return connection.execute(events.limit(1)).first() is not None


def rounds_at_saving(
    connection: Connection, saved: Row[Any], inputs: Sequence[SavedFactors]
) -> Iterator[ComparedRound | None]:
    """Yield a saved result's rounds with the facts of the time of saving; None if these are lost.

    Collections and topic ids are saved with the result. Of the runs' teams and systems only a
    checksum is saved: it is compared with those of today, with those before each later correction
    among the events, and with none at all.
    """
    loaded = load_rounds(connection, saved.task_id, [factors.fitted for factors in inputs])
    for entry, factors in zip(loaded, inputs, strict=True):
        other_ids = factors.facts.get("other_ids", {})
        for teams, systems in _possible_names(connection, entry, saved):
            candidate = entry._replace(
                canonical_topics=[other_ids.get(name, name) for name in entry.topics],
                teams=teams,
                systems=systems,
                kin=kin_of_standardising(entry.scores, teams, entry.standardising),
            )
            if _agrees(candidate, factors.facts):
                yield candidate
                break
        else:
            yield None


def _possible_names(
    connection: Connection, entry: ComparedRound, saved: Row[Any]
) -> Iterator[tuple[_Names, _Names]]:
    """Yield possible teams and systems of the runs, from today's back to the time of saving."""
    named = {
        "team": dict(zip(entry.runs, entry.teams, strict=True)),
        "system": dict(zip(entry.runs, entry.systems, strict=True)),
    }
    corrections = select(event.c.details).where(
        event.c.round_id == entry.fitted.round_id,
        event.c.what == CORRECTED,
        event.c.at >= saved.saved_at,
    )
    later = connection.execute(corrections.order_by(event.c.id.desc())).scalars()
    for details in [{}, *later]:
        for change, values in details.items():
            fact, _, run = change.partition(" of ")
            if run in named.get(fact, {}):
                named[fact][run] = values["was"]
        yield from product(
            *([[*by_run.values()], [None] * len(by_run)] for by_run in named.values())
        )


def _agrees(entry: ComparedRound, saved: Mapping[str, Any]) -> bool:
    """Return whether a round's standardising runs agree with the saved counts and checksum."""
    runs = sorted(
        (run, team, system)
        for run, team, system, used in zip(
            entry.runs, entry.teams, entry.systems, entry.standardising, strict=True
        )
        if used
    )
    listed = ",".join(json.dumps(run, ensure_ascii=False) for run in runs)
    facts = {
        "runs_without_team": sum(team is None for _, team, _ in runs),
        "runs_without_system": sum(system is None for *_, system in runs),
        "runs": hashlib.md5(listed.encode(), usedforsecurity=False).hexdigest(),
    }
    return all(saved.get(name, value) == value for name, value in facts.items())
