"""What drift reports promise of simulated rounds: ability a quarter of the variance of a score."""

from __future__ import annotations

import math

import numpy as np
import pytest

from roundbook.statistics.drift.assessment import assess_drift
from roundbook.statistics.drift.shared_topics import drift_tests
from roundbook.statistics.drift.verdict import topics_suffice

# HELD in percent, where nothing moved over all topics and 20 systems ran again, unchanged; by the
# number of topics and the sd over topics of their own shifts. As the docs have it.
SAME_SYSTEMS = {
    (10, 0.0): 100,
    (10, 0.25): 49,
    (10, 0.5): 2,
    (20, 0.0): 100,
    (20, 0.25): 92,
    (20, 0.5): 10,
    (35, 0.0): 100,
    (35, 0.25): 100,
    (35, 0.5): 47,
    (50, 0.0): 100,
    (50, 0.25): 100,
    (50, 0.5): 73,
}
SOME = [(10, 0.0), (20, 0.25), (35, 0.5)]


def drawn_round(generator, runs, topics, per_team=1):
    """Scores of runs of new systems on as many topics; those of one team are alike."""
    teams = np.repeat(generator.normal(0, math.sqrt(0.2), runs // per_team), per_team)
    own = generator.normal(0, math.sqrt(0.05), runs)
    return teams + own + generator.normal(0, math.sqrt(0.75), (topics, runs))


def share(replications, outcomes):
    """Percent of True among as many outcomes."""
    return 100 * sum(next(outcomes) for _ in range(replications)) / replications


def standard_error(percent, replications):
    return 100 * math.sqrt(max(percent / 100 * (1 - percent / 100), 0.005) / replications)


def held_by_the_same_systems(topics, sd):
    generator = np.random.default_rng(21)
    runs = np.arange(20)
    while True:
        scores = drawn_round(generator, 20, topics)
        moved = scores + generator.normal(0, sd, (topics, 1))
        yield assess_drift(scores, moved, runs, runs).verdict == "held"


@pytest.mark.parametrize(
    ("topics", "sd", "count"),
    [
        *((*sizes, 100) for sizes in SOME),
        *(pytest.param(*sizes, 500, marks=pytest.mark.slow) for sizes in SAME_SYSTEMS),
    ],
)
def test_how_often_the_same_systems_decide_hangs_on_the_topics(topics, sd, count):
    held = share(count, held_by_the_same_systems(topics, sd))
    expected = SAME_SYSTEMS[topics, sd]
    assert held == pytest.approx(expected, abs=3.5 * standard_error(expected, count))


def told_to_suffice(topics, sd):
    generator = np.random.default_rng(22)
    while True:
        first, later = (drawn_round(generator, 30, topics) for _ in range(2))
        later = later + generator.normal(0, sd, (topics, 1))
        parts = assess_drift(first, later, np.arange(30), np.arange(30, 60)).variance_parts
        yield topics_suffice(parts.shift, topics, 0.2)


@pytest.mark.parametrize(("topics", "sd"), [(20, 0.0), (35, 0.25), (20, 0.5), (35, 0.5)])
def test_other_systems_tell_whether_the_same_ones_would_decide_on_these_topics(topics, sd):
    percent_told = share(60, told_to_suffice(topics, sd))
    assert (percent_told > 90) == (SAME_SYSTEMS[topics, sd] >= 80)
    assert percent_told > 90 or percent_told < 25


def moves_found(runs, topics, per_team):
    generator = np.random.default_rng(23)
    while True:
        first, later = (drawn_round(generator, runs, topics, per_team) for _ in range(2))
        tests = drift_tests(first, later)
        yield tests.paired_t.p_value < 0.05
        yield tests.wilcoxon.p_value < 0.05


@pytest.mark.parametrize(
    ("runs", "per_team", "percent"), [(10, 1, 66), (30, 1, 63), (60, 1, 63), (60, 4, 80)]
)
def test_tests_often_find_a_move_of_other_systems_where_nothing_moved(runs, per_team, percent):
    # Either of two tests on the same rounds, so the error is that of half as many.
    percent_found = share(200, moves_found(runs, 50, per_team))
    assert percent_found == pytest.approx(percent, abs=3.5 * standard_error(percent, 100))


def failing(generator, runs, topics):
    """A round of which a tenth of the runs, on average, failed, 2.5 sds below the rest."""
    scores = drawn_round(generator, runs, topics)
    scores[:, generator.random(runs) < 0.1] = -2.5
    return scores


def covered_with_failed_runs(runs):
    generator = np.random.default_rng(24)
    while True:
        rounds = failing(generator, runs, 50), failing(generator, runs, 50)
        drift = assess_drift(*rounds, np.arange(runs), np.arange(runs, 2 * runs))
        low, high = drift.systems_like_these.sd_ratio_95
        yield low <= 1 <= high


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "percent"), [(10, 90), (20, 90), (60, 95)])
def test_failed_runs_make_the_interval_of_the_sd_ratio_too_narrow(runs, percent):
    covered = share(1000, covered_with_failed_runs(runs))
    assert covered == pytest.approx(percent, abs=3.5 * standard_error(percent, 1000))


def aged_by_few_teams(teams, shift):
    generator = np.random.default_rng(25)
    labels = np.repeat(np.arange(teams), 4)
    while True:
        first, later = (drawn_round(generator, 4 * teams, 50, 4) for _ in range(2))
        yield assess_drift(first, later + shift, labels, labels + teams).verdict


@pytest.mark.parametrize("teams", [5, 8])
def test_few_teams_find_no_more_than_a_large_shift(teams):
    verdicts = {
        shift: [next(outcomes) for _ in range(60)]
        for shift in (0, 2)
        for outcomes in [aged_by_few_teams(teams, shift)]
    }
    assert verdicts[0].count("held") == 0
    assert verdicts[0].count("aged") <= 5
    assert verdicts[2].count("aged") >= 45
