"""Rounds whose dates contradict the order in which they are recorded.

The module imports no database modules, as results of plans use its model too.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Protocol

from roundbook.logbook.result import Result


class OutOfOrder(Result):
    """A round that was held before another, `recorded_after`, though it is recorded after it."""

    round: str
    held: date
    recorded_after: str
    recorded_after_held: date


class _Dated(Protocol):
    @property
    def round(self) -> str: ...
    @property
    def ordinal(self) -> int: ...
    @property
    def held(self) -> date | None: ...


def rounds_out_of_order(rounds: Iterable[_Dated]) -> list[OutOfOrder]:
    """Return the rounds held before a round recorded earlier, each with the latest of those.

    Rounds without a date are left out.
    """
    pairs: list[OutOfOrder] = []
    latest, latest_held = "", date.min
    for entry in sorted(rounds, key=lambda entry: entry.ordinal):
        if entry.held is None:
            continue
        if entry.held < latest_held:
            pairs.append(
                OutOfOrder(
                    round=entry.round,
                    held=entry.held,
                    recorded_after=latest,
                    recorded_after_held=latest_held,
                )
            )
        else:
            latest, latest_held = entry.round, entry.held
    return pairs
