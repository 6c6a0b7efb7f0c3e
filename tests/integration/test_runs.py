"""Runs and relevance assessments in the record: logged whole, listed, loaded, never changed."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from sqlalchemy import event, select, text
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
from roundbook.logbook.study_source import StudySource
from roundbook.logbook.tasks import create_task, remove_task
from roundbook.logbook.topics import alias_topics
from roundbook.logbook.verifying.record import verify_record
from roundbook.presentation.record import difference_sentence
from roundbook.presentation.runs import qrels_notes, run_notes
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
    official = StudySource(2, 2, round="1", assessments="official", revision=1, upload=2)
    assert loaded.source == official
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
    assert [entry.what for entry in events][-3:] == [
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
    assert (
        "1 of the 1 new run is in none of the round's score matrices: b; check that the file is of"
        " round '1'."
    ) in run_notes(other)


def test_lists_that_another_round_has_are_told_of(engine, files):
    a, b, both = files("a", RUN_A), files("b", RUN_B), files("both", RUN_B + RUN_A)
    assert runs(engine, a, b, create=True).same_lists is None
    # The documents of the other round are numbered otherwise, so that the hashes differ.
    assess(engine, files("qrels", QRELS), round="2", create=True)
    tried = runs(engine, both, round="2", keep=False, dry_run=True)
    slip = runs(engine, both, round="2")
    for logged in (tried, slip):
        assert logged.same_lists.model_dump() == {"round": "1", "runs": 2}
        assert run_notes(logged) == [
            "Round '1' has exactly the same lists of 2 runs; check that the file is of round '2'."
        ]
    assert scalar(engine, "SELECT count(DISTINCT content_hash) FROM roundbook.uploaded_run") == 4
    assert runs(engine, both, round="2").same_lists is None  # nothing was logged
    c = files("c", RUN_A.replace(" a\n", " c\n"))
    further = runs(engine, a, c, round="3", create=True)
    assert run_notes(further) == [
        "Round '1' has exactly the same lists of 1 of the 2 new runs; check that the file is of round"
        " '3'."
    ]
    # Of the same numbers, and so of the same hash, but on other documents.
    other = runs(engine, files("a", RUN_A.replace("d", "e")), round="4", create=True)
    assert other.same_lists is None
    elsewhere = runs(engine, a, task="u", round="5", create=True)
    assert elsewhere.same_lists is None
    # Of the same tags and sizes as in the first round, on the topics of the fifth.
    on_others = RUN_A.replace("1 Q0", "5 Q0").replace("2 Q0", "6 Q0")
    runs(engine, files("fifth", on_others), round="5", create=True)
    assess(engine, files("qrels", QRELS), round="6", create=True)
    again = runs(engine, files("again", on_others + "\n"), round="6")
    assert again.same_lists.round == "5"


def test_runs_without_a_topic_of_the_round_are_told_of(engine, files):
    a, b = files("a", RUN_A), files("b", RUN_B.replace("2 Q0", "3 Q0"))
    assert runs(engine, a, b, create=True, keep=False).without_round_topics == []
    assess(engine, files("qrels", QRELS), create=True)
    logged = runs(engine, a, b, keep=False, dry_run=True)
    assert logged.without_round_topics == ["b"]
    note = (
        "1 of the 2 new runs has no list for any topic that is assessed or has scores in round '1':"
        " b; check that the file is of this round."
    )
    assert note in run_notes(logged)
    with begin(engine) as session:
        ids = files("ids.csv", "topic,round,id\n2,1,3\n")
        alias_topics(session, AliasTopics(task="t", file=ids))
    assert runs(engine, b).without_round_topics == []
    log_scores(engine, "2", np.array([[0.1], [0.3]]), topics=["2", "9"], runs=["c"])
    assert runs(engine, a, round="2", keep=False).without_round_topics == []
    c = files("c", "4 Q0 d1 1 1 c\n")
    assert runs(engine, c, round="2").without_round_topics == ["c"]


def test_topics_of_runs_that_a_round_lacks_are_told_of(engine, files):
    a, b = files("a", RUN_A), files("b", RUN_B + "8 Q0 d1 1 1 b\n9 Q0 d1 1 1 b\n")
    assert runs(engine, a, create=True).foreign_topics == []
    # Topics that are new to the task are said to be new, and those of the round may be more.
    assert runs(engine, a, b, keep=False).foreign_topics == []
    log_scores(engine, "2", np.array([[0.1], [0.3]]), topics=["8", "9"], runs=["late"])
    logged = runs(engine, a, b)
    assert (logged.foreign_topics, logged.without_round_topics) == (["8", "9"], [])
    note = (
        f"2 of the {logged.topics} topics of the new runs are of other rounds of the task, and in no"
        " scores, assessments or other run of round '1' (8, 9); check that the file is of this round."
    )
    assert note in run_notes(logged)
    c = files("c", "8 Q0 d1 1 1 c\n")
    assert runs(engine, c).foreign_topics == []


def test_scores_from_files_that_corrected_assessments_leave_as_they_are(engine, files):
    assess(engine, files("qrels", QRELS), create=True)
    for measure, label in (("P@5", "official"), ("AP", "official"), ("RR", "crowd")):
        log_scores(engine, "1", np.array([[0.1, 0.2], [0.3, 0.5]]), topics=["1", "2"], runs=["a", "b"],
                   measure=measure, assessments=label)  # fmt: skip
    corrected = files("corrected", QRELS + "1 0 late 1\n")
    logged = assess(engine, corrected, revise="judged late")
    assert logged.scores_from_files == ["AP", "P@5"]
    assert (
        "The round's scores of AP and P@5 by these assessments were logged from files: if they rest on"
        " an earlier revision, log them anew."
    ) in qrels_notes(logged)
    assert assess(engine, corrected).scores_from_files == []


def test_judgments_that_another_round_has_are_told_of(engine, files):
    qrels = files("qrels", QRELS)
    assess(engine, qrels, create=True)
    runs(engine, files("b", RUN_B), round="2", create=True)  # which numbers its documents first
    turned = files("turned", "".join(reversed(QRELS.splitlines(keepends=True))))
    tried = assess(engine, turned, round="2", keep=False, dry_run=True)
    slip = assess(engine, turned, round="2")
    for logged in (tried, slip):
        assert logged.same_judgments.model_dump() == {
            "round": "1",
            "assessments": "official",
            "revision": 1,
        }
        assert (
            "Round '1' has exactly the same judgments (official assessments, revision 1); check that"
            " the file is of round '2'."
        ) in qrels_notes(logged)
    assert assess(engine, turned, round="2").same_judgments is None  # nothing was logged
    other = assess(engine, files("other", QRELS.replace("d", "e")), round="3", create=True)
    assert other.same_judgments is None
    # Once the slip is mended, its judgments are not those of the other round.
    assess(engine, files("mended", QRELS + "2 0 d3 1\n"), round="2", revise="the wrong file")
    fourth = assess(engine, qrels, round="4", create=True)
    assert fourth.same_judgments.round == "1"
    assess(engine, files("mended", QRELS + "1 0 d7 1\n"), revise="one was missing")
    fifth = assess(engine, qrels, round="5", create=True)
    assert fifth.same_judgments.round == "4"


def test_a_revision_says_which_judgments_changed(engine, files):
    first = assess(engine, files("qrels", QRELS), create=True)
    assert first.changes is None
    revised = "1 0 d2 2\n1 0 d9 2\n2 0 d1 -1\n3 0 d4 0\n3 0 d5 1\n"
    for options in ({"keep": False, "dry_run": True}, {}):
        logged = assess(engine, files("revised", revised), revise="a slip", **options)
        assert logged.changes.model_dump() == {
            "judgments": 3,
            "changed": 1,
            "added": 2,
            "removed": 1,
        }
        note = "Against revision 1: 1 of 3 judgments changed, 2 added, 1 removed."
        assert note in qrels_notes(logged, "a slip")
    assert assess(engine, files("revised", revised), revise="a slip").changes is None
    # A topic under another of its ids is the same topic.
    with begin(engine) as session:
        ids = files("ids.csv", "topic,round,id\n3,1,3b\n")
        alias_topics(session, AliasTopics(task="t", file=ids))
    renamed = revised.replace("3 0", "3b 0") + "1 0 d3 0\n"
    logged = assess(engine, files("renamed", renamed), revise="one more")
    assert qrels_notes(logged)[1] == "Against revision 2: 0 of 5 judgments changed, 1 added."


def test_the_number_of_queries_does_not_grow_with_rounds(engine, files):
    a, b, qrels = files("a", RUN_A), files("b", RUN_B), files("qrels", QRELS)

    def queries(label):
        seen = []

        def count(*call):
            seen.append(call[2])

        event.listen(engine, "after_cursor_execute", count)
        runs(engine, a, b, round=label, create=True)
        assess(engine, qrels, round=label)
        event.remove(engine, "after_cursor_execute", count)
        return len(seen)

    queries("1")
    second = queries("2")
    assert [queries(f"{number}") for number in range(3, 6)] == [second] * 3


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
        load(engine, assessments="official").source.revision,
        load(engine, assessments="bronze").source.revision,
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
