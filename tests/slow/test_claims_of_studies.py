"""What the page about studies says they hold on other topics and teams, by simulation.

The draws are seeded; the numbers are those that docs/statistics/studies.md prints, to two digits.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from roundbook.statistics.design import solve_variance
from roundbook.statistics.studies.change import change_measures
from roundbook.statistics.studies.leave_one_out import leave_one_out
from roundbook.statistics.studies.pilot_results import PUBLISHED, planned_topics
from roundbook.statistics.studies.pilots import team_subsets
from roundbook.statistics.studies.scoring import SameScores
from roundbook.statistics.studies.single_pairs import paired_t_tests
from roundbook.statistics.studies.swap_rate import swap_rate
from roundbook.statistics.studies.trend import round_trend
from roundbook.statistics.studies.tukey import tukey_test
from roundbook.statistics.variance.residual import residual_variance

pytestmark = pytest.mark.slow


# By the true gain: the share of ERs that are not unstable, their median, and how many of their
# intervals hold 1.
GAINS = {0.02: (0.14, 0.39, 0.87), 0.05: (0.64, 0.82, 0.96), 0.15: (1.0, 1.0, 0.94)}


@pytest.mark.parametrize("gain", GAINS)
def test_an_effect_ratio_that_is_stable_was_chosen_by_its_gain(gain):
    rng = np.random.default_rng(1)
    systems = 2000
    pivot = np.full((50, 1), 0.3)
    earlier, later = (
        np.hstack([0.3 + rng.normal(gain, 0.15, (50, systems)), pivot]) for _ in range(2)
    )
    changes = change_measures(earlier, later, systems, trials=1000)[:-1]
    stable = [one for one in changes if not one.unstable]
    median = np.median([one.er for one in stable])
    covered = np.mean([one.er_interval[0] <= 1 <= one.er_interval[1] for one in stable])
    shares = (len(stable) / systems, median, covered)
    assert shares == pytest.approx(GAINS[gain], abs=0.01)


def normal(rng, topics, means):
    return means + rng.normal(0, 0.15, (topics, 1)) + rng.normal(0, 0.1, (topics, 2))


def lognormal(rng, topics, means):
    logs = rng.normal(0, 0.6, (topics, 1)) + rng.normal(0, 0.4, (topics, 2))
    return means * np.exp(logs - (0.6**2 + 0.4**2) / 2)


# By the topics of the earlier and of the later round: how often the intervals of RD, DRI and ER
# hold the true values, ER where it is not unstable.
CHANGES = {
    (normal, 10, 10): (0.91, 0.93, 0.92),
    (normal, 10, 50): (0.91, 0.92, 0.94),
    (normal, 50, 50): (0.95, 0.94, 0.94),
    (lognormal, 10, 10): (0.91, 0.91, 0.88),
    (lognormal, 10, 50): (0.89, 0.91, 0.91),
    (lognormal, 50, 50): (0.93, 0.94, 0.95),
}


@pytest.mark.parametrize("case", CHANGES)
def test_intervals_of_changes_are_too_narrow_with_few_topics(case):
    draw, first, later = case
    rng = np.random.default_rng(6)
    true = {"rd": 0.05, "dri": 1 / 3 - 4 / 15, "er": 0.8}
    covered = {name: [] for name in true}
    for _ in range(500):
        rounds = draw(rng, first, np.array([0.4, 0.3])), draw(rng, later, np.array([0.38, 0.3]))
        change = change_measures(*rounds, 1, trials=500)[0]
        for name, value in true.items():
            if name != "er" or not change.unstable:
                low, high = getattr(change, f"{name}_interval")
                covered[name].append(low <= value <= high)
    assert tuple(map(np.mean, covered.values())) == pytest.approx(CHANGES[case], abs=0.01)


def a_round(rng, topics, teams):
    """Scores of teams of three near-copies each, which differ in how much they vary."""
    spread = 0.1 * np.exp(rng.normal(0, 0.4, teams))
    by_team = rng.normal(0, spread, (topics, teams))
    by_run = rng.normal(0, 0.04, (topics, 3 * teams))
    return 0.3 + rng.normal(0, 0.12, (topics, 1)) + np.repeat(by_team, 3, axis=1) + by_run


def pilots_of(rng, seed, topics, teams, numbers=None):
    scores = SameScores(a_round(rng, topics, teams))
    return team_subsets(scores, np.repeat(np.arange(teams), 3), numbers=numbers, seed=seed)


# By the number of teams out of 20: the share of separate pilots inside the range of those drawn.
SEPARATE = {15: 0.39, 10: 0.57, 5: 0.72, 1: 0.84}


@pytest.mark.parametrize("teams", SEPARATE)
def test_separate_pilots_scatter_more_than_those_of_one_round(teams):
    rng = np.random.default_rng(2)
    inside = []
    for seed in range(150):
        planned = pilots_of(rng, seed, 50, 20, [teams]).sizes[0].planned
        separate = [residual_variance(a_round(rng, 50, teams)) for _ in range(60)]
        topics = planned_topics(np.array(separate), PUBLISHED)
        inside.append(((planned.low <= topics) & (topics <= planned.high)).mean())
    assert np.mean(inside) == pytest.approx(SEPARATE[teams], abs=0.01)


def test_some_size_of_pilots_misses_by_chance():
    rng = np.random.default_rng(3)
    reports = [pilots_of(rng, seed, 30, 12).sizes for seed in range(400)]
    missing = np.mean([any(size.misses for size in sizes) for sizes in reports])
    assert missing == pytest.approx(0.24, abs=0.01)


def alike(rng):
    return rng.normal(size=(50, 20))


def some_scatter_more(rng):
    return alike(rng) * np.exp(rng.normal(0, 0.4, 20))


def one_scatters_more(rng):
    return alike(rng) * np.append(3, np.ones(19))


def near_copies(rng):
    scores = alike(rng)
    scores[:, 3:] = scores[:, 3:4] + 0.1 * scores[:, 3:]
    return scores


def skewed(rng, topics=50):
    return (rng.exponential(size=(topics, 20)) - 1) * np.exp(rng.normal(0, 0.4, 20))


def skewed_on_25_topics(rng):
    return skewed(rng, 25)


def skewed_on_10_topics(rng):
    return skewed(rng, 10)


# How often any of 20 runs of equal means is told apart: by Tukey HSD, and by t with Holm's method.
ERRORS = {
    alike: (0.05, 0.04),
    some_scatter_more: (0.16, 0.04),
    one_scatters_more: (0.19, 0.04),
    near_copies: (0.20, 0.03),
    skewed: (0.14, 0.06),
    skewed_on_25_topics: (0.15, 0.08),
    skewed_on_10_topics: (0.14, 0.09),
}


@pytest.mark.parametrize("draw", ERRORS)
def test_tukeys_error_rate_is_alpha_if_runs_are_exchangeable(draw):
    rng = np.random.default_rng(4)
    rounds = [draw(rng) for _ in range(600)]
    tukey = np.mean([tukey_test(scores, trials=300).significant.any() for scores in rounds])
    holm = np.mean([(paired_t_tests(scores).holm < 0.05).any() for scores in rounds])
    assert (tukey, holm) == pytest.approx(ERRORS[draw], abs=0.01)


# By topics: how many rounds of 10 runs have a needed difference, how many have it from the open
# bin, and the rate at which other topics turn round what differs by as much.
SWAPS = {
    10: (0.14, 0.10, 0.11),
    20: (0.64, 0.14, 0.04),
    30: (0.87, 0.06, 0.03),
    50: (0.97, 0, 0.02),
}


@pytest.mark.parametrize("topics", SWAPS)
def test_a_needed_difference_of_few_topics_holds_less_on_others(topics):
    rng = np.random.default_rng(5)
    answered, last, rates = 0, 0, []
    rounds, half, (one, other) = 300, topics // 2, np.triu_indices(10, 1)
    for seed in range(rounds):
        runs = 0.3 + rng.normal(0, 0.05, 10)
        scores = runs + rng.normal(0, 0.15, (topics, 1)) + rng.normal(0, 0.12, (topics, 10))
        needed = swap_rate(scores, trials=125, seed=seed).needed_difference
        if needed is None:
            continue
        answered += 1
        last += needed == 0.2
        # Means over other topics; their hardness cancels in differences.
        first, second = rng.normal(runs, 0.12 / half**0.5, (2, 2000, 10))
        differences = first[:, one] - first[:, other]
        large = np.abs(differences) >= needed
        swapped = differences * (second[:, one] - second[:, other]) < 0
        rates += [swapped[large].mean()] if large.any() else []
    shares = (answered / rounds, last / rounds, np.mean(rates))
    assert shares == pytest.approx(SWAPS[topics], abs=0.01)


# By the teams of five rounds or six: how often tau falls, and rises, beyond chance.
TRENDS = {
    (30, 30, 30, 30, 30): (0.02, 0.0),
    (56, 51, 31, 25, 20): (0.15, 0.0),
    (50, 40, 30, 20, 14, 8): (0.37, 0.0),
}


@pytest.mark.parametrize("teams", TRENDS)
def test_tau_falls_by_itself_with_fewer_teams(teams):
    rng = np.random.default_rng(6)
    trends = []
    for _ in range(150):
        taus = []
        for number in teams:
            effects = np.repeat(rng.normal(0, 0.05, number), 3)
            scores = a_round(rng, 40, number) + effects
            of_run = np.repeat(np.arange(number), 3)
            taus.append(leave_one_out(scores, of_run, scales=["std-ab"]).scales[0].tau)
        trends.append(round_trend(taus))
    beyond = [trend.order_tau for trend in trends if trend.p <= 0.05]
    shares = [sum(tau * sign > 0 for tau in beyond) / len(trends) for sign in (-1, 1)]
    assert shares == pytest.approx(TRENDS[teams], abs=0.01)


def normal(rng, size):
    return rng.normal(size=size)


def many_zeros(rng, size):
    return rng.normal(size=size) * (rng.random(size) < 0.3) / 0.3**0.5


def long_tails(rng, size):
    return rng.standard_t(3, size) / 3**0.5


def skewed_differences(rng, size):
    return rng.exponential(size=size) - 1


def very_skewed_differences(rng, size):
    return (np.exp(rng.normal(size=size)) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e)


# By how the differences are distributed: how often the sure rule stops too early by the true sd,
# and the size and the power of a t test then.
STOPS = {
    normal: (0.22, 0.06, 0.91),
    many_zeros: (0.51, 0.02, 0.94),
    long_tails: (0.59, 0.05, 0.93),
    skewed_differences: (0.46, 0.12, 0.86),
    very_skewed_differences: (0.73, 0.16, 0.99),
}


@pytest.mark.parametrize("draw", STOPS)
def test_the_sure_rule_is_for_normal_differences(draw):
    rng = np.random.default_rng(7)
    trials, sizes = 4000, np.arange(10, 101)
    largest = np.sqrt(2 * solve_variance("paired-t", sizes, 0.1, 0.05, 0.2).variance)
    sure = largest * np.sqrt(scipy.special.chdtri(sizes - 1, 0.8) / (sizes - 1))
    differences = 0.15 * draw(rng, (trials, 100))
    means = differences.cumsum(axis=1)[:, sizes - 1] / sizes
    squares = np.square(differences).cumsum(axis=1)[:, sizes - 1] - sizes * means**2
    sds = np.sqrt(np.maximum(squares, 0) / (sizes - 1))
    stops = sds <= sure
    at = np.where(stops.any(axis=1), stops.argmax(axis=1), sizes.size - 1)
    of = np.arange(trials)
    errors = np.maximum(sds[of, at], 1e-9) / np.sqrt(sizes[at])
    limits = scipy.special.stdtrit(sizes[at] - 1, 0.975)
    early = (stops.any(axis=1) & (largest[at] < 0.15)).mean()
    reached = [(np.abs(means[of, at] + by) / errors > limits).mean() for by in (0, 0.1)]
    assert (early, *reached) == pytest.approx(STOPS[draw], abs=0.01)
