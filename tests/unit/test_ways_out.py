"""What to type after an error: every way out that the library names, the terminal knows."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

from roundbook.api.ways_out import _WAYS_OUT as OVER_HTTP
from roundbook.errors import RoundbookError
from roundbook.pages.ways_out import _WAYS_OUT as ON_PAGES
from roundbook.presentation.terminal import _AFTER
from roundbook.python.ways_out import _WAYS_OUT as IN_PYTHON
from roundbook.statistics.design import inputs
from roundbook_cli.ways_out import _WAYS_OUT, sentence

ROOT = Path(__file__).parents[2]
SERVICE = ROOT / "service/roundbook"
TERMINAL = SERVICE / "presentation/terminal.py"
# The first words of the program's help, but for those that are words of sentences too.
GROUPS = "db|task|log|round|run|qrels|plan|drift|result|study|report|variance|factors|standardise"
TYPED = re.compile(
    rf"\broundbook (?:{GROUPS}|rank|export|import|serve|topic|measure|matrix|token)\b"
)
_CODE = re.compile(r'"([a-z][a-z -]+)"')


def codes():
    """Return every code in an argument `way_out` or a `WayOut`, of which there may be two."""
    codes = {reason.way_out for reason in inputs._REASONS.values() if reason.way_out}
    for path in (*(ROOT / "service").rglob("*.py"), ROOT / "cli/roundbook_cli/serve.py"):
        for line in re.findall(
            r"\b(?:way_out=|WayOut\()([^{,\n]+)", path.read_text(encoding="utf-8")
        ):
            codes |= set(_CODE.findall(line))
    return codes


def test_every_code_has_a_sentence_and_every_sentence_a_code():
    # Those that list a kind of saved result are named after it.
    assert {code for code in _WAYS_OUT if not code.startswith("list ")} <= codes() <= set(_WAYS_OUT)


@pytest.mark.parametrize("sentences", [ON_PAGES, OVER_HTTP, IN_PYTHON])
def test_every_code_of_a_door_is_one_that_an_error_names(sentences):
    # Those that list what there is are the defaults of the look-up.
    assert {code for code in sentences if not code.startswith("list ")} <= codes()


@pytest.mark.parametrize("code", _WAYS_OUT)
def test_a_sentence_ends_in_a_period_or_a_command(code):
    text = _WAYS_OUT[code].replace("{command}", _AFTER.get(code, "{command}"))
    facts = {name for _, name, _, _ in Formatter().parse(text) if name} - {"message"}
    error = RoundbookError("Something is wrong.", way_out=code, **dict.fromkeys(facts, "a b"))
    text = sentence(error)
    assert text.startswith("Something is wrong")
    assert "'a b'" in text or not facts
    last = text.splitlines()[-1]
    assert last.endswith(".") or re.search(r"(: |^  )roundbook |: pip install ", last)
    # A command that is part of a line is quoted, or ends it: a period would be copied with it.
    bare = re.sub(r"'(?:roundbook|pip) [^']*(?:'a b'[^']*)*'", "", text)
    assert not re.search(r"\b(?:roundbook|pip) [a-z].*\.( |$)", bare, re.MULTILINE)


def texts(path):
    """Return the texts of a module but its docstrings, or a whole template."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return [source]
    nodes = list(ast.walk(ast.parse(source)))
    docstrings = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    constants = [node for node in nodes if isinstance(node, ast.Constant)]
    return [
        node.value
        for node in constants
        if isinstance(node.value, str) and id(node) not in docstrings
    ]


def test_commands_of_the_terminal_stand_in_one_module_of_the_service():
    paths = (path for path in SERVICE.rglob("*") if path.suffix in {".py", ".html"})
    commands = {
        (path.name, text)
        for path in paths
        if path != TERMINAL
        for text in texts(path)
        if TYPED.search(text)
    }
    # The heading of what a round's fingerprint is computed from, which no release may change.
    assert commands == {("round_fingerprint.py", "roundbook round")}
