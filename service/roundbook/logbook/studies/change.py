"""How the systems of two rounds changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pydantic import AliasChoices, Field
from sqlalchemy import select

from roundbook.database.tables import matrix, matrix_run, run
from roundbook.errors import InputError
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.scores import Scores, StudyScores, study_scores
from roundbook.logbook.studies.study import KindOfStudy, Study
from roundbook.requests.studies import ChangeRequest
from roundbook.statistics.studies.change import Resampling, SystemChange, change_measures

_MOST_NAMED = 10


@dataclass(frozen=True)
class ChangedSystem(SystemChange):
    """How one system changed; with several runs of it in a round, their mean on every topic."""

    system: str
    runs_from: list[str]
    runs_to: list[str]


class ChangeOfScale(Result):
    """How systems changed on a scale; `fell` is the share whose mean is lower in the later round."""

    scale: str
    fell: float
    systems: list[ChangedSystem]


class MissingScores(Result):
    """What became of missing scores when a round's matrix was made, and how many were missing."""

    policy: str
    cells: int | None = None


class ChangeStudy(Study):
    """How the systems that ran in two rounds changed, alone and beside the system `pivot`.

    `round`, which is `from` too, `matrix`, `files`, `topics` and `runs` are the earlier round's, the
    others those of the round `to`. `unmatched_from` and `unmatched_to` count runs of either round
    that are of no system of both. `match` says what made runs one system: that it is recorded, or
    their tag.
    """

    from_round: str | None = Field(
        None, validation_alias=AliasChoices("from_round", "from"), serialization_alias="from"
    )
    to_round: str | None = Field(
        None, validation_alias=AliasChoices("to_round", "to"), serialization_alias="to"
    )
    to_matrix: int | None = None
    to_revision: int | None = None
    to_files: list[str] = Field(default_factory=list)
    to_topics: int
    to_runs: int
    missing_from: MissingScores
    missing_to: MissingScores
    match: str
    pivot: str
    level: float
    unmatched_from: int
    unmatched_to: int
    scales: list[ChangeOfScale]

    @property
    def matrices(self) -> list[tuple[int | None, int | None]]:
        """Those of both rounds, without factors."""
        return [(self.matrix, None), (self.to_matrix, None)]


class _Round(NamedTuple):
    """One of the rounds: its scores, and which columns of them are of each system."""

    given: StudyScores
    columns: dict[str, list[int]]
    missing: MissingScores

    def scores(self, systems: Iterable[str]) -> Scores:
        raw = self.given.scales["raw"]
        return np.column_stack([raw[:, self.columns[system]].mean(axis=1) for system in systems])

    def tags(self, system: str) -> list[str]:
        return [self.given.runs[column] for column in self.columns[system]]


def _compute(
    session: Session | None, request: ChangeRequest, work: Work, recorded: ChangeStudy | None
) -> ChangeStudy:
    earlier = study_scores(session, request, work, recorded)
    later = study_scores(
        session,
        request.model_copy(
            update={
                "round": request.to_round,
                "files": request.to_files,
                # Scores from different assessments are never compared.
                "assessments": earlier.about.get("assessments"),
            }
        ),
        work,
        recorded and recorded.model_copy(update={"matrix": recorded.to_matrix}),
    )
    names = [
        given.about.get("round") or ", ".join(given.about.get("files", ()))
        for given in (earlier, later)
    ]
    if names[0] == names[1]:
        raise InputError(f"A change is between two rounds, and '{names[0]}' is both.")
    # The systems of a saved study are those it was computed with, whatever is known since.
    saved = recorded.scales[0].systems if recorded else None
    match = "system" if request.match == "system" and not request.files else "tag"
    first, second = (
        _round(
            session,
            given,
            request,
            match,
            {system.system: (system.runs_from, system.runs_to)[side] for system in saved}
            if saved is not None
            else None,
        )
        for side, given in enumerate((earlier, later))
    )
    systems = [name for name in first.columns if name in second.columns]
    if not systems and match == "system":
        raise InputError(
            f"No system is recorded to have run in both round '{names[0]}' and round '{names[1]}'.",
            way_out="record the systems",
            task=request.task,
        )
    if not systems:
        raise InputError(f"No run of '{names[0]}' has the tag of a run of '{names[1]}'.")
    pivot = recorded.pivot if recorded else _pivot(request.pivot, systems, (first, second))
    changes = change_measures(
        first.scores(systems),
        second.scores(systems),
        systems.index(pivot),
        Resampling(request.level, request.trials, request.seed),
        progress=lambda done, of: work.progress("resamples of topics", done, of),
        mapped=work.mapped,
    )
    matched = (sum(len(one.columns[name]) for name in systems) for one in (first, second))
    unmatched = [
        len(one.given.runs) - count for one, count in zip((first, second), matched, strict=True)
    ]
    about = second.given.about
    hidden = [cells for one in (first, second) for cells in one.given.about.get("hidden", ())]
    return ChangeStudy(
        **first.given.about | {"hidden": hidden},
        study=request.study,
        trials=request.trials,
        seed=request.seed,
        from_round=first.given.about.get("round"),
        to_round=about.get("round"),
        to_matrix=about.get("matrix"),
        to_revision=about.get("revision"),
        to_files=about.get("files", []),
        to_topics=about["topics"],
        to_runs=about["runs"],
        missing_from=first.missing,
        missing_to=second.missing,
        match=match,
        pivot=pivot,
        level=request.level,
        unmatched_from=unmatched[0],
        unmatched_to=unmatched[1],
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


def _round(
    session: Session | None,
    given: StudyScores,
    request: ChangeRequest,
    match: str,
    saved: dict[str, list[str]] | None,
) -> _Round:
    missing = MissingScores(policy=request.missing)
    system_of: dict[str, str | None] = {tag: tag for tag in given.runs}
    if session is not None:
        of_matrix = given.about["matrix"]
        row = session.connection.execute(
            select(matrix.c.missing_policy, matrix.c.missing_cells).where(matrix.c.id == of_matrix)
        ).one()
        missing = MissingScores(policy=row.missing_policy, cells=row.missing_cells)
        if match == "system":
            rows = session.connection.execute(
                select(run.c.tag, run.c.system)
                .join(matrix_run, matrix_run.c.run_id == run.c.id)
                .where(matrix_run.c.matrix_id == of_matrix)
            )
            system_of = {row.tag: row.system for row in rows}
    if saved is not None:
        system_of = {tag: name for name, tags in saved.items() for tag in tags}
    columns: dict[str, list[int]] = {}
    for column, tag in enumerate(given.runs):
        name = system_of.get(tag)
        if name is not None:
            columns.setdefault(name, []).append(column)
    return _Round(given, columns, missing)


def _pivot(wanted: str | None, systems: list[str], rounds: tuple[_Round, _Round]) -> str:
    """Return the system that a name, or the tag of a run of it, is of."""
    named = ", ".join(systems[:_MOST_NAMED]) + (", ..." if len(systems) > _MOST_NAMED else "")
    if wanted is None:
        raise InputError(
            f"A change is beside a pivot, the system that the others are compared with; there ran"
            f" {named}.",
            way_out="name the pivot",
        )
    if wanted in systems:
        return wanted
    of_run = {name for name in systems for one in rounds if wanted in one.tags(name)}
    if len(of_run) == 1:
        return of_run.pop()
    if of_run:
        raise InputError(
            f"'{wanted}' is a run of {' and of '.join(sorted(of_run))}: name the system to compare"
            " the others with."
        )
    raise InputError(f"The pivot '{wanted}' did not run in both rounds; there ran {named}.")


def _seconds(study: ChangeStudy) -> float:
    systems = len(study.scales[0].systems)
    return 1e-8 * study.trials * (2 * (study.topics + study.to_topics) + 40 * systems)


STUDY = KindOfStudy(ChangeStudy, _compute, _seconds)
