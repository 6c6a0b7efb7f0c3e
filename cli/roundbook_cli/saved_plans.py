"""A saved plan on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roundbook_cli import plan_options as options
from roundbook_cli.output import print_json
from roundbook_cli.plan_advice import plan_json
from roundbook_cli.plan_print import print_plan

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry, ShownResult

_ENTRY = ("name", "version", "versions", "task", "note", "saved_at", "saved_by", "software")


def print_saved(
    saved: ShownResult, form: options.PlanFormat, *, only_protocol: bool = False, details: bool
) -> None:
    """Print a saved plan, and whether the scores it was computed from still count."""
    from roundbook.logbook.plans.plan import Plan
    from roundbook.presentation.plans import plan_changes
    from roundbook.presentation.saved_results import saved_heading, why_stale
    from roundbook_cli.renewal import renewal

    assert isinstance(saved.result, Plan)
    changes, renew = plan_changes(saved), renewal(saved)
    if form == "json":
        facts = {"illegible": saved.illegible, "renew": renew, "plan": plan_json(saved.result)}
        print_json(plan_entry(saved) | changes | facts)
        return
    above = [saved_heading(saved), *_changes(**changes), *(["To renew it:"] if renew else [])]
    if saved.illegible is not None:
        above.append(f"Stale: {why_stale(saved)}.")
    print_plan(
        saved.result,
        form,
        only_protocol=only_protocol,
        details=details,
        above=above,
        copyable=renew,
    )


def plan_entry(entry: ResultEntry) -> dict[str, Any]:
    """Return the facts of a saved plan as JSON prints them: its name, version, user and time."""
    printed = entry.model_dump(mode="json", include=set(_ENTRY))
    return {field: printed[field] for field in _ENTRY}


def _changes(stale: list[dict[str, Any]], new_rounds: list[str]) -> list[str]:
    lines = [
        f"Stale: round '{change['round']}'{_variances(change['was'], change['now'])}:"
        f" {change['why']}."
        for change in stale
    ]
    if new_rounds:
        lines.append(f"Not in it, since they did not count then: {', '.join(new_rounds)}.")
    return lines


def _variances(was: float | None, now: float | None) -> str:
    """Return the variance then and today, as a clause; empty where they are printed alike."""
    if was is None:
        return ""
    texts = [f"{value:.5g}" for value in (was, now) if value is not None]
    if not any("e" in text for text in texts):
        decimals = max(len(text.partition(".")[2]) for text in texts)
        texts = [f"{value:.{decimals}f}" for value in (was, now) if value is not None]
    if now is None:
        return f" counts with {texts[0]}"
    return "" if texts[0] == texts[1] else f" counts with {texts[0]}, and is {texts[1]} today"
