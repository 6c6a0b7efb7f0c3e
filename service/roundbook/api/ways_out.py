"""The ways out that errors name by code, as sentences with HTTP paths and fields."""

from __future__ import annotations

import re

from roundbook.errors import WayOut

# The prefix of the service's paths, and of those below.
PREFIX = "/api/v1"
# By code: a sentence, with the error's facts in braces. Other codes need none over HTTP.
_WAYS_OUT = {
    "all or pooled": "Give one of them alone in `runs`, or tags of runs only.",
    "correct a variance": "If the new one corrects it, give the reason in `revise`.",
    "create the task": "GET /tasks lists those there are; POST /create-task makes one.",
    "exact engine": "Use `engine` exact.",
    "factor version": "Name the round in `factors_from` and the version in `factors_version`.",
    "file a run": "Name one run in `runs`.",
    "force a change": "To change it all the same, send `force`: true.",
    "rename instead": "It can be renamed by POST /rename-task.",
    "rename the task": "It can be renamed by POST /rename-task, with `force`: true.",
    "rename the round": "It can be renamed by POST /rename-round, with `force`: true.",
    "force a rename": "To rename it all the same, send `force`: true.",
    "larger minD": "Ask for a larger `min_d`.",
    "list aliases": "GET /topics with `aliased` lists those there are.",
    "list factor versions": "GET /factors of the round has the latest.",
    "list matrices": "GET /matrices of task '{task}' lists its own.",
    "list measures": "GET /measures lists those there are.",
    "results of a task": "GET /results?task={task} lists its results.",
    "list results": "GET /results lists those there are.",
    "list rounds": "GET /rounds of task '{task}' lists those there are.",
    "list tasks": "GET /tasks lists those there are.",
    "list tokens": "GET /tokens lists those there are.",
    "log a round": "Log one by POST /log.",
    "log scores": "Log them by POST /log.",
    "log under one name": "Log what counts of '{merged}' under '{into}' instead by POST /log, and"
    " withdraw it under '{merged}' by POST /withdraw.",
    "log as runs": "POST /log-runs takes runs, and POST /log with `from_runs` scores them.",
    "log as assessments": "POST /log-qrels takes relevance assessments.",
    "log the assessments": "Log them by POST /log-qrels.",
    "log the runs": "Log them by POST /log-runs.",
    "missing scores": "Fill them in, or choose `missing` zero or drop-topic.",
    "more topics or a larger minD": "Use more `topics` or a larger `min_d`.",
    "name an earlier round": "Name an earlier one in `from_round`.",
    "run without the measure": "Give the run scores of it, or take it out of the file.",
    "name the measures": "Name those to log in `measures`, or send `all_measures`.",
    "name another token": "Make one under another name.",
    "name two rounds": "Name others in `from_round` and `to_round`.",
    "no layout": "If it should be read so, say in `layout` how it is laid out: wide, long, ...",
    "no matrix": "GET /matrices of a task lists those there are.",
    "no round": "Log with `create`, or make it first by POST /create-round.",
    "no such run": "GET /matrix of number {matrix} lists those it has.",
    "several runs": "Name several in `runs` as a list.",
    "no task": "Log with `create`, or make it first by POST /create-task.",
    "not anonymous": "Leave out `anonymous`.",
    "one measure a file": "Log it by itself, with a single one in `measures`.",
    "other judgments": "If these correct them, give the reason in `revise`; if they are others, name"
    " them in `assessments`.",
    "other layout": "Choose `layout` {layout}.",
    "other lists": "If these are other runs, give them other tags and log them beside. If those"
    " recorded are a slip, a draft round can be renamed out of the way by POST /rename-round, with"
    " `force`: true, and logged anew.",
    "other measures": "If one of these is the one you mean, name it in `file_measure`.",
    "other scores": "If these correct them, give the reason in `revise`; if they rest on other"
    " assessments, name these in `assessments`.",
    "own factors": "Leave out `factors_from`: a round has factors of its own.",
    "plan by anova": "Plan with `design` anova.",
    "plan conservatively": "Plan with `variance_of` conservative.",
    "plan from another variance": "Plan from another measure, or give a `variance`.",
    "plan from the pooled variance": "Plan with `variance_at` pooled.",
    "plan from the pooled variance or a value": "Plan with `variance_at` pooled, or a value.",
    "publish the rounds": "Publish them first by POST /publish.",
    "qrels revised meanwhile": "Look at it by GET /qrels, then log this one again if it still"
    " corrects it.",
    "reason needed": "Say why in `reason`.",
    "replace the token": "Make one under another name, and if it is to replace this one, revoke this"
    " one by POST /revoke-token.",
    "restore instead": "These very scores count again once that is taken back by POST /restore.",
    "reason to fit": "Say why in `reason`.",
    "record the teams": "Record it by POST /describe-teams.",
    "revise with a reason": "Give the reason in `revise`.",
    "revised meanwhile": "Look at it by GET /matrix, then log this one again if it still corrects it.",
    "several assessments": "Name one in `assessments`.",
    "several measures": "Choose one in `file_measure`, and log that measure by itself.",
    "start a job": "POST /jobs/study/STUDY starts a study in the background; GET /jobs/NUMBER follows"
    " it.",
    "unalias": "If that is wrong, take it back by POST /unalias-topic.",
    "variance revised meanwhile": "Look at it by GET /variances, then record this one again if it"
    " still corrects it.",
    "withdraw instead": "Scores can be withdrawn by POST /withdraw.",
    "withdraw or rename": "Scores can be withdrawn by POST /withdraw, and the round renamed by POST"
    " /rename-round, with `force`: true.",
    "withdrawn matrix": "Log a correction with `revise`, or take the withdrawal back by POST"
    " /restore.",
}


def help_after(way_out: WayOut | None) -> str | None:
    """Return the sentence of a way out; None where there is none over HTTP."""
    if way_out is None or way_out.code not in _WAYS_OUT:
        return None
    sentence = re.sub(r"\b(GET|POST) ", rf"\1 {PREFIX}", _WAYS_OUT[way_out.code])
    return sentence.format_map(way_out.facts)
