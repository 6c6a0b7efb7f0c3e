"""Every page and form by whoever asks: what they may not see is refused, whether it is there or not."""

from __future__ import annotations

import socket
import threading
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from tests.serving import serving

import roundbook
from roundbook.api.app import make_app
from roundbook.errors import NotRecordedError
from roundbook.pages.site_routes import ROUTERS
from roundbook.settings import load_settings

pytestmark = [pytest.mark.one_server, pytest.mark.long]
SCORES = "topic,a,b,c\nt1,.1,.2,.3\nt2,.3,.2,.5\nt3,.2,.6,.4\nt4,.7,.2,.1\n"
STUDY = "study=swap-rate&round=r1&measure=AP&task="
CHARTS = ("variances", "ageing", "drift", "plan")
# What each is asked with, of a task, its matrix and its saved plan; and what each form sends.
PAGES = {
    "/task": "task={task}",
    "/round": "task={task}&round=r1",
    "/matrix": "matrix={matrix}",
    "/variances": "task={task}",
    "/events": "task={task}",
    "/plan": "task={task}&measure=AP",
    "/plan.{form}": "task={task}&measure=AP",
    "/drift": "task={task}&measure=AP",
    "/studies": f"{STUDY}{{task}}",
    "/studies.csv": f"{STUDY}{{task}}",
    "/results": "task={task}",
    "/result": "name={name}",
    "/result.csv": "name={name}",
    "/charts/{name}.{form}": None,
    "/job/{number}": "",
}
FORMS = {
    "/renew": ({"name": "{name}"}, {"task": "{task}"}),
    "/save": (
        {"kind": "plan", "asked": "task={task}&measure=AP", "name": "mine"},
        {"kind": "plan", "asked": "task={task}&measure=none", "name": "mine"},
        {"kind": "study", "asked": f"{STUDY}{{task}}", "name": "mine"},
        {"kind": "drift", "asked": "task={task}&measure=AP", "name": "mine"},
    ),
    "/jobs": ({"asked": f"{STUDY}{{task}}"},),
    "/job/{number}/cancel": ({},),
    "/upload": (
        {"task": "{task}", "round": "r1", "measure": "AP"},
        {"task": "{task}", "round": "r1", "kind": "runs"},
        {"task": "{task}", "round": "r1", "kind": "assessments"},
    ),
}
# These name nothing, but what the one who asks has.
OF_NOTHING = {"/", "/login", "/logout", "/jobs", "/upload", "/upload/confirm"}
THERE = {"task": "hush", "matrix": "3", "name": "hushplan", "number": "1"}
ABSENT = {"task": "none", "matrix": "99", "name": "noplan", "number": "99"}


def asked(names):
    """Yield every page with what it is asked, and every form with what it sends."""
    for path, query in PAGES.items():
        for chart in CHARTS if query is None else [""]:
            of = "task={task}&measure=AP" if query is None else query
            where = path.replace("{name}", chart).format(form="csv", **names)
            yield "GET", f"{where}?{of.format(**names)}", None
    for chart, query in (("study", f"{STUDY}{{task}}"), ("scores", "matrix={matrix}"),
                         ("result", "name={name}")):  # fmt: skip
        yield "GET", f"/charts/{chart}.csv?{query.format(**names)}", None
    for path, forms in FORMS.items():
        for fields in forms:
            sent = {name: value.format(**names) for name, value in fields.items()}
            yield "POST", path.format(**names), sent


def ask(client, method, path, fields, token):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    files = {"file": ("s.csv", SCORES)} if path == "/upload" else None
    given = {"data": fields, "files": files} if method == "POST" else {}
    return client.request(method, path, headers=headers, follow_redirects=False, **given)


@pytest.fixture
def record(address, tmp_path):
    """Return the tokens of a record with a task for one's own, and one that is none of one's business."""
    with roundbook.open(address) as book:
        file = tmp_path / "s.csv"
        file.write_text(SCORES)
        for task in ("covid", "hush"):
            for label in ("r1", "r2"):
                book.log(task, label, file, "AP", create=True)
        book.publish("covid", "r1")
        book.save("plan", "hushplan", task="hush", measure="AP", m=(10,), min_d=(0.1,))
        book.start_study("swap-rate", "hush", round="r1", measure="AP")
        yield {
            (task, scope): book.ask(
                "create_token", name=f"{task} {scope}", scope=scope, task=task
            ).token
            for task in ("covid", "hush")
            for scope in ("read", "log")
        } | {(None, "none"): None}


def test_what_others_may_not_see_is_refused_whether_it_is_there_or_not(engine, record, tmp_path):
    known = {
        route.path for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)
    }
    assert known == PAGES.keys() | FORMS.keys() | OF_NOTHING
    with TestClient(make_app(load_settings(), engine)) as client:
        for whose in (("covid", "log"), ("covid", "read"), (None, "none")):
            token = record[whose]
            for there, absent in zip(asked(THERE), asked(ABSENT), strict=True):
                answers_ = [ask(client, *one, token) for one in (there, absent)]
                where = (whose, *there, answers_[0].text)
                to_login = whose[0] is None and there[0] == "GET"
                refused = 303 if to_login else 403 if whose[0] else 401
                assert [answer.status_code for answer in answers_] == [refused] * 2, where
                if to_login:
                    assert answers_[0].headers["location"].startswith("/login?then="), where
                else:
                    assert answers_[0].text == answers_[1].text, where
                    assert "hush" not in answers_[0].text, where
        # Whose it is may see it, and change it with the scope to.
        for scope in ("read", "log"):
            for method, path, fields in asked(THERE):
                answer = ask(client, method, path, fields, record["hush", scope])
                where = (scope, method, path, fields, answer.text)
                if method == "GET":
                    assert answer.status_code in (200, 404, 422), where
                elif scope == "read":
                    assert answer.status_code == 403, where
                else:
                    assert answer.status_code in (200, 303, 404, 409, 422), where
        # Lists are of one's own.
        for path in ("/", "/events", "/results", "/jobs"):
            for scope in ("read", "log"):
                assert "hush" not in ask(client, "GET", path, None, record["covid", scope]).text
        form = ask(client, "GET", "/upload", None, record["covid", "log"]).text
        assert '<input name="task" value="covid" required>' in form
        # A draft round of a task that has a published one.
        for path in ("/round?task=covid&round=r2", "/round?task=covid&round=none"):
            assert ask(client, "GET", path, None, None).status_code == 303
        shown = ask(client, "GET", "/task?task=covid", None, None)
        assert (shown.status_code, "r2" in shown.text) == (200, False)
        for token, has in ((None, False), (record["covid", "read"], True)):
            page = ask(client, "GET", "/matrix?matrix=1", None, token).text
            assert ("s.csv" in page, str(tmp_path) in page) == (True, has)


def fetch(url, headers=None, form=None):
    """Return status and text of what a service answers; a form is sent by POST."""
    sent = None if form is None else urlencode(form).encode()
    try:
        with urlopen(Request(url, sent, headers or {}), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def test_what_computes_on_pages_ends_in_time_and_stops_nobody_else(
    engine, record, monkeypatch, caplog
):
    token = {"Authorization": f"Bearer {record['hush', 'log']}"}
    begun, answered = threading.Event(), threading.Event()

    def renew_slowly(*_):
        begun.set()
        assert answered.wait(60)
        raise NotRecordedError("There is nothing to renew.")

    monkeypatch.setattr("roundbook.pages.results.renew_results", renew_slowly)
    with serving(make_app(load_settings(), engine)) as port:
        at = f"http://127.0.0.1:{port}"
        renewing = threading.Thread(target=fetch, args=(f"{at}/renew", token, {"name": "hushplan"}))
        renewing.start()
        assert begun.wait(30)
        assert fetch(f"{at}/healthz") == (200, "ok\n")
        assert renewing.is_alive()
        answered.set()
        renewing.join()
        monkeypatch.setattr("roundbook.api.turns.SECONDS_TO_ANSWER", 0.3)
        long = f"{at}/studies?{STUDY}hush&trials=1000000"
        status, text = fetch(long, token)
        assert status == 503
        assert "It took longer than 0.3 seconds" in text
        assert "Run in the background" in text
        assert fetch(long.replace("/studies", "/charts/study.svg"), token)[0] == 503
        # A form that breaks off leaves no traceback.
        for path in ("/login", "/upload"):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(
                    f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 5000\r\n"
                    f"Authorization: {token['Authorization']}\r\n"
                    "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
                    '--x\r\nContent-Disposition: form-data; name="task"\r\n\r\nhu'.encode()
                )
                time.sleep(0.3)
        time.sleep(0.5)
        assert fetch(f"{at}/healthz") == (200, "ok\n")
    assert [one.message for one in caplog.records if one.levelname == "ERROR"] == []
