"""Reasons why no design has certain numbers: codes with arguments, and their sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from roundbook.errors import ImpossibleDesignError

MOST_TOPICS = 10_000_000
# SciPy's F distributions begin to return NaN at probabilities near 1e-100.
LEAST_PROBABILITY = 1e-30
MOST_COUNTED = 1_000_000_000


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
