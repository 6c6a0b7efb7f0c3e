"""Swap rates in sentences and tables."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from roundbook.presentation.studies.common import (
    SCALE,
    by_scale,
    join_protocol,
    of_scales,
    percent,
    share_column,
)
from roundbook.presentation.tables import Table, count, number

if TYPE_CHECKING:
    from roundbook.logbook.studies.swap_rate import SwapRates

FIGURE = ("swap rate", "{:.1%}")
_SCALES = (
    SCALE,
    number("overall", "Swap rate"),
    number("ties", "Ties", spare=2),
    number("needed_difference", "Needed", 2),
    share_column("sensitivity", "Sensitivity"),
    number("needed_in_sds", "Needed in sds", 2, spare=1),
)
_BINS = (
    number("low", "From", 2),
    count("count", "Comparisons"),
    count("swaps", "Swaps"),
    count("ties", "Ties"),
    number("rate", "Rate"),
)
# With fewer topics the needed difference often does not hold on other topics.
_FEW_TOPICS = 30


def tables(study: SwapRates) -> list[Table]:
    """Return the tables of the figures of each scale, and of swaps by size of the difference."""
    scales = [
        SimpleNamespace(
            **vars(scale), needed_in_sds=scale.in_sds and scale.in_sds.needed_difference
        )
        for scale in study.scales
    ]
    return [
        Table(f"Differences turned round by {_others(study)}:", scales, _SCALES),
        Table(
            "Comparisons on {}, by the difference on the first topics:",
            of_scales(study.scales, lambda scale: scale.bins),
            _BINS,
            by=SCALE,
            main=True,
        ),
    ]


def sentences(study: SwapRates) -> list[str]:
    """Return a sentence for each scale on how large a difference must be."""
    lines, level = [], _level(study.level)
    for scale in study.scales:
        if scale.needed_difference is None or scale.sensitivity is None:
            largest = max(row.low for row in scale.bins if row.count)
            needed = (
                f"those of {largest:.2f} or more are turned round in more than {level} of cases taken"
                " together; how large one must be is open"
            )
        else:
            low, share = f"{scale.needed_difference:.2f}", percent(scale.sensitivity)
            needed = (
                f"in this round, a difference of {low} or more is turned round in at most {level}"
                f" of cases, and {share} are as large"
            )
            if scale.needed_difference == scale.bins[-1].low:
                needed = (
                    f"those of {low} or more, {share}, are turned round in at most {level} of cases"
                    " taken together; how large one must be is open"
                )
        lines.append(
            f"On {scale.scale}, {percent(scale.overall)} of all differences are turned round by"
            f" {_others(study)}; {needed}."
        )
    if study.with_replacement:
        lines.append("The samples overlap: wholly other topics turn more differences round.")
    lines.append(f"This is about topic sets of {topics_of_sets(study)}.")
    if study.topics < _FEW_TOPICS and any(scale.sensitivity for scale in study.scales):
        lines.append(
            f"Few topics (under {_FEW_TOPICS}): the size is chosen on these, and other topics may"
            f" turn differences as large round in more than {level} of cases."
        )
    return lines


def _others(study: SwapRates) -> str:
    return "another sample of these topics" if study.with_replacement else "other topics"


def _level(level: float) -> str:
    """Return the level as a percentage, with as many decimals as it has, at least one."""
    text = f"{100 * level:.10g}"
    return percent(level) if float(f"{100 * level:.1f}") == float(text) else f"{text}%"


def topics_of_sets(study: SwapRates) -> str:
    """Return how many topics each set has: fewer on a scale that leaves topics out."""
    return by_scale(study.scales, lambda scale: f"{scale.topics_each} topics")


def protocol(study: SwapRates) -> str:
    """Return every convention of a swap rate in one sentence."""
    sets = f"disjoint sets of {topics_of_sets(study)} each"
    if study.with_replacement:
        sets = f"samples of {topics_of_sets(study)} drawn with replacement, which overlap"
    return join_protocol(
        study,
        [
            f"swap rate between two {sets} (B = {study.trials:,} trials; 21 bins of the absolute"
            " difference on the first set, of width 0.01 and of 0.05 sds; a tie is no swap; the"
            " needed difference begins the first bin that has, as all later ones, a rate of at most"
            f" {study.level:g})"
        ],
    )
