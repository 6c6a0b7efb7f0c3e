"""Recording and correcting the teams of a round's runs after logging."""

from __future__ import annotations

from collections.abc import Sequence
from operator import not_
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import Connection, Row, text

from roundbook.errors import InputError
from roundbook.formats import read_teams
from roundbook.formats.matrix import HiddenCells
from roundbook.logbook.estimates import renew_runs_parts
from roundbook.logbook.events import record_event
from roundbook.logbook.impact import Dependent, stale_results
from roundbook.logbook.lookup import recorded_round
from roundbook.logbook.names import check_reason
from roundbook.logbook.result import Result
from roundbook.logbook.round_fingerprint import Publication, find_publication
from roundbook.logbook.runs.recorded_runs import (
    RunChange,
    describe_runs,
    new_teams,
    pool_changed,
    runs_of_round,
)
from roundbook.logbook.session import Session
from roundbook.requests.runs import DescribeTeams

CORRECTED = "runs corrected"


class RefittableFactors(Result):
    """A measure's latest factors that were fitted on other runs than the pool known now.

    They were fitted on `standardising_runs` of `runs`, and `contributed` runs are known to have
    contributed to the pool. Unless `pool_known`, of some of the standardising runs it is not known
    any more whether they did.
    """

    measure: str
    assessments: str
    version: int
    standardising_runs: int
    contributed: int
    runs: int
    pool_known: bool = Field(default=True, exclude_if=bool)


class DescribedTeams(Result):
    """The changes by a team file to a round's runs, with an overall `status`.

    `runs` is the number of runs in the round whose scores or lists count, and `described` the number
    that were completed or corrected. `renewed` are the measures
    of the renewed variance estimates, one entry for each estimate. `refittable` are the round's
    factors that rest on other runs than the pool, if the file changes what is known of the pool.
    `new_teams` are teams that the file brings into the task, if the task had most of its others.
    `unknown_runs` are runs of the file that do not count in the round, `undescribed_runs` runs that
    it lacks, `unread_columns` columns that hold nothing that is known of a team file. `former_teams`
    are teams that have no run in the round any more, with the other rounds of the task in which they
    have: a team that was renamed in one round alone counts as two. `hidden` are the hidden parts of a
    workbook.
    `publication` has the fingerprints of a published round whose runs change.
    """

    task: str
    round: str
    status: Literal["described", "corrected", "unchanged"]
    dry_run: bool
    runs: int
    described: int
    changes: list[RunChange]
    renewed: list[str]
    refittable: list[RefittableFactors]
    new_teams: list[str] = Field(default_factory=list, exclude_if=not_)
    unknown_runs: list[str]
    undescribed_runs: list[str]
    unread_columns: list[str] = Field(default_factory=list, exclude_if=not_)
    former_teams: dict[str, list[str]] = Field(default_factory=dict, exclude_if=not_)
    hidden: list[HiddenCells] = Field(default_factory=list)
    impact: list[Dependent]
    publication: Publication | None = Field(None, exclude_if=not_)


def describe_teams(session: Session, request: DescribeTeams) -> DescribedTeams:
    """Record a team file's facts on a round's runs: unknown ones, or with a reason all of them.

    Scores and factors stay as they are; the intervals of variances are estimated anew by team.

    Raises
    ------
    BadFileError
        When the file is no team file.
    NotRecordedError
        When there is no such task or round.
    InputError
        When the file names none of the runs that count, or the reason is empty.
    AlreadyRecordedError
        When the file contradicts the record and there is no reason.
    """
    connection = session.connection
    reason = check_reason(request.revise)
    teams = read_teams(request.file, max_bytes=session.work.max_file_bytes)
    recorded = recorded_round(connection, request.task, request.round, lock=True)
    round_id = recorded.id
    runs = runs_of_round(connection, round_id)
    tags = [row.tag for row in runs]
    # Those of scores that were corrected or withdrawn are of the round no more, unless all are.
    counting = [row.tag for row in runs if row.counts or row.listed] or tags
    known = {tag: teams[tag] for tag in counting if tag in teams}
    if not known:
        label = request.round.strip()
        why = "its first column must hold the run tags"
        if not teams.keys().isdisjoint(tags):
            why = "it names runs of scores that were corrected or withdrawn"
        raise InputError(
            f"The team file names none of the {len(counting)} runs of round '{label}'; {why}.",
            round=label,
            runs=len(counting),
        )
    changes, teams_before = describe_runs(
        connection, round_id, known, correct=teams.facts if reason else ()
    )
    described = len({change.run for change in changes})
    corrected = any(change.was is not None for change in changes)
    renewed: list[str] = []
    if changes:
        renewed = renew_runs_parts(connection, round_id, teams_before if corrected else None)
        record_event(
            session,
            CORRECTED if corrected else "runs described",
            why=reason,
            task_id=recorded.task_id,
            round_id=round_id,
            details={"runs": described, "estimates_renewed": len(renewed)}
            | {
                f"{change.fact} of {change.run}": {"was": change.was, "is": change.now}
                for change in changes
                if change.was is not None
            },
        )
    status: Literal["described", "corrected"] = "corrected" if corrected else "described"
    return DescribedTeams(
        task=request.task.strip(),
        round=request.round.strip(),
        status=status if changes else "unchanged",
        dry_run=request.dry_run,
        runs=len(counting),
        described=described,
        changes=changes,
        renewed=renewed,
        refittable=refittable_factors(connection, round_id) if pool_changed(changes) else [],
        new_teams=new_teams(connection, round_id, known, changes),
        unknown_runs=[tag for tag in teams if tag not in known],
        undescribed_runs=[tag for tag in counting if tag not in teams],
        unread_columns=list(teams.unread),
        former_teams=_former_teams(connection, recorded, changes),
        hidden=list(teams.hidden),
        impact=_stale(connection, recorded, changes),
        publication=find_publication(session, request.task, request.round) if changes else None,
    )


def _former_teams(
    connection: Connection, recorded: Row[Any], changes: Sequence[RunChange]
) -> dict[str, list[str]]:
    """Return the teams that corrections left without a run in a round, and their other rounds."""
    names = {change.was for change in changes if change.fact == "team"} - {None}
    values = {"task": recorded.task_id, "round": recorded.id, "names": list(names)}
    rows = connection.execute(text(_FORMER_TEAMS), values) if names else ()
    return {row.name: row.rounds for row in rows}


_FORMER_TEAMS = """
SELECT team.name, array_agg(round.label ORDER BY round.ordinal) AS rounds
FROM roundbook.team
JOIN roundbook.round ON EXISTS (
    SELECT FROM roundbook.run WHERE run.round_id = round.id AND run.team_id = team.id
)
WHERE team.name = ANY (:names) AND round.task_id = :task
GROUP BY team.id
HAVING NOT bool_or(round.id = :round)
ORDER BY team.name
"""


def _stale(
    connection: Connection, recorded: Row[Any], changed: Sequence[RunChange]
) -> list[Dependent]:
    """Return the saved results made stale by facts that became known of a round's runs."""
    facts = {change.fact for change in changed} - {"type"}  # on which nothing rests
    if not facts:
        return []
    return stale_results(
        connection,
        recorded.task_id,
        # Teams and systems that became known are counted over all rounds of a result.
        lambda entry, inputs: any(
            (change.code in facts and any(row.round == recorded.label for row in inputs))
            or (change.code in ("runs", "estimated") and change.round == recorded.label)
            for change in entry.changes
        ),
    )


def refittable_factors(connection: Connection, round_id: int) -> list[RefittableFactors]:
    """Return a round's latest factors that were fitted on other runs than the pool known today.

    Factors that were fitted on runs chosen by tag are left out.
    """
    rows = connection.execute(text(_REFITTABLE), {"round": round_id})
    return [RefittableFactors(**row._mapping) for row in rows]


_REFITTABLE = """
SELECT measure.name AS measure, latest.assessments, latest.version,
       latest.runs AS standardising_runs, pool.contributed, pool.runs, pool.all_known AS pool_known
FROM (
    SELECT DISTINCT ON (measure_id, assessments) *
    FROM roundbook.factor_set
    WHERE round_id = :round AND matrix_id IN (SELECT id FROM roundbook.current_matrix)
    ORDER BY measure_id, assessments, version DESC
) AS latest
JOIN roundbook.measure ON measure.id = latest.measure_id
CROSS JOIN LATERAL (
    SELECT count(*) AS runs,
           count(*) FILTER (WHERE run.contributed_to_pool) AS contributed,
           bool_and(run.contributed_to_pool IS NOT NULL) AS all_known,
           bool_or(
               run.contributed_to_pool
               <> (latest.standardising = 'all' OR listed.run_id IS NOT NULL)
           ) AS differs,
           bool_or(run.contributed_to_pool IS NULL AND listed.run_id IS NOT NULL) AS some_forgotten
    FROM roundbook.matrix_run
    JOIN roundbook.run ON run.id = matrix_run.run_id
    LEFT JOIN roundbook.factor_set_run AS listed
        ON listed.factor_set_id = latest.id AND listed.run_id = run.id
    WHERE matrix_run.matrix_id = latest.matrix_id
) AS pool
WHERE latest.standardising <> 'chosen'
  AND (pool.all_known AND pool.differs AND pool.contributed >= 2 OR pool.some_forgotten)
ORDER BY pool_known DESC, measure.name, latest.assessments
"""
