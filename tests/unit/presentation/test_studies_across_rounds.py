"""What is said of standardising, round after round: no more than the numbers bear."""

from __future__ import annotations

import pytest

from roundbook.logbook.studies.across_rounds import BesideRaw
from roundbook.presentation.studies.across_rounds import _counts, _verdict
from roundbook.statistics.significance import sign_test


@pytest.mark.parametrize(
    ("better", "worse", "alike", "verdict"),
    [
        (6, 0, 0, "yes, round after round (sign test p = 0.031)"),
        (0, 6, 2, "no, the reverse, round after round (sign test p = 0.031)"),
        (5, 0, 0, "too few rounds to rule out chance (sign test p = 0.062)"),
        (8, 1, 0, "the rounds do not agree (sign test p = 0.039)"),
        (1, 0, 3, "only one round shows a difference (sign test p = 1)"),
        (0, 0, 4, "no round shows a difference"),
    ],
)
def test_verdicts(better, worse, alike, verdict):
    p = sign_test(better, worse) if better + worse else None
    beside = BesideRaw(
        figure="share", better=better, worse=worse, alike=alike, least=-0.012, most=0.031, p=p
    )
    assert _verdict(beside) == verdict
    sentence = _counts(beside, better + worse + alike)
    assert sentence.startswith(f"More pairs of runs apart than on raw in {better} of")
    assert sentence.endswith("(-1.2 to +3.1 points)")
    assert (f", open in {alike}" in sentence) == (alike > 0)


def test_the_sign_test():
    assert [sign_test(3, 0), sign_test(0, 6), sign_test(4, 4), sign_test(0, 0)] == [
        0.25,
        0.03125,
        1.0,
        1.0,
    ]
