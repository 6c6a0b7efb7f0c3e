"""The ways out that errors and drift reports name, with Python calls and keywords."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from roundbook.errors import RoundbookError
from roundbook.presentation.phrases import with_words
from roundbook.presentation.terminal import command_after

if TYPE_CHECKING:
    from roundbook.logbook.drift.report import DriftReport

# By code: a sentence with the error's facts in braces, names as literals of Python.
# {command} is the terminal's for the code. Other codes need none in Python.
_WAYS_OUT = {
    "all or pooled": "Give one of them alone in `runs`, or tags of runs only.",
    "check the address": "Check the address given, else ROUNDBOOK_DATABASE_URL.",
    "grant the role": "The record's owner grants the role what it needs: {command}",
    "name the primary": "Name the primary server in the address.",
    "name another server": "Name another in the address.",
    "correct the teams": "To correct the record: revise='why'.",
    "correct a variance": "If the new one corrects it: revise='why'.",
    "create the task": "Make it first: book.create_task({task!r})",
    "exact engine": "Use engine='exact'.",
    "existing directory": "Name another, or replace it: force=True",
    "existing file": "Name another, or overwrite it: force=True",
    "factor version": "Name the round in `factors_from` and the version in `factors_version`.",
    "fewer first topics": "Look earlier: start=..., from 2 to {topics}.",
    "file a run": "Name one run: runs=('tag',)",
    "foreign file": "Even force=True does not overwrite it; name another file, or remove it.",
    "force a change": "To change it all the same: force=True",
    "rename instead": "It can be renamed: book.ask('rename_task', task={task!r}, name='...')",
    "rename the round": "It can be renamed: book.ask('rename_round', task={task!r}, round={round!r},"
    " name='...', force=True)",
    "force a rename": "To rename it all the same: force=True",
    "install the extra": "Install it: pip install 'roundbook[{extra}]'",
    "larger minD": "Ask for a larger one: min_d=...",
    "list aliases": "book.ask('topics', task={task!r}, aliased=True) lists those there are.",
    "list factor versions": "book.factors({task!r}, {round!r}, {measure!r}) has the latest.",
    "list matrices": "book.matrices({task!r}) lists its own.",
    "list measures": "book.measures() lists those there are.",
    "results of a task": "book.results({task!r}) lists its results; book.renew(task={task!r}) renews"
    " those that are stale.",
    "list results": "book.results() lists those there are.",
    "list rounds": "book.rounds({task!r}) lists those there are.",
    "list tasks": "book.tasks() lists those there are.",
    "list tokens": "book.ask('tokens') lists those there are.",
    "log a round": "Log one: book.log({task!r}, ROUND, scores, {measure!r})",
    "log scores": "Log them: book.log({task!r}, {round!r}, scores, {measure!r})",
    "log as runs": "book.log_runs(task, round, file) takes runs.",
    "log as assessments": "book.log_qrels(task, round, file) takes relevance assessments.",
    "log the assessments": "Log them: book.log_qrels(task, round, file)",
    "log the runs": "Log them: book.log_runs(task, round, file)",
    "missing scores": "Fill them in, or choose missing='zero' or missing='drop-topic'.",
    "run without the measure": "Give the run scores of it, or take it out of the file.",
    "name the measures": "Name those to log: measure=['AP', ...], or take all_measures=True.",
    "more power": "Ask for more: a smaller beta=...",
    "more topics or a larger minD": "Use more topics=... or a larger min_d=...",
    "name the kind": "Name it: kind=...",
    "name the pivot": "Name it: pivot='...'",
    "name the pool depth": "If you know the depth of the pool: pool_depth=...",
    "name two rounds": "Name others: from_round=..., to_round=...",
    "name an earlier round": "Name an earlier one: from_round=...",
    "no layout": "If it should be read so, say how it is laid out: layout='wide', 'long', ...",
    "no matrix": "book.matrices(task) lists those there are.",
    "no round": "Log with create=True, or make it first: book.create_round({task!r}, {round!r})",
    "no such run": "book.ask('matrix', matrix={matrix}) lists those it has.",
    "several runs": "Name several as a list: runs=['A', 'B']",
    "no task": "Log with create=True, or make it first: book.create_task({task!r})",
    "not anonymous": "Leave out `anonymous`.",
    "one measure a file": "Log it by itself, with a single measure.",
    "other judgments": "If these correct them: revise='why'; if they are others: assessments='name'.",
    "one of two layouts": "Choose layout={first!r} or layout={second!r}.",
    "other layout": "Choose layout={layout!r}.",
    "other lists": "If these are other runs, give them other tags and log them beside. If those"
    " recorded are a slip, a draft round can be renamed out of the way and logged anew:"
    " book.ask('rename_round', task={task!r}, round={round!r}, name='...', force=True)",
    "other measures": "If one of these is the one you mean: file_measure='...'.",
    "other scores": "If these correct them: revise='why'; if they rest on others:"
    " assessments='name'.",
    "own factors": "By its own factors: book.standardise({task!r}, {round!r}, {measure!r})",
    "plan by anova": "Plan with design='anova'.",
    "plan conservatively": "Plan with variance_of='conservative'.",
    "plan from another variance": "Plan from another measure, or give a variance=...",
    "plan from the pooled variance": "Plan with variance_at='pooled'.",
    "plan from the pooled variance or a value": "Plan with variance_at='pooled', or a value.",
    "pool unknown": "Record it by book.describe_teams, from a file with a column contributed_to_pool,"
    " or name runs=...",
    "publish the rounds": "Publish them first: book.publish({task!r}, {round!r})",
    "reason needed": "Say why: reason='...'",
    "reason to fit": "Say why: reason='...'",
    "record the pool": "Record it: book.describe_teams({task!r}, {round!r}, file), from a file with the"
    " columns run, team and contributed_to_pool.",
    "record the systems": "Record it in the column 'system' of a team file:"
    " book.describe_teams({task!r}, round, file); or take equal tags for one system: match='tag'",
    "record the teams": "Record it: book.describe_teams({task!r}, {round!r}, file)",
    "revise with a reason": "Give the reason: revise='why'.",
    "revised meanwhile": "Look at book.ask('matrix', matrix={matrix}), then log this again if it still"
    " corrects it.",
    "several assessments": "Name one: assessments='...'",
    "several measures": "Choose one, and log that measure by itself: file_measure='...'.",
    "start a job": "Start it in the background: book.start_study(study, task, round, measure, ...)",
    "wider interval": "Ask for a wider one: min_d=...",
    "upgrade the database": "Run '{command}' on it first.",
    "unalias": "If that is wrong: book.ask('unalias_topic', task={task!r}, name={name!r})",
    "variance revised meanwhile": "Look at book.variances({task!r}, {measure!r}), then record this again"
    " if it still corrects it.",
    "log under one name": "Log what counts of {merged!r} under {into!r} instead, and withdraw the"
    " former: book.withdraw(matrix, reason)",
    "name another token": "Make one under another name.",
    "replace the token": "Make one under another name, and if it is to replace this one:"
    " book.ask('revoke_token', name={token!r})",
    "rename the task": "It can be renamed: book.ask('rename_task', task={task!r}, name='...',"
    " force=True)",
    "restore instead": "These very scores count again by: book.restore({matrix}, 'why')",
    "withdraw instead": "Scores can be withdrawn: book.withdraw(matrix, reason)",
    "withdraw or rename": "Scores can be withdrawn: book.withdraw(matrix, reason); the round renamed:"
    " book.ask('rename_round', task={task!r}, round={round!r}, name='...', force=True)",
    "withdrawn matrix": "Log a correction with revise='why', or: book.restore({matrix}, 'why')",
}


@contextmanager
def with_ways_out() -> Iterator[None]:
    """Add the way out to an error as a note; its message is the same through every interface."""
    try:
        yield
    except RoundbookError as error:
        out = error.way_out
        if out is not None and out.code in _WAYS_OUT:
            with suppress(KeyError):  # raised elsewhere, with fewer facts
                facts = {**out.facts, "command": command_after(out)}
                error.add_note(_WAYS_OUT[out.code].format_map(facts))
        raise


def in_python(sentence: str, report: DriftReport) -> str:
    """Return a sentence on drift with Python calls and keywords for the names in backticks."""
    task, measure = report.task, report.measure
    return with_words(
        sentence,
        {
            "teams": f"book.describe_teams({task!r}, round, file)",
            "runs": f"book.fit({task!r}, round, {measure!r}, reason, runs=...)",
            "min_d": "min_d=...",
            "details": "report.topics",
            "alias_topics": f"book.alias_topics({task!r}, file)",
        },
    )
