"""A record that grows: as many queries as before, and no score is read where none is shown."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sqlalchemy import event, select, text
from tests.factories import (
    list_events,
    list_matrices,
    list_results,
    list_rounds,
    log_scores,
    refusing,
    save_plan,
    save_report,
    show_histories,
    show_history,
    show_impact,
    show_variances,
    trace_drift,
)

from roundbook.database.table_parts import among
from roundbook.database.tables import matrix
from roundbook.errors import NotRecordedError
from roundbook.logbook import storing
from roundbook.logbook.drift import compared_rounds
from roundbook.logbook.names import recorded_topics
from roundbook.logbook.runs import assessing
from roundbook.logbook.runs.log_runs import log_runs as upload_runs
from roundbook.logbook.runs.storing import unknown_topics
from roundbook.logbook.saving import save_result
from roundbook.logbook.session import begin
from roundbook.logbook.studies.studies import find_entry
from roundbook.logbook.topics import alias_topics
from roundbook.requests.plans import PlanRequest
from roundbook.requests.runs import LogQrels, LogRuns
from roundbook.requests.tasks import AliasTopics

pytestmark = pytest.mark.one_server

RANDOM = np.random.default_rng(1)
QUESTIONS = {
    "variance history": lambda engine: show_histories(engine, "t"),
    "variances": lambda engine: show_variances(engine, "t", "M0"),
    "rounds": lambda engine: list_rounds(engine, "t"),
    "matrices": lambda engine: list_matrices(engine, "t", superseded=True),
    "events": list_events,
    "saved results": lambda engine: list_results(engine, "t"),
    "impact": lambda engine: show_impact(engine, 1),
    "matrix history": lambda engine: show_history(engine, 1),
    "drift curve": lambda engine: trace_drift(engine, "t", "M0"),
}


@pytest.fixture
def asked(engine, monkeypatch):
    """Return how many statements a question takes, and how many matrices' scores it reads."""
    statements, reads = [], []
    event.listen(engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    read = storing.read_vectors
    for module in (storing, compared_rounds):
        monkeypatch.setattr(
            module, "read_vectors", lambda *given: reads.append(given[1]) or read(*given)
        )

    def ask(question):
        statements.clear()
        reads.clear()
        QUESTIONS[question](engine)
        return len(statements), len(reads)

    return ask


def grow(engine, rounds, measures):
    for label in rounds:
        for measure in measures:
            topics = [f"t{number}" for number in range(int(label) * 2, int(label) * 2 + 6)]
            log_scores(engine, label, RANDOM.random((6, 4)), measure, topics=topics)


def save_study(engine, label):
    request = find_entry("swap-rate").request(
        study="swap-rate", task="t", round=label, measure="M0", trials=100
    )
    with begin(engine) as session:
        save_result(session, "study", request)


@pytest.mark.long
def test_the_number_of_queries_does_not_grow_with_the_record(engine, asked, tmp_path):
    grow(engine, ["1", "2", "3"], ["M0", "M1"])
    ids = tmp_path / "ids.csv"
    ids.write_text("topic,round,id\nt2,3,t11\n")
    with begin(engine) as session:
        alias_topics(session, AliasTopics(task="t", file=ids))
    save_plan(engine, "next", PlanRequest(task="t", measure="M0", m=(5,), min_d=(0.1,)))
    save_report(engine, "t", "M0")
    save_study(engine, "1")
    before = {question: asked(question) for question in QUESTIONS}
    grow(engine, ["1", "2", "3"], ["M2", "M3", "M4"])
    grow(engine, ["4", "5", "6", "7"], ["M0", "M1"])
    for number in range(3):
        plan = PlanRequest(task="t", measure="M0", m=(5,), min_d=(0.2 + number / 10,))
        save_plan(engine, f"plan {number}", plan)
        save_report(engine, "t", "M0", from_round=f"{number + 2}", to_round=f"{number + 5}")
        save_study(engine, f"{number + 2}")
    after = {question: asked(question) for question in QUESTIONS}
    assert {question: queries for question, (queries, _) in after.items()} == {
        question: queries for question, (queries, _) in before.items()
    }
    reads = {question: read for question, (_, read) in after.items()}
    assert reads.pop("drift curve") == 7  # one a round
    assert set(reads.values()) == {0}


def test_more_names_than_a_statement_has_parameters(engine):
    log_scores(engine, "r1", RANDOM.random((5, 3)))
    names = [f"thème {number}" for number in range(70_000)]
    with begin(engine) as session:
        assert unknown_topics(session.connection, 1, ["t0", *names]) == names
        assert recorded_topics(session.connection, 1, names) == names


def test_a_condition_on_very_many_numbers_is_one_parameter(engine):
    log_scores(engine, "r1", RANDOM.random((5, 3)))
    with begin(engine) as session:
        held = select(matrix.c.id).where(among(matrix.c.id, range(70_000)))
        assert session.connection.execute(held).scalars().all() == [1]


_CALLS = "SELECT funcname, calls FROM pg_stat_xact_user_functions WHERE schemaname = 'roundbook'"


def test_a_guard_looks_once_at_what_a_file_adds(engine, tmp_path):
    topics = range(9)
    (tmp_path / "qrels").write_text("".join(f"t{topic} 0 d 1\n" for topic in topics))
    (tmp_path / "ids.csv").write_text(
        "topic,round,id\n" + "".join(f"t{topic},r2,u{topic}\n" for topic in topics)
    )
    for run in "ab":
        (tmp_path / run).write_text("".join(f"t{topic} Q0 d 1 1 {run}\n" for topic in topics))
    log_scores(engine, "r1", RANDOM.random((9, 3)))
    log_scores(engine, "r2", RANDOM.random((9, 3)), topics=[f"u{topic}" for topic in topics])
    with begin(engine) as session:
        connection = session.connection
        connection.execute(text("SET LOCAL track_functions = 'all'"))
        before = Counter(dict(connection.execute(text(_CALLS)).all()))
        assessing.log_qrels(session, LogQrels(task="t", round="r1", file=tmp_path / "qrels"))
        files = (tmp_path / "a", tmp_path / "b")
        upload_runs(session, LogRuns(task="t", round="r1", files=files))
        aliased = alias_topics(session, AliasTopics(task="t", file=tmp_path / "ids.csv"))
        calls = Counter(dict(connection.execute(text(_CALLS)).all())) - before
    assert len(aliased.aliases) == 9
    guards = ("late_judgments", "late_run", "late_list", "unclear_alias")
    assert {guard: calls[f"refuse_{guard}"] for guard in guards} == dict.fromkeys(guards, 1)


def test_long_lists_are_read_page_by_page(engine, committed, terminal):
    grow(engine, ["2", "1"], ["M1", "M0"])
    log_scores(engine, "1", RANDOM.random((6, 4)), "M0", assessments="crowd")
    log_scores(engine, "1", RANDOM.random((6, 4)), "M0", revise="a typo")
    log_scores(engine, "1", [[0.1, 0.2], [0.3, 0.1]], task="other")
    every = [row.matrix for row in list_matrices(engine, "t", superseded=True).matrices]
    assert every == [2, 1, 5, 4, 6, 3]
    pages, after = [], None
    while True:
        page = list_matrices(engine, "t", superseded=True, after=after, limit=4)
        pages.append([row.matrix for row in page.matrices])
        assert page.later == len(every) - sum(map(len, pages))
        if not page.later:
            break
        after = pages[-1][-1]
    assert pages == [every[:4], every[4:]]
    assert list_matrices(engine, "t", after=3).matrices == []
    with refusing(NotRecordedError, "'roundbook matrix list t' shows its own"):
        list_matrices(engine, "t", after=7)
    listed = terminal("matrix", "list", "t", "--limit", "2")
    assert "3 more score matrices; see on with --after 1." in listed.out
    assert "comes after matrix 3" in terminal("matrix", "list", "t", "--after", "3").out

    events = [entry.event for entry in list_events(engine).events]
    page = list_events(engine, after=events[2], limit=3)
    assert [entry.event for entry in page.events] == events[3:6]
    assert (page.earlier, page.later) == (0, len(events) - 6)
    page = list_events(engine, limit=2)
    assert [entry.event for entry in page.events] == events[-2:]
    assert (page.earlier, page.later) == (len(events) - 2, 0)
    printed = terminal("events", "--after", "0", "--limit", "2")
    assert f"{len(events) - 2} later events; see on with --after {events[1]}." in printed.out
