"""Studies on the terminal as tables, JSON or CSV; and the printing of saved ones."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from roundbook_cli.output import Column, print_sentences, section, show

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry, ShownResult
    from roundbook.logbook.studies.study import Study
    from roundbook_cli.options import Format

_ENTRY = {"name", "version", "versions", "task", "note", "saved_at", "saved_by", "stale"}


def saved_study_json(entry: ResultEntry) -> dict[str, Any]:
    """Return the facts of a saved study as JSON prints them: name, user, time, staleness."""
    from roundbook_cli.renewal import entry_json

    return entry_json(entry, _ENTRY)


def print_saved(saved: ShownResult, form: Any, *, details: bool) -> None:  # noqa: ANN401
    """Print a saved study, long tables in brief or whole, and whether its scores still count."""
    from roundbook.logbook.studies.study import Study
    from roundbook_cli.renewal import print_heading

    study = saved.result
    assert isinstance(study, Study)
    if form != "table":
        print_study(study, form, beside=saved_study_json(saved))
        return
    print_heading(saved, "these scores count today")
    print_study(study, form, top=sys.maxsize if details else None, more="--details")


def print_study(
    study: Study,
    form: Format,
    *,
    beside: Mapping[str, Any] | None = None,
    remarks: Sequence[str] = (),
    top: int | None = None,
    more: str = "--format json",
) -> None:
    """Print a study as tables to read, JSON or CSV.

    JSON has the fields `beside` too, and tables the `remarks`. Long tables have `top` rows, by
    default a number of their own; `more` is the option for all, with ``{}`` for their number.
    """
    from roundbook.presentation.studies.common import study_text

    text = study_text(study)
    if form != "table":
        columns = [Column(field, field) for field in text.main.field_names()]
        extra = dict(beside or {}) | {"protocol": text.protocol}
        show(study, form, text.main.rows, columns, extra=extra)
        return
    print_sentences(text.heading, *text.sentences)
    for table in text.tables:
        parts = list(table.parts(top))
        alike = [row for part, _ in parts for row in part.rows]
        for part, total in parts:
            left = [f"{len(part.rows)} of {total:,} rows: {more.format(total)} shows all."]
            section(
                part.heading,
                rows=part.rows,
                columns=part.columns,
                below=left if len(part.rows) < total else [],
                alike=alike,
            )
    for remark in [*text.remarks, *remarks, text.protocol]:
        section(remark)
