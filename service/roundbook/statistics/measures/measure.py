"""Measures that are computed from runs, parsed from their canonical names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Literal

from roundbook.errors import ImpossibleStatisticError
from roundbook.measure_names import split_measure

# The parameters that a measure may have.
_PARAMETERS = {
    "AP": {"rel", "denominator"},
    "P": {"rel"},
    "nDCG": {"gains"},
    "MSnDCG": {"gains"},
    "nG": {"gains"},
    "Q": {"gains", "beta"},
    "P+": {"gains", "beta"},
    "nERR": {"gains"},
    "ERR": {"gains"},
    "RBP": {"p", "gains", "rel"},
}
# For numeric parameters: the least and largest value, and whether it is whole.
_NUMBERS = {"rel": (1, inf, True), "beta": (0, inf, False), "p": (0, 1, False)}
_SPELLINGS = {"P-plus": "P+"}
OWN_MEASURES = tuple(_PARAMETERS)

Gains = tuple[tuple[int, float], ...] | Literal["exp"]


@dataclass(frozen=True)
class Measure:
    """A measure with all parameters that its scores depend on.

    Attributes
    ----------
    family : str
        AP, P, nDCG, MSnDCG, nG, Q, P+, nERR, ERR or RBP.
    cutoff : int or None
    gains : tuple of (grade, gain), "exp", or None
        Of every grade of the task's scale above 0, in order; ``exp`` is ``2^grade - 1``. Without
        them, the gain of a graded measure is the grade itself.
    rel : int
        Lowest relevant grade, of a measure of binary relevance.
    denominator : "R" or "min"
        What AP with a cutoff divides by: R, as trec_eval does, or min(R, k), as NTCIREVAL does.
    beta : float
        Weight of the gains in the blended ratio of Q and P+.
    p : float or None
        Persistence of RBP.
    """

    family: str
    cutoff: int | None = None
    gains: Gains | None = None
    rel: int = 1
    denominator: Literal["R", "min"] = "R"
    beta: float = 1.0
    p: float | None = None

    @property
    def name(self) -> str:
        """The canonical name, with every parameter that differs from its default."""
        parameters = {
            "beta": None if self.beta == 1 else _plain(self.beta),
            "denominator": None if self.denominator == "R" else self.denominator,
            "gains": ",".join(f"{grade}:{_plain(gain)}" for grade, gain in self.gains)
            if isinstance(self.gains, tuple)
            else self.gains,
            "p": None if self.p is None else _plain(self.p),
            "rel": None if self.rel == 1 else str(self.rel),
        }
        written = ",".join(f"{key}={value}" for key, value in parameters.items() if value)
        cutoff = f"@{self.cutoff}" if self.cutoff else ""
        return self.family + (f"({written})" if written else "") + cutoff


def is_own_measure(text: str) -> bool:
    """Return whether a name is that of a measure computed here, with parameters that it has."""
    family, parameters, _ = _read(text) or ("", {}, None)
    return family in _PARAMETERS and parameters.keys() <= _PARAMETERS[family]


def parse_measure(text: str) -> Measure:
    """Return the measure of a canonical name, such as ``nDCG(gains=1:1,2:3)@10``.

    ``gains`` are grade:gain, for all grades of the task's scale: nERR, ERR and RBP also need the
    highest. ``ERR`` without gains is that of TREC's web track, for grades 0 to 4.

    Raises
    ------
    ImpossibleStatisticError
        When it is not computed here, or lacks a parameter that its scores depend on.

    Examples
    --------
    >>> parse_measure("Q(beta=1,gains=2:3,1:1)@10").name
    'Q(gains=1:1,2:3)@10'
    """
    named = _read(text)
    if named is None or named[0] not in _PARAMETERS:
        raise ImpossibleStatisticError(
            f"'{text}' is none of the measures computed from runs: {', '.join(_PARAMETERS)}."
        )
    family, parameters, cutoff = named
    if unknown := sorted(parameters.keys() - _PARAMETERS[family]):
        allowed = ", ".join(sorted(_PARAMETERS[family]))
        raise ImpossibleStatisticError(
            f"The measure '{text}' has no parameter {', '.join(unknown)}; {family} has {allowed}."
        )
    denominator = parameters.get("denominator", "R")
    if denominator not in {"R", "min"}:
        raise ImpossibleStatisticError(
            f"The measure '{text}' has denominator={denominator}; it is R, or min for"
            " min(R, cutoff)."
        )
    numbers = {
        name: _number(text, name, written)
        for name, written in parameters.items()
        if name in _NUMBERS
    }
    measure = Measure(
        family,
        cutoff,
        gains=_gains(text, parameters.get("gains")),
        rel=int(numbers.get("rel", 1)),
        denominator="min" if denominator == "min" else "R",
        beta=numbers.get("beta", 1.0),
        p=numbers.get("p"),
    )
    for lacks, example in (
        (cutoff == 0, f"{family}@10"),
        (family == "P" and cutoff is None, "P@10"),
        (family == "nG" and cutoff != 1, "nG@1"),
        (measure.denominator == "min" and cutoff is None, "AP(denominator=min)@10"),
        (family == "nERR" and measure.gains is None, "nERR(gains=1:1,2:3)@10"),
        (family in {"nERR", "ERR", "RBP"} and measure.gains == "exp", f"{family}(gains=1:1,2:3)"),
        (family == "RBP" and not 0 < (measure.p or 0) < 1, "RBP(p=0.8)"),
        (bool(measure.gains) and measure.rel != 1, "RBP(gains=1:1,2:3,p=0.8)"),
    ):
        if lacks:
            raise ImpossibleStatisticError(
                f"The measure '{text}' cannot be computed as it is written; write {example}."
            )
    return measure


def _read(text: str) -> tuple[str, dict[str, str], int | None] | None:
    """Return the family, parameters and cutoff of a measure, None if they cannot be read."""
    parts = split_measure(text.strip())
    if parts is None or not re.fullmatch("[0-9]{1,9}", parts.cutoff or "0"):
        return None
    family = _SPELLINGS.get(parts.family, parts.family)
    return family, parts.parameters, None if parts.cutoff is None else int(parts.cutoff)


def _number(text: str, name: str, written: str) -> float:
    least, most, whole = _NUMBERS[name]
    try:
        value = float(written)
    except ValueError:
        value = inf
    if not least <= value <= most or value == inf or (whole and value != int(value)):
        raise ImpossibleStatisticError(
            f"The measure '{text}' has {name}={written}, which must be a"
            f" {'whole ' if whole else ''}number from {least:g}"
            + (f" to {most:g}." if most < inf else " on.")
        )
    return value


def _gains(text: str, value: str | None) -> Gains | None:
    if value is None:
        return None
    if value == "exp":
        return "exp"
    try:
        pairs = [pair.split(":") for pair in value.strip("{}").split(",")]
        gains = sorted((int(grade), float(gain)) for grade, gain in pairs)
    except ValueError:
        gains = []
    above = tuple((grade, gain) for grade, gain in gains if grade > 0)
    rising = all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(gains))
    if not above or not rising or not 0 <= above[0][1] <= above[-1][1] < inf:
        raise ImpossibleStatisticError(
            f"The measure '{text}' has gains={value}; write the gain of every grade above 0, none"
            " lower than that of the grade before, as in gains=1:1,2:3."
        )
    if above[-1][1] == 0 or any(gain for grade, gain in gains if grade <= 0):
        raise ImpossibleStatisticError(
            f"The measure '{text}' has gains={value}; only grades above 0 have a gain, and the"
            " highest must."
        )
    return above


def _plain(value: float) -> str:
    return repr(float(value)).removesuffix(".0")
