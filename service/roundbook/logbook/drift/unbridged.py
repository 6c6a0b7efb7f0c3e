"""Two rounds without a usable shared topic: what may still be laid side by side."""

from __future__ import annotations

from roundbook.logbook.drift.ends import End
from roundbook.logbook.drift.topics import Significance, significance
from roundbook.logbook.result import Result
from roundbook.statistics.drift.no_shared_topics import Comparison as Compared
from roundbook.statistics.drift.no_shared_topics import Spread as Spreading
from roundbook.statistics.drift.no_shared_topics import compare_unbridged

_NOTE = (
    "No evidence that factors moved, or that they did not: the rounds have other topics, which may"
    " be harder or easier for every system alike."
)


class Spread(Result):
    """How one factor is distributed over a round's topics; `sd` is None with one topic."""

    topics: int
    mean: float
    sd: float | None
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    largest: float


class Comparison(Result):
    """One factor over the topics of two rounds, and tests that they look alike."""

    earlier: Spread
    later: Spread
    welch: Significance
    brown_forsythe: Significance


class Unbridged(Result):
    """The distributions of the topics' means and sds in two rounds; see `note`."""

    note: str
    means: Comparison
    sds: Comparison


def unbridged(old: End, new: End) -> Unbridged:
    """Compare all topics of one round with all topics of another."""
    found = compare_unbridged(old.mean, old.sd, new.mean, new.sd)
    return Unbridged(note=_NOTE, means=_comparison(found.means), sds=_comparison(found.sds))


def _comparison(found: Compared) -> Comparison:
    return Comparison(
        earlier=_spread(found.earlier),
        later=_spread(found.later),
        welch=significance(found.welch),
        brown_forsythe=significance(found.brown_forsythe),
    )


def _spread(found: Spreading) -> Spread:
    least, lower, median, upper, largest = found.quantiles
    return Spread(
        topics=found.topics,
        mean=found.mean,
        sd=found.sd,
        least=least,
        lower_quartile=lower,
        median=median,
        upper_quartile=upper,
        largest=largest,
    )
