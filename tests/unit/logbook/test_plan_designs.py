"""Plans from given variances: every design solved for every quantity, and the protocol in words."""

from __future__ import annotations

import csv
import json
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories import plan

from roundbook.errors import ImpossibleStatisticError, RequestError, RoundbookError, WayOut
from roundbook.logbook.plans.plan import Plan, RoundPower
from roundbook.presentation.plan_protocol import protocol
from roundbook.presentation.plans import Note, no_power, notes, reason_way_out
from roundbook.statistics.design import DESIGNS, solve_min_d, solve_variance

RELEASES = Path(__file__).parents[2] / "releases"


def test_the_published_sizes(shared):
    path = shared / "reference" / "airs2016_table2_sections_I_IV.csv"
    rows = list(csv.DictReader(path.read_text().splitlines()))

    def key(row):
        return float(row["variance"]), float(row["alpha"]), float(row["beta"])

    for (variance, alpha, beta), group in groupby(rows, key):
        cells = {(int(row["m"]), float(row["min_d"])): row for row in group}
        planned = plan(
            variance,
            m=tuple(sorted({m for m, _ in cells})),
            min_d=tuple(sorted({d for _, d in cells})),
            alpha=alpha,
            beta=beta,
            engine="sakai",
        )
        for cell in planned.cells:
            row = cells.pop((cell.m, cell.min_d))
            assert cell.topics == cell.topics_sakai == int(row["n_published"])
            assert cell.topics_exact == int(row["n_exact_noncentral_f"])
        assert not cells
    assert len(rows) == 80


def test_two_runs_by_t_and_by_width():
    for name, variance, topics in (("paired-t", 0.5, 34), ("two-sample-t", 1.0, 64)):
        (cell,) = plan(variance, design=name, min_d=(0.5,)).cells
        assert (cell.topics, cell.topics_exact, cell.m, cell.width) == (topics, topics, 2, None)
        assert 0.8 <= cell.achieved_power < 0.82
    widths = (0.05, 0.1, 0.15, 0.2, 0.3)
    for name, sizes in (
        ("paired-width", [617, 156, 71, 41, 20]),
        ("two-sample-width", [616, 155, 70, 40, 19]),
    ):
        for engine in ("exact", "sakai"):
            cells = plan(0.05, design=name, min_d=widths, engine=engine).cells
            assert [cell.topics for cell in cells] == sizes
            assert all(cell.topics_exact == cell.topics_sakai == cell.topics for cell in cells)
            assert all(cell.achieved_power is None for cell in cells)
            assert all(0.9 * cell.min_d < cell.width <= cell.min_d for cell in cells)


def test_sizes_by_design_and_number_of_runs():
    runs = (2, 3, 5, 10, 20, 50, 100)
    for name, exact, sakai in (
        ("two-way", (81, 98, 121, 158, 207, 301, 405), (78, 96, 119, 157, 206, 300, 404)),
        ("tukey", (81, 103, 129, 161, 193, 234, 265), None),
    ):
        cells = plan(0.05, design=name, m=runs, min_d=(0.1,)).cells
        assert tuple(cell.topics_exact for cell in cells) == exact
        if sakai:
            assert tuple(cell.topics_sakai for cell in cells) == sakai
    (largest,) = plan(
        None, design="tukey", m=(10,), min_d=(0.1,), topics=(161,), solve="variance"
    ).cells
    assert largest.variance == float(solve_variance("tukey", 161, 0.1, runs=10).variance)


def check_solving_back(name, engine, m, min_d, variance):
    """Solve for topics, then for everything else with these topics given."""
    runs = {"m": (m,)} if DESIGNS[name].takes_runs else {}

    def solve(solve_for, variance, **given):
        asked = {**runs, **given, "design": name, "engine": engine, "solve": solve_for}
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


CASES = {
    "name": st.sampled_from(list(DESIGNS)),
    "engine": st.sampled_from(["exact", "sakai"]),
    "m": st.integers(2, 60),
    "min_d": st.floats(0.03, 0.3),
    "variance": st.floats(0.01, 0.2),
}


@settings(max_examples=5)
@given(**CASES)
def test_solving_back_returns_what_was_given(name, engine, m, min_d, variance):
    check_solving_back(name, engine, m, min_d, variance)


@pytest.mark.slow
@settings(max_examples=40)
@given(**CASES)
def test_solving_back_often_returns_what_was_given(name, engine, m, min_d, variance):
    check_solving_back(name, engine, m, min_d, variance)


def test_a_grid_goes_through_runs_then_differences_then_topics():
    cells = plan(0.05, m=(2, 5), min_d=(0.1, 0.2), topics=(20, 50), solve="power").cells
    assert [(cell.m, cell.min_d, cell.topics) for cell in cells] == [
        (m, d, n) for m in (2, 5) for d in (0.1, 0.2) for n in (20, 50)
    ]
    assert cells[0].solved_exact == cells[0].achieved_power
    assert cells[0].topics_exact == cells[0].topics_sakai == 20
    assert cells[1].achieved_power > cells[0].achieved_power  # more topics
    assert cells[2].achieved_power > cells[0].achieved_power  # a larger difference
    assert cells[4].achieved_power < cells[0].achieved_power  # more runs


@pytest.mark.parametrize(
    "wrong",
    [{"min_d": (1e-9,)}, {"alpha": 1e-40}, {"beta": 1e-40}, {"alpha": 0.5, "beta": 0.6}],
    ids=str,
)
def test_impossible_plans(wrong):
    with pytest.raises(ImpossibleStatisticError):
        plan(0.05, {"m": (10,), "min_d": (0.1,)} | wrong)


def test_10_million_topics_and_one_more():
    edge = float(solve_min_d("anova", 10_000_000, 0.05, runs=10).min_d)
    (cell,) = plan(0.05, m=(10,), min_d=(edge * (1 + 1e-9),)).cells
    assert cell.topics_exact == 10_000_000
    with pytest.raises(ImpossibleStatisticError, match="10,000,000"):
        plan(0.05, m=(10,), min_d=(edge * (1 - 1e-6),))
    with pytest.raises(RequestError, match="10,000,000, not 10,000,001"):
        plan(0.05, m=(10,), min_d=(0.1,), topics=(10_000_001,), solve="power")


ODD = st.sampled_from([0.0, -1.0, float("nan"), float("inf"), 5e-324, 1e-9, 0.05, 1.0, 1e300])


def check_numbers(data):
    """Ask for whatever there is: what comes back are numbers, or a refusal."""
    solve = data.draw(st.sampled_from(["topics", "power", "min-d", "variance", "m"]))
    name = data.draw(st.sampled_from(["anova", "two-way", "tukey", "paired-t", "two-sample-width"]))
    sizes = st.sampled_from([0, 1, 2, 3, 50, 10_000_000, 10**400])
    design = {
        "m": (data.draw(sizes), 2) if DESIGNS[name].takes_runs else (),
        "min_d": () if solve == "min-d" else (data.draw(ODD),),
        "topics": () if solve == "topics" else (data.draw(sizes),),
        "alpha": data.draw(st.sampled_from([0.05, 0.05, 0.9, 0.0, float("nan")])),
        "engine": data.draw(st.sampled_from(["exact", "sakai"])),
        "design": name,
        "solve": solve,
    }
    if solve != "power" and name != "two-sample-width":
        design["beta"] = data.draw(st.sampled_from([0.2, 0.2, 0.9, 1.0, float("nan")]))
    try:
        planned = plan(None if solve == "variance" else data.draw(ODD), design)
    except RoundbookError:
        return
    printed = planned.model_dump_json()
    assert "NaN" not in printed
    assert "Infinity" not in printed
    assert Plan.model_validate_json(printed) == planned


@settings(max_examples=25)
@given(data=st.data())
def test_never_a_number_that_is_none(data):
    check_numbers(data)


@pytest.mark.slow
@settings(max_examples=60)
@given(data=st.data())
def test_often_asked_never_a_number_that_is_none(data):
    check_numbers(data)


def test_an_engine_without_an_answer_has_a_note():
    planned = plan(0.05, m=(10,), min_d=(0.1,), topics=(2, 50), solve="power")
    assert [cell.solved_sakai is None for cell in planned.cells] == [True, False]
    assert [cell.achieved_power for cell in planned.cells] == [
        cell.solved_exact for cell in planned.cells
    ]
    (note,) = planned.notes
    assert (note.code, note.by, note.cells) == ("no_answer", "sakai", 1)
    # What is saved is a code with its arguments; the words are composed anew.
    assert (note.reason, note.arguments) == (
        "undefined", {"engine": "sakai", "topics": 2.0, "runs": 10.0},
    )  # fmt: skip
    start = "By the engine sakai, 1 of 2 cells have no answer:"
    sentence = "The engine sakai is not defined for 2 topics and 10 runs."
    assert notes(planned) == [Note(f"{start} {sentence}", WayOut("exact engine", {}))]
    assert notes(Plan.model_validate_json(planned.model_dump_json())) == notes(planned)
    # An earlier Roundbook saved the sentence in place of the code.
    old = f"{sentence[:-1]}: use the engine exact."
    saved = planned.model_dump(mode="json")
    saved["notes"] = [{"code": "no_answer", "by": "sakai", "cells": 1, "reason": old}]
    read = Plan.model_validate(saved)
    assert notes(read) == [Note(f"{start} {old}", None)]
    with pytest.raises(ImpossibleStatisticError, match="engine sakai"):
        plan(0.05, m=(10,), min_d=(0.1,), topics=(2,), solve="power", engine="sakai")


@pytest.mark.parametrize(
    ("solve", "asked", "kept", "says"),
    [
        (
            "m",
            {"topics": (10, 200), "min_d": (0.1, 0.2)},
            {"topics": (200,), "min_d": (0.1, 0.2)},
            "2 cells have no answer and are left out: 10 topics do not suffice",
        ),
        (
            "topics",
            {"m": (10,), "min_d": (1e-5, 0.1)},
            {"m": (10,), "min_d": (0.1,)},
            "1 cell has no answer and is left out: m = 10 runs, minD 1e-05",
        ),
        *(
            (
                solve,
                {"m": (10,), "topics": (2, 50), "engine": "sakai"} | more,
                {"m": (10,), "topics": (50,), "engine": "sakai"} | more,
                "1 cell has no answer and is left out: The engine sakai is not defined for 2",
            )
            for solve, more in (
                ("power", {"min_d": (0.1,)}),
                ("variance", {"min_d": (0.1,)}),
                ("min-d", {}),
            )
        ),
    ],
)
def test_cells_without_an_answer_are_left_out(solve, asked, kept, says):
    variance = None if solve == "variance" else 0.05
    planned = plan(variance, solve=solve, **asked)
    assert planned.cells == plan(variance, solve=solve, **kept).cells
    (note,) = planned.notes
    assert (note.code, note.by) == ("no_answer", None)
    assert notes(planned)[0].sentence.startswith(says)
    # A number that no design has is a slip.
    slip = {"topics": (1, 200)} if "topics" in asked else {"min_d": (-1, 0.1)}
    with pytest.raises(RequestError, match="should be greater"):
        plan(variance, solve=solve, **asked | slip)


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
def test_the_protocol(design, variance, parts):
    paragraph = protocol(plan(variance, design))
    for part in parts:
        assert part in paragraph, paragraph


def old_plans():
    """Return the plans that releases saved when sizes stood at the upper end of an interval."""
    for path in sorted(RELEASES.glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            if entry["question"] == "plan" and "variance_upper" in entry["answer"]["plan"]:
                yield pytest.param(entry["answer"]["plan"], id=f"{path.stem}-{entry['arguments']}")


@pytest.mark.parametrize("saved", list(old_plans()))
def test_a_plan_of_an_earlier_release_is_read_with_its_own_keys(saved):
    read = Plan.model_validate(saved)
    again = json.loads(read.model_dump_json())
    kept = [key for key in saved if key not in ("estimate", "cells", "warning", "protocol")]
    assert {key: again[key] for key in kept} == {key: saved[key] for key in kept} | {
        "interval": again["interval"]
    }
    # Its sentences are composed anew.
    assert not {"warning", "protocol"} & set(again)
    assert protocol(read).startswith(saved["protocol"].split(",")[0])
    for now, was in zip(again["cells"], saved["cells"], strict=True):
        assert {key: now[key] for key in was} == was
        assert now["beside"] == {}
    assert (read.variance_kind, read.variance_of, read.alternatives) == (None, None, [])
    if saved["estimate"]:
        for now, was in zip(again["estimate"]["rounds"], saved["estimate"]["rounds"], strict=True):
            assert {key: now[key] for key in was if key != "interval"} == {
                key: was[key] for key in was if key != "interval"
            }


def test_notes_that_were_saved_as_sentences_are_kept():
    saved = json.loads(plan(0.05).model_dump_json()) | {"notes": ["There is none."]}
    assert notes(Plan.model_validate(saved)) == [Note("There is none.", None)]


def test_a_round_without_a_power_has_a_code_and_an_old_one_its_sentence():
    facts = {"round": "r", "topics": 2, "variance": 0.05, "m": 10, "min_d": 0.1}
    unknown = dict.fromkeys(("achieved_power", "power_exact", "power_sakai", "enough"))
    arguments = {"engine": "sakai", "topics": 2.0, "runs": 10.0}
    row = RoundPower(**facts, **unknown, reason="undefined", arguments=arguments)
    assert no_power(row) == "The engine sakai is not defined for 2 topics and 10 runs."
    assert reason_way_out(row.reason) == WayOut("exact engine", {})
    old = RoundPower(**facts, **unknown, reason="It was so.")
    assert (no_power(old), reason_way_out(old.reason)) == ("It was so.", None)
    # What has no arguments is saved without any.
    assert "arguments" not in old.model_dump()
