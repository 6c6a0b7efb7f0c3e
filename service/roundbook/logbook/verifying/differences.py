"""What verifying a record finds: differences between what is stored and what follows from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Set
from math import isclose
from typing import Any, Literal, NamedTuple

from roundbook.logbook.result import Result

DifferenceKind = Literal[
    "content-hash",  # a matrix's scores, topics or runs are not those its hash was made of
    "factors",  # standardisation factors, or the runs they were fitted on
    "variance",  # a residual variance with its sum of squares and degrees of freedom
    "variance-parts",  # what the intervals are made of: squares by topic, the runs' part, clusters
    "runs",  # what runs retrieved, or the names of documents, is not what was logged
    "assessments",  # relevance assessments are not those that were logged
    "result",  # a saved result and what it was computed from
    "event",  # an event's references, or a change that no event tells of
]

# What is computed from scores comes out the same but for the last digits, whatever adds it up;
# where scores hardly differ it is rounding alone, of the last digits of the largest.
SAME, ROUNDING = 1e-9, 1e-12
# What is said of a difference beside its kind and table: fields of `Difference` by name.
Facts = dict[str, Any]


class Difference(Result):
    """Something stored that is not what it was derived from gives.

    `table` and `what` say which column it is (or, where `what` is none, what is compared);
    `recorded` is what the record holds and `computed` what it should hold. What follows `what`
    narrows it down, each None where it does not apply: the score matrix by its names, the scale and
    factor version, the saved result and its version, the topic, the round (among a result's
    rounds, or whose runs or assessments it is), how many runs standardise, the run by its tag, the
    upload of runs and the event by their numbers.
    `reason` says why nothing can be computed.
    """

    kind: DifferenceKind
    table: str
    what: str
    recorded: str | int | float | None = None
    computed: str | int | float | None = None
    task: str | None = None
    round: str | None = None
    measure: str | None = None
    assessments: str | None = None
    revision: int | None = None
    matrix: int | None = None
    scale: str | None = None
    factor_version: int | None = None
    result_kind: str | None = None
    result: str | None = None
    version: int | None = None
    topic: str | None = None
    runs: int | None = None
    run: str | None = None
    upload: int | None = None
    event: int | None = None
    reason: str | None = None


class DifferencesOfKind(Result):
    """How many differences of a kind there are, and the first."""

    kind: DifferenceKind
    count: int
    first: Difference


NotComputedReason = Literal[
    "form",  # it was saved in an earlier form, by another method
    "known",  # of teams, systems, topics' other ids or collections other things are known by now
    "long",  # to compute it takes more than a minute
]


class NotComputed(NamedTuple):
    """That a saved result was not computed again, and the code of why."""

    reason: NotComputedReason


class ResultNotComputed(Result):
    """A saved result that was not computed again; what it was computed from was verified."""

    task: str | None
    result_kind: str
    result: str
    version: int
    reason: NotComputedReason


class Verification(Result):
    """What was verified, and what differs; `status` is ``verified`` or ``different``."""

    status: Literal["verified", "different"]
    tasks: list[str]
    matrices: int
    factor_sets: int
    variances: int
    results: int
    events: int
    uploads: int
    qrels: int
    differences: list[DifferencesOfKind]
    not_computed: list[ResultNotComputed]


def same(recorded: Any, computed: Any, noise: float = 0.0) -> bool:  # noqa: ANN401
    """Return whether a recorded figure is the computed one, up to the last digits."""
    if isinstance(recorded, float) and isinstance(computed, float):
        return isclose(recorded, computed, rel_tol=SAME, abs_tol=noise)
    return bool(recorded == computed)


def differing(
    figures: Iterable[tuple[str, Any, Any]],
    *,
    noise: float = 0.0,
    **about: Any,  # noqa: ANN401
) -> Iterator[Facts]:
    """Yield which figures are not what they are computed as: what it is, recorded and computed.

    Parameters
    ----------
    about
        What else is said of a difference.
    """
    for what, recorded, computed in figures:
        if not same(recorded, computed, noise):
            yield {"what": what, "recorded": recorded, "computed": computed, **about}


def unlike(
    recorded: Any,  # noqa: ANN401
    computed: Any,  # noqa: ANN401
    what: str = "",
    *,
    noise: float = 0.0,
    without: Set[str] = frozenset({"software"}),
) -> Iterator[Facts]:
    """Yield of two results in JSON the first figure that differs of each part.

    Parameters
    ----------
    without : set of str
        Keys that may differ.
    """
    if isinstance(recorded, dict) and isinstance(computed, dict):
        for name in recorded:
            if name in without:
                continue
            part = f"{name} of {what}" if what else name
            yield from unlike(
                recorded[name], computed.get(name), part, noise=noise, without=without
            )
    elif isinstance(recorded, list) and isinstance(computed, list):
        if len(recorded) != len(computed):
            yield {"what": what, "recorded": len(recorded), "computed": len(computed)}
            return
        for one, other in zip(recorded, computed, strict=True):
            differs = next(unlike(one, other, what, noise=noise, without=without), None)
            if differs is not None:
                yield differs
                return
    elif not same(recorded, computed, noise):
        yield {"what": what, "recorded": _figure(recorded), "computed": _figure(computed)}


def _figure(value: Any) -> str | int | float | None:  # noqa: ANN401
    """Return a value in JSON, as text where it has parts."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def same_form(recorded: Any, computed: Any) -> bool:  # noqa: ANN401
    """Return whether two results in JSON have the same keys, all the way down."""
    if isinstance(recorded, dict) and isinstance(computed, dict):
        return recorded.keys() == computed.keys() and all(
            same_form(recorded[name], computed[name]) for name in recorded
        )
    if isinstance(recorded, list) and isinstance(computed, list):
        return all(map(same_form, recorded, computed))
    return True
