"""Studies in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roundbook.presentation.tables import Column, count, number

if TYPE_CHECKING:
    from roundbook.logbook.studies.discriminative_power import DiscriminativePower
    from roundbook.logbook.studies.study import Study
    from roundbook.logbook.studies.swap_rate import SwapRates

_TIES = "means within 1e-12 of each other are equal"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _or_none(digits: int) -> Column:
    return Column("", "", lambda value: "-" if value is None else f"{value:.{digits}f}", "right")


def _optional(field: str, heading: str, digits: int = 4, *, spare: int = 0) -> Column:
    return _or_none(digits)._replace(field=field, heading=heading, spare=spare)


def _share(field: str, heading: str, *, spare: int = 0) -> Column:
    return Column(field, heading, _percent, "right", spare)


POWER = (
    Column("scale", "Scale"),
    _share("share", "Tukey HSD"),
    _optional("critical_difference", "Critical"),
    _share("bootstrap_share", "Bootstrap"),
    _optional("bootstrap_needed_median", "Needed: median", spare=2),
    _optional("bootstrap_needed_most", "largest", spare=3),
    _share("t_share", "t", spare=1),
    _share("holm_share", "t, Holm", spare=1),
)
RANKING = (
    Column("run", "Run"),
    number("mean", "Mean"),
    count("better_than", "Better than"),
    count("worse_than", "Worse than"),
)
SWAPS = (
    Column("scale", "Scale"),
    _optional("overall", "Swap rate"),
    _optional("ties", "Ties", spare=2),
    _optional("needed_difference", "Needed", 2),
    Column(
        "sensitivity",
        "Sensitivity",
        lambda value: "-" if value is None else _percent(value),
        "right",
    ),
    _optional("needed_in_sds", "Needed in sds", 2, spare=1),
)
BINS = (
    number("low", "From", 2),
    count("count", "Comparisons"),
    count("swaps", "Swaps"),
    count("ties", "Ties"),
    _optional("rate", "Rate"),
)


def heading(study: Study) -> str:
    """Return what was studied: which scores, of which size."""
    size = f"{study.runs} runs on {study.topics} topics"
    if study.files:
        return f"{', '.join(study.files)}: {study.measure}, {size}."
    return (
        f"{study.task}, round '{study.round}': {study.measure}, {size} (matrix {study.matrix},"
        f" revision {study.revision})."
    )


def power_sentences(study: DiscriminativePower) -> list[str]:
    """Return how many pairs each scale tells apart, a sentence a scale."""
    return [
        f"On {scale.scale}, {scale.significant:,} of {scale.pairs:,} pairs of runs differ at"
        f" {study.alpha:g}"
        + (
            f": those whose means are more than {scale.critical_difference:.4f} apart."
            if scale.critical_difference is not None
            else f"; {study.trials:,} permutations are too few for any pair to."
        )
        for scale in study.scales
    ]


def swap_sentences(study: SwapRates) -> list[str]:
    """Return how large a difference must be on each scale, a sentence a scale."""
    sentences = []
    for scale in study.scales:
        if scale.needed_difference is None or scale.sensitivity is None:
            needed = f"no difference is turned round in at most {_percent(study.level)} of cases"
        else:
            needed = (
                f"a difference of {scale.needed_difference:.2f} or more is turned round in at most"
                f" {_percent(study.level)} of cases, and {_percent(scale.sensitivity)} are as large"
            )
        sentences.append(
            f"On {scale.scale}, {_percent(scale.overall)} of all differences are turned round by"
            f" other topics; {needed}."
        )
    return [*sentences, f"This is about topic sets of {study.topics_each} topics."]


def power_protocol(study: DiscriminativePower) -> str:
    """Return every convention of a discriminative power in one sentence."""
    counted = "(count + 1) / (B + 1)" if study.plus_one else "count / B"
    return _protocol(
        study,
        [
            f"discriminative power by the randomised Tukey HSD test (B = {study.trials} permutations"
            f" of each topic's scores over the runs, p = {counted} of largest differences >= that of"
            f" the pair, significant if p < alpha = {study.alpha:g}, all"
            f" {study.runs * (study.runs - 1) // 2} pairs counted)",
            f"beside it, each pair for itself, the paired bootstrap test (B = {study.resamples}"
            " samples of topics, the same for all pairs) and the paired t test, also with Holm's"
            " adjustment",
        ],
    )


def swap_protocol(study: SwapRates) -> str:
    """Return every convention of a swap rate in one sentence."""
    sets = f"disjoint sets of {study.topics_each} topics each"
    if study.with_replacement:
        sets = f"samples of {study.topics_each} topics drawn with replacement, which overlap"
    return _protocol(
        study,
        [
            f"swap rate between two {sets} (B = {study.trials} trials; 21 bins of the absolute"
            " difference on the first set, of width 0.01 and of 0.05 sds; a tie is no swap; the"
            " needed difference begins the first bin that has, as all later ones, a rate of at most"
            f" {study.level:g})"
        ],
    )


def _protocol(study: Study, method: Sequence[str]) -> str:
    scales = [scale.scale for scale in getattr(study, "scales", ())]
    factors = "by factors of all these runs"
    if study.factor_version is not None:
        factors = f"by factor version {study.factor_version} of the round"
    held = "" if scales == ["raw"] else f", standardised {factors}, held fixed"
    parts = [
        heading(study).rstrip("."),
        f"scores on {', '.join(scales)}{held}",
        *method,
        f"{_TIES}; seed {study.seed}; computed by {study.software}",
    ]
    return "; ".join(parts) + "."
