"""Saved drift reports: what was found, from which factors, and whether these still stand."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import Connection, Row, func, select

from roundbook.database.tables import drift_report, factor_set
from roundbook.errors import NotRecordedError
from roundbook.logbook.drift.report import DriftReport
from roundbook.logbook.drift.standing import (
    KeptReport,
    ReportStanding,
    read_reports,
    report_standings,
)
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import check_text, find_round, find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.result import Result, read_result
from roundbook.logbook.session import Session


class SavedDriftReport(DriftReport):
    """A drift report just saved, or there already.

    `number` counts from 1 within a task; `status` is ``saved``, or ``unchanged`` if its content
    was there.
    """

    number: int
    note: str | None
    saved_at: datetime
    saved_by: str
    status: Literal["saved", "unchanged"]


class ReportEntry(Result):
    """A saved drift report: when it was saved, by whom and with which software.

    `stale` is whether the factors it compared are no longer the latest ones of the scores that
    count, or teams of their runs became known since; `why` says which, and `renew` is the command
    that saves it anew: None where nothing needs that, nothing can, or a later report did.
    """

    number: int
    task: str
    note: str | None
    saved_at: datetime
    saved_by: str
    software: str
    stale: bool
    why: str | None
    renew: str | None


class ListedReport(ReportEntry):
    """A saved drift report in brief; reports of earlier versions have no `shift`."""

    measure: str
    assessments: str
    from_round: str = Field(serialization_alias="from")
    to_round: str = Field(serialization_alias="to")
    verdict: str
    shift: float | None
    mean_shift: float | None
    sd_ratio: float | None


class ReportList(Result):
    """The saved drift reports, of one task or of all."""

    task: str | None
    reports: list[ListedReport]


class ShownReport(ReportEntry):
    """A saved drift report as it was, and whether it still stands."""

    report: DriftReport


def save_report(
    session: Session, report: DriftReport, *, note: str | None = None
) -> SavedDriftReport:
    """Save a drift report as the next of its task; the same content again is ``unchanged``.

    Parameters
    ----------
    note : str, optional
        Why; leaving it out is no other content.

    Raises
    ------
    InputError
        When the note cannot be used.
    """
    note = (check_text("note", note) or "").strip() or None
    connection = session.connection
    # Reports count up without a gap, and two of one task cannot be saved at once.
    task_id = find_task(connection, report.task, lock=True)
    measure_id, _ = find_measure(connection, task_id, report.task, report.measure)
    ends = [
        _factor_set(connection, task_id, measure_id, report, label, version)
        for label, version in (
            (report.from_round, report.from_version),
            (report.to_round, report.to_version),
        )
    ]
    row = _same(connection, task_id, ends, report, note)
    status: Literal["saved", "unchanged"] = "unchanged"
    if row is None:
        status = "saved"
        row = _store(connection, task_id, measure_id, ends, report, note, session.user)
    return SavedDriftReport(
        **_stored(row.number, row.result).model_dump(),
        number=row.number,
        note=row.note,
        saved_at=row.saved_at,
        saved_by=row.saved_by,
        status=status,
    )


def _factor_set(
    connection: Connection,
    task_id: int,
    measure_id: int,
    report: DriftReport,
    label: str,
    version: int,
) -> int:
    return int(
        connection.execute(
            select(factor_set.c.id).where(
                factor_set.c.round_id == find_round(connection, task_id, report.task, label),
                factor_set.c.measure_id == measure_id,
                factor_set.c.assessments == report.assessments,
                factor_set.c.version == version,
            )
        ).scalar_one()
    )


def _same(
    connection: Connection, task_id: int, ends: list[int], report: DriftReport, note: str | None
) -> Row[Any] | None:
    """Return the saved report of the same content, None where there is none."""
    rows = connection.execute(
        select(drift_report)
        .where(
            drift_report.c.task_id == task_id,
            drift_report.c.from_factor_set_id == ends[0],
            drift_report.c.to_factor_set_id == ends[1],
        )
        .order_by(drift_report.c.number.desc())
    )
    content = _content(report)
    for row in rows:
        if note in (None, row.note) and _content(_stored(row.number, row.result)) == content:
            return row
    return None


def _store(
    connection: Connection,
    task_id: int,
    measure_id: int,
    ends: list[int],
    report: DriftReport,
    note: str | None,
    user: str,
) -> Row[Any]:
    last = select(func.coalesce(func.max(drift_report.c.number), 0)).where(
        drift_report.c.task_id == task_id
    )
    row = connection.execute(
        drift_report.insert()
        .values(
            task_id=task_id,
            number=connection.execute(last).scalar_one() + 1,
            measure_id=measure_id,
            assessments=report.assessments,
            from_factor_set_id=ends[0],
            to_factor_set_id=ends[1],
            note=note,
            result=report.model_dump(mode="json", by_alias=True),
            software=report.software,
            saved_by=user,
        )
        .returning(drift_report)
    ).one()
    record_event(
        connection,
        "drift report saved",
        who=user,
        why=note,
        task_id=task_id,
        details={
            "report": row.number,
            "measure": report.measure,
            "from": report.from_round,
            "to": report.to_round,
            "verdict": report.verdict,
        },
    )
    return row


def _content(report: DriftReport) -> dict[str, Any]:
    # The same report by another version of Roundbook is the same report, and so is one that advises
    # the same commands with the only assessments named in them, or whose default margin was named.
    names = set(DriftReport.model_fields) - {"software", "commands", "margin_from"}
    return {name: getattr(report, name) for name in names}


def list_reports(session: Session, task: str | None = None) -> ReportList:
    """Return the saved drift reports, of one task or of all, and whether each still stands.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    task_id = None if task is None else find_task(connection, task)
    kept = read_reports(connection, task_id)
    standings = report_standings(connection, kept)
    return ReportList(
        task=task,
        reports=[
            ListedReport(
                **_entry(each, standings[each.task, each.number]),
                measure=each.measure,
                assessments=each.assessments,
                from_round=each.from_round,
                to_round=each.to_round,
                verdict=each.verdict,
                shift=each.shift,
                mean_shift=each.mean_shift,
                sd_ratio=each.sd_ratio,
            )
            for each in kept
        ],
    )


def show_report(session: Session, task: str, number: int) -> ShownReport:
    """Return a saved drift report as it was, and whether it still stands.

    Raises
    ------
    NotRecordedError
        Naming the command that lists the reports, or makes one.
    """
    connection = session.connection
    task_id = find_task(connection, task)
    kept = read_reports(connection, task_id)
    found = next((each for each in kept if each.number == number), None)
    if found is None:
        raise NotRecordedError(
            f"Task '{task}' has no saved drift report {number} ('roundbook report list' shows"
            " those there are). Save one with 'roundbook drift' and --save."
        )
    standing = report_standings(connection, kept)[found.task, number]
    result = connection.execute(
        select(drift_report.c.result).where(
            drift_report.c.task_id == task_id, drift_report.c.number == number
        )
    ).scalar_one()
    return ShownReport(**_entry(found, standing), report=_stored(number, result))


def _entry(kept: KeptReport, standing: ReportStanding) -> dict[str, Any]:
    return {
        "number": kept.number,
        "task": kept.task,
        "note": kept.note,
        "saved_at": kept.saved_at,
        "saved_by": kept.saved_by,
        "software": kept.software,
        "stale": standing.why is not None,
        "why": standing.why,
        "renew": standing.renew,
    }


def _stored(number: int, result: object) -> DriftReport:
    return read_result(DriftReport, result, f"Drift report {number}")
