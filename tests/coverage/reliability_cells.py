"""Reliabilities of drawn matrices, and whether their intervals hold the population's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.coverage.populations import population

from roundbook.statistics.generalisability import generalisability, variance_components
from roundbook.statistics.variance.residual import two_way_variance


@dataclass(frozen=True)
class ReliabilityCell:
    """One matrix; `units` are runs, or teams with all their runs."""

    name: str
    population: str
    units: int
    topics: int
    reference: Mapping[str, float] = field(default_factory=dict)
    slack: float = 0.0

    @property
    def seed_name(self):
        return f"reliability {self.population} {self.units} {self.topics}"

    def replicate(self, generator):
        field_ = population(self.population)
        topics = field_.draw_topics(generator, self.topics)
        scores, _ = field_.draw_scores(generator, topics, field_.draw_units(generator, self.units))
        reliability = generalisability(variance_components(two_way_variance(scores)))
        judged = {}
        for name, noise, limits in (
            ("e_rho", field_.two_way, reliability.e_rho_squared_interval),
            ("phi", field_.topic + field_.two_way, reliability.phi_interval),
        ):
            true = field_.system / (field_.system + noise / self.topics)
            judged[name] = float(limits[0] <= true <= limits[1])
        return judged


def _cells():
    """By population, units and topics: the coverage of E-rho2 and of Phi, where known."""
    uneven = "Gauss, topics' sds uneven, 20 runs*"
    rows = (
        ("Gauss, 20 runs", "gauss .7", 20, {10: ".95 .95", 50: ".95 .95"}),
        (uneven, "gauss uneven", 20, {10: ".57 .91", 50: ".75 .90"}),
        ("Gauss, 10 teams of 5*", "gauss teams of 5", 10, {50: ".65 .71"}),
        ("Gauss, 5 teams of 10*", "gauss teams of 10", 5, {50: ".54 .65"}),
        ("runs' sds .3, 10 runs*", "runs' sds .3", 10, {50: ".93"}),
        ("runs' sds .5, 10 runs*", "runs' sds .5", 10, {50: ".89"}),
        ("runs' sds .5, 30 runs*", "runs' sds .5", 30, {50: ".89"}),
        ("heavy tails, 10 runs*", "heavy tails", 10, {50: ".78 .80"}),
        ("heavy tails, 30 runs*", "heavy tails", 30, {50: ".65 .71"}),
        ("Robust 2003 AP, 20 runs", "adhoc/trec_robust2003_ap", 20, {10: "", 50: ""}),
        ("adhoc 7 P@10, 20 runs", "adhoc/trec_adhoc7_p10", 20, {10: "", 50: ""}),
        ("NTCIR-7 Q, 20 runs", "ntcir7_ir4qa/ntcir7ir4qa_q1000", 20, {10: "", 50: ""}),
        ("COVID 1 nDCG@10, 20 runs", "treccovid/1 runs", 20, {10: "", 50: ""}),
        ("COVID 1 nDCG@10, 15 teams", "treccovid/1 teams", 15, {10: "", 50: ""}),
        ("COVID 2 nDCG@10, 15 teams", "treccovid/2 teams", 15, {10: "", 50: ""}),
    )
    for name, field_, units, references in rows:
        for topics, printed in references.items():
            values = map(float, printed.split())
            # Where there is a slack, the reference's numbers of runs and shares of teams are others.
            yield ReliabilityCell(
                f"Reliability: {name}, n={topics}",
                field_,
                units,
                topics,
                dict(zip(("e_rho", "phi"), values, strict=False)),
                0.05 if "*" in name else 0.01,
            )


RELIABILITY_CELLS = tuple(_cells())
