"""Rounds whose dates contradict the order in which they are recorded.

Nothing here opens a database: results of plans read this model too.
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
    """Return each round that was held before one recorded earlier, with the latest held of these.

    Rounds without a date are left out.
    """
    pairs: list[OutOfOrder] = []
    latest, latest_held = "", date.min
    for one in sorted(rounds, key=lambda one: one.ordinal):
        if one.held is None:
            continue
        if one.held < latest_held:
            pairs.append(
                OutOfOrder(
                    round=one.round,
                    held=one.held,
                    recorded_after=latest,
                    recorded_after_held=latest_held,
                )
            )
        else:
            latest, latest_held = one.round, one.held
    return pairs
