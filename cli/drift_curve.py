"""The ageing curve on the terminal: every later round against the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from cli.options import Form
from cli.output import Column, count, number, print_csv, print_table, section, show, signed

if TYPE_CHECKING:
    from service.logbook.drift.curve import DriftCurve, LaterRound


class _Picture(NamedTuple):
    """A round's shift, drawn."""

    name: str
    picture: str


_CURVE = (
    Column("round", "Round"),
    Column("verdict", "Verdict"),
    count("shared_topics", "Topics"),
    signed("mean_shift", "Shift"),
    Column("mean_shift_95", "95% interval", lambda ends: f"{ends[0]:+.3f} to {ends[1]:+.3f}"),
    number("sd_ratio", "sd ratio", 3),
    Column("sd_ratio_95", "95% interval", lambda ends: f"{ends[0]:.3f} to {ends[1]:.3f}"),
)
_CURVE_CSV = (
    *("round", "matrix", "revision", "version"),
    *("verdict", "shared_topics", "mean_shift", "mean_shift_low", "mean_shift_high"),
    *("sd_ratio", "sd_ratio_low", "sd_ratio_high"),
)
_DRAWN = 60


def show_curve(traced: DriftCurve, form: Form) -> None:
    """Print the curve as a table with a picture, as JSON or as CSV."""
    if form == "csv":
        print_csv(_CURVE_CSV, map(_plain, traced.rounds))
        return
    if form == "json":
        show(traced, form, traced.rounds, _CURVE)
        return
    _print_curve(traced)


def _plain(row: LaterRound) -> Sequence[object]:
    nothing = (None, None)
    return (
        *(row.round, row.matrix, row.revision, row.version),
        *(row.verdict, row.shared_topics),
        *(row.mean_shift, *(row.mean_shift_95 or nothing)),
        *(row.sd_ratio, *(row.sd_ratio_95 or nothing)),
    )


def _print_curve(traced: DriftCurve) -> None:
    print_table([], (), above=[traced.summary])
    section(
        f"{traced.measure}, {traced.assessments} assessments; shifts in standard deviations of"
        f" '{traced.from_round}', of which {traced.margin:g} either way does not matter, nor a"
        f" ratio of {1 / traced.sd_ratio_margin:.3g} to {traced.sd_ratio_margin:g}.",
        f"By factor version {traced.from_version} of '{traced.from_round}' (matrix"
        f" {traced.from_matrix}, revision {traced.from_revision}) and the latest of each later"
        " round.",
        *([traced.assumed] if traced.assumed else []),
        *(each.sentence() for each in traced.withdrawn),
    )
    section(rows=traced.rounds, columns=_CURVE)
    known = [end for row in traced.rounds for end in (*(row.mean_shift_95 or ()), row.mean_shift)]
    reach = [end for end in known if end is not None] + [-traced.margin, traced.margin]
    drawn = [
        _Picture(row.round, _picture(row, traced.margin, min(reach), max(reach)))
        for row in traced.rounds
    ]
    section(
        "│ no shift, ┊ the margins, ● the mean shift, ─ its 95% interval:",
        rows=drawn,
        columns=(Column("name", "Round"), Column("picture", "Mean shift")),
    )


def _picture(row: LaterRound, margin: float, least: float, largest: float) -> str:
    def place(value: float) -> int:
        return round((value - least) / (largest - least) * (_DRAWN - 1))

    drawn = [" "] * _DRAWN
    if row.mean_shift_95:
        low, high = map(place, row.mean_shift_95)
        drawn[low : high + 1] = "─" * (high - low + 1)
    for mark, value in (("┊", -margin), ("┊", margin), ("│", 0.0), ("●", row.mean_shift)):
        if value is not None:
            drawn[place(value)] = mark
    return "".join(drawn).rstrip()
