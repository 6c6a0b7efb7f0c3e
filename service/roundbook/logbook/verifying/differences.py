"""What verifying a record finds: differences between what is stored and what follows from it."""

from __future__ import annotations

from math import isclose
from typing import Any, Literal

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
    rounds, or whose runs or assessments it is), how many runs standardise, the run by its tag.
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
    event: int | None = None
    reason: str | None = None


class DifferencesOfKind(Result):
    """How many differences of a kind there are, and the first."""

    kind: DifferenceKind
    count: int
    first: Difference


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


def same(recorded: Any, computed: Any, noise: float = 0.0) -> bool:  # noqa: ANN401
    """Return whether a recorded figure is the computed one, up to the last digits."""
    if isinstance(recorded, float) and isinstance(computed, float):
        return isclose(recorded, computed, rel_tol=SAME, abs_tol=noise)
    return bool(recorded == computed)
