"""What ``roundbook study leave-one-out`` prints of all rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roundbook.presentation.studies import leave_one_out_rounds as words
from roundbook.presentation.studies.common import heading
from roundbook_cli.options import Format
from roundbook_cli.output import section, show

if TYPE_CHECKING:
    from roundbook.logbook.studies.leave_one_out_rounds import LeaveOneOutRounds


def print_study(study: LeaveOneOutRounds, form: Format, saved: dict[str, Any]) -> None:
    """Print the study; `saved` is what JSON has besides."""
    protocol, rows = words.protocol(study), words.rows(study)
    if form != "table":
        show(study, form, rows, words.CSV, extra=saved | {"protocol": protocol})
        return
    above = [heading(study), *words.sentences(study), ""]
    show(study, form, list(map(words.round_row, study.rounds)), words.ROUNDS, above=above)
    for by, what in words.BY.items():
        of_it = [row for row in rows if row.by == by]
        if of_it:
            section(f"{what}:", rows=of_it, columns=words.FIGURES)
    for remark in words.remarks(study):
        section(remark)
    section(protocol)
