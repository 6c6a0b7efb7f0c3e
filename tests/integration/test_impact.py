"""Impact: what rests on a score matrix is found through every chain, and its commands renew it."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest
from sqlalchemy import event
from tests.factories import (
    fit_factor_set,
    list_events,
    log_scores,
    plan_task,
    record_variance,
    report_drift,
    restore_matrix,
    save_plan,
    save_report,
    show_factors,
    show_impact,
    show_plan,
    withdraw_matrix,
)

from roundbook.errors import NotRecordedError, RoundbookError
from roundbook.formats import RunTeam
from roundbook.requests.plans import PlanRequest

# Names that a shell would take apart.
TASK, FIRST, PLAN = "the lab's $task", "round; 1", "it's *next*"
RUNS = ("a b", "c'd", "e", "f")
ONE = {"m": (10,), "min_d": (0.1,)}
REPORT = f"drift report '{TASK}/drift-1' version 1"


def scores(seed, topics=8, runs=4):
    return np.random.default_rng(seed).random((topics, runs))


def log(engine, values, label, runs=RUNS, **options):
    options = {"task": TASK, "user": "ann", **options}
    return log_scores(engine, label, values, runs=runs[: values.shape[1]], **options)


def save(engine, name=PLAN, note=None, **options):
    asked = PlanRequest(**{"task": TASK, "measure": "AP", **ONE, **options})
    return save_plan(engine, name, asked, note=note, user="bob")


def save_drift(engine, first=FIRST, last="r3", **options):
    rounds = {"from_round": first, "to_round": last}
    return save_report(engine, TASK, "AP", user="cat", **rounds, **options)


def renewal(name):
    return shlex.join(["roundbook", "result", "renew", name])


@pytest.fixture
def three(engine):
    """Three rounds: the numbers of their matrices."""
    return [
        log(engine, scores(seed), label).matrix for seed, label in enumerate((FIRST, "r2", "r3"))
    ]


@pytest.fixture
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
    return [each.name for each in dependents]


def by_name(engine, matrix):
    return {each.name: each for each in show_impact(engine, matrix).dependents}


ESTIMATES = [
    "raw variance",
    *(f"{scale} variance by factor version {n}" for n in (1, 2) for scale in ("std-ab", "std-cdf")),
]


def test_everything_that_rests_on_a_matrix_is_found(engine, resting):
    found = show_impact(engine, resting[0])
    assert (found.task, found.round, found.measure, found.revision) == (TASK, FIRST, "AP", 1)
    assert (found.standing, found.why) == ("current", None)
    assert names(found.dependents) == [
        "factor version 1",
        "factor version 2",
        *ESTIMATES,
        f"plan '{PLAN}' version 1",
        "plan 'std' version 1",
        "drift report 1",
    ]
    assert [each.kind for each in found.dependents] == [
        *["factor version"] * 2,
        *["variance estimate"] * 5,
        *["plan"] * 2,
        "drift report",
    ]
    assert [each.saved_by for each in found.dependents] == [
        *("ann", "dan"),
        *("ann", "ann", "ann", "dan", "dan"),
        *("bob", "bob"),
        "cat",
    ]
    assert [each.where for each in found.dependents[-2:]] == [
        f"task '{TASK}'",
        f"rounds '{FIRST}' and 'r3'",
    ]
    stale = [each for each in found.dependents if each.stale]
    assert names(stale) == ["factor version 1", *ESTIMATES[1:3]]
    assert {(each.why, each.renew) for each in stale} == {
        ("factor version 2 was fitted since", None)
    }
    assert names(show_impact(engine, resting[2]).dependents)[-2:] == [
        "drift report 1",
        "drift report 2",
    ]
    assert "drift report 1" not in by_name(engine, resting[1])


def test_a_revision_makes_it_stale_and_the_commands_renew_it(engine, resting, shell):
    revised = log(engine, scores(9), FIRST, revise="a typo")
    assert (revised.revision, revised.factor_version) == (2, 3)
    found = show_impact(engine, resting[0])
    assert (found.standing, found.why) == (
        "superseded",
        f"superseded by revision 2 (matrix {revised.matrix})",
    )
    assert found.dependents == revised.impact
    assert all(each.stale for each in found.dependents)
    raw = by_name(engine, resting[0])["raw variance"]
    assert raw.why.endswith("that of revision 2 takes its place")
    assert raw.renew is None
    renewals = list(dict.fromkeys(each.renew for each in found.dependents if each.renew))
    assert [shlex.split(words)[1] for words in renewals] == ["factors", "plan", "plan", "drift"]
    printed = [shell(words) for words in renewals]
    assert [each.get("version", each.get("number")) for each in printed] == [4, 2, 2, 3]
    assert {each["status"] for each in printed} == {"fitted", "saved"}
    # Nothing of the old is there to renew, and nothing of the new is stale.
    old = by_name(engine, resting[0])
    assert {each.renew for each in old.values()} == {None}
    for name, what in (
        ("factor version 2", "factor version 4 takes its place"),
        (f"plan '{PLAN}' version 1", "version 2 takes its place"),
        ("plan 'std' version 1", "version 2 takes its place"),
        ("drift report 1", "drift report 3 takes its place"),
    ):
        assert old[name].stale
        assert old[name].why.endswith(what), old[name]
    new = by_name(engine, revised.matrix)
    for name in ("factor version 4", f"plan '{PLAN}' version 2", "plan 'std' version 2"):
        assert (new[name].stale, new[name].why) == (False, None)
    assert not new["drift report 3"].stale
    assert show_plan(engine, PLAN).stale == show_plan(engine, "std").stale == []


def test_what_was_renewed_is_what_was_there(engine, resting, shell):
    """The same design, question and runs; only the scores are others."""
    before = show_plan(engine, "std").plan
    report = list_reports(engine, TASK).reports[1]
    log(engine, scores(9), "r2", revise="a typo")
    shell(by_name(engine, resting[1])["drift report 2"].renew)
    shell(by_name(engine, resting[1])["plan 'std' version 1"].renew)
    after = show_plan(engine, "std").plan
    assert (after.m, after.min_d, after.scale) == (before.m, before.min_d, before.scale)
    assert after.estimate.pooled.weights == "topics"
    assert after.variance != before.variance
    again = report_drift(engine, TASK, "AP", from_round="r2", to_round="r3", margin=0.5, m=7)
    saved = list_reports(engine, TASK).reports[2]
    assert (saved.from_round, saved.to_round, saved.stale) == ("r2", "r3", False)
    assert saved.mean_shift == again.mean_shift != report.mean_shift
    assert save_report(engine, again, user="x").number == 3


def test_a_renewal_keeps_the_note(engine, three, shell):
    for name, version, note in (
        ("p", 1, "first"),
        ("p", 2, "-it's agreed; $HOME"),
        ("q", 1, None),
    ):
        found = plan_task(engine, TASK, "AP", Design(m=(10 + version,), min_d=(0.1,)))
        save_plan(engine, name, found, note=note, user="bob")
    report = report_drift(engine, TASK, "AP", from_round=FIRST, to_round="r3")
    save_report(engine, report, note='for the "overview"', user="cat")
    log(engine, scores(9), FIRST, revise="a typo")
    old = by_name(engine, three[0])
    # The note of the latest version, which is the one in force.
    for version in (1, 2):
        assert old[f"plan 'p' version {version}"].renew == show_plan(engine, "p").renew
    assert "--note" not in old["plan 'q' version 1"].renew
    assert shell(show_plan(engine, "p").renew)["note"] == "-it's agreed; $HOME"
    assert show_plan(engine, "p", version=1).renew.endswith("--note first")
    assert shell(old["drift report 1"].renew)["note"] == 'for the "overview"'


def test_factors_that_logging_fitted_are_followed_by_its_next(engine, three):
    log(engine, scores(9), FIRST, revise="a typo")
    found = by_name(engine, three[0])
    for name in ("factor version 1", *ESTIMATES[1:3]):
        assert found[name].why.endswith("factor version 2 takes its place")
        assert found[name].renew is None


def test_a_run_that_is_gone_leaves_nothing_to_fit(engine, three):
    fit_factor_set(engine, TASK, FIRST, "AP", runs=list(RUNS[1:3]), reason="these", user="dan")
    log(engine, scores(9), FIRST, (RUNS[0], "new", *RUNS[2:]), revise="other runs")
    found = by_name(engine, three[0])["factor version 2"]
    assert found.renew is None
    assert "run 'c'd' is not in revision 2; factor version 3 takes its place" in found.why


@pytest.mark.parametrize("which", ["all", "pooled"])
def test_runs_by_kind_are_fitted_by_kind(engine, which, shell):
    teams = {tag: RunTeam(tag, "team", None, tag != "f", None) for tag in RUNS}
    first = log(engine, scores(0), FIRST, teams=teams if which == "all" else None)
    if which == "pooled":
        log(engine, scores(0), FIRST, teams={tag: teams[tag] for tag in RUNS[:3]})
    fit_factor_set(engine, TASK, FIRST, "AP", runs=which, zero_sd="drop", reason="x", user="dan")
    log(engine, scores(9), FIRST, revise="a typo")
    fitted = shell(by_name(engine, first.matrix)["factor version 2"].renew)
    assert (fitted["standardising"], fitted["zero_sd"]) == (which, "drop")
    assert (fitted["version"], fitted["revision"]) == (4, 2)
    assert by_name(engine, first.matrix)["factor version 2"].renew is None


def test_a_withdrawal_leaves_what_cannot_be_renewed_and_a_restoration_mends_it(
    engine, resting, shell, capsys
):
    before = show_impact(engine, resting[0]).dependents
    done = withdraw_matrix(engine, resting[0], "wrong qrels.", user="bob")
    found = show_impact(engine, resting[0])
    assert (found.standing, found.why) == (
        "withdrawn",
        f"matrix {resting[0]} is withdrawn: wrong qrels",
    )
    assert found.dependents == done.impact
    assert all(each.stale for each in found.dependents)
    renewable = [each for each in found.dependents if each.renew]
    assert names(renewable) == [f"plan '{PLAN}' version 1", "plan 'std' version 1"]
    renewed = shell(renewable[0].renew)
    assert [each["round"] for each in renewed["plan"]["estimate"]["rounds"]] == ["r2", "r3"]
    restored = restore_matrix(engine, resting[0], "right after all", user="bob")
    # The plan that left it out is stale now, and says so wherever it is told of.
    after = show_impact(engine, resting[0]).dependents
    (lacking,) = [each for each in after if each not in before]
    assert (lacking.name, lacking.stale, lacking.rests) == (f"plan '{PLAN}' version 2", True, False)
    assert lacking.why == f"round '{FIRST}': left out as withdrawn, and counts again"
    assert [each for each in after if each != lacking] == before
    assert all(each.rests for each in before)
    assert restored.impact == [each for each in after if each.stale]
    other = by_name(engine, resting[1])[lacking.name]
    assert (other.rests, other.stale, other.why) == (True, True, lacking.why)
    assert lacking.renew == other.renew == show_plan(engine, PLAN).renew
    assert run(["impact", str(resting[0])]) == 0
    said = capsys.readouterr().out
    assert f"{len(before)} results resting on it, 3 stale. 1 plan stale for not resting on it" in (
        " ".join(said.split())
    )
    shell(lacking.renew)
    renewed = by_name(engine, resting[0])
    assert (renewed[lacking.name].renew, renewed[lacking.name].rests) == (None, False)
    assert renewed[lacking.name].why == f"{lacking.why}; version 3 takes its place"
    assert not renewed[f"plan '{PLAN}' version 3"].stale


def test_a_plan_that_left_scores_out_is_found_by_any_name_and_scale(engine, three):
    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    save(engine, "new", scale="std-ab")
    assert "plan 'new' version 1" not in by_name(engine, three[0])
    # What counts is that the round does, whatever the revision that does.
    second = log(engine, scores(9), FIRST, revise="right qrels").matrix
    assert "plan 'new' version 1" not in by_name(engine, three[0])
    found = by_name(engine, second)["plan 'new' version 1"]
    assert (found.stale, found.rests) == (True, False)
    # A round held since makes no plan stale, though its next version would rest on it.
    fourth = log(engine, scores(5), "r4").matrix
    assert not [name for name in by_name(engine, fourth) if name.startswith("plan")]
    assert by_name(engine, second)["plan 'new' version 1"].why == found.why


def test_a_plan_from_what_was_published_is_found_where_the_scores_came_back(engine, three):
    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    record_variance(
        engine, TASK, FIRST, "AP", variance=0.3, runs=4, topics=9, source="paper", user="ann"
    )
    save(engine, "paper's")
    restore_matrix(engine, three[0], "right after all", user="bob")
    found = by_name(engine, three[0])["plan 'paper's' version 1"]
    assert (found.stale, found.rests) == (True, False)
    assert found.why == f"round '{FIRST}': its score matrix was logged since"


def test_a_plan_on_an_earlier_revision_is_told_of_under_that_one(engine, resting):
    revised = log(engine, scores(9), FIRST, revise="a typo").matrix
    assert by_name(engine, resting[0])["plan 'std' version 1"].stale
    assert "plan 'std' version 1" not in by_name(engine, revised)


def test_without_any_round_there_is_no_plan_to_renew(engine, resting):
    for number in resting:
        withdraw_matrix(engine, number, "all of them", user="bob")
    found = by_name(engine, resting[1])[f"plan '{PLAN}' version 1"]
    assert (found.stale, found.renew) == (True, None)
    assert found.why.endswith("no round has a variance to plan from")


def test_a_withdrawn_revision_is_no_successor(engine, resting):
    second = log(engine, scores(9), FIRST, revise="a typo").matrix
    withdraw_matrix(engine, second, "worse", user="bob")
    found = show_impact(engine, resting[0])
    assert found.why == f"superseded by revision 2 (matrix {second}), which is withdrawn: worse"
    for each in found.dependents:
        assert each.stale
        assert "takes its place" not in each.why
        assert (each.renew is not None) == (each.kind == "plan")


def test_scores_of_one_run_have_no_factors_to_renew_by(engine, resting):
    log(engine, scores(9, runs=1), FIRST, revise="one run only")
    found = by_name(engine, resting[0])
    for name in ("factor version 2", "std-ab variance by factor version 2"):
        assert "which has no factors" in found[name].why
        assert found[name].renew is None
    assert "which has no factors" in found["drift report 1"].why
    assert found["drift report 1"].renew is None
    assert "takes its place" in found["raw variance"].why


def test_a_dry_run_tells_what_would_be_stale_and_changes_nothing(engine, resting):
    before, events = show_impact(engine, resting[0]), list_events(engine).events
    told = log(engine, scores(9), FIRST, revise="a typo", dry_run=True).impact
    assert show_impact(engine, resting[0]) == before
    assert list_events(engine).events == events
    done = log(engine, scores(9), FIRST, revise="a typo")
    number = f" (matrix {done.matrix})"
    assert not any("matrix" in each.why.split("score matrix")[0] for each in told)
    assert [each.model_dump() for each in told] == [
        each.model_copy(update={"why": each.why.replace(number, "")}).model_dump()
        for each in done.impact
    ]


def test_what_replaces_nothing_has_no_impact(engine, resting):
    assert log(engine, scores(5), "r4").impact == []
    assert log(engine, scores(0), FIRST).impact == []
    found = show_impact(engine, log(engine, scores(5), "r5", measure="P@5").matrix)
    assert not any(each.stale for each in found.dependents)
    with pytest.raises(NotRecordedError, match="matrix list"):
        show_impact(engine, 99)


def test_a_plan_is_stale_by_any_of_its_rounds_as_plan_show_says(engine, three):
    record_variance(
        engine, TASK, "old", "AP", variance=0.3, runs=4, topics=9, source="paper", create=True,
        user="ann",
    )  # fmt: skip
    save(engine)
    record_variance(
        engine, TASK, "old", "AP", variance=0.2, runs=4, topics=9, source="paper", user="ann",
        revise="misprint",
    )  # fmt: skip
    (stale,) = show_plan(engine, PLAN).stale
    found = by_name(engine, three[1])[f"plan '{PLAN}' version 1"]
    assert found.why == f"round 'old': {stale.why}"
    assert found.renew == show_plan(engine, PLAN).renew
    assert found.stale


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
    found = plan_task(engine, TASK, "AP", Design(min_d=(0.1,), **design), **options)
    save_plan(engine, PLAN, found, user="bob")
    revised = log(engine, scores(9), "r3", revise="a slip").matrix
    before = by_name(engine, three[2])[f"plan '{PLAN}' version 1"]
    assert before.stale
    renewed = shell(before.renew)["plan"]
    again = plan_task(engine, TASK, "AP", Design(min_d=(0.1,), **design), **options)
    assert show_plan(engine, PLAN).plan == again
    kept = ("design", "variance_kind", "variance_of", "variance_at")
    assert [renewed[key] for key in kept] == [getattr(found, key) for key in kept]
    assert (renewed["variance"] == found.variance) == (found.variance_at == "given")
    assert not by_name(engine, revised)[f"plan '{PLAN}' version 2"].stale


def test_mixed_assessments(engine):
    gold = log(engine, scores(1), "r1", assessments="gold").matrix
    bronze = log(engine, scores(2), "r2", assessments="bronze").matrix
    save(engine, "mixed", assessments=["gold", "bronze"])
    assert not by_name(engine, bronze)["plan 'mixed' version 1"].stale
    log(engine, scores(3), "r2", assessments="gold")
    for number in (gold, bronze):
        found = by_name(engine, number)["plan 'mixed' version 1"]
        assert found.stale
        assert found.renew == show_plan(engine, "mixed").renew
    assert "drift" not in str(names(show_impact(engine, gold).dependents))


def test_an_official_plan_is_renewed_though_other_assessments_came(engine, three, shell):
    save(engine)
    log(engine, scores(7), FIRST, assessments="bronze")
    log(engine, scores(9), FIRST, revise="a typo")
    renewed = shell(by_name(engine, three[0])[f"plan '{PLAN}' version 1"].renew)
    assert renewed["plan"]["estimate"]["assessments"] == "official"


def test_the_queries_do_not_grow_with_what_rests_on_it(engine, resting):
    asked = []

    def count():
        asked.clear()
        found = show_impact(engine, resting[0])
        return len(asked), len(found.dependents)

    event.listen(engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    few, before = count()
    for number in range(6):
        save(engine, f"plan {number}")
        save(engine, f"std {number}", scale="std-ab")
        save_drift(engine, margin=0.1 + number / 10)
    many, after = count()
    assert (many, after) == (few, before + 18 - 1)  # that of the margin 0.2 is there
    log(engine, scores(9), FIRST, revise="a typo")
    # One more: which runs of the chosen are there still.
    assert count() == (few + 1, after)
    withdraw_matrix(engine, resting[1], "so", user="bob")
    for number in range(6):
        save(engine, f"without {number}")
    restore_matrix(engine, resting[1], "so", user="bob")
    asked.clear()
    found = show_impact(engine, resting[1]).dependents
    assert (len(asked), sum(not each.rests for each in found)) == (few, 6)


def test_the_terminal_tells_it(engine, resting, address, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address)
    load_settings.cache_clear()
    values = scores(9)
    lines = [",".join(("topic", *RUNS))]
    lines += [
        ",".join((f"t{row}", *map(repr, map(float, each)))) for row, each in enumerate(values)
    ]
    (tmp_path / "again.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    log_it = ["log", TASK, FIRST, str(tmp_path / "again.csv"), "--measure", "AP"]
    assert run([*log_it, "--revise", "a typo", "--dry-run"]) == 0
    said = capsys.readouterr().err
    assert "Stale once the scores are replaced:\n  factor v" in said
    assert run([*log_it, "--revise", "a typo"]) == 0
    said = capsys.readouterr()
    assert "Resting on" not in said.out
    assert "Stale now that the scores are replaced:" in said.err
    impact = show_impact(engine, resting[0]).dependents
    for each in impact:
        assert f"  {each.name} ({each.where}): {each.why}\n" in said.err
        assert each.renew is None or said.err.count(f"  {each.renew}\n") == 1
    assert run([*log_it]) == 0
    assert "Resting on" not in capsys.readouterr().err
    assert run(["impact", str(resting[0])]) == 0
    said = capsys.readouterr()
    assert f"{len(impact)} results resting on it, {len(impact)} stale." in said.out
    assert said.err == ""
    shown = re.findall(r"^  (roundbook .*)$", said.out, re.MULTILINE)
    assert shown == list(dict.fromkeys(each.renew for each in impact if each.renew))
    assert run(["impact", str(resting[0]), "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(impact) + 1
    assert run(["impact", "99"]) == 1
    assert "matrix list" in capsys.readouterr().err
    load_settings.cache_clear()


def _something(engine, chance, numbers):
    """Do one thing that a campaign does; return the number of the matrix it made, if any."""
    label = str(chance.choice([FIRST, "r2", "r3"]))
    what = chance.choice([*["log", "fit", "drift", "restore"] * 2, "plan", "withdraw"])
    if what == "log":
        values = scores(int(chance.integers(1_000)), runs=int(chance.choice([1, 3, 4, 4, 4])))
        revise = "again" if label in numbers else None
        return label, log(engine, values, label, revise=revise).matrix
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


def _stands(engine, task, label, version):
    try:
        return show_factors(engine, task, label, "AP").version == version
    except RoundbookError:
        return False


@pytest.mark.parametrize("seed", range(4))
def test_whatever_a_campaign_did_the_commands_renew_it(engine, shell, seed):
    chance = np.random.default_rng(seed)
    teams = {tag: RunTeam(tag, "team", None, tag != "f", None) for tag in RUNS}
    numbers = {FIRST: [log(engine, scores(0), FIRST, teams=teams).matrix]}
    for _ in range(40):
        try:
            label, made = _something(engine, chance, numbers)
        except RoundbookError:
            continue  # there is nothing to withdraw, or to compare
        if made is not None:
            numbers.setdefault(label, []).append(made)

    def everything():
        found = [
            (label, each)
            for label, matrices in numbers.items()
            for number in matrices
            for each in show_impact(engine, number).dependents
        ]
        for label, each in found:
            if each.kind == "factor version":
                version = int(each.name.split()[-1])
                assert each.stale != _stands(engine, TASK, label, version), each
            if each.kind == "plan":
                name, version = re.fullmatch(r"plan '(.*)' version (\d+)", each.name).groups()
                shown = show_plan(engine, name, version=int(version))
                left_out = {each.round for each in shown.plan.estimate.withdrawn}
                assert each.stale == bool(shown.stale or left_out & {*shown.new_rounds})
                assert each.stale or each.rests
            assert each.stale == (each.why is not None)
            assert each.stale or each.renew is None
        return list(dict.fromkeys(each.renew for _, each in found if each.renew))

    # Factors first, then what rests on them; then nothing is left to renew.
    for kind in ("factors", "plan", "drift"):
        for command in everything():
            if shlex.split(command)[1] == kind:
                shell(command)
    assert everything() == []
