"""``roundbook run`` and ``roundbook qrels``: logged and listed, and one sentence for what is wrong."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.one_server

RUN = "t1 Q0 d1 1 2 a\nt1 Q0 d2 2 1 a\nt2 Q0 d2 1 1 a\n"
QRELS = "t1 0 d1 1\nt1 0 d3 0\nt2 0 d1 0\n"


def test_runs_and_assessments_are_logged_and_listed(roundbook, write):
    runs, qrels = write(RUN, "runs/a.run"), write(QRELS, "qrels")
    again = ("run", "log", "web", "2024", runs.parent, "--format", "json")
    tried = roundbook(*again, "--create", "--dry-run")
    assert (tried.json["upload"], tried.json["dry_run"]) == (None, True)
    assert "Dry run: nothing was written." in tried.err
    logged = roundbook(*again, "--create").json
    assert (logged["upload"], logged["status"], logged["lists"], logged["documents"]) == (
        1,
        "logged",
        2,
        3,
    )
    assert logged["files"][0]["size"] == len(RUN)
    assert logged["notes"] == ["New topics of the task: t1, t2."]
    assert roundbook(*again).json["status"] == "unchanged"

    assess = ("qrels", "log", "web", "2024", qrels)
    made = roundbook(*assess, "--format", "json")
    assert (made.json["revision"], made.json["judged"], made.json["relevant"]) == (1, 3, 1)
    assert "No document is relevant for topic t2; every run scores 0 there." in made.err
    mended = write(QRELS + "t2 0 d2 2\n", "mended")
    refused = roundbook(*assess[:-1], mended)
    assert refused.code == 1
    assert "log them with --revise 'REASON'" in refused.err
    revised = roundbook(*assess[:-1], mended, "--revise", "d2 was judged late")
    assert "official             2        2        4          2   logged" in revised.out
    listed = roundbook("qrels", "list", "web", "--format", "csv").out.splitlines()
    assert [line.split(",")[:6] for line in listed[1:]] == [
        ["2024", "official", "1", "2", "3", "1"],
        ["2024", "official", "2", "2", "4", "2"],
    ]
    assert (
        "a          1        2           3   -      -"
        in roundbook("run", "list", "web", "2024").out
    )
    uploads = roundbook("run", "list", "web", "--format", "json").json
    assert (uploads["runs"], [row["runs"] for row in uploads["uploads"]]) == (None, [1])

    verified = roundbook("db", "verify")
    assert ", uploads of runs 1, sets of relevance assessments 2." in verified.out
    removed = roundbook("round", "remove", "web", "2024")
    assert (removed.code, "holds runs, so it stays" in removed.err) == (1, True)


def test_what_is_wrong_is_said_in_one_sentence(roundbook, write, snapshot):
    files = {
        "run": write(RUN, "run"),
        "other": write(RUN.replace("d2 1 1", "d9 1 1"), "other"),
        "qrels": write(QRELS, "qrels"),
        "nothing": write("t1 0 d1 0\n", "nothing"),
        "folder": write("a b c d e\n", "folder/five").parent,
    }
    roundbook("run", "log", "web", "2024", files["run"], "--create")
    before = snapshot()
    for words, sentence in (
        (("run", "log", "t", "r", files["run"]), "There is no task 't'"),
        (("run", "log", "web", "2025", files["run"]), "Task 'web' has no round '2025'"),
        (("run", "log", "web", "2024", files["other"]), "Run 'a' of round '2024' has other lists"),
        (("run", "log", "web", "2024", files["other"]), "round rename web 2024 NAME --force"),
        (("run", "log", "web", "2024", files["qrels"]), "'roundbook qrels log' takes"),
        (("qrels", "log", "web", "2024", files["run"]), "'roundbook run log' takes runs, and"),
        (("run", "log", "web", "2024", files["folder"]), "five:1: a line of a TREC run has six"),
        (("run", "log", "web", "2024", "missing"), "missing: "),
        (("qrels", "log", "web", "2024", files["nothing"]), "no document has a grade above 0"),
        (("qrels", "log", "web", "2024", files["qrels"], "--revise", "x"), "leave out --revise"),
        (("qrels", "log", "web", "2024", files["qrels"], "--revise", " "), "reason given is empty"),
        (("run", "list", "web", "2025"), "Task 'web' has no round '2025'"),
        (("qrels", "list", "t"), "There is no task 't'"),
    ):
        refused = roundbook(*words)
        assert refused.code == 1, words
        assert sentence in refused.err, refused.err
        assert refused.err.count("\n") == 1
    assert snapshot() == before
    assert "No assessments yet" in roundbook("qrels", "list", "web").out


def test_runs_of_another_round_are_renamed_out_of_the_way(roundbook, write):
    slip, right = write(RUN, "slip"), write(RUN.replace("t", "u"), "right")
    roundbook("run", "log", "web", "2024", slip, "--create")
    assert roundbook("run", "log", "web", "2024", right).code == 1
    roundbook("round", "rename", "web", "2024", "not 2024", "--force")
    assert roundbook("run", "log", "web", "2024", right, "--create").code == 0
    roundbook("qrels", "log", "web", "2024", write(QRELS.replace("t", "u"), "qrels"))
    dense = write(RUN.replace(" a\n", " dense\n"), "dense")
    logged = roundbook("run", "log", "web", "2024", dense)
    assert logged.err == (
        "Note: 1 of the 1 new run has no list for any topic that is assessed or has scores in round"
        " '2024': dense; check that the file is of this round.\n"
    )
    computed = roundbook("log", "web", "2024", "--from-runs", "--measure", "P@5")
    assert (
        "Note: 1 of 2 runs has no list for any assessed topic and scores 0 throughout: dense. It may"
        " be of another round.\n"
    ) in computed.err


@pytest.mark.parametrize("group", ["run", "qrels"])
def test_options_are_checked(roundbook, group):
    assert roundbook(group, "log", "web").code == 2


def test_a_study_of_runs_is_stale_once_runs_or_assessments_change(roundbook, write):
    tops = {"a": "d1", "b": "d3", "c": "d4", "d": "d1"}
    runs = [
        write(f"t1 Q0 {top} 1 2 {tag}\nt2 Q0 d2 1 1 {tag}\n", f"{tag}.run")
        for tag, top in tops.items()
    ]
    lines = "".join(f"{tag},team {number},yes\n" for number, tag in enumerate("abcd"))
    teams = write(f"run,team,contributed_to_pool\n{lines}", "teams.csv")
    assessed = "t1 0 d1 1\nt1 0 d3 0\nt1 0 d4 1\nt2 0 d2 1\n"
    roundbook("run", "log", "web", "2024", *runs[:3], "--create")
    roundbook("qrels", "log", "web", "2024", write(assessed, "qrels"))
    roundbook("round", "teams", "web", "2024", teams)
    study = ("study", "leave-one-out", "web", "2024", "--measure", "P@5", "--reassessed")
    saved = roundbook(*study, "--save", "fair")
    assert saved.code == 0, saved.err

    def stale():
        results = roundbook("result", "list", "--stale", "--format", "json").json["results"]
        return [change["code"] for row in results for change in row["changes"]]

    assert stale() == []
    assert roundbook("db", "verify").code == 0
    computed = ("log", "web", "2024", "--from-runs", "--measure", "P@5")
    assert roundbook(*computed).code == 0
    uploaded = roundbook("run", "log", "web", "2024", runs[3])
    assert stale() == ["uploaded"]
    assert uploaded.err.splitlines() == [
        "Stale now that further runs are logged: 1 score matrix and 1 saved result.",
        "To renew what is stale:",
        "  roundbook log web 2024 --from-runs --measure P@5 --revise REASON",
        "  roundbook result renew fair",
        "In detail:",
        "  matrix 1, P@5 (round '2024'): computed without the runs of upload 2",
        "  study 'fair' version 1 (round '2024'): round '2024': further runs were logged since",
    ]
    refused = roundbook(*computed).refusal()
    assert "logged for P@5 (official assessments) of round '2024', computed from earlier" in refused
    assert roundbook(*computed, "--revise", "A fourth run").code == 0
    # By the runs that were there.
    verified = roundbook("db", "verify", "--format", "json")
    assert (verified.code, verified.json["not_computed"]) == (0, [])
    shown = roundbook("result", "show", "fair")
    assert "further runs were logged since" in " ".join((shown.out + shown.err).split())
    dry = roundbook("result", "renew", "fair", "--dry-run")
    assert ("Dry run: nothing was written." in dry.err, stale()) == (True, ["uploaded"])
    assert roundbook("result", "renew", "fair").code == 0
    assert stale() == []
    mended = write(assessed + "t2 0 d1 1\n", "mended")
    revise = ("qrels", "log", "web", "2024", mended, "--revise", "One was missing")
    tried = roundbook(*revise, "--dry-run", "--format", "json")
    assert (
        "Stale once the assessments are corrected: 1 score matrix and 1 saved result.\n"
        in tried.err
    )
    revised = roundbook(*revise, "--format", "json").json
    assert revised["impact"] == tried.json["impact"]
    assert [(row["name"], row["why"]) for row in revised["impact"]] == [
        ("matrix 2, P@5", "computed before revision 2 of the assessments"),
        (
            "study 'fair' version 2",
            "round '2024': its relevance assessments were corrected (revision 2)",
        ),
    ]
    assert stale() == ["corrected"]
    foreign = write(assessed + "t7 0 d1 1\n", "foreign")
    tried = roundbook(*revise[:4], foreign, "--revise", "Of another round", "--dry-run")
    assert (
        "Note: 1 of 3 topics is in no scores and in no run of round '2024' (t7): check that the file"
        " is of this round." in tried.err
    )
    shown = roundbook("impact", "2").out
    assert "upload 2 of runs and revision 1 of the assessments; the latest are upload 2" in shown
    assert "so its scores are to be computed anew." in " ".join(shown.split())
    assert (
        "To compute its scores anew:\n"
        "  roundbook log web 2024 --from-runs --measure P@5 --revise REASON"
    ) in shown
    listed = roundbook("matrix", "list", "web", "--all")
    assert "Computed before the latest runs or assessments: 2. 'roundbook impact 2'" in listed.out
    # The same scores again: the record knows that they are from the latest assessments.
    again = write(assessed + "t2 0 d1 0\n", "again")
    assert roundbook(*revise[:4], again, "--revise", "It was not relevant").code == 0
    assert roundbook(*computed, "--format", "json").json["status"] == "unchanged"
    assert roundbook("impact", "2", "--format", "json").json["source"] == {
        "upload": 2,
        "revision": 3,
        "latest_upload": 2,
        "latest_revision": 3,
        "outdated": False,
    }
