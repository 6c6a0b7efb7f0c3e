"""The ageing curve on the terminal: every later round against the first."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from roundbook_cli.drift_advice import curve_text
from roundbook_cli.options import Form
from roundbook_cli.output import Column, count, number, print_table, section, show, signed

if TYPE_CHECKING:
    from roundbook.logbook.drift.report import DriftCurve


_CURVE = (
    Column("round", "Round"),
    # In 80 columns `verdict_words` would take the room of the numbers of topics.
    Column("verdict", "Verdict", lambda code: "none" if code == "unbridged" else code),
    count("shared_topics", "Topics", spare=1),
    signed("shift", "Shift"),
    Column("shift_95", "95% interval", lambda limits: f"{limits[0]:+.3f} to {limits[1]:+.3f}"),
    number("sd_ratio", "sd ratio", 3),
    Column("sd_ratio_95", "95% interval", lambda limits: f"{limits[0]:.3f} to {limits[1]:.3f}"),
)
_DRAWN = 60
_NARROWEST = 20


def show_curve(traced: DriftCurve, form: Form) -> None:
    """Print the curve as a table with a picture, as JSON or as CSV."""
    from roundbook.presentation.drift_curve import curve_row

    rows = list(map(curve_row, traced.rounds))
    if form == "table":
        _print_curve(traced, list(map(_with_intervals, rows)))
    else:
        columns = [Column(name, name) for name in rows[0]]
        values = [SimpleNamespace(**row) for row in rows]
        show(traced, form, values, columns, extra=curve_text(traced))


def _with_intervals(row: dict[str, Any]) -> SimpleNamespace:
    intervals = {}
    for name in ("shift", "sd_ratio"):
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        intervals[f"{name}_95"] = None if low is None else (low, high)
    return SimpleNamespace(**row, **intervals)


def _print_curve(traced: DriftCurve, rows: Sequence[SimpleNamespace]) -> None:
    from roundbook.logbook.withdrawals import left_out
    from roundbook.presentation.drift_curve import (
        curve_choice,
        curve_order,
        curve_provisional,
        curve_small_sds,
    )
    from roundbook.presentation.drift_verdict import JUDGED_BY

    text = curve_text(traced)
    beside = (
        *curve_order(traced),
        text["assumed"],
        curve_choice(traced),
        curve_small_sds(traced),
        curve_provisional(traced),
    )
    print_table([], (), above=[text["summary"]])
    section(
        f"{traced.measure}, {traced.assessments} assessments; for systems and topics like these."
        f" Shifts in standard deviations of '{traced.from_round}', of which {traced.margin:.3g}"
        f" either way does not matter, nor a ratio of {1 / traced.sd_ratio_margin:.3g} to"
        f" {traced.sd_ratio_margin:g}. {JUDGED_BY}",
        f"By factor version {traced.from_version} of '{traced.from_round}' (matrix"
        f" {traced.from_matrix}, revision {traced.from_revision}) and the latest of each later"
        " round.",
        *filter(None, beside),
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
        SimpleNamespace(
            round=row.round, picture=_picture(row, traced.margin, min(reach), max(reach), columns)
        )
        for row in rows
    ]
    section(
        "│ no shift, ┊ the margins, ● the shift, ─ its 95% interval:",
        rows=drawn,
        columns=(Column("round", "Round"), Column("picture", "Shift")),
    )


def _picture(
    row: SimpleNamespace, margin: float, least: float, largest: float, columns: int
) -> str:
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
