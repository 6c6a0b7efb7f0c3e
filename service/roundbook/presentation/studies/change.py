"""Changes of systems between two rounds in sentences and tables."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from roundbook.presentation.phrases import counted, listed, under_label
from roundbook.presentation.studies.common import join_protocol
from roundbook.presentation.tables import Column, Table, interval_text, number

if TYPE_CHECKING:
    from roundbook.logbook.studies.change import ChangedSystem, ChangeStudy, MissingScores

FIGURE = ("systems that fell", "{:.1%}")
_REASONS = {
    "mean_from_zero": "its mean was 0",
    "pivot_from_zero": "the pivot's mean was 0",
    "pivot_to_zero": "the pivot's mean is 0",
    "no_gain": "it scored as the pivot before",
    "pivot": "pivot",
}
_SYSTEMS = (
    Column("system", "System"),
    number("mean_from", "From"),
    number("mean_to", "To"),
    number("rd", "RD", spare=1),
    Column("rd_interval", "RD interval", interval_text, "right", 4),
    number("ri_from", "RI from", spare=6),
    number("ri_to", "RI to", spare=7),
    number("dri", "DRI"),
    Column("dri_interval", "DRI interval", interval_text, "right"),
    number("er", "ER", 3, spare=3),
    Column("er_interval", "ER interval", interval_text, "right", 5),
    Column("note", "Note", spare=2),
)
# Resamples of fewer topics spread less than samples do, most of all in the tails.
_FEW_TOPICS = 25
_LIMITS = ("rd", "dri", "er")
# In CSV every limit has its own column.
_FIELDS = (
    *("system", "mean_from", "mean_to", "rd", "ri_from", "ri_to", "dri", "er"),
    *(f"{name}_{limit}" for name in _LIMITS for limit in ("low", "high")),
    *("gain_from", "gain_from_se", "unstable"),
)


def tables(study: ChangeStudy) -> list[Table]:
    """Return the table of the changes of systems."""
    rows = list(map(_row, study.scales[0].systems))
    return [Table("Systems of both rounds:", rows, _SYSTEMS, fields=_FIELDS, main=True)]


def _row(system: ChangedSystem) -> SimpleNamespace:
    """Return the table row of a system, with a note on numbers that are missing or unstable."""
    why = list(dict.fromkeys(_REASONS[reason] for reason in system.reasons.values()))
    note = "; ".join(why) or ("unstable ER" if system.unstable else "")
    limits = {
        f"{name}_{limit}": interval and interval[side]
        for name in _LIMITS
        for interval in [getattr(system, f"{name}_interval")]
        for side, limit in enumerate(("low", "high"))
    }
    values = vars(system) | limits | {"note": note}
    if system.unstable:
        values["er_interval"] = None  # percentiles of a ratio whose denominator may be 0
    return SimpleNamespace(**values)


def _where(study: ChangeStudy) -> tuple[str, str]:
    if study.files:
        return ", ".join(study.files), ", ".join(study.to_files)
    return f"round '{study.from_round}'", f"round '{study.to_round}'"


def heading(study: ChangeStudy) -> str:
    """Return the heading of a comparison: its task, measure, rounds or files, sizes, assessments."""
    earlier, later = _where(study)
    before = f"{earlier} ({study.runs} runs on {study.topics} topics)"
    after = f"{later} ({study.to_runs} runs on {study.to_topics} topics)"
    task = "" if study.task is None else f"{study.task}: "
    return f"{task}{study.measure} from {before} to {after}{under_label(study.assessments)}."


def sentences(study: ChangeStudy) -> list[str]:
    """Return the sentences on the changes of systems, and on how to read the numbers."""
    earlier, later = ("the first", "the second") if study.files else _where(study)
    systems = study.scales[0].systems
    fell = round(study.scales[0].fell * len(systems))
    intervals = [system.dri_interval for system in systems if system.dri_interval]
    # Limits are rounded as in the table, where 0.0001 is 0.
    back = sum(round(low, 3) > 0 for low, _ in intervals)
    gained = sum(round(high, 3) < 0 for _, high in intervals)
    against = (
        f"by the DRI interval, {back} fell back against the pivot {study.pivot} and {gained} gained"
    )
    if not intervals:
        against = f"none has a DRI interval beside the pivot {study.pivot}"
    unmatched = ""
    if study.unmatched_from or study.unmatched_to:
        unmatched = (
            f" Runs of no system of both: {study.unmatched_from} in {earlier}, {study.unmatched_to}"
            f" in {later}."
        )
    lines = [
        f"Of {counted(len(systems), 'system')} of both, {fell}"
        f" {'has' if fell == 1 else 'have'} a lower mean in {later};"
        f" {against}.{unmatched}",
        "DRI above 0: fell back against the pivot; below 0: gained. ER is uncertain where a system"
        " was close to the pivot, and large gains shrink on other topics by themselves: go by DRI"
        " and its interval. Choose as pivot a system that nobody changed.",
        f"RD above 0 is worse in {later}, whose topics may be harder.",
    ]
    if study.other_teams:
        lines.append(
            f"Equal tags, but runs of other teams in {later}: {listed(study.other_teams, 8)}. Name"
            " the systems in team files to match them otherwise."
        )
    if min(study.topics, study.to_topics) < _FEW_TOPICS:
        lines.append(
            f"Few topics (under {_FEW_TOPICS}): percentile intervals over so few are too narrow."
        )
    unstable = sum(bool(system.unstable) for system in systems)
    if unstable:
        lines.append(
            f"The ER of {counted(unstable, 'system')} is unstable: the distance to the pivot in"
            f" {earlier} is below 2 of its standard errors and may be none."
        )
    return lines


def _missing(missing: MissingScores) -> str:
    cells = "" if missing.cells is None else f", {missing.cells} missing"
    return f"{missing.policy}{cells}"


def protocol(study: ChangeStudy) -> str:
    """Return every convention of a change between rounds in one sentence."""
    matched = {
        "system": "systems by what is recorded of the runs, several runs of one averaged by topic",
        "tag": "systems by equal tags of runs",
    }[study.match]
    later = f"{study.to_runs} runs on {study.to_topics} topics"
    if study.to_matrix is not None:
        later += f" (matrix {study.to_matrix}, revision {study.to_revision})"
    return join_protocol(
        study,
        [
            f"change to {_where(study)[1]}, {later}; {matched}; pivot {study.pivot}; result delta RD = (from"
            " - to) / |from|, relative improvement RI = (system - pivot) / |pivot|, DRI = RI from - RI"
            " to, effect ratio ER = (system - pivot) in the later / in the earlier round; missing"
            f" scores: {_missing(study.missing_from)}, and {_missing(study.missing_to)};"
            f" {100 * study.level:.10g}% percentile intervals over {study.trials:,} resamples of the"
            " topics of both rounds, each for itself"
        ],
    )
