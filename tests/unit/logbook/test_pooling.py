"""Variances of rounds judged and pooled, without a database: every number by brute force too."""

from __future__ import annotations

import math
from itertools import count

import numpy as np
import pytest
from tests.variances_by_hand import (
    RNG,
    ROUNDS,
    SCALES,
    TEAMS,
    Joint,
    check_intervals,
    check_pooled,
    cluster_codes,
    influences,
    joint,
    limits,
    on_scale,
    one_way,
)

from roundbook.logbook.variance_history import VarianceHistory
from roundbook.logbook.variance_rows import VarianceRow
from roundbook.logbook.variances import judge_rounds
from roundbook.presentation.variance_differences import disagreement
from roundbook.presentation.variances import (
    in_detail,
    summary,
)
from roundbook.statistics.variance.parts import variance_parts
from roundbook_cli.plan_advice import history_json, with_advice

_NUMBERS = {}
_IDS = count(1)


def row(label, scores, teams=None, names=None, **changed):
    """Return what is stored of a round's scores, of topics t0, t1, ... unless named."""
    scores = np.asarray(scores, dtype=float)
    parts = variance_parts(scores, None if teams is None else cluster_codes(scores, teams))
    one, two = parts.one_way, parts.two_way
    names = names or [f"t{index}" for index in range(len(scores))]
    values = {
        "measure": "AP",
        "family": "AP",
        "scale": "raw",
        "round": label,
        "ordinal": next(_IDS),
        "held": None,
        "collection": None,
        "round_id": 1,
        "measure_id": 1,
        "assessments": "official",
        "rank": 1,
        "estimate": 1,
        "estimate_version": 1,
        "runs": parts.runs,
        "topics": parts.topics,
        "clusters": parts.clusters,
        "variance": one.variance,
        "dof": one.dof,
        "sum_of_squares": one.sum_of_squares,
        "two_way_sum_of_squares": two and two.sum_of_squares,
        "two_way_dof": two and two.dof,
        "runs_part": one.runs_part,
        "two_way_runs_part": two and two.runs_part,
        "topic_ids": [_NUMBERS.setdefault(name, len(_NUMBERS) + 1) for name in names],
        "topic_squares": one.by_topic.tolist(),
        "two_way_topic_squares": two and two.by_topic.tolist(),
        "origin": "matrix",
        "source": None,
        "matrix": 1,
        "revision": 1,
        "factor_version": None,
        "software": "test",
    }
    return VarianceRow(**values | changed)


def published(label, variance, runs, topics, teams=None, **changed):
    """Return what is recorded of a variance that was published without its scores."""
    of_matrix = ("sum_of_squares", "two_way_sum_of_squares", "two_way_dof", "runs_part", "matrix")
    of_matrix += ("two_way_runs_part", "topic_ids", "topic_squares", "two_way_topic_squares")
    values = {
        **dict.fromkeys(of_matrix),
        "variance": variance,
        "runs": runs,
        "topics": topics,
        "clusters": teams,
        "dof": runs * (topics - 1),
        "origin": "published",
        "source": "a paper, Table 1",
    }
    return row(label, ROUNDS["r1"], **values | changed)


def judge(*rows, pool_by="dof"):
    rounds, pooled = judge_rounds(rows, pool_by)
    return VarianceHistory(
        task="t", measure="AP", scale="raw", assessments="official", rounds=rounds, pooled=pooled
    )


def logged(teams=None, scale="raw"):
    return [
        row(label, on_scale(scores, scale), (teams or {}).get(label))
        for label, scores in ROUNDS.items()
    ]


# each round


@pytest.mark.parametrize("teams", [{}, TEAMS], ids=["runs", "teams"])
@pytest.mark.parametrize("scale", SCALES)
def test_both_variances_of_each_round_and_their_intervals(scale, teams):
    for judged in judge(*logged(teams, scale)).rounds:
        check_intervals(judged, on_scale(ROUNDS[judged.round], scale), teams.get(judged.round))


def test_a_single_run_or_team_gives_an_interval_of_these_runs():
    shown = judge(
        row("a run", ROUNDS["r1"][:, :1]),
        row("a team", ROUNDS["r1"], ["A"] * 5),
        row("two teams", ROUNDS["r1"], list("AABBB")),
    )
    for judged in shown.rounds[:2]:
        scores = ROUNDS["r1"][:, : judged.runs]
        spread = np.sum(influences(scores, one_way) ** 2)
        assert judged.interval.of == "these runs"
        expected = limits(one_way(scores), spread, 12)
        assert [judged.interval.low, judged.interval.high] == pytest.approx(expected, rel=1e-9)
    assert shown.rounds[0].two_way_interval is None
    assert shown.rounds[1].two_way_interval.of == "these runs"
    assert shown.rounds[2].interval.of == shown.rounds[2].two_way_interval.of == "systems"
    # Where one round's runs part is unknown, that of all is left out.
    assert (shown.pooled.interval.of, shown.pooled.two_way_interval.of) == ("these runs",) * 2


def test_reasons_where_there_is_no_interval():
    one = np.full((8, 3), 0.25)
    one[2] = [0.5, 0.75, 0.625]
    by_label = {
        judged.round: judged
        for judged in judge(
            row("two topics", RNG.random((2, 3))),
            row("constant", np.full((8, 3), 0.25)),
            row("one topic", one),
            row("two-way zero", np.linspace(0, 1, 9)[:, None] + np.array([0.0, 0.25, 0.5])),
            row("three topics", ROUNDS["r1"][:3]),
        ).rounds
    }
    three, zero = by_label["three topics"], by_label["two-way zero"]
    reasons = {
        label: (judged.interval, judged.interval_reason) for label, judged in by_label.items()
    }
    assert reasons == {
        "two topics": (None, "fewer_than_3_topics"),
        "constant": (None, "no_variance"),
        "one topic": (None, "one_topic"),
        "two-way zero": (zero.interval, None),
        "three topics": (three.interval, "unbounded"),
    }
    assert 0 < three.interval.low < three.variance
    assert three.interval.high is None
    assert by_label["one topic"].two_way_interval_reason == "one_topic"
    assert (zero.two_way_variance, zero.two_way_interval) == (pytest.approx(0, abs=1e-30), None)


def test_no_upper_limit_goes_for_pooled_and_next_round_too():
    pooled = judge(row("r1", ROUNDS["r1"][:3])).pooled
    assert (pooled.interval.high, pooled.interval_reason) == (None, "unbounded")
    assert (pooled.next_round.u95, pooled.next_round.high) == (None, None)


@pytest.mark.parametrize(("topics", "few"), [(24, True), (25, False)])
def test_few_topics_are_marked(topics, few):
    shown = judge(row("r1", RNG.random((topics, 6))))
    (judged,) = shown.rounds
    assert (judged.interval.few_topics, judged.two_way_interval.few_topics) == (few, few)
    remark = (
        "Few topics (under 25): the true variance may lie above the upper limit more often than in"
        " 2.5% of cases (r1)."
    )
    assert (remark in summary(shown)) == few


def test_that_rounds_vary_is_left_to_the_planning_variance():
    shown = judge(*logged())
    left = "Intervals do not count how much rounds vary"
    assert in_detail(shown)[-1] == f"{left}; the planning variance does."
    pooled = shown.pooled.model_copy(update={"next_round": None})
    assert in_detail(shown.model_copy(update={"pooled": pooled}))[-1] == f"{left}."


# pooled


@pytest.mark.parametrize("teams", [{}, TEAMS], ids=["runs", "teams"])
@pytest.mark.parametrize("pool_by", ["dof", "topics"])
@pytest.mark.parametrize("scale", SCALES)
def test_pooled_over_rounds_that_share_topics(scale, pool_by, teams):
    pooled = judge(*logged(teams, scale), pool_by=pool_by).pooled
    assert (pooled.weights, pooled.rounds, pooled.topics) == (pool_by, list(ROUNDS), 15)
    assert pooled.two_way_rounds == list(ROUNDS)
    check_pooled(pooled, joint(scale=scale, weights=pool_by, teams=teams))
    check_pooled(
        pooled, joint(scale=scale, kind="two_way", weights=pool_by, teams=teams), "two_way_"
    )
    variances = [one_way(on_scale(scores, scale)) for scores in ROUNDS.values()]
    assert pooled.max_min_ratio == pytest.approx(max(variances) / min(variances), rel=1e-10)


def test_weighing_changes_the_mean_and_not_the_test():
    by_dof, by_topics = (judge(*logged(), pool_by=by).pooled for by in ("dof", "topics"))
    assert by_dof.variance != by_topics.variance
    assert by_dof.homogeneity == by_topics.homogeneity


def test_pooled_over_rounds_that_share_some_topics_or_none():
    named = {
        "r1": [f"t{index}" for index in range(12)],
        "r2": [f"t{index}" for index in range(8, 17)],
        "r3": [f"u{index}" for index in range(15)],
    }
    rows = [row(label, ROUNDS[label], names=topics) for label, topics in named.items()]
    rounds = [(ROUNDS[label], topics, None) for label, topics in named.items()]
    pooled = judge(*rows).pooled
    assert pooled.topics == 12 + 5 + 15
    check_pooled(pooled, Joint(rounds))
    check_pooled(pooled, Joint(rounds, "two_way"), "two_way_")
    pair = judge(rows[0], rows[2]).pooled
    assert pair.topics == 12 + 15
    check_pooled(pair, Joint([rounds[0], rounds[2]]))


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
def test_a_topic_id_on_another_collection_is_another_topic(collections, spans):
    pooled = judge(
        *(row(label, scores, collection=collections.get(label)) for label, scores in ROUNDS.items())
    ).pooled
    rounds = []
    for label, scores in ROUNDS.items():
        (span,) = [index for index, span in enumerate(spans) if label in span]
        rounds.append((scores, [f"{span} t{index}" for index in range(len(scores))], None))
    expected = Joint(rounds)
    assert pooled.topics == expected.topics
    check_pooled(pooled, expected)


def test_a_single_round_is_pooled_into_itself():
    shown = judge(row("only", ROUNDS["r1"]))
    (judged,), pooled = shown.rounds, shown.pooled
    assert (pooled.variance, pooled.dof) == (pytest.approx(judged.variance), judged.dof)
    assert pooled.interval.method == "jackknife"
    assert [pooled.interval.low, pooled.interval.high] == pytest.approx(
        [judged.interval.low, judged.interval.high]
    )
    check_pooled(pooled, joint(["r1"]))
    assert pooled.next_round.tau2 == 0.016
    assert pooled.homogeneity.p_value is None
    assert (pooled.homogeneity.reason, disagreement(shown)) == ("one_round", None)


def test_too_few_topics_for_so_many_rounds_have_no_test():
    shown = judge(
        *(
            row(f"r{index}", (ROUNDS["r2"][:6] * (1 + index) + 0.1 * RNG.random((6, 7))) / 5)
            for index in range(4)
        )
    )
    assert (shown.pooled.topics, shown.pooled.homogeneity.p_value) == (6, None)
    assert (shown.pooled.homogeneity.reason, disagreement(shown)) == ("too_few_topics", None)
    assert shown.pooled.interval is not None


def test_rounds_of_the_same_scores_have_no_test():
    test = judge(*(row(label, ROUNDS["r1"][:, :1]) for label in ("r1", "r2"))).pooled.homogeneity
    assert (test.p_value, test.reason) == (None, "not_separable")


def test_the_warning_where_rounds_disagree():
    def of(name, spread):
        topics = [f"{name}{index}" for index in range(40)]
        return row(name, RNG.random((40, 6)) * spread / 3, names=topics)

    calm = [of("calm", 1), of("like it", 1)]
    assert disagreement(judge(*calm)) is None
    shown = judge(*calm, of("wild", 3))
    assert shown.pooled.homogeneity.p_value < 0.001
    for kind in ("one-way", "two-way"):
        warning = disagreement(shown, kind)
        of_two_way = " about the two-way variance" if kind == "two-way" else ""
        assert warning.sentence.startswith(
            f"The rounds disagree{of_two_way} (Wald F test, p < 0.001; largest over smallest"
        )
        assert warning.way_out.code == "plan at the planning variance"
    warning = history_json(shown)["pooled"]["warning"]
    assert warning.startswith(disagreement(shown).sentence)
    assert warning.endswith(": roundbook plan --task t --measure AP --variance-at planning")
    # Both kinds of variance disagree, both are said to, and the advice stands once.
    lines = summary(shown)
    assert disagreement(shown).sentence in lines
    assert disagreement(shown, "two-way").sentence in lines
    advised = with_advice(shown, lines)
    assert [line for line in advised if "--variance-at" in line] == [warning]
    assert disagreement(shown, "two-way").sentence in advised
    # They differ so much that the next round may lie anywhere between, and beyond.
    assert shown.pooled.next_round.tau2 > 0.3


def test_a_round_of_variance_0_among_others():
    shown = judge(row("good", ROUNDS["r1"]), row("constant", np.full((4, 3), 0.25)))
    constant, pooled = shown.rounds[1], shown.pooled
    assert (constant.variance, constant.interval) == (0.0, None)
    assert (constant.interval_reason, constant.two_way_interval) == ("no_variance", None)
    assert pooled.variance == pytest.approx(one_way(ROUNDS["r1"]) * 55 / (55 + 9))
    assert (pooled.interval, pooled.interval_reason) == (None, "no_variance")
    assert (pooled.max_min_ratio, pooled.next_round.u80) == (None, None)
    assert (pooled.homogeneity.p_value, pooled.homogeneity.reason) == (None, "no_variance")
    assert disagreement(shown).sentence.startswith(
        "The rounds disagree: the variance is 0 in constant and not"
    )


def test_only_constant_rounds_know_nothing():
    shown = judge(*(row(label, np.full((4, 3), 0.25)) for label in "ab"))
    assert (shown.pooled.variance, shown.pooled.interval, disagreement(shown)) == (0.0, None, None)
    assert shown.pooled.homogeneity.reason == "no_variance"
    assert "NaN" not in shown.model_dump_json()


# published values

DEFAULTS = {
    "AP": ("AP", 1.3, 0.15),
    "nDCG": ("nDCG and Q", 0.9, 0.10),
    "P": ("P@k", 0.45, 0.10),
    "ERR": ("ERR", 1.3, 0.10),
    "RR": ("other measures", 2.0, 0.15),
}


@pytest.mark.parametrize("family", DEFAULTS)
def test_a_published_value_alone_has_the_spread_usual_for_its_measure(family):
    kind, per_topic, per_run = DEFAULTS[family]
    shown = judge(
        published("old", 0.05, 20, 50, family=family),
        published("teams", 0.05, 20, 50, 8, family=family),
    )
    for judged, clusters in zip(shown.rounds, (20, 8), strict=True):
        expected = limits(0.05, per_topic / 50 + per_run / clusters, 50)
        assert [judged.interval.low, judged.interval.high] == pytest.approx(expected, rel=1e-9)
        assert (judged.interval.method, judged.interval.of) == ("published", "systems")
        assert judged.interval.source == f"default for {kind}"
        assert (judged.two_way_interval, judged.two_way_interval_reason) == (None, None)
    assert [judged.clusters for judged in shown.rounds] == [None, 8]
    if family == "AP":  # a check value of an independent program
        low, high = shown.rounds[0].interval.low, shown.rounds[0].interval.high
        assert (round(low, 5), round(high, 5)) == (0.03539, 0.07580)


def test_a_published_value_among_matrices_takes_its_spread_from_them():
    shown = judge(*logged(), published("old", 0.05, 44, 100))
    judged, own = shown.rounds[-1], joint()
    assert judged.sum_of_squares == pytest.approx(0.05 * 44 * 99)
    per_run = np.mean([s.shape[1] * p for s, p in zip(ROUNDS.values(), own.parts, strict=True)])
    topic_part, run_part = own.constant() / 100, per_run / 44
    expected = limits(0.05, topic_part + run_part, 100)
    assert (judged.interval.method, judged.interval.source) == ("published", "own matrices")
    assert [judged.interval.low, judged.interval.high] == pytest.approx(expected, rel=1e-9)
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


def test_a_published_value_of_few_topics_has_no_interval():
    shown = judge(*logged(), published("old", 0.05, 20, 9))
    reason, pooled = "fewer_than_10_topics", shown.pooled
    assert (shown.rounds[-1].interval, shown.rounds[-1].interval_reason) == (None, reason)
    assert (pooled.interval, pooled.interval_reason) == (None, reason)
    assert pooled.homogeneity.reason == reason
    assert pooled.next_round.u80 is None
    # The two-way variance rests on the matrices alone.
    assert pooled.two_way_interval is not None


def test_a_published_value_on_a_standardised_scale_needs_matrices():
    old = published("old", 0.016, 20, 50, scale="std-ab")
    (judged,) = judge(old).rounds
    assert (judged.interval, judged.interval_reason) == (None, "standardised")
    judged, _ = judge(old, row("new", on_scale(ROUNDS["r1"], "std-ab"), scale="std-ab")).rounds
    assert (judged.interval.source, judged.interval_reason) == ("own matrices", None)


def test_a_huge_published_value_breaks_nothing():
    shown = judge(*logged(), published("old", 1e100, 2**31 - 1, 2**31 - 1))
    assert math.isfinite(shown.pooled.variance)
    assert math.isfinite(shown.rounds[-1].interval.high)
    assert "NaN" not in shown.model_dump_json()
    assert "Infinity" not in shown.model_dump_json()
