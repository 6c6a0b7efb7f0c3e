"""The crossed jackknife, against units that are really left out, and its check values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from roundbook.statistics.drift.jackknife import drift_jackknife, scores_by_topic
from roundbook.statistics.drift.units import RunsOfRound, unit_labels


def estimates_of(first, later, labels_first, labels_later):
    old, new = scores_by_topic(first), scores_by_topic(later)
    used = old.sd > 0
    return drift_jackknife(old.on(used), new.on(used), labels_first, labels_later)


def shift(a, b):
    return np.mean(b.mean(axis=1) - a.mean(axis=1)) / np.mean(a.std(axis=1, ddof=1))


def log_ratio(a, b):
    return math.log(np.mean(b.std(axis=1, ddof=1)) / np.mean(a.std(axis=1, ddof=1)))


def without(scores, labels, unit):
    """The runs of the other units; all runs where the unit is absent or leaves fewer than two."""
    stay = labels != unit
    return scores[:, stay] if stay.sum() >= 2 else scores


def share(labels, unit):
    return np.mean(labels == unit)


def inflation(labels):
    shares = [share(labels, unit) for unit in set(labels)]
    second, third = (sum(value**power for value in shares) for power in (2, 3))
    return second / (second - 2 * third + second**2)


def cell(a, b, u, v, unit, statistic, topic):
    """The unit's linearised part on one topic, run by run."""
    mean_a, sd_a = a[topic].mean(), a[topic].std(ddof=1)
    mean_b, sd_b = b[topic].mean(), b[topic].std(ddof=1)
    level_a, level_b = a.std(axis=1, ddof=1).mean(), b.std(axis=1, ddof=1).mean()
    theta = shift(a, b)
    parts = []
    for scores, mean, sd, labels, first in (
        (a, mean_a, sd_a, u, True),
        (b, mean_b, sd_b, v, False),
    ):
        squares = [(x - mean) ** 2 / (2 * sd) if sd > 1e-12 else 0.0 for x in scores[topic]]
        if statistic is log_ratio:
            cells = [-x / level_a if first else x / level_b for x in squares]
        elif first:
            cells = [
                (mean - x - theta * q) / level_a
                for x, q in zip(scores[topic], squares, strict=True)
            ]
        else:
            cells = [(x - mean) / level_a for x in scores[topic]]
        centre = sum(cells) / len(cells)
        of_unit = [c - centre for c, label in zip(cells, labels, strict=True) if label == unit]
        parts.append(math.sqrt(inflation(labels)) * sum(of_unit) / len(cells))
    return sum(parts)


def naive(a, b, u, v, statistic):
    """Corrected estimate, V_T, V_R, V_I, V, nu_R and nu by deleting and recomputing."""
    units, topics = sorted(set(u) | set(v)), len(a)
    theta = statistic(a, b)
    effect_a, effect_b, crossing = {}, {}, {}
    for g in units:
        part_a, part_b = without(a, u, g), without(b, v, g)
        alone_a, alone_b = statistic(part_a, b), statistic(a, part_b)
        effect_a[g] = (1 - share(u, g)) * (theta - alone_a)
        effect_b[g] = (1 - share(v, g)) * (theta - alone_b)
        both = g in set(u) & set(v) and statistic is shift
        crossing[g] = (
            math.sqrt((1 - share(u, g)) * (1 - share(v, g)))
            * (alone_a + alone_b - theta - statistic(part_a, part_b))
            if both
            else 0.0
        )
    total_a, total_b = sum(effect_a.values()), sum(effect_b.values())
    crossed = sum(crossing.values())
    f_a, f_b = inflation(u), inflation(v)
    c_a = {g: math.sqrt(f_a) * (effect_a[g] - share(u, g) * total_a) for g in units}
    c_b = {g: math.sqrt(f_b) * (effect_b[g] - share(v, g) * total_b) for g in units}
    c = {
        g: c_a[g]
        + c_b[g]
        + (f_a * f_b) ** 0.25 * (crossing[g] - math.sqrt(share(u, g) * share(v, g)) * crossed)
        for g in units
    }
    runs = sum(value**2 for value in c.values())
    if statistic is shift:
        moved = b.mean(axis=1) - a.mean(axis=1)
        parts = (moved - theta * a.std(axis=1, ddof=1)) / a.std(axis=1, ddof=1).mean()
    else:
        parts = b.std(axis=1, ddof=1) / b.std(axis=1, ddof=1).mean()
        parts = parts - a.std(axis=1, ddof=1) / a.std(axis=1, ddof=1).mean()
    by_topic = sum(parts**2) / (topics * (topics - 1))
    interaction = 0.0
    for g in units:
        cells = [cell(a, b, u, v, g, statistic, topic) for topic in range(topics)]
        interaction += np.sum((np.array(cells) - np.mean(cells)) ** 2) / (topics * (topics - 1))
    variance = max(by_topic + runs - interaction, by_topic, runs)
    v_a, v_b = sum(x**2 for x in c_a.values()), sum(x**2 for x in c_b.values())
    v_ab = sum(c_a[g] * c_b[g] for g in units)
    squares_a, squares_b = (
        sum(share(u, g) ** 2 for g in units),
        sum(share(v, g) ** 2 for g in units),
    )
    products = sum(share(u, g) * share(v, g) for g in units)
    p = [v_a * share(u, g) ** 2 / squares_a + v_b * share(v, g) ** 2 / squares_b for g in units]
    if products:
        p = [
            max(0.0, value + 2 * v_ab * share(u, g) * share(v, g) / products)
            for value, g in zip(p, units, strict=True)
        ]
    nu_runs = max(1.0, sum(p) ** 2 / sum(x**2 for x in p) - (1 if products else 2))
    nu = variance**2 / (by_topic**2 / (topics - 1) + runs**2 / nu_runs)
    corrected = theta + total_a + total_b + crossed
    return corrected, by_topic, runs, interaction, variance, nu_runs, nu


def values(estimate):
    v = estimate.variance
    return estimate.corrected, v.topics, v.runs, v.both, v.total, v.dof_runs, v.dof


@given(
    seed=st.integers(0, 10**9),
    topics=st.integers(2, 6),
    runs=st.tuples(st.integers(5, 11), st.integers(5, 11)),
    overlap=st.integers(0, 8),
)
def test_against_deleting_and_recomputing(seed, topics, runs, overlap):
    rng = np.random.default_rng(seed)
    # At least two units in each round, up to six, of which some are in both.
    u = np.concatenate([[0, 1], rng.integers(0, 6, runs[0] - 2)])
    v = np.concatenate([[0, 1], rng.integers(0, 6, runs[1] - 2)]) + 8 - overlap
    a, b = rng.random((topics, runs[0])), 0.1 + 0.8 * rng.random((topics, runs[1]))
    b[0] *= rng.integers(0, 2)  # At times a topic ties in the later round only.
    estimates = estimates_of(a, b, u, v)
    assert values(estimates.shift) == pytest.approx(naive(a, b, u, v, shift), rel=1e-8, abs=1e-13)
    assert values(estimates.sd_ratio) == pytest.approx(
        naive(a, b, u, v, log_ratio), rel=1e-8, abs=1e-13
    )


def test_a_unit_that_leaves_one_run_stays():
    rng = np.random.default_rng(4)
    a, b = rng.random((4, 5)), rng.random((4, 6))
    u, v = np.array([0, 0, 0, 0, 1]), np.array([0, 1, 2, 3, 4, 5])
    for estimate, statistic in zip(
        vars(estimates_of(a, b, u, v)).values(), (shift, log_ratio), strict=True
    ):
        assert values(estimate) == pytest.approx(naive(a, b, u, v, statistic), rel=1e-9)


def test_typed_example_with_teams(typed):
    first, later = typed
    units = unit_labels(RunsOfRound(first.teams), RunsOfRound(later.teams))
    old, new = set(units.labels_from.tolist()), set(units.labels_to.tolist())
    assert (len(old), len(new), len(old & new)) == (6, 5, 2)
    estimates = estimates_of(first.scores, later.scores, units.labels_from, units.labels_to)
    assert (inflation(units.labels_from), inflation(units.labels_to)) == pytest.approx(
        (1.2972973, 1.3680203), abs=5e-8
    )
    variance = estimates.shift.variance
    assert estimates.shift.corrected == pytest.approx(0.5677766163, rel=1e-9)
    assert variance.topics == pytest.approx(0.003180020, abs=5e-10)
    assert variance.runs == variance.total == pytest.approx(0.3198887139, rel=1e-9)
    assert variance.both == pytest.approx(0.005462744, abs=5e-10)
    assert variance.dof_runs == pytest.approx(2.611724934, rel=1e-9)
    assert variance.dof == pytest.approx(2.611556423, rel=1e-9)
    assert estimates.shift.interval(0.95) == pytest.approx((-1.393531769, 2.529085001), rel=1e-9)
    variance = estimates.sd_ratio.variance
    assert math.exp(estimates.sd_ratio.corrected) == pytest.approx(1.138177032, rel=1e-9)
    assert variance.topics == pytest.approx(0.002214504, abs=5e-10)
    assert variance.runs == variance.total == pytest.approx(0.06121843622, rel=1e-9)
    assert variance.dof == pytest.approx(2.598215317, rel=1e-9)
    assert np.exp(estimates.sd_ratio.interval(0.9)) == pytest.approx(
        (0.6117342622, 2.117662908), rel=1e-9
    )


def test_typed_example_with_runs_as_units(typed):
    first, later = typed
    estimate = estimates_of(first.scores, later.scores, np.arange(8), np.arange(8, 15)).shift
    assert estimate.corrected == pytest.approx(0.5568731273, rel=1e-9)
    assert estimate.variance.total == pytest.approx(0.3132707957, rel=1e-9)
    assert estimate.variance.dof == pytest.approx(12.8309222, abs=5e-8)
    assert estimate.interval(0.95) == pytest.approx((-0.6539198585, 1.767666113), rel=1e-9)


def test_variance_parts_of_treccovid(covid):
    topics = [topic for topic in covid[1].topics if topic in covid[2].topics]
    units = unit_labels(RunsOfRound(covid[1].teams), RunsOfRound(covid[2].teams))
    variance = estimates_of(
        covid[1].on(topics), covid[2].on(topics), units.labels_from, units.labels_to
    ).shift.variance
    assert variance.topics == pytest.approx(0.00725842, abs=5e-9)
    assert variance.runs == pytest.approx(0.0109566, abs=5e-8)
    assert variance.both == pytest.approx(0.000472912, abs=5e-10)
    assert variance.dof_runs == pytest.approx(64.8055, abs=5e-5)
    assert variance.total == pytest.approx(0.0177421, abs=5e-8)


def test_intervals_are_those_of_students_t():
    rng = np.random.default_rng(2)
    a, b = rng.random((7, 9)), rng.random((7, 8))
    estimate = estimates_of(a, b, np.arange(9), np.arange(8)).shift
    low, high = stats.t.interval(
        0.975, estimate.variance.dof, estimate.corrected, math.sqrt(estimate.variance.total)
    )
    assert estimate.interval(0.975) == pytest.approx((low, high))


def test_one_unit_that_bears_all_spread():
    a = np.tile(np.linspace(0.1, 0.5, 6)[:, np.newaxis], 7)
    b = np.random.default_rng(5).random((6, 7))
    a[:, 3] += 0.1
    labels = np.arange(7)
    assert estimates_of(a, b, labels, labels) is None
    assert estimates_of(b, a, labels, labels) is None
    a[2, 4] += 0.1
    assert estimates_of(a, b, labels, labels) is not None
