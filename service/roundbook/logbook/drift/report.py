"""Drift: whether an earlier round's standardisation factors still hold for a later round."""

from __future__ import annotations

from pydantic import AliasChoices, ConfigDict, Field
from sqlalchemy import Connection

from roundbook.errors import ImpossibleStatisticError, InputError
from roundbook.logbook.drift import words
from roundbook.logbook.drift.advice import Command, advise, next_commands
from roundbook.logbook.drift.assessment import (
    MIN_D,
    Assessed,
    Assessment,
    MarginFrom,
    assess,
    choose_margin,
)
from roundbook.logbook.drift.consequence import Consequence, check_design, consequence
from roundbook.logbook.drift.ends import (
    Bridges,
    End,
    find_bridges,
    load_ends,
    rounds_with_factors,
)
from roundbook.logbook.drift.revived import Revived, revived
from roundbook.logbook.drift.topics import (
    DriftTests,
    TopicDrift,
    over_topics,
    tests_on_bridges,
    topic_rows,
)
from roundbook.logbook.drift.unbridged import Unbridged, unbridged
from roundbook.logbook.lookup import (
    Series,
    choose_assessments,
    find_factor_set,
    find_round,
    find_task,
)
from roundbook.logbook.measures import find_measure
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.session import Session
from roundbook.logbook.withdrawals import WithdrawnMatrix, read_withdrawn
from roundbook.statistics.drift.assessment import SD_RATIO_MARGIN


class DriftReport(Assessment):
    """Whether the factors of the round `from` hold in the round `to`.

    It is an assessment by all standardising runs; `recurring` is that by the units of both rounds
    alone, None with fewer than 10. `reason` and `notes` say in words what they tell, `margin_from`
    where the margin of the shift comes from. `tests` are None without a shared topic,
    `consequence` is None where `consequence_reason` says why, `revived` without a system in both
    rounds, and `unbridged` unless that is the verdict. `m` and `min_d` are what the topic set sizes
    are for. `undefined_shifts` and `undefined_sd_ratios` count shared topics that have none.
    """

    # A saved report is read back by this model: keys that come later need defaults, and those that
    # went, as the intervals over topics alone did, are shown as they were saved.
    model_config = ConfigDict(extra="allow")

    recurring: Assessment | None = None
    task: str
    measure: str
    assessments: str
    from_round: str = Field(
        validation_alias=AliasChoices("from_round", "from"), serialization_alias="from"
    )
    to_round: str = Field(validation_alias=AliasChoices("to_round", "to"), serialization_alias="to")
    from_matrix: int
    from_revision: int
    from_version: int
    to_matrix: int
    to_revision: int
    to_version: int
    from_collection: str | None
    to_collection: str | None
    assumed: str | None
    shared_topics: int
    reason: str
    notes: list[str] = Field(default_factory=list)
    advice: str
    commands: list[Command]
    margin: float
    margin_from: MarginFrom | None = None
    sd_ratio_margin: float
    m: int
    min_d: float
    undefined_shifts: int
    undefined_sd_ratios: int
    consequence: Consequence | None
    consequence_reason: str | None
    tests: DriftTests | None
    revived: Revived | None
    unbridged: Unbridged | None
    software: str
    withdrawn: list[WithdrawnMatrix]
    topics: list[TopicDrift]

    def headline(self) -> str:
        """Return the verdict in one sentence."""
        return words.headline(
            self.verdict,
            self.from_round,
            self.to_round,
            provisional=self.provisional,
            moved=self.moved,
        )


def report_drift(
    session: Session,
    task: str,
    measure: str,
    *,
    from_round: str | None = None,
    to_round: str | None = None,
    margin: float | None = None,
    sd_ratio_margin: float = SD_RATIO_MARGIN,
    m: int = 10,
    min_d: float | None = None,
    assessments: str | None = None,
) -> DriftReport:
    """Compare the latest factors of two rounds on the topics they share.

    Parameters
    ----------
    from_round, to_round : str, optional
        Default: the first and the latest round that have factors.
    margin : float, optional
        Largest shift, in sds of the round `from`, under which its factors hold; also of revived
        systems. Default: what moves std-AB scores by half of `min_d` where that is given, else 0.2.
    sd_ratio_margin : float
        Largest sd ratio, or its inverse, under which they hold.
    m : int
        How many runs the topic set sizes under either round's factors are to compare.
    min_d : float, optional
        Smallest difference on the std-AB scale that matters: also what these sizes are to detect,
        by default 0.1.

    Raises
    ------
    NotRecordedError
        When a round or its factors are not there, or only one round has any.
    InputError
        When both rounds are the same, or a margin, `m` or `min_d` is impossible.
    """
    detected = MIN_D if min_d is None else min_d
    check_design(m, detected)
    chosen, margin_from = choose_margin(margin, min_d)
    connection = session.connection
    task_id = find_task(connection, task)
    measure_id, measure = find_measure(connection, task_id, task, measure)
    label = choose_assessments(connection, task_id, measure_id, measure, assessments)
    old, new = _ends(connection, task_id, task, (measure_id, measure, label), from_round, to_round)
    withdrawn = read_withdrawn(connection, task_id, measures=[measure_id], assessments=[label])
    bridges = find_bridges(old, new)
    found = assess(old, new, bridges, margin=chosen, sd_ratio_margin=sd_ratio_margin)
    asked = words.Question(
        task=task,
        measure=measure,
        from_round=old.fitted.round,
        to_round=new.fitted.round,
        shared_topics=len(bridges.before),
        margin=chosen,
        margin_from=margin_from,
        min_d=detected,
        sd_ratio_margin=sd_ratio_margin,
    )
    done, without = _consequence(old, new, bridges, found, asked, m)
    tested = tests_on_bridges(old, bridges.before, new, bridges.after)
    rounds = [(end.fitted.round, end.fitted.collection) for end in (old, new)]
    return DriftReport(
        **dict(found.whole),
        recurring=found.recurring,
        task=task,
        measure=measure,
        assessments=label,
        from_round=old.fitted.round,
        to_round=new.fitted.round,
        from_matrix=old.fitted.matrix,
        from_revision=old.fitted.revision,
        from_version=old.fitted.version,
        to_matrix=new.fitted.matrix,
        to_revision=new.fitted.revision,
        to_version=new.fitted.version,
        from_collection=old.fitted.collection,
        to_collection=new.fitted.collection,
        assumed=words.assumed(task, rounds) if bridges.before else None,
        shared_topics=len(bridges.before),
        reason=(
            words.other_collection(*rounds[0], *rounds[1])
            if bridges.apart
            else words.reason(found.whole, asked)
        ),
        notes=words.notes(found.whole, found.recurring, asked),
        advice=advise(found.whole, asked, other_collection=bridges.apart),
        commands=next_commands(found.whole.verdict, asked, assessments),
        margin=chosen,
        margin_from=margin_from,
        sd_ratio_margin=sd_ratio_margin,
        m=m,
        min_d=detected,
        undefined_shifts=len(bridges.before) - found.drift.topics_used,
        undefined_sd_ratios=len(bridges.before) - int((found.drift.sd_ratios > 0).sum()),
        consequence=done,
        consequence_reason=without,
        tests=over_topics(tested, old, new),
        revived=revived(old, new, chosen),
        unbridged=unbridged(old, new) if found.whole.verdict == "unbridged" else None,
        software=SOFTWARE,
        withdrawn=withdrawn,
        topics=topic_rows(old, new, bridges, found.drift, tested),
    )


def _ends(
    connection: Connection,
    task_id: int,
    task: str,
    scores: tuple[int, str, str],
    from_round: str | None,
    to_round: str | None,
) -> tuple[End, End]:
    """Load the two rounds; `scores` are the measure's id and name and the assessments."""
    for named in (from_round, to_round):
        if named is not None:
            find_round(connection, task_id, task, named)
    fitted = rounds_with_factors(connection, task_id, task, *scores)
    by_label = {each.round: each for each in fitted}
    ends = []
    for named in (from_round or fitted[0].round, to_round or fitted[-1].round):
        label = named.strip()
        if label not in by_label:
            series = Series(
                find_round(connection, task_id, task, label), scores[0], scores[2], label, scores[1]
            )
            # It has none of scores that count, and this says why.
            find_factor_set(connection, series)
        ends.append(by_label[label])
    if ends[0] == ends[1]:
        raise InputError(
            f"Drift compares two rounds, and '{ends[0].round}' is both; name others with"
            " --from and --to."
        )
    first, later = load_ends(connection, ends)
    return first, later


def _consequence(
    old: End, new: End, bridges: Bridges, found: Assessed, asked: words.Question, m: int
) -> tuple[Consequence | None, str | None]:
    """Return what drift does to the later round's runs, or why that cannot be said."""
    if found.whole.verdict == "unbridged":
        return None, words.headline("unbridged", asked.from_round, asked.to_round)
    try:
        done = consequence(old, bridges.before, new, bridges.after, m=m, min_d=asked.min_d)
    except ImpossibleStatisticError as error:
        return None, str(error)
    return done, None
