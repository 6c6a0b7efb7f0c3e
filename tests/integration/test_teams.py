"""Teams that come late or were wrong, and who standardises by what is known of the pool."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import text
from tests.factories import (
    describe_teams,
    fit_factor_set,
    list_events,
    log_measures,
    log_scores,
    refusing,
    renew_results,
    report_drift,
    save_report,
    show_factors,
    show_matrix,
    show_result,
    show_variances,
    verify_record,
)
from tests.variances_by_hand import interval_of

from roundbook.database.engine import unit_of_work
from roundbook.errors import AlreadyRecordedError, ContentDiffersError, InputError
from roundbook.formats import RunTeam
from roundbook.presentation import drift
from roundbook.presentation.decisions import decision_sentences, described_notes
from roundbook.presentation.factors import heading
from roundbook.presentation.figures import factors_caption, fitted_on
from roundbook.presentation.matrices import factor_rows, log_notes, standardising_note
from roundbook.presentation.record import event_details
from roundbook.presentation.runs import corrections, described_phrase
from roundbook.presentation.saved_results import change_sentence
from roundbook.presentation.views import view_of
from roundbook_cli.drift_commands import report_text
from roundbook_cli.renewal import refit_notes

RUNS = 6
SCORES = np.random.default_rng(8).random((9, RUNS))


@pytest.fixture
def write(tmp_path):
    files = []

    def put(rows, header="run,team,contributed_to_pool,system"):
        files.append(None)
        path = tmp_path / f"teams-{len(files)}.csv"
        path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
        return path

    return put


def known(engine):
    """Return what is known of the runs of round r1, by tag."""
    query = text(
        "SELECT tag, team.name, contributed_to_pool, system FROM roundbook.run"
        " JOIN roundbook.round ON round.id = round_id"
        " LEFT JOIN roundbook.team ON team.id = team_id WHERE label = 'r1' ORDER BY run.id"
    )
    with unit_of_work(engine) as connection:
        return {tag: tuple(facts) for tag, *facts in connection.execute(query)}


def clusters_and_interval(engine, measure="AP"):
    row = show_variances(engine, "t", measure).rounds[-1]
    return row.clusters, [row.interval.low, row.interval.high]


def of_pool(*contributed):
    return {
        f"run{index}": RunTeam(f"run{index}", f"team {index}", None, known, None)
        for index, known in enumerate(contributed)
    }


def test_a_wrong_team_file_is_corrected_and_can_be_taken_back(engine, write):
    log_scores(engine, "r1", SCORES)
    log_scores(engine, "r1", SCORES / 2, measure="P@5")
    wrong = write(
        ["run0,A,yes,s0", "run1,A,yes,", "run2,B,no,", "run3,B,yes,", "run4,C,no,", "run5,C,no,"]
    )
    done = describe_teams(engine, "t", "r1", wrong)
    assert (done.status, done.runs, done.described) == ("described", 6, 6)
    assert done.renewed == ["AP"] * 3 + ["P@5"] * 3
    assert clusters_and_interval(engine)[0] == 3
    assert describe_teams(engine, "t", "r1", wrong).status == "unchanged"
    before = known(engine)
    # Other teams, as many of them, another pool, and no system.
    right = write(
        ["run0,A,no,", "run1,B,no,", "run2,B,yes,s2", "run3,C,yes,", "run4,C,yes,", "run5,a,no,"]
    )
    with refusing(
        AlreadyRecordedError,
        r"on run 'run0' and 5 more: contributed_to_pool is 'yes' there and 'no' in the file.*"
        r"roundbook round teams t r1 FILE --revise REASON",
    ):
        describe_teams(engine, "t", "r1", right)
    assert known(engine) == before
    dry = describe_teams(engine, "t", "r1", right, revise="sent by mistake", dry_run=True)
    assert known(engine) == before
    done = describe_teams(engine, "t", "r1", right, revise="sent by mistake", user="ann")
    assert done.model_copy(update={"dry_run": True}) == dry
    assert (done.status, done.described) == ("corrected", 6)
    changed = {(change.run, change.fact): (change.was, change.now) for change in done.changes}
    assert changed["run0", "system"] == ("s0", None)
    assert changed["run5", "team"] == ("C", "A")
    assert changed["run4", "contributed_to_pool"] == (False, True)
    assert known(engine)["run5"] == ("A", False, None)
    # As many clusters as before, but others.
    assert done.renewed == ["AP"] * 3 + ["P@5"] * 3
    clusters, interval = clusters_and_interval(engine)
    assert clusters == 3
    assert interval == pytest.approx(interval_of(SCORES, list("ABBCCA"), "one_way"), rel=1e-8)
    (event,) = list_events(engine, what="runs corrected").events
    assert (event.who, event.why, event.round) == ("ann", "sent by mistake", "r1")
    assert event.details["runs"] == 6
    assert event.details["team of run5"] == {"was": "C", "is": "A"}
    assert "contributed to pool of run4: no → yes" in event_details(event.details)
    assert verify_record(engine).differences == []
    # Back again: more clusters than before are no obstacle either.
    apart = write([f"run{index},team {index},no," for index in range(RUNS)])
    assert describe_teams(engine, "t", "r1", apart, revise="nobody was").described == 6
    assert clusters_and_interval(engine)[0] == 6
    describe_teams(engine, "t", "r1", right, revise="as before")
    assert clusters_and_interval(engine) == (clusters, pytest.approx(interval))
    assert verify_record(engine).differences == []


def test_a_team_that_is_renamed_in_one_round_alone_is_told(engine, write):
    for label in ("r1", "r2", "r3"):
        log_scores(engine, label, SCORES)
        describe_teams(engine, "t", label, write(["run0,Old", "run1,Old", "run2,B"], "run,team"))
    # Of a run that changes its team nothing is told, as the team has another here.
    moved = write(["run1,B"], "run,team")
    done = describe_teams(engine, "t", "r1", moved, revise="sent by B")
    assert done.former_teams == {}
    renamed = write(["run0,New"], "run,team")
    done = describe_teams(engine, "t", "r1", renamed, revise="renamed")
    assert done.former_teams == {"Old": ["r2", "r3"]}
    assert (
        "Team 'Old' has no run here any more, but in 2 other rounds (r2, r3): if it was renamed,"
        " correct its name there too, or it counts as two."
    ) in described_notes(done)
    for label in ("r2", "r3"):
        renamed = write(["run0,New", "run1,New"], "run,team")
        done = describe_teams(engine, "t", label, renamed, revise="renamed")
    assert done.former_teams == {}


def test_empty_cells_take_back_what_a_wrong_team_file_filled_in(engine, write):
    pool = of_pool(True, True, True, True, False, False)
    wrong = {tag: replace(run, system="sys" + tag) for tag, run in pool.items()}
    log_scores(engine, "r1", SCORES, teams=wrong)
    log_scores(engine, "r2", SCORES[::-1])
    save_report(engine, "t", "AP")
    lacking = write([f"run{index},team {index}" for index in range(RUNS)], "run,team")
    right = write([f"run{index},team {index},," for index in range(RUNS)])
    for file, reason in ((right, None), (lacking, "it has no such columns")):
        done = describe_teams(engine, "t", "r1", file, revise=reason)
        assert (done.status, done.refittable) == ("unchanged", [])

    done = describe_teams(engine, "t", "r1", right, revise="was of another round")
    assert described_phrase(done) == "corrected 6 of its 6 runs"
    assert (
        corrections(done.changes)["run0"] == "in the pool: yes → unknown; system: sysrun0 → unknown"
    )
    assert known(engine)["run0"] == ("team 0", None, None)
    (event,) = list_events(engine, what="runs corrected").events
    assert event.details["system of run5"] == {"was": "sysrun5", "is": None}
    # The factors rest on a pool that was another round's.
    (factors,) = done.refittable
    assert factors.model_dump().items() >= {"measure": "AP", "pool_known": False}.items()
    assert show_factors(engine, "t", "r1", "AP").pool_now == 0
    (note,) = refit_notes(done, done.refittable, corrected=True).values()
    assert note == (
        "The factors of AP rest on runs of which it is not known any more whether they contributed to"
        " the pool. To fit them on all runs, in all rounds alike:\n"
        "  roundbook factors fit t r1 --measure AP --runs all --reason REASON"
    )
    assert any(note.startswith(sentence) for sentence in decision_sentences(done))
    assert [dependent.entry.name for dependent in done.impact] == ["t/drift-1"]
    assert verify_record(engine).differences == []
    fit_factor_set(engine, "t", "r1", "AP", runs=["all"], reason="the pool is unknown")
    partly = write(["run0,team 0,yes,"])
    assert describe_teams(engine, "t", "r1", partly).refittable == []


def test_runs_of_a_wrong_file_that_was_corrected_are_not_of_the_round(engine, write):
    log_scores(engine, "r1", SCORES[:, :3], runs=list("abc"))
    log_scores(engine, "r1", SCORES[:, 3:], runs=list("def"), revise="wrong file")
    header = "run,team"
    wrong = write(["a,A", "b,B", "c,C"], header)
    with pytest.raises(InputError, match="none of the 3 runs of round 'r1'; it names runs of scor"):
        describe_teams(engine, "t", "r1", wrong)
    done = describe_teams(engine, "t", "r1", write(["a,A", "d,D", "e,D"], header))
    assert (done.runs, done.described) == (3, 2)
    assert (done.unknown_runs, done.undescribed_runs) == (["a"], ["f"])
    assert described_notes(done)[0].startswith(
        "The team file names what is not in the scores or lists that count in round 'r1': run a."
    )
    assert known(engine)["a"] == (None, None, None)


def test_columns_of_a_team_file_that_are_not_read_are_told(engine, write, tmp_path):
    scores = tmp_path / "scores.csv"
    scores.write_text("topic,a,b\n1,0.1,0.4\n2,0.5,0.3\n")
    teams = write(["a,A,x@y,yes", "b,B,,no"], "run,team,e-mail,judged")
    note = (
        "Columns of the team file that are not read: e-mail, judged. Beside run and team it may have"
        " type, contributed_to_pool and system."
    )
    (logged,) = log_measures(engine, "t", "r1", [scores], "AP", teams=teams, create=True).matrices
    assert logged.remarks.unread_columns == ["e-mail", "judged"]
    assert log_notes(logged) == [note]
    described = describe_teams(engine, "t", "r1", teams)
    assert (described.status, described_notes(described)) == ("unchanged", [note])
    known = write(["a,A,,yes", "b,B,s,no"], "run,team,,pooled")
    assert describe_teams(engine, "t", "r1", known).unread_columns == []


def test_teams_that_no_other_round_has_are_told(engine, write, tmp_path):
    for label in ("r1", "r2"):
        log_scores(engine, label, SCORES)
    first = describe_teams(
        engine, "t", "r1", write(["run0,Dirac", "run1,Euler", "run2,Gauss"], "run,team")
    )
    assert first.new_teams == []
    again = describe_teams(
        engine, "t", "r2", write(["run0,Dirak", "run1,euler", "run2,Gauss"], "run,team")
    )
    assert again.new_teams == ["Dirak"]
    note = "No other round of the task has team Dirak: new or mistyped."
    rows = ["run0,Dirac", "run1,Euler", "run2,Gaus", "run3,Dirac"]
    mistyped = describe_teams(engine, "t", "r2", write(rows, "run,team"), revise="mended")
    assert mistyped.new_teams == ["Gaus"]
    # A team that the round has already is not told again.
    more = [*rows, "run4,Gaus"]
    assert describe_teams(engine, "t", "r2", write(more, "run,team")).new_teams == []
    assert described_notes(again)[0] == note
    scores = tmp_path / "scores.csv"
    scores.write_text("topic,a,b,c\n1,0.1,0.4,0.2\n2,0.5,0.3,0.1\n")
    teams = write(["a,Fourier", "b,Gauss", "c,EULER"], "run,team")
    (logged,) = log_measures(engine, "t", "r3", [scores], "AP", teams=teams, create=True).matrices
    assert logged.remarks.new_teams == ["Fourier"]
    assert "No other round of the task has team Fourier: new or mistyped." in log_notes(logged)
    (logged,) = log_measures(engine, "t", "r3", [scores], "AP", teams=teams).matrices
    assert logged.remarks.new_teams == []
    # Where most are new, it is another year.
    teams = write(["a,Noether", "b,Gauss", "c,Hilbert"], "run,team")
    (logged,) = log_measures(engine, "t", "r4", [scores], "AP", teams=teams, create=True).matrices
    assert logged.remarks.new_teams == []


def test_what_a_team_file_does_not_say_stays(engine, write):
    log_scores(engine, "r1", SCORES)
    describe_teams(engine, "t", "r1", write(["run0,A,yes,s0", "run1,B,no,s1"]))
    other = write(["run0,C", "x,D"], "run,team")
    done = describe_teams(engine, "t", "r1", other, revise="a slip")
    assert known(engine)["run0"] == ("C", True, "s0")
    assert (done.unknown_runs, done.undescribed_runs[0]) == (["x"], "run1")
    assert [(change.run, change.fact) for change in done.changes] == [("run0", "team")]
    assert done.renewed == []  # each run is alone, under whichever name
    for file, reason, why in (
        (write(["y,A"], "run,team"), None, "names none of the 6 runs of round 'r1'"),
        (other, " ", "reason given is empty"),
    ):
        with pytest.raises(InputError, match=why):
            describe_teams(engine, "t", "r1", file, revise=reason)


def test_a_drift_report_is_stale_once_its_runs_were_corrected(engine, write):
    for label, spread in (("r1", 1), ("r2", 0.9)):
        log_scores(engine, label, SCORES * spread, teams=list("AABBCC"))
    save_report(engine, "t", "AP")
    wrong_type = write(["run0,A,manual"], "run,team,type")
    describe_teams(engine, "t", "r1", wrong_type)
    assert not show_result(engine, "t/drift-1").stale
    describe_teams(engine, "t", "r1", write(["run0,B"], "run,team"), revise="a slip")
    (change,) = show_result(engine, "t/drift-1").changes
    assert change_sentence(change) == "round 'r1': teams or systems of its runs were corrected"
    describe_teams(engine, "t", "r1", write(["run0,A"], "run,team"), revise="it was none")
    assert not show_result(engine, "t/drift-1").stale


@pytest.mark.long
def test_who_standardises_and_why(engine):
    cases = (
        ("part", (True, True, False, None), "partly known", 4, "All 4 runs standardise: of 1 it"),
        ("known", (True, True, False, False), "part", 2, "2 of 4 runs standardise: those that"),
        ("all", (True,) * 4, "all", 4, "All 4 runs standardise: all contributed"),
        ("one", (True, False, False, False), "too few", 4, "All 4 runs standardise: fewer than"),
    )
    for label, contributed, pool, number, says in cases:
        done = log_scores(engine, label, SCORES[:, :4], teams=of_pool(*contributed))
        assert (done.pool, done.standardising_runs) == (pool, number)
        assert done.pool_unknown == contributed.count(None)
        assert done.standardising == ("pooled" if pool == "part" else "all")
        assert standardising_note(done).startswith(says)
    done = log_scores(engine, "without", SCORES)
    assert (done.pool, done.standardising_runs, standardising_note(done)) == ("unknown", 6, None)
    single = log_scores(engine, "single", SCORES[:, :1])
    assert (single.standardising, single.standardising_runs) == (None, None)
    again = log_scores(engine, "known", SCORES[:, :4])
    assert (again.status, again.standardising_runs) == ("unchanged", 2)


def test_a_pool_that_becomes_known_names_the_factors_that_do_not_rest_on_it(engine):
    log_scores(engine, "r1", SCORES)
    log_scores(engine, "r1", SCORES / 2, measure="P@5")
    fit_factor_set(engine, "t", "r1", "P@5", runs=["run0", "run1"], reason="these")
    log_scores(engine, "r1", SCORES / 3, measure="RR")
    pool = of_pool(True, True, False, True, False, False)
    done = log_scores(engine, "r1", SCORES, teams=pool)
    first, second = done.remarks.refittable
    assert (first.measure, second.measure) == ("AP", "RR")
    assert (first.standardising_runs, first.contributed, first.runs) == (6, 3, 6)
    fit_factor_set(engine, "t", "r1", "AP", runs=["pooled"], reason="known now")
    assert log_scores(engine, "r1", SCORES, teams=pool).remarks.refittable == []
    assert log_notes(log_scores(engine, "r1", SCORES, teams=pool)) == []


def test_a_revision_whose_factors_rest_on_other_runs_says_so(engine):
    log_scores(engine, "r1", SCORES)
    teams = {
        f"run{number}": RunTeam(f"run{number}", "A", None, number < 4, None)
        for number in range(RUNS)
    }
    changed = SCORES.round(2)
    logged = log_scores(engine, "r1", changed, teams=teams, revise="rounded")
    assert (logged.standardising, logged.standardising_runs) == ("pooled", 4)
    assert logged.remarks.standardising_before == "all"
    assert (
        "The factors of revision 1 rest on all runs, these do not: they differ for that reason too."
        in log_notes(logged)
    )
    # On the same runs as before there is nothing to tell.
    again = log_scores(engine, "r1", changed / 2, revise="halved")
    assert (again.standardising, again.remarks.standardising_before) == ("pooled", None)
    assert "standardising_before" not in again.remarks.model_dump()
    fit_factor_set(engine, "t", "r1", "AP", runs=["run0", "run1", "run5"], reason="x")
    last = log_scores(engine, "r1", changed / 4, revise="halved again")
    assert last.remarks.standardising_before == "chosen"
    assert any("rest on runs that were chosen, these do not" in note for note in log_notes(last))


def test_only_who_tells_of_the_pool_is_told_of_factors_that_do_not_rest_on_it(engine, write):
    pool = of_pool(True, True, True, False, False, False)
    log_scores(engine, "r1", SCORES, teams=pool)
    log_scores(engine, "r1", SCORES / 2, measure="P@5")
    fit_factor_set(engine, "t", "r1", "AP", runs=["all"], reason="all of them, on purpose")
    rows = [f"run{index},team {index},system {index}" for index in range(RUNS)]
    systems = write(rows, "run,team,system")
    done = describe_teams(engine, "t", "r1", systems)
    assert (done.status, done.refittable) == ("described", [])
    typed = {tag: replace(run, type="manual") for tag, run in pool.items()}
    logged = log_scores(engine, "r1", SCORES / 3, measure="RR", teams=typed)
    assert (logged.runs_described, logged.remarks.refittable) == (6, [])
    assert describe_teams(engine, "t", "r1", systems).refittable == []
    corrected = write(["run3,team 3,yes"], "run,team,contributed_to_pool")
    done = describe_teams(engine, "t", "r1", corrected, revise="it did")
    assert [factors.measure for factors in done.refittable] == ["AP", "P@5", "RR"]


def test_factors_on_another_pool_than_that_known_now_are_not_called_pooled(engine, write):
    log_scores(engine, "r1", SCORES, teams=of_pool(True, True, True, True, False, False))
    log_scores(engine, "r2", SCORES[::-1])
    fitted = show_factors(engine, "t", "r1", "AP")
    assert (fitted.standardising, fitted.pool_now) == ("pooled", None)
    assert "pooled runs standardise" in heading(fitted)
    saved = save_report(engine, "t", "AP")
    assert saved.result.standardising_from.pool_now is None
    wrong = write(["run3,team 3,no"], header="run,team,contributed_to_pool")
    describe_teams(engine, "t", "r1", wrong, revise="it did not")

    fitted = show_factors(engine, "t", "r1", "AP")
    assert (fitted.standardising, fitted.pool_now, fitted.factors[0].runs) == ("pooled", 3, 4)
    phrase = "4 runs, not the pool known now (3)"
    assert f"revision 1, {phrase}, standardise, fitted" in heading(fitted)
    assert factors_caption(fitted) == f"Version 1, {phrase}: mean and sd of AP on 9 topics."
    shown = show_matrix(engine, fitted.matrix)
    assert [(one.standardising, one.pool_now) for one in shown.factors] == [("pooled", 3)]
    assert [one.standardising for one in factor_rows(shown)] == ["not the pool known now (3)"]
    report = report_drift(engine, "t", "AP")
    runs = report.standardising_from
    assert (runs.runs, runs.of, runs.pool_now) == (4, 6, 3)
    assert report.standardising_to.pool_now is None
    assert fitted_on(1, runs) == f"v1, {phrase}"
    assert drift.chosen_runs(runs) == "4 of 6 runs, not the pool known now (3)"
    assert drift.tests_sentences(report, report.tests)[0].startswith(
        f"Tests on the {phrase}, of 'r1' and the 6 runs of 'r2'."
    )
    fit = "roundbook factors fit t r1 --measure AP --runs pooled --reason REASON"
    assert fit in [step["command"] for step in report_text(report)["commands"]]
    # What was saved before is as it was, and what is saved now holds the pool of now.
    save_report(engine, "t", "AP")
    assert drift.choice_note(saved.result) == (
        "The factors of 'r1' rest on the 4 of 6 runs that contributed to the pool, those of 'r2' on"
        " all 6 runs: part of what moved may be that choice."
    )
    for name, of in (("t/drift-1", saved.result), ("t/drift-2", report)):
        shown = view_of(show_result(engine, name, kind="drift")).sentences
        assert drift.choice_note(of) in shown
        assert [note for note in drift.brief_notes(of) if note not in shown] == []

    fit_factor_set(engine, "t", "r1", "AP", runs=["pooled"], reason="the pool is another one now")
    assert show_factors(engine, "t", "r1", "AP").pool_now is None
    assert show_factors(engine, "t", "r1", "AP", version=1).pool_now == 3
    assert [one.pool_now for one in show_matrix(engine, fitted.matrix).factors] == [3, None]
    verified = verify_record(engine)
    assert (verified.results, verified.differences, verified.not_computed) == (2, [], [])


def test_factors_on_all_or_chosen_runs_claim_no_pool(engine):
    log_scores(engine, "r1", SCORES, teams=of_pool(True, True, True, True, True, True))
    fit_factor_set(engine, "t", "r1", "AP", runs=["run0", "run1"], reason="these")
    factors = [show_factors(engine, "t", "r1", "AP", version=version) for version in (1, 2)]
    assert [(one.standardising, one.pool_now) for one in factors] == [
        ("all", None),
        ("chosen", None),
    ]


def trec_eval(directory, run, **scores):
    lines = [
        f"{name}\t{topic}\t{float(value)!r}\n"
        for name, values in scores.items()
        for topic, value in enumerate(values, 1)
    ]
    path = directory / f"{run}.eval"
    path.write_text("".join(lines) + f"runid\tall\t{run}\n", encoding="utf-8")
    return path


def test_measures_are_logged_together_or_not_at_all(engine, tmp_path, write):
    def files(factor=1.0):
        return [
            trec_eval(tmp_path, f"run{run}", map=SCORES[:, run], P_5=SCORES[:, run] * factor)
            for run in range(RUNS)
        ]

    teams = write([f"run{run},{team},yes," for run, team in enumerate("AABBCC")])
    done = log_measures(engine, "t", "r1", files(0.5), teams=teams, create=True)
    first, second = done.matrices
    assert [matrix.measure for matrix in done.matrices] == ["AP", "P@5"]
    assert first.variance == pytest.approx(SCORES.var(axis=0, ddof=1).mean())
    assert second.variance == pytest.approx(first.variance / 4)
    assert (first.runs_described, second.runs_described) == (6, 0)
    assert clusters_and_interval(engine, "P@5")[0] == 3
    # That the second is new beside the first is no sign of a slip.
    note = "All 6 runs standardise: all contributed to the pool (team file)."
    assert log_notes(first) == log_notes(second) == [note]
    assert len(list_events(engine, what="matrix logged").events) == 2
    again = log_measures(engine, "t", "r1", files(0.5), "P_5", "map")
    assert [(matrix.measure, matrix.status) for matrix in again.matrices] == [
        ("P@5", "unchanged"),
        ("AP", "unchanged"),
    ]
    # Of one measure the scores are new, of the other they differ.
    with pytest.raises(ContentDiffersError, match="P@5"):
        log_measures(engine, "t", "r1", files(0.25), "AP", "P@5", assessments="official")
    with pytest.raises(InputError, match="'map' and another name given are both AP"):
        log_measures(engine, "t", "r2", files(), "AP", "map", create=True)
    assert [
        matrix.revision
        for matrix in log_measures(
            engine, "t", "r1", files(0.25), revise="twice as strict"
        ).matrices
    ] == [1, 2]
    assert len(list_events(engine, what="round created").events) == 1


def test_a_corrected_type_changes_no_report_and_the_same_figures_are_renewed(engine, write):
    for seed, label in enumerate(("r1", "r2")):
        log_scores(engine, label, np.random.default_rng(seed).random((9, RUNS)))
    rows = [f"run{run},T{run},automatic" for run in range(RUNS)]
    described = write(rows, "run,team,type")
    describe_teams(engine, "t", "r1", described)
    save_report(engine, "t", "AP", user="ann")
    rows[0] = "run0,T0,manual"
    describe_teams(engine, "t", "r1", write(rows, "run,team,type"), revise="typed wrongly")
    assert not show_result(engine, "t/drift-1").stale
    rows[0] = "run0,Other,manual"
    describe_teams(engine, "t", "r1", write(rows, "run,team,type"), revise="another team")
    assert show_result(engine, "t/drift-1").stale
    # The units are as many as before, so the figures may be the same: it is renewed all the same.
    (renewed,) = renew_results(engine, task="t").renewed
    assert (renewed.status, renewed.after.version, renewed.after.stale) == ("saved", 2, False)
