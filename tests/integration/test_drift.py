"""Drift in full: every number computed anew from the files, and what cannot be known said so."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sqlalchemy import event

from service.errors import AlreadyRecorded, ImpossibleStatistic, InputError, NotRecorded
from service.formats import RunTeam, ScoreMatrix, settle_missing
from service.logbook.drift.curve import DriftCurve, LaterRound, trace_drift
from service.logbook.drift.report import report_drift
from service.logbook.matrices.logging import log_matrix
from service.logbook.rounds import create_round, list_rounds, set_round
from service.logbook.tasks import create_task

ROOT = Path(__file__).parents[2]
MEASURE = "nDCG@10"


def read(shared, number):
    """Return a TREC-COVID round: topics, runs, scores (topics, runs), pooled runs (mask)."""
    folder = shared / "data/treccovid"
    path = folder / f"treccovid_round{number}_ndcg10.csv"
    (_, *runs), *rows = csv.reader(path.read_text("utf-8").splitlines())
    teams = (folder / f"round{number}_run_team.csv").read_text("utf-8").splitlines()
    pooled = {
        row["run"] for row in csv.DictReader(teams) if row["contributed_to_pool"].lower() == "yes"
    }
    scores = np.array([[float(cell) for cell in row[1:]] for row in rows])
    return [row[0] for row in rows], runs, scores, np.array([tag in pooled for tag in runs])


def settled(scores, topics=None, runs=None):
    scores = np.asarray(scores, dtype=float)
    matrix = ScoreMatrix(
        topics=tuple(topics or (f"t{j}" for j in range(scores.shape[0]))),
        runs=tuple(runs or (f"r{i}" for i in range(scores.shape[1]))),
        scores=scores,
        measure=None,
        layout="wide",
        files=("test",),
    )
    return settle_missing(matrix, "reject")


def log(engine, label, scores, topics=None, runs=None, *, task="task", measure="AP", **options):
    options = {"create": True, "user": "tester", **options}
    return log_matrix(engine, task, label, measure, settled(scores, topics, runs), **options)


def pooled_teams(runs, pooled):
    return {
        tag: RunTeam(tag, "team", None, bool(fed), None)
        for tag, fed in zip(runs, pooled, strict=True)
    }


def systems(**named):
    return {tag: RunTeam(tag, "team", None, None, system) for tag, system in named.items()}


def topics_needed(variance, m=10, min_d=0.1, alpha=0.05, beta=0.20):
    """Return the smallest topic set by trying one after another."""
    for n in range(2, 10_000):
        dof = (m - 1, m * (n - 1))
        reached = stats.ncf.sf(stats.f.isf(alpha, *dof), *dof, n * min_d**2 / (2 * variance))
        if reached >= 1 - beta:
            return n
    raise AssertionError


def holm(p):
    """Return adjusted p values one by one."""
    adjusted, largest = [0.0] * len(p), 0.0
    for step, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - step) * p[place]))
        adjusted[place] = largest
    return adjusted


@pytest.mark.parametrize("with_teams", [False, True], ids=["all runs", "pooled runs"])
@pytest.mark.parametrize(("first", "last"), [(1, 3), (1, 2), (2, 3)])
def test_every_number_of_the_covid_report(engine, shared, first, last, with_teams):
    ends = []
    for number in (first, last):
        topics, runs, scores, fed = read(shared, number)
        teams = pooled_teams(runs, fed) if with_teams else None
        log(engine, f"round{number}", scores, topics, runs, measure=MEASURE, teams=teams)
        ends.append((topics, scores, fed if with_teams else np.ones(len(runs), dtype=bool)))
    (topics_1, scores_1, mask_1), (topics_2, scores_2, mask_2) = ends
    shared_topics = [name for name in topics_1 if name in topics_2]
    old = scores_1[[topics_1.index(name) for name in shared_topics]]
    new = scores_2[[topics_2.index(name) for name in shared_topics]]
    latest = new  # all runs of the later round
    old, new = old[:, mask_1], new[:, mask_2]
    mean_1, mean_2 = old.mean(1), new.mean(1)
    sd_1, sd_2 = old.std(1, ddof=1), new.std(1, ddof=1)

    report = report_drift(engine, "task", MEASURE)
    assert (report.from_round, report.to_round) == (f"round{first}", f"round{last}")
    assert report.shared_topics == len(shared_topics) == {1: 30, 2: 35}[first]
    n = len(shared_topics)

    # Shift and ratio with their intervals.
    shift, log_ratio = (mean_2 - mean_1) / sd_1, np.log(sd_2 / sd_1)
    assert report.mean_shift == pytest.approx(shift.mean(), rel=1e-10)
    assert report.sd_ratio == pytest.approx(np.exp(log_ratio.mean()), rel=1e-10)
    for level in (0.90, 0.95):
        named = f"{100 * level:.0f}"
        expected = stats.t.interval(level, n - 1, shift.mean(), stats.sem(shift))
        assert getattr(report, f"mean_shift_{named}") == pytest.approx(expected, rel=1e-9)
        expected = stats.t.interval(level, n - 1, log_ratio.mean(), stats.sem(log_ratio))
        assert getattr(report, f"sd_ratio_{named}") == pytest.approx(np.exp(expected), rel=1e-9)

    # Topic by topic.
    welch = stats.ttest_ind(new, old, axis=1, equal_var=False)
    spread = [stats.levene(*pair, center="median") for pair in zip(old, new, strict=True)]
    adjusted = holm(welch.pvalue.tolist()), holm([float(each.pvalue) for each in spread])
    assert [row.topic for row in report.topics] == shared_topics
    for j, row in enumerate(report.topics):
        assert (row.mean_from, row.sd_from) == pytest.approx((mean_1[j], sd_1[j]), rel=1e-9)
        assert (row.mean_to, row.sd_to) == pytest.approx((mean_2[j], sd_2[j]), rel=1e-9)
        assert row.shift == pytest.approx(shift[j], rel=1e-8)
        assert row.sd_ratio == pytest.approx(sd_2[j] / sd_1[j], rel=1e-9)
        assert row.welch_t == pytest.approx(welch.statistic[j], rel=1e-8)
        assert row.welch_dof == pytest.approx(welch.df[j], rel=1e-9)
        assert row.welch_p == pytest.approx(welch.pvalue[j], rel=1e-6)
        assert row.welch_p_holm == pytest.approx(adjusted[0][j], rel=1e-6)
        assert row.brown_forsythe_f == pytest.approx(spread[j].statistic, rel=1e-7)
        assert row.brown_forsythe_dof == old.shape[1] + new.shape[1] - 2
        assert row.brown_forsythe_p == pytest.approx(spread[j].pvalue, rel=1e-6)
        assert row.brown_forsythe_p_holm == pytest.approx(adjusted[1][j], rel=1e-6)
        assert row.untested is None

    # Over topics.
    tests = report.tests
    assert (tests.runs_from, tests.runs_to) == (old.shape[1], new.shape[1])
    which = "pooled" if with_teams else "all"
    assert (tests.standardising_from, tests.standardising_to) == (which, which)
    assert tests.welch_significant == sum(p < 0.05 for p in adjusted[0])
    assert tests.brown_forsythe_significant == sum(p < 0.05 for p in adjusted[1])
    for test, expected in (
        (tests.paired_t, stats.ttest_rel(mean_2, mean_1)),
        (tests.wilcoxon, stats.wilcoxon(mean_2, mean_1)),
        (tests.pearson, stats.pearsonr(mean_1, mean_2)),
        (tests.kendall, stats.kendalltau(mean_1, mean_2)),
    ):
        assert test.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert test.p_value == pytest.approx(expected.pvalue, rel=1e-7)

    # What it does to the later round's runs.
    done = report.consequence
    run_means = []
    for under, mean, sd in ((done.earlier, mean_1, sd_1), (done.later, mean_2, sd_2)):
        unclipped = 0.15 * (latest - mean[:, None]) / sd[:, None] + 0.5
        scaled = np.clip(unclipped, 0, 1)
        assert under.mean == pytest.approx(scaled.mean(), rel=1e-10)
        assert under.clipped_at_0 == pytest.approx(np.mean(unclipped < 0), abs=1e-12)
        assert under.clipped_at_1 == pytest.approx(np.mean(unclipped > 1), abs=1e-12)
        variance = scaled.var(axis=0, ddof=1).mean()
        assert under.variance == pytest.approx(variance, rel=1e-9)
        assert under.topics_needed == topics_needed(variance)
        run_means.append(scaled.mean(axis=0).round(12))
    assert (done.topics, done.runs) == latest.shape
    assert done.bias == pytest.approx(done.earlier.mean - done.later.mean, abs=1e-12)
    assert done.kendall_tau == pytest.approx(stats.kendalltau(*run_means).statistic, rel=1e-9)
    assert (report.revived, report.unbridged) == (None, None)


def test_the_published_check_values_of_rounds_1_and_3(engine, shared):
    for number in (1, 2, 3):
        topics, runs, scores, _ = read(shared, number)
        log(engine, f"round{number}", scores, topics, runs, measure=MEASURE)
    report = report_drift(engine, "task", MEASURE)
    tests, done = report.tests, report.consequence
    assert (report.verdict, report.shared_topics) == ("aged", 30)
    assert (tests.welch_significant, tests.brown_forsythe_significant) == (27, 13)
    figures = [
        (tests.paired_t.statistic, 6.24, 2),
        (tests.wilcoxon.statistic, 33, 0),
        (tests.pearson.statistic, 0.368, 3),
        (tests.kendall.statistic, 0.320, 3),
        (done.earlier.mean, 0.6309, 4),
        (done.later.mean, 0.5000, 4),
        (100 * done.earlier.clipped_at_1, 3.67, 2),
        (done.kendall_tau, 0.964, 3),
        (done.earlier.variance, 0.02493, 5),
        (done.later.variance, 0.01080, 5),
    ]
    assert [round(found, digits) for found, _, digits in figures] == [
        expected for _, expected, _ in figures
    ]
    assert (done.earlier.topics_needed, done.later.topics_needed) == (79, 35)
    smaller = report_drift(engine, "task", MEASURE, m=2, min_d=0.2).consequence
    assert (smaller.earlier.topics_needed, smaller.later.topics_needed) == tuple(
        topics_needed(each.variance, m=2, min_d=0.2) for each in (done.earlier, done.later)
    )
    # The curve has the same figures in a row each.
    curve = trace_drift(engine, "task", MEASURE)
    assert [row.round for row in curve.rounds] == ["round2", "round3"]
    for row in curve.rounds:
        whole = report_drift(engine, "task", MEASURE, to_round=row.round)
        of_the_later = {"round", "matrix", "revision", "version", "collection"}
        for name in set(LaterRound.model_fields) - of_the_later:
            assert getattr(row, name) == pytest.approx(getattr(whole, name)), name
    assert "2 aged" in curve.summary
    assert "'round2'" in curve.summary


SCORES = np.random.default_rng(8).random((12, 9))


def test_held_in_words_and_with_the_command_that_keeps_the_factors(engine):
    generator = np.random.default_rng(3)
    log(engine, "a", SCORES)
    log(engine, "b", SCORES + generator.normal(0, 0.001, SCORES.shape))
    report = report_drift(engine, "task", "AP", sd_ratio_margin=1.5)
    assert report.verdict == "held"
    assert report.headline().startswith("HELD")
    assert "90% interval" in report.reason
    assert [each.command for each in report.commands] == [
        "roundbook standardise task b --measure AP --factors-from a",
        "roundbook factors show task a --measure AP",
    ]
    assert report.consequence.bias == pytest.approx(0, abs=0.01)


def test_names_are_quoted_in_the_commands(engine):
    log(engine, "first one", SCORES, task="it's")
    log(engine, "b", SCORES + 1, task="it's")
    report = report_drift(engine, "it's", "AP", assessments="official")
    assert report.commands[1].command == (
        "roundbook standardise 'it'\"'\"'s' 'first one' --measure AP --assessments official"
        " --factors-from b"
    )


# Collections


def test_a_collection_is_declared_filled_in_and_not_changed_silently(engine):
    create_task(engine, "task")
    assert create_round(engine, "task", "a", collection=" CORD-19 ").collection == "CORD-19"
    assert create_round(engine, "task", "b").collection is None
    assert set_round(engine, "task", "b", collection="Disks 4&5").collection == "Disks 4&5"
    assert set_round(engine, "task", "b", collection="Disks 4&5").collection == "Disks 4&5"
    with pytest.raises(AlreadyRecorded, match=r"'Disks 4&5', not 'AQUAINT'; add --force"):
        set_round(engine, "task", "b", collection="AQUAINT")
    assert [each.collection for each in list_rounds(engine, "task").rounds] == [
        "CORD-19",
        "Disks 4&5",
    ]
    assert set_round(engine, "task", "b", collection="AQUAINT", force=True).collection == "AQUAINT"
    with pytest.raises(InputError, match="--collection"):
        set_round(engine, "task", "b")
    with pytest.raises(InputError, match="printable name"):
        set_round(engine, "task", "b", collection="  ")
    with pytest.raises(NotRecorded, match="no round 'c'"):
        set_round(engine, "task", "c", collection="X")


def test_other_collections_share_no_bridge(engine):
    for label in ("2004", "2005", "2006"):
        log(engine, label, SCORES)
    same = report_drift(engine, "task", "AP", to_round="2005")
    assert (same.verdict, same.shared_topics) == ("held", 12)
    assert "'2004' and '2005' were held on the same document collection" in same.assumed
    set_round(engine, "task", "2004", collection="Disks 4&5")
    one = report_drift(engine, "task", "AP", to_round="2005")
    assert one.shared_topics == 12
    assert "round '2005' was held on the document collection 'Disks 4&5' too" in one.assumed
    assert "roundbook round set task 2005 --collection NAME" in one.assumed
    set_round(engine, "task", "2005", collection="AQUAINT")
    set_round(engine, "task", "2006", collection="disks 4&5")
    apart = report_drift(engine, "task", "AP", to_round="2005")
    assert (apart.verdict, apart.shared_topics, apart.topics) == ("unbridged", 0, [])
    assert (apart.from_collection, apart.to_collection) == ("Disks 4&5", "AQUAINT")
    assert "'Disks 4&5'" in apart.reason
    assert "'AQUAINT'" in apart.reason
    assert (apart.tests, apart.consequence, apart.assumed) == (None, None, None)
    assert apart.unbridged is not None
    declared = report_drift(engine, "task", "AP", to_round="2006")
    assert (declared.shared_topics, declared.assumed) == (12, None)
    curve = trace_drift(engine, "task", "AP")
    assert [row.verdict for row in curve.rounds] == ["unbridged", "held"]
    assert [row.shared_topics for row in curve.rounds] == [0, 12]
    assert curve.assumed is None


# Revived systems


def test_revived_systems_bridge_rounds_with_other_topics(engine):
    generator = np.random.default_rng(4)
    before, after = generator.random((8, 6)), generator.random((10, 7))
    log(
        engine, "a", before, [f"a{j}" for j in range(8)], [f"r{i}" for i in range(6)],
        teams=systems(r0="bm25", r1="dense", r2="dense", r3=None),
    )  # fmt: skip
    log(
        engine, "b", after, [f"b{j}" for j in range(10)], [f"s{i}" for i in range(7)],
        teams=systems(s4="bm25", s5="dense", s6="fresh"),
    )  # fmt: skip
    report = report_drift(engine, "task", "AP")
    found = report.revived
    assert (report.verdict, report.shared_topics) == ("unbridged", 0)
    std_1, std_2 = (
        (each - each.mean(1)[:, None]) / each.std(1, ddof=1)[:, None] for each in (before, after)
    )
    expected = {
        "bm25": (std_1[:, 0].mean(), std_2[:, 4].mean(), ["r0"], ["s4"]),
        "dense": (std_1[:, 1:3].mean(), std_2[:, 5].mean(), ["r1", "r2"], ["s5"]),
    }
    assert [each.system for each in found.systems] == list(expected)
    for each in found.systems:
        first, later, runs_from, runs_to = expected[each.system]
        assert (each.mean_from, each.mean_to) == pytest.approx((first, later))
        assert each.difference == pytest.approx(later - first)
        assert (each.runs_from, each.runs_to) == (runs_from, runs_to)
    moved = np.array([later - first for first, later, *_ in expected.values()])
    assert found.mean_difference == pytest.approx(moved.mean())
    interval = stats.t.interval(0.95, 1, moved.mean(), stats.sem(moved))
    assert found.mean_difference_95 == pytest.approx(interval)
    assert found.verdict == "undecided"
    assert found.reason.startswith("2 systems ran in both rounds")


def test_revived_systems_that_fell_alike_have_aged_and_one_alone_tells_nothing(engine):
    base = np.random.default_rng(5).normal(0, 1, (30, 12))
    runs = [f"r{i}" for i in range(12)]
    teams = systems(**{tag: f"system{tag}" for tag in runs[:6]})
    log(engine, "a", base, runs=runs, teams=teams)
    better = base.copy()
    better[:, 6:] += 3  # all others are other, better systems
    log(engine, "b", better, [f"new{j}" for j in range(30)], runs, teams=teams)
    found = report_drift(engine, "task", "AP").revived
    assert (found.verdict, len(found.systems)) == ("aged", 6)
    assert found.mean_difference < -0.5
    log(engine, "c", base, [f"c{j}" for j in range(30)], runs, teams=systems(r3="systemr3"))
    alone = report_drift(engine, "task", "AP", from_round="a", to_round="c").revived
    assert (alone.verdict, alone.mean_difference_95) == ("undecided", None)
    assert alone.mean_difference == pytest.approx(0)


def test_revived_systems_on_tied_topics_only_tell_nothing(engine):
    log(engine, "a", np.ones((3, 4)), teams=systems(r0="x"))
    log(engine, "b", SCORES[:3, :4], ["x", "y", "z"], teams=systems(r0="x"))
    found = report_drift(engine, "task", "AP").revived
    assert (found.verdict, found.mean_difference, found.systems) == ("unbridged", None, [])
    assert "no topic of round 'a' has an sd above 0" in found.reason


# Unbridged


def test_unbridged_rounds_are_laid_side_by_side_and_labelled(engine):
    first, later = SCORES, SCORES[:7, :5] ** 2
    log(engine, "a", first)
    log(engine, "b", later, [f"u{j}" for j in range(7)])
    report = report_drift(engine, "task", "AP")
    assert (report.verdict, report.tests, report.consequence) == ("unbridged", None, None)
    assert report.consequence_reason
    assert report.unbridged.note.startswith("No evidence that factors moved")
    for compared, old, new in (
        (report.unbridged.means, first.mean(1), later.mean(1)),
        (report.unbridged.sds, first.std(1, ddof=1), later.std(1, ddof=1)),
    ):
        for side, values in ((compared.earlier, old), (compared.later, new)):
            assert side.topics == values.size
            assert (side.mean, side.sd) == pytest.approx((values.mean(), values.std(ddof=1)))
            quantiles = (
                *(side.least, side.lower_quartile, side.median),
                *(side.upper_quartile, side.largest),
            )
            assert quantiles == pytest.approx(np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
        welch = stats.ttest_ind(new, old, equal_var=False)
        assert compared.welch.p_value == pytest.approx(welch.pvalue)
        spread = stats.levene(old, new, center="median")
        assert compared.brown_forsythe.p_value == pytest.approx(spread.pvalue)


# What cannot be known


@pytest.mark.parametrize("margin", [0, -0.2, float("nan"), float("inf")])
def test_an_impossible_margin(engine, margin):
    log(engine, "a", SCORES)
    log(engine, "b", SCORES + 0.1)
    for use_case in (report_drift, trace_drift):
        with pytest.raises(ImpossibleStatistic, match="must be positive"):
            use_case(engine, "task", "AP", margin=margin)
        with pytest.raises(ImpossibleStatistic, match="must exceed 1"):
            use_case(engine, "task", "AP", sd_ratio_margin=margin)


@pytest.mark.parametrize("design", [{"m": 1}, {"min_d": 0}, {"min_d": float("nan")}])
def test_an_impossible_design(engine, design):
    log(engine, "a", SCORES)
    log(engine, "b", SCORES + 0.1)
    with pytest.raises(ImpossibleStatistic):
        report_drift(engine, "task", "AP", **design)


def test_constant_matrices(engine):
    log(engine, "flat", np.full((4, 5), 0.5))
    log(engine, "flat again", np.full((4, 5), 0.7))
    log(engine, "spread", SCORES[:4, :5])
    flat = report_drift(engine, "task", "AP", to_round="flat again")
    assert (flat.verdict, flat.shared_topics, flat.mean_shift) == ("unbridged", 4, None)
    assert "all runs of 'flat' tie" in flat.reason
    assert flat.unbridged.means.welch.reason
    assert flat.tests.paired_t.reason
    assert {row.shift for row in flat.topics} == {None}
    assert all(row.untested for row in flat.topics)
    assert flat.consequence is None
    into = report_drift(engine, "task", "AP", from_round="spread", to_round="flat")
    assert into.sd_ratio is None
    assert into.consequence.later.variance == 0
    assert into.consequence.later.topics_needed is None
    assert "variance is 0" in into.consequence.later.reason
    assert into.consequence.kendall_tau is None
    assert into.consequence.kendall_tau_reason == "All runs tie."


def test_no_topic_has_a_spread_in_both_rounds_and_tied_topics_are_dropped(engine):
    log(engine, "spread", SCORES[:4, :5], zero_sd="drop")
    log(engine, "flat", np.full((4, 5), 0.5), zero_sd="drop")
    report = report_drift(engine, "task", "AP")
    assert report.consequence is None
    assert "none of the topics has one" in report.consequence_reason


def test_one_shared_topic_has_no_interval(engine):
    log(engine, "a", SCORES[:2], ["x", "y"])
    log(engine, "b", SCORES[2:4], ["y", "z"])
    report = report_drift(engine, "task", "AP")
    assert (report.verdict, report.shared_topics, report.mean_shift_95) == ("undecided", 1, None)
    assert "a single topic gives no interval" in report.reason
    assert report.consequence.later.variance is None
    assert "at least two topics" in report.consequence.later.reason
    assert "at least two topics" in report.tests.paired_t.reason


def test_figures_beyond_every_float_are_not_known(engine):
    log(engine, "a", SCORES[:3] * 1e-150)
    log(engine, "b", SCORES[:3] * 1e99)
    report = report_drift(engine, "task", "AP")
    assert (report.mean_shift_95, report.mean_shift_90) == (None, None)
    assert "too far apart for an interval" in report.reason
    (row,) = trace_drift(engine, "task", "AP").rounds
    assert row.mean_shift_95 is None


def test_too_many_topics_are_a_reason_and_no_error(engine):
    log(engine, "a", SCORES)
    log(engine, "b", SCORES + 0.01)
    done = report_drift(engine, "task", "AP", min_d=1e-6).consequence
    assert done.earlier.topics_needed is None
    assert "10,000,000 topics" in done.earlier.reason


# The curve


def test_the_curve_takes_as_many_queries_for_many_rounds_and_reads_no_score(engine):
    generator = np.random.default_rng(1)
    for number in range(12):
        log(engine, f"r{number}", generator.random((5, 4)) + 0.02 * number)
    log(engine, "one run", generator.random((5, 1)))  # has no factors
    asked = {}
    for start in ("r9", "r0"):
        statements = asked.setdefault(start, [])

        def note(connection, cursor, statement, *_, statements=statements):
            statements.append(statement)

        event.listen(engine, "before_cursor_execute", note)
        curve = trace_drift(engine, "task", "AP", from_round=start)
        event.remove(engine, "before_cursor_execute", note)
        assert len(curve.rounds) == 11 - int(start[1:])
    assert len(asked["r0"]) == len(asked["r9"]) <= 7
    assert not any("score" in statement for statement in asked["r0"])
    assert [row.round for row in curve.rounds] == [f"r{number}" for number in range(1, 12)]


def test_the_curve_takes_each_round_by_its_latest_factors(engine):
    log(engine, "a", SCORES)
    log(engine, "b", SCORES + 5)
    log(engine, "b", SCORES, revise="the scores were wrong")
    (row,) = trace_drift(engine, "task", "AP").rounds
    assert (row.version, row.verdict) == (2, "held")
    assert row.mean_shift == pytest.approx(0)
    assert report_drift(engine, "task", "AP").to_version == 2


def test_no_curve(engine):
    log(engine, "a", SCORES)
    with pytest.raises(NotRecorded, match="only round 'a' has"):
        trace_drift(engine, "task", "AP")
    log(engine, "b", SCORES)
    with pytest.raises(NotRecorded, match="No round after 'b'"):
        trace_drift(engine, "task", "AP", from_round="b")
    with pytest.raises(NotRecorded, match="no round 'z'"):
        trace_drift(engine, "task", "AP", from_round="z")
    create_round(engine, "task", "empty")
    with pytest.raises(NotRecorded, match="Round 'empty' has no AP standardisation factors"):
        trace_drift(engine, "task", "AP", from_round="empty")


def test_the_keys_of_the_curve_are_documented():
    page = (ROOT / "docs/reference/json-keys.md").read_text(encoding="utf-8")
    section = page.split("## roundbook drift --curve\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`([a-z_0-9]+)`", section))
    keys = {
        field.serialization_alias or name
        for model in (DriftCurve, LaterRound)
        for name, field in model.model_fields.items()
    }
    assert keys <= named
