"""Discriminative power in sentences and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.studies.common import join_protocol, optional_number, share_column
from roundbook.presentation.tables import Column, count, number

if TYPE_CHECKING:
    from roundbook.logbook.studies.discriminative_power import DiscriminativePower

SCALES = (
    Column("scale", "Scale"),
    share_column("share", "Tukey HSD"),
    optional_number("critical_difference", "Critical"),
    share_column("bootstrap_share", "Bootstrap"),
    optional_number("bootstrap_needed_median", "Needed: median", spare=2),
    optional_number("bootstrap_needed_most", "largest", spare=3),
    share_column("t_share", "t", spare=1),
    share_column("holm_share", "t, Holm", spare=1),
)
RANKING = (
    Column("run", "Run"),
    number("mean", "Mean"),
    count("better_than", "Better than"),
    count("worse_than", "Worse than"),
)


def sentences(study: DiscriminativePower) -> list[str]:
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


def protocol(study: DiscriminativePower) -> str:
    """Return every convention of a discriminative power in one sentence."""
    counted = "(count + 1) / (B + 1)" if study.plus_one else "count / B"
    return join_protocol(
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
