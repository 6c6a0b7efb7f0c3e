"""What every topic set size design checks before it computes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError

Engine = Literal["exact", "sakai"]
ENGINES: tuple[Engine, ...] = ("exact", "sakai")

MOST_TOPICS = 10_000_000
_MOST = 1_000_000_000

# SciPy's F distributions begin to return NaN where probabilities near 1e-100 are asked for.
LEAST_PROBABILITY = 1e-30

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
    """Raise ImpossibleStatisticError unless all `values` are whole numbers from 2 to a billion."""
    # Far beyond, whole numbers are no longer all floats, and the distributions give out.
    usable = (values >= 2) & (values <= _MOST) & (np.floor(values) == values)
    _refuse(name, f"a whole number from 2 to {_MOST:,}", values, usable)


def check_sizes(name: str, values: Floats) -> None:
    """Raise ImpossibleStatisticError unless all `values` are positive and finite."""
    _refuse(name, "positive and finite", values, (values > 0) & np.isfinite(values))


def check_probabilities(name: str, values: Floats) -> None:
    """Raise ImpossibleStatisticError unless all `values` lie between 0 and 1, and not below 1e-30."""
    wanted = f"between 0 and 1 (and not below {LEAST_PROBABILITY:g})"
    _refuse(name, wanted, values, (values >= LEAST_PROBABILITY) & (values < 1))


def check_errors(alpha: Floats, beta: Floats) -> None:
    """Raise ImpossibleStatisticError unless the power 1 - beta is everywhere above alpha."""
    check_probabilities("Alpha", alpha)
    check_probabilities("Beta", beta)
    hopeless = np.flatnonzero(1 - beta <= alpha)
    if hopeless.size:
        first = hopeless[0]
        raise ImpossibleStatisticError(
            f"A power of {1 - beta.flat[first]:g} (beta {beta.flat[first]:g}) is no design:"
            f" it must be above alpha, which is {alpha.flat[first]:g}."
        )


def _refuse(name: str, wanted: str, values: Floats, usable: NDArray[np.bool_]) -> None:
    if not usable.all():
        raise ImpossibleStatisticError(f"{name} must be {wanted}, not {values[~usable][0]:g}.")
