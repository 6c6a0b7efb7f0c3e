"""Variances over rounds: what is stored at logging, what counts, and what is read for it.

The statistics of rounds and of pooling are tested without a database, in tests/unit/logbook.
"""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from sqlalchemy import event, text
from tests.databases import rows
from tests.factories import (
    Design,
    create_round,
    create_task,
    fit_factor_set,
    list_events,
    log_scores,
    plan_task,
    publish_round,
    record_variance,
    save_plan,
    set_round,
    show_histories,
    show_impact,
    show_plan,
    show_variances,
    withdraw_matrix,
)
from tests.savepoints import prepared
from tests.variances_by_hand import (
    ROUNDS,
    SCALES,
    TEAMS,
    check_intervals,
    check_pooled,
    cluster_codes,
    interval_of,
    joint,
    on_scale,
    one_way,
    runs_part,
)

from roundbook.errors import (
    AlreadyRecordedError,
    InputError,
    NotRecordedError,
    RevisedMeanwhileError,
    RoundPublishedError,
    WithdrawnError,
)
from roundbook.logbook import variances as use_cases
from roundbook.logbook.published import latest_variance_revision
from roundbook.logbook.session import begin
from roundbook.presentation.matrices import log_notes
from roundbook.presentation.plan_protocol import protocol
from roundbook.presentation.variances import in_detail, limits, summary
from roundbook.requests.variances import (
    RecordVarianceRequest,
    VarianceHistoryRequest,
    VarianceRequest,
)


def publish(engine, label, variance, runs=44, topics=100, measure="AP", **options):
    options = {"create": True, "user": "tester", "source": "a paper, Table 1", **options}
    return record_variance(
        engine, "t", label, measure, variance=variance, runs=runs, topics=topics, **options
    )


@prepared
def logged(engine):
    for label, scores in ROUNDS.items():
        log_scores(engine, label, scores)
    return engine


ESTIMATES = """
SELECT round.label, estimate.*,
       ARRAY(SELECT name FROM unnest(topic_ids) WITH ORDINALITY AS listed (topic, place)
             JOIN roundbook.topic ON topic.id = listed.topic ORDER BY place) AS names
FROM roundbook.variance_estimate AS estimate
JOIN roundbook.matrix ON matrix.id = matrix_id
JOIN roundbook.round ON round.id = matrix.round_id
JOIN roundbook.measure ON measure.id = matrix.measure_id
WHERE measure.name = :measure
ORDER BY estimate.id
"""


def stored_estimates(engine, scale="raw", measure="AP"):
    found = rows(engine, ESTIMATES, measure=measure)
    return [row for row in found if row.scale == scale]


@pytest.mark.long
@pytest.mark.parametrize("scale", SCALES)
def test_rounds_and_pooled_from_what_logging_stored(engine, scale):
    for label, scores in ROUNDS.items():
        log_scores(engine, label, scores, teams=TEAMS[label])
    stored = stored_estimates(engine, scale)
    shown = show_variances(engine, "t", "AP", scale=scale)
    assert [row.label for row in stored] == [row.round for row in shown.rounds] == list(ROUNDS)
    for row, estimate in zip(shown.rounds, stored, strict=True):
        scores, teams = on_scale(ROUNDS[row.round], scale), TEAMS[row.round]
        (topics, runs), clusters = scores.shape, len(set(cluster_codes(scores, teams)))
        centred = scores - scores.mean(axis=0)
        residuals = centred - centred.mean(axis=1)[:, None]
        assert list(estimate.names) == [f"t{index}" for index in range(topics)]
        assert estimate.topic_squares == pytest.approx(np.sum(centred**2, axis=1), rel=1e-9)
        assert estimate.two_way_topic_squares == pytest.approx(
            np.sum(residuals**2, axis=1), rel=1e-9
        )
        assert estimate.sum_of_squares == pytest.approx(np.sum(centred**2), rel=1e-10)
        for kind, part in (
            ("one_way", estimate.runs_part),
            ("two_way", estimate.two_way_runs_part),
        ):
            assert part == pytest.approx(runs_part(scores, teams, kind), rel=1e-7, abs=1e-12)
        assert (estimate.version, estimate.clusters) == (1, clusters)
        old = (estimate.level, estimate.chi_square_low, estimate.bootstrap_low)
        assert (*old, estimate.bootstrap_seed) == (None,) * 4
        check_intervals(row, scores, teams)
        assert (row.topics, row.runs, row.dof) == (topics, runs, runs * (topics - 1))
        assert (row.clusters, row.two_way_dof) == (clusters, (runs - 1) * (topics - 1))
        assert (row.origin, row.source, row.revision) == ("matrix", None, 1)
        assert row.estimate_version == 1
        assert row.factor_version == (None if scale == "raw" else 1)
    check_pooled(shown.pooled, joint(scale=scale, teams=TEAMS))
    check_pooled(shown.pooled, joint(scale=scale, kind="two_way", teams=TEAMS), "two_way_")


def test_topics_without_spread_that_are_dropped_have_no_influence(engine):
    scores = ROUNDS["r1"].copy()
    scores[3] = 0.25
    log_scores(engine, "r1", scores, zero_sd="drop")
    kept = np.delete(scores, 3, axis=0)
    (row,) = stored_estimates(engine, "std-ab")
    assert list(row.names) == [f"t{j}" for j in range(12) if j != 3]
    (shown,) = show_variances(engine, "t", "AP", scale="std-ab").rounds
    expected = interval_of(on_scale(kept, "std-ab"), None, "one_way")
    assert [shown.interval.low, shown.interval.high] == pytest.approx(expected, rel=1e-8)
    assert len(stored_estimates(engine)[0].topic_ids) == 12


def test_runs_of_unknown_team_each_count_alone(engine):
    log_scores(engine, "unknown", ROUNDS["r1"])
    log_scores(engine, "alone", ROUNDS["r1"], teams=list("ABCDE"))
    log_scores(engine, "some", ROUNDS["r1"], teams=[None, "A", None, "A", None])
    unknown, alone, some = show_variances(engine, "t", "AP").rounds
    assert (unknown.clusters, alone.clusters, some.clusters) == (5, 5, 4)
    assert unknown.interval == alone.interval
    expected = interval_of(ROUNDS["r1"], ["p", "A", "q", "A", "r"], "one_way")
    assert [some.interval.low, some.interval.high] == pytest.approx(expected, rel=1e-9)


def test_the_teams_told_of_are_those_of_the_scores_that_count(engine):
    """The runs of another round's file that was corrected since are not among them."""
    rng = np.random.default_rng(3)
    log_scores(engine, "1", rng.beta(2, 3, (8, 4)), teams=list("ABCD"))
    log_scores(engine, "2", rng.beta(2, 3, (8, 4)), runs=["v", "w", "x", "y"])
    right = rng.beta(2, 3, (8, 4))
    log_scores(engine, "2", right, teams=list("AAEF"), revise="the file was of another round")
    log_scores(engine, "2", right[:, :3], "nDCG@10")
    teams = show_variances(engine, "t", "AP").teams
    assert (teams.teams, teams.later, teams.again, teams.some_unknown) == (6, 3, 1, [])
    (history,) = show_histories(engine, "t", measures=("nDCG@10",)).histories
    assert history.teams.teams == 2


# pooled


def test_teams_that_return_are_told(engine):
    rng = np.random.default_rng(8)
    teams = {"1": list("ABCD"), "2": list("ABCD"), "3": list("abcd"), "4": ["A", "A", "E", None]}
    for label, of_runs in teams.items():
        log_scores(engine, label, rng.beta(2, 3, (12, 4)), teams=of_runs)
    shown = show_variances(engine, "t", "AP")
    assert shown.teams.model_dump() == {
        "teams": 5,
        "later": 10,
        "again": 9,
        "returning": 4,
        "in_every_round": 1,
        "some_unknown": ["4"],
    }
    one_way, two_way = shown.pooled.returning_interval, shown.pooled.two_way_returning_interval
    assert (
        "In 9 of 10 cases, a known team of a later round had taken part before. The pooled interval"
        " counts it as a new team, and is too narrow by that: with the same teams in all rounds it is"
        f" [{one_way.low:.5f}, {one_way.high:.5f}], of the two-way variance [{two_way.low:.5f},"
        f" {two_way.high:.5f}]." in summary(shown)[-2]
    )
    assert summary(shown)[-1] == (
        "The teams of some runs are unknown in 4, so each of these runs counts as its own team; if"
        " teams sent several of them, the intervals are too narrow."
    )
    planned = plan_task(engine, "t", "AP", design="tukey", m=(10,), min_d=(0.1,))
    assert (
        " In 9 of 10 cases, a known team of a later round had taken part before; the interval counts it"
        " as a new team and is too narrow by that: with the same teams in all rounds it is"
        f" from {two_way.low:.5g} to {two_way.high:.5g}. " in protocol(planned)
    )
    # The labels that are asked for are found as all labels are.
    (history,) = show_histories(engine, "t", rounds=("1", " 2", "3")).histories
    assert (history.teams.in_every_round, history.teams.some_unknown) == (4, [])
    lines = summary(history)
    counted = "Intervals do not count how much rounds vary; the planning variance does."
    assert in_detail(history)[-1] == counted
    assert lines[-1] == (
        "The same teams took part in every round: the pooled interval is for these teams on other"
        " topics like these, and too narrow for other teams: for others it is"
        f" {limits(history.pooled.returning_interval)}, of the two-way variance"
        f" {limits(history.pooled.two_way_returning_interval)}."
    )
    assert any("about 3 of 4 next rounds with these teams stay below" in line for line in lines)
    assert any(line.startswith("Few teams or runs (up to 5): ") for line in lines)
    # Who took part in a published round is not known.
    publish(engine, "5", 0.05)
    # A published variance has no two-way variance, and its topics are not counted with those of one.
    planned = plan_task(engine, "t", "AP", design="tukey", m=(10,), min_d=(0.1,))
    assert "they have 12 different ones, 48 counted round by round" in protocol(planned)
    (history,) = show_histories(engine, "t", rounds=("1", "2", "5")).histories
    assert (history.teams.returning, history.teams.in_every_round) == (4, 0)
    assert "took part in every round" not in summary(history)[-1]


def test_a_topic_id_on_another_collection_or_in_another_task_is_another_topic(logged):
    assert show_variances(logged, "t", "AP").pooled.topics == 15
    for label, collection in (("r1", "news"), ("r2", "NEWS"), ("r3", "web")):
        set_round(logged, "t", label, collection=collection)
    assert show_variances(logged, "t", "AP").pooled.topics == 12 + 15
    log_scores(logged, "r4", ROUNDS["r1"])
    (line,) = [line for line in summary(show_variances(logged, "t", "AP")) if "collection" in line]
    assert line == (
        "No document collection is declared for r4, and the other rounds are on several: topics of"
        " these names count as other topics than theirs."
    )
    log_scores(logged, "r1", ROUNDS["r1"], task="other")
    assert len({row.topic_ids[0] for row in stored_estimates(logged)}) == 2


def test_weighing_by_topics(logged):
    pooled = show_variances(logged, "t", "AP", pool_by="topics").pooled
    assert pooled.weights == "topics"
    check_pooled(pooled, joint(weights="topics"))
    (pair,) = show_histories(logged, "t", rounds=["r1", "r3"], pool_by="topics").histories
    assert (pair.pooled.rounds, pair.pooled.weights) == (["r1", "r3"], "topics")
    check_pooled(pair.pooled, joint(["r1", "r3"], weights="topics"))


def test_a_measure_with_a_round_of_variance_0_is_the_least_stable(engine):
    log_scores(engine, "good", ROUNDS["r1"])
    log_scores(engine, "constant", np.full((4, 3), 0.25))
    log_scores(engine, "calm", ROUNDS["r1"] * 2, measure="nDCG@10")
    log_scores(engine, "wild", ROUNDS["r1"] * 8, measure="nDCG@10")
    order = [history.measure for history in show_histories(engine, "t").histories]
    assert order == ["AP", "nDCG@10"]


def test_only_constant_rounds_know_nothing(engine):
    for label in ("a", "b"):
        log_scores(engine, label, np.full((4, 3), 0.25))
    for scale in SCALES:
        pooled = show_variances(engine, "t", "AP", scale=scale).pooled
        assert (pooled.variance, pooled.interval) == (0.0, None)
        assert pooled.homogeneity.reason == "no_variance"
        assert "NaN" not in pooled.model_dump_json()


def test_one_run_has_no_two_way_residual_and_no_standardised_scale(engine):
    log_scores(engine, "r1", ROUNDS["r1"][:, :1])
    (row,) = show_variances(engine, "t", "AP").rounds
    assert (row.two_way_variance, row.two_way_dof) == (None, None)
    assert row.variance == pytest.approx(ROUNDS["r1"][:, 0].var(ddof=1))
    with pytest.raises(NotRecordedError, match="no variance of AP on the scale std-ab"):
        show_variances(engine, "t", "AP", scale="std-ab")


def test_all_topics_tied_and_dropped_have_no_standardised_variance(engine):
    scores = np.repeat([[0.1], [0.4], [0.9]], 3, axis=1)
    assert log_scores(engine, "tied", scores, zero_sd="drop").variances == {
        "raw": pytest.approx(scores[:, 0].var(ddof=1))
    }
    with pytest.raises(NotRecordedError, match="std-cdf"):
        show_variances(engine, "t", "AP", scale="std-cdf")


# published values


def test_a_published_value_among_matrices(logged):
    publish(logged, "old", 0.05, runs=44, topics=100)
    shown = show_variances(logged, "t", "AP")
    row = shown.rounds[-1]
    assert (row.round, row.origin, row.source) == ("old", "published", "a paper, Table 1")
    assert (row.runs, row.topics, row.dof, row.matrix) == (44, 100, 44 * 99, None)
    assert row.sum_of_squares == pytest.approx(0.05 * 44 * 99)
    assert (row.two_way_variance, row.two_way_dof, row.factor_version) == (None, None, None)
    assert row.interval.source == "own matrices"
    assert (shown.pooled.interval.method, shown.pooled.interval.source) == ("jackknife", None)
    assert any(
        line
        == "Published without scores: its spread is taken from the task's own score matrices (old)."
        for line in summary(shown)
    )
    planned = plan_task(logged, "t", "AP", m=(10,), min_d=(0.1,))
    assert (
        " Some of it was published without the scores (old: a paper, Table 1); its spread over topics"
        " and runs is taken from the task's own score matrices. " in protocol(planned)
    )
    assert (shown.pooled.rounds, shown.pooled.topics) == ([*ROUNDS, "old"], 15 + 100)
    with pytest.raises(NotRecordedError):
        show_variances(logged, "other", "AP")


def test_published_values_without_a_pooled_interval_are_called_published(engine):
    publish(engine, "r1", 0.05, runs=20, topics=50)
    publish(engine, "r2", 0.06, runs=20, topics=5)  # too few topics for an interval
    shown = show_variances(engine, "t", "AP")
    assert shown.pooled.interval is None
    assert "topics like these (of published variances, whose" in " ".join(in_detail(shown))


@pytest.mark.parametrize(
    ("measure", "source"),
    [("nDCG@10", "nDCG and Q"), ("P@10", "P@k"), ("RR", "other measures")],
)
def test_a_published_value_alone_is_known_by_its_measure(engine, measure, source):
    publish(engine, "old", 0.05, runs=20, topics=50, teams=8, measure=measure)
    shown = show_variances(engine, "t", measure)
    (row,) = shown.rounds
    assert (row.interval.source, row.clusters) == (f"default for {source}", 8)
    pooled = shown.pooled.interval
    assert (pooled.method, pooled.source) == ("published", f"default for {source}")
    # No jackknife without scores.
    assert in_detail(shown)[-2] == (
        "Intervals are for other systems on other topics like these (of published variances, whose"
        f" spread is taken from what is usual (default for {source}))."
    )
    text = protocol(plan_task(engine, "t", measure, m=(3,), min_d=(0.1,)))
    assert "jackknife" not in text
    assert "(from sizes alone, for other systems" in text
    assert (
        " It was published without the scores (old: a paper, Table 1); its spread over topics and"
        f" runs is taken from what is usual (default for {source}). " in text
    )
    publish(engine, "old", 0.016, runs=20, topics=50, measure=measure, scale="std-ab")
    (row,) = show_variances(engine, "t", measure, scale="std-ab").rounds
    assert (row.interval, row.interval_reason) == (None, "standardised")


def test_the_number_of_teams_of_a_published_value(engine):
    assert publish(engine, "old", 0.05).teams is None
    assert publish(engine, "old", 0.05).status == "unchanged"
    with pytest.raises(AlreadyRecordedError, match="is recorded already"):
        publish(engine, "old", 0.05, teams=9)
    done = publish(engine, "old", 0.05, teams=9, revise="The paper counts teams")
    assert (done.teams, done.revision) == (9, 2)
    for teams in (0, 45, -1):
        with pytest.raises(InputError, match=f"44 runs are of 1 to 44 teams, not of {teams}"):
            publish(engine, "old", 0.05, teams=teams, revise="why")


def test_a_matrix_overrides_what_is_published_on_its_own_scale(engine):
    publish(engine, "r1", 0.05)
    publish(engine, "r1", 0.02, scale="std-ab")
    publish(engine, "r1", 0.06, revise="a misprint")
    (row,) = show_variances(engine, "t", "AP").rounds
    assert (row.origin, row.variance, row.revision) == ("published", 0.06, 2)
    log_scores(engine, "r1", ROUNDS["r1"][:, :1])  # a single run: raw only
    (row,) = show_variances(engine, "t", "AP").rounds
    assert (row.origin, row.source) == ("matrix", None)
    (row,) = show_variances(engine, "t", "AP", scale="std-ab").rounds
    assert (row.origin, row.variance) == ("published", 0.02)
    log_scores(engine, "r1", ROUNDS["r1"], revise="all runs")
    (row,) = show_variances(engine, "t", "AP", scale="std-ab").rounds
    assert (row.origin, row.revision, row.factor_version) == ("matrix", 2, 1)
    assert row.variance == pytest.approx(one_way(on_scale(ROUNDS["r1"], "std-ab")))


def test_a_published_round_takes_a_variance_only_with_a_reason(logged):
    publish_round(logged, "t", "r1", user="ann")
    before = show_variances(logged, "t", "AP", scale="std-ab").rounds
    with pytest.raises(RoundPublishedError, match=r"'r1' is published: .* only with a reason"):
        publish(logged, "r1", 0.02, measure="nDCG@10")
    for no_reason in ("", "  "):
        with pytest.raises(InputError, match="reason given is empty"):
            publish(logged, "r1", 0.02, measure="nDCG@10", revise=no_reason)
    assert show_variances(logged, "t", "AP", scale="std-ab").rounds == before
    with pytest.raises(NotRecordedError):
        show_variances(logged, "t", "nDCG@10")
    first = publish(logged, "r1", 0.02, measure="nDCG@10", revise="from the overview")
    assert (first.revision, first.status) == (1, "recorded")
    recorded = list_events(logged, what="variance recorded").events
    assert [event.why for event in recorded] == ["from the overview"]
    # The same again changes nothing, and so needs no reason; another value does, as everywhere.
    assert publish(logged, "r1", 0.02, measure="nDCG@10").status == "unchanged"
    with pytest.raises(AlreadyRecordedError, match="is recorded already"):
        publish(logged, "r1", 0.03, measure="nDCG@10")
    assert publish(logged, "r1", 0.03, measure="nDCG@10", revise="erratum").revision == 2
    # Nobody revises what they have not seen.
    seen = RecordVarianceRequest(
        task="t", round="r1", measure="ndcg@10", variance=1, runs=2, topics=2, source="x"
    )
    with begin(logged, user="ann") as session:
        assert latest_variance_revision(session, seen) == 2
        other_scale = seen.model_copy(update={"scale": "std-ab"})
        assert latest_variance_revision(session, other_scale) == 0
    unseen = r"tester recorded revision 2 of the variance of nDCG@10 in round 'r1', 0\.03, while"
    with pytest.raises(RevisedMeanwhileError, match=unseen) as refused:
        publish(logged, "r1", 0.04, measure="nDCG@10", revise="no", expected_revision=1)
    assert refused.value.facts["revision"] == 2
    third = publish(logged, "r1", 0.04, measure="nDCG@10", revise="so", expected_revision=2)
    assert third.revision == 3
    # A draft takes its first as it is.
    assert publish(logged, "r2", 0.02, measure="nDCG@10").status == "recorded"
    with pytest.raises(NotRecordedError, match=r"No variance is recorded .* yet to revise"):
        publish(logged, "r3", 0.02, measure="nDCG@10", revise="why")


def test_no_published_variance_that_would_break_the_history(logged):
    for variance in (1e308, 1e101, 1e-101, 5e-324):
        with pytest.raises(InputError, match="within what scores can have"):
            publish(logged, "old", variance)
    for scale, measure in (("raw", "AP"), ("std-ab", "clicks")):
        with pytest.raises(InputError, match=r"over 11 topics is 0\.2750 at most, not 0\.28"):
            publish(logged, "old", 0.28, topics=11, scale=scale, measure=measure)
    publish(logged, "old", 1e100, measure="clicks", runs=2**31 - 1, topics=2**31 - 1)
    assert show_variances(logged, "t", "clicks").rounds[-1].variance == 1e100


def test_several_assessments_are_not_mixed(engine):
    log_scores(engine, "r1", ROUNDS["r1"], assessments="gold")
    log_scores(engine, "r1", ROUNDS["r1"] * 2, assessments="bronze")
    with pytest.raises(InputError, match="bronze, gold"):
        show_variances(engine, "t", "AP")
    shown = show_histories(engine, "t").histories
    assert [(history.assessments, len(history.rounds)) for history in shown] == [
        ("bronze", 1),
        ("gold", 1),
    ]
    assert shown[0].pooled.variance == pytest.approx(4 * shown[1].pooled.variance)
    (only,) = show_histories(engine, "t", assessments="gold").histories
    assert only.assessments == "gold"
    with pytest.raises(NotRecordedError):
        show_histories(engine, "t", assessments="silver")


def test_measures_with_other_parameters_are_not_pooled(engine):
    names = ["nDCG@10", "nDCG@20", "nDCG(gains=exp)@10", "nDCG(gains=exp;log=2)@10"]
    for name in names:
        log_scores(engine, "r1", ROUNDS["r1"], name)
    shown = show_histories(engine, "t").histories
    assert len(shown) == len(names)
    assert all(history.pooled.rounds == ["r1"] for history in shown)
    assert [len(show_variances(engine, "t", name).rounds) for name in names] == [1] * 4


@prepared
def dated(engine):
    """Rounds a (2019), b (2020) and c (without a date); AP calm, P@5 wild, RR in b only."""
    create_task(engine, "t")
    create_round(engine, "t", "a", held=date(2019, 5, 1))
    create_round(engine, "t", "b", held=date(2020, 5, 1))
    for place, label in enumerate("abc"):
        log_scores(engine, label, ROUNDS["r1"] * (1 + 0.1 * place))
        log_scores(engine, label, ROUNDS["r1"] * (1 + place), "P@5")
    log_scores(engine, "b", ROUNDS["r2"], "RR")
    return engine


def test_history_puts_the_least_stable_measure_first(dated):
    shown = show_histories(dated, "t")
    assert [history.measure for history in shown.histories] == ["P@5", "AP", "RR"]
    assert shown.histories[0].pooled.max_min_ratio == pytest.approx(9)
    assert shown.histories[1].pooled.max_min_ratio == pytest.approx(1.2**2)
    assert (shown.since, shown.undated, shown.scale) == (None, [], "raw")
    for history in shown.histories[:2]:
        assert [row.round for row in history.rounds] == ["a", "b", "c"]
        assert history == show_variances(dated, "t", history.measure)


def shown_rounds(shown):
    return {history.measure: [row.round for row in history.rounds] for history in shown.histories}


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
    assert {history.pooled.weights for history in scaled.histories} == {"topics"}
    assert {history.scale for history in scaled.histories} == {"std-ab"}


def test_history_says_when_nothing_is_left(dated):
    for filters, says in (
        ({"measures": ["nDCG@10"]}, "nDCG@10"),
        ({"rounds": ["z"]}, "z"),
        ({"since": date(2030, 1, 1)}, "rounds without a date: c"),
        ({"measures": ["RR"], "rounds": ["a"]}, "in the rounds asked for"),
    ):
        with pytest.raises(NotRecordedError, match=says):
            show_histories(dated, "t", **filters)
    withdraw_matrix(dated, show_variances(dated, "t", "RR").rounds[0].matrix, "a slip")
    with pytest.raises(
        WithdrawnError,
        match=r"^Task 't' has no variance on the scale raw\. Left out: round 'b', whose RR scores"
        r" \(matrix \d+, revision 1, official assessments\) are withdrawn: a slip\.$",
    ):
        show_histories(dated, "t", measures=["RR"])


def test_a_revision_and_a_later_factor_version_take_over(engine):
    log_scores(engine, "r1", ROUNDS["r1"])
    log_scores(engine, "r1", ROUNDS["r2"], revise="other qrels")
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
    log_scores(engine, "r0", ROUNDS["r1"])
    few = statements(engine, lambda: show_histories(engine, "t"))
    for place in range(1, 9):
        log_scores(engine, f"r{place}", ROUNDS["r1"] + place)
        publish(engine, f"p{place}", 0.1)
    many = statements(engine, lambda: show_histories(engine, "t"))
    assert len(many) == len(few)
    assert sum("variance_estimate" in statement for statement in many) == 1
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


def test_no_score_is_read(logged):
    for label in ROUNDS:  # as many rows to count as there would be
        publish(logged, f"published {label}", 0.1)
    for read in (
        lambda session: use_cases.show_variances(session, VarianceRequest(task="t", measure="AP")),
        lambda session: use_cases.show_histories(
            session, VarianceHistoryRequest(task="t", scale="std-ab")
        ),
    ):
        with begin(logged) as session:
            before = scans(session.connection)
            read(session)
            after = scans(session.connection)
        touched = {name for name in after if after[name] != before.get(name, (0, 0))}
        assert "variance_estimate" in touched
        # The names of its runs are read, whose teams are told.
        assert not touched & {"score_vector", "matrix_topic", "factor", "factor_set_run"}
    executed = statements(logged, lambda: show_histories(logged, "t"))
    assert not any("score" in statement for statement in executed)


# a team file that comes later


@prepared
def two_measures(engine):
    """Rounds r1 and r2 without teams; r2 with two measures and revised factors of one."""
    log_scores(engine, "r1", ROUNDS["r1"])
    log_scores(engine, "r2", ROUNDS["r2"])
    log_scores(engine, "r2", ROUNDS["r2"] / 2 + 0.1, measure="P@5")
    return engine


def estimates(engine, measure="AP"):
    """Return the estimates of the round r2, by scale and version."""
    return {
        (row.scale, row.version): row
        for scale in SCALES
        for row in stored_estimates(engine, scale, measure)
        if row.label == "r2"
    }


def test_teams_that_become_known_later_renew_the_estimates(two_measures):
    before = {
        measure: {
            scale: show_variances(two_measures, "t", measure, scale=scale) for scale in SCALES
        }
        for measure in ("AP", "P@5")
    }
    first = estimates(two_measures)
    done = log_scores(two_measures, "r2", ROUNDS["r2"], teams=TEAMS["r2"])
    assert done.status == "unchanged"
    assert sorted(done.remarks.renewed) == ["AP"] * 3 + ["P@5"] * 3
    assert (
        "Teams of runs became known: the intervals of 6 variance estimates (AP, P@5) were estimated"
        " anew by team. Any result saved on the earlier ones is stale."
    ) in log_notes(done)
    described = list_events(two_measures, what="runs described").events
    assert [event.details for event in described] == [{"runs": 5, "estimates_renewed": 6}]
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
    renewed = estimates(two_measures)
    assert set(renewed) == {(scale, version) for scale in SCALES for version in (1, 2)}
    same = ("topics", "runs", "sum_of_squares", "dof", "variance", "two_way_sum_of_squares")
    same += ("two_way_dof", "topic_ids", "topic_squares", "two_way_topic_squares", "factor_set_id")
    for scale in SCALES:
        old, new = renewed[scale, 1], renewed[scale, 2]
        assert old == first[scale, 1]
        assert [getattr(new, name) for name in same] == [getattr(old, name) for name in same]
        assert (new.runs_part, new.two_way_runs_part) != (old.runs_part, old.two_way_runs_part)
    assert {row.version for row in stored_estimates(two_measures) if row.label == "r1"} == {1}


def test_the_same_team_file_again_renews_nothing(two_measures):
    log_scores(two_measures, "r2", ROUNDS["r2"], teams=TEAMS["r2"])
    before = stored_estimates(two_measures)
    again = log_scores(two_measures, "r2", ROUNDS["r2"], teams=TEAMS["r2"])
    assert (again.status, again.runs_described, again.remarks.renewed) == ("unchanged", 0, [])
    assert stored_estimates(two_measures) == before
    assert len(list_events(two_measures, what="runs described").events) == 1


def test_teams_in_several_files_renew_step_by_step(two_measures):
    log_scores(two_measures, "r2", ROUNDS["r2"], teams=["A", "A", *[None] * 5])
    log_scores(two_measures, "r2", ROUNDS["r2"], teams=[None, None, "A", "B", "B", None, None])
    renewed = estimates(two_measures)
    assert [renewed["raw", version].clusters for version in (1, 2, 3)] == [7, 6, 4]
    (_, row) = show_variances(two_measures, "t", "AP").rounds
    expected = interval_of(ROUNDS["r2"], ["A", "A", "A", "B", "B", None, None], "one_way")
    assert [row.interval.low, row.interval.high] == pytest.approx(expected, rel=1e-9)
    assert row.estimate_version == 3


def test_teams_of_one_run_each_change_no_interval(two_measures):
    done = log_scores(two_measures, "r2", ROUNDS["r2"], teams=list("ABCDEFG"))
    assert (done.status, done.runs_described, done.remarks.renewed) == ("unchanged", 7, [])
    assert set(estimates(two_measures)) == {(scale, 1) for scale in SCALES}


def test_a_further_measure_that_brings_the_teams_renews_the_others(two_measures):
    done = log_scores(two_measures, "r2", ROUNDS["r2"] / 3, measure="RR", teams=TEAMS["r2"])
    assert done.status == "logged"
    assert len(done.remarks.renewed) == 6
    (logged,) = list_events(two_measures, what="matrix logged").events[-1:]
    assert logged.details["estimates_renewed"] == 6
    assert {version for _, version in estimates(two_measures, "RR")} == {1}
    assert {row.clusters for row in estimates(two_measures, "RR").values()} == {6}


def test_a_correction_that_brings_the_teams_leaves_what_it_replaces(two_measures):
    corrected = ROUNDS["r2"] + 0.01
    done = log_scores(two_measures, "r2", corrected, teams=TEAMS["r2"], revise="Judged again")
    assert done.remarks.renewed == ["P@5"] * 3
    assert {version for _, version in estimates(two_measures)} == {1}
    (_, row) = show_variances(two_measures, "t", "AP").rounds
    assert (row.revision, row.estimate_version, row.clusters) == (2, 1, 6)


def test_only_the_latest_factors_are_renewed(two_measures):
    fit_factor_set(
        two_measures, "t", "r2", "AP", runs=["run0", "run1"], reason="Baselines", user="ann"
    )
    log_scores(two_measures, "r2", ROUNDS["r2"], teams=TEAMS["r2"])
    found = rows(
        two_measures,
        "SELECT factor_set.version, estimate.version FROM roundbook.variance_estimate"
        " AS estimate JOIN roundbook.factor_set ON factor_set.id = factor_set_id"
        " JOIN roundbook.matrix ON matrix.id = estimate.matrix_id"
        " JOIN roundbook.measure ON measure.id = matrix.measure_id"
        " JOIN roundbook.round ON round.id = matrix.round_id"
        " WHERE scale = 'std-ab' AND label = 'r2' AND measure.name = 'AP' ORDER BY 1, 2",
    )
    assert found == [(1, 1), (2, 1), (2, 2)]
    (_, row) = show_variances(two_measures, "t", "AP", scale="std-ab").rounds
    assert (row.factor_version, row.estimate_version, row.clusters) == (2, 2, 6)


def test_a_saved_plan_is_stale_once_teams_become_known(two_measures):
    design = Design(m=(5,), min_d=(0.1,))
    log_scores(two_measures, "r2", ROUNDS["r2"], task="other")
    saved = {task: plan_task(two_measures, task, "AP", design) for task in ("t", "other")}
    for task, planned in saved.items():
        save_plan(two_measures, f"next {task}", planned, user="ann")
    done = log_scores(two_measures, "r2", ROUNDS["r2"], teams=TEAMS["r2"])
    shown = show_plan(two_measures, "next t")
    (stale,) = shown.stale
    assert (stale.round, stale.why) == (
        "r2",
        "its teams became known or were corrected, which its interval rests on",
    )
    # What was saved stays as it was, with the estimate that it rested on.
    assert shown.plan == saved["t"]
    assert show_plan(two_measures, "next other").stale == []
    dependents = show_impact(two_measures, done.matrix).dependents
    by_name = {entry.name: (entry.stale, entry.why) for entry in dependents}
    superseded = "teams became known or were corrected since; estimate 2 takes its place"
    assert by_name["raw variance, estimate 1"] == (True, superseded)
    assert by_name["raw variance, estimate 2"] == (False, None)
    assert by_name["std-ab variance by factor version 1, estimate 1"] == (True, superseded)
    assert [entry.stale for entry in dependents if entry.kind == "plan"] == [True]
    # Planned again, it rests on the new ones.
    renewed = plan_task(two_measures, "t", "AP", design)
    assert renewed.variance == saved["t"].variance
    save_plan(two_measures, "next t", renewed, user="ann")
    assert show_plan(two_measures, "next t").stale == []
