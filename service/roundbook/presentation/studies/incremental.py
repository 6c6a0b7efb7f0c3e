"""Incremental topics in sentences and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.studies.common import (
    SCALE,
    join_protocol,
    of_scales,
    percent,
    share_column,
)
from roundbook.presentation.tables import Column, Table, count, fixed_beside, number

if TYPE_CHECKING:
    from roundbook.logbook.studies.incremental import IncrementalStudy
    from roundbook.statistics.studies.incremental import StoppingRule

FIGURE = ("pairs with topics enough", "{:.1%}")
_MOST_STEPS = 15
_SPREADS = {
    "median": "median of the pairs",
    "q95": "hard pair: their 95th percentile",
    "max": "largest of them",
    "rms": "root mean square: paired plans",
    "sqrt_2_v_e": "sqrt(2 V_E): conservative plans",
}
_PLANNED = (
    Column("spread", "Spread", _SPREADS.__getitem__),
    number("sd", "sd"),
    count("topics", "Topics"),
)
_STEPS = (
    count("topics", "Topics"),
    number("hard_sd", "Hard sd"),
    number("power", "Power", 3),
    share_column("enough", "Enough"),
    share_column("enough_surely", "surely", spare=2),
    share_column("stopped", "Stopped"),
    share_column("stopped_surely", "surely", spare=1),
)


def tables(study: IncrementalStudy) -> list[Table]:
    """Return the tables of topics to plan by spread, and of power after the first topics."""
    first, *others = [column.field for column in _STEPS]
    return [
        Table(
            "Topics to be planned on {}, by the spread of differences:",
            of_scales(study.scales, lambda scale: scale.spreads),
            _PLANNED,
            by=SCALE,
        ),
        Table(
            "On {}, after so many topics: power for a hard pair, pairs they are enough for, random"
            " orders that have stopped:",
            of_scales(study.scales, lambda scale: scale.steps),
            _STEPS,
            by=SCALE,
            most=_MOST_STEPS,
            spaced=True,
            fields=(first, "largest_sd", *others),
            main=True,
        ),
    ]


def sentences(study: IncrementalStudy) -> list[str]:
    """Return the sentences on topics that a difference takes and on early stopping, by scale."""
    lines = []
    for scale in study.scales:
        hard = next(spread for spread in scale.spreads if spread.spread == "q95")
        last = scale.steps[-1]
        power = 1 - study.beta
        pairs = f"pair of {' and '.join(study.pair)}" if study.pair else "hard pair"
        takes = "no topics at all"
        if hard.topics is not None:
            takes = f"{hard.topics:,} topics"
        verdict = "enough" if last.power >= power else "not enough"
        lines.append(
            f"On {scale.scale}, to find a difference of {study.difference:g} with power {power:g}"
            f" takes {takes} for a {pairs} (sd {hard.sd:.4f}). The {scale.topics} topics there"
            f" are give it {fixed_beside(last.power, [power], 3)}: {verdict}."
        )
        if not study.pair:
            alike = ""
            if scale.alike:
                noun = "pair that does" if scale.alike == 1 else "pairs that do"
                alike = f", without {scale.alike:,} {noun} not vary"
            lines.append(
                f"They are enough for {percent(scale.enough_by_sd)} of"
                f" {scale.pairs - scale.alike:,} pairs of runs{alike}."
            )
        lines += [_stopping(rule, study) for rule in scale.rules]
    lines.append(
        "Too early is judged by these same topics: by the true sd more may be, above all where many"
        " differences are 0 or a few are large."
    )
    return lines


def _stopping(rule: StoppingRule, study: IncrementalStudy) -> str:
    by = "the sd so far"
    if rule.confidence is not None:
        by = f"the upper {100 * rule.confidence:.10g}% limit of that sd"
    half = "" if rule.median is None else f", half of all by topic {rule.median}"
    early = ""
    if rule.stopped:
        early = (
            f" Of the orders that stop, {rule.too_early / rule.stopped:.0%} stop too early by the sd"
            " over all topics."
        )
    return (
        f"Judging until the power suffices by {by}: {percent(rule.stopped)} of"
        f" {study.trials:,} random orders of topics stop{half}; {percent(rule.at_start)} stop with"
        f" the first {study.start}.{early}"
    )


def protocol(study: IncrementalStudy) -> str:
    """Return every convention of incremental topics in one sentence."""
    pairs = f"the pair {' and '.join(study.pair)}" if study.pair else "each pair of runs for itself"
    return join_protocol(
        study,
        [
            f"incremental topics for a difference of {study.difference:g} by the exact power of the"
            f" paired two-sided t test (alpha {study.alpha:g}, beta {study.beta:g}), {pairs}, not"
            " adjusted over pairs; a hard pair has the 95th percentile of the pairs' sds (ddof 1,"
            f" linear interpolation); topics in the order of the matrix, the first look at"
            f" {study.start}, then every {study.step}; the sure rule goes by the one-sided upper"
            f" {100 * study.confidence:.10g}% chi-square limit of the sd; stopping tried on"
            f" {study.trials:,} draws of a pair that varies and an order of the topics"
        ],
    )
