"""A file of the wrong round, a mistyped measure, a team file of other runs: each is told."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sqlalchemy import event
from tests.factories import (
    describe_teams,
    log_matrix,
    record_variance,
    score_matrix,
    withdraw_matrix,
)

from roundbook.formats import RunTeam
from roundbook.logbook.matrices.log_matrix import log_scores
from roundbook.logbook.round_changes import set_round
from roundbook.logbook.rounds import create_round
from roundbook.logbook.session import begin
from roundbook.logbook.topics import alias_topics
from roundbook.presentation.matrices import log_notes
from roundbook.presentation.variances import recorded_notes
from roundbook.requests.matrices import LogRequest
from roundbook.requests.tasks import AliasTopics, CreateRound, SetRound

RNG = np.random.default_rng(7)


def complete(topics, runs, scores=None):
    if scores is None:
        scores = RNG.uniform(0.25, 1, (len(topics), len(runs)))
    return score_matrix(scores, topics, runs)


def names(letter, numbers):
    return [f"{letter}{number}" for number in numbers]


@pytest.fixture
def matrices():
    """Return the numbers of the matrices logged, which a dry run uses up too."""
    return []


@pytest.fixture
def notes(engine, matrices):
    """Log a matrix and return its notes, which are the same in a dry run."""

    def log(round_label, scores, measure="AP", **options):
        given = {"create": True, "user": "tester", **options}
        dry = log_matrix(engine, "t", round_label, measure, scores, **given, dry_run=True)
        wet = log_matrix(engine, "t", round_label, measure, scores, **given)
        assert log_notes(dry) == log_notes(wet)
        matrices.append(wet.matrix)
        return log_notes(wet)

    return log


ROUND1 = complete(names("t", range(30)), names("r", range(143)))
ROUND3 = complete(names("t", range(40)), names("r", range(128, 207)))


def test_a_revision_of_other_topics_and_runs(notes):
    assert notes("3", ROUND3) == []
    neighbour, changed = notes("3", ROUND1, revise="the wrong file")
    assert changed.startswith("Against revision 1: 450 of 450 scores changed, by up to 0.")
    assert neighbour == (
        "Against revision 1 it has 10 fewer topics (gone: t30, t31, t32, t33, t34 and 5 more) and"
        " 64 more runs (128 new: r0, r1, r2, r3, r4 and 123 more; 64 gone: r143, r144, r145, r146,"
        " r147 and 59 more)."
    )
    again = complete(ROUND3.topics, ROUND3.runs)
    assert notes("3", again, revise="back")[0].startswith(
        "Against revision 2 it has 10 more topics (new: t30, t31, "
    )
    scores = again.scores.copy()
    scores[1, 2] -= 0.25
    one = complete(ROUND3.topics, ROUND3.runs, scores)
    assert notes("3", one, revise="one score") == [
        "Against revision 3: 1 of 3,160 scores changed, by up to 0.25 (topic t1, run r130)."
    ]
    other = complete([*ROUND3.topics[1:], "new"], ROUND3.runs[1:])
    assert notes("3", other, revise="and names")[0] == (
        "Against revision 4 it has as many topics (1 new: new; 1 gone: t0) and 1 fewer run (gone:"
        " r128)."
    )


def test_a_variance_beyond_all_numbers_times_that_of_others_is_told_of(engine):
    def logged(label, unit):
        scores = complete(["a", "b"], ["x", "y"], np.array([[0.1, 0.4], [0.7, 0.2]]) * unit)
        return log_matrix(engine, "t", label, "cost", scores, create=True, user="tester")

    assert logged("1", 1e-158).remarks.variance_ratio is None
    other = logged("2", 1.0)
    assert other.remarks.variance_ratio == sys.float_info.max
    assert any("The variance is 1.8e+308 times that of" in note for note in log_notes(other))


def test_a_round_whose_teams_became_known_counts_once_among_the_others(engine, tmp_path):
    def logged(label, unit):
        scores = complete(["a", "b"], ["x", "y"], np.array([[0.1, 0.4], [0.7, 0.2]]) * unit)
        return log_matrix(engine, "t", label, "cost", scores, create=True, user="tester")

    assert logged("1", 0.1).variance == pytest.approx(0.001)
    assert logged("2", 1).remarks.variance_ratio == pytest.approx(100)
    teams = tmp_path / "teams.csv"
    teams.write_text("run,team\nx,A\ny,A\n", encoding="utf-8")
    assert len(describe_teams(engine, "t", "1", teams).renewed) == 3
    # The median of 0.001 and 0.1 is half of 0.1.
    assert logged("3", 1).remarks.variance_ratio is None


def test_runs_that_are_alike_are_named(notes):
    one, two, three = np.arange(6).reshape(3, 2) / 10
    columns = [one, two, one, three, two, one]
    assert notes("1", complete("ab", "uvwxyz", np.array(columns).T)) == [
        "3 of 6 runs repeat the scores of another run on every topic: u = w = z; v = y."
    ]
    many = complete("ab", names("r", range(12)), np.array([one] * 6 + [two] * 6).T)
    assert notes("2", many)[0].endswith(
        ": r0 = r1 = r2 = r3 = r4; r6 = r7 = r8 = r9 = r10, and more."
    )


def test_another_measure_on_other_topics_and_runs(notes, engine, matrices):
    known = "The measure '{}' is new to the record; this task has {}."
    notes("3", ROUND3)
    notes("1", ROUND1, measure="P@5")
    same = complete(ROUND3.topics, ROUND3.runs)
    assert notes("3", same, measure="P@5") == []
    assert notes("3", ROUND1, measure="RR") == [
        known.format("RR", "AP, P@5"),
        "No other matrix of this round has 128 of its 143 runs (r0, r1, r2, r3, r4 and 123 more).",
        "This matrix lacks 64 runs (r143, r144, r145, r146, r147 and 59 more) and 10 topics (t30, t31,"
        " t32, t33, t34 and 5 more) that other matrices of this round have.",
    ]
    # What is withdrawn is no measure of what belongs to the round.
    withdraw_matrix(engine, matrices[-1], "of round 1", user="tester")
    assert notes("3", complete(["t1", "new"], ROUND1.runs), measure="nDCG") == [
        known.format("nDCG", "AP, P@5"),
        "No other matrix of this round has 128 of its 143 runs (r0, r1, r2, r3, r4 and 123 more) and 1"
        " of its 2 topics (new).",
        "This matrix lacks 64 runs (r143, r144, r145, r146, r147 and 59 more) and 39 topics (t0, t2,"
        " t3, t4, t5 and 34 more) that other matrices of this round have.",
    ]
    assert notes("2", same) == []


def test_the_same_scores_in_another_round(notes, engine, matrices):
    notes("1", ROUND1)
    back = complete(ROUND1.topics[::-1], ROUND1.runs, ROUND1.scores[::-1])
    assert notes("2", back) == [
        f"Round '1' has exactly the same AP scores (matrix {matrices[0]});"
        " check that the file is of round '2'."
    ]
    # Of another measure in the same round only; nothing of what counts no more.
    assert notes("3", ROUND1, measure="P@5") == [
        "The measure 'P@5' is new to the record; this task has AP."
    ]
    assert notes("1", ROUND1, measure="RR")[1:] == [
        f"The round has exactly the same AP scores (matrix {matrices[0]}); check that the file is of"
        " RR."
    ]
    # One of another task is named where this task has none.
    other = log_matrix(engine, "u", "1", "AP", ROUND1, create=True, user="tester")
    assert log_notes(other) == [
        f"Round '1' of task 't' has exactly the same AP scores (matrix {matrices[0]}); check that the"
        " file is of task 'u'."
    ]
    withdraw_matrix(engine, other.matrix, "wrong", user="tester")
    for number in matrices[:2]:
        withdraw_matrix(engine, number, "wrong", user="tester")
    assert notes("4", ROUND1) == []


def test_the_same_scores_under_other_names_in_another_round(notes, engine, matrices):
    notes("1", ROUND1)
    renamed = complete(ROUND1.topics, names("late", range(len(ROUND1.runs))), ROUND1.scores)
    shuffled = complete(ROUND1.topics, renamed.runs[::-1], ROUND1.scores)
    for scores in (renamed, shuffled):
        assert notes("2", scores, revise=None if scores is renamed else "sorted")[-1] == (
            "Round '1' has the same AP scores under other names of topics or runs; check that the file is"
            " of round '2'."
        )
    # As many values and the same variance are not the same scores, nor are few values.
    assert notes("5", complete(ROUND1.topics, renamed.runs, 1 - ROUND1.scores)) == []
    few = np.random.default_rng(1).integers(0, 2, ROUND1.scores.shape) / 1
    notes("1", complete(ROUND1.topics, ROUND1.runs, few), measure="P@1")
    assert notes("2", complete(ROUND1.topics, renamed.runs, few), measure="P@1") == []
    other = ROUND1.scores.copy()
    other[0, 0] += 0.001
    assert notes("3", complete(ROUND1.topics, renamed.runs, other)) == []
    assert notes("3", renamed, measure="P@5")[1:] == []


def test_who_may_see_one_task_alone_does_not_learn_of_scores_of_another(engine, notes):
    notes("1", ROUND1)
    request = LogRequest(task="u", round="1", measure="AP", create=True)

    def twin(only_task):
        with begin(engine, keep=False) as session:
            limited = session._replace(only_task=only_task)
            return log_scores(limited, request, ROUND1).remarks.same_scores

    assert twin(None).task == "t"
    assert twin("u") is None
    log_matrix(engine, "u", "2", "AP", ROUND1, create=True, user="tester")
    for only_task in (None, "u"):
        assert (twin(only_task).round, twin(only_task).task) == ("2", None)


def test_a_round_without_the_topics_that_the_others_share_is_noted(engine, notes, tmp_path):
    runs = names("r", range(4))
    assert notes("1", complete(["1", "2", "3"], runs)) == []
    # Beside one other round, or rounds that have topics of their own, nothing is expected.
    assert notes("2", complete(["a", "b", "c"], runs)) == []
    assert notes("3", complete(["d", "e", "f"], runs)) == []
    for label in ("2", "3"):
        notes(label, complete(["1", label], runs), revise="ids")
    assert notes("4", complete(["C-1", "C-2"], runs)) == [
        "Round '4' shares no topic with the 3 other rounds, which share topics with each other; check"
        " the file, or say which topics returned under other ids (topic alias)."
    ]
    again = notes("4", complete(["C-1", "C-2"], runs), measure="RR")
    assert not any("shares no topic" in note for note in again)
    assert notes("5", complete(["D-1", "D-2"], runs)) == []  # the fourth has its own, too
    notes("4", complete(["1", "C-2"], runs), revise="ids")
    notes("5", complete(["1", "D-2"], runs), revise="ids")
    assert len(notes("6", complete(["E-1", "E-2"], runs))) == 1
    (tmp_path / "ids.csv").write_text("topic,round,id\n1,6,E-1\n")
    with begin(engine) as session:
        alias_topics(session, AliasTopics(task="t", file=tmp_path / "ids.csv"))
    declared = notes("6", complete(["E-1", "E-2"], runs), revise="other scores")
    assert not any("shares no topic" in note for note in declared)
    # On other documents no topic is expected to return.
    with begin(engine) as session:
        for label in "123456":
            set_round(session, SetRound(task="t", round=label, collection="news"))
        create_round(session, CreateRound(task="t", round="7", collection="web"))
    assert notes("7", complete(["F-1", "F-2"], runs)) == []


def test_a_measure_new_to_a_record_of_others(notes, engine):
    small = complete("ab", "xy")
    for number in range(1, 8):
        notes(str(number), small, measure=f"P@{number}")
    assert notes("8", small, measure="nCDG@10") == [
        "The measure 'nCDG@10' is none that Roundbook knows; this task has"
        " P@1, P@2, P@3, P@4, P@5 and 2 more. Did you mean nDCG@10?"
    ]
    alone = complete("ab", "xy")
    assert log_notes(
        log_matrix(engine, "new", "1", "Sucess@5", alone, create=True, user="tester")
    ) == ["No evaluation tool knows the measure 'Sucess@5'. Did you mean Success@5?"]
    # A known measure is not asked to be one that is none.
    assert notes("9", small, measure="nDCG@10")[0].endswith(" and 3 more.")
    assert notes("9", complete("ab", "xy"), measure="p@3") == []
    recorded = [
        record_variance(
            engine, "t", "1", "QQ", variance=0.1, runs=9, topics=9, source="a paper", user="tester"
        )
        for _ in range(2)
    ]
    assert [recorded_notes(variance)[:1] for variance in recorded] == [
        [
            "The measure 'QQ' is none that Roundbook knows; this task has"
            " P@1, P@2, P@3, P@4, P@5 and 4 more."
        ],
        [],
    ]
    # A task without a measure can have none mistyped.
    alone = complete("ab", "xy")
    assert log_notes(log_matrix(engine, "u", "1", "AP", alone, create=True, user="tester")) == []


def test_a_mistyped_measure_is_told_of_wherever_it_counts_in_nothing_yet(notes, engine, matrices):
    small = complete("ab", "xy")
    alone = log_matrix(engine, "u", "1", "nDCG@1O", small, create=True, user="tester")
    assert log_notes(alone) == [
        "No evaluation tool knows the measure 'nDCG@1O'. Did you mean nDCG@10?"
    ]
    notes("1", complete("ab", "xy"))
    told = "The measure 'nDCG@1O' is none that Roundbook knows; this task has AP. Did you mean nDCG@10?"
    assert notes("1", complete("ab", "xy"), measure="nDCG@1O") == [told]
    assert notes("2", complete("ab", "xy"), measure="nDCG@1O") == []
    for number in matrices[1:]:
        withdraw_matrix(engine, number, "mistyped", user="tester")
    assert notes("3", complete("ab", "xy"), measure="nDCG@1O") == [told]


def test_a_team_file_of_other_runs(notes):
    def teams(tags):
        return {tag: RunTeam(tag, "T", None, None, None) for tag in tags}

    small = complete("ab", "vwxyz")
    assert notes("1", small, teams=teams("vwxyz")) == []
    assert notes("1", small, teams=teams("vw12345678")) == [  # the same scores again
        "The team file names what is not in the score files: 8 runs (1, 2, 3, 4, 5 and 3 more). Check"
        " that it is of this round; if it is not, the right one, with the same columns and a reason"
        " (round teams), takes back what it filled in.",
        "The team file says nothing of 3 runs (x, y, z).",
    ]
    (note,) = notes("2", complete("ab", "vw"), teams=teams("vwx"))
    assert note.startswith("The team file names what is not in the score files: run x. Check that")
    assert notes("3", complete("ab", "vw"), teams=teams("v")) == [
        "The team file says nothing of run w."
    ]


def test_the_number_of_queries_does_not_grow(engine):
    def queries(scores, measure):
        statements = []

        def note(connection, cursor, statement, *rest):
            statements.append(statement)

        event.listen(engine, "before_cursor_execute", note)
        log_matrix(engine, "t", "1", measure, scores, create=True, user="tester")
        event.remove(engine, "before_cursor_execute", note)
        return len(statements)

    first = queries(complete("ab", "xy"), "P@1")
    assert first < 60
    second = queries(complete("ab", "xy"), "P@2")
    for number in range(3, 9):
        assert (
            queries(complete(names("t", range(30)), names("r", range(40))), f"P@{number}") == second
        )


def test_a_published_variance_on_another_scale_is_noted(engine):
    matrix = complete(["a", "b"], ["x", "y"], np.array([[0.1, 0.4], [0.7, 0.2]]))
    assert (
        log_matrix(engine, "t", "1", "clicks", matrix, create=True, user="tester").variance == 0.1
    )

    def recorded(label, value, scale="raw"):
        published = {"variance": value, "scale": scale, "runs": 9, "topics": 9, "source": "a paper"}
        return record_variance(
            engine, "t", label, "clicks", **published, create=True, user="tester"
        )

    percent = recorded("2", 1000.0)
    assert percent.variance_ratio == pytest.approx(10_000)
    assert recorded_notes(percent) == [
        "The variance is 10,000 times that of the other rounds of clicks; check that the scores are on"
        " the same scale."
    ]
    assert (
        recorded_notes(recorded("3", 0.2)) == recorded_notes(recorded("2", 0.001, "std-ab")) == []
    )


def test_scores_on_another_scale_and_a_transposed_file_are_noted(notes):
    rng = np.random.default_rng(3)
    scores = rng.beta(2, 3, (6, 4))
    topics, runs = [f"t{n}" for n in range(6)], [f"r{n}" for n in range(4)]
    assert notes("1", complete(topics, runs, scores), measure="AP") == []
    percent = notes("2", complete(topics, runs, 100 * scores), measure="AP")
    assert percent[-2:] == [
        "24 of 24 scores are below 0 or above 1, which AP never is; check their scale.",
        "The variance is 10,000 times that of the other rounds of AP; check that the scores are on"
        " the same scale.",
    ]
    cut = notes("2", complete(topics, runs, 100 * scores), measure="IPrec@0.1")
    assert (
        "24 of 24 scores are below 0 or above 1, which IPrec@0.1 never is; check their scale."
        in cut
    )
    transposed = notes("3", complete(runs, topics, scores.T + 0.0), measure="AP")
    assert transposed[-1] == (
        "6 of 6 runs have the names of topics; check that the file has a topic a row and a run a"
        " column."
    )
    righted = notes("3", complete(topics, runs, scores / 2), measure="AP", revise="transposed")
    assert not any("names of topics" in note for note in righted)


def test_topics_whose_leading_zeros_were_lost_are_noted(engine, notes, tmp_path):
    runs = names("r", range(4))
    assert notes("1", complete(["019", "020", "021"], runs)) == []
    lost = notes("2", complete(["20", "21", "22"], runs))
    assert lost == [
        "2 of 3 topics differ from recorded ones by leading zeros alone (20 and 020, 21 and 021),"
        " and count as others. Where they are the same, number them alike, or declare them (topic"
        " alias)."
    ]
    (tmp_path / "ids.csv").write_text("topic,round,id\n020,2,20\n021,2,21\n")
    with begin(engine) as session:
        alias_topics(session, AliasTopics(task="t", file=tmp_path / "ids.csv"))
    assert notes("3", complete(["20", "021", "23"], runs)) == []


def test_ids_that_were_corrected_are_not_compared_with(notes):
    runs = names("r", range(4))
    notes("1", complete(["1", "2", "3"], runs))
    assert "leading zeros" in notes("2", complete(["001", "002", "003"], runs))[-1]
    righted = notes("2", complete(["1", "2", "3"], runs), revise="ids without zeros")
    assert not any("leading zeros" in note for note in righted)
    assert notes("3", complete(["1", "2", "3"], runs)) == []
