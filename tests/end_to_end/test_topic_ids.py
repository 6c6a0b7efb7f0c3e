"""Topics that returned under another id: declared, shared by rounds, and what rests on them."""

from __future__ import annotations

import csv
import re
import shlex

import numpy as np
import pytest
from sqlalchemy import text

from roundbook.database.engine import unit_of_work


def read(path):
    """Return scores by topic, missing ones 0."""
    with path.open(encoding="utf-8", newline="") as stream:
        return {row[0]: [float(cell or 0) for cell in row[1:]] for row in [*csv.reader(stream)][1:]}


@pytest.fixture
def longeval(roundbook, shared):
    """LongEval 2023's two rounds, logged; their scores, and the core queries that both have."""
    folder = shared / "data/longeval2023"
    scores = {}
    for round_ in ("wt", "st"):
        path = folder / f"longeval2023irc_{round_}_ndcg.csv"
        log = ("log", "longeval", round_, path, "--measure", "nDCG", "--missing", "zero")
        assert roundbook(*log, "--create").code == 0
        scores[round_] = read(path)
    with (folder / "longeval2023_core_queries.tsv").open(encoding="utf-8", newline="") as stream:
        queries = [(row["qid_WT"], row["qid_ST"]) for row in csv.DictReader(stream, delimiter="\t")]
    return scores, [(wt, st) for wt, st in queries if wt in scores["wt"] and st in scores["st"]]


def write_ids(path, rows):
    path.write_text("topic,round,id there\n" + "".join(f"{','.join(row)}\n" for row in rows))
    return path


@pytest.mark.long
def test_core_queries_bridge_longevals_rounds(roundbook, longeval, tmp_path):
    scores, core = longeval
    assert len(core) == 15
    drift = ("drift", "longeval", "--measure", "nDCG", "--format", "json")
    before = roundbook(*drift, "--save").json
    assert (before["shared_topics"], before["verdict"]) == (0, "unbridged")
    plan = ("plan", "save", "next", "--task", "longeval", "--measure", "nDCG", "--m", "5")
    assert roundbook(*plan, "--min-d", ".1").code == 0
    pooled = roundbook("variance", "show", "longeval", "--measure", "nDCG", "--format", "json").json
    ids = write_ids(tmp_path / "core.csv", [(wt, "st", st) for wt, st in core])
    declared = roundbook("topic", "alias", "longeval", ids, "--format", "json")
    assert [(row["topic"], row["id"]) for row in declared.json["aliases"]] == core
    assert declared.json["stale"] == ["longeval/drift-1", "next"]
    assert "roundbook result renew longeval --stale" in declared.err
    again = roundbook("topic", "alias", "longeval", ids, "--format", "json").json
    assert (again["aliases"], again["unchanged"]) == ([], 15)

    # Applied by meaning: the matrices were logged before, and keep the ids of their files.
    report = roundbook(*drift).json
    assert report["shared_topics"] == 15
    means = {wt: (np.mean(scores["wt"][wt]), np.mean(scores["st"][st])) for wt, st in core}
    assert {row["topic"]: (row["mean_from"], row["mean_to"]) for row in report["topics"]} == {
        wt: pytest.approx(pair) for wt, pair in means.items()
    }
    curve = roundbook("drift", "longeval", "--measure", "nDCG", "--curve", "--format", "json").json
    assert [entry["shared_topics"] for entry in curve["rounds"]] == [15]
    words = ("standardise", "longeval", "st", "--measure", "nDCG", "--factors-from", "wt")
    standardised = roundbook(*words, "--format", "json").json
    assert set(standardised["topics"]) == {st for _, st in core}
    shown = roundbook("variance", "show", "longeval", "--measure", "nDCG", "--format", "json").json
    # The same variances, of fewer topics in all.
    assert shown["pooled"]["variance"] == pooled["pooled"]["variance"]
    assert shown["pooled"]["topics"] == pooled["pooled"]["topics"] - 15
    listed = roundbook("topic", "list", "longeval", "--aliased", "--format", "json").json["topics"]
    assert {(row["topic"], *row["aliases"]) for row in listed} == set(core)
    assert listed[0]["rounds"] == [
        {"round": "wt", "id": listed[0]["topic"]},
        {"round": "st", "id": listed[0]["aliases"][0]},
    ]

    # What rested on the topics that rounds share is stale, is renewed, and verifies.
    stale = roundbook("result", "list", "longeval", "--stale", "--format", "json").json["results"]
    assert {row["name"] for row in stale} == {"longeval/drift-1", "next"}
    shown = roundbook("result", "show", "next")
    assert "topics of it were declared to have other ids" in shown.out
    assert roundbook("result", "renew", "longeval", "--stale").code == 0
    assert roundbook("db", "verify").code == 0
    wt, st = core[0]
    undone = roundbook("topic", "unalias", "longeval", st, "--format", "json").json
    assert (undone["topic"], undone["id"]) == (wt, st)
    assert undone["stale"] == ["longeval/drift-1", "next"]
    assert roundbook(*drift).json["shared_topics"] == 14
    # By the ids as they were when it was saved.
    verified = roundbook("db", "verify", "--format", "json")
    assert (verified.code, verified.json["not_computed"]) == (0, [])
    assert "is not another id" in roundbook("topic", "unalias", "longeval", st).refusal()
    archive = tmp_path / "record.zip"
    assert roundbook("export", archive).code == 0


SCORES = "topic,a,b,c\n{0},.1,.2,.4\n{1},.5,.3,.2\n{2},.6,.7,.1\n"


@pytest.fixture
def logged(roundbook, tmp_path):
    """Two rounds of a task, of topics 1, 2, 3 and 3, 4, 5."""
    for label, topics in (("r1", (1, 2, 3)), ("r2", (3, 4, 5))):
        path = tmp_path / f"{label}.csv"
        path.write_text(SCORES.format(*topics))
        assert roundbook("log", "t", label, path, "--measure", "AP", "--create").code == 0
    return roundbook


def test_what_no_alias_can_be_is_refused_with_its_line(logged, tmp_path, snapshot):
    logged("round", "create", "t", "r3")
    ids = tmp_path / "ids.csv"
    before = snapshot()
    for row, reason in (
        (("1", "r2", "9"), "round 'r2' has no topic '9'"),
        (("9", "r2", "4"), "task 't' has no topic '9'; name it by the id it has in a round"),
        (("1", "r9", "4"), "Task 't' has no round 'r9'"),
        (("1", "r1", "2"), "'1' and '2' are two topics of round 'r1'"),
        (("3", "r2", "5"), "are two topics of round 'r2'"),
    ):
        sentence = logged("topic", "alias", "t", write_ids(ids, [row])).refusal()
        assert reason in sentence
        assert "ids.csv:2" in sentence or "r9" in sentence
    taken = write_ids(ids, [("1", "r2", "4"), ("2", "r2", "4")])
    assert "is the id of topic '1' already" in logged("topic", "alias", "t", taken).refusal()
    ids.write_text("topic,id\n1,4\n")
    assert "'round' is missing" in logged("topic", "alias", "t", ids).refusal()
    assert snapshot() == before
    # An id that no scores have yet, and an id of an id.
    rows = [("1", "r2", "4"), ("4", "r3", "77"), ("1", "r1", "1")]
    made = logged("topic", "alias", "t", write_ids(ids, rows), "--format", "json").json
    assert made["aliases"] == [{"topic": "1", "id": "4"}, {"topic": "1", "id": "77"}]
    assert made["unchanged"] == 1
    chain = write_ids(ids, [("5", "r1", "1")])
    assert "other ids stand for" in logged("topic", "alias", "t", chain).refusal()
    scores = tmp_path / "r3.csv"
    scores.write_text(SCORES.format(77, 8, 4))
    sentence = logged("log", "t", "r3", scores, "--measure", "AP").refusal()
    assert "'77' and '4' are ids of one topic" in sentence
    assert "roundbook topic unalias t 4" in sentence
    standardise = ("standardise", "t", scores, "--measure", "AP", "--factors-from", "r1")
    assert "'77' and '4' are ids of one topic" in logged(*standardise).refusal()
    scores.write_text(SCORES.format(77, 8, 9))
    assert logged("log", "t", "r3", scores, "--measure", "AP").code == 0
    words = ("drift", "t", "--measure", "AP", "--from", "r1", "--to", "r3", "--format", "json")
    assert [row["topic"] for row in logged(*words).json["topics"]] == ["1"]


@pytest.mark.parametrize("spelled", ["-5", "a\u00a0b", "x" * 300])
def test_an_id_that_only_a_file_can_give_is_taken_back_as_the_refusal_says(
    logged, tmp_path, spelled
):
    ids = write_ids(tmp_path / "ids.csv", [("1", "r9", spelled)])
    assert logged("round", "create", "t", "r9").code == 0
    assert logged("topic", "alias", "t", ids).code == 0
    other = write_ids(tmp_path / "other.csv", [("2", "r9", spelled)])
    sentence = logged("topic", "alias", "t", other).refusal()
    words = shlex.split(re.search(r"'roundbook (topic unalias .*)' if that is wrong", sentence)[1])
    assert logged(*words).code == 0
    assert logged("topic", "list", "t", "--aliased", "--format", "json").json["topics"] == []


def test_the_database_guards_that_a_topic_is_one(logged, engine, tmp_path):
    ids = write_ids(tmp_path / "ids.csv", [("1", "r2", "4")])
    assert logged("topic", "alias", "t", ids).code == 0
    insert = (
        "INSERT INTO roundbook.topic_alias (task_id, name, topic_id, software, recorded_by)"
        " SELECT task_id, '{}', id, 's', 'me' FROM roundbook.topic WHERE name = '{}'"
    )
    for statement, reason in (
        (insert.format("4", "2"), "duplicate key"),
        (insert.format("5", "4"), "cannot be the other id"),
        (insert.format("1", "5"), "cannot be the other id"),
        (insert.format("5", "5"), "cannot be the other id"),
        (insert.format("5", "1"), "two topics of one score matrix"),
        ("UPDATE roundbook.topic_alias SET name = 'x'", "is refused"),
        (
            "INSERT INTO roundbook.matrix_topic (matrix_id, position, topic_id, topics)"
            " SELECT 1, 2, id, 3 FROM roundbook.topic WHERE name IN ('1', '4')",
            "duplicate key|a topic twice",
        ),
    ):
        with unit_of_work(engine) as connection:
            with pytest.raises(Exception, match=reason):
                connection.execute(text(statement))
            connection.rollback()


def test_topics_of_superseded_or_withdrawn_scores_are_none_of_the_rounds(
    roundbook, logged, tmp_path
):
    (tmp_path / "own.csv").write_text(SCORES.format(6, 7, 8))
    revise = ("--measure", "AP", "--revise", "wrong file")
    assert roundbook("log", "t", "r2", tmp_path / "own.csv", *revise).code == 0

    def rounds():
        listed = roundbook("topic", "list", "t", "--format", "json").json["topics"]
        return {row["topic"]: [entry["round"] for entry in row["rounds"]] for row in listed}

    own = {name: ["r2"] for name in "678"}
    assert rounds() == {name: ["r1"] for name in "123"} | {"4": [], "5": []} | own
    gone = write_ids(tmp_path / "gone.csv", [("1", "r2", "4")])
    assert "round 'r2' has no topic '4'" in roundbook("topic", "alias", "t", gone).refusal()
    assert roundbook("matrix", "withdraw", "1", "--reason", "a slip").code == 0
    assert rounds() == {name: [] for name in "12345"} | own
