"""Which runs of two rounds count as one draw of a system: their units."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

By = Literal["team", "system", "kin", "run"]


@dataclass(frozen=True, eq=False)
class Units:
    """Units of the runs of two rounds: what is sampled when systems are.

    Attributes
    ----------
    labels_from, labels_to : (runs of the round,) int array
        Unit of each run; the same number in both rounds is the same unit.
    count_from, count_to : int
        Units in each round.
    shared : int
        Units in both.
    by : {'team', 'system', 'kin', 'run'}
        The least certain thing that a run's unit rests on: its team, else its declared system,
        else its kin group, which is inferred from the scores, else nothing.
    """

    labels_from: NDArray[np.int64]
    labels_to: NDArray[np.int64]
    count_from: int
    count_to: int
    shared: int
    by: By

    @property
    def provisional(self) -> bool:
        """Whether the team of some run is unknown."""
        return self.by != "team"


@dataclass(frozen=True)
class _Run:
    """What is known of a run; `kin` is told apart by its round."""

    team: str | None
    system: str | None
    kin: tuple[str, int] | None

    @property
    def joined_by(self) -> Iterator[Hashable]:
        if self.team is not None:
            yield "team", self.team
        if self.system is not None:
            yield "system", self.system
        # Kin groups say less than teams: they must not join the runs of two known teams.
        if self.team is None and self.kin is not None:
            yield "kin", self.kin

    @property
    def known_by(self) -> By:
        if self.team is not None:
            return "team"
        if self.system is not None:
            return "system"
        return "run" if self.kin is None else "kin"


_LEAST_CERTAIN_FIRST: tuple[By, ...] = ("run", "kin", "system", "team")


def unit_labels(
    teams_from: Sequence[str | None],
    systems_from: Sequence[str | None],
    kin_from: Sequence[int] | NDArray[np.int64] | None,
    teams_to: Sequence[str | None],
    systems_to: Sequence[str | None],
    kin_to: Sequence[int] | NDArray[np.int64] | None,
) -> Units:
    """Join the runs of two rounds into units.

    Runs of one team are one unit, and so are runs of one declared system, each within and across
    the rounds; runs without a team are one unit if they are of one kin group of their round. Joins
    add up: two teams that declare the same system are one unit. Equal run tags join nothing.

    Parameters
    ----------
    teams_from, teams_to : (runs of the round,) sequence of str or None
        Team of each run. Case and space around a name make no difference; a blank is no team.
    systems_from, systems_to : (runs of the round,) sequence of str or None
        Declared system of each run, under one name in both rounds.
    kin_from, kin_to : (runs of the round,) sequence of int, or None
        Kin groups of all the round's runs (:func:`roundbook.statistics.drift.kin.kin_groups`),
        without effect on runs that have a team; None if every run has one, or none is inferred.

    Returns
    -------
    Units
        Labels are numbered from 0 in the order of the runs.

    Examples
    --------
    >>> none = [None, None, None]
    >>> units = unit_labels(["RUIR", "UvA", None], none, [0, 0, 1], ["ruir"], [None], None)
    >>> units.labels_from.tolist(), units.labels_to.tolist(), units.shared, units.by
    ([0, 1, 2], [0], 1, 'kin')
    """
    runs_from = _runs("from", teams_from, systems_from, kin_from)
    runs_to = _runs("to", teams_to, systems_to, kin_to)
    labels = _joined([*runs_from, *runs_to])
    labels_from, labels_to = labels[: len(runs_from)], labels[len(runs_from) :]
    units_from, units_to = set(labels_from.tolist()), set(labels_to.tolist())
    return Units(
        labels_from,
        labels_to,
        len(units_from),
        len(units_to),
        len(units_from & units_to),
        min((run.known_by for run in (*runs_from, *runs_to)), key=_LEAST_CERTAIN_FIRST.index),
    )


def _runs(
    round_: str,
    teams: Sequence[str | None],
    systems: Sequence[str | None],
    kin: Sequence[int] | NDArray[np.int64] | None,
) -> list[_Run]:
    groups = [None] * len(teams) if kin is None else [(round_, int(group)) for group in kin]
    return [
        _Run((team or "").strip().casefold() or None, system, group)
        for team, system, group in zip(teams, systems, groups, strict=True)
    ]


def _joined(runs: list[_Run]) -> NDArray[np.int64]:
    """Label the runs such that those joined by a chain of common keys have one label."""
    parent = list(range(len(runs)))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    holder: dict[Hashable, int] = {}
    for number, run in enumerate(runs):
        for key in run.joined_by:
            parent[root(number)] = root(holder.setdefault(key, number))
    label: dict[int, int] = {}
    return np.array([label.setdefault(root(run), len(label)) for run in range(len(runs))])
