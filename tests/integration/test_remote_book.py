"""Services that are not as they should be, met from Python: one sentence each."""

from __future__ import annotations

import doctest
import io
import re
import ssl
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest

import roundbook
from roundbook.errors import (
    DatabaseUnreachableError,
    InputError,
    NotRecordedError,
    RoundbookError,
)
from roundbook.python import answers
from roundbook.python import book as book_module
from roundbook.python.remote import RemoteRecord
from roundbook.python.ways_out import _WAYS_OUT
from roundbook.settings import load_settings
from roundbook_cli import ways_out as terminal

pytestmark = pytest.mark.one_server


@contextmanager
def answering(answer, certificate=None):
    """Yield the address of a server that answers each request by a function of its handler."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            answer(self)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    scheme = "https" if certificate else "http"
    yield f"{scheme}://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def sends(status, body, **headers):
    def answer(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def refused(url, says):
    with roundbook.open(url, token="rb_x\n") as book, pytest.raises(RoundbookError) as error:
        book.tasks()
    message = str(error.value)
    assert says in message
    assert "\n" not in message
    assert message.endswith(".")
    assert message.count("rb_x") == 0


def test_services_that_are_none(tmp_path):
    elsewhere = []
    with answering(lambda handler: elsewhere.append(handler.headers)) as other:
        for answer, says in (
            (sends(200, b"<html>"), "does not answer as Roundbook does"),
            (sends(200, b"[" * 100_000), "does not answer as Roundbook does"),
            (sends(200, b'{"tasks": [{}]}'), "of another version"),
            (sends(200, b"[]"), "does not answer as Roundbook does"),
            (sends(404, b'{"code": "NotRecorded", "detail": "No\\u001b[2J."}'), "No [2J."),
            (sends(500, b"oops"), "500 Internal Server Error"),
            (sends(302, b"", Location=other), "302 Found"),
            (sends(404, b'{"code": "__class__", "detail": "No."}'), "No."),
        ):
            with answering(answer) as url:
                refused(url, says)
    assert elsewhere == []  # the token goes nowhere else
    with answering(lambda handler: handler.wfile.write(b"SSH-2.0\r\n")) as url:
        refused(url, "does not answer as Roundbook does")
    refused("http://127.0.0.1:1", "cannot be reached: Connection refused")
    refused("http://127.0.0.1:none", "does not answer as Roundbook does")
    key = tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
         "/CN=localhost", "-keyout", key, "-out", key.with_suffix(".crt")],
        check=True, capture_output=True,
    )  # fmt: skip
    key.write_text(key.read_text() + key.with_suffix(".crt").read_text())
    with answering(sends(200, b'{"tasks": []}'), key) as url:
        refused(url, "a certificate that cannot be trusted: self-signed certificate")
        refused(url.replace("https", "http"), "The service at http://")
    with answering(sends(200, b"")) as url:
        refused(url.replace("http", "https"), "does not speak TLS")


def test_a_service_that_does_not_answer_in_time(monkeypatch):
    monkeypatch.setattr("roundbook.python.remote._SECONDS", 0.3)
    done = threading.Event()

    def drip(handler):
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
        while not done.wait(0.05):
            handler.wfile.write(b" ")

    with answering(drip) as url:
        record = RemoteRecord(url.replace("//", "//ann:secret@") + "/api/v1/", None)
        assert (
            record._public_url == url
        )  # no password, and the address of the API is that of the service
        record = RemoteRecord(url, None)
        with pytest.raises(DatabaseUnreachableError, match=r"did not answer within 0\.3 seconds"):
            record.ask("tasks", None)
        done.set()
    done.clear()
    with answering(lambda _: done.wait(5)) as url:
        with pytest.raises(DatabaseUnreachableError, match=r"did not answer within 0\.3 seconds"):
            RemoteRecord(url, None).ask("tasks", None)
        done.set()


def test_errors_say_what_to_write_in_python(address, tmp_path):
    assert _WAYS_OUT.keys() <= terminal._WAYS_OUT.keys()
    assert not any("--" in sentence for sentence in _WAYS_OUT.values())
    with roundbook.open(address) as book:
        array, names = np.random.default_rng(0).random((4, 3)), {"topics": range(4), "runs": "abc"}
        with pytest.raises(NotRecordedError) as error:
            book.log("t", "1", array, "AP", **names)
        assert error.value.__notes__ == [
            "Log with create=True, or make it first: book.create_task('t')"
        ]
        book.log("t", "1", array, "AP", **names, create=True)
        with pytest.raises(RoundbookError) as error:
            book.log("t", "1", array / 2, "AP", **names)
        assert "revise='why'" in error.value.__notes__[0]
        gap = io.StringIO("topic,a,b\n1,.1,\n2,.3,.4\n")
        with pytest.raises(InputError) as error:
            book.log("t", "2", gap, "AP", create=True)
        assert "missing='zero'" in error.value.__notes__[0]
        book.log("t", "3", array / 2, "AP", **names, create=True)
        there = tmp_path / "there.tex"
        there.touch()
        for asked, note in (
            (lambda: book.report("latex", "t", there), "overwrite it: force=True"),
            (
                lambda: book.plan(variance=0.05, topics=10, min_d=0.1, solve="m"),
                "more topics=... or a larger min_d=...",
            ),
            (
                lambda: book.study("change", "t", "1", "AP", to_round="3"),
                "system' of a team file: book.describe_teams('t', round, file)",
            ),
        ):
            with pytest.raises(RoundbookError) as error:
                asked()
            assert note in error.value.__notes__[0]


@pytest.mark.long
def test_frames_of_either_library(address, monkeypatch):
    with roundbook.open(address) as book:
        array = np.random.default_rng(0).random((4, 3))
        for label in "12":
            book.log("t", label, array, "AP", topics=range(4), runs="abc", create=True)
        book.save("drift", task="t", measure="AP")
        book.save("plan", task="t", measure="AP")
        every = [
            book.tasks(), book.rounds("t"), book.measures(), book.matrices("t"),
            book.variances("t", "AP"), book.factors("t", "1", "AP"), book.drift("t", "AP"),
            book.plan("t", "AP"), book.ageing("t", "AP"), book.standardise("t", "1", "AP"),
            book.generalisability("t", "AP"), book.rank("t", "1", "AP"), book.results("t"),
            book.events(), book.impact(1), book.verify(), book.ask("matrix", matrix=1),
            book.ask("history", matrix=1), book.ask("tokens"), book.save("plan", task="t", measure="AP"),
            book.result("t/plan-1"), book.study("swap-rate", "t", "1", "AP", trials=10),
        ]  # fmt: skip
    there = answers.find_spec
    for hidden, library in (((), "pandas"), (("pandas",), "polars")):
        monkeypatch.setattr(
            answers,
            "find_spec",
            lambda name, hidden=hidden: None if name in hidden else there(name),
        )
        for answer in every:
            frame = answer.to_frame()
            assert type(frame).__module__.startswith(library), answer
            assert answer._repr_html_().strip() or not len(frame), answer
            assert "tabular" in answer.to_latex()
    monkeypatch.setattr(answers, "find_spec", lambda name: None)
    with pytest.raises(RoundbookError, match="pandas or polars"):
        every[0].to_frame()


@pytest.fixture
def by_default(address, monkeypatch):
    """Have `roundbook.open()` open the record of the test."""
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address)
    load_settings.cache_clear()
    yield address
    load_settings.cache_clear()


def test_the_examples_run(by_default):
    for module in (book_module, answers):
        done = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
        assert done.failed == 0
        assert done.attempted >= (6 if module is book_module else 0)
    with roundbook.open(by_default) as book:
        assert [row.round for row in book.rounds("adhoc").rounds] == ["2025", "2026"]


@pytest.mark.long
def test_the_notebook_of_the_documentation_runs(by_default, monkeypatch, capsys):
    monkeypatch.setenv("ROUNDBOOK_DATA_DIR", "")
    page = Path(__file__).parents[2] / "docs" / "how-to" / "notebook.md"
    cells = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```$", page.read_text(), re.S | re.M)
    exec("\n".join(cells), names := {})
    assert "[('next-round', True)]" in capsys.readouterr().out
    assert names["saved"].version == 1
    with roundbook.open(by_default) as book:
        assert book.result("next-round").version == 2
