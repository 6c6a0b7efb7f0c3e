"""Generalisability of rounds in sentences and as lines of CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from roundbook.logbook.withdrawals import left_out

if TYPE_CHECKING:
    from roundbook.logbook.generalisability import GeneralisabilityReport, Reliability


def heading(report: GeneralisabilityReport) -> str:
    """Return what is reported, and the plan it stands beside."""
    return (
        f"{report.task}: {report.measure}, {report.level:.0%} intervals; topics for a reliability"
        f" of {report.target:g}, and by power (one-way ANOVA, m {report.m}, minD"
        f" {report.min_d:g}, alpha 0.05, beta 0.2)"
    )


def remarks(report: GeneralisabilityReport) -> list[str]:
    """Return what the numbers say, why some are unknown, and which rounds are left out."""
    return [
        "E-rho2 tells how well the ranking of the runs would repeat on other topics, Phi how well"
        " their mean scores would.",
        *(f"Round '{row.round}': {row.reason}" for row in report.rounds if row.reason),
        *(
            f"Round '{label}' is left out: a single run leaves nothing to rank."
            for label in report.single_run
        ),
        *map(left_out, report.withdrawn),
    ]


class ReliabilityLine(NamedTuple):
    """A round as CSV: every limit in a column of its own."""

    round: str
    matrix: int
    revision: int
    topics: int
    runs: int
    system: float
    topic: float
    residual: float
    e_rho_squared: float | None
    e_rho_squared_low: float | None
    e_rho_squared_high: float | None
    phi: float | None
    phi_low: float | None
    phi_high: float | None
    e_rho_squared_topics: int | None
    e_rho_squared_topics_low: int | None
    e_rho_squared_topics_high: int | None
    phi_topics: int | None
    phi_topics_low: int | None
    phi_topics_high: int | None
    design_topics: int | None


def line(row: Reliability) -> ReliabilityLine:
    """Return a round as a line of CSV."""
    unknown = (None, None)
    return ReliabilityLine._make(
        (
            *(row.round, row.matrix, row.revision, row.topics, row.runs),
            *(row.system, row.topic, row.residual),
            *(row.e_rho_squared, *(row.e_rho_squared_interval or unknown)),
            *(row.phi, *(row.phi_interval or unknown)),
            *(row.e_rho_squared_topics, *(row.e_rho_squared_topics_interval or unknown)),
            *(row.phi_topics, *(row.phi_topics_interval or unknown)),
            row.design_topics,
        )
    )
