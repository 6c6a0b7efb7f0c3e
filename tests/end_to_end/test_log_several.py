"""``roundbook log`` of several measures, and ``round teams``, as a person types them."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from roundbook.formats import text
from roundbook.logbook.matrices.logged import LoggedMatrix

pytestmark = pytest.mark.one_server

TEAMS = "run,team,contributed_to_pool\na,North,yes\nb,North,yes\nc,South,no\nd,West,no\n"


def output(run, factor):
    """Return trec_eval's output of a run on four topics."""
    scores = [round(factor * value, 3) for value in (0.2, 0.5, 0.1, 0.7)]
    lines = [
        f"{name}\t{topic}\t{value}"
        for name, values in {"num_ret": [9] * 4, "map": scores, "P_5": scores[::-1]}.items()
        for topic, value in enumerate(values, 1)
    ]
    return "\n".join([*lines, f"runid\tall\t{run}"]) + "\n"


@pytest.fixture
def mixed(write):
    """trec_eval's output of four runs in one file."""
    runs = zip("abcd", (1, 0.8, 1.1, 0.5), strict=True)
    return write("".join(output(run, factor) for run, factor in runs), "all.eval")


def test_several_measures_in_three_formats(roundbook, mixed, write, snapshot):
    first = roundbook("log", "t", "r", mixed, "--all-measures", "--create", "--format", "json")
    printed = first.json
    assert set(printed) == {"task", "round", "dry_run", "matrices", "software"}
    assert [matrix["measure"] for matrix in printed["matrices"]] == ["AP", "P@5"]
    for matrix in printed["matrices"]:
        assert set(matrix) == {*LoggedMatrix.model_fields, "notes"} - {
            "publication",
            "pool_unknown",
        }
        assert (matrix["status"], matrix["standardising_runs"], matrix["pool"]) == (
            "logged",
            4,
            "unknown",
        )
    before = snapshot()
    both = ("log", "t", "r", mixed, "--measure", "P_5", "--measure", "AP")
    rows = roundbook(*both, "--format", "csv").table
    assert [(row["measure"], row["status"]) for row in rows] == [
        ("P@5", "unchanged"),
        ("AP", "unchanged"),
    ]
    heading, _, *lines = roundbook(*both).lines
    assert heading.split()[:2] == ["Measure", "Matrix"]
    assert [line.split()[0] for line in lines] == ["P@5", "AP"]
    # One measure prints what it always did, however it is asked for with others there.
    alone = roundbook("log", "t", "r", mixed, "--measure", "AP", "--format", "json").json
    assert alone["measure"] == "AP"
    assert snapshot() == before
    other = write(mixed.read_text().replace("P_5\t1\t0.7\n", "P_5\t1\t0.9\n"), "other.eval")
    new = ("log", "t", "r", other, "--measure", "AP", "--measure", "P@5")
    assert "Other scores are already logged for P@5" in roundbook(*new).refusal()
    assert snapshot() == before
    revised = roundbook(*new, "--revise", "one was misread")
    assert [line.split()[-1] for line in revised.lines[2:]] == ["unchanged", "logged"]
    assert "Stale now that the scores of P@5 are replaced:" in revised.err


def test_what_is_no_choice_of_measures_is_refused(roundbook, mixed):
    for options, why in (
        ((), "name the measure with --measure, or take --all-measures"),
        (("--measure", "AP", "--all-measures"), "give --measure or --all-measures, not both"),
        (("--all-measures", "--file-measure", "map"), "--file-measure is the name of one measure"),
        (("--measure", "AP", "--measure", "AP"), "--measure names 'AP' twice"),
    ):
        refused = roundbook("log", "t", "r", mixed, *options, "--create")
        assert refused.code == 2
        assert why in " ".join(refused.err.replace("│", " ").split())


def test_standard_input(roundbook, mixed, monkeypatch):
    piped = SimpleNamespace(buffer=io.BytesIO(mixed.read_bytes()), isatty=lambda: False)
    monkeypatch.setattr(text.sys, "stdin", piped)
    words = ("log", "t", "r", "-", "--measure", "AP", "--measure", "P@5", "--create")
    matrices = roundbook(*words, "--format", "json").json["matrices"]
    assert [(matrix["topics"], matrix["runs"]) for matrix in matrices] == [(4, 4)] * 2
    shown = roundbook("matrix", "show", matrices[0]["matrix"], "--format", "json").json
    assert shown["files"] == ["standard input"]


def test_who_standardises_is_said_with_how_to_have_all(roundbook, mixed, write):
    teams = write(TEAMS, "teams.csv")
    done = roundbook("log", "t", "r", mixed, "--all-measures", "--teams", teams, "--create")
    assert done.err.splitlines() == [
        "Note: 2 of 4 runs standardise: those that contributed to the pool (team file). To have"
        " all standardise:",
        *(
            f"  roundbook factors fit t r --measure {measure} --runs all --reason REASON"
            for measure in ("AP", "P@5")
        ),
    ]
    alone = roundbook(
        "log", "t", "other", mixed, "--measure", "AP", "--teams", teams, "--create", "--format",
        "json",
    ).json  # fmt: skip
    assert (alone["standardising"], alone["standardising_runs"], alone["pool"]) == (
        "pooled",
        2,
        "part",
    )
    *_, note = alone["notes"]
    assert note.endswith("roundbook factors fit t other --measure AP --runs all --reason REASON")
    assert roundbook("factors", "fit", "t", "other", "--measure", "AP", "--runs", "all",
                     "--reason", "all are wanted").code == 0  # fmt: skip


def test_teams_that_come_late_name_the_factors_to_fit_and_are_corrected(roundbook, mixed, write):
    roundbook("log", "t", "r", mixed, "--all-measures", "--create")
    late = roundbook("round", "teams", "t", "r", write(TEAMS, "teams.csv"))
    assert late.lines == ["t, round 'r': told something new of 4 of its 4 runs."]
    assert late.err.splitlines()[-3:] == [
        "Note: The pool is known now: 2 of 4 runs contributed. The factors of AP, P@5 still rest on"
        " all runs. To fit them on it, in all rounds alike:",
        "  roundbook factors fit t r --measure AP --runs pooled --reason REASON",
        "  roundbook factors fit t r --measure P@5 --runs pooled --reason REASON",
    ]
    right = write(TEAMS.replace("b,North,yes", "b,South,no"), "right.csv")
    refused = roundbook("round", "teams", "t", "r", right).refusal()
    assert refused.endswith("roundbook round teams t r FILE --revise REASON")
    # So it is where scores bring the teams.
    words = ("log", "t", "r", mixed, "--measure", "AP", "--teams", right)
    assert roundbook(*words).refusal() == refused
    words = ("round", "teams", "t", "r", right, "--revise", "a slip")
    assert "Dry run: nothing was written." in roundbook(*words, "--dry-run").err
    changed = roundbook(*words, "--dry-run", "--format", "csv").table
    assert [list(row.values()) for row in changed] == [
        ["b", "team", "North", "South"],
        ["b", "contributed_to_pool", "True", "False"],
    ]
    corrected = roundbook(*words)
    assert corrected.lines[0] == "t, round 'r': corrected 1 of its 4 runs."
    assert "team: North → South; in the pool: yes → no" in corrected.out
    again = roundbook(*words, "--format", "json").json
    assert (again["status"], again["changes"], again["runs"]) == ("unchanged", [], 4)
    assert "a slip" in roundbook("events", "--what", "runs corrected").out
