"""Sentences on team files."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from roundbook.presentation.teams import team_file_news


@pytest.mark.parametrize(
    ("status", "dry_run", "described", "note"),
    [
        ("unchanged", False, 1, "The team file told something new of 1 run."),
        ("unchanged", True, 2, "The team file tells something new of 2 runs."),
        ("unchanged", False, 0, None),
        ("logged", False, 2, None),
    ],
)
def test_the_news_of_a_team_file_beside_scores_that_were_there(status, dry_run, described, note):
    logged = SimpleNamespace(status=status, dry_run=dry_run, runs_described=described)
    assert team_file_news(logged) == note
