"""What every topic set size design checks before it computes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.design.reasons import (
    LEAST_PROBABILITY,
    MOST_COUNTED,
    impossible,
)

Engine = Literal["exact", "sakai"]
ENGINES: tuple[Engine, ...] = ("exact", "sakai")

Floats = NDArray[np.float64]


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


def check_engine(engine: str) -> None:
    """Raise ImpossibleStatisticError unless `engine` is one of ``ENGINES``."""
    if engine not in ENGINES:
        raise ImpossibleStatisticError(
            f"There is no engine {engine!r}: use {' or '.join(ENGINES)}."
        )


def check_counts(name: str, values: Floats) -> None:
    """Raise ImpossibleDesignError unless all `values` are whole numbers from 2 to a billion."""
    # Far beyond, whole numbers are no longer all floats, and the distributions give out.
    usable = (values >= 2) & (values <= MOST_COUNTED) & (np.floor(values) == values)
    _refuse("no_count", name, values, usable)


def check_sizes(name: str, values: Floats) -> None:
    """Raise ImpossibleDesignError unless all `values` are positive and finite."""
    _refuse("no_size", name, values, (values > 0) & np.isfinite(values))


def check_probabilities(name: str, values: Floats) -> None:
    """Raise ImpossibleDesignError unless all `values` lie between 0 and 1, and not below 1e-30."""
    _refuse("no_probability", name, values, (values >= LEAST_PROBABILITY) & (values < 1))


def check_errors(alpha: Floats, beta: Floats) -> None:
    """Raise ImpossibleDesignError unless the power 1 - beta is everywhere above alpha."""
    check_probabilities("Alpha", alpha)
    check_probabilities("Beta", beta)
    hopeless = np.flatnonzero(1 - beta <= alpha)
    if hopeless.size:
        allowed, level = float(beta.flat[hopeless[0]]), float(alpha.flat[hopeless[0]])
        raise impossible("no_power", power=1 - allowed, beta=allowed, alpha=level)


def _refuse(code: str, name: str, values: Floats, usable: NDArray[np.bool_]) -> None:
    if not usable.all():
        # As text, since it need not be finite.
        raise impossible(code, what=name, value=f"{values[~usable][0]:g}")
