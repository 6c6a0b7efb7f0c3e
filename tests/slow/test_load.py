"""Many read over HTTP while some upload: no error, no half state, and memory stays flat."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import numpy as np
import psutil
import pytest
from tests.factories import wide
from tests.outcomes import PROGRAM

from roundbook.api.app import PREFIX

pytestmark = [pytest.mark.one_server, pytest.mark.slow]
READERS, UPLOADERS = 50, 8
SECONDS = float(os.environ.get("LOAD_SECONDS", "60"))
TOPICS, RUNS = 100, [f"run{number}" for number in range(50)]


def scores(generator):
    return wide(generator.random((TOPICS, len(RUNS))).round(4), runs=RUNS).encode()


@contextmanager
def served(address):
    """Yield a service in a process of its own, and where it answers."""
    process = subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0", "--no-worker"],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"ROUNDBOOK_DATABASE_URL": address},
    )
    try:
        line = process.stderr.readline()
        yield process, line.split()[2] + PREFIX
        process.terminate()
        assert process.communicate(timeout=30)[1] == ""
    finally:
        process.kill()
        process.wait()


def test_fifty_read_while_eight_upload(address):
    with served(address) as (process, root):
        counts, memory = load(process, root)
    assert counts["read"] > READERS
    assert counts["uploaded"] > UPLOADERS
    # Its caches and threads fill in the first half; a busy machine takes that long.
    warm, end = memory[len(memory) // 2], max(memory[-len(memory) // 6 :])
    sizes = [size // 2**20 for size in memory[:: len(memory) // 12]]
    sys.stdout.write(f"{counts}, MiB: {sizes}\n")
    assert end < warm + 24 * 2**20


def load(process, root):
    """Read and upload; return how often, and the memory of the service as it went."""

    def ask(path, body=None, **fields):
        request = Request(f"{root}/{path}?{urlencode(fields)}", body)
        with urlopen(request, timeout=120) as response:
            return json.load(response)

    first = scores(np.random.default_rng(0))
    about = {"task": "t", "measures": "AP", "create": True}
    ask("log", first, round="first", **about)
    wrong, counts, memory = [], {"read": 0, "uploaded": 0}, []
    until = time.monotonic() + SECONDS

    def work(what, number):
        generator = np.random.default_rng(number)
        done = 0
        try:
            while time.monotonic() < until:
                what(number, done, generator)
                done += 1
        except Exception as error:  # noqa: BLE001
            wrong.append(repr(error))
        counts["uploaded" if what is upload else "read"] += done

    def upload(number, done, generator):
        # Each corrects a round of its own again and again, so that answers stay of one size.
        again = {"revise": "again"} if done else {}
        logged = ask("log", scores(generator), round=str(number), **about, **again)
        assert [one["status"] for one in logged["matrices"]] == ["logged"]

    def read(number, done, generator):
        if done % 2:
            listed = ask("matrices", task="t")["matrices"]
            assert all((one["topics"], one["runs"]) == (TOPICS, len(RUNS)) for one in listed)
        else:
            history = ask("variances", task="t", measure="AP")
            # A round is there with its variance, or not at all.
            assert all(one["variance"] > 0 for one in history["rounds"])
            assert history["pooled"]["dof"] == sum(one["dof"] for one in history["rounds"])

    threads = [
        threading.Thread(target=work, args=(upload if number < UPLOADERS else read, number))
        for number in range(READERS + UPLOADERS)
    ]
    for thread in threads:
        thread.start()
    service = psutil.Process(process.pid)
    while any(thread.is_alive() for thread in threads):
        memory.append(service.memory_info().rss)
        time.sleep(SECONDS / 60)
    assert not wrong, wrong[:3]
    # All that was logged is whole: what is derived from the scores follows from them.
    assert ask("verify", task="t")["status"] == "verified"
    return counts, memory
