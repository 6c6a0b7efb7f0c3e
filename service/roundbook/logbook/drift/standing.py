"""Does a saved drift report still stand? What it rests on, against today's."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from roundbook.logbook.drift.assessment import MIN_D
from roundbook.logbook.factor_standing import FactorStanding, read_factor_standings
from roundbook.statistics.drift.assessment import MARGIN, SD_RATIO_MARGIN


class KeptReport(NamedTuple):
    """A saved drift report in brief: what was asked, what came out, the factors it rests on."""

    number: int
    task: str
    measure: str
    assessments: str
    from_factor_set_id: int
    to_factor_set_id: int
    note: str | None
    software: str
    saved_at: datetime
    saved_by: str
    from_round: str
    to_round: str
    margin: float
    margin_from: str | None
    sd_ratio_margin: float
    m: int
    min_d: float
    verdict: str
    shift: float | None
    mean_shift: float | None
    sd_ratio: float | None
    from_collection: str | None
    to_collection: str | None
    runs_without_team: int | None
    runs_without_system: int | None

    def question(self) -> tuple[object, ...]:
        """Return what was asked, by which a later report answers the same."""
        return (
            *(self.measure, self.assessments, self.from_round, self.to_round),
            *(self.margin, self.sd_ratio_margin, self.m, self.min_d),
        )


class ReportStanding(NamedTuple):
    """Whether a report stands: `why` it does not, None where it does; `renew` by which command.

    Where no command renews it, or a later report does already, `why` says so.
    """

    why: str | None
    renew: str | None


def read_reports(connection: Connection, task_id: int | None) -> list[KeptReport]:
    """Return the saved reports of a task, or of all, by task and number; one query."""
    rows = connection.execute(text(_REPORTS), {"task": task_id})
    return [KeptReport._make(row) for row in rows]


# The tables of topics are many times as large as what is asked for here.
_REPORTS = """
SELECT number, task.name, measure.name, assessments, from_factor_set_id, to_factor_set_id, note,
       software, saved_at, saved_by, result ->> 'from', result ->> 'to',
       (result ->> 'margin')::float8, result ->> 'margin_from',
       (result ->> 'sd_ratio_margin')::float8, (result ->> 'm')::bigint,
       (result ->> 'min_d')::float8, result ->> 'verdict', (result ->> 'shift')::float8,
       (result ->> 'mean_shift')::float8, (result ->> 'sd_ratio')::float8,
       result ->> 'from_collection', result ->> 'to_collection',
       (result #>> '{units,runs_without_team}')::bigint,
       (result #>> '{units,runs_without_system}')::bigint
FROM roundbook.drift_report
JOIN roundbook.task ON task.id = drift_report.task_id
JOIN roundbook.measure ON measure.id = drift_report.measure_id
WHERE CAST(:task AS bigint) IS NULL OR task_id = :task
ORDER BY task.name, number
"""


def report_standings(
    connection: Connection, reports: Sequence[KeptReport]
) -> dict[tuple[str, int], ReportStanding]:
    """Return where each of the reports stands, by task and number; two queries.

    Parameters
    ----------
    reports : sequence of KeptReport
        All of their tasks: a later one may stand in an earlier one's place.
    """
    ends = {end for each in reports for end in _ends(each)}
    factors = read_factor_standings(connection, ends)
    today = _known_today(connection, ends)
    why = {
        (each.task, each.number): [
            f"factor version {factors[end].version} of round '{factors[end].round}':"
            f" {factors[end].why()}"
            for end in _ends(each)
            if not factors[end].stands
        ]
        + _known_since(each, *(today[end] for end in _ends(each)))
        for each in reports
    }
    standing = {
        (each.task, *each.question()): each.number
        for each in reports
        if not why[each.task, each.number]
    }
    return {
        (each.task, each.number): _standing(
            each,
            why[each.task, each.number],
            [factors[end] for end in _ends(each)],
            standing.get((each.task, *each.question())),
        )
        for each in reports
    }


def _ends(report: KeptReport) -> tuple[int, int]:
    return report.from_factor_set_id, report.to_factor_set_id


class _Known(NamedTuple):
    """What is known today of the standardising runs of a factor set, and of its round."""

    runs_without_team: int
    runs_without_system: int
    collection: str | None


def _known_today(connection: Connection, factor_sets: Iterable[int]) -> dict[int, _Known]:
    """Return what is known today, by factor set; one query."""
    rows = connection.execute(text(_KNOWN), {"ids": sorted(factor_sets)})
    return {number: _Known._make(known) for number, *known in rows}


_KNOWN = """
SELECT factor_set.id, count(*) FILTER (WHERE run.team_id IS NULL),
       count(*) FILTER (WHERE run.system IS NULL), round.collection
FROM roundbook.factor_set
JOIN roundbook.round ON round.id = factor_set.round_id
JOIN roundbook.matrix_run ON matrix_run.matrix_id = factor_set.matrix_id
JOIN roundbook.run ON run.id = matrix_run.run_id
LEFT JOIN roundbook.factor_set_run AS listed
    ON listed.factor_set_id = factor_set.id AND listed.run_id = run.id
WHERE factor_set.id = ANY (CAST(:ids AS bigint[]))
    AND (factor_set.standardising = 'all' OR listed.run_id IS NOT NULL)
GROUP BY factor_set.id, round.collection
"""


def _known_since(report: KeptReport, first: _Known, later: _Known) -> list[str]:
    """Say what a report did not know yet: it changes the shared topics, or the units of runs."""
    why = []
    if (report.from_collection, report.to_collection) != (first.collection, later.collection):
        why.append("a document collection was declared since")
    if report.verdict == "unbridged":
        return why
    if report.runs_without_team is None:
        return [*why, "its verdict is by an earlier rule, which took the runs for fixed"]
    for noun, saved, today in (
        ("team", report.runs_without_team, first.runs_without_team + later.runs_without_team),
        (
            "system",
            report.runs_without_system,
            first.runs_without_system + later.runs_without_system,
        ),
    ):
        learnt = (saved or 0) - today
        if learnt > 0:
            whose = f"the {noun} of one run" if learnt == 1 else f"the {noun}s of {learnt} runs"
            why.append(f"{whose} became known since")
    return why


def _standing(
    report: KeptReport, why: list[str], ends: list[FactorStanding], successor: int | None
) -> ReportStanding:
    if not why:
        return ReportStanding(None, None)
    if successor is not None:
        why = [*why, f"drift report {successor} takes its place"]
    renewable = successor is None and all(end.has_successor for end in ends)
    return ReportStanding("; ".join(why), _renewal(report) if renewable else None)


def _renewal(report: KeptReport) -> str:
    """Return the command that saves the same comparison anew, by today's factors."""
    words = ["roundbook", "drift", report.task, "--measure", report.measure]
    words += ["--assessments", report.assessments]
    words += ["--from", report.from_round, "--to", report.to_round]
    # minD would set the margin too, unless that is named.
    default_margin = report.margin == MARGIN and report.min_d == MIN_D
    if report.margin_from == "given" or not (report.margin_from == "min-d" or default_margin):
        words += ["--margin", repr(report.margin)]
    for option, value, default in (
        ("--sd-ratio-margin", report.sd_ratio_margin, SD_RATIO_MARGIN),
        ("--m", report.m, 10),
    ):
        words += [option, repr(value)] if value != default else []
    if report.margin_from == "min-d" or report.min_d != MIN_D:
        words += ["--min-d", repr(report.min_d)]
    words += ["--save"]
    words += ["--note", report.note] if report.note is not None else []
    return shlex.join(words)
