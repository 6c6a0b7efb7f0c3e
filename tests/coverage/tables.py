"""The tables of `make coverage`, in 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tests.coverage.cells import Cell, Result
from tests.coverage.drift_cells import DRIFT_CELLS, SPREAD_CELLS, UNEVEN_FIELD_CELLS
from tests.coverage.drift_simulation import SHIFTS
from tests.coverage.plan_cells import PLAN_CELLS, POWER
from tests.coverage.rank_cells import RANK_CELLS
from tests.coverage.reliability_cells import RELIABILITY_CELLS
from tests.coverage.significance_cells import SIGNIFICANCE_CELLS
from tests.coverage.variance_cells import (
    NEXT_ROUND_CELLS,
    POOLED_CELLS,
    PUBLISHED_CELLS,
    UNEQUAL_CELLS,
    UNEVEN_ROUNDS_CELLS,
    UNEVEN_VARIANCE_CELLS,
    VARIANCE_CELLS,
)

WIDTH = 80
Values = Mapping[str, float]


@dataclass(frozen=True)
class Column:
    """A heading, how wide it is, and what stands under it."""

    heading: str
    width: int
    text: Callable[[Values], str]


@dataclass(frozen=True)
class Table:
    """Cells with the same columns.

    Attributes
    ----------
    over : str
        Heads the headings; may be empty.
    beside : tuple of Column
        Columns of the reference; without any, it has a line of its own.
    """

    title: str
    note: str
    over: str
    columns: tuple[Column, ...]
    cells: tuple[Cell, ...]
    beside: tuple[Column, ...] = ()

    def lines(self, results: Sequence[Result]) -> list[str]:
        """The table: what was measured of every cell, and its reference."""
        columns = (*self.columns, *self.beside)
        room = WIDTH - sum(column.width for column in columns)
        lines = [self.title, self.note, ""]
        if self.over:
            lines.append(" " * room + self.over)
        headings = "".join(f"{column.heading:>{column.width}}" for column in columns)
        lines += [" " * room + headings, "-" * WIDTH]
        for cell, result in zip(self.cells, results, strict=True):
            measured = {quantity: sums.mean for quantity, sums in result.items()}
            row = f"{cell.name:<{room}}" + _row(self.columns, measured)
            lines.append(row + _row(self.beside, cell.reference))
            reference = "" if self.beside else _row(self.columns, cell.reference)
            if reference.strip():
                lines.append(f"{'   reference':<{room}}" + reference)
        return [line.rstrip() for line in lines]


def _row(columns: Iterable[Column], values: Values) -> str:
    return "".join(f"{column.text(values):>{column.width}}" for column in columns)


def share(heading: str, quantity: str, width: int = 6) -> Column:
    """A coverage or a rate, as .950."""

    def text(values: Values) -> str:
        return f"{values[quantity]:.3f}".removeprefix("0") if quantity in values else ""

    return Column(heading, width, text)


def length(heading: str, quantity: str, width: int = 6) -> Column:
    """The width of an interval."""
    return Column(
        heading, width, lambda values: f"{values[quantity]:.2f}" if quantity in values else ""
    )


def percents(heading: str, *quantities: str, width: int = 6) -> Column:
    """Rates in percent, as 70/3."""

    def text(values: Values) -> str:
        if not all(quantity in values for quantity in quantities):
            return ""
        return "/".join(f"{100 * values[quantity]:.0f}" for quantity in quantities)

    return Column(heading, width, text)


def tables() -> tuple[Table, ...]:
    """All tables, in the order they are printed."""
    return (
        Table(
            "Drift: coverage of the 95% and 90% intervals, and their widths",
            "Mean over true shifts 0, .1, .2, .3, .5; the widths and the old rule at 0.",
            f"{'shift':>18}{'sd ratio':>19}{'these':>7}{'old':>6}",
            (
                share(".95", "shift .95"),
                share(".90", "shift .90"),
                length("width", "shift width"),
                share(".95", "ratio .95", 7),
                share(".90", "ratio .90"),
                length("width", "ratio width"),
                share("runs", "these .95", 7),
                share("rule", "old .95"),
            ),
            DRIFT_CELLS,
        ),
        Table(
            "Drift: verdicts, held/aged in percent, the rest undecided",
            "By true shift; `moved` at 0; the old rule at 0 and at .3.",
            "",
            (
                *(percents(f"{shift:g}", f"held@{shift:g}", f"aged@{shift:g}") for shift in SHIFTS),
                percents("moved", "moved@0"),
                percents("old 0", "old held@0", "old aged@0", width=7),
                percents("old .3", "old held@0.3", "old aged@0.3", width=7),
            ),
            DRIFT_CELLS,
        ),
        Table(
            "Drift: a true sd ratio of 1.1, 1.25, 1.5, no shift",
            "Coverage of the sd ratio, and the joint verdict.",
            "",
            (
                share(".95", "ratio .95"),
                share(".90", "ratio .90"),
                length("width", "ratio width"),
                percents("held/aged", "held@0", "aged@0", width=11),
            ),
            SPREAD_CELLS,
        ),
        Table(
            "Drift where runs or topics are uneven: coverage of the 95% intervals",
            "Failed runs are 2.5 sds lower; topics' sds: of their logarithm; shift 1: of all.",
            f"{'systems like these':>20}{'these runs':>18}",
            (
                share("shift", "shift .95", 10),
                share("sd ratio", "ratio .95", 10),
                share("shift", "these .95", 8),
                share("sd ratio", "these ratio .95", 10),
            ),
            UNEVEN_FIELD_CELLS,
        ),
        Table(
            "Variance: coverage of the 95% interval (true value above the upper limit)",
            "Topics and runs, or whole teams, drawn; the old rules beside.",
            "",
            (
                share("chi-square", "chi", 11),
                share("bootstrap", "boot", 11),
                share("above", "boot above", 7),
                share("new", "new", 8),
                share("above", "new above", 7),
            ),
            VARIANCE_CELLS,
        ),
        Table(
            "Variance where runs or scores are uneven: coverage of the 95% interval",
            "Runs' sds: the sd of their logarithm; lognormal: the topics' has an sd of .7.",
            "",
            (share("new", "new", 8), share("above", "new above", 7)),
            UNEVEN_VARIANCE_CELLS,
        ),
        Table(
            "Published variance: coverage of the 95% interval by the default constants",
            "As though the value and the numbers of topics and runs were all that is known.",
            "",
            (share("new", "new", 8), share("above", "new above", 7)),
            PUBLISHED_CELLS,
        ),
        Table(
            "Pooled variance of K rounds: coverage of the 95% interval, size of the .05 test",
            "50 topics a round, but for the nested; same teams: interval where teams return.",
            f"{'interval':>26}{'test':>17}",
            (
                share("bootstrap", "boot", 11),
                share("new", "new"),
                share("same teams", "returning", 11),
                share("Bartlett", "bartlett", 10),
                share("new", "test"),
            ),
            POOLED_CELLS,
        ),
        Table(
            "Homogeneity: power of the .05 test with two rounds",
            "By the ratio of the true variances and the topics shared, of 50.",
            "",
            (share("new", "test", 8),),
            UNEQUAL_CELLS,
        ),
        Table(
            "Homogeneity where runs or rounds are uneven: size of the .05 test",
            "50 topics a round, none shared; runs' sds: the sd of their logarithm.",
            "",
            (share("new", "test", 8),),
            UNEVEN_ROUNDS_CELLS,
        ),
        Table(
            "Next round: true variance above u80 (.20 wanted) and u95 (.05 wanted)",
            "K rounds of 50 topics; sd: of ln V between rounds, the prior's is .126.",
            f"{'pooled':>22}{'.05':>6}",
            (
                share("u80", "u80 passed"),
                share("u95", "u95 passed"),
                share("interval", "interval", 10),
                share("test", "test"),
            ),
            NEXT_ROUND_CELLS,
        ),
        Table(
            "Generalisability: coverage of the 95% intervals",
            "Sds: of the log of residual sds, uneven: .8; heavy: run effects are t of 3 df.",
            "",
            (share("E-rho2", "e_rho", 8), share("Phi", "phi", 8)),
            RELIABILITY_CELLS,
        ),
        Table(
            "Rank agreement, raw and standardised: tau-b and the middle 95% of resamples",
            "How often they hold tau over endless topics (it is above), over as many fresh.",
            "",
            (
                share("endless", "endless within", 9),
                share("above", "endless above", 7),
                share("fresh", "fresh within", 7),
            ),
            RANK_CELLS,
        ),
        Table(
            "Tests of two runs whose true means are equal: how often they differ at .05",
            "Tukey HSD and the bootstrap with 1,000 trials.",
            "",
            (
                share("paired t", "t", 10),
                share("bootstrap", "bootstrap", 11),
                share("Tukey", "tukey"),
            ),
            SIGNIFICANCE_CELLS,
        ),
        Table(
            f"Plans: share of experiments that find the difference planned for, power {POWER:.2f}",
            "minD: half an sd of a difference, between two random runs, the extremes or none.",
            "",
            (
                Column("topics", 7, lambda values: f"{values['topics']:.0f}"),
                share("found", "rejected", 7),
            ),
            PLAN_CELLS,
            (Column("reference", 11, lambda values: f"{values['low']:.2f}-{values['high']:.2f}"),),
        ),
    )
