"""The pages on Python and HTTP list what there is, and their examples are valid."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import typer.main

from roundbook.api import ways_out
from roundbook.errors import WayOut
from roundbook.logbook.studies.studies import STUDIES
from roundbook.python.book import Book
from roundbook.use_cases import DOWNLOADS, UPLOADS, USE_CASES
from roundbook_cli.main import app, load_group

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_on_http_lists_every_path_with_its_scope():
    page = (DOCS / "reference/http.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| `((?:GET|POST) /[^`]+)` \| `(\w+)` \|", page, re.MULTILINE))
    posted = UPLOADS.keys() | {name for name, case in USE_CASES.items() if case.changes}
    expected = {
        f"{'POST' if name in posted else 'GET'} /{name.replace('_', '-')}": case.scope
        for name, case in (USE_CASES | UPLOADS | DOWNLOADS).items()
    }
    expected |= {f"GET /study/{name}": "read" for name in STUDIES}
    expected |= {"POST /save/KIND": "log", "POST /import": "admin"}
    assert listed == expected


def test_the_paths_of_what_would_help_are_there():
    page = (DOCS / "reference/http.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `((?:GET|POST) /[^`]+)` ", page, re.MULTILINE))
    listed |= {"GET /jobs/NUMBER", "POST /jobs/study/STUDY", "POST /save/plan"}
    for code, sentence in ways_out._WAYS_OUT.items():
        assert set(re.findall(r"(?:GET|POST) /[\w/-]+", sentence)) <= listed, code
    way_out = WayOut("create the task", {})
    assert ways_out.help_after(way_out) == (
        "GET /api/v1/tasks lists those there are; POST /api/v1/create-task makes one."
    )


def test_every_command_has_a_path_or_a_reason_why_not():
    page = (DOCS / "reference/http.md").read_text("utf-8")
    over_http = re.findall(r"^\| `(?:GET|POST) .* \| (`[^|]+`) \|$", page, re.MULTILINE)
    alone = re.findall(
        r"^\| ([^|]+) \| [^|]+ \|$", page.partition("## In the terminal alone")[2], re.M
    )
    has, has_not = (
        set(re.findall("`([a-z -]+)`", " ".join(cells))) for cells in (over_http, alone)
    )

    def commands(group, *words):
        below = getattr(group, "commands", {})
        if words and (not below or group.invoke_without_command):
            yield " ".join(words)
        for name, command in below.items():
            yield from commands(command if words else load_group(name).commands[name], *words, name)

    assert sorted(has | has_not) == sorted(commands(typer.main.get_command(app)))
    assert has & has_not == set()


def test_the_page_on_pages_has_every_entry_of_their_navigation():
    template = DOCS.parent / "service/roundbook/pages/templates/base.html"
    entries = re.findall(r"\('/[a-z]*', '([A-Z][a-z ]+)', \(", template.read_text(encoding="utf-8"))
    assert len(entries) == 6
    page = (DOCS / "how-to/use-the-pages.md").read_text(encoding="utf-8")
    assert [entry for entry in entries if f"- **{entry}**" not in page] == []


def test_the_page_on_python_lists_every_method_with_its_arguments():
    page = (DOCS / "reference/python.md").read_text("utf-8")
    methods = {
        f"{name}({', '.join(_arguments(method))})"
        for name, method in inspect.getmembers(Book, inspect.isfunction)
        if name[0] != "_"
    }
    assert set(re.findall(r"^\| `(\w+\(.*?\))` \|", page, re.MULTILINE)) == methods


def _arguments(method):
    for parameter in [*inspect.signature(method).parameters.values()][1:]:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            yield "..."
        else:
            yield "*" * (parameter.kind is inspect.Parameter.VAR_POSITIONAL) + parameter.name


def test_the_examples_in_python_are_of_methods_and_keywords_that_there_are():
    page = (DOCS / "how-to/use-from-python.md").read_text("utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        compile(block, "page", "exec")
        for method in re.findall(r"\bbook\.(\w+)\(", block):
            assert hasattr(Book, method), method


def test_the_paths_of_the_examples_in_the_shell_are_there():
    page = (DOCS / "how-to/use-it-over-http.md").read_text("utf-8")
    for path in re.findall(r'"\$ADDRESS/([a-z-]+)[?/"]', page):
        name = path.replace("-", "_")
        assert name in USE_CASES | UPLOADS | DOWNLOADS or name == "save", path
