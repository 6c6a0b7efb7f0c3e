"""Real score matrices with the teams of their runs."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import numpy as np
import pytest

from roundbook.statistics.variance.parts import variance_parts
from roundbook.statistics.variance.rounds import RoundVariance


@dataclass(frozen=True)
class Matrix:
    """A score matrix, the ids of its topics, and the teams of its runs where they are known."""

    topics: np.ndarray
    scores: np.ndarray
    teams: list[str] | None = None

    def variance(self, kind, *, teams=True, topics=None):
        parts = variance_parts(self.scores, self.teams if teams else None)
        part = getattr(parts, kind)
        ids = self.topics if topics is None else topics
        return RoundVariance(
            part.variance, part.dof, parts.runs, ids, part.by_topic, part.runs_part
        )


def read_matrix(path, team_of_run=None):
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    teams = team_of_run and [team_of_run[run] for run in header[1:]]
    return Matrix(
        np.array([int(float(row[0])) for row in rows]),
        np.array([row[1:] for row in rows], dtype=float),
        teams,
    )


@pytest.fixture(scope="session")
def treccovid(shared):
    """Rounds 1 to 3 of TREC-COVID, nDCG@10."""
    folder = shared / "data/treccovid"
    rounds = []
    for number in (1, 2, 3):
        with (folder / f"round{number}_run_team.csv").open(newline="") as file:
            teams = {row["run"]: row["team"].strip().casefold() for row in csv.DictReader(file)}
        rounds.append(read_matrix(folder / f"treccovid_round{number}_ndcg10.csv", teams))
    return rounds


@pytest.fixture(scope="session")
def adhoc(shared):
    """AP of ad hoc rounds, by their names; teams are not known."""
    folder = shared / "data/adhoc"
    rounds = {
        f"TREC-{number}": read_matrix(folder / f"trec_adhoc{number}_ap.csv")
        for number in (3, 5, 6, 7)
    }
    robust = read_matrix(folder / "trec_robust2003_ap.csv")
    new = robust.topics >= 601
    rounds["Robust 2003"] = robust
    rounds["601-650"] = Matrix(robust.topics[new], robust.scores[new])
    return rounds
