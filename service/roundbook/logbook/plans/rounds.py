"""Was an earlier round's topic set large enough? The power that each round achieved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from roundbook.logbook.plans.design import Cells, Design, is_test, try_cells
from roundbook.logbook.plans.variance import VarianceKind, round_variance
from roundbook.logbook.pooling import RoundVariance
from roundbook.logbook.result import Result
from roundbook.statistics.design import DESIGNS
from roundbook.statistics.design.inputs import ENGINES

_NO_POWER: dict[float | None, str] = {
    0.0: "Its variance is 0.",
    None: "It has no two-way variance.",
}


class RoundPower(Result):
    """The power of a round for `m` runs and a difference `min_d`, by its topics and variance.

    `variance` is of the kind that the plan's design takes.

    `achieved_power` is by the plan's engine, `enough` whether it is at least 1 - beta. A power
    that does not exist is None; where `achieved_power` is, `reason` says why.
    """

    round: str
    topics: int
    variance: float | None
    m: int
    min_d: float
    achieved_power: float | None
    power_exact: float | None
    power_sakai: float | None
    enough: bool | None
    reason: str | None


def round_powers(
    design: Design, rounds: Sequence[RoundVariance], kind: VarianceKind
) -> list[RoundPower]:
    """Return the power of each round for each m and minD of a design.

    The list is empty for an interval, which has no power, and where no minD is given.

    Parameters
    ----------
    kind : 'one-way' or 'two-way'
        The residual variance that the design takes. A round without it has no power.
    """
    runs = design.m if DESIGNS[design.design].takes_runs else (2,)
    if not (is_test(design) and design.min_d and runs and rounds):
        return []
    grid = list(product(rounds, runs, design.min_d))
    facts = [(m, min_d, row.topics, round_variance(row, kind) or 0.0) for row, m, min_d in grid]
    cells = Cells(*(np.array(column, dtype=np.float64) for column in zip(*facts, strict=True)))
    asked = design.model_copy(update={"solve": "power"})
    powers = {engine: try_cells(asked, cells, engine) for engine in ENGINES}
    results = []
    for cell, (row, m, min_d) in enumerate(grid):
        power = powers[design.engine][cell]
        variance = round_variance(row, kind)
        results.append(
            RoundPower(
                round=row.round,
                topics=row.topics,
                variance=variance,
                m=m,
                min_d=min_d,
                achieved_power=power.value,
                power_exact=powers["exact"][cell].value,
                power_sakai=powers["sakai"][cell].value,
                enough=None if power.value is None else power.value >= 1 - design.beta,
                reason=_NO_POWER.get(variance, power.reason),
            )
        )
    return results
