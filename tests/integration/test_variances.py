"""Variances over rounds: every number a second time, by brute force; and what is read for them."""

from __future__ import annotations

import math
from datetime import date

import numpy as np
import pytest
from scipy import stats
from sqlalchemy import event, text
from tests.factories import (
    create_round,
    create_task,
    fit_factor_set,
    list_events,
    log_matrix,
    plan_task,
    publish_round,
    record_variance,
    save_plan,
    set_round,
    show_histories,
    show_impact,
    show_plan,
    show_variances,
)

from roundbook.database.engine import unit_of_work
from roundbook.errors import AlreadyRecordedError, InputError, NotRecordedError, RoundPublishedError
from roundbook.formats import RunTeam, ScoreMatrix, settle_missing
from roundbook.logbook.plans.design import Design

RNG = np.random.default_rng(8)
# (topics, runs), of sizes and spreads that differ, so that every weight shows.
ROUNDS = {
    "r1": 0.2 + 0.2 * RNG.random((12, 5)) + 0.3 * RNG.random((12, 1)),
    "r2": 0.3 * RNG.random((9, 7)) + 0.4 * RNG.random((9, 1)),
    "r3": 0.1 * RNG.random((15, 4)) + 0.6 * RNG.random((15, 1)),
}
SCALES = ("raw", "std-ab", "std-cdf")


TEAMS = {
    "r1": ["A", "a", "B", "C", "D"],
    "r2": ["A", "B", "B", None, "C", "D", None],
    "r3": ["A", "B", "C", "D"],
}


def log(engine, label, scores, measure="AP", task="t", topics=None, teams=None, **options):
    scores = np.asarray(scores, dtype=float)
    matrix = ScoreMatrix(
        topics=tuple(topics or (f"t{j}" for j in range(scores.shape[0]))),
        runs=tuple(f"run{i}" for i in range(scores.shape[1])),
        scores=scores,
        measure=None,
        layout="wide",
        files=("test",),
    )
    settled = settle_missing(matrix, "reject")
    if teams is not None:
        options["teams"] = team_file(teams)
    options = {"create": True, "user": "tester", **options}
    return log_matrix(engine, task, label, measure, settled, **options)


def team_file(teams):
    return {
        f"run{place}": RunTeam(f"run{place}", team, None, None, None)
        for place, team in enumerate(teams)
        if team is not None
    }


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


VARIANCES = {"one_way": one_way, "two_way": two_way}


def cluster_codes(scores, teams):
    """Number the cluster of each run: its team in any case, else itself."""
    names = [
        f"run {place}" if team is None else team.casefold()
        for place, team in enumerate(teams or [None] * scores.shape[1])
    ]
    return np.array([sorted(set(names)).index(name) for name in names])


def influences(scores, variance):
    """Influence of each topic on ln V, by leaving it out."""
    topics = len(scores)
    logs = [math.log(variance(np.delete(scores, topic, axis=0))) for topic in range(topics)]
    return (np.mean(logs) - logs) * math.sqrt((topics - 1) / topics)


def runs_part(scores, teams, kind):
    """Variance of ln V from which clusters took part, by leaving each out."""
    topics = len(scores)
    codes = cluster_codes(scores, teams)
    count = codes.max() + 1
    logs = [math.log(VARIANCES[kind](scores[:, codes != code])) for code in range(count)]
    of_clusters = (count - 1) / count * np.sum((logs - np.mean(logs)) ** 2)
    residuals = scores - scores.mean(axis=0)
    if kind == "two_way":
        residuals = residuals - residuals.mean(axis=1)[:, None]
    total = np.sum(residuals**2)
    in_topics = 0.0
    for code in range(count):
        own = codes == code
        u = np.sum(residuals[:, own] ** 2, axis=1) / total
        u = u - own.mean() * np.sum(residuals**2, axis=1) / total
        in_topics += np.sum((u - u.mean()) ** 2)
    return max(0.0, of_clusters - in_topics * topics * count / ((topics - 1) * (count - 1)))


def limit(variance, spread, topics, probability):
    t = stats.t.ppf(probability, (topics - 1) / 2)
    pivot = 1 - spread / 9 - t * math.sqrt(spread) / 3
    return variance * pivot**-3 if pivot > 0.1 else None


def limits(variance, spread, topics):
    return [limit(variance, spread, topics, share) for share in (0.025, 0.975)]


def interval_of(scores, teams, kind):
    spread = np.sum(influences(scores, VARIANCES[kind]) ** 2) + runs_part(scores, teams, kind)
    return limits(VARIANCES[kind](scores), spread, len(scores))


class Joint:
    """Rounds pooled by brute force: `rounds` are (scores, names of topics, teams) by round."""

    def __init__(self, rounds, kind="one_way", weights="dof"):
        self.kind, self.count = kind, len(rounds)
        self.sizes = np.array([len(scores) for scores, _, _ in rounds])
        names = sorted({name for _, topics, _ in rounds for name in topics})
        self.topics = len(names)
        self.variances = np.array([VARIANCES[kind](scores) for scores, _, _ in rounds])
        self.parts = np.array([runs_part(scores, teams, kind) for scores, _, teams in rounds])
        self.influences = np.zeros((self.count, self.topics))
        for place, (scores, topics, _) in enumerate(rounds):
            where = [names.index(name) for name in topics]
            self.influences[place, where] = influences(scores, VARIANCES[kind])
        one_less = kind == "two_way"
        runs = np.array([scores.shape[1] for scores, _, _ in rounds])
        self.dofs = (runs - one_less) * (self.sizes - 1)
        shares = self.dofs if weights == "dof" else self.sizes - 1
        self.variance = np.sum(shares * self.variances) / np.sum(shares)
        self.shares = shares * self.variances / np.sum(shares * self.variances)
        of_topics = np.sum((self.shares @ self.influences) ** 2)
        self.spread = of_topics + np.sum(self.shares**2 * self.parts)

    def interval(self):
        return limits(self.variance, self.spread, self.topics)

    def constant(self):
        own = np.sum(self.influences**2, axis=1)
        return np.sum(self.sizes**2 * own) / np.sum(self.sizes)

    def test(self):
        """F, its degrees of freedom and p."""
        own = np.sum(self.influences**2, axis=1)
        scaled = self.influences * np.sqrt(self.constant() / self.sizes / own)[:, None]
        covariance = scaled @ scaled.T + np.diag(self.parts)
        contrast = np.hstack([-np.ones((self.count - 1, 1)), np.eye(self.count - 1)])
        difference = contrast @ np.log(self.variances)
        wald = difference @ np.linalg.solve(contrast @ covariance @ contrast.T, difference)
        nu = (self.topics - 1) / 2
        dof1, dof2 = self.count - 1, nu - self.count + 2
        f = wald / dof1 * dof2 / nu
        return f, dof1, dof2, stats.f.sf(f, dof1, dof2)

    def tau2(self):
        logs = np.log(self.variances)
        covariance = self.influences @ self.influences.T + np.diag(self.parts)
        centring = np.eye(self.count) - 1 / self.count
        raw = np.sum((logs - logs.mean()) ** 2) - np.trace(centring @ covariance)
        raw = max(0.0, raw / (self.count - 1)) if self.count > 1 else 0.0
        return (3 * 0.016 + (self.count - 1) * raw) / (3 + self.count - 1)

    def next_round(self):
        spread = self.spread + self.tau2() * (1 + np.sum(self.shares**2))
        return [
            limit(self.variance, spread, self.topics, share) for share in (0.8, 0.95, 0.025, 0.975)
        ]


def joint(labels=ROUNDS, scale="raw", kind="one_way", weights="dof", teams=None):
    """Pool rounds as :func:`log` logs them: equal names of topics are equal topics."""
    rounds = []
    for label in labels:
        scores = on_scale(ROUNDS[label], scale)
        rounds.append((scores, [f"t{j}" for j in range(len(scores))], (teams or {}).get(label)))
    return Joint(rounds, kind, weights)


def check_pooled(pooled, expected, prefix=""):
    """Compare all that is said of a pooled variance with the same by brute force."""
    interval = getattr(pooled, f"{prefix}interval")
    test = getattr(pooled, f"{prefix}homogeneity")
    following = getattr(pooled, f"{prefix}next_round")
    assert getattr(pooled, f"{prefix}variance") == pytest.approx(expected.variance, rel=1e-10)
    assert getattr(pooled, f"{prefix}dof") == expected.dofs.sum()
    assert (interval.method, interval.of, interval.level) == ("jackknife", "systems", 0.95)
    assert [interval.low, interval.high] == pytest.approx(expected.interval(), rel=1e-9)
    assert following.tau2 == pytest.approx(expected.tau2(), rel=1e-9)
    found = [following.u80, following.u95, following.low, following.high]
    assert found == pytest.approx(expected.next_round(), rel=1e-9)
    if expected.count > 1:
        assert (test.method, test.reason) == ("wald-f", None)
        found = [test.statistic, test.dof, test.dof_residual, test.p_value]
        assert found == pytest.approx(expected.test(), rel=1e-7)


@pytest.mark.parametrize("teams", [{}, TEAMS], ids=["runs", "teams"])
@pytest.mark.parametrize("scale", SCALES)
def test_each_round_with_both_variances_and_their_intervals(engine, scale, teams):
    for label, scores in ROUNDS.items():
        log(engine, label, scores, teams=teams.get(label))
    shown = show_variances(engine, "t", "AP", scale=scale)
    assert [row.round for row in shown.rounds] == list(ROUNDS)
    for row in shown.rounds:
        scores, known = on_scale(ROUNDS[row.round], scale), teams.get(row.round)
        topics, runs = scores.shape
        assert (row.topics, row.runs, row.dof) == (topics, runs, runs * (topics - 1))
        assert row.clusters == len(set(cluster_codes(scores, known)))
        assert row.variance == pytest.approx(one_way(scores), rel=1e-10)
        assert row.sum_of_squares == pytest.approx(row.dof * one_way(scores), rel=1e-10)
        assert row.two_way_variance == pytest.approx(two_way(scores), rel=1e-9)
        assert row.two_way_dof == (runs - 1) * (topics - 1)
        for kind, interval in (("one_way", row.interval), ("two_way", row.two_way_interval)):
            expected = interval_of(scores, known, kind)
            assert (interval.method, interval.of, interval.level) == ("jackknife", "systems", 0.95)
            assert [interval.low, interval.high] == pytest.approx(expected, rel=1e-8)
            assert (interval.few_topics, interval.source) == (True, None)
        assert (row.interval_reason, row.two_way_interval_reason) == (None, None)
        assert (row.origin, row.source, row.revision) == ("matrix", None, 1)
        assert row.estimate_version == 1
        assert row.factor_version == (None if scale == "raw" else 1)


ESTIMATES = """
SELECT round.label, estimate.*,
       ARRAY(SELECT name FROM unnest(topic_ids) WITH ORDINALITY AS listed (topic, place)
             JOIN roundbook.topic ON topic.id = listed.topic ORDER BY place) AS names
FROM roundbook.variance_estimate AS estimate
JOIN roundbook.matrix ON matrix.id = matrix_id
JOIN roundbook.round ON round.id = matrix.round_id
ORDER BY estimate.id
"""


def stored_estimates(engine, scale="raw"):
    with unit_of_work(engine) as connection:
        return [row for row in connection.execute(text(ESTIMATES)) if row.scale == scale]


@pytest.mark.parametrize("scale", SCALES)
def test_what_intervals_need_is_stored_at_logging(engine, scale):
    for label, scores in ROUNDS.items():
        log(engine, label, scores, teams=TEAMS[label])
    rows = stored_estimates(engine, scale)
    assert [row.label for row in rows] == list(ROUNDS)
    for row in rows:
        scores = on_scale(ROUNDS[row.label], scale)
        centred = scores - scores.mean(axis=0)
        residuals = centred - centred.mean(axis=1)[:, None]
        assert list(row.names) == [f"t{j}" for j in range(len(scores))]
        assert row.topic_squares == pytest.approx(np.sum(centred**2, axis=1), rel=1e-9)
        assert row.two_way_topic_squares == pytest.approx(np.sum(residuals**2, axis=1), rel=1e-9)
        assert row.sum_of_squares == pytest.approx(np.sum(centred**2), rel=1e-10)
        for kind, part in (("one_way", row.runs_part), ("two_way", row.two_way_runs_part)):
            expected = runs_part(scores, TEAMS[row.label], kind)
            assert part == pytest.approx(expected, rel=1e-7, abs=1e-12)
        assert (row.version, row.clusters) == (1, len(set(cluster_codes(scores, TEAMS[row.label]))))
        assert (row.level, row.chi_square_low, row.bootstrap_low, row.bootstrap_seed) == (None,) * 4


def test_topics_without_spread_that_are_dropped_have_no_influence(engine):
    scores = ROUNDS["r1"].copy()
    scores[3] = 0.25
    log(engine, "r1", scores, zero_sd="drop")
    kept = np.delete(scores, 3, axis=0)
    (row,) = stored_estimates(engine, "std-ab")
    assert list(row.names) == [f"t{j}" for j in range(12) if j != 3]
    (shown,) = show_variances(engine, "t", "AP", scale="std-ab").rounds
    expected = interval_of(on_scale(kept, "std-ab"), None, "one_way")
    assert [shown.interval.low, shown.interval.high] == pytest.approx(expected, rel=1e-8)
    assert len(stored_estimates(engine)[0].topic_ids) == 12


def test_runs_of_unknown_team_each_count_alone(engine):
    log(engine, "unknown", ROUNDS["r1"])
    log(engine, "alone", ROUNDS["r1"], teams=list("ABCDE"))
    log(engine, "some", ROUNDS["r1"], teams=[None, "A", None, "A", None])
    unknown, alone, some = show_variances(engine, "t", "AP").rounds
    assert (unknown.clusters, alone.clusters, some.clusters) == (5, 5, 4)
    assert unknown.interval == alone.interval
    expected = interval_of(ROUNDS["r1"], ["p", "A", "q", "A", "r"], "one_way")
    assert [some.interval.low, some.interval.high] == pytest.approx(expected, rel=1e-9)


# why there is no interval, or none of some kind


def test_a_single_run_or_team_gives_an_interval_of_these_runs(engine):
    log(engine, "a run", ROUNDS["r1"][:, :1])
    log(engine, "a team", ROUNDS["r1"], teams=["A"] * 5)
    log(engine, "two teams", ROUNDS["r1"], teams=list("AABBB"))
    shown = show_variances(engine, "t", "AP")
    for row in shown.rounds[:2]:
        scores = ROUNDS["r1"][:, : row.runs]
        spread = np.sum(influences(scores, one_way) ** 2)
        assert row.interval.of == "these runs"
        expected = limits(one_way(scores), spread, 12)
        assert [row.interval.low, row.interval.high] == pytest.approx(expected, rel=1e-9)
    assert shown.rounds[0].two_way_interval is None
    assert shown.rounds[1].two_way_interval.of == "these runs"
    assert shown.rounds[2].interval.of == shown.rounds[2].two_way_interval.of == "systems"
    # Where one round's runs part is unknown, that of all is left out.
    assert (shown.pooled.interval.of, shown.pooled.two_way_interval.of) == ("these runs",) * 2


def test_reasons_where_there_is_no_interval(engine):
    one = np.full((8, 3), 0.25)
    one[2] = [0.5, 0.75, 0.625]
    log(engine, "two topics", RNG.random((2, 3)))
    log(engine, "constant", np.full((8, 3), 0.25))
    log(engine, "one topic", one)
    log(engine, "two-way zero", np.linspace(0, 1, 9)[:, None] + np.array([0.0, 0.25, 0.5]))
    log(engine, "three topics", ROUNDS["r1"][:3])
    found = {row.round: row for row in show_variances(engine, "t", "AP").rounds}
    assert {label: (row.interval, row.interval_reason) for label, row in found.items()} == {
        "two topics": (None, "fewer_than_3_topics"),
        "constant": (None, "no_variance"),
        "one topic": (None, "one_topic"),
        "two-way zero": (found["two-way zero"].interval, None),
        "three topics": (found["three topics"].interval, "unbounded"),
    }
    three = found["three topics"]
    assert 0 < three.interval.low < three.variance
    assert three.interval.high is None
    assert found["one topic"].two_way_interval_reason == "one_topic"
    zero = found["two-way zero"]
    assert (zero.two_way_variance, zero.two_way_interval) == (pytest.approx(0, abs=1e-30), None)


def test_no_upper_limit_is_said_for_pooled_and_next_round_too(engine):
    log(engine, "r1", ROUNDS["r1"][:3])
    shown = show_variances(engine, "t", "AP")
    assert (shown.pooled.interval.high, shown.pooled.interval_reason) == (None, "unbounded")
    assert shown.pooled.next_round.u95 is None
    assert shown.pooled.next_round.high is None


@pytest.mark.parametrize(("topics", "few"), [(24, True), (25, False)])
def test_few_topics_are_marked(engine, topics, few):
    log(engine, "r1", RNG.random((topics, 6)))
    (row,) = show_variances(engine, "t", "AP").rounds
    assert (row.interval.few_topics, row.two_way_interval.few_topics) == (few, few)


# pooled


@pytest.mark.parametrize("teams", [{}, TEAMS], ids=["runs", "teams"])
@pytest.mark.parametrize("pool_by", ["dof", "topics"])
@pytest.mark.parametrize("scale", SCALES)
def test_pooled_over_rounds_that_share_topics(engine, scale, pool_by, teams):
    for label, scores in ROUNDS.items():
        log(engine, label, scores, teams=teams.get(label))
    pooled = show_variances(engine, "t", "AP", scale=scale, pool_by=pool_by).pooled
    assert (pooled.weights, pooled.rounds, pooled.topics) == (pool_by, list(ROUNDS), 15)
    assert pooled.two_way_rounds == list(ROUNDS)
    check_pooled(pooled, joint(scale=scale, weights=pool_by, teams=teams))
    check_pooled(
        pooled, joint(scale=scale, kind="two_way", weights=pool_by, teams=teams), "two_way_"
    )
    variances = [one_way(on_scale(scores, scale)) for scores in ROUNDS.values()]
    assert pooled.max_min_ratio == pytest.approx(max(variances) / min(variances), rel=1e-10)


def test_weighing_changes_the_mean_and_not_the_test(logged):
    by_dof, by_topics = (
        show_variances(logged, "t", "AP", pool_by=by).pooled for by in ("dof", "topics")
    )
    assert by_dof.variance != by_topics.variance
    assert by_dof.homogeneity == by_topics.homogeneity


def test_pooled_over_rounds_that_share_some_topics_or_none(engine):
    named = {
        "r1": [f"t{j}" for j in range(12)],
        "r2": [f"t{j}" for j in range(8, 17)],
        "r3": [f"u{j}" for j in range(15)],
    }
    for label, topics in named.items():
        log(engine, label, ROUNDS[label], topics=topics)
    pooled = show_variances(engine, "t", "AP").pooled
    assert pooled.topics == 12 + 5 + 15
    rounds = [(ROUNDS[label], topics, None) for label, topics in named.items()]
    check_pooled(pooled, Joint(rounds))
    check_pooled(pooled, Joint(rounds, "two_way"), "two_way_")
    (pair,) = show_histories(engine, "t", rounds=["r1", "r3"]).histories
    assert pair.pooled.topics == 12 + 15
    check_pooled(pair.pooled, Joint([rounds[0], rounds[2]]))


def topics_pooled(engine, collections):
    for label, collection in collections.items():
        if collection is not None:
            set_round(engine, "t", label, collection=collection)
    return show_variances(engine, "t", "AP").pooled


@pytest.mark.parametrize(
    ("collections", "spans"),
    [
        ({}, [{"r1", "r2", "r3"}]),
        ({"r1": "news", "r2": "NEWS", "r3": "news"}, [{"r1", "r2", "r3"}]),
        ({"r1": "news", "r2": "news", "r3": "web"}, [{"r1", "r2"}, {"r3"}]),
        ({"r1": "news", "r2": "web", "r3": "books"}, [{"r1"}, {"r2"}, {"r3"}]),
        # Not declared: of the only collection that is, else of one of their own.
        ({"r2": "news"}, [{"r1", "r2", "r3"}]),
        ({"r1": "news", "r3": "web"}, [{"r1"}, {"r2"}, {"r3"}]),
    ],
)
def test_a_topic_id_on_another_collection_is_another_topic(logged, collections, spans):
    pooled = topics_pooled(logged, collections)
    rounds = []
    for label, scores in ROUNDS.items():
        (span,) = [place for place, span in enumerate(spans) if label in span]
        rounds.append((scores, [f"{span} t{j}" for j in range(len(scores))], None))
    expected = Joint(rounds)
    assert pooled.topics == expected.topics
    check_pooled(pooled, expected)


def test_a_topic_id_in_another_task_is_another_topic(engine):
    log(engine, "r1", ROUNDS["r1"])
    log(engine, "r1", ROUNDS["r1"], task="other")
    names = {row.topic_ids[0] for row in stored_estimates(engine)}
    assert len(names) == 2


def test_a_single_round_is_pooled_into_itself(engine):
    log(engine, "only", ROUNDS["r1"])
    shown = show_variances(engine, "t", "AP")
    (row,), pooled = shown.rounds, shown.pooled
    assert (pooled.variance, pooled.dof) == (pytest.approx(row.variance), row.dof)
    assert pooled.interval.method == "jackknife"
    assert [pooled.interval.low, pooled.interval.high] == pytest.approx(
        [row.interval.low, row.interval.high]
    )
    check_pooled(pooled, joint(["r1"]))
    assert pooled.next_round.tau2 == 0.016
    assert pooled.homogeneity.p_value is None
    assert (pooled.homogeneity.reason, pooled.warning) == ("one_round", None)


def test_too_few_topics_for_so_many_rounds_have_no_test(engine):
    for place in range(4):
        log(engine, f"r{place}", ROUNDS["r2"][:6] * (1 + place) + 0.1 * RNG.random((6, 7)))
    pooled = show_variances(engine, "t", "AP").pooled
    assert (pooled.topics, pooled.homogeneity.p_value) == (6, None)
    assert (pooled.homogeneity.reason, pooled.warning) == ("too_few_topics", None)
    assert pooled.interval is not None


def test_rounds_of_the_same_scores_have_no_test(engine):
    log(engine, "r1", ROUNDS["r1"][:, :1])
    log(engine, "r2", ROUNDS["r1"][:, :1])
    pooled = show_variances(engine, "t", "AP").pooled
    assert (pooled.homogeneity.p_value, pooled.homogeneity.reason) == (None, "not_separable")


def test_the_warning_where_rounds_disagree(engine):
    names = {"calm": "c", "like it": "l", "wild": "w"}

    def add(label, scores):
        log(engine, label, scores, topics=[f"{names[label]}{j}" for j in range(len(scores))])
        return show_variances(engine, "t", "AP").pooled

    calm = RNG.random((40, 6))
    add("calm", calm)
    assert add("like it", RNG.random((40, 6))).warning is None
    pooled = add("wild", RNG.random((40, 6)) * 3)
    assert pooled.homogeneity.p_value < 0.001
    assert pooled.warning.startswith(
        "The rounds disagree (Wald F test, p < .001; largest over smallest"
    )
    assert "Plan with the next round's planning variance" in pooled.warning
    # They differ so much that the next round may lie anywhere between, and beyond.
    assert pooled.next_round.tau2 > 0.3


def test_a_round_of_variance_0_among_others(engine):
    log(engine, "good", ROUNDS["r1"])
    log(engine, "constant", np.full((4, 3), 0.25))
    log(engine, "calm", ROUNDS["r1"] * 2, measure="nDCG@10")
    log(engine, "wild", ROUNDS["r1"] * 8, measure="nDCG@10")
    shown = show_variances(engine, "t", "AP")
    constant = shown.rounds[1]
    assert (constant.variance, constant.interval) == (0.0, None)
    assert (constant.interval_reason, constant.two_way_interval) == ("no_variance", None)
    pooled = shown.pooled
    expected = one_way(ROUNDS["r1"]) * 55 / (55 + 9)
    assert pooled.variance == pytest.approx(expected)
    assert (pooled.interval, pooled.interval_reason) == (None, "no_variance")
    assert (pooled.max_min_ratio, pooled.next_round.u80) == (None, None)
    assert (pooled.homogeneity.p_value, pooled.homogeneity.reason) == (None, "no_variance")
    assert pooled.warning.startswith("The rounds disagree: the variance is 0 in constant and not")
    order = [each.measure for each in show_histories(engine, "t").histories]
    assert order == ["AP", "nDCG@10"]


def test_only_constant_rounds_know_nothing(engine):
    for label in ("a", "b"):
        log(engine, label, np.full((4, 3), 0.25))
    for scale in SCALES:
        pooled = show_variances(engine, "t", "AP", scale=scale).pooled
        assert (pooled.variance, pooled.interval, pooled.warning) == (0.0, None, None)
        assert pooled.homogeneity.reason == "no_variance"
        assert "NaN" not in pooled.model_dump_json()


def test_one_run_has_no_two_way_residual_and_no_standardised_scale(engine):
    log(engine, "r1", ROUNDS["r1"][:, :1])
    (row,) = show_variances(engine, "t", "AP").rounds
    assert (row.two_way_variance, row.two_way_dof) == (None, None)
    assert row.variance == pytest.approx(ROUNDS["r1"][:, 0].var(ddof=1))
    with pytest.raises(NotRecordedError, match="no variance of AP on the scale std-ab"):
        show_variances(engine, "t", "AP", scale="std-ab")


def test_all_topics_tied_and_dropped_have_no_standardised_variance(engine):
    scores = np.repeat([[0.1], [0.4], [0.9]], 3, axis=1)
    assert log(engine, "tied", scores, zero_sd="drop").variances == {
        "raw": pytest.approx(scores[:, 0].var(ddof=1))
    }
    with pytest.raises(NotRecordedError, match="std-cdf"):
        show_variances(engine, "t", "AP", scale="std-cdf")


# published values

DEFAULTS = {
    "AP": ("AP", 1.3, 0.15),
    "nDCG@10": ("nDCG and Q", 0.9, 0.10),
    "P@10": ("P@k", 0.45, 0.10),
    "ERR@20": ("ERR", 1.3, 0.10),
    "RR": ("other measures", 2.0, 0.15),
}


@pytest.mark.parametrize("measure", DEFAULTS)
def test_a_published_value_alone_has_the_spread_usual_for_its_measure(engine, measure):
    kind, per_topic, per_run = DEFAULTS[measure]
    publish(engine, "old", 0.05, runs=20, topics=50, measure=measure)
    publish(engine, "teams", 0.05, runs=20, topics=50, teams=8, measure=measure)
    shown = show_variances(engine, "t", measure)
    for row, clusters in zip(shown.rounds, (20, 8), strict=True):
        expected = limits(0.05, per_topic / 50 + per_run / clusters, 50)
        assert [row.interval.low, row.interval.high] == pytest.approx(expected, rel=1e-9)
        assert (row.interval.method, row.interval.of) == ("published", "systems")
        assert row.interval.source == f"default for {kind}"
        assert (row.two_way_interval, row.two_way_interval_reason) == (None, None)
    assert [row.clusters for row in shown.rounds] == [None, 8]
    if measure == "AP":  # a check value of an independent program
        low, high = shown.rounds[0].interval.low, shown.rounds[0].interval.high
        assert (round(low, 5), round(high, 5)) == (0.03539, 0.07580)


def test_a_published_value_among_matrices_takes_its_spread_from_them(logged):
    publish(logged, "old", 0.05, runs=44, topics=100)
    shown = show_variances(logged, "t", "AP")
    row = shown.rounds[-1]
    assert (row.round, row.origin, row.source) == ("old", "published", "a paper, Table 1")
    assert (row.runs, row.topics, row.dof, row.matrix) == (44, 100, 44 * 99, None)
    assert row.sum_of_squares == pytest.approx(0.05 * 44 * 99)
    assert (row.two_way_variance, row.two_way_dof, row.factor_version) == (None, None, None)
    own = joint()
    per_run = np.mean([s.shape[1] * p for s, p in zip(ROUNDS.values(), own.parts, strict=True)])
    topic_part, run_part = own.constant() / 100, per_run / 44
    expected = limits(0.05, topic_part + run_part, 100)
    assert (row.interval.method, row.interval.source) == ("published", "own matrices")
    assert [row.interval.low, row.interval.high] == pytest.approx(expected, rel=1e-9)
    pooled = shown.pooled
    assert pooled.rounds == [*ROUNDS, "old"]
    assert pooled.two_way_rounds == list(ROUNDS)
    assert pooled.topics == 15 + 100
    dofs = np.array([*own.dofs, 44 * 99])
    variances = np.array([*own.variances, 0.05])
    mean = np.sum(dofs * variances) / np.sum(dofs)
    shares = dofs * variances / np.sum(dofs * variances)
    spread = np.sum((shares[:3] @ own.influences) ** 2) + shares[3] ** 2 * topic_part
    spread += np.sum(shares**2 * np.array([*own.parts, run_part]))
    assert pooled.variance == pytest.approx(mean, rel=1e-10)
    expected = limits(mean, spread, 115)
    assert [pooled.interval.low, pooled.interval.high] == pytest.approx(expected, rel=1e-9)
    with pytest.raises(NotRecordedError):
        show_variances(logged, "other", "AP")


def test_a_published_value_of_few_topics_has_no_interval(logged):
    publish(logged, "old", 0.05, runs=20, topics=9)
    shown = show_variances(logged, "t", "AP")
    assert (shown.rounds[-1].interval, shown.rounds[-1].interval_reason) == (
        None,
        "fewer_than_10_topics",
    )
    assert (shown.pooled.interval, shown.pooled.interval_reason) == (None, "fewer_than_10_topics")
    assert shown.pooled.homogeneity.reason == "fewer_than_10_topics"
    assert shown.pooled.next_round.u80 is None
    # The two-way variance rests on the matrices alone.
    assert shown.pooled.two_way_interval is not None


def test_a_published_value_on_a_standardised_scale_needs_matrices(engine):
    publish(engine, "old", 0.016, scale="std-ab", runs=20, topics=50)
    (row,) = show_variances(engine, "t", "AP", scale="std-ab").rounds
    assert (row.interval, row.interval_reason) == (None, "standardised")
    log(engine, "new", ROUNDS["r1"])
    old, _ = show_variances(engine, "t", "AP", scale="std-ab").rounds
    assert (old.interval.source, old.interval_reason) == ("own matrices", None)


def test_the_number_of_teams_of_a_published_value(engine):
    assert publish(engine, "old", 0.05).teams is None
    assert publish(engine, "old", 0.05).status == "unchanged"
    with pytest.raises(AlreadyRecordedError, match="--revise"):
        publish(engine, "old", 0.05, teams=9)
    done = publish(engine, "old", 0.05, teams=9, revise="The paper counts teams")
    assert (done.teams, done.revision) == (9, 2)
    for teams in (0, 45, -1):
        with pytest.raises(InputError, match=f"44 runs are of 1 to 44 teams, not of {teams}"):
            publish(engine, "old", 0.05, teams=teams, revise="why")


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
    with pytest.raises(RoundPublishedError, match=r"'r1' is published: .* only with a reason; add --revise"):
        publish(logged, "r1", 0.02, measure="nDCG@10")
    for no_reason in ("", "  "):
        with pytest.raises(InputError, match="given with --revise is empty"):
            publish(logged, "r1", 0.02, measure="nDCG@10", revise=no_reason)
    assert show_variances(logged, "t", "AP", scale="std-ab").rounds == before
    with pytest.raises(NotRecordedError):
        show_variances(logged, "t", "nDCG@10")
    first = publish(logged, "r1", 0.02, measure="nDCG@10", revise="from the overview")
    assert (first.revision, first.status) == (1, "recorded")
    told = list_events(logged, what="variance recorded").events
    assert [each.why for each in told] == ["from the overview"]
    # The same again changes nothing, and so needs no reason; another value does, as everywhere.
    assert publish(logged, "r1", 0.02, measure="nDCG@10").status == "unchanged"
    with pytest.raises(AlreadyRecordedError, match="--revise"):
        publish(logged, "r1", 0.03, measure="nDCG@10")
    assert publish(logged, "r1", 0.03, measure="nDCG@10", revise="erratum").revision == 2
    # A draft takes its first as it is.
    assert publish(logged, "r2", 0.02, measure="nDCG@10").status == "recorded"
    with pytest.raises(NotRecordedError, match="leave out --revise"):
        publish(logged, "r3", 0.02, measure="nDCG@10", revise="why")


def test_no_published_variance_that_would_break_the_history(logged):
    for variance in (1e308, 1e101, 1e-101, 5e-324):
        with pytest.raises(InputError, match="within what scores can have"):
            publish(logged, "old", variance)
    publish(logged, "old", 1e100, runs=2**31 - 1, topics=2**31 - 1)
    shown = show_variances(logged, "t", "AP")
    assert math.isfinite(shown.pooled.variance)
    assert math.isfinite(shown.rounds[-1].interval.high)
    assert "NaN" not in shown.model_dump_json()
    assert "Infinity" not in shown.model_dump_json()


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
    with pytest.raises(NotRecordedError):
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
    with pytest.raises(NotRecordedError, match=says):
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

    from roundbook.logbook import variances

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


# a team file that comes later


@pytest.fixture
def two_measures(engine):
    """Rounds r1 and r2 without teams; r2 with two measures and revised factors of one."""
    log(engine, "r1", ROUNDS["r1"])
    log(engine, "r2", ROUNDS["r2"])
    log(engine, "r2", ROUNDS["r2"] / 2 + 0.1, measure="P@5")
    return engine


def estimates(engine, label, measure="AP"):
    """Return the estimates of a round, by scale and version."""
    with unit_of_work(engine) as connection:
        rows = connection.execute(
            text(
                "SELECT estimate.* FROM roundbook.variance_estimate AS estimate"
                " JOIN roundbook.matrix ON matrix.id = matrix_id"
                " JOIN roundbook.round ON round.id = matrix.round_id"
                " JOIN roundbook.measure ON measure.id = matrix.measure_id"
                " WHERE label = :label AND measure.name = :measure"
            ),
            {"label": label, "measure": measure},
        ).all()
    return {(row.scale, row.version): row for row in rows}


def renewal(done):
    """Return the note on renewed estimates, None where there is none."""
    notes = [note for note in done.notes if note.startswith("Teams of runs became known")]
    assert len(notes) <= 1
    return notes[0] if notes else None


def test_teams_that_become_known_later_renew_the_estimates(two_measures):
    before = {
        measure: {
            scale: show_variances(two_measures, "t", measure, scale=scale) for scale in SCALES
        }
        for measure in ("AP", "P@5")
    }
    first = estimates(two_measures, "r2")
    done = log(two_measures, "r2", ROUNDS["r2"], teams=TEAMS["r2"])
    assert done.status == "unchanged"
    assert renewal(done) == (
        "Teams of runs became known: the intervals of 6 variance estimates (AP, P@5) were estimated"
        " anew by team. What was saved on the earlier ones is stale."
    )
    told = list_events(two_measures, what="runs described").events
    assert [each.details for each in told] == [{"runs": 5, "estimates_renewed": 6}]
    for measure in ("AP", "P@5"):
        raw = ROUNDS["r2"] if measure == "AP" else ROUNDS["r2"] / 2 + 0.1
        for scale in SCALES:
            scores = on_scale(raw, scale)
            shown = show_variances(two_measures, "t", measure, scale=scale)
            row, was = shown.rounds[-1], before[measure][scale].rounds[-1]
            assert (was.clusters, row.clusters) == (7, 6)
            assert (was.estimate_version, row.estimate_version) == (1, 2)
            assert (row.variance, row.two_way_variance) == (was.variance, was.two_way_variance)
            assert (row.revision, row.factor_version) == (was.revision, was.factor_version)
            for kind, interval in (("one_way", row.interval), ("two_way", row.two_way_interval)):
                expected = interval_of(scores, TEAMS["r2"], kind)
                assert [interval.low, interval.high] == pytest.approx(expected, rel=1e-8)
            # Other rounds of the same teams do not learn from it.
            assert shown.rounds[:-1] == before[measure][scale].rounds[:-1]
    renewed = estimates(two_measures, "r2")
    assert set(renewed) == {(scale, version) for scale in SCALES for version in (1, 2)}
    same = ("topics", "runs", "sum_of_squares", "dof", "variance", "two_way_sum_of_squares")
    same += ("two_way_dof", "topic_ids", "topic_squares", "two_way_topic_squares", "factor_set_id")
    for scale in SCALES:
        old, new = renewed[scale, 1], renewed[scale, 2]
        assert old == first[scale, 1]
        assert [getattr(new, name) for name in same] == [getattr(old, name) for name in same]
        assert (new.runs_part, new.two_way_runs_part) != (old.runs_part, old.two_way_runs_part)
    assert set(estimates(two_measures, "r1")) == {(scale, 1) for scale in SCALES}


def test_the_same_team_file_again_renews_nothing(two_measures):
    log(two_measures, "r2", ROUNDS["r2"], teams=TEAMS["r2"])
    before = stored_estimates(two_measures)
    again = log(two_measures, "r2", ROUNDS["r2"], teams=TEAMS["r2"])
    assert (again.status, again.runs_described, renewal(again)) == ("unchanged", 0, None)
    assert stored_estimates(two_measures) == before
    assert len(list_events(two_measures, what="runs described").events) == 1


def test_teams_in_several_files_renew_step_by_step(two_measures):
    log(two_measures, "r2", ROUNDS["r2"], teams=["A", "A", *[None] * 5])
    log(two_measures, "r2", ROUNDS["r2"], teams=[None, None, "A", "B", "B", None, None])
    found = estimates(two_measures, "r2")
    assert [found["raw", version].clusters for version in (1, 2, 3)] == [7, 6, 4]
    (_, row) = show_variances(two_measures, "t", "AP").rounds
    expected = interval_of(ROUNDS["r2"], ["A", "A", "A", "B", "B", None, None], "one_way")
    assert [row.interval.low, row.interval.high] == pytest.approx(expected, rel=1e-9)
    assert row.estimate_version == 3


def test_teams_of_one_run_each_change_no_interval(two_measures):
    done = log(two_measures, "r2", ROUNDS["r2"], teams=list("ABCDEFG"))
    assert (done.status, done.runs_described, renewal(done)) == ("unchanged", 7, None)
    assert set(estimates(two_measures, "r2")) == {(scale, 1) for scale in SCALES}


def test_a_further_measure_that_brings_the_teams_renews_the_others(two_measures):
    done = log(two_measures, "r2", ROUNDS["r2"] / 3, measure="RR", teams=TEAMS["r2"])
    assert done.status == "logged"
    assert "6 variance estimates (AP, P@5)" in renewal(done)
    (told,) = list_events(two_measures, what="matrix logged").events[-1:]
    assert told.details["estimates_renewed"] == 6
    assert {version for _, version in estimates(two_measures, "r2", "RR")} == {1}
    assert {row.clusters for row in estimates(two_measures, "r2", "RR").values()} == {6}


def test_a_correction_that_brings_the_teams_leaves_what_it_replaces(two_measures):
    corrected = ROUNDS["r2"] + 0.01
    done = log(two_measures, "r2", corrected, teams=TEAMS["r2"], revise="Judged again")
    assert "3 variance estimates (P@5)" in renewal(done)
    assert {version for _, version in estimates(two_measures, "r2")} == {1}
    (_, row) = show_variances(two_measures, "t", "AP").rounds
    assert (row.revision, row.estimate_version, row.clusters) == (2, 1, 6)


def test_only_the_latest_factors_are_renewed(two_measures):
    fit_factor_set(
        two_measures, "t", "r2", "AP", runs=["run0", "run1"], reason="Baselines", user="ann"
    )
    log(two_measures, "r2", ROUNDS["r2"], teams=TEAMS["r2"])
    with unit_of_work(two_measures) as connection:
        rows = connection.execute(
            text(
                "SELECT factor_set.version, estimate.version FROM roundbook.variance_estimate"
                " AS estimate JOIN roundbook.factor_set ON factor_set.id = factor_set_id"
                " JOIN roundbook.matrix ON matrix.id = estimate.matrix_id"
                " JOIN roundbook.measure ON measure.id = matrix.measure_id"
                " JOIN roundbook.round ON round.id = matrix.round_id"
                " WHERE scale = 'std-ab' AND label = 'r2' AND measure.name = 'AP' ORDER BY 1, 2"
            )
        ).all()
    assert [tuple(row) for row in rows] == [(1, 1), (2, 1), (2, 2)]
    (_, row) = show_variances(two_measures, "t", "AP", scale="std-ab").rounds
    assert (row.factor_version, row.estimate_version, row.clusters) == (2, 2, 6)


def test_a_saved_plan_is_stale_once_teams_become_known(two_measures):
    design = Design(m=(5,), min_d=(0.1,))
    log(two_measures, "r2", ROUNDS["r2"], task="other")
    saved = {task: plan_task(two_measures, task, "AP", design) for task in ("t", "other")}
    for task, planned in saved.items():
        save_plan(two_measures, f"next {task}", planned, user="ann")
    done = log(two_measures, "r2", ROUNDS["r2"], teams=TEAMS["r2"])
    shown = show_plan(two_measures, "next t")
    (stale,) = shown.stale
    assert (stale.round, stale.why) == ("r2", "its teams became known, which its interval rests on")
    # What was saved stays as it was, with the estimate that it rested on.
    assert shown.plan == saved["t"]
    assert show_plan(two_measures, "next other").stale == []
    dependents = show_impact(two_measures, done.matrix).dependents
    found = {each.name: (each.stale, each.why) for each in dependents}
    superseded = "teams became known since; estimate 2 takes its place"
    assert found["raw variance, estimate 1"] == (True, superseded)
    assert found["raw variance, estimate 2"] == (False, None)
    assert found["std-ab variance by factor version 1, estimate 1"] == (True, superseded)
    assert [each.stale for each in dependents if each.kind == "plan"] == [True]
    # Planned again, it rests on the new ones.
    renewed = plan_task(two_measures, "t", "AP", design)
    assert renewed.variance == saved["t"].variance
    save_plan(two_measures, "next t", renewed, user="ann")
    assert show_plan(two_measures, "next t").stale == []
