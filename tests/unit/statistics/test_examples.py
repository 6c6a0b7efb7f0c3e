"""The examples in the docstrings of the statistics."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

from roundbook import statistics

MODULES = [
    module
    for _, name, _ in pkgutil.walk_packages(statistics.__path__, "roundbook.statistics.")
    if ">>> " in Path((module := import_module(name)).__file__).read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples(module):
    tried = doctest.testmod(module)
    assert (tried.failed, tried.attempted > 0) == (0, True)
