"""What helps after an error or a verdict on drift: on a page, or in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from roundbook.errors import RoundbookError
from roundbook.presentation.phrases import with_words
from roundbook.presentation.terminal import command_after, drift_commands

if TYPE_CHECKING:
    from roundbook.logbook.drift.report import DriftReport


class NextStep(NamedTuple):
    """What to do after an error: a sentence, and the command that it ends in, if it ends in one."""

    sentence: str
    command: str | None


# By code, with the error's facts in braces; what ends in a colon ends in the command for its code.
_WAYS_OUT = {
    # Files
    "missing scores": "Fill them in, or choose how missing scores count.",
    "run without the measure": "Give the run scores of it, or take it out of the files.",
    "one measure a file": "Log it by itself.",
    "name the measures": "Log those you want in a terminal:",
    **dict.fromkeys(
        ("several measures", "another measure", "other measures"),
        "Say which one it is, in a terminal:",
    ),
    **dict.fromkeys(
        ("no layout", "other layout", "one of two layouts"),
        "If it holds scores, choose their layout, in a terminal:",
    ),
    "team file": "Give it as the teams of the runs, beside the scores.",
    "log as runs": "Choose Runs above.",
    "log as assessments": "Choose Relevance assessments above.",
    # What is recorded otherwise
    "other scores": "If these correct them, say why; if they rest on other assessments, name those.",
    "other judgments": "If these correct them, say why; if they are others, name the assessments.",
    "other lists": "If these are other runs, give them other tags. If those recorded are a slip, a"
    " draft round can be renamed out of the way and logged anew, in a terminal:",
    "revise with a reason": "Say why it is corrected.",
    "nothing to revise": "Leave the reason empty.",
    **dict.fromkeys(
        ("revised meanwhile", "qrels revised meanwhile"),
        "Look at it first, then send the file again if it still corrects it.",
    ),
    "withdrawn matrix": "Log a correction with its reason, or take the withdrawal back, in a terminal:",
    "restore instead": "These very scores count again once that is taken back, in a terminal:",
    "correct the teams": "Send another file or, to correct the record, in a terminal:",
    # What is not recorded yet
    "record the teams": "Record it in a terminal:",
    "record the pool": "Record it from a file with the columns run, team and contributed_to_pool, in a"
    " terminal:",
    "record the systems": "Take equal tags for one system by the match tag, or record it in the column"
    " system of a team file, in a terminal:",
    "log a round": "Log a round first.",
    "log scores": "Log them first.",
    "log the runs": "Log them first.",
    "log the assessments": "Log them first.",
    # Other values of a form
    "several assessments": "Name one of them as the assessments.",
    "fewer first topics": "Look earlier, with a start from 2 to {topics}.",
    "name the pool depth": "If you know the depth of the pool, give it.",
    "name the pivot": "Name one as the pivot.",
    "name two rounds": "Choose two.",
    "name an earlier round": "Choose an earlier one to start from.",
    "exact engine": "Choose the engine exact.",
    "larger minD": "Ask for a larger minD.",
    "wider interval": "Ask for a wider one.",
    "more power": "Ask for more by a smaller beta.",
    "more topics or a larger minD": "Use more topics or a larger minD.",
    "plan by anova": "Choose anova as the test.",
    "plan from the pooled variance": "Choose pooled over its rounds.",
    "plan from the pooled variance or a value": "Choose pooled over its rounds, or type a variance.",
    "plan from another variance": "Choose another measure, or type a variance.",
}


def next_step(error: RoundbookError) -> NextStep | None:
    """Return what to do after an error; None where its own sentence says enough."""
    way_out = error.way_out
    if way_out is None or way_out.code not in _WAYS_OUT:
        return None
    sentence = _WAYS_OUT[way_out.code].format_map(way_out.facts)
    return NextStep(sentence, command_after(way_out) if sentence.endswith(":") else None)


def on_page(sentence: str, report: DriftReport) -> str:
    """Return a sentence on drift with fields of pages, or commands, for the names in backticks."""
    commands = drift_commands(report.task, report.measure)
    words = {name: f"in a terminal, `{typed}`" for name, typed in commands.items()}
    words["teams"] = "Teams of the runs, where scores are logged"
    return with_words(sentence, words)
