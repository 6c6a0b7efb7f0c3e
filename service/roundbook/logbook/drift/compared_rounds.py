"""The rounds that drift compares: their latest factors and the scores these were fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, func, literal, select
from sqlalchemy.dialects.postgresql import aggregate_order_by, distinct_on

from roundbook.database.tables import (
    current_matrix,
    factor_set,
    factor_set_run,
    matrix,
    matrix_run,
    round_,
    run,
    team,
)
from roundbook.database.vectors import read_vectors
from roundbook.logbook.factors import POOL_NOW, find_factor_set, read_factors
from roundbook.logbook.lookup import Series, TaskSeries, find_round
from roundbook.logbook.same_topics import collections_differ, same_topics
from roundbook.logbook.withdrawals import TaskScores, WithdrawnMatrix, none_counts, read_withdrawn
from roundbook.statistics.drift.units import kin_groups
from roundbook.statistics.score_matrix import Bools, Floats, Ints


class FittedRound(NamedTuple):
    """A round with its latest factor set.

    `standardising` is the choice of runs it was fitted on, `zero_sd` its policy on tied topics, and
    `ordinal` the round's number among the task's. `pool_now` is as in a `FactorSet`.
    """

    round_id: int
    round: str
    collection: str | None
    factor_set_id: int
    version: int
    standardising: str
    zero_sd: str
    matrix: int
    revision: int
    ordinal: int
    held: date | None = None
    pool_now: int | None = None

    def as_compared(self, prefix: str) -> dict[str, Any]:
        """Return the fields of a result that name this round: ``from_round``, ``from_matrix``."""
        names = ("round", "matrix", "revision", "version", "collection")
        return {f"{prefix}_{name}": getattr(self, name) for name in names}


class ComparedRound(NamedTuple):
    """A round to compare: its factors and the scores they were fitted on.

    `topics`, `mean` and `sd` are those of the factors, and `scores` is (topics, runs) in their
    order. `canonical_topics` has each topic's own name where its id is an alias; shared topics are
    matched by it. `runs`, `systems` and `teams` are the names for each run, and `standardising` is
    a (runs,) mask. `kin` holds the kin group of each standardising run, None where all have a team.
    """

    fitted: FittedRound
    topics: list[str]
    canonical_topics: list[str]
    mean: Floats
    sd: Floats
    scores: Floats
    runs: list[str]
    systems: list[str | None]
    teams: list[str | None]
    standardising: Bools
    kin: Ints | None


@dataclass(frozen=True, eq=False)
class RoundPair:
    """Two rounds, with the indices of the shared topics in each."""

    first: ComparedRound
    later: ComparedRound
    shared_first: list[int]
    shared_later: list[int]

    @cached_property
    def standardising_scores(self) -> tuple[Floats, Floats]:
        """Each round's scores of its standardising runs on the shared topics."""
        return (
            self.first.scores[self.shared_first][:, self.first.standardising],
            self.later.scores[self.shared_later][:, self.later.standardising],
        )


def pair_rounds(first: ComparedRound, later: ComparedRound) -> RoundPair:
    """Return a pair of rounds, with the shared topics that have factors in both."""
    differ = collections_differ(first.fitted.collection, later.fitted.collection)
    topics_later = [] if differ else later.canonical_topics
    index_later = {name: index for index, name in enumerate(topics_later)}
    shared = [
        (index, index_later[name])
        for index, name in enumerate(first.canonical_topics)
        if name in index_later
    ]
    return RoundPair(first, later, [index for index, _ in shared], [index for _, index in shared])


# The columns of a `FittedRound`, from rounds joined with their factor sets and score matrices.
FITTED = (
    round_.c.id,
    round_.c.label,
    round_.c.collection,
    factor_set.c.id,
    factor_set.c.version,
    factor_set.c.standardising,
    factor_set.c.zero_sd,
    matrix.c.id,
    matrix.c.revision,
    round_.c.ordinal,
    round_.c.held,
    POOL_NOW,
)


def rounds_with_factors(connection: Connection, series: TaskSeries) -> list[FittedRound]:
    """Return the rounds of a task that have factors in the series, in the task's order.

    Raises
    ------
    NotRecordedError
        When there are fewer than two.
    WithdrawnError
        When there are, and scores are withdrawn.
    """
    rows = connection.execute(
        select(*FITTED)
        .ext(distinct_on(round_.c.ordinal))
        .join(factor_set, factor_set.c.round_id == round_.c.id)
        .join(matrix, matrix.c.id == factor_set.c.matrix_id)
        .join(current_matrix, current_matrix.c.id == matrix.c.id)
        .where(
            round_.c.task_id == series.task_id,
            factor_set.c.measure_id == series.measure_id,
            factor_set.c.assessments == series.assessments,
        )
        .order_by(round_.c.ordinal, factor_set.c.version.desc())
    )
    latest = list(map(FittedRound._make, rows))
    if len(latest) < 2:
        have = f"only round '{latest[0].round}' has" if latest else "no round has"
        withdrawn = withdrawn_scores(connection, series)
        why = "." if withdrawn else "; factors need a round of at least two runs."
        raise none_counts(
            f"Drift compares the factors of two rounds, and {have} {series.measure} factors"
            f" ({series.assessments} assessments) in task '{series.task}'{why}",
            withdrawn,
            way_out="log a round",
            task=series.task,
            measure=series.measure,
        )
    return latest


def withdrawn_scores(connection: Connection, series: TaskSeries) -> list[WithdrawnMatrix]:
    """Return the withdrawn matrices of a series."""
    scores = TaskScores(series.task_id, [series.measure_id], [series.assessments])
    return read_withdrawn(connection, scores)


def fitted_round(
    connection: Connection, series: TaskSeries, fitted: Sequence[FittedRound], label: str
) -> FittedRound:
    """Return the round of a label among those with factors.

    Raises
    ------
    NotRecordedError
        When there is no such round, or it has no factors.
    WithdrawnError
        When its current scores are withdrawn.
    """
    round_id = find_round(connection, series.task_id, series.task, label)
    by_id = {entry.round_id: entry for entry in fitted}
    if round_id not in by_id:
        # It has no factors of current scores; `find_factor_set` raises the error with the reason.
        find_factor_set(
            connection,
            Series(round_id, series.measure_id, series.assessments, label.strip(), series.measure),
        )
    return by_id[round_id]


def load_rounds(
    connection: Connection, task_id: int, fitted: Sequence[FittedRound]
) -> Iterator[ComparedRound]:
    """Yield rounds with their factors and scores, one score matrix at a time.

    It takes three queries and one copy of each matrix, whatever the number of rounds.
    """
    factors = read_factors(connection, [entry.factor_set_id for entry in fitted])
    runs = _runs(connection, fitted)
    same = same_topics(connection, task_id)
    for entry in fitted:
        topics, mean, sd = zip(*factors[entry.factor_set_id], strict=True)
        tags, systems, teams, standardising = runs[entry.factor_set_id]
        mask = np.array(standardising, dtype=bool)
        scores = read_vectors(connection, entry.matrix, len(topics))
        yield ComparedRound(
            fitted=entry,
            topics=list(topics),
            canonical_topics=[same.name(name) for name in topics],
            mean=np.array(mean),
            sd=np.array(sd),
            scores=scores,
            runs=tags,
            systems=systems,
            teams=teams,
            standardising=mask,
            kin=kin_of_standardising(scores, teams, mask),
        )


def kin_of_standardising(
    scores: Floats, teams: Sequence[str | None], standardising: Bools
) -> Ints | None:
    """Return the kin group of each standardising run, None where all of these have a team."""
    all_known = None not in np.array(teams, dtype=object)[standardising]
    return None if all_known else kin_groups(scores)[standardising]


def _runs(connection: Connection, fitted: Sequence[FittedRound]) -> dict[int, list[list[Any]]]:
    """Return, by factor set, the runs' tags, systems and teams, and whether each standardises."""
    listed = (factor_set_run.c.factor_set_id == factor_set.c.id) & (
        factor_set_run.c.run_id == run.c.id
    )
    facts = (
        run.c.tag,
        run.c.system,
        team.c.name,
        # Standardising runs are listed only where they are not all runs.
        (factor_set.c.standardising == literal("all")) | factor_set_run.c.run_id.is_not(None),
    )
    in_order = (func.array_agg(aggregate_order_by(fact, matrix_run.c.position)) for fact in facts)
    rows = connection.execute(
        select(factor_set.c.id, *in_order)
        .select_from(factor_set)
        .join(matrix_run, matrix_run.c.matrix_id == factor_set.c.matrix_id)
        .join(run, run.c.id == matrix_run.c.run_id)
        .outerjoin(team, team.c.id == run.c.team_id)
        .outerjoin(factor_set_run, listed)
        .where(factor_set.c.id.in_([entry.factor_set_id for entry in fitted]))
        .group_by(factor_set.c.id)
    )
    return {number: of_runs for number, *of_runs in rows}
