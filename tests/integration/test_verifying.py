"""The record verified: what was altered behind the program's back is found, named and counted."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import text
from tests.databases import database_on, execute
from tests.factories import (
    export_archive,
    import_archive,
    log_scores,
    save_report,
)
from tests.factories import verify_record as verify_all
from tests.releases.campaign import PLAN, REPORT

from roundbook.errors import NotRecordedError
from roundbook.logbook.fitting import fit_factor_set
from roundbook.logbook.saved_results import show_result
from roundbook.logbook.saving import save_result
from roundbook.logbook.session import begin, ignore_progress
from roundbook.logbook.verifying.differences import Difference, unlike
from roundbook.logbook.verifying.record import verify_record
from roundbook.logbook.verifying.saved_results import result_differences
from roundbook.presentation.record import difference_sentence, not_computed_sentences
from roundbook.requests.drift import DriftRequest
from roundbook.requests.factors import FitRequest
from roundbook.requests.record import VerifyRequest
from roundbook.requests.results import SaveResult, ShowResult
from roundbook.requests.studies import LeaveOneOutRequest, PerTopicVarianceRequest

GUARDED = ("score_vector", "matrix", "factor", "factor_set", "factor_set_run", "variance_estimate",
           "result", "result_input", "event", "withdrawal", "round", "matrix_topic", "run",
           "task", "measure", "document_names", "uploaded_run", "run_upload",
           "published_variance")  # fmt: skip


@pytest.fixture(scope="module")
def imported(server, template, whole):
    """A campaign without the guards against what is altered, which no test keeps."""
    with database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as engine:
        import_archive(engine, whole)
        tables = (f"ALTER TABLE roundbook.{table} DISABLE TRIGGER USER" for table in GUARDED)
        execute(engine, *tables)
        yield engine


@pytest.fixture
def record(imported):
    """A session that is taken back."""
    with begin(imported, keep=False) as session:
        yield session


def alter(session, *statements):
    for statement in statements:
        session.connection.execute(text(statement))


def differences_in(session, **request):
    """Return what differs: by kind, how many times, and the first in a sentence."""
    verification = verify_record(session, VerifyRequest(**request))
    assert verification.status == ("different" if verification.differences else "verified")
    return {
        difference.kind: (difference.count, difference_sentence(difference.first))
        for difference in verification.differences
    }


@pytest.mark.long
def test_an_unaltered_record(record):
    steps = []
    verification = verify_record(record, VerifyRequest(), steps.append)
    assert (verification.status, verification.differences) == ("verified", [])
    assert verification.tasks == ["web", "speech"]
    assert (verification.matrices, verification.factor_sets) == (11, 12)
    assert (verification.variances, verification.results) == (41, 4)
    assert verification.events > 30
    assert "Verifying matrix 11 of 11 ..." in steps
    one = verify_record(record, VerifyRequest(task="speech"))
    assert (one.tasks, one.matrices, one.results) == (["speech"], 0, 0)


def test_an_empty_record(engine):
    with begin(engine) as session:
        assert differences_in(session) == {}
        with pytest.raises(NotRecordedError, match="no task 'none'"):
            differences_in(session, task="none")


FIRST = "'web' round '2023', nDCG@10 (official, revision 1)"

# What is altered, and what is found first of each kind, with how many.
ALTERED = {
    "a score": (
        "UPDATE roundbook.score_vector SET scores[1] = 0.5 WHERE matrix_id = 1 AND position = 0",
        {
            "content-hash": (1, f"{FIRST}: these are not the scores that were logged: their hash"),
            "factors": (2, f"{FIRST}, factor version 1: the mean of topic '1' is 0.7079125, and"),
            "variance": (None, f"{FIRST}, raw scale: sum_of_squares is 4.33"),
            "variance-parts": (None, f"{FIRST}, raw scale: two_way_runs_part is 0.0"),
        },
    ),
    "a hash": (
        "UPDATE roundbook.matrix SET content_hash = repeat('0', 64) WHERE id = 2",
        {
            "content-hash": (1, "their hash is another"),
            "event": (1, "in which nothing has changed since, has "),
        },
    ),
    "means": (
        "UPDATE roundbook.factor SET mean = mean + 0.25 WHERE factor_set_id = 1",
        {
            "factors": (12, f"{FIRST}, factor version 1: the mean of topic '1' is 0.9579125"),
            "variance": (None, "scale by factor version 1: "),
            "variance-parts": (None, "scale by factor version 1: "),
        },
    ),
    "a standardising run": (
        "DELETE FROM roundbook.factor_set_run WHERE factor_set_id = 4 AND run_id ="
        " (SELECT min(run_id) FROM roundbook.factor_set_run WHERE factor_set_id = 4)",
        {"factors": (1, "it says that 4 runs standardise it, but 3 do")},
    ),
    "a topic's factor": (
        "DELETE FROM roundbook.factor WHERE factor_set_id = 1 AND topic_id = 1",
        {
            "factors": (1, "factor version 1: it has factors of 11 topics, not of 12"),
            "variance": (2, "Factor version 1 has factors of 11 topics, not of 12"),
        },
    ),
    "a variance": (
        "UPDATE roundbook.variance_estimate SET variance = 0.5, dof = dof + 1 WHERE id = 2",
        {"variance": (2, "std-ab scale by factor version 1: dof is 89, and the scores give 88")},
    ),
    "a runs' part": (
        "UPDATE roundbook.variance_estimate SET runs_part = runs_part + 1e-8 WHERE id = 2",
        {"variance-parts": (1, "runs_part is 0.0079458")},
    ),
    "the squares of a topic": (
        "UPDATE roundbook.variance_estimate SET topic_squares[3] = 2 * topic_squares[3]"
        " WHERE id = 1",
        {"variance-parts": (1, f"{FIRST}, raw scale: the topic_squares of topic '3' is ")},
    ),
    "two-way squares taken away": (
        "UPDATE roundbook.variance_estimate SET two_way_topic_squares = NULL WHERE id = 1",
        {"variance-parts": (1, "two_way_topic_squares")},
    ),
    "the topics of an estimate": (
        "UPDATE roundbook.variance_estimate SET topic_ids[1] = topic_ids[2] WHERE id = 1",
        {"variance-parts": (1, f"{FIRST}, raw scale: its topics are not those of the scores")},
    ),
    "clusters": (
        "UPDATE roundbook.variance_estimate SET clusters = 5 WHERE id = 10",
        {
            "variance-parts": (None, "clusters is 5 in the last estimate, and the runs' teams"),
            "result": (None, "clusters of rounds of estimate is "),
        },
    ),
    "a plan": (
        "UPDATE roundbook.result SET result = jsonb_set(result, '{variance}', '0.5')"
        " WHERE name = 'next web' AND version = 1",
        {"result": (1, "plan 'next web' version 1: variance is 0.5, and what it rests on")},
    ),
    "an illegible plan": (
        "UPDATE roundbook.result SET result = '{}' WHERE name = 'next web' AND version = 1",
        {"result": (1, "plan 'next web' version 1: a result cannot be read")},
    ),
    "a plan's task": (
        "UPDATE roundbook.result SET task_id = 2 WHERE name = 'next web'",
        {
            "event": (4, "plan 'next web' version 1: no event says 'plan saved' of it"),
            "result": (5, "the task of round '2023' is speech, and what it rests on gives web"),
        },
    ),
    "a plan's inputs": (
        "DELETE FROM roundbook.result_input WHERE position = 1 AND result_id ="
        " (SELECT id FROM roundbook.result WHERE name = 'next web' AND version = 1)",
        {"result": (1, "its result tells of 2 inputs, and 1 are listed")},
    ),
    "a report": (
        "UPDATE roundbook.result SET result ="
        " jsonb_set(result, '{topics,0,mean_from}', '0.5') WHERE kind = 'drift'",
        {
            "result": (
                None,
                "drift report 'web/drift-1' version 1: the mean_from of topic '1' is 0.5",
            )
        },
    ),
    "a topic set size": (
        "UPDATE roundbook.result SET result = jsonb_set(result, '{cells,0,topics}', '7')"
        " WHERE name = 'next web' AND version = 2",
        {"result": (1, "plan 'next web' version 2: topics of cells is 7, and what it rests on")},
    ),
    "the interval of a plan": (
        "UPDATE roundbook.result SET result ="
        " jsonb_set(result, '{estimate,pooled,interval,low}', '0.001')"
        " WHERE name = 'next web' AND version = 2",
        {"result": (1, "low of interval of pooled of estimate is 0.001, and what")},
    ),
    "an event's task": (
        "UPDATE roundbook.event SET task_id = 2 WHERE what = 'round published'",
        {"event": (1, "task_id is speech, and it refers to web")},
    ),
    "an event's round": (
        "UPDATE roundbook.event SET round_id = 2 WHERE what = 'matrix logged' AND matrix_id = 1",
        {"event": (1, "round_id is 2024, and it refers to 2023")},
    ),
    "a withdrawal's event": (
        "UPDATE roundbook.event SET what = 'other' WHERE what = 'matrix restored'",
        {"event": (1, "it has 2 withdrawals and restorations, and 1 events of them")},
    ),
    "a matrix's events": (
        "UPDATE roundbook.event SET matrix_id = NULL WHERE matrix_id = 1",
        {"event": (1, f"{FIRST}: no event says 'matrix logged' of it")},
    ),
}


@pytest.mark.one_server
@pytest.mark.long
@pytest.mark.parametrize("what", ALTERED)
def test_what_was_altered_is_found(record, what):
    statement, expected = ALTERED[what]
    alter(record, statement)
    differences = differences_in(record)
    assert set(differences) == set(expected)
    for kind, (count, sentence) in expected.items():
        assert sentence in differences[kind][1]
        assert count in (None, differences[kind][0]), kind


@pytest.mark.long
def test_a_saved_verdict_is_computed_again(record):
    # Teams became known after this one was saved: it was computed without any, and is so again.
    assert verify_record(record, VerifyRequest()).not_computed == []
    alter(
        record,
        """UPDATE roundbook.result SET result = jsonb_set(result, '{units,by}', '"team"')
        WHERE name = 'web/drift-1'""",
    )
    assert "by of units is team, and what it rests on gives" in differences_in(record)["result"][1]
    # Nothing tells of which runs teams were known.
    alter(
        record,
        """UPDATE roundbook.result_input SET known = jsonb_set(known, '{runs}', '"others"')
        WHERE result_id = (SELECT id FROM roundbook.result WHERE name = 'web/drift-1')""",
    )
    verification = verify_record(record, VerifyRequest())
    assert [(one.result, one.reason) for one in verification.not_computed] == [
        ("web/drift-1", "known")
    ]
    assert not_computed_sentences(verification) == [
        "Not computed again: drift report 'web/drift-1' version 1, since other teams, systems or"
        " ids of topics are known by now than were then."
    ]
    request = DriftRequest(task="web", measure="nDCG@10", assessments="official")
    saved = save_result(record, "drift", request)
    assert (saved.name, saved.version) == ("web/drift-2", 1)
    # It is computed from the factors that it names, though others count by now.
    further = {"measure": "nDCG@10", "runs": ("all",), "assessments": "official", "reason": "all"}
    fit_factor_set(record, FitRequest(task="web", round="2023", **further))
    assert show_result(record, ShowResult(name=saved.name)).stale
    assert differences_in(record) == {}
    alter(
        record,
        f"""UPDATE roundbook.result SET result = jsonb_set(result, '{{verdict}}', '"held"')
        WHERE name = '{saved.name}' AND result->>'verdict' = 'undecided'""",
    )
    sentence = "drift report 'web/drift-2' version 1: verdict is held, and what it rests on gives undecided"
    assert differences_in(record)["result"] == (1, sentence)


def test_a_task_alone(record):
    alter(record, "UPDATE roundbook.matrix SET content_hash = 'x' WHERE id = 2")
    assert differences_in(record, task="speech") == {}
    assert set(differences_in(record, task="web")) == {"content-hash", "event"}


def test_sums_in_another_order_differ_in_their_last_digits_only(record):
    alter(
        record,
        # Those of the published round are in its fingerprint.
        "UPDATE roundbook.factor SET mean = mean * (1 + 1e-13), sd = sd * (1 + 1e-13)"
        " WHERE matrix_id > 3",
        "UPDATE roundbook.variance_estimate SET sum_of_squares = sum_of_squares * (1 + 1e-13),"
        " variance = variance * (1 - 1e-13)",
    )
    assert differences_in(record) == {}


def rows(table, where, **values):
    """Return the statement that deletes rows, or with values changes them."""
    if not values:
        return f"DELETE FROM roundbook.{table} WHERE {where}"
    new = ", ".join(f"{column} = {value}" for column, value in values.items())
    return f"UPDATE roundbook.{table} SET {new} WHERE {where}"


DRAFT = "'web' round '2025', P@5 (official, revision 1)"
NAMED = "'web' round '{}'"
STUDY = "study 'web/study-1' version 1"

# By hand, past triggers and foreign keys: what of each kind is found first.
TAMPERED = [
    # What is missing beside a matrix, and what cannot be read.
    (rows("score_vector", "matrix_id = 9 AND position = 1"),
     {"content-hash": f"{DRAFT}: score_vectors is 8, and there are 7"}),
    (rows("matrix_topic", "matrix_id = 9 AND position = 1"),
     {"content-hash": f"{DRAFT}: topics is 12, and there are 11"}),
    (rows("measure", "name = 'P@5'"),
     {"content-hash": "matrix 3: its measure is missing", "event": "it notes the fingerprint"}),
    (rows("matrix", "id = 9", topics=7), {"content-hash": f"{DRAFT}: topics is 7, and there are 12"}),
    (rows("factor_set", "matrix_id = 9"),
     {"factors": f"{DRAFT}: it has 8 runs and no factors", "variance": "are missing"}),
    (rows("document_names", "first = 30", first=29),
     {"runs": "first is 29, and what is there gives 30"}),
    (rows("factor_set", "id = 9", assessments="'x'"),
     {"factors": f"{DRAFT}, factor version 1: there is no version before it of these scores"}),
    (rows("variance_estimate", "matrix_id = 11 AND scale = 'raw'", version=2),
     {"variance": "raw scale: version 2 is there, and not version 1"}),
    (rows("factor_set", "id = 1"),
     {"factors": f"{FIRST}: it has 8 runs and no factors", "variance": "are missing"}),
    (rows("factor_set", "id = 10"),
     {"variance": "The factors that it is by are missing", "result": "",
      "event": "it says 'factors fitted', and nothing of the kind is recorded"}),
    (rows("uploaded_run", "run_id = (SELECT min(run_id) FROM roundbook.uploaded_run)"),
     {"runs": f"{NAMED.format(2025)}, its runs: runs is 7, and what is there gives 6",
      "result": f"{STUDY}: it cannot be computed again (KeyError: "}),
    (rows("result", "name = 'a guess'", kind="'oracle'"),
     {"result": "oracle 'a guess' version 1: There is no kind of result 'oracle'"}),
    (rows("result", "name = 'a guess'", request="'{\"m\": \"x\"}'"),
     {"result": "plan 'a guess' version 1: `m`"}),
    (rows("result", "name = 'a guess'", task_id=1,
          request="(request - 'variance') || '{\"task\": \"web\", \"measure\": \"AP\"}'"),
     {"result": "plan 'a guess' version 1: task is web, and what it rests on gives none",
      "event": "plan 'a guess' version 1: no event says 'plan saved' of it"}),
    (rows("result", "name = 'web/drift-1'", request="request || '{\"task\": \"speech\"}'"),
     {"result": "drift report 'web/drift-1' version 1: task is speech, and what it rests on gives web"}),
    (rows("result", "name = 'web/drift-1'", request="request || '{\"measure\": \"AP\"}'"),
     {"result": "'web/drift-1' version 1: measure is AP, and what it rests on gives nDCG@10"}),
    (rows("result", "name = 'web/drift-1'", request="request || '{\"from_round\": \"x\"}'"),
     {"result": "'web/drift-1' version 1: from_round is x, and what it rests on gives 20"}),
    (rows("result", "name = 'next web' AND version = 2", request="request || '{\"measure\": \"AP\"}'"),
     {"result": "plan 'next web' version 2: measure is AP, and what it rests on gives nDCG@10"}),
    (rows("result", "kind = 'study'", request="request - 'study'"),
     {"result": f"{STUDY}: There is no study ''; there are "}),
    # Estimates and factors that logging stores.
    (rows("variance_estimate", "matrix_id = 9"),
     {"variance": f"{DRAFT}, raw scale: it is missing"}),
    (rows("variance_estimate", "matrix_id = 9 AND scale = 'std-ab'"),
     {"variance": f"{DRAFT}, std-ab scale by factor version 1: it is missing"}),
    # Events, by what they refer to.
    (rows("event", "what = 'task created' AND task_id = 1"),
     {"event": "task 'web': no event says 'task created' of it"}),
    (rows("task", "name = 'speech'"), {"event": "task_id is 2, and it refers to none"}),
    (rows("event", "what = 'round created' AND round_id = 2"),
     {"event": f"{NAMED.format(2024)}: no event says 'round created' of it"}),
    (rows("event", "what = 'round published'"),
     {"event": f"{NAMED.format(2023)}: no event says 'round published' of it"}),
    (rows("event", "what = 'factors fitted'"),
     {"event": "(official, revision 2), factor version 3: no event says 'factors fitted' of it"}),
    (rows("event", "what = 'variance recorded' AND (details ->> 'revision')::int = 2"),
     {"event": "'speech' round 'II', published variance (official, raw, revision 2): no event says"}),
    (rows("event", "what = 'study saved'"), {"event": f"{STUDY}: no event says 'study saved' of it"}),
    (rows("event", "what = 'runs logged' AND details -> 'upload' = '2'"),
     {"event": f"{NAMED.format(2025)}, upload 2: no event says 'runs logged' of it"}),
    (rows("event", "what = 'runs described'", matrix_id=11),
     {"event": "round_id is 2023, and it refers to 2025"}),
    (rows("event", "what = 'task created' AND task_id = 1", task_id=2),
     {"event": "task 'web': no event says 'task created' of it"}),
    (rows("event", "what = 'round created' AND round_id = 2", round_id=3),
     {"event": f"{NAMED.format(2024)}: no event says 'round created' of it"}),
    (rows("event", "what = 'round created' AND round_id = 2", round_id=99),
     {"event": "round_id is 99, and it refers to none"}),
    (rows("event", "matrix_id = 4 AND what = 'matrix logged'", matrix_id=5),
     {"event": "'web' round '2024', nDCG@10 (official, revision 1): no event says 'matrix logged'"}),
    (rows("event", "what = 'round published'", details="details || '{\"fingerprint\": \"0\"}'"),
     {"event": "it notes the fingerprint 0, and the round, in which nothing has changed since, has"}),
    (rows("published_variance", "scale = 'std-ab'", variance=0.5),
     {"event": "'speech' round 'II', published variance (official, std-ab, revision 1): no event"}),
    (rows("published_variance", "scale = 'std-ab'"), {"event": "it says 'variance recorded'"}),
    # What studies rest on.
    (rows("result_input", "qrels_id IS NOT NULL"), {"result": f"{STUDY}: revision is 2, and what"}),
    (rows("result_input", "run_upload_id IS NOT NULL"),
     {"result": f"{STUDY}: its result tells of 2 inputs, and 1 are listed in their order"}),
    (rows("run_upload", "number = 2"),
     {"event": "it says 'runs logged', and nothing of the kind is recorded",
      "result": f"{STUDY}: its result tells of 2 inputs, and 1 are listed in their order"}),
]  # fmt: skip


@pytest.mark.one_server
@pytest.mark.long
def test_what_was_tampered_with_past_all_guards_is_found(record):
    request = PerTopicVarianceRequest(task="web", round="2025", measure="AP", trials=2)
    save_result(record, "study", request)
    assert differences_in(record) == {}
    alter(record, "SET LOCAL session_replication_role = replica")
    wrong = []
    for statement, expected in TAMPERED:
        part = record.connection.begin_nested()
        alter(record, statement)
        differences = differences_in(record)
        part.rollback()
        found_as = {kind: sentence for kind, (_, sentence) in differences.items()}
        if found_as.keys() != expected.keys() or not all(
            sentence in found_as[kind] for kind, sentence in expected.items()
        ):
            wrong.append((statement, found_as))
    assert wrong == []
    # A part that one of two results has, and the other not.
    (facts,) = unlike({"systems": None}, {"systems": {"t": 1.5}})
    assert Difference(kind="result", table="result", **facts).computed == '{"t": 1.5}'


def result(name, value):
    """Return the statement that sets the JSON of the last version of a result."""
    last = f"(SELECT max(id) FROM roundbook.result WHERE name = '{name}')"
    return rows("result", f"id = {last}", result=value)


def known(name, value, where="true"):
    """Return the statement that sets what was known of the inputs of a result's last version."""
    last = f"(SELECT max(id) FROM roundbook.result WHERE name = '{name}')"
    return rows("result_input", f"result_id = {last} AND {where}", known=value)


PLANNED, DRIFT, TEAMS = "next web", "web/drift-2", "web/study-2"
SEVEN = "jsonb_set(result, '{cells,0,topics}', '7')"
HELD = "jsonb_set(result, '{verdict}', '\"held\"')"
OTHER_RUNS = 'known || \'{"runs": "2"}\''
FIRST_INPUT = "position = 0"

DRAWN = "INSERT INTO roundbook.measure (name, family) VALUES ('drawn', 'drawn')"
TO_DRAWN = {"measure_id": "(SELECT id FROM roundbook.measure WHERE name = 'drawn')"}
PUBLISHED = "scale = 'std-ab'"

# What is moved to another round or measure: of the first difference of a kind the table, what it
# is, and the recorded and the computed value; and the number of differences of the kind.
MOVED = {
    "a run": (
        [rows("run", "tag = '2024-run3'", round_id=3)],
        "content-hash",
        ("run", "round", "2025", "2024"),
        4,
    ),
    "scores": (
        [DRAWN, rows("matrix", "id = 9", **TO_DRAWN), rows("factor_set", "matrix_id = 9", **TO_DRAWN)],
        "event",
        ("matrix", "measure", "drawn", "P@5"),
        1,
    ),
    "a published variance": (
        [DRAWN, rows("published_variance", PUBLISHED, **TO_DRAWN)],
        "event",
        ("published_variance", "measure", "drawn", "nDCG@10"),
        1,
    ),
    "the source of a published variance": (
        [rows("published_variance", PUBLISHED, source="'A misprint'")],
        "event",
        ("published_variance", "variance recorded", 1, 0),
        2,
    ),
}  # fmt: skip


@pytest.mark.one_server
@pytest.mark.long
@pytest.mark.parametrize("what", MOVED)
def test_what_was_moved_is_found(record, what):
    statements, kind, expected, count = MOVED[what]
    alter(record, "SET LOCAL session_replication_role = replica", *statements)
    (difference,) = verify_record(record, VerifyRequest()).differences
    first = difference.first
    assert (difference.kind, difference.count) == (kind, count)
    assert (first.table, first.what, first.recorded, first.computed) == expected
    if what == "a run":
        sentence = "'web' round '2024', nDCG@10 (official, revision 1): run '2024-run3' is of round '2025',"
        assert f"{sentence} and not of this one" == difference_sentence(first)


# What is altered in results that nothing has changed since: how many differences there are, and
# of the first what it is, and the recorded and the computed value.
FALSIFIED = {
    "an added key": (
        [result(PLANNED, f"{SEVEN} || '{{\"extra\": 1}}'")],
        (2, "topics of cells", 7, 80),
    ),
    "an added key alone": (
        [result(PLANNED, "result || '{\"extra\": null}'")],
        (1, "extra", "null", None),
    ),
    "an added key of a part": (
        [result(PLANNED, "jsonb_set(result, '{estimate,rounds,1,extra}', '{\"a\": 1}')")],
        (1, "extra of rounds of estimate", '{"a": 1}', None),
    ),
    "a removed key": (
        [result(PLANNED, f"{SEVEN} - 'alternatives'")],
        (1, "topics of cells", 7, 80),
    ),
    "collections that were not known": (
        [
            result(PLANNED, "jsonb_set(result, '{interval,low}', '0.001')"),
            known(PLANNED, "'{}'"),
        ],
        (2, "collection of rounds of estimate", "crawl 2", None),
    ),
    "a plan's facts": (
        [known(PLANNED, "known || '{\"runs_without_team\": 99}'", FIRST_INPUT)],
        (1, "runs_without_team of known", 99, None),
    ),
    "a report's added key": (
        [result(DRIFT, f"{HELD} || '{{\"extra\": 1}}'")],
        (2, "extra", 1, None),
    ),
    "a report's removed key": (
        [result(DRIFT, f"{HELD} - 'backwards'")],
        (1, "verdict", "held", "undecided"),
    ),
    "a report's sentence": (
        [result(DRIFT, f'{HELD} || \'{{"advice": "None."}}\'')],
        (1, "verdict", "held", "undecided"),
    ),
    "the units of a report": (
        [result(DRIFT, f"{HELD} - 'units'")],
        (1, "verdict", "held", "undecided"),
    ),
    "the runs of a report": (
        [result(DRIFT, HELD), known(DRIFT, OTHER_RUNS)],
        (2, "runs of known", "2", "2318463597ce2a71fe7cb875e9b451d0"),
    ),
    "the runs without a team of a report": (
        [known(DRIFT, "known || '{\"runs_without_team\": 99}'", FIRST_INPUT)],
        (1, "runs_without_team of known", 99, 0),
    ),
    "what is known of a report's later round": (
        [result(DRIFT, HELD), known(DRIFT, '\'{"collection": "crawl 2"}\'', "position = 1")],
        (1, "verdict", "held", "undecided"),
    ),
    "a report's rule": (
        [known(DRIFT, "known || '{\"rule\": 1}'")],
        (2, "rule of known", 1, None),
    ),
    "a study's added key": (
        [result(TEAMS, "result || '{\"extra\": 1}'")],
        (1, "extra", 1, None),
    ),
    "a study's rule": (
        [known(TEAMS, "known || '{\"rule\": 1}'", "run_upload_id IS NOT NULL")],
        (1, "rule of known", 1, None),
    ),
    "the runs of a study's upload": (
        [known(TEAMS, OTHER_RUNS, "run_upload_id IS NOT NULL")],
        (1, "runs of known", "2", "69c2d8fa964b77181eb3f03ede4b7321"),
    ),
    "the lack of runs of a study's upload": (
        [known(TEAMS, "known - 'runs'", "run_upload_id IS NOT NULL")],
        (1, "runs of known", None, "69c2d8fa964b77181eb3f03ede4b7321"),
    ),
    "the runs without a team of a study's upload": (
        [known(TEAMS, "known || '{\"runs_without_team\": 99}'", "run_upload_id IS NOT NULL")],
        (1, "runs_without_team of known", 99, 5),
    ),
    "a study's assessments": (
        [known(TEAMS, '\'{"runs": "2"}\'', "qrels_id IS NOT NULL")],
        (1, "runs of known", "2", None),
    ),
    "other ids of topics": (
        [known(PLANNED, 'known || \'{"other_ids": {"1": "1"}}\'', FIRST_INPUT)],
        (1, "other_ids of known", '{"1": "1"}', None),
    ),
}


def save_more(session):
    """Save a plan, a drift report and a study by teams, since which nothing has changed."""
    assert save_result(session, "plan", PLAN, SaveResult(name=PLANNED)).version == 3
    assert save_result(session, "drift", REPORT).name == DRIFT
    alter(session, rows("run", "round_id = 3", contributed_to_pool="true"))
    about = {"task": "web", "round": "2025", "measure": "AP"}
    save_result(session, "study", PerTopicVarianceRequest(**about, trials=2))
    study = LeaveOneOutRequest(**about, reassessed=True, scales=("raw",))
    assert save_result(session, "study", study).name == TEAMS


@pytest.mark.one_server
@pytest.mark.long
def test_what_was_falsified_in_results_is_found(record):
    save_more(record)
    assert differences_in(record) == {}
    ids = list(record.connection.execute(text("SELECT id FROM roundbook.result")).scalars())
    wrong = []
    for what, (statements, (count, *expected)) in FALSIFIED.items():
        part = record.connection.begin_nested()
        alter(record, *statements)
        every = result_differences(record.connection, ids, ignore_progress)
        differences = [difference for difference in every if isinstance(difference, Difference)]
        part.rollback()
        values = [
            (difference.what, difference.recorded, difference.computed)
            for difference in differences
        ]
        if len(values) != count or values[0] != tuple(expected):
            wrong.append((what, values))
    assert wrong == []


@pytest.mark.one_server
def test_facts_that_another_version_did_not_note_are_no_difference(record):
    save_more(record)
    other = "UPDATE roundbook.result SET software = 'roundbook 0.0.9'"
    alter(record, known(TEAMS, "known - 'runs'", "run_upload_id IS NOT NULL"), other)
    assert differences_in(record) == {}
    # What it did note is verified.
    alter(record, known(TEAMS, OTHER_RUNS, "run_upload_id IS NOT NULL"))
    assert differences_in(record) != {}


@pytest.mark.one_server
@pytest.mark.long
def test_a_report_of_runs_counted_over_both_rounds_is_verified(record):
    """Those of schema 0005 have no checksum of runs, and the counts with the first round."""
    save_result(record, "drift", REPORT)
    counts = "known - '{runs,runs_without_team,runs_without_system}'::text[]"
    alter(
        record,
        result(DRIFT, 'result - \'backwards\' || \'{"advice": "Wait.", "reason": "Few."}\''),
        known(DRIFT, counts),
        known(DRIFT, "known || '{\"runs_without_team\": 5}'", FIRST_INPUT),
    )
    verification = verify_record(record, VerifyRequest())
    assert verification.differences == []
    assert [(one.result, one.reason) for one in verification.not_computed] == [(DRIFT, "form")]
    assert not_computed_sentences(verification) == [
        f"Not computed again: drift report '{DRIFT}' version 1, saved in an earlier form: only what"
        " both forms have was compared."
    ]
    alter(record, result(DRIFT, HELD))
    sentence = (
        f"drift report '{DRIFT}' version 1: verdict is held, and what it rests on gives undecided"
    )
    assert differences_in(record)["result"] == (1, sentence)


@pytest.mark.one_server
@pytest.mark.long
def test_a_verdict_falsified_in_the_earliest_form_is_not_that_of_its_event(record):
    """By the rule of schema 0004, a verdict cannot be computed again."""
    save_result(record, "drift", REPORT)
    alter(record, result(DRIFT, "result - 'units'"), known(DRIFT, "known || '{\"rule\": 1}'"))
    verification = verify_record(record, VerifyRequest())
    assert verification.differences == []
    assert [(one.result, one.reason) for one in verification.not_computed] == [(DRIFT, "form")]
    alter(record, result(DRIFT, HELD))
    sentence = (
        f"drift report '{DRIFT}' version 1: verdict is held, and the event of its saving says"
        " undecided"
    )
    assert differences_in(record) == {"event": (1, sentence)}
    # Events of that time number the reports of a task.
    numbered = {"details": "details - '{drift report,version}'::text[] || '{\"report\": 2}'"}
    alter(record, rows("event", f"details ->> 'drift report' = '{DRIFT}'", **numbered))
    assert differences_in(record) == {"event": (1, sentence)}


@pytest.mark.one_server
def test_an_imported_report_is_verified_where_its_teams_are_spelled_otherwise(
    server, template, second, tmp_path
):
    teams = ("north", "north", "south", "south")
    scores = [np.random.default_rng(seed).random((5, 4)) for seed in range(2)]
    with database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as first:
        log_scores(first, "a", scores[0], teams=teams)
        log_scores(first, "b", scores[1], teams=teams)
        save_report(first, "t", "AP")
        assert verify_all(first).not_computed == []
        export_archive(first, tmp_path / "task.zip")
    log_scores(second, "a", scores[0], task="other", teams=[team.upper() for team in teams])
    import_archive(second, tmp_path / "task.zip")
    verification = verify_all(second)
    assert verification.differences == []
    assert [(one.result, one.reason) for one in verification.not_computed] == [
        ("t/drift-1", "known")
    ]
