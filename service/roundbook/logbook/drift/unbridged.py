"""Two rounds without a usable shared topic: what may still be laid side by side."""

from __future__ import annotations

from roundbook.logbook.drift.ends import End
from roundbook.logbook.result import Result
from roundbook.statistics.drift.no_shared_topics import Comparison, compare_factors

_NOTE = (
    "No evidence that factors moved, or that they did not: the rounds have other topics, which may"
    " be harder or easier for every system alike."
)


class Unbridged(Result):
    """The distributions of the topics' means and sds in two rounds; see `note`."""

    note: str
    means: Comparison
    sds: Comparison


def unbridged(old: End, new: End) -> Unbridged:
    """Compare all topics of one round with all topics of another."""
    factors = compare_factors(old.mean, old.sd, new.mean, new.sd)
    return Unbridged(note=_NOTE, means=factors.means, sds=factors.sds)
