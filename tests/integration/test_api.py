"""Use cases over HTTP: the same answers, every refusal as a problem, tokens and their scopes."""

from __future__ import annotations

import csv
import gzip
import io

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

import roundbook
from roundbook.api.app import PREFIX, make_app
from roundbook.database.engine import make_engine, parse_url, unit_of_work
from roundbook.settings import load_settings
from roundbook.use_cases import USE_CASES

pytestmark = pytest.mark.one_server
TOPICS, RUNS = [f"t{number}" for number in range(1, 9)], list("abcd")
OF = {"task": "t", "measure": "AP"}
OF_ROUND = OF | {"round": "1"}
# What each question is asked with; the answer is about task t.
QUESTIONS = {
    "tasks": {},
    "rounds": {"task": "t"},
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


def wide(seed=0):
    rng = np.random.default_rng(seed)
    scores = (rng.random((8, 1)) * 0.4 + rng.random((8, 4)) * 0.3).round(3)
    lines = [
        f"{topic},{','.join(map(str, row))}" for topic, row in zip(TOPICS, scores, strict=True)
    ]
    return "\n".join(["topic," + ",".join(RUNS), *lines, ""])


@pytest.fixture
def service(address):
    """Return clients of a record with a published round 1 and a draft 2, by the scope they have."""
    with roundbook.open(address) as book:
        for seed, label in enumerate("12"):
            book.log("t", label, io.StringIO(wide(seed)), "AP", create=True)
        book.save("plan", "next", task="t", measure="AP", m=(10,), min_d=(0.1,))
        book.publish("t", "1")
        tokens = {
            scope: book.ask("create_token", name=f"{scope}er", scope=scope).token
            for scope in ("read", "log", "admin")
        }
        tokens["other"] = (
            book.create_task("elsewhere")
            and book.ask("create_token", name="other task", scope="admin", task="elsewhere").token
        )
        book.ask("create_token", name="spare")
    app = make_app(load_settings(), address)
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


def test_every_question_has_the_answer_that_python_has(service, address):
    assert QUESTIONS.keys() | DECISIONS.keys() == USE_CASES.keys()
    with roundbook.open(address) as book:
        for name, fields in QUESTIONS.items():
            if name == "compare_scores":
                problem(service["admin"].get(path(name), params=fields), 404, "no runs")
                continue
            over_http = service["admin"].get(path(name), params=fields).json()
            here = book.ask(name, **fields).model.model_dump(mode="json", by_alias=True)
            over_http.pop("sentences", None)
            assert over_http == here, name


def test_who_may_do_what(service, address):
    """Every use case under every scope: what a scope lacks is refused, and nothing is changed."""
    engine = make_engine(parse_url(address))

    def count():
        with unit_of_work(engine) as connection:
            return connection.execute(text("SELECT count(*) FROM roundbook.event")).scalar_one()

    before = count()
    ranks = {"none": 0, "read": 1, "log": 2, "admin": 3}
    seen_by_all = {"tasks", "rounds", "factors", "standardise", "rank", "matrix", "verify_round"}
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
    engine.dispose()


def test_drafts_are_not_seen_without_a_token(service):
    client = service["none"]
    assert [
        row["round"] for row in client.get(path("rounds"), params={"task": "t"}).json()["rounds"]
    ] == ["1"]
    assert [row["task"] for row in client.get(path("tasks")).json()["tasks"]] == ["t"]
    problem(client.get(path("factors"), params=OF | {"round": "2"}), 401, "takes a token")
    problem(client.get(path("factors"), params=OF | {"round": "7"}), 401, "takes a token")
    problem(client.get(path("variances"), params=OF), 401, "takes a token")
    problem(client.get(path("variances"), params={"task": "x", "measure": "AP"}), 401)
    assert client.get(path("plan"), params={"variance": 0.05, "m": 10, "min_d": 0.1}).json()[
        "cells"
    ]


def test_a_wrong_token_is_401_whatever_is_wrong(service, address):
    with roundbook.open(address) as book:
        revoked = book.ask("create_token", name="gone").token
        book.ask("revoke_token", name="gone")
    app_client = service["none"]
    answers = [
        app_client.get(path("tasks"), headers={"Authorization": f"Bearer {secret}"})
        for secret in (revoked, "rb_" + "x" * 43, "x", "rb_")
    ]
    assert len({answer.text for answer in answers}) == 1
    problem(answers[0], 401, "not valid")
    assert answers[0].headers["www-authenticate"] == "Bearer"
    for _ in range(20):
        last = app_client.get(path("tasks"), headers={"Authorization": "Bearer no"})
    problem(last, 429, "in a minute")


def test_uploads(service):
    client = service["log"]
    query = {"task": "t", "round": "2", "measures": "AP", "filename": "two.csv"}
    again = client.post(path("log"), params=query, content=wide(1))
    assert again.json()["matrices"][0]["status"] == "unchanged"
    packed = client.post(path("log"), params=query, content=gzip.compress(wide(1).encode()))
    assert packed.json()["matrices"][0]["status"] == "unchanged"
    refused = problem(client.post(path("log"), params=query, content=wide(2)), 409, "Other scores are already")
    assert refused["code"] == "ContentDiffers"
    wrong = wide(1).replace("0.", "o.", 3)
    told = problem(client.post(path("log"), params=query, content=wrong), 422, "two.csv:2:2:")
    assert (told["file"], told["line"], told["column"]) == ("two.csv", 2, 2)
    problem(
        client.post(path("log"), params=query | {"files": "/etc/passwd"}, content="x"), 422, "body"
    )
    problem(client.post(path("log"), params=query | {"filename": ".."}, content="x"), 422, "name")
    revised = client.post(path("log"), params=query | {"revise": "a misprint"}, content=wide(2))
    assert revised.json()["matrices"][0]["revision"] == 2
    assert revised.json()["matrices"][0]["status"] == "logged"
    teams = "run,team\na,A\nb,A\nc,B\nd,B\n"
    described = client.post(
        path("describe-teams"), params={"task": "t", "round": "2"}, content=teams
    )
    assert described.json()["described"] == 4


def test_a_file_that_is_too_long_is_refused_midway(address, monkeypatch):
    settings = load_settings().model_copy(update={"max_file_bytes": 1000})
    read = []

    def chunks():
        for _ in range(1000):
            read.append(1)
            yield b"x" * 100

    with TestClient(make_app(settings, address, open_to_all=True)) as client:
        answer = client.post(path("log"), params={"task": "t", "round": "1"}, content=chunks())
        problem(answer, 413, "longer than 1000 bytes")


def test_what_is_the_same_is_not_sent_again_and_csv_is_rows(service):
    client = service["admin"]
    first = client.get(path("variances"), params=OF)
    again = client.get(
        path("variances"), params=OF, headers={"If-None-Match": first.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
    as_csv = client.get(path("variances"), params=OF, headers={"Accept": "text/csv"})
    rows = list(csv.DictReader(io.StringIO(as_csv.text)))
    assert [row["round"] for row in rows] == ["1", "2", ""]
    assert float(rows[0]["variance"]) == first.json()["rounds"][0]["variance"]
    assert client.get("/healthz").text == "ok\n"
    assert client.get("/readyz").json()["status"] == "up to date"
    study = client.get(f"{PREFIX}/study/swap-rate", params=OF_ROUND | {"trials": 20})
    assert study.json()["scales"][0]["scale"] == "raw"
    problem(
        client.get(f"{PREFIX}/study/swap-rate", params={"measure": "AP", "files": "/etc/passwd"}),
        422,
        "names a file of this machine",
    )
    saved = client.post(f"{PREFIX}/save/swap-rate", json={"request": OF_ROUND | {"trials": 20}})
    assert saved.json()["result"]["scales"] == study.json()["scales"]


def test_other_sites_and_bad_requests(address):
    with TestClient(make_app(load_settings(), address, open_to_all=True)) as client:
        make = {"url": path("create_task"), "json": {"task": "t"}}
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            problem(client.post(**make, headers=headers), 403, "another site")
        problem(client.get(path("tasks"), headers={"Host": "evil.example"}), 403, "own name")
        assert client.post(**make, headers={"Origin": "http://testserver"}).status_code == 200
        problem(client.post(**make), 409, "already")
        problem(client.get(path("variances"), params={"task": "t"}), 422, "`measure`")
        problem(client.get(path("variances"), params=OF | {"scale": "x"}), 422, "`scale`")
        problem(client.get(path("variances"), params=OF | {"y": "x"}), 422, "`y`")
        problem(client.post(path("create_task"), content="{"), 422, "no JSON object")
        problem(client.get(f"{PREFIX}/nothing"), 404, "no such page")
        problem(client.delete(path("tasks")), 405)
        answer = client.get(path("tasks"))
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
