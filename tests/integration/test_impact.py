"""Impact: what rests on a score matrix is found through every chain, and its commands renew it."""

from __future__ import annotations

import re
import shlex
from datetime import date
from functools import partial

import numpy as np
import pytest
from sqlalchemy import event
from tests.factories import (
    fit_factor_set,
    impact_lines,
    list_events,
    list_results,
    log_scores,
    plan_task,
    record_variance,
    refusing,
    report_drift,
    restore_matrix,
    save_plan,
    save_report,
    set_round,
    show_factors,
    show_impact,
    show_plan,
    show_result,
    wide,
    withdraw_matrix,
)
from tests.savepoints import prepared

from roundbook.errors import NotRecordedError, RoundbookError
from roundbook.formats import RunTeam
from roundbook.presentation.decisions import decision_sentences
from roundbook.presentation.impact import stale_lines
from roundbook.requests.plans import PlanRequest

# Names that a shell would take apart.
TASK, FIRST, PLAN = "the lab's $task", "round; 1", "it's *next*"
RUNS = ("a b", "c'd", "e", "f")
ONE = {"m": (10,), "min_d": (0.1,)}
REPORT = f"drift report '{TASK}/drift-1' version 1"


def scores(seed, topics=8, runs=4):
    return np.random.default_rng(seed).random((topics, runs))


log = partial(log_scores, task=TASK, runs=RUNS, user="ann")


def save(engine, name=PLAN, note=None, **options):
    asked = PlanRequest(**{"task": TASK, "measure": "AP", **ONE, **options})
    return save_plan(engine, name, asked, note=note, user="bob")


def save_drift(engine, first=FIRST, last="r3", **options):
    rounds = {"from_round": first, "to_round": last}
    return save_report(engine, TASK, "AP", user="cat", **rounds, **options)


RENEW_ALL = shlex.join(["roundbook", "result", "renew", TASK, "--stale"])


def renewal(name):
    return shlex.join(["roundbook", "result", "renew", name])


@prepared
def three(engine):
    """Three rounds: the numbers of their matrices."""
    return [
        log(engine, label, scores(seed)).matrix for seed, label in enumerate((FIRST, "r2", "r3"))
    ]


@prepared
def resting(engine, three):
    """On the first round: chosen factors, plans on two scales, and a report; and others'."""
    fit_factor_set(engine, TASK, FIRST, "AP", runs=list(RUNS[:2]), reason="these", user="dan")
    save(engine)
    save(engine, "std", scale="std-ab", pool_by="topics")
    save_plan(engine, "given", PlanRequest(variance=0.05, **ONE), user="bob")
    save_drift(engine)
    save_drift(engine, "r2", margin=0.5, m=7)
    return three


@pytest.fixture
def shell(terminal):
    """Run a command line as a person would paste it; return what it prints as JSON."""

    def call(line):
        words = shlex.split(line)
        assert words[0] == "roundbook"
        return terminal(*words[1:], "--format", "json").json

    return call


def names(dependents):
    return [dependent.name for dependent in dependents]


def by_name(engine, matrix):
    return {dependent.name: dependent for dependent in show_impact(engine, matrix).dependents}


ESTIMATES = [
    "raw variance",
    *(f"{scale} variance by factor version {n}" for n in (1, 2) for scale in ("std-ab", "std-cdf")),
]


def test_everything_that_rests_on_a_matrix_is_found(engine, resting):
    impact = show_impact(engine, resting[0])
    assert (impact.task, impact.round, impact.measure, impact.revision) == (TASK, FIRST, "AP", 1)
    assert (impact.status, impact.why) == ("current", None)
    assert names(impact.dependents) == [
        "factor version 1",
        "factor version 2",
        *ESTIMATES,
        f"plan '{PLAN}' version 1",
        "plan 'std' version 1",
        REPORT,
    ]
    assert [dependent.kind for dependent in impact.dependents] == [
        *["factor version"] * 2,
        *["variance estimate"] * 5,
        *["plan"] * 2,
        "drift report",
    ]
    assert [dependent.saved_by for dependent in impact.dependents] == [
        *("ann", "dan"),
        *("ann", "ann", "ann", "dan", "dan"),
        *("bob", "bob"),
        "cat",
    ]
    assert [dependent.where for dependent in impact.dependents[-2:]] == [
        f"task '{TASK}'",
        f"rounds '{FIRST}' and 'r3'",
    ]
    stale = [dependent for dependent in impact.dependents if dependent.stale]
    assert names(stale) == ["factor version 1", *ESTIMATES[1:3]]
    assert {(dependent.why, dependent.renew) for dependent in stale} == {
        ("factor version 2 was fitted since", None)
    }
    assert names(show_impact(engine, resting[2]).dependents)[-2:] == [
        REPORT,
        REPORT.replace("drift-1", "drift-2"),
    ]
    assert REPORT not in by_name(engine, resting[1])


@pytest.mark.long
def test_a_revision_makes_it_stale_and_the_commands_renew_it(engine, resting, shell):
    revised = log(engine, FIRST, scores(9), revise="a typo")
    assert (revised.revision, revised.factor_version) == (2, 3)
    impact = show_impact(engine, resting[0])
    assert (impact.status, impact.why) == (
        "superseded",
        f"superseded by revision 2 (matrix {revised.matrix})",
    )
    assert impact.dependents == impact_lines(revised.impact)
    assert all(dependent.stale for dependent in impact.dependents)
    raw = by_name(engine, resting[0])["raw variance"]
    assert raw.why.endswith("that of revision 2 takes its place")
    assert raw.renew is None
    assert by_name(engine, resting[0])[f"plan '{PLAN}' version 1"].why == (
        f"round '{FIRST}': its score matrix was corrected (revision 2)"
    )
    renewals = list(dict.fromkeys(line.renew for line in impact.dependents if line.renew))
    assert shlex.split(renewals[0])[:3] == ["roundbook", "factors", "fit"]
    assert renewals[1:] == [renewal(name) for name in (PLAN, "std", f"{TASK}/drift-1")]
    fitted = shell(renewals[0])
    assert (fitted["version"], fitted["status"]) == (4, "fitted")
    for command in renewals[1:]:
        (renewed,) = shell(command)["renewed"]
        assert (renewed["status"], renewed["before"]["version"]) == ("saved", 1)
        assert (renewed["after"]["version"], renewed["after"]["saved_by"]) == (2, "eve")
    # Nothing of the old is there to renew, and nothing of the new is stale.
    old = by_name(engine, resting[0])
    assert {dependent.renew for dependent in old.values()} == {None}
    for name, what in (
        ("factor version 2", "factor version 4 takes its place"),
        (f"plan '{PLAN}' version 1", "version 2 takes its place"),
        ("plan 'std' version 1", "version 2 takes its place"),
        (REPORT, "version 2 takes its place"),
    ):
        assert old[name].stale
        assert old[name].why.endswith(what), old[name]
    new = by_name(engine, revised.matrix)
    for name in ("factor version 4", f"plan '{PLAN}' version 2", "plan 'std' version 2"):
        assert (new[name].stale, new[name].why) == (False, None)
    assert not new[REPORT.replace("version 1", "version 2")].stale
    assert show_plan(engine, PLAN).stale == show_plan(engine, "std").stale == []


@pytest.mark.long
def test_what_was_renewed_is_what_was_there(engine, resting, shell):
    """The same design, question and runs; only the scores are others."""
    before = show_plan(engine, "std").plan
    name = f"{TASK}/drift-2"
    report = show_result(engine, name).result
    log(engine, "r2", scores(9), revise="a typo")
    shell(by_name(engine, resting[1])[f"drift report '{name}' version 1"].renew)
    shell(by_name(engine, resting[1])["plan 'std' version 1"].renew)
    after = show_plan(engine, "std").plan
    assert (after.m, after.min_d, after.scale) == (before.m, before.min_d, before.scale)
    assert after.estimate.pooled.weights == "topics"
    assert after.variance != before.variance
    again = report_drift(engine, TASK, "AP", from_round="r2", to_round="r3", margin=0.5, m=7)
    saved = show_result(engine, name)
    assert (saved.version, saved.stale, saved.result) == (2, False, again)
    assert again.mean_shift != report.mean_shift
    same = save_drift(engine, "r2", margin=0.5, m=7)
    assert (same.name, same.version, same.status) == (name, 2, "unchanged")


@pytest.mark.long
def test_a_renewal_keeps_the_note(engine, three, shell):
    for name, version, note in (
        ("p", 1, "first"),
        ("p", 2, "-it's agreed; $HOME"),
        ("q", 1, None),
    ):
        save(engine, name, note, m=(10 + version,))
    save_drift(engine, note='for the "overview"')
    log(engine, FIRST, scores(9), revise="a typo")
    old = by_name(engine, three[0])
    # The latest version is renewed, which is the one in force.
    for version in (1, 2):
        assert old[f"plan 'p' version {version}"].renew == renewal("p")
    for name, version, note in (
        ("p", 3, "-it's agreed; $HOME"),
        ("q", 2, None),
        (f"{TASK}/drift-1", 2, 'for the "overview"'),
    ):
        (renewed,) = shell(renewal(name))["renewed"]
        assert renewed["after"]["version"] == version
        assert renewed["before"]["note"] == renewed["after"]["note"] == note
    assert show_plan(engine, "p").plan.m == (12,)


def test_factors_that_logging_fitted_are_followed_by_its_next(engine, three):
    log(engine, FIRST, scores(9), revise="a typo")
    lines = by_name(engine, three[0])
    for name in ("factor version 1", *ESTIMATES[1:3]):
        assert lines[name].why.endswith("factor version 2 takes its place")
        assert lines[name].renew is None


def test_of_factors_and_variances_the_versions_that_counted_are_told_of(engine, three):
    fit_factor_set(engine, TASK, FIRST, "AP", runs=list(RUNS[1:3]), reason="these", user="dan")
    withdrawn = withdraw_matrix(engine, three[0], "wrong qrels", user="bob").impact
    assert sum(line.entry is None for line in withdrawn) == 7
    assert stale_lines(withdrawn)[-1] == "  factors and variances (4): they no longer count"
    # The first version was stale before it was withdrawn, and a restored matrix makes nothing stale.
    restored = restore_matrix(engine, three[0], "right after all", user="bob").impact
    assert [line.reasons[0].code for line in restored] == ["refitted"] * 3
    assert stale_lines(restored) == []


def test_a_run_that_is_gone_leaves_nothing_to_fit(engine, three):
    fit_factor_set(engine, TASK, FIRST, "AP", runs=list(RUNS[1:3]), reason="these", user="dan")
    log(engine, FIRST, scores(9), revise="other runs", runs=(RUNS[0], "new", *RUNS[2:]))
    line = by_name(engine, three[0])["factor version 2"]
    assert line.renew is None
    assert "run 'c'd' is not in revision 2; factor version 3 takes its place" in line.why


@pytest.mark.parametrize("which", ["all", "pooled"])
def test_runs_by_kind_are_fitted_by_kind(engine, which, shell):
    teams = {tag: RunTeam(tag, "team", None, tag != "f", None) for tag in RUNS}
    first = log(engine, FIRST, scores(0), teams=teams if which == "all" else None)
    if which == "pooled":
        log(engine, FIRST, scores(0), teams={tag: teams[tag] for tag in RUNS[:3]})
    fit_factor_set(engine, TASK, FIRST, "AP", runs=which, zero_sd="drop", reason="x", user="dan")
    log(engine, FIRST, scores(9), revise="a typo")
    fitted = shell(by_name(engine, first.matrix)["factor version 2"].renew)
    assert (fitted["standardising"], fitted["zero_sd"]) == (which, "drop")
    assert (fitted["version"], fitted["revision"]) == (4, 2)
    assert by_name(engine, first.matrix)["factor version 2"].renew is None


@pytest.mark.long
def test_a_withdrawal_leaves_what_cannot_be_renewed_and_a_restoration_mends_it(
    engine, resting, shell, terminal
):
    before = show_impact(engine, resting[0]).dependents
    done = withdraw_matrix(engine, resting[0], "wrong qrels.", user="bob")
    impact = show_impact(engine, resting[0])
    assert (impact.status, impact.why) == (
        "withdrawn",
        f"matrix {resting[0]} is withdrawn: wrong qrels",
    )
    assert impact.dependents == impact_lines(done.impact)
    assert all(dependent.stale for dependent in impact.dependents)
    renewable = [dependent for dependent in impact.dependents if dependent.renew]
    assert names(renewable) == [f"plan '{PLAN}' version 1", "plan 'std' version 1"]
    assert {dependent.why for dependent in renewable} == {
        f"round '{FIRST}': its score matrix was withdrawn: wrong qrels"
    }
    assert by_name(engine, resting[0])[REPORT].why == (
        f"round '{FIRST}': its score matrix was withdrawn: wrong qrels; nothing is left to compute it"
        " from"
    )
    shell(renewable[0].renew)
    assert [row.round for row in show_plan(engine, PLAN).plan.estimate.rounds] == ["r2", "r3"]
    restored = restore_matrix(engine, resting[0], "right after all", user="bob")
    # The plan that left it out is stale now, and says so wherever it is listed.
    after = show_impact(engine, resting[0]).dependents
    (lacking,) = [dependent for dependent in after if dependent not in before]
    assert (lacking.name, lacking.stale, lacking.rests) == (f"plan '{PLAN}' version 2", True, False)
    assert lacking.why == f"round '{FIRST}': left out as withdrawn, and counts again"
    assert [dependent for dependent in after if dependent != lacking] == before
    assert all(dependent.rests for dependent in before)
    assert impact_lines(restored.impact) == [line for line in after if line.stale]
    other = by_name(engine, resting[1])[lacking.name]
    assert (other.rests, other.stale, other.why) == (True, True, lacking.why)
    assert lacking.renew == other.renew == renewal(PLAN)
    shown = terminal("impact", str(resting[0]))
    assert shown.code == 0
    assert f"{len(before)} results resting on it, 3 stale. 1 plan stale for not resting on it" in (
        " ".join(shown.out.split())
    )
    shell(lacking.renew)
    renewed = by_name(engine, resting[0])
    assert (renewed[lacking.name].renew, renewed[lacking.name].rests) == (None, False)
    assert renewed[lacking.name].why == f"{lacking.why}; version 3 takes its place"
    assert not renewed[f"plan '{PLAN}' version 3"].stale
    # Of a saved result with several stale versions the latest alone has a line.
    withdrawn = withdraw_matrix(engine, resting[0], "wrong again", user="bob").impact
    stale = [
        line.name for line in impact_lines(withdrawn) if line.name.startswith(f"plan '{PLAN}'")
    ]
    assert stale == [f"plan '{PLAN}' version 1", f"plan '{PLAN}' version 3"]
    said = "\n".join(stale_lines(withdrawn))
    assert (said.count(f"plan '{PLAN}' version"), stale[1] in said) == (1, True)


def test_a_plan_that_left_scores_out_is_found_by_any_name_and_scale(engine, three):
    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    save(engine, "new", scale="std-ab")
    assert "plan 'new' version 1" not in by_name(engine, three[0])
    # What counts is that the round does, whatever the revision that does.
    second = log(engine, FIRST, scores(9), revise="right qrels").matrix
    assert "plan 'new' version 1" not in by_name(engine, three[0])
    line = by_name(engine, second)["plan 'new' version 1"]
    assert (line.stale, line.rests) == (True, False)
    # A round held since makes no plan stale, though its next version would rest on it.
    fourth = log(engine, "r4", scores(5)).matrix
    assert not [name for name in by_name(engine, fourth) if name.startswith("plan")]
    assert by_name(engine, second)["plan 'new' version 1"].why == line.why


def test_a_plan_from_what_was_published_is_found_where_the_scores_came_back(engine, three):
    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    record_variance(
        engine, TASK, FIRST, "AP", variance=0.25, runs=4, topics=9, source="paper", user="ann"
    )
    save(engine, "paper's")
    restore_matrix(engine, three[0], "right after all", user="bob")
    line = by_name(engine, three[0])["plan 'paper's' version 1"]
    assert (line.stale, line.rests) == (True, False)
    assert line.why == f"round '{FIRST}': its score matrix was logged since"


def test_a_plan_on_an_earlier_revision_is_told_of_under_that_one(engine, resting):
    revised = log(engine, FIRST, scores(9), revise="a typo").matrix
    assert by_name(engine, resting[0])["plan 'std' version 1"].stale
    assert "plan 'std' version 1" not in by_name(engine, revised)


def test_without_any_round_there_is_no_plan_to_renew(engine, resting):
    for number in resting:
        withdraw_matrix(engine, number, "all of them", user="bob")
    line = by_name(engine, resting[1])[f"plan '{PLAN}' version 1"]
    assert (line.stale, line.renew) == (True, None)
    assert line.why.endswith("; nothing is left to compute it from")


def test_a_withdrawn_revision_is_no_successor(engine, resting):
    second = log(engine, FIRST, scores(9), revise="a typo").matrix
    withdraw_matrix(engine, second, "worse", user="bob")
    impact = show_impact(engine, resting[0])
    assert impact.why == f"superseded by revision 2 (matrix {second}), which is withdrawn: worse"
    for dependent in impact.dependents:
        assert dependent.stale
        assert "takes its place" not in dependent.why
        assert (dependent.renew is not None) == (dependent.kind == "plan")


def test_scores_of_one_run_have_no_factors_to_renew_by(engine, resting):
    log(engine, FIRST, scores(9, runs=1), runs=RUNS[:1], revise="one run only")
    lines = by_name(engine, resting[0])
    for name in ("factor version 2", "std-ab variance by factor version 2"):
        assert "which has no factors" in lines[name].why
        assert lines[name].renew is None
    assert lines[REPORT].why == (
        f"round '{FIRST}': it has none that counts any more; nothing is left to compute it from"
    )
    assert lines[REPORT].renew is None
    assert "takes its place" in lines["raw variance"].why


def test_a_dry_run_tells_what_would_be_stale_and_changes_nothing(engine, resting):
    before, events = show_impact(engine, resting[0]), list_events(engine).events
    announced = impact_lines(log(engine, FIRST, scores(9), revise="a typo", dry_run=True).impact)
    assert show_impact(engine, resting[0]) == before
    assert list_events(engine).events == events
    done = log(engine, FIRST, scores(9), revise="a typo")
    number = f" (matrix {done.matrix})"
    assert not any("(matrix" in line.why for line in announced)
    actual = [vars(line) for line in impact_lines(done.impact)]
    assert [vars(line) for line in announced] == [
        line | {"why": line["why"].replace(number, "")} for line in actual
    ]


def test_what_replaces_nothing_has_no_impact(engine, resting):
    assert log(engine, "r4", scores(5)).impact == []
    assert log(engine, FIRST, scores(0)).impact == []
    impact = show_impact(engine, log(engine, "r5", scores(5), measure="P@5").matrix)
    assert not any(dependent.stale for dependent in impact.dependents)
    with refusing(NotRecordedError, "matrix list"):
        show_impact(engine, 99)


def test_a_plan_is_stale_by_any_of_its_rounds_as_plan_show_says(engine, three):
    def publish(variance, **options):
        options |= {"runs": 4, "topics": 9, "source": "paper", "user": "ann"}
        record_variance(engine, TASK, "old", "AP", variance=variance, **options)

    publish(0.25, create=True)
    save(engine)
    publish(0.2, revise="misprint")
    (stale,) = show_plan(engine, PLAN).stale
    line = by_name(engine, three[1])[f"plan '{PLAN}' version 1"]
    assert line.why == f"round 'old': {stale.why}"
    assert line.renew == renewal(PLAN)
    assert line.stale


@pytest.mark.long
@pytest.mark.parametrize(
    ("design", "options"),
    [
        ({"design": "tukey", "m": (10,)}, {"variance_at": "planning"}),
        ({"design": "two-way", "m": (3,)}, {"variance_at": "latest", "pool_by": "topics"}),
        ({"design": "paired-t"}, {}),
        ({"design": "paired-width"}, {"variance_of": "conservative", "variance_at": "planning"}),
        ({"m": (10,)}, {"variance_at": 0.0123456789012345}),
    ],
    ids=str,
)
def test_a_plan_is_renewed_with_the_variance_it_took(engine, three, shell, design, options):
    asked = {"min_d": (0.1,), **design, **options}
    before = plan_task(engine, TASK, "AP", asked)
    save(engine, **{"m": (), **asked})
    revised = log(engine, "r3", scores(9), revise="a slip").matrix
    line = by_name(engine, three[2])[f"plan '{PLAN}' version 1"]
    assert line.stale
    shell(line.renew)
    renewed = show_plan(engine, PLAN).plan
    assert renewed == plan_task(engine, TASK, "AP", asked)
    for key in ("design", "variance_kind", "variance_of", "variance_at"):
        assert getattr(renewed, key) == getattr(before, key)
    assert (renewed.variance == before.variance) == (before.variance_at == "given")
    assert not by_name(engine, revised)[f"plan '{PLAN}' version 2"].stale


def test_mixed_assessments(engine):
    gold = log(engine, "r1", scores(1), assessments="gold").matrix
    bronze = log(engine, "r2", scores(2), assessments="bronze").matrix
    save(engine, "mixed", assessments=("gold", "bronze"))
    assert not by_name(engine, bronze)["plan 'mixed' version 1"].stale
    log(engine, "r2", scores(3), assessments="gold")
    for number in (gold, bronze):
        line = by_name(engine, number)["plan 'mixed' version 1"]
        assert line.why == "round 'r2': its score matrix was logged since"
        assert line.renew == renewal("mixed")
    assert "drift" not in str(names(show_impact(engine, gold).dependents))


def test_an_official_plan_is_renewed_though_other_assessments_came(engine, three, shell):
    save(engine)
    log(engine, FIRST, scores(7), assessments="bronze")
    log(engine, FIRST, scores(9), revise="a typo")
    shell(by_name(engine, three[0])[f"plan '{PLAN}' version 1"].renew)
    renewed = show_plan(engine, PLAN)
    assert (renewed.version, renewed.plan.estimate.assessments) == (2, "official")


@pytest.mark.long
def test_the_queries_do_not_grow_with_what_rests_on_it(engine, resting):
    statements = []

    def count(number):
        statements.clear()
        dependents = show_impact(engine, number).dependents
        return len(statements), dependents

    def keep(*arguments):
        statements.append(arguments[2])

    event.listen(engine, "before_cursor_execute", keep)
    few, before = count(resting[0])
    for number in range(3):
        save(engine, f"plan {number}")
        save(engine, f"std {number}", scale="std-ab")
        save_drift(engine, margin=0.1 + number / 10)
    many, after = count(resting[0])
    assert (many, len(after)) == (few, len(before) + 9 - 1)  # that of the margin 0.2 is there
    log(engine, FIRST, scores(9), revise="a typo")
    # One more: which runs of the chosen are there still.
    revised, dependents = count(resting[0])
    assert (revised, len(dependents)) == (few + 1, len(after))
    withdraw_matrix(engine, resting[1], "so", user="bob")
    for number in range(3):
        save(engine, f"without {number}")
    restore_matrix(engine, resting[1], "so", user="bob")
    restored, dependents = count(resting[1])
    assert (restored, sum(not dependent.rests for dependent in dependents)) == (few, 3)
    event.remove(engine, "before_cursor_execute", keep)


def test_the_terminal_prints_it(engine, resting, terminal, tmp_path):
    (tmp_path / "again.csv").write_text(wide(scores(9), runs=RUNS), encoding="utf-8")
    log_it = ["log", TASK, FIRST, str(tmp_path / "again.csv"), "--measure", "AP"]
    printed = terminal(*log_it, "--revise", "a typo", "--dry-run")
    assert printed.code == 0
    assert (
        "Stale once the scores of AP are replaced: 2 factor versions and 3 saved results.\nTo renew"
        in printed.err
    )
    printed = terminal(*log_it, "--revise", "a typo")
    assert printed.code == 0
    assert "Resting on" not in printed.out
    assert "Stale now that the scores of AP are replaced:" in printed.err
    impact = show_impact(engine, resting[0]).dependents
    told = [line for line in printed.err.splitlines() if line.startswith("  ")]
    refit = list(
        dict.fromkeys(line.renew for line in impact if "factors fit" in (line.renew or ""))
    )
    # What needs something has a line, and the rest one line together.
    needing = [line for line in impact if line.renew]
    assert told == [
        *(f"  {command}" for command in [*refit, RENEW_ALL]),
        *(f"  {line.name} ({line.where}): {line.why}" for line in needing),
        f"  variances ({len(impact) - len(needing)}): computed anew, nothing is to be done",
    ]
    printed = terminal(*log_it)
    assert printed.code == 0
    assert "Stale" not in printed.err
    printed = terminal("impact", str(resting[0]))
    assert f"{len(impact)} results resting on it, {len(impact)} stale." in printed.out
    assert (printed.code, printed.err) == (0, "")
    shown = re.findall(r"^  (roundbook .*)$", printed.out, re.MULTILINE)
    assert set(shown) == {*refit, RENEW_ALL}
    assert printed.out.index(RENEW_ALL) < printed.out.index("Why")
    for command in [*refit, RENEW_ALL]:
        terminal(*shlex.split(command)[1:])
    printed = terminal("impact", str(resting[0]))
    assert "nothing is left to renew." in printed.out
    assert "roundbook" not in printed.out
    printed = terminal("impact", str(resting[0]), "--format", "csv")
    assert len(printed.out.splitlines()) == len(impact) + 1
    printed = terminal("impact", "99")
    assert printed.code == 1
    assert "matrix list" in printed.err


def test_impact_in_json_has_its_keys(engine, resting, terminal):
    printed = terminal("impact", str(resting[0]), "--format", "json").json
    assert {"matrix", "task", "round", "measure", "assessments", "revision"} < set(printed)
    assert {"standing", "why", "source", "dependents"} < set(printed)
    assert len(printed) == 10
    keys = ("kind", "name", "where", "saved_at", "saved_by", "stale", "why", "renew", "rests")
    assert {tuple(dependent) for dependent in printed["dependents"]} == {keys}


def _something(engine, chance, numbers):
    """Do one thing that a campaign does; return the number of the matrix it made, if any."""
    label = str(chance.choice([FIRST, "r2", "r3"]))
    what = chance.choice([*["log", "fit", "drift", "restore"] * 2, "plan", "withdraw"])
    if what == "log":
        values = scores(int(chance.integers(1_000)), runs=int(chance.choice([1, 3, 4, 4, 4])))
        revise = "again" if label in numbers else None
        return label, log(engine, label, values, runs=RUNS[: values.shape[1]], revise=revise).matrix
    if what == "fit":
        runs = chance.choice(["all", "pooled", "chosen"])
        chosen = [str(tag) for tag in chance.choice(RUNS, 2, replace=False)]
        named = chosen if runs == "chosen" else str(runs)
        fit_factor_set(engine, TASK, label, "AP", runs=named, reason="so", user="dan")
    elif what == "plan":
        scale = str(chance.choice(["raw", "std-ab"]))
        save(engine, str(chance.choice(["one", "other"])), scale=scale)
    elif what == "drift":
        save_drift(engine, label, "r3", margin=float(chance.choice([0.2, 0.3])))
    elif label in numbers:
        decide = withdraw_matrix if what == "withdraw" else restore_matrix
        decide(engine, numbers[label][-1], "so", user="bob")
    return label, None


def _is_latest(engine, label, version):
    try:
        return show_factors(engine, TASK, label, "AP").version == version
    except RoundbookError:
        return False


def _check(engine, label, dependent):
    """Compare what impact says with what the noun itself says."""
    if dependent.kind == "factor version":
        version = int(dependent.name.split()[-1])
        assert dependent.stale != _is_latest(engine, label, version), dependent
    saved = re.fullmatch(r"(plan|drift report) '(.*)' version (\d+)", dependent.name)
    if saved:
        kind, name, version = saved.groups()
        shown = show_result(engine, name, kind=kind.split()[0], version=int(version))
        assert (dependent.stale, dependent.rests or shown.stale) == (shown.stale, True)
    assert dependent.stale == (dependent.why is not None)
    assert dependent.stale or dependent.renew is None


@pytest.mark.one_server
@pytest.mark.parametrize(
    ("steps", "seed"),
    [
        (15, 0),
        pytest.param(15, 1, marks=pytest.mark.long),
        *(pytest.param(60, seed, marks=pytest.mark.slow) for seed in range(4)),
    ],
)
def test_whatever_a_campaign_did_the_commands_renew_it(engine, shell, steps, seed):
    chance = np.random.default_rng(seed)
    teams = {tag: RunTeam(tag, "team", None, tag != "f", None) for tag in RUNS}
    numbers = {FIRST: [log(engine, FIRST, scores(0), teams=teams).matrix]}
    for _ in range(steps):
        try:
            label, made = _something(engine, chance, numbers)
        except RoundbookError:
            continue  # there is nothing to withdraw, or to compare
        if made is not None:
            numbers.setdefault(label, []).append(made)

    def renewals():
        dependents = [
            (label, dependent)
            for label, matrices in numbers.items()
            for number in matrices
            for dependent in show_impact(engine, number).dependents
        ]
        for label, dependent in {str(pair): pair for pair in dependents}.values():
            _check(engine, label, dependent)
        return list(
            dict.fromkeys(dependent.renew for _, dependent in dependents if dependent.renew)
        )

    # Factors first, then what rests on them; then nothing is left to renew.
    for group in ("factors", "result"):
        for command in renewals():
            if shlex.split(command)[1] == group:
                shell(command)
    assert renewals() == []


def renewals_in(told):
    """Return the commands that a text lists after its sentence on renewing."""
    return re.findall(r"^  (roundbook result renew .*)$", told, re.MULTILINE)


def test_a_collection_names_what_it_makes_stale(engine, resting, terminal, shell):
    """Plans, and the report of the round; not what is of another round or none."""
    set_it = ("round", "set", TASK, "r2", "--collection", "A")
    lone = terminal("round", "set", TASK, "r2", "--held", "2024-05-01", "--format", "json")
    assert (lone.json["impact"], lone.err) == ([], "")
    printed = terminal(*set_it, "--format", "json")
    names = [f"plan '{PLAN}' version 1", "plan 'std' version 1"]
    report = REPORT.replace("drift-1", "drift-2")
    why = (
        "round 'r2': its document collection was declared or taken back, which tells the topics that"
        " rounds share"
    )
    assert [
        (line["kind"], line["name"], line["stale"], line["why"], line["renew"])
        for line in printed.json["impact"]
    ] == [
        ("drift report", report, True, why, renewal(f"{TASK}/drift-2")),
        ("plan", names[0], True, why, renewal(PLAN)),
        ("plan", names[1], True, why, renewal("std")),
    ]
    assert printed.err.startswith(
        "Stale now that round 'r2' is on collection 'A': 3 saved results.\n"
    )
    commands = [renewal(name) for name in (f"{TASK}/drift-2", PLAN, "std")]
    assert renewals_in(printed.err) == [RENEW_ALL]
    for command in commands:
        assert shell(command)["renewed"][0]["status"] == "saved"
    # The same again, and what is renewed, is not stale.
    again = terminal(*set_it, "--format", "json")
    assert (again.json["impact"], again.err) == ([], "")
    changed = terminal(*set_it[:-1], "B", "--force", "--format", "json").json["impact"]
    assert [line["name"] for line in changed] == [
        report.replace("version 1", "version 2"),
        *(name.replace("version 1", "version 2") for name in names),
    ]


def test_what_is_of_one_round_alone_depends_on_no_collection(engine, terminal):
    for seed, label in enumerate(("r1", "r2")):
        log(engine, label, scores(seed, topics=20), task="t", teams=("x", "x", "y", "y"))
    log(engine, "only", scores(2), task="lone")
    save(engine, "of one", task="lone")
    save(engine, "of two", task="t")
    for study in ("leave-teams-out", "leave-one-out"):
        words = ("study", study, "t", "r2", "--measure", "AP", "--scale", "std-ab")
        assert terminal(*words, "--save", study).code == 0
    assert terminal("round", "set", "lone", "only", "--collection", "A").err == ""
    for words in (("A",), ("B", "--force")):
        told = terminal("round", "set", "t", "r2", "--collection", *words, "--format", "json")
        assert [line["name"] for line in told.json["impact"]] == ["plan 'of two' version 1"]
    stale = {entry.name: entry.stale for entry in list_results(engine).results}
    assert stale == {
        "of one": False,
        "of two": True,
        "leave-one-out": False,
        "leave-teams-out": False,
    }


def test_factors_fitted_anew_name_what_they_make_stale(engine, resting, terminal):
    fit_it = ("factors", "fit", TASK, FIRST, "--measure", "AP", "--reason", "y", "--format", "json")
    save(engine, "cdf", scale="std-cdf")
    log(engine, FIRST, scores(11), measure="P@5")
    save(engine, "other", measure="P@5", scale="std-ab")
    printed = terminal(*fit_it, "--runs", "all")
    assert (printed.json["status"], printed.json["version"]) == ("fitted", 3)
    why = f"round '{FIRST}': its factors were fitted anew (version 3)"
    named = [(line["name"], line["why"], line["renew"]) for line in printed.json["impact"]]
    assert named == [
        (REPORT, why, renewal(f"{TASK}/drift-1")),
        ("plan 'cdf' version 1", why, renewal("cdf")),
        ("plan 'std' version 1", why, renewal("std")),
    ]
    headline = f"Stale now that factor version 3 of round '{FIRST}' is fitted: 3 saved results.\n"
    assert headline in printed.err
    assert renewals_in(printed.err) == [RENEW_ALL]
    again = terminal(*fit_it, "--runs", "all")
    assert (again.json["status"], again.json["impact"]) == ("unchanged", [])
    assert "Stale" not in again.err
    # Of a round that nothing saved rests on by its factors.
    for name in ("cdf", "std", f"{TASK}/drift-1"):
        terminal("result", "renew", name)
    log(engine, "r4", scores(6))
    quiet = terminal(*fit_it[:3], "r4", *fit_it[4:], "--runs", RUNS[0], "--runs", RUNS[1])
    assert (quiet.json["status"], quiet.json["impact"]) == ("fitted", [])
    assert "Stale" not in quiet.err


PUBLISHED = ("--runs", "4", "--topics", "8", "--source", "a paper")


def test_a_published_variance_that_is_replaced_makes_stale_what_rests_on_it(engine, terminal):
    log(engine, "r1", scores(0), task="t")
    record = ("variance", "record", "t", "r2", "--measure", "AP", *PUBLISHED)
    first = terminal(*record, "--value", ".05", "--create", "--format", "json")
    assert (first.json["impact"], "Stale" in first.err) == ([], False)
    save(engine, "next", task="t")
    save(engine, "latest", task="t", variance_at="latest")
    save(engine, "other", task="t", scale="std-ab")
    revised = terminal(*record, "--value", ".06", "--revise", "a misprint", "--format", "json")
    why = "round 'r2': the published value was corrected (revision 2)"
    expected = [
        (f"plan '{name}' version 1", True, why, renewal(name)) for name in ("latest", "next")
    ]
    keys = ("name", "stale", "why", "renew")
    assert sorted(tuple(map(line.get, keys)) for line in revised.json["impact"]) == expected
    assert revised.err.splitlines()[0] == (
        "Stale now that the published variance of AP is replaced: 2 saved results."
    )
    for name in ("next", "latest"):
        assert terminal("result", "renew", name).code == 0
    # Scores that come later take the place of the published variance.
    logged = log(engine, "r2", scores(1), task="t")
    assert [(line.entry.name, line.stale) for line in logged.impact] == [
        ("latest", True),
        ("next", True),
    ]
    assert decision_sentences(logged)[-3] == "Stale now that the scores of AP are logged:"
    assert log(engine, "r3", scores(2), task="t").impact == []


@pytest.mark.long
def test_a_dry_run_says_what_a_decision_makes_stale_and_writes_nothing(
    engine, resting, terminal, tmp_path
):
    ids = tmp_path / "ids.csv"
    ids.write_text("topic,round,id\nt0,r4,other\n", encoding="utf-8")
    topics = ["other", *"abcdefg"]
    log_scores(engine, "r4", scores(3), task=TASK, runs=RUNS, topics=topics, user="ann")
    save_drift(engine, FIRST, "r2")
    record = ("variance", "record", TASK, "r9", "--measure", "AP", *PUBLISHED)
    assert terminal(*record, "--value", ".05", "--create").code == 0
    save(engine, "published")

    def counts(form):
        return {key: value for key, value in form.items() if key not in _OF_THE_MOMENT}

    for words in (
        ("round", "set", TASK, "r2", "--collection", "A"),
        ("factors", "fit", TASK, FIRST, "--measure", "AP", "--reason", "y", "--runs", "all"),
        ("topic", "alias", TASK, str(ids)),
        ("topic", "unalias", TASK, "other"),
        (*record, "--value", ".07", "--revise", "a misprint"),
        ("matrix", "withdraw", str(resting[1]), "--reason", "wrong"),
        ("matrix", "restore", str(resting[1]), "--reason", "right"),
    ):
        before = terminal("events", "--format", "json").json
        dry = terminal(*words, "--dry-run", "--format", "json")
        assert terminal("events", "--format", "json").json == before, words
        assert "Dry run: nothing was written.\n" in dry.err, words
        done = terminal(*words, "--format", "json")
        assert "Dry run" not in done.err, words
        assert (dry.json["dry_run"], done.json["dry_run"]) == (True, False), words
        assert counts(dry.json) == counts(done.json), words
        assert done.json.get("impact") or "stale" in done.json, words
        assert terminal("events", "--format", "json").json != before, words
        terminal("result", "renew", TASK, "--stale")


_OF_THE_MOMENT = ("dry_run", "fitted_at", "decided_at")


def test_teams_name_what_they_make_stale(engine, resting, terminal, tmp_path):
    def describe(label, header, teams, *words):
        lines = [header, *(f'"{tag}",{team}' for tag, team in teams.items())]
        file.write_text("\n".join([*lines, ""]))
        return terminal("round", "teams", TASK, label, str(file), *words, "--format", "json")

    def told(printed):
        return [(line["name"], line["why"], line["renew"]) for line in printed.json["impact"]]

    file = tmp_path / "teams.csv"
    teams = dict(zip(RUNS, "xxyy", strict=True))
    estimated = (
        f"round '{FIRST}': its teams became known or were corrected, which its interval rests on"
    )
    named = [
        (REPORT, "the teams of 2 runs became known since", renewal(f"{TASK}/drift-1")),
        (f"plan '{PLAN}' version 1", estimated, renewal(PLAN)),
        ("plan 'std' version 1", estimated, renewal("std")),
    ]
    dry = describe(FIRST, "run,team", teams, "--dry-run")
    assert told(dry) == named
    assert "Stale once more is known of the runs: 3 saved results.\n" in dry.err
    printed = describe(FIRST, "run,team", teams)
    assert told(printed) == named
    assert "Stale now that more is known of the runs: 3 saved results.\n" in printed.err
    assert renewals_in(printed.err) == [RENEW_ALL]
    again = describe(FIRST, "run,team", teams)
    assert (again.json["status"], told(again), "Stale" in again.err) == ("unchanged", [], False)
    for name in (PLAN, "std", f"{TASK}/drift-1"):
        terminal("result", "renew", name)
    corrected = describe(FIRST, "run,team", {RUNS[0]: "y"}, "--revise", "another team")
    assert "Stale now that what is known of the runs is corrected: " in corrected.err
    runs = f"round '{FIRST}': teams or systems of its runs were corrected"
    assert told(corrected) == [
        (name.replace("version 1", "version 2"), why, command)
        for (name, _, command), why in zip(named, (runs, estimated, estimated), strict=True)
    ]
    # Nothing saved rests on types.
    assert told(describe(FIRST, "run,team,type", {RUNS[1]: "x,neural"})) == []


def test_decisions_say_what_they_make_stale_at_every_door(engine, resting):
    """The same sentences over HTTP and in Python, without commands; the queries do not grow."""
    asked = []

    def keep(*arguments):
        asked.append(arguments[2])

    def decide(collection, number):
        asked.clear()
        options = {"collection": collection, "force": True, "user": "ann"}
        changed = set_round(engine, TASK, "r2", **options)
        queries = len(asked)
        fitted = fit_factor_set(
            engine, TASK, "r3", "AP", runs=RUNS[number : number + 2], reason="so", user="ann"
        )
        return (queries, len(asked) - queries), changed, fitted

    event.listen(engine, "before_cursor_execute", keep)
    few, changed, fitted = decide("A", 0)
    report = f"  {REPORT.replace('drift-1', 'drift-2')} (rounds 'r2' and 'r3'): round"
    declared = "its document collection was declared or taken back, which tells the topics that rounds share"
    assert decision_sentences(changed)[:2] == [
        "Stale now that round 'r2' is on collection 'A':",
        f"{report} 'r2': {declared}",
    ]
    assert decision_sentences(fitted)[-4:] == [
        "Stale now that factor version 2 of round 'r3' is fitted:",
        f"  {REPORT} (rounds '{FIRST}' and 'r3'): round 'r3': its factors were fitted anew (version 2)",
        f"{report} 'r2': {declared}; round 'r3': its factors were fitted anew (version 2)",
        f"  plan 'std' version 1 (task '{TASK}'): round 'r2': {declared};"
        " round 'r3': its factors were fitted anew (version 2)",
    ]
    for number in range(3):
        save(engine, f"plan {number}")
        save(engine, f"std {number}", scale="std-ab")
    many, changed, fitted = decide("B", 1)
    # One more: on which runs the version before was fitted.
    assert many == (few[0], few[1] + 1)
    assert (len(changed.impact), len(fitted.impact)) == (9, 6)
    event.remove(engine, "before_cursor_execute", keep)
    # Another day makes nothing stale, and nothing is said or looked up.
    held = set_round(engine, TASK, "r2", held=date(2024, 5, 1), user="ann")
    assert (held.impact, decision_sentences(held)) == ([], [])
