"""Drift in full: every number computed anew from the files, and what cannot be known said so."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats
from sqlalchemy import event
from tests.factories import (
    create_round,
    create_task,
    fit_factor_set,
    list_rounds,
    log_matrix,
    report_drift,
    save_report,
    set_round,
    show_report,
    trace_drift,
)

from roundbook.database.vectors import read_vectors
from roundbook.errors import (
    AlreadyRecordedError,
    ImpossibleStatisticError,
    InputError,
    NotRecordedError,
)
from roundbook.formats import RunTeam, ScoreMatrix, settle_missing
from roundbook.logbook.drift import ends
from roundbook.logbook.drift.curve import DriftCurve, LaterRound
from roundbook.statistics.drift.assessment import (
    SystemsLikeThese,
    TheseRuns,
    assess_drift,
    assess_recurring,
)
from roundbook.statistics.drift.units import kin_groups, unit_labels

ROOT = Path(__file__).parents[2]
MEASURE = "nDCG@10"


class Covid(NamedTuple):
    """A TREC-COVID round: scores are (topics, runs), `pooled` is a (runs,) mask."""

    topics: list[str]
    runs: list[str]
    scores: np.ndarray
    teams: list[str]
    pooled: np.ndarray

    def team_file(self, *, with_pool):
        """Return what the round's team file says of each run, with or without the pool."""
        return {
            tag: RunTeam(tag, team, None, bool(fed) if with_pool else None, None)
            for tag, team, fed in zip(self.runs, self.teams, self.pooled, strict=True)
        }


def read(shared, number):
    folder = shared / "data/treccovid"
    path = folder / f"treccovid_round{number}_ndcg10.csv"
    (_, *runs), *rows = csv.reader(path.read_text("utf-8").splitlines())
    listed = (folder / f"round{number}_run_team.csv").read_text("utf-8").splitlines()
    said = {row["run"]: row for row in csv.DictReader(listed)}
    scores = np.array([[float(cell) for cell in row[1:]] for row in rows])
    pooled = [said[tag]["contributed_to_pool"].lower() == "yes" for tag in runs]
    teams = [said[tag]["team"] for tag in runs]
    return Covid([row[0] for row in rows], runs, scores, teams, np.array(pooled))


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


def own_teams(scores):
    """Say that every run r0, r1, ... is another team's."""
    tags = [f"r{i}" for i in range(np.shape(scores)[1])]
    return {tag: RunTeam(tag, f"team of {tag}", None, None, None) for tag in tags}


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


def as_saved(figures):
    """Return figures of statistics as JSON has them."""
    return json.loads(json.dumps(asdict(figures)))


@pytest.mark.parametrize("with_teams", [False, True], ids=["all runs", "pooled runs"])
@pytest.mark.parametrize(("first", "last"), [(1, 3), (1, 2), (2, 3)])
def test_every_number_of_the_covid_report(engine, shared, first, last, with_teams):
    rounds = [read(shared, number) for number in (first, last)]
    ends, facts = [], []
    for number, covid in zip((first, last), rounds, strict=True):
        topics, runs, scores, teams, fed = covid
        said = covid.team_file(with_pool=True) if with_teams else None
        log(engine, f"round{number}", scores, topics, runs, measure=MEASURE, teams=said)
        mask = fed if with_teams else np.ones(len(runs), dtype=bool)
        ends.append((topics, scores, mask))
        known = [
            team if with_teams else None for team, used in zip(teams, mask, strict=True) if used
        ]
        kin = None if with_teams else kin_groups(scores[:, mask])
        facts += [known, [None] * len(known), kin]
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

    # What the runs as they are give.
    shift, ratio = (mean_2 - mean_1) / sd_1, sd_2 / sd_1
    assert report.shift == pytest.approx((mean_2 - mean_1).mean() / sd_1.mean(), rel=1e-10)
    assert report.mean_shift == pytest.approx(shift.mean(), rel=1e-10)
    assert report.median_shift == pytest.approx(np.median(shift), rel=1e-10)
    assert report.sd_ratio == pytest.approx(sd_2.mean() / sd_1.mean(), rel=1e-10)
    assert report.sd_ratio_geometric == pytest.approx(np.exp(np.log(ratio).mean()), rel=1e-10)
    parts = (mean_2 - mean_1 - report.shift * sd_1) / sd_1.mean()
    expected = stats.t.interval(0.95, n - 1, report.shift, stats.sem(parts))
    assert report.these_runs.shift_95 == pytest.approx(expected, rel=1e-9)
    parts = sd_2 / sd_2.mean() - sd_1 / sd_1.mean()
    expected = stats.t.interval(0.95, n - 1, np.log(report.sd_ratio), stats.sem(parts))
    assert report.these_runs.sd_ratio_95 == pytest.approx(np.exp(expected), rel=1e-9)
    assert (report.topics_used, report.tied.from_, report.tied.to) == (n, 0, 0)
    assert (report.undefined_shifts, report.undefined_sd_ratios) == (0, 0)

    # What the verdict rests on.
    units = unit_labels(*facts)
    figures = assess_drift(old, new, units.labels_from, units.labels_to)
    shown = report.model_dump(mode="json")
    for name in ("systems_like_these", "variance_parts", "needed", "verdicts"):
        assert shown[name] == as_saved(getattr(figures, name)), name
    for name in ("verdict", "why", "moved"):
        assert shown[name] == getattr(figures, name)
    assert shown["units"] == {
        "from_": units.count_from,
        "to": units.count_to,
        "shared": units.shared,
        "by": "team" if with_teams else "kin",
        "runs_without_team": 0 if with_teams else old.shape[1] + new.shape[1],
        "runs_without_system": old.shape[1] + new.shape[1],
    }
    assert report.provisional is not with_teams
    again = assess_recurring(old, new, units.labels_from, units.labels_to)
    assert (report.recurring is None) == (again is None) == (not with_teams)
    if with_teams:
        assert report.recurring.verdict == again.verdict
        assert report.recurring.systems_like_these == again.systems_like_these
        assert report.recurring.units.shared == report.units.shared >= 10

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
        topics, runs, scores, *_ = read(shared, number)
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
            assert getattr(row, name) == getattr(whole, name), name
    assert curve.summary.endswith(
        "1 aged, 1 undecided. The first round in which they had aged is 'round3'. The verdicts are"
        " not adjusted for their number."
    )


# Rounds, units (from, to, both), verdict; shift: plain, corrected, 90% and 95% interval, dof; sd
# ratio: plain, 90% and 95% interval, dof.
CHECKED = {
    ((1, 2), "team"): (
        (56, 51, 31), "undecided",
        (0.460911, 0.458659, 0.237174, 0.680145, 0.193859, 0.723460, 85.792),
        (0.936108, 0.838875, 1.049304, 0.820673, 1.072578, 77.069),
    ),
    ((1, 2), "kin"): (
        (57, 44, 0), "undecided",
        (0.460911, 0.457176, 0.192615, 0.721736, 0.140570, 0.773782, 66.775),
        (0.936108, 0.837082, 1.053064, 0.818335, 1.077189, 59.551),
    ),
    ((1, 3), "team"): (
        (56, 31, 21), "aged",
        (0.822065, 0.817120, 0.495265, 1.138975, 0.431939, 1.202301, 66.444),
        (0.994836, 0.861895, 1.166599, 0.836422, 1.202128, 52.083),
    ),
    ((2, 3), "team"): (
        (51, 31, 23), "undecided",
        (0.329840, 0.329487, 0.032854, 0.626120, -0.025463, 0.684437, 68.420),
        (1.047188, 0.914164, 1.214270, 0.888740, 1.249007, 48.530),
    ),
}  # fmt: skip


def test_check_values_on_all_runs_by_team_and_by_kin(engine, shared):
    """Check values of another program, which knew all runs for standardising ones."""
    for number in (1, 2, 3):
        covid = read(shared, number)
        for task, said in (("team", covid.team_file(with_pool=False)), ("kin", None)):
            log(
                engine, f"round{number}", covid.scores, covid.topics, covid.runs,
                task=task, measure=MEASURE, teams=said,
            )  # fmt: skip
    for ((first, last), by), (units, verdict, shift, ratio) in CHECKED.items():
        report = report_drift(
            engine, by, MEASURE, from_round=f"round{first}", to_round=f"round{last}"
        )
        like, parts = report.systems_like_these, report.variance_parts
        assert (report.units.from_, report.units.to, report.units.shared) == units
        assert (report.verdict, report.units.by) == (verdict, by)
        assert report.provisional is (by == "kin")
        found = (report.shift, like.shift, *like.shift_90, *like.shift_95)
        assert found == pytest.approx(shift[:-1], abs=6e-7)
        found = (report.sd_ratio, *like.sd_ratio_90, *like.sd_ratio_95)
        assert found == pytest.approx(ratio[:-1], abs=6e-7)
        dofs = (parts.shift.dof, parts.sd_ratio.dof)
        assert dofs == pytest.approx((shift[-1], ratio[-1]), abs=6e-4)
    aged = report_drift(engine, "kin", MEASURE)
    assert (aged.from_round, aged.to_round, aged.verdict) == ("round1", "round3", "aged")
    assert aged.headline().endswith("in round 'round3' (provisional: teams unknown).")


def test_verdicts_by_the_team_files_as_they_are(engine, shared):
    """They say who fed the pool, so that only those runs standardise, and are compared."""
    for number in (1, 2, 3):
        covid = read(shared, number)
        log(
            engine, f"round{number}", covid.scores, covid.topics, covid.runs, measure=MEASURE,
            teams=covid.team_file(with_pool=True),
        )  # fmt: skip
    for first, last, verdict, runs in (
        (1, 2, "undecided", (56, 52)),
        (1, 3, "aged", (56, 31)),
        (2, 3, "undecided", (52, 31)),
    ):
        ends = {"from_round": f"round{first}", "to_round": f"round{last}"}
        report = report_drift(engine, "task", MEASURE, **ends)
        assert (report.verdict, report.provisional) == (verdict, False)
        assert (report.tests.runs_from, report.tests.runs_to) == runs


def test_the_runs_that_the_factors_were_fitted_to_are_compared(engine):
    later = np.hstack([SCORES + 0.01, SCORES[:, :4] + 1])
    log(engine, "a", SCORES, teams=own_teams(SCORES))
    log(engine, "b", later, teams=own_teams(later))
    assert report_drift(engine, "task", "AP").verdict != "held"
    again = [f"r{i}" for i in range(9)]
    fit_factor_set(engine, "task", "b", "AP", runs=again, reason="They ran in both", user="ann")
    report = report_drift(engine, "task", "AP")
    units = np.arange(9)
    figures = assess_drift(SCORES, SCORES + 0.01, units, units)
    like, expected = report.systems_like_these, figures.systems_like_these
    assert (report.verdict, report.to_version) == ("held", 2)
    assert (report.units.to, report.units.shared, report.tests.runs_to) == (9, 9, 9)
    assert like.shift_90 == pytest.approx(expected.shift_90)
    assert like.sd_ratio_90 == pytest.approx(expected.sd_ratio_90)
    # What drift does to the scores is told of all runs of the later round.
    assert report.consequence.runs == 13


def test_teams_that_come_later_change_the_units_and_make_the_report_stale(engine, shared):
    covids = {number: read(shared, number) for number in (1, 2)}
    for number, covid in covids.items():
        log(engine, f"round{number}", covid.scores, covid.topics, covid.runs, measure=MEASURE)
    before = save_report(engine, report_drift(engine, "task", MEASURE), user="ann")
    assert (before.provisional, before.units.runs_without_team) == (True, 143 + 136)
    assert show_report(engine, "task", 1).why is None
    covid = covids[1]
    log(
        engine, "round1", covid.scores, covid.topics, covid.runs, measure=MEASURE,
        teams=covid.team_file(with_pool=True),
    )  # fmt: skip
    half = report_drift(engine, "task", MEASURE)
    assert (half.units.by, half.units.runs_without_team) == ("kin", 136)
    assert (half.units.from_, half.units.to, half.units.shared) == (56, 44, 0)
    shown = show_report(engine, "task", 1)
    assert shown.why == "the teams of 143 runs became known since"
    assert shown.renew == (
        "roundbook drift task --measure nDCG@10 --assessments official --from round1 --to round2"
        " --save"
    )
    assert save_report(engine, half, user="ann").number == 2
    shown = show_report(engine, "task", 1)
    assert shown.why.endswith("; drift report 2 takes its place")
    assert shown.renew is None
    assert show_report(engine, "task", 2).why is None


def test_the_margin_comes_from_a_difference_that_matters_unless_it_is_given(engine):
    for label in ("a", "b"):
        log(engine, label, SCORES, teams=own_teams(SCORES))
    for asked, margin, margin_from, min_d in (
        ({}, 0.2, "default", 0.1),
        ({"min_d": 0.1}, 0.1 / 0.3, "min-d", 0.1),
        ({"min_d": 0.06}, 0.2, "min-d", 0.06),
        ({"min_d": 0.06, "margin": 0.5}, 0.5, "given", 0.06),
        ({"margin": 0.2}, 0.2, "given", 0.1),
    ):
        report = report_drift(engine, "task", "AP", **asked)
        curve = trace_drift(engine, "task", "AP", **asked)
        for each in (report, curve):
            assert (each.margin, each.margin_from) == (pytest.approx(margin), margin_from)
        assert report.min_d == report.consequence.min_d == min_d
        assert any("minD" in note for note in report.notes) == (margin_from == "min-d")


SCORES = np.random.default_rng(8).random((12, 9))


def test_held_in_words_and_with_the_command_that_keeps_the_factors(engine):
    generator = np.random.default_rng(3)
    teams = own_teams(SCORES)
    log(engine, "a", SCORES, teams=teams)
    log(engine, "b", SCORES + generator.normal(0, 0.001, SCORES.shape), teams=teams)
    report = report_drift(engine, "task", "AP")
    assert (report.verdict, report.why, report.provisional) == ("held", None, False)
    assert (report.units.from_, report.units.to, report.units.shared) == (9, 9, 9)
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
    with pytest.raises(AlreadyRecordedError, match=r"'Disks 4&5', not 'AQUAINT'; add --force"):
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
    with pytest.raises(NotRecordedError, match="no round 'c'"):
        set_round(engine, "task", "c", collection="X")


def test_other_collections_share_no_bridge(engine):
    for label in ("2004", "2005", "2006"):
        log(engine, label, SCORES, teams=own_teams(SCORES))
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
        with pytest.raises(ImpossibleStatisticError, match="must be positive"):
            use_case(engine, "task", "AP", margin=margin)
        with pytest.raises(ImpossibleStatisticError, match="must exceed 1"):
            use_case(engine, "task", "AP", sd_ratio_margin=margin)


@pytest.mark.parametrize("design", [{"m": 1}, {"min_d": 0}, {"min_d": float("nan")}])
def test_an_impossible_design(engine, design):
    log(engine, "a", SCORES)
    log(engine, "b", SCORES + 0.1)
    with pytest.raises(ImpossibleStatisticError):
        report_drift(engine, "task", "AP", **design)


def test_constant_matrices(engine):
    log(engine, "flat", np.full((4, 5), 0.5))
    log(engine, "flat again", np.full((4, 5), 0.7))
    log(engine, "spread", SCORES[:4, :5])
    flat = report_drift(engine, "task", "AP", to_round="flat again")
    assert (flat.verdict, flat.shared_topics, flat.mean_shift) == ("unbridged", 4, None)
    assert "all runs of 'flat' tie" in flat.reason
    assert (flat.why, flat.provisional, flat.notes) == ("no shared topic with spread", False, [])
    assert (flat.topics_used, flat.tied.from_, flat.tied.to) == (0, 4, 4)
    assert flat.unbridged.means.welch.reason
    assert flat.tests.paired_t.reason
    assert {row.shift for row in flat.topics} == {None}
    assert all(row.untested for row in flat.topics)
    assert flat.consequence is None
    into = report_drift(engine, "task", "AP", from_round="spread", to_round="flat")
    assert (into.sd_ratio, into.sd_ratio_geometric, into.tied.to) == (0, None, 4)
    assert (into.verdict, into.why) == ("undecided", "fewer than 5 topics")
    assert into.undefined_sd_ratios == 4
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
    assert (report.verdict, report.why) == ("undecided", "fewer than 5 topics")
    assert (report.shared_topics, report.these_runs) == (1, TheseRuns())
    assert (report.systems_like_these, report.needed.shift) == (SystemsLikeThese(), None)
    assert "an interval needs at least 5 of them, and there is 1" in report.reason
    assert report.consequence.later.variance is None
    assert "at least two topics" in report.consequence.later.reason
    assert "at least two topics" in report.tests.paired_t.reason


def test_figures_beyond_every_float_are_not_known(engine):
    log(engine, "a", SCORES * 1e-150, teams=own_teams(SCORES))
    log(engine, "b", SCORES * 1e99)
    report = report_drift(engine, "task", "AP")
    like = report.systems_like_these
    assert (like.shift_95, like.shift_90, report.these_runs.shift_95) == (None, None, None)
    assert (report.variance_parts.shift, report.needed.shift) == (None, None)
    assert "too far apart in size for any interval" in report.reason
    (row,) = trace_drift(engine, "task", "AP").rounds
    assert row.systems_like_these.shift_95 is None


def test_too_many_topics_are_a_reason_and_no_error(engine):
    log(engine, "a", SCORES)
    log(engine, "b", SCORES + 0.01)
    done = report_drift(engine, "task", "AP", min_d=1e-6).consequence
    assert done.earlier.topics_needed is None
    assert "10,000,000 topics" in done.earlier.reason


# The curve


def test_the_curve_takes_as_many_queries_for_many_rounds_and_reads_each_matrix_once(
    engine, monkeypatch
):
    generator = np.random.default_rng(1)
    for number in range(12):
        log(engine, f"r{number}", generator.random((5, 4)) + 0.02 * number)
    log(engine, "one run", generator.random((5, 1)))  # has no factors
    asked, copied = {}, []

    def read_once(connection, matrix_id, topics):
        copied.append(matrix_id)
        return read_vectors(connection, matrix_id, topics)

    monkeypatch.setattr(ends, "read_vectors", read_once)
    for start in ("r9", "r0"):
        statements = asked.setdefault(start, [])

        def note(connection, cursor, statement, *_, statements=statements):
            statements.append(statement)

        event.listen(engine, "before_cursor_execute", note)
        curve = trace_drift(engine, "task", "AP", from_round=start)
        event.remove(engine, "before_cursor_execute", note)
        assert len(curve.rounds) == 11 - int(start[1:])
    assert len(asked["r0"]) == len(asked["r9"]) <= 8
    assert not any("score_vector.scores" in statement for statement in asked["r0"])
    assert copied == [*range(10, 13), *range(1, 13)]
    assert [row.round for row in curve.rounds] == [f"r{number}" for number in range(1, 12)]


def test_the_curve_takes_each_round_by_its_latest_factors(engine):
    log(engine, "a", SCORES, teams=own_teams(SCORES))
    log(engine, "b", SCORES + 5, teams=own_teams(SCORES))
    log(engine, "b", SCORES, revise="the scores were wrong")
    (row,) = trace_drift(engine, "task", "AP").rounds
    assert (row.version, row.verdict) == (2, "held")
    assert row.mean_shift == pytest.approx(0)
    assert report_drift(engine, "task", "AP").to_version == 2


def test_no_curve(engine):
    log(engine, "a", SCORES)
    with pytest.raises(NotRecordedError, match="only round 'a' has"):
        trace_drift(engine, "task", "AP")
    log(engine, "b", SCORES)
    with pytest.raises(NotRecordedError, match="No round after 'b'"):
        trace_drift(engine, "task", "AP", from_round="b")
    with pytest.raises(NotRecordedError, match="no round 'z'"):
        trace_drift(engine, "task", "AP", from_round="z")
    create_round(engine, "task", "empty")
    with pytest.raises(NotRecordedError, match="Round 'empty' has no AP standardisation factors"):
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
