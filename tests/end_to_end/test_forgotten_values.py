"""An option whose value was forgotten never takes the next one for it; none is given twice."""

from __future__ import annotations

import pytest
from tests.savepoints import prepared

pytestmark = pytest.mark.one_server

GOOD = "topic,a,b\n1,.1,.2\n2,.3,.9\n"
CORRECTED = GOOD.replace(".9", ".8")


@prepared
def logged(roundbook, write):
    path = write(GOOD)
    assert roundbook("log", "t", "r", path, "--measure", "AP", "--create").code == 0
    return write(CORRECTED, "corrected.csv")


def sentence(outcome):
    """Return what the usage error says, out of its box and on one line."""
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    return " ".join(outcome.err.translate(str.maketrans("│╭╮╰╯─", "      ")).split())


def test_a_forgotten_reason_is_not_the_next_option(roundbook, logged, snapshot):
    before = snapshot()
    words = ("log", "t", "r", logged, "--measure", "AP", "--revise")
    for option in ("--dry-run", "-h", "--", "--no-such-option"):
        refusal = sentence(roundbook(*words, option))
        assert (
            f"--revise needs its REASON, but '{option}' after it looks like an option; put the"
            " REASON between the two"
        ) in refusal
    assert snapshot() == before
    dry = roundbook(*words, "typed -h, not --help", "--dry-run")
    assert "Dry run: nothing was written.\n" in dry.err
    assert snapshot() == before


FORGOTTEN = [
    ("log t r {} --measure", "M", "--create"),
    ("log t r {} --measure AP --assessments", "LABEL", "--create"),
    ("log t r {} --measure AP --tool", "TEXT", "--dry-run"),
    ("log t r {} --measure AP --teams", "CSV", "--dry-run"),
    ("task create u --title", "value", "--format"),
    ("round create t s --collection", "NAME", "--create"),
    ("round publish t r --reason", "TEXT", "--format"),
    ("matrix withdraw 1 --reason", "TEXT", "--format"),
    ("factors fit t r --measure AP --reason", "TEXT", "--runs"),
    (
        "variance record t r --measure RR --value .1 --runs 9 --topics 9 --source",
        "TEXT",
        "--create",
    ),
    ("plan save p --variance 0.1 --m 5 --note", "TEXT", "--format"),
    ("db backup {}.dump --database", "URL", "--force"),
    ("events --who", "NAME", "--format"),
]


@pytest.mark.long
@pytest.mark.parametrize(("words", "what", "option"), FORGOTTEN)
def test_of_every_command_that_opens_a_record(roundbook, logged, snapshot, words, what, option):
    before = snapshot()
    given = [word.replace("{}", str(logged)) for word in words.split()]
    refusal = sentence(roundbook(*given, option))
    assert f"{given[-1]} needs its {what}, but '{option}' after it looks like an option" in refusal
    assert snapshot() == before


def test_a_value_may_begin_with_dashes_after_an_equals_sign(roundbook, logged):
    roundbook("plan", "save", "p", "--variance", ".1", "--m", "3", "--note=--see minutes")
    assert "Note: --see minutes" in roundbook("plan", "show", "p").out
    refusal = sentence(
        roundbook("plan", "save", "p", "--variance", ".1", "--m", "3", "--note", "--x")
    )
    assert "or write --note='--x'" in refusal


TWICE = [
    ("variance history t --assessments gold --assessments bronze", "--assessments", "LABEL"),
    ("drift t --measure AP --assessments=gold --assessments bronze", "--assessments", "LABEL"),
    ("plan --variance 0.1 --alpha .05 --alpha=.01", "--alpha", "value"),
    ("matrix withdraw 1 --reason one --reason two", "--reason", "TEXT"),
    ("task list --database postgresql://a@b/c --database postgresql://a@b/d", "--database", "URL"),
]


@pytest.mark.parametrize(("words", "option", "what"), TWICE)
def test_what_is_given_once_is_not_given_twice(roundbook, logged, snapshot, words, option, what):
    before = snapshot()
    refusal = sentence(roundbook(*(word.replace("{}", str(logged)) for word in words.split())))
    assert f"{option} is given more than once, and takes one {what} here" in refusal
    assert snapshot() == before


def test_what_may_be_repeated_still_may(roundbook, logged, address):
    gold = ("log", "t", "s", logged, "--measure", "AP", "--create", "--assessments", "gold")
    assert roundbook(*gold).code == 0
    words = ("variance", "show", "t", "--measure", "AP", "--assessments", "gold")
    mixed = roundbook(*words, "--assessments", "official", "--format=json")
    assert [row["assessments"] for row in mixed.json["rounds"]] == ["official", "gold"]
    assert roundbook("--database", "postgresql://a@b/c", *words, "--database", address).code == 0
    assert roundbook("plan", "--variance", ".1", "--m", "3", "--m", "5").code == 0
