"""The ageing curve on the terminal: every later round against the first."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from roundbook_cli.charts import write_chart
from roundbook_cli.drift_advice import curve_text
from roundbook_cli.options import Form
from roundbook_cli.output import (
    Column,
    count,
    number,
    print_csv,
    print_table,
    section,
    show,
    signed,
)

if TYPE_CHECKING:
    from roundbook.logbook.drift.curve import DriftCurve, LaterRound


class _Picture(NamedTuple):
    """A round's shift, drawn."""

    name: str
    picture: str


class _Row(NamedTuple):
    """A later round in brief: what its verdict rests on."""

    round: str
    verdict: str
    topics: int
    shift: float | None
    shift_95: tuple[float, float] | None
    sd_ratio: float | None
    sd_ratio_95: tuple[float, float] | None


_CURVE = (
    Column("round", "Round"),
    Column("verdict", "Verdict"),
    count("topics", "Topics", spare=1),
    signed("shift", "Shift"),
    Column("shift_95", "95% interval", lambda limits: f"{limits[0]:+.3f} to {limits[1]:+.3f}"),
    number("sd_ratio", "sd ratio", 3),
    Column("sd_ratio_95", "95% interval", lambda limits: f"{limits[0]:.3f} to {limits[1]:.3f}"),
)
_CURVE_CSV = (
    *("round", "matrix", "revision", "version", "verdict", "why", "provisional", "shared_topics"),
    *("units_from", "units_to", "units_shared"),
    *("shift", "shift_low", "shift_high", "sd_ratio", "sd_ratio_low", "sd_ratio_high"),
)
_DRAWN = 60
_NARROWEST = 20


def show_curve(traced: DriftCurve, form: Form) -> None:
    """Print the curve as a table with a picture, as JSON or as CSV."""
    if form == "csv":
        print_csv(_CURVE_CSV, map(_plain, traced.rounds))
        return
    if form == "json":
        show(traced, form, (), (), extra=curve_text(traced))
        return
    _print_curve(traced)


def draw_curve(traced: DriftCurve, path: Path | None) -> None:
    """Write the curve as a chart, if a file for it is named."""
    if path is not None:
        from roundbook.presentation.charts.drift import curve_chart

        write_chart(path, curve_chart(traced))


def _plain(later: LaterRound) -> Sequence[object]:
    row, nothing = _row(later), (None, None)
    units = later.units
    return (
        *(later.round, later.matrix, later.revision, later.version),
        *(later.verdict, later.why, later.provisional, later.shared_topics),
        *((units.from_, units.to, units.shared) if units else (None, None, None)),
        *(row.shift, *(row.shift_95 or nothing)),
        *(row.sd_ratio, *(row.sd_ratio_95 or nothing)),
    )


def _row(later: LaterRound) -> _Row:
    like = later.systems_like_these
    return _Row(
        later.round,
        later.verdict,
        later.shared_topics,
        like.shift if like else None,
        like.shift_95 if like else None,
        like.sd_ratio if like else None,
        like.sd_ratio_95 if like else None,
    )


def _print_curve(traced: DriftCurve) -> None:
    from roundbook.logbook.withdrawals import left_out
    from roundbook.presentation.drift_curve import curve_choice, curve_provisional
    from roundbook.presentation.drift_verdict import JUDGED_BY

    rows, text = list(map(_row, traced.rounds)), curve_text(traced)
    beside = (text["assumed"], curve_choice(traced), curve_provisional(traced))
    print_table([], (), above=[text["summary"]])
    section(
        f"{traced.measure}, {traced.assessments} assessments; for systems and topics like these."
        f" Shifts in standard deviations of '{traced.from_round}', of which {traced.margin:.3g}"
        f" either way does not matter, nor a ratio of {1 / traced.sd_ratio_margin:.3g} to"
        f" {traced.sd_ratio_margin:g}. {JUDGED_BY}",
        f"By factor version {traced.from_version} of '{traced.from_round}' (matrix"
        f" {traced.from_matrix}, revision {traced.from_revision}) and the latest of each later"
        " round.",
        *(sentence for sentence in beside if sentence),
        *map(left_out, traced.withdrawn),
    )
    section(rows=rows, columns=_CURVE)
    if all(row.shift is None for row in rows):
        section(
            "Nothing to draw: for systems and topics like these no later round has a shift from"
            f" '{traced.from_round}'."
        )
        return
    shifts = [shift for row in rows for shift in (*(row.shift_95 or ()), row.shift)]
    reach = [shift for shift in shifts if shift is not None] + [-traced.margin, traced.margin]
    left = shutil.get_terminal_size().columns - max(len(row.round) for row in rows) - 3
    columns = max(_NARROWEST, min(_DRAWN, left))
    drawn = [
        _Picture(row.round, _picture(row, traced.margin, min(reach), max(reach), columns))
        for row in rows
    ]
    section(
        "│ no shift, ┊ the margins, ● the shift, ─ its 95% interval:",
        rows=drawn,
        columns=(Column("name", "Round"), Column("picture", "Shift")),
    )


def _picture(row: _Row, margin: float, least: float, largest: float, columns: int) -> str:
    def column(value: float) -> int:
        return round((value - least) / (largest - least) * (columns - 1))

    drawn = [" "] * columns
    if row.shift_95:
        low, high = map(column, row.shift_95)
        drawn[low : high + 1] = "─" * (high - low + 1)
    for mark, value in (("┊", -margin), ("┊", margin), ("│", 0.0), ("●", row.shift)):
        if value is not None:
            drawn[column(value)] = mark
    return "".join(drawn).rstrip()
