"""Leave-one-out in sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

from roundbook.presentation.phrases import named
from roundbook.presentation.studies.common import (
    SCALE,
    computed_scores,
    join_protocol,
    of_scales,
    percent,
)
from roundbook.presentation.tables import Column, Table, count, number, signed

if TYPE_CHECKING:
    from roundbook.logbook.studies.leave_one_out import (
        LeaveOneOutStudy,
        LeftOutOfScale,
        Pool,
        TopicWithout,
    )

FIGURE = ("Kendall's tau", "{:.3f}")
_MOST_NAMED = 3
_MOST_RUNS = 10
_MOST_TEAMS = 5
# With a smaller share of the assessments explained, a remark says that costs are understated.
WELL_EXPLAINED = 0.9

_SCALES = (
    SCALE,
    number("tau", "Tau"),
    Column("interval", "95% interval", spare=3),
    number("rmse", "RMSE", 5),
    number("largest", "Largest", 4),
    signed("bias", "Bias", 5),
    number("mean_rank_shift", "Ranks: mean", 2),
    count("largest_rank_shift", "most"),
)
_RUNS = (
    Column("run", "Run"),
    Column("team", "Team", spare=1),
    number("official", "In the round"),
    number("left_out", "Left out"),
    signed("difference", "Difference", 4),
    Column("rank_shift", "Ranks lost", lambda shift: f"{shift:+d}" if shift else "0", "right"),
)
_CONTRIBUTIONS = (
    Column("team", "Team"),
    count("runs", "Runs"),
    count("pooled_runs", "Pooled"),
    count("judged", "Judged by it alone"),
    count("relevant", "Relevant"),
)


def tables(study: LeaveOneOutStudy) -> list[Table]:
    """Return the tables of the effects on each scale and run, and of the teams' contributions."""
    columns = [column for column in _RUNS if study.by == "team" or column.field != "team"]
    if study.reassessed:
        anew = number("official", "All there")
        columns = [anew if column.field == "official" else column for column in columns]
    effects = [
        Table(
            "Means of the runs where they are left out, beside those of the whole round:",
            list(map(_row, study.scales)),
            _SCALES,
        ),
        Table(
            "The runs that lose most on {} where they are left out:",
            of_scales(study.scales, lambda scale: scale.left_out),
            columns,
            by=SCALE,
            most=_MOST_RUNS,
            main=True,
        ),
    ]
    if study.pool is None:
        return effects
    by_relevant = sorted(
        study.pool.contributions, key=lambda team: (team.relevant, team.judged), reverse=True
    )
    heading = "The teams without which most would be missing from the assessments:"
    return [*effects, Table(heading, by_relevant, _CONTRIBUTIONS, most=_MOST_TEAMS)]


def _row(scale: LeftOutOfScale) -> SimpleNamespace:
    """Return the table row of one scale."""
    interval = "-"
    if scale.tau_low is not None and scale.tau_high is not None:
        interval = f"{scale.tau_low:.3f} to {scale.tau_high:.3f}"
    return SimpleNamespace(**dict(scale), interval=interval)


def sentences(study: LeaveOneOutStudy) -> list[str]:
    """Return a sentence for each scale on the score and ranks that a run loses when left out."""
    lines = [
        f"On {scale.scale}, a run that is left out gets {abs(scale.bias):.4f}"
        f" {'less' if scale.bias < 0 else 'more'} on average, {scale.largest:.4f} more or less at"
        f" most, and moves by {scale.mean_rank_shift:.1f} ranks on average,"
        f" {scale.largest_rank_shift} at most."
        for scale in study.scales
    ]
    return lines + computed_scores(study, study.pool.known_depth if study.pool else None)


def remarks(study: LeaveOneOutStudy) -> list[str]:
    """Return the remarks on the pool, and on topics where leaving out means something else."""
    lines = []
    if study.pool is not None:
        lines += _of_pool(study.pool)
        lines += _without(
            study.pool.emptied, "has no relevant document left, so that every run scores 0"
        )
    lines += _without(
        study.tied,
        "has no spread among the others, so that what is left out seems average though it differs",
    )
    if any(scale.tau_high is not None for scale in study.scales):
        lines.append(
            "The interval of tau is as the papers print it, as if the rankings were unrelated: it may"
            " pass 1, and does not say how far tau would vary."
        )
    if study.by == "run":
        lines.append(
            "Run by run, what changes follows from the number of runs nearly alone, and a team's"
            " other runs are often near-copies: leaving out teams tells more."
        )
    return lines


def _of_pool(pool: Pool) -> list[str]:
    lines = [
        f"The pool is taken to be {pool.depth} deep. {pool.judged_alone:,} of {pool.judged:,}"
        f" judged documents and {pool.relevant_alone:,} of {pool.relevant:,} relevant ones are"
        " there by one team only."
    ]
    if pool.depth == pool.known_depth:
        lines.append("Runs are recorded to no deeper rank: the pool may have been deeper.")
    if pool.explained_share < WELL_EXPLAINED:
        lines.append(
            f"The pooled runs explain {percent(pool.explained_share)} of the assessments. The rest"
            " always remains, so that what being left out costs is understated."
        )
    without = sum(team.pooled_runs == 0 for team in pool.contributions)
    if without:
        lines.append(
            f"Teams without a pooled run: {without} of {len(pool.contributions)}. Where they are left"
            " out, the assessments stay as they are."
        )
    if pool.without_relevant:
        topics = named("topic", pool.without_relevant, _MOST_NAMED)
        lines.append(f"No document is relevant to {topics}: every run scores 0 there in any case.")
    return lines


def _without(topics: Sequence[TopicWithout], consequence: str) -> list[str]:
    lines = [
        f"Without {row.without}, topic {row.topic} {consequence}." for row in topics[:_MOST_NAMED]
    ]
    if len(topics) > _MOST_NAMED:
        lines.append(f"So it is in {len(topics) - _MOST_NAMED:,} more cases.")
    return lines


def protocol(study: LeaveOneOutStudy) -> str:
    """Return every convention of leaving one out in one sentence."""
    trials = f"each of {study.trials:,} runs is left out once"
    if study.by == "team":
        alone = f" ({study.runs_without_team} of them runs without team)"
        trials = (
            f"each of {study.trials:,} teams{alone if study.runs_without_team else ''} is left out once"
            " with all its runs"
        )
    raw = "raw scores stay as they are"
    if study.pool is not None:
        raw = (
            "all runs are scored anew by the relevance assessments without the documents that pooled"
            f" runs of that team have to rank {study.pool.depth} and no other pooled run has"
            f" ({percent(study.pool.judged_share)} of the pooled runs' documents to that rank are"
            f" judged, and they are {percent(study.pool.explained_share)} of the judged documents)"
        )
    runs = {
        "all": "all runs",
        "pooled": f"the {study.standardising_runs} runs that contributed to the pool",
    }.get(study.standardising, f"the {study.standardising_runs} standardising runs")
    topics = "gives every run 0 sds" if study.zero_sd == "average" else "is dropped"
    method = [
        f"leave-one-out: {trials}, and scored by the factors of the others among {runs} (a topic on"
        f" which these tie {topics}); {raw}",
        "compared with the means of the whole round by its own factors: Kendall's tau-b with the"
        " interval tau +- 1.96 sqrt(2 (2m + 5) / (9 m (m - 1))), root mean square, largest and mean"
        " difference over runs, and ranks among the runs that are not left out",
    ]
    return join_protocol(study, method, drawn=False)
