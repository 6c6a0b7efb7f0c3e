"""The input of topic set size designs: its limits and checks, and why some of it has no design."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleDesignError, ImpossibleStatisticError
from roundbook.limits import MOST_COUNTED, MOST_TOPICS
from roundbook.statistics.design.distributions import ENGINES, Engine, effect_size
from roundbook.statistics.design.table import DESIGNS, Design, DesignKind
from roundbook.statistics.score_matrix import Bools, Floats

# SciPy's F distributions begin to return NaN at probabilities near 1e-100.
LEAST_PROBABILITY = 1e-30


class _Reason(NamedTuple):
    """The sentence of a code, with its arguments in braces, and the code of the way out."""

    sentence: str
    way_out: str | None = None


_ENDLESS = f"would take more than {MOST_TOPICS:,} topics."
_REASONS = {
    "too_many_topics": _Reason(
        "m = {runs:.0f} runs, minD {min_d:g} and variance {variance:g} (alpha {alpha:g}, beta"
        f" {{beta:g}}) {_ENDLESS}",
        "larger minD",
    ),
    "too_many_topics_for_two_runs": _Reason(
        f"MinD {{min_d:g}} and variance {{variance:g}} (alpha {{alpha:g}}, beta {{beta:g}}) {_ENDLESS}",
        "larger minD",
    ),
    "too_many_topics_for_width": _Reason(
        f"An interval of width {{min_d:g}} with variance {{variance:g}} (alpha {{alpha:g}}) {_ENDLESS}",
        "wider interval",
    ),
    "undefined": _Reason(
        "The engine {engine} is not defined for {topics:.0f} topics and {runs:.0f} runs.",
        "exact engine",
    ),
    "any_min_d": _Reason(
        "With {topics:.0f} topics the engine {engine} gives any minD, however small, a power of"
        " {power:g}.",
        "more power",
    ),
    "too_few_topics": _Reason(
        "{topics:.0f} topics do not suffice for any of the numbers of runs listed, from {least:.0f}"
        " to {most:.0f}.",
        "more topics or a larger minD",
    ),
    "no_count": _Reason(
        f"{{what}} must be a whole number from 2 to {MOST_COUNTED:,}, not {{value}}."
    ),
    "no_size": _Reason("{what} must be positive and finite, not {value}."),
    "no_probability": _Reason(
        f"{{what}} must be between 0 and 1 (and not below {LEAST_PROBABILITY:g}), not {{value}}."
    ),
    "no_power": _Reason(
        "A power of {power:g} (beta {beta:g}) is no design: it must be above alpha, which is"
        " {alpha:g}."
    ),
    "topics_out_of_range": _Reason(f"A topic set size is at most {MOST_TOPICS:,}, not {{value}}."),
}


def impossible(code: str, **arguments: str | float) -> ImpossibleDesignError:
    """Return the error for numbers that no design has."""
    message = sentence(code, arguments)
    return ImpossibleDesignError(message, code, arguments, _REASONS[code].way_out)


def sentence(code: str, arguments: Mapping[str, str | float]) -> str:
    """Return a reason as a sentence; earlier plans have the sentence in place of the code."""
    return _REASONS[code].sentence.format_map(arguments) if code in _REASONS else code


def way_out(code: str) -> str | None:
    """Return the code of the way out, None without one."""
    return _REASONS[code].way_out if code in _REASONS else None


def broadcast_floats(*arguments: ArrayLike) -> tuple[Floats, ...]:
    """Return the arguments as float arrays of their common shape.

    Raises
    ------
    ImpossibleStatisticError
        If an argument is not made of numbers, or the shapes have no common one.
    """
    try:
        arrays = [np.asarray(argument, dtype=np.float64) for argument in arguments]
        return tuple(np.broadcast_arrays(*arrays))
    except (TypeError, ValueError) as error:
        raise ImpossibleStatisticError(
            f"A topic set size design needs numbers whose shapes go together ({error})."
        ) from error


def find_design(design: Design, runs: ArrayLike | None) -> DesignKind:
    """Return the design with this name.

    Raises
    ------
    ImpossibleStatisticError
        If there is none, or a number of runs is missing or given although the design takes none.
    """
    kind = DESIGNS.get(design)
    if kind is None:
        names = ", ".join(DESIGNS)
        raise ImpossibleStatisticError(f"There is no design {design!r}: use one of {names}.")
    if kind.takes_runs and runs is None:
        raise ImpossibleStatisticError(f"A {kind.title} needs the number of runs.")
    if not kind.takes_runs and runs is not None:
        raise ImpossibleStatisticError(
            f"The {kind.title} compares two runs: give it no number of runs."
        )
    return kind


class Grid(NamedTuple):
    """Designs of one kind, their quantities arrays of one shape; NaN for a missing quantity."""

    kind: DesignKind
    engine: Engine
    topics: Floats
    runs: Floats
    min_d: Floats
    variance: Floats
    alpha: Floats
    beta: Floats

    def cell(self, index: int, *names: str) -> dict[str, float]:
        """Return some quantities of the design with this flat index."""
        return {name: float(getattr(self, name).flat[index]) for name in names}

    def miss(self) -> Floats:
        """Return the type II error probability of each test."""
        assert self.kind.miss is not None
        effect = effect_size(self.min_d, self.variance)
        return self.kind.miss(self.engine, self.topics, self.runs, effect, self.alpha)


def checked_grid(
    design: Design, engine: Engine, runs: ArrayLike | None, **quantities: ArrayLike
) -> Grid:
    """Return quantities as a grid, each checked to be in its range; without runs m is 2.

    Raises
    ------
    ImpossibleStatisticError
        As :func:`find_design`, or if a quantity is not made of numbers or out of its range, the
        shapes have no common one, or there is no such engine.
    """
    kind = find_design(design, runs)
    if engine not in ENGINES:
        raise ImpossibleStatisticError(
            f"There is no engine {engine!r}: use {' or '.join(ENGINES)}."
        )
    quantities["runs"] = 2 if runs is None else runs
    if kind.miss is None:
        quantities.pop("beta", None)
    given = (quantities.get(name, np.nan) for name in Grid._fields[2:])
    grid = Grid(kind, engine, *broadcast_floats(*given))
    if "topics" in quantities:
        check_counts("A topic set size", grid.topics)
        if (grid.topics > MOST_TOPICS).any():
            raise impossible("topics_out_of_range", value=f"{grid.topics.max():,.0f}")
    check_counts("A number of runs", grid.runs)
    if "min_d" in quantities:
        check_sizes("An interval width" if kind.miss is None else "A minD", grid.min_d)
    if "variance" in quantities:
        check_sizes("A variance", grid.variance)
    for name, values in (("Alpha", grid.alpha), ("Beta", grid.beta)):
        if name.lower() in quantities:
            _refuse("no_probability", name, values, (values >= LEAST_PROBABILITY) & (values < 1))
    # The power 1 - beta must be above alpha.
    hopeless = np.flatnonzero(1 - grid.beta <= grid.alpha)
    if hopeless.size:
        facts = grid.cell(hopeless[0], "beta", "alpha")
        raise impossible("no_power", power=1 - facts["beta"], **facts)
    return grid


def check_counts(name: str, values: Floats) -> None:
    """Raise ImpossibleDesignError unless all `values` are whole numbers from 2 to a billion."""
    usable = (values >= 2) & (values <= MOST_COUNTED) & (np.floor(values) == values)
    _refuse("no_count", name, values, usable)


def check_sizes(name: str, values: Floats) -> None:
    """Raise ImpossibleDesignError unless all `values` are positive and finite."""
    _refuse("no_size", name, values, (values > 0) & np.isfinite(values))


def refuse_undefined(undefined: Bools, grid: Grid) -> None:
    """Raise ImpossibleDesignError if the engine is undefined for a design of the grid."""
    if undefined.any():
        cell = int(np.flatnonzero(undefined)[0])
        raise impossible("undefined", engine=grid.engine, **grid.cell(cell, "topics", "runs"))


def _refuse(code: str, name: str, values: Floats, usable: Bools) -> None:
    if not usable.all():
        # As text, since it may be infinite or NaN.
        raise impossible(code, what=name, value=f"{values[~usable][0]:g}")
