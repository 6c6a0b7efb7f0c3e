"""Change measures: LongEval's systems, repro_eval's numbers, plain loops, symmetries."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.studies import change as module
from roundbook.statistics.studies.change import change_measures

PIVOT = "IRC_d2q+BM25"
# Of round wt to round st, missing scores counted 0: relative improvement over the pivot in either
# round, delta of these, effect ratio. By `rel_improve`, `DRI` and `ER` of repro_eval 0.5.0 (MIT).
REPRO_EVAL = {
    "ndcg": {
        "IRC_BM25+colBERT": (
            0.049665207601013506,
            0.0194640216714647,
            0.030201185929548804,
            0.438475734450596,
        ),
        "IRC_BM25+monoT5": (
            0.10500813757329407,
            0.059796901978395704,
            0.04521123559489836,
            0.6371196036801131,
        ),
        "IRC_E5_base": (
            0.05264898447544241,
            -0.03351017722643782,
            0.08615916170188023,
            -0.7121180040934436,
        ),
        "IRC_RRF(BM25+Bo1-XSqrA_M-PL2)": (
            0.03481692317982195,
            -0.04335141625795272,
            0.07816833943777467,
            -1.393086683268113,
        ),
    },
    "map": {
        "IRC_RRF(BM25+Bo1-XSqrA_M-PL2)": (
            0.00596987787508727,
            -0.09773760785787693,
            0.10370748573296419,
            -20.423011844331597,
        ),
    },
}
RD = {
    "IRC_BM25+colBERT": -0.0866,
    "IRC_BM25+monoT5": -0.0731,
    "IRC_E5_base": -0.0273,
    "IRC_RRF(BM25+Bo1-XSqrA_M-PL2)": -0.0343,
    PIVOT: -0.1188,
}


def longeval(shared, measure):
    """Read the runs and both rounds' scores, of which some of the later one are NaN."""
    rounds = []
    for label in ("wt", "st"):
        file = shared / f"data/longeval2023/longeval2023irc_{label}_{measure}.csv"
        header, *rows = csv.reader(file.read_text().splitlines())
        rounds.append(np.array([[float(cell or "nan") for cell in row[1:]] for row in rows]))
    return header[1:], *rounds


def test_longeval(shared):
    for measure, expected in REPRO_EVAL.items():
        runs, earlier, later = longeval(shared, measure)
        pivot = runs.index(PIVOT)
        changes = change_measures(earlier, np.nan_to_num(later), pivot, trials=1000)
        by_run = dict(zip(runs, changes, strict=True))
        for run, values in expected.items():
            change = by_run[run]
            measures = (change.ri_from, change.ri_to, change.dri, change.er)
            assert measures == pytest.approx(values, rel=1e-9)
        if measure == "ndcg":
            assert {run: round(by_run[run].rd, 4) for run in runs} == RD
            unstable = {run: by_run[run].unstable for run in runs}
            assert [run for run, flag in unstable.items() if flag is False] == ["IRC_BM25+monoT5"]
            low, high = by_run["IRC_BM25+monoT5"].er_interval
            assert 0 < low < 0.4
            assert high > 2
    # The gain over the pivot was .0008: nothing to measure another by.
    change = by_run["IRC_RRF(BM25+Bo1-XSqrA_M-PL2)"]
    assert (round(change.er, 2), change.unstable, round(change.gain_from, 4)) == (
        -20.42,
        True,
        0.0008,
    )
    assert change.er_interval[1] - change.er_interval[0] > 40


def test_longeval_without_the_topics_of_missing_scores(shared):
    runs, earlier, later = longeval(shared, "ndcg")
    kept = later[~np.isnan(later).any(axis=1)]
    assert np.isnan(later).sum() == 16
    changes = change_measures(earlier, kept, runs.index(PIVOT), trials=1000)
    change = changes[runs.index("IRC_BM25+colBERT")]
    assert (round(change.rd, 4), round(change.er, 4)) == (-0.0916, 0.4405)


def test_a_denominator_of_zero_has_its_reason():
    earlier = np.array([[0.0, 0.5, 0.5, 0.1], [0.0, 0.1, 0.1, 0.2], [0.0, 0.3, 0.3, 0.7]])
    later = np.array([[0.1, 0.4, 0.5, 0.0], [0.2, 0.1, 0.3, 0.0]])
    zero, pivot, same, gone = change_measures(earlier, later, 1, trials=500)
    assert (zero.rd, zero.rd_interval, zero.reasons) == (None, None, {"rd": "mean_from_zero"})
    assert zero.er == pytest.approx((0.15 - 0.25) / (0 - 0.3))
    assert (pivot.er, pivot.unstable, pivot.reasons) == (None, None, {"er": "pivot"})
    assert (pivot.ri_from, pivot.dri) == (0, 0)
    assert (same.er, same.unstable, same.reasons) == (None, None, {"er": "no_gain"})
    assert (gone.rd, gone.ri_to) == (1.0, -1.0)
    of_zero, _, _, _ = change_measures(earlier, later, 0, trials=500)
    assert of_zero.reasons == {
        "rd": "mean_from_zero",
        "ri_from": "pivot_from_zero",
        "dri": "pivot_from_zero",
        "er": "pivot",
    }
    back = change_measures(later, earlier, 0, trials=500)[1]
    assert back.reasons == {"ri_to": "pivot_to_zero", "dri": "pivot_to_zero"}
    assert back.dri_interval is None


def test_means_below_zero_change_in_the_same_direction():
    generator = np.random.default_rng(0)
    earlier = generator.normal(-0.5, 0.05, (20, 3))
    later = earlier - [0.0, 0.1, -0.1]
    pivot, fell, rose = change_measures(earlier, later, 0, trials=200)
    assert (pivot.rd, pivot.dri) == (pytest.approx(0, abs=1e-12), 0)
    for change, sign in ((fell, 1), (rose, -1)):
        assert change.rd == pytest.approx(sign * 0.1 / abs(change.mean_from))
        assert change.dri == pytest.approx(sign * 0.1 / abs(pivot.mean_from))
        assert min(sign * limit for limit in change.dri_interval) > 0


def test_a_gain_that_was_lost_is_zero_without_a_sign():
    earlier = [[0.4, 0.5], [0.2, 0.3], [0.6, 0.8]]
    later = [[0.4, 0.4], [0.2, 0.2]]
    lost = change_measures(earlier, later, 1, trials=200)[0]
    assert lost.gain_from < 0
    assert [str(value) for value in (lost.er, *lost.er_interval)] == ["0.0", "0.0", "0.0"]


def test_intervals_are_those_of_a_plain_loop():
    rng = np.random.default_rng(3)
    earlier, later = rng.random((40, 3)), rng.random((25, 3)) * 0.8
    earlier[:, 1] += 0.4
    later[:, 1] += 0.3
    change = change_measures(earlier, later, 2, trials=20_000, level=0.8)[1]
    draws = []
    for _ in range(4000):
        one = earlier[rng.integers(40, size=40)].mean(axis=0)
        other = later[rng.integers(25, size=25)].mean(axis=0)
        draws.append(
            (
                1 - other[1] / one[1],
                one[1] / one[2] - other[1] / other[2],
                (other[1] - other[2]) / (one[1] - one[2]),
            )
        )
    expected = np.quantile(draws, [0.1, 0.9], axis=0).T
    intervals = np.array([change.rd_interval, change.dri_interval, change.er_interval])
    assert intervals == pytest.approx(expected, abs=0.03)


def test_a_limit_among_resamples_without_value_is_unknown():
    # The system differs from the pivot on one topic of four: 32% of the resamples miss it.
    earlier = np.array([[0.5, 0.5], [0.2, 0.2], [0.3, 0.3], [0.4, 0.6]])
    change = change_measures(earlier, earlier, 0, trials=500)[1]
    assert (change.er, change.er_interval) == (1.0, None)
    assert change.rd_interval is not None


@given(st.integers(0, 2**32 - 1))
def test_systems_and_topics_in_another_order(seed):
    rng = np.random.default_rng(seed)
    earlier, later = rng.random((8, 4)), rng.random((6, 4))
    changes = change_measures(earlier, later, 0, trials=100)
    # The same resamples serve all systems, so that their order does not matter.
    order = rng.permutation(4)
    pivot = int(np.flatnonzero(order == 0)[0])
    again = change_measures(earlier[:, order], later[:, order], pivot, trials=100)
    assert [change.er_interval for change in again] == [
        changes[system].er_interval and pytest.approx(changes[system].er_interval)
        for system in order
    ]
    shuffled = change_measures(earlier[rng.permutation(8)], later[rng.permutation(6)], 0)
    for one, other in zip(changes, shuffled, strict=True):
        assert (one.rd, one.dri) == pytest.approx((other.rd, other.dri))
        assert one.unstable == other.unstable


def test_the_same_by_systems_a_few_at_a_time(monkeypatch):
    rng = np.random.default_rng(0)
    earlier, later = rng.random((10, 5)), rng.random((12, 5))
    whole = change_measures(earlier, later, 2, trials=300)
    monkeypatch.setattr(module, "MOST_BYTES", 2 * 64 * 300)
    done = []
    parts = change_measures(
        earlier, later, 2, trials=300, progress=lambda *step: done.append(step), mapped=map
    )
    assert done[-1] == (1500, 1500)
    for one, other in zip(whole, parts, strict=True):
        assert one.rd_interval == pytest.approx(other.rd_interval)


@pytest.mark.parametrize(
    ("later", "options", "message"),
    [
        (np.ones((1, 2)), {}, "at least 2 topics"),
        (np.ones((3, 3)), {}, "the same systems in both, not 2 and 3"),
        (np.ones((3, 2)), {"pivot": 2}, "no pivot 2 among 2 systems"),
        (np.ones((3, 2)), {"level": 1}, "confidence level"),
        (np.ones((3, 2)), {"trials": 10}, "resamples from 40"),
        (np.full((3, 2), np.nan), {}, "finite score"),
    ],
)
def test_what_cannot_be_compared(later, options, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        change_measures(np.ones((2, 2)), later, **({"pivot": 0} | options))
