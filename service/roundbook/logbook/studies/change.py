"""The study of how the systems of two rounds changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from pydantic import Field
from sqlalchemy import select

from roundbook.database.tables import run
from roundbook.errors import InputError
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.scores import Scores, StudyScores, matrix_scores, study_scores
from roundbook.logbook.studies.study import KindOfStudy, MatrixRead, Study
from roundbook.requests.studies import ChangeRequest
from roundbook.statistics.studies.change import SystemChange, change_measures

_MOST_NAMED = 10


@dataclass(frozen=True)
class ChangedSystem(SystemChange):
    """The change of one system; several runs of it in a round count by their mean on each topic."""

    system: str
    runs_from: list[str]
    runs_to: list[str]


class ChangeOfScale(Result):
    """The changes of systems on a scale; `fell` is the share whose mean fell in the later round."""

    scale: str
    fell: float
    systems: list[ChangedSystem]


class MissingScores(Result):
    """The policy on missing scores of a round's matrix, and the number missing."""

    policy: str
    cells: int | None = None


class ChangeStudy(Study):
    """How the systems that ran in two rounds changed, alone and relative to the system `pivot`.

    `round` (also `from`), `matrix`, `files`, `topics` and `runs` are those of the earlier round,
    the others those of the round `to`. `unmatched_from` and `unmatched_to` count each round's runs
    whose system is not in both. `match` is whether runs were matched by recorded system or by tag;
    `other_teams` are the tags that were matched although their runs are recorded as of two teams.
    """

    from_round: str | None = Field(None, alias="from")
    to_round: str | None = Field(None, alias="to")
    to_matrix: int | None = None
    to_revision: int | None = None
    to_files: list[str] = Field(default_factory=list)
    to_topics: int
    to_runs: int
    missing_from: MissingScores
    missing_to: MissingScores
    match: str
    other_teams: list[str] = Field(default_factory=list)
    pivot: str
    level: float
    unmatched_from: int
    unmatched_to: int
    scales: list[ChangeOfScale]

    @property
    def matrices(self) -> list[MatrixRead]:
        """The matrices of both rounds, without factors."""
        return [MatrixRead(self.matrix, None), MatrixRead(self.to_matrix, None)]


class _Round(NamedTuple):
    """One of the two rounds: its scores, the columns of each system, and the team of each tag."""

    loaded: StudyScores
    columns: dict[str, list[int]]
    missing: MissingScores
    team_of: Mapping[str, int | None]

    def scores(self, systems: Iterable[str]) -> Scores:
        raw = self.loaded.raw
        return np.column_stack([raw[:, self.columns[system]].mean(axis=1) for system in systems])

    def tags(self, system: str) -> list[str]:
        return [self.loaded.runs[column] for column in self.columns[system]]

    def unmatched(self, systems: Iterable[str]) -> int:
        return len(self.loaded.runs) - sum(len(self.columns[system]) for system in systems)


def _compute(
    session: Session | None, request: ChangeRequest, work: Work, saved: ChangeStudy | None
) -> ChangeStudy:
    first, second = _two_rounds(session, request, work, saved)
    match = "tag" if request.files else request.match
    systems = _common_systems(request, first, second, match)
    teams = {name: (first.team_of.get(name), second.team_of.get(name)) for name in systems}
    other_teams = [name for name, (was, now) in teams.items() if was and now and was != now]
    pivot = saved.pivot if saved else _pivot(request.pivot, systems, (first, second))
    changes = change_measures(
        first.scores(systems),
        second.scores(systems),
        systems.index(pivot),
        level=request.level,
        trials=request.trials,
        seed=request.seed,
        progress=partial(work.progress, "resamples of topics, by system"),
        mapped=work.mapped,
    )
    source, to = first.loaded.source, second.loaded.source
    return ChangeStudy.of(
        request,
        source,
        hidden=[*source.hidden, *to.hidden],
        from_round=source.round,
        to_round=to.round,
        to_matrix=to.matrix,
        to_revision=to.revision,
        to_files=to.files,
        to_topics=to.topics,
        to_runs=to.runs,
        missing_from=first.missing,
        missing_to=second.missing,
        match=match,
        other_teams=saved.other_teams if saved else other_teams,
        pivot=pivot,
        unmatched_from=first.unmatched(systems),
        unmatched_to=second.unmatched(systems),
        scales=[
            ChangeOfScale(
                scale="raw",
                fell=sum(change.mean_to < change.mean_from for change in changes) / len(changes),
                systems=[
                    ChangedSystem(
                        **vars(change),
                        system=name,
                        runs_from=first.tags(name),
                        runs_to=second.tags(name),
                    )
                    for name, change in zip(systems, changes, strict=True)
                ],
            )
        ],
    )


def _two_rounds(
    session: Session | None, request: ChangeRequest, work: Work, saved: ChangeStudy | None
) -> tuple[_Round, _Round]:
    """Return the earlier and the later round."""
    earlier = study_scores(session, request, work, saved)
    # Both rounds need the same assessments: scores from different ones are never compared.
    update = {
        "round": request.to_round,
        "files": request.to_files,
        "assessments": earlier.source.assessments,
    }
    to_round = request.model_copy(update=update)
    if session is None or saved is None:
        later = study_scores(session, to_round, work)
    else:
        later = matrix_scores(session.connection, to_round, saved.matrices[1])
    if _label(earlier) == _label(later):
        label = _label(later)
        raise InputError(f"A change is between two rounds, and '{label}' is both.", round=label)
    if saved is None:
        return _round(session, earlier, request), _round(session, later, request)
    # A saved study keeps the systems it was computed with, although they may be corrected since.
    systems = saved.scales[0].systems
    was = {tag: system.system for system in systems for tag in system.runs_from}
    now = {tag: system.system for system in systems for tag in system.runs_to}
    return _round(session, earlier, request, was), _round(session, later, request, now)


def _label(loaded: StudyScores) -> str:
    """Return the label of a round, or its files."""
    return loaded.source.round or ", ".join(loaded.source.files)


def _common_systems(request: ChangeRequest, first: _Round, second: _Round, match: str) -> list[str]:
    """Return the systems, or tags, of both rounds, in the order of the earlier one."""
    systems = [name for name in first.columns if name in second.columns]
    if systems:
        return systems
    earlier, later = _label(first.loaded), _label(second.loaded)
    if match == "system":
        raise InputError(
            f"No system is recorded to have run in both round '{earlier}' and round '{later}'.",
            way_out="record the systems",
            task=request.task,
            round=earlier,
            to_round=later,
        )
    raise InputError(
        f"No run of '{earlier}' has the tag of a run of '{later}'.", round=earlier, to_round=later
    )


def _round(
    session: Session | None,
    loaded: StudyScores,
    request: ChangeRequest,
    system_of: Mapping[str, str | None] | None = None,
) -> _Round:
    """Return a round with the columns of each system, matched by recorded system or by tag."""
    missing = MissingScores(policy=request.missing)
    team_of: dict[str, int | None] = {}
    if session is not None and loaded.matrix is not None:
        row = loaded.matrix.row
        missing = MissingScores(policy=row.missing_policy, cells=row.missing_cells)
        if system_of is None:
            ids = loaded.run_ids.tolist()
            rows = session.connection.execute(
                select(run.c.tag, run.c.system, run.c.team_id).where(run.c.id.in_(ids))
            ).all()
            if request.match == "system":
                system_of = {row.tag: row.system for row in rows}
            else:
                team_of = {row.tag: row.team_id for row in rows}
    columns: dict[str, list[int]] = {}
    for column, tag in enumerate(loaded.runs):
        name = tag if system_of is None else system_of.get(tag)
        if name is not None:
            columns.setdefault(name, []).append(column)
    return _Round(loaded, columns, missing, team_of)


def _pivot(pivot: str | None, systems: list[str], rounds: tuple[_Round, _Round]) -> str:
    """Return the system that a request's pivot names, by the system or by one of its runs."""
    named = ", ".join(systems[:_MOST_NAMED]) + (", ..." if len(systems) > _MOST_NAMED else "")
    if pivot is None:
        raise InputError(
            f"A change is beside a pivot, the system that the others are compared with; there ran"
            f" {named}.",
            way_out="name the pivot",
            systems=systems[:_MOST_NAMED],
        )
    if pivot in systems:
        return pivot
    of_run = {name for name in systems for entry in rounds if pivot in entry.tags(name)}
    if len(of_run) == 1:
        return of_run.pop()
    if of_run:
        raise InputError(
            f"'{pivot}' is a run of {' and of '.join(sorted(of_run))}: name the system to compare"
            " the others with.",
            pivot=pivot,
        )
    raise InputError(
        f"The pivot '{pivot}' did not run in both rounds; there ran {named}.", pivot=pivot
    )


def _seconds(study: ChangeStudy) -> float:
    systems = len(study.scales[0].systems)
    return 1e-8 * study.trials * (2 * (study.topics + study.to_topics) + 40 * systems)


STUDIES = {"change": KindOfStudy(ChangeStudy, _compute, _seconds)}
