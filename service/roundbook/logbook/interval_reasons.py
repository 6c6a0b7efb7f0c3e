"""Reasons why a variance has no interval, or rounds have no test: the clause of each code.

Apart from the results that hold the codes, whose import takes NumPy's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundbook.logbook.variance_history import PooledOfKind

_NO_INTERVAL = {
    "fewer_than_3_topics": "fewer than 3 topics show no spread to judge it by",
    "no_variance": "a variance of 0 shows no spread to judge it by",
    "one_topic": "a single topic bears all of the variance",
    "too_uneven": "a single topic or team bears nearly all of the variance",
    "unbounded": "so few topics do not bound it from above",
    "unknown_size": "its numbers of topics and runs are not known",
    "fewer_than_10_topics": "a published value of fewer than 10 topics is too uncertain",
    "standardised": (
        "on a standardised scale the spread is only known from score matrices of the task's own"
    ),
}
_NO_TEST = {
    "one_round": "there is one round only",
    "too_few_topics": "there are too few topics for so many rounds",
    "not_separable": "some rounds hold the same scores, or vary by no topic",
}


def no_interval(reason: str) -> str:
    """Return the clause that says why a variance has no interval or no upper limit."""
    return _NO_INTERVAL.get(reason, reason)


def no_planning_variance(pooled: PooledOfKind) -> str:
    """Return the clause that says why rounds have no planning variance."""
    if pooled.interval is not None and pooled.interval.high is not None:
        return "the rounds differ so much that they do not bound the next one's from above"
    return no_interval(pooled.interval_reason or "unbounded")


def other_scales(ratios: Mapping[str, float]) -> str:
    """Return the clause on rounds with variances so many times that of the others."""
    times = [f"{ratio:,.0f}" if 1 < ratio < 1e9 else f"{ratio:.2g}" for ratio in ratios.values()]
    of_rounds = [f"of {label} is {so}" for label, so in zip(ratios, times, strict=True)]
    whose = "its" if len(of_rounds) == 1 else "their"
    return (
        f"the variance {', that '.join(of_rounds)} times that of the other rounds;"
        f" perhaps {whose} scores are on another scale (percent?)"
    )


def no_test(reason: str) -> str:
    """Return the clause that says why the rounds' variances cannot be tested."""
    return _NO_TEST.get(reason) or no_interval(reason)
