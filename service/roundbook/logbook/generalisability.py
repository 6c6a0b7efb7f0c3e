"""Generalisability: how reliably a round's topics rank its runs, with the topic set size."""

from __future__ import annotations

from operator import not_
from typing import Annotated

from pydantic import Field, WrapSerializer
from sqlalchemy import text

from roundbook.errors import ImpossibleDesignError
from roundbook.logbook.lookup import find_round, find_task_series
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.storing import LoadedMatrix, load_matrix
from roundbook.logbook.withdrawals import TaskScores, WithdrawnMatrix, none_counts, read_withdrawn
from roundbook.requests.plans import ALPHA, BETA
from roundbook.requests.rankings import GeneralisabilityRequest
from roundbook.statistics.design import solve_topics
from roundbook.statistics.generalisability import (
    Generalisability,
    NoReliability,
    VarianceComponents,
    generalisability,
    reliable_topics,
    variance_components,
)
from roundbook.statistics.variance.residual import residual_variance, two_way_variance

# In JSON without `reason` where it is None.
_ReliabilityAt = Annotated[
    Generalisability,
    WrapSerializer(
        lambda reliability, keys: {
            name: value for name, value in keys(reliability).items() if name != "reason" or value
        }
    ),
]


class Reliability(Result):
    """The variance components of a round and the reliability that they imply.

    `system`, `topic` and `residual` are variance components; those in `negative` were set to 0.
    `e_rho_squared` is the reliability of the ranking of runs, `phi` that of their mean scores, over
    `topics` topics, with F-based intervals. `*_topics` are the numbers of topics that reach the
    target, None if none up to 10 million does; `design_topics` is the topic set size for the same
    variance by power (one-way ANOVA, exact), None for a variance of 0 and for more than 10 million
    topics. Where other numbers are None, `reason` is a code, see
    `roundbook.statistics.generalisability`. Where `design_topics` is None for a variance
    above 0, `design_reason` is a code of `roundbook.statistics.design.inputs`, with its
    `arguments`.
    `reliabilities` are for the numbers of topics and the levels asked for, if there are several.
    """

    round: str
    matrix: int
    revision: int
    topics: int
    runs: int
    system: float
    topic: float
    residual: float
    negative: list[str]
    e_rho_squared: float | None
    e_rho_squared_interval: tuple[float, float] | None
    phi: float | None
    phi_interval: tuple[float, float] | None
    e_rho_squared_topics: int | None
    e_rho_squared_topics_interval: tuple[int | None, int | None] | None
    phi_topics: int | None
    phi_topics_interval: tuple[int | None, int | None] | None
    design_topics: int | None
    reason: NoReliability | None
    design_reason: str | None = Field(default=None, exclude_if=not_)
    arguments: dict[str, str | float] = Field(default_factory=dict, exclude_if=not_)
    reliabilities: list[_ReliabilityAt] = Field(default_factory=list)


class GeneralisabilityReport(Result):
    """Generalisability of a measure's rounds, with the parameters of the plan it is compared with.

    `m`, `min_d`, `alpha` and `beta` are those of the topic set size design.
    `single_run` are the rounds left out because they have one run only.
    """

    task: str
    measure: str
    assessments: str
    level: float
    target: float
    m: int
    min_d: float
    alpha: float
    beta: float
    software: str = SOFTWARE
    rounds: list[Reliability]
    single_run: list[str]
    withdrawn: list[WithdrawnMatrix]


def report_generalisability(
    session: Session, request: GeneralisabilityRequest
) -> GeneralisabilityReport:
    """Return the variance components and reliability of a task's rounds, or of one.

    Raises
    ------
    NotRecordedError
        When no round has a logged matrix of at least two runs.
    WithdrawnError
        When the only such matrices are withdrawn.
    """
    connection, task, round_label = session.connection, request.task, request.round
    task_id, _, measure_id, measure, label = find_task_series(
        connection, task, request.measure, request.assessments
    )
    round_id = None
    if round_label is not None:
        round_id = find_round(connection, task_id, task, round_label)
    current = connection.execute(
        text(_CURRENT),
        {"task": task_id, "measure": measure_id, "assessments": label, "round": round_id},
    ).all()
    withdrawn = read_withdrawn(
        connection,
        TaskScores(task_id, [measure_id], [label], None if round_id is None else [round_id]),
    )
    loaded = [(row.label, load_matrix(connection, row)) for row in current if row.runs >= 2]
    if not loaded:
        raise none_counts(
            f"Task '{task}' has no logged {measure} scores of at least two runs"
            + (f" in round '{round_label}'." if round_label else "."),
            withdrawn,
            task=task,
            measure=measure,
        )
    return GeneralisabilityReport(
        task=task,
        measure=measure,
        assessments=label,
        **request.model_dump(include={"level", "target", "m", "min_d"}),
        alpha=ALPHA,
        beta=BETA,
        rounds=[_reliability(session.work, name, scores, request) for name, scores in loaded],
        single_run=[row.label for row in current if row.runs < 2],
        withdrawn=withdrawn,
    )


_CURRENT = """
SELECT round.label, matrix.*
FROM roundbook.round
JOIN roundbook.current_matrix AS current ON current.round_id = round.id
JOIN roundbook.matrix ON matrix.id = current.id
WHERE round.task_id = :task AND current.measure_id = :measure
  AND current.assessments = :assessments
  AND (CAST(:round AS bigint) IS NULL OR round.id = :round)
ORDER BY round.ordinal
"""


def _reliability(
    work: Work, label: str, loaded: LoadedMatrix, request: GeneralisabilityRequest
) -> Reliability:
    components = variance_components(two_way_variance(loaded.scores))
    reliability = generalisability(components, level=request.level)
    target = reliable_topics(components, request.target, request.level)
    reason = reliability.reason or target.reason
    design_topics, too_many = None, None
    variance = residual_variance(loaded.scores)
    if variance > 0:  # one of 0 has no topic set size
        try:
            design = solve_topics("anova", request.min_d, variance, ALPHA, BETA, runs=request.m)
            design_topics = int(design.topics)
        except ImpossibleDesignError as error:
            if error.code != "too_many_topics":
                raise
            too_many = error
    return Reliability(
        round=label,
        matrix=loaded.row.id,
        revision=loaded.row.revision,
        runs=len(loaded.runs),
        **vars(components) | vars(target) | vars(reliability) | {"reason": reason},
        design_topics=design_topics,
        design_reason=too_many and too_many.code,
        arguments=dict(too_many.arguments) if too_many else {},
        reliabilities=_reliabilities(work, components, request),
    )


def _reliabilities(
    work: Work, components: VarianceComponents, request: GeneralisabilityRequest
) -> list[Generalisability]:
    if not (request.topic_counts or request.more_levels):
        return []
    rows = []
    counts = request.topic_counts or (components.two_way.topics,)
    for number, topics in enumerate(counts):
        work.progress("numbers of topics", number, len(counts))
        rows += [
            generalisability(components, topics, level)
            for level in (request.level, *request.more_levels)
        ]
    return rows
