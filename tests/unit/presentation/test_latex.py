"""LaTeX tables of whatever names there are."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from roundbook.presentation.latex import escaped, latex
from roundbook.presentation.tables import Column

COLUMNS = [Column("run", "Run"), Column("mean", "Mean")]


@pytest.mark.parametrize("name", ["[1]", "*", "[bm25"])
def test_a_name_at_the_start_of_a_line_is_no_argument_of_the_line_before(name):
    table = latex("Runs", [SimpleNamespace(run=name, mean=1)] * 2, COLUMNS)
    assert table.count(f"\n{{}}{name} & 1 \\\\") == 2
    assert f"\nx & {name} \\\\\n" in latex("", [SimpleNamespace(run="x", mean=name)], COLUMNS)


def test_names_are_printed_as_they_are():
    assert escaped("bm25--rm3 `a`") == r"bm25-{}-rm3 \textasciigrave{}a\textasciigrave{}"
    assert escaped("a---b") == "a-{}-{}-b"
    assert escaped(r"50%_{x}\y") == r"50\%\_\{x\}\textbackslash{}y"
