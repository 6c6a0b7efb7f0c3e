"""Errors carry as facts the names and numbers that their sentences interpolate."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from roundbook import errors, logbook

LOGBOOK = Path(logbook.__file__).parent
# By module, or by module and function: why an error there carries nothing but its sentence.
WITHOUT_FACTS = {
    "atomic_files.py": "paths of the machine are no facts, since facts reach others over HTTP",
    "names.py:check_name": "a name that cannot be printed is not repeated, only what it was to name",
    "names.py:check_text": "a text that is too long is not repeated, only what it was to be",
    "names.py:_distinct": "it says of which names two are one, and not which",
}
# By function that makes errors, or class: the facts that it adds itself.
WITH_OWN_FACTS = {
    "MissingExtraError": "extra",
    "not_empty_error": "task and round",
    "_other_software": "software and version",
    "unreadable": "reason",
}


def interpolates(argument):
    return any(isinstance(part, ast.FormattedValue) for part in ast.walk(argument))


def lacks_facts(call):
    """Return whether a call makes an error whose sentence has values that it does not pass."""
    return any(map(interpolates, call.args)) and not any(
        keyword.arg != "way_out" for keyword in call.keywords
    )


def makers(function):
    """Return the calls by which a function makes errors of Roundbook's, raised or returned."""
    raised = [node.exc for node in ast.walk(function) if isinstance(node, ast.Raise)]
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            kind = getattr(errors, name, None)
            of_python = name[:1].isupper() and kind is None
            if (kind is not None or node in raised) and not of_python:
                yield name, node


def without_facts(source, module):
    """Return what makes errors without facts: module and function, line and maker."""
    return {
        f"{module}:{function.name}": (call.lineno, name)
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        for name, call in makers(function)
        if lacks_facts(call) and name not in WITH_OWN_FACTS
    }


def test_errors_of_the_logbook_carry_what_their_sentences_interpolate():
    lacking = {}
    for path in sorted(LOGBOOK.rglob("*.py")):
        module = path.relative_to(LOGBOOK).as_posix()
        if module not in WITHOUT_FACTS:
            lacking |= without_facts(path.read_text(encoding="utf-8"), module)
    unexplained = {name: lacking[name] for name in lacking if name not in WITHOUT_FACTS}
    assert unexplained == {}
    # What needs no reason any more is taken from the list.
    assert {name for name in WITHOUT_FACTS if ":" in name} <= lacking.keys()


@pytest.mark.parametrize(
    ("statement", "lacks"),
    [
        ("raise InputError(f'no {name}')", True),
        ("raise InputError(f'no {name}', way_out='list tasks')", True),
        ("return NotRecordedError('no task' + (f' {name}' if name else ''))", True),
        ("raise _refused(row, f'no {name}')", True),
        ("raise InputError(f'no {name}', task=name)", False),
        ("raise InputError(f'no {name}', **facts)", False),
        ("raise InputError('no name')", False),
        ("raise ValueError(f'no {name}')", False),
        ("raise MissingExtraError(f'no {name}', 'charts')", False),
    ],
)
def test_an_error_without_what_its_sentence_interpolates_is_found(statement, lacks):
    source = f"def find(name):\n    {statement}\n"
    assert ("x.py:find" in without_facts(source, "x.py")) is lacks
