"""Lists drawn document by document, and the 17 runs of Robust 2003 to rank 100."""

from __future__ import annotations

import gzip
from functools import lru_cache

import numpy as np

from roundbook.statistics.studies.drawn_rounds import AssessedLists
from roundbook.statistics.studies.resampled_precision import silverman_bandwidth


def naive_draws(generator, draws, ranks, length, scores=None, drawn=None):
    """Draw lists in full, sort them, and return sums of precisions and numbers of relevant ones.

    By the ranks of the documents or, where there are `scores`, by kernel density estimates.
    """
    relevant = np.isin(np.arange(1, length + 1), ranks)
    drawn = drawn or length
    noise = scores is not None
    values = scores if noise else -np.arange(length, dtype=float)
    here, there = values[relevant], values[~relevant]
    widths = [silverman_bandwidth(some) if noise else 0.0 for some in (here, there)]
    precisions, counts = np.zeros(draws), np.zeros(draws, dtype=int)
    for draw in range(draws):
        count = min(generator.poisson(len(here)), drawn)
        of_relevant = generator.choice(here, count)
        of_others = generator.choice(there, drawn - count)
        if noise:
            of_relevant = of_relevant + widths[0] * generator.standard_normal(count)
            of_others = of_others + widths[1] * generator.standard_normal(drawn - count)
        order = np.argsort(-np.concatenate([of_relevant, of_others]), kind="stable")
        ranks_drawn = np.flatnonzero(order < count) + 1
        precisions[draw] = (np.arange(1, count + 1) / ranks_drawn).sum()
        counts[draw] = count
    return precisions, counts


@lru_cache(maxsize=1)
def robust2003(shared):
    """Return names of runs and topics, and the lists, with scores."""
    folder = shared / "data" / "robust2003_runs"
    relevant = {}
    with gzip.open(folder / "robust03_qrels.txt.gz", "rt") as file:
        for topic, _, document, grade in map(str.split, file):
            of_topic = relevant.setdefault(topic, set())
            if int(grade) > 0:
                of_topic.add(document)
    topics = sorted(relevant)
    files = sorted((folder / "runs_top100").iterdir())
    lengths = np.zeros((len(topics), len(files)), dtype=int)
    scores = np.zeros((len(files), len(topics), 100))
    hits = []
    for run, path in enumerate(files):
        retrieved = {}
        with gzip.open(path, "rt") as file:
            for topic, _, document, _, score, _ in map(str.split, file):
                retrieved.setdefault(topic, []).append((float(score), document))
        for index, topic in enumerate(topics):
            ranked = sorted(retrieved.get(topic, ()), reverse=True)
            lengths[index, run] = len(ranked)
            for rank, (score, document) in enumerate(ranked, start=1):
                scores[run, index, rank - 1] = score
                if document in relevant[topic]:
                    hits.append((run, index, rank))
    runs = [path.stem for path in files]
    of_topics = np.array([len(relevant[topic]) for topic in topics])
    return runs, topics, AssessedLists(lengths, of_topics, *np.array(hits).T, scores)
