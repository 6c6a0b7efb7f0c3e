"""``roundbook plan`` and its verbs: formats, words, refusals, and plans kept and renewed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.savepoints import prepared

from roundbook.database.engine import unit_of_work
from roundbook.logbook.events import record_event
from roundbook.logbook.session import Session

pytestmark = pytest.mark.one_server

RELEASES = Path(__file__).parents[1] / "releases"

FIRST = "topic,a,b,c,d\n1,.62,.55,.48,.31\n2,.21,.34,.15,.1\n3,.8,.71,.66,.52\n4,.45,.38,.5,.22\n"
SECOND = "topic,a,b,e\n5,.82,.7,.77\n6,.41,.47,.44\n7,.14,.08,.21\n8,.55,.37,.62\n"
TASK = ("--task", "it's_50%", "--measure", "nDCG@10")
CELL = ("--m", "10", "--min-d", "0.1")
GIVEN = ("--variance", "0.05")
FROM = ("--task", "t", "--measure", "AP")


@prepared
def logged(roundbook, write):
    for label, content in (("r_1", FIRST), ("r_2", SECOND)):
        words = ("log", TASK[1], label, write(content, f"{label}.csv"), "--measure", "nDCG@10")
        assert roundbook(*words, "--create").code == 0
    return roundbook


def planned(command, *words):
    return command("plan", *words, "--format", "json").json


# every design, every quantity


@pytest.mark.parametrize(
    ("words", "topics"),
    [
        (("--design", "paired-t", "--variance", "0.5", "--min-d", "0.5"), [34]),
        (("--design", "two-sample-t", "--variance", "1", "--min-d", "0.5"), [64]),
        (("--design", "paired-width", *GIVEN, "--width", "0.05", "--width", "0.3"), [617, 20]),
        (("--design", "two-sample-width", *GIVEN, "--min-d", "0.05", "--min-d", "0.3"), [616, 19]),
    ],
)
def test_two_runs(command, words, topics):
    shown = planned(command, *words)
    assert [cell["topics"] for cell in shown["cells"]] == topics
    assert {cell["m"] for cell in shown["cells"]} == {2}
    assert shown["m"] == []
    interval = shown["design"].endswith("width")
    for cell in shown["cells"]:
        assert (cell["achieved_power"] is None) == interval
        assert (cell["width"] is None) != interval
    rows = command("plan", *words, "--format", "csv").table
    assert [int(row["topics"]) for row in rows] == topics
    assert ("width" in rows[0]) == interval == ("topics_sakai" not in rows[0])
    lines = command("plan", *words).lines
    assert [int(line.split()[1]) for line in lines[3:-1]] == topics
    assert lines[-1].startswith(f"Design {shown['design']} fits two runs")


def test_round_trips(command):
    size = planned(command, *GIVEN, *CELL)["cells"][0]["topics"]
    rest = ("--m", "10", "--topics", size)
    power = planned(command, *GIVEN, *CELL, "--topics", size, "--solve", "power")["cells"][0]
    assert power["achieved_power"] == pytest.approx(0.80202, abs=1e-5)
    least = planned(command, *GIVEN, *rest, "--solve", "min-d")["cells"][0]
    again = planned(command, *GIVEN, "--m", "10", "--min-d", repr(least["min_d"]))["cells"][0]
    assert again["topics"] == size == 158
    widest = planned(command, *rest, "--min-d", "0.1", "--solve", "variance")
    assert widest["variance"] is None
    largest = widest["cells"][0]["variance"]
    assert planned(command, "--variance", repr(largest), *CELL)["cells"][0]["topics"] == size
    most = ("--m", "2", "--m", "50", "--topics", size, "--min-d", "0.1", "--solve", "m")
    assert planned(command, *GIVEN, *CELL[:2], *most)["cells"][0]["m"] == 10
    listed = planned(command, *GIVEN, "--topics", size, "--min-d", "0.1", "--solve", "m")
    assert listed["m"] == [2, 3, 5, 10, 20, 50, 100]
    assert listed["cells"][0]["m"] == 10


@pytest.mark.parametrize(
    ("words", "head", "row"),
    [
        (("--solve", "power", "--topics", "158", *GIVEN, *CELL), "Power:",
         ["10", "0.100", "158", "0.8020", "0.8020", "0.8059"]),
        (("--solve", "min-d", "--topics", "158", *GIVEN, "--m", "10"), "Smallest minD:",
         ["10", "158", "0.0998", "0.8000", "0.0998", "0.0994"]),
        (("--solve", "variance", "--topics", "158", *CELL), "Largest variance:",
         ["10", "0.100", "158", "0.05021", "0.8000", "0.05021", "0.05062"]),
        (("--solve", "m", "--topics", "158", *GIVEN, *CELL), "Most runs:",
         ["0.100", "158", "10", "0.8020", "10", "10"]),
        (("--solve", "min-d", "--topics", "156", *GIVEN, "--design", "paired-width"),
         "Smallest width:", ["156", "0.0999", "0.0999"]),
        ((*GIVEN, *CELL, "--design", "tukey"),
         "Topics needed: Tukey HSD test, alpha 0.05, beta 0.2, engine exact, two-way variance 0.05"
         " (as given)", ["10", "0.100", "161", "0.8004", "161", "161"]),
        ((*GIVEN, "--min-d", "0.1", "--design", "paired-t"),
         "Topics needed: paired t test, alpha 0.05, beta 0.2, engine exact, variance 0.05 (as given;"
         " a difference of two runs varies by twice it)", ["0.100", "81", "0.8028", "81", "81"]),
        ((*GIVEN, *CELL, "--design", "two-way"), "Topics needed: two-way ANOVA",
         ["10", "0.100", "158", "0.8017", "158", "157"]),
        (("--solve", "variance", "--topics", "161", *CELL, "--design", "tukey"),
         "Largest two-way variance: Tukey HSD test",
         ["10", "0.100", "161", "0.05003", "0.8000", "0.05003", "0.05003"]),
    ],
)  # fmt: skip
def test_tables(command, words, head, row):
    lines = command("plan", *words).lines
    assert lines[0].startswith(head)
    assert lines[-2].split() == row
    assert re.match(r"Design \S+ fits ", lines[-1])


def test_small_numbers_are_not_rounded_away(command):
    """By the normal approximation 0.1 (z + z)^2 / minD^2 topics, whatever the F."""
    row = command("plan", *GIVEN, "--m", "2", "--min-d", "0.0004").lines[-2].split()
    assert row[1] == "0.0004"
    assert int(row[2]) == pytest.approx(0.1 * (1.959964 + 0.841621) ** 2 / 0.0004**2, rel=1e-5)


# from a task


def pooled_of(logged, *words):
    return logged(
        "variance", "pooled", TASK[1], "--measure", "nDCG@10", *words, "--format", "json"
    ).json  # fmt: skip


def test_a_task_shows_what_stands_beside_and_the_earlier_rounds(logged):
    shown = planned(logged, *TASK, *CELL)
    pooled = pooled_of(logged)
    assert (shown["variance"], shown["interval"]) == (pooled["variance"], pooled["interval"])
    assert (shown["variance_kind"], shown["variance_of"], shown["variance_at"]) == (
        "one-way", None, "pooled",
    )  # fmt: skip
    assert shown["variance_planning"] == pooled["next_round"]["u80"]
    assert shown["alternatives"] == [
        {"name": "planning", "design": "anova", "variance_kind": "one-way",
         "variance_at": "planning", "variance": pooled["next_round"]["u80"]},
        {"name": "tukey", "design": "tukey", "variance_kind": "two-way",
         "variance_at": "pooled", "variance": pooled["two_way_variance"]},
    ]  # fmt: skip
    (cell,) = shown["cells"]
    for alternative in shown["alternatives"]:
        words = (
            "--variance",
            repr(alternative["variance"]),
            *CELL,
            "--design",
            alternative["design"],
        )
        assert cell["beside"][alternative["name"]] == planned(logged, *words)["cells"][0]["topics"]
    assert cell["beside"]["planning"] > cell["topics"] > cell["beside"]["tukey"]
    assert [row["round"] for row in shown["rounds"]] == ["r_1", "r_2"]
    for row in shown["rounds"]:
        words = ("--variance", repr(row["variance"]), *CELL, "--topics", row["topics"])
        (power,) = planned(logged, *words, "--solve", "power")["cells"]
        assert row["achieved_power"] == power["achieved_power"] == row["power_exact"]
        assert row["power_sakai"] == power["solved_sakai"]
        assert row["enough"] is False
    lines = logged("plan", *TASK, *CELL).lines
    assert lines[1].split() == [
        "m", "minD", "Topics", "Power", "exact", "sakai", "planning", "tukey",
    ]  # fmt: skip
    sizes = [cell["topics"], f"{cell['achieved_power']:.4f}", cell["topics"], cell["topics_sakai"]]
    sizes += [int(cell["beside"]["planning"]), int(cell["beside"]["tukey"])]
    assert lines[3].split() == ["10", "0.100", *map(str, sizes)]
    sentences = " ".join("\n".join(lines[4:]).split())
    for part in (
        "Take the size by tukey where all runs get the same topics, as in most campaigns; anova, the"
        " design of published plans, is for runs that each have topics of their own. Add: --design"
        " tukey --variance-at planning planning: at the planning"
        f" variance {shown['variance_planning']:.5g}, which about 4 of 5 next"
        " rounds of this kind stay below if rounds vary as in other campaigns. tukey: Tukey HSD, best"
        " against worst, by the pooled"
        f" two-way variance {pooled['two_way_variance']:.5g}. Power that each round had by one-way"
        " ANOVA, with its own topics and variance; enough is 0.8",
    ):
        assert part in sentences
    # At another variance only the design is to be added, and nothing at a value that is one-way.
    for at, add in (("planning", ["Add: --design tukey"]), ("0.05", [])):
        other = logged("plan", *TASK, *CELL, "--variance-at", at).out
        assert re.findall(r"Add: .*?$", other, re.MULTILINE) == add
        assert "topics of their own." in " ".join(other.split())
    output = "\n".join(lines)
    assert re.search(r"^r_1 .* no *$", output, re.MULTILINE)
    (row,) = logged("plan", *TASK, *CELL, "--format", "csv").table
    assert [int(row[key]) for key in ("topics", "topics_planning", "topics_tukey")] == [
        cell["topics"], cell["beside"]["planning"], cell["beside"]["tukey"],
    ]  # fmt: skip
    by_topics = planned(logged, *TASK, *CELL, "--pool-by", "topics")
    assert by_topics["estimate"]["pooled"]["weights"] == "topics"
    assert by_topics["variance"] != shown["variance"]


COLUMNS = [
    (("--design", "tukey", *CELL), ["planning", "anova"],
     ["Topics needed: Tukey HSD test, alpha 0.05, beta 0.2, engine exact, two-way variance"
      " {two_way_variance:.5g} (nDCG@10 on the raw scale, pooled over rounds r_1, r_2)",
      "anova: one-way (Sakai), other topics per system, by the pooled one-way variance"
      " {variance:.5g}.", "with its own topics and two-way variance; enough"]),
    (("--design", "two-way", *CELL, "--variance-at", "planning"), ["pooled", "tukey", "anova"],
     ["two-way variance {two_way_next_round[u80]:.5g} (nDCG@10 on the raw scale, the planning"
      " variance from rounds r_1, r_2)", "pooled: at the pooled variance"
      " {two_way_variance:.5g}.", "by the planning value of the two-way variance"
      " {two_way_next_round[u80]:.5g}."]),
    (("--design", "paired-t", "--min-d", "0.1"), ["planning", "conservative"],
     ["two-way variance {two_way_variance:.5g} (nDCG@10",
      "conservative: by twice the pooled one-way variance {variance:.5g}, as published plans do"
      " (Sakai)."]),
    (("--design", "paired-width", "--width", "0.1", "--variance-of", "conservative"),
     ["planning", "paired"],
     ["one-way variance {variance:.5g} (nDCG@10", "paired: by twice the pooled two-way variance"
      " {two_way_variance:.5g}, as a difference of two runs varies on average."]),
    (("--variance-at", "latest", *CELL), ["pooled", "planning", "tukey"],
     ["(nDCG@10 on the raw scale, of the latest round r_2)",
      "by the latest round's two-way variance"]),
    (("--variance-at", "0.04", "--design", "two-sample-t", "--min-d", "0.1"),
     ["pooled", "planning"], ["variance 0.04 (nDCG@10 on the raw scale, as given)"]),
    (("--design", "tukey", "--m", "10", "--topics", "50", "--solve", "min-d"),
     ["planning", "anova"], ["Smallest minD: Tukey HSD test"]),
]  # fmt: skip


def test_what_each_column_is(logged, subtests):
    pooled = pooled_of(logged)
    for words, columns, parts in COLUMNS:
        with subtests.test(" ".join(words)):
            outcome = logged("plan", *TASK, *words)
            lines = outcome.lines
            assert lines[1].split()[-len(columns) :] == columns
            output = " ".join(outcome.out.split())
            for part in parts:
                assert part.format_map(pooled) in output, output
            prefix = "solved" if "--solve" in words else "topics"
            (row,) = logged("plan", *TASK, *words, "--format", "csv").table
            assert list(row)[-len(columns) :] == [f"{prefix}_{name}" for name in columns]
            (cell,) = planned(logged, *TASK, *words)["cells"]
            assert {name: float(row[f"{prefix}_{name}"]) for name in columns} == cell["beside"]
            latex = logged("plan", *TASK, *words, "--format", "latex").out
            assert f"{columns[-1]} \\\\" in latex
            (caption,) = re.findall(r"^\\caption{(.*)}$", latex, re.MULTILINE)
            assert all(f" {name}: " in caption for name in columns)


def test_a_table_fits_a_terminal_of_80_columns(logged):
    words = ("--variance-at", "latest", "--design", "two-way", *CELL)
    for line in logged("plan", *TASK, *words).lines[1:4]:
        assert len(line) <= 80


def test_the_paired_variance_of_published_values(roundbook):
    words = ("variance", "record", "t", "r", "--measure", "AP", "--value", "0.05", "--runs", "8")
    assert roundbook(*words, "--topics", "40", "--source", "a paper", "--create").code == 0
    task = ("--task", "t", "--measure", "AP", "--min-d", "0.1")
    shown = planned(roundbook, *task, "--design", "paired-t")
    assert (shown["variance_of"], shown["cells"][0]["topics"]) == ("conservative", 81)
    lines = roundbook("plan", *task, "--design", "paired-t").lines
    assert any(line.startswith("No round has a two-way variance") for line in lines)
    assert " ".join(lines).endswith("Log a round with 'roundbook log t ROUND FILE --measure AP'.")
    bare = roundbook("plan", *task, "--design", "paired-t", "--protocol")
    assert "Note: No round has a two-way variance" in bare.err
    asked = ("--design", "paired-t", "--variance-of", "paired")
    assert "--variance-of conservative" in roundbook("plan", *task, *asked).refusal()
    for name in ("two-way", "tukey"):
        assert "--design anova" in roundbook("plan", *task, "--design", name).refusal()


def test_a_variance_that_is_none(logged):
    for value in ("0", "-0.1", "nan", "inf", "1e-400"):
        sentence = logged("plan", *TASK, *CELL, "--variance-at", value).usage_error
        assert f"latest or a number above 0, not '{value}'" in sentence


def test_rounds_that_disagree_warn(logged, write):
    flat = "topic,a,b,c\n" + "".join(
        f"{j},{0.5 + j % 3 / 23},{0.5 + j % 5 / 28},{0.5 + j % 7 / 32}\n" for j in range(40, 80)
    )
    words = ("log", TASK[1], "r_3", write(flat, "3.csv"), "--measure", "nDCG@10", "--create")
    assert logged(*words).code == 0
    shown = planned(logged, *TASK, *CELL)
    warning = shown["warning"]
    assert warning.endswith(" how much rounds differ: --variance-at planning.")
    command = f"roundbook plan {shlex.join(TASK)} --variance-at planning"
    sentence = shown["estimate"]["pooled"]["warning"]
    assert sentence == warning.replace("--variance-at planning.", command)
    assert "disagree" in logged("plan", *TASK, *CELL).out
    # What is to be published says that they do, and advises nothing.
    facts = warning.partition(" Plan with ")[0]
    assert facts in shown["protocol"]
    assert "--" not in shown["protocol"]
    # A plan that does so already is not advised to.
    assert planned(logged, *TASK, *CELL, "--variance-at", "latest")["warning"] == facts
    bare = logged("plan", *TASK, *CELL, "--format", "csv")
    assert warning in bare.err
    assert "disagree" not in bare.out


def test_a_round_in_percent_is_told_and_not_planned_with(logged, write):
    percent = "topic,a,b,c\n" + "".join(
        f"{j},{50 + j % 3},{50 + j % 5 * 9},{50 + j % 7 * 5}\n" for j in range(40, 80)
    )
    words = ("log", TASK[1], "r_3", write(percent, "3.csv"), "--measure", "nDCG@10", "--create")
    assert logged(*words).code == 0
    for at in ("pooled", "latest"):
        shown = planned(logged, *TASK, *CELL, "--variance-at", at)
        warning = shown["warning"]
        assert warning.startswith("The rounds disagree: the variance of r_3 is 1,652 times that")
        assert " perhaps its scores are on another scale (percent?). Look for what is" in warning
        assert "--variance-at" not in warning
        (note,) = shown["notes"]
        assert note.endswith("differ so much that they do not bound the next one's from above.")
    refusal = logged("plan", *TASK, *CELL, "--variance-at", "planning").refusal()
    assert "(percent?). Look for what is wrong with the scores there" in refusal
    history = logged("variance", "show", TASK[1], "--measure", "nDCG@10").out
    assert history.count("(percent?)") == 1


def test_a_round_in_percent_alone_is_told(roundbook, write):
    percent = "topic,a,b,c\n" + "".join(
        f"{j},{50 + j % 3},{50 + j % 5 * 9},{50 + j % 7 * 5}\n" for j in range(40)
    )
    words = ("log", "t", "p", write(percent), "--measure", "AP", "--create")
    assert roundbook(*words).code == 0
    warning = (
        "The variance of p is larger than that of scores from 0 to 1 can be; perhaps its scores are"
        " on another scale (percent?). Look for what is wrong with the scores there before you plan"
        " with it: 'roundbook matrix list t' names them."
    )
    history = " ".join(roundbook("variance", "show", "t", "--measure", "AP").out.split())
    assert history.count(warning) == 1
    for design in ("anova", "tukey", "two-way", "paired-t"):
        words = ("plan", "--task", "t", "--measure", "AP", "--min-d", "0.1", "--design", design)
        out = " ".join(roundbook(*words).out.split())
        assert out.count(warning) == 1
        assert "Take the size by" not in out
        assert "prefer" not in out
        assert "None" not in out
        assert "(AP on the raw scale, of round p)" in out
    assert planned(roundbook, "--task", "t", "--measure", "AP", *CELL)["warning"] == warning


def test_a_variance_of_0_says_why_there_is_no_plan(roundbook, write):
    path = write("topic,a,b\n1,.3,.5\n2,.3,.5\n")
    assert roundbook("log", "t", "r", path, "--measure", "AP", "--create").code == 0
    for verb in (("plan",), ("plan", "save", "p")):
        sentence = roundbook(*verb, "--task", "t", "--measure", "AP").refusal()
        assert "is 0" in sentence
        assert "(r)" in sentence
    assert roundbook("plan", "list", "--format", "json").json["plans"] == []


def test_the_power_of_many_rounds_is_a_detail(logged, write):
    def powers(*words):
        return [line for line in logged("plan", *TASK, *CELL, *words).lines if "r_1 " in line]

    path = write(FIRST, "3.csv")
    for label in ("r_3", "r_4"):
        assert len(powers()) == 1
        words = ("log", TASK[1], label, path, "--measure", "nDCG@10", "--create")
        assert logged(*words).code == 0
    assert powers() == []
    assert (
        "The power that each of 4 rounds had: add --details." in logged("plan", *TASK, *CELL).lines
    )
    assert len(powers("--details")) == 1
    assert len(planned(logged, *TASK, *CELL)["rounds"]) == 4
    assert logged("plan", "save", "p", *TASK, *CELL).code == 0
    for words in (("plan", "show", "p"), ("result", "show", "p")):
        assert "add --details" in logged(*words).out
        assert "add --details" not in logged(*words, "--details").out
    # Rounds 1, 3 and 4 have the same topics, and the paper says so.
    (paragraph,) = logged("plan", *TASK, *CELL, "--protocol").lines
    assert (
        "The rounds share topics: they have 8 different ones, 16 counted round by round, which the"
        " interval takes into account."
    ) in paragraph


def test_what_would_help_names_its_option(command):
    for words, helps in (
        ((*GIVEN, "--m", "10", "--min-d", "1e-6"), "ask for a larger --min-d."),
        ((*GIVEN, "--design", "paired-width", "--width", "1e-6"), "ask for a wider one with --width."),
        ((*GIVEN, *CELL, "--solve", "power", "--topics", "2", "--engine", "sakai"),
         "use --engine exact."),
        ((*GIVEN, *CELL, "--solve", "m", "--topics", "2"), "use more --topics or a larger --min-d."),
        ((*GIVEN, "--solve", "min-d", "--topics", "2", "--engine", "sakai", "--design", "paired-t",
          "--beta", "0.9"), "ask for more by a smaller --beta."),
    ):  # fmt: skip
        assert command("plan", *words).refusal().endswith(f": {helps}")
    shown = planned(command, *GIVEN, *CELL, "--solve", "power", "--topics", "2", "--topics", "50")
    assert shown["notes"] == [
        "By the engine sakai, 1 of 2 cells have no answer: The engine sakai is not defined for 2"
        " topics and 10 runs: use --engine exact."
    ]
    preferred = " For 10 runs or more prefer --design tukey."
    assert command("plan", *GIVEN, *CELL, "--design", "two-way").lines[-1].endswith(preferred)
    few = command("plan", *GIVEN, "--m", "3", "--design", "two-way").lines[-1]
    assert "prefer" not in few


def test_csv_says_of_which_task_and_measure(logged):
    (row,) = logged("plan", *TASK, *CELL, "--format", "csv").table
    assert (row["task"], row["measure"]) == ("it's_50%", "nDCG@10")
    (row,) = logged("plan", *GIVEN, *CELL, "--format", "csv").table
    assert (row["task"], row["measure"]) == ("", "")


# LaTeX and the protocol


def test_latex(logged):
    output = logged("plan", *TASK, *CELL, "--min-d", "0.2", "--format", "latex").out
    lines = output.splitlines()
    begun = re.findall(r"\\begin{(\w+)}", output)
    ended = re.findall(r"\\end{(\w+)}", output)
    assert begun == ended[::-1] == ["table", "tabular"]
    plain = re.sub(r"\\[&%$#_{}\\]", "", output)
    assert plain.count("{") == plain.count("}")
    for rule in ("\\toprule", "\\midrule", "\\bottomrule"):
        assert lines.count(rule) == 1
    (columns,) = re.findall(r"\\begin{tabular}{(\w+)}", output)
    body = [line for line in lines if line.endswith(r"\\")]
    assert len(body) == 3
    assert {line.count("&") + 1 for line in body} == {len(columns)}
    shown = planned(logged, *TASK, *CELL, "--min-d", "0.2")
    for line, cell in zip(body[1:], shown["cells"], strict=True):
        fields = line.removesuffix(r" \\").split(" & ")
        assert [fields[0], fields[2], fields[-1]] == [
            str(cell["m"]),
            str(cell["topics"]),
            str(int(cell["beside"]["tukey"])),
        ]
    # what a person named is escaped: rounds r_1 and r_2 stand in the caption
    assert r"r\_1, r\_2" in output
    assert not re.search(r"(?<!\\)[_&#$^~]", "\n".join(lines[1:4]))
    assert re.findall(r"(?<!\\)%", output) == ["%"]  # the comment that opens it


def test_latex_of_whatever_is_named():
    from roundbook.presentation.latex import latex
    from roundbook.presentation.tables import Column

    nasty = '\\ { } % & # $ _ ^ ~ < > | "'
    output = latex(nasty, [{"x": 1}.keys()], ())
    (caption,) = re.findall(r"^\\caption{(.*)}$", output, re.MULTILINE)
    assert caption == (
        r"\textbackslash{} \{ \} \% \& \# \$ \_ \textasciicircum{} \textasciitilde{}"
        r" \textless{} \textgreater{} \textbar{} \textquotedbl{}"
    )
    row = type("Row", (), {"x": None})
    assert "- \\\\" in latex("", [row], [Column("x", "50%")])
    assert r"50\% \\" in latex("", [row], [Column("x", "50%")])


def test_the_protocol_is_the_paragraph_and_nothing_else(logged):
    shown = planned(logged, *TASK, *CELL)
    outcome = logged("plan", *TASK, *CELL, "--protocol")
    assert outcome.lines == [shown["protocol"]]
    for part in ("it's_50%", "nDCG@10", "raw scale", "r_1, r_2", "engine exact", "Sakai",
                 "one-way residual variance", "planning variance", "assumes"):  # fmt: skip
        assert part in shown["protocol"]
    assert planned(logged, *TASK, *CELL, "--protocol") == shown


# saved plans


def test_save_list_show(logged):
    saved = logged(
        "plan", "save", "next", *TASK, *CELL, "--note", "agreed", "--format", "json"
    ).json
    assert (saved["name"], saved["version"], saved["status"]) == ("next", 1, "saved")
    assert saved["plan"] == planned(logged, *TASK, *CELL)
    assert (saved["task"], saved["note"]) == (TASK[1], "agreed")
    shown = logged("plan", "show", "next", "--format", "json").json
    assert shown["plan"] == saved["plan"]
    assert (shown["stale"], shown["new_rounds"], shown["renew"]) == ([], [], None)
    again = logged("plan", "save", "next", *TASK, *CELL, "--format", "json").json
    assert (again["status"], again["version"], again["saved_at"]) == (
        "unchanged",
        1,
        saved["saved_at"],
    )
    assert logged("plan", "save", "next", *TASK, *CELL).out.startswith("Unchanged: plan 'next'")
    more = logged("plan", "save", "next", *TASK, *CELL, "--engine", "sakai", "--format", "json")
    assert more.json["version"] == 2
    assert logged("plan", "save", "other", *GIVEN).out.startswith("Saved: plan 'other', version 1.")
    listed = logged("plan", "list", "--format", "json").json
    assert [(row["name"], row["version"]) for row in listed["plans"]] == [
        ("next", 2),
        ("other", 1),
    ]
    rows = logged("plan", "list", "--task", TASK[1], "--format", "csv").table
    assert [(row["name"], row["engine"], row["versions"]) for row in rows] == [
        ("next", "sakai", "2")
    ]
    table = logged("plan", "list").out
    assert re.search(r"^next +2 +it's_50%", table, re.MULTILINE)
    assert re.search(r"^other .* 21-1,199 ", table, re.MULTILINE)
    assert logged("plan", "list").lines[0].split()[-2:] == ["Stale", "Note"]
    assert re.search(r"^next .* no +-", table, re.MULTILINE)
    first = logged("plan", "show", "next", "--version", 1)
    assert "version 1 of 2" in first.out
    assert "Note: agreed" in first.out
    assert logged("plan", "show", "next", "--version", 1, "--protocol").lines == [
        saved["plan"]["protocol"]
    ]
    latex = logged("plan", "show", "next", "--version", 1, "--format", "latex").out
    assert latex == logged("plan", *TASK, *CELL, "--format", "latex").out


@pytest.mark.parametrize("name", ["next web", "a guess"])
def test_a_plan_of_an_earlier_release_is_shown_with_the_sizes_it_had(roundbook, engine, name):
    entries = json.loads((RELEASES / "0004.json").read_text(encoding="utf-8"))
    answers = [entry["answer"] for entry in entries if entry["question"] == "plan"]
    was = next(answer["plan"] for answer in answers if answer["name"] == name)
    was["estimate"] = None  # which would have to be in the record
    asked = {"variance": was["variance"], "m": was["m"], "min_d": was["min_d"]}
    with unit_of_work(engine) as connection:
        connection.execute(
            text(
                "INSERT INTO roundbook.result"
                " (kind, name, version, request, result, software, saved_by)"
                " VALUES ('plan', 'old', 1, CAST(:request AS jsonb), CAST(:result AS jsonb),"
                " 'roundbook 0', 'me')"
            ),
            {"request": json.dumps(asked), "result": json.dumps(was)},
        )
        record_event(Session(connection, "me"), "plan saved")
        connection.commit()
    shown = roundbook("plan", "show", "old", "--format", "json").json["plan"]
    # The paragraph is composed anew.
    rest = [key for key in was if key not in ("cells", "interval", "protocol")]
    assert [shown[key] for key in rest] == [was[key] for key in rest]
    assert (was["interval"] or {}).items() <= (shown["interval"] or {}).items()
    for now, before in zip(shown["cells"], was["cells"], strict=True):
        assert {key: now[key] for key in before} == before
    rows = roundbook("plan", "show", "old", "--format", "csv").table
    lines = roundbook("plan", "show", "old").lines
    if was["variance_upper"] is None:
        assert "upper" not in lines[2]
        return
    assert [int(row["topics_upper"]) for row in rows] == [
        cell["topics_upper"] for cell in was["cells"]
    ]
    assert lines[2].split()[-1] == "upper"
    assert lines[4].split()[-1] == str(was["cells"][0]["topics_upper"])
    assert f"upper: at {was['variance_upper']:.5g}, the upper end of the variance's interval." in (
        lines
    )


def test_an_empty_record_says_what_to_do(roundbook):
    assert "roundbook plan save" in roundbook("plan", "list").out
    assert "roundbook result list" in roundbook("plan", "show", "nope").refusal()
    assert "roundbook task list" in roundbook("plan", "list", "--task", "nope").refusal()


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        (*CELL, "--scale", "std-ab", "--pool-by", "topics"),
        (*CELL, "--topics", "40", "--topics", "80", "--solve", "power", "--engine", "sakai"),
        ("--design", "paired-width", "--width", "0.07", "--alpha", "0.01"),
        ("--design", "two-sample-t", "--topics", "40", "--solve", "min-d", "--beta", "0.1"),
        ("--m", "2", "--m", "3", "--min-d", "0.3", "--topics", "60", "--solve", "m"),
        (*CELL, "--design", "tukey", "--variance-at", "planning"),
        (*CELL, "--design", "two-way", "--variance-at", "latest"),
        ("--design", "paired-t", "--min-d", "0.1", "--variance-of", "conservative"),
        ("--design", "paired-width", "--width", "0.1", "--variance-at", "0.0123"),
    ],
)
def test_the_command_that_renews_a_stale_plan_works(logged, write, words):
    name = "it's next"
    note = "-agreed at the 'round table'; $HOME"
    kept = ("--note", note, "--format", "json")
    saved = logged("plan", "save", name, *TASK, *words, *kept).json["plan"]
    path = write(FIRST.replace(".62", ".99"), "corrected.csv")
    revise = ("log", TASK[1], "r_1", path, "--measure", "nDCG@10", "--revise", "a slip")
    assert logged(*revise).code == 0
    path = write(SECOND, "third.csv")
    assert logged("log", TASK[1], "r_3", path, "--measure", "nDCG@10", "--create").code == 0
    stale = logged("plan", "show", name, "--format", "json").json
    assert stale["plan"] == saved
    (listed,) = logged("plan", "list", "--format", "csv").table
    assert listed["stale"] == "True"
    assert re.search(r"^it's next .* yes +-agreed", logged("plan", "list").out, re.MULTILINE)
    assert [row["round"] for row in stale["stale"]] == ["r_1"]
    assert stale["new_rounds"] == ["r_3"]
    output = logged("plan", "show", name).out
    # The one-way variances of rounds are not those of a plan by the two-way variance.
    two_way = saved["variance_kind"] == "two-way"
    assert ("Stale: round 'r_1': its score matrix was corrected (revision 2)." in output) == two_way
    assert ("Stale: round 'r_1' counts with" in output) != two_way
    assert [row["was"] is None for row in stale["stale"]] == [two_way]
    assert "Not in it, since they did not count then: r_3." in output
    assert f"\n  {stale['renew']}\n" in output
    bare = logged("plan", "show", name, "--protocol")
    assert bare.lines == [saved["protocol"]]
    assert stale["renew"] in bare.err
    assert logged(*shlex.split(stale["renew"])[1:]).code == 0
    renewed = logged("plan", "show", name, "--format", "json").json
    assert (renewed["version"], renewed["versions"], renewed["note"]) == (2, 2, note)
    asked = ("m", "min_d", "topics", "alpha", "beta", "engine", "design", "solve", "scale")
    asked += ("variance_kind", "variance_of", "variance_at")
    assert {key: renewed["plan"][key] for key in asked} == {key: saved[key] for key in asked}
    assert (
        renewed["plan"]["estimate"]["pooled"]["weights"] == saved["estimate"]["pooled"]["weights"]
    )
    assert (renewed["stale"], renewed["renew"]) == ([], None)


def test_an_impossible_plan_saves_nothing_and_opens_nothing(command):
    # The record is unreachable here, and that is not what is complained about.
    command("plan", "save", "p", *GIVEN, "--alpha", "1e-40").refusal(1)
    assert command("plan", "save", "p", *GIVEN).code == 4


# refusals


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((*GIVEN, "--design", "paired-t", "--m", "2"), "leave out m"),
        ((*GIVEN, "--topics", "50"), "--solve power"),
        ((*GIVEN, "--solve", "power"), "needs topics"),
        ((*GIVEN, "--solve", "power", "--topics", "50", "--beta", "0.1"), "leave out --beta"),
        ((*GIVEN, "--design", "paired-width", "--beta", "0.1"), "leave out --beta"),
        ((*GIVEN, "--solve", "variance", "--topics", "50"), "leave out --variance"),
        (("--task", "t", "--measure", "AP", "--solve", "variance", "--topics", "9"), "--task"),
        ((*GIVEN, "--solve", "min-d", "--topics", "50", "--min-d", "0.1"), "leave it out"),
        ((*GIVEN, "--width", "0.1"), "give --min-d"),
        ((*GIVEN, "--design", "paired-width", "--width", "0.1", "--min-d", "0.1"), "the same"),
        ((*GIVEN, "--design", "paired-width", "--solve", "power", "--topics", "9"), "no power"),
        ((*GIVEN, "--design", "paired-t", "--solve", "m", "--topics", "9"), "two runs"),
        ((*GIVEN, "--scale", "std-ab"), "--task"),
        ((*GIVEN, "--pool-by", "topics"), "--task"),
        ((*GIVEN, "--assessments", "gold"), "--task"),
        ((*GIVEN, "--variance-at", "planning"), "--task"),
        ((*GIVEN, "--design", "paired-t", "--variance-of", "paired"), "--task"),
        ((*FROM, "--variance-of", "paired"), "give --design paired-t or paired-width"),
        ((*FROM, "--design", "tukey", "--variance-of", "conservative"), "of a paired difference"),
        ((*FROM, "--design", "two-sample-t", "--variance-of", "paired"), "of a paired difference"),
        ((*FROM, "--design", "paired-t", "--variance-of", "both"), "'paired', 'conservative'"),
        ((*FROM, "--variance-at", "pool"),
         "--variance-at takes pooled, planning, latest or a number above 0, not 'pool'"),
        ((*FROM, "--variance-at", "0,05"), "or a number above 0, not '0,05'"),
        (("--m", "10,20"), "a whole number, not '10,20'; give several as --m 10 --m 20"),
        (("--min-d", "0.1; 0.2"), "not '0.1; 0.2'; give several as --min-d 0.1 --min-d 0.2"),
        (("--min-d", "0,1"), "it takes a number, not '0,1'; write 0.1"),
        ((*GIVEN, "--design", "hsd"), "'two-way', 'tukey'"),
        ((*FROM, "--design", "tukey", "--solve", "variance", "--topics", "9"), "leave out"),
        ((*GIVEN, "--protocol", "--format", "latex"), "--protocol"),
        (("--task", "t"), "--measure"),
        ((), "either --variance"),
    ],
)  # fmt: skip
def test_contradictory_options_are_usage_errors(command, words, sentence):
    for verb in (("plan",), ("plan", "save", "p")):
        refused = command(*verb, *words)
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.startswith("Usage: roundbook plan")
        assert sentence in re.sub(r"[\s│]+", " ", refused.err)


def test_options_before_a_verb_are_not_lost_in_silence(command):
    refused = command("plan", *GIVEN, "save", "p")
    assert refused.code == 2
    assert "after 'save'" in refused.err
    assert command("plan", "frobnicate").code == 2
    assert command("plan", "save").code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("--alpha", "1e-40"), ("--beta", "0.97"), ("--min-d", "1e-7"),
        ("--solve", "power", "--topics", "2", "--engine", "sakai"),
        ("--solve", "m", "--topics", "3"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_impossible_plans_exit_1(command, words):
    given = {"--variance": "0.05", "--m": "10", "--min-d": "0.1"}
    given |= dict(zip(words[::2], words[1::2], strict=True))
    command("plan", *(word for pair in given.items() for word in pair)).refusal(1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--variance", "inf"), "--variance should be a finite number, not inf"),
        (("--variance", "-1"), "--variance should be greater than 0, not -1"),
        (("--alpha", "nan"), "--alpha must be between 0 and 1, not nan"),
        (("--beta", "1"), "--beta must be between 0 and 1, not 1"),
        (("--m", "1"), "for '--m': it should be greater than or equal to 2, not '1'"),
        (("--m", "1" + "0" * 400), "for '--m': it should be less than or equal to 1,000,000,000"),
        (("--min-d", "nan"), "--min-d should be a finite number, not nan"),
        (("--min-d", "0"), "--min-d should be greater than 0, not 0"),
        (("--design", "paired-width", "--width", "0"), "--width should be greater than 0, not 0"),
        (("--solve", "power", "--topics", "1"), "'--topics': it should be greater than or equal to 2"),
        (("--solve", "power", "--topics", "10000001"), "less than or equal to 10,000,000, not"),
    ],
    ids=lambda words: " ".join(words)[:40] if isinstance(words, tuple) else "",
)  # fmt: skip
def test_numbers_out_of_bounds_are_usage_errors(command, words, said):
    for verb in (("plan",), ("plan", "save", "p")):
        given = () if "--variance" in words else GIVEN
        assert said in command(*verb, *given, *words).usage_error


def test_names_and_notes_that_are_too_long_are_usage_errors(command):
    for name, note, said in (
        ("x" * 201, "why", "NAME should have at most 200 characters"),
        ("x", "y" * 2_001, "--note should have at most 2,000 characters"),
    ):
        assert said in command("plan", "save", name, *GIVEN, "--note", note).usage_error


@pytest.mark.parametrize("verb", ["save", "list", "show"])
def test_help(command, verb):
    shown = command("plan", verb, "--help")
    assert f"Example: roundbook plan {verb}" in " ".join(shown.out.split())
    own = command("plan", "--help").out
    assert "Example: roundbook plan --variance" in " ".join(own.split())
    options = set(re.findall(r"--[a-z][a-z-]+", own)) - {"--help"}
    assert {"--variance", "--solve", "--design", "--topics", "--protocol"} <= options
    assert {"--variance-of", "--variance-at"} <= options
    if verb == "save":
        assert set(re.findall(r"--[a-z][a-z-]+", shown.out)) - {"--help", "--note"} >= options


@pytest.mark.long
def test_a_plan_from_a_variance_loads_no_database_library(tmp_path):
    import subprocess
    import sys

    code = (
        "import sys; from roundbook_cli.main import run; assert run(sys.argv[1:]) == 0;"
        "assert not {'sqlalchemy', 'psycopg', 'alembic'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "plan", *GIVEN, "--format", "json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cells"][4]["topics"] == 158
