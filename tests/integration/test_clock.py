"""The server's clock set back between two changes: their order is that of their numbers."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from tests.databases import rows
from tests.factories import (
    fit_factor_set,
    list_events,
    list_matrices,
    log_scores,
    publish_round,
    restore_matrix,
    save_plan,
    show_history,
    show_plan,
    verify_record,
    withdraw_matrix,
)

from roundbook.database.engine import unit_of_work
from roundbook.requests.plans import PlanRequest

pytestmark = pytest.mark.one_server

SCORES = [[0.1, 0.3, 0.4], [0.2, 0.9, 0.3], [0.5, 0.1, 0.2]]


def set_back(engine):
    """Have the server take every time a day earlier than it is."""
    columns = rows(
        engine,
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = 'roundbook' AND column_default IN ('now()', 'clock_timestamp()')",
    )
    assert ("event", "at") in columns
    with unit_of_work(engine) as connection:
        for table, column in columns:
            clock = f"ALTER COLUMN {column} SET DEFAULT now() - interval '1 day'"
            connection.execute(text(f"ALTER TABLE roundbook.{table} {clock}"))
        connection.commit()


def test_the_clock_is_set_back_between_two_changes(engine):
    log_scores(engine, "r", SCORES)
    fit_factor_set(engine, "t", "r", "AP", runs=("run0", "run1"), reason="baselines")
    save_plan(engine, "next", PlanRequest(task="t", measure="AP", m=(5,), min_d=(0.1,)))
    withdraw_matrix(engine, 1, "wrong qrels")
    assert show_plan(engine, "next").stale
    before = list_events(engine).events
    set_back(engine)
    restore_matrix(engine, 1, "they were right")
    assert show_plan(engine, "next").stale == []
    fit_factor_set(engine, "t", "r", "AP", runs=("run1", "run2"), reason="others")
    (listed,) = list_matrices(engine, "t").matrices
    assert (listed.status, listed.reason) == ("current", "they were right")
    history = show_history(engine, 1).entries
    decisions = [entry.what for entry in history if entry.what in ("withdrawn", "restored")]
    assert decisions == ["withdrawn", "restored"]
    assert [entry.factor_version for entry in history if entry.factor_version] == [1, 2, 3]
    events = list_events(engine).events
    assert events[: len(before)] == before
    assert [entry.what for entry in events[len(before) :]] == ["matrix restored", "factors fitted"]
    assert events[-1].at < before[-1].at
    log_scores(engine, "r", [*SCORES[:2], [0.6, 0.1, 0.2]], revise="judged again")
    assert show_plan(engine, "next").stale
    publish_round(engine, "t", "r")
    assert verify_record(engine).differences == []
