"""Use cases over HTTP: the same answers, every refusal as a problem, tokens and their scopes."""

from __future__ import annotations

import asyncio
import base64
import csv
import gzip
import io
import json
import socket
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from urllib.request import urlopen

import jsonschema_rs
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.databases import scalar
from tests.factories import simulated, wide
from tests.savepoints import prepared
from tests.serving import serving

import roundbook
from roundbook.api import answers, endpoints, middleware, running, turns
from roundbook.api.app import PREFIX, make_app
from roundbook.api.problems import HttpError
from roundbook.database.engine import make_engine, parse_url, unit_of_work
from roundbook.database.schema import upgrade
from roundbook.errors import RequestError
from roundbook.logbook.studies import studies
from roundbook.settings import load_settings
from roundbook.use_cases import UPLOADS, USE_CASES

pytestmark = pytest.mark.one_server
JSON = {"Content-Type": "application/json"}
TOPICS, RUNS = [f"t{number}" for number in range(1, 9)], list("abcd")
OF = {"task": "t", "measure": "AP"}
OF_ROUND = OF | {"round": "1"}
# What each question is asked with; the answer is about task t.
QUESTIONS = {
    "tasks": {},
    "rounds": {"task": "t"},
    "round": {"task": "t", "round": "1"},
    "measures": {"task": "t"},
    "topics": {"task": "t"},
    "matrices": {"task": "t"},
    "matrix": {"matrix": 1},
    "impact": {"matrix": 1},
    "history": {"matrix": 1},
    "export_matrix": {"matrix": 1},
    "runs": {"task": "t"},
    "qrels": {"task": "t"},
    "compare_scores": OF_ROUND,
    "variances": OF,
    "histories": {"task": "t"},
    "factors": OF_ROUND,
    "plan": OF | {"m": [10], "min_d": [0.1]},
    "drift": OF,
    "ageing": OF,
    "standardise": OF_ROUND,
    "rank": OF_ROUND | {"resamples": 200},
    "generalisability": OF,
    "results": {"task": "t"},
    "result": {"name": "next"},
    "events": {"task": "t"},
    "verify": {"task": "t"},
    "verify_round": {"task": "t", "round": "1"},
    "tokens": {},
}
DECISIONS = {
    "create_task": {"task": "new"},
    "rename_task": {"task": "t", "name": "u", "force": True},
    "remove_task": {"task": "t"},
    "create_round": {"task": "t", "round": "9"},
    "set_round": {"task": "t", "round": "2", "collection": "C"},
    "rename_round": {"task": "t", "round": "2", "name": "two", "force": True},
    "remove_round": {"task": "t", "round": "2"},
    "publish": {"task": "t", "round": "2"},
    "record_variance": OF | {"round": "3", "variance": 0.1, "runs": 5, "topics": 50, "source": "p",
                             "create": True},
    "fit": OF_ROUND | {"reason": "others", "runs": ["a", "b"]},
    "withdraw": {"matrix": 2, "reason": "wrong"},
    "restore": {"matrix": 2, "reason": "right"},
    "merge_measures": {"merged": "P@5", "into": "AP"},
    "unalias_topic": {"task": "t", "name": "x"},
    "create_token": {"name": "other"},
    "revoke_token": {"name": "spare"},
    "renew": {"task": "t"},
}  # fmt: skip


def scores_text(seed=0):
    return wide(simulated(seed, 8, 4), TOPICS, RUNS)


@prepared
def tokens(book):
    """A record with a published round 1 and a draft 2; return tokens by their scope."""
    for seed, label in enumerate("12"):
        book.log("t", label, io.StringIO(scores_text(seed)), "AP", create=True)
    book.save("plan", "next", task="t", measure="AP", m=(10,), min_d=(0.1,))
    book.save("plan", "budget", variance=0.05)
    book.publish("t", "1")
    made = {
        scope: book.ask("create_token", name=f"{scope}er", scope=scope).token
        for scope in ("read", "log", "admin")
    }
    book.create_task("elsewhere")
    other = {"name": "other task", "scope": "admin", "task": "elsewhere"}
    made["other"] = book.ask("create_token", **other).token
    book.ask("create_token", name="spare")
    return made


@pytest.fixture
def service(engine, tokens):
    """Return clients of the record of `tokens`, by the scope they have."""
    app = make_app(load_settings(), engine)
    with TestClient(app) as anonymous:
        clients = {"none": anonymous}
        for scope, token in tokens.items():
            clients[scope] = TestClient(app, headers={"Authorization": f"Bearer {token}"})
        yield clients


def path(name):
    return f"{PREFIX}/{name.replace('_', '-')}"


def problem(answer, status, says=""):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    detail = answer.json()["detail"]
    assert says in detail
    assert detail.endswith(".")
    return answer.json()


@pytest.mark.long
def test_every_question_has_the_answer_that_python_has(service, book):
    assert QUESTIONS.keys() | DECISIONS.keys() == USE_CASES.keys()
    for name, fields in QUESTIONS.items():
        if name == "compare_scores":
            problem(service["admin"].get(path(name), params=fields), 404, "no runs")
            continue
        over_http = service["admin"].get(path(name), params=fields).json()
        here = book.ask(name, **fields).model.model_dump(mode="json", by_alias=True)
        over_http.pop("sentences", None)
        assert over_http == here, name


@pytest.mark.long
def test_who_may_do_what(service, engine):
    """Every use case under every scope: what a scope lacks is refused, and nothing is changed."""

    def count():
        return scalar(engine, "SELECT count(*) FROM roundbook.event")

    before = count()
    ranks = {"none": 0, "read": 1, "log": 2, "admin": 3}
    seen_by_all = {
        "tasks",
        "rounds",
        "round",
        "factors",
        "standardise",
        "rank",
        "matrix",
        "verify_round",
    }
    seen_by_all |= {"history", "export_matrix"}
    for name, case in USE_CASES.items():
        for scope in ("none", "read", "log", "other"):
            client = service[scope]
            if case.changes:
                answer = client.post(path(name), json=DECISIONS[name])
            else:
                answer = client.get(path(name), params=QUESTIONS[name])
            if scope == "other":
                task_free = {"tasks", "tokens", "create_token", "revoke_token", "merge_measures"}
                if name not in task_free:
                    assert answer.status_code in (403, 404, 409), (name, answer.text)
            elif ranks[scope] < ranks[case.scope]:
                expected = 401 if scope == "none" else 403
                if scope == "none" and not case.changes and name in seen_by_all:
                    expected = 200
                assert answer.status_code == expected, (name, scope, answer.text)
    with unit_of_work(engine) as connection:
        who = connection.execute(
            text("SELECT who FROM roundbook.event WHERE id > :before"), {"before": before}
        ).scalars()
        assert set(who) <= {"token loger", "token other task"}


def test_drafts_are_not_seen_without_a_token(service, book):
    client = service["none"]
    book.ask("set_round", task="t", round="1", held="2024-02-02")
    book.ask("set_round", task="t", round="2", held="2023-03-03")
    assert len(book.rounds("t").rounds[0].out_of_order) == 1
    (row,) = client.get(path("rounds"), params={"task": "t"}).json()["rounds"]
    # Nor does the order of rounds name a draft.
    assert (row["round"], "out_of_order" in row) == ("1", False)
    assert [row["task"] for row in client.get(path("tasks")).json()["tasks"]] == ["t"]
    problem(client.get(path("factors"), params=OF | {"round": "2"}), 401, "takes a token")
    problem(client.get(path("factors"), params=OF | {"round": "7"}), 401, "takes a token")
    problem(client.get(path("variances"), params=OF), 401, "takes a token")
    problem(client.get(path("variances"), params={"task": "x", "measure": "AP"}), 401)
    # Whatever is a draft of a task, what it has is told to nobody; of one that is published, to all.
    unknown = OF_ROUND | {"measure": "P@5"}
    problem(client.get(path("factors"), params=unknown), 401, "takes a token")
    book.publish("t", "2")
    problem(
        client.get(path("factors"), params=unknown), 404, "nothing for measure 'P@5'; it has AP."
    )
    problem(client.get(path("factors"), params=OF | {"round": "7"}), 404, "no round '7'")
    assert client.get(path("plan"), params={"variance": 0.05, "m": 10, "min_d": 0.1}).json()[
        "cells"
    ]


def test_a_wrong_token_is_401_whatever_is_wrong(service, book, engine):
    revoked = book.ask("create_token", name="gone").token
    book.ask("revoke_token", name="gone")
    app_client = service["none"]
    with unit_of_work(engine) as connection:
        connection.execute(
            text(
                "INSERT INTO roundbook.access_token (name, hash, scope, software, created_by,"
                " created_at, expires_at) SELECT 'past', sha256('rb_past'), 'admin', '', '',"
                " now() - interval '2 days', now() - interval '1 day'"
            )
        )
        connection.commit()
    answers = [
        app_client.get(path("tasks"), headers={"Authorization": b"Bearer " + secret})
        for secret in (revoked.encode(), b"rb_past", b"rb_" + b"x" * 43, b"x", b"rb_", b"rb_\xff\t")
    ]
    assert len({answer.text for answer in answers}) == 1
    problem(answers[0], 401, "not valid")
    assert answers[0].headers["www-authenticate"] == "Bearer"
    for _ in range(20):
        last = app_client.get(path("tasks"), headers={"Authorization": "Bearer no"})
    problem(last, 429, "in a minute")
    # Who has a token is not kept out by others of the same address, which no header makes up.
    assert service["read"].get(path("tasks")).status_code == 200
    told = running.service_config(app_client.app)
    assert (told.proxy_headers, told.forwarded_allow_ips) == (False, "")


def test_uploads(service):
    client = service["log"]
    query = {"task": "t", "round": "2", "measures": "AP", "filename": "two.csv"}
    again = client.post(path("log"), params=query, content=scores_text(1))
    assert again.json()["matrices"][0]["status"] == "unchanged"
    packed = client.post(path("log"), params=query, content=gzip.compress(scores_text(1).encode()))
    assert packed.json()["matrices"][0]["status"] == "unchanged"
    refused = problem(
        client.post(path("log"), params=query, content=scores_text(2)),
        409,
        "Other scores are already",
    )
    assert refused["code"] == "ContentDiffers"
    wrong = scores_text(1).replace("0.", "o.", 3)
    told = problem(client.post(path("log"), params=query, content=wrong), 422, "two.csv:2:2:")
    assert (told["file"], told["line"], told["column"]) == ("two.csv", 2, 2)
    problem(
        client.post(path("log"), params=query | {"files": "/etc/passwd"}, content="x"), 422, "body"
    )
    problem(client.post(path("log"), params=query | {"filename": ".."}, content="x"), 422, "name")
    revised = client.post(
        path("log"), params=query | {"revise": "a misprint"}, content=scores_text(2)
    )
    assert revised.json()["matrices"][0]["revision"] == 2
    assert revised.json()["matrices"][0]["status"] == "logged"
    teams = "run,team\na,A\nb,A\nc,B\nd,B\n"
    described = client.post(
        path("describe-teams"), params={"task": "t", "round": "2"}, content=teams
    )
    assert described.json()["described"] == 4
    lists, grades = "t1 Q0 d1 1 0.5 a\nt2 Q0 d1 2 0.4 a\n", "t1 0 d1 1\nt2 0 d2 0\n"
    of_round = {"task": "t", "round": "2"}
    for name, file, content in (("log_runs", "a.run", lists), ("log_qrels", "q.txt", grades)):
        sent = client.post(path(name), params=of_round | {"filename": file}, content=content)
        assert [one["file"] for one in sent.json()["files"]] == [file]
    as_csv = client.get(path("runs"), params=of_round, headers={"Accept": "text/csv"})
    assert [row["run"] for row in csv.DictReader(io.StringIO(as_csv.text))] == ["a"]
    last_page = client.get(
        path("runs"), params=of_round | {"after": "a"}, headers={"Accept": "text/csv"}
    )
    assert last_page.text == as_csv.text.splitlines(keepends=True)[0]
    # Errors call a file by what it should hold, unless its name is given.
    of_task = {"task": "t"}
    for name, asked, called in (
        ("log", of_round | {"measures": "AP"}, "scores"),
        ("describe_teams", of_round, "teams"),
        ("alias_topics", of_task, "topics"),
        ("log_runs", of_round, "runs"),
        ("log_qrels", of_round, "qrels"),
    ):
        for given, file in (({}, called), ({"filename": "a.txt"}, "a.txt")):
            empty = client.post(path(name), params=asked | given, content=b"")
            assert problem(empty, 422, f"{file}: the file is empty")["file"] == file
    standardised = client.post(
        path("standardise_files"),
        params=OF | {"factors_from": "1", "filename": "new.csv"},
        content=scores_text(3),
    )
    assert standardised.json()["files"] == ["new.csv"]
    # Whoever reads the record is told no directory of the service's machine.
    assert client.get(path("matrix"), params={"matrix": 3}).json()["files"] == ["two.csv"]
    events = client.get(path("events"), params={"task": "t"}).text
    assert '"a.run"' in events
    assert tempfile.gettempdir() not in events


def test_a_file_that_is_too_long_is_refused_midway(engine, monkeypatch):
    settings = load_settings().model_copy(update={"max_file_bytes": 1000})
    read = []

    def chunks():
        for _ in range(1000):
            read.append(1)
            yield b"x" * 100

    with TestClient(make_app(settings, engine, open_to_all=True)) as client:
        answer = client.post(path("log"), params={"task": "t", "round": "1"}, content=chunks())
        problem(answer, 413, "longer than 1,000 bytes")
        upload = client.post("/upload", content=chunks())
        assert (upload.status_code, "says not how long it is" in upload.text) == (411, True)
        settings.__dict__["max_file_bytes"] = 2**28
        far = {"Content-Length": str(2**29)}
        for where in (path("log"), "/upload"):
            long = client.post(where, params={"task": "t", "round": "1"}, headers=far)
            assert (long.status_code, "longer than 256 MiB" in long.text) == (413, True)


@pytest.mark.long
def test_every_answer_is_described_with_an_example_that_fits(engine):
    document = make_app(load_settings(), engine).openapi()
    # Two models of one name would be told apart by the paths of their modules.
    assert not [name for name in document["components"]["schemas"] if "roundbook" in name]

    def check(schema, example):
        fits = jsonschema_rs.validator_for({**schema, "components": document["components"]})
        fits.validate(example)

    answers = 0
    for where, operations in document["paths"].items():
        for operation in operations.values():
            assert "\n" not in operation["summary"], where
            for status, answer in operation["responses"].items():
                assert answer.get("content") or status == "304", (where, status)
                for kind, content in answer.get("content", {}).items():
                    assert content["schema"], (where, status, kind)
                    if kind == "application/json":
                        check(content["schema"], content["example"])
                        answers += 1
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                if kind == "application/json" and "example" in content:
                    check(content["schema"], content["example"])
                else:
                    named = content["schema"].get("$ref", "").rpartition("/")[2]
                    there = document["components"]["schemas"].get(named, content)
                    assert "example" in there or where.endswith("/import"), where
            for parameter in operation.get("parameters", ()):
                assert "example" in parameter or not parameter["required"], (where, parameter)
                if "example" in parameter:
                    check(parameter["schema"], parameter["example"])
    assert answers >= len(USE_CASES) + len(UPLOADS)


@pytest.mark.long
def test_what_is_the_same_is_not_sent_again_and_csv_is_rows(service):
    client = service["admin"]
    first = client.get(path("variances"), params=OF)
    again = client.get(
        path("variances"), params=OF, headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
    assert (
        client.get(path("variances"), params=OF, headers={"If-None-Match": "*"}).status_code == 304
    )
    as_csv = client.get(path("variances"), params=OF, headers={"Accept": "text/csv"})
    rows = list(csv.DictReader(io.StringIO(as_csv.text)))
    assert [row["round"] for row in rows] == ["1", "2", ""]
    assert float(rows[0]["variance"]) == first.json()["rounds"][0]["variance"]
    packed = client.get(path("variances"), params=OF | {"scale": "std-ab"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["etag"].startswith('W/"')
    plain = client.get(
        path("variances"), params=OF | {"scale": "std-ab"}, headers={"Accept-Encoding": "identity"}
    )
    assert f"W/{plain.headers['etag']}" == packed.headers["etag"]
    assert client.get(path("variances"), params=OF | {"scale": "std-AB"}).json() == plain.json()
    for known in (packed.headers["etag"], plain.headers["etag"]):
        again = client.get(
            path("variances"), params=OF | {"scale": "std-ab"}, headers={"If-None-Match": known}
        )
        assert (again.status_code, again.headers["etag"]) == (304, known)
    for index in (PREFIX, f"{PREFIX}/"):
        found = client.get(index)
        assert found.json()["name"] == "Roundbook"
        assert (
            client.get(found.json()["openapi"]).json()["info"]["version"] == found.json()["version"]
        )
    assert client.get("/healthz").text == "ok\n"
    assert client.get("/readyz").json()["status"] == "up to date"
    assert client.head("/healthz").status_code == client.head("/readyz").status_code == 200
    study = client.get(f"{PREFIX}/study/swap-rate", params=OF_ROUND | {"trials": 20})
    assert study.json()["scales"][0]["scale"] == "raw"
    problem(
        client.get(f"{PREFIX}/study/swap-rate", params={"measure": "AP", "files": "/etc/passwd"}),
        422,
        "names a file of this machine",
    )
    saved = client.post(f"{PREFIX}/save/swap-rate", json={"request": OF_ROUND | {"trials": 20}})
    assert saved.json()["result"]["scales"] == study.json()["scales"]
    for asked in ({}, {"study": ["swap-rate"]}):
        unknown = client.post(f"{PREFIX}/save/study", json={"request": asked})
        problem(unknown, 422, "There is no study")
    long = client.post(f"{PREFIX}/save/plan", json={"name": "x" * 201, "request": OF})
    assert problem(long, 422, "`name` should have at most 200 characters")["field"] == "name"
    given = {"name": "next", "request": {"variance": 0.1}}
    taken = problem(client.post(f"{PREFIX}/save/plan", json=given), 409, "of task 't' already")
    assert taken["facts"] == {"name": "next", "task": "t"}
    assert client.post(f"{PREFIX}/save/plan", json=given | {"name": "given"}).status_code == 200
    taken = {"name": "given", "request": OF | {"m": [10], "min_d": [0.1]}}
    problem(client.post(f"{PREFIX}/save/plan", json=taken), 409, "of no task already")
    problem(client.get(path("plan"), params=OF | {"min_d": ["inf", "0.1"]}), 422, "finite")
    asked = {"url": path("renew"), "json": {"name": "next"}}
    problem(client.post(**asked, params={"dry_run": True}), 422, "in its body")
    # Rows of several kinds have every column, and columns of several kinds are texts.
    assert client.post(f"{PREFIX}/save/drift", json={"request": OF}).status_code == 200
    parquet = {"Accept": "application/vnd.apache.parquet"}
    for name, asked in (
        ("results", {"task": "t"}),
        ("impact", {"matrix": 1}),
        ("history", {"matrix": 1}),
        ("ageing", OF),
    ):
        mixed = client.get(path(name), params=asked, headers={"Accept": "text/csv"})
        assert mixed.status_code == 200, name
        assert len(list(csv.DictReader(io.StringIO(mixed.text)))) >= 1, name
        frame = pd.read_parquet(
            io.BytesIO(client.get(path(name), params=asked, headers=parquet).content)
        )
        assert list(frame.columns) == mixed.text.partition("\n")[0].split(","), name


def test_other_sites_and_bad_requests(engine):
    with TestClient(make_app(load_settings(), engine, open_to_all=True)) as client:
        make = {"url": path("create_task"), "json": {"task": "t"}}
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            problem(client.post(**make, headers=headers), 403, "another site")
        problem(client.get(path("tasks"), headers={"Host": "evil.example"}), 403, "own name")
        for headers in ({"Host": "["}, {"Host": "[x]"}, {"Origin": "http://["}):
            problem(client.post(**make, headers=headers), 400, "host or origin is no address")
        assert client.post(**make, headers={"Origin": "http://testserver"}).status_code == 200
        problem(client.post(**make), 409, "already")
        nowhere = problem(client.get(path("rounds"), params={"task": "u"}), 404)
        assert nowhere["help"] == "GET /api/v1/tasks lists those there are."
        problem(client.get(path("variances"), params={"task": "t"}), 422, "`measure`")
        problem(client.get(path("variances"), params=OF | {"scale": "x"}), 422, "`scale`")
        problem(client.get(path("variances"), params=OF | {"y": "x"}), 422, "`y`")
        problem(client.post(path("create_task"), content="{"), 422, "no JSON object")
        # As curl --data sends it.
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        sent = client.post(path("create_task"), content='{"task": "u"}', headers=form)
        problem(sent, 422, "or its `Content-Type` is not application/json.")
        twice = [*OF.items(), ("measure", "P@10")]
        for url, asked, field in (
            (path("variances"), twice, "measure"),
            (path("log"), [*OF_ROUND.items(), ("round", "r2")], "round"),
            (f"{PREFIX}/jobs", [("task", "t"), ("task", "u")], "task"),
        ):
            send = client.post if url == path("log") else client.get
            again = problem(send(url, params=asked), 422, "is given 2 times, and takes one value")
            assert again["field"] == field
        lost = problem(client.get(f"{PREFIX}/nothing"), 404, "no such path")
        assert lost["help"] == f"GET {PREFIX}/openapi.json describes those there are."
        problem(client.delete(path("tasks")), 405, "not asked for by DELETE, but by GET, HEAD.")
        answer = client.get(path("tasks"))
        # HEAD is answered as GET is, without what it would send.
        head = client.head(path("tasks"))
        assert (head.status_code, head.headers, head.content) == (200, answer.headers, b"")
        known = {"If-None-Match": answer.headers["etag"]}
        assert client.head(path("tasks"), headers=known).status_code == 304
        assert client.head(PREFIX).status_code == client.head(f"{PREFIX}/jobs").status_code == 200
        refused = client.head(path("rounds"), params={"task": "u"})
        assert (refused.status_code, refused.content) == (404, b"")
        assert client.head(path("create_task")).status_code == 405
        assert client.delete(path("tasks")).headers["allow"] == "GET, HEAD"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.long
def test_a_token_for_one_task_reaches_no_other(service, book):
    """Whatever names another task: itself, a matrix, a result, a list, a name to save under."""
    client = service["other"]
    asked = [
        client.get(path(name), params=fields)
        for name, fields in QUESTIONS.items()
        if name not in ("tasks", "measures", "results", "events", "verify", "tokens")
        or "task" in fields
    ]
    asked += [
        client.get(path("matrices"), params={"task": "elsewhere", "after": 1}),
        client.get(path("matrix"), params={"matrix": 99}),
        client.get(path("events"), params={"matrix": 1}),
        client.get(path("result"), params={"name": "none"}),
        client.get(path("tokens")),
        client.get(f"{PREFIX}/study/swap-rate", params=OF_ROUND),
        client.get(f"{PREFIX}/export"),
        client.get(f"{PREFIX}/export", params={"tasks": ["elsewhere", "t"]}),
        client.post(f"{PREFIX}/import", content=b"PK"),
        client.post(
            path("log"), params={"task": "t", "round": "1", "measures": "AP"}, content=scores_text()
        ),
        client.post(f"{PREFIX}/save/plan", json={"request": OF}),
        client.post(f"{PREFIX}/save/plan", json={"name": "next", "request": {"variance": 0.1}}),
        client.post(f"{PREFIX}/save/plan", json={"name": "free", "request": {"variance": 0.1}}),
        client.post(f"{PREFIX}/save/plan", json={"name": "budget", "request": {"variance": 0.1}}),
        client.post(path("renew"), json={"name": "next"}),
    ]
    asked += [client.post(path(name), json=fields) for name, fields in DECISIONS.items()]
    for answer in asked:
        problem(answer, 403)
        assert answer.json()["detail"] in (
            "Your token is for task 'elsewhere' alone.",
            "This takes a token with the scope admin; yours is log.",
        )
    # Whose a taken name is it is not told.
    own = {"name": "budget", "request": {"task": "elsewhere", "measure": "AP"}}
    taken = client.post(f"{PREFIX}/save/plan", json=own)
    problem(taken, 409, "'budget' is taken already; choose another name.")
    # A name that cannot be kept is refused before it is looked up.
    odd = client.post(f"{PREFIX}/save/plan", json=own | {"name": "a\0"})
    assert problem(odd, 422, "`name` has a character")["field"] == "name"
    # A missing field is named.
    for body in ({}, {"name": "x"}):
        problem(client.post(f"{PREFIX}/save/plan", json=body), 422, "`request` is not given")
    # So is one that there is not: a slip would lose what was meant by it.
    for url in ("save/plan", "jobs/study/swap-rate"):
        slip = client.post(f"{PREFIX}/{url}", json=own | {"nots": "agreed"})
        assert problem(slip, 422, "`nots` is no field here")["field"] == "nots"
    # That another task has exactly these scores is told to those alone who may see it.
    log = {"task": "elsewhere", "round": "9", "measures": "AP", "create": True, "dry_run": True}
    twins = {}
    for scope in ("other", "admin"):
        logged = service[scope].post(path("log"), params=log, content=scores_text()).json()
        twins[scope] = logged["matrices"][0]["remarks"]["same_scores"]
    assert twins["other"] is None
    assert twins["admin"]["task"] == "t"
    # It is told before a field that is missing for it.
    problem(client.get(path("variances"), params={"task": "elsewhere", "mesure": "AP"}), 422,
            "There is no `mesure` here; there are task, measure")  # fmt: skip
    # A result of its own task may have the name of one of another kind, of another task.
    for label in "12":
        book.log("elsewhere", label, io.StringIO(scores_text(3)), "AP", create=True)
    book.save("drift", "next", task="elsewhere", measure="AP")
    named = {"name": "next", "kind": "drift"}
    assert client.get(path("result"), params=named).json()["task"] == "elsewhere"
    problem(client.get(path("result"), params=named | {"kind": "plan"}), 403)
    # A report tells as little of another task's plan as of one that is not there.
    for plan in ("next", "none"):
        fields = {"task": "elsewhere", "plan": plan}
        refused = problem(client.get(f"{PREFIX}/report-latex", params=fields), 404)
        assert refused["detail"] == f"Task 'elsewhere' has no saved plan '{plan}'."
    of = {"task": "elsewhere", "measure": "AP"}
    saved = client.post(f"{PREFIX}/save/drift", json={"name": "next", "request": of})
    assert saved.json()["status"] == "unchanged"
    assert [row["task"] for row in client.get(path("tasks")).json()["tasks"]] == ["elsewhere"]
    results = client.get(path("results")).json()["results"]
    assert [row["kind"] for row in results] == ["drift"]
    events = client.get(path("events")).json()
    assert "events" in events, events
    events = events["events"]
    assert {event["task"] for event in events} == {"elsewhere"}
    nothing = client.post(path("renew"), json={}).json()
    assert nothing.get("renewed", []) == [], nothing


def test_no_question_is_an_oracle_of_drafts(service, book, tmp_path):
    """What is a draft answers as what is not there, whatever else the request has."""
    scores, runs = tmp_path / "three.csv", tmp_path / "a.run"
    scores.write_text(scores_text(3))
    runs.write_text("t1 Q0 d1 1 0.5 a\n")
    book.log("hidden", "1", io.StringIO(scores_text(5)), "AP", create=True)
    book.log("open", "3", scores, "AP", create=True)
    book.log_runs("open", "3", runs)
    book.publish("open", "3")
    client = service["none"]

    def same(name, draft, nothing):
        one, other = (client.get(f"{PREFIX}/{name}", params=fields) for fields in (draft, nothing))
        problem(one, 401, "takes a token")
        assert one.text == other.text
        assert one.headers.get("etag") is None

    for factors in ("2", "2:1", "2:9"):
        same("standardise", OF_ROUND | {"factors_from": factors}, OF_ROUND | {"factors_from": "no"})
    same("factors", OF | {"round": "2", "assessments": "x"}, OF | {"round": "no"})
    same("factors", OF | {"round": "2", "version": 9}, OF | {"round": "no"})
    same("matrix", {"matrix": 2}, {"matrix": 99})
    same("matrix", {"matrix": 2, "anonymous": True}, {"matrix": 99})
    same("export-matrix", {"matrix": 2, "layout": "trec_eval"}, {"matrix": 99})
    same("export-matrix", OF | {"round": "2"}, OF | {"round": "no"})
    same("history", {"matrix": 2}, {"matrix": 99})
    same("rounds", {"task": "hidden"}, {"task": "no"})
    same("result", {"name": "next"}, {"name": "no"})
    same(
        "plan",
        {"task": "hidden", "measure": "AP", "engine": "sakai"},
        {"task": "no", "measure": "AP"},
    )
    same("drift", OF | {"from_round": "1", "to_round": "1"}, {"task": "no", "measure": "AP"})
    same("events", {"task": "t", "round": "1"}, {"task": "no"})
    for study, fields in STUDIES.items():
        if study in ("across-rounds", "leave-one-out-rounds"):
            same(f"study/{study}", OF, OF | {"task": "no"})
            continue
        same(f"study/{study}", OF | fields | {"round": "2"}, OF | fields | {"round": "no"})
    task, _ = client.get(path("tasks")).json()["tasks"]
    assert (task["task"], task["rounds"], task["measures"]) == ("t", 1, ["AP"])
    # Nor do lists name other tasks, nor answers the folders that files were in.
    (measure,) = client.get(path("measures"), params={"task": "open"}).json()["measures"]
    assert measure["tasks"] == ["open"]
    of_round = {"task": "open", "round": "3"}
    contents = client.get(path("round"), params=of_round).json()
    assert contents["uploads"][0]["files"][0]["file"] == "a.run"
    number = {"matrix": contents["matrices"][0]["matrix"]}
    assert client.get(path("matrix"), params=number).json()["files"] == ["three.csv"]
    assert service["read"].get(path("matrix"), params=number).json()["files"] == [str(scores)]
    assert "hidden" not in client.get("/metrics").text
    assert "t" not in client.get("/readyz").json()


def test_an_answer_is_kept_by_the_query_as_it_was_sent(engine):
    app = make_app(load_settings(), engine, open_to_all=True)

    async def ask(query):
        """Return the answer to a raw query, as no client of HTTP sends it."""
        sent = []

        async def send(message):
            sent.append(message)

        async def receive():
            await asyncio.Event().wait()

        headers = [(b"host", b"localhost")]
        address = {"path": path("events"), "root_path": "", "query_string": query}
        scope = {"type": "http", "method": "GET", "scheme": "http", "headers": headers, **address}
        await app(scope, receive, send)
        return json.loads(b"".join(message.get("body", b"") for message in sent))["events"]

    with TestClient(app) as client:
        client.post(path("create_task"), json={"task": "t"})
    assert asyncio.run(ask(b"task=t&what=task+created#")) == []
    assert [event["task"] for event in asyncio.run(ask(b"task=t&what=task+created"))] == ["t"]


def test_scores_come_out_as_files_too(committed, service, book):
    client = service["admin"]
    scores = client.get(path("export_matrix"), params={"matrix": 1}, headers={"Accept": "text/csv"})
    assert scores.text == scores_text(0)
    assert "immutable" in scores.headers["cache-control"]
    parquet = "application/vnd.apache.parquet"
    packed = client.get(path("export_matrix"), params={"matrix": 1}, headers={"Accept": parquet})
    assert packed.headers["content-type"] == parquet
    frame = pd.read_parquet(io.BytesIO(packed.content))
    expected = pd.read_csv(io.StringIO(scores_text(0)))
    assert frame[RUNS].to_numpy().tolist() == expected[RUNS].to_numpy().tolist()
    named = client.get(path("export_matrix"), params=OF_ROUND, headers={"Accept": "text/csv"})
    assert named.text == scores_text(0)
    assert "immutable" not in named.headers["cache-control"]
    for fields in (
        {"task": "t"},
        OF,
        {"matrix": 1, "assessments": "official"},
        OF_ROUND | {"matrix": 1},
    ):
        refused = client.get(path("export_matrix"), params=fields)
        problem(refused, 422, "either `matrix`, or `task`, `round` and `measure`")
    rows = client.get(path("variances"), params=OF, headers={"Accept": parquet})
    assert list(pd.read_parquet(io.BytesIO(rows.content))["round"])[:2] == ["1", "2"]
    # Files of one question have the same columns of the same types, whatever they hold.
    book.create_task("empty")
    for name in ("matrices", "events", "results", "topics", "rounds"):
        schemas = [
            pq.read_schema(
                io.BytesIO(
                    client.get(
                        path(name), params={"task": task}, headers={"Accept": parquet}
                    ).content
                )
            )
            for task in ("t", "empty")
        ]
        assert schemas[0].equals(schemas[1], check_metadata=False), name
        assert not any(kind == pa.null() for kind in schemas[0].types), name
    events = client.get(path("events"), params={"after": 0, "limit": 2})
    assert [event["event"] for event in events.json()["events"]] == [1, 2]
    following = client.get(events.links["next"]["url"])
    assert [event["event"] for event in following.json()["events"]] == [3, 4]
    problem(
        client.get(path("export_matrix"), params={"matrix": 1, "output": "/tmp/x"}), 422, "file"
    )


def test_the_events_of_a_round_need_its_task(service, book):
    client = service["read"]
    problem(client.get(path("events"), params={"round": "1"}), 422, "`round` needs `task`")
    of_round = client.get(path("events"), params={"round": "1", "task": "t"}).json()["events"]
    assert {event["round"] for event in of_round} == {"1"}
    with pytest.raises(RequestError, match="`round` needs `task`"):
        book.events(round="1")


def test_lists_go_on_where_the_last_page_ended(service):
    client = service["admin"]
    for label, run in (("1", "a"), ("1", "b"), ("2", "a"), ("1", "c")):
        sent = {"task": "t", "round": label, "filename": run}
        client.post(path("log_runs"), params=sent, content=f"t1 Q0 d1 1 0.5 {run}\n")

    def pages(name, listed, *keys, **fields):
        url, params = path(name), {"task": "t", "limit": 2} | fields
        while url:
            answer = client.get(url, params=params)
            yield [":".join(str(one[key]) for key in keys) for one in answer.json()[listed]]
            url, params = answer.links.get("next", {}).get("url"), None
            assert bool(url) == bool(answer.json()["later"])

    assert list(pages("topics", "topics", "topic", limit=3)) == [
        TOPICS[:3],
        TOPICS[3:6],
        TOPICS[6:],
    ]
    assert list(pages("runs", "runs", "run", round="1")) == [["a", "b"], ["c"]]
    assert list(pages("runs", "uploads", "round", "upload")) == [["1:1", "1:2"], ["1:3", "2:1"]]
    for name, fields, status in (
        ("topics", {"after": "no"}, 404),
        ("runs", {"after": "no", "round": "1"}, 404),
        ("runs", {"after": "no:1"}, 404),
        ("runs", {"after": "1"}, 422),
        ("runs", {"after": "1:" + "9" * 40}, 422),
        ("topics", {"limit": 0}, 422),
    ):
        problem(client.get(path(name), params={"task": "t"} | fields), status)


def test_reports_are_for_whoever_may_see_all_that_they_tell(service, monkeypatch):
    of_round = {"task": "t", "round": "1"}
    for name, fields in (("report_html", of_round), ("report_latex", of_round), ("export", {})):
        problem(service["none"].get(path(name), params=fields), 401, "token")
        problem(
            service["other"].get(path(name), params={"task": "t"}), 422 if name == "export" else 403
        )
    problem(service["read"].get(path("report_datacite"), params={"task": "t"}), 403, "scope admin")
    problem(service["admin"].get(path("report_datacite"), params={"task": "t"}), 409, "published")
    client = service["read"]
    problem(
        client.get(path("report_latex"), params=of_round | {"output": "/tmp/x.tex"}), 422, "file"
    )
    tables = client.get(path("report_latex"), params=of_round | {"m": 10, "min_d": 0.1})
    assert tables.headers["content-type"] == "text/x-tex; charset=utf-8"
    assert tables.headers["content-disposition"] == 'attachment; filename="report.tex"'
    assert tables.text.count("\\begin{table}") == 4
    known = {"If-None-Match": tables.headers["etag"]}
    again = client.get(
        path("report_latex"), params=of_round | {"m": 10, "min_d": 0.1}, headers=known
    )
    assert again.status_code == 304
    whole = client.get(path("report_latex"), params=of_round, headers={"Range": "bytes=none"})
    assert (whole.status_code, whole.text[:11]) == (200, "% roundbook")
    facts = client.get(
        path("report_latex"), params=of_round, headers={"Accept": "application/json"}
    )
    assert (facts.json()["report"], facts.json()["round"]) == ("report.tex", "1")
    assert base64.b64decode(facts.json()["content"]).startswith(b"% roundbook")
    monkeypatch.setattr(turns.Limit, "check", too_late)
    problem(client.get(path("report_latex"), params=of_round), 503, "too late")
    monkeypatch.setattr(endpoints, "render", None)
    faulty = TestClient(client.app, raise_server_exceptions=False)
    problem(faulty.get(path("tasks")), 500, "went wrong")


def too_late(*_):
    raise HttpError(503, "It is too late.")


@pytest.mark.long
def test_an_archive_goes_out_and_into_another_record(service, address, bare):
    archive = service["admin"].get(f"{PREFIX}/export", params={"tasks": "t"})
    assert archive.headers["content-type"] == "application/zip"
    again = service["admin"].get(f"{PREFIX}/export", params={"tasks": "t"})
    assert again.content == archive.content
    problem(service["log"].get(f"{PREFIX}/export"), 403)
    problem(service["admin"].post(f"{PREFIX}/import", content=archive.content), 409, "already")
    damaged = archive.content[:-50]
    problem(service["admin"].post(f"{PREFIX}/import", content=damaged), 422)
    upgrade(bare)
    with TestClient(make_app(load_settings(), bare, open_to_all=True)) as client:
        imported = client.post(f"{PREFIX}/import", content=archive.content)
        assert imported.json()["tasks"] == ["t"]
        assert client.get(path("rounds"), params={"task": "t"}).json()["rounds"][0]["matrices"]


def test_bodies_and_values_that_are_none(engine):
    with TestClient(make_app(load_settings(), engine, open_to_all=True)) as client:
        make = path("create_task")
        deep = "[" * 100_000 + "]" * 100_000
        problem(client.post(make, content=f'{{"task": {deep}}}', headers=JSON), 422)
        problem(client.post(make, content=b'{"task": "\xff"}', headers=JSON), 422)
        problem(client.post(make, content='{"task": "\\ud800"}', headers=JSON), 422, "character")
        problem(client.post(make, content='{"task": "a\\u0000b"}', headers=JSON), 422, "character")
        problem(client.post(make, content=f'{{"task": {"9" * 5000}}}', headers=JSON), 422)
        problem(client.post(make, json={"task": "t", "self": 1}), 422, "`self`")
        problem(client.post(make, json=[1]), 422, "no JSON object")
        problem(client.post(make, content="null", headers=JSON), 422, "no JSON object")
        problem(client.post(make, json={"task": "x" * 2_000_000}), 413, "longer than 1,000,000")
        problem(client.get(path("rounds"), params={"task": "a\0b"}), 422, "character")
        problem(client.get(path("matrix"), params={"matrix": 10**30}), 404)
        problem(client.get(path("matrix"), params={"matrix": "9" * 5000}), 422)
        problem(client.get(path("result"), params={"name": "x", "version": 10**30}), 404)
        log = {"url": path("log"), "params": OF_ROUND | {"measures": "AP", "create": True}}
        log["params"].pop("measure")
        problem(client.post(**log, files={"file": ("a.csv", scores_text())}), 415, "form")
        problem(client.post(**log, content=b""), 422, "empty")
        problem(client.post(**log, content=b"PK\3\4 no workbook"), 422)
        problem(client.post(**log, content=b"\x1f\x8b junk"), 422)
        packed = gzip.compress(scores_text().encode())
        problem(client.post(**log, content=packed[:-20]), 422)
        problem(client.post(**log, content=scores_text()[:-9]), 422)
        problem(client.post(**log, content=b"\x89PNG\r\n\x1a\n" + bytes(50)), 422)
        problem(client.post(**log, content=b"PAR1" + bytes(50)), 422)
        problem(client.post(**log, content=b'{"topic": 1}', headers=JSON), 422)
        problem(client.post(**log, content=scores_text().encode("utf-16")), 422)
        far = log | {"headers": {"Content-Length": str(10**15)}}
        problem(client.post(**far, content=b"x"), 413, "longer")
        odd = log["params"] | {"expected_revisions": "{"}
        problem(client.post(path("log"), params=odd, content=scores_text()), 422, "JSON object")
        assert client.get(path("tasks")).json()["tasks"] == []


def test_the_same_upload_twice_at_once_is_logged_once(engine, committed):
    with TestClient(make_app(load_settings(), engine, open_to_all=True)) as client:
        client.post(path("create_task"), json={"task": "t"})
        client.post(path("create_round"), json={"task": "t", "round": "1"})
        params = {"task": "t", "round": "1", "measures": "AP"}

        def upload(_):
            return client.post(path("log"), params=params, content=scores_text()).json()

        with ThreadPoolExecutor(6) as at_once:
            logged = list(at_once.map(upload, range(6)))
        statuses = sorted(one["matrices"][0]["status"] for one in logged)
        assert statuses == ["logged", *["unchanged"] * 5]


@pytest.mark.long
def test_uploads_that_are_slow_or_broken_off(engine, committed, monkeypatch):
    """As a server meets them: over a socket."""
    monkeypatch.setattr(middleware, "_SECONDS_FOR_THEM", 0.3)
    monkeypatch.setattr(running, "_SECONDS_TO_ASK", 0.2)
    monkeypatch.setattr(middleware, "_MOST_BYTES", 1000)
    monkeypatch.setattr(middleware, "_SECONDS_FOR_BODY", 0.3)
    with serving(make_app(load_settings(), engine, open_to_all=True)) as port:
        target = f"{PREFIX}/log?task=t&round=1&measures=AP&create=true"
        for where in (target, f"{PREFIX}/create-task", "/login", "/upload"):
            kind = "multipart/form-data; boundary=x" if where == "/upload" else "application/json"
            head = (
                f"POST {where} HTTP/1.1\r\nHost: localhost\r\n"
                f"Content-Type: {kind}\r\nContent-Length: 50\r\n\r\n-"
            )
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(head.encode())
                assert connection.recv(100).split()[1] == b"408", where
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(head.encode())  # and then nobody is there any more
        # Byte by byte, neither a body nor a head keeps a connection.
        head = f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\n"
        for begun, answered in ((head, b" 408 "), ("GET / HTTP/1.1\r\nX-Y: ", b"")):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                connection.sendall(begun.encode())
                with suppress(OSError):
                    for _ in range(20):
                        connection.sendall(b"t")
                        time.sleep(0.05)
                with suppress(ConnectionResetError):
                    said = connection.recv(1000)
                    assert answered in said
                    assert said == b"" or answered
        tasks = urlopen(f"http://127.0.0.1:{port}{PREFIX}/tasks").read()
        assert json.loads(tasks)["tasks"] == []


STUDIES = {
    "discriminative-power": {"trials": 50, "resamples": 100},
    "swap-rate": {"trials": 20},
    "across-rounds": {"trials": 50, "swap_trials": 20},
    "incremental": {"difference": 0.1, "start": 2},
    "change": {"to_round": "2", "pivot": "a", "match": "tag", "trials": 50},
    "leave-one-out": {"by": "run"},
    "leave-one-out-rounds": {},
    "leave-teams-out": {"teams_left": [3], "trials": 10},
    "topic-subsets": {"topics": [4], "trials": 10},
    "per-topic-variance": {},
}


def test_every_study_and_what_takes_too_long(book, engine, monkeypatch):
    for seed, label in enumerate("12"):
        book.log("t", label, io.StringIO(scores_text(seed)), "AP", create=True)
    teams = io.BytesIO(b"run,team\na,A\nb,B\nc,C\nd,D\n")
    with TestClient(make_app(load_settings(), engine, open_to_all=True)) as client:
        client.post(path("describe_teams"), params={"task": "t", "round": "1"}, content=teams)
        assert STUDIES.keys() == studies.STUDIES.keys()
        for name, fields in STUDIES.items():
            asked = (OF if name in ("across-rounds", "leave-one-out-rounds") else OF_ROUND) | fields
            study = client.get(f"{PREFIX}/study/{name}", params=asked)
            if name == "per-topic-variance":
                problem(study, 404)  # it takes runs and relevance assessments
                continue
            assert study.status_code == 200, (name, study.text)
            assert study.json()["sentences"], name
            rows = client.get(
                f"{PREFIX}/study/{name}", params=asked, headers={"Accept": "text/csv"}
            )
            assert rows.text.count("\n") > 1, name
        monkeypatch.setattr(turns, "SECONDS_TO_ANSWER", 0.01)
        slow = OF_ROUND | {"trials": 10**5, "resamples": 10**5}
        answer = client.get(f"{PREFIX}/study/discriminative-power", params=slow)
        assert problem(answer, 503)["code"] in ("Http", "DatabaseBusy")


def test_an_answer_is_kept_until_the_record_changes(service, address):
    client = service["admin"]
    before = client.get(path("variances"), params=OF)
    assert client.get(path("variances"), params=OF).content == before.content
    with roundbook.open(address) as book:
        book.withdraw(1, "wrong")
    after = client.get(path("variances"), params=OF)
    assert [row["round"] for row in after.json()["rounds"]] == ["2"]
    problem(service["none"].get(path("variances"), params=OF), 401)
    assert client.get(path("variances"), params=OF).content == after.content


def test_what_is_kept_is_what_the_asker_would_see_now(service, address, monkeypatch):
    computed = []
    of_record = endpoints.run_permitted
    monkeypatch.setattr(
        endpoints, "run_permitted", lambda *given: computed.append(1) or of_record(*given)
    )

    def held(scope="admin"):
        answer = service[scope].get(path("rounds"), params={"task": "t"})
        return answer.status_code, [row["held"] for row in answer.json().get("rounds", ())]

    def publish(label):
        with roundbook.open(address) as book:
            book.publish("t", label)

    nobody = (200, [None, None])
    assert [held(), held(), held("read"), held("log")] == [nobody] * 4
    assert len(computed) == 1
    # Seen by whom it is for: neither without a token, nor with that of another task.
    assert held("none") == (200, [None])
    assert held("other")[0] == 403
    engine = make_engine(parse_url(address))
    change = text("UPDATE roundbook.round SET held = :held WHERE label = '1'")
    with unit_of_work(engine) as connection, unit_of_work(engine) as other:
        connection.execute(change, {"held": "2025-01-01"})
        other.execute(text("UPDATE roundbook.task SET title = 'T'"))
        assert held() == nobody  # while it is not committed
        computed.clear()
        assert held() == nobody
        assert computed == []
        other.commit()
        assert held() == nobody
        connection.commit()
        assert held()[1][0] == "2025-01-01"
    publish("2")
    assert len(held("none")[1]) == 2
    # A standby, whose snapshots name no transactions, keeps nothing.
    monkeypatch.setattr(answers, "_SNAPSHOT", "SELECT 'x' WHERE false")
    computed.clear()
    assert held() == held()
    assert len(computed) == 2
    engine.dispose()


def test_long_computations_leave_the_service_free(committed, service, monkeypatch):
    """They have turns of their own, end when whoever asked has gone, and when the service does."""
    app = service["none"].app
    monkeypatch.setattr(turns, "_POLL_SECONDS", 0.05)
    begun, ended = [], []
    checked = turns.Limit.check

    def check(limit, *of):
        if of:  # it computes, and does not wait for its turn
            begun.append(limit)
            time.sleep(0.01)
        try:
            checked(limit, *of)
        except HttpError:
            ended.append(limit)
            raise

    monkeypatch.setattr(turns.Limit, "check", check)
    with serving(app) as port:

        def ask(target):
            connection = socket.create_connection(("127.0.0.1", port), timeout=10)
            connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            return connection

        rank = f"{PREFIX}/rank?task=t&round=1&measure=AP&resamples=1000000&seed="
        asked = [ask(f"{rank}{seed}") for seed in range(9)]
        while not begun:
            time.sleep(0.01)
        for target in ("/healthz", f"{PREFIX}/tasks"):
            with ask(target) as connection:
                assert b" 200 " in connection.recv(100)
        assert len(set(begun)) == 1  # the others wait for their turn
        for connection in asked:
            connection.close()
        until = time.monotonic() + 5
        while len(set(ended)) < 9 and time.monotonic() < until:
            time.sleep(0.01)
        assert len(set(ended)) == 9
        begun.clear()
        with ask("/studies?study=swap-rate&task=t&round=1&measure=AP&trials=1000000"):
            while not begun:
                time.sleep(0.01)
        while ended[-1] is not begun[-1] and time.monotonic() < until + 5:
            time.sleep(0.01)
        assert ended[-1] is begun[-1]
        begun.clear()
        with ask(f"{rank}9"):
            while not begun:
                time.sleep(0.01)
            app.state.turns.ending = True
            until = time.monotonic()
    assert time.monotonic() - until < 3
