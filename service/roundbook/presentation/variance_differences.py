"""Sentences on whether the rounds of a measure differ in their variances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from roundbook.errors import WayOut
from roundbook.logbook.interval_reasons import no_test, other_scales
from roundbook.presentation.phrases import listed
from roundbook.presentation.tables import fixed_beside
from roundbook.requests.fields import DEFAULT_ASSESSMENTS

if TYPE_CHECKING:
    from roundbook.logbook.variance_history import Homogeneity, VarianceHistory, VarianceKind

# Rounds disagree about their variances where the p value of the test is below this.
_DISAGREE = 0.05
_TESTS = {"wald-f": "Wald F test", "bartlett": "Bartlett's test"}


def stability(histories: Sequence[VarianceHistory]) -> list[str]:
    """Return the sentences on how stable measures are; in the order of `histories`."""
    ratios, unknown = [], []
    for history in histories:
        label = "" if history.assessments == DEFAULT_ASSESSMENTS else f" ({history.assessments})"
        if len(history.rounds) < 2:
            unknown.append(f"{history.measure}{label}")
            continue
        ratio = history.pooled.max_min_ratio
        spread = "0 in a round" if ratio is None else f"{ratio:.2f}"
        unlike = " (the rounds disagree)" if ratio is not None and disagreement(history) else ""
        if (scale := history.other_scale("one-way")) is not None and scale.beyond:
            unlike = " (perhaps on another scale)"
        if not unlike and disagreement(history, "two-way"):
            unlike = " (the rounds disagree about the two-way variance)"
        ratios.append(f"{history.measure}{label} {spread}{unlike}")
    lines = []
    if ratios:
        lines.append(
            f"Largest variance over the smallest: {', '.join(ratios)}. It grows by chance with more"
            " rounds, fewer topics, and where few topics bring most of it, as with AP."
        )
    tests = [history.pooled.homogeneity for history in histories if len(history.rounds) > 1]
    if (
        tests
        and all(test and (test.p_value or 0) >= _DISAGREE for test in tests)
        and not any(disagreement(history, "two-way") for history in histories)
    ):
        several = "On none of them was a difference between the rounds found."
        lines.append(several if len(tests) > 1 else "No difference between the rounds was found.")
    if unknown:
        are, have = ("is", "it has") if len(unknown) == 1 else ("are", "they have")
        lines.append(f"Whether {listed(unknown, 8)} {are} stable is unknown: {have} one round.")
    return lines


class Disagreement(NamedTuple):
    """The warning that rounds disagree about their variances, and the advice."""

    sentence: str
    way_out: WayOut


def disagreement(history: VarianceHistory, kind: VarianceKind = "one-way") -> Disagreement | None:
    """Return the warning where rounds disagree about a kind of variance, else None.

    It warns of scores out of a measure's bounds too, even of a single round.
    """
    look = WayOut("look at the scores", {"task": history.task})
    scale = history.other_scale(kind)
    if scale is not None and scale.beyond:
        one = len(scale.beyond) == 1
        larger = (
            "variance of {} is larger than that" if one else "variances of {} are larger than those"
        )
        return Disagreement(
            f"The {larger.format(listed(scale.beyond, 8))} of scores from 0 to 1 can be; perhaps"
            f" {'its' if one else 'their'} scores are on another scale (percent?).",
            look,
        )
    values = {
        row.round: value
        for row in history.rounds
        if (value := row.of_kind(kind).variance) is not None
    }
    zeros = [label for label, value in values.items() if value == 0]
    if zeros and len(zeros) < len(values):
        return Disagreement(
            f"The rounds disagree: the variance is 0 in {', '.join(zeros)} and not in the others,"
            " so no test and no interval exist. One pooled value hides that.",
            look,
        )
    about = " about the two-way variance" if kind == "two-way" else ""
    if scale is not None:
        return Disagreement(f"The rounds disagree{about}: {other_scales(scale.ratios)}.", look)
    pooled = history.pooled.of_kind(kind)
    test = pooled.homogeneity
    if zeros or test is None or test.p_value is None or test.p_value >= _DISAGREE:
        return None
    ratio = max(values.values()) / min(values.values())
    planning = pooled.planning_variance is not None
    return Disagreement(
        f"The rounds disagree{about} ({_TESTS.get(test.method, test.method)},"
        f" {_p_value(test.p_value)}; largest over smallest {ratio:.2f}): the pooled value is the mean"
        " of different variances.",
        WayOut("plan at the planning variance" if planning else "plan at the latest", {}),
    )


def _p_value(value: float) -> str:
    if value < 0.001:
        return "p < 0.001"
    return f"p = {fixed_beside(value, [_DISAGREE], 3)}"


def test_sentence(test: Homogeneity, kind: str) -> str:
    """Return the sentence that a test of the rounds' variances found no difference, or why none is.

    `kind` is that of the variance as an adjective with a space after it, or empty.
    """
    if test.p_value is None or test.statistic is None:
        why = no_test(test.reason) if test.reason else "unknown"
        return f"Whether the rounds' {kind}variances differ cannot be tested: {why}."
    statistic = _TESTS.get(test.method, test.method)
    if test.dof_residual is not None:
        statistic = f"Wald F({test.dof}, {test.dof_residual:g}) = {test.statistic:.2f}"
    return (
        f"No difference between the rounds' {kind}variances was found ({statistic},"
        f" {_p_value(test.p_value)}); that does not show that they are equal."
    )
