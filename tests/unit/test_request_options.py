"""A command's options have default, bounds and help from the fields of its request."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
import typer
from pydantic import Field
from typer.testing import CliRunner

import roundbook_cli
from roundbook.formats.reader import LAYOUTS
from roundbook.requests.base import Request
from roundbook.requests.fields import Layout
from roundbook_cli.request_options import argument, option


class Wanted(Request):
    """What the command below is asked."""

    name: str = Field(description="A name.")
    sizes: tuple[int, ...] = Field((), description="Sizes; repeat.")
    level: float = Field(0.95, ge=0, le=1, description="A level.")
    rate: float | None = Field(None, description="A rate, beside `level`. (default: as `level`)")


def answer(*words):
    given = []

    def command(
        name: str = argument(Wanted, "name", metavar="NAME"),
        sizes: list[int] | None = option(Wanted, "sizes", "--size"),
        level: float = option(Wanted, "level", "--level"),
        rate: float | None = option(Wanted, "rate", "--rate"),
    ):
        given.append((name, sizes, level, rate))

    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, words), given


def test_what_is_left_out_has_the_field_s_default_or_none():
    # A list, and what the help has in words, are the request's to fill in.
    assert answer("n")[1] == [("n", None, 0.95, None)]
    words = ("n", "--size", "3", "--size", "4", "--level", "0.5", "--rate", "0.1")
    assert answer(*words)[1] == [("n", [3, 4], 0.5, 0.1)]


@pytest.mark.parametrize(
    ("words", "sentence"), [((), "Missing argument 'NAME'"), (("n", "--level", "2"), "'--level'")]
)
def test_what_a_field_does_not_take_is_a_usage_error(words, sentence):
    done, _ = answer(*words)
    assert done.exit_code == 2
    assert sentence in done.output


def test_the_help_is_the_field_s():
    done, _ = answer("--help")
    shown = " ".join(done.output.replace("\u2502", "").split())
    assert "A rate, beside --level. (default: as --level)" in shown
    assert "A level. [default: 0.95]" in shown


def test_no_command_has_its_signature_rewritten():
    sources = Path(roundbook_cli.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if "__signature__" in path.read_text()] == []


def test_the_layouts_to_choose_are_those_that_are_read():
    assert get_args(Layout) == ("auto", *LAYOUTS)
