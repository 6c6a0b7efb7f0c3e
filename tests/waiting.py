"""Waiting for what another process does."""

from __future__ import annotations

import time

import pytest
from tests.databases import scalar


def wait_until(happened, what="it did not happen"):
    """Return what `happened` does once that is true; fail after 30 seconds."""
    for _ in range(3000):
        if outcome := happened():
            return outcome
        time.sleep(0.01)
    pytest.fail(f"after 30 seconds: {what}")


def sessions(engine):
    """Return how many other sessions there are in this database."""
    return scalar(
        engine,
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND backend_type = 'client backend'",
    )


def waits_for_a_lock(engine):
    """Return whether somebody waits for a lock in this database."""
    return scalar(
        engine,
        "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock'",
    )
