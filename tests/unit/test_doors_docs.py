"""The pages on Python and HTTP list what there is, and their examples are valid."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from roundbook.logbook.studies.studies import STUDIES
from roundbook.python.book import Book
from roundbook.use_cases import UPLOADS, USE_CASES

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_on_http_lists_every_path_with_its_scope():
    page = (DOCS / "reference/http.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| `((?:GET|POST) /[^`]+)` \| `(\w+)` \|", page, re.MULTILINE))
    expected = {
        f"{'POST' if case.changes or name in UPLOADS else 'GET'} /{name.replace('_', '-')}": case.scope
        for name, case in (USE_CASES | UPLOADS).items()
    }
    expected |= {f"GET /study/{name}": "read" for name in STUDIES}
    expected |= {"POST /save/KIND": "log", "GET /export": "admin", "POST /import": "admin"}
    assert listed == expected


def test_the_page_on_python_lists_every_method():
    page = (DOCS / "reference/python.md").read_text("utf-8")
    methods = {name for name, _ in inspect.getmembers(Book, inspect.isfunction) if name[0] != "_"}
    assert set(re.findall(r"^\| `(\w+)\(", page, re.MULTILINE)) == methods


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
        assert name in USE_CASES | UPLOADS or name in ("save", "export"), path
