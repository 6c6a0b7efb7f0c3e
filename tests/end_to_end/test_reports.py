"""Reports for others: one HTML file, the tables of a paper, a bundle to deposit."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from zipfile import ZipFile

import numpy as np
import pytest
import yaml
from tests.factories import wide
from tests.savepoints import prepared

from roundbook.presentation.latex import escaped

pytestmark = pytest.mark.one_server

TASK, AP = "ad hoc & more", ("--measure", "AP")
# A name that HTML and LaTeX take for something else, and a spreadsheet for a formula.
NAMES = ["<script>alert(1)</script>", "R&D_1 100%", "~x^2{y}\\z", "d"]
TOPICS = 8


class Parsed(HTMLParser):
    """What a page would fetch or run, its anchors, and what it says."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.ids, self.links, self.fetched, self.text = [], [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            elif name == "href":
                self.links.append(value)
            elif (
                name in ("src", "srcset", "action", "xlink:href", "data") or name[:2] == "on"
            ) and not value.startswith("data:image/png;base64,"):
                self.fetched.append((tag, name, value))

    def handle_data(self, data):
        self.text.append(data)


@prepared
def campaign(roundbook, tmp_path):
    rng = np.random.default_rng(1)
    hard = rng.random((TOPICS, 1)) * 0.5
    for label in ("2024", "2025", "2026"):
        scores = (hard + rng.random((TOPICS, len(NAMES))) * 0.4).round(3)
        file = tmp_path / f"{label}.csv"
        file.write_text(wide(scores, runs=NAMES), "utf-8")
        assert roundbook("log", TASK, label, file, *AP, "--create").code == 0
    roundbook("drift", TASK, *AP, "--save")
    roundbook("plan", "save", "next", "--task", TASK, *AP, "--m", "10", "--min-d", "0.1")
    return roundbook


@pytest.mark.long
def test_a_task_is_one_file_that_needs_nothing_else(campaign, tmp_path):
    file = tmp_path / "task.html"
    written = campaign("report", "html", TASK, "--output", file, "--format", "json").json
    assert written | {"report": "", "bytes": 0} == {
        "report": "",
        "bytes": 0,
        "task": TASK,
        "round": None,
        "measure": "AP",
        "assessments": None,
        "scale": "raw",
        "pages": ["The task", "2024", "2025", "2026", "Drift", f"{TASK}/drift-1", "next"],
        "drafts": ["2024", "2025", "2026"],
        "left_out": {},
        "measures_of_results": [],
        "other_measures": [],
    }
    page = file.read_text("utf-8")
    assert written["bytes"] == len(page.encode())
    parsed = Parsed(page)
    text = " ".join(parsed.text)
    # Nothing to fetch, to run, to send or to press.
    assert parsed.fetched == []
    assert not {"script", "form", "button", "link", "img", "iframe"} & set(parsed.tags)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style
    assert "--accent" in style
    outside = re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert "http:" not in outside
    assert "https:" not in outside
    assert not re.search(r"<[^>]* data-", page)
    assert "default-src 'none'" in page
    # Every link leads to a page of the report, and no id is there twice.
    anchors = ["task", "round-1", "round-2", "round-3", "drift", "result-1", "result-2"]
    assert [one for one in parsed.ids if one in anchors] == anchors
    assert len(set(parsed.ids)) == len(parsed.ids)
    assert {link.removeprefix("#") for link in parsed.links} == set(anchors)
    assert all(link.startswith("#") for link in parsed.links)
    # Charts: variances and ageing of the task, factors of three rounds, drift.
    assert parsed.tags.count("svg") >= 6
    assert parsed.tags.count("h1") == 1
    # The numbers are those of the terminal.
    pooled = campaign("variance", "show", TASK, *AP, "--format", "json").json["pooled"]
    assert f"{pooled['variance']:.5f}".removeprefix("0") in text
    assert "<script>alert(1)</script>" in text

    # A round has its own page, and its drift from the first. Nothing is replaced but when told.
    words = ("report", "html", TASK, " 2025", "--output", file)
    assert "--force" in campaign(*words).refusal()
    one = campaign(*words, "--force", "--measure", "ap", "--format", "json")
    assert (one.json["pages"], one.json["drafts"]) == (["2025", "Drift"], ["2025"])
    assert "Note: it tells of drafts: 2025." in one.err
    page = file.read_text("utf-8")
    assert "2024 to 2025: AP" in page
    assert {"round-2", "drift"} <= set(Parsed(page).ids).difference(["round-1", "round-3"])


@pytest.mark.long
def test_a_report_says_of_which_measures_its_saved_results_are(campaign, tmp_path):
    file = tmp_path / "scores.csv"
    # As many rounds have them as have AP, which is the first by name.
    for number, measure in enumerate(("P@5", "nDCG@10")):
        for label in ("2024", "2025", "2026"):
            scores = np.random.default_rng([number, int(label)]).random((TOPICS, 3)).round(3)
            file.write_text(wide(scores, runs="xyz"))
            assert campaign("log", TASK, label, file, "--measure", measure).code == 0
    campaign("drift", TASK, "--measure", "nDCG@10", "--save")
    report, html = "Note: it is of AP", ("report", "html", TASK)
    for words, results, others, ending in (
        ((), ["nDCG@10"], ["P@5"],
         ", with saved results of nDCG@10; it has nothing of P@5."),
        (AP, ["nDCG@10"], [], ", with saved results of nDCG@10."),
        (("2025",), [], ["P@5", "nDCG@10"], " alone, and not of P@5, nDCG@10."),
    ):  # fmt: skip
        file = tmp_path / "task.html"
        done = campaign(*html, *words, "--output", file, "--force", "--format", "json")
        assert done.json["measure"] == "AP"
        assert (done.json["measures_of_results"], done.json["other_measures"]) == (results, others)
        assert f"{report}{ending}" in done.err.splitlines()
        page = file.read_text("utf-8")
        assert (f"{TASK}/drift-2".replace("&", "&amp;") in page) is bool(results)
        assert ("Saved results also of nDCG@10." in page) is bool(results)
    # Nobody misses scores that are withdrawn.
    for row in campaign("matrix", "list", TASK, "--measure", "P@5", "--format", "json").json[
        "matrices"
    ]:
        campaign("matrix", "withdraw", str(row["matrix"]), "--reason", "a slip")
    done = campaign(*html, "--output", file, "--force", "--format", "json")
    assert (done.json["measures_of_results"], done.json["other_measures"]) == (["nDCG@10"], [])


@pytest.mark.long
def test_pages_and_saved_results_have_the_caveats_of_the_terminal(roundbook, tmp_path):
    draw, hard = (
        np.random.default_rng(8).normal,
        np.random.default_rng(9).uniform(0.3, 0.7, (60, 1)),
    )
    teams = tmp_path / "teams.csv"
    rows = [f"run{i},team {i},{'yes' if i < 6 else 'no'}" for i in range(8)]
    teams.write_text("\n".join(["run,team,contributed_to_pool", *rows, ""]), "utf-8")
    for label, spread, options in (("a", 0.03, ("--teams", teams)), ("b", 0.06, ())):
        file = tmp_path / f"{label}.csv"
        file.write_text(wide(hard + draw(0, spread, (60, 8))), "utf-8")
        done = roundbook("log", "t", label, file, *AP, "--create", *options)
        assert done.code == 0, done
    assert roundbook("drift", "t", *AP, "--save").code == 0
    plan = ("plan", "save", "next", "--task", "t", *AP, "--m", "10", "--min-d", "0.1")
    assert roundbook(*plan, "--design", "tukey").code == 0
    note = "those of 'b' on all 8 runs: part of what moved may be that choice."
    disagree = "The rounds disagree about the two-way variance"
    assert note in " ".join(roundbook("report", "show", "t/drift-1").out.split())
    assert disagree in " ".join(roundbook("plan", "show", "next").out.split())
    file = tmp_path / "t.html"
    written = roundbook("report", "html", "t", "--output", file, "--format", "json")
    assert written.json["pages"] == ["The task", "a", "b", "Drift", "t/drift-1", "next"]
    page = Parsed(file.read_text("utf-8"))
    # On the task's page, the page of drift and that of the saved report.
    assert "".join(page.text).count(note) == 3
    # On the task's page, and beside the saved plan's table, not in the paragraph alone.
    assert sum(text.startswith(disagree) for text in page.text) == 2


@pytest.mark.long
def test_reports_are_of_the_assessments_that_are_named(campaign, tmp_path):
    file, tables = tmp_path / "crowd.csv", tmp_path / "tables"
    crowd = ("--assessments", "crowd")
    rng = np.random.default_rng(7)
    for label in ("2024", "2025"):
        file.write_text(wide(rng.random((8, 3)).round(3), runs="xyz"))
        assert campaign("log", TASK, label, file, *AP, *crowd).code == 0
    page = tmp_path / "task.html"
    html, latex = (("report", kind, TASK, "--output") for kind in ("html", "latex"))
    # Unless they are named, the report says why it has no variances.
    unnamed = campaign(*html, page, "--format", "json")
    assert unnamed.json["left_out"]["Drift"].endswith("(crowd, official), which are never mixed.")
    assert (
        "Note: without scores of The task, scores of 2024, scores of 2025: AP is recorded under several"
        " assessments (crowd, official), which are never mixed; name one with --assessments.\n"
    ) in unnamed.err
    of_round = campaign(*html[:3], "2024", "--output", tmp_path / "2024.html")
    assert "Note: without scores of 2024: AP is recorded under several assessments" in of_round.err
    written = campaign(*html, page, "--force", *crowd, "--format", "json").json
    assert (written["assessments"], written["pages"][:5]) == (
        "crowd",
        ["The task", "2024", "2025", "2026", "Drift"],
    )
    text = " ".join("".join(Parsed(page.read_text("utf-8")).text).split())
    assert "AP, raw scale, crowd assessments. As the record stood" in text
    history = campaign("variance", "show", TASK, *AP, *crowd, "--format", "json").json
    assert [row["round"] for row in history["rounds"]] == ["2024", "2025"]
    for row in history["rounds"]:
        assert f"{row['variance']:.4f}".removeprefix("0") in text
    assert f"Pooled over 2 rounds by dof: {history['pooled']['variance']:.5f}"[-5:] in text
    assert "This round has no AP scores under 'crowd' assessments that stand." in text
    assert "2024 to 2025: AP" in text
    assert "recorded under several" not in text

    # The tables are of the latest round that has such scores.
    done = campaign(*latex, tables, *crowd, "--m", "10", "--min-d", "0.1", "--format", "json").json
    assert (done["round"], done["left_out"]) == ("2025", {})
    made = {one.stem: one.read_text("utf-8") for one in tables.iterdir()}
    assert f"pooled & 8 & - & - & {history['pooled']['variance']:.5f}" in made["variances"]
    plan = ("plan", "--task", TASK, *AP, *crowd, "--m", "10", "--min-d", "0.1")
    (cell,) = campaign(*plan, "--format", "json").json["cells"]
    assert f"10 & 0.100 & {cell['topics']} & " in made["sizes"]
    factors = campaign("factors", "show", TASK, "2025", *AP, *crowd, "--format", "json").json
    for row in factors["factors"]:
        assert f"{row['topic']} & {row['mean']:.4f} & {row['sd']:.4f} & 3 " in made["factors"]
    ranking = campaign("rank", TASK, "2025", *AP, *crowd, "--format", "json").json["ranking"]
    assert all(f"{row['run']} & {row['mean_a']:.4f} & " in made["ranking"] for row in ranking)
    # Not of one that has them of another measure alone, in which the pages are of this one too.
    words = ("log", TASK, "2026", file, "--measure", "P@5", *crowd)
    assert campaign(*words).code == 0
    again = (*latex, tables, "--force", *crowd, *AP, "--format", "json")
    assert campaign(*again).json["round"] == "2025"
    assert campaign(*html, page, "--force", *crowd, *AP).code == 0
    text = " ".join("".join(Parsed(page.read_text("utf-8")).text).split())
    assert "This round has no AP scores under 'crowd' assessments that stand." in text
    for report, where in ((html, page), (latex, tables)):
        refused = campaign(*report, where, "--force", "--assessments", "crwod").refusal()
        assert "This task has no assessments 'crwod' of AP; it has crowd, official" in refused


def test_what_html_refuses(campaign, tmp_path):
    def refusal(*words):
        return campaign("report", "html", *words, "--output", tmp_path / "x.html").refusal()

    assert "There is no task 'nothing'" in refusal("nothing")
    assert "has no round '1999'" in refusal(TASK, "1999")
    assert "has nothing for measure 'P'" in refusal(TASK, "--measure", "P")
    campaign("task", "create", "empty")
    assert "Task 'empty' has no scores to report. Log a round with" in refusal("empty")
    assert not (tmp_path / "x.html").exists()
    missing = tmp_path / "nowhere" / "x.html"
    assert (
        "there is no directory" in campaign("report", "html", TASK, "--output", missing).refusal()
    )


def check_latex(text):
    """Check that braces and environments close, and that each row has a cell a column."""
    plain = re.sub(r"\\[{}\\]", "", text)
    assert plain.count("{") == plain.count("}")
    for name in ("table", "tabular", "longtable"):
        assert text.count(f"\\begin{{{name}}}") == text.count(f"\\end{{{name}}}")
    assert all(ord(mark) < 128 for mark in text)
    for kind, columns, body in re.findall(
        r"\\begin\{(tabular|longtable)\}\{([lr]+)\}(.*?)\\end\{\1\}", text, re.DOTALL
    ):
        table = body.split("\\toprule\n", 1)[1] if kind == "longtable" else body
        rows = [line for line in table.splitlines() if line.endswith(r" \\")]
        assert len(rows) > 1
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1, row


def compile_latex(file):
    """Compile tables as a paper has them, where LaTeX is installed."""
    program = shutil.which("pdflatex")
    if program is None:
        return
    preamble = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs,longtable}"
    paper = file.with_name("paper.tex")
    paper.write_text(f"{preamble}\\begin{{document}}\\input{{{file.stem}}}\\end{{document}}")
    words = [program, "-draftmode", "-interaction=nonstopmode", "-halt-on-error", paper.name]
    done = subprocess.run(words, cwd=file.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "Overfull" not in done.stdout


def test_the_sizes_of_a_saved_plan(campaign, tmp_path):
    file = tmp_path / "paper.tex"
    grid = ("--m", "10", "--m", "20", "--min-d", "0.15", "--design", "tukey")
    cells = campaign("plan", "--task", TASK, *AP, *grid, "--format", "json").json["cells"]
    campaign("plan", "save", "taken", "--task", TASK, *AP, *grid)
    rows = [f"{cell['m']} & 0.150 & {cell['topics']} & " for cell in cells]
    words = ("report", "latex", TASK, "--output", file, "--plan", "taken")
    done = campaign(*words)
    assert "stale" not in done.err
    text = file.read_text("utf-8")
    check_latex(text)
    compile_latex(file)
    assert "\\caption{The topic set was designed for a Tukey HSD test with alpha = 0.05" in text
    assert all(row in text for row in rows)

    scores = campaign("matrix", "export", "3").out
    (tmp_path / "2026.csv").write_text(scores.replace(",0.", ",1."), "utf-8")
    campaign("log", TASK, "2026", tmp_path / "2026.csv", *AP, "--revise", "wrong assessments")
    done = campaign(*words, "--force")
    assert all(row in file.read_text("utf-8") for row in rows)
    assert "Note: plan 'taken' is stale; its sizes are those it was saved with." in done.err
    assert "To renew the plan: roundbook result renew taken" in done.err
    written = campaign(*words, "--force", "--format", "json").json
    assert (written["plan"], written["plan_version"], written["plan_stale"]) == ("taken", 1, True)
    of_task = campaign("result", "renew", TASK).refusal()
    assert f"'{TASK}'; it is the name of a task" in of_task
    assert f"result renew '{TASK}' --stale" in of_task
    assert "did you mean 'taken'?" in campaign("result", "renew", "takne").refusal()
    assert campaign("result", "renew", "taken").code == 0
    written = campaign(*words, "--force", "--format", "json").json
    assert (written["plan_version"], written["plan_stale"], written["measure"]) == (2, False, "AP")

    assert "plan_measure" not in written
    other = ("--measure", "nDCG@10")
    campaign("log", TASK, "2026", tmp_path / "2026.csv", *other)
    done = campaign(*words, *other, "--force")
    assert "Note: its sizes are by plan 'taken', which is of AP." in done.err

    refused = campaign(*words[:-1], "tken", "--force").refusal()
    assert f"Task '{TASK}' has no saved plan 'tken'" in refused
    assert "roundbook result list" in refused
    refused = campaign(*words, "--m", "5", "--force")
    assert (refused.code, "has its own m and min_d" in refused.err) == (2, True)
    file.unlink()
    variance = ("--value", "0.05", "--runs", "9", "--topics", "50", "--source", "a paper")
    campaign("variance", "record", "old", "1", *AP, *variance, "--create")
    other = campaign("report", "latex", "old", "--output", file, "--plan", "taken").refusal()
    assert "Task 'old' has no saved plan 'taken'" in other
    campaign("plan", "save", "free", "--variance", "0.05", "--m", "5", "--min-d", "0.1")
    free = campaign(*words[:-1], "free", "--force").refusal()
    assert f"Task '{TASK}' has no saved plan 'free'" in free
    assert not file.exists()


def test_the_tables_of_a_paper(campaign, tmp_path):
    tables = tmp_path / "tables"
    words = ("report", "latex", TASK, "--output", tables)
    written = campaign(*words, "--m", "10", "--min-d", "0.1", "--format", "json").json
    assert written | {"report": ""} == {
        "report": "",
        "task": TASK,
        "round": "2026",
        "measure": "AP",
        "tables": ["variances", "sizes", "factors", "ranking"],
        "draft": True,
        "left_out": {},
        "other_measures": [],
        "plan": None,
        "plan_version": None,
        "plan_stale": None,
    }
    text = {file.stem: file.read_text("utf-8") for file in tables.iterdir()}
    assert sorted(text) == sorted(written["tables"])
    for table in text.values():
        check_latex(table)
        assert table.count("\\caption{") == 1
    # The numbers are those of the terminal, the captions say what they rest on.
    history = campaign("variance", "show", TASK, *AP, "--format", "json").json
    for row in history["rounds"]:
        assert f"{row['round']} & {TOPICS} & 4 & 4 & {row['variance']:.5f} & " in text["variances"]
    assert f"pooled & {TOPICS} & - & - & {history['pooled']['variance']:.5f}" in text["variances"]
    assert "Intervals are for other systems on other topics like these" in text["variances"]
    plan = campaign("plan", "--task", TASK, *AP, "--m", "10", "--min-d", "0.1", "--format", "json")
    (cell,) = plan.json["cells"]
    assert f"10 & 0.100 & {cell['topics']} & " in text["sizes"]
    assert "The plan assumes runs on topics of their own each" in text["sizes"]
    assert "The design needs" not in text["sizes"]
    # Nobody took these sizes, and a caption gives no advice.
    assert "\\caption{Topics that a next round would need by a one-way ANOVA with" in text["sizes"]
    assert "designed" not in text["sizes"]
    assert "Take " not in text["sizes"]
    factors = campaign("factors", "show", TASK, "2026", *AP, "--format", "json").json["factors"]
    for row in factors:
        assert f"{row['topic']} & {row['mean']:.4f} & {row['sd']:.4f} & 4 \\\\" in text["factors"]
    assert "factor version 1 (of 1)" in text["factors"]
    ranking = campaign("rank", TASK, "2026", *AP, "--format", "json").json
    for row in ranking["ranking"]:
        line = f"{escaped(row['run'])} & {row['mean_a']:.4f} & {row['rank_a']:.1f} & "
        assert line in text["ranking"]
    assert "2,000 resampled topic sets" in text["ranking"]
    assert escaped(NAMES[2]) == r"\textasciitilde{}x\textasciicircum{}2\{y\}\textbackslash{}z"
    # A directory that holds something else is not replaced.
    assert "--force" in campaign(*words).refusal()
    assert campaign(*words, "--force").code == 0
    (tables / "mine.txt").write_text("")
    assert "this directory also holds mine.txt" in campaign(*words, "--force").refusal()

    # One file has all of them, of the round that is named.
    file = tmp_path / "all.tex"
    done = campaign("report", "latex", TASK, " 2024 ", "--output", file)
    assert done.code == 0
    assert "Note: round '2024' is a draft" in done.err
    check_latex(file.read_text("utf-8"))
    compile_latex(file)
    assert file.read_text("utf-8").count("\\caption{") == 4
    wrong = campaign("report", "latex", TASK, "--output", tmp_path / "tables.pdf").refusal()
    assert "a file that ends in .tex, or to a directory" in wrong
    campaign("task", "create", "without rounds")
    of_none = campaign("report", "latex", "without rounds", *AP, "--output", tmp_path / "none")
    assert "Task 'without rounds' has no scores to report. Log a round with" in of_none.refusal()
    # What cannot be made is said; published variances have no scores to rank.
    campaign("variance", "record", "old", "1", *AP, "--value", "0.05", "--runs", "10", "--topics",
             "50", "--source", "a paper", "--create")  # fmt: skip
    old = campaign("report", "latex", "old", *AP, "--output", tmp_path / "old", "--format", "json")
    assert old.json["tables"] == ["variances", "sizes"]
    assert list(old.json["left_out"]) == ["factors", "ranking"]
    assert "no logged scores" in old.json["left_out"]["ranking"]


def test_long_tables_take_several_pages(roundbook, tmp_path):
    file = tmp_path / "s.csv"
    rows = [f"t{number},{number / 50},{number / 60},0.1" for number in range(40)]
    file.write_text("\n".join(["topic,a,b,c", *rows, ""]))
    roundbook("log", "t", "1", file, *AP, "--create")
    roundbook("report", "latex", "t", "--output", tmp_path / "t.tex")
    text = (tmp_path / "t.tex").read_text()
    check_latex(text)
    compile_latex(tmp_path / "t.tex")
    assert text.count("\\begin{longtable}") == 1
    # Where no measure is asked for, the others are named.
    roundbook("log", "t", "1", file, "--measure", "P@5")
    for asked, noted in (((), True), (AP, False)):
        done = roundbook("report", "latex", "t", "--output", tmp_path / "t.tex", "--force", *asked)
        assert ("Note: it is of AP alone, and not of P@5." in done.err) is noted
    assert text.count("\\toprule\nTopic & Mean & sd & Runs \\\\\n\\midrule\n\\end") == 2


def test_a_bundle_to_deposit(campaign, tmp_path):
    words = ("report", "datacite", TASK, "--output")
    refused = campaign(*words, tmp_path / "b").refusal()
    assert "(2024, 2025, 2026: not published)" in refused
    assert f"roundbook round publish '{TASK}' 2024" in refused
    published = {
        label: campaign("round", "publish", TASK, label, "--format", "json").json["fingerprint"]
        for label in ("2024", "2025", "2026")
    }
    campaign("round", "set", TASK, "2024", "--held", "2024-11-20", "--collection", "CORD-19")
    # Rounds that have no scores cannot be published, nor are they scores to deposit.
    variance = ("--value", "0.05", "--runs", "9", "--topics", "50", "--source", "a paper")
    campaign("variance", "record", TASK, "2019", *AP, *variance, "--create")
    retracted = tmp_path / "2020.csv"
    retracted.write_text("topic,a,b\n1,0.1,0.2\n2,0.3,0.9\n")
    matrix = campaign("log", TASK, "2020", retracted, *AP, "--create", "--format", "json").json
    campaign("matrix", "withdraw", str(matrix["matrix"]), "--reason", "wrong task")
    assert not (tmp_path / "b").exists()

    # Of what nobody says, nothing is invented.
    bare = campaign(*words, tmp_path / "b", "--format", "json").json
    assert bare["unknown"] == ["creator", "publisher", "year", "doi"]
    assert bare["files"] == ["archive.zip", "CITATION.cff", "datacite.json"]
    assert {row["round"]: row["fingerprint"] for row in bare["rounds"]} == published
    described = json.loads((tmp_path / "b" / "datacite.json").read_text("utf-8"))
    assert described["creators"] == [{"name": ":unkn"}]
    assert described["publisher"] == {"name": ":unkn"}
    assert not {"publicationYear", "doi", "rightsList"} & set(described)
    assert described["titles"] == [{"title": TASK}]
    archive = (tmp_path / "b" / "archive.zip").read_bytes()
    assert hashlib.sha256(archive).hexdigest() == bare["sha256"]
    assert len(archive) == bare["archive_bytes"]

    # It is the archive that 'export' writes, and can be imported.
    other = tmp_path / "other.zip"
    campaign("export", other, "--task", TASK)
    assert other.read_bytes() == archive

    options = ("--title", "Ad hoc: scores “2024”", "--creator", "Moffat, Alistair", "--creator",
            "NII", "--publisher", "Zenodo", "--year", "2026", "--doi", "10.5281/zenodo.1")  # fmt: skip
    packed = tmp_path / "b.zip"
    full = campaign(*words, packed, *options, "--format", "json").json
    assert full["unknown"] == []
    with ZipFile(packed) as bundle:
        assert sorted(bundle.namelist()) == ["CITATION.cff", "archive.zip", "datacite.json"]
        assert bundle.read("archive.zip") == archive
        described = json.loads(bundle.read("datacite.json"))
        cited = yaml.safe_load(io.BytesIO(bundle.read("CITATION.cff")))
    # The mandatory fields of DataCite's kernel 4, and the fingerprints.
    assert described["schemaVersion"] == "http://datacite.org/schema/kernel-4"
    assert described["types"]["resourceTypeGeneral"] == "Dataset"
    assert described["titles"] == [{"title": "Ad hoc: scores “2024”"}]
    assert described["creators"] == [
        {
            "name": "Moffat, Alistair",
            "nameType": "Personal",
            "givenName": "Alistair",
            "familyName": "Moffat",
        },
        {"name": "NII", "nameType": "Organizational"},
    ]
    assert described["publisher"] == {"name": "Zenodo"}
    assert (described["publicationYear"], described["doi"]) == ("2026", "10.5281/zenodo.1")
    assert (described["prefix"], described["suffix"]) == ("10.5281", "zenodo.1")
    assert {
        row["alternateIdentifierType"].removeprefix("Roundbook fingerprint of round "): row[
            "alternateIdentifier"
        ]
        for row in described["alternateIdentifiers"]
    } == published
    assert described["dates"] == [
        {"date": "2024-11-20", "dateType": "Collected", "dateInformation": "Round 2024 was held."}
    ]
    abstract, technical = described["descriptions"]
    assert (
        "5 rounds (2024, 2025, 2026, 2019, 2020) in AP: 4 matrices, 100 scores, every revision counted,"
        in abstract["description"]
    )
    assert "relevance assessments" not in abstract["description"]
    assert full["sha256"] in technical["description"]
    assert "CORD-19" in technical["description"]
    # The Citation File Format's required fields.
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "dataset")
    assert cited["title"] == "Ad hoc: scores “2024”"
    assert cited["message"]
    assert cited["authors"] == [
        {"family-names": "Moffat", "given-names": "Alistair"},
        {"name": "NII"},
    ]
    assert cited["doi"] == "10.5281/zenodo.1"
    assert [row["value"] for row in cited["identifiers"]] == [
        f"sha256:{digest}" for digest in published.values()
    ]

    # The same again is the same bytes; nothing else is overwritten.
    before = packed.read_bytes()
    assert "--force" in campaign(*words, packed).refusal()
    assert campaign(*words, packed, *options, "--force").code == 0
    assert packed.read_bytes() == before
    assert "--force" in campaign(*words, tmp_path / "b").refusal()
    assert "no file that such a command wrote" in campaign(*words, other, "--force").refusal()
    assert other.read_bytes() == archive
    (tmp_path / "b" / "notes.md").write_text("mine")
    assert "also holds notes.md" in campaign(*words, tmp_path / "b", "--force").refusal()
    assert "ends in .zip, or a directory" in campaign(*words, tmp_path / "b.tar").refusal()
    assert campaign(*words, tmp_path / "c", "--doi", "doi:10.1/x").code == 2
    assert campaign(*words, tmp_path / "c", "--year", "26").code == 2

    # A round that was corrected since is said to be.
    corrected = tmp_path / "2026.csv"
    scores = campaign("matrix", "export", "3").out  # of 2026
    corrected.write_text(scores.replace("t1,0", "t1,1", 1), "utf-8")
    campaign("log", TASK, "2026", corrected, *AP, "--revise", "a wrong topic")
    judged = tmp_path / "2026.qrels"
    judged.write_text("t1 0 d1 1\n", "utf-8")
    campaign("qrels", "log", TASK, "2026", judged)
    done = campaign(*words, tmp_path / "c")
    assert done.code == 0
    assert "Note: round '2026' was corrected after it was published" in done.err
    described = json.loads((tmp_path / "c" / "datacite.json").read_text("utf-8"))
    abstract, technical = described["descriptions"]
    assert "variances, corrections, relevance assessments and saved" in abstract["description"]
    assert published["2026"] in technical["description"]
    assert described["alternateIdentifiers"][2]["alternateIdentifier"] != published["2026"]
