"""What to type after an error: the ways out that errors name by code, as commands and options."""

from __future__ import annotations

from typing import get_args

from roundbook.errors import RoundbookError, WayOut
from roundbook.presentation.terminal import command_after, quoted
from roundbook.requests.fields import Layout

# By code: a sentence with the error's facts in braces, quoted for a shell, a list word by word. It
# follows the error's own sentence, or contains it where it has {message}. {command} is the command
# that pages have too.
_WAYS_OUT = {
    "list measures": "'roundbook measure list' shows those there are.",
    "merge the slip": "{message}: roundbook measure merge {slip} {known}",
    "log under one name": "Log what counts of {merged} under {into} instead, and withdraw it under"
    " {merged}: 'roundbook matrix list {task} --measure {merged}' shows it.",
    "list tasks": "'roundbook task list' shows those there are.",
    # Score files
    "no measure in the file": "{message}; leave out --file-measure.",
    "too many measures": "{message}, and --layout.",
    "several measures": "{message}; choose one with --file-measure, and log that measure by itself.",
    "run without the measure": "{message}; give the run scores of it, or take it out of the file.",
    "one measure a file": "{message}; log it by itself, with a single --measure.",
    "name the measures": "{message}; name those to log with --measure.",
    "another measure": "{message}; if that is the one you mean, say so with --file-measure.",
    "other measures": "{message}; if one of these is the one you mean, say so with --file-measure.",
    "other layout": "{message}; choose --layout {layout}.",
    "one of two layouts": "{message}; choose with --layout {first} or --layout {second}.",
    "no layout": "{message}; if it should, choose one with --layout"
    f" {', '.join(get_args(Layout)[1:])}.",
    "record the pool": "{message}; record it with '{command}', from a file with the columns run, team"
    " and contributed_to_pool.",
    "name the pool depth": "{message}; if you know the depth of the pool, give it with --pool-depth.",
    "record the teams": "{message}; record it with '{command}'.",
    "log a team file": "Log a team file: {command}",
    "record the systems": "{message}; record it in the column 'system' of a team file with '{command}',"
    " or take equal tags for one system with --match tag.",
    "name the pivot": "{message}: name one with --pivot.",
    "fewer first topics": "{message}; look earlier with --start, from 2 to {topics}.",
    "team file": "{message}; give it with --teams, beside the score file.",
    "log as runs": "{message}; 'roundbook run log' takes runs, and 'roundbook log --from-runs' scores"
    " them.",
    "log as assessments": "{message}; 'roundbook qrels log' takes relevance assessments.",
    "no topic without gaps": "{message}, so --missing drop-topic would leave none.",
    "missing scores": "{message}; complete the file, or choose --missing zero or --missing"
    " drop-topic.",
    # Servers
    "make a token": "{message}. Make one first: roundbook token create NAME",
    "replace the token": "{message}. Make one under another name, and if it is to replace this one,"
    " revoke this one: roundbook token revoke {token}",
    "name another token": "{message}. Make one under another: roundbook token create NAME",
    "list tokens": "{message}; 'roundbook token list' shows those there are.",
    "check the address": "Check ROUNDBOOK_DATABASE_URL or --database, or leave both unset to use the"
    " embedded server.",
    "name the primary": "Name the primary server in ROUNDBOOK_DATABASE_URL or --database, or have"
    " default_transaction_read_only set to off.",
    "name another server": "Name another in ROUNDBOOK_DATABASE_URL or --database.",
    "name the server itself": "Name the server's own address in ROUNDBOOK_DATABASE_URL or --database.",
    "grant the role": "The record's owner does it, or grants the role what it needs: {command}",
    "upgrade the database": "Run '{command}' on it first.",
    "stop it there": "{message}; run 'roundbook db stop' there.",
    "carry it over": "Run 'roundbook db backup FILE' with the Roundbook that made it, then 'roundbook"
    " db restore FILE' with this one and another ROUNDBOOK_DATA_DIR.",
    "embedded only": "{message}: leave out --database and ROUNDBOOK_DATABASE_URL.",
    # Tasks, rounds, matrices
    "task exists": "{message}; 'roundbook task list' shows it.",
    "no task": "{message} ('roundbook task list' shows those there are). Log with --create, or make"
    " it first: roundbook task create {task}",
    "create the task": "{message} ('roundbook task list' shows those there are). Make it first:"
    " roundbook task create {task}",
    "correct the teams": "To correct the record: {command}",
    "round exists": "{message}; 'roundbook round list {task}' shows it.",
    "no round": "{message} ('roundbook round list {task}' shows those there are). Log with --create, or"
    " make it first: roundbook round create {task} {round}",
    "nothing to set": "{message}: give --collection, --held or both.",
    "correct a date": "If a date is wrong: roundbook round set {task} ROUND --held DATE --force",
    "force a change": "{message}; add --force to change it.",
    "rename instead": "{message}; it can be renamed: roundbook task rename {task} NAME",
    "force a rename": "{message}; add --force to rename it all the same.",
    "rename the round": "{message}; it can be renamed: roundbook round rename {task} {round} NAME"
    " --force",
    "withdraw or rename": "{message}; scores can be withdrawn ('roundbook matrix list {task}' shows"
    " them), and the round renamed: roundbook round rename {task} {round} NAME --force",
    "rename the task": "{message}; it can be renamed, so that its name is free: roundbook task rename"
    " {task} NAME --force",
    "withdraw instead": "{message}; scores can be withdrawn: 'roundbook matrix list {task}' shows"
    " them.",
    "unalias": "{message}; take it back with 'roundbook topic unalias {task} {last_name}' if that is"
    " wrong.",
    "list aliases": "{message}; 'roundbook topic list {task} --aliased' shows those there are.",
    "publish the rounds": "To publish one: 'roundbook round publish {task} {round}'.",
    "nothing to publish": "{message}; log one with 'roundbook log'.",
    "log a round": "Log a round with 'roundbook log {task} ROUND FILE --measure {measure}'.",
    "several assessments": "{message}; name one with --assessments.",
    "other bounds": "{message}; leave out --bounds, or give the measure with other bounds another"
    " name.",
    "other scores": "If these {topics} x {runs} scores correct them, log them with --revise"
    " 'REASON'; if they rest on other assessments, name these with --assessments.",
    "log the runs": "{message}; log it with 'roundbook run log'.",
    "log the assessments": "{message}; log them with 'roundbook qrels log'.",
    "other lists": "If these are other runs, give them other tags and log them beside; 'roundbook run"
    " list {task} {round}' shows those there are. If those recorded are a slip, a draft round can be"
    " renamed out of the way and logged anew: {command}",
    "other judgments": "If these correct them, log them with --revise 'REASON'; if they are others,"
    " name them with --assessments.",
    "qrels revised meanwhile": "Look at it with 'roundbook qrels list {task} {round}', and log this one"
    " again if it still corrects it.",
    "revised meanwhile": "Look at it with 'roundbook matrix show {matrix}', and log this one again"
    " if it still corrects it.",
    "variance revised meanwhile": "Look at it with 'roundbook variance show {task} --measure {measure}', and"
    " record this one again if it still corrects it.",
    "withdrawn matrix": "Log a correction with --revise, or take the withdrawal back with '{command}'.",
    "restore instead": "These very scores count again once that is taken back: {command}",
    "list matrices": "{message}; 'roundbook matrix list {task}' shows its own.",
    "no matrix": "{message}; 'roundbook matrix list TASK' shows those there are.",
    "reason needed": "{message}: say why with --reason.",
    "superseded matrix": "{message}; 'roundbook matrix history {matrix}' shows which one took its"
    " place.",
    "no such run": "{message}; 'roundbook matrix show {matrix}' lists those it has.",
    "several runs": "{message}; give several as --runs A --runs B.",
    "no such pseudonym": "{message}; 'roundbook matrix show {matrix} --anonymous' lists those it"
    " has.",
    "file a run": "{message}: name a directory with --output, or one run with --run.",
    "not anonymous": "{message}; leave out --anonymous.",
    "existing file": "{message}; name another, or overwrite it by --force.",
    "foreign file": "{message}, so --force does not overwrite it; name another file, or remove it.",
    "existing directory": "{message}; name another, or replace it by --force.",
    "only one measure": "{message}; leave out --measure.",
    # Studies
    "start a job": "A service's job computes a study for as long as it takes.",
    "scheduler address": "Give --dask the address that 'dask scheduler' prints, tcp://HOST:PORT.",
    "start workers": "Start some, with dask worker {address} on each machine.",
    "the same software": "Install the same on all machines.",
    "fewer workers": "Choose fewer --workers, or none.",
    # Drift
    "list rounds": "{message}; 'roundbook round list {task}' shows those there are.",
    "name two rounds": "{message}; name others with --from and --to.",
    "name an earlier round": "{message}; name an earlier round with --from.",
    # Variances, factors, standardised scores
    "correct a variance": "If the new one corrects it, add --revise 'REASON'.",
    "revise with a reason": "{message}; add --revise 'REASON'.",
    "nothing to revise": "{message}; leave out --revise.",
    "reason to fit": "{message}: say why with --reason.",
    "pool unknown": "Log the round again with --teams and a contributed_to_pool column, or name"
    " runs.",
    "all or pooled": "{message}: give one of them with a single --runs, or tags of runs only.",
    "log scores": "{message}; log them with 'roundbook log {task} {round} FILE --measure"
    " {measure}'.",
    "list factor versions": "{message}; 'roundbook factors show {task} {round} --measure"
    " {measure}' lists them.",
    "factor version": "Name the round and, with --factors-version, the version.",
    "own factors": "Standardise it by its own factors:\n"
    "  roundbook standardise {task} {round} --measure {measure}\n"
    "If the collection only grew, declare this round under the other's name of it:\n"
    "  roundbook round set {task} {round} --collection {collection} --force",
    # Optional libraries
    "install the extra": "{message}: pip install 'roundbook[{extra}]'",
    # Saved results
    "list results": "{message} ('roundbook result list' shows those there are).",
    "results of a task": "{message} ('roundbook result list {task}' lists its results, 'roundbook"
    " result renew {task} --stale' renews those that are stale).",
    "name the kind": "{message} with --kind.",
    # Plans
    "plan at the planning variance": "Plan with the next round's planning variance, which"
    " counts how much rounds differ: {typed}.",
    "plan at the latest": "Plan with the latest round's variance: {typed}.",
    "look at the scores": "Look for what is wrong with the scores there before you plan"
    " with it: 'roundbook matrix list {task}' names them.",
    "larger minD": "{message}: ask for a larger --min-d.",
    "wider interval": "{message}: ask for a wider one with --width.",
    "exact engine": "{message}: use --engine exact.",
    "more power": "{message}: ask for more by a smaller --beta.",
    "more topics or a larger minD": "{message}: use more --topics or a larger --min-d.",
    "plan by anova": "{message}, or plan with --design anova.",
    "plan conservatively": "{message}, or plan with --variance-of conservative.",
    "plan from the pooled variance": "{message}; plan with --variance-at pooled.",
    "plan from the pooled variance or a value": "{message}; plan with --variance-at pooled, or a"
    " value.",
    "plan from the round held last": "To plan with that of {round}: --variance-at {variance}.",
    "plan from another variance": "{message}; plan from another measure, or give a --variance.",
    # Archives, backups, moves
    "other database": "{message}; check ROUNDBOOK_DATABASE_URL or --database.",
    "name a backup": "{message}; name one that 'roundbook db backup' wrote.",
    "name a saved backup": "Name a file that 'roundbook db backup' wrote.",
    "name an archive": "{message}; name what 'roundbook export' wrote.",
    "replace the record": "Restore into an empty one, or give --replace to have the backup in its"
    " place; what is there now will be gone.",
    "verify the record": "'roundbook db verify' lists all that differs; restore a backup of before.",
    "move elsewhere": "Name one in --to that is empty or has no Roundbook schema yet.",
    "move from another server": "'roundbook db move' brings it here from there.",
}


def sentence(error: RoundbookError) -> str:
    """Return the sentences of an error on the terminal: what is wrong, then what to type."""
    return with_way_out(str(error), error.way_out)


def with_way_out(message: str, way_out: WayOut | None) -> str:
    """Return a message followed by what to type, if there is a way out."""
    if way_out is None:
        return message
    text = _WAYS_OUT[way_out.code]
    facts = {
        **quoted(way_out.facts),
        "message": message.removesuffix("."),
        "command": command_after(way_out),
    }
    return text.format_map(facts) if "{message}" in text else f"{message} {text.format_map(facts)}"
