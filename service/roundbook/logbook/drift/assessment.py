"""The statistics of drift between two recorded rounds, as results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, replace
from itertools import chain, compress
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from pydantic import Field

from roundbook.limits import SHIFT_MARGIN
from roundbook.logbook.drift.compared_rounds import ComparedRound, RoundPair
from roundbook.logbook.result import Result
from roundbook.requests.drift import CurveRequest
from roundbook.statistics.drift.assessment import (
    DriftAssessment,
    SystemsLikeThese,
    TheseRuns,
    assess_drift,
    assess_recurring,
)
from roundbook.statistics.drift.jackknife import PerStatistic, VarianceParts
from roundbook.statistics.drift.units import By, RunsOfRound, unit_labels
from roundbook.statistics.drift.verdict import Needed
from roundbook.statistics.standardisation import SLOPE

MarginFrom = Literal["default", "given", "min-d"]
# Shifts are in standard deviations of the first round's factors.
ShiftUnit = Literal["sd_from"]
_Record = TypeVar(
    "_Record",
    TheseRuns,
    SystemsLikeThese,
    PerStatistic[VarianceParts | None],
    PerStatistic[Needed | None],
)


class RoundCounts(Result):
    """A count in each of the two rounds."""

    from_: int = Field(alias="from")
    to: int


class UnitCounts(RoundCounts):
    """Numbers of units of runs in each round and in both, and the evidence for the units.

    `by` is the least certain evidence used; `runs_without_team` and `runs_without_system` count
    runs of both rounds.
    """

    shared: int
    by: By
    runs_without_team: int
    runs_without_system: int | None = None


class StandardisingRuns(Result):
    """The runs that a round's factors were fitted on: which, how many, and of how many.

    `which` is 'all', 'pooled' (those that contributed to the pool) or 'chosen' by tag.
    """

    which: str
    runs: int
    of: int
    pool_now: int | None = Field(default=None, exclude_if=lambda value: value is None)


class Assessment(Result):
    """The drift assessment of some runs of two rounds on their shared topics.

    Shifts are in mean first-round sds, but `mean_shift` and `median_shift`, over topics, in each
    topic's own; intervals are (low, high). `sd_ratio` is the later mean sd over the first, and
    `sd_ratio_geometric` the geometric mean of the topics' ratios. The verdict rests on
    `systems_like_these`; `these_runs` only describes. `topics_used` are the shared topics with a
    first-round sd, `tied` counts those that all runs of a round tie on. `why` is a code; see
    `roundbook.statistics.drift.verdict.Judgement`.
    """

    # The defaults are for reports saved before these keys existed.

    verdict: str
    why: str | None = None
    verdicts: PerStatistic[str] | None = None
    moved: bool | None = None
    provisional: bool = False
    shift: float | None = None
    mean_shift: float | None = None
    median_shift: float | None = None
    sd_ratio: float | None = None
    sd_ratio_geometric: float | None = None
    these_runs: TheseRuns | None = None
    systems_like_these: SystemsLikeThese | None = None
    units: UnitCounts | None = None
    topics_used: int | None = None
    tied: RoundCounts | None = None
    variance_parts: PerStatistic[VarianceParts | None] | None = None
    needed: PerStatistic[Needed | None] | None = None


class PairAssessment(NamedTuple):
    """The assessment of two rounds by all standardising runs, and by those of shared units.

    `drift` has the figures by topic, `whole` those over topics; `recurring` is by the runs whose
    units are in both rounds, None with fewer than 10 such units.
    """

    drift: DriftAssessment
    whole: Assessment
    recurring: Assessment | None


def choose_margin(request: CurveRequest) -> tuple[float, MarginFrom]:
    """Return the margin of the shift and its origin: the request's margin, its minD, or neither.

    From minD it is the shift, in sds, that moves std-AB scores by half of it, ``min_d / (2 A)``: a
    shift cancels in differences within a round and matters only against earlier rounds.
    """
    if request.margin is not None:
        return request.margin, "given"
    if request.min_d is not None:
        return request.min_d / (2 * SLOPE), "min-d"
    return SHIFT_MARGIN, "default"


def standardising_runs(entry: ComparedRound) -> StandardisingRuns:
    """Return the choice and the numbers of the runs that a round's factors were fitted on."""
    return StandardisingRuns(
        which=entry.fitted.standardising,
        runs=int(entry.standardising.sum()),
        of=entry.standardising.size,
        pool_now=entry.fitted.pool_now,
    )


def assess_pair(pair: RoundPair, request: CurveRequest) -> PairAssessment:
    """Assess the drift between two rounds by their standardising runs on the shared topics."""
    rounds = pair.first, pair.later
    teams_by_round = [list(compress(entry.teams, entry.standardising)) for entry in rounds]
    systems_by_round = [list(compress(entry.systems, entry.standardising)) for entry in rounds]
    kin = (entry.kin for entry in rounds)
    units = unit_labels(*map(RunsOfRound, teams_by_round, systems_by_round, kin))
    scores = pair.standardising_scores
    labels = units.labels_from, units.labels_to
    margins = {"margin": choose_margin(request)[0], "sd_ratio_margin": request.sd_ratio_margin}
    # A shift divided by an extremely small sd can overflow: it is then unknown.
    with np.errstate(over="ignore", invalid="ignore"):
        drift = assess_drift(*scores, *labels, **margins)
        recurring = assess_recurring(*scores, *labels, **margins)
    teams, systems = [*chain(*teams_by_round)], [*chain(*systems_by_round)]
    whole = _result(drift, units.by, teams.count(None), systems.count(None))
    if recurring is None:
        return PairAssessment(drift, whole, None)
    both = np.isin(np.concatenate(labels), np.intersect1d(*labels))
    no_team, no_system = (list(compress(names, both)).count(None) for names in (teams, systems))
    by = units.by if no_team else "team"
    return PairAssessment(drift, whole, _result(recurring, by, no_team, no_system))


def _result(
    drift: DriftAssessment, by: By, runs_without_team: int, runs_without_system: int
) -> Assessment:
    parts = vars(drift.variance_parts)
    unknown = [name for name, of_statistic in parts.items() if not _is_finite(of_statistic)]
    fields = vars(drift) | {
        "these_runs": _known(drift.these_runs, unknown),
        "systems_like_these": _known(drift.systems_like_these, unknown),
        "variance_parts": _known(drift.variance_parts),
        "needed": _known(drift.needed),
    }
    return Assessment(
        **fields,
        provisional=by != "team" and drift.verdict != "unbridged",
        units=UnitCounts(
            from_=drift.units_from,
            to=drift.units_to,
            shared=drift.units_shared,
            by=by,
            runs_without_team=runs_without_team,
            runs_without_system=runs_without_system,
        ),
        tied=RoundCounts(from_=drift.tied_from, to=drift.tied_to),
    )


def _known(record: _Record, unknown: Sequence[str] = ()) -> _Record:
    """Return a dataclass with None for infinite values and intervals of `unknown` statistics."""
    removed = {
        name: None
        for name, value in vars(record).items()
        if not _is_finite(value) or name.rpartition("_")[0] in unknown
    }
    return replace(record, **removed)


def _is_finite(value: object) -> bool:
    if isinstance(value, VarianceParts | Needed):
        value = astuple(value)
    if isinstance(value, tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
