"""Per-topic variance in sentences and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.studies.common import (
    computed_scores,
    join_protocol,
    percent,
    share_column,
)
from roundbook.presentation.tables import Column, Table, count, number

if TYPE_CHECKING:
    from roundbook.logbook.studies.per_topic_variance import PerTopicVarianceStudy

FIGURE = ("Kendall's tau", "{:.3f}")
_SCALES = (
    number("krcc", "Tau"),
    number("error_rate", "Error rate"),
    share_column("significant", "Significant"),
    share_column("significant_rate", "in a draw"),
    share_column("never", "Never", spare=1),
    share_column("always", "Always", spare=1),
    number("needed_median", "Needed: median", spare=2),
    number("needed_most", "largest", spare=3),
)
_BINS = (
    number("low", "From", 2),
    count("count", "Comparisons"),
    count("errors", "Errors"),
    number("rate", "Rate"),
)
_RUNS = (
    Column("run", "Run"),
    number("mean", "Mean"),
    number("drawn_mean", "Drawn"),
    number("sd", "sd"),
)
_TOPICS = (
    Column("topic", "Topic"),
    count("relevant", "Relevant"),
    number("mean", "Mean"),
    number("drawn_mean", "Drawn"),
    number("sd", "sd"),
)
_MODELS = {
    "bst": "documents drawn with replacement from those of the list, by their ranks (BST)",
    "kde": "scores drawn from Gaussian kernel density estimates of the relevant and of the"
    " nonrelevant documents' scores, bandwidth sd (3n/4)^(-1/5) of each list (KDE)",
}
_DENOMINATORS = {
    "sampled": "precisions divided by R - r + r*, at least 1",
    "fixed": "precisions divided by R of the assessments, so that AP may pass 1",
}

_MOST_RUNS = 20
_MOST_TOPICS = 10


def tables(study: PerTopicVarianceStudy) -> list[Table]:
    """Return the tables of the figures, of errors by drawn difference, of runs and of topics."""
    (scale,) = study.scales
    return [
        Table("All pairs of runs:", study.scales, _SCALES),
        Table(
            "Comparisons by the drawn difference, and those in which the other run is ahead:",
            [row for row in scale.bins if row.count],
            _BINS,
        ),
        Table(
            "Runs: mean AP as it is, mean and sd over the draws:",
            scale.by_run,
            _RUNS,
            most=_MOST_RUNS,
            main=True,
        ),
        Table(
            "Topics that vary most: mean AP of the runs as it is and drawn, and a run's sd over the"
            " draws:",
            sorted(scale.by_topic, key=lambda topic: -topic.sd),
            _TOPICS,
            most=_MOST_TOPICS,
        ),
    ]


def sentences(study: PerTopicVarianceStudy) -> list[str]:
    """Return the sentences on how stable the ranking and the significant pairs are."""
    (scale,) = study.scales
    agreement = "All runs tie as they are, so that there is no ranking for draws to agree with."
    if scale.krcc is not None:
        agreement = (
            f"If each run's list varied for itself, these runs would rank with a Kendall's tau of"
            f" {scale.krcc:.3f} to the ranking as it is (mean of {study.trials:,} draws; 95% of them"
            f" from {scale.krcc_low:.3f} to {scale.krcc_high:.3f}), and"
            f" {percent(scale.error_rate)} of all differences between two runs would point the other"
            " way. On another collection the lists vary together, by documents that all runs see,"
            " which these figures do not know of."
        )
    lines = [
        agreement,
        f"{percent(scale.significant)} of {scale.pairs:,} pairs differ significantly at"
        f" {study.alpha:g} as they are, {percent(scale.significant_rate)} in a draw on average;"
        f" {percent(scale.always)} in more than {100 - 100 * study.alpha:g}% of the draws,"
        f" {percent(scale.never)} in fewer than {100 * study.alpha:g}%.",
    ]
    if study.lists_without_relevant:
        of_topics = ""
        if study.topics_without_relevant:
            of_topics = f", of topics without any: {study.topics_without_relevant}"
        lines.append(
            f"Lists without a relevant document, of which AP is 0 in every draw:"
            f" {study.lists_without_relevant:,}{of_topics}."
        )
    by = "each draw" if study.denominator == "sampled" else "the assessments"
    lines.append(
        f"Precisions are divided by the number of relevant documents of {by}; all of this depends on"
        " it, so compare only studies that do the same."
    )
    return lines + computed_scores(study, _depth(study))


def _depth(study: PerTopicVarianceStudy) -> int:
    """Return the rank at which the longest list that documents are drawn from ends."""
    return study.depth if study.list_depth is None else min(study.depth, study.list_depth)


def remarks(study: PerTopicVarianceStudy) -> list[str]:
    """Return the remark that says what `needed` is, if the study has any."""
    if study.scales[0].needed_median is None:
        return []
    return [
        f"Needed is how far the drawn means of a pair are apart in the {100 * study.alpha:g}% of draws"
        " with the largest t: its median over pairs, and the largest. It grows with the difference"
        " that there is, and is no threshold."
    ]


def protocol(study: PerTopicVarianceStudy) -> str:
    """Return every convention of per-topic variance in one sentence."""
    drawn = f"{study.depth}" if study.padded else f"as many as it has, {_depth(study)} at most,"
    return join_protocol(
        study,
        [
            f"per-topic variance (B = {study.trials:,} draws of every list, runs and topics each for"
            f" itself; r* ~ Poisson(r) relevant documents, r being those of the list, and"
            f" nonrelevant ones for the rest; {drawn} documents a list; {_MODELS[study.model]};"
            f" {_DENOMINATORS[study.denominator]}; tau-b; an error is a difference of the opposite"
            f" sign; 21 bins of the absolute drawn difference, of width 0.01; in each draw the"
            f" paired t test at {study.alpha:g} of every pair for itself; the needed difference is"
            f" that of the draw with the ceil(alpha B)-th largest t)"
        ],
    )
