"""Variances over rounds: every number a second time, cell by cell; and what is read for them."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import pytest
from scipy import stats
from sqlalchemy import event, text

from service.database.engine import unit_of_work
from service.errors import AlreadyRecorded, Frozen, InputError, NotRecorded
from service.formats import ScoreMatrix, settle_missing
from service.logbook.events import list_events
from service.logbook.matrices.logging import log_matrix
from service.logbook.published import record_variance
from service.logbook.rounds import create_round, publish_round
from service.logbook.tasks import create_task
from service.logbook.variances import show_histories, show_variances

RNG = np.random.default_rng(8)
# (topics, runs), of sizes and spreads that differ, so that every weight shows.
ROUNDS = {
    "r1": 0.2 + 0.2 * RNG.random((12, 5)) + 0.3 * RNG.random((12, 1)),
    "r2": 0.3 * RNG.random((9, 7)) + 0.4 * RNG.random((9, 1)),
    "r3": 0.1 * RNG.random((15, 4)) + 0.6 * RNG.random((15, 1)),
}
SCALES = ("raw", "std-ab", "std-cdf")


def log(engine, label, scores, measure="AP", task="t", **options):
    scores = np.asarray(scores, dtype=float)
    matrix = ScoreMatrix(
        topics=tuple(f"t{j}" for j in range(scores.shape[0])),
        runs=tuple(f"run{i}" for i in range(scores.shape[1])),
        scores=scores,
        measure=None,
        layout="wide",
        files=("test",),
    )
    settled = settle_missing(matrix, "reject")
    options = {"create": True, "user": "tester", **options}
    return log_matrix(engine, task, label, measure, settled, **options)


def publish(engine, label, variance, runs=44, topics=100, measure="AP", task="t", **options):
    options = {"create": True, "user": "tester", "source": "a paper, Table 1", **options}
    return record_variance(
        engine, task, label, measure, variance=variance, runs=runs, topics=topics, **options
    )


@pytest.fixture
def logged(engine):
    for label, scores in ROUNDS.items():
        log(engine, label, scores)
    return engine


def on_scale(scores, scale):
    std = (scores - scores.mean(1)[:, None]) / scores.std(1, ddof=1)[:, None]
    return {
        "raw": scores,
        "std-ab": np.clip(0.15 * std + 0.5, 0, 1),
        "std-cdf": stats.norm.cdf(std),
    }[scale]


def one_way(scores):
    return float(np.mean([np.var(run, ddof=1) for run in scores.T]))


def two_way(scores):
    topics, runs = scores.shape
    total = 0.0
    for j in range(topics):
        for i in range(runs):
            expected = scores[:, i].mean() + scores[j].mean() - scores.mean()
            total += (scores[j, i] - expected) ** 2
    return total / ((topics - 1) * (runs - 1))


def plain_bootstrap(scores, resamples, seed):
    """Percentiles of V_E over resampled topics, a resample at a time."""
    topics = len(scores)
    drawn = np.random.default_rng(seed).integers(topics, size=(resamples, topics), dtype=np.uint16)
    found = [one_way(scores[rows]) for rows in drawn]
    return np.quantile(found, [0.025, 0.975])


def mover(variances, intervals, weights):
    """The interval of a weighted mean by variance estimates recovery, spelled out."""
    total = sum(weights)
    mean = sum(w * v for w, v in zip(weights, variances, strict=True)) / total
    below = above = 0.0
    for w, v, (low, high) in zip(weights, variances, intervals, strict=True):
        below += (w / total) ** 2 * (v - low) ** 2
        above += (w / total) ** 2 * (high - v) ** 2
    return mean, mean - math.sqrt(below), mean + math.sqrt(above)


@pytest.mark.parametrize("scale", SCALES)
def test_each_round_one_way_two_way_and_both_intervals(logged, scale):
    shown = show_variances(logged, "t", "AP", scale=scale)
    assert [row.round for row in shown.rounds] == list(ROUNDS)
    for row in shown.rounds:
        scores = on_scale(ROUNDS[row.round], scale)
        topics, runs = scores.shape
        assert (row.topics, row.runs, row.dof) == (topics, runs, runs * (topics - 1))
        assert row.variance == pytest.approx(one_way(scores), rel=1e-10)
        assert row.sum_of_squares == pytest.approx(row.dof * one_way(scores), rel=1e-10)
        assert row.two_way_variance == pytest.approx(two_way(scores), rel=1e-9)
        assert row.two_way_dof == (runs - 1) * (topics - 1)
        limits = row.dof * one_way(scores) / stats.chi2.ppf([0.975, 0.025], row.dof)
        assert row.chi_square.method == "chi-square"
        assert [row.chi_square.low, row.chi_square.high] == pytest.approx(limits, rel=1e-9)
        assert (row.interval.method, row.interval.level) == ("bootstrap", 0.95)
        limits = plain_bootstrap(scores, 1000, 0)
        assert [row.interval.low, row.interval.high] == pytest.approx(limits, rel=1e-9)
        assert (row.origin, row.source, row.revision) == ("matrix", None, 1)
        assert row.factor_version == (None if scale == "raw" else 1)


def test_the_intervals_are_stored_at_logging_with_seed_and_resamples(logged):
    with unit_of_work(logged) as connection:
        rows = connection.execute(
            text(
                "SELECT round.label, level, chi_square_low, chi_square_high, bootstrap_low,"
                " bootstrap_high, bootstrap_resamples, bootstrap_seed, two_way_sum_of_squares"
                " FROM roundbook.variance_estimate AS estimate"
                " JOIN roundbook.matrix ON matrix.id = matrix_id"
                " JOIN roundbook.round ON round.id = matrix.round_id WHERE scale = 'raw'"
            )
        ).all()
    shown = {row.round: row for row in show_variances(logged, "t", "AP").rounds}
    assert len(rows) == len(shown) == 3
    for row in rows:
        found = shown[row.label]
        assert (row.level, row.bootstrap_resamples, row.bootstrap_seed) == (0.95, 1000, 0)
        assert (row.bootstrap_low, row.bootstrap_high) == (found.interval.low, found.interval.high)
        assert row.chi_square_low == found.chi_square.low
        assert row.chi_square_high == found.chi_square.high
        assert row.two_way_sum_of_squares == found.two_way_variance * found.two_way_dof


def test_large_matrices_get_fewer_resamples_and_say_so(engine):
    log(engine, "big", RNG.random((2100, 480)))
    with unit_of_work(engine) as connection:
        resamples = connection.execute(
            text("SELECT DISTINCT bootstrap_resamples FROM roundbook.variance_estimate")
        ).scalars()
        assert list(resamples) == [200]


def test_an_interval_reaches_its_own_estimate(engine):
    # With two topics every resample is at most the estimate, so the percentiles may miss it.
    scores = RNG.random((2, 3))
    log(engine, "tiny", scores)
    (row,) = show_variances(engine, "t", "AP").rounds
    assert row.interval.low <= row.variance <= row.interval.high


@pytest.mark.parametrize("pool_by", ["dof", "topics"])
def test_pooled_by_dof_and_by_topics_with_the_combined_interval(logged, pool_by):
    shown = show_variances(logged, "t", "AP", pool_by=pool_by)
    pooled = shown.pooled
    sizes = [scores.shape for scores in ROUNDS.values()]
    weights = [n - 1 if pool_by == "topics" else m * (n - 1) for n, m in sizes]
    variances = [one_way(scores) for scores in ROUNDS.values()]
    intervals = [plain_bootstrap(scores, 1000, 0) for scores in ROUNDS.values()]
    mean, low, high = mover(variances, intervals, weights)
    assert (pooled.weights, pooled.rounds) == (pool_by, list(ROUNDS))
    assert pooled.dof == sum(m * (n - 1) for n, m in sizes)
    assert pooled.variance == pytest.approx(mean, rel=1e-10)
    assert pooled.interval.method == "combined"
    assert [pooled.interval.low, pooled.interval.high] == pytest.approx([low, high], rel=1e-9)
    assert pooled.max_min_ratio == pytest.approx(max(variances) / min(variances), rel=1e-10)


def test_a_single_round_is_pooled_into_itself(engine):
    log(engine, "only", ROUNDS["r1"])
    shown = show_variances(engine, "t", "AP")
    (row,), pooled = shown.rounds, shown.pooled
    assert (pooled.variance, pooled.dof) == (pytest.approx(row.variance), row.dof)
    assert pooled.interval.method == "bootstrap"
    assert [pooled.interval.low, pooled.interval.high] == pytest.approx(
        [row.interval.low, row.interval.high]
    )
    assert pooled.homogeneity.p_value is None
    assert "one variance only" in pooled.homogeneity.reason
    assert pooled.warning is None


def test_bartlett_against_scipy_on_raw_groups(engine):
    # Of a single run the dof are topics - 1, so scipy's groups are the scores themselves.
    groups = [RNG.normal(0.5, sd, size) for size, sd in ((20, 0.1), (35, 0.12), (28, 0.2))]
    for place, group in enumerate(groups):
        log(engine, f"r{place}", group[:, None])
    pooled = show_variances(engine, "t", "AP").pooled
    expected = stats.bartlett(*groups)
    assert pooled.homogeneity.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert pooled.homogeneity.p_value == pytest.approx(expected.pvalue, rel=1e-8)
    assert pooled.homogeneity.dof == 2
    assert pooled.homogeneity.reason is None


def naive_bartlett(variances, dofs):
    total, groups = sum(dofs), len(dofs)
    pooled = sum(v * d for v, d in zip(variances, dofs, strict=True)) / total
    top = total * math.log(pooled)
    top -= sum(d * math.log(v) for v, d in zip(variances, dofs, strict=True))
    correction = 1 + (sum(1 / d for d in dofs) - 1 / total) / (3 * (groups - 1))
    return top / correction, stats.chi2.sf(top / correction, groups - 1)


def test_bartlett_of_whole_rounds_uses_their_dof(logged):
    found = show_variances(logged, "t", "AP").pooled.homogeneity
    dofs = [m * (n - 1) for n, m in (scores.shape for scores in ROUNDS.values())]
    statistic, p = naive_bartlett([one_way(scores) for scores in ROUNDS.values()], dofs)
    assert (found.statistic, found.p_value) == pytest.approx((statistic, p), rel=1e-8)
    # Weighing by topics changes the mean, not the test.
    assert show_variances(logged, "t", "AP", pool_by="topics").pooled.homogeneity == found


def test_the_warning_where_rounds_disagree(engine):
    log(engine, "calm", ROUNDS["r1"])
    log(engine, "like it", ROUNDS["r1"] + 0.1)
    assert show_variances(engine, "t", "AP").pooled.warning is None
    log(engine, "wild", ROUNDS["r1"] * 3)
    pooled = show_variances(engine, "t", "AP").pooled
    assert pooled.homogeneity.p_value < 0.001
    assert pooled.warning.startswith(
        "The rounds disagree (Bartlett p < .001, largest over smallest 9.00): one pooled value"
    )
    assert "upper end of its interval" in pooled.warning


def test_a_round_of_variance_0_among_others(engine):
    log(engine, "good", ROUNDS["r1"])
    log(engine, "constant", np.full((4, 3), 0.25))
    log(engine, "calm", ROUNDS["r1"] * 2, measure="nDCG@10")
    log(engine, "wild", ROUNDS["r1"] * 8, measure="nDCG@10")
    shown = show_variances(engine, "t", "AP")
    constant = shown.rounds[1]
    assert (constant.variance, constant.interval, constant.chi_square) == (0.0, None, None)
    pooled = shown.pooled
    expected = one_way(ROUNDS["r1"]) * 55 / (55 + 9)
    assert pooled.variance == pytest.approx(expected)
    assert (pooled.interval, pooled.max_min_ratio) == (None, None)
    assert "does not exist where a variance is 0" in pooled.homogeneity.reason
    assert pooled.warning.startswith("The rounds disagree: the variance is 0 in constant and not")
    order = [each.measure for each in show_histories(engine, "t").histories]
    assert order == ["AP", "nDCG@10"]


def test_only_constant_rounds_know_nothing(engine):
    for label in ("a", "b"):
        log(engine, label, np.full((4, 3), 0.25))
    for scale in SCALES:
        pooled = show_variances(engine, "t", "AP", scale=scale).pooled
        assert (pooled.variance, pooled.interval, pooled.warning) == (0.0, None, None)
        assert "All variances are 0" in pooled.homogeneity.reason
        assert "NaN" not in pooled.model_dump_json()


def test_one_run_has_no_two_way_residual_and_no_standardised_scale(engine):
    log(engine, "r1", ROUNDS["r1"][:, :1])
    (row,) = show_variances(engine, "t", "AP").rounds
    assert (row.two_way_variance, row.two_way_dof) == (None, None)
    assert row.variance == pytest.approx(ROUNDS["r1"][:, 0].var(ddof=1))
    with pytest.raises(NotRecorded, match="no variance of AP on the scale std-ab"):
        show_variances(engine, "t", "AP", scale="std-ab")


def test_all_topics_tied_and_dropped_have_no_standardised_variance(engine):
    scores = np.repeat([[0.1], [0.4], [0.9]], 3, axis=1)
    assert log(engine, "tied", scores, zero_sd="drop").variances == {
        "raw": pytest.approx(scores[:, 0].var(ddof=1))
    }
    with pytest.raises(NotRecorded, match="std-cdf"):
        show_variances(engine, "t", "AP", scale="std-cdf")


def test_published_estimates_are_included_and_marked(logged):
    publish(logged, "old", 0.05, runs=44, topics=100)
    shown = show_variances(logged, "t", "AP")
    row = shown.rounds[-1]
    assert (row.round, row.origin, row.source) == ("old", "published", "a paper, Table 1")
    assert (row.runs, row.topics, row.dof, row.matrix) == (44, 100, 44 * 99, None)
    assert row.sum_of_squares == pytest.approx(0.05 * 44 * 99)
    assert (row.two_way_variance, row.two_way_dof, row.factor_version) == (None, None, None)
    limits = 0.05 * 44 * 99 / stats.chi2.ppf([0.975, 0.025], 44 * 99)
    assert row.interval == row.chi_square
    assert row.interval.method == "chi-square"
    assert [row.interval.low, row.interval.high] == pytest.approx(limits, rel=1e-9)
    variances = [one_way(scores) for scores in ROUNDS.values()] + [0.05]
    dofs = [m * (n - 1) for n, m in (scores.shape for scores in ROUNDS.values())] + [44 * 99]
    intervals = [plain_bootstrap(scores, 1000, 0) for scores in ROUNDS.values()] + [limits]
    mean, low, high = mover(variances, intervals, dofs)
    assert shown.pooled.rounds == [*ROUNDS, "old"]
    assert shown.pooled.variance == pytest.approx(mean, rel=1e-10)
    assert shown.pooled.interval.low == pytest.approx(low, rel=1e-9)
    assert shown.pooled.interval.high == pytest.approx(high, rel=1e-9)
    with pytest.raises(NotRecorded):
        show_variances(logged, "other", "AP")


def test_a_matrix_overrides_what_is_published_on_its_own_scale(engine):
    publish(engine, "r1", 0.5)
    publish(engine, "r1", 0.02, scale="std-ab")
    publish(engine, "r1", 0.6, revise="a misprint")
    (row,) = show_variances(engine, "t", "AP").rounds
    assert (row.origin, row.variance, row.revision) == ("published", 0.6, 2)
    log(engine, "r1", ROUNDS["r1"][:, :1])  # a single run: raw only
    (row,) = show_variances(engine, "t", "AP").rounds
    assert (row.origin, row.source) == ("matrix", None)
    (row,) = show_variances(engine, "t", "AP", scale="std-ab").rounds
    assert (row.origin, row.variance) == ("published", 0.02)
    log(engine, "r1", ROUNDS["r1"], revise="all runs")
    (row,) = show_variances(engine, "t", "AP", scale="std-ab").rounds
    assert (row.origin, row.revision, row.factor_version) == ("matrix", 2, 1)
    assert row.variance == pytest.approx(one_way(on_scale(ROUNDS["r1"], "std-ab")))


def test_a_published_round_takes_a_variance_only_with_a_reason(logged):
    publish_round(logged, "t", "r1", user="ann")
    before = show_variances(logged, "t", "AP", scale="std-ab").rounds
    with pytest.raises(Frozen, match=r"'r1' is published: .* only with a reason; add --revise"):
        publish(logged, "r1", 0.02, measure="nDCG@10")
    for no_reason in ("", "  "):
        with pytest.raises(InputError, match="given with --revise is empty"):
            publish(logged, "r1", 0.02, measure="nDCG@10", revise=no_reason)
    assert show_variances(logged, "t", "AP", scale="std-ab").rounds == before
    with pytest.raises(NotRecorded):
        show_variances(logged, "t", "nDCG@10")
    first = publish(logged, "r1", 0.02, measure="nDCG@10", revise="from the overview")
    assert (first.revision, first.status) == (1, "recorded")
    told = list_events(logged, what="variance recorded").events
    assert [each.why for each in told] == ["from the overview"]
    # The same again changes nothing, and so needs no reason; another value does, as everywhere.
    assert publish(logged, "r1", 0.02, measure="nDCG@10").status == "unchanged"
    with pytest.raises(AlreadyRecorded, match="--revise"):
        publish(logged, "r1", 0.03, measure="nDCG@10")
    assert publish(logged, "r1", 0.03, measure="nDCG@10", revise="erratum").revision == 2
    # A draft takes its first as it is.
    assert publish(logged, "r2", 0.02, measure="nDCG@10").status == "recorded"
    with pytest.raises(NotRecorded, match="leave out --revise"):
        publish(logged, "r3", 0.02, measure="nDCG@10", revise="why")


def test_no_published_variance_that_would_break_the_history(logged):
    for variance in (1e308, 1e101, 1e-101, 5e-324):
        with pytest.raises(InputError, match="within what scores can have"):
            publish(logged, "old", variance)
    publish(logged, "old", 1e100, runs=2**31 - 1, topics=2**31 - 1)
    shown = show_variances(logged, "t", "AP")
    assert math.isfinite(shown.pooled.variance)
    assert math.isfinite(shown.pooled.interval.high)


def test_several_assessments_are_not_mixed(engine):
    log(engine, "r1", ROUNDS["r1"], assessments="gold")
    log(engine, "r1", ROUNDS["r1"] * 2, assessments="bronze")
    with pytest.raises(InputError, match="bronze, gold"):
        show_variances(engine, "t", "AP")
    found = show_histories(engine, "t").histories
    assert [(each.assessments, len(each.rounds)) for each in found] == [("bronze", 1), ("gold", 1)]
    assert found[0].pooled.variance == pytest.approx(4 * found[1].pooled.variance)
    (only,) = show_histories(engine, "t", assessments="gold").histories
    assert only.assessments == "gold"
    with pytest.raises(NotRecorded):
        show_histories(engine, "t", assessments="silver")


def test_measures_with_other_parameters_are_not_pooled(engine):
    names = ["nDCG@10", "nDCG@20", "nDCG(gains=exp)@10", "nDCG(gains=exp;log=2)@10"]
    for name in names:
        log(engine, "r1", ROUNDS["r1"], name)
    found = show_histories(engine, "t").histories
    assert len(found) == len(names)
    assert all(each.pooled.rounds == ["r1"] for each in found)
    assert [len(show_variances(engine, "t", name).rounds) for name in names] == [1] * 4


@pytest.fixture
def dated(engine):
    """Rounds a (2019), b (2020) and c (without a date); AP calm, P@5 wild, RR in b only."""
    create_task(engine, "t")
    create_round(engine, "t", "a", held=date(2019, 5, 1))
    create_round(engine, "t", "b", held=date(2020, 5, 1))
    for place, label in enumerate("abc"):
        log(engine, label, ROUNDS["r1"] * (1 + 0.1 * place))
        log(engine, label, ROUNDS["r1"] * (1 + place), "P@5")
    log(engine, "b", ROUNDS["r2"], "RR")
    return engine


def test_history_puts_the_least_stable_measure_first(dated):
    found = show_histories(dated, "t")
    assert [each.measure for each in found.histories] == ["P@5", "AP", "RR"]
    assert found.histories[0].pooled.max_min_ratio == pytest.approx(9)
    assert found.histories[1].pooled.max_min_ratio == pytest.approx(1.2**2)
    assert (found.since, found.undated, found.scale) == (None, [], "raw")
    for each in found.histories[:2]:
        assert [row.round for row in each.rounds] == ["a", "b", "c"]
        assert each == show_variances(dated, "t", each.measure)


def shown_rounds(found):
    return {each.measure: [row.round for row in each.rounds] for each in found.histories}


def test_history_filters(dated):
    assert shown_rounds(show_histories(dated, "t", measures=["rr", "AP"])) == {
        "AP": ["a", "b", "c"],
        "RR": ["b"],
    }
    assert shown_rounds(show_histories(dated, "t", rounds=["a", "c"])) == {
        "AP": ["a", "c"],
        "P@5": ["a", "c"],
    }
    since = show_histories(dated, "t", since=date(2020, 5, 1))
    assert shown_rounds(since) == {"AP": ["b"], "P@5": ["b"], "RR": ["b"]}
    assert (since.since, since.undated) == (date(2020, 5, 1), ["c"])
    both = show_histories(dated, "t", since=date(2019, 5, 1), rounds=["a"], measures=["P@5"])
    assert (shown_rounds(both), both.undated) == ({"P@5": ["a"]}, [])
    assert both.histories[0].pooled.rounds == ["a"]
    scaled = show_histories(dated, "t", scale="std-ab", pool_by="topics")
    assert {each.pooled.weights for each in scaled.histories} == {"topics"}
    assert {each.scale for each in scaled.histories} == {"std-ab"}


@pytest.mark.parametrize(
    ("filters", "says"),
    [
        ({"measures": ["nDCG@10"]}, "nDCG@10"),
        ({"rounds": ["z"]}, "z"),
        ({"since": date(2030, 1, 1)}, "rounds without a date: c"),
        ({"measures": ["RR"], "rounds": ["a"]}, "in the rounds asked for"),
    ],
)
def test_history_says_when_nothing_is_left(dated, filters, says):
    with pytest.raises(NotRecorded, match=says):
        show_histories(dated, "t", **filters)


def test_a_revision_and_a_later_factor_version_take_over(engine):
    log(engine, "r1", ROUNDS["r1"])
    log(engine, "r1", ROUNDS["r2"], revise="other qrels")
    (row,) = show_variances(engine, "t", "AP", scale="std-cdf").rounds
    assert (row.revision, row.factor_version) == (2, 2)
    assert row.variance == pytest.approx(one_way(on_scale(ROUNDS["r2"], "std-cdf")))


def statements(engine, call):
    seen = []

    def note(_, __, statement, *rest):
        seen.append(statement)

    event.listen(engine, "after_cursor_execute", note)
    try:
        call()
    finally:
        event.remove(engine, "after_cursor_execute", note)
    return seen


def test_one_query_whatever_the_number_of_rounds(engine):
    log(engine, "r0", ROUNDS["r1"])
    few = statements(engine, lambda: show_histories(engine, "t"))
    for place in range(1, 9):
        log(engine, f"r{place}", ROUNDS["r1"] + place)
        publish(engine, f"p{place}", 0.1)
    many = statements(engine, lambda: show_histories(engine, "t"))
    assert len(many) == len(few)
    assert sum("variance_estimate" in each for each in many) == 1
    assert len(show_histories(engine, "t").histories[0].rounds) == 17


def scans(connection):
    rows = connection.execute(
        text(
            "SELECT relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0),"
            " coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)"
            " FROM pg_stat_xact_user_tables WHERE schemaname = 'roundbook'"
        )
    )
    return {name: (scanned, read) for name, scanned, read in rows}


def test_no_score_is_read(logged, monkeypatch):
    from contextlib import contextmanager

    from service.logbook import variances

    touched = []

    @contextmanager
    def watched(engine):
        with unit_of_work(engine) as connection:
            before = scans(connection)
            yield connection
            after = scans(connection)
            touched.append({name for name in after if after[name] != before.get(name, (0, 0))})

    monkeypatch.setattr(variances, "unit_of_work", watched)
    for label in ROUNDS:  # as many rows to count as there would be
        publish(logged, f"published {label}", 0.1)
    show_variances(logged, "t", "AP")
    show_histories(logged, "t", scale="std-ab")
    assert len(touched) == 2
    for tables in touched:
        assert "variance_estimate" in tables
        assert not tables & {"score_vector", "matrix_topic", "factor", "factor_set_run", "run"}
    said = statements(logged, lambda: show_histories(logged, "t"))
    assert not any("score" in each for each in said)


def test_real_rounds_disagree_and_the_warning_says_so(engine, shared):
    found = {}
    for number in (1, 2, 3):
        path = shared / f"data/treccovid/treccovid_round{number}_ndcg10.csv"
        found[f"round{number}"] = np.genfromtxt(path, delimiter=",", skip_header=1)[:, 1:]
        log(engine, f"round{number}", found[f"round{number}"], "nDCG@10")
    shown = show_variances(engine, "t", "nDCG@10")
    assert [round(row.variance, 5) for row in shown.rounds] == [0.05311, 0.07138, 0.07161]
    for row in shown.rounds:
        assert row.two_way_variance == pytest.approx(two_way(found[row.round]), rel=1e-9)
    dofs = [m * (n - 1) for n, m in (scores.shape for scores in found.values())]
    statistic, p = naive_bartlett([one_way(scores) for scores in found.values()], dofs)
    assert shown.pooled.homogeneity.statistic == pytest.approx(statistic, rel=1e-8)
    assert shown.pooled.homogeneity.p_value == pytest.approx(p, rel=1e-6)
    assert shown.pooled.warning is not None
