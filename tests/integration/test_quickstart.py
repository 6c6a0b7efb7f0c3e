"""The commands on the pages do what the pages show, each page in an empty record."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from sqlalchemy import text

import roundbook_cli.main
from roundbook.settings import load_settings

pytestmark = pytest.mark.one_server

ROOT = Path(__file__).parents[2]
DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}:\d{2})?\b")
# Numbers, and the verdicts of drift.
FACT = re.compile(r"-?\d+(?:\.\d+)?|\b[A-Z]{4,}:")


def _load_refresh():
    spec = spec_from_file_location("docs_refresh", ROOT / "docs/refresh.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


refresh = _load_refresh()
PAGES = refresh.pages()


@pytest.fixture
def directory(tmp_path, monkeypatch, address, kept_engines):
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address)
    monkeypatch.setenv("ROUNDBOOK_USER", refresh.USER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(refresh.WIDTH))
    load_settings.cache_clear()
    yield tmp_path
    load_settings.cache_clear()


def facts(printed):
    return FACT.findall(DATE.sub("", printed))


def missing_facts(shown, printed):
    """Return the facts that the page shows and the output lacks, in order."""
    rest = iter(facts(printed))
    return [fact for fact in facts(shown) if fact not in rest]


def play(step, directory, capsys):
    """Write a page's file or run its command; return what it printed and its exit code."""
    if not isinstance(step, refresh.Command):
        name, content = step
        (directory / name).write_text(content, encoding="utf-8")
        return "", 0
    before, _, line = step.line.replace("\\\n", " ").rpartition("| ")
    program, *arguments = shlex.split(line)
    if program != "roundbook":
        return "", subprocess.run([program, *arguments], check=False).returncode
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.stdout, "isatty", lambda: True)
        if before:
            piped = subprocess.run(before, shell=True, capture_output=True, check=True).stdout
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped)))
        code = roundbook_cli.main.run(arguments)
    captured = capsys.readouterr()
    return captured.out + captured.err, code


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_does_what_it_shows(page, directory, capsys):
    for step in refresh.steps(page.read_text(encoding="utf-8")):
        printed, code = play(step, directory, capsys)
        if not isinstance(step, refresh.Command):
            continue
        refused = step.shown.startswith("Error:")
        assert (code != 0) == refused, (step.line, code, printed)
        assert missing_facts(step.shown, printed) == [], (step.line, printed)


def test_the_readme_shows_the_whole_way():
    lines = [
        step.line.split()[1]
        for step in refresh.steps((ROOT / "README.md").read_text(encoding="utf-8"))
        if isinstance(step, refresh.Command)
    ]
    assert lines == ["log", "log", "variance", "plan", "factors", "standardise", "drift"]


def test_the_queries_give_the_rows_shown(directory, capsys, engine):
    for step in refresh.steps((ROOT / "README.md").read_text(encoding="utf-8")):
        play(step, directory, capsys)
    page = (ROOT / "docs/reference/schema.md").read_text(encoding="utf-8")
    queries = re.findall(r"^```sql\n([^`]*)^```\n\n```text\n([^`]*)^```$", page, re.MULTILINE)
    assert len(queries) == 4
    for query, shown in queries:
        header, _, *rows = [
            [cell.strip() for cell in line.split("|")] for line in shown.splitlines()
        ]
        with engine.connect() as connection:
            result = connection.execute(text(query))
            assert list(result.keys()) == header
            assert [[str(cell) for cell in row] for row in result] == rows


def test_a_fact_that_is_not_printed_is_found():
    assert missing_facts("0.5 AGED: 2024-01-01", "0.4 HELD: 0.5") == ["AGED:"]
