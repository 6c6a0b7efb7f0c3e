"""Tables that are too wide: what wraps, what is left out, what becomes a list."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundbook.presentation.tables import Column, count, number
from roundbook_cli.table_layout import cell_width, lay_out, visible, wrap, wrap_sentence

COLUMNS = (
    Column("name", "Name"),
    number("value", "Value", 5, spare=1),
    Column("interval", "95% interval"),
    count("left", "Topics left", spare=2),
    Column("why", "Why"),
)
ROW = SimpleNamespace(
    name="first", value=0.25, interval="[0.10000, 0.40000]", left=12, why="scored with other qrels"
)


def test_sentences_wrap_first_then_columns_go_by_what_they_are_worth_then_rows_are_lists():
    assert lay_out([ROW], COLUMNS, 80) == [
        "Name      Value   95% interval         Topics left   Why                    ",
        "────────────────────────────────────────────────────────────────────────────",
        "first   0.25000   [0.10000, 0.40000]            12   scored with other qrels",
    ]
    assert lay_out([ROW], COLUMNS, 66) == [
        "                                       Topics                     ",
        "Name      Value   95% interval           left   Why               ",
        "──────────────────────────────────────────────────────────────────",
        "first   0.25000   [0.10000, 0.40000]       12   scored with other ",
        "                                                qrels             ",
    ]
    assert lay_out([ROW], COLUMNS, 50) == [
        "Name    95% interval         Why                  ",
        "──────────────────────────────────────────────────",
        "first   [0.10000, 0.40000]   scored with other    ",
        "                             qrels                ",
        "Left out, as 50 columns are too few: Value, Topics",
        "left. For all, make the terminal 60 columns wide",
        "or add --format json.",
    ]
    assert lay_out([ROW, ROW], COLUMNS, 36)[:8] == [
        "Name           first",
        "Value          0.25000",
        "95% interval   [0.10000, 0.40000]",
        "Topics left    12",
        "Why            scored with other",
        "               qrels",
        "",
        "Name           first",
    ]
    below = (*COLUMNS[:3], Column("left", "Topics left", spare=2, below=True), COLUMNS[4])
    assert lay_out([ROW], below, 58) == [
        "Name      Value   95% interval         Why                ",
        "──────────────────────────────────────────────────────────",
        "first   0.25000   [0.10000, 0.40000]   scored with other  ",
        "                                       qrels              ",
        "   Topics left: 12",
    ]
    # What stands below takes no width.
    assert lay_out([ROW], below, 50)[-4:] == [
        "   Topics left: 12",
        "Left out, as 50 columns are too few: Value. For",
        "all, make the terminal 51 columns wide or add",
        "--format json.",
    ]
    # Nothing is left out where there is no terminal, however wide the table.
    complete = lay_out([ROW], COLUMNS, 36, complete=True)
    assert " ".join(complete).split() == [
        *("Topics", "Name", "Value", "95%", "interval", "left", "Why"),
        complete[2],
        *("first", "0.25000", "[0.10000,", "0.40000]", "12", "scored", "with", "other", "qrels"),
    ]


def test_a_long_heading_takes_the_room_there_is():
    columns = (COLUMNS[0], Column("why", "Score matrices (topics x runs)"))
    assert lay_out([SimpleNamespace(name="first", why="AP 50 x 40")], columns, 34) == [
        "        Score matrices (topics x  ",
        "Name    runs)                     ",
        "──────────────────────────────────",
        "first   AP 50 x 40                ",
    ]


def test_a_name_that_nothing_holds_stays_whole():
    row = SimpleNamespace(name="n" * 40, left=12)
    columns = (Column("name", "Name"), count("left", "Topics left"))
    assert lay_out([row], columns, 42) == ["Name", "  " + "n" * 40, "Topics left   12"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("between [0.1, 0.2] and", ["between", "[0.1, 0.2]", "and"]),
        ("AP 12 x 4; nDCG@10 12 x 4", ["AP 12 x 4;", "nDCG@10 12 x 4"]),
        ("matrix of 12 x 4", ["matrix of", "12 x 4"]),
        ("it moved by -0.1 to +0.2", ["it moved by", "-0.1 to +0.2"]),
        ("at 2026-11-22 10:00", ["at", "2026-11-22 10:00"]),
        ("a\nb", ["a", "b"]),
        ("", [""]),
    ],
)
def test_what_is_one_thing_stays_on_a_line(text, lines):
    assert wrap(text, 12) == lines


def test_what_would_steer_the_terminal_is_shown_instead():
    assert visible("a\x1b[31mb\tc\u202ed\ne é") == "a\\x1b[31mb\\tc\\u202ed\ne é"


words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=30)


@settings(max_examples=30)
@given(st.lists(st.lists(words, min_size=1, max_size=6).map(" ".join), min_size=5, max_size=5))
def test_no_word_is_parted_and_no_line_too_long(cells):
    row = SimpleNamespace(**dict(zip("abcde", cells, strict=True)))
    columns = [Column(name, name.upper(), spare=index) for index, name in enumerate("abcde")]
    lines = lay_out([row], columns, 80)
    assert max(map(cell_width, lines)) <= 80
    printed = " ".join(lines).split()
    shown = [column.field for column in columns if column.heading in " ".join(lines[:1]).split()]
    kept = shown if "─" in lines[1] else "abcde"
    assert all(word in printed for name in kept for word in getattr(row, name).split())


def test_a_command_is_never_parted():
    command = "roundbook factors fit covid round1 --measure nDCG@10 --runs all --reason REASON"
    assert wrap_sentence(f"To fit them on it: {command}", 40) == [
        "To fit them on it:",
        f"  {command}",
    ]
    assert wrap_sentence(f"  {command}", 40) == [f"  {command}"]
    assert wrap_sentence("See what 'roundbook task list' shows.", 20) == [
        "See what",
        "'roundbook task list'",
        "shows.",
    ]
    assert wrap_sentence("  plan of topics, by nDCG", 15) == ["  plan of", "  topics, by", "  nDCG"]


def test_tables_beside_each_other_have_the_same_columns():
    rows = [SimpleNamespace(name="a", team="x"), SimpleNamespace(name="a" * 20, team="x")]
    columns = [Column("name", "Name"), Column("team", "Team", spare=1)]
    assert lay_out(rows[:1], columns, 22)[0] == "Name   Team"
    assert lay_out(rows[:1], columns, 22, alike=rows)[0].split() == ["Name"]
