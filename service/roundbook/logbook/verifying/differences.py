"""The results of verification: differences between stored and computed values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Set
from math import isclose
from typing import Any, Literal, NamedTuple

from roundbook.logbook.result import ErrorField, Result

DifferenceKind = Literal[
    "content-hash",  # a matrix's scores, topics or runs are not those of its hash
    "factors",  # standardisation factors, or the runs they were fitted on
    "variance",  # a residual variance with its sum of squares and degrees of freedom
    "variance-parts",  # the data of the intervals: squares by topic, the runs' part, clusters
    "runs",  # ranked lists, or the names of documents, are not those that were logged
    "assessments",  # relevance assessments are not those that were logged
    "result",  # a saved result, or its inputs
    "event",  # an event's references, or a change without an event
]

# Keys that results saved by 0.1.0, or before schema 0006, have and today's lack: sentences, and
# intervals and upper bounds by methods of that time.
FORMER_KEYS = frozenset({
    # Of plans.
    "protocol", "warning", "variance_upper", "solved_upper", "topics_upper", "chi_square",
    # Of drift reports.
    "advice", "assumed", "commands", "notes", "note", "consequence_reason", "kendall_tau_reason",
    "mean_shift_90", "mean_shift_95", "sd_ratio_90", "sd_ratio_95",
})  # fmt: skip
# Keys whose values were sentences in those results, and are codes today.
FORMER_SENTENCES = frozenset({
    "reason", "notes", "untested", "interval_reason", "two_way_interval_reason",
})  # fmt: skip

# Values computed from scores agree but for the last digits, in whatever order they are summed; if
# scores hardly differ, they are only rounding of the last digits of the largest.
SAME, ROUNDING = 1e-9, 1e-12
# Further fields of a `Difference` by name, besides its kind and table.
Facts = dict[str, Any]


class Difference(Result):
    """A stored value that differs from the value computed from its source.

    `table` and `what` are its table and column, or the name of a figure that is no column;
    `recorded` is the stored and `computed` the right value. Further fields are None if they do not
    apply: the score matrix by its names, the scale and factor version, the saved result and its
    version, the topic, the round (of a result's rounds, or of runs or assessments), the number of
    standardising runs, the run by its tag, the upload of runs and the event by their numbers.
    `reason` is the error if nothing can be computed.
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
    reason: ErrorField | None = None


class DifferencesOfKind(Result):
    """The number of differences of a kind, and the first of them."""

    kind: DifferenceKind
    count: int
    first: Difference


NotComputedReason = Literal[
    "form",  # it was saved in an earlier form: only the keys that both have were compared
    "known",  # facts on teams, systems, topics' other ids or collections were recorded since
    "long",  # computing it takes more than a minute
]


class NotComputed(NamedTuple):
    """A marker that a saved result was not computed again, with the code of the reason."""

    reason: NotComputedReason


class ResultNotComputed(Result):
    """A saved result that was not computed again; its inputs were verified."""

    task: str | None
    result_kind: str
    result: str
    version: int
    reason: NotComputedReason


class Verification(Result):
    """The result of a verification; `status` is ``verified`` or ``different``."""

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
    """Return whether a recorded figure equals the computed one, up to the last digits."""
    # The database returns large floats in JSON as integers.
    numbers = isinstance(recorded, float | int) and isinstance(computed, float | int)
    if numbers and float in (type(recorded), type(computed)):
        return isclose(recorded, computed, rel_tol=SAME, abs_tol=noise)
    return bool(recorded == computed)


def differing(
    figures: Iterable[tuple[str, Any, Any]],
    *,
    noise: float = 0.0,
    **about: Any,  # noqa: ANN401
) -> Iterator[Facts]:
    """Yield the figures whose two values differ, with further fields of the differences in `about`.

    Each is given as name, recorded and computed value.
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
    """Yield the first figure that differs in each part of two results in JSON but keys `without`.

    A key that only the computed result has is no difference: earlier results lack later keys.
    """
    if isinstance(recorded, dict) and isinstance(computed, dict):
        for name in recorded:
            if name in without:
                continue
            part = f"{name} of {what}" if what else name
            if name in computed:
                yield from unlike(
                    recorded[name], computed[name], part, noise=noise, without=without
                )
            elif name not in FORMER_KEYS:
                value = recorded[name]
                yield {
                    "what": part,
                    "recorded": "null" if value is None else figure(value),
                    "computed": None,
                }
    elif isinstance(recorded, list) and isinstance(computed, list):
        if len(recorded) != len(computed):
            yield {"what": what, "recorded": len(recorded), "computed": len(computed)}
            return
        for pair in zip(recorded, computed, strict=True):
            differs = next(unlike(*pair, what, noise=noise, without=without), None)
            if differs is not None:
                yield differs
                return
    elif not same(recorded, computed, noise):
        yield {"what": what, "recorded": figure(recorded), "computed": figure(computed)}


def differences_recomputed(
    recorded: Any,  # noqa: ANN401
    computed: Any,  # noqa: ANN401
    without: Set[str],
) -> Iterator[Facts | NotComputed]:
    """Yield the differences between a saved result and the same computed again, both in JSON.

    If there are none, but the saved one is in an earlier form, that is yielded.
    """
    differences = list(unlike(recorded, computed, noise=ROUNDING, without=without))
    yield from differences
    if not differences and not _same_form(recorded, computed):
        yield NotComputed("form")


def figure(value: Any) -> str | int | float | None:  # noqa: ANN401
    """Return a JSON value, as text if it is an object or a list."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _same_form(recorded: Any, computed: Any) -> bool:  # noqa: ANN401
    """Return whether two results in JSON have the same keys, at every depth."""
    if isinstance(recorded, dict) and isinstance(computed, dict):
        return recorded.keys() == computed.keys() and all(
            _same_form(recorded[name], computed[name]) for name in recorded
        )
    if isinstance(recorded, list) and isinstance(computed, list):
        return all(map(_same_form, recorded, computed))
    return True
