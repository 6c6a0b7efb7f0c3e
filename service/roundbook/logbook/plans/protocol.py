"""A plan in words: its headline, and a paragraph to paste into an overview paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.logbook.plans.answers import answers
from roundbook.logbook.plans.design import is_test
from roundbook.logbook.plans.variance import (
    PAIRED,
    VarianceAt,
    VarianceKind,
    kind_of,
    next_round,
    pooled_rounds,
    round_interval,
)
from roundbook.logbook.plans.variance import variance_at as read_at
from roundbook.statistics.design import DESIGNS

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Alternative, Plan
    from roundbook.logbook.pooling import Interval
    from roundbook.logbook.variances import VarianceHistory

_METHOD = "T. Sakai, Topic set size design, Information Retrieval Journal 19, 256-283, 2016"

_SOLVED_FOR = {
    "topics": "Topics needed",
    "power": "Power",
    "min-d": "Smallest minD",
    "m": "Most runs",
}


def headline(plan: Plan) -> str:
    """Return what a plan answers, for which design and from which variance, in one line."""
    kind = kind_of(plan)
    # Of a paired difference it may be either; of the others, one-way goes without saying.
    named = kind is not None and (kind == "two-way" or plan.design in PAIRED)
    variance = f"{kind} variance" if named else "variance"
    what = _SOLVED_FOR.get(plan.solve, f"Largest {variance}")
    rates = f"confidence {100 * (1 - plan.alpha):.10g}%"
    if is_test(plan):
        beta = "" if plan.solve == "power" else f", beta {plan.beta:g}"
        rates = f"alpha {plan.alpha:g}{beta}, engine {plan.engine}"
    elif plan.solve == "min-d":
        what = "Smallest width"
    line = f"{what}: {DESIGNS[plan.design].title}, {rates}"
    if plan.variance is None:
        return line
    return f"{line}, {variance} {plan.variance:.5g} ({_origin(plan)})"


def _origin(plan: Plan) -> str:
    history = plan.estimate
    if history is None:
        return "as given"
    measure = f"{history.measure} on the {plan.scale} scale"
    rounds = ", ".join(pooled_rounds(history.pooled, kind_of(plan) or "one-way"))
    match plan.variance_at:
        case "planning":
            return f"{measure}, the planning variance from rounds {rounds}"
        case "latest":
            return f"{measure}, of the latest round {history.rounds[-1].round}"
        case "given":
            return f"{measure}, as given"
        case _:
            return f"{measure}, pooled over rounds {rounds}"


_OF_LIMIT: dict[VarianceAt, str] = {
    "pooled": "the pooled {}",
    "planning": "the planning value of the {}",
    "latest": "the latest round's {}",
}


def beside(alternative: Alternative) -> str:
    """Return what stands beside a plan, as a clause."""
    variance = f"{alternative.variance:.5g}"
    of_kind = _OF_LIMIT[alternative.variance_at].format(
        f"{alternative.variance_kind} variance {variance}"
    )
    match alternative.name:
        case "pooled":
            return f"at the pooled variance {variance}"
        case "planning":
            return (
                f"at the planning variance {variance}, which 4 of 5 next rounds of this kind stay"
                " below"
            )
        case "paired":
            return f"by twice {of_kind}, as a difference of two runs varies on average"
        case "conservative":
            return f"by twice {of_kind}, as published plans do (Sakai)"
        case _:
            return f"{DESIGNS[alternative.design].label}, by {of_kind}"


def fits(plan: Plan) -> str:
    """Return which experiment the plan's design fits, and the designs beside it, in a sentence."""
    shown = dict.fromkeys([plan.design, *(other.design for other in plan.alternatives)])
    clauses = "; design ".join(f"{name} fits {DESIGNS[name].fits}" for name in shown)
    return f"Design {clauses}."


def protocol(plan: Plan) -> str:
    """Return a plan in one paragraph: design, engine, error rates, variance, sizes, method."""
    return " ".join([_design(plan), *_variance(plan), _assumed(plan), answers(plan), _method(plan)])


def _design(plan: Plan) -> str:
    title, computed = DESIGNS[plan.design].title, f"computed by {plan.software}"
    if not is_test(plan):
        return (
            f"The topic set was designed by the expected full width of the"
            f" {100 * (1 - plan.alpha):.10g}% confidence {title} ({computed})."
        )
    power = "" if plan.solve == "power" else f", beta = {plan.beta:g} (power {1 - plan.beta:.10g})"
    kind = DESIGNS[plan.design]
    family = "F" if plan.design in ("anova", "two-way") else "t"
    approximation = (
        "of Sakai's published spreadsheets"
        if kind.sakai_published
        else "of Sakai's published spreadsheets carried over to this design, which is not published"
    )
    engine = (
        f"with the noncentral {family} distribution (engine exact)"
        if plan.engine == "exact"
        else f"with the approximation {approximation} (engine sakai)"
    )
    runs = "the best and the worst of m runs" if kind.takes_runs else "two runs"
    return (
        f"The topic set was designed for a {title} with alpha = {plan.alpha:g}{power}, {computed}"
        f" {engine}; minD is the smallest difference between {runs} that is worth detecting."
    )


_WHICH: dict[VarianceKind | None, str] = {
    "one-way": "The one-way residual variance (around run means)",
    "two-way": "The two-way residual variance (around run and topic means)",
    None: "The residual variance",
}


def _variance(plan: Plan) -> list[str]:
    """Say which variance was taken, from which rounds, and with which interval."""
    if plan.variance is None:
        return []
    which, history = _WHICH[kind_of(plan)], plan.estimate
    if history is None:
        return [f"{which} of the scores was taken as {plan.variance:.5g}{_doubled(plan)}."]
    label = "" if history.assessments == "official" else f", {history.assessments} assessments"
    sentences = [
        f"{which} of {history.measure} ({history.scale} scale{label}) was taken as"
        f" {plan.variance:.5g}{_doubled(plan)}{_taken(plan, history)}."
    ]
    if plan.variance_planning is not None and plan.variance_at == "pooled":
        sentences.append(
            "The planning variance, which 4 of 5 next rounds of this kind are expected to stay"
            f" below, is {plan.variance_planning:.5g}."
        )
    return sentences


def _doubled(plan: Plan) -> str:
    if plan.design not in PAIRED:
        return ""
    why = {
        "paired": " (its mean over all pairs of runs)",
        "conservative": " (as if the runs had no topics in common, which is conservative)",
        None: "",
    }
    return f", and that of a difference between two runs as twice it{why[plan.variance_of]}"


def _taken(plan: Plan, history: VarianceHistory) -> str:
    kind = kind_of(plan) or "one-way"
    match plan.variance_at:
        case "given":
            return ", a value given for it"
        case "latest":
            last = history.rounds[-1]
            interval = _interval(round_interval(last, kind))
            return f": that of the latest round, {last.round} of {history.task}{interval}"
        case "planning":
            pooled = read_at(history, kind, "pooled")
            return (
                ": the planning variance, which 4 of 5 next rounds of this kind are expected to"
                f" stay below. The pooled variance is {pooled:.5g}: {_pooled(plan, history, kind)}"
            )
        case _:
            return f": {_pooled(plan, history, kind)}"


def _pooled(plan: Plan, history: VarianceHistory, kind: VarianceKind) -> str:
    pooled, rounds = history.pooled, pooled_rounds(history.pooled, kind)
    dof = pooled.dof if kind == "one-way" else pooled.two_way_dof
    weights = "their degrees of freedom" if pooled.weights == "dof" else "their topics less one"
    origin = f"that of round {rounds[0]} of {history.task}"
    if len(rounds) > 1:
        origin = (
            f"pooled by {weights} over {len(rounds)} rounds of {history.task} ({', '.join(rounds)})"
        )
    return f"{origin}, {dof} degrees of freedom{_interval(plan.interval)}"


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    high = "without an upper limit" if interval.high is None else f"to {interval.high:.5g}"
    text = f", with a {100 * interval.level:.10g}% interval from {interval.low:.5g} {high}"
    if interval.of is None:
        return f"{text} ({interval.method})"
    others = "systems and topics like these"
    if interval.of == "these runs":
        others = "topics like these, and these runs"
    return f"{text} ({interval.method}; for other {others})"


def _assumed(plan: Plan) -> str:
    """Say what the plan assumes beyond its variance."""
    kind = DESIGNS[plan.design]
    runs = "runs" if kind.takes_runs else "two runs"
    topics = "on the same topics" if kind.shares_topics else "on topics of their own each"
    alike = ""
    if plan.variance_of == "paired":
        alike = " that differ as pairs of runs do on average"
    assumed = [f"{runs} {topics}{alike}", "normal scores of one variance"]
    if plan.estimate is not None and plan.variance_at != "given":
        following = next_round(plan.estimate.pooled, kind_of(plan) or "one-way")
        these = following is not None and following.of == "these runs"
        systems = "these very systems" if these else "systems like these"
        assumed.append(f"a next round of the same kind with {systems}")
    return f"The plan assumes {', '.join(assumed[:-1])} and {assumed[-1]}."


def _method(plan: Plan) -> str:
    if plan.design in ("two-way", "tukey"):
        title = DESIGNS[plan.design].title
        return f"The method is that of {_METHOD}, with the {title} in place of one-way ANOVA."
    if plan.variance_of == "paired":
        return (
            f"The method is that of {_METHOD}, with the two-way in place of the one-way residual"
            " variance."
        )
    return f"The method is that of {_METHOD}."
