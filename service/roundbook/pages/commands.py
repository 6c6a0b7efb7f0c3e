"""Commands of the terminal for a round or a score matrix, where no page does the same."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from roundbook.logbook.factors import FactorSet
from roundbook.logbook.matrices.showing import ShownMatrix
from roundbook.logbook.round_contents import RoundContents


class Command(NamedTuple):
    """A command of the terminal, and what it does."""

    purpose: str
    command: str


def round_commands(
    contents: RoundContents,
    measure: str | None,
    assessments: str | None,
    factors: FactorSet | None = None,
) -> list[Command]:
    """Return the commands for a round, as its status and scores allow them.

    Parameters
    ----------
    measure : str, optional
        The measure that the page shows; None if it has no current scores.
    assessments : str, optional
        The assessments label that the page shows, where there are several.
    factors : FactorSet, optional
        The factors of these scores; None if they have none.
    """
    names: tuple[str, ...] = (contents.task, contents.round)
    recorded = contents.held is not None or contents.collection is not None
    options = ("--held", "DATE", "--collection", "NAME", *(("--force",) if recorded else ()))
    commands = [_command("Date and document collection", "round", "set", *names, *options)]
    if contents.matrices or contents.uploads:
        teams = ("round", "teams", *names, "teams.csv")
        commands += [
            _command("Teams of its runs", *teams),
            _command("Correct the teams", *teams, "--revise", "REASON"),
        ]
    scores = names
    if measure is not None:
        label = () if assessments is None else ("--assessments", assessments)
        scores = (*names, "--measure", measure, *label)
        on_pool = factors and factors.standardising == "pooled" and factors.pool_now is None
        commands += [
            _command(
                "Fit factors on all runs" if on_pool else "Fit factors on other runs",
                *("factors", "fit", *scores, "--runs", "all" if on_pool else "pooled"),
                *("--reason", "REASON"),
            ),
            _command("Standardised scores", "standardise", *scores),
            _command(
                "Merge a mistyped measure",
                *("measure", "merge", measure, "INTO", "--reason", "REASON"),
            ),
        ]
    has_current = any(matrix.standing == "current" for matrix in contents.matrices)
    holds = contents.matrices or contents.uploads or contents.qrels or contents.published_variances
    if contents.status == "published":
        commands.append(_command("Verify its fingerprint", "round", "verify", *names))
    else:
        force = ("--force",) if contents.matrices else ()
        commands.append(_command("Rename it", "round", "rename", *names, "NAME", *force))
        if has_current:
            commands.append(_command("Publish it, for good", "round", "publish", *names))
        if not holds:
            commands.append(_command("Remove it", "round", "remove", *names))
    if has_current:
        report = ("report", "html", *scores, "--output", "round.html")
        commands.append(_command("This page as one file", *report))
    return commands


def matrix_commands(matrix: ShownMatrix) -> list[Command]:
    """Return the commands for a score matrix, as its status allows them."""
    number = str(matrix.matrix)
    commands = []
    if matrix.standing == "current":
        commands.append(_command("Withdraw it", "matrix", "withdraw", number, "--reason", "REASON"))
    elif matrix.standing == "withdrawn":
        commands.append(_command("Restore it", "matrix", "restore", number, "--reason", "REASON"))
    return [
        *commands,
        _command("What rests on it", "impact", number),
        _command("Scores as a file", "matrix", "export", number, "--output", "scores.csv"),
    ]


def _command(purpose: str, *arguments: str) -> Command:
    return Command(purpose, shlex.join(["roundbook", *arguments]))
