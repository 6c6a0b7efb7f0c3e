"""Discriminative power and swap rate of all rounds of a task, compared between scales."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from roundbook.errors import ImpossibleStatisticError
from roundbook.logbook.input_rows import inputs_today
from roundbook.logbook.lookup import find_task_series
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.discriminative_power import find_pairs_apart
from roundbook.logbook.studies.scores import Scores, matrix_scores
from roundbook.logbook.studies.study import KindOfStudy, MatrixRead, Study
from roundbook.logbook.studies.swap_rate import find_swaps
from roundbook.logbook.study_source import StudySource
from roundbook.logbook.withdrawals import TaskScores, none_counts, read_withdrawn
from roundbook.requests.drift import CurveRequest
from roundbook.requests.studies import AcrossRoundsRequest, AllRoundsRequest
from roundbook.statistics.significance import sign_test
from roundbook.statistics.studies.tukey import share_limits

# Each round's label and matrix.
RoundInputs = list[tuple[str, MatrixRead]]
# By figure, whether larger is better.
_FIGURES = {"share": True, "overall": False}


class RoundOnScale(Result):
    """The discriminative power and swap rate of a round on one scale.

    `share` (of significant pairs) and `critical_difference` are of the randomised Tukey HSD test;
    `overall` is the swap rate, and `needed_difference` has the `sensitivity`. The limits are over
    random draws, not over other topics.
    """

    scale: str
    topics: int
    share: float
    share_low: float
    share_high: float
    critical_difference: float | None
    overall: float
    overall_low: float | None
    overall_high: float | None
    needed_difference: float | None
    sensitivity: float | None
    topics_each: int


class StudiedRound(Result):
    """A studied round, its matrix, and its figures on each scale."""

    round: str
    matrix: int
    revision: int
    factor_version: int | None
    topics: int
    runs: int
    scales: list[RoundOnScale]


class RoundLeftOut(Result):
    """A round whose scores cannot be studied; `factor_version` is None without factors."""

    round: str
    matrix: int
    factor_version: int | None
    topics: int
    runs: int


class BesideRaw(Result):
    """A figure on a scale compared with that on the raw scores, over rounds.

    A round is `better` or `worse` if the limits of the two do not overlap, else `alike`. `least`
    and `most` are the smallest and largest differences from raw; `p` is that of a two-sided sign
    test of better against worse, None if all are alike.
    """

    figure: str
    better: int
    worse: int
    alike: int
    least: float
    most: float
    p: float | None


class ScaleAcrossRounds(Result):
    """One scale over all rounds: the means of its figures, and their comparison with raw scores."""

    scale: str
    share: float
    overall: float
    beside_raw: list[BesideRaw]


class AcrossRounds(Study):
    """Discriminative power and swap rate of all rounds with a measure, on each scale.

    `topics` and `runs` are sums over the rounds; `trials` are those of Tukey HSD.
    """

    alpha: float
    plus_one: bool
    swap_trials: int
    level: float
    with_replacement: bool
    rounds: list[StudiedRound]
    left_out: list[RoundLeftOut]
    scales: list[ScaleAcrossRounds]

    @property
    def inputs(self) -> RoundInputs:
        """All rounds, also those left out, each with its matrix and the version of its factors."""
        rounds: list[StudiedRound | RoundLeftOut] = [*self.rounds, *self.left_out]
        return [(entry.round, MatrixRead(entry.matrix, entry.factor_version)) for entry in rounds]

    @property
    def ageing_request(self) -> CurveRequest | None:
        """The request of how the first round's factors age; None without factors or later rounds."""
        first, *later = self.rounds
        if not later or first.factor_version is None:
            return None
        return CurveRequest(
            task=self.task or "",
            measure=self.measure,
            assessments=self.assessments,
            from_round=first.round,
        )

    @property
    def matrices(self) -> list[MatrixRead]:
        """The matrices of all rounds, each with the version of its factors."""
        return [read for _, read in self.inputs]


def _compute(
    session: Session | None, request: AcrossRoundsRequest, work: Work, saved: AcrossRounds | None
) -> AcrossRounds:
    assert session is not None
    connection = session.connection
    if saved is None:
        measure, label, inputs = find_rounds(connection, request)
    else:
        measure, label = saved.measure, saved.assessments or ""
        inputs = saved.inputs
    studied, left_out = [], []
    for name, read in inputs:
        of_round = request.model_copy(update={"round": name, "measure": measure})
        loaded = matrix_scores(connection, of_round, read)
        source = loaded.source
        entry = RoundLeftOut(round=name, topics=source.topics, runs=source.runs, **read._asdict())
        try:
            scales = [
                _of_scale(name, scale, scores, request, work)
                for scale, scores in loaded.scales.items()
            ]
        except ImpossibleStatisticError:
            left_out.append(entry)
        else:
            studied.append(StudiedRound(**dict(entry), revision=source.revision, scales=scales))
    if not studied:
        raise ImpossibleStatisticError(
            f"No round has {measure} scores on four topics or more, of runs that differ.",
            measure=measure,
        )
    return AcrossRounds.of(
        request,
        StudySource(
            topics=sum(entry.topics for entry in studied),
            runs=sum(entry.runs for entry in studied),
            task=request.task,
            measure=measure,
            assessments=label,
        ),
        rounds=studied,
        left_out=left_out,
        scales=[_over_rounds(scale, studied) for scale in request.scales],
    )


def find_rounds(connection: Connection, request: AllRoundsRequest) -> tuple[str, str, RoundInputs]:
    """Return the measure, the assessments label, and the rounds with current scores of these.

    Raises
    ------
    NotRecordedError
        When no round has such scores.
    WithdrawnError
        When no round has, and scores are withdrawn.
    """
    task_id, task, measure_id, measure, label = find_task_series(
        connection, request.task or "", request.measure, request.assessments
    )
    origin = "matrix" if request.rests_on == ("matrix",) else "factor_set"
    today = inputs_today(connection, origin, task_id, measure_id)
    rows = [row for row in today if row.assessments == label]
    if not rows:
        raise none_counts(
            f"No round of '{task}' has {measure} scores that count, of at least two runs.",
            read_withdrawn(connection, TaskScores(task_id, [measure_id], [label])),
            way_out="log a round",
            task=task,
            measure=measure,
        )
    return measure, label, [(row.round, MatrixRead(row.matrix, row.version)) for row in rows]


def _of_scale(
    label: str, scale: str, scores: Scores, request: AcrossRoundsRequest, work: Work
) -> RoundOnScale:
    part = f"{label}, {scale}"
    tukey = find_pairs_apart(part, scores, request, work)
    swaps = find_swaps(part, scores, request, request.swap_trials, work)
    low, high = share_limits(tukey)
    figures = vars(tukey) | vars(swaps)
    return RoundOnScale(**figures, scale=scale, share_low=low, share_high=high)


def _over_rounds(scale: str, studied: Sequence[StudiedRound]) -> ScaleAcrossRounds:
    """Return the means of a scale over rounds, compared with raw scores if these are studied."""
    on_scale, raw = (
        [row for entry in studied for row in entry.scales if row.scale == name]
        for name in (scale, "raw")
    )
    compared = raw if scale != "raw" else []
    return ScaleAcrossRounds(
        scale=scale,
        share=sum(row.share for row in on_scale) / len(on_scale),
        overall=sum(row.overall for row in on_scale) / len(on_scale),
        beside_raw=[_beside_raw(figure, on_scale, compared) for figure in _FIGURES if compared],
    )


def _beside_raw(
    figure: str, on_scale: Sequence[RoundOnScale], raw: Sequence[RoundOnScale]
) -> BesideRaw:
    higher, lower, differences = 0, 0, []
    for rows in zip(on_scale, raw, strict=True):
        (low, value, high), (raw_low, raw_value, raw_high) = (
            (getattr(row, f"{figure}_low"), getattr(row, figure), getattr(row, f"{figure}_high"))
            for row in rows
        )
        differences.append(value - raw_value)
        # A rate of few trials has no limits, and may differ by the random draws only.
        if None not in (low, high, raw_low, raw_high):
            higher += low > raw_high
            lower += high < raw_low
    better, worse = (higher, lower) if _FIGURES[figure] else (lower, higher)
    return BesideRaw(
        figure=figure,
        better=better,
        worse=worse,
        alike=len(differences) - better - worse,
        least=min(differences),
        most=max(differences),
        p=sign_test(better, worse) if better + worse else None,
    )


def _seconds(study: AcrossRounds) -> float:
    return sum(
        len(entry.scales)
        * entry.runs
        * (1e-7 * study.trials * entry.topics + 2e-8 * study.swap_trials * entry.runs)
        for entry in study.rounds
    )


STUDIES = {"across-rounds": KindOfStudy(AcrossRounds, _compute, _seconds)}
