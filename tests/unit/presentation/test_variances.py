"""Why a variance has no interval and rounds no test, in sentences and on the page."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from roundbook.errors import WayOut
from roundbook.logbook.interval_reasons import no_interval, no_planning_variance, no_test
from roundbook.logbook.variance_history import (
    Homogeneity,
    Interval,
    Pooled,
    RoundVariance,
    VarianceHistory,
)
from roundbook.presentation.variance_differences import disagreement, stability
from roundbook.presentation.variances import conclusions, limits
from roundbook.statistics.variance import rounds as reasons
from roundbook_cli.plan_advice import with_advice

PAGE = Path(__file__).parents[3] / "docs/statistics/variance.md"


def codes(literal):
    """Return the texts of a literal type, however it is put together."""
    texts = set()
    for argument in get_args(literal):
        texts |= {argument} if isinstance(argument, str) else codes(argument)
    return texts


NO_INTERVAL = codes(reasons.NoUpperLimit)
NO_TEST = codes(reasons.NoTest)


def test_there_are_codes():
    assert {"unbounded", "too_uneven", "standardised", "no_variance"} <= NO_INTERVAL
    assert {"one_round", "not_separable", "no_variance"} <= NO_TEST


@pytest.mark.parametrize("code", sorted(NO_INTERVAL))
def test_every_reason_is_a_clause(code):
    clause = no_interval(code)
    assert len(clause.split()) >= 4
    assert "_" not in clause
    assert clause[0].islower()
    assert not clause.endswith(".")


@pytest.mark.parametrize("code", sorted(NO_TEST))
def test_every_reason_for_no_test_is_a_clause(code):
    clause = no_test(code)
    assert len(clause.split()) >= 4
    assert "_" not in clause


@pytest.mark.parametrize("code", sorted(NO_INTERVAL | NO_TEST))
def test_every_code_is_on_the_page(code):
    assert f"`{code}`" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("high", "text"), [(0.02, "[0.01000, 0.02000]"), (None, "[0.01000, ...]")])
def test_limits(high, text):
    assert limits(Interval(low=0.01, high=high, level=0.95, method="jackknife")) == text


def test_limits_of_a_variance_of_small_scores():
    # Precision at 1000, where each topic has one relevant document.
    small = Interval(low=1.44e-7, high=3.61e-7, level=0.95, method="jackknife")
    assert limits(small) == "[1.4e-07, 3.6e-07]"


def history(variances, p_value, method="wald-f"):
    """Return a history of rounds with these variances, two-way ones too, and this test.

    Scores of the measure may lie anywhere.
    """
    unused = dict.fromkeys(("interval", "source", "matrix", "factor_version", "two_way_dof"))
    numbers = {"runs": 9, "topics": 9, "dof": 72, "sum_of_squares": 1.0}
    test = Homogeneity(method=method, statistic=None, dof=None, p_value=p_value, reason=None)
    return VarianceHistory(
        task="t",
        measure="clicks",
        scale="raw",
        assessments="official",
        rounds=[
            RoundVariance(
                **unused,
                **numbers,
                round=f"r{index}",
                ordinal=index,
                variance=value,
                two_way_variance=value,
                origin="matrix",
                estimate=index,
                revision=1,
                software="test",
            )
            for index, value in enumerate(variances, 1)
        ],
        pooled=Pooled(
            variance=1.0,
            dof=216,
            weights="dof",
            rounds=["r1", "r2", "r3"],
            max_min_ratio=None,
            homogeneity=test,
            interval=None,
            two_way_homogeneity=test,
        ),
    )


@pytest.mark.parametrize("kind", ["one-way", "two-way"])
@pytest.mark.parametrize(
    ("variances", "p", "method", "part"),
    [
        ([1.0, 1.1, 1.2], 0.4, "wald-f", None),
        ([1.0, 2.0, 3.0], 0.0004, "wald-f", "(Wald F test, p < 0.001; largest over smallest 3.00)"),
        ([1.0, 2.0, 3.0], 0.012, "wald-f", "p = 0.012"),
        ([1.0, 2.0, 3.0], 0.04996, "wald-f", "p = 0.04996"),
        ([1.0, 2.0, 3.0], 0.012, "bartlett", "Bartlett's test"),
        ([0.0, 2.0, 3.0], None, "wald-f", "the variance is 0 in r1 and not in the others"),
        ([0.0, 0.0, 0.0], None, "wald-f", None),
        ([1.0, 25.0, 1.0], 0.4, "wald-f", None),
        ([1.0, 3.0, 2e4], None, "wald-f", ": the variance of r3 is 10,000 times that of the other"),
        ([2.0, 2e4, 2e4], 0.4, "wald-f", ": the variance of r1 is 0.0001 times that of the other"),
        (
            [1.0, 50.0, 1.0, 1.0, 1e4],
            0.4,
            "wald-f",
            "of r2 is 50, that of r5 is 10,000 times that of the other rounds; perhaps their scores",
        ),
    ],
)
def test_the_warning(variances, p, method, part, kind):
    of = history(variances, p, method)
    warning = disagreement(of, kind)
    assert warning is None if part is None else part in warning.sentence
    # No planning variance is known here.
    helps = warning and warning.way_out
    looked = WayOut("look at the scores", {"task": "t"})
    odd = 0 in variances or "of the other" in (part or "")
    latest = looked if odd else WayOut("plan at the latest", {})
    assert helps == (None if part is None else latest)


PERCENT = "larger than {} of scores from 0 to 1 can be; perhaps {} scores are on another scale (per"


# Of 9 topics the largest variance of scores from 0 to 1 is 0.28125.
@pytest.mark.parametrize("kind", ["one-way", "two-way"])
@pytest.mark.parametrize(
    ("variances", "part"),
    [
        ([0.28125], None),
        ([0.2813], "The variance of r1 is " + PERCENT.format("that", "its")),
        ([500.0, 600.0], "The variances of r1, r2 are " + PERCENT.format("those", "their")),
        ([0.2, 0.3], "The variance of r2 is " + PERCENT.format("that", "its")),
        # The others tell the scale, even if they are fewer.
        ([0.05, 500.0], ": the variance of r2 is 10,000 times that of the other"),
        (
            [0.05, 500.0, 600.0],
            ": the variance of r2 is 10,000, that of r3 is 12,000 times",
        ),
        ([0.05, 0.0, 500.0, 600.0], "the variance is 0 in r2 and not in the others"),
    ],
)
def test_the_warning_of_scores_beyond_a_measures_bounds(variances, part, kind):
    of = history(variances, 0.4).model_copy(update={"measure": "AP"})
    warning = disagreement(of, kind)
    assert warning is None if part is None else part in warning.sentence
    helps = WayOut("look at the scores", {"task": "t"})
    assert (warning and warning.way_out) == (None if part is None else helps)
    # Both variances tell the same, once.
    lines = with_advice(of, conclusions(of))
    assert len([line for line in lines if "Look for what is wrong" in line]) == (part is not None)
    if part is not None and "larger than" in part:
        assert "No difference between" not in "".join(lines)
        of_measures = stability([of])
        assert any(line.startswith("Whether AP is stable is unknown") for line in of_measures) or (
            " (perhaps on another scale). It grows" in of_measures[0]
        )
    for other in ({"measure": "clicks"}, {"scale": "std-ab"}):
        assert "larger than" not in str(disagreement(of.model_copy(update=other), kind))


def test_a_round_of_one_run_does_not_doubt_a_plan_by_the_two_way_variance():
    of = history([0.05, 0.06, 0.3], 0.4).model_copy(update={"measure": "AP"})
    rounds = [*of.rounds[:2], of.rounds[2].model_copy(update={"two_way_variance": None})]
    of = of.model_copy(update={"rounds": rounds})
    assert "The variance of r3 is larger" in disagreement(of).sentence
    assert disagreement(of, "two-way") is None


def test_no_difference_is_found_of_one_measure_or_of_several():
    of = history([1.0, 1.1, 1.2], 0.4)
    assert stability([of])[-1] == "No difference between the rounds was found."
    assert stability([of, of])[-1] == "On none of them was a difference between the rounds found."


def test_standardised_scores_have_one_scale():
    standardised = history([1.0, 1.0, 1e4], 0.4).model_copy(update={"scale": "std-ab"})
    assert disagreement(standardised) is None


def test_why_there_is_no_planning_variance():
    pooled = history([1.0, 2.0, 3.0], 0.4).pooled
    bounded = Interval(low=1.0, high=2.0, level=0.95, method="jackknife")
    differing = pooled.model_copy(update={"interval": bounded}).of_kind("one-way")
    assert no_planning_variance(differing).startswith("the rounds differ so much")
    for interval, code in (
        (None, "no_variance"),
        (bounded.model_copy(update={"high": None}), None),
    ):
        few = pooled.model_copy(update={"interval": interval, "interval_reason": code})
        reason = no_interval(code or "unbounded")
        assert no_planning_variance(few.of_kind("one-way")) == reason
