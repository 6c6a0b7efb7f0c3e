"""The options of ``roundbook plan`` and ``plan save``, written once; nothing heavy is imported."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from roundbook_cli.options import Database, PreferredAssessments, Scaled
from roundbook_cli.variance import PoolBy

if TYPE_CHECKING:
    from roundbook.logbook.plans.design import Design
    from roundbook.logbook.plans.plan import Plan
    from roundbook.logbook.plans.variance import VarianceAt
    from roundbook.logbook.session import Session

PlanFormat = Literal["table", "json", "csv", "latex"]
PlanForm = Annotated[
    PlanFormat,
    typer.Option("--format", help="How to print the result; latex: a booktabs table of the grid."),
]
Protocol = Annotated[
    bool,
    typer.Option("--protocol", help="Print only a paragraph to paste into an overview paper."),
]

_LIMITS: tuple[Literal["pooled", "planning", "latest"], ...] = ("pooled", "planning", "latest")
# The designs that compare several runs.
_TAKES_RUNS = ("anova", "two-way", "tukey")
_M, _CANDIDATES, _MIN_D = (2, 10, 50), (2, 3, 5, 10, 20, 50, 100), (0.05, 0.1, 0.2)


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """What is planned from, and for what."""

    variance: Annotated[
        float | None,
        typer.Option(
            "--variance",
            metavar="V",
            help="The variance (two-way and tukey: the two-way one); no record is opened.",
        ),
    ] = None
    task: Annotated[
        str | None,
        typer.Option("--task", metavar="TASK", help="Take the variance pooled over its rounds."),
    ] = None
    measure: Annotated[
        str | None, typer.Option("--measure", metavar="M", help="The task's measure.")
    ] = None
    scale: Scaled = "raw"
    assessments: PreferredAssessments = None
    pool_by: PoolBy = "dof"
    variance_of: Annotated[
        Literal["paired", "conservative"] | None,
        typer.Option(
            "--variance-of",
            help="What a paired difference varies by: twice the two-way variance (default, where"
            " there is one), or twice the one-way, as published plans do (Sakai).",
        ),
    ] = None
    variance_at: Annotated[
        str,
        typer.Option(
            "--variance-at",
            metavar="WHICH",
            help="Which variance of the task: pooled over its rounds; planning, which 4 of 5 next"
            " rounds stay below; latest, the latest round's; or a value.",
        ),
    ] = "pooled"
    design: Annotated[
        Literal[
            "anova",
            "two-way",
            "tukey",
            "paired-t",
            "two-sample-t",
            "paired-width",
            "two-sample-width",
        ],
        typer.Option(
            "--design",
            metavar="DESIGN",
            help="The test: anova (each run on topics of its own), two-way or tukey (runs on the"
            " same topics), paired-t, two-sample-t. Or the interval whose width is to be small:"
            " paired-width, two-sample-width.",
        ),
    ] = "anova"
    solve: Annotated[
        Literal["topics", "power", "min-d", "variance", "m"],
        typer.Option(
            "--solve",
            metavar="WHAT",
            help="What to compute: topics, power, min-d, variance, or m, the most runs of those"
            " listed.",
        ),
    ] = "topics"
    m: Annotated[
        list[int] | None,
        typer.Option(
            "--m",
            metavar="m",
            help="Number of runs to compare, for anova, two-way and tukey; repeat. (default: 2 10"
            " 50; for --solve m: 2 3 5 10 20 50 100)",
        ),
    ] = None
    min_d: Annotated[
        list[float] | None,
        typer.Option(
            "--min-d",
            metavar="D",
            help="Smallest difference between the best and the worst run worth detecting; repeat."
            " (default: 0.05 0.1 0.2)",
        ),
    ] = None
    width: Annotated[
        list[float] | None,
        typer.Option(
            "--width",
            metavar="D",
            help="For an interval: its full width, another name of --min-d; repeat.",
        ),
    ] = None
    topics: Annotated[
        list[int] | None,
        typer.Option("--topics", metavar="N", help="Number of topics, unless solved for; repeat."),
    ] = None
    alpha: Annotated[float, typer.Option("--alpha", help="Type I error rate.")] = 0.05
    beta: Annotated[
        float | None,
        typer.Option("--beta", help="Type II error rate: 1 - power. (default: 0.2)"),
    ] = None
    engine: Annotated[
        Literal["exact", "sakai"],
        typer.Option(
            "--engine", help="exact: noncentral F or t. sakai: the published spreadsheets."
        ),
    ] = "exact"
    database: Database = None

    def checked(self) -> Design:
        """Return the design asked for.

        Raises
        ------
        typer.BadParameter
            When the options contradict each other.
        """
        wrong = self._contradiction()
        if wrong:
            raise typer.BadParameter(wrong)
        self._variance_at()
        from roundbook.logbook.plans.design import contradiction

        design = self._design()
        has_variance = self.task is not None or self.variance is not None
        wrong = contradiction(design, has_variance=has_variance)
        if wrong:
            raise typer.BadParameter(wrong)
        return design

    def compute(self, design: Design, session: Session | None) -> Plan:
        """Return the plan; only that of a task needs `session`, the open record."""
        from roundbook.logbook.plans.planning import plan, plan_task

        if session is None or self.task is None or self.measure is None:
            return plan(self.variance, design)
        return plan_task(
            session,
            self.task,
            self.measure,
            design,
            scale=self.scale,
            assessments=self.assessments or None,
            pool_by=self.pool_by,
            variance_of=self.variance_of,
            variance_at=self._variance_at(),
        )

    def _variance_at(self) -> VarianceAt | float:
        """Return the limit asked for, or the value.

        Raises
        ------
        typer.BadParameter
            When it is neither.
        """
        for name in _LIMITS:
            if self.variance_at == name:
                return name
        try:
            return float(self.variance_at)
        except ValueError:
            raise typer.BadParameter(
                f"--variance-at takes {', '.join(_LIMITS)} or a number, not '{self.variance_at}'"
            ) from None

    def _design(self) -> Design:
        from roundbook.logbook.plans.design import Design

        m, min_d = self.m, self.min_d or self.width
        if m is None and self.design in _TAKES_RUNS:
            m = list(_CANDIDATES if self.solve == "m" else _M)
        if min_d is None and self.solve != "min-d":
            min_d = list(_MIN_D)
        return Design(
            m=tuple(m or ()),
            min_d=tuple(min_d or ()),
            topics=tuple(self.topics or ()),
            alpha=self.alpha,
            beta=0.20 if self.beta is None else self.beta,
            engine=self.engine,
            design=self.design,
            solve=self.solve,
        )

    def _contradiction(self) -> str | None:
        given, interval = self.variance is not None, self.design.endswith("-width")
        of_task = self.measure is not None or bool(self.assessments)
        of_task = of_task or (self.scale, self.pool_by) != ("raw", "dof")
        of_task = of_task or self.variance_of is not None or self.variance_at != "pooled"
        found = (
            (
                self.solve == "variance" and (given or self.task is not None),
                "the variance is what is solved for: leave out --variance and --task",
            ),
            (
                self.solve != "variance" and given == (self.task is not None),
                "give either --variance, or --task and --measure",
            ),
            (self.task is not None and self.measure is None, "--task needs --measure"),
            (
                self.task is None and of_task,
                "--measure, --scale, --assessments, --pool-by, --variance-of and --variance-at"
                " go with --task",
            ),
            (
                self.variance_of is not None and not self.design.startswith("paired"),
                "--variance-of is of a paired difference: give --design paired-t or paired-width",
            ),
            (
                self.topics is not None and self.solve == "topics",
                "--topics goes with --solve power, min-d, variance or m: otherwise the topics"
                " are what is solved for",
            ),
            (self.width is not None and not interval, "--width is of an interval: give --min-d"),
            (
                self.width is not None and self.min_d is not None,
                "--width and --min-d are the same for an interval: give one",
            ),
            (
                self.beta is not None and (interval or self.solve == "power"),
                "there is no power to ask for here: leave out --beta",
            ),
        )
        return next((sentence for wrong, sentence in found if wrong), None)


def takes_plan_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `PlanOptions`, which it gets as its argument `options`.

    They come before those of its own that have a default.
    """
    hints = get_type_hints(command, include_extras=True)
    options = get_type_hints(PlanOptions, include_extras=True)
    own = [
        parameter.replace(annotation=hints[name])
        for name, parameter in inspect.signature(command).parameters.items()
        if name != "options"
    ]
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=field.default,
            annotation=options[field.name],
        )
        for field in fields(PlanOptions)
    ]
    required = [parameter for parameter in own if parameter.default is parameter.empty]
    optional = [parameter for parameter in own if parameter.default is not parameter.empty]

    @wraps(command)
    def with_options(**values: Any) -> None:  # noqa: ANN401
        chosen = {name: values.pop(name) for name in options}
        command(options=PlanOptions(**chosen), **values)

    parameters = [*required, *shared, *optional]
    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in parameters}
    del with_options.__wrapped__
    return with_options
