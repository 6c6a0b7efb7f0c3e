"""Rank agreement in sentences."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from roundbook.presentation.factors import outdated_note
from roundbook.presentation.phrases import under_label
from roundbook.presentation.tables import interval_text

if TYPE_CHECKING:
    from roundbook.logbook.rankings import Limits, RankAgreement


def summary(agreement: RankAgreement) -> list[str]:
    """Return the sentences on the two rankings, their agreement, and its intervals."""
    label = under_label(agreement.assessments)
    lines = [
        f"{agreement.task}, round '{agreement.round}': {agreement.measure}{label}, {agreement.runs} runs"
        f" over {agreement.topics} topics (matrix {agreement.matrix}, revision"
        f" {agreement.revision}) ranked {agreement.a} and {agreement.b}",
        _changed_pairs(agreement),
        f"Kendall tau-b {_number(agreement.tau_b)} (tau-a {agreement.tau_a:.3f}), tau_AP"
        f" {_number(agreement.tau_ap)}",
        "Bootstrap over topics, the middle 95% of tau-b in"
        f" {agreement.resamples:,} resampled topic sets: {_limits(agreement.bootstrap)}"
        f"{_beyond_resamples(agreement)}",
        "95% interval of tau-b as the papers print it, as if the rankings were unrelated:"
        f" {_limits(agreement.published)}",
    ]
    return lines + [sentence for sentence in [reason(agreement)] if sentence]


# With fewer topics, tau-b over very many is often below what resamples show.
_FEW_TOPICS = 5


def _beyond_resamples(agreement: RankAgreement) -> str:
    """Return the clause on tau-b over very many topics, empty where there is nothing to say."""
    if agreement.bootstrap is None:
        return ""
    if agreement.topics < _FEW_TOPICS:
        return "; so few topics say little: over very many it may be lower"
    return "; over very many topics it may be higher" if agreement.bootstrap.high < 1 else ""


def reason(agreement: RankAgreement) -> str | None:
    """Return the sentence on why the rankings have no tau-b, None where they have."""
    if agreement.tau_b is not None:
        return None
    return "All runs tie in one of the rankings: tau-b does not exist."


def _changed_pairs(agreement: RankAgreement) -> str:
    """Return the sentence on how many pairs of runs have opposite orders in the two rankings."""
    pairs = list(combinations(agreement.ranking, 2))
    changed = sum(
        (first.rank_a - second.rank_a) * (first.rank_b - second.rank_b) < 0
        for first, second in pairs
    )
    several = len(agreement.factor_versions) > 1
    cause = "The other factors turn" if several else "Standardising turns"
    share = f"{100 * changed / len(pairs):.1f}%" if changed else "0%"
    return f"{cause} round {changed:,} of {len(pairs):,} pairs of runs ({share})"


def notes(agreement: RankAgreement) -> list[str]:
    """Return a note for each outdated factor version that runs were ranked by."""
    return list(dict.fromkeys(map(outdated_note, agreement.outdated)))


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _limits(limits: Limits | None) -> str:
    return "unknown" if limits is None else interval_text((limits.low, limits.high))
