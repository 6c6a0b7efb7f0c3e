"""TREC-COVID's runs, teams and relevance assessments as the arrays that measures and studies take."""

from __future__ import annotations

import csv
import gzip
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from roundbook.statistics.measures.hits import Hits, Judgments, find_hits

DEPTH = 20


class Assessed(NamedTuple):
    """A round: `team` and `pooled` by run, `hits` to any depth, `lists` to rank 20."""

    runs: list[str]
    topics: list[str]
    documents: dict[str, int]
    teams: list[str]
    team: np.ndarray
    pooled: np.ndarray
    lists: np.ndarray
    judgments: Judgments
    hits: Hits
    scores: dict[str, np.ndarray]


@lru_cache(maxsize=3)
def treccovid(shared, number):
    """Read a round; `scores` are the official matrices, in the order of `topics` and `runs`."""
    folder = shared / "data" / "treccovid"
    scores = {}
    for measure in ("ndcg10", "map", "p5"):
        with (folder / f"treccovid_round{number}_{measure}.csv").open() as file:
            (_, *runs), *rows = csv.reader(file)
        topics = [row[0] for row in rows]
        scores[measure] = np.array([row[1:] for row in rows], dtype=float)
    with (folder / f"round{number}_run_team.csv").open() as file:
        about = {row["run"]: row for row in csv.DictReader(file)}
    teams = sorted({about[run]["team"] for run in runs})
    topic_of = {topic: index for index, topic in enumerate(topics)}
    run_of = {run: index for index, run in enumerate(runs)}
    documents: dict[str, int] = {}

    with gzip.open(folder / f"round{number}.qrels.gz", "rt") as file:
        judged = [
            (topic_of[topic], documents.setdefault(document, len(documents)), int(grade))
            for topic, _, document, grade in map(str.split, file)
        ]
    judgments = Judgments(len(topics), *np.array(judged).T)

    # Scores in this file have seven digits, so that some tie that did not: its ranks are the order.
    lists = np.full((len(runs), len(topics), DEPTH), -1, dtype=np.int32)
    with gzip.open(folder / f"round{number}_runs_top20.txt.gz", "rt") as file:
        for topic, _, document, rank, _, run in map(str.split, file):
            number_of = documents.setdefault(document, len(documents))
            lists[run_of[run], topic_of[topic], int(rank) - 1] = number_of

    judgment_of = {(topic, document): index for index, (topic, document, _) in enumerate(judged)}
    with gzip.open(folder / f"round{number}_relevant_hits.csv.gz", "rt") as file:
        deeper = np.array(
            [
                (run_of[run], topic_of[topic], int(rank), judgment)
                for topic, run, rank, document in list(csv.reader(file))[1:]
                if int(rank) > DEPTH
                for judgment in [judgment_of[topic_of[topic], documents[document]]]
            ]
        ).T
    top = find_hits(lists, judgments)
    columns = np.hstack([[top.run, top.topic, top.rank, top.judgment], deeper])
    hits = Hits(len(runs), len(topics), *columns[:, np.lexsort(columns[2::-1])])
    return Assessed(
        runs,
        topics,
        documents,
        teams,
        np.array([teams.index(about[run]["team"]) for run in runs]),
        np.array([about[run]["contributed_to_pool"] == "yes" for run in runs]),
        lists,
        judgments,
        hits,
        scores,
    )
