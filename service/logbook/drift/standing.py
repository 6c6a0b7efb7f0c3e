"""Does a saved drift report still stand? The factors it compared, against today's."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from service.logbook.factor_standing import FactorStanding, read_factor_standings


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
    sd_ratio_margin: float
    m: int
    min_d: float
    verdict: str
    mean_shift: float | None
    sd_ratio: float | None

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
       (result ->> 'margin')::float8, (result ->> 'sd_ratio_margin')::float8,
       (result ->> 'm')::bigint, (result ->> 'min_d')::float8, result ->> 'verdict',
       (result ->> 'mean_shift')::float8, (result ->> 'sd_ratio')::float8
FROM roundbook.drift_report
JOIN roundbook.task ON task.id = drift_report.task_id
JOIN roundbook.measure ON measure.id = drift_report.measure_id
WHERE CAST(:task AS bigint) IS NULL OR task_id = :task
ORDER BY task.name, number
"""


def report_standings(
    connection: Connection, reports: Sequence[KeptReport]
) -> dict[tuple[str, int], ReportStanding]:
    """Return where each of the reports stands, by task and number; one query.

    Parameters
    ----------
    reports : sequence of KeptReport
        All of their tasks: a later one may stand in an earlier one's place.
    """
    factors = read_factor_standings(connection, (end for each in reports for end in _ends(each)))
    standing = {
        (each.task, *each.question()): each.number
        for each in reports
        if all(factors[end].stands for end in _ends(each))
    }
    return {
        (each.task, each.number): _standing(
            each,
            [factors[end] for end in _ends(each)],
            standing.get((each.task, *each.question())),
        )
        for each in reports
    }


def _ends(report: KeptReport) -> tuple[int, int]:
    return report.from_factor_set_id, report.to_factor_set_id


def _standing(
    report: KeptReport, ends: list[FactorStanding], successor: int | None
) -> ReportStanding:
    said = [
        f"factor version {end.version} of round '{end.round}': {end.why()}"
        for end in ends
        if not end.stands
    ]
    if not said:
        return ReportStanding(None, None)
    if successor is not None:
        said.append(f"drift report {successor} takes its place")
    renewable = successor is None and all(end.has_successor for end in ends)
    return ReportStanding("; ".join(said), _renewal(report) if renewable else None)


def _renewal(report: KeptReport) -> str:
    """Return the command that saves the same comparison anew, by today's factors."""
    words = ["roundbook", "drift", report.task, "--measure", report.measure]
    words += ["--assessments", report.assessments]
    words += ["--from", report.from_round, "--to", report.to_round]
    asked = (
        ("--margin", report.margin, 0.2),
        ("--sd-ratio-margin", report.sd_ratio_margin, 1.25),
        ("--m", report.m, 10),
        ("--min-d", report.min_d, 0.1),
    )
    for option, value, default in asked:
        words += [option, repr(value)] if value != default else []
    words += ["--save"]
    words += ["--note", report.note] if report.note is not None else []
    return shlex.join(words)
