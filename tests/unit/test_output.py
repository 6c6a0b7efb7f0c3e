"""What is printed steers no terminal, and is no formula in a spreadsheet."""

from __future__ import annotations

import json

from roundbook.logbook.result import Result
from roundbook_cli.output import print_csv, print_json, show, talk

STEERING = "a\x1b[31m\x9b1m\u202eb\u2066\x7f"


class _Result(Result):
    name: str


def test_json_and_talk_escape_what_steers_a_terminal(capsys):
    print_json({STEERING: [STEERING]})
    show(_Result(name=STEERING), "json", [], [])
    printed = capsys.readouterr().out
    assert not set(STEERING) - {"a", "[", "3", "1", "m", "b"} & set(printed)
    first, second = printed.split("}\n", 1)
    assert json.loads(first + "}") == {STEERING: [STEERING]}
    assert json.loads(second) == {"name": STEERING}
    talk(STEERING)
    assert capsys.readouterr().err == "a\\x1b[31m\\x9b1m\\u202eb\\u2066\\x7f\n"


def test_csv_has_no_name_that_is_a_formula(capsys):
    print_csv(["name", "value"], [["=1+1", -1.5], ["@a", None], ["'-b", True], ["c=d", 2]])
    assert capsys.readouterr().out.splitlines() == [
        *("name,value", "'=1+1,-1.5", "'@a,", "''-b,True", "c=d,2")
    ]
