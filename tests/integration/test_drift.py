"""Drift on the record: every number computed anew from the files, and which rounds are compared."""

from __future__ import annotations

import csv
import itertools
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
    log_scores,
    report_drift,
    save_report,
    set_round,
    show_result,
    trace_drift,
    withdraw_matrix,
)

from roundbook.database.vectors import read_vectors
from roundbook.errors import AlreadyRecordedError, InputError, NotRecordedError, WithdrawnError
from roundbook.formats import RunTeam
from roundbook.logbook.drift import compared_rounds
from roundbook.logbook.drift.report import DriftCurve, LaterRound
from roundbook.presentation.drift import assumed
from roundbook.presentation.drift_curve import curve_notes, summary
from roundbook.presentation.drift_verdict import curve_reason, headline, reason
from roundbook.presentation.saved_results import why_stale
from roundbook.presentation.views import view_of
from roundbook.statistics.drift.assessment import assess_drift, assess_recurring
from roundbook.statistics.drift.units import RunsOfRound, kin_groups, unit_labels
from roundbook_cli.drift_commands import report_text

pytestmark = pytest.mark.one_server

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
    facts = {row["run"]: row for row in csv.DictReader(listed)}
    scores = np.array([[float(cell) for cell in row[1:]] for row in rows])
    pooled = [facts[tag]["contributed_to_pool"].lower() == "yes" for tag in runs]
    teams = [facts[tag]["team"] for tag in runs]
    return Covid([row[0] for row in rows], runs, scores, teams, np.array(pooled))


def log_covid(engine, covids, *, task="t", with_pool=None):
    """Log TREC-COVID rounds, by number; with their teams unless `with_pool` is None."""
    for number, covid in covids.items():
        teams = None if with_pool is None else covid.team_file(with_pool=with_pool)
        log_scores(
            engine, f"round{number}", covid.scores, MEASURE, task=task, topics=covid.topics,
            runs=covid.runs, teams=teams,
        )  # fmt: skip


@pytest.fixture(scope="module")
def covids(shared):
    """The three TREC-COVID rounds, by number."""
    return {number: read(shared, number) for number in (1, 2, 3)}


def own_teams(scores):
    """Return a team of its own for every run."""
    return [f"team {i}" for i in range(np.shape(scores)[1])]


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
    for step, index in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - step) * p[index]))
        adjusted[index] = largest
    return adjusted


def as_saved(figures):
    """Return figures of statistics as JSON has them."""
    return json.loads(json.dumps(asdict(figures)))


@pytest.mark.long
@pytest.mark.parametrize("with_teams", [False, True], ids=["all runs", "pooled runs"])
def test_every_number_of_the_covid_reports(engine, covids, with_teams):
    log_covid(engine, covids, with_pool=True if with_teams else None)
    verdicts = {}
    for first, last in itertools.combinations(covids, 2):
        labels = {"from_round": f"round{first}", "to_round": f"round{last}"}
        report = report_drift(engine, "t", MEASURE, **labels)
        assert {"from_round": report.from_round, "to_round": report.to_round} == labels
        assert report.shared_topics == {1: 30, 2: 35}[first]
        check_every_number(report, covids[first], covids[last], with_teams=with_teams)
        verdicts[first, last] = report.verdict
    # By the team files as they are, which say who fed the pool: only those runs standardise.
    assert verdicts == {(1, 2): "undecided", (1, 3): "aged", (2, 3): "undecided"}
    default = report_drift(engine, "t", MEASURE)
    assert (default.from_round, default.to_round) == ("round1", "round3")


def check_every_number(report, first, later, *, with_teams):
    """Compute every number of a report anew from the files."""
    sides, known = [], []
    for covid in (first, later):
        mask = covid.pooled if with_teams else np.ones(len(covid.runs), dtype=bool)
        sides.append((covid.topics, covid.scores, mask))
        teams = [
            team if with_teams else None
            for team, used in zip(covid.teams, mask, strict=True)
            if used
        ]
        kin = None if with_teams else kin_groups(covid.scores[:, mask])
        known += [teams, [None] * len(teams), kin]
    (topics_1, scores_1, mask_1), (topics_2, scores_2, mask_2) = sides
    shared_topics = [name for name in topics_1 if name in topics_2]
    old = scores_1[[topics_1.index(name) for name in shared_topics]]
    new = scores_2[[topics_2.index(name) for name in shared_topics]]
    latest = new  # all runs of the later round
    old, new = old[:, mask_1], new[:, mask_2]
    mean_1, mean_2 = old.mean(1), new.mean(1)
    sd_1, sd_2 = old.std(1, ddof=1), new.std(1, ddof=1)

    assert report.shared_topics == len(shared_topics)
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
    units = unit_labels(RunsOfRound(*known[:3]), RunsOfRound(*known[3:]))
    figures = assess_drift(old, new, units.labels_from, units.labels_to)
    shown = report.model_dump(mode="json")
    for name in ("systems_like_these", "variance_parts", "needed", "verdicts"):
        assert shown[name] == as_saved(getattr(figures, name)), name
    for name in ("verdict", "why", "moved"):
        assert shown[name] == getattr(figures, name)
    assert shown["units"] == {
        "from_": figures.units_from,
        "to": figures.units_to,
        "shared": figures.units_shared,
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
    adjusted = holm(welch.pvalue.tolist()), holm([float(test.pvalue) for test in spread])
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
    assert (report.recurring_systems, report.no_shared_topics) == (None, None)


def test_topics_that_the_first_round_ties_on_are_in_the_consequence_alone(engine):
    rng = np.random.default_rng(8)
    first, later = rng.random((7, 6)).round(2), rng.random((7, 5)).round(2) + 0.1
    first[[2, 5]] = 0.3
    log_scores(engine, "1", first)
    log_scores(engine, "2", later)
    report = report_drift(engine, "t", "AP")
    used = [0, 1, 3, 4, 6]
    assert (report.shared_topics, report.topics_used, report.tied.from_) == (7, 5, 2)
    before, after = first[used].mean(axis=1), later[used].mean(axis=1)
    tests = report.tests
    assert tests.topics == 5
    assert tests.paired_t.dof == 4
    for test, expected in (
        (tests.paired_t, stats.ttest_rel(after, before)),
        (tests.wilcoxon, stats.wilcoxon(after, before)),
        (tests.pearson, stats.pearsonr(before, after)),
        (tests.kendall, stats.kendalltau(before, after)),
    ):
        assert test.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert test.p_value == pytest.approx(expected.pvalue, rel=1e-7)
    adjusted = holm(stats.ttest_ind(later[used], first[used], axis=1, equal_var=False).pvalue)
    assert [report.topics[j].welch_p_holm for j in used] == pytest.approx(adjusted, rel=1e-7)
    assert [report.topics[j].welch_p_holm for j in (2, 5)] == [None, None]
    assert tests.welch_significant == sum(p < 0.05 for p in adjusted)

    # An average run there, as in standardised scores.
    done = report.consequence
    sd = first[used].std(axis=1, ddof=1)[:, None]
    scaled = np.full(later.shape, 0.5)
    scaled[used] = np.clip(0.15 * (later[used] - before[:, None]) / sd + 0.5, 0, 1)
    assert (done.topics, done.zero_sd) == (7, "average")
    assert done.earlier.mean == pytest.approx(scaled.mean(), rel=1e-12)
    assert done.earlier.variance == pytest.approx(scaled.var(axis=0, ddof=1).mean(), rel=1e-9)


def test_the_published_check_values_of_rounds_1_and_3(engine, covids):
    log_covid(engine, covids)
    report = report_drift(engine, "t", MEASURE)
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
    assert [round(value, digits) for value, _, digits in figures] == [
        expected for _, expected, _ in figures
    ]
    assert (done.earlier.topics_needed, done.later.topics_needed) == (79, 35)
    smaller = report_drift(engine, "t", MEASURE, m=2, min_d=0.2).consequence
    assert (smaller.earlier.topics_needed, smaller.later.topics_needed) == tuple(
        topics_needed(under.variance, m=2, min_d=0.2) for under in (done.earlier, done.later)
    )
    # The curve has the same figures in a row each.
    curve = trace_drift(engine, "t", MEASURE)
    assert [row.round for row in curve.rounds] == ["round2", "round3"]
    for row in curve.rounds:
        whole = report_drift(engine, "t", MEASURE, to_round=row.round)
        of_the_later = {"round", "matrix", "revision", "version", "collection", "standardising"}
        for name in set(LaterRound.model_fields) - of_the_later:
            assert getattr(row, name) == getattr(whole, name), name
        assert (curve.standardising, row.standardising) == (
            whole.standardising_from,
            whole.standardising_to,
        )
        assert curve_reason(curve, row) == reason(whole)
    assert summary(curve).endswith(
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


def test_check_values_on_all_runs_by_team_and_by_kin(engine, covids):
    """Check values of another program, which knew all runs for standardising ones."""
    log_covid(engine, covids, task="team", with_pool=False)
    log_covid(engine, covids, task="kin")
    for ((first, last), by), (units, verdict, shift, ratio) in CHECKED.items():
        report = report_drift(
            engine, by, MEASURE, from_round=f"round{first}", to_round=f"round{last}"
        )
        like, parts = report.systems_like_these, report.variance_parts
        assert (report.units.from_, report.units.to, report.units.shared) == units
        assert (report.verdict, report.units.by) == (verdict, by)
        assert report.provisional is (by == "kin")
        figures = (report.shift, like.shift, *like.shift_90, *like.shift_95)
        assert figures == pytest.approx(shift[:-1], abs=6e-7)
        figures = (report.sd_ratio, *like.sd_ratio_90, *like.sd_ratio_95)
        assert figures == pytest.approx(ratio[:-1], abs=6e-7)
        dofs = (parts.shift.dof, parts.sd_ratio.dof)
        assert dofs == pytest.approx((shift[-1], ratio[-1]), abs=6e-4)
    aged = report_drift(engine, "kin", MEASURE)
    assert (aged.from_round, aged.to_round, aged.verdict) == ("round1", "round3", "aged")
    assert headline(aged).endswith("in round 'round3' (provisional: teams unknown).")


def test_the_runs_that_the_factors_were_fitted_to_are_compared(engine):
    later = np.hstack([SCORES + 0.01, SCORES[:, :4] + 1])
    log_scores(engine, "a", SCORES, teams=own_teams(SCORES))
    log_scores(engine, "b", later, teams=own_teams(later))
    assert report_drift(engine, "t", "AP").verdict != "held"
    again = [f"run{i}" for i in range(9)]
    fit_factor_set(engine, "t", "b", "AP", runs=again, reason="They ran in both", user="ann")
    report = report_drift(engine, "t", "AP")
    units = np.arange(9)
    figures = assess_drift(SCORES, SCORES + 0.01, units, units)
    like, expected = report.systems_like_these, figures.systems_like_these
    assert (report.verdict, report.to_version) == ("held", 2)
    assert (report.units.to, report.units.shared, report.tests.runs_to) == (9, 9, 9)
    assert like.shift_90 == pytest.approx(expected.shift_90)
    assert like.sd_ratio_90 == pytest.approx(expected.sd_ratio_90)
    # What drift does to the scores is computed for all runs of the later round.
    assert report.consequence.runs == 13


def test_teams_that_come_later_change_the_units_and_make_the_report_stale(engine, covids):
    known = {number: covids[number] for number in (1, 2)}
    log_covid(engine, known)
    before = save_report(engine, "t", MEASURE, user="ann")
    assert (before.result.provisional, before.result.units.runs_without_team) == (True, 143 + 136)
    assert not show_result(engine, before.name).stale
    log_covid(engine, {1: covids[1]}, with_pool=True)
    half = report_drift(engine, "t", MEASURE)
    assert (half.units.by, half.units.runs_without_team) == ("kin", 136)
    assert (half.units.from_, half.units.to, half.units.shared) == (56, 44, 0)
    shown = show_result(engine, before.name)
    assert shown.stale
    assert "the teams of 143 runs became known since" in why_stale(shown)
    assert shown.renewable


SCORES = np.random.default_rng(8).random((12, 9))


# Collections


def test_a_collection_is_declared_filled_in_and_not_changed_silently(engine):
    create_task(engine, "t")
    assert create_round(engine, "t", "a", collection=" CORD-19 ").collection == "CORD-19"
    assert create_round(engine, "t", "b").collection is None
    assert set_round(engine, "t", "b", collection="Disks 4&5").collection == "Disks 4&5"
    assert set_round(engine, "t", "b", collection="Disks 4&5").collection == "Disks 4&5"
    with pytest.raises(AlreadyRecordedError, match="'Disks 4&5', not 'AQUAINT'"):
        set_round(engine, "t", "b", collection="AQUAINT")
    assert [entry.collection for entry in list_rounds(engine, "t").rounds] == [
        "CORD-19",
        "Disks 4&5",
    ]
    assert set_round(engine, "t", "b", collection="AQUAINT", force=True).collection == "AQUAINT"
    with pytest.raises(InputError, match="nothing to set"):
        set_round(engine, "t", "b")
    with pytest.raises(InputError, match="printable name"):
        create_round(engine, "t", "c", collection="  ")
    with pytest.raises(AlreadyRecordedError, match="with collection 'AQUAINT', not ''"):
        set_round(engine, "t", "b", collection="")
    with pytest.raises(NotRecordedError, match="no round 'c'"):
        set_round(engine, "t", "c", collection="X")


def test_the_collections_that_rounds_declare_decide_which_topics_they_share(engine):
    for label in ("2004", "2005", "2006"):
        log_scores(engine, label, SCORES, teams=own_teams(SCORES))
    same = report_drift(engine, "t", "AP", to_round="2005")
    assert (same.verdict, same.shared_topics) == ("held", 12)
    assert "'2004' and '2005' were held on the same" in report_text(same)["assumed"]
    set_round(engine, "t", "2004", collection="Disks 4&5")
    set_round(engine, "t", "2005", collection="AQUAINT")
    set_round(engine, "t", "2006", collection="disks 4&5")
    apart = report_drift(engine, "t", "AP", to_round="2005")
    assert (apart.verdict, apart.shared_topics, apart.topics) == ("unbridged", 0, [])
    assert (apart.from_collection, apart.to_collection) == ("Disks 4&5", "AQUAINT")
    declared = report_drift(engine, "t", "AP", to_round="2006")
    assert (declared.shared_topics, assumed(declared)) == (12, None)
    curve = trace_drift(engine, "t", "AP")
    assert [row.verdict for row in curve.rounds] == ["unbridged", "held"]
    assert [row.shared_topics for row in curve.rounds] == [0, 12]
    assert assumed(curve) is None


# The curve


def test_a_curve_says_which_rounds_may_be_in_percent(engine):
    for label, unit in (("2004", 1), ("2005", 1), ("2006", 100)):
        log_scores(engine, label, SCORES * unit, teams=own_teams(SCORES))
    curve = trace_drift(engine, "t", "AP")
    assert [row.verdict for row in curve.rounds] == ["held", "aged"]
    notes = curve_notes(curve)
    assert notes[1].startswith("The spread in '2006' is so far from that in '2004' that perhaps")
    assert view_of(curve).sentences == [summary(curve), *notes]


def test_the_curve_takes_as_many_queries_for_many_rounds_and_reads_each_matrix_once(
    engine, monkeypatch
):
    generator = np.random.default_rng(1)
    for number in range(12):
        log_scores(engine, f"r{number}", generator.random((5, 4)) + 0.02 * number)
    log_scores(engine, "one run", generator.random((5, 1)))  # has no factors
    statements_from, copied = {}, []

    def read_once(connection, matrix_id, topics):
        copied.append(matrix_id)
        return read_vectors(connection, matrix_id, topics)

    monkeypatch.setattr(compared_rounds, "read_vectors", read_once)
    for start in ("r9", "r0"):
        statements = statements_from.setdefault(start, [])

        def note(connection, cursor, statement, *_, statements=statements):
            statements.append(statement)

        event.listen(engine, "before_cursor_execute", note)
        curve = trace_drift(engine, "t", "AP", from_round=start)
        event.remove(engine, "before_cursor_execute", note)
        assert len(curve.rounds) == 11 - int(start[1:])
    assert len(statements_from["r0"]) == len(statements_from["r9"]) <= 10
    assert not any("score_vector.scores" in statement for statement in statements_from["r0"])
    assert copied == [*range(10, 13), *range(1, 13)]
    assert [row.round for row in curve.rounds] == [f"r{number}" for number in range(1, 12)]


def test_the_curve_takes_each_round_by_its_latest_factors(engine):
    log_scores(engine, "a", SCORES, teams=own_teams(SCORES))
    log_scores(engine, "b", SCORES + 5, teams=own_teams(SCORES))
    log_scores(engine, "b", SCORES, revise="the scores were wrong")
    (row,) = trace_drift(engine, "t", "AP").rounds
    assert (row.version, row.verdict) == (2, "held")
    assert row.mean_shift == pytest.approx(0)
    assert report_drift(engine, "t", "AP").to_version == 2


def test_no_curve(engine):
    log_scores(engine, "a", SCORES)
    with pytest.raises(NotRecordedError, match="only round 'a' has"):
        report_drift(engine, "t", "AP")
    with pytest.raises(NotRecordedError, match="only round 'a' has"):
        trace_drift(engine, "t", "AP")
    log_scores(engine, "b", SCORES)
    with pytest.raises(NotRecordedError, match="No round after 'b'"):
        trace_drift(engine, "t", "AP", from_round="b")
    with pytest.raises(NotRecordedError, match="no round 'z'"):
        trace_drift(engine, "t", "AP", from_round="z")
    create_round(engine, "t", "empty")
    with pytest.raises(NotRecordedError, match="Round 'empty' has no AP standardisation factors"):
        trace_drift(engine, "t", "AP", from_round="empty")
    withdraw_matrix(
        engine, log_scores(engine, "c", SCORES).matrix, "scored with the wrong assessments"
    )
    with pytest.raises(WithdrawnError, match="scored with the wrong assessments"):
        trace_drift(engine, "t", "AP", from_round="c")


def test_the_keys_of_the_curve_are_documented():
    page = (ROOT / "docs/reference/json-keys.md").read_text(encoding="utf-8")
    section = page.split("## roundbook drift --curve\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`([a-z_0-9]+)`", section))
    keys = {
        field.serialization_alias or name
        for model in (DriftCurve, LaterRound)
        for name, field in model.model_fields.items()
    } | {"assumed", "reason", "summary"}
    assert keys <= named
