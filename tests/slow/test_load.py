"""Many read over HTTP while some upload: no error, no half state, and memory stays flat."""

from __future__ import annotations

import json
import os
import threading
import time
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import numpy as np
import psutil
import pytest
import uvicorn

from roundbook.api.app import PREFIX, make_app
from roundbook.settings import load_settings

pytestmark = [pytest.mark.one_server, pytest.mark.slow]
READERS, UPLOADERS = 50, 8
SECONDS = float(os.environ.get("LOAD_SECONDS", "60"))
RUNS = [f"run{number}" for number in range(10)]


def wide(generator):
    scores = generator.random((20, len(RUNS))).round(4)
    rows = [f"t{number},{','.join(map(str, row))}" for number, row in enumerate(scores)]
    return "\n".join(["topic," + ",".join(RUNS), *rows, ""]).encode()


def test_fifty_read_while_eight_upload(address):
    server = uvicorn.Server(
        uvicorn.Config(
            make_app(load_settings(), address, open_to_all=True), port=0, log_level="error"
        )
    )
    serving = threading.Thread(target=server.run)
    serving.start()
    while not server.started:
        time.sleep(0.02)
    root = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}{PREFIX}"

    def ask(path, body=None, **fields):
        request = Request(f"{root}/{path}?{urlencode(fields)}", body)
        with urlopen(request, timeout=120) as response:
            return json.load(response)

    first = wide(np.random.default_rng(0))
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
        if done % 3 == 2:
            logged = ask("log", wide(generator), round=f"{number}-0", revise="again", **about)
        else:
            logged = ask("log", wide(generator), round=f"{number}-{done}", **about)
        assert [one["status"] for one in logged["matrices"]] == ["logged"]

    def read(number, done, generator):
        if done % 2:
            listed = ask("matrices", task="t", superseded=True)["matrices"]
            assert all((one["topics"], one["runs"]) == (20, 10) for one in listed)
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
    process = psutil.Process()
    while any(thread.is_alive() for thread in threads):
        memory.append(process.memory_info().rss)
        time.sleep(SECONDS / 60)
    server.should_exit = True
    serving.join(30)
    assert not wrong, wrong[:3]
    assert counts["read"] > READERS
    assert counts["uploaded"] > UPLOADERS
    # The answers that are kept may fill 64 MiB.
    assert memory[-1] < memory[len(memory) // 4] + 100 * 2**20
