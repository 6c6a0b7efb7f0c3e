"""A design with all its quantities, and what every solver of one checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatistic
from roundbook.statistics.design.inputs import (
    MOST_TOPICS,
    Engine,
    Floats,
    check_counts,
    check_sizes,
)
from roundbook.statistics.design.power import effect_size
from roundbook.statistics.design.table import Design, DesignKind

Quantity = Literal["topics", "power", "min_d", "variance", "runs"]


@dataclass(frozen=True, eq=False)
class SolvedDesign:
    """A grid of designs with all their quantities; all arrays have the grid's shape.

    Attributes
    ----------
    design : str
        One of the names in :data:`roundbook.statistics.design.table.DESIGNS`.
    engine : {'exact', 'sakai'}
    solved_for : {'topics', 'power', 'min_d', 'variance', 'runs'}
        The quantity that was not given.
    topics : int array
    runs : int array or None
        None for a design of two runs.
    min_d, variance, alpha : float array
    beta : float array or None
        The type II error probability allowed, or that of the power solved for; None for a width.
    power : float array or None
        What these topics achieve, at least ``1 - beta``; None for a width.
    width : float array or None
        Expected full width with these topics, at most `min_d`; None for a test.
    """

    design: Design
    engine: Engine
    solved_for: Quantity
    topics: NDArray[np.int64]
    runs: NDArray[np.int64] | None
    min_d: Floats
    variance: Floats
    alpha: Floats
    beta: Floats | None
    power: Floats | None
    width: Floats | None


def used_beta(beta: ArrayLike, kind: DesignKind) -> ArrayLike:
    """Return `beta`, or a constant where it has no part in the design, its shape and its checks."""
    return 0.5 if kind.miss is None else beta


def check_topics(topics: Floats, runs: Floats) -> None:
    """Raise ImpossibleStatistic unless these are sizes that a design can have."""
    check_counts("A topic set size", topics)
    check_counts("A number of runs", runs)
    if (topics > MOST_TOPICS).any():
        raise ImpossibleStatistic(
            f"A topic set size is at most {MOST_TOPICS:,}, not {topics.max():,.0f}."
        )


def refuse_undefined(
    undefined: NDArray[np.bool_], topics: Floats, runs: Floats, engine: Engine
) -> None:
    """Raise ImpossibleStatistic, naming the first cell, if any is undefined."""
    if undefined.any():
        first = np.flatnonzero(undefined)[0]
        raise ImpossibleStatistic(
            f"The engine {engine} is not defined for {topics.flat[first]:.0f} topics and"
            f" {runs.flat[first]:.0f} runs: use the engine exact."
        )


def completed(
    design: Design,
    kind: DesignKind,
    engine: Engine,
    solved_for: Quantity,
    grid: tuple[Floats, ...],
) -> SolvedDesign:
    """Return the design of `grid`, which is topics, runs, minD, variance, alpha and beta.

    Raises
    ------
    ImpossibleStatistic
        If minD or variance came out as a number that a double cannot hold.
    """
    n, m, difference, residual, alpha, beta = grid
    check_sizes("The minD solved for", difference)
    check_sizes("The variance solved for", residual)
    power = width = None
    if kind.miss is not None:
        power = np.asarray(1 - kind.miss(engine, n, m, effect_size(difference, residual), alpha))
    if kind.unit_width is not None:
        width = np.asarray(kind.unit_width(n, alpha) * np.sqrt(residual))
    return SolvedDesign(
        design,
        engine,
        solved_for,
        n.astype(np.int64),
        m.astype(np.int64) if kind.takes_runs else None,
        difference,
        residual,
        alpha,
        None if kind.miss is None else beta,
        power,
        width,
    )
