"""Plans of a task: what they are from, their words, and how they are saved and become stale."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Thread

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import f as f_distribution
from scipy.stats import ncf
from sqlalchemy import event, text
from tests.databases import counts, rows
from tests.factories import (
    create_round,
    create_task,
    fit_factor_set,
    list_plans,
    list_results,
    log_scores,
    plan,
    plan_task,
    record_variance,
    restore_matrix,
    save_plan,
    show_plan,
    show_variances,
    withdraw_matrix,
)
from tests.savepoints import prepared

from roundbook.database.engine import unit_of_work
from roundbook.errors import (
    AlreadyRecordedError,
    DatabaseError,
    ImpossibleStatisticError,
    InputError,
    NotRecordedError,
    RecordError,
)
from roundbook.logbook.events import record_event
from roundbook.logbook.session import Session
from roundbook.presentation.plan_protocol import protocol
from roundbook.presentation.plans import no_power, notes, remarks, warning
from roundbook.presentation.saved_results import result_scope
from roundbook.presentation.variance_differences import disagreement
from roundbook.requests.plans import PlanRequest
from roundbook.statistics.design import solve_power

ONE = {"m": (10,), "min_d": (0.1,)}
SCORES = np.random.default_rng(7).normal(0.5, 0.2, (12, 6))


def publish(engine, label, variance, **options):
    facts = {"runs": 8, "topics": 40, "source": "a paper", "create": True, "user": "me", **options}
    return record_variance(engine, "t", label, "AP", variance=variance, **facts)


@prepared
def two_rounds(engine):
    """Two logged rounds that differ in topics, runs and variance."""
    log_scores(engine, "1", SCORES)
    log_scores(engine, "2", 1.3 * SCORES[:9, :4])
    return engine


# from a task


def test_the_power_that_each_round_had(two_rounds):
    planned = plan_task(two_rounds, "t", "AP", m=(2, 10), min_d=(0.1, 0.5), beta=0.1)
    expected = [("1", SCORES), ("2", 1.3 * SCORES[:9, :4])]
    assert len(planned.rounds) == 8
    rows = iter(planned.rounds)
    for label, scores in expected:
        n, variance = len(scores), scores.var(axis=0, ddof=1).mean()
        for m in (2, 10):
            for min_d in (0.1, 0.5):
                row = next(rows)
                assert (row.round, row.topics, row.m, row.min_d) == (label, n, m, min_d)
                assert row.variance == pytest.approx(variance)
                # by another way: SciPy's noncentral F
                critical = f_distribution.ppf(0.95, m - 1, m * (n - 1))
                power = ncf.sf(critical, m - 1, m * (n - 1), n * min_d**2 / (2 * variance))
                assert row.achieved_power == row.power_exact == pytest.approx(power, abs=1e-9)
                sakai = solve_power("anova", n, min_d, variance, runs=m, engine="sakai").power
                assert row.power_sakai == pytest.approx(float(sakai), abs=1e-9)
                assert row.enough is (row.achieved_power >= 0.9)
                assert row.reason is None
    assert {row.enough for row in planned.rounds} == {True, False}
    by_sakai = plan_task(two_rounds, "t", "AP", m=(2,), min_d=(0.1,), engine="sakai", beta=0.1)
    assert by_sakai.rounds[0].achieved_power == planned.rounds[0].power_sakai


def test_rounds_of_a_t_test_and_of_an_interval(two_rounds):
    tested = plan_task(two_rounds, "t", "AP", min_d=(0.1,), design="paired-t")
    assert [(row.round, row.m) for row in tested.rounds] == [("1", 2), ("2", 2)]
    variance = tested.rounds[0].variance
    assert variance == tested.estimate.rounds[0].two_way_variance
    expected = float(solve_power("paired-t", 12, 0.1, variance).power)
    assert tested.rounds[0].achieved_power == expected
    for design in (
        {"min_d": (0.1,), "design": "paired-width"},
        {"m": (10,), "topics": (50,), "solve": "min-d"},
    ):
        assert plan_task(two_rounds, "t", "AP", design).rounds == []


def test_rounds_without_variance(engine):
    log_scores(engine, "flat", np.full((4, 3), 0.3))
    with pytest.raises(ImpossibleStatisticError, match=r"pooled variance of AP .* is 0") as refused:
        plan_task(engine, "t", "AP", ONE)
    assert "flat" in str(refused.value)
    log_scores(engine, "2", SCORES)
    planned = plan_task(engine, "t", "AP", ONE)
    assert planned.interval is None
    assert planned.variance_planning is None
    assert [note.sentence for note in notes(planned)] == [
        "There is no planning variance: a variance of 0 shows no spread to judge it by."
    ]
    flat, lively = planned.rounds
    assert (flat.achieved_power, flat.enough, flat.reason) == (None, None, "zero_variance")
    assert no_power(flat) == "Its variance is 0."
    assert no_power(lively) is None
    assert lively.achieved_power > 0


def test_rounds_that_disagree_are_told(engine):
    log_scores(engine, "1", SCORES)
    log_scores(engine, "2", np.random.default_rng(8).normal(0.5, 0.05, (40, 6)))
    planned = plan_task(engine, "t", "AP", ONE)
    assert warning(planned) == disagreement(planned.estimate)
    assert "disagree" in warning(planned).sentence
    assert remarks(planned) == [warning(planned), *notes(planned)]


# in words


def test_the_protocol_says_it_all(two_rounds):
    asked = {"m": (10,), "min_d": (0.1, 0.2), "alpha": 0.01, "beta": 0.1, "engine": "sakai"}
    planned = plan_task(two_rounds, "t", "AP", asked, scale="std-ab")
    paragraph = protocol(planned)
    for part in (
        "one-way ANOVA", "alpha = 0.01", "beta = 0.1", "power 0.9", "engine sakai",
        "The one-way residual variance (around run means) of AP (std-ab scale) was taken as"
        f" {planned.variance:.5g}: pooled by their degrees of freedom over 2 rounds of t (1, 2),"
        f" {planned.estimate.pooled.dof} degrees of freedom, with a 95% interval from"
        f" {planned.interval.low:.5g} to {planned.interval.high:.5g} (jackknife, for other systems and"
        " topics like these; it does not count that rounds differ).",
        "Each round's scores were standardised by its own factors; a difference of 0.15 is one"
        " standard deviation of the standardising runs on a topic.",
        "Teams are unknown, so every run counts as its own team; if teams sent several runs, the"
        " interval is too narrow.",
        "The planning variance, which about 4 of 5 next rounds of this kind are expected to stay"
        " below if rounds vary as in other campaigns,"
        f" is {planned.variance_planning:.5g}.",
        "The plan assumes runs on topics of their own each, normal scores of one variance and a"
        " next round of the same kind with systems like these.",
        f"n = {planned.cells[0].topics} topics for m = 10 and minD = 0.1",
        f"n = {planned.cells[1].topics} topics for m = 10 and minD = 0.2",
        f"({planned.cells[0].beside['planning']:.0f} at the planning variance)",
        "The method is that of T. Sakai", planned.software,
    ):  # fmt: skip
        assert part in paragraph, part
    assert "\n" not in paragraph


@pytest.mark.parametrize(
    ("design", "options", "parts"),
    [
        ({"design": "tukey", "m": (10,)}, {},
         ["Tukey HSD test", "noncentral t", "between the best and the worst of m runs",
          "The two-way residual variance (around run and topic means) of AP",
          "The plan assumes runs on the same topics, normal",
          "with the Tukey HSD test in place of one-way ANOVA."]),
        ({"design": "two-way", "m": (10,), "engine": "sakai"}, {"variance_at": "planning"},
         ["two-way ANOVA", "carried over to this design, which is not published (engine sakai)",
          ": the planning variance, which about 7 of 10 next rounds of this kind are expected to"
          " stay below if rounds vary as in other campaigns. The pooled variance is {pooled:.5g}:"
          " pooled by", "(jackknife, for"]),
        ({"design": "paired-t"}, {},
         [", and that of a difference between two runs as twice it (its mean over all pairs",
          "two runs on the same topics that differ as pairs of runs do on average,",
          "with the two-way in place of the one-way residual variance."]),
        ({"design": "paired-width"}, {"variance_of": "conservative", "variance_at": "latest"},
         ["The one-way residual variance", "as twice it (as if the runs had no topics in common,"
          " which is conservative): that of the latest round, 2 of t, with a 95% interval",
          "Teams are unknown, so every run counts as its own team;",
          "The plan assumes two runs on the same topics, normal", "283, 2016."]),
        ({"design": "two-sample-t"}, {"variance_at": 0.07},
         ["was taken as 0.07, a value given for it.",
          "The plan assumes two runs on topics of their own each and normal scores of one"
          " variance. The design"]),
    ],
)  # fmt: skip
def test_the_protocol_of_other_plans_of_a_task(two_rounds, design, options, parts):
    planned = plan_task(two_rounds, "t", "AP", design, min_d=(0.3,), **options)
    paragraph = protocol(planned)
    pooled = planned.estimate.pooled.two_way_variance
    for part in parts:
        assert part.format(pooled=pooled) in paragraph, paragraph
    assert ("at the planning variance)" in paragraph) == (planned.variance_at != "planning")
    assert ("Teams are unknown" in paragraph) == (planned.variance_at != "given")
    assert "standardised by" not in paragraph


# saved


def test_a_saved_plan_is_shown_as_it_was(two_rounds):
    publish(two_rounds, "0", 0.06)
    planned = plan_task(two_rounds, "t", "AP", m=(2, 10), min_d=(0.1, 0.07))
    saved = save_plan(two_rounds, " next ", planned, note=" because ", user="ann")
    assert (saved.name, saved.version, saved.versions, saved.status) == ("next", 1, 1, "saved")
    assert (saved.task, saved.note, saved.saved_by) == ("t", "because", "ann")
    shown = show_plan(two_rounds, "next")
    assert shown.plan == planned == saved.plan
    printed = json.loads(shown.plan.model_dump_json())
    assert printed == json.loads(planned.model_dump_json())
    assert printed["estimate"]["rounds"][0]["round"] == "1"
    assert (shown.stale, shown.new_rounds, shown.renew) == ([], [], None)
    assert shown.saved_at == saved.saved_at
    # from which estimates, by reference
    kept = rows(
        two_rounds,
        "SELECT variance_estimate_id, published_variance_id FROM roundbook.result_input"
        " ORDER BY position",
    )
    rounds = planned.estimate.rounds
    assert [row.origin for row in rounds] == ["matrix", "matrix", "published"]
    assert kept == [
        (rounds[0].estimate, None), (rounds[1].estimate, None), (None, rounds[2].estimate),
    ]  # fmt: skip


def test_the_same_again_and_another(two_rounds):
    planned = plan_task(two_rounds, "t", "AP", ONE)
    save_plan(two_rounds, "p", planned, note="first", user="ann")
    for note in (None, "first"):
        again = save_plan(two_rounds, "p", planned, note=note, user="bob")
        assert (again.status, again.version, again.note, again.saved_by) == (
            "unchanged", 1, "first", "ann",
        )  # fmt: skip
    assert save_plan(two_rounds, "p", planned, note="second", user="bob").version == 2
    more = plan_task(two_rounds, "t", "AP", m=(10,), min_d=(0.1, 0.2))
    third = save_plan(two_rounds, "p", more, user="bob")
    assert (third.status, third.version, third.note) == ("saved", 3, None)
    assert show_plan(two_rounds, "p").plan == more
    assert show_plan(two_rounds, "p", version=1).plan == planned
    # back to the first: what counts is the latest version
    assert save_plan(two_rounds, "p", planned, user="bob").version == 4
    with pytest.raises(NotRecordedError, match="1, 2, 3, 4"):
        show_plan(two_rounds, "p", version=5)


def test_names(two_rounds):
    given = plan(0.05, ONE)
    for name in ("", "  ", "a\tb", "x" * 201):
        with pytest.raises(InputError):
            save_plan(two_rounds, name, given, user="me")
    for save in (
        lambda: save_plan(two_rounds, "-p", given, user="me"),
        lambda: create_task(two_rounds, "--t"),
        lambda: create_round(two_rounds, "t", " -r"),
    ):
        with pytest.raises(InputError, match="a name that does not begin with '-', as an option"):
            save()
    with pytest.raises(InputError, match="note"):
        save_plan(two_rounds, "p", given, note="\x1b[31mred", user="me")
    assert counts(two_rounds)["result"] == 0
    with pytest.raises(NotRecordedError, match="There is no saved plan 'p'"):
        show_plan(two_rounds, "p")
    log_scores(two_rounds, "1", SCORES, task="other")
    assert save_plan(two_rounds, "p", given, user="me").task is None
    with pytest.raises(AlreadyRecordedError, match="'p' is a plan of no task already"):
        save_plan(two_rounds, "p", plan_task(two_rounds, "t", "AP", ONE), user="me")
    of_task = save_plan(two_rounds, "q", plan_task(two_rounds, "t", "AP", ONE), user="me")
    assert (of_task.task, of_task.version) == ("t", 1)
    with pytest.raises(AlreadyRecordedError, match="of task 't' already"):
        save_plan(two_rounds, "q", plan_task(two_rounds, "other", "AP", ONE), user="me")
    scopes = {entry.name: result_scope(entry) for entry in list_results(two_rounds).results}
    assert scopes == {"p": "no task", "q": "task 't'"}


@pytest.mark.parametrize("result", ["{}", '{"cells": [], "design": "anova"}'])
def test_a_plan_that_roundbook_did_not_save_is_named(two_rounds, result):
    with unit_of_work(two_rounds) as connection:
        connection.execute(
            text(
                "INSERT INTO roundbook.result"
                " (kind, name, version, request, result, software, saved_by)"
                " VALUES ('plan', 'junk', 1, '{}', CAST(:result AS jsonb), 's', 'me')"
            ),
            {"result": result},
        )
        record_event(Session(connection, "me"), "plan saved")
        connection.commit()
    for ask in (
        lambda: show_plan(two_rounds, "junk"),
        lambda: save_plan(two_rounds, "junk", plan(0.05, ONE), user="me"),
    ):
        with pytest.raises(RecordError, match="Plan 'junk', version 1, cannot be read: this Round"):
            ask()
    (listed,) = list_plans(two_rounds).results
    assert (listed.name, listed.brief["fewest_topics"]) == ("junk", None)


def test_listing(two_rounds):
    assert list_plans(two_rounds).results == []
    save_plan(two_rounds, "b", plan(0.05, m=(2, 10), min_d=(0.1,)), user="me")
    save_plan(two_rounds, "a", plan_task(two_rounds, "t", "AP", ONE), user="me")
    second = plan_task(two_rounds, "t", "AP", ONE, scale="std-ab")
    save_plan(two_rounds, "a", second, note="on std-AB", user="me")
    listed = list_plans(two_rounds).results
    assert [(entry.name, entry.version, entry.versions, entry.task) for entry in listed] == [
        ("a", 2, 2, "t"),
        ("b", 1, 1, None),
    ]
    first, last = (entry.brief for entry in listed)
    assert (first["measure"], first["scale"], listed[0].note) == ("AP", "std-ab", "on std-AB")
    assert first["fewest_topics"] == first["most_topics"] == second.cells[0].topics
    assert (last["fewest_topics"], last["most_topics"]) == (80, 158)
    assert [entry.name for entry in list_plans(two_rounds, "t").results] == ["a"]
    with pytest.raises(NotRecordedError):
        list_plans(two_rounds, "nope")


def saved_on(engine, scale="raw"):
    save_plan(engine, "p", plan_task(engine, "t", "AP", ONE, scale=scale), user="me")


def test_no_correction_comes_between_reading_and_saving(committed, two_rounds):
    correction = Thread(
        target=log_scores,
        args=(two_rounds, "1", SCORES * 1.1),
        kwargs={"revise": "the qrels were wrong"},
    )

    def correct(*arguments):
        # What the plan is from has been read, and is about to be saved.
        if arguments[2].startswith("INSERT INTO roundbook.result ") and not correction.ident:
            correction.start()
            correction.join(0.5)
            waiting.append(correction.is_alive())

    waiting = []
    event.listen(two_rounds, "before_cursor_execute", correct)
    request = PlanRequest(task="t", measure="AP", **ONE)
    saved = save_plan(two_rounds, "p", request, user="me")
    correction.join()
    assert (waiting, saved.stale) == ([True], [])
    assert [(entry.round, entry.was) for entry in show_plan(two_rounds, "p").stale] == [
        ("1", saved.plan.estimate.rounds[0].variance)
    ]


def test_stale_after_a_correction(two_rounds):
    saved_on(two_rounds)
    before = show_variances(two_rounds, "t", "AP").rounds
    log_scores(two_rounds, "1", SCORES * 1.1, revise="the qrels were wrong")
    shown = show_plan(two_rounds, "p")
    (stale,) = shown.stale
    assert (stale.round, stale.was) == ("1", before[0].variance)
    assert stale.now == pytest.approx(1.21 * before[0].variance)
    assert "revision 2" in stale.why
    assert shown.new_rounds == []
    assert shown.renew == "roundbook result renew p"
    renewed = save_plan(two_rounds, "p", plan_task(two_rounds, "t", "AP", ONE), user="me")
    assert renewed.version == 2
    assert show_plan(two_rounds, "p").renew is None
    assert show_plan(two_rounds, "p", version=1).stale == shown.stale


def test_the_list_says_which_plans_stand(two_rounds):
    def stale():
        return {entry.name: entry.stale for entry in list_plans(two_rounds).results}

    def renew():
        for name in ("both", "ab"):
            scale = {"both": "raw", "ab": "std-ab"}[name]
            planned = plan_task(two_rounds, "t", "AP", ONE, scale=scale)
            save_plan(two_rounds, name, planned, user="me")

    save_plan(two_rounds, "typed", plan(0.05, ONE), user="me")
    renew()
    assert stale() == {"ab": False, "both": False, "typed": False}
    fit_factor_set(two_rounds, "t", "1", "AP", runs=["run0", "run1"], reason="x", user="me")
    assert stale() == {"ab": True, "both": False, "typed": False}
    second = log_scores(two_rounds, "2", SCORES[:9, :4], revise="the qrels were wrong").matrix
    assert stale() == {"ab": True, "both": True, "typed": False}
    # Only the latest version is in force; a round held since makes none stale.
    renew()
    log_scores(two_rounds, "3", SCORES[:5])
    assert stale() == {"ab": False, "both": False, "typed": False}
    withdraw_matrix(two_rounds, second, "assessed twice", user="me")
    renew()
    assert not any(stale().values())
    restore_matrix(two_rounds, second, "not so", user="me")
    assert stale() == {"ab": True, "both": True, "typed": False}


def test_the_queries_of_the_list_do_not_grow_with_the_plans(two_rounds):
    def count():
        asked.clear()
        return len(list_plans(two_rounds).results), len(asked)

    asked = []
    event.listen(two_rounds, "before_cursor_execute", lambda *args: asked.append(args[2]))
    saved_on(two_rounds)
    one, queries = count()
    for number in range(5):
        planned = plan_task(two_rounds, "t", "AP", m=(3 + number,), min_d=(0.1,))
        save_plan(two_rounds, f"plan {number}", planned, user="me")
    assert (one, count()) == (1, (6, queries))


def test_stale_after_new_factors_on_a_standardised_scale_only(two_rounds):
    saved_on(two_rounds, "std-ab")
    save_plan(two_rounds, "raw", plan_task(two_rounds, "t", "AP", ONE), user="me")
    fit_factor_set(
        two_rounds, "t", "1", "AP", runs=["run0", "run1", "run2"], reason="without the baselines",
        user="me",
    )  # fmt: skip
    (stale,) = show_plan(two_rounds, "p").stale
    assert (stale.round, stale.why) == ("1", "its factors were fitted anew (version 2)")
    assert show_plan(two_rounds, "raw").stale == []


def test_stale_after_published_values_change(two_rounds):
    publish(two_rounds, "0", 0.06)
    saved_on(two_rounds)
    publish(two_rounds, "0", 0.07, revise="an erratum")
    (stale,) = show_plan(two_rounds, "p").stale
    assert (stale.round, stale.was, stale.now) == ("0", 0.06, 0.07)
    assert "published value was corrected (revision 2)" in stale.why
    log_scores(two_rounds, "0", SCORES)
    (stale,) = show_plan(two_rounds, "p").stale
    assert stale.why == "its score matrix was logged since"


def test_a_new_round_and_a_variance_that_is_gone(two_rounds):
    saved_on(two_rounds, "std-ab")
    log_scores(two_rounds, "1", SCORES[:, :1], revise="one run is left")
    log_scores(two_rounds, "3", SCORES)
    shown = show_plan(two_rounds, "p")
    assert shown.new_rounds == ["3"]
    (stale,) = shown.stale
    assert (stale.round, stale.now) == ("1", None)
    log_scores(two_rounds, "2", SCORES[:, :1], revise="one run is left")
    log_scores(two_rounds, "3", SCORES[:, :1], revise="one run is left")
    shown = show_plan(two_rounds, "p")
    assert [(estimate.round, estimate.now) for estimate in shown.stale] == [
        ("1", None),
        ("2", None),
    ]


def test_a_given_variance_is_never_stale(two_rounds):
    save_plan(two_rounds, "p", plan(0.05, ONE), user="me")
    log_scores(two_rounds, "3", SCORES)
    shown = show_plan(two_rounds, "p")
    assert (shown.task, shown.stale, shown.new_rounds, shown.renew) == (None, [], [], None)


def test_saved_plans_cannot_be_changed(two_rounds):
    saved_on(two_rounds)
    for statement in (
        "UPDATE roundbook.result SET note = 'other'",
        "DELETE FROM roundbook.result_input",
    ):
        with pytest.raises(DatabaseError), unit_of_work(two_rounds) as connection:
            connection.execute(text(statement))


def test_many_at_once_get_a_version_each(committed, two_rounds):
    plans = [plan(0.05, m=(m,), min_d=(0.1,)) for m in range(2, 10)]
    with ThreadPoolExecutor(4) as pool:
        saved = list(
            pool.map(lambda planned: save_plan(two_rounds, "p", planned, user="me"), plans)
        )
    assert sorted(version.version for version in saved) == list(range(1, 9))
    for version in saved:
        assert show_plan(two_rounds, "p", version=version.version).plan == version.plan


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(variance=st.floats(1e-12, 1e12), scale=st.floats(0.5, 3), alpha=st.floats(1e-6, 0.5))
def test_every_number_survives_the_database(engine, variance, scale, alpha):
    planned = plan(variance, m=(3,), min_d=(scale * variance**0.5,), alpha=alpha)
    save_plan(engine, "p", planned, user="me")
    assert show_plan(engine, "p").plan == planned
