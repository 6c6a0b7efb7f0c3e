"""The ageing curve: every later round's factors against those of one earlier round."""

from __future__ import annotations

from pydantic import Field

from roundbook.errors import NotRecordedError
from roundbook.logbook.drift import words
from roundbook.logbook.drift.assessment import (
    MIN_D,
    Assessment,
    MarginFrom,
    assess,
    choose_margin,
)
from roundbook.logbook.drift.ends import End, find_bridges, load_ends, rounds_with_factors
from roundbook.logbook.lookup import choose_assessments, find_round, find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session
from roundbook.logbook.withdrawals import WithdrawnMatrix, read_withdrawn
from roundbook.statistics.drift.assessment import SD_RATIO_MARGIN


class LaterRound(Assessment):
    """A later round against the earlier one, as in the full report; see `DriftReport`."""

    round: str
    matrix: int
    revision: int
    version: int
    collection: str | None
    shared_topics: int
    reason: str


class DriftCurve(Result):
    """How the factors of the round `from` age over the later rounds, in the task's order."""

    task: str
    measure: str
    assessments: str
    from_round: str = Field(serialization_alias="from")
    from_matrix: int
    from_revision: int
    from_version: int
    from_collection: str | None
    assumed: str | None
    summary: str
    margin: float
    margin_from: MarginFrom
    sd_ratio_margin: float
    software: str
    withdrawn: list[WithdrawnMatrix]
    rounds: list[LaterRound]


def trace_drift(
    session: Session,
    task: str,
    measure: str,
    *,
    from_round: str | None = None,
    margin: float | None = None,
    sd_ratio_margin: float = SD_RATIO_MARGIN,
    min_d: float | None = None,
    assessments: str | None = None,
) -> DriftCurve:
    """Compare one round's latest factors with those of every later round that has any.

    Each score matrix is read once; the number of other queries does not depend on that of rounds.

    Parameters
    ----------
    from_round : str, optional
        Default: the first round that has factors.
    margin, sd_ratio_margin, min_d : float
        As for `roundbook.logbook.drift.report.report_drift`.

    Raises
    ------
    NotRecordedError
        When the round or its factors are not there, or no later round has any.
    InputError
        When a margin is impossible.
    """
    chosen, margin_from = choose_margin(margin, min_d)
    margins = {"margin": chosen, "sd_ratio_margin": sd_ratio_margin}
    connection = session.connection
    task_id = find_task(connection, task)
    measure_id, measure = find_measure(connection, task_id, task, measure)
    label = choose_assessments(connection, task_id, measure_id, measure, assessments)
    fitted = rounds_with_factors(connection, task_id, task, measure_id, measure, label)
    start = 0
    if from_round is not None:
        wanted = find_round(connection, task_id, task, from_round)
        start = next((i for i, each in enumerate(fitted) if each.round_id == wanted), -1)
    if start < 0:
        raise NotRecordedError(
            f"Round '{from_round}' has no {measure} standardisation factors: they need a logged"
            " score matrix of at least two runs."
        )
    if start == len(fitted) - 1:
        raise NotRecordedError(
            f"No round after '{fitted[start].round}' has {measure} factors, so there is no"
            " curve; name an earlier round with --from."
        )
    withdrawn = read_withdrawn(connection, task_id, measures=[measure_id], assessments=[label])
    ends = load_ends(connection, fitted[start:])
    first = next(ends)
    asked = words.Question(
        task=task,
        measure=measure,
        from_round=first.fitted.round,
        to_round="",
        shared_topics=0,
        margin=chosen,
        margin_from=margin_from,
        min_d=MIN_D if min_d is None else min_d,
        sd_ratio_margin=sd_ratio_margin,
    )
    rounds = [_compare(first, later, asked) for later in ends]
    bridged = [(row.round, row.collection) for row in rounds if row.shared_topics]
    old = first.fitted
    return DriftCurve(
        task=task,
        measure=measure,
        assessments=label,
        from_round=old.round,
        from_matrix=old.matrix,
        from_revision=old.revision,
        from_version=old.version,
        from_collection=old.collection,
        assumed=words.assumed(task, [(old.round, old.collection), *bridged]) if bridged else None,
        summary=_summary(old.round, rounds),
        margin_from=margin_from,
        software=SOFTWARE,
        withdrawn=withdrawn,
        rounds=rounds,
        **margins,
    )


def _compare(first: End, later: End, asked: words.Question) -> LaterRound:
    old, new = first.fitted, later.fitted
    bridges = find_bridges(first, later)
    asked = asked._replace(to_round=new.round, shared_topics=len(bridges.before))
    found = assess(
        first, later, bridges, margin=asked.margin, sd_ratio_margin=asked.sd_ratio_margin
    ).whole
    return LaterRound(
        **dict(found),
        round=new.round,
        matrix=new.matrix,
        revision=new.revision,
        version=new.version,
        collection=new.collection,
        shared_topics=len(bridges.before),
        reason=(
            words.other_collection(old.round, old.collection, new.round, new.collection)
            if bridges.apart
            else words.reason(found, asked)
        ),
    )


def _summary(first: str, rounds: list[LaterRound]) -> str:
    labels = {
        verdict: [row.round for row in rounds if row.verdict == verdict]
        for verdict in ("held", "aged", "undecided", "unbridged")
    }
    counts = ", ".join(f"{len(names)} {verdict}" for verdict, names in labels.items() if names)
    later = f"{len(rounds)} later round{'s' if len(rounds) > 1 else ''}"
    lines = [f"The factors of round '{first}' in {later}: {counts}."]
    if labels["aged"]:
        lines.append(f"The first round in which they had aged is '{labels['aged'][0]}'.")
    if len(rounds) > 1:
        lines.append("The verdicts are not adjusted for their number.")
    return " ".join(lines)
