"""The rounds that drift compares, as they stand in the record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, literal, select

from roundbook.database.tables import (
    current_matrix,
    factor,
    factor_set,
    factor_set_run,
    matrix_run,
    matrix_topic,
    round_,
    run,
    team,
    topic,
)
from roundbook.database.vectors import read_vectors
from roundbook.errors import NotRecordedError
from roundbook.statistics.drift.units import kin_groups


class Fitted(NamedTuple):
    """A round that has factors, with the latest of them.

    `standardising` is which runs these were fitted to, `zero_sd` their policy on tied topics.
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


class End(NamedTuple):
    """One of the rounds compared: its latest factors and the scores they were fitted on.

    `topics`, `mean` and `sd` are the factors', `scores` is (topics, runs) in their order. `runs`
    names each run, `systems` and `teams` what is known of it, and `standardising` is a (runs,)
    mask. `kin` holds the kin group of each standardising run, None where all have a team.
    """

    fitted: Fitted
    topics: list[str]
    mean: npt.NDArray[np.float64]
    sd: npt.NDArray[np.float64]
    scores: npt.NDArray[np.float64]
    runs: list[str]
    systems: list[str | None]
    teams: list[str | None]
    standardising: npt.NDArray[np.bool_]
    kin: npt.NDArray[np.int64] | None

    def standardising_scores(self, places: list[int]) -> npt.NDArray[np.float64]:
        """Return the standardising runs' scores on some of the topics."""
        return self.scores[places][:, self.standardising]


class Bridges(NamedTuple):
    """The places of the shared topics in either round; `apart`: other document collections."""

    before: list[int]
    after: list[int]
    apart: bool


def rounds_with_factors(
    connection: Connection, task_id: int, task: str, measure_id: int, measure: str, label: str
) -> list[Fitted]:
    """Return the rounds of a task that have factors of a measure, in the task's order.

    Raises
    ------
    NotRecordedError
        When there are fewer than the two that drift compares.
    """
    rows = connection.execute(
        select(
            round_.c.id,
            round_.c.label,
            round_.c.collection,
            factor_set.c.id,
            factor_set.c.version,
            factor_set.c.standardising,
            factor_set.c.zero_sd,
            current_matrix.c.id,
            current_matrix.c.revision,
        )
        .join(factor_set, factor_set.c.round_id == round_.c.id)
        .join(current_matrix, current_matrix.c.id == factor_set.c.matrix_id)
        .where(
            round_.c.task_id == task_id,
            factor_set.c.measure_id == measure_id,
            factor_set.c.assessments == label,
        )
        .order_by(round_.c.ordinal, factor_set.c.version)
    )
    # By round, the last version of each replacing those before it.
    latest = {row[0]: Fitted(*row) for row in rows}
    if len(latest) < 2:
        only = next(iter(latest.values()), None)
        have = f"only round '{only.round}' has" if only else "no round has"
        raise NotRecordedError(
            f"Drift compares the factors of two rounds, and {have} {measure} factors ({label}"
            f" assessments) in task '{task}'; log another round of at least two runs."
        )
    return list(latest.values())


def load_ends(connection: Connection, fitted: Sequence[Fitted]) -> Iterator[End]:
    """Yield each of the rounds with its factors and scores, one score matrix at a time.

    Beside one copy of each matrix it takes two queries, however many the rounds.
    """
    factors, runs = _factors(connection, fitted), _runs(connection, fitted)
    for each in fitted:
        topics, mean, sd = zip(*factors[each.factor_set_id], strict=True)
        tags, systems, teams, standardising = zip(*runs[each.factor_set_id], strict=True)
        mask = np.array(standardising, dtype=bool)
        scores = read_vectors(connection, each.matrix, len(topics))
        all_known = None not in np.array(teams, dtype=object)[mask]
        yield End(
            fitted=each,
            topics=list(topics),
            mean=np.array(mean),
            sd=np.array(sd),
            scores=scores,
            runs=list(tags),
            systems=list(systems),
            teams=list(teams),
            standardising=mask,
            kin=None if all_known else kin_groups(scores)[mask],
        )


def _factors(
    connection: Connection, fitted: Sequence[Fitted]
) -> dict[int, list[tuple[str, float, float]]]:
    """Return topic, mean and sd in the order of the matrix, by factor set."""
    rows = connection.execute(
        select(factor.c.factor_set_id, topic.c.name, factor.c.mean, factor.c.sd)
        .join(topic, topic.c.id == factor.c.topic_id)
        .join(
            matrix_topic,
            (matrix_topic.c.matrix_id == factor.c.matrix_id)
            & (matrix_topic.c.topic_id == factor.c.topic_id),
        )
        .where(factor.c.factor_set_id.in_([each.factor_set_id for each in fitted]))
        .order_by(matrix_topic.c.position)
    )
    factors = defaultdict(list)
    for factor_set_id, *facts in rows:
        factors[factor_set_id].append(tuple(facts))
    return factors


def _runs(
    connection: Connection, fitted: Sequence[Fitted]
) -> dict[int, list[tuple[str, str | None, str | None, bool]]]:
    """Return tag, system, team and whether it standardises, in the order of the matrix."""
    listed = (factor_set_run.c.factor_set_id == factor_set.c.id) & (
        factor_set_run.c.run_id == run.c.id
    )
    rows = connection.execute(
        select(
            factor_set.c.id,
            run.c.tag,
            run.c.system,
            team.c.name,
            # Where all runs standardise, none is listed.
            (factor_set.c.standardising == literal("all")) | factor_set_run.c.run_id.is_not(None),
        )
        .select_from(factor_set)
        .join(matrix_run, matrix_run.c.matrix_id == factor_set.c.matrix_id)
        .join(run, run.c.id == matrix_run.c.run_id)
        .outerjoin(team, team.c.id == run.c.team_id)
        .outerjoin(factor_set_run, listed)
        .where(factor_set.c.id.in_([each.factor_set_id for each in fitted]))
        .order_by(matrix_run.c.position)
    )
    runs = defaultdict(list)
    for factor_set_id, *facts in rows:
        runs[factor_set_id].append(tuple(facts))
    return runs


def find_bridges(old: End, new: End) -> Bridges:
    """Find the topics that have factors in both rounds."""
    if collections_differ(old.fitted.collection, new.fitted.collection):
        return Bridges([], [], apart=True)
    place = {name: index for index, name in enumerate(new.topics)}
    before = [index for index, name in enumerate(old.topics) if name in place]
    return Bridges(before, [place[old.topics[index]] for index in before], apart=False)


def collections_differ(first: str | None, second: str | None) -> bool:
    """Return whether two rounds declare different collections, whatever their capitals.

    A topic of the same name on other documents is another topic, and no bridge.
    """
    return first is not None and second is not None and first.casefold() != second.casefold()
