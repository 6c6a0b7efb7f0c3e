"""Loggings killed at random moments: each matrix is there whole afterwards, or not at all."""

from __future__ import annotations

import random
import signal
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
import pytest
from sqlalchemy import select, text
from tests.databases import counts as rows_of_tables
from tests.databases import rows, scalar, served
from tests.factories import (
    Design,
    fit_factor_set,
    log_matrix,
    plan_task,
    save_plan,
    score_matrix,
    show_factors,
    withdraw_matrix,
)
from tests.forked import Forked, run_apart
from tests.waiting import sessions, wait_until

from roundbook.database.engine import unit_of_work
from roundbook.database.schema import upgrade
from roundbook.database.tables import matrix
from roundbook.formats import RunTeam
from roundbook.logbook.storing import content_hash, load_matrix
from roundbook.statistics.standardisation import std_ab, std_cdf
from roundbook.statistics.variance.parts import variance_parts
from roundbook.statistics.variance.residual import residual_variance

SEED = 20200408
SLOW = pytest.mark.slow
# Topics and runs. The largest are a good while in the COPY, and come once in so many.
SIZES = ((6, 4), (30, 20), (80, 60), (200, 150), (250, 1000))
ROTA = (0, 1, 2, 1, 2, 3, 2, 0, 1, 2, 3, 0, 1, 2, 4)
# The moment is drawn from the start on, to a little after the end.
BEYOND = 1.3


class Logging(NamedTuple):
    """A score matrix to log: tasks, rounds, measures, topics, runs and teams are shared."""

    task: str
    round: str
    measure: str
    size: tuple[int, int]
    seed: int
    described: bool

    @property
    def topics(self):
        return tuple(f"topic{number}" for number in range(self.size[0]))

    @property
    def runs(self):
        return tuple(f"run{number}" for number in range(self.size[1]))

    @property
    def scores(self):
        return np.random.default_rng(self.seed).random(self.size)

    @property
    def teams(self):
        if not self.described:
            return {}
        return {
            tag: RunTeam(tag, f"team{index % 9}", "automatic", index % 3 > 0, None)
            for index, tag in enumerate(self.runs)
        }

    def __call__(self, engine, **options):
        matrix = score_matrix(self.scores, self.topics, self.runs)
        options = {"create": True, "teams": self.teams, "user": "ann", **options}
        return log_matrix(engine, self.task, self.round, self.measure, matrix, **options).status


def loggings(count, first=0):
    """Return what is logged, each of it once, in an order that shares rows with the others."""
    return [
        Logging(
            f"task{number % 3}",
            f"round{number // 3 % 12}",
            f"measure{number // 36}",
            SIZES[ROTA[number % len(ROTA)]],
            number,
            number % 2 == 0,
        )
        for number in range(first, first + count)
    ]


# the record, looked at from outside


@pytest.fixture
def own():
    """Where a server is kept that may be killed; unlike those of other tests it syncs."""
    with tempfile.TemporaryDirectory(prefix="roundbook-crash-") as room:
        directory = Path(room) / "postgres"
        with served(directory) as (_, engine):
            upgrade(engine)
            for durable in ("fsync", "synchronous_commit", "full_page_writes"):
                assert scalar(engine, f"SHOW {durable}") == "on"
        yield directory
        assert not server_processes(directory)


def server_processes(directory):
    """Return the processes of the server that is kept there."""
    processes = []
    for process in psutil.process_iter():
        try:
            if process.name() == "postgres" and process.cwd() == str(directory):
                processes.append(process)
        except psutil.Error:
            continue
    return processes


DESCRIBED = "SELECT count(*) FROM roundbook.run WHERE team_id IS NOT NULL"


def counts(engine):
    """Return how many rows each table has, and how many runs have a team."""
    # The server may still be in the commit of what was killed.
    wait_until(lambda: not sessions(engine), "a killed process still has a connection")
    return rows_of_tables(engine) | {"runs with a team": scalar(engine, DESCRIBED)}


def added(before, after):
    return {name: after[name] - before[name] for name in after if after[name] != before[name]}


# Rows that only a half transaction could leave behind, or events without what they tell of.
LEFTOVERS = (
    "SELECT name FROM roundbook.task WHERE id NOT IN (SELECT task_id FROM roundbook.round)",
    "SELECT label FROM roundbook.round WHERE id NOT IN (SELECT round_id FROM roundbook.matrix)",
    "SELECT name FROM roundbook.measure WHERE id NOT IN (SELECT measure_id FROM roundbook.matrix)",
    "SELECT name FROM roundbook.topic"
    " WHERE id NOT IN (SELECT topic_id FROM roundbook.matrix_topic)",
    "SELECT tag FROM roundbook.run WHERE id NOT IN (SELECT run_id FROM roundbook.matrix_run)",
    "SELECT name FROM roundbook.team"
    " WHERE id NOT IN (SELECT team_id FROM roundbook.run WHERE team_id IS NOT NULL)",
    "SELECT id FROM roundbook.task WHERE 1 <>"
    " (SELECT count(*) FROM roundbook.event WHERE task_id = task.id AND what = 'task created')",
    "SELECT id FROM roundbook.round WHERE 1 <>"
    " (SELECT count(*) FROM roundbook.event WHERE round_id = round.id AND what = 'round created')",
    "SELECT id FROM roundbook.matrix WHERE 1 <>"
    " (SELECT count(*) FROM roundbook.event WHERE matrix_id = matrix.id AND what LIKE 'matrix %')",
    "SELECT task_id FROM roundbook.round"
    " GROUP BY task_id HAVING max(ordinal) <> count(*) OR min(ordinal) <> 1",
)


def check_no_leftovers(engine):
    for leftovers in LEFTOVERS:
        assert rows(engine, leftovers) == [], leftovers


def is_there(engine, logging):
    return find(engine, logging) is not None


def find(engine, logging):
    with unit_of_work(engine) as connection:
        number = connection.execute(
            text(
                "SELECT matrix.id FROM roundbook.matrix"
                " JOIN roundbook.round ON round.id = matrix.round_id"
                " JOIN roundbook.task ON task.id = round.task_id"
                " JOIN roundbook.measure ON measure.id = matrix.measure_id"
                " WHERE (task.name, round.label, measure.name) = (:task, :round, :measure)"
            ),
            {"task": logging.task, "round": logging.round, "measure": logging.measure},
        ).scalar_one_or_none()
        if number is None:
            return None
        row = connection.execute(select(matrix).where(matrix.c.id == number)).one()
        return load_matrix(connection, row)


def check_whole(engine, logging):
    """Compare all that is stored of a matrix with what was sent, and with what follows from it."""
    loaded, sent = find(engine, logging), logging.scores
    assert tuple(loaded.topics) == logging.topics
    assert tuple(loaded.runs) == logging.runs
    assert np.array_equal(loaded.scores, sent)
    digest = content_hash(loaded.topics, loaded.runs, loaded.scores)
    assert loaded.row.content_hash == digest == content_hash(logging.topics, logging.runs, sent)
    assert (loaded.row.topics, loaded.row.runs, loaded.row.revision) == (*logging.size, 1)

    factors = show_factors(engine, logging.task, logging.round, logging.measure)
    assert (factors.matrix, factors.version, factors.versions) == (loaded.row.id, 1, [1])
    fitted_on = sent
    if factors.standardising == "pooled":
        fitted_on = sent[:, [index % 3 > 0 for index in range(logging.size[1])]]
    else:
        assert not logging.described
    mean, sd = fitted_on.mean(axis=1), fitted_on.std(axis=1, ddof=1)
    assert [factor.topic for factor in factors.factors] == list(logging.topics)
    assert [factor.mean for factor in factors.factors] == pytest.approx(mean, rel=1e-12)
    assert [factor.sd for factor in factors.factors] == pytest.approx(sd, rel=1e-12)

    stored_mean = np.array([factor.mean for factor in factors.factors])[:, None]
    stored_sd = np.array([factor.sd for factor in factors.factors])[:, None]
    std = (sent - stored_mean) / stored_sd
    expected = {"raw": sent, "std-ab": std_ab(std), "std-cdf": std_cdf(std)}
    with unit_of_work(engine) as connection:
        estimates = connection.execute(
            text(
                "SELECT DISTINCT ON (scale) * FROM roundbook.variance_estimate"
                " WHERE matrix_id = :id ORDER BY scale, version DESC"
            ),
            {"id": loaded.row.id},
        ).all()
        events = connection.execute(
            text("SELECT * FROM roundbook.event WHERE matrix_id = :id"), {"id": loaded.row.id}
        ).all()
    assert sorted(estimate.scale for estimate in estimates) == sorted(expected)
    for estimate in estimates:
        pure = residual_variance(expected[estimate.scale])
        assert (estimate.topics, estimate.runs) == logging.size
        assert estimate.dof == estimate.runs * (estimate.topics - 1)
        assert estimate.variance == pytest.approx(pure, rel=1e-12)
        assert estimate.sum_of_squares == pytest.approx(pure * estimate.dof, rel=1e-12)
        # By the teams known today, whoever brought them.
        parts = variance_parts(expected[estimate.scale], loaded.team_ids)
        assert estimate.clusters == parts.clusters
        assert estimate.topic_ids == loaded.topic_ids.tolist()
        assert estimate.topic_squares == pytest.approx(parts.one_way.by_topic, rel=1e-9)
        assert estimate.runs_part == pytest.approx(parts.one_way.runs_part, rel=1e-6, abs=1e-12)
    (logged_event,) = [event for event in events if event.what != "runs described"]
    assert (logged_event.what, logged_event.who) == ("matrix logged", "ann")
    assert logged_event.details | {"estimates_renewed": 0} == {
        "measure": logging.measure,
        "assessments": "official",
        "revision": 1,
        "topics": logging.size[0],
        "runs": logging.size[1],
        "estimates_renewed": 0,
    }


# moments


class Moments:
    """Draws moments evenly over the time that the work takes on this machine at present."""

    def __init__(self, count):
        self.count = count
        draw = random.Random(SEED)
        self._fractions = [BEYOND * (index + draw.random()) / count for index in range(count)]
        draw.shuffle(self._fractions)
        self._took = defaultdict(list)

    def took(self, kind, seconds):
        self._took[kind].append(seconds)

    def draw(self, kind):
        return self._fractions.pop() * statistics.median(self._took[kind][-5:])


@pytest.fixture
def spared(own):
    """Log without a kill, which makes the shared rows, and take down how long each size takes."""

    def log(moments):
        with served(own) as (url, engine):
            for index, size in enumerate(SIZES[:4] if moments.count < 40 else 2 * SIZES):
                logging = Logging(f"task{index % 3}", "spared", f"spared{index}", size, index, True)
                outcome = run_apart(url, logging)
                assert (outcome.reached, outcome.value) == ("done", "logged")
                check_whole(engine, logging)
                moments.took(size, outcome.seconds)

    return log


def judge(engine, url, logging, before, reached, moments):
    """Hold the record against what the process had reached; log again; return if it was there."""
    there = is_there(engine, logging)
    check_no_leftovers(engine)
    if there:
        assert reached in ("committing", "done")
        check_whole(engine, logging)
    else:
        assert reached != "done", "a logging that was reported is lost"
        assert counts(engine) == before
    again = run_apart(url, logging)
    assert again.reached == "done", again
    assert again.value == ("unchanged" if there else "logged")
    if not there:
        check_whole(engine, logging)
        moments.took(logging.size, again.seconds)
    return there


def check_moments(outcomes):
    """Fail if the kills did not fall where they tell something, of so many that they should."""
    total = outcomes.total()
    if total < 40:
        return
    survived = sum(number for (_, there), number in outcomes.items() if there)
    within = outcomes["working", False]
    assert total / 20 < survived < total * 19 / 20, outcomes
    assert within > total / 4, outcomes


@pytest.mark.long
@pytest.mark.parametrize("kills", [3, pytest.param(160, marks=SLOW)])
def test_killed_loggings(own, spared, kills):
    moments, outcomes = Moments(kills), Counter()
    spared(moments)
    with served(own) as (url, engine):
        for logging in loggings(kills):
            before = counts(engine)
            process = Forked(url, logging, tells=True)
            process.let_go()
            time.sleep(moments.draw(logging.size))
            process.kill()
            outcome = process.end()
            after = counts(engine)
            there = judge(engine, url, logging, before, outcome.reached, moments)
            assert after["matrix"] - before["matrix"] == there
            outcomes[outcome.reached, there] += 1
        for logging in loggings(kills):
            check_whole(engine, logging)
    check_moments(outcomes)


def kill_server(directory):
    """Kill the server's every process; the first one must not see the others go."""
    file = directory / "postmaster.pid"
    server = psutil.Process(int(file.read_text().split()[0]))
    assert server.cwd() == str(directory)
    server.send_signal(signal.SIGSTOP)
    every = [server, *server.children(recursive=True)]
    for process in every:
        process.kill()
    wait_until(lambda: not any(map(is_alive, every)), "a killed process still runs")


def is_alive(process):
    """Return whether it still runs; that nobody has asked for its end is another matter."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.long
@pytest.mark.parametrize("kills", [2, pytest.param(40, marks=SLOW)])
def test_killed_servers(own, spared, kills):
    moments, outcomes = Moments(kills), Counter()
    spared(moments)
    killed = None
    for logging in (*loggings(kills, first=160), None):
        with served(own) as (url, engine):  # where the one before was killed, it recovers
            if killed is not None:
                there = judge(engine, url, *killed, moments)
                outcomes[killed[-1], there] += 1
            if logging is None:
                break
            before = counts(engine)
            process = Forked(url, logging, tells=True)
            process.let_go()
            time.sleep(moments.draw(logging.size))
            kill_server(own)
            outcome = process.end()
            assert outcome.reached == "done" or outcome.error == "DatabaseUnreachableError", outcome
            killed = logging, before, outcome.reached
    with served(own) as (_, engine):
        for logging in loggings(kills, first=160):
            check_whole(engine, logging)
    check_moments(outcomes)


# what else writes


def revise(logging, engine):
    again = logging._replace(seed=logging.seed + 1000)
    return again(engine, revise="a typo")


def fit(logging, engine):
    runs = logging.runs[:3]
    return fit_factor_set(
        engine, logging.task, logging.round, logging.measure, runs=runs, reason="x", user="ann"
    ).status


def withdraw(logging, engine):
    number = find(engine, logging).row.id
    return withdraw_matrix(engine, number, "wrong qrels", user="ann").status


def save(logging, engine):
    plan = plan_task(engine, logging.task, logging.measure, Design(m=(5,), min_d=(0.1,)))
    return save_plan(engine, logging.task, plan, user="ann").status


@pytest.mark.long
@pytest.mark.parametrize(
    ("work", "done"),
    [
        (save, "saved"),
        pytest.param(revise, "logged", marks=SLOW),
        pytest.param(fit, "fitted", marks=SLOW),
        pytest.param(withdraw, "withdrawn", marks=SLOW),
    ],
    ids=lambda work: getattr(work, "__name__", None),
)
@pytest.mark.parametrize("kills", [1, pytest.param(8, marks=SLOW)])
def test_other_work_that_is_killed(own, work, done, kills):
    moments, outcomes = Moments(kills), Counter()
    with served(own) as (url, engine):
        whole = None
        for number in range(-2, kills):
            logging = Logging(f"task{number}", "r", "AP", (80, 60), number + 3, False)
            assert logging(engine) == "logged"
            before = counts(engine)
            process = Forked(url, partial(work, logging), tells=True)
            process.let_go()
            if number >= 0:
                time.sleep(moments.draw(work))
                process.kill()
            outcome = process.end()
            made = added(before, counts(engine))
            if number < 0:  # spared, to see what it does and how long it takes
                assert outcome.value == done
                moments.took(work, outcome.seconds)
                assert whole in (None, made)
                whole = made
                continue
            assert made in ({}, whole)
            assert made or outcome.reached != "done"
            outcomes[bool(made)] += 1
            assert work(logging, engine) == ("unchanged" if made else done)
            assert added(before, counts(engine)) == whole
    assert outcomes[False] > 0 or kills < 8
