"""The record taken along: out into an archive and back, equal, all of it or nothing."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import random
import re
import threading
import zipfile
from contextlib import contextmanager
from functools import partial
from uuid import UUID, uuid4

import numpy as np
import pytest
from pydantic import BaseModel
from sqlalchemy import event as sqlalchemy_event
from sqlalchemy import text
from tests.archives import a_third, cell, changed, contents_of, line_of, members_of, table_in
from tests.databases import TABLES, administer, counts, database_on, execute, rows, scalar
from tests.factories import (
    Design,
    create_task,
    export_archive,
    grant_access,
    import_archive,
    list_events,
    list_matrices,
    list_plans,
    list_results,
    list_tasks,
    log_files,
    log_scores,
    plan,
    publish_round,
    record_variance,
    renew_results,
    save_plan,
    save_report,
    show_matrix,
    show_plan,
    show_result,
    verify_record,
)
from tests.forked import Forked, race
from tests.integration.test_upgrades import first_estimates
from tests.releases.questions import ask, questions

from roundbook.database.engine import make_engine, parse_url, unit_of_work
from roundbook.database.fingerprints import fingerprint_tables
from roundbook.database.schema import upgrade
from roundbook.database.tables import TOKEN_TABLES, metadata
from roundbook.errors import (
    AlreadyRecordedError,
    BadFileError,
    DatabaseError,
    InputError,
    NotRecordedError,
    RoundbookError,
)
from roundbook.logbook.drift.report import DriftReport
from roundbook.logbook.events import record_event
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.session import Session, begin
from roundbook.logbook.storing import load_matrix
from roundbook.logbook.variances import VarianceHistory
from roundbook.requests.plans import PlanRequest
from roundbook.requests.record import ImportRequest
from roundbook.transfer.archive import exporting, importing
from roundbook.transfer.archive.tables import RESULTS, refers_to

pytestmark = pytest.mark.one_server


@pytest.fixture
def elsewhere(server, embedded):
    """An empty record on the other server, if there are two."""
    second = os.environ.get("ROUNDBOOK_TEST_SERVER")
    other = parse_url(second) if second and server == embedded else embedded
    with database_on(other) as engine:
        upgrade(engine)
        yield engine


@pytest.fixture
def export(tmp_path):
    """Export under a new name; return the archive's path."""

    def call(engine, *tasks):
        file = tmp_path / f"{uuid4().hex}.zip"
        export_archive(engine, file, tasks=tasks)
        return file

    return call


def take(engine, file):
    return import_archive(engine, file, user="importer")


def scores(seed=0, topics=6, runs=4):
    return np.random.default_rng(seed).random((topics, runs))


# equal


def test_the_campaign_leaves_no_member_empty(whole):
    manifest = json.loads(members_of(whole)["manifest.json"])
    empty = [name for name, member in manifest["members"].items() if member["rows"] == 0]
    assert empty == []
    elsewhere = ("matrix_topic", "matrix_run", "score_vector", "run_list")
    kept_back = ("access_token", "token_revocation")
    assert {name for name in manifest["members"] if name.endswith(".csv") and "/" not in name} == {
        f"{name}.csv" for name in TABLES if name not in (*elsewhere, *kept_back)
    }


@pytest.mark.both_servers
def test_what_comes_back_gives_the_same_archive(recorded, whole, elsewhere, export):
    imported = take(elsewhere, whole)
    assert export(elsewhere).read_bytes() == whole.read_bytes()
    assert imported.sha256 == hashlib.sha256(whole.read_bytes()).hexdigest()
    assert imported.tasks == ["web", "speech"]
    counted = counts(recorded)
    assert (imported.rounds, imported.matrices) == (counted["round"], counted["matrix"])
    assert imported.scores == scalar(recorded, "SELECT count(*) FROM roundbook.score")
    kinds = dict(rows(recorded, "SELECT kind, count(*) FROM roundbook.result GROUP BY 1"))
    assert (imported.plans, imported.drift_reports) == (3, 1) == (kinds["plan"], kinds["drift"])
    assert imported.factor_sets == counted["factor_set"]
    assert imported.variances == counted["variance_estimate"] + counted["published_variance"]
    assert imported.whole


@pytest.mark.both_servers
def test_every_value_is_there_again(recorded, whole, engine):
    """Without a look at how archives are made: all columns but ids and results, row by row."""
    take(engine, whole)
    for table in set(metadata.sorted_tables) - set(TOKEN_TABLES):
        columns = ", ".join(
            column.name
            for column in table.columns
            if column.name not in ("id", "topic_ids")
            and refers_to(column) is None
            and column not in RESULTS
        )
        kept = "WHERE what <> 'archive imported'" if table.name == "event" else ""
        order = f"ORDER BY {', '.join(column.name for column in table.primary_key)}"
        if "name" in table.columns:
            order = 'ORDER BY name COLLATE "C"' + ", id" * ("id" in table.columns)
        statement = (
            f"SELECT CAST(ROW({columns}) AS text) FROM roundbook.{table.name} {kept} {order}"
        )
        assert rows(engine, statement) == rows(recorded, statement), table.name
    assert first_estimates(engine) == first_estimates(recorded)  # with topics by name


def test_into_an_empty_record_the_ids_are_those_of_the_archive(whole, engine, second):
    """So two such records are the same to the last byte, apart from when they came to be."""
    fingerprints = []
    for record in (engine, second):
        take(record, whole)
        for table in ("matrix", "variance_estimate", "event"):
            ids = [number for (number,) in rows(record, f"SELECT id FROM roundbook.{table}")]
            assert sorted(ids) == list(range(1, len(ids) + 1))
        with unit_of_work(record) as connection:
            fingerprints.append(fingerprint_tables(connection))
    assert {name for name in fingerprints[0] if fingerprints[0][name] != fingerprints[1][name]} == {
        "event"
    }


class Names:
    """What stands for the ids of a database, whatever they are."""

    def __init__(self, engine):
        self.matrices = {
            row[0]: " ".join(map(str, row[1:]))
            for row in rows(
                engine,
                "SELECT matrix.id, task.name, label, measure.name, assessments, revision"
                " FROM roundbook.matrix JOIN roundbook.round ON round.id = round_id"
                " JOIN roundbook.task ON task.id = task_id"
                " JOIN roundbook.measure ON measure.id = measure_id ORDER BY matrix.id",
            )
        }
        self.computed = {
            row[0]: (self.matrices[row[1]], *row[2:])
            for row in rows(
                engine,
                "SELECT estimate.id, estimate.matrix_id, scale, factor_set.version,"
                " estimate.version"
                " FROM roundbook.variance_estimate AS estimate"
                " LEFT JOIN roundbook.factor_set ON factor_set.id = factor_set_id",
            )
        }
        self.published = {
            row[0]: row[1:]
            for row in rows(
                engine,
                "SELECT published.id, label, assessments, scale, revision"
                " FROM roundbook.published_variance AS published"
                " JOIN roundbook.round ON round.id = round_id",
            )
        }

    def of(self, answer, around=None, key=""):
        if isinstance(answer, str):
            return re.sub(r"(?<=matrix )\d+", lambda number: self.matrices[int(number[0])], answer)
        if isinstance(answer, list):
            return [self.of(value) for value in answer]
        if isinstance(answer, dict):
            return {key: self.of(value, answer, key) for key, value in answer.items()}
        if isinstance(answer, int) and (key == "replaced_by" or re.fullmatch(r"\w*matrix", key)):
            return self.matrices[answer]
        if isinstance(answer, int) and key == "estimate":
            return (self.computed if around["origin"] == "matrix" else self.published)[answer]
        return answer


def answers(engine):
    """Ask everything that the record answers, and name what it numbers."""
    names = Names(engine)
    asked = [ask(engine, *question) for question in questions()]
    for task in ("web", "speech"):
        asked += [
            list_matrices(engine, task, superseded=True),
            list_plans(engine, task),
            list_results(engine, task),
        ]
        events = list_events(engine, task_name=task).model_dump(mode="json")["events"]
        asked.append(
            [{**event, "event": 0} for event in events if event["what"] != "archive imported"]
        )
    asked.append(show_result(engine, "web/drift-1"))
    asked += [
        show_matrix(engine, number)
        for number, name in names.matrices.items()
        if not name.startswith("other")
    ]
    return [
        names.of(answer.model_dump(mode="json") if isinstance(answer, BaseModel) else answer)
        for answer in asked
    ]


@pytest.mark.both_servers
@pytest.mark.long
def test_it_answers_as_before(recorded, whole, engine):
    for seed in range(3):  # so that nothing has the number it had
        log_scores(engine, f"r{seed}", scores(seed), task="other")
    take(engine, whole)
    assert answers(engine) == answers(recorded)
    moved = show_plan(engine, "next web").plan.estimate
    assert moved is not None
    assert min(row.matrix for row in moved.rounds) > 3


@pytest.mark.long
def test_a_task_among_others_is_the_same_archive_again(recorded, engine, export):
    log_scores(engine, "r1", scores(), "P@5", task="other")
    log_scores(engine, "r2", scores(1), "nDCG@10", task="other")
    execute(engine, "INSERT INTO roundbook.team (name) VALUES ('Team 2'), ('Alone'), ('Team 0')")
    before, one = export(engine, "other"), export(recorded, "web")
    imported = take(engine, one)
    assert (imported.whole, imported.tasks) == (False, ["web"])
    assert export(engine, "web").read_bytes() == one.read_bytes()
    assert export(engine, "other").read_bytes() == before.read_bytes()
    assert [row.task for row in list_tasks(engine).tasks] == ["other", "web"]
    assert scalar(engine, "SELECT count(*) FROM roundbook.team") == 4


def test_a_task_holds_what_belongs_to_it_and_no_more(recorded, export):
    web, speech = export(recorded, "web"), export(recorded, "speech")
    assert [row["name"] for row in table_in(speech, "task")] == ["speech"]
    assert [row["name"] for row in table_in(speech, "measure")] == ["nDCG@10"]
    assert [row["name"] for row in table_in(web, "measure")] == ["P@5", "nDCG@10"]
    assert (
        table_in(speech, "team") == table_in(speech, "matrix") == table_in(speech, "result") == []
    )
    assert {row["name"] for row in table_in(web, "result")} == {"next web", "web/drift-1"}
    assert len(table_in(speech, "published_variance")) == 4
    assert {row["task_id"] for row in table_in(speech, "event")} == {"1"}
    both = export(recorded, "speech", "web", "web")
    assert json.loads(members_of(both)["manifest.json"])["tasks"] == ["web", "speech"]
    total = {len(table_in(file, "round")) for file in (web, speech, both)}
    assert total == {3, 2, 5}


def test_the_versions_of_a_plan_stay_together(engine, second, export):
    """A plan of a task may have begun as one from a variance that somebody typed in."""
    log_scores(engine, "r1", scores(), task="other")
    save_plan(engine, "next", plan(0.05, Design(m=(10,), min_d=(0.1,))), user="ann")
    save_plan(engine, "other", PlanRequest(task="other", measure="AP"), user="ann")
    execute(
        engine,
        "INSERT INTO roundbook.result"
        " (kind, name, task_id, version, request, result, software, saved_by)"
        " SELECT kind, 'next', task_id, 2, request, result, software, 'ben'"
        " FROM roundbook.result WHERE name = 'other'",
        "INSERT INTO roundbook.result_input (result_id, position, variance_estimate_id, known)"
        " SELECT 3, position, variance_estimate_id, known FROM roundbook.result_input",
        "INSERT INTO roundbook.event (what, task_id, details, software) SELECT 'plan saved', id,"
        """ '{"plan": "next", "version": 2}', 's' FROM roundbook.task""",
    )
    take(second, export(engine, "other"))
    versions = rows(
        second,
        "SELECT version, task_id IS NULL FROM roundbook.result WHERE name = 'next' ORDER BY id",
    )
    assert versions == [(1, True), (2, False)]


def stays(engine, second, file):
    """Assert that a record is verified, and that its archive is taken into another one."""
    verified = verify_record(engine)
    assert (verified.status, verified.differences) == ("verified", [])
    take(second, file)
    assert [row.name for row in list_results(second).results] == [
        row.name for row in list_results(engine).results
    ]
    return verified


def test_a_report_without_shared_topics_stays_when_teams_become_known(engine, second, export):
    """It is not stale by that, and its units of that time cannot be computed again."""
    tags = ("r0", "r1", "r2", "r3")
    for label, topics in ("a", "xyz"), ("b", "uvw"):
        values = scores(ord(label), topics=3)
        log_scores(engine, label, values, task="other", topics=topics, runs=tags)
    saved = save_report(engine, "other", "AP").result
    assert (saved.verdict, saved.units.by) == ("unbridged", "kin")
    assert verify_record(engine).not_computed == []
    teams = ("north", "north", "south", "south")
    log_scores(
        engine, "a", scores(ord("a"), topics=3), task="other", topics="xyz", runs=tags, teams=teams
    )
    verified = stays(engine, second, export(engine))
    assert [(one.result, one.reason) for one in verified.not_computed] == [
        ("other/drift-1", "known")
    ]
    assert not list_results(second, "other").results[0].stale
    # All that does not rest on runs is computed again.
    execute(
        engine,
        "ALTER TABLE roundbook.result DISABLE TRIGGER USER",
        "UPDATE roundbook.result SET result = jsonb_set(result, '{standardising_to,runs}', '9')",
        "ALTER TABLE roundbook.result ENABLE TRIGGER USER",
    )
    (difference,) = verify_record(engine).differences
    assert difference.first.what == "runs of standardising_to"
    (renewed,) = renew_results(second, kind="drift", name="other/drift-1").renewed
    assert renewed.after.version == 2


def test_a_paired_plan_without_two_way_variance_stays(engine, second, export):
    record_variance(
        engine, "other", "r1", "AP", variance=0.03, runs=8, topics=50, source="P", create=True
    )
    asked = PlanRequest(task="other", measure="AP", design="paired-t", min_d=(0.1,))
    saved = save_plan(engine, "next", asked).plan
    assert [note.code for note in saved.notes] == ["no_two_way_variance"]
    stays(engine, second, export(engine))
    record_variance(
        second, "other", "r1", "AP", variance=0.04, runs=8, topics=50, source="P", revise="misread",
    )  # fmt: skip
    (renewed,) = renew_results(second, task="other").renewed
    notes = show_plan(second, renewed.after.name).plan.notes
    assert [note.code for note in notes] == ["no_two_way_variance"]
    # Plans of earlier versions that were asked to be conservative lack the note.
    execute(
        engine,
        "ALTER TABLE roundbook.result DISABLE TRIGGER USER",
        "UPDATE roundbook.result SET result = jsonb_set(result, '{notes}', '[]')",
        "ALTER TABLE roundbook.result ENABLE TRIGGER USER",
    )
    assert verify_record(engine).status == "verified"


def test_a_plan_from_huge_scores_stays(engine, second, export):
    for seed in (1, 2):
        log_scores(engine, f"r{seed}", 1.1e9 * scores(seed), "latency", task="other")
    asked = PlanRequest(task="other", measure="latency", m=(5,), min_d=(1e8,))
    # Whole numbers of more than 2 ** 53 come back from JSON without a decimal point.
    assert save_plan(engine, "next", asked).plan.variance > 1e16
    stays(engine, second, export(engine))
    assert renew_results(second, kind="plan", name="next").renewed[0].status == "unchanged"


def test_an_empty_record(engine, second, export):
    file = export(engine)
    assert take(second, file).tasks == []
    assert export(second).read_bytes() == file.read_bytes()
    (event,) = list_events(second).events
    assert (event.what, event.task, event.who) == ("archive imported", None, "importer")


@pytest.mark.parametrize("events", [2000, pytest.param(66_000, marks=pytest.mark.slow)])
def test_more_events_than_a_statement_has_parameters(engine, second, export, events):
    log_scores(engine, "r1", scores())
    execute(
        engine,
        "INSERT INTO roundbook.event (what, task_id, software)"
        f" SELECT 'looked at', task.id, 'by hand' FROM roundbook.task, generate_series(1, {events})",
    )
    assert take(second, export(engine)).tasks == ["t"]
    assert scalar(second, "SELECT count(*) FROM roundbook.event WHERE what = 'looked at'") == events


def test_texts_and_numbers_of_every_kind(engine, second, export):
    """What is there through SQL, whatever Roundbook itself would let in."""
    odd = ["", "\\", "\\N", 'say "so"', "a,b", " space", "éü", "null", "=1+1"]
    with unit_of_work(engine) as connection:
        for index, title in enumerate([*odd, None]):
            connection.execute(
                text("INSERT INTO roundbook.task (name, title) VALUES (:name, :title)"),
                {"name": f"{index}{title}", "title": title},
            )
        connection.execute(
            text(
                "INSERT INTO roundbook.round (task_id, ordinal, label, held)"
                " VALUES (1, 1, E'\\\\', '0987-01-01')"
            )
        )
        for index, number in enumerate([5e-324, 1.7976931348623157e308, 0.1 + 0.2, 1e22, 123456.0]):
            connection.execute(
                text(
                    "INSERT INTO roundbook.measure (name, family, lower_bound, upper_bound,"
                    " parameters) VALUES (:name, '', -0.0, :number, CAST(:json AS jsonb))"
                ),
                {
                    "name": f"m{index}",
                    "number": number,
                    "json": json.dumps({"b": odd, "a": {"deep": [1, 1.5, 1e300, True, None, odd]}}),
                },
            )
        connection.execute(
            text(
                "INSERT INTO roundbook.published_variance (round_id, measure_id,"
                " assessments, scale, revision, topics, runs, variance, source, software,"
                " recorded_at, recorded_by) SELECT 1, id, '=', 'raw', 1, 2, 1, 1e-300, '\"', '',"
                " '1999-12-31 23:59:59.999999+05:30', '' FROM roundbook.measure"
            )
        )
        connection.execute(
            text(
                "INSERT INTO roundbook.event (what, task_id, software)"
                " SELECT 'task created', id, 's' FROM roundbook.task"
            )
        )
        session = Session(connection, "tester")
        record_event(session, "round created", task_id=1, round_id=1)
        named = {"assessments": "=", "scale": "raw", "revision": 1, "variance": 1e-300}
        named["source"] = '"'
        for _ in range(5):
            record_event(session, "variance recorded", task_id=1, round_id=1, details=named)
        connection.commit()
    file = export(engine)
    take(second, file)
    assert export(second).read_bytes() == file.read_bytes()
    for statement in (
        "SELECT name, title FROM roundbook.task ORDER BY id",
        "SELECT label, held, pseudonym_key FROM roundbook.round",
        "SELECT name, CAST(lower_bound AS text), upper_bound, parameters FROM roundbook.measure"
        " ORDER BY name",
        "SELECT assessments, variance, source, recorded_at, recorded_by"
        " FROM roundbook.published_variance",
    ):
        assert rows(second, statement) == rows(engine, statement)
    assert rows(second, "SELECT title FROM roundbook.task ORDER BY id") == [
        (title,) for title in [*odd, None]
    ]


@pytest.mark.both_servers
def test_scores_of_every_kind_and_their_order(engine, second, export):
    values = scores()
    values[0] = (-0.0, 5e-324, 1e-05, 1 / 3)
    values[:, 3] = 0.25
    number = log_scores(engine, "r1", values[::-1], task="other").matrix
    # Only rounding varies here, if anything.
    log_scores(engine, "same", np.full((5, 3), 0.1), task="other")
    log_scores(engine, "one run", scores(9, 4, 1), task="other")
    take(second, export(engine))
    for record in (engine, second):
        with unit_of_work(record) as connection:
            row = connection.execute(
                text("SELECT * FROM roundbook.matrix WHERE id = :id"), {"id": number}
            )
            loaded = load_matrix(connection, row.one())
        assert (
            loaded.scores.tobytes() == values[::-1].tobytes()
            or (loaded.scores == values[::-1]).all()
        )
        assert np.signbit(loaded.scores[-1, 0]) == np.signbit(values[0, 0])
        assert loaded.topics == [f"t{number}" for number in range(6)]


@pytest.mark.parametrize(
    "file", ["treccovid/treccovid_round1_ndcg10.csv", "adhoc/trec_adhoc3_ap.csv"]
)
def test_real_scores_come_back_exactly(engine, second, export, shared, file):
    path = shared / "data" / file
    logged = log_files(engine, "real", "r1", [path], "AP", create=True, user="ann")
    archive = export(engine)
    take(second, archive)
    assert export(second).read_bytes() == archive.read_bytes()
    every = "SELECT run, topic, value FROM roundbook.score ORDER BY run, topic"
    assert rows(second, every) == rows(engine, every)
    assert len(rows(second, every)) == logged.topics * logged.runs


def test_the_scores_can_be_logged_from_the_archive(engine, whole, tmp_path):
    for number, row in enumerate(table_in(whole, "matrix"), 1):
        file = tmp_path / f"{number}.csv"
        file.write_text(members_of(whole)[f"scores/{number:06d}.csv"], encoding="utf-8")
        log_files(engine, "again", str(number), [file], "AP", create=True, user="a")
        digest = "SELECT content_hash FROM roundbook.matrix WHERE id = :id"
        assert scalar(engine, digest, id=number) == row["content_hash"]


def test_no_sentence_of_a_result_holds_a_number_of_a_row(whole):
    for row in table_in(whole, "result"):
        assert not re.search(r"(matrix|estimate) \d", row["result"])


def test_results_have_no_other_numbers_of_rows():
    """Each whole number in a saved result is either known to be one, or known to be none."""
    rows_of_tables = {"matrix", "from_matrix", "to_matrix", "estimate"}
    plain = {
        "again", "brown_forsythe_significant", "cells", "clusters", "count", "dof", "estimate_version",
        "factor_version", "from", "from_revision", "from_version", "in_every_round", "later", "m", "of",
        "ordinal", "pool_now", "returning", "revision", "runs", "runs_from",
        "runs_to", "runs_without_system", "runs_without_team", "shared", "shared_topics", "teams", "to",
        "to_revision", "to_version", "topics", "topics_exact", "topics_needed", "topics_sakai",
        "topics_used", "two_way_dof", "undefined_sd_ratios", "undefined_shifts",
        "welch_significant",
    }  # fmt: skip
    numbers = set()

    def walk(schema, definitions, key=None):
        if "$ref" in schema:
            schema = definitions[schema["$ref"].rpartition("/")[2]]
            if schema["title"] in seen:
                return
            seen.add(schema["title"])
        if schema.get("type") == "integer":
            numbers.add(key)
        for name, part in schema.get("properties", {}).items():
            walk(part, definitions, name)
        for part in [*schema.get("anyOf", []), *schema.get("prefixItems", []), schema.get("items")]:
            if isinstance(part, dict):
                walk(part, definitions, key)

    for model in (Plan, VarianceHistory, DriftReport):
        seen = set()
        schema = model.model_json_schema(mode="serialization")
        walk(schema, schema.get("$defs", {}))
    assert numbers == rows_of_tables | plain


# the event, the pseudonyms, the moment


def test_an_import_is_an_event_of_the_database_alone(whole, engine, second, export):
    take(engine, whole)
    imports = [event for event in list_events(engine).events if event.what == "archive imported"]
    assert [(event.task, event.who) for event in imports] == [
        ("web", "importer"),
        ("speech", "importer"),
    ]
    assert imports[0].details == {
        "sha256": hashlib.sha256(whole.read_bytes()).hexdigest(),
        "tasks": ["web", "speech"],
        "software": "roundbook 0.1.0",
    }
    take(second, export(engine))
    shas = [
        event.details["sha256"] for event in list_events(second, what="archive imported").events
    ]
    assert len(shas) == 2


def test_pseudonyms_and_published_rounds_stay(recorded, whole, engine):
    take(engine, whole)
    statement = "SELECT label, status, pseudonym_key FROM roundbook.round ORDER BY id"
    kept = rows(engine, statement)
    assert kept == rows(recorded, statement)
    assert {status for _, status, _ in kept} == {"draft", "published"}
    assert all(isinstance(key, UUID) for *_, key in kept)
    with pytest.raises(DatabaseError, match="published"):
        execute(engine, "UPDATE roundbook.round SET status = 'draft'")


def test_it_is_what_one_snapshot_saw(filled, whole, tmp_path):
    def meanwhile(step):
        if "round.csv" in step:
            log_scores(filled, "2026", scores(), "P@5", task="web")

    export_archive(filled, tmp_path / "a.zip", progress=meanwhile)
    assert (tmp_path / "a.zip").read_bytes() == whole.read_bytes()
    assert scalar(filled, "SELECT count(*) FROM roundbook.round WHERE label = '2026'") == 1


# refused, and nothing kept


@pytest.fixture
def refused(engine):
    """Import what is refused; return the sentence. The record must stay as it was."""

    def call(file, kind=RoundbookError, into=engine):
        before = counts(into)
        with pytest.raises(kind) as error:
            take(into, file)
        assert counts(into) == before
        message = str(error.value)
        assert "\n" not in message
        assert 4 <= len(message.split()) < 60
        return message

    return call


def test_a_task_that_is_there(recorded, whole, export, refused):
    message = refused(whole, AlreadyRecordedError, recorded)
    assert (
        "a task of this name already: 'speech', 'web'. Import the archive into another" in message
    )
    refused(export(recorded, "speech"), AlreadyRecordedError, recorded)


def test_a_plan_that_is_there(engine, whole, refused):
    save_plan(engine, "a guess", plan(0.05, Design(m=(10,), min_d=(0.1,))), user="ann")
    assert "a result of this name already: 'a guess'" in refused(whole, AlreadyRecordedError)


@pytest.mark.parametrize(
    ("columns", "values", "sentence"),
    [
        ("name, family, cutoff", "'NDCG@10', 'nDCG', 5", "cutoff is 5 there and 10 in"),
        ("name, family, cutoff", "'nDCG@10', 'other', 10", "family is other there and nDCG in"),
        (
            "name, family, cutoff, parameters",
            """'nDCG@10', 'nDCG', 10, '{"gains": "exp"}'""",
            """parameters is {"gains":"exp"} there and {} in""",
        ),
        (
            "name, family, cutoff, lower_bound, upper_bound",
            "'nDCG@10', 'nDCG', 10, 0, 1",
            "lower bound is 0.0 there and unknown in",
        ),
    ],
)
def test_a_measure_that_is_another(engine, whole, refused, columns, values, sentence):
    execute(engine, f"INSERT INTO roundbook.measure ({columns}) VALUES ({values})")
    assert sentence in refused(whole, AlreadyRecordedError)


def test_teams_and_measures_are_one_whatever_their_capitals(engine, whole):
    execute(
        engine,
        "INSERT INTO roundbook.team (name) VALUES ('TEAM 1')",
        "INSERT INTO roundbook.measure (name, family, cutoff) VALUES ('NDCG@10', 'NDCG', 10)",
    )
    take(engine, whole)
    assert rows(engine, "SELECT name FROM roundbook.team ORDER BY id") == [
        ("TEAM 1",),
        ("Team 0",),
        ("Team 2",),
    ]
    assert rows(engine, "SELECT name FROM roundbook.measure ORDER BY id") == [
        ("NDCG@10",),
        ("P@5",),
    ]
    assert scalar(
        engine,
        "SELECT count(*) FROM roundbook.run JOIN roundbook.team ON team.id = team_id"
        " WHERE team.name = 'TEAM 1'",
    )


def swap_names(lines):
    one, two = lines[1].partition(","), lines[2].partition(",")
    lines[1:3] = [two[0] + "".join(one[1:]), one[0] + "".join(two[1:])]


def doubled(members):
    """Let the first variance and its sum of squares agree with each other, not with the scores."""
    (row, *_) = csv.DictReader(io.StringIO(members["variance_estimate.csv"], newline=""))
    for column in ("sum_of_squares", "variance"):
        cell("variance_estimate.csv", 1, column, repr(2 * float(row[column])))(members)


def swapped(line):
    """Return a list's line with its first two documents in the place of each other."""
    run, topic, documents, scores = line.split(",")
    one, two, *rest = documents.split(" ")
    return ",".join([run, topic, " ".join([two, one, *rest]), scores])


def emptied(*names):
    """Return a change that leaves nothing but the headers of these members."""

    def call(members):
        for name in names:
            members[name] = members[name].partition("\n")[0] + "\n"

    return call


SPOILT = {
    "a score": (cell("scores/000003.csv", 2, 3, "0.123", number=True), "their hash is another"),
    "a topic's name": (cell("scores/000003.csv", 2, 0, "77", number=True), "topic '77' is not in topic.csv"),
    "two topics in the place of each other": (
        line_of("scores/000001.csv", swap_names),
        "their hash is another",
    ),
    "a list's document": (
        line_of("lists/000001.csv", lambda lines: lines.__setitem__(1, swapped(lines[1]))),
        "'web' round '2025', run '2025-run1': these are not the lists that were logged",
    ),
    "a list's score": (cell("lists/000002.csv", 1, "scores", "0.10"), "lists/000002.csv:2: this is"),
    "a list of no run": (cell("lists/000002.csv", 1, "run", "x"), "run 'x' is not in run.csv"),
    "a list too few": (
        line_of("lists/000001.csv", lambda lines: lines.pop()),
        "has not all lists of its runs",
    ),
    "an upload without its lists": (
        lambda members: members.pop("lists/000002.csv"),
        "the member lists/000002.csv is missing",
    ),
    "a document's name": (
        line_of("document_names.csv", lambda lines: lines.__setitem__(1, lines[1].replace("doc1", "x"))),
        "the names of documents from number 0 on are not those that were logged",
    ),
    "a grade": (
        cell("judgment_list.csv", 1, "grades", lambda grades: grades.replace("2", "1", 1)),
        "revision 1: these are not the judgments that were logged",
    ),
    "NaN": (cell("scores/000001.csv", 1, 1, "nan", number=True), "'nan' is not how an archive"),
    "infinity": (cell("scores/000001.csv", 1, 1, "1e999", number=True), "'1e999' is not how"),
    "a missing score": (cell("scores/000001.csv", 1, 1, "", number=True), "'' is not how"),
    "a score otherwise written": (cell("scores/000001.csv", 1, 1, "5_0", number=True), "'5_0' is"),
    "a score too few": (
        line_of("scores/000001.csv", lambda lines: lines.__setitem__(1, "1,0.5\n")),
        "scores/000001.csv:2: expected 8 scores, found 1",
    ),
    "a topic too few": (
        line_of("scores/000001.csv", lambda lines: lines.pop()),
        "the scores of 11 topics, not of 12",
    ),
    "a topic twice": (
        line_of("scores/000001.csv", lambda lines: lines.append(lines[1])),
        "the scores of 13 topics, not of 12",
    ),
    "no scores at all": (lambda members: members.update({"scores/000001.csv": "\n"}), "header"),
    "a matrix without its scores": (
        lambda members: members.pop("scores/000011.csv"),
        "the member scores/000011.csv is missing",
    ),
    "scores of no matrix": (
        lambda members: members.update({"scores/000012.csv": "topic,a\n"}),
        "the member scores/000012.csv belongs to no archive",
    ),
    "no table of topics": (lambda members: members.pop("topic.csv"), "topic.csv is missing"),
    "a table more": (
        lambda members: members.update({"alembic_version.csv": "a\n"}),
        "alembic_version.csv belongs to no archive of this version",
    ),
    "a column more": (
        lambda members: members.update({"team.csv": "id,name,more\n"}),
        "team.csv:1: the header must be id,name",
    ),
    "a cell too few": (
        line_of("topic.csv", lambda lines: lines.__setitem__(1, "1,1\n")),
        "topic.csv:2: expected 3 cells as in the header, found 2",
    ),
    "a raw variance": (cell("variance_estimate.csv", 1, "variance", "0.5"), "variance is 0.5, and"),
    "a sum of squares": (cell("variance_estimate.csv", 1, "sum_of_squares", "9.5"), "is 9.5, and"),
    "a variance with its sum of squares": (doubled, "raw scale: sum_of_squares is 8.66"),
    "degrees of freedom": (cell("variance_estimate.csv", 1, "dof", "7"), "dof is 7, and"),
    "a matrix's runs": (cell("matrix.csv", 1, "runs", "7"), "the tags of 7 runs"),
    "a matrix's topics": (cell("matrix.csv", 1, "topics", "3"), "not of 3"),
    "a huge matrix": (cell("matrix.csv", 1, "topics", "2147483647"), "not of 2147483647"),
    "a number beyond the database's": (
        cell("matrix.csv", 1, "missing_cells", "9" * 30),
        "the record refuses what it holds",
    ),
    "a number of 5,000 digits": (cell("matrix.csv", 1, "missing_cells", "9" * 5000), "is not how"),
    "a negative size": (cell("matrix.csv", 1, "topics", "-1"), "refuses what it holds"),
    "a number with a zero before it": (cell("matrix.csv", 1, "revision", "01"), "'01' is not how"),
    "full-width digits": (cell("round.csv", 1, "ordinal", "１"), "is not how an archive writes"),
    "a hash": (cell("matrix.csv", 2, "content_hash", "0" * 64), "scores/000002.csv"),
    "a topic of no task": (
        cell("topic.csv", 1, "task_id", "9"),
        "topic.csv:2:2: task_id names number 9, which is not there",
    ),
    "number 0": (cell("topic.csv", 1, "task_id", "0"), "task_id names number 0"),
    "no task": (cell("topic.csv", 1, "task_id", ""), "'' is not how an archive writes task_id"),
    "a row numbered otherwise": (cell("topic.csv", 2, "id", "7"), ":3:1: row 2 is numbered 7"),
    "a topic of the other task": (cell("topic.csv", 2, "task_id", "2"), "is not in topic.csv"),
    "a run of another round": (cell("run.csv", 1, "round_id", "2"), "run '2023-run1' is not in"),
    "teams out of order": (cell("team.csv", 3, "name", "A"), "team.csv: the names are not in"),
    "a team twice": (cell("team.csv", 1, "name", "TEAM 1"), "team.csv: a name is there twice"),
    "a task twice": (cell("task.csv", 2, "name", "web"), "refuses what it holds"),
    "a task without a name": (cell("task.csv", 1, "name", ""), "needs a printable name"),
    "a task's name that steers a terminal": (
        cell("task.csv", 1, "name", "\x1b[31mweb"),
        "task.csv:2:2: A task needs a printable name of at most 200 characters.",
    ),
    "a run that steers a terminal": (
        cell("run.csv", 1, "tag", "a\x9b31m"),
        "run.csv:2:3: the run name 'a\\x9b31m' holds a control or invisible character",
    ),
    "a team of 501 characters": (cell("team.csv", 1, "name", "n" * 501), "at most 500 are read"),
    "a topic with white space around it": (cell("topic.csv", 1, "name", " 1"), "has white space"),
    "a reason of two lines": (cell("withdrawal.csv", 1, "reason", "a\nb"), "must be one line"),
    "a reason that says nothing": (cell("withdrawal.csv", 1, "reason", " "), "reason given is empty"),
    "JSON that steers a terminal": (
        cell("event.csv", 1, "details", '{"task":"\\u001b[31m"}'),
        "event.csv:2:9: '\\x1b[31m' holds a control or invisible character",
    ),
    "a round's status": (cell("round.csv", 2, "status", "{}"), "refuses what it holds"),
    "a status": (cell("matrix.csv", 1, "missing_policy", "ignore"), "refuses what it holds"),
    "factors of another matrix": (cell("factor.csv", 1, "matrix_id", "4"), "refuses what it holds"),
    "a factor without a number": (cell("factor.csv", 1, "sd", "nan"), "'nan' is not how"),
    "a negative sd": (cell("factor.csv", 1, "sd", "-1.0"), "refuses what it holds"),
    "a withdrawal out of turn": (cell("withdrawal.csv", 1, "withdrawn", "false"), "refuses"),
    "a truth": (cell("withdrawal.csv", 1, "withdrawn", "yes"), "'yes' is not how"),
    "a day": (cell("round.csv", 1, "held", "2023-02-30"), "'2023-02-30' is not how"),
    "a time of another zone": (
        cell("task.csv", 1, "created_at", "2026-01-01T00:00:00.000000+01:00"),
        "is not how an archive writes created_at",
    ),
    "a time without one": (
        cell("task.csv", 1, "created_at", "2026-01-01T00:00:00.000000"),
        "is not how an archive writes created_at",
    ),
    "a key": (cell("round.csv", 1, "pseudonym_key", "x"), "'x' is not how"),
    "a key in braces": (cell("round.csv", 1, "pseudonym_key", "{" + "0" * 32 + "}"), "is not how"),
    "JSON with white space": (cell("event.csv", 1, "details", '{"a": 1}'), "is not how"),
    "JSON with NaN": (cell("event.csv", 1, "details", '{"a":NaN}'), "is not how"),
    "JSON with a key twice": (cell("event.csv", 1, "details", '{"a":1,"a":1}'), "is not how"),
    "JSON with half a character": (cell("event.csv", 1, "details", '{"a":"\\ud800"}'), "not how"),
    "JSON with a NUL": (cell("event.csv", 1, "details", '{"a":"\\u0000"}'), "control"),
    "deep JSON": (cell("event.csv", 1, "details", "[" * 9000 + "]" * 9000), "is not how"),
    "details that are none": (cell("event.csv", 1, "details", "5"), "'5' is not how"),
    "other ids that are none": (
        cell("result_input.csv", 1, "known", '{"other_ids":5}'),
        "is not how an archive writes known",
    ),
    "a number of runs that is none": (
        cell("result_input.csv", 1, "known", '{"runs_without_team":null}'),
        "is not how an archive writes known",
    ),
    "half a run": (
        cell("result_input.csv", 1, "known", '{"runs_without_system":0.5}'),
        "is not how an archive writes known",
    ),
    "a list that is none": (cell("matrix.csv", 1, "files", '{"a":1}'), "is not how"),
    "a list of numbers": (cell("matrix.csv", 1, "files", "[1,2]"), "is not how"),
    "a text with a NUL": (cell("task.csv", 1, "title", "a\0b"), "must be one line"),
    "a backslash too many": (cell("task.csv", 1, "title", "\\a"), "is not how an archive writes"),
    "a plan of a matrix that is not there": (
        lambda members: members.update(
            {"result.csv": members["result.csv"].replace('""matrix"":4', '""matrix"":99')}
        ),
        "result names number 99, which is not there",
    ),
    "a report of factors that are not there": (
        cell("result_input.csv", -1, "factor_set_id", "99"),
        "factor_set_id names number 99",
    ),
    "an estimate of two origins": (
        cell("result_input.csv", 1, "published_variance_id", "1"),
        "refuses what it holds",
    ),
    "a matrix without its event": (emptied("event.csv"), "no event tells of"),
    "an import of its own": (
        lambda members: members.update(
            {"event.csv": members["event.csv"].replace(",task created,", ",archive imported,", 1)}
        ),
        "event.csv: an event says 'archive imported'",
    ),
    "a decision without its event": (
        lambda members: members.update(
            {"event.csv": members["event.csv"].replace(",matrix withdrawn,", ",something else,", 1)}
        ),
        "withdrawal.csv: 'web' round '2025', nDCG@10 (crowd, revision 1): it has 1 withdrawals and",
    ),
    "a decision that no event tells of": (
        line_of(
            "withdrawal.csv",
            lambda lines: lines.append("1,1,true,x,s,2026-01-31T09:30:00.000000Z,nobody\n"),
        ),
        "'web' round '2023', nDCG@10 (official, revision 1): it has 1 withdrawals and restorations,"
        " and 0 events of them",
    ),
    "a plan without its event": (
        lambda members: members.update(
            {"event.csv": members["event.csv"].replace(",plan saved,", ",something else,", 1)}
        ),
        "plan 'next web' version 1: no event says 'plan saved' of it",
    ),
    "a report without its event": (
        lambda members: members.update(
            {"event.csv": members["event.csv"].replace(",drift report saved,", ",something,", 1)}
        ),
        "drift report 'web/drift-1' version 1: no event says 'drift report saved' of it",
    ),
    "a plan asked of another task": (
        cell("result.csv", 2, "request", lambda asked: asked.replace('"web"', '"speech"')),
        "plan 'next web' version 2: task is speech, and what it rests on gives web",
    ),
    "a report asked of no task there": (
        cell("result.csv", 4, "request", lambda asked: asked.replace('"web"', '"ZZ"')),
        "drift report 'web/drift-1' version 1: There is no task 'ZZ'.",
    ),
    "a withdrawal's number": (cell("withdrawal.csv", 1, "number", "7"), "follows on the one"),
    "a plan's version": (cell("result.csv", 1, "version", "2147483647"), "follows on the one before"),
    "a report's version": (cell("result.csv", 4, "version", "9"), "follows on the one before"),
    "a round's ordinal": (cell("round.csv", 1, "ordinal", "-5"), "follows on the one before"),
    "a level of 1": (cell("variance_estimate.csv", 1, "level", "1.0"), "refuses what it holds"),
    "matrices without variances": (
        emptied("variance_estimate.csv", "result_input.csv", "result.csv"),
        "has no variance",
    ),
    "a line end of Windows": (
        lambda members: members.update({"task.csv": members["task.csv"].replace("\n", "\r\n")}),
        "task.csv:1: the quotes of this row",
    ),
}  # fmt: skip


@pytest.mark.one_server
@pytest.mark.long
@pytest.mark.parametrize("what", a_third(SPOILT))
def test_what_contradicts_itself_is_refused(whole, tmp_path, refused, what):
    change, sentence = SPOILT[what]
    assert sentence in refused(changed(whole, tmp_path / "spoilt.zip", change), InputError)


def test_a_changed_cell_without_the_manifest(whole, tmp_path, refused):
    change = cell("factor.csv", 1, "mean", "0.5")
    message = refused(changed(whole, tmp_path / "a.zip", change, checksums=False), BadFileError)
    assert "factor.csv: its checksum is not the one in the manifest" in message


def test_a_wrong_number_of_rows(whole, tmp_path, refused):
    def change(members):
        manifest = json.loads(members["manifest.json"])
        manifest["members"]["topic.csv"]["rows"] += 1
        members["manifest.json"] = json.dumps(manifest)

    message = refused(changed(whole, tmp_path / "a.zip", change, checksums=False), BadFileError)
    assert "topic.csv: there are 20 rows, and the manifest says otherwise" in message


def test_a_wrong_list_of_tasks(recorded, export, tmp_path, refused):
    def change(members):
        members["manifest.json"] = members["manifest.json"].replace('"web"', '"speech"')

    spoilt = changed(export(recorded, "web"), tmp_path / "a.zip", change, checksums=False)
    assert "the manifest tells of other tasks" in refused(spoilt, BadFileError)


@pytest.mark.parametrize("times", [2, pytest.param(60, marks=pytest.mark.slow)])
def test_any_cell_changed_at_random_is_refused_or_comes_back_as_it_is(
    whole, tmp_path, server, template, export, nightly, times
):
    """With the checksums put right: what is let in is a record, and gives that archive again."""
    chance = random.Random(20260401)
    alphabet = ["", "0", "1", "-1", "nan", "1e400", "x", '"', "\\", "[]", "{}", "true", "9" * 19]
    names = sorted(name for name in members_of(whole) if name.endswith(".csv"))
    let_in, times = 0, 500 if nightly and times > 2 else times
    for _ in range(times):
        name = chance.choice(names)
        table = list(csv.reader(io.StringIO(members_of(whole)[name], newline="")))
        line, at = chance.randrange(1, len(table)), chance.randrange(len(table[0]))
        new = chance.choice([text for text in alphabet if text != table[line][at]])
        spoilt = changed(whole, tmp_path / "a.zip", cell(name, line, at, new, number=True))
        with database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as engine:
            try:
                take(engine, spoilt)
            except InputError:
                assert not any(counts(engine).values())
            else:
                let_in += 1
                assert verify_record(engine).status == "verified"
                assert contents_of(export(engine)) == contents_of(spoilt), (name, line, at, new)
    assert times == 2 or 0 < let_in < times / 2


def test_no_archive(tmp_path, refused):
    (tmp_path / "a.zip").write_text("topic,a\n1,0.5\n")
    assert "no zip file" in refused(tmp_path / "a.zip", BadFileError)


# crashes, crowds, roles, costs


@pytest.mark.both_servers
@pytest.mark.long
def test_a_killed_import_leaves_nothing(engine, committed, whole):
    half = threading.Event()
    with engine.connect() as connection, connection.begin():
        # It comes to wait where the rounds are inserted, with tasks and matrices before them.
        connection.execute(text("LOCK TABLE roundbook.variance_estimate IN EXCLUSIVE MODE"))
        process = Forked(engine.url, partial(take, file=whole), tells=True)
        process.let_go()
        for _ in range(200):
            waiting = scalar(
                engine,
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation ="
                " CAST('roundbook.variance_estimate' AS regclass)",
            )
            if waiting:
                break
            half.wait(0.1)
        assert waiting == 1
        process.kill()
        assert process.end().reached == "working"
    for _ in range(200):  # until the server has noticed
        if not scalar(
            engine,
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database())",
        ):
            break
        half.wait(0.1)
    assert not any(counts(engine).values())
    assert take(engine, whole).matrices == 11


@pytest.mark.both_servers
@pytest.mark.long
def test_two_imports_of_one_archive_at_once(engine, committed, whole):
    outcomes = race(engine.url, [partial(take, file=whole)] * 2)
    assert sorted(outcome.reached for outcome in outcomes) == ["", "done"]
    (lost,) = [outcome for outcome in outcomes if outcome.reached != "done"]
    assert lost.error == "AlreadyRecordedError"
    assert "a task of this name already: 'speech', 'web'" in lost.message
    assert counts(engine)["matrix"] == 11


@pytest.fixture
def roles(engine, committed):
    """The engines of a role that only reads, and of one that logs."""
    made, engines = [], {}
    for access in ("reader", "service"):
        name = f"role_{uuid4().hex}"
        made.append(name)
        administer(engine.url, f"CREATE ROLE {name} LOGIN PASSWORD 'pw'")
        grant_access(engine, name, access)
        engines[access] = make_engine(engine.url.set(username=name, password="pw"))
    yield engines
    for role_engine in engines.values():
        role_engine.dispose()
    administer(
        engine.url,
        *(f"DROP OWNED BY {name}" for name in made),
        *(f"DROP ROLE {name}" for name in made),
    )


@pytest.mark.both_servers
def test_who_logs_may_import_and_who_reads_may_export(roles, whole, export):
    with pytest.raises(DatabaseError, match="may not do this"):
        take(roles["reader"], whole)
    take(roles["service"], whole)
    (user,) = rows(roles["service"], "SELECT session_user")[0]
    before, after = members_of(whole), members_of(export(roles["reader"]))
    assert {name for name in before if before[name] != after[name]} == {
        *("event.csv", "datapackage.json", "manifest.json"),
    }
    # Only the owner brings events with the users they had: nobody else says who he was.
    events = table_in(whole, "event"), table_in(export(roles["reader"]), "event")
    assert [{**event, "database_user": user} for event in events[0]] == events[1]


def statements(engine, work):
    seen = []

    def note(connection, cursor, statement, *_):
        seen.append(statement)

    sqlalchemy_event.listen(engine, "before_cursor_execute", note)
    try:
        work()
    finally:
        sqlalchemy_event.remove(engine, "before_cursor_execute", note)
    return len(seen)


def test_what_it_asks_of_the_server_grows_by_the_matrix_alone(engine, second, export, tmp_path):
    costs = []
    for rounds in (1, 2, 5):  # the first brings the measure along
        for number in range(rounds):
            log_scores(engine, f"r{number}", scores(number, 12, 8), task=f"task {rounds}")
        file = tmp_path / f"{rounds}.zip"
        out = statements(
            engine, lambda f=file, n=rounds: export_archive(engine, f, tasks=[f"task {n}"])
        )
        into = statements(second, lambda f=file: take(second, f))
        costs.append((out, into))
    _, (few_out, few_in), (many_out, many_in) = costs
    assert many_out - few_out == 3 * 3  # its row, its topics, its runs
    # The order of its topics and runs; to complete its estimates, it, its factors, topics and runs;
    # to verify them these again and the estimates. The scores go by COPY.
    assert many_in - few_in == 3 * 9


# the file


def test_a_file_that_is_there_stays_unless_forced(recorded, whole, tmp_path):
    file = tmp_path / "a.zip"
    file.write_text("mine")
    with pytest.raises(InputError, match="there is such a file"):
        export_archive(recorded, file)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("manifest.json", '{"format": "other"}')
    for dear in (b"mine", (tmp_path / "other.zip").read_bytes()):
        file.write_bytes(dear)
        with pytest.raises(InputError, match="no file that such a command wrote"):
            export_archive(recorded, file, force=True)
        assert file.read_bytes() == dear
    (tmp_path / "other.zip").unlink()
    file.write_bytes(b"")
    assert export_archive(recorded, file, tasks=["web"], force=True).tasks == ["web"]
    exported = export_archive(recorded, file, force=True)
    assert file.read_bytes() == whole.read_bytes()
    assert exported.bytes == file.stat().st_size
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


def test_a_broken_export_leaves_what_was_there(recorded, tmp_path, monkeypatch):
    file = tmp_path / "a.zip"
    file.touch()

    def broken(connection, row):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exporting, "load_matrix", broken)
    with pytest.raises(InputError, match=r"a.zip: this cannot be written \(No space left"):
        export_archive(recorded, file, force=True)
    assert file.read_bytes() == b""
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


def test_names_that_no_archive_can_have(engine, tmp_path):
    with pytest.raises(InputError, match="not a stream"):
        export_archive(engine, type(tmp_path)("-"))
    with pytest.raises(InputError, match="no directory"):
        export_archive(engine, tmp_path / "none" / "a.zip")
    with pytest.raises(InputError, match="no ordinary file"):
        export_archive(engine, tmp_path)
    with pytest.raises(NotRecordedError, match="no task 'none'"):
        export_archive(engine, tmp_path / "a.zip", tasks=["none"])
    assert list(tmp_path.iterdir()) == []


def test_an_import_reads_nothing_but_what_it_checked(whole, engine, monkeypatch):
    """The members are read from the file that was opened, not by its name again."""
    original = importing.open_archive

    @contextmanager
    def opened(file):
        with original(file) as archive:
            kept = file.read_bytes()
            file.unlink()
            try:
                yield archive
            finally:
                file.write_bytes(kept)

    monkeypatch.setattr(importing, "open_archive", opened)
    assert take(engine, whole).matrices == 11


def test_publishing_and_revising_go_on_afterwards(engine, whole):
    take(engine, whole)
    publish_round(engine, "web", "2024", user="ann")
    create_task(engine, "more", user="ann")
    newest = log_scores(engine, "r1", scores(), task="more")
    assert newest.matrix == 12


def test_a_trusted_archive_is_not_verified(engine, whole, tmp_path):
    altered = changed(whole, tmp_path / "a.zip", cell("factor.csv", 1, "mean", "0.5"))
    with pytest.raises(BadFileError, match=r"the mean of topic '1' is 0\.5"):
        take(engine, altered)
    steps = []
    import_archive(engine, altered, trusted=True, progress=steps.append)
    assert not any("Verifying" in step for step in steps)
    verification = verify_record(engine)
    assert verification.status == "different"
    assert verification.differences[0].first.topic == "1"


def _with(**values):
    """Return a change of a JSON object's cell."""
    return lambda text: json.dumps(
        json.loads(text) | values, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )


@pytest.mark.parametrize(
    ("column", "new", "reason"),
    [
        ("request", _with(m=list(range(2, 20_000))), "There are more than 10,000 cells"),
        ("result", "{}", "m: field required"),
        ("kind", "forecast", "There is no kind of result 'forecast'"),
    ],
)
def test_of_a_trusted_archive_all_results_can_be_read(engine, whole, tmp_path, column, new, reason):
    results = table_in(whole, "result")
    names = [row["name"] for row in results]
    line, row = next(
        (number, row)
        for number, row in enumerate(results, 1)
        if row["kind"] == "plan" and names.count(row["name"]) == 1
    )
    altered = changed(whole, tmp_path / "a.zip", cell("result.csv", line, column, new))
    with pytest.raises(BadFileError) as refused:
        import_archive(engine, altered, trusted=True)
    kind = new if column == "kind" else "plan"
    read = (
        f"{kind} '{row['name']}' version {row['version']}: this Roundbook cannot read it ({reason}"
    )
    assert read in str(refused.value)
    assert str(refused.value).count(". ") == 0
    assert not any(counts(engine).values())


def test_a_report_without_a_name_of_a_task_with_a_long_one_comes_back(engine, second, export):
    task = "t" * 195
    for label in ("1", "2"):
        log_scores(engine, label, scores(int(label)), task=task)
    name = save_report(engine, task, "AP").name
    take(second, export(engine))
    assert [row.name for row in list_results(second).results] == [name]


def test_what_waits_for_the_commit_waits_again_after_an_import(engine, whole):
    """So that more can be recorded in the same transaction."""
    half = (
        "INSERT INTO roundbook.matrix (round_id, measure_id, assessments, revision, topics, runs,"
        " content_hash, missing_policy, missing_cells, dropped_topics, files, layout, software,"
        " logged_by) SELECT max(round.id), min(measure.id), 'half', 1, 2, 2, '', 'reject', 0, '{}',"
        " '{}', 'wide', 's', 'ann' FROM roundbook.round, roundbook.measure"
    )
    inserted = False
    with (
        pytest.raises(DatabaseError, match="says 2 topics and 2 runs but has 0 and 0"),
        begin(engine) as session,
    ):
        importing.import_archive(session, ImportRequest(archive=whole))
        session.connection.execute(text(half))
        inserted = True
    assert inserted
