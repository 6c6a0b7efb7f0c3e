"""Logging a round: whole or not at all, once, and never silently over what is there."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sqlalchemy import event, text
from tests.databases import counts, rows
from tests.factories import (
    log_scores,
    refusing,
    show_factors,
    show_variances,
    standardise,
    withdraw_matrix,
)

from roundbook.database.engine import unit_of_work
from roundbook.errors import (
    AlreadyRecordedError,
    ContentDiffersError,
    ImpossibleStatisticError,
    InputError,
    NotRecordedError,
)
from roundbook.formats import RunTeam
from roundbook.logbook.lookup import find_series, read_current_matrix
from roundbook.logbook.matrices import log_matrix as matrices
from roundbook.logbook.matrices import preparing
from roundbook.logbook.storing import load_matrix
from roundbook.presentation.matrices import log_notes


def read_back(engine, round_label="1", measure="AP", assessments=None):
    with unit_of_work(engine) as connection:
        series = find_series(connection, "t", round_label, measure, assessments)
        return load_matrix(connection, read_current_matrix(connection, series))


ROUNDS = itertools.count()
SCORES = np.random.default_rng(3).random((6, 5))


def test_logs_scores_statistics_and_factors(engine):
    done = log_scores(engine, "1", SCORES)
    assert (done.status, done.revision, done.factor_version) == ("logged", 1, 1)
    assert (done.topics, done.runs, done.standardising) == (6, 5, "all")
    assert done.variance == pytest.approx(SCORES.var(axis=0, ddof=1).mean())
    std = (SCORES - SCORES.mean(1, keepdims=True)) / SCORES.std(1, ddof=1, keepdims=True)
    ab = np.clip(0.15 * std + 0.5, 0, 1)
    assert done.variances["std-ab"] == pytest.approx(ab.var(axis=0, ddof=1).mean())
    loaded = read_back(engine)
    assert np.array_equal(loaded.scores, SCORES)
    assert loaded.runs == [f"run{i}" for i in range(5)]
    factors = show_factors(engine, "t", "1", "AP")
    assert [f.mean for f in factors.factors] == pytest.approx(SCORES.mean(1))
    assert [f.sd for f in factors.factors] == pytest.approx(SCORES.std(1, ddof=1))
    assert {f.runs for f in factors.factors} == {5}


@pytest.mark.long
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_round_trip_through_the_database(engine, data):
    topics = data.draw(st.integers(2, 12))
    runs = data.draw(st.integers(1, 12))
    elements = st.floats(-1e6, 1e6)
    scores = data.draw(arrays(np.float64, (topics, runs), elements=elements))
    label = f"round {next(ROUNDS)}"
    done = log_scores(engine, label, scores)
    assert done.status == "logged"
    assert np.array_equal(read_back(engine, label).scores, scores)
    assert log_scores(engine, label, scores).status == "unchanged"


def test_the_view_score_agrees_with_the_vectors(engine):
    done = log_scores(engine, "1", SCORES)
    cells = rows(
        engine, "SELECT run, topic, value FROM roundbook.score WHERE matrix = :m", m=done.matrix
    )
    assert len(cells) == SCORES.size
    for row in cells:
        assert row.value == SCORES[int(row.topic[1:]), int(row.run[3:])]


def test_the_same_content_in_another_order_is_unchanged(engine):
    first = log_scores(engine, "1", SCORES)
    before = counts(engine)
    topics, runs = (f"t{j}" for j in range(5, -1, -1)), (f"run{i}" for i in range(4, -1, -1))
    again = log_scores(engine, "1", SCORES[::-1, ::-1], topics=topics, runs=runs)
    assert (again.status, again.matrix, again.revision) == ("unchanged", first.matrix, 1)
    assert again.variances == first.variances
    assert counts(engine) == before


def test_negative_zero_is_zero(engine):
    log_scores(engine, "1", np.array([[0.0, 1.0], [1.0, 0.5]]))
    assert log_scores(engine, "1", np.array([[-0.0, 1.0], [1.0, 0.5]])).status == "unchanged"


def test_names_are_part_of_the_content(engine):
    log_scores(engine, "1", SCORES)
    with pytest.raises(ContentDiffersError):
        log_scores(engine, "1", SCORES, runs=["run0", "run1", "run2", "run3", "other"])


def test_other_content_is_refused_then_revised(engine):
    log_scores(engine, "1", SCORES)
    before = counts(engine)
    with refusing(ContentDiffersError, "--revise"):
        log_scores(engine, "1", SCORES + 0.1)
    for empty in ("", "  "):
        with refusing(InputError, "reason given is empty"):
            log_scores(engine, "1", SCORES + 0.1, revise=empty)
    assert counts(engine) == before
    revised = log_scores(engine, "1", SCORES * 2, revise="the qrels were wrong")
    assert (revised.revision, revised.factor_version) == (2, 2)
    assert np.array_equal(read_back(engine).scores, SCORES * 2)
    old = show_factors(engine, "t", "1", "AP", version=1)
    new = show_factors(engine, "t", "1", "AP")
    assert (old.version, old.revision, new.version, new.revision) == (1, 1, 2, 2)
    assert [f.mean for f in old.factors] == pytest.approx(SCORES.mean(1))
    assert [f.mean for f in new.factors] == pytest.approx(2 * SCORES.mean(1))
    assert new.reason == "the qrels were wrong"
    assert show_variances(engine, "t", "AP").rounds[0].revision == 2
    with pytest.raises(ContentDiffersError):
        log_scores(engine, "1", SCORES)


def test_nothing_to_revise(engine):
    with refusing(NotRecordedError, "leave out --revise"):
        log_scores(engine, "1", SCORES, revise="why not")
    assert set(counts(engine).values()) == {0}


def test_an_assessments_label_that_is_new_to_a_task_is_noted(engine):
    def others(values, label="1", measure="AP", **options):
        return log_scores(engine, label, values, measure, **options).remarks.other_assessments

    assert others(SCORES) == []  # the first scores of the task
    tried = log_scores(engine, "2", SCORES * 2, assessments="offical", dry_run=True)
    done = log_scores(engine, "2", SCORES * 2, assessments="offical")
    assert tried.remarks.other_assessments == done.remarks.other_assessments == ["official"]
    assert (
        "The assessments label 'offical' is new to this task, which has official; scores under"
        " different labels are not mixed. Did you mean official?"
    ) in log_notes(done)
    # The same again, the label in another round or of another measure, and the other label there.
    assert others(SCORES * 2, "2", assessments="offical") == []
    assert others(SCORES * 3, "3", "P@5", assessments="offical") == []
    assert others(SCORES * 4, "2") == []
    # Scores that are withdrawn are named no more, but their label is known.
    withdraw_matrix(engine, done.matrix, "label mistyped", user="ann")
    withdraw_matrix(
        engine, log_scores(engine, "3", SCORES * 3, "P@5", assessments="offical").matrix, "x"
    )
    assert others(SCORES * 5, "4", assessments="own") == ["official"]
    assert others(SCORES * 6, "5", assessments="offical") == []
    # Those of another task are none of this one's.
    other = log_scores(engine, "1", SCORES, task="elsewhere", assessments="gold")
    assert other.remarks.other_assessments == []


def test_assessments_stand_side_by_side_and_are_not_mixed(engine):
    log_scores(engine, "1", SCORES, assessments="gold")
    log_scores(engine, "1", SCORES * 2, assessments="bronze")
    with pytest.raises(InputError, match="bronze, gold"):
        show_variances(engine, "t", "AP")
    gold = show_variances(engine, "t", "AP", assessments="gold")
    bronze = show_variances(engine, "t", "AP", assessments="bronze")
    assert bronze.pooled.variance == pytest.approx(4 * gold.pooled.variance)
    with pytest.raises(NotRecordedError, match="silver"):
        show_variances(engine, "t", "AP", assessments="silver")


def test_measures_are_identities(engine):
    log_scores(engine, "1", SCORES, "nDCG@10")
    log_scores(engine, "1", SCORES * 2, "nDCG(gains=exp)@10")
    assert log_scores(engine, "1", SCORES, "NDCG@10").status == "unchanged"
    assert log_scores(engine, "1", SCORES * 2, "nDCG( gains = exp )@010").status == "unchanged"
    assert len(show_variances(engine, "t", "nDCG@10").rounds) == 1
    with pytest.raises(NotRecordedError, match=r"nDCG\(gains=exp\)@10, nDCG@10"):
        show_variances(engine, "t", "AP")


def test_dry_run_writes_nothing(engine):
    done = log_scores(engine, "1", SCORES, dry_run=True)
    assert (done.status, done.dry_run, done.matrix) == ("logged", True, None)
    assert done.variance == pytest.approx(SCORES.var(axis=0, ddof=1).mean())
    assert set(counts(engine).values()) == {0}


@pytest.mark.parametrize(("tool", "kept"), [(" ", None), (" trec_eval 9.0.8 ", "trec_eval 9.0.8")])
def test_a_tool_without_a_name_is_none(engine, tool, kept):
    log_scores(engine, "1", SCORES, tool=tool)
    with unit_of_work(engine) as connection:
        assert connection.execute(text("SELECT tool FROM roundbook.matrix")).scalars().all() == [
            kept
        ]


def test_one_topic_is_refused_and_one_run_has_no_factors(engine):
    with pytest.raises(ImpossibleStatisticError, match="topic"):
        log_scores(engine, "1", SCORES[:1])
    assert set(counts(engine).values()) == {0}
    done = log_scores(engine, "1", SCORES[:, :1])
    assert done.factor_version is None
    assert set(done.variances) == {"raw"}
    assert "no standardisation factors" in log_notes(done)[0]
    with pytest.raises(NotRecordedError, match="two runs"):
        show_factors(engine, "t", "1", "AP")


def test_unknown_task_and_round_name_the_command(engine):
    with refusing(NotRecordedError, "roundbook task create t"):
        log_scores(engine, "1", SCORES, create=False)
    log_scores(engine, "1", SCORES)
    with refusing(NotRecordedError, "roundbook round create t 2"):
        log_scores(engine, "2", SCORES, create=False)
    assert counts(engine)["round"] == 1


@pytest.mark.parametrize(
    ("module", "step"),
    [
        (preparing, "record_runs"),
        (matrices, "store_matrix"),
        (matrices, "store_factors"),
        (matrices, "store_estimates"),
    ],
    ids=["record_runs", "store_matrix", "store_factors", "store_estimates"],
)
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_all_or_nothing_whatever_breaks_off(engine, monkeypatch, module, step, error):
    done = getattr(module, step)

    def break_off(*args, **kwargs):
        done(*args, **kwargs)
        raise error

    monkeypatch.setattr(module, step, break_off)
    with pytest.raises(error):
        log_scores(engine, "1", SCORES)
    assert set(counts(engine).values()) == {0}
    monkeypatch.undo()
    assert log_scores(engine, "1", SCORES).status == "logged"


def test_the_number_of_queries_does_not_grow(engine):
    def queries(scores, label):
        seen = []

        def count(*call):
            seen.append(call[2])

        event.listen(engine, "after_cursor_execute", count)
        log_scores(engine, label, scores)
        event.remove(engine, "after_cursor_execute", count)
        return len(seen)

    rng = np.random.default_rng(5)
    queries(rng.random((2, 2)), "first")  # which makes the task
    small = queries(rng.random((3, 3)), "small")
    assert queries(rng.random((90, 120)), "large") == small <= 34  # two events, each in a savepoint


def team(run, name=None, pooled=None, kind=None, system=None):
    return RunTeam(run=run, team=name, type=kind, contributed_to_pool=pooled, system=system)


def test_pooled_runs_standardise_where_the_pool_is_known(engine):
    teams = {f"run{i}": team(f"run{i}", "A", pooled=i < 3) for i in range(5)}
    done = log_scores(engine, "1", SCORES, teams=teams)
    assert (done.standardising, done.runs_described) == ("pooled", 5)
    factors = show_factors(engine, "t", "1", "AP")
    assert [f.sd for f in factors.factors] == pytest.approx(SCORES[:, :3].std(1, ddof=1))
    assert {f.runs for f in factors.factors} == {3}
    scores = np.array(standardise(engine, "t", "1", "AP", scale="std").scores)
    assert scores[:3].mean(axis=0) == pytest.approx(np.zeros(6), abs=1e-12)


def test_a_pool_known_in_part_is_not_known(engine):
    teams = {f"run{i}": team(f"run{i}", "A", pooled=True) for i in range(4)}
    assert log_scores(engine, "1", SCORES, teams=teams).standardising == "all"


def test_teams_fill_in_what_was_unknown_and_contradict_nothing(engine):
    log_scores(engine, "1", SCORES)
    teams = {"run0": team("run0", "RUIR"), "run1": team("run1", "ruir")}
    again = log_scores(engine, "1", SCORES, teams=teams)
    assert (again.status, again.runs_described) == ("unchanged", 2)
    assert log_scores(engine, "1", SCORES, teams=teams).runs_described == 0
    assert counts(engine)["team"] == 1
    with pytest.raises(AlreadyRecordedError, match="run 'run0': team is 'RUIR' there and 'Other'"):
        log_scores(engine, "1", SCORES, teams={"run0": team("run0", "Other")})
    with pytest.raises(InputError, match="none of the runs"):
        log_scores(engine, "1", SCORES, teams={"x": team("x", "Other")})


def test_the_same_tag_in_two_rounds_is_two_runs(engine):
    log_scores(engine, "1", SCORES, teams={"run0": team("run0", "A")})
    log_scores(engine, "2", SCORES, teams={"run0": team("run0", "B")})
    with unit_of_work(engine) as connection:
        rows = connection.execute(
            text(
                "SELECT team.name FROM roundbook.run JOIN roundbook.team ON team.id = team_id"
                " WHERE tag = 'run0' ORDER BY round_id"
            )
        ).scalars()
        assert list(rows) == ["A", "B"]


def test_ties_are_noted_and_treated_as_wanted(engine):
    scores = SCORES.copy()
    scores[2] = 0.1
    average = log_scores(engine, "1", scores)
    assert any("topic t2" in note for note in log_notes(average))
    std = np.array(standardise(engine, "t", "1", "AP", scale="std").scores)
    assert np.array_equal(std[:, 2], np.zeros(5))
    dropped = log_scores(engine, "2", scores, zero_sd="drop")
    result = standardise(engine, "t", "2", "AP")
    assert result.left_out == ["t2"]
    assert len(result.topics) == 5
    history = show_variances(engine, "t", "AP", scale="std-ab")
    assert [row.topics for row in history.rounds] == [6, 5]
    assert dropped.variances["std-ab"] > average.variances["std-ab"]


def test_a_constant_matrix_has_variance_zero(engine):
    done = log_scores(engine, "1", np.full((4, 3), 0.3))
    assert done.variances == {"raw": 0.0, "std-ab": 0.0, "std-cdf": 0.0}


def test_bounds_are_recorded_with_the_measure_and_kept(engine):
    log_scores(engine, "1", SCORES, bounds=(0, 1))
    with pytest.raises(
        InputError, match=r"1 of 30 scores lie .* 0 to 1 of AP; .* 1.5, of topic t2 and run run3"
    ):
        bad = SCORES.copy()
        bad[2, 3] = 1.5
        log_scores(engine, "2", bad)
    with pytest.raises(AlreadyRecordedError, match="bounds 0 to 1"):
        log_scores(engine, "2", SCORES, bounds=(0, 100))
    with pytest.raises(InputError, match="lower first"):
        log_scores(engine, "2", SCORES, "P@5", bounds=(1, 0))
    log_scores(engine, "2", SCORES * 100, "M-measure")
    with pytest.raises(AlreadyRecordedError, match="no bounds"):
        log_scores(engine, "3", SCORES, "M-measure", bounds=(0, 1))


def test_scores_off_a_tie_are_flagged(engine):
    tied = SCORES.copy()
    tied[1] = 0.25
    log_scores(engine, "1", tied)
    log_scores(engine, "2", SCORES)
    result = standardise(engine, "t", "2", "AP", scale="std", factors_from="1")
    assert [(cell.run, cell.topic) for cell in result.off_ties] == [
        (f"run{i}", "t1") for i in range(5)
    ]
    assert [row[1] for row in result.scores] == [0.0] * 5
    assert standardise(engine, "t", "1", "AP").off_ties == []
