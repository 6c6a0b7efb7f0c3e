"""`serve` as a process: how it ends, and what it says when it cannot begin."""

from __future__ import annotations

import json
import re
import signal
import socket
import threading
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from sqlalchemy import text
from tests.waiting import wait_until, waits_for_a_lock

pytestmark = pytest.mark.one_server


@pytest.mark.long
def test_two_interrupts_answer_what_waits_and_print_no_traceback(start, roundbook, engine, address):
    assert roundbook("task", "create", "t").code == 0
    running = start("serve", "--no-worker", "--port", "0", "--database", address)
    service = re.search(r"http://127\.0\.0\.1:\d+", running.stderr.readline())[0]
    answers = []

    def change():
        body, header = b'{"task": "t", "round": "1"}', {"Content-Type": "application/json"}
        with pytest.raises(HTTPError) as caught:
            urlopen(Request(f"{service}/api/v1/create-round", body, header), timeout=60)
        answers.append((caught.value.status, json.load(caught.value)["detail"]))

    asking = threading.Thread(target=change)
    with engine.connect() as blocker:
        blocker.execute(text("LOCK TABLE roundbook.round IN ACCESS EXCLUSIVE MODE"))
        asking.start()
        wait_until(lambda: waits_for_a_lock(engine))
        for _ in range(2):
            running.send_signal(signal.SIGINT)
            time.sleep(0.3)
        asking.join()
    _, output = running.communicate(timeout=60)
    sentence = "The service ended before it was done; it may be done all the same, or not."
    assert answers == [(503, sentence)]
    assert (running.returncode, "Traceback" in output) == (0, False)


@pytest.mark.long
def test_a_port_that_is_taken(roundbook):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port}: Address already in use" in roundbook("serve", "--port", port).refusal(
            1
        )
