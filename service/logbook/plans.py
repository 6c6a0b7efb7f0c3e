"""Plans: how many topics the next round needs (one-way ANOVA topic set size design)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import ConfigDict
from sqlalchemy import Engine as DatabaseEngine

from service.logbook.result import SOFTWARE, Result
from service.logbook.variances import VarianceHistory, VarianceScale, show_variances
from service.statistics.topic_set_size import ENGINES, Engine, anova_topics


class PlanCell(Result):
    """The topic set size for `m` runs and a smallest difference `min_d` worth detecting.

    `topics` and `achieved_power` are by the plan's engine; both engines' sizes stand beside.
    """

    m: int
    min_d: float
    topics: int
    achieved_power: float
    variance: float
    topics_sakai: int
    topics_exact: int


class Design(Result):
    """What a topic set is designed for.

    `m` are numbers of runs to be compared, each at least 2; `min_d` the smallest differences
    between the best and the worst of them that are worth detecting; `alpha` and `beta` the
    Type I and Type II error rates.
    """

    # What is no number is refused with the other impossible inputs, in one sentence.
    model_config = ConfigDict(frozen=True, allow_inf_nan=True)

    m: tuple[int, ...]
    min_d: tuple[float, ...]
    alpha: float = 0.05
    beta: float = 0.20
    engine: Engine = "exact"
    design: Literal["anova"] = "anova"


class Plan(Design):
    """Topic set sizes over a grid, with all they rest on.

    `estimate` is the variance history that `variance` was pooled from; None where it was given.
    """

    variance: float
    scale: str | None
    estimate: VarianceHistory | None
    software: str
    cells: list[PlanCell]


def plan(variance: float, design: Design, *, estimate: VarianceHistory | None = None) -> Plan:
    """Return the smallest topic set size of every (m, minD) with power at least 1 - beta.

    Parameters
    ----------
    variance : float
        The residual variance expected of the next round, in squared units of the score.
    estimate : VarianceHistory, optional
        Where `variance` comes from.

    Raises
    ------
    ImpossibleStatistic
        Naming the input for which there is no such size.
    """
    runs = np.repeat(np.asarray(design.m), len(design.min_d))
    differences = np.tile(np.asarray(design.min_d, dtype=float), len(design.m))
    sizes = {
        engine: anova_topics(
            runs, differences, variance, alpha=design.alpha, beta=design.beta, engine=engine
        )
        for engine in ENGINES
    }
    chosen = sizes[design.engine]
    return Plan(
        **design.model_dump(),
        variance=variance,
        scale=estimate.scale if estimate else None,
        estimate=estimate,
        software=SOFTWARE,
        cells=[
            PlanCell(
                m=int(runs[cell]),
                min_d=float(differences[cell]),
                topics=int(chosen.topics[cell]),
                achieved_power=float(chosen.achieved_power[cell]),
                variance=variance,
                topics_sakai=int(sizes["sakai"].topics[cell]),
                topics_exact=int(sizes["exact"].topics[cell]),
            )
            for cell in range(runs.size)
        ],
    )


def plan_task(
    engine: DatabaseEngine,
    task: str,
    measure: str,
    design: Design,
    *,
    scale: VarianceScale = "raw",
    assessments: str | None = None,
) -> Plan:
    """Plan the next round of a task from its pooled variance; see `plan`.

    Raises
    ------
    NotRecorded
        When the task has no variance of this measure on this scale.
    """
    history = show_variances(engine, task, measure, scale=scale, assessments=assessments)
    return plan(history.pooled.variance, design, estimate=history)
