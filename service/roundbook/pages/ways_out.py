"""What helps after an error or a verdict on drift: on a page, or in a terminal."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from roundbook.errors import RoundbookError

if TYPE_CHECKING:
    from roundbook.logbook.drift.report import DriftReport


class NextStep(NamedTuple):
    """What to do after an error: a sentence, and the command that it ends in, if it is one."""

    sentence: str
    command: str | None = None


_LAYOUT = "roundbook log TASK ROUND FILE --measure MEASURE --layout LAYOUT"
_TEAMS = "roundbook round teams {task} {round} FILE"
# By code, with the error's facts in braces. Other codes need none on a page.
_WAYS_OUT = {
    # Files
    "missing scores": NextStep("Fill them in, or choose how missing scores count."),
    "run without the measure": NextStep("Give the run scores of it, or take it out of the files."),
    "one measure a file": NextStep("Log it by itself."),
    "name the measures": NextStep(
        "Log those you want in a terminal:",
        "roundbook log TASK ROUND FILE --measure MEASURE --measure ANOTHER",
    ),
    **dict.fromkeys(
        ("several measures", "another measure", "other measures"),
        NextStep(
            "Say which one it is, in a terminal:",
            "roundbook log TASK ROUND FILE --measure MEASURE --file-measure NAME",
        ),
    ),
    **dict.fromkeys(
        ("no layout", "other layout", "one of two layouts"),
        NextStep("If it holds scores, choose their layout, in a terminal:", _LAYOUT),
    ),
    "team file": NextStep("Give it as the teams of the runs, beside the scores."),
    "log as runs": NextStep("Choose Runs above."),
    "log as assessments": NextStep("Choose Relevance assessments above."),
    # What is recorded otherwise
    "other scores": NextStep(
        "If these correct them, say why; if they rest on other assessments, name those."
    ),
    "other judgments": NextStep(
        "If these correct them, say why; if they are others, name the assessments."
    ),
    "other lists": NextStep(
        "If these are other runs, give them other tags. If those recorded are a slip, a draft round can"
        " be renamed out of the way and logged anew, in a terminal:",
        "roundbook round rename {task} {round} NAME --force",
    ),
    "revise with a reason": NextStep("Say why it is corrected."),
    "nothing to revise": NextStep("Leave the reason empty."),
    **dict.fromkeys(
        ("revised meanwhile", "qrels revised meanwhile"),
        NextStep("Look at it first, then send the file again if it still corrects it."),
    ),
    "withdrawn matrix": NextStep(
        "Log a correction with its reason, or take the withdrawal back, in a terminal:",
        "roundbook matrix restore {matrix} --reason REASON",
    ),
    "restore instead": NextStep(
        "These very scores count again once that is taken back, in a terminal:",
        "roundbook matrix restore {matrix} --reason REASON",
    ),
    "correct the teams": NextStep(
        "Send another file or, to correct the record, in a terminal:", f"{_TEAMS} --revise REASON"
    ),
    # What is not recorded yet
    "record the teams": NextStep("Record it in a terminal:", _TEAMS),
    "record the pool": NextStep(
        "Record it from a file with the columns run, team and contributed_to_pool, in a terminal:",
        _TEAMS,
    ),
    "record the systems": NextStep(
        "Take equal tags for one system by the match tag, or record it in the column system of a"
        " team file, in a terminal:",
        "roundbook round teams {task} ROUND FILE",
    ),
    "log a round": NextStep("Log a round first."),
    "log scores": NextStep("Log them first."),
    "log the runs": NextStep("Log them first."),
    "log the assessments": NextStep("Log them first."),
    # Other values of a form
    "several assessments": NextStep("Name one of them as the assessments."),
    "fewer first topics": NextStep("Look earlier, with a start from 2 to {topics}."),
    "name the pool depth": NextStep("If you know the depth of the pool, give it."),
    "name the pivot": NextStep("Name one as the pivot."),
    "name two rounds": NextStep("Choose two."),
    "name an earlier round": NextStep("Choose an earlier one to start from."),
    "exact engine": NextStep("Choose the engine exact."),
    "larger minD": NextStep("Ask for a larger minD."),
    "wider interval": NextStep("Ask for a wider one."),
    "more power": NextStep("Ask for more by a smaller beta."),
    "more topics or a larger minD": NextStep("Use more topics or a larger minD."),
    "plan by anova": NextStep("Choose anova as the test."),
    "plan from the pooled variance": NextStep("Choose pooled over its rounds."),
    "plan from the pooled variance or a value": NextStep(
        "Choose pooled over its rounds, or type a variance."
    ),
    "plan from another variance": NextStep("Choose another measure, or type a variance."),
}

# By a name in backticks in a sentence on drift: the field of a form, or the terminal's command.
_OF_DRIFT = {
    "teams": "Teams of the runs, where scores are logged",
    "alias_topics": "in a terminal, `roundbook topic alias {task} FILE`",
    "runs": "in a terminal, `roundbook factors fit {task} ROUND --measure {measure} --runs RUNS"
    " --reason REASON`",
    "details": "in a terminal, `roundbook drift {task} --measure {measure} --details`",
}


def next_step(error: RoundbookError) -> NextStep | None:
    """Return what to do after an error; None where its own sentence says enough."""
    way_out = error.way_out
    if way_out is None or way_out.code not in _WAYS_OUT:
        return None
    sentence, command = _WAYS_OUT[way_out.code]
    quoted = {name: shlex.quote(str(fact)) for name, fact in way_out.facts.items()}
    return NextStep(sentence.format_map(way_out.facts), command and command.format_map(quoted))


def on_page(sentence: str, report: DriftReport) -> str:
    """Return a sentence on drift with fields of pages, or commands, for the names in backticks."""
    quoted = {"task": shlex.quote(report.task), "measure": shlex.quote(report.measure)}

    def words(named: re.Match[str]) -> str:
        return _OF_DRIFT[named[1]].format_map(quoted) if named[1] in _OF_DRIFT else named[0]

    return re.sub(r"`(\w+)`", words, sentence)
