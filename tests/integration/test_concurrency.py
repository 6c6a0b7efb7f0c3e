"""Many people at once: each matrix is stored once, none is lost, of two revisions one wins."""

from __future__ import annotations

import itertools
import random
import threading
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from sqlalchemy import text
from tests.databases import counts, rows
from tests.factories import (
    Design,
    create_round,
    create_task,
    fit_factor_set,
    list_events,
    list_rounds,
    list_tasks,
    log_scores,
    plan_task,
    publish_round,
    record_variance,
    restore_matrix,
    save_plan,
    score_matrix,
    show_factors,
    show_plan,
    withdraw_matrix,
)
from tests.forked import race
from tests.waiting import wait_until, waits_for_a_lock

from roundbook.database.engine import unit_of_work
from roundbook.errors import RevisedMeanwhileError
from roundbook.formats import RunTeam
from roundbook.logbook.events import record_event
from roundbook.logbook.matrices import log_matrix as matrices
from roundbook.logbook.matrices.preparing import latest_revisions
from roundbook.logbook.session import Session, begin
from roundbook.logbook.storing import content_hash
from roundbook.logbook.tasks import rename_task
from roundbook.requests.matrices import LogRequest
from roundbook.requests.tasks import RenameTask

TASKS, ROUNDS = 4, 10
repeated = pytest.mark.parametrize("repetitions", [2, pytest.param(10, marks=pytest.mark.slow)])
NUMBERS = itertools.count(1000)


def scores(seed, topics=8, runs=6):
    return np.random.default_rng(seed).random((topics, runs))


def values_of(tells):
    """Return what the processes returned; none of them may have been refused."""
    refused = [(outcome.error, outcome.message) for outcome in tells if outcome.reached != "done"]
    assert refused == []
    return [outcome.value for outcome in tells]


def test_who_follows_the_events_misses_none(engine, committed, bare):
    """Numbers are drawn in another order than transactions begin and end.

    What is under way in other databases of the server is not waited for.
    """
    create_task(engine, "t")
    (first,) = list_events(engine).events

    def following():
        return [entry.what for entry in list_events(engine, after=first.event, limit=2).events]

    with bare.connect() as other, unit_of_work(engine) as early, unit_of_work(engine) as late:
        for connection in (other, early, late):
            connection.execute(text("SELECT pg_current_xact_id()"))
        record_event(Session(late), "numbered first")
        record_event(Session(early), "numbered second")
        early.commit()
        assert [entry.event for entry in list_events(engine).events] == [1, 3]
        with unit_of_work(engine) as third:
            record_event(Session(third), "numbered third")
            third.commit()
        assert (following(), list_events(engine, after=first.event).later) == ([], 0)
        late.commit()
        assert following() == ["numbered first", "numbered second"]


# many loggings


def identity(number):
    """Return task, round and measure of one of the distinct matrices: all of them meet."""
    return (
        f"task {number % TASKS}",
        f"round {number // TASKS % ROUNDS}",
        f"measure {number // (TASKS * ROUNDS)}",
    )


def teams(number):
    """Return a team file; each has others of the teams, in another order."""
    draw = random.Random(number)
    runs = list(range(6))
    draw.shuffle(runs)
    return {
        f"run{run}": RunTeam(f"run{run}", f"team {run}", None, run % 3 > 0, None) for run in runs
    }


def log_several(numbers, engine):
    done = []
    for number in numbers:
        task, label, measure = identity(number)
        values = scores(number, 10 + number % 40)
        logged = log_scores(
            engine, label, values, measure, teams=teams(number), user="ann", task=task
        )
        done.append((number, logged.status, logged.matrix, logged.revision))
    return done


@pytest.mark.long
@pytest.mark.parametrize(
    ("processes", "distinct"), [(4, 40), pytest.param(16, 200, marks=pytest.mark.slow)]
)
def test_many_processes_log_many_matrices(engine, database, processes, distinct):
    numbers = 2 * list(range(distinct))
    assert len({identity(number) for number in numbers}) == distinct
    # Neighbours in this order are logged by different processes at about the same time: the two
    # loggings of a matrix meet, and so do those of one round.
    numbers.sort(key=lambda number: (number // processes, random.Random(number).random()))
    shares = [numbers[process::processes] for process in range(processes)]
    done = values_of(race(database, [partial(log_several, share) for share in shares]))

    outcomes_of = defaultdict(list)
    for number, status, matrix, revision in (
        logged_matrix for share in done for logged_matrix in share
    ):
        outcomes_of[number].append((status, matrix))
        assert revision == 1
    assert sorted(outcomes_of) == list(range(distinct))
    for number, outcomes in outcomes_of.items():
        assert sorted(status for status, _ in outcomes) == ["logged", "unchanged"], number
        assert len({matrix for _, matrix in outcomes}) == 1

    stored = rows(
        engine,
        "SELECT task.name, round.label, measure.name, content_hash, matrix.id FROM roundbook.matrix"
        " JOIN roundbook.round ON round.id = round_id JOIN roundbook.task ON task.id = task_id"
        " JOIN roundbook.measure ON measure.id = measure_id",
    )
    expected = set()
    for number in range(distinct):
        one = score_matrix(scores(number, 10 + number % 40))
        digest = content_hash(one.topics, one.runs, one.scores)
        expected.add((*identity(number), digest, outcomes_of[number][0][1]))
    assert {tuple(row) for row in stored} == expected
    assert len(stored) == distinct
    assert (counts(engine)["task"], counts(engine)["measure"]) == (
        TASKS,
        distinct // (TASKS * ROUNDS),
    )
    assert (counts(engine)["round"], counts(engine)["team"]) == (TASKS * ROUNDS, 6)
    assert counts(engine)["run"] == TASKS * ROUNDS * 6
    assert counts(engine)["factor_set"] == distinct
    assert counts(engine)["score_vector"] == distinct * 6
    whats = Counter(event.what for event in list_events(engine).events)
    assert whats.pop("runs described", 0) == 0  # every file tells the same of the same runs
    assert whats == {
        "matrix logged": distinct,
        "task created": TASKS,
        "round created": TASKS * ROUNDS,
    }
    logged = [event.matrix for event in list_events(engine, what="matrix logged").events]
    assert sorted(logged) == sorted(row.id for row in stored)
    for task in list_tasks(engine).tasks:
        rounds = list_rounds(engine, task.task).rounds
        assert [round_.ordinal for round_ in rounds] == list(range(1, ROUNDS + 1))


# two people revise


def revise(person, repetition, engine, seen=None):
    return log_scores(
        engine,
        "r1",
        scores((repetition, person)),
        revise=f"reason of {person}",
        user=f"person {person}",
        expected_revisions=None if seen is None else {"AP": seen},
    ).revision


def check_one_won(engine, outcomes, revision):
    """Check that of all who revised one won, and that the others were told who."""
    won = [person for person, (value, _) in enumerate(outcomes) if value is not None]
    (winner,) = won
    assert outcomes[winner][0] == revision
    for person, (_, message) in enumerate(outcomes):
        if person != winner:
            assert f"person {winner} logged revision {revision} of AP in round 'r1'" in message
    (row,) = rows(
        engine, f"SELECT logged_by, reason FROM roundbook.matrix WHERE revision = {revision}"
    )
    assert tuple(row) == (f"person {winner}", f"reason of {winner}")
    assert counts(engine)["matrix"] == revision
    return winner


@pytest.mark.long
@pytest.mark.parametrize(
    ("people", "repetitions"),
    [(3, 3), *(pytest.param(*sizes, marks=pytest.mark.slow) for sizes in ((2, 20), (5, 6)))],
)
def test_of_several_who_revise_in_processes_one_wins(engine, database, people, repetitions):
    log_scores(engine, "r1", scores(0))
    for repetition in range(1, repetitions + 1):
        works = [partial(revise, person, repetition, seen=repetition) for person in range(people)]
        outcomes = race(database, works)
        assert {outcome.error for outcome in outcomes} == {None, "RevisedMeanwhileError"}
        check_one_won(
            engine, [(outcome.value, outcome.message) for outcome in outcomes], repetition + 1
        )
    whats = Counter(event.what for event in list_events(engine).events)
    assert whats["matrix revised"] == repetitions
    factors = show_factors(engine, "t", "r1", "AP")
    assert factors.versions == list(range(1, repetitions + 2))
    # Afterwards, whoever has seen what is there may revise it: the winner, a loser, another.
    for person in (0, 1, people):
        assert revise(person, 100 + person, engine) == counts(engine)["matrix"]


@pytest.mark.parametrize(
    ("people", "repetitions"),
    [(3, 4), *(pytest.param(*sizes, marks=pytest.mark.slow) for sizes in ((2, 30), (5, 10)))],
)
def test_of_several_who_have_seen_the_same_one_wins(committed, engine, people, repetitions):
    log_scores(engine, "r1", scores(0))
    meet = threading.Barrier(people)

    def attempt(person):
        with begin(engine) as session:
            request = LogRequest(task="t", round="r1", measure="AP")
            seen = latest_revisions(session, request)["AP"]
        meet.wait(60)
        try:
            return revise(person, next(NUMBERS), engine, seen=seen), None
        except RevisedMeanwhileError as error:
            return None, str(error)

    with ThreadPoolExecutor(people) as pool:
        for repetition in range(1, repetitions + 1):
            outcomes = list(pool.map(attempt, range(people)))
            check_one_won(engine, outcomes, repetition + 1)


def test_a_revision_under_way_is_one_that_nobody_else_has_seen(committed, engine, monkeypatch):
    log_scores(engine, "r1", scores(0))
    half, go_on = threading.Event(), threading.Event()
    store = matrices.store_estimates

    def store_when_told(*arguments, **options):
        half.set()
        assert go_on.wait(60)
        return store(*arguments, **options)

    monkeypatch.setattr(matrices, "store_estimates", store_when_told)
    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(revise, 1, 1, engine)
        assert half.wait(60)
        # Who names no revision has seen the latest one of when they asked, before they waited.
        late = pool.submit(revise, 3, 1, engine)
        wait_until(lambda: waits_for_a_lock(engine), "the later correction does not wait")
        with begin(engine) as session:
            request = LogRequest(task="t", round="r1", measure="AP")
            assert latest_revisions(session, request)["AP"] == 1
        go_on.set()
        assert slow.result(60) == 2
        with pytest.raises(RevisedMeanwhileError, match="person 1 logged revision 2"):
            late.result(60)
    with pytest.raises(RevisedMeanwhileError, match="person 1 logged revision 2"):
        revise(2, 1, engine, seen=1)
    assert revise(2, 1, engine, seen=2) == 3


@pytest.mark.long
@repeated
def test_the_same_correction_by_two_people_is_one(engine, database, repetitions):
    log_scores(engine, "r1", scores(0))
    for repetition in range(1, repetitions + 1):
        works = [partial(revise_alike, person, repetition) for person in range(2)]
        values = values_of(race(database, works))
        assert sorted(values) == [(repetition + 1, "logged"), (repetition + 1, "unchanged")]


def revise_alike(person, repetition, engine):
    logged = log_scores(engine, "r1", scores(repetition), revise="typo", user=f"person {person}")
    return logged.revision, logged.status


# others at once


@pytest.mark.long
@pytest.mark.parametrize("repetitions", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_two_who_withdraw_or_restore_at_once(engine, database, repetitions):
    number = log_scores(engine, "r1", scores(0)).matrix
    for repetition in range(repetitions):
        decide, word = ((withdraw_matrix, "withdrawn"), (restore_matrix, "restored"))[
            repetition % 2
        ]
        works = [partial(decided, decide, number, person) for person in range(3)]
        values = values_of(race(database, works))
        assert Counter(status for status, _ in values) == {word: 1, "unchanged": 2}
        # All three are told the one decision that holds.
        assert len({by for _, by in values}) == 1
    withdrawals = rows(engine, "SELECT number, withdrawn FROM roundbook.withdrawal ORDER BY number")
    assert withdrawals == [(decision, decision % 2 == 1) for decision in range(1, repetitions + 1)]
    whats = Counter(event.what for event in list_events(engine, matrix=number).events)
    assert whats == {
        "matrix logged": 1,
        "matrix withdrawn": repetitions // 2,
        "matrix restored": repetitions // 2,
    }


def decided(decide, number, person, engine):
    decision = decide(engine, number, f"reason of {person}", user=f"person {person}")
    return decision.status, decision.decided_by


@pytest.mark.long
@repeated
def test_one_withdraws_while_another_revises(engine, database, repetitions):
    latest = log_scores(engine, "r1", scores(0)).matrix
    ways = Counter()
    for repetition in range(1, repetitions + 1):
        withdrawing, revising = race(
            database,
            [partial(decided, withdraw_matrix, latest, 0), partial(revise, 1, repetition)],
        )
        assert revising.value == repetition + 1
        if withdrawing.error is None:
            assert withdrawing.value[0] == "withdrawn"
        else:
            assert withdrawing.error == "RecordError"
            assert f"is revision {repetition} of {repetition + 1}" in withdrawing.message
        ways[withdrawing.error] += 1
        ((latest,),) = rows(engine, "SELECT id FROM roundbook.current_matrix")
    assert counts(engine)["withdrawal"] == ways[None]


@pytest.mark.long
@repeated
def test_a_round_is_published_while_scores_are_logged(engine, database, repetitions):
    ways = Counter()
    for repetition in range(repetitions):
        label = f"r{repetition}"
        log_scores(engine, label, scores(0))
        published, late = race(
            database,
            [
                partial(publish, label),
                partial(log_one, scores(1), label, "nDCG"),
            ],
        )
        assert published.value == "published"
        (row,) = list_rounds(engine, "t").rounds[-1:]
        assert (row.round, row.status) == (label, "published")
        counted = list_events(engine, task_name="t", round_label=label, what="round published")
        (published,) = counted.events
        if late.error is None:  # before the publication, which then counted it
            assert published.details["matrices"] == 2
        else:
            assert late.error == "RoundPublishedError"
            assert published.details["matrices"] == 1
        assert len(row.matrices) == published.details["matrices"]
        ways[late.error] += 1
    assert ways.total() == repetitions


def publish(label, engine):
    return publish_round(engine, "t", label, user="bob").status


def log_one(values, label, measure, engine):
    return log_scores(engine, label, values, measure).status


def test_several_publish_at_once(engine, database):
    log_scores(engine, "r1", scores(0))
    values = values_of(race(database, [partial(publish, "r1")] * 4))
    assert Counter(values) == {"published": 1, "unchanged": 3}
    assert len(list_events(engine, what="round published").events) == 1


@pytest.mark.long
def test_several_fit_factors_at_once(engine, database):
    log_scores(engine, "r1", scores(0))
    chosen = [
        ("run0", "run1"),
        ("run1", "run2"),
        ("run2", "run3"),
        ("run0", "run1", "run2"),
        ("run3", "run4"),
    ]
    values = values_of(race(database, [partial(fit, runs) for runs in chosen]))
    assert sorted(version for version, _ in values) == [2, 3, 4, 5, 6]
    assert show_factors(engine, "t", "r1", "AP").versions == [1, 2, 3, 4, 5, 6]
    for (version, _), runs in zip(values, chosen, strict=True):
        stored = show_factors(engine, "t", "r1", "AP", version=version)
        mean = scores(0)[:, [int(run[3:]) for run in runs]].mean(axis=1)
        assert [factor.mean for factor in stored.factors] == pytest.approx(mean, rel=1e-12)
    values = values_of(race(database, [partial(fit, ("run0", "run5"))] * 4))
    assert sorted(values) == [(7, "fitted"), *[(7, "unchanged")] * 3]
    assert len(list_events(engine, what="factors fitted").events) == 6


def fit(runs, engine):
    fitted = fit_factor_set(engine, "t", "r1", "AP", runs=runs, reason="a try", user="ann")
    return fitted.version, fitted.status


@pytest.mark.long
@repeated
def test_factors_are_fitted_while_the_matrix_is_revised(engine, database, repetitions):
    log_scores(engine, "r1", scores(0))
    versions = 1
    runs = ("run0", "run1"), ("run2", "run3")
    for repetition in range(1, repetitions + 1):
        fitted, revised = values_of(
            race(database, [partial(fit, runs[repetition % 2]), partial(revise, 1, repetition)])
        )
        assert revised == repetition + 1
        versions += 2
        assert fitted[1] == "fitted"
    assert show_factors(engine, "t", "r1", "AP").versions == list(range(1, versions + 1))


@pytest.mark.long
def test_several_save_one_plan_at_once(engine, database):
    log_scores(engine, "r1", scores(0))
    values = values_of(race(database, [partial(save, 0.1)] * 4))
    assert sorted(values) == [(1, "saved"), *[(1, "unchanged")] * 3]
    values = values_of(race(database, [partial(save, 0.11 + number / 100) for number in range(5)]))
    assert sorted(values) == [(version, "saved") for version in range(2, 7)]
    assert show_plan(engine, "next").versions == 6
    assert len(list_events(engine, what="plan saved").events) == 6


def save(min_d, engine):
    plan = plan_task(engine, "t", "AP", Design(m=(5,), min_d=(min_d,)))
    saved = save_plan(engine, "next", plan, user="ann")
    return saved.version, saved.status


@pytest.mark.long
def test_a_plan_is_saved_while_what_it_rests_on_is_revised(engine, database):
    log_scores(engine, "r1", scores(0))
    kept = 0
    for repetition in range(1, 6):
        (version, status), revised = values_of(
            race(database, [partial(save, 0.1), partial(revise, 1, repetition)])
        )
        # Computed before the revision, it may be what was saved after the one before.
        kept += status == "saved"
        assert (version, revised) == (kept, repetition + 1)
    assert show_plan(engine, "next").versions == kept >= 1


@pytest.mark.long
def test_several_make_the_same_task_and_rounds_at_once(engine, database):
    tells = race(database, [make_task] * 5)
    assert Counter(outcome.error for outcome in tells) == {None: 1, "AlreadyRecordedError": 4}
    tells = race(database, [partial(make_round, "first")] * 5)
    assert Counter(outcome.error for outcome in tells) == {None: 1, "AlreadyRecordedError": 4}
    works = [partial(make_round, f"round {number}") for number in range(6)]
    assert sorted(values_of(race(database, works))) == [2, 3, 4, 5, 6, 7]
    whats = Counter(event.what for event in list_events(engine).events)
    assert whats == {"task created": 1, "round created": 7}


def make_task(engine):
    return create_task(engine, "t", user="ann").task


def make_round(label, engine):
    return create_round(engine, "t", label, user="ann").ordinal


def test_of_two_tasks_that_take_one_name_at_once_one_does(engine, database):
    names = [f"task {number}" for number in range(4)]
    for name in names:
        create_task(engine, name)
    tells = race(database, [partial(rename, name) for name in names])
    assert Counter(tell.error for tell in tells) == {None: 1, "AlreadyRecordedError": 3}
    assert {tell.message for tell in tells if tell.error} == {"There is a task 'one' already."}
    assert len(list_events(engine, what="task renamed").events) == 1


def rename(name, engine):
    with begin(engine, "ann") as session:
        return rename_task(session, RenameTask(task=name, name="one")).was


@pytest.mark.long
def test_several_record_the_same_published_variance_at_once(engine, database):
    values = values_of(race(database, [partial(record, 0.05, None)] * 5))
    assert sorted(values) == [(1, "recorded"), *[(1, "unchanged")] * 4]
    tells = race(database, [partial(record, 0.06 + number / 100, "typo") for number in range(3)])
    revisions = sorted(outcome.value[0] for outcome in tells if outcome.error is None)
    # Who came before the others were done has not seen their revisions.
    assert revisions == list(range(2, 2 + len(revisions)))
    assert revisions
    assert {outcome.error for outcome in tells} <= {None, "RevisedMeanwhileError"}
    assert len(list_events(engine, what="variance recorded").events) == 1 + len(revisions)


def record(variance, why, engine):
    recorded = record_variance(
        engine,
        "t",
        "r1",
        "AP",
        variance=variance,
        runs=5,
        topics=20,
        source="a paper",
        create=True,
        revise=why,
        user="ann",
    )
    return recorded.revision, recorded.status
