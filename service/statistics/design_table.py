"""The topic set size designs there are, as one table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from service.errors import ImpossibleStatistic
from service.statistics.anova_power import MISS
from service.statistics.design_input import Engine, Floats
from service.statistics.interval_width import paired_unit_width, two_sample_unit_width
from service.statistics.t_power import T_MISS

Design = Literal["anova", "paired-t", "two-sample-t", "paired-width", "two-sample-width"]


@dataclass(frozen=True)
class DesignKind:
    """What sets a design apart from the others.

    Attributes
    ----------
    title : str
        What it is called in a sentence.
    takes_runs : bool
        Whether it has a number of runs m; all others compare two.
    miss : callable or None
        ``miss(engine, topics, runs, effect, alpha)`` is the type II error probability, with the
        effect ``minD^2 / (2 variance)``; unchecked, same shapes. None for an interval width.
    unit_width : callable or None
        ``unit_width(topics, alpha)`` is the expected full width of the interval in units of the
        residual sd. None for a test.
    """

    title: str
    takes_runs: bool = False
    miss: Callable[[Engine, Floats, Floats, Floats, Floats], Floats] | None = None
    unit_width: Callable[[Floats, Floats], Floats] | None = None


def _anova_miss(
    engine: Engine, topics: Floats, runs: Floats, effect: Floats, alpha: Floats
) -> Floats:
    return MISS[engine](topics, runs, effect, alpha)


def _paired_miss(
    engine: Engine, topics: Floats, _runs: Floats, effect: Floats, alpha: Floats
) -> Floats:
    return T_MISS[engine](topics - 1, topics * effect, alpha)


def _two_sample_miss(
    engine: Engine, topics: Floats, _runs: Floats, effect: Floats, alpha: Floats
) -> Floats:
    return T_MISS[engine](2 * topics - 2, topics * effect, alpha)


def _paired_width(topics: Floats, alpha: Floats) -> Floats:
    # The sd of differences between runs whose residuals do not correlate.
    return math.sqrt(2) * paired_unit_width(topics, alpha)


DESIGNS: dict[Design, DesignKind] = {
    "anova": DesignKind("one-way ANOVA", takes_runs=True, miss=_anova_miss),
    "paired-t": DesignKind("paired t test", miss=_paired_miss),
    "two-sample-t": DesignKind("two-sample t test", miss=_two_sample_miss),
    "paired-width": DesignKind("interval of a paired difference", unit_width=_paired_width),
    "two-sample-width": DesignKind(
        "interval of a two-sample difference", unit_width=two_sample_unit_width
    ),
}


def find_design(design: str, runs: object) -> DesignKind:
    """Return the design of that name.

    Raises
    ------
    ImpossibleStatistic
        If there is none, or it needs a number of runs and has none, or has one and needs none.
    """
    for name, kind in DESIGNS.items():
        if name == design:
            if kind.takes_runs and runs is None:
                raise ImpossibleStatistic(f"A {kind.title} needs the number of runs.")
            if not kind.takes_runs and runs is not None:
                raise ImpossibleStatistic(
                    f"The {kind.title} compares two runs: give it no number of runs."
                )
            return kind
    raise ImpossibleStatistic(f"There is no design {design!r}: use one of {', '.join(DESIGNS)}.")
