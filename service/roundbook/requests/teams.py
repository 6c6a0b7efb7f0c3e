"""Requests about the teams of a round's runs."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import RoundLabel, TaskName


class DescribeTeams(Request):
    """A team file for the recorded runs of a round, to fill in what is unknown or to correct them."""

    task: TaskName
    round: RoundLabel
    file: Path = Field(
        description="A CSV of run, team and optionally type, contributed_to_pool, system; - for"
        " standard input."
    )
    revise: str | None = Field(
        None, description="Change what is recorded of these runs too, for this reason."
    )
    dry_run: bool = Field(default=False, description="Say what would change, write nothing.")
