"""Leave-one-out of all rounds, in sentences and tables."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from roundbook.presentation.phrases import verdict_words
from roundbook.presentation.studies.common import ends_early, join_protocol, share_column
from roundbook.presentation.studies.leave_one_out import WELL_EXPLAINED
from roundbook.presentation.tables import Column, Table, count, number, signed

if TYPE_CHECKING:
    from roundbook.logbook.studies.leave_one_out_rounds import LeaveOneOutRounds, TauTrend
    from roundbook.logbook.studies.left_out_rounds import LeftOutRound

FIGURE = ("lowest Kendall's tau", "{:.3f}")
# The level of the trend test: up to this p value, a trend is beyond chance.
_RARE = 0.05
# With fewer rounds no trend can reach that level.
_LEAST_ROUNDS = 5
_BY = {"factors": "factors", "assessments": "factors and the assessments"}
_NOT_ANEW = {
    "no runs": "what runs retrieved is not recorded",
    "no assessments": "relevance assessments are not recorded",
    "no pool": "which runs fed the pool, and of which teams they are, is not recorded",
    "impossible": "the measure is none that is computed from runs, or no pool depth explains the"
    " assessments (leaving one out of such a round alone tells which)",
}
_NOT_STUDIED = {
    "no teams": "which team sent which run is not recorded",
    "impossible": "runs or teams are too few, or tie",
}
_ROUNDS = (
    Column("round", "Round"),
    count("topics", "Topics", spare=3),
    count("runs", "Runs", spare=2),
    count("teams", "Teams"),
    count("pool_depth", "Depth"),
    share_column("explained_share", "Explained"),
    share_column("alone_share", "By one team"),
    Column("ageing", "Factors", verdict_words),
)
_FIGURES = (
    Column("scale", "Scale"),
    Column("round", "Round"),
    number("tau", "Tau"),
    number("rmse", "RMSE", 4, spare=1),
    number("largest", "Largest", 4, spare=2),
    signed("bias", "Bias", 4),
    number("mean_rank_shift", "Ranks: mean", 2),
    count("largest_rank_shift", "most"),
)
_FIELDS = [column.field for column in (*_FIGURES, *_ROUNDS[3:])]


def tables(study: LeaveOneOutRounds) -> list[Table]:
    """Return the tables of the rounds with their pools, and of the effects of leaving out."""
    return [
        Table("Rounds, and their pools:", list(map(_round_row, study.rounds)), _ROUNDS),
        Table(
            "Without the team in the {}:",
            _rows(study),
            _FIGURES,
            by=Column("by", "By", _BY.__getitem__),
            fields=(*_FIELDS, "pooled_runs"),
            main=True,
        ),
    ]


def _rows(study: LeaveOneOutRounds) -> list[SimpleNamespace]:
    """Return a row for each scale and round, first by the factors, then by the assessments too."""
    rows = []
    for by in _BY:
        for scale in study.scales:
            for row in study.rounds:
                effects = row if by == "factors" else row.reassessed
                if effects is None:
                    continue
                labels = {"by": by, "teams": effects.teams}
                rows += [
                    SimpleNamespace(**vars(_round_row(row)) | dict(figures) | labels)
                    for figures in effects.scales
                    if figures.scale == scale.scale
                ]
    return rows


def _round_row(row: LeftOutRound) -> SimpleNamespace:
    """Return the table row of a round: its pool, and the verdict on the first round's factors."""
    anew = row.reassessed
    names = ("pooled_runs", "pool_depth", "explained_share")
    pool = {name: getattr(anew, name, None) for name in names}
    fields = ("round", "topics", "runs", "teams", "ageing")
    alone = anew.relevant_alone / anew.relevant if anew is not None and anew.relevant else None
    return SimpleNamespace(
        **{name: getattr(row, name) for name in fields}, **pool, alone_share=alone
    )


def sentences(study: LeaveOneOutRounds) -> list[str]:
    """Return the sentences on whether new runs are scored less fairly from round to round."""
    if len(study.rounds) == 1:
        return [f"Only round '{study.rounds[0].round}' can be studied: nothing lies beside it."]
    trends = [
        (f"{scale.scale}, {by}", trend)
        for by in _BY
        for scale in study.scales
        for trend in scale.trends
        if trend.by == by
    ]
    rare = [name for name, trend in trends if trend.p is not None and trend.p <= _RARE]
    beyond = "No trend is beyond chance"
    if rare:
        beyond = f"Beyond chance (p <= {_RARE:g}, not adjusted for their number): {'; '.join(rare)}"
    elif len(study.rounds) < _LEAST_ROUNDS:
        beyond = f"Fewer than {_LEAST_ROUNDS} rounds cannot show a trend beyond chance"
    lines = [
        "Does reusability get worse, round after round? Kendall's tau with the official ranking:",
        *(f"{name}: {_course(trend)}." for name, trend in trends),
        f"{beyond}.",
    ]
    first, last = study.rounds[0].teams, study.rounds[-1].teams
    if last < first:
        lines.append(
            f"Teams get fewer, from {first} to {last}, and tau falls by itself with fewer teams: a"
            " trend downwards need not be the factors' or the assessments'."
        )
    return lines


def _course(trend: TauTrend) -> str:
    if trend.rounds == 1:
        return f"{trend.first:.3f} in one round"
    p = "" if trend.p is None else f", p = {trend.p:.2g}"
    return (
        f"{trend.first:.3f} in the first, {trend.last:.3f} in the last of {trend.rounds} rounds"
        f" (lower than before in {trend.lower}, higher in {trend.higher}{p})"
    )


def remarks(study: LeaveOneOutRounds) -> list[str]:
    """Return the remarks on ageing, understated costs, and rounds not scored anew or left out."""
    lines = []
    verdicts = {row.round: row.ageing for row in study.rounds if row.ageing is not None}
    if verdicts:
        # A list of results needs this module, but not what drift is computed with.
        from roundbook.presentation.drift_curve import ageing  # noqa: PLC0415

        lines.append(ageing(study.ageing_from, verdicts))
    understated = [
        f"'{row.round}'"
        for row in study.rounds
        if row.reassessed is not None and row.reassessed.explained_share < WELL_EXPLAINED
    ]
    if understated:
        lines.append(
            f"The pooled runs do not explain all assessments of {', '.join(understated)}: the rest"
            " always remains, so that what being left out costs is understated."
        )
    cut = [
        f"at rank {depth} in '{row.round}'"
        for row in study.rounds
        for depth in [None if row.reassessed is None else row.reassessed.known_depth]
        if depth is not None and ends_early(study.measure, depth)
    ]
    if cut:
        lines.append(
            f"Lists end {', '.join(cut)}: scored anew it is {study.measure} to that rank, not"
            f" {study.measure} of the whole list."
        )
    lines += [
        f"In round '{row.round}' {logged.different:,} of {logged.cells:,} logged scores"
        f" {'differs' if logged.different == 1 else 'differ'} from those computed anew, by up to"
        f" {logged.largest:.2g}: without the team in the assessments it is of other scores."
        for row in study.rounds
        for logged in [None if row.reassessed is None else row.reassessed.logged]
        if logged is not None and logged.different
    ]
    for code, reason in _NOT_ANEW.items():
        labels = [f"'{row.round}'" for row in study.rounds if row.not_reassessed == code]
        if labels:
            lines.append(f"Not scored anew, as {reason}: {', '.join(labels)}.")
    for code, reason in _NOT_STUDIED.items():
        labels = [f"'{row.round}'" for row in study.left_out if row.why == code]
        if labels:
            lines.append(f"Left out, as {reason}: {', '.join(labels)}.")
    return lines


def protocol(study: LeaveOneOutRounds) -> str:
    """Return every convention of the study in one sentence."""
    alone = sum(row.runs_without_team for row in study.rounds)
    method = [
        "leave-one-out: in every round each team is left out once with all its runs"
        + (f" (runs without team, {alone} in all, are one each)" if alone else "")
        + ", and scored by the factors of the others among the standardising runs of that round;"
        " first on the round's scores, which leave raw scores as they are, then, where runs and"
        " assessments are recorded, with all runs scored anew by the assessments without the"
        " documents that pooled runs of that team have to the pool's depth and no other pooled run"
        " has (the depth is the largest to which 95% of the pooled runs' documents are judged)",
        "compared with the means of the whole round by its own factors: Kendall's tau-b, root mean"
        " square, largest and mean difference over runs, and ranks among the runs that are not left"
        " out",
        "p of Mann's two-sided test of tau against the order of the rounds, not adjusted for the"
        " number of scales",
    ]
    return join_protocol(study, method, drawn=False)
