"""A plan in sentences and as a table: headline, alternatives, advice, warnings, notes, cells."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from roundbook.errors import WayOut
from roundbook.logbook.interval_reasons import no_interval, no_planning_variance
from roundbook.logbook.plans.plan import VarianceAt, plan_variance_kind
from roundbook.measure_names import is_within_one
from roundbook.presentation import variances
from roundbook.presentation.column_types import types_of
from roundbook.presentation.latex import latex
from roundbook.presentation.phrases import counted
from roundbook.presentation.rounds import out_of_order
from roundbook.presentation.saved_results import change_of_round
from roundbook.presentation.tables import Column, count, fixed_beside, number, values_at
from roundbook.presentation.variance_differences import disagreement
from roundbook.requests.plans import INTERVALS, PAIRED
from roundbook.statistics.design import DESIGNS
from roundbook.statistics.design.inputs import sentence
from roundbook.statistics.design.inputs import way_out as way_out_of

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Alternative, Plan, PlanNote, RoundPower
    from roundbook.logbook.saved_results import ShownResult

_SOLVED_FOR = {
    "topics": "Topics needed",
    "power": "Power",
    "min-d": "Smallest minD",
    "m": "Most runs",
}


def plan_changes(saved: ShownResult) -> dict[str, Any]:
    """Return the changes since a plan was saved, as JSON prints them.

    `stale` are the rounds that count differently today, with their one-way variances then and now
    unless the plan takes the two-way one; `new_rounds` are those that did not count then.
    """
    two_way = plan_variance_kind(cast("Plan", saved.result)) == "two-way"
    omitted = {"was": None, "now": None} if two_way else {}
    return {
        "stale": [
            change.model_dump(include={"round", "was", "now"})
            | omitted
            | {"why": change_of_round(change)}
            for change in saved.changes
            if not change.of_new_round
        ],
        "new_rounds": [change.round for change in saved.changes if change.of_new_round],
    }


def headline(plan: Plan) -> str:
    """Return the headline of a plan: what it solves for, its design, error rates and variance."""
    kind = plan_variance_kind(plan)
    # Only a paired design may rest on either variance, so only there one-way is mentioned.
    named = kind == "two-way" or (plan.design in PAIRED and plan.estimate is not None)
    variance = f"{kind} variance" if named else "variance"
    solved = _SOLVED_FOR.get(plan.solve, f"Largest {variance}")
    beta = "" if plan.solve == "power" else f", beta {plan.beta:g}"
    rates = f"alpha {plan.alpha:g}{beta}, engine {plan.engine}"
    if plan.design in INTERVALS:
        rates = f"confidence {100 * (1 - plan.alpha):.10g}%"
        solved = "Smallest width" if plan.solve == "min-d" else solved
    line = f"{solved}: {DESIGNS[plan.design].title}, {rates}"
    if plan.variance is None:
        return line
    origin = "as given"
    if plan.design in PAIRED:
        origin += "; a difference of two runs varies by twice it"
    if (history := plan.estimate) is not None:
        labels = history.pooled.of_kind(kind).rounds
        one = len(labels) == 1
        rounds = f"{'round' if one else 'rounds'} {', '.join(labels)}"
        of_limit = {
            "planning": f"the planning variance from {rounds}",
            "latest": f"of the latest round {history.rounds[-1].round}",
            "given": origin,
        }.get(plan.variance_at or "pooled", f"{'of' if one else 'pooled over'} {rounds}")
        of_measure = f"{history.measure} on the {plan.scale} scale"
        origin = f"{of_measure}{variances.of_assessments(history)}, {of_limit}"
    return f"{line}, {variance} {plan.variance:.5g} ({origin})"


_OF_LIMIT: dict[VarianceAt, str] = {
    "pooled": "the pooled {}",
    "planning": "the planning value of the {}",
    "latest": "the latest round's {}",
}


def alternative(plan: Plan, option: Alternative) -> str:
    """Return the clause on an alternative to a plan: its variance or design."""
    variance = f"{option.variance:.5g}"
    of_kind = _OF_LIMIT[option.variance_at].format(f"{option.variance_kind} variance {variance}")
    match option.name:
        case "pooled":
            return f"at the pooled variance {variance}"
        case "planning":
            assert plan.estimate is not None
            rounds = variances.below_planning(plan.estimate, option.variance_kind)
            return (
                f"at the planning variance {variance}, which {rounds} stay below"
                f" {variances.AS_ELSEWHERE}"
            )
        case "paired":
            return f"by twice {of_kind}, as a difference of two runs varies on average"
        case "conservative":
            return f"by twice {of_kind}, as published plans do (Sakai)"
        case _:
            return f"{DESIGNS[option.design].label}, by {of_kind}"


def fits(plan: Plan) -> str | None:
    """Return the sentence on the experiments that a plan's design and its alternatives fit.

    It is None where `design_advice` compares the designs instead.
    """
    if plan.design == "anova" and tukey_instead(plan):
        return None
    designs = dict.fromkeys([plan.design, *(option.design for option in plan.alternatives)])
    clauses = "; design ".join(f"{name} fits {DESIGNS[name].fits}" for name in designs)
    return f"Design {clauses}."


def tukey_instead(plan: Plan) -> str | None:
    """Return the phrase for runs that Tukey's HSD suits better than a plan's design, or None.

    None too while the scores are to be looked at before anything is planned with them.
    """
    doubt = warning(plan)
    if doubt is not None and doubt.way_out is not None and doubt.way_out.code == _LOOK:
        return None
    if plan.design == "anova" and plan.solve == "topics":
        if any(option.name == "tukey" for option in plan.alternatives):
            return "where all runs get the same topics, as in most campaigns"
    elif plan.design == "two-way" and max(plan.m) >= 10:
        return "for 10 runs or more"
    elif plan.design == "paired-t":
        return "for the best and the worst of several runs"
    return None


def design_advice(plan: Plan) -> str | None:
    """Return the advice to take another design than a plan's; None where its own is as good."""
    runs = tukey_instead(plan)
    if runs is None:
        return None
    if plan.design == "anova":
        return (
            f"Take the size by tukey {runs}; anova, the design of published plans, is for runs that"
            " each have topics of their own."
        )
    return f"{runs.capitalize()} prefer tukey."


def guidance(plan: Plan) -> list[str]:
    """Return the sentences on which size of a plan to take, and what its alternatives are."""
    return list(filter(None, [design_advice(plan), *beside(plan), fits(plan)]))


class Note(NamedTuple):
    """A remark on a plan, and the advice on it, None where there is none."""

    sentence: str
    way_out: WayOut | None


def remarks(plan: Plan) -> list[Note]:
    """Return the remarks on a plan: its warning, the scores left out and its notes."""
    left_out = variances.withdrawn_notes(plan.estimate) if plan.estimate else []
    warned = filter(None, [warning(plan)])
    return [*warned, *(Note(sentence, None) for sentence in left_out), *notes(plan)]


# The code of the advice to look at the scores before anything is planned with them.
_LOOK = "look at the scores"


def warning(plan: Plan) -> Note | None:
    """Return the warning that rounds disagree about the plan's variance; None if they do not.

    It has no advice where the plan follows it.
    """
    found = None if plan.estimate is None else disagreement(plan.estimate, plan_variance_kind(plan))
    if found is None:
        return None
    follows = plan.variance_at not in (None, "pooled") and found.way_out.code != _LOOK
    return Note(found.sentence, None if follows else found.way_out)


def notes(plan: Plan) -> list[Note]:
    """Return a plan's notes; those of plans saved earlier are sentences already."""
    listed = [
        Note(note, None) if isinstance(note, str) else Note(_note(plan, note), _way_out(plan, note))
        for note in plan.notes
    ]
    beyond = _beyond_scores(plan)
    return listed if beyond is None else [*listed, Note(beyond, None)]


def _way_out(plan: Plan, note: PlanNote) -> WayOut | None:
    """Return the advice on a note, None where there is none."""
    if note.code == "no_two_way_variance" and plan.estimate is not None:
        history = plan.estimate
        return WayOut("log a round", {"task": history.task, "measure": history.measure})
    if note.out_of_order is not None and plan.estimate is not None:
        last = note.out_of_order.recorded_after
        (row,) = (row for row in plan.estimate.rounds if row.round == last)
        variance = row.of_kind(plan_variance_kind(plan)).variance
        if variance:
            facts = {"round": last, "variance": f"{variance:.5g}"}
            return WayOut("plan from the round held last", facts)
    return reason_way_out(note.reason)


def _beyond_scores(plan: Plan) -> str | None:
    """Return the note on a minD that scores between 0 and 1 cannot differ by, None if there is none."""
    history, largest = plan.estimate, max(plan.min_d, default=0.0)
    if history is None or plan.design in INTERVALS or largest <= 1:
        return None
    within = is_within_one(history.measure) if history.scale == "raw" else True
    if not within or history.other_scale(plan_variance_kind(plan)) is not None:
        return None
    return (
        f"No runs differ by {largest:.10g}: scores of {history.measure} on the {history.scale} scale lie"
        " between 0 and 1."
    )


# By the name of an alternative, the start of the note that it has no answer for some cells.
_BY = {
    "planning": "At the planning variance",
    "pooled": "At the pooled variance",
    "paired": "By twice the two-way variance",
    "conservative": "By twice the one-way variance",
    "anova": "By one-way ANOVA",
    "tukey": "By Tukey's HSD",
}


def _note(plan: Plan, note: PlanNote) -> str:
    if note.code == "no_two_way_variance":
        return (
            "No round has a two-way variance, so the variance of a difference is taken as twice the"
            " one-way one: a score matrix of two runs or more gives the two-way one, which is mostly"
            " smaller."
        )
    if note.code == "no_planning_variance":
        why = no_interval(note.reason or "")
        if plan.estimate is not None:
            why = no_planning_variance(plan.estimate.pooled.of_kind(plan_variance_kind(plan)))
        return f"There is no planning variance: {why}."
    if note.out_of_order is not None:
        return (
            f"{out_of_order(note.out_of_order)}: the plan takes the variance of the round recorded"
            " last, not of the one held last."
        )
    why = sentence(note.reason or "", note.arguments)
    if note.by is None:
        have, are = ("has", "is") if note.cells == 1 else ("have", "are")
        return f"{counted(note.cells or 0, 'cell')} {have} no answer and {are} left out: {why}"
    basis = _BY.get(note.by, f"By the engine {note.by}")
    return f"{basis}, {note.cells} of {len(plan.cells)} cells have no answer: {why}"


_NO_POWER = {
    "zero_variance": "Its variance is 0.",
    "no_two_way_variance": "It has no two-way variance.",
}


def no_power(row: RoundPower) -> str | None:
    """Return the sentence on why a round has no power; None where it has."""
    return row.reason and (_NO_POWER.get(row.reason) or sentence(row.reason, row.arguments))


def reason_way_out(reason: str | None) -> WayOut | None:
    """Return the advice on the code of a reason; None where there is none."""
    code = way_out_of(reason or "")
    return None if code is None else WayOut(code, {})


def powers_heading(plan: Plan) -> str:
    """Return the heading of the table of the power that each round had."""
    variance = "two-way variance" if plan_variance_kind(plan) == "two-way" else "variance"
    return (
        f"Power that each round had by {DESIGNS[plan.design].title}, with its own topics and"
        f" {variance}; enough is {1 - plan.beta:.10g}, by the engine {plan.engine}:"
    )


# The field of the variance's upper limit, which only plans saved earlier have, and its column.
_UPPER_LIMIT, _UPPER = "variance_upper", "upper"


def plan_latex(plan: Plan, basis: str | None = None) -> str:
    """Return a plan's grid as a LaTeX table, with its columns explained in the caption.

    `basis` tells how the sizes were computed and what that assumes, in place of the headline.
    """
    caption = " ".join([basis or f"{headline(plan)}.", *beside(plan)])
    return latex(caption, plan_rows(plan), plan_columns(plan))


def beside(plan: Plan) -> list[str]:
    """Return a sentence on each column of alternatives, which begins with the column's heading."""
    lines = [f"{option.name}: {alternative(plan, option)}." for option in plan.alternatives]
    if (upper := getattr(plan, _UPPER_LIMIT, None)) is not None:
        lines.append(f"{_UPPER}: at {upper:.5g}, the upper end of the variance's interval.")
    return lines


def plan_columns(plan: Plan) -> tuple[Column, ...]:
    """Return the columns of a plan: inputs, solved for, achieved, both engines, alternatives."""
    interval = plan.design in INTERVALS
    solved = {"topics": "topics", "min-d": "min_d", "m": "m"}.get(plan.solve)
    # The column solved for comes after the inputs.
    columns = sorted((*_inputs(plan), _TOPICS), key=lambda column: column.field == solved)
    columns += [_VARIANCE] if plan.solve == "variance" else []
    columns.append(
        _plain("width", "Expected", 4) if interval else number("achieved_power", "Power")
    )
    digits = {"topics": 0, "power": 4, "min-d": 4, "variance": 5, "m": 0}[plan.solve]
    engines = [_plain(f"solved_{engine}", engine, digits) for engine in ("exact", "sakai")]
    if plan.solve == "topics":
        engines = [count("topics_exact", "exact"), count("topics_sakai", "sakai")]
    columns += [] if interval else engines
    names = [option.name for option in plan.alternatives]
    names += [_UPPER] if getattr(plan, _UPPER_LIMIT, None) is not None else []
    if plan.solve == "topics":
        return (*columns, *(count(f"topics_{name}", name) for name in names))
    return (*columns, *(_plain(f"solved_{name}", name, digits) for name in names))


def plan_rows(plan: Plan) -> list[SimpleNamespace]:
    """Return the rows of a plan, a cell each, with the task, the measure and the alternatives."""
    labels = values_at(plan, {"task": "estimate.task", "measure": "estimate.measure"})
    whole = plan.solve == "topics"
    prefix = "topics" if whole else "solved"
    rows = []
    for cell in plan.cells:
        values = {
            f"{prefix}_{name}": int(value) if whole and value is not None else value
            for name, value in cell.beside.items()
        }
        rows.append(SimpleNamespace(**labels, **cell.model_dump(exclude={"beside"}), **values))
    return rows


def plan_types(plan: Plan) -> dict[str, type]:
    """Return the types of the columns of `plan_rows`."""
    from roundbook.logbook.plans.plan import PlanCell  # noqa: PLC0415

    prefix, kind = ("topics", int) if plan.solve == "topics" else ("solved", float)
    types = {"task": str, "measure": str, **types_of(PlanCell)}
    del types["beside"]
    return types | {f"{prefix}_{option.name}": kind for option in plan.alternatives}


def round_columns(plan: Plan) -> tuple[Column, ...]:
    """Return the columns of the power that rounds had."""
    powers = [
        Column(
            f"power_{engine}",
            engine,
            partial(fixed_beside, limits=[1 - plan.beta], digits=4),
            "right",
        )
        for engine in ("exact", "sakai")
    ]
    return (Column("round", "Round"), _TOPICS, _VARIANCE, *_inputs(plan), *powers, _ENOUGH)


def _inputs(plan: Plan) -> tuple[Column, ...]:
    """Return the columns of m, where a design has it, and minD."""
    heading = "Width" if plan.design in INTERVALS else "minD"
    m = (count("m", "m"),) if plan.m else ()
    return (*m, _plain("min_d", heading, 4 if plan.solve == "min-d" else 3))


def _plain(field: str, heading: str, digits: int) -> Column:
    """Return a column of numbers to `digits` decimals, or to 4 significant digits where needed."""

    def write(value: float) -> str:
        fixed = f"{value:.{digits}f}"
        return fixed if abs(float(fixed) - value) <= 1e-3 * abs(value) else f"{value:.4g}"

    return Column(field, heading, write, "right")


_TOPICS = count("topics", "Topics")
_VARIANCE = _plain("variance", "Variance", 5)
_ENOUGH = Column("enough", "Enough", lambda enough: "yes" if enough else "no")
