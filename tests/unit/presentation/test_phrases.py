"""Phrases and rows that several results are told in."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from roundbook.logbook.matrices.history import revision_changes
from roundbook.presentation.matrices import changes_phrase, renewed_note
from roundbook.presentation.studies import change
from roundbook.presentation.tables import thinned


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
