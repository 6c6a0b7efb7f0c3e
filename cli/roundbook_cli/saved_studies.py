"""A saved study on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roundbook_cli.output import print_table

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry, ShownResult

_ENTRY = {"name", "version", "versions", "task", "note", "saved_at", "saved_by", "stale"}


def study_entry(entry: ResultEntry) -> dict[str, Any]:
    """Return who saved a study, when, why, and whether it is stale, as JSON prints it."""
    from roundbook.presentation.staleness import why_stale
    from roundbook_cli.renewal import renewal

    facts = entry.model_dump(mode="json", include=_ENTRY)
    return facts | {"why": why_stale(entry), "renew": renewal(entry)}


def print_saved(shown: ShownResult, form: Any) -> None:  # noqa: ANN401
    """Print a saved study, and whether the scores it was computed from still count."""
    from roundbook.logbook.studies.study import Study
    from roundbook.presentation.saved_results import saved_heading
    from roundbook_cli.renewal import print_staleness
    from roundbook_cli.studies.running import print_study

    study = shown.result
    assert isinstance(study, Study)
    if form != "table":
        print_study(study, form, saved=study_entry(shown))
        return
    head = saved_heading(
        f"Study '{shown.name}', version {shown.version} of {shown.versions}", shown
    )
    print_table([], (), above=[head, ""])
    print_study(study, form)
    print_staleness(shown, "these scores count today")
