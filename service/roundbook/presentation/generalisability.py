"""Generalisability of rounds: headings, remarks and CSV rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from roundbook.limits import MOST_TOPICS
from roundbook.logbook.withdrawals import left_out
from roundbook.presentation.column_types import types_of
from roundbook.presentation.phrases import under_label

if TYPE_CHECKING:
    from roundbook.logbook.generalisability import GeneralisabilityReport, Reliability


_LABELS = ("task", "measure", "assessments")
# The columns of CSV and data frames: every limit has its own.
FIELDS = (
    *_LABELS,
    *("round", "matrix", "revision", "topics", "runs", "system", "topic", "residual"),
    *(
        f"{name}{limit}"
        for name in ("e_rho_squared", "phi", "e_rho_squared_topics", "phi_topics")
        for limit in ("", "_low", "_high")
    ),
    "design_topics",
)
_NOT_IN_CSV = {"negative", "reason", "design_reason", "arguments", "reliabilities"}


def heading(report: GeneralisabilityReport) -> str:
    """Return the heading of a report: task, measure, level, target, and plan compared with."""
    return (
        f"{report.task}: {report.measure}{under_label(report.assessments)}, {100 * report.level:.10g}%"
        f" intervals; topics needed for a"
        f" reliability of {report.target:g}, and by the power of one-way ANOVA, for runs on"
        f" topics of their own (m {report.m}, minD {report.min_d:g}, alpha {report.alpha:g}, beta"
        f" {report.beta:g})"
    )


def remarks(report: GeneralisabilityReport) -> list[str]:
    """Return the remarks on the meaning of the numbers, unknown ones, and rounds left out."""
    return [
        "E-rho2 is the correlation to expect between the runs' means on these and on as many other"
        " topics (0.95 is about a Kendall's tau of 0.8); Phi tells how well the means themselves would"
        " repeat. The intervals take scores for normal, of one residual variance on all topics, and"
        " runs for independent, which those of one team are not: by teams they covered 0.72 to 0.85 in"
        " simulations.",
        *(f"Round '{row.round}': {why}" for row in report.rounds if (why := reason(row))),
        *(
            f"Round '{label}' is left out: a single run leaves nothing to rank."
            for label in report.single_run
        ),
        *map(left_out, report.withdrawn),
    ]


def reason(row: Reliability) -> str | None:
    """Return the sentences on why numbers of a round are unknown; None where all are known."""
    # The help of the command needs this module, but no NumPy.
    from roundbook.statistics.design.inputs import sentence  # noqa: PLC0415

    reliability = {
        None: None,
        "no_residual": "Runs and topics explain every score, without a residual: there is nothing to"
        " judge the error of the estimates by.",
        "target_not_reached": "Where a number of topics is missing, systems may not differ at all,"
        f" or so little that {MOST_TOPICS:,} topics would not be enough.",
    }[row.reason]
    design = row.design_reason and sentence(row.design_reason, row.arguments)
    return " ".join(filter(None, (reliability, design))) or None


def round_facts(row: Reliability) -> dict[str, Any]:
    """Return the JSON of a round, with the sentences of its reasons in place of the codes."""
    facts = row.model_dump(mode="json", exclude={"design_reason", "arguments"})
    return facts | {"reason": reason(row)}


# The columns of CSV of the table of several numbers of topics and levels.
TABLE_FIELDS = (
    *_LABELS,
    *("round", "topics", "level"),
    *(f"{name}{limit}" for name in ("e_rho_squared", "phi") for limit in ("", "_low", "_high")),
)


def table_rows(report: GeneralisabilityReport) -> list[SimpleNamespace]:
    """Return the table rows of all rounds, one for each number of topics and level asked for."""
    return [
        SimpleNamespace(round=row.round, **vars(reliability))
        for row in report.rounds
        for reliability in row.reliabilities
    ]


def table_csv_rows(report: GeneralisabilityReport) -> list[SimpleNamespace]:
    """Return the same rows for CSV, with every limit in a column of its own; see `table_rows`."""
    labels = _labels(report)
    return [SimpleNamespace(**labels, **_limits(vars(row))) for row in table_rows(report)]


def csv_rows(report: GeneralisabilityReport) -> list[SimpleNamespace]:
    """Return the rows of CSV and data frames, one for each round."""
    labels = _labels(report)
    values = [labels | _limits(row.model_dump(exclude=_NOT_IN_CSV)) for row in report.rounds]
    return [SimpleNamespace(**{name: row[name] for name in FIELDS}) for row in values]


def csv_types() -> dict[str, type]:
    """Return the types of the columns of `csv_rows`."""
    from roundbook.logbook.generalisability import Reliability  # noqa: PLC0415

    types = types_of(Reliability)
    numbers = {
        name: types[name.removesuffix("_low").removesuffix("_high")]
        for name in FIELDS[len(_LABELS) :]
    }
    return dict.fromkeys(_LABELS, str) | numbers


def _labels(report: GeneralisabilityReport) -> dict[str, str]:
    return {name: getattr(report, name) for name in _LABELS}


def _limits(values: dict[str, Any]) -> dict[str, Any]:
    for name in [name for name in values if name.endswith("_interval")]:
        start = name.removesuffix("_interval")
        values[f"{start}_low"], values[f"{start}_high"] = values.pop(name) or (None, None)
    return values
