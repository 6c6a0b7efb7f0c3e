"""The shared files of score matrices."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ScoreFile:
    """A score matrix, the names of its topics and runs and, where known, the team of each run."""

    topics: list[str]
    runs: list[str]
    scores: np.ndarray
    teams: list[str] | None = None

    def on(self, topics):
        return self.scores[[self.topics.index(topic) for topic in topics]]


def read_file(shared, name):
    """Read the one file of a name; the teams of TREC-COVID's runs are known."""
    (path,) = (shared / "data").rglob(f"{name}.csv")
    with path.open(newline="") as file:
        (_, *runs), *rows = csv.reader(file)
    teams = None
    if "treccovid_round" in name:
        number = name.split("round")[1][0]
        with (path.parent / f"round{number}_run_team.csv").open(newline="") as file:
            team_of = {row["run"]: row["team"] for row in csv.DictReader(file)}
        teams = [team_of[run] for run in runs]
    scores = np.array([row[1:] for row in rows], dtype=float)
    return ScoreFile([row[0] for row in rows], runs, scores, teams)


def read_scores(shared, name):
    return read_file(shared, name).scores


def read_covid(shared, *numbers):
    """Read rounds of TREC-COVID, nDCG@10."""
    return [read_file(shared, f"treccovid_round{number}_ndcg10") for number in numbers]


def shared_topics(first, later):
    """Return the scores of two files on the topics that both have, in the order of the first."""
    topics = [topic for topic in first.topics if topic in later.topics]
    return first.on(topics), later.on(topics)
