"""Drift judged on recurring systems, against SciPy and TREC-COVID."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.unit.statistics.score_files import read_covid

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.drift.any_topics import RecurringAndOthers, recurring_drift
from roundbook.statistics.standardisation import fit_factors, standardise

# So many other runs, none of them of a recurring system, that their mean is known.
FIELD = RecurringAndOthers(0, np.zeros(1000))


def spread(centre, half_90, count=16):
    """Values with this mean whose 90% t interval reaches half_90 to either side."""
    pattern = np.resize([1.0, -1.0], count)
    scale = half_90 / (stats.t.ppf(0.95, count - 1) * np.std(pattern, ddof=1) / math.sqrt(count))
    return centre + scale * pattern


def covid_means(shared, number):
    (table,) = read_covid(shared, number)
    factors = fit_factors(table.scores)
    means = standardise(table.scores, factors.mean, factors.sd).mean(axis=0)
    return dict(zip(table.runs, means.tolist(), strict=True))


def test_treccovid(shared):
    # Same tag in rounds 1 and 3, taken for the same system for the sake of the numbers.
    first, latest = covid_means(shared, 1), covid_means(shared, 3)
    systems = [tag for tag in first if tag in latest]
    assert len(systems) >= 2
    before, after = ([means[tag] for tag in systems] for means in (first, latest))
    ours = recurring_drift(before, after, FIELD, FIELD)
    assert ours.systems == len(systems)
    result = stats.ttest_rel(after, before)
    assert ours.mean_difference == pytest.approx(np.mean(after) - np.mean(before))
    assert ours.mean_difference_90 == pytest.approx(result.confidence_interval(0.90))
    assert ours.mean_difference_95 == pytest.approx(result.confidence_interval(0.95))


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=2, max_size=12))
def test_intervals_are_scipy(pairs):
    before, after = np.transpose(pairs)
    result = recurring_drift(before, after, FIELD, FIELD)
    assert result.mean_difference == pytest.approx(float(np.mean(after - before)), abs=1e-12)
    error = stats.sem(after - before)
    for interval, level in ((result.mean_difference_90, 0.9), (result.mean_difference_95, 0.95)):
        half = stats.t.ppf((1 + level) / 2, len(pairs) - 1) * error
        assert interval == pytest.approx(
            (result.mean_difference - half, result.mean_difference + half), abs=1e-9
        )


@pytest.mark.parametrize(
    ("centre", "half_90", "verdict"),
    [
        (0.0, 0.19, "held"),
        (0.0, 0.21, "undecided"),
        (-0.1, 0.09, "held"),
        (-0.3, 0.05, "aged"),
        (0.3, 0.05, "aged"),
        # The 90% interval is outside the margin and the 95% one reaches in.
        (0.3, 0.095, "undecided"),
    ],
)
def test_verdict(centre, half_90, verdict):
    result = recurring_drift(np.zeros(16), spread(centre, half_90), FIELD, FIELD)
    assert result.mean_difference_90 == pytest.approx((centre - half_90, centre + half_90))
    assert result.verdict == verdict
    assert (result.against_others, result.why) == (pytest.approx(centre), None)
    wide = recurring_drift(np.zeros(16), spread(centre, half_90), FIELD, FIELD, margin=1.0)
    assert wide.verdict == "held"


def test_with_no_system_or_one_there_is_no_interval():
    none, one = (recurring_drift(*means, FIELD, FIELD) for means in (([], []), ([0.1], [0.9])))
    assert (none.verdict, none.mean_difference, none.systems) == ("unbridged", None, 0)
    assert (one.verdict, one.mean_difference, one.systems) == ("undecided", 0.8, 1)
    for result in (none, one):
        assert result.mean_difference_90 is result.mean_difference_95 is None


@pytest.mark.parametrize(
    ("before", "after"),
    [([np.nan], [0.1]), ([0.1], [np.inf])],
)
def test_refused(before, after):
    with pytest.raises(ImpossibleStatisticError, match="finite"):
        recurring_drift(before, after, FIELD, FIELD)


def test_recurring_systems_are_measured_against_the_other_runs():
    """In the middle of themselves they stand still, wherever the others went."""
    still, moving = np.zeros(16), spread(0.0, 0.1)
    others = [RecurringAndOthers(16, np.full(16, level)) for level in (0.0, -0.3)]
    result = recurring_drift(still, moving, *others)
    assert (result.verdict, result.why) == ("undecided", "against other runs")
    assert result.against_others == pytest.approx(0.3)
    # s sqrt(1 / 16 + (1 / 16 + 1 / 16) / 2), in place of s sqrt(1 / 16).
    half = 0.1 * math.sqrt(2)
    assert result.against_others_90 == pytest.approx((0.3 - half, 0.3 + half))
    assert recurring_drift(still, moving, others[0], others[0]).verdict == "held"
    # One run fewer of the others, in either round: most standardising runs recur.
    most = RecurringAndOthers(16, np.zeros(15))
    for runs in ((most, others[0]), (others[0], most)):
        result = recurring_drift(still, moving, *runs)
        assert (result.verdict, result.why) == ("undecided", "most standardising runs recur")
        aged = recurring_drift(still, moving + 1, *runs)
        assert (aged.verdict, aged.why) == ("aged", None)
    alone = RecurringAndOthers(16, [])
    for after in (still, moving + 1):
        result = recurring_drift(still, after, alone, alone)
        assert (result.verdict, result.why) == ("undecided", "all standardising runs recur")
        assert result.against_others is result.against_others_90 is None
    assert recurring_drift(still, moving + 1, alone, others[0]).verdict == "aged"


def standardised(generator, abilities, topics):
    """Mean standardised scores of runs of these abilities, in sds of a score, on new topics."""
    scores = 0.5 * abilities + generator.normal(0, math.sqrt(0.75), (topics, abilities.size))
    factors = fit_factors(scores)
    return standardise(scores, factors.mean, factors.sd).mean(axis=0)


def simulated(generator, systems, others_from, others_to, topics, moved, *, drawn=False):
    """The change of systems whose others moved, by which these themselves did, in sds of a score.

    The mean ability of the others is as given, or that of runs drawn from a field that moved.
    """
    ability = generator.normal(0, 1, systems)
    means, runs, levels = [], [], []
    for size, level in ((others_from, 0.0), (others_to, 2 * moved)):
        others = generator.normal(0, 1, size) + level
        if size and not drawn:
            others += level - others.mean()
        levels.append(0.5 * others.mean() if size else 0.0)
        means_now = standardised(generator, np.concatenate([ability, others]), topics)
        means.append(means_now[:systems])
        runs.append(RecurringAndOthers(systems, means_now[systems:]))
    return recurring_drift(*means, *runs), levels[1] - levels[0]


@pytest.mark.parametrize(
    ("systems", "others_from", "others_to", "topics"),
    [(5, 0, 0, 30), (10, 2, 2, 30), (10, 10, 10, 50), (10, 30, 3, 50), (20, 60, 60, 100)],
)
def test_a_moved_field_is_called_held_in_one_of_twenty_cases(
    systems, others_from, others_to, topics
):
    """The others move by the margin; by the mean alone it is held in up to all cases."""
    generator = np.random.default_rng(11)
    held = aged = by_the_mean_alone = 0
    for _ in range(300):
        result, _ = simulated(generator, systems, others_from, others_to, topics, 0.2)
        held += result.verdict == "held"
        aged += result.verdict == "aged"
        low, high = result.mean_difference_90
        by_the_mean_alone += low >= -0.2 and high <= 0.2
    # Of 300 at one in twenty, 25 or fewer in 99 of 100 cases.
    assert held <= 25
    assert aged <= 15
    assert by_the_mean_alone > 100


# Held, of these others in percent, and of others drawn from the field, as the docs have them.
OF_OTHERS = {
    (10, 10, 50): {0.0: (54, 19), 0.2: (5, 15), 0.3: (0, 10)},
    (10, 30, 50): {0.0: (78, 44), 0.2: (5, 20), 0.3: (0, 8)},
    (20, 20, 100): {0.0: (100, 60), 0.2: (5, 31), 0.3: (0, 14)},
    (20, 60, 100): {0.0: (100, 87), 0.2: (6, 29), 0.3: (0, 6)},
}


@pytest.mark.parametrize("sizes", OF_OTHERS, ids=str)
def test_held_is_said_of_these_other_runs_and_not_of_their_field(sizes):
    systems, others, topics = sizes
    moved_themselves = held_though = 0
    for moved, percents in OF_OTHERS[sizes].items():
        for drawn, percent in zip((False, True), percents, strict=True):
            generator = np.random.default_rng(12)
            held = 0
            for _ in range(300):
                result, by = simulated(
                    generator, systems, others, others, topics, moved, drawn=drawn
                )
                held += result.verdict == "held"
                if drawn and abs(by) >= 0.2:
                    moved_themselves += 1
                    held_though += result.verdict == "held"
            error = 100 * math.sqrt(max(percent / 100 * (1 - percent / 100), 0.005) / 300)
            assert held / 3 == pytest.approx(percent, abs=3.5 * error)
    # Where the others that were drawn moved by the margin or more, it is not held.
    assert moved_themselves > 300
    assert held_though <= 0.03 * moved_themselves
