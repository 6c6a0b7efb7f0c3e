"""Sentences on variances: summaries of a history, reasons for a missing interval or test."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

from roundbook.errors import WayOut
from roundbook.logbook.interval_reasons import no_interval
from roundbook.logbook.withdrawals import left_out
from roundbook.presentation.column_types import types_at
from roundbook.presentation.measures import new_measure_notes, ratio_notes
from roundbook.presentation.phrases import counted, listed, under_label
from roundbook.presentation.tables import Column, count, fixed, values_at, variance_column
from roundbook.presentation.variance_differences import disagreement, test_sentence

if TYPE_CHECKING:
    from roundbook.logbook.published import RecordedVariance
    from roundbook.logbook.variance_history import (
        Interval,
        Pooled,
        RoundVariance,
        TeamsOfRounds,
        VarianceHistories,
        VarianceHistory,
        VarianceKind,
    )

# With no more teams than this an interval may cover less than its level; see `make coverage`.
_FEW_TEAMS = 5
# By column of CSV, the field of a round, and that of a pooled variance.
_ROUND = {
    **{name: name for name in ("round", "topics", "runs", "variance")},
    **{name: f"interval.{name}" for name in ("low", "high", "method", "of")},
    "two_way_variance": "two_way_variance",
    "two_way_low": "two_way_interval.low",
    "two_way_high": "two_way_interval.high",
    **{name: name for name in ("clusters", "dof", "origin", "source")},
}
_POOLED = {
    "variance": "variance",
    "low": "interval.low",
    "high": "interval.high",
    "planning_variance": "next_round.u80",
    **{name: name for name in ("dof", "weights", "rounds", "max_min_ratio")},
    "homogeneity_p": "homogeneity.p_value",
    "two_way_variance": "two_way_variance",
}
# By column of CSV, the field of the pooled variance in the last row, below those of the rounds.
_OF_A_ROUND = {"round", "runs", "clusters", "origin", "source"}
_POOLED_ROW = {name: field for name, field in _ROUND.items() if name not in _OF_A_ROUND}
# The premise of the limits of the next round, which matters most with few rounds.
AS_ELSEWHERE = "if rounds vary as in other campaigns"
HISTORY_LINE = ("measure", "assessments", *_ROUND)


def limits(interval: Interval) -> str:
    """Return the limits of an interval as text, with ``...`` for a missing upper limit."""
    high = "..." if interval.high is None else fixed(interval.high, 5)
    return f"[{fixed(interval.low, 5)}, {high}]"


ROUNDS = (
    Column("round", "Round"),
    count("topics", "Topics", spare=2),
    count("runs", "Runs", spare=3),
    count("clusters", "Teams", spare=4),
    variance_column("variance", "Variance"),
    Column("interval", "95% interval", limits),
    variance_column("two_way_variance", "Two-way", spare=1),
)


def heading(history: VarianceHistory) -> str:
    """Return the heading of a variance history: task, measure, scale and assessments."""
    return f"{history.task}: {history.measure}, {history.scale} scale{of_assessments(history)}"


def of_assessments(history: VarianceHistory) -> str:
    """Return a history's assessments as the end of a phrase, empty for the default ones."""
    # Of several kinds of assessments, a round counts by the first that it has.
    return under_label(", else ".join(history.mixed) or history.assessments)


def summary(history: VarianceHistory) -> list[str]:
    """Return the summary of a variance history in short, one or two sentences an entry."""
    pooled = history.pooled
    line = f"Pooled over {counted(len(pooled.rounds), 'round')} by {pooled.weights}:"
    line += f" {fixed(pooled.variance, 5)}, {_interval(pooled.interval, pooled.interval_reason)}"
    if pooled.topics is not None:
        line += f"; {counted(pooled.topics, 'different topic')}"
    if pooled.max_min_ratio is not None and len(pooled.rounds) > 1:
        line += f", largest over smallest {pooled.max_min_ratio:.2f}"
    return [f"{line}.", *conclusions(history)]


def conclusions(history: VarianceHistory) -> list[str]:
    """Return the sentences of a summary below its pooled variance.

    They are whether rounds differ, the planning variance, and what limits the intervals.
    """
    pooled, lines = history.pooled, []
    one_way, of_two_way = disagreement(history), disagreement(history, "two-way")
    if one_way is not None:
        lines.append(one_way.sentence)
    elif len(pooled.rounds) > 1:
        lines.append(test_sentence(pooled.homogeneity, "one-way " if of_two_way else ""))
    if (planning := pooled.of_kind("one-way").planning_variance) is not None:
        lines.append(
            f"Next round: planning variance {fixed(planning, 5)}. {AS_ELSEWHERE.capitalize()},"
            f" {below_planning(history)} stay below it."
        )
    # Where rounds have a variance of 0 or are on another scale, both warnings say the same.
    same = of_two_way == one_way or history.other_scale("one-way") is not None
    if of_two_way is not None and not same:
        lines.append(of_two_way.sentence)
    lines += remarks(history)
    if any(row.interval for row in history.rounds):
        unknown = None if only_these(history) else unknown_teams(history)
        lines += filter(None, [_scope(history), unknown])
    return lines


def in_detail(history: VarianceHistory) -> list[str]:
    """Return what a summary leaves out: further limits, the two-way variance, what is assumed."""
    lines = [*_further_limits(history), *_two_way(history.pooled)]
    if any(row.interval for row in history.rounds):
        planning = history.pooled.of_kind("one-way").planning_variance
        instead = "" if planning is None else "; the planning variance does"
        lines += [
            *_meaning(history),
            f"Intervals do not count how much rounds vary{instead}.",
        ]
    return lines


def only_these(history: VarianceHistory, kind: VarianceKind = "one-way") -> str | None:
    """Return the noun for the runs or teams that the pooled variance holds for only, or None.

    It holds for others too unless all teams took part in every round or its interval is of runs.
    """
    interval, teams = history.pooled.of_kind(kind).interval, history.teams
    if interval is not None and interval.of == "these runs":
        return "these runs"
    if teams is not None and teams.in_every_round == teams.teams > 0 and not teams.some_unknown:
        return "these runs" if interval is None else "these teams"
    return None


# In a round of so many teams or fewer, the limits of the two-way variance are passed more often.
_FEW_FOR_LIMITS = 10


def below_planning(history: VarianceHistory, kind: VarianceKind = "one-way") -> str:
    """Return the noun phrase for the next rounds that stay below the planning variance.

    By simulation they are fewer than 4 of 5 where teams return or, of the two-way variance, are few.
    """
    clusters = [row.clusters for row in history.rounds if row.clusters is not None]
    share = "3 of 4" if _returning_in_half(history) else "4 of 5"
    if kind == "two-way" and clusters and min(clusters) <= _FEW_FOR_LIMITS:
        share = "7 of 10"
    return f"about {share} {_next_rounds(history, kind)}"


def _returning_in_half(history: VarianceHistory) -> bool:
    """Return whether half or more of later rounds' teams had taken part before."""
    teams = history.teams
    return teams is not None and 2 * teams.again >= teams.later > 0


def _next_rounds(history: VarianceHistory, kind: VarianceKind) -> str:
    these = only_these(history, kind)
    return f"next rounds with {these}" if these else "next rounds of this kind"


def withdrawn_notes(history: VarianceHistory) -> list[str]:
    """Return a note for each withdrawn score matrix that a variance history leaves out."""
    return [left_out(matrix, history.pooled.rounds) for matrix in history.withdrawn]


def histories_notes(result: VarianceHistories) -> list[str]:
    """Return a note for each withdrawn score matrix that variance histories leave out."""
    counted = {(one.measure, one.assessments): one.pooled.rounds for one in result.histories}
    return [
        left_out(matrix, counted.get((matrix.measure, matrix.assessments), ()))
        for matrix in result.withdrawn
    ]


def recorded_notes(recorded: RecordedVariance, reason: str | None = None) -> list[str]:
    """Return the notes on a variance just recorded as published; `reason` is a revision's."""
    notes = new_measure_notes(recorded.measure, recorded.other_measures)
    notes += ratio_notes(recorded.measure, recorded.variance_ratio)
    if reason is not None and recorded.status == "unchanged":
        notes.append("It is recorded already, so the reason was not recorded.")
    if recorded.matrix is not None:
        notes.append(
            "This round has a logged score matrix; variances are taken from that, not from what is"
            " published."
        )
    return notes


def history_lines(history: VarianceHistory) -> list[SimpleNamespace]:
    """Return the CSV rows of a variance history, with every limit in a column of its own.

    The last row is the pooled variance, and has no round.
    """
    labels = {"measure": history.measure, "assessments": history.assessments}
    rounds = [SimpleNamespace(**labels, **values_at(row, _ROUND)) for row in history.rounds]
    pooled = dict.fromkeys(_ROUND) | values_at(history.pooled, _POOLED_ROW) | {"origin": "pooled"}
    return [*rounds, SimpleNamespace(**labels, **pooled)]


def history_types() -> dict[str, type]:
    """Return the types of the columns of `history_lines`."""
    # The help of the commands needs this module, but no such model.
    from roundbook.logbook.variance_history import RoundVariance  # noqa: PLC0415

    return {"measure": str, "assessments": str, **types_at(RoundVariance, _ROUND)}


def pooled_line(pooled: Pooled) -> SimpleNamespace:
    """Return the table row of a pooled variance."""
    return SimpleNamespace(**values_at(pooled, _POOLED))


def _interval(interval: Interval | None, reason: str | None) -> str:
    if interval is None:
        return f"no interval ({no_interval(reason)})" if reason else "no interval"
    scope = " for these runs only" if interval.of == "these runs" else ""
    return f"{100 * interval.level:.10g}% interval {limits(interval)}{scope}"


def _further_limits(history: VarianceHistory) -> list[str]:
    limit, stay = history.pooled.next_round, []
    if limit is not None and limit.u80 is not None and limit.u95 is not None:
        share = "9 of 10" if _returning_in_half(history) else "19 of 20"
        stay.append(f"{share} stay below {fixed(limit.u95, 5)}")
    if limit is not None and limit.low is not None and limit.high is not None:
        stay.append(f"95% lie between {fixed(limit.low, 5)} and {fixed(limit.high, 5)}")
    of = f"{AS_ELSEWHERE.capitalize()}, of {_next_rounds(history, 'one-way')}"
    return [f"{of} {', and '.join(stay)}."] if stay else []


def _two_way(pooled: Pooled) -> list[str]:
    if pooled.two_way_variance is None:
        return []
    line = (
        "Two-way residual, for plans of runs that share topics: pooled"
        f" {fixed(pooled.two_way_variance, 5)},"
        f" {_interval(pooled.two_way_interval, pooled.two_way_interval_reason)}"
    )
    if pooled.two_way_rounds != pooled.rounds:
        line += f" (over {', '.join(pooled.two_way_rounds)})"
    if (planning := pooled.of_kind("two-way").planning_variance) is not None:
        line += f", planning variance {fixed(planning, 5)}"
    return [line + "."]


def remarks(history: VarianceHistory) -> list[str]:
    """Return the remarks on the rounds' intervals and collections, and the sources."""
    labels: dict[str, list[str]] = {}
    rounds = history.rounds
    for row in rounds:
        for remark in _interval_remarks(row):
            labels.setdefault(remark, []).append(row.round)
    lines = [f"{remark} ({listed(names, 8)})." for remark, names in labels.items()]
    if sources := [f"{row.round}: {row.source}" for row in rounds if row.source]:
        lines.append(f"Sources: {'; '.join(sources)}.")
    undeclared = [row.round for row in rounds if row.collection is None and row.origin == "matrix"]
    declared = {row.collection.casefold() for row in rounds if row.collection is not None}
    if undeclared and len(declared) > 1:
        lines.append(
            f"No document collection is declared for {listed(undeclared, 8)}, and the other rounds"
            " are on several: topics of these names count as other topics than theirs."
        )
    return lines


def _interval_remarks(row: RoundVariance) -> Iterator[str]:
    interval = row.interval
    if interval is None:
        if row.interval_reason:
            yield f"No interval: {no_interval(row.interval_reason)}"
        return
    if interval.high is None:
        yield "No upper limit: so few topics do not bound it"
    elif row.two_way_interval is not None and row.two_way_interval.high is None:
        yield "No upper limit of the two-way variance: so few topics do not bound it"
    if interval.source is not None:
        yield f"Published without scores: its spread is {spread_of(interval)}"
    if interval.of == "these runs":
        yield (
            "For these runs only: which teams took part adds to the interval what cannot be known"
            " here"
        )
    if row.clusters is not None and row.clusters <= _FEW_TEAMS and interval.of == "systems":
        yield (
            f"Few teams or runs (up to {_FEW_TEAMS}): what they tell of others is uncertain itself,"
            " and the interval may cover less than it says"
        )
    if interval.few_topics and interval.high is not None:
        yield (
            "Few topics (under 25): the true variance may lie above the upper limit more often than"
            " in 2.5% of cases"
        )


def spread_of(interval: Interval) -> str:
    """Return the origin of the spread of a published variance, as a clause after `is`."""
    if interval.source == "own matrices":
        return "taken from the task's own score matrices"
    return f"taken from what is usual ({interval.source})"


def _scope(history: VarianceHistory) -> str | None:
    """Return the sentence that the pooled interval is not for other teams, None where it is."""
    pooled, teams = history.pooled, history.teams
    if pooled.interval is not None and pooled.interval.of == "these runs":
        return "The pooled interval is for these runs on other topics like these."
    if only_these(history):
        return (
            "The same teams took part in every round: the pooled interval is for these teams on other"
            f" topics like these, and too narrow for other teams{_returning(pooled, 'for others')}."
        )
    if teams is None or not teams_return(history):
        return None
    return (
        f"{returning_cases(teams)}. The pooled interval counts it as a new team, and is too narrow by"
        f" that{_returning(pooled, 'with the same teams in all rounds')}."
    )


def returning_cases(teams: TeamsOfRounds) -> str:
    """Return the clause on how often a team of a later round had taken part before."""
    team = "a known team" if teams.some_unknown else "a team"
    cases = counted(teams.later, "case")
    return f"In {teams.again} of {cases}, {team} of a later round had taken part before"


def _meaning(history: VarianceHistory) -> list[str]:
    if only_these(history):
        return []
    of_rounds = [row.interval for row in history.rounds if row.interval is not None]
    pooled = history.pooled.interval
    intervals = of_rounds if pooled is None else [pooled]
    how = "jackknife, no simulation"
    if intervals and all(interval.method == "published" for interval in intervals):
        how = f"of published variances, whose spread is {spread_of(intervals[0])}"
    return [f"Intervals are for other systems on other topics like these ({how})."]


def _rounds_of_unknown_teams(history: VarianceHistory) -> list[RoundVariance]:
    """Return the rounds with runs of unknown team, each of which counts as its own team."""
    teams = history.teams
    return [
        row
        for row in history.rounds
        if row.origin == "matrix" and row.runs > 1
        if teams is None or row.round in teams.some_unknown
    ]


def unknown_teams(history: VarianceHistory, intervals: str = "intervals are") -> str | None:
    """Return the sentence that runs of unknown team count as teams of their own, or None.

    `intervals` is the noun phrase for the intervals that are then too narrow, with its verb.
    """
    rounds = _rounds_of_unknown_teams(history)
    if not rounds:
        return None
    all_rounds = len(rounds) == sum(row.origin == "matrix" for row in history.rounds)
    labels = [row.round for row in rounds]
    where, there = ("", "") if all_rounds else (f" in {listed(labels, 8)}", " there")
    if any(row.clusters != row.runs for row in rounds):
        return (
            f"The teams of some runs are unknown{where}, so each of these runs counts as its own"
            f" team; if teams sent several of them, the {intervals} too narrow."
        )
    return (
        f"Teams are unknown{where}, so every run{there} counts as its own team; if teams sent several"
        f" runs, the {intervals} too narrow."
    )


def unknown_teams_way_out(history: VarianceHistory) -> WayOut | None:
    """Return the advice where teams are unknown, None where they are not; see `unknown_teams`."""
    rounds = _rounds_of_unknown_teams(history)
    if not rounds:
        return None
    facts = {"task": history.task, "round": rounds[0].round if len(rounds) == 1 else "ROUND"}
    return WayOut("log a team file", facts)


def teams_return(history: VarianceHistory) -> bool:
    """Return whether half or more of later rounds' teams returned, but not all in every round."""
    return _returning_in_half(history) and not only_these(history)


def _returning(pooled: Pooled, scope: str) -> str:
    """Return the pooled intervals that hold where all teams return, as the end of a sentence."""
    one_way, two_way = pooled.returning_interval, pooled.two_way_returning_interval
    if one_way is None or (pooled.interval and limits(one_way) == limits(pooled.interval)):
        return ""
    return f": {scope} it is {limits(one_way)}" + (
        f", of the two-way variance {limits(two_way)}" if two_way else ""
    )
