"""Runs and relevance assessments in the record: logged whole, listed, loaded, never changed."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from sqlalchemy import select, text
from tests.databases import scalar
from tests.factories import log_scores

from roundbook.database.engine import unit_of_work
from roundbook.database.tables import round_
from roundbook.errors import (
    ContentDiffersError,
    DatabaseError,
    InputError,
    NotRecordedError,
    RecordError,
    RevisedMeanwhileError,
)
from roundbook.logbook.events import list_events
from roundbook.logbook.round_changes import remove_round
from roundbook.logbook.rounds import create_round
from roundbook.logbook.runs.assessing import log_qrels
from roundbook.logbook.runs.listing import list_qrels, list_runs
from roundbook.logbook.runs.log_runs import log_runs
from roundbook.logbook.runs.storing import load_assessed_runs
from roundbook.logbook.session import begin
from roundbook.logbook.tasks import create_task, remove_task
from roundbook.logbook.topics import alias_topics
from roundbook.logbook.verifying.record import verify_record
from roundbook.presentation.record import difference_sentence
from roundbook.presentation.runs import run_notes
from roundbook.requests.record import EventsRequest, VerifyRequest
from roundbook.requests.runs import ListQrels, ListRuns, LogQrels, LogRuns
from roundbook.requests.tasks import AliasTopics, CreateRound, CreateTask, RemoveRound, RemoveTask
from roundbook.statistics.measures.hits import find_hits
from roundbook.statistics.measures.measure import parse_measure
from roundbook.statistics.measures.scores import score_runs

RUN_A = """\
1 Q0 d1 1 2.5 a
1 Q0 d2 2 2.5 a
1 Q0 d3 3 9 a
2 Q0 d2 1 1 a
"""
RUN_B = """\
2 Q0 d4 1 3 b
2 Q0 d1 2 2 b
"""
QRELS = """\
1 0 d2 1
1 0 d9 2
2 0 d1 -1
2 0 d4 0
"""


def runs(engine, *files, keep=True, user="ann", **options):
    with begin(engine, user, keep=keep) as session:
        asked = {"task": "t", "round": "1"} | options
        return log_runs(session, LogRuns(files=files, **asked))


def assess(engine, file, *, keep=True, user="ann", **options):
    with begin(engine, user, keep=keep) as session:
        asked = {"task": "t", "round": "1"} | options
        return log_qrels(session, LogQrels(file=file, **asked))


def load(engine, label="1", assessments=None, **options):
    with unit_of_work(engine) as connection:
        row = connection.execute(select(round_).filter_by(label=label)).one()
        return load_assessed_runs(connection, row, assessments, **options)


def counts(engine):
    tables = ("run_upload", "uploaded_run", "run_list", "document_names", "qrels", "judgment_list")
    return {
        table: scalar(engine, f"SELECT count(*) FROM roundbook.{table}")
        for table in (*tables, "run", "topic", "round", "event")
    }


@pytest.fixture
def files(tmp_path):
    def write(name, content):
        (tmp_path / name).write_text(content, encoding="utf-8")
        return tmp_path / name

    return write


def test_runs_and_assessments_are_logged_once_and_loaded_as_arrays(engine, files):
    a, b, qrels = files("a", RUN_A), files("b", RUN_B), files("qrels", QRELS)
    with pytest.raises(NotRecordedError, match="no task 't'"):
        runs(engine, a)
    tried = runs(engine, a, create=True, keep=False, dry_run=True)
    assert (tried.status, tried.upload, tried.documents) == ("logged", None, 4)
    assert set(counts(engine).values()) == {0}

    logged = runs(engine, a, create=True)
    assert (logged.upload, logged.status, logged.runs, logged.lists) == (1, "logged", 1, 2)
    assert (logged.documents, logged.new_documents, logged.new_topics) == (4, 3, ["1", "2"])
    assert (logged.files[0].file, logged.files[0].size) == (str(a), len(RUN_A))
    with pytest.raises(NotRecordedError, match="no relevance assessments"):
        load(engine)
    made = assess(engine, qrels)
    assert (made.revision, made.judged, made.relevant) == (1, 4, 2)
    assert (made.grades, made.new_documents) == ({"-1": 1, "0": 1, "1": 1, "2": 1}, 2)
    assert (made.without_relevant, made.without_judgments) == (["2"], [])

    # A later upload goes on numbering, and the judged ones are among the numbered.
    further = runs(engine, a, b)
    assert (further.upload, further.runs, further.unchanged_runs) == (2, 1, 1)
    assert further.new_documents == 0
    loaded = load(engine, scores=True)
    official = {"round": "1", "assessments": "official", "revision": 1, "upload": 2}
    assert loaded.about == official
    assert (loaded.runs, loaded.topics) == (["a", "b"], ["1", "2"])
    # d1, d2, d3 came with the first run, in the file's order; ties stand by name, the last first.
    names = ["d1", "d2", "d3", "d9", "d4"]
    assert loaded.lists.dtype == np.int32
    assert loaded.lists.tolist() == [
        [[names.index(name) for name in ("d3", "d2", "d1")], [1, -1, -1]],
        [[-1, -1, -1], [4, 0, -1]],
    ]
    assert loaded.scores.tolist()[0][0] == [9, 2.5, 2.5]
    assert np.isnan(loaded.scores[1, 0]).all()
    judged = loaded.judgments
    assert (judged.topics, judged.topic.tolist()) == (2, [0, 0, 1, 1])
    assert [names[number] for number in judged.document] == ["d2", "d9", "d1", "d4"]
    assert judged.grade.tolist() == [1, 2, -1, 0]
    assert load(engine).scores is None

    before = counts(engine)
    assert (runs(engine, b, a).status, assess(engine, qrels).status) == ("unchanged", "unchanged")
    assert counts(engine) == before
    with begin(engine) as session:
        listed = list_runs(session, ListRuns(task="t", round="1"))
        events = list_events(session, EventsRequest(task="t")).events
    assert [(entry.upload, entry.runs, entry.documents) for entry in listed.uploads] == [
        (1, 1, 4),
        (2, 1, 2),
    ]
    assert [(entry.run, entry.upload, entry.topics) for entry in listed.runs] == [
        ("a", 1, 2),
        ("b", 2, 1),
    ]
    assert [event.what for event in events][-3:] == [
        "runs logged",
        "assessments logged",
        "runs logged",
    ]
    assert events[-1].details["upload"] == 2


def test_runs_of_another_round_are_told_of(engine, files):
    a, b = files("a", RUN_A), files("b", RUN_B)
    logged = runs(engine, a, create=True)
    assert logged.without_scores == []  # the round has no scores yet
    log_scores(engine, "1", np.array([[0.1], [0.3]]), runs=["a"])
    further = runs(engine, a, b, keep=False)  # whose scores may come later
    assert (further.runs, further.without_scores) == (1, [])
    log_scores(engine, "1", np.array([[0.1, 0.2], [0.3, 0.5]]), measure="P@5", runs=["a", "c"])
    other = runs(engine, a, b)
    assert (other.without_scores, other.without_lists) == (["b"], ["c"])
    assert run_notes(other)[-1] == (
        "1 of the 1 new run is in none of the round's score matrices: b; check that the file is of"
        " round '1'."
    )


def test_nothing_is_ever_changed(engine, files):
    runs(engine, files("a", RUN_A), create=True)
    qrels = files("qrels", QRELS)
    assess(engine, qrels)
    before = counts(engine)
    both = files("both", RUN_A.replace("d3 3 9", "d3 3 8") + RUN_B)
    with pytest.raises(ContentDiffersError, match="Run 'a' of round '1' has other lists"):
        runs(engine, both)
    other = files("other", QRELS + "1 0 d1 1\n")
    with pytest.raises(ContentDiffersError, match="other judgments are logged already"):
        assess(engine, other)
    with pytest.raises(NotRecordedError, match="yet to revise"):
        assess(engine, other, assessments="gold", revise="why not")
    with pytest.raises(RevisedMeanwhileError):
        assess(engine, other, revise="one was missing", expected_revision=2)
    with pytest.raises(InputError, match="no document has a grade above 0"):
        assess(engine, files("none", "1 0 d1 0\n"), assessments="none")
    assert counts(engine) == before

    revised = assess(engine, other, revise="One was missing", expected_revision=1)
    assert (revised.revision, revised.judged) == (2, 5)
    assess(engine, qrels, assessments="bronze")
    with pytest.raises(InputError, match=r"several assessments \(bronze, official\)"):
        load(engine)
    assert (
        load(engine, assessments="official").about["revision"],
        load(engine, assessments="bronze").about["revision"],
    ) == (2, 1)
    with begin(engine) as session:
        listed = list_qrels(session, ListQrels(task="t")).qrels
    assert [(row.assessments, row.revision, row.current, row.reason) for row in listed] == [
        ("bronze", 1, True, None),
        ("official", 1, False, None),
        ("official", 2, True, "One was missing"),
    ]


def test_the_database_refuses_changes_and_halves(engine, files):
    runs(engine, files("a", RUN_A), create=True)
    assess(engine, files("qrels", QRELS))
    refusals = {
        "INSERT INTO roundbook.run_list SELECT run_upload_id, run_id, TOPIC, documents, scores"
        " FROM roundbook.run_list WHERE topic_id = 1": "has its lists and takes no further",
        "INSERT INTO roundbook.judgment_list SELECT qrels_id, TOPIC, documents, grades"
        " FROM roundbook.judgment_list WHERE topic_id = 1": "have their judgments",
        "INSERT INTO roundbook.document_names VALUES (1, 7, '{d7}', 'x')": "do not follow",
        "INSERT INTO roundbook.run_upload (round_id, number, runs, documents, beyond_depth, files,"
        " file_sizes, file_hashes, software, logged_by)"
        " VALUES (1, 2, 1, 1, 0, '{f}', '{1}', '{h}', 's', 'me')": "says 1 runs and 1 doc",
        "INSERT INTO roundbook.qrels (round_id, assessments, revision, reason, topics, judged,"
        " relevant, content_hash, files, file_sizes, file_hashes, software, logged_by)"
        " VALUES (1, 'official', 2, 'r', 1, 1, 0, 'h', '{f}', '{1}', '{h}', 's', 'me')": "say 1 topics",
        "INSERT INTO roundbook.uploaded_run VALUES (1, RUN, 1, 1, 'h')": "has its runs and takes no",
        **{
            "INSERT INTO roundbook.run_list VALUES"
            f" (1, 1, TOPIC, '{documents}', '{scores}')": "check constraint"
            for documents, scores in (
                ("{1,2}", "{1}"),
                ("{}", "{}"),
                ("{-1}", "{1}"),
                ("{NULL}", "{1}"),
                ("{1}", "{NaN}"),
                ("{1}", "{Infinity}"),
                ("{1}", "{NULL}"),
            )
        },
    }
    for statement, sentence in refusals.items():
        with pytest.raises(DatabaseError, match=sentence), unit_of_work(engine) as connection:
            connection.execute(text("INSERT INTO roundbook.topic (task_id, name) VALUES (1, 'x')"))
            connection.execute(text("INSERT INTO roundbook.run (round_id, tag) VALUES (1, 'z')"))
            ids = (
                "SELECT (SELECT max(id) FROM roundbook.topic), (SELECT max(id) FROM roundbook.run)"
            )
            topic, run = connection.execute(text(ids)).one()
            row = statement.replace("TOPIC", str(topic)).replace("RUN", str(run))
            connection.execute(text(row))
            connection.commit()


@pytest.mark.parametrize(
    ("table", "change", "sentence"),
    [
        (
            "run_list",
            "SET scores = ARRAY[8, 2.5, 2.5]::real[] WHERE cardinality(scores) = 3",
            "'t' round '1', run 'a': these are not the lists that were logged: their hash is another",
        ),
        (
            "run_list",
            "SET documents = ARRAY[99], scores = ARRAY[9]::real[] WHERE cardinality(scores) = 3",
            "'t' round '1', run 'a': documents is 4, and what is there gives 2",
        ),
        ("uploaded_run", "SET topics = 3", "run 'a': topics is 3, and what is there gives 2"),
        (
            "document_names",
            "SET names = ARRAY['d1', 'd2', 'd2'] WHERE first = 0",
            "the names of documents from number 0 on are not those that were logged",
        ),
        (
            "judgment_list",
            "SET grades = ARRAY[2, 1] WHERE grades = ARRAY[1, 2]",
            "assessments 'official', revision 1: these are not the judgments that were logged",
        ),
        ("qrels", "SET relevant = 4", "relevant is 4, and what is there gives 2"),
        (
            "event",
            "SET what = 'x' WHERE what = 'runs logged'",
            "upload 1: no event says 'runs logged' of it",
        ),
    ],
)
def test_what_was_altered_is_found(engine, files, table, change, sentence):
    runs(engine, files("a", RUN_A), create=True)
    assess(engine, files("qrels", QRELS))
    with begin(engine, keep=False) as session:
        assert verify_record(session, VerifyRequest()).status == "verified"
        for statement in (
            "SET CONSTRAINTS ALL IMMEDIATE",
            f"ALTER TABLE roundbook.{table} DISABLE TRIGGER USER",
            f"UPDATE roundbook.{table} {change}",
        ):
            session.connection.execute(text(statement))
        verification = verify_record(session, VerifyRequest())
        assert sentence in difference_sentence(verification.differences[0].first)


def test_a_round_with_runs_or_assessments_stays(engine, files):
    runs(engine, files("a", RUN_A), create=True)
    assess(engine, files("qrels", QRELS), round="2", create=True)
    for label in ("1", "2"):
        with pytest.raises(RecordError, match="so it stays"), begin(engine) as session:
            remove_round(session, RemoveRound(task="t", round=label))
        with pytest.raises(DatabaseError), unit_of_work(engine) as connection:
            connection.execute(
                text("DELETE FROM roundbook.round WHERE label = :label"), {"label": label}
            )
    with pytest.raises(RecordError, match="so it stays"), begin(engine) as session:
        remove_task(session, RemoveTask(task="t"))
    with begin(engine) as session:
        create_task(session, CreateTask(task="u"))
        create_round(session, CreateRound(task="u", round="1"))
        remove_round(session, RemoveRound(task="u", round="1"))


def test_a_topic_is_one_under_all_of_its_ids(engine, files):
    runs(engine, files("a", RUN_A), create=True)
    assess(engine, files("qrels", QRELS.replace("2 0", "2b 0")))
    assert load(engine).lists[0, 1].tolist() == [-1, -1, -1]
    with unit_of_work(engine) as connection:
        connection.execute(
            text(
                "INSERT INTO roundbook.topic_alias (task_id, name, topic_id, software, recorded_by)"
                " SELECT task_id, '2b', id, 's', 'me' FROM roundbook.topic WHERE name = '2'"
            )
        )
        connection.commit()
    loaded = load(engine)
    assert (loaded.topics, loaded.lists[0, 1].tolist()) == (["1", "2b"], [1, -1, -1])
    with pytest.raises(InputError, match="are ids of one topic"):
        runs(engine, files("b", RUN_B + "2b Q0 d1 1 1 b\n"))


def test_two_topics_of_a_run_are_not_declared_to_be_one(engine, files):
    runs(engine, files("a", RUN_A), create=True)
    assess(engine, files("qrels", QRELS), round="2", create=True)
    for label in ("1", "2"):
        ids = files("ids.csv", f"topic,round,id\n1,{label},2\n")
        held = "its runs" if label == "1" else "its (runs|assessments)"
        with (
            pytest.raises(InputError, match=rf"'1' and '2' are two topics of round '.' \({held}\)"),
            begin(engine) as session,
        ):
            alias_topics(session, AliasTopics(task="t", file=ids))


def test_the_runs_of_trec_covid_give_its_official_scores(engine, shared):
    data = shared / "data" / "treccovid"
    logged = runs(engine, data / "round1_runs_top20.txt.gz", create=True)
    assert (logged.runs, logged.topics, logged.status) == (143, 30, "logged")
    with gzip.open(data / "round1_runs_top20.txt.gz", "rt") as lines:
        assert logged.documents == sum(1 for _ in lines)
    made = assess(engine, data / "round1.qrels.gz")
    assert (made.topics, made.judged, made.relevant) == (30, 8691, 2352)
    loaded = load(engine)
    assert loaded.lists.shape == (143, 30, 20)
    hits = find_hits(loaded.lists, loaded.judgments)
    scores = score_runs(parse_measure("P@5"), hits, loaded.judgments)
    with (data / "treccovid_round1_p5.csv").open(encoding="utf-8") as file:
        tags = file.readline().strip().split(",")[1:]
        official = {line.split(",")[0]: line.strip().split(",")[1:] for line in file}
    columns = [loaded.runs.index(tag) for tag in tags]
    for row, name in enumerate(loaded.topics):
        assert scores[row, columns].tolist() == pytest.approx([*map(float, official[name])])
