"""Real rounds that share topics, and the example that is typed in full."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import numpy as np
import pytest


@dataclass(frozen=True)
class Round:
    """A score matrix with the ids of its topics and, where known, the team of each run."""

    topics: list[str]
    scores: np.ndarray
    teams: list[str] | None = None

    def on(self, topics):
        return self.scores[[self.topics.index(topic) for topic in topics]]


def read_round(path, teams=None):
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    scores = np.array([row[1:] for row in rows], dtype=float)
    return Round([row[0] for row in rows], scores, teams and [teams[run] for run in header[1:]])


@pytest.fixture(scope="session")
def covid(shared):
    """TREC-COVID rounds 1 to 3, nDCG@10, by their numbers."""
    folder = shared / "data/treccovid"
    rounds = {}
    for number in (1, 2, 3):
        with (folder / f"round{number}_run_team.csv").open(newline="") as file:
            teams = {row["run"]: row["team"] for row in csv.DictReader(file)}
        rounds[number] = read_round(folder / f"treccovid_round{number}_ndcg10.csv", teams)
    return rounds


@pytest.fixture(scope="session")
def adhoc(shared):
    """AP of TREC-6, TREC-7 and Robust 2003, whose runs are anonymous."""
    files = {6: "trec_adhoc6_ap", 7: "trec_adhoc7_ap", 2003: "trec_robust2003_ap"}
    return {name: read_round(shared / f"data/adhoc/{file}.csv") for name, file in files.items()}


@pytest.fixture(scope="session")
def typed():
    """Two small rounds; the last topic ties in the first."""
    first = [
        [
            round(0.20 + 0.03 * j + 0.04 * ((5 * i) % 8) + 0.02 * ((3 * i + 7 * j) % 5), 2)
            for i in range(8)
        ]
        for j in range(6)
    ]
    first[5] = [0.3] * 8
    later = [
        [
            round(0.27 + 0.02 * j + 0.05 * ((3 * i) % 7) + 0.02 * ((2 * i + 3 * j) % 5), 2)
            for i in range(7)
        ]
        for j in range(6)
    ]
    topics = list("012345")
    return (
        Round(topics, np.array(first), list("aabbcdef")),
        Round(topics, np.array(later), list("bbcgghi")),
    )
