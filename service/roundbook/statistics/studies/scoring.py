"""Scores of a round as they would be without some of its teams, and the pool they depend on."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.measures.hits import Hits, Judgments
from roundbook.statistics.measures.measure import Measure
from roundbook.statistics.measures.scores import score_runs
from roundbook.statistics.score_matrix import AnyInts, Bools, Floats

# A pool is judged completely but for slips: a smaller judged share means that its depth was less.
LEAST_JUDGED = 0.95


class Scoring(Protocol):
    """Scores of some of the runs, as they would be without the others."""

    def __call__(self, teams: Bools, runs: Bools) -> Floats:
        """Return (topics, runs left) scores, given a (teams,) and a (runs,) mask of those left."""


@dataclass(frozen=True, eq=False)
class SameScores:
    """Scores that stay as they are whichever runs are left.

    Attributes
    ----------
    scores : (topics, runs) float array
    """

    scores: Floats

    def __call__(self, teams: Bools, runs: Bools) -> Floats:  # noqa: ARG002
        """Return the scores of the runs left."""
        return self.scores[:, runs]


@dataclass(frozen=True, eq=False)
class ReassessedScores:
    """Scores by what the assessments would have been without the teams that are left out.

    Attributes
    ----------
    measure : Measure
    hits : Hits
        At least those that the measure needs:
        :func:`roundbook.statistics.measures.hits.relevant_hits`.
    judgments : Judgments
    contributed : (teams, judgments) bool array
        From :func:`find_contributions`, the teams numbered as by
        :func:`team_numbers`.
    """

    measure: Measure
    hits: Hits
    judgments: Judgments
    contributed: Bools

    def __call__(self, teams: Bools, runs: Bools) -> Floats:
        """Return the scores of the runs left, by the judgments that remain."""
        kept = kept_judgments(self.contributed, ~teams)
        hits = self.hits.where(runs[self.hits.run])
        return score_runs(self.measure, hits, self.judgments, kept)[:, runs]


def team_numbers(teams: Sequence[Hashable | None]) -> NDArray[np.intp]:
    """Return the number of each run's team, from 0; a run without team is one of its own.

    Numbers go by the teams' names, so that the order of the runs changes no draw.

    Examples
    --------
    >>> team_numbers(["UB", None, "IRLab", "UB"]).tolist()
    [1, 2, 0, 1]
    """
    names = sorted({team for team in teams if team is not None}, key=str)
    number_of = {team: number for number, team in enumerate(names)}
    alone = count(len(names))
    return np.array(
        [next(alone) if team is None else number_of[team] for team in teams], dtype=np.intp
    )


def judged_shares(lists: AnyInts, judgments: Judgments, pooled: Bools) -> Floats:
    """Return the judged share of the pooled runs' documents, by depth.

    Of a depth d: the judged documents among the union, over pooled runs, of each topic's first d,
    divided by that union; topics without any judgment are left out.

    Parameters
    ----------
    lists : (runs, topics, depth) int array
        Document numbers, -1 beyond the end of a list. To this depth all documents must be there,
        the unjudged ones too.
    judgments : Judgments
    pooled : (runs,) bool array
        Which runs contributed to the pool; at least one.

    Returns
    -------
    (depth,) float array
        Of depth 1, 2 and so on.

    Raises
    ------
    ImpossibleStatisticError
        If the pooled runs have no document for any judged topic.
    """
    depth = lists.shape[2]
    judged = np.zeros(depth, dtype=np.int64)
    pool = np.zeros(depth, dtype=np.int64)
    by_topic = np.argsort(judgments.topic, kind="stable")
    stops = np.cumsum(np.bincount(judgments.topic, minlength=judgments.topics))
    for topic, of_topic in enumerate(np.split(judgments.document[by_topic], stops[:-1])):
        if not of_topic.size:
            continue
        # Rank after rank, so that the first place of a document is at its best rank.
        documents, first = np.unique(lists[pooled, topic].T, return_index=True)
        present = documents >= 0
        best = first[present] // int(pooled.sum())
        pool += np.bincount(best, minlength=depth)
        is_judged = np.isin(documents[present], of_topic)
        judged += np.bincount(best[is_judged], minlength=depth)
    if not pool.any():
        raise ImpossibleStatisticError("The pooled runs have no documents for any judged topic.")
    return np.asarray(np.cumsum(judged) / np.maximum(np.cumsum(pool), 1))


def pool_depth(shares: Floats) -> int:
    """Return the largest depth to which at least 95% of the pooled runs' documents are judged.

    `shares` are those of :func:`judged_shares`.

    Raises
    ------
    ImpossibleStatisticError
        If not even the first documents are: no depth explains these judgments.
    """
    deep = np.flatnonzero(shares >= LEAST_JUDGED)
    if not deep.size:
        raise ImpossibleStatisticError(
            f"No pool depth explains these judgments: of the first documents of the pooled runs"
            f" {100 * shares[0]:.1f}% are judged, and a pool has at least {100 * LEAST_JUDGED:g}%.",
            way_out="name the pool depth",
        )
    return int(deep[-1]) + 1


def find_contributions(
    hits: Hits, judgments: Judgments, teams: AnyInts, pooled: Bools, depth: int
) -> Bools:
    """Return the mask of judged documents that each team's pooled runs contributed to the pool.

    Parameters
    ----------
    teams : (runs,) int array
        Number of each run's team, from 0.
    pooled : (runs,) bool array
        Which runs contributed to the pool.

    Returns
    -------
    (teams, judgments) bool array
        A judged document in no row was found otherwise, or by a run that is not known.
    """
    contributed = np.zeros((int(teams.max()) + 1, judgments.grade.size), dtype=np.bool_)
    counted = (hits.rank <= depth) & pooled[hits.run]
    contributed[teams[hits.run[counted]], hits.judgment[counted]] = True
    return contributed


def kept_judgments(contributed: Bools, removed: Bools) -> Bools:
    """Return the mask of judgments that remain without the unique contributions of a set of teams.

    A judged document is removed if at least one team contributed it and all that did are in the
    set, which is more than the sum of what each of them alone contributed. Judged documents that
    no team contributed always remain.

    Parameters
    ----------
    contributed : (teams, judgments) bool array
        From :func:`find_contributions`.
    removed : (teams,) bool array
        The set.

    Returns
    -------
    (judgments,) bool array
    """
    return np.asarray(~contributed.any(axis=0) | contributed[~removed].any(axis=0))
