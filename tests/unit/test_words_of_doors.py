"""The words that each door has for names in backticks."""

from __future__ import annotations

import ast
import inspect
import re
from types import SimpleNamespace

import pytest

from roundbook.logbook.drift.report import DriftReport
from roundbook.presentation.phrases import with_words
from roundbook.python.book import Book
from roundbook.python.ways_out import in_python
from roundbook_cli.drift_commands import _OPTIONS

REPORT = SimpleNamespace(task="it's", measure="AP")


def test_names_without_a_word_stay():
    assert with_words("`a`, `b` and `a b`", {"a": "--a"}) == "--a, `b` and `a b`"


@pytest.mark.parametrize("name", sorted(_OPTIONS))
def test_python_has_a_word_wherever_the_terminal_has_one(name):
    word = in_python(f"`{name}`", REPORT)
    if word.startswith("book."):
        call = ast.parse(word, mode="eval").body
        keywords = {keyword.arg: None for keyword in call.keywords}
        method = getattr(Book, call.func.attr)
        bound = inspect.signature(method).bind("book", *call.args, **keywords)
        assert ast.literal_eval(bound.arguments["task"]) == "it's"
    elif word.startswith("report."):
        assert word.removeprefix("report.") in DriftReport.model_fields
    else:
        assert re.fullmatch(r"\w+=\.\.\.", word)
