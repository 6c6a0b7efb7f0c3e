"""Discriminative power and swap rate of all rounds, in sentences and tables."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from roundbook.presentation.studies.common import join_protocol, share_column
from roundbook.presentation.tables import Column, Table, count, number

if TYPE_CHECKING:
    from roundbook.logbook.studies.across_rounds import AcrossRounds, BesideRaw

FIGURE = ("pairs told apart", "{:.1%}")
_ROUNDS = (
    Column("round", "Round"),
    Column("scale", "Scale"),
    count("topics", "Topics", spare=2),
    count("runs", "Runs", spare=3),
    share_column("share", "Apart"),
    number("critical_difference", "Critical", spare=1),
    number("overall", "Swaps"),
    number("needed_difference", "Needed", 2),
    share_column("sensitivity", "As large", spare=1),
)
# By figure, the phrases for rounds in which it is better and for those in which it is worse.
_DIRECTIONS = {
    "share": ("More pairs of runs apart than on raw", "fewer"),
    "overall": ("Fewer differences turned round than on raw", "more"),
}
# The level of the sign test: up to this p value, rounds that agree are more than chance.
_RARE = 0.05


def sentences(study: AcrossRounds) -> list[str]:
    """Return a sentence if there is one round only; `remarks` has whether standardising helps."""
    if len(study.rounds) == 1:
        return [f"Only round '{study.rounds[0].round}' can be studied: nothing lies beside it."]
    return []


def _counts(beside: BesideRaw, rounds: int) -> str:
    more, fewer = _DIRECTIONS[beside.figure]
    open_ = f", open in {beside.alike}" if beside.alike else ""
    return (
        f"{more} in {beside.better} of {rounds} rounds, {fewer} in {beside.worse}{open_}"
        f" ({100 * beside.least:+z.1f} to {100 * beside.most:+z.1f} points)"
    )


def _verdict(beside: BesideRaw) -> str:
    if beside.p is None:
        return "no round shows a difference"
    p = f"(sign test p = {beside.p:.2g})"
    if beside.better + beside.worse == 1:
        return f"only one round shows a difference {p}"
    if beside.better and beside.worse:
        return f"the rounds do not agree {p}"
    if beside.p > _RARE:
        return f"too few rounds to rule out chance {p}"
    return f"{'yes' if beside.better else 'no, the reverse'}, round after round {p}"


def tables(study: AcrossRounds) -> list[Table]:
    """Return a table with a row for each round and scale."""
    rows = [
        SimpleNamespace(round=row.round, runs=row.runs, **dict(scale))
        for row in study.rounds
        for scale in row.scales
    ]
    return [Table("Rounds, scale beside scale:", rows, _ROUNDS, main=True)]


def remarks(study: AcrossRounds) -> list[str]:
    """Return a sentence for each scale on whether it helps, and for each round left out."""
    helped = [
        f"Does {scale.scale} help? "
        + " ".join(
            f"{_counts(beside, len(study.rounds))}: {_verdict(beside)}."
            for beside in scale.beside_raw
        )
        for scale in study.scales
        if scale.beside_raw and len(study.rounds) > 1
    ]
    tests = sum(beside.p is not None for scale in study.scales for beside in scale.beside_raw)
    if helped and tests > 1:
        helped.append(f"The {tests} sign tests are not adjusted for their number.")
    return helped + [
        f"Left out: round '{row.round}', whose {row.topics} topics and {row.runs} runs are too few"
        " or tie."
        for row in study.left_out
    ]


def protocol(study: AcrossRounds) -> str:
    """Return every convention of the study in one sentence."""
    counted = "(count + 1) / (B + 1)" if study.plus_one else "count / B"
    sets = "samples of all topics drawn with replacement" if study.with_replacement else "halves"
    return join_protocol(
        study,
        [
            f"told apart by the randomised Tukey HSD test (B = {study.trials:,}, p = {counted}, p <"
            f" alpha = {study.alpha:g})",
            f"swap rate between two {sets} of a round's topics (B = {study.swap_trials:,}; needed"
            f" difference at {study.level:g})",
            "a scale differs from raw in a round where the 95% limits that other draws would give"
            " do not meet; p of the sign test over those rounds",
        ],
    )
