"""Rank agreement in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.factors import outdated_note

if TYPE_CHECKING:
    from roundbook.logbook.rankings import Limits, RankAgreement


def summary(agreement: RankAgreement) -> list[str]:
    """Return the sentences on what is ranked, the agreement of the rankings, and its intervals."""
    lines = [
        f"{agreement.task}, round '{agreement.round}': {agreement.measure}, {agreement.runs} runs"
        f" over {agreement.topics} topics (matrix {agreement.matrix}, revision"
        f" {agreement.revision}) ranked {agreement.a} and {agreement.b}",
        f"Kendall tau-b {_number(agreement.tau_b)} (tau-a {agreement.tau_a:.3f}), tau_AP"
        f" {_number(agreement.tau_ap)}",
        f"95% intervals of tau-b: {_limits(agreement.bootstrap)} by a bootstrap over topics"
        f" ({agreement.resamples:,} resamples; it tends to lie low),"
        f" {_limits(agreement.published)} as the papers print it",
    ]
    return lines + ([agreement.reason] if agreement.reason else [])


def notes(agreement: RankAgreement) -> list[str]:
    """Return a note for each outdated factor version that runs were ranked by."""
    return list(dict.fromkeys(map(outdated_note, agreement.outdated)))


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _limits(limits: Limits | None) -> str:
    return "unknown" if limits is None else f"[{limits.low:.3f}, {limits.high:.3f}]"
