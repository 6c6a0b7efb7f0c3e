"""The commands of the terminal, as the terminal and the pages show them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from roundbook.errors import WayOut

if TYPE_CHECKING:
    from roundbook.logbook.factors import FactorSet
    from roundbook.logbook.matrices.showing import ShownMatrix
    from roundbook.logbook.round_contents import RoundContents

_FILE_MEASURE = "log TASK ROUND FILE --measure MEASURE --file-measure NAME"
_LAYOUT = "log TASK ROUND FILE --measure MEASURE --layout LAYOUT"
_TEAMS = "round teams {task} {round} FILE"
# By the code of a way out, with the facts of its error in braces.
_AFTER = {
    "name the measures": "log TASK ROUND FILE --measure MEASURE --measure ANOTHER",
    "several measures": _FILE_MEASURE,
    "another measure": _FILE_MEASURE,
    "other measures": _FILE_MEASURE,
    "no layout": _LAYOUT,
    "other layout": _LAYOUT,
    "one of two layouts": _LAYOUT,
    "other lists": "round rename {task} {round} NAME --force",
    "withdrawn matrix": "matrix restore {matrix} --reason REASON",
    "restore instead": "matrix restore {matrix} --reason REASON",
    "log a team file": _TEAMS,
    "record the teams": _TEAMS,
    "record the pool": _TEAMS,
    "correct the teams": f"{_TEAMS} --revise REASON",
    "record the systems": "round teams {task} ROUND FILE",
    "grant the role": "db grant {role} --as service",
    "upgrade the database": "db upgrade",
}


def command(*words: str) -> str:
    """Return a command of the terminal to type, quoted for a shell."""
    return shlex.join(["roundbook", *words])


def command_after(way_out: WayOut) -> str | None:
    """Return the command that helps after an error; None where none does, or it depends."""
    if way_out.code not in _AFTER:
        return None
    return f"roundbook {_AFTER[way_out.code].format_map(quoted(way_out.facts))}"


def quoted(facts: Mapping[str, object]) -> dict[str, str]:
    """Return facts as text quoted for a shell, a list word by word.

    Each is there as the last word of a command too, ``last_name`` for ``name``: one that begins
    with ``-`` has ``--`` before it, so that it is no option.
    """
    words = {
        name: shlex.join(fact) if isinstance(fact, list) else shlex.quote(str(fact))
        for name, fact in facts.items()
    }
    last = {
        f"last_{name}": f"-- {word}" if word.startswith("-") else word
        for name, word in words.items()
    }
    return last | words


def drift_commands(task: str, measure: str) -> dict[str, str]:
    """Return the commands for what sentences on drift name in backticks, by that name."""
    return {
        "alias_topics": command("topic", "alias", task, "FILE"),
        "runs": command(
            *("factors", "fit", task, "ROUND", "--measure", measure),
            *("--runs", "RUNS", "--reason", "REASON"),
        ),
        "details": command("drift", task, "--measure", measure, "--details"),
    }


class Command(NamedTuple):
    """A command of the terminal, and what it does."""

    purpose: str
    command: str


def round_commands(
    contents: RoundContents,
    measure: str | None,
    assessments: str | None,
    factors: FactorSet | None,
) -> list[Command]:
    """Return the commands for a round, as its status and the scores that its page shows allow them.

    The `measure` is None if it has no current scores, the `assessments` where there are no several,
    and the `factors` if the scores have none.
    """
    names: tuple[str, ...] = (contents.task, contents.round)
    recorded = contents.held is not None or contents.collection is not None
    options = ("--held", "DATE", "--collection", "NAME", *(("--force",) if recorded else ()))
    commands = [_step("Date and document collection", "round", "set", *names, *options)]
    if contents.matrices or contents.uploads:
        teams = ("round", "teams", *names, "teams.csv")
        commands += [
            _step("Teams of its runs", *teams),
            _step("Correct the teams", *teams, "--revise", "REASON"),
        ]
    scores = names
    if measure is not None:
        label = () if assessments is None else ("--assessments", assessments)
        scores = (*names, "--measure", measure, *label)
        on_pool = factors and factors.standardising == "pooled" and factors.pool_now is None
        fit, runs = ("all runs", "all") if on_pool else ("the pool, if it is known", "pooled")
        commands += [
            _step(
                f"Fit factors on {fit}",
                *("factors", "fit", *scores, "--runs", runs, "--reason", "REASON"),
            ),
            _step("Standardised scores", "standardise", *scores),
            _step(
                "Merge a mistyped measure",
                *("measure", "merge", measure, "INTO", "--reason", "REASON"),
            ),
        ]
    has_current = any(matrix.status == "current" for matrix in contents.matrices)
    holds = contents.matrices or contents.uploads or contents.qrels or contents.published_variances
    if contents.status == "published":
        commands.append(_step("Verify its fingerprint", "round", "verify", *names))
    else:
        force = ("--force",) if contents.matrices else ()
        commands.append(_step("Rename it", "round", "rename", *names, "NAME", *force))
        if has_current:
            commands.append(_step("Publish it, for good", "round", "publish", *names))
        if not holds:
            commands.append(_step("Remove it", "round", "remove", *names))
    if has_current:
        report = ("report", "html", *scores, "--output", "round.html")
        commands.append(_step("This page as one file", *report))
    return commands


def matrix_commands(matrix: ShownMatrix) -> list[Command]:
    """Return the commands for a score matrix, as its status allows them."""
    number = str(matrix.matrix)
    commands = []
    if matrix.status == "current":
        commands.append(_step("Withdraw it", "matrix", "withdraw", number, "--reason", "REASON"))
    elif matrix.status == "withdrawn":
        commands.append(_step("Restore it", "matrix", "restore", number, "--reason", "REASON"))
    return [
        *commands,
        _step("What rests on it", "impact", number),
        _step("Scores as a file", "matrix", "export", number, "--output", "scores.csv"),
    ]


def _step(purpose: str, *words: str) -> Command:
    return Command(purpose, command(*words))
