"""Discriminative power in sentences and tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from roundbook.presentation.studies.common import SCALE, join_protocol, of_scales, share_column
from roundbook.presentation.tables import Column, Table, count, fixed_beside, number

if TYPE_CHECKING:
    from roundbook.logbook.studies.discriminative_power import DiscriminativePower

FIGURE = ("pairs told apart", "{:.1%}")
_SCALES = (
    SCALE,
    share_column("share", "Tukey HSD"),
    number("critical_difference", "Critical"),
    share_column("bootstrap_share", "Bootstrap"),
    number("bootstrap_needed_median", "Needed: median", spare=2),
    number("bootstrap_needed_most", "largest", spare=3),
    share_column("t_share", "t", spare=1),
    share_column("holm_share", "t, Holm", spare=1),
)
_RANKING = (
    Column("run", "Run"),
    number("mean", "Mean"),
    count("better_than", "Better than"),
    count("worse_than", "Worse than"),
    count("holm_better_than", "Better: t, Holm", spare=1),
    count("holm_worse_than", "Worse: t, Holm", spare=1),
)
_PAIR_FIELDS = (
    *("run", "other", "difference", "significant"),
    *("p", "bootstrap_p", "t_p", "holm_p"),
)
_LEAST_P = 0.0001

_MOST_ROWS = 20


def tables(study: DiscriminativePower) -> list[Table]:
    """Return the tables of the figures of each scale, of the runs, and of the pairs, if asked for.

    CSV and data frames hold the pairs, else the runs.
    """
    compared = of_scales(study.scales, lambda scale: scale.compared or [])
    of_pairs = Table(
        "Pairs of runs on {}, those of the best run first, with p values by the four tests:",
        compared,
        _pair_columns(study),
        by=SCALE,
        most=_MOST_ROWS,
        fields=_PAIR_FIELDS,
        main=True,
    )
    return [
        Table("Pairs of runs told apart:", study.scales, _SCALES),
        Table(
            "Runs on {}, and how many runs each is told apart from, by Tukey HSD and by t, Holm:",
            of_scales(study.scales, lambda scale: scale.ranking),
            _RANKING,
            by=SCALE,
            most=_MOST_ROWS,
            main=not compared,
        ),
        *([of_pairs] if compared else []),
    ]


def _pair_columns(study: DiscriminativePower) -> list[Column]:
    """Return the columns of a pair of runs; a count of 0 trials is a p value below one trial's."""
    permuted = 0 if study.plus_one else 1 / study.trials
    p_column = partial(_p_column, study.alpha)
    return [
        Column("run", "Run"),
        Column("other", "Other"),
        number("difference", "Difference"),
        p_column("p", "Tukey HSD", permuted),
        p_column("bootstrap_p", "Bootstrap", 1 / study.resamples, spare=2),
        p_column("t_p", "t", spare=1),
        p_column("holm_p", "t, Holm"),
    ]


def _p_column(alpha: float, field: str, heading: str, step: float = 0, *, spare: int = 0) -> Column:
    """Return a column of p values; those below `step`, or below 0.0001, are written as <limit.

    No value is rounded to the other side of `alpha`.
    """
    least = max(step, _LEAST_P)
    return Column(
        field,
        heading,
        lambda p: f"<{least:.4g}" if p < least else fixed_beside(p, [alpha], 4),
        "right",
        spare,
    )


def sentences(study: DiscriminativePower) -> list[str]:
    """Return a sentence for each scale on how many pairs of runs differ."""
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


def remarks(study: DiscriminativePower) -> list[str]:
    """Return the remarks on the error rate of Tukey HSD, and on needed differences."""
    error_rate = (
        f"The {100 * study.alpha:g}% of Tukey HSD for all pairs together holds if all runs scatter"
        " alike; where some scatter far more, or many are near-copies, go by t, Holm, unless the"
        " scores are very skewed."
    )
    if all(scale.bootstrap_needed_median is None for scale in study.scales):
        return [error_rate]
    return [
        error_rate,
        "Needed is how far two means must be apart for the bootstrap test to tell the pair apart:"
        " its median over pairs, and the largest.",
    ]


def protocol(study: DiscriminativePower) -> str:
    """Return every convention of a discriminative power in one sentence."""
    counted = "(count + 1) / (B + 1)" if study.plus_one else "count / B"
    return join_protocol(
        study,
        [
            f"discriminative power by the randomised Tukey HSD test (B = {study.trials:,} permutations"
            f" of each topic's scores over the runs, p = {counted} of largest differences >= that of"
            f" the pair, significant if p < alpha = {study.alpha:g}, all"
            f" {study.runs * (study.runs - 1) // 2:,} pairs counted)",
            f"beside it, each pair for itself, the paired bootstrap test (B = {study.resamples:,}"
            " samples of topics, the same for all pairs) and the paired t test, also with Holm's"
            " adjustment",
        ],
    )
