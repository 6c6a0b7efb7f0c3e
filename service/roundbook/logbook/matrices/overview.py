"""What the page of a score matrix draws: its scores in a grid that fits, its topics and its runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from roundbook.logbook.factors import latest_factors, load_factors
from roundbook.logbook.matrices.listing import find_matrix
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.storing import load_matrix
from roundbook.requests.matrices import ShowMatrix
from roundbook.statistics.standardisation import scores_on_scale
from roundbook.statistics.t_interval import Interval, TInterval, t_interval
from roundbook.statistics.ties import run_means

MOST_TOPICS, MOST_RUNS = 100, 150


class TopicScores(Result):
    """The mean of a topic's scores over runs, and their sd (ddof 1), None for one run."""

    topic: str
    mean: float
    sd: float | None


class RunScores(Result):
    """The mean scores of a run over topics, with 95% t intervals over topics.

    `standardised` is the mean on std-AB by the matrix's latest factors, None without factors.
    """

    run: str
    mean: float
    interval: Interval | None
    standardised: float | None
    standardised_interval: Interval | None


class ScoreOverview(Result):
    """The scores of a matrix: `topics`, the hardest first, and `runs`, the best first.

    `cells` are the scores, (topics, runs), in a grid of at most 100 by 150. Where there are more
    topics or runs, neighbours are averaged; `cell_topics` and `cell_runs` then name the first of
    them and the number of the others.
    """

    matrix: int
    task: str
    round: str
    measure: str
    topics: list[TopicScores]
    runs: list[RunScores]
    cell_topics: list[str]
    cell_runs: list[str]
    cells: list[list[float]]


def show_overview(session: Session, request: ShowMatrix) -> ScoreOverview:
    """Return the overview of a matrix; six queries, however large it is.

    Raises
    ------
    NotRecordedError
        When there is no such matrix.
    """
    row = find_matrix(session.connection, request.matrix)
    loaded = load_matrix(session.connection, row)
    means = run_means(loaded.scores)
    hardest = np.argsort(loaded.scores.mean(axis=1), kind="stable")
    best = np.argsort(-means, kind="stable")
    scores = loaded.scores[np.ix_(hardest, best)]
    topics = [loaded.topics[index] for index in hardest]
    runs = [loaded.runs[index] for index in best]
    sds = scores.std(axis=1, ddof=1).tolist() if len(runs) > 1 else [None] * len(topics)
    rows, columns = _cuts(len(topics), MOST_TOPICS), _cuts(len(runs), MOST_RUNS)
    of_topics = np.stack([scores[start:end].mean(axis=0) for start, end in pairwise(rows)])
    cells = [of_topics[:, start:end].mean(axis=1) for start, end in pairwise(columns)]
    std_ab = _std_ab_means(session.connection, row.id, loaded.scores[:, best])
    return ScoreOverview(
        matrix=row.id,
        task=row.task,
        round=row.round,
        measure=row.measure,
        topics=[
            TopicScores(topic=topic, mean=mean, sd=sd)
            for topic, mean, sd in zip(topics, scores.mean(axis=1).tolist(), sds, strict=True)
        ],
        runs=[
            RunScores(
                run=run,
                mean=mean,
                interval=t_interval(of_run).within_95,
                standardised=standardised and standardised.mean,
                standardised_interval=standardised and standardised.within_95,
            )
            for run, mean, of_run, standardised in zip(
                runs, means[best].tolist(), scores.T, std_ab, strict=True
            )
        ],
        cell_topics=[_group(topics[start:end]) for start, end in pairwise(rows)],
        cell_runs=[_group(runs[start:end]) for start, end in pairwise(columns)],
        cells=np.stack(cells, 1).tolist(),
    )


def _std_ab_means(
    connection: Connection, matrix: int, scores: npt.NDArray[np.float64]
) -> Sequence[TInterval | None]:
    """Return each run's mean on std-AB over the topics with usable factors, None without any."""
    latest = latest_factors(connection, matrix)
    if latest is not None:
        _, _, mean, sd = load_factors(connection, latest)
        std_ab = scores_on_scale(scores, mean, sd, "std-ab", latest.zero_sd)
        if len(std_ab):
            return [t_interval(of_run) for of_run in std_ab.T]
    return [None] * scores.shape[1]


def _cuts(number: int, most: int) -> list[int]:
    """Return the bounds of at most `most` groups of neighbours: all starts, and the last end."""
    groups = min(number, most)
    return [number * group // groups for group in range(groups + 1)]


def _group(names: Sequence[str]) -> str:
    """Return the name of a group of neighbours."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
