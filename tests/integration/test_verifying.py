"""The record verified: what was altered behind the program's back is found, named and counted."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from tests.archives import database_on, execute
from tests.factories import import_archive

from roundbook.errors import NotRecordedError
from roundbook.logbook.fitting import fit_factor_set
from roundbook.logbook.saved_results import show_result
from roundbook.logbook.saving import save_result
from roundbook.logbook.session import begin
from roundbook.logbook.verifying.record import verify_record
from roundbook.presentation.verification import difference_sentence, not_computed_sentences
from roundbook.requests.drift import DriftRequest
from roundbook.requests.factors import FitRequest
from roundbook.requests.results import ShowResult
from roundbook.requests.verification import VerifyRequest

GUARDED = ("score_vector", "matrix", "factor", "factor_set", "factor_set_run", "variance_estimate",
           "result", "result_input", "event", "withdrawal", "round")  # fmt: skip


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


def found(session, **request):
    """Return what differs: by kind, how many times, and the first in a sentence."""
    verification = verify_record(session, VerifyRequest(**request))
    assert verification.status == ("different" if verification.differences else "verified")
    return {
        each.kind: (each.count, difference_sentence(each.first))
        for each in verification.differences
    }


@pytest.mark.long
def test_an_unaltered_record(record):
    said = []
    verification = verify_record(record, VerifyRequest(), said.append)
    assert (verification.status, verification.differences) == ("verified", [])
    assert verification.tasks == ["web", "speech"]
    assert (verification.matrices, verification.factor_sets) == (11, 12)
    assert (verification.variances, verification.results) == (41, 4)
    assert verification.events > 30
    assert "Verifying matrix 11 of 11 ..." in said
    one = verify_record(record, VerifyRequest(task="speech"))
    assert (one.tasks, one.matrices, one.results) == (["speech"], 0, 0)


def test_an_empty_record(engine):
    with begin(engine) as session:
        assert found(session) == {}
        with pytest.raises(NotRecordedError, match="no task 'none'"):
            found(session, task="none")


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
        {"content-hash": (1, "their hash is another")},
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
            "event": (2, "task 'web': 0 plans are of it, and 2 events say 'plan saved'"),
            "result": (5, "the task of round '2023' is speech, and what it rests on gives web"),
        },
    ),
    "a plan's inputs": (
        "DELETE FROM roundbook.result_input WHERE position = 1 AND result_id ="
        " (SELECT id FROM roundbook.result WHERE name = 'next web' AND version = 1)",
        {"result": (1, "its result tells of 2 estimates, and 1 are listed")},
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
        {"event": (1, f"{FIRST}: no event tells of it")},
    ),
}


@pytest.mark.one_server
@pytest.mark.long
@pytest.mark.parametrize("what", ALTERED)
def test_what_was_altered_is_found(record, what):
    statement, expected = ALTERED[what]
    alter(record, statement)
    differences = found(record)
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
    assert "by of units is team, and what it rests on gives" in found(record)["result"][1]
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
    assert found(record) == {}
    alter(
        record,
        f"""UPDATE roundbook.result SET result = jsonb_set(result, '{{verdict}}', '"held"')
        WHERE name = '{saved.name}' AND result->>'verdict' = 'undecided'""",
    )
    said = "drift report 'web/drift-2' version 1: verdict is held, and what it rests on gives undecided"
    assert found(record)["result"] == (1, said)


def test_a_task_alone(record):
    alter(record, "UPDATE roundbook.matrix SET content_hash = 'x' WHERE id = 2")
    assert found(record, task="speech") == {}
    assert set(found(record, task="web")) == {"content-hash"}


def test_sums_in_another_order_differ_in_their_last_digits_only(record):
    alter(
        record,
        "UPDATE roundbook.factor SET mean = mean * (1 + 1e-13), sd = sd * (1 + 1e-13)",
        "UPDATE roundbook.variance_estimate SET sum_of_squares = sum_of_squares * (1 + 1e-13),"
        " variance = variance * (1 - 1e-13)",
    )
    assert found(record) == {}
