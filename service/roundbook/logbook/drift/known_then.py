"""The factors that a saved result was computed from, with what was known of runs and topics then."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from sqlalchemy import Connection, Row, select

from roundbook.database.tables import (
    event,
    factor_set,
    matrix,
    result_input,
    round_,
)
from roundbook.logbook.drift.compared_rounds import (
    ComparedRound,
    FittedRound,
    kin_of_standardising,
    load_rounds,
)
from roundbook.logbook.teams import CORRECTED

_Names = list[str | None]


def saved_factors(connection: Connection, result: int) -> Sequence[Row[Any]]:
    """Return the factor sets that a saved result was computed from, each with what was known."""
    return connection.execute(
        select(
            factor_set,
            round_.c.task_id,
            round_.c.label,
            round_.c.ordinal,
            matrix.c.revision,
            result_input.c.known,
        )
        .join(round_, round_.c.id == factor_set.c.round_id)
        .join(matrix, matrix.c.id == factor_set.c.matrix_id)
        .join(result_input, result_input.c.factor_set_id == factor_set.c.id)
        .where(result_input.c.result_id == result)
        .order_by(result_input.c.position)
    ).all()


def changed_since(connection: Connection, saved: Row[Any], rounds: Collection[int]) -> bool:
    """Return whether anything of rounds, by their ids, was changed since a result was saved."""
    events = select(event.c.id).where(event.c.round_id.in_(rounds), event.c.at >= saved.saved_at)
    return connection.execute(events.limit(1)).first() is not None


def rounds_as_known(
    connection: Connection, saved: Row[Any], inputs: Sequence[Row[Any]]
) -> Iterator[ComparedRound | None]:
    """Yield the rounds of a saved result as they were known then, None where nothing tells how.

    Collections and the ids of topics are kept with the result. Of the runs' teams and systems a
    checksum is, which tells whether they are those of today, those before corrections that events
    tell of, or whether no team or no system was known.
    """
    chosen = [
        FittedRound(
            fitted.round_id,
            fitted.label,
            fitted.known.get("collection"),
            fitted.id,
            fitted.version,
            fitted.standardising,
            fitted.zero_sd,
            fitted.matrix_id,
            fitted.revision,
            fitted.ordinal,
        )
        for fitted in inputs
    ]
    loaded = load_rounds(connection, saved.task_id, chosen)
    for entry, fitted in zip(loaded, inputs, strict=True):
        other_ids = fitted.known.get("other_ids", {})
        for teams, systems in _earlier(connection, entry, saved):
            known = entry._replace(
                known_as=[other_ids.get(name, name) for name in entry.topics],
                teams=teams,
                systems=systems,
                kin=kin_of_standardising(entry.scores, teams, entry.standardising),
            )
            if _agrees(known, fitted.known):
                yield known
                break
        else:
            yield None


def _earlier(
    connection: Connection, entry: ComparedRound, saved: Row[Any]
) -> Iterator[tuple[_Names, _Names]]:
    """Yield what the runs' teams and systems may have been, from today's back to then."""
    named = {"team": dict(zip(entry.runs, entry.teams, strict=True))}
    named["system"] = dict(zip(entry.runs, entry.systems, strict=True))
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
            *([[*of_run.values()], [None] * len(of_run)] for of_run in named.values())
        )


def _agrees(entry: ComparedRound, known: Mapping[str, Any]) -> bool:
    """Return whether a round's standardising runs are what was known of them."""
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
    return all(known.get(name, value) == value for name, value in facts.items())
