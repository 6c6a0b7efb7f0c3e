"""Further factor versions: on which runs, why, and what stays as it was."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats
from tests.databases import counts, scalar
from tests.factories import (
    fit_factor_set,
    log_scores,
    record_variance,
    refusing,
    show_factors,
    show_variances,
    standardise,
)
from tests.waiting import wait_until, waits_for_a_lock

from roundbook.errors import ImpossibleStatisticError, InputError, NotRecordedError
from roundbook.formats import RunTeam
from roundbook.logbook.recorded_measures import merge_measures
from roundbook.logbook.session import begin
from roundbook.requests.tasks import MergeMeasures
from roundbook.statistics.variance.interval import variance_intervals
from roundbook.statistics.variance.parts import variance_parts
from roundbook.statistics.variance.rounds import StoredVariance

SCORES = np.random.default_rng(14).random((8, 6))
RUNS = tuple(f"run{i}" for i in range(6))
POOLED = (True, False, True, True, False, False)


def fed(pooled):
    """Return what a team file says of which runs fed the pool, in their order."""
    return {
        run: RunTeam(run, None, None, known, None) for run, known in zip(RUNS, pooled, strict=False)
    }


def fit(engine, runs, label="r1", reason="because", **options):
    return fit_factor_set(
        engine, "t", label, "AP", runs=runs, reason=reason, user="fitter", **options
    )


def means(factor_set):
    return [factor.mean for factor in factor_set.factors]


def sds(factor_set):
    return [factor.sd for factor in factor_set.factors]


CHOICES = {
    "all": (list(range(6)), "all"),
    "pooled": ([0, 2, 3], "pooled"),
    ("run4", "run1"): ([1, 4], "chosen"),
    RUNS: (list(range(6)), "all"),
}


@pytest.mark.parametrize("chosen", CHOICES, ids=str)
def test_factors_of_the_chosen_runs(engine, chosen):
    log_scores(engine, "r1", SCORES, teams=fed(POOLED))
    before = show_factors(engine, "t", "r1", "AP")
    columns, which = CHOICES[chosen]
    if which == "pooled":  # those of logging: fit something else first
        assert before.standardising == "pooled"
        fit(engine, "all")
    runs = chosen if isinstance(chosen, str) else list(chosen)
    fitted = fit(engine, runs, zero_sd="drop")
    expected = SCORES[:, columns]
    assert means(fitted) == pytest.approx([sum(row) / len(row) for row in expected.tolist()])
    assert sds(fitted) == pytest.approx(np.std(expected, axis=1, ddof=1))
    assert {factor.runs for factor in fitted.factors} == {len(columns)}
    assert (fitted.standardising, fitted.zero_sd, fitted.status) == (which, "drop", "fitted")
    assert (fitted.reason, fitted.fitted_by, fitted.revision) == ("because", "fitter", 1)
    assert fitted.version == fitted.versions[-1] == len(fitted.versions)
    recorded = scalar(
        engine,
        "SELECT array_agg(tag ORDER BY tag) FROM roundbook.factor_set_run"
        " JOIN roundbook.factor_set ON factor_set.id = factor_set_id"
        " JOIN roundbook.run ON run.id = run_id WHERE version = :v",
        v=fitted.version,
    )
    assert recorded == (None if which == "all" else [RUNS[i] for i in columns])


def test_older_versions_stay_usable_by_number(engine):
    log_scores(engine, "r1", SCORES)
    first = show_factors(engine, "t", "r1", "AP")
    second = fit(engine, ["run0", "run1"], reason="the baselines")
    third = fit(engine, ["run2", "run3", "run4"], reason="the others")
    assert [first.version, second.version, third.version] == [1, 2, 3]
    assert third.versions == [1, 2, 3]
    for version, reason, columns in (
        (1, None, slice(None)),
        (2, "the baselines", slice(0, 2)),
        (3, "the others", slice(2, 5)),
    ):
        shown = show_factors(engine, "t", "r1", "AP", version=version)
        chosen = SCORES[:, columns]
        assert (shown.version, shown.reason) == (version, reason)
        assert means(shown) == pytest.approx(chosen.mean(1))
        scaled = standardise(engine, "t", "r1", "AP", scale="std", factors_from=f"r1:{version}")
        std = (SCORES - chosen.mean(1)[:, None]) / chosen.std(1, ddof=1)[:, None]
        np.testing.assert_allclose(np.transpose(scaled.scores), std, rtol=1e-10)
        assert scaled.factor_version == version
    assert show_factors(engine, "t", "r1", "AP").version == 3
    assert standardise(engine, "t", "r1", "AP").factor_version == 3
    with pytest.raises(NotRecordedError, match="4"):
        standardise(engine, "t", "r1", "AP", factors_from="r1:4")


@pytest.mark.parametrize(
    "runs", [["all", "run1"], ["run1", "run0", "pooled"], ["all", "pooled"], ["nobody", "all"]]
)
def test_all_and_pooled_stand_alone(engine, runs):
    log_scores(engine, "r1", SCORES, teams=fed(POOLED))
    before = counts(engine)
    with pytest.raises(InputError, match="'all' and 'pooled' stand alone"):
        fit(engine, runs)
    assert counts(engine) == before


def test_a_run_may_be_called_all(engine):
    log_scores(engine, "r1", SCORES, runs=("all", *RUNS[1:]))
    assert means(fit(engine, ["all", "run1"])) == pytest.approx(SCORES[:, :2].mean(1))


def test_the_same_again_is_unchanged(engine):
    log_scores(engine, "r1", SCORES)
    fit(engine, ["run0", "run1"])
    before = counts(engine)
    again = fit(engine, ["run1", "run0"], reason="another reason")
    assert (again.status, again.version, again.reason) == ("unchanged", 2, "because")
    assert counts(engine) == before
    # The runs of an older version make it the latest again.
    back = fit(engine, "all", reason="back to all runs")
    assert (back.status, back.version, back.reason) == ("fitted", 3, "back to all runs")
    first = show_factors(engine, "t", "r1", "AP", version=1)
    assert (means(back), sds(back)) == (pytest.approx(means(first)), pytest.approx(sds(first)))
    assert standardise(engine, "t", "r1", "AP").factor_version == 3
    assert fit(engine, "all", zero_sd="drop").version == 4
    # Another revision of the scores is another fit.
    log_scores(engine, "r1", SCORES * 0.9, revise="new qrels")
    assert show_factors(engine, "t", "r1", "AP").version == 5
    assert fit(engine, "all", zero_sd="average").status == "unchanged"
    refit = fit(engine, ["run0", "run1"])
    assert (refit.status, refit.version, refit.revision) == ("fitted", 6, 2)
    assert means(refit) == pytest.approx(0.9 * SCORES[:, :2].mean(1))


@pytest.mark.parametrize("scale", ["std-ab", "std-cdf"])
def test_the_variances_by_the_new_factors_are_stored(engine, scale):
    log_scores(engine, "r1", SCORES)
    before = show_variances(engine, "t", "AP", scale=scale).rounds[0]
    raw = show_variances(engine, "t", "AP").rounds[0]
    fit(engine, ["run0", "run1", "run2"])
    (row,) = show_variances(engine, "t", "AP", scale=scale).rounds
    chosen = SCORES[:, :3]
    std = (SCORES - chosen.mean(1)[:, None]) / chosen.std(1, ddof=1)[:, None]
    scaled = stats.norm.cdf(std) if scale == "std-cdf" else np.clip(0.15 * std + 0.5, 0, 1)
    assert (row.factor_version, before.factor_version) == (2, 1)
    assert row.variance == pytest.approx(np.mean(np.var(scaled, axis=0, ddof=1)))
    assert row.variance != before.variance
    part = variance_parts(scaled).one_way
    topics = np.arange(part.by_topic.size)
    entry = StoredVariance(part.variance, 1.0, 1, topics, part.by_topic, part.runs_part)
    (interval,) = variance_intervals([entry])
    assert (row.interval.low, row.interval.high) == pytest.approx((interval.low, interval.high))
    assert row.interval.method == "jackknife"
    assert show_variances(engine, "t", "AP").rounds[0] == raw


def test_tied_topics_under_both_policies(engine):
    scores = SCORES.copy()
    scores[2, :2] = 0.25
    log_scores(engine, "r1", scores)
    average = fit(engine, ["run0", "run1"])
    assert (average.zero_sd, average.zero_sd_topics) == ("average", ["t2"])
    assert show_variances(engine, "t", "AP", scale="std-ab").rounds[0].topics == 8
    shown = standardise(engine, "t", "r1", "AP")
    assert {run[2] for run in shown.scores} == {0.5}
    assert [(tie.run, tie.topic) for tie in shown.off_ties] == [
        (run, "t2") for run in RUNS if run not in {"run0", "run1"}
    ]
    dropped = fit(engine, ["run0", "run1"], zero_sd="drop")
    assert (dropped.version, dropped.zero_sd_topics) == (3, ["t2"])
    assert show_variances(engine, "t", "AP", scale="std-ab").rounds[0].topics == 7
    assert standardise(engine, "t", "r1", "AP").left_out == ["t2"]


def test_runs_that_tie_on_every_topic(engine):
    scores = SCORES.copy()
    scores[:, 1] = scores[:, 0]
    log_scores(engine, "r1", scores)
    fitted = fit(engine, ["run0", "run1"], zero_sd="drop")
    assert sds(fitted) == [0.0] * 8
    with pytest.raises(ImpossibleStatisticError, match="None of the topics has usable factors"):
        standardise(engine, "t", "r1", "AP")
    fit(engine, ["run0", "run1"])
    shown = standardise(engine, "t", "r1", "AP")
    assert {score for run in shown.scores for score in run} == {0.5}
    assert len(shown.off_ties) == 8 * 4


@pytest.mark.parametrize(
    ("runs", "error", "says"),
    [
        ("pooled", NotRecordedError, "contributed to the pool"),
        (["run0"], ImpossibleStatisticError, "at least 2 standardising runs, not 1"),
        (["run0", "run0"], ImpossibleStatisticError, "not 1"),
        ([], ImpossibleStatisticError, "not 0"),
        (["run0", "nobody"], NotRecordedError, r"no run 'nobody'; 'roundbook matrix show \d+'"),
        ("run0,run1", NotRecordedError, "no run 'run0,run1'; give several as --runs A --runs B"),
    ],
)
def test_refused_and_nothing_written(engine, runs, error, says):
    log_scores(engine, "r1", SCORES)
    before = counts(engine)
    with refusing(error, says):
        fit(engine, runs)
    with pytest.raises(InputError, match="needs a reason"):
        fit(engine, "all", reason="  ")
    assert counts(engine) == before


def test_a_reason_is_recorded_without_the_space_around_it(engine):
    log_scores(engine, "r1", SCORES)
    assert fit(engine, ["run0", "run1"], reason=" as agreed ").reason == "as agreed"


def test_pooled_needs_two_known_contributors(engine):
    log_scores(engine, "r1", SCORES, teams=fed((True, False, False, False, False, False)))
    with pytest.raises(ImpossibleStatisticError, match="not 1"):
        fit(engine, "pooled")
    # Where the pool is known in part, those known to have contributed may still be asked for.
    log_scores(engine, "r2", SCORES, teams=fed((True, True)))
    assert show_factors(engine, "t", "r2", "AP").standardising == "all"
    fitted = fit(engine, "pooled", label="r2")
    assert (fitted.standardising, fitted.factors[0].runs) == ("pooled", 2)


def test_a_single_run_and_an_unlogged_round(engine):
    log_scores(engine, "r1", SCORES[:, :1])
    with pytest.raises(ImpossibleStatisticError, match="at least 2 standardising runs"):
        fit(engine, "all")
    with pytest.raises(NotRecordedError):
        fit(engine, "all", label="r9")
    with pytest.raises(NotRecordedError, match="silver"):
        fit(engine, "all", assessments="silver")


def test_a_published_variance_has_no_scores_to_fit_factors_to(engine):
    log_scores(engine, "r1", SCORES)
    published = {"variance": 0.1, "runs": 3, "topics": 9, "source": "paper", "create": True}
    record_variance(engine, "t", "old", "AP", **published)
    with pytest.raises(NotRecordedError, match="Round 'old' has no logged scores of AP") as error:
        fit(engine, "all", label="old")
    assert error.value.way_out.code == "log scores"


def test_nothing_is_half_done(engine, monkeypatch):
    from roundbook.logbook import fitting

    log_scores(engine, "r1", SCORES)
    before = counts(engine)

    def fail(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "store_estimates", fail)
    with pytest.raises(KeyboardInterrupt):
        fit(engine, ["run0", "run1"])
    assert counts(engine) == before


def test_factors_are_fitted_while_their_measure_is_merged(committed, engine):
    log_scores(engine, "r1", SCORES, "my measure")
    log_scores(engine, "r2", SCORES, "our measure")
    with ThreadPoolExecutor(1) as pool, begin(engine, "ann") as session:
        merge_measures(session, MergeMeasures(merged="my measure", into="our measure"))
        fitting = pool.submit(
            fit_factor_set, engine, "t", "r1", "my measure", runs=("run0", "run1"), reason="a try"
        )
        wait_until(lambda: waits_for_a_lock(engine), "it does not wait for the merge")
        session.connection.commit()
        assert fitting.result(60).version == 2
    fitted = show_factors(engine, "t", "r1", "our measure")
    assert (fitted.version, means(fitted)) == (2, pytest.approx(SCORES[:, :2].mean(axis=1)))
