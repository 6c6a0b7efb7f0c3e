"""Sentences on team files."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from roundbook.presentation.matrices import team_file_news


@pytest.mark.parametrize(
    ("status", "described", "note"),
    [
        ("unchanged", 1, "The team file told something new of 1 run."),
        ("unchanged", 2, "The team file told something new of 2 runs."),
        ("unchanged", 0, None),
        ("logged", 2, None),
    ],
)
def test_the_news_of_a_team_file_beside_scores_that_were_there(status, described, note):
    logged = SimpleNamespace(status=status, runs_described=described)
    assert team_file_news(logged) == note
