"""Units of the runs of two rounds: groups of runs that count as one draw of a system.

If teams are not known, kin groups join the runs of a round that behave so alike that they may be
of one team.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from roundbook.statistics.score_matrix import AnyInts, Floats, Ints, checked_scores
from roundbook.statistics.ties import mid_ranks, tied_topics

By = Literal["team", "system", "kin", "run"]

# Groups are joined while the mean correlation between their runs is at least .4. On TREC-COVID,
# where teams are known, this gives about as many groups as there are teams.
LARGEST_DISTANCE = 0.6


@dataclass(frozen=True, eq=False)
class Units:
    """Units of the runs of two rounds, the sampling units of systems.

    Attributes
    ----------
    labels_from, labels_to : (runs of the round,) int array
        Unit of each run; the same number in both rounds is the same unit.
    by : {'team', 'system', 'kin', 'run'}
        The least certain evidence for a run's unit: its team, else its declared system, else its
        kin group, which is inferred from the scores, else nothing.
    """

    labels_from: Ints
    labels_to: Ints
    by: By


_LEAST_CERTAIN_FIRST: tuple[By, ...] = ("run", "kin", "system", "team")


class RunsOfRound(NamedTuple):
    """The evidence for the units of a round's runs.

    Attributes
    ----------
    teams : (runs,) sequence of str or None
        Case and space around a name make no difference; a blank is no team.
    systems : (runs,) sequence of str or None, optional
        Declared systems, under one name in both rounds.
    kin : (runs,) sequence of int, optional
        Kin groups of all the round's runs (:func:`kin_groups`), without effect on runs that have a
        team; none if every run has one, or none is inferred.
    """

    teams: Sequence[str | None]
    systems: Sequence[str | None] | None = None
    kin: Sequence[int] | AnyInts | None = None


def unit_labels(first: RunsOfRound, later: RunsOfRound) -> Units:
    """Join the runs of two rounds into units, numbered from 0 in the order of the runs.

    Runs of one team are one unit, and so are runs of one declared system, each within and across
    the rounds; runs without a team are one unit if they are of one kin group of their round. Joins
    add up: two teams that declare the same system are one unit. Equal run tags join nothing.

    Examples
    --------
    >>> first = RunsOfRound(["RUIR", "UvA", None], kin=[0, 0, 1])
    >>> units = unit_labels(first, RunsOfRound(["ruir"]))
    >>> units.labels_from.tolist(), units.labels_to.tolist(), units.by
    ([0, 1, 2], [0], 'kin')
    """
    runs = [*_run_keys("from", first), *_run_keys("to", later)]
    labels = _joined(runs)
    return Units(
        labels[: len(first.teams)],
        labels[len(first.teams) :],
        # The first key of a run is the most certain.
        min((next(iter(keys), "run") for keys in runs), key=_LEAST_CERTAIN_FIRST.index),
    )


def _run_keys(round_name: str, evidence: RunsOfRound) -> list[dict[By, Hashable]]:
    """Return the keys by which each run is joined to others, the most certain first."""
    runs: list[dict[By, Hashable]] = []
    systems = [None] * len(evidence.teams) if evidence.systems is None else evidence.systems
    for number, (team, system) in enumerate(zip(evidence.teams, systems, strict=True)):
        keys: dict[By, Hashable] = {}
        if name := (team or "").strip().casefold():
            keys["team"] = name
        if system is not None:
            keys["system"] = system
        # Kin groups are weaker evidence than teams: they must not join the runs of two teams.
        if "team" not in keys and evidence.kin is not None:
            keys["kin"] = round_name, int(evidence.kin[number])
        runs.append(keys)
    return runs


def _joined(runs: list[dict[By, Hashable]]) -> Ints:
    """Return labels of the runs, equal for runs joined by a chain of common keys."""
    parent = list(range(len(runs)))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    holder: dict[Hashable, int] = {}
    for number, keys in enumerate(runs):
        for key in keys.items():
            parent[root(number)] = root(holder.setdefault(key, number))
    return _numbered(map(root, range(len(runs))))


def _numbered(groups: Iterable[int]) -> Ints:
    """Return the group of each run, numbered from 0 in the order of the runs."""
    number: dict[int, int] = {}
    return np.array([number.setdefault(group, len(number)) for group in groups])


def kin_groups(scores: ArrayLike) -> Ints:
    """Return groups of a round's runs that do well and badly on the same topics.

    Scores become mid-ranks within each topic. The similarity of two runs is the correlation of
    their ranks over topics; average linkage on one minus it is cut where the mean correlation
    falls below .4. Equal runs have the similarity 1; a run of one rank throughout has 0 with every
    other.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        The whole matrix of the round, not only the topics shared with another.

    Returns
    -------
    (runs,) int array
        Group of each run, numbered from 0 in the order of the runs.

    Raises
    ------
    ImpossibleStatisticError
        If a cell has no finite score.

    Examples
    --------
    >>> kin_groups([[0.1, 0.2, 0.8, 0.9], [0.7, 0.8, 0.2, 0.1], [0.1, 0.3, 0.6, 0.5]]).tolist()
    [0, 0, 1, 1]
    """
    matrix = checked_scores(scores, "A kin group")
    runs = matrix.shape[1]
    if runs < 2:
        return np.zeros(runs, dtype=np.int64)
    # SciPy's clustering takes .2 s to import, and rounds whose teams are known need none of it.
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    # Where all runs tie they have one rank, whatever their last digits.
    ranks = np.full(matrix.shape, (runs + 1) / 2)
    for topic in np.flatnonzero(~tied_topics(matrix)):
        ranks[topic] = mid_ranks(matrix[topic])
    # Without its last digits, so that distances that are equal but for rounding tie.
    distance = np.round(1 - _similarity(ranks), 12)
    # Tied distances are joined in row order; sorted rows make the groups independent of it.
    order = np.lexsort(np.vstack([ranks, np.sort(distance, axis=0)]))
    tree = linkage(squareform(distance[np.ix_(order, order)], checks=False), method="average")
    groups = np.empty(runs, dtype=np.int64)
    groups[order] = fcluster(tree, LARGEST_DISTANCE, criterion="distance")
    return _numbered(groups.tolist())


def _similarity(ranks: Floats) -> Floats:
    """Correlate the columns; one that is constant is only similar to its equals."""
    deviations = ranks - ranks.mean(axis=0)
    length = np.sqrt(np.sum(deviations**2, axis=0))
    constant = np.ptp(ranks, axis=0) == 0
    deviations = np.where(constant, 0.0, deviations / np.where(constant, 1.0, length))
    similarity = np.asarray(deviations.T @ deviations)
    _, column = np.unique(ranks, axis=1, return_inverse=True)
    similarity[column[:, np.newaxis] == column] = 1.0
    return similarity
