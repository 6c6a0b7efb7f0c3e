"""Variances in sentences: why there is no interval or test, and what it means if rounds differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundbook.logbook.pooling import Interval, Pooled, RoundVariance
    from roundbook.logbook.variances import VarianceHistory

_NO_INTERVAL = {
    "fewer_than_3_topics": "fewer than 3 topics show no spread to judge it by",
    "no_variance": "no run's scores vary over the topics",
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
    """Return why a variance has no interval, or no upper limit, as a clause."""
    return _NO_INTERVAL.get(reason, reason)


def no_test(reason: str) -> str:
    """Return why the rounds' variances cannot be tested, as a clause."""
    return _NO_TEST.get(reason) or no_interval(reason)


def disagreement(
    zeros: Sequence[str], rounds: int, p_value: float | None, ratio: float | None
) -> str | None:
    """Return the warning where rounds disagree, None where they do not.

    Parameters
    ----------
    zeros : sequence of str
        The rounds with a variance of 0.
    rounds : int
        How many there are.
    p_value : float or None
        Of the test of equal variances, where it rejects.
    ratio : float or None
        Largest variance over smallest.
    """
    if zeros and len(zeros) < rounds:
        return (
            f"The rounds disagree: the variance is 0 in {', '.join(zeros)} and not in the others,"
            " so no test and no interval exist. One pooled value hides that: look for what is"
            " wrong with the scores there before you plan with it."
        )
    if p_value is None or ratio is None:
        return None
    p = "p < .001" if p_value < 0.001 else f"p = {p_value:.3f}"
    return (
        f"The rounds disagree (Wald F test, {p}; largest over smallest {ratio:.2f}): the pooled"
        " value is the mean of different variances. Plan with the next round's planning variance,"
        " which counts how much rounds differ."
    )


def limits(low: float, high: float | None) -> str:
    """Return the limits of an interval; without an upper limit it is open."""
    return f"[{low:.5f}, {'...' if high is None else f'{high:.5f}'}]"


def summary(history: VarianceHistory) -> list[str]:
    """Return what follows from a variance history, a sentence or two an entry."""
    pooled = history.pooled
    lines = [_pooled(pooled), *pooled_summary(pooled), *_round_notes(history.rounds)]
    if any(row.interval for row in history.rounds):
        lines.append(_meaning(history.rounds, pooled))
    return lines


def pooled_summary(pooled: Pooled) -> list[str]:
    """Return whether the rounds differ, what the next one may have, and the two-way variance."""
    lines = []
    if len(pooled.rounds) > 1:
        lines.append(pooled.warning or _test(pooled))
    return [*lines, *_next_round(pooled), *_two_way(pooled)]


def _pooled(pooled: Pooled) -> str:
    line = f"Pooled over {_counted(len(pooled.rounds), 'round')} by {pooled.weights}:"
    line += f" {pooled.variance:.5f}, {_interval(pooled.interval, pooled.interval_reason)}"
    if pooled.topics is not None:
        line += f"; {_counted(pooled.topics, 'different topic')}"
    if pooled.max_min_ratio is not None and len(pooled.rounds) > 1:
        line += f", largest over smallest {pooled.max_min_ratio:.2f}"
    return line + "."


def _interval(interval: Interval | None, reason: str | None) -> str:
    if interval is None:
        return f"no interval ({no_interval(reason)})" if reason else "no interval"
    level = f"{100 * interval.level:.10g}%"
    text = f"{level} interval {limits(interval.low, interval.high)}"
    if interval.of == "these runs":
        text += " for these runs only"
    return text


def _test(pooled: Pooled) -> str:
    test = pooled.homogeneity
    if test.p_value is None or test.statistic is None:
        why = no_test(test.reason) if test.reason else "unknown"
        return f"Whether the rounds' variances differ cannot be tested: {why}."
    p = "< .001" if test.p_value < 0.001 else f"= {test.p_value:.3f}"
    return (
        f"The rounds' variances do not differ beyond chance (Wald F({test.dof},"
        f" {test.dof_residual:g}) = {test.statistic:.2f}, p {p})."
    )


def _next_round(pooled: Pooled) -> list[str]:
    following = pooled.next_round
    if following is None or following.u80 is None:
        return []
    kind = "with these runs" if following.of == "these runs" else "of this kind"
    line = (
        f"Next round: planning variance {following.u80:.5f}: 4 of 5 next rounds {kind} stay below"
    )
    if following.u95 is not None:
        line += f", and 19 of 20 below {following.u95:.5f}"
    if following.low is not None and following.high is not None:
        line += f"; 95% lie between {following.low:.5f} and {following.high:.5f}"
    return [line + "."]


def _two_way(pooled: Pooled) -> list[str]:
    if pooled.two_way_variance is None:
        return []
    line = (
        "Two-way residual, for plans of runs that share topics: pooled"
        f" {pooled.two_way_variance:.5f},"
        f" {_interval(pooled.two_way_interval, pooled.two_way_interval_reason)}"
    )
    if pooled.two_way_rounds != pooled.rounds:
        line += f" (over {', '.join(pooled.two_way_rounds)})"
    following = pooled.two_way_next_round
    if following is not None and following.u80 is not None:
        line += f", planning variance {following.u80:.5f}"
    return [line + "."]


def _round_notes(rounds: Sequence[RoundVariance]) -> list[str]:
    notes: dict[str, list[str]] = {}
    for row in rounds:
        if row.interval is None:
            if row.interval_reason:
                notes.setdefault(f"No interval: {no_interval(row.interval_reason)}", []).append(
                    row.round
                )
            continue
        if row.interval.high is None:
            notes.setdefault("No upper limit: so few topics do not bound it", []).append(row.round)
        if row.interval.source is not None:
            notes.setdefault(
                "Published without scores: its spread is taken from"
                f" {_published_spread(row.interval.source)}",
                [],
            ).append(row.round)
        if row.interval.of == "these runs":
            notes.setdefault(
                "For these runs only: which teams took part adds to the interval what cannot be"
                " known here",
                [],
            ).append(row.round)
        if row.interval.few_topics:
            notes.setdefault(
                "Few topics (under 25): the true variance is above the upper limit in 4 to 7%"
                " of cases instead of 2.5%",
                [],
            ).append(row.round)
    lines = [f"{text} ({_listed(names)})." for text, names in notes.items()]
    if sources := [f"{row.round}: {row.source}" for row in rounds if row.source]:
        lines.append(f"Sources: {'; '.join(sources)}.")
    return lines


def _published_spread(source: str) -> str:
    if source == "own matrices":
        return "the task's own score matrices"
    return f"what is usual ({source})"


def _meaning(rounds: Sequence[RoundVariance], pooled: Pooled) -> str:
    if pooled.interval is not None and pooled.interval.of == "these runs":
        return "The pooled interval is for these runs on other topics like these."
    line = "Intervals are for other systems on other topics like these (jackknife, no simulation)."
    alone = [
        row.round
        for row in rounds
        if row.origin == "matrix" and row.clusters == row.runs and row.runs > 1
    ]
    if alone:
        line += (
            f" As many teams as runs in {_listed(alone)}: a run of unknown team counts as a team of"
            " its own."
        )
    return line


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
