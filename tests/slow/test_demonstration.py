"""The demonstration's verdicts are those of its model, not of a lucky seed."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import pytest

from roundbook.logbook import demonstration
from roundbook.statistics.drift.assessment import assess_drift
from roundbook.statistics.drift.units import RunsOfRound, unit_labels

SHARED_TOPICS = 40


def verdicts(seed):
    with patch.object(demonstration, "SEED", seed):
        (_, first, first_runs), *later = demonstration.simulate_campaign()
    for label, scores, runs in later:
        units = unit_labels(
            RunsOfRound(
                [first_runs[tag].team for tag in first.runs],
                [first_runs[tag].system for tag in first.runs],
            ),
            RunsOfRound(
                [runs[tag].team for tag in scores.runs], [runs[tag].system for tag in scores.runs]
            ),
        )
        drift = assess_drift(
            first.scores[:SHARED_TOPICS],
            scores.scores[:SHARED_TOPICS],
            units.labels_from,
            units.labels_to,
        )
        yield label, drift.verdict


@pytest.mark.slow
def test_the_verdicts_over_300_seeds():
    counts = Counter(entry for seed in range(300) for entry in verdicts(seed))
    assert counts["round2", "held"] == 300
    assert counts["round3", "undecided"] >= 280
    assert counts["round3", "aged"] <= 3
    assert counts["round4", "aged"] == 300
