"""``roundbook demo``: every kind of result, from published figures and a simulated campaign."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import typer

from roundbook.presentation.variances import ROUNDS, summary
from roundbook_cli.options import Form
from roundbook_cli.output import (
    Column,
    count,
    number,
    print_commands,
    progress,
    section,
    show,
)

if TYPE_CHECKING:
    from roundbook.logbook.demonstration import Demonstration
    from roundbook.logbook.drift.report import DriftReport

commands = typer.Typer()

_TRY_NEXT = (
    "plan --variance 0.05 --m 10 --min-d 0.1",
    "log mytask round1 scores.csv --measure nDCG@10 --create",
    "variance show mytask --measure nDCG@10",
)


@commands.command(epilog="Example: roundbook demo")
def demo(form: Form = "table") -> None:
    """Show what Roundbook does, in a database that is thrown away.

    The variances and plan sizes are published ones; the campaign is simulated.
    """
    from roundbook.logbook.demonstration import demonstrate
    from roundbook.settings import load_settings

    with progress("Demonstrating ...") as step:
        results = demonstrate(load_settings(), lambda doing: step(f"{doing} ..."))
    if form != "table":
        show(results, form, results.history.rounds, ROUNDS, extra=_text(results))
        return
    _print(results)


_PUBLISHED = (
    Column("task", "Task"),
    Column("measure", "Measure"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    number("variance", "Variance", 4),
)
_TABLE_2 = (
    count("m", "m"),
    number("min_d", "minD", 2),
    count("published", "Published"),
    count("topics_sakai", "sakai"),
    count("topics_exact", "exact"),
)
_FACTORS = (Column("topic", "Topic"), number("mean", "Mean"), number("sd", "sd"))


def _text(results: Demonstration) -> dict[str, Any]:
    """Return the JSON fields of the results with their sentences and commands."""
    from roundbook_cli.drift_commands import report_json
    from roundbook_cli.plan_advice import history_json, plan_json

    reports = ("drift_held", "drift_undecided", "drift_aged")
    return {
        "published": list(map(history_json, results.published)),
        **{name: history_json(getattr(results, name)) for name in ("history", "history_std_ab")},
        **{name: plan_json(getattr(results, name)) for name in ("plan", "next_round")},
        **{name: report_json(getattr(results, name)) for name in reports},
    }


def _print(results: Demonstration) -> None:
    from roundbook.presentation import plans

    published = [
        SimpleNamespace(
            task=history.task,
            measure=history.measure,
            topics=history.rounds[0].topics,
            runs=history.rounds[0].runs,
            variance=history.pooled.variance,
        )
        for history in results.published
    ]
    section(
        f"1. Published variances, recorded without their matrices ({results.source})",
        rows=published,
        columns=_PUBLISHED,
    )
    paper = {(cell.m, cell.min_d): cell.topics for cell in results.plan_published}
    sizes = [
        SimpleNamespace(**dict(cell), published=paper[cell.m, cell.min_d])
        for cell in results.plan.cells
    ]
    same = sum(size.published == size.topics_sakai for size in sizes)
    plan = results.plan
    section(
        f"2. Topics for the next STC, {plan.estimate.measure if plan.estimate else ''} with"
        f" variance {plan.variance:g}, alpha {plan.alpha:g}, beta {plan.beta:g}",
        rows=sizes,
        columns=_TABLE_2,
        below=[
            f"{same} of {len(sizes)} sizes by the engine 'sakai' equal the paper's Table 2; 'exact' is"
            " the noncentral F."
        ],
    )
    history, std_ab = results.history, results.history_std_ab
    section(
        f"3. A campaign of four rounds, SIMULATED (seed {results.seed}): variance of"
        f" {history.measure}",
        rows=history.rounds,
        columns=ROUNDS,
        below=[
            *summary(history),
            f"On the std-AB scale the pooled variance is {std_ab.pooled.variance:.5f}.",
        ],
    )
    following = results.next_round
    section(
        f"4. Its next round. {plans.headline(following)}",
        rows=plans.plan_rows(following),
        columns=plans.plan_columns(following),
        below=plans.guidance(following),
    )
    factors = results.factors
    section(
        f"5. Standardisation factors of {factors.round}, version {factors.version} (first five of"
        f" {len(factors.factors)} topics)",
        rows=factors.factors[:5],
        columns=_FACTORS,
    )
    section("6. Do the first round's factors still hold?", *_verdict(results.drift_held))
    section(*_verdict(results.drift_undecided))
    section(*_verdict(results.drift_aged))
    section("Try next, with scores.csv a file of your own: topics down, runs across:")
    print_commands(*(f"{_program()} {command}" for command in _TRY_NEXT))


def _program() -> str:
    """Return the command that runs this program: its name if the shell finds it, else its path."""
    installed, program = shutil.which("roundbook"), Path(sys.argv[0])
    if program.name != "roundbook" or (installed and Path(installed).samefile(program)):
        return "roundbook"
    cwd = Path.cwd()
    program = program.absolute()
    return shlex.quote(str(program.relative_to(cwd) if program.is_relative_to(cwd) else program))


def _verdict(report: DriftReport) -> tuple[str, str, str]:
    from roundbook.presentation.drift_advice import brief_advice
    from roundbook.presentation.drift_verdict import brief_reason, headline
    from roundbook_cli.drift_commands import with_options

    return headline(report), brief_reason(report), with_options(brief_advice(report))
