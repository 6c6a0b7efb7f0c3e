"""The matrix commands and --anonymous at the terminal: three formats, notes, refusals."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.factories import wide
from tests.savepoints import prepared

from roundbook.logbook.matrices import preparing
from roundbook_cli.main import run

pytestmark = pytest.mark.one_server

SCORES = np.array([[0.1, 0.4, 0.3], [0.2, 0.9, 0.5], [0.0, 0.6, 0.7], [0.35, 0.45, 0.1]])
RUNS = ("alpha", "beta", "gamma")
TEAMS = "run,team,type\nalpha,Aalto,manual\nbeta,Bologna,automatic\n"
SECRETS = (*RUNS, "Aalto", "Bologna", "manual", "automatic")


def table(scores=SCORES):
    return wide(scores, range(len(scores)), RUNS)


@prepared
def logged(roundbook, write):
    """AP of round r1, revised once, with teams."""
    teams = write(TEAMS, "teams.csv")
    words = ("log", "t", "r1", "--measure", "AP", "--teams", teams)
    assert roundbook(*words, write(table()), "--create").code == 0
    changed = SCORES.copy()
    changed[2, 1] = 0.65
    assert roundbook(*words, write(table(changed), "new.csv"), "--revise", "a typo").code == 0
    return roundbook


def numbers(roundbook, *words):
    listed = roundbook("matrix", "list", "t", *words, "--format", "json").json
    return [row["matrix"] for row in listed["matrices"]]


def test_a_correction_of_what_the_person_has_not_seen_is_refused(
    logged, write, committed, monkeypatch
):
    """Between what --revise reads first and the work, another person may come."""
    read, other = preparing.latest_revisions, write(table(SCORES / 2), "other.csv")

    def read_then_wait(session, request):
        seen = read(session, request)
        monkeypatch.undo()
        monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address)
        assert run(["log", "t", "r1", str(other), "--measure", "AP", "--revise", "sooner"]) == 0
        return seen

    address = os.environ["ROUNDBOOK_DATABASE_URL"]
    monkeypatch.setattr(preparing, "latest_revisions", read_then_wait)
    late = logged(
        "log", "t", "r1", write(table(SCORES / 4)), "--measure", "AP", "--revise", "too late"
    )
    assert late.code == 1
    assert "logged revision 3 of AP in round 'r1' while this correction was under way" in late.err
    assert len(numbers(logged, "--all")) == 3


def test_matrix_list_in_three_formats(logged):
    first, second = numbers(logged, "--all")
    assert numbers(logged) == [second]
    rows = logged("matrix", "list", "t", "--all", "--format", "csv").table
    assert [(row["matrix"], row["standing"], row["reason"], row["topics"]) for row in rows] == [
        (str(first), "superseded", "a typo", "4"),
        (str(second), "current", "a typo", "4"),
    ]
    table = logged("matrix", "list", "t", "--all").out
    assert "superseded" in table
    assert "4 x 3" in table
    assert "Status" in table
    for filters in (["--round", "r1"], ["--measure", "ap"], ["--assessments", "official"]):
        assert numbers(logged, *filters) == [second]
    assert "roundbook log t" in logged("matrix", "list", "t", "--assessments", "gold").out
    assert logged("task", "create", "my task").code == 0
    assert "roundbook log 'my task' ROUND" in logged("matrix", "list", "my task").out
    assert "roundbook round list" in logged("matrix", "list", "t", "--round", "no").refusal()


def test_matrix_show_in_three_formats(logged):
    first, second = numbers(logged, "--all")
    shown = logged("matrix", "show", first, "--format", "json").json
    assert (shown["standing"], shown["replaced_by"], shown["why"]) == (
        "superseded",
        second,
        "a typo",
    )
    assert [row["team"] for row in shown["runs"]] == ["Aalto", "Bologna", None]
    rows = logged("matrix", "show", first, "--format", "csv").table
    assert [(row["run"], row["type"]) for row in rows] == [
        ("alpha", "manual"),
        ("beta", "automatic"),
        ("gamma", ""),
    ]
    table = logged("matrix", "show", first).out
    for part in (
        f"Status: superseded by matrix {second}",
        "a typo",
        "4 topics: 0, 1, 2, 3",
        "Bologna",
    ):
        assert part in table
    assert "matrix list" in logged("matrix", "show", 99).refusal()


def test_matrix_history_in_three_formats(logged):
    (number,) = numbers(logged)
    logged("matrix", "withdraw", number, "--reason", "wrong qrels")
    steps = ["logged", "factors fitted", "revised", "factors fitted", "withdrawn"]
    history = logged("matrix", "history", number, "--format", "json").json
    assert [entry["what"] for entry in history["entries"]] == steps
    assert history["entries"][2]["changes"]["cells_changed"] == 1
    assert history["entries"][2]["changes"]["largest_change"] == pytest.approx(0.05)
    rows = logged("matrix", "history", number, "--format", "csv").table
    assert [row["what"] for row in rows] == steps
    assert rows[2]["changes"] == "1 of 12 scores changed, by up to 0.05 (topic 2, run beta)"
    table = logged("matrix", "history", number).out
    assert f"Revision 2: {rows[2]['changes']}" in table
    assert "wrong qrels" in table


def test_a_reason_that_is_not_recorded_is_told(logged):
    (number,) = numbers(logged)
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    for verb, standing, before in (
        ("restore", "counts", ""),
        ("withdraw", "is withdrawn", f", since {day}"),
        ("restore", "counts", f", since {day}"),
    ):
        words = ("matrix", verb, number, "--format", "json", "--reason")
        if before:
            done = logged(*words, "first")
            assert done.json["status"] == {"restore": "restored", "withdraw": "withdrawn"}[verb]
            assert "not recorded" not in done.err
        again = logged(*words, "again")
        assert again.json["status"] == "unchanged"
        assert again.json["reason"] == ("first" if before else None)
        assert again.err.splitlines()[0] == (
            f"Note: Matrix {number} {standing} already{before}; the reason 'again' was not"
            " recorded."
        )


def test_a_plan_that_left_the_scores_out_is_not_said_to_rest_on_them(logged, write):
    (number,) = numbers(logged)
    other = write(table(SCORES / 2), "other.csv")
    assert logged("log", "t", "r2", other, "--measure", "AP", "--create").code == 0
    withdrawn = logged("matrix", "withdraw", number, "--reason", "wrong qrels")
    assert withdrawn.err.splitlines()[:2] == [
        f"Stale now that matrix {number} is withdrawn:",
        "  factors and variances (4): they no longer count",
    ]
    words = ("plan", "save", "p", "--task", "t", "--measure", "AP", "--m", "2", "--min-d", "0.5")
    assert logged(*words).code == 0
    restored = logged("matrix", "restore", number, "--reason", "right")
    assert restored.err.splitlines()[:5] == [
        f"Stale now that matrix {number} counts: 1 saved result.",
        "To renew what is stale:",
        "  roundbook result renew p",
        "In detail:",
        "  plan 'p' version 1 (task 't'): round 'r1': left out as withdrawn, and counts again",
    ]


def test_the_withdrawal_of_a_rounds_only_scores_names_its_renaming(logged, write):
    def notes(number, *words):
        withdrawn = logged("matrix", "withdraw", number, "--reason", "wrong round", *words)
        assert withdrawn.code == 0
        return [line for line in withdrawn.err.splitlines() if "no other scores" in line]

    (revised,) = numbers(logged)
    path = write(table(SCORES / 2), "other.csv")
    assert logged("log", "t", "r2", path, "--measure", "AP", "--create").code == 0
    slip = numbers(logged, "--round", "r2")[0]
    command = "roundbook round rename t r2 LABEL --force"
    start = "Note: Round 'r2' has no other scores. If these are another round's,"
    assert notes(slip, "--dry-run") == [f"{start} rename the round instead: {command}"]
    assert notes(slip) == [f"{start} restore them and rename the round: {command}"]
    assert notes(slip) == notes(revised) == []
    assert logged("matrix", "restore", slip, "--reason", "renamed").code == 0
    words = ("plan", "save", "p", "--task", "t", "--measure", "AP", "--m", "2", "--min-d", "0.5")
    assert logged(*words).code == 0
    assert notes(slip, "--dry-run") == []  # a round that a saved result rests on keeps its label
    other = write(table(SCORES / 4), "third.csv")
    for measure in ("AP", "RR"):
        assert logged("log", "t", "r3", other, "--measure", measure, "--create").code == 0
    assert notes(numbers(logged, "--round", "r3")[0]) == []


def test_a_dry_withdrawal_says_what_would_be_stale_and_writes_nothing(logged):
    (number,) = numbers(logged)
    logged("round", "publish", "t", "r1", "--yes")
    words = ("plan", "save", "p", "--task", "t", "--measure", "AP", "--m", "2", "--min-d", "0.5")
    assert logged(*words).code == 0
    events = logged("events", "--format", "json").json["events"]
    for verb, standing in (("withdraw", "withdrawn"), ("restore", "current")):
        command = ("matrix", verb, number, "--reason", "wrong qrels")
        dry = logged(*command, "--dry-run", "--format", "json")
        stale = [(row["name"], row["stale"]) for row in dry.json["impact"]]
        if verb == "withdraw":
            assert ("plan 'p' version 1", True) in stale
            assert dry.err.splitlines()[:3] == [
                "Note: Round 'r1' is published, and its published fingerprint would no longer"
                " verify.",
                "Dry run: nothing was written.",
                f"Stale once matrix {number} is withdrawn: 1 saved result.",
            ]
            assert logged("events", "--format", "json").json["events"] == events
            assert numbers(logged) == [number]
            assert logged("result", "show", "p", "--format", "json").json["stale"] == []
        else:
            assert "Dry run: nothing was written.\n" in dry.err
        assert (dry.json["standing"], dry.json["dry_run"]) == (standing, True)
        done = logged(*command, "--format", "json")
        # The dry run said what the command does.
        but = {"dry_run", "decided_at"}
        assert {key: value for key, value in dry.json.items() if key not in but} == {
            key: value for key, value in done.json.items() if key not in but
        }
        assert (done.json["dry_run"], "Dry run" in done.err) == (False, False)


@pytest.mark.parametrize(
    "words",
    [
        ["impact", "{}"],
        ["events", "--matrix", "{}"],
        ["matrix", "show", "{}"],
        ["matrix", "history", "{}"],
        ["matrix", "export", "{}"],
        ["matrix", "withdraw", "{}", "--reason", "x"],
        ["matrix", "restore", "{}", "--reason", "x"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("given", ["abc", "1.5", "r1", "1_0", "１", "9" * 19])
def test_a_matrix_is_named_by_its_number(command, words, given):
    outcome = command(*(word.format(given) for word in words))
    assert (outcome.code, outcome.out) == (2, "")
    assert (
        f"A matrix is named by its number, not '{given}'; 'roundbook matrix list TASK' shows them."
        in " ".join(outcome.err.replace("│", " ").split())
    )


def test_matrix_export_to_stdout_is_the_file_and_nothing_else(logged):
    first, second = numbers(logged, "--all")
    out = logged("matrix", "export", second)
    assert (out.code, out.err) == (0, "")
    assert [float(row["beta"]) for row in out.table] == [0.4, 0.9, 0.65, 0.45]
    old = logged("matrix", "export", first)
    assert old.out == table()
    assert f"superseded by matrix {second}: a typo" in old.err
    long = logged("matrix", "export", second, "--layout", "long").table
    assert len(long) == 12
    words = ("matrix", "export", second, "--layout", "trec_eval")
    assert "--output" in logged(*words).refusal()
    one = logged(*words, "--run", "beta").lines
    assert one[2].split() == ["AP", "2", "0.65"]
    for wrong in (["--format", "json"], ["--force"]):
        assert logged("matrix", "export", second, *wrong).code == 2


def test_matrix_export_to_files_tells_what_it_wrote(logged, tmp_path):
    (number,) = numbers(logged)
    words = ("matrix", "export", number, "--layout", "trec_eval", "--output", tmp_path / "out")
    exported = logged(*words, "--format", "json").json
    assert exported["output"] == str(tmp_path / "out")
    assert sorted(exported["files"]) == sorted(map(str, (tmp_path / "out").iterdir()))
    assert (exported["runs"], exported["content"]) == (3, None)
    assert "--force" in logged(*words).refusal()
    assert str(tmp_path / "out") in logged(*words, "--force").out.replace("\n", "")
    files = sorted((tmp_path / "out").iterdir())
    again = logged("log", "t", "r1", *files, "--measure", "AP", "--format", "json").json
    assert (again["status"], again["matrix"]) == ("unchanged", number)


@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".csv"])
def test_matrix_export_to_spreadsheets_and_back(roundbook, write, tmp_path, ending):
    runs = ("=1+1", "@b", "'-c")
    text = "run,topic,value\n" + "".join(
        f"{run},{topic},{0.1 + number / 3!r}\n"
        for number, run in enumerate(["'=1+1", "'@b", "''-c"])
        for topic in ("-1", "2")
    ).replace(",-1,", ",'-1,")
    assert roundbook("log", "t", "r", write(text), "--measure", "AP", "--create").code == 0
    shown = roundbook("matrix", "show", "1", "--format", "json").json
    assert [run["run"] for run in shown["runs"]] == list(runs)
    for layout in ("wide", "long"):
        output = tmp_path / f"{layout}{ending}"
        words = ("matrix", "export", "1", "--layout", layout, "--output", output)
        printed = roundbook(*words, "--format", "json").json
        assert (printed["layout"], printed["file_type"]) == (layout, ending[1:])
        assert "--force" in roundbook(*words).refusal()
        words = ("log", "t", "r", output, "--measure", "AP", "--format", "json")
        assert roundbook(*words).json["status"] == "unchanged"
    words = ("matrix", "export", "1", "--layout", "trec_eval", "--output", f"out{ending}")
    if ending != ".csv":
        assert "trec_eval's output is a directory of text files" in roundbook(*words).refusal()
    (header, *rows) = roundbook("standardise", "t", "r", "--measure", "AP").lines
    assert header == "topic,'=1+1,'@b,''-c"
    assert rows[0].startswith("'-1,0.")


ANONYMOUS = [
    ["matrix", "show", "{matrix}"],
    ["matrix", "export", "{matrix}"],
    ["rank", "t", "r1", "--measure", "AP", "--resamples", "50"],
    ["standardise", "t", "r1", "--measure", "AP"],
]


def test_no_name_is_printed_in_any_format(logged):
    (number,) = numbers(logged)
    commands = [[word.format(matrix=number) for word in words] for words in ANONYMOUS]
    for words in commands:
        formats = [[]] if "export" in words else [["--format", f] for f in ("table", "json", "csv")]
        for form in formats:
            hidden, named = logged(*words, *form, "--anonymous"), logged(*words, *form)
            assert (hidden.code, named.code) == (0, 0)
            assert any(secret in named.out for secret in SECRETS)
            assert not [secret for secret in SECRETS if secret in hidden.out + hidden.err]
            assert "run" in hidden.out
    assert logged("round", "publish", "t", "r1").code == 0
    for words in commands:
        assert "published" in logged(*words, "--anonymous").refusal()


def test_runs_in_a_file_have_no_pseudonyms(logged, write):
    new = write("topic,delta,eps\n0,.1,.2\n1,.3,.4\n", "late.csv")
    words = ("standardise", "t", "r1", "--measure", "AP", "--file", new)
    assert logged(*words).code == 0
    assert "--anonymous" in logged(*words, "--anonymous").refusal()


def test_standardise_says_by_what_and_whether_it_still_counts(logged):
    first, second = numbers(logged, "--all")
    words = ("standardise", "t", "r1", "--measure", "AP", "--format", "table")
    now = logged(*words)
    assert f"(matrix {second}, revision 2)" in " ".join(now.out.split())
    assert "Note" not in now.err
    before = logged(*words, "--factors-version", "1")
    assert f"(matrix {first}, revision 1)" in " ".join(before.out.split())
    assert f"superseded by matrix {second}: a typo" in before.err
    logged("matrix", "withdraw", second, "--reason", "wrong qrels")
    assert "wrong qrels" in logged(*words).refusal()


def test_rank_says_whether_its_factors_still_count(logged):
    words = ("rank", "t", "r1", "--measure", "AP", "--resamples", "50")
    now, before = logged(*words), logged(*words, "--versions", "1", "2")
    assert "Note" not in now.err
    assert "superseded" in before.err
    assert logged(*words, "--format", "json").json["factor_versions"] == [2]


def test_a_name_that_could_be_two_things(logged, write):
    assert logged("log", "t", "r1:1", write(table()), "--measure", "AP", "--create").code == 0
    words = ("standardise", "t", "r1", "--measure", "AP", "--format", "json", "--factors-from")
    assert "--factors-version" in logged(*words, "r1:1").refusal()
    for label in ("r1", "r1:1"):
        standardised = logged(*words, label, "--factors-version", "1").json
        assert (standardised["factors_round"], standardised["factor_version"]) == (label, 1)
