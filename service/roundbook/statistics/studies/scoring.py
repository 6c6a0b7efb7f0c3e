"""Scores of a round as they would be without some of its teams."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from roundbook.statistics.measures.hits import Hits, Judgments
from roundbook.statistics.measures.measure import Measure
from roundbook.statistics.measures.scores import score_runs
from roundbook.statistics.score_matrix import Bools, Floats
from roundbook.statistics.studies.pool import kept_judgments


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
        From :func:`roundbook.statistics.studies.pool.find_contributions`, the teams numbered as by
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
    alone = iter(range(len(names), len(names) + len(teams)))
    return np.array(
        [next(alone) if team is None else number_of[team] for team in teams], dtype=np.intp
    )
