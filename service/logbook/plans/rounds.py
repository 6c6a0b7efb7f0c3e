"""Was an earlier round's topic set large enough? The power that each round achieved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from service.logbook.plans.design import Cells, Design, is_test, try_cells
from service.logbook.pooling import RoundVariance
from service.logbook.result import Result
from service.statistics.design_input import ENGINES


class RoundPower(Result):
    """The power of a round for `m` runs and a difference `min_d`, by its topics and variance.

    `achieved_power` is by the plan's engine, `enough` whether it is at least 1 - beta. A power
    that does not exist is None; where `achieved_power` is, `reason` says why.
    """

    round: str
    topics: int
    variance: float
    m: int
    min_d: float
    achieved_power: float | None
    power_exact: float | None
    power_sakai: float | None
    enough: bool | None
    reason: str | None


def round_powers(design: Design, rounds: Sequence[RoundVariance]) -> list[RoundPower]:
    """Return the power of each round for each m and minD of a design.

    The list is empty for an interval, which has no power, and where no minD is given.
    """
    runs = design.m if design.design == "anova" else (2,)
    if not (is_test(design) and design.min_d and runs and rounds):
        return []
    grid = list(product(rounds, runs, design.min_d))
    facts = [(m, min_d, held.topics, held.variance) for held, m, min_d in grid]
    cells = Cells(*(np.array(column, dtype=np.float64) for column in zip(*facts, strict=True)))
    asked = design.model_copy(update={"solve": "power"})
    powers = {engine: try_cells(asked, cells, engine) for engine in ENGINES}
    found = []
    for cell, (held, m, min_d) in enumerate(grid):
        power = powers[design.engine][cell]
        found.append(
            RoundPower(
                round=held.round,
                topics=held.topics,
                variance=held.variance,
                m=m,
                min_d=min_d,
                achieved_power=power.value,
                power_exact=powers["exact"][cell].value,
                power_sakai=powers["sakai"][cell].value,
                enough=None if power.value is None else power.value >= 1 - design.beta,
                reason="Its variance is 0." if held.variance == 0 else power.reason,
            )
        )
    return found
