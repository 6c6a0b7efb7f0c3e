"""The commands on the pages do what the pages show, each page in an empty record."""

from __future__ import annotations

import re
import shlex
import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from sqlalchemy import text

import roundbook_cli.main
from roundbook.settings import load_settings

ROOT = Path(__file__).parents[2]
DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
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
def place(tmp_path, monkeypatch, address):
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address)
    monkeypatch.setenv("ROUNDBOOK_USER", refresh.USER)
    monkeypatch.chdir(tmp_path)
    load_settings.cache_clear()
    yield tmp_path
    load_settings.cache_clear()


def facts(said):
    return FACT.findall(DATE.sub("", said))


def missing_facts(shown, said):
    """Return the facts that the page shows and the output lacks, in order."""
    rest = iter(facts(said))
    return [fact for fact in facts(shown) if fact not in rest]


def play(step, place, capsys):
    """Write a page's file or run its command; return what it said and its exit code."""
    if not isinstance(step, refresh.Command):
        name, content = step
        (place / name).write_text(content, encoding="utf-8")
        return "", 0
    program, *arguments = shlex.split(step.line.replace("\\\n", " "))
    if program != "roundbook":
        return "", subprocess.run([program, *arguments], check=False).returncode
    code = roundbook_cli.main.run(arguments)
    said = capsys.readouterr()
    return said.out + said.err, code


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_does_what_it_shows(page, place, capsys):
    for step in refresh.steps(page.read_text(encoding="utf-8")):
        said, code = play(step, place, capsys)
        if not isinstance(step, refresh.Command):
            continue
        refused = step.shown.startswith("Error:")
        assert (code != 0) == refused, (step.line, code, said)
        assert missing_facts(step.shown, said) == [], (step.line, said)


def test_the_readme_shows_the_whole_way():
    lines = [
        step.line.split()[1]
        for step in refresh.steps((ROOT / "README.md").read_text(encoding="utf-8"))
        if isinstance(step, refresh.Command)
    ]
    assert lines == ["log", "log", "variance", "plan", "factors", "standardise", "drift"]


def test_the_queries_give_the_rows_shown(place, capsys, engine):
    for step in refresh.steps((ROOT / "README.md").read_text(encoding="utf-8")):
        play(step, place, capsys)
    page = (ROOT / "docs/reference/schema.md").read_text(encoding="utf-8")
    queries = re.findall(
        r"^```sql\n(.*?)^```\n\n```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE
    )
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
