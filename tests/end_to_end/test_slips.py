"""Slips of the name: renamed, removed, and noticed before they are made."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from tests.databases import scalar

from roundbook.database.engine import unit_of_work
from roundbook.logbook.session import begin
from roundbook.logbook.topics import list_topics
from roundbook.requests.tasks import ListTopics
from roundbook_cli import output

SCORES = "topic,a,b,c\n1,.1,.2,.4\n2,.5,.3,.2\n3,.6,.7,.1\n"


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES, encoding="utf-8")
    return path


def rounds(roundbook, task="covid"):
    listed = roundbook("round", "list", task, "--format", "json").json["rounds"]
    return [(entry["ordinal"], entry["round"]) for entry in listed]


def test_a_round_without_scores_is_renamed_and_removed(roundbook):
    roundbook("task", "create", "covid")
    for label in ("round1", "roud2", "round3", "round4"):
        assert roundbook("round", "create", "covid", label).code == 0
    renamed = roundbook("round", "rename", "covid", "roud2", "round2", "--format", "json").json
    assert (renamed["was"], renamed["round"], renamed["ordinal"]) == ("roud2", "round2", 2)
    assert (
        "has a round 'round1'"
        in roundbook("round", "rename", "covid", "round2", "round1").refusal()
    )
    removed = roundbook("round", "remove", "covid", "round2", "--format", "json").json
    assert removed == {"task": "covid", "round": "round2"}
    assert rounds(roundbook) == [(1, "round1"), (2, "round3"), (3, "round4")]
    # Its place is taken by the next, and what was done to it is still told.
    assert roundbook("round", "create", "covid", "round2").code == 0
    assert rounds(roundbook)[-1] == (4, "round2")
    events = roundbook("events", "--task", "covid", "--format", "json").json["events"]
    changes = [(event["what"], event["round"], event["details"].get("round")) for event in events]
    assert ("round created", None, "roud2") in changes
    assert ("round renamed", None, {"was": "roud2", "is": "round2"}) in changes
    assert ("round removed", None, "round2") in changes


def test_what_holds_scores_is_not_removed_and_renamed_only_by_force(roundbook, scores, snapshot):
    log = ("log", "covid", "roud4", scores, "--measure", "AP", "--create")
    assert roundbook(*log).code == 0
    before = snapshot()
    assert roundbook("task", "remove", "covid").refusal() == (
        "Task 'covid' holds scores, so it stays; scores can be withdrawn: 'roundbook matrix list"
        " covid' shows them."
    )
    remove = ("round", "remove", "covid", "roud4")
    assert roundbook(*remove).refusal() == (
        "Round 'roud4' holds scores, so it stays; scores can be withdrawn ('roundbook matrix list"
        " covid' shows them), and the round renamed: roundbook round rename covid roud4 NAME --force"
    )
    for words in (
        ("round", "rename", "covid", "roud4", "round4"),
        ("task", "rename", "covid", "trec-covid"),
    ):
        assert "holds scores; add --force" in roundbook(*words).refusal()
    assert snapshot() == before
    assert roundbook("round", "rename", "covid", "roud4", "round4", "--force").code == 0
    assert roundbook("task", "rename", "covid", "trec-covid", "--force").code == 0
    assert rounds(roundbook, "trec-covid") == [(1, "round4")]
    assert roundbook("db", "verify").code == 0
    plan = ("--task", "trec-covid", "--measure", "AP", "--m", "5", "--min-d", ".2")
    assert roundbook("plan", "save", "next", *plan).code == 0
    rename = ("round", "rename", "trec-covid", "round4", "round5", "--force")
    assert "The saved result 'next' rests on round 'round4'" in roundbook(*rename).refusal()
    renamed = roundbook("task", "rename", "trec-covid", "covid", "--force")
    assert "saved result 'next'" in renamed.refusal()
    assert roundbook("round", "publish", "trec-covid", "round4").code == 0
    assert "is published, so it keeps its label" in roundbook(*rename).refusal()
    assert roundbook("round", "remove", "trec-covid", "round4").refusal().endswith(" shows them.")


def test_what_holds_withdrawn_scores_stays_and_frees_its_name(roundbook, scores):
    assert roundbook("log", "covid", "r1", scores, "--measure", "AP", "--create").code == 0
    assert roundbook("matrix", "withdraw", "1", "--reason", "a slip").code == 0
    stays = "holds withdrawn scores, which stay in the record, so it stays"
    assert roundbook("task", "remove", "covid").refusal() == (
        f"Task 'covid' {stays}; it can be renamed, so that its name is free: roundbook task rename"
        " covid NAME --force"
    )
    assert roundbook("round", "remove", "covid", "r1").refusal() == (
        f"Round 'r1' {stays}; it can be renamed: roundbook round rename covid r1 NAME --force"
    )
    assert roundbook("task", "rename", "covid", "slip", "--force").code == 0
    assert roundbook("task", "create", "covid").code == 0
    # A saved result keeps both names.
    assert roundbook("matrix", "restore", "1", "--reason", "no slip").code == 0
    plan = ("--task", "slip", "--measure", "AP", "--m", "5", "--min-d", ".2")
    assert roundbook("plan", "save", "next", *plan).code == 0
    assert roundbook("matrix", "withdraw", "1", "--reason", "a slip").code == 0
    assert roundbook("task", "remove", "slip").refusal() == f"Task 'slip' {stays}."
    assert roundbook("round", "remove", "slip", "r1").refusal() == f"Round 'r1' {stays}."


def test_the_round_of_withdrawn_scores_becomes_the_next_one(roundbook, scores, tmp_path):
    log = ("log", "covid", "roud1", scores, "--measure", "AP")
    assert roundbook(*log, "--create").code == 0
    assert roundbook("matrix", "withdraw", "1", "--reason", "a mistyped round").code == 0
    assert roundbook("round", "rename", "covid", "roud1", "round2", "--force").code == 0
    other = tmp_path / "other.csv"
    other.write_text(SCORES.replace("a,b,c", "c,d,e"), encoding="utf-8")
    log = ("log", "covid", "round2", other, "--measure", "AP")
    assert roundbook(*log).refusal().startswith(
        "Other scores are already logged for AP (official assessments) of round 'round2', and"
        " withdrawn: a mistyped round. If these 3 x 3 scores correct them, log them with --revise"
    )  # fmt: skip
    assert roundbook(*log, "--revise", "its own").code == 0
    # Runs of the withdrawn scores are no longer of the round.
    teams = tmp_path / "teams.csv"
    teams.write_text("run,team\nc,C\nd,D\ne,E\n", encoding="utf-8")
    described = roundbook("round", "teams", "covid", "round2", teams)
    assert "told something new of 3 of its 3 runs" in described.out
    assert "says nothing of" not in described.err
    assert roundbook("db", "verify").code == 0


def test_a_collection_that_is_nearly_that_of_another_round_is_asked_about(roundbook):
    assert roundbook("task", "create", "covid").code == 0
    create = ("round", "create", "covid")
    assert roundbook(*create, "round1", "--collection", "CORD-19").err == ""
    assert roundbook(*create, "round2", "--collection", "CORD-19").err == ""
    slip = roundbook(*create, "round3", "--collection", "CORD19")
    question = "The document collection CORD19 is new. Did you mean CORD-19?"
    assert slip.err == f"Note: {question}\n"
    again = ("round", "set", "covid", "round2", "--collection", "cord-19", "--force")
    changed = roundbook(*again, "--dry-run", "--format", "json")
    assert changed.json["near_collection"] == "CORD-19"
    mended = ("round", "set", "covid", "round3", "--collection", "CORD-19", "--force")
    assert roundbook(*mended).err == ""
    assert "near_collection" not in roundbook(*mended, "--format", "json").json
    # Numbers are no slips.
    assert roundbook(*create, "round4", "--collection", "CORD-20").err == ""


def test_topics_that_a_collection_parts_are_told(roundbook, scores):
    for label in ("r1", "r2"):
        assert roundbook("log", "t", label, scores, "--measure", "AP", "--create").code == 0
    on = ("round", "set", "t", "r2", "--collection")
    assert roundbook("round", "set", "t", "r1", "--collection", "2020-04").err == ""
    parted = roundbook(*on, "2020-05", "--dry-run")
    assert parted.err.startswith(
        "Note: Topics that round 'r2' no longer shares, as these rounds are on other documents now: 3"
        " with round 'r1'. Drift and factors compare shared topics alone; if a collection only grew,"
    )
    done = roundbook(*on, "2020-05", "--format", "json").json
    assert done["no_longer_shared"] == {"r1": 3}
    # They were parted before.
    again = roundbook(*on, "2020-06", "--force", "--format", "json").json
    assert "no_longer_shared" not in again


def test_the_database_guards_what_holds_scores(roundbook, scores, engine):
    assert roundbook("log", "t", "r1", scores, "--measure", "AP", "--create").code == 0
    assert roundbook("round", "publish", "t", "r1", "--yes").code == 0
    for statement, reason in (
        ("DELETE FROM roundbook.round", "what holds scores or results stays"),
        ("DELETE FROM roundbook.task", "what holds scores or results stays"),
        ("UPDATE roundbook.round SET label = 'other'", "keeps its label"),
        ("UPDATE roundbook.round SET ordinal = 0", "may only move up"),
        ("UPDATE roundbook.task SET name = 'other'", "keeps its name"),
        ("UPDATE roundbook.event SET round_id = NULL", "is refused"),
        ("UPDATE roundbook.event SET details = '{}'", "is refused"),
        ("UPDATE roundbook.event SET database_user = 'x'", "is refused"),
    ):
        with unit_of_work(engine) as connection:
            with pytest.raises(Exception, match=reason):
                connection.execute(text(statement))
            connection.rollback()


def test_a_task_without_scores_is_renamed_and_removed_with_its_rounds(roundbook):
    for words in (("task", "create", "covdi"), ("round", "create", "covdi", "r1")):
        assert roundbook(*words).code == 0
    renamed = roundbook("task", "rename", "covdi", "covid", "--format", "json").json
    assert (renamed["was"], renamed["task"], renamed["rounds"]) == ("covdi", "covid", 1)
    removed = roundbook("task", "remove", "covid", "--format", "json").json
    assert removed == {"task": "covid", "rounds": ["r1"]}
    assert roundbook("task", "list", "--format", "json").json == {"tasks": []}
    events = roundbook("events", "--format", "json").json["events"]
    assert [(event["what"], event["task"], event["details"]["task"]) for event in events] == [
        ("task created", None, "covdi"),
        ("round created", None, "covid"),
        ("task renamed", None, {"was": "covdi", "is": "covid"}),
        ("task removed", None, "covid"),
    ]
    assert "no task 'covid'" in roundbook("task", "remove", "covid").refusal()


def test_a_task_with_a_token_stays_and_can_be_renamed(roundbook):
    for words in (
        ("task", "create", "covdi"),
        ("token", "create", "lab", "--task", "covdi"),
        ("token", "revoke", "lab"),
    ):
        assert roundbook(*words).code == 0
    assert roundbook("task", "remove", "covdi").refusal() == (
        "Task 'covdi' has the access token 'lab', which is recorded for good, so it stays; it"
        " can be renamed: roundbook task rename covdi NAME"
    )
    assert roundbook("task", "rename", "covdi", "covid").code == 0


def test_a_near_name_is_warned_of_and_asked_about_on_a_terminal(
    roundbook, scores, monkeypatch, snapshot
):
    log = ("log", "covid", "round4", scores, "--measure", "AP", "--create")
    assert roundbook(*log).err == ""
    assert "Did you mean" not in roundbook("log", "web", *log[2:]).err
    slips = {
        ("log", "covid", "roud4", scores, "--measure", "AP", "--create"): "roud4",
        ("log", "covdi", "other", scores, "--measure", "AP", "--create"): "covdi",
        ("round", "create", "covid", "Round-4"): "Round-4",
        ("task", "create", "coviid"): "coviid",
    }
    asked = []
    with monkeypatch.context() as patch:
        patch.setattr(output, "is_person_there", lambda: True)
        patch.setattr(output, "ask", asked.append)
        before = snapshot()
        for words, name in slips.items():
            declined = roundbook(*words)
            assert (declined.code, declined.err) == (1, "Nothing was written.\n")
            assert asked.pop().startswith(f"{name}: did you mean ")
        assert snapshot() == before
    for words, name in slips.items():
        warned = roundbook(*words)
        assert warned.code == 0
        what = "task" if name in ("covdi", "coviid") else "round"
        near = "covid" if what == "task" else "round4"
        assert f"Warning: The {what} {name} is new. Did you mean {near}?" in warned.err
    # The next in a series is no slip, nor is a name that is there.
    for words in (("round", "create", "covid", "round5"), log):
        assert "Did you mean" not in roundbook(*words).err


def test_a_name_is_one_however_its_accents_are_encoded(roundbook, tmp_path, engine):
    composed, split = "caf\u00e9", "cafe\u0301"
    for spelled in (composed, split):
        path = tmp_path / f"{len(spelled)}.csv"
        path.write_text(
            SCORES.replace("\n1,", f"\n{spelled},").replace(",a", f",{spelled}"), "utf-8"
        )
        words = ("log", spelled, spelled, path, "--measure", "AP", "--assessments", spelled)
        done = roundbook(*words, "--create", "--format", "json").json
        assert done["status"] == ("logged" if spelled == composed else "unchanged")
        assert done["assessments"] == composed
    assert f"task '{composed}'" in roundbook("task", "create", split).refusal()
    both = tmp_path / "both.csv"
    both.write_text(f"topic,a,b\n{composed},1,2\n{split},3,4\n", "utf-8")
    assert "topic" in roundbook("log", "t", "r", both, "--measure", "AP", "--create").refusal()
    # As it was recorded before names were normalised.
    with unit_of_work(engine) as connection:
        for table, column in (
            *(("task", "name"), ("round", "label")),
            *(("topic", "name"), ("run", "tag")),
        ):
            connection.execute(text(f"ALTER TABLE roundbook.{table} DISABLE TRIGGER immutable"))
            update = f"UPDATE roundbook.{table} SET {column} = normalize({column}, NFD)"
            connection.execute(text(update))
        connection.commit()
    for spelled in (composed, split):
        words = ("log", spelled, spelled, tmp_path / f"{len(spelled)}.csv", "--measure", "P@5")
        done = roundbook(*words, "--format", "json").json
        assert done["status"] == ("logged" if spelled == composed else "unchanged")
    with unit_of_work(engine) as connection:
        topics = connection.execute(text("SELECT name FROM roundbook.topic ORDER BY id")).scalars()
        assert topics.all() == [split, "2", "3"]
        runs = connection.execute(text("SELECT tag FROM roundbook.run ORDER BY id")).scalars()
        assert runs.all() == [split, "b", "c"]
    listed = roundbook("round", "list", composed, "--format", "json").json
    assert [entry["round"] for entry in listed["rounds"]] == [split]
    assert roundbook("matrix", "export", "1", "--run", composed).lines[0] == f"topic,{split}"
    with begin(engine) as session:
        page = list_topics(session, ListTopics(task=composed, after=split))
        assert [entry.topic for entry in page.topics] == ["2", "3"]
    with unit_of_work(engine) as connection:
        for table in ("matrix", "factor_set"):
            connection.execute(text(f"ALTER TABLE roundbook.{table} DISABLE TRIGGER immutable"))
        # In one statement, as factors refer to their matrix's label.
        of_both = "UPDATE roundbook.{} SET assessments = normalize(assessments, NFD)".format
        moved = f"WITH moved AS ({of_both('matrix')}) {of_both('factor_set')}"
        connection.execute(text(moved))
        connection.commit()
    listed = ("matrix", "list", composed, "--assessments", split, "--format", "json")
    assert [entry["matrix"] for entry in roundbook(*listed).json["matrices"]] == [1]
    history = ("variance", "history", composed, "--assessments", composed, "--format", "json")
    assert len(roundbook(*history).json["histories"]) == 1


def test_events_show_whose_session_it_was_where_another_name_is_claimed(
    roundbook, monkeypatch, engine
):
    user = scalar(engine, "SELECT session_user")
    monkeypatch.setenv("ROUNDBOOK_USER", user)
    roundbook("task", "create", "own")
    assert "Database user" not in roundbook("events").out
    monkeypatch.setenv("ROUNDBOOK_USER", "somebody else")
    roundbook("task", "create", "other")
    shown = roundbook("events").lines
    assert "Database user" in shown[0]
    assert [user in line for line in shown[2:]] == [True, True]
    events = roundbook("events", "--format", "json").json["events"]
    assert [(event["who"], event["database_user"]) for event in events] == [
        (user, user),
        ("somebody else", user),
    ]


def test_a_name_that_is_not_there_is_answered_by_the_one_that_may_be_meant(roundbook):
    variance = ("--value", "0.05", "--runs", "9", "--topics", "50", "--source", "a paper")
    of_round = ("variance", "record", "covid", "spring", "--measure", "AP")
    assert roundbook(*of_round, *variance, "--create").code == 0
    refused = roundbook("variance", "show", "covd", "--measure", "AP").refusal()
    assert refused.startswith("There is no task 'covd'; did you mean 'covid'?")
    refused = roundbook("round", "show", "covid", "sprng").refusal()
    assert refused.startswith("Task 'covid' has no round 'sprng'; did you mean 'spring'?")
    assert "did you mean" not in roundbook("round", "show", "covid", "autumn").refusal()
    removed = roundbook("round", "remove", "covid", "spring").refusal()
    assert removed == (
        "Round 'spring' holds a published variance, so it stays; it can be renamed: roundbook round"
        " rename covid spring NAME --force"
    )


def test_a_round_or_file_in_the_place_of_the_task_is_asked_about(roundbook, scores, tmp_path):
    log = ("log", "covid", "spring", scores, "--measure", "nDCG@10", "--create")
    assert roundbook(*log).code == 0
    meant = (
        "There is no task 'spring'; did you mean round 'spring' of task {}? 'roundbook task list'"
    )
    swapped = roundbook("log", "spring", "covid", scores, "--measure", "AP").refusal()
    assert swapped.startswith(meant.format("'covid'"))
    assert "task create" not in swapped
    for of_round in (("round", "publish", "spring", "covid"), ("round", "create", "spring", "x")):
        assert roundbook(*of_round).refusal().startswith(meant.format("'covid'"))
    assert roundbook("log", "web", *log[2:]).code == 0
    both = meant.format("'covid' or 'web'")
    assert roundbook("round", "show", "spring", "covid").refusal().startswith(both)
    is_file = f"'{scores}' is a file, and task and round come before it. Did you mean: "
    names = ("covid", "spring")
    for given, files in (
        (("log", scores, scores, *names, "--measure", "AP"), f"{scores} {scores}"),
        (("round", "teams", scores, *names), f"{scores}"),
        (("run", "log", scores, *names), f"{scores}"),
        (("qrels", "log", scores, *names), f"{scores}"),
    ):
        assert roundbook(*given).refusal() == f"{is_file}covid spring {files}"
    absent = roundbook("log", "covid", "spring", tmp_path / "none.csv", "--measure", "AP")
    assert absent.refusal() == f"{tmp_path / 'none.csv'}: there is no such file."


def test_a_measure_that_is_mistyped_is_asked_about_as_a_new_one_is(roundbook, scores):
    assert roundbook("log", "t", "r", scores, "--measure", "nDCG@10", "--create").code == 0
    meant = "Did you mean nDCG@10?"
    dry = roundbook("log", "t", "r", scores, "--measure", "ndcg10", "--dry-run")
    assert meant in dry.err
    for asked in (("variance", "show", "t"), ("drift", "t"), ("factors", "show", "t", "r")):
        for slip in ("ndcg10", "nDCG@1O"):
            assert roundbook(*asked, "--measure", slip).refusal() == (
                f"Task 't' has nothing for measure '{slip}'; it has nDCG@10. {meant}"
            )
    assert "Did you" not in roundbook("variance", "show", "t", "--measure", "P@5").refusal()


def test_tables_are_of_the_latest_round_where_the_measure_counts(roundbook, scores, tmp_path):
    """Not of a round of another measure, nor of one whose scores are withdrawn."""
    for label, measure in (("a", "AP"), ("b", "AP"), ("c", "P@5")):
        assert roundbook("log", "t", label, scores, "--measure", measure, "--create").code == 0
    words = ("report", "latex", "t", "--measure", "AP", "--format", "json", "--output")
    assert roundbook(*words, tmp_path / "b.tex").json["round"] == "b"
    assert roundbook("matrix", "withdraw", "2", "--reason", "slip").code == 0
    assert roundbook(*words, tmp_path / "a.tex").json["round"] == "a"


def test_scales_are_taken_as_they_are_printed(roundbook, scores):
    assert roundbook("log", "t", "r", scores, "--measure", "AP", "--create").code == 0
    for asked in (("standardise", "t", "r"), ("variance", "show", "t")):
        printed = [
            roundbook(*asked, "--measure", "AP", "--scale", scale, "--format", "json").json
            for scale in ("std-ab", "std-AB")
        ]
        assert printed[0] == printed[1]


def test_the_hint_of_an_empty_list_of_rounds_names_the_task(roundbook):
    roundbook("task", "create", "two words")
    assert "roundbook round create 'two words' ROUND" in roundbook("round", "list", "two words").out
    sentence = roundbook("round", "remove", "two words", "x").refusal()
    assert "roundbook round list 'two words'" in sentence


def test_a_round_that_a_plan_names_as_left_out_keeps_its_name(roundbook, scores):
    for label in ("round1", "round2"):
        log = ("log", "covid", label, scores, "--measure", "AP", "--create", "--format", "json")
        number = roundbook(*log).json["matrix"]
    roundbook("matrix", "withdraw", number, "--reason", "wrong")
    plan = ("--task", "covid", "--measure", "AP", "--m", "10", "--min-d", "0.1")
    assert roundbook("plan", "save", "next", *plan).code == 0
    refused = roundbook("round", "rename", "covid", "round2", "round9", "--force").refusal()
    assert "next" in refused
    roundbook("matrix", "restore", number, "--reason", "right after all")
    assert roundbook("plan", "show", "next", "--format", "json").json["new_rounds"] == ["round2"]
