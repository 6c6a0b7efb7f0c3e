"""Real score matrices with the teams of their runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from tests.unit.statistics.score_files import read_covid, read_file

from roundbook.statistics.variance.parts import variance_parts
from roundbook.statistics.variance.rounds import StoredVariance


@dataclass(frozen=True)
class Matrix:
    """A score matrix, the ids of its topics, and the teams of its runs where they are known."""

    topics: np.ndarray
    scores: np.ndarray
    teams: list[str] | None = None

    @classmethod
    def of(cls, file):
        teams = file.teams and [team.strip().casefold() for team in file.teams]
        return cls(np.array([int(float(topic)) for topic in file.topics]), file.scores, teams)

    def variance(self, kind, *, teams=True, topics=None):
        parts = variance_parts(self.scores, self.teams if teams else None)
        part = getattr(parts, kind)
        ids = self.topics if topics is None else topics
        return StoredVariance(
            part.variance, part.dof, parts.runs, ids, part.by_topic, part.runs_part
        )


@pytest.fixture(scope="session")
def treccovid(shared):
    """Rounds 1 to 3 of TREC-COVID, nDCG@10."""
    return [Matrix.of(file) for file in read_covid(shared, 1, 2, 3)]


@pytest.fixture(scope="session")
def adhoc(shared):
    """AP of ad hoc rounds, by their names; teams are not known."""
    files = {f"TREC-{number}": f"trec_adhoc{number}_ap" for number in (3, 5, 6, 7)}
    files["Robust 2003"] = "trec_robust2003_ap"
    rounds = {name: Matrix.of(read_file(shared, file)) for name, file in files.items()}
    robust = rounds["Robust 2003"]
    new = robust.topics >= 601
    rounds["601-650"] = Matrix(robust.topics[new], robust.scores[new])
    return rounds
