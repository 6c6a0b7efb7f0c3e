"""Phrases and rows that several results are told in."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from roundbook.logbook.matrices.history import revision_changes
from roundbook.presentation import generalisability
from roundbook.presentation.figures import plan_caption, short
from roundbook.presentation.matrices import changes_phrase
from roundbook.presentation.plans import round_columns
from roundbook.presentation.studies import change
from roundbook.presentation.tables import decimals_beside, fixed, signed, thinned, variance_column
from roundbook.presentation.teams import renewed_note


@pytest.mark.parametrize(
    ("value", "text"), [(-0.00001, "+0.000"), (0.0, "+0.000"), (-0.0006, "-0.001")]
)
def test_what_rounds_to_0_has_no_minus(value, text):
    assert signed("shift", "Shift").cell(SimpleNamespace(shift=value)) == text


@pytest.mark.parametrize(
    ("value", "limits", "digits"),
    [
        (0.0496, [0.05], 4),
        (0.04996, [0.05], 5),
        (0.0494, [0.05], 3),
        (0.05, [0.05], 3),
        (0.05002, [0.05], 5),
        (0.2003, [-0.2, 0.2], 4),
        (-0.19999, [-0.2, 0.2], 5),
        (0.1, [], 3),
        (0.1 + 0.2, [0.3], 15),
    ],
)
def test_numbers_stay_on_their_side_of_a_limit_when_rounded(value, limits, digits):
    assert decimals_beside(value, limits, 3) == digits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0531, "0.05310"),
        (0.000012, "0.00001"),
        (0.00000022, "2.2e-07"),
        (-0.00000022, "-2.2e-07"),
        (0.0, "0.00000"),
        (3e-17, "0.00000"),
    ],
)
def test_what_is_not_0_is_not_written_as_0(value, text):
    assert fixed(value, 5) == text
    assert variance_column("variance", "Variance").cell(SimpleNamespace(variance=value)) == text
    assert short(value, 5) == (text.replace("0.", ".", 1) if text.startswith("0.") else text)


def test_the_power_of_a_round_is_written_on_its_side_of_the_power_asked():
    plan = SimpleNamespace(design="two-way", m=[3], solve="topics", beta=0.2)
    exact = next(column for column in round_columns(plan) if column.field == "power_exact")
    row = SimpleNamespace(power_exact=0.79998)
    assert exact.cell(row) == "0.79998"
    row.power_exact = 0.81234
    assert exact.cell(row) == "0.8123"
    row.power_exact = None
    assert exact.cell(row) == "-"


@pytest.mark.parametrize(
    ("level", "percentage"), [(0.95, "95%"), (0.999, "99.9%"), (0.9995, "99.95%")]
)
def test_no_level_of_confidence_is_written_as_100_percent(level, percentage):
    facts = {"task": "t", "measure": "AP", "assessments": None, "target": 0.95}
    facts |= {"m": 10, "min_d": 0.1, "alpha": 0.05, "beta": 0.2}
    report = SimpleNamespace(level=level, **facts)
    assert generalisability.heading(report).startswith(f"t: AP, {percentage} intervals; ")


@pytest.mark.parametrize(("beta", "asked"), [(0.2, ".80"), (0.001, ".999"), (0.00001, ".99999")])
def test_no_power_asked_is_written_as_1(beta, asked):
    plan = SimpleNamespace(design="anova", solve="topics", beta=beta)
    assert plan_caption(plan).endswith(f"the power asked, {asked}.")


def test_rows_are_thinned_evenly_and_keep_both_ends():
    assert thinned(range(5), 5) == [0, 1, 2, 3, 4]
    assert thinned(range(31), 4) == [0, 10, 20, 30]
    for most in range(2, 12):
        shown = thinned(range(31), most)
        assert (len(shown), shown[0], shown[-1]) == (most, 0, 30)
        assert max(np.diff(shown)) - min(np.diff(shown)) <= 1
    assert thinned("abc", 1) == ["a"]


@pytest.mark.parametrize(
    ("changed", "phrase"),
    [
        (
            [0.5, 0.00004],
            "2 of 4 scores changed, 1 by more than 0.0001, by up to 0.5 (topic x, run a)",
        ),
        ([0.00004, 0.00002], "2 of 4 scores changed, none by more than 0.0001, by up to 4e-05"),
        ([0.0, 0.25], "1 of 4 scores changed, by up to 0.25 (topic x, run b)"),
        ([0.0, 0.0], "0 of 4 scores changed"),
    ],
)
def test_changes_of_rounding_are_told_apart(changed, phrase):
    zero = np.zeros((2, 2))
    before = SimpleNamespace(topics=["x", "y"], runs=["a", "b"], scores=zero)
    after = SimpleNamespace(topics=["x", "y"], runs=["a", "b"], scores=np.array([changed, [0, 0]]))
    assert changes_phrase(revision_changes(before, after)).startswith(phrase)


def test_an_unstable_ratio_is_printed_without_limits():
    known = {"rd_interval": None, "dri_interval": None, "reasons": {}}
    system = SimpleNamespace(er=-19.95, er_interval=(-19.1, 18.9), unstable=True, **known)
    row = change._row(system)
    assert (row.er, row.er_interval, row.note) == (-19.95, None, "unstable ER")
    assert (row.er_low, row.er_high) == (-19.1, 18.9)
    row = change._row(SimpleNamespace(er=0.5, er_interval=(0.2, 0.8), unstable=False, **known))
    assert (row.er_interval, row.note) == ((0.2, 0.8), "")


def test_a_dry_run_says_what_would_be_estimated_anew():
    renewed = ["AP", "AP", "P@5"]
    for corrected, would in ((False, "become known"), (True, "be corrected")):
        assert renewed_note(renewed, corrected=corrected, dry_run=True) == (
            f"Teams of runs would {would}: the intervals of 3 variance estimates (AP, P@5) would be"
            " estimated anew by team. Any result saved on the earlier ones would be stale."
        )
    assert renewed_note([], dry_run=True) is None
