"""Plans: every design solved for every quantity, from given variances and from tasks; saved."""

from __future__ import annotations

import csv
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import f as f_distribution
from scipy.stats import ncf
from sqlalchemy import event, text
from tests.factories import (
    create_round,
    create_task,
    fit_factor_set,
    list_plans,
    log_matrix,
    plan_task,
    record_variance,
    restore_matrix,
    save_plan,
    show_plan,
    show_variances,
    withdraw_matrix,
)

from roundbook.database.engine import unit_of_work
from roundbook.errors import (
    AlreadyRecordedError,
    DatabaseError,
    ImpossibleStatisticError,
    InputError,
    NotRecordedError,
    RecordError,
    RoundbookError,
)
from roundbook.formats import ScoreMatrix, settle_missing
from roundbook.logbook.events import record_event
from roundbook.logbook.plans.design import Design
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.planning import plan
from roundbook.statistics.design import DESIGNS, solve_min_d, solve_power

ONE = Design(m=(10,), min_d=(0.1,))
SCORES = np.random.default_rng(7).normal(0.5, 0.2, (12, 6))


def log(engine, scores, label="1", *, task="task", measure="AP", **options):
    scores = np.asarray(scores, dtype=float)
    settled = settle_missing(
        ScoreMatrix(
            topics=tuple(f"t{j}" for j in range(scores.shape[0])),
            runs=tuple(f"r{i}" for i in range(scores.shape[1])),
            scores=scores,
            measure=None,
            layout="wide",
            files=("test",),
        ),
        "reject",
    )
    return log_matrix(
        engine, task, label, measure, settled, **{"create": True, "user": "me", **options}
    )


def publish(engine, label, variance, **options):
    facts = {"runs": 8, "topics": 40, "source": "a paper", "create": True, "user": "me", **options}
    return record_variance(engine, "task", label, "AP", variance=variance, **facts)


@pytest.fixture
def two_rounds(engine):
    """Two logged rounds that differ in topics, runs and variance."""
    log(engine, SCORES, "1")
    log(engine, 1.3 * SCORES[:9, :4], "2")
    return engine


# a given variance


def test_the_published_sizes(shared):
    path = shared / "reference" / "airs2016_table2_sections_I_IV.csv"
    rows = list(csv.DictReader(path.read_text().splitlines()))

    def key(row):
        return float(row["variance"]), float(row["alpha"]), float(row["beta"])

    for (variance, alpha, beta), group in groupby(rows, key):
        cells = {(int(row["m"]), float(row["min_d"])): row for row in group}
        design = Design(
            m=tuple(sorted({m for m, _ in cells})),
            min_d=tuple(sorted({d for _, d in cells})),
            alpha=alpha,
            beta=beta,
            engine="sakai",
        )
        for cell in plan(variance, design).cells:
            row = cells.pop((cell.m, cell.min_d))
            assert cell.topics == cell.topics_sakai == int(row["n_published"])
            assert cell.topics_exact == int(row["n_exact_noncentral_f"])
        assert not cells
    assert len(rows) == 80


def test_two_runs_by_t_and_by_width():
    half = {"min_d": (0.5,)}
    for name, variance, topics in (("paired-t", 0.5, 34), ("two-sample-t", 1.0, 64)):
        (cell,) = plan(variance, Design(design=name, **half)).cells
        assert (cell.topics, cell.topics_exact, cell.m, cell.width) == (topics, topics, 2, None)
        assert 0.8 <= cell.achieved_power < 0.82
    widths = (0.05, 0.1, 0.15, 0.2, 0.3)
    for name, sizes in (
        ("paired-width", [617, 156, 71, 41, 20]),
        ("two-sample-width", [616, 155, 70, 40, 19]),
    ):
        for engine in ("exact", "sakai"):
            found = plan(0.05, Design(design=name, min_d=widths, engine=engine)).cells
            assert [cell.topics for cell in found] == sizes
            assert all(cell.topics_exact == cell.topics_sakai == cell.topics for cell in found)
            assert all(cell.achieved_power is None for cell in found)
            assert all(0.9 * cell.min_d < cell.width <= cell.min_d for cell in found)


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(list(DESIGNS)),
    engine=st.sampled_from(["exact", "sakai"]),
    m=st.integers(2, 60),
    min_d=st.floats(0.03, 0.3),
    variance=st.floats(0.01, 0.2),
)
def test_solving_back_returns_what_was_given(name, engine, m, min_d, variance):
    runs = {"m": (m,)} if DESIGNS[name].takes_runs else {}

    def solve(solve_for, variance, **given):
        asked = Design(**{**runs, **given}, design=name, engine=engine, solve=solve_for)
        (cell,) = plan(variance, asked).cells
        return cell

    size = solve("topics", variance, min_d=(min_d,))
    assert size.solved_exact == size.topics_exact
    back = solve("min-d", variance, topics=(size.topics,))
    assert back.min_d <= min_d * (1 + 1e-9)
    assert solve("topics", variance, min_d=(back.min_d,)).topics == size.topics
    largest = solve("variance", None, topics=(size.topics,), min_d=(min_d,))
    assert largest.variance >= variance * (1 - 1e-9)
    assert solve("topics", largest.variance, min_d=(min_d,)).topics == size.topics
    if not name.endswith("width"):
        power = solve("power", variance, topics=(size.topics,), min_d=(min_d,))
        assert power.achieved_power == pytest.approx(size.achieved_power, abs=1e-12)
    if DESIGNS[name].takes_runs:
        most = solve("m", variance, topics=(size.topics,), min_d=(min_d,), m=(2, m, 10 * m))
        assert most.m == m


def test_a_grid_goes_through_runs_then_differences_then_topics():
    asked = Design(m=(2, 5), min_d=(0.1, 0.2), topics=(20, 50), solve="power")
    cells = plan(0.05, asked).cells
    assert [(cell.m, cell.min_d, cell.topics) for cell in cells] == [
        (m, d, n) for m in (2, 5) for d in (0.1, 0.2) for n in (20, 50)
    ]
    assert cells[0].solved_exact == cells[0].achieved_power
    assert cells[0].topics_exact == cells[0].topics_sakai == 20
    assert cells[1].achieved_power > cells[0].achieved_power  # more topics
    assert cells[2].achieved_power > cells[0].achieved_power  # a larger difference
    assert cells[4].achieved_power < cells[0].achieved_power  # more runs


@pytest.mark.parametrize(
    ("design", "variance", "said"),
    [
        ({"m": (2,), "min_d": (0.1,), "topics": (9,)}, 0.1, "topics are what is solved for"),
        ({"m": (2,), "min_d": (0.1,), "topics": (9,), "solve": "min-d"}, 0.1, "min-d is what"),
        ({"m": (2,), "min_d": (0.1,), "solve": "power"}, 0.1, "needs topics"),
        ({"m": (2,)}, 0.1, "needs min-d"),
        ({"min_d": (0.1,)}, 0.1, "needs m"),
        ({"m": (2,), "min_d": (0.1,), "design": "paired-t"}, 0.1, "leave out m"),
        ({"min_d": (0.1,), "design": "paired-width", "solve": "power", "topics": (9,)}, 0.1,
         "no power"),
        ({"min_d": (0.1,), "design": "paired-t", "solve": "m", "topics": (9,)}, 0.1, "two runs"),
        ({"m": (2,), "min_d": (0.1,), "topics": (9,), "solve": "variance"}, 0.1, "leave it out"),
        ({"m": (2,), "min_d": (0.1,)}, None, "needs a variance"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(design, variance, said):
    with pytest.raises(InputError, match=said):
        plan(variance, Design(**design))


@pytest.mark.parametrize(
    "wrong",
    [{"m": (1,)}, {"m": (10**400,)}, {"min_d": (0.0,)}, {"min_d": (float("nan"),)},
     {"min_d": (1e-9,)}, {"alpha": 0.0}, {"alpha": float("nan")}, {"beta": 1.5},
     {"beta": float("inf")}, {"alpha": 0.5, "beta": 0.6}],
    ids=str,
)  # fmt: skip
def test_impossible_plans(wrong):
    with pytest.raises(ImpossibleStatisticError):
        plan(0.05, ONE.model_copy(update=wrong))


def test_10_million_topics_and_one_more():
    edge = float(solve_min_d("anova", 10_000_000, 0.05, runs=10).min_d)
    (cell,) = plan(0.05, Design(m=(10,), min_d=(edge * (1 + 1e-9),))).cells
    assert cell.topics_exact == 10_000_000
    with pytest.raises(ImpossibleStatisticError, match="10,000,000"):
        plan(0.05, Design(m=(10,), min_d=(edge * (1 - 1e-6),)))
    with pytest.raises(ImpossibleStatisticError, match="10,000,000"):
        plan(0.05, Design(m=(10,), min_d=(0.1,), topics=(10_000_001,), solve="power"))


ODD = st.sampled_from([0.0, -1.0, float("nan"), float("inf"), 5e-324, 1e-9, 0.05, 1.0, 1e300])


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_never_a_number_that_is_none(data):
    solve = data.draw(st.sampled_from(["topics", "power", "min-d", "variance", "m"]))
    name = data.draw(st.sampled_from(["anova", "two-way", "tukey", "paired-t", "two-sample-width"]))
    sizes = st.sampled_from([0, 1, 2, 3, 50, 10_000_000, 10**400])
    design = Design(
        m=(data.draw(sizes), 2) if DESIGNS[name].takes_runs else (),
        min_d=() if solve == "min-d" else (data.draw(ODD),),
        topics=() if solve == "topics" else (data.draw(sizes),),
        alpha=data.draw(st.sampled_from([0.05, 0.05, 0.9, 0.0, float("nan")])),
        beta=data.draw(st.sampled_from([0.2, 0.2, 0.9, 1.0, float("nan")])),
        engine=data.draw(st.sampled_from(["exact", "sakai"])),
        design=name,
        solve=solve,
    )
    try:
        found = plan(None if solve == "variance" else data.draw(ODD), design)
    except RoundbookError:
        return
    printed = found.model_dump_json()
    assert "NaN" not in printed
    assert "Infinity" not in printed
    assert Plan.model_validate_json(printed) == found


def test_an_engine_without_an_answer_says_so():
    found = plan(0.05, Design(m=(10,), min_d=(0.1,), topics=(2, 50), solve="power"))
    assert [cell.solved_sakai is None for cell in found.cells] == [True, False]
    assert [cell.achieved_power for cell in found.cells] == [
        cell.solved_exact for cell in found.cells
    ]
    (note,) = found.notes
    assert note.startswith("By the engine sakai, 1 of 2 cells have no answer")
    with pytest.raises(ImpossibleStatisticError, match="engine sakai"):
        plan(0.05, Design(m=(10,), min_d=(0.1,), topics=(2,), solve="power", engine="sakai"))


# from a task


def test_the_power_that_each_round_had(two_rounds):
    found = plan_task(two_rounds, "task", "AP", Design(m=(2, 10), min_d=(0.1, 0.5), beta=0.1))
    expected = [("1", SCORES), ("2", 1.3 * SCORES[:9, :4])]
    assert len(found.rounds) == 8
    rows = iter(found.rounds)
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
    assert {row.enough for row in found.rounds} == {True, False}
    by_sakai = plan_task(
        two_rounds, "task", "AP", Design(m=(2,), min_d=(0.1,), engine="sakai", beta=0.1)
    )
    assert by_sakai.rounds[0].achieved_power == found.rounds[0].power_sakai


def test_rounds_of_a_t_test_and_of_an_interval(two_rounds):
    tested = plan_task(two_rounds, "task", "AP", Design(min_d=(0.1,), design="paired-t"))
    assert [(row.round, row.m) for row in tested.rounds] == [("1", 2), ("2", 2)]
    variance = tested.rounds[0].variance
    assert variance == tested.estimate.rounds[0].two_way_variance
    expected = float(solve_power("paired-t", 12, 0.1, variance).power)
    assert tested.rounds[0].achieved_power == expected
    for design in (
        Design(min_d=(0.1,), design="paired-width"),
        Design(m=(10,), topics=(50,), solve="min-d"),
    ):
        assert plan_task(two_rounds, "task", "AP", design).rounds == []


def test_rounds_without_variance(engine):
    log(engine, np.full((4, 3), 0.3), "flat")
    with pytest.raises(ImpossibleStatisticError, match=r"pooled variance of AP .* is 0") as refused:
        plan_task(engine, "task", "AP", ONE)
    assert "flat" in str(refused.value)
    log(engine, SCORES, "2")
    found = plan_task(engine, "task", "AP", ONE)
    assert found.interval is None
    assert found.variance_planning is None
    assert found.notes == ["There is no planning variance: no run's scores vary over the topics."]
    flat, lively = found.rounds
    assert (flat.achieved_power, flat.enough, flat.reason) == (None, None, "Its variance is 0.")
    assert lively.achieved_power > 0


def test_rounds_that_disagree_are_told(engine):
    log(engine, SCORES, "1")
    log(engine, np.random.default_rng(8).normal(0.5, 0.05, (40, 6)), "2")
    found = plan_task(engine, "task", "AP", ONE)
    assert found.warning == found.estimate.pooled.warning
    assert "disagree" in found.warning


# in words


def test_the_protocol_says_it_all(two_rounds):
    asked = Design(m=(10,), min_d=(0.1, 0.2), alpha=0.01, beta=0.1, engine="sakai")
    found = plan_task(two_rounds, "task", "AP", asked, scale="std-ab")
    said = found.protocol
    for part in (
        "one-way ANOVA", "alpha = 0.01", "beta = 0.1", "power 0.9", "engine sakai",
        "The one-way residual variance (around run means) of AP (std-ab scale) was taken as"
        f" {found.variance:.5g}: pooled by their degrees of freedom over 2 rounds of task (1, 2),"
        f" {found.estimate.pooled.dof} degrees of freedom, with a 95% interval from"
        f" {found.interval.low:.5g} to {found.interval.high:.5g} (jackknife; for other systems and"
        " topics like these).",
        "The planning variance, which 4 of 5 next rounds of this kind are expected to stay below,"
        f" is {found.variance_planning:.5g}.",
        "The plan assumes runs on topics of their own each, normal scores of one variance and a"
        " next round of the same kind with systems like these.",
        f"n = {found.cells[0].topics} topics for m = 10 and minD = 0.1",
        f"n = {found.cells[1].topics} topics for m = 10 and minD = 0.2",
        f"({found.cells[0].beside['planning']:.0f} at the planning variance)",
        "The method is that of T. Sakai", found.software,
    ):  # fmt: skip
        assert part in said, part
    assert "\n" not in said


@pytest.mark.parametrize(
    ("design", "variance", "parts"),
    [
        ({"min_d": (0.1,), "design": "paired-t"}, 0.05,
         ["paired t test", "noncentral t", "twice it", "n = 81 topics for minD = 0.1"]),
        ({"min_d": (0.1,), "design": "two-sample-width"}, 0.05,
         ["95% confidence interval of a two-sample difference", "n = 155 topics for width = 0.1"]),
        ({"m": (10,), "min_d": (0.1,), "topics": (158,), "solve": "power"}, 0.05,
         ["a power of 0.802 for m = 10 and minD = 0.1 and n = 158"]),
        ({"m": (10,), "topics": (158,), "solve": "min-d"}, 0.05, ["minD = 0.09979 for m = 10"]),
        ({"m": (2, 10, 50), "min_d": (0.1,), "topics": (158,), "solve": "m"}, 0.05,
         ["m = 10 runs for minD = 0.1 and n = 158"]),
        ({"m": (10,), "min_d": (0.1,), "topics": (158,), "solve": "variance"}, None,
         ["The largest one-way residual variance that this suffices for is 0.050209"]),
        ({"m": (10,), "min_d": (0.1,), "topics": (161,), "solve": "variance", "design": "tukey"},
         None, ["The largest two-way residual variance that this suffices for is"]),
        ({"min_d": (0.1,), "topics": (81,), "solve": "variance", "design": "paired-t"}, None,
         ["residual variance, taken as half that of a difference, that this suffices for is"]),
        ({"m": (2, 3, 5, 10), "min_d": (0.05, 0.1, 0.15, 0.2)}, 0.05,
         ["Over 16 designs", "m goes from 2 to 10", "minD goes from 0.05 to 0.2",
          "n goes from 21"]),
    ],
)  # fmt: skip
def test_the_protocol_of_other_plans(design, variance, parts):
    said = plan(variance, Design(**design)).protocol
    for part in parts:
        assert part in said, said


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
          ": the planning variance, which 4 of 5 next rounds of this kind are expected to stay"
          " below. The pooled variance is {pooled:.5g}: pooled by", "(jackknife;"]),
        ({"design": "paired-t"}, {},
         [", and that of a difference between two runs as twice it (its mean over all pairs",
          "two runs on the same topics that differ as pairs of runs do on average,",
          "with the two-way in place of the one-way residual variance."]),
        ({"design": "paired-width"}, {"variance_of": "conservative", "variance_at": "latest"},
         ["The one-way residual variance", "as twice it (as if the runs had no topics in common,"
          " which is conservative): that of the latest round, 2 of task, with a 95% interval",
          "The plan assumes two runs on the same topics, normal", "283, 2016."]),
        ({"design": "two-sample-t"}, {"variance_at": 0.07},
         ["was taken as 0.07, a value given for it.",
          "The plan assumes two runs on topics of their own each and normal scores of one"
          " variance. The design"]),
    ],
)  # fmt: skip
def test_the_protocol_of_other_plans_of_a_task(two_rounds, design, options, parts):
    asked = Design(min_d=(0.3,), **design)
    found = plan_task(two_rounds, "task", "AP", asked, **options)
    pooled = found.estimate.pooled.two_way_variance
    for part in parts:
        assert part.format(pooled=pooled) in found.protocol, found.protocol
    assert ("at the planning variance)" in found.protocol) == (found.variance_at != "planning")


# saved


def rows_of(engine, query):
    with unit_of_work(engine) as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def test_a_saved_plan_is_shown_as_it_was(two_rounds):
    publish(two_rounds, "0", 0.06)
    found = plan_task(two_rounds, "task", "AP", Design(m=(2, 10), min_d=(0.1, 0.07)))
    saved = save_plan(two_rounds, " next ", found, note=" because ", user="ann")
    assert (saved.name, saved.version, saved.versions, saved.status) == ("next", 1, 1, "saved")
    assert (saved.task, saved.note, saved.saved_by) == ("task", "because", "ann")
    shown = show_plan(two_rounds, "next")
    assert shown.plan == found == saved.plan
    printed = json.loads(shown.plan.model_dump_json())
    assert printed == json.loads(found.model_dump_json())
    assert printed["estimate"]["rounds"][0]["round"] == "1"
    assert (shown.stale, shown.new_rounds, shown.renew) == ([], [], None)
    assert shown.saved_at == saved.saved_at
    # from which estimates, by reference
    kept = rows_of(
        two_rounds,
        "SELECT variance_estimate_id, published_variance_id FROM roundbook.plan_estimate"
        " ORDER BY position",
    )
    rounds = found.estimate.rounds
    assert [each.origin for each in rounds] == ["matrix", "matrix", "published"]
    assert kept == [
        (rounds[0].estimate, None), (rounds[1].estimate, None), (None, rounds[2].estimate),
    ]  # fmt: skip


def test_the_same_again_and_another(two_rounds):
    found = plan_task(two_rounds, "task", "AP", ONE)
    save_plan(two_rounds, "p", found, note="first", user="ann")
    for note in (None, "first"):
        again = save_plan(two_rounds, "p", found, note=note, user="bob")
        assert (again.status, again.version, again.note, again.saved_by) == (
            "unchanged", 1, "first", "ann",
        )  # fmt: skip
    other_software = found.model_copy(update={"software": "roundbook 9", "protocol": "said anew"})
    assert save_plan(two_rounds, "p", other_software, user="bob").status == "unchanged"
    assert save_plan(two_rounds, "p", found, note="second", user="bob").version == 2
    more = plan_task(two_rounds, "task", "AP", Design(m=(10,), min_d=(0.1, 0.2)))
    third = save_plan(two_rounds, "p", more, user="bob")
    assert (third.status, third.version, third.note) == ("saved", 3, None)
    assert show_plan(two_rounds, "p").plan == more
    assert show_plan(two_rounds, "p", version=1).plan == found
    # back to the first: what counts is the latest version
    assert save_plan(two_rounds, "p", found, user="bob").version == 4
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
        lambda: create_round(two_rounds, "task", " -r"),
    ):
        with pytest.raises(InputError, match="a name that does not begin with '-', as an option"):
            save()
    with pytest.raises(InputError, match="note"):
        save_plan(two_rounds, "p", given, note="\x1b[31mred", user="me")
    assert rows_of(two_rounds, "SELECT count(*) FROM roundbook.plan") == [(0,)]
    with pytest.raises(NotRecordedError, match="roundbook plan list"):
        show_plan(two_rounds, "p")
    log(two_rounds, SCORES, task="other")
    assert save_plan(two_rounds, "p", given, user="me").task is None
    assert (
        save_plan(two_rounds, "p", plan_task(two_rounds, "task", "AP", ONE), user="me").version == 2
    )
    with pytest.raises(AlreadyRecordedError, match="of task 'task' already"):
        save_plan(two_rounds, "p", plan_task(two_rounds, "other", "AP", ONE), user="me")


@pytest.mark.parametrize("result", ["{}", '{"cells": [], "design": "anova"}'])
def test_a_plan_that_roundbook_did_not_save_is_named(two_rounds, result):
    with unit_of_work(two_rounds) as connection:
        connection.execute(
            text(
                "INSERT INTO roundbook.plan (name, version, result, software, saved_by)"
                " VALUES ('junk', 1, CAST(:result AS jsonb), 's', 'me')"
            ),
            {"result": result},
        )
        record_event(connection, "plan saved", who="me")
        connection.commit()
    for ask in (
        lambda: show_plan(two_rounds, "junk"),
        lambda: list_plans(two_rounds),
        lambda: save_plan(two_rounds, "junk", plan(0.05, ONE), user="me"),
    ):
        with pytest.raises(RecordError, match="Plan 'junk', version 1, cannot be read: this Round"):
            ask()


def test_listing(two_rounds):
    assert list_plans(two_rounds).plans == []
    save_plan(two_rounds, "b", plan(0.05, Design(m=(2, 10), min_d=(0.1,))), user="me")
    save_plan(two_rounds, "a", plan_task(two_rounds, "task", "AP", ONE), user="me")
    second = plan_task(two_rounds, "task", "AP", ONE, scale="std-ab")
    save_plan(two_rounds, "a", second, note="on std-AB", user="me")
    listed = list_plans(two_rounds).plans
    assert [(each.name, each.version, each.versions, each.task) for each in listed] == [
        ("a", 2, 2, "task"),
        ("b", 1, 1, None),
    ]
    assert (listed[0].measure, listed[0].scale, listed[0].note) == ("AP", "std-ab", "on std-AB")
    assert listed[0].fewest_topics == listed[0].most_topics == second.cells[0].topics
    assert (listed[1].fewest_topics, listed[1].most_topics) == (80, 158)
    assert [each.name for each in list_plans(two_rounds, "task").plans] == ["a"]
    with pytest.raises(NotRecordedError):
        list_plans(two_rounds, "nope")


def saved_on(engine, scale="raw"):
    save_plan(engine, "p", plan_task(engine, "task", "AP", ONE, scale=scale), user="me")


def test_stale_after_a_correction(two_rounds):
    saved_on(two_rounds)
    before = show_variances(two_rounds, "task", "AP").rounds
    log(two_rounds, SCORES * 1.1, "1", revise="the qrels were wrong")
    shown = show_plan(two_rounds, "p")
    (stale,) = shown.stale
    assert (stale.round, stale.was) == ("1", before[0].variance)
    assert stale.now == pytest.approx(1.21 * before[0].variance)
    assert "revision 2" in stale.why
    assert shown.new_rounds == []
    assert shown.renew.startswith("roundbook plan save p --task task --measure AP")
    renewed = save_plan(two_rounds, "p", plan_task(two_rounds, "task", "AP", ONE), user="me")
    assert renewed.version == 2
    assert show_plan(two_rounds, "p").renew is None
    assert show_plan(two_rounds, "p", version=1).stale == shown.stale


def test_the_list_says_which_plans_stand(two_rounds):
    def stale():
        return {each.name: each.stale for each in list_plans(two_rounds).plans}

    def renew():
        for name in ("both", "ab"):
            scale = {"both": "raw", "ab": "std-ab"}[name]
            found = plan_task(two_rounds, "task", "AP", ONE, scale=scale)
            save_plan(two_rounds, name, found, user="me")

    save_plan(two_rounds, "typed", plan(0.05, ONE), user="me")
    renew()
    assert stale() == {"ab": False, "both": False, "typed": False}
    fit_factor_set(two_rounds, "task", "1", "AP", runs=["r0", "r1"], reason="x", user="me")
    assert stale() == {"ab": True, "both": False, "typed": False}
    second = log(two_rounds, SCORES[:9, :4], "2", revise="the qrels were wrong").matrix
    assert stale() == {"ab": True, "both": True, "typed": False}
    # Only the latest version is in force; a round held since makes none stale.
    renew()
    log(two_rounds, SCORES[:5], "3")
    assert stale() == {"ab": False, "both": False, "typed": False}
    withdraw_matrix(two_rounds, second, "assessed twice", user="me")
    renew()
    assert not any(stale().values())
    restore_matrix(two_rounds, second, "not so", user="me")
    assert stale() == {"ab": True, "both": True, "typed": False}


def test_the_queries_of_the_list_do_not_grow_with_the_plans(two_rounds):
    def count():
        asked.clear()
        return len(list_plans(two_rounds).plans), len(asked)

    asked = []
    event.listen(two_rounds, "before_cursor_execute", lambda *args: asked.append(args[2]))
    saved_on(two_rounds)
    one, queries = count()
    for number in range(5):
        found = plan_task(two_rounds, "task", "AP", Design(m=(3 + number,), min_d=(0.1,)))
        save_plan(two_rounds, f"plan {number}", found, user="me")
    assert (one, count()) == (1, (6, queries))


def test_stale_after_new_factors_on_a_standardised_scale_only(two_rounds):
    saved_on(two_rounds, "std-ab")
    save_plan(two_rounds, "raw", plan_task(two_rounds, "task", "AP", ONE), user="me")
    fit_factor_set(
        two_rounds, "task", "1", "AP", runs=["r0", "r1", "r2"], reason="without the baselines",
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
    log(two_rounds, SCORES, "0")
    (stale,) = show_plan(two_rounds, "p").stale
    assert stale.why == "its score matrix was logged since"


def test_a_new_round_and_a_variance_that_is_gone(two_rounds):
    saved_on(two_rounds, "std-ab")
    log(two_rounds, SCORES[:, :1], "1", revise="one run is left")
    log(two_rounds, SCORES, "3")
    shown = show_plan(two_rounds, "p")
    assert shown.new_rounds == ["3"]
    (stale,) = shown.stale
    assert (stale.round, stale.now) == ("1", None)
    log(two_rounds, SCORES[:, :1], "2", revise="one run is left")
    log(two_rounds, SCORES[:, :1], "3", revise="one run is left")
    shown = show_plan(two_rounds, "p")
    assert [(each.round, each.now) for each in shown.stale] == [("1", None), ("2", None)]


def test_a_given_variance_is_never_stale(two_rounds):
    save_plan(two_rounds, "p", plan(0.05, ONE), user="me")
    log(two_rounds, SCORES, "3")
    shown = show_plan(two_rounds, "p")
    assert (shown.task, shown.stale, shown.new_rounds, shown.renew) == (None, [], [], None)


def test_saved_plans_cannot_be_changed(two_rounds):
    saved_on(two_rounds)
    for statement in (
        "UPDATE roundbook.plan SET note = 'other'",
        "DELETE FROM roundbook.plan_estimate",
    ):
        with pytest.raises(DatabaseError), unit_of_work(two_rounds) as connection:
            connection.execute(text(statement))


def test_many_at_once_get_a_version_each(two_rounds):
    plans = [plan(0.05, Design(m=(m,), min_d=(0.1,))) for m in range(2, 10)]
    with ThreadPoolExecutor(4) as pool:
        saved = list(pool.map(lambda each: save_plan(two_rounds, "p", each, user="me"), plans))
    assert sorted(each.version for each in saved) == list(range(1, 9))
    for each in saved:
        assert show_plan(two_rounds, "p", version=each.version).plan == each.plan


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(variance=st.floats(1e-12, 1e12), scale=st.floats(0.5, 3), alpha=st.floats(1e-6, 0.5))
def test_every_number_survives_the_database(engine, variance, scale, alpha):
    found = plan(variance, Design(m=(3,), min_d=(scale * variance**0.5,), alpha=alpha))
    save_plan(engine, "p", found, user="me")
    assert show_plan(engine, "p").plan == found
