"""A study's work shared out to processes and to a Dask cluster: the same numbers, no process left."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import astuple
from functools import partial
from importlib.util import find_spec

import numpy as np
import psutil
import pytest
from tests.outcomes import PROGRAM

from roundbook.errors import MissingExtraError, WorkersError
from roundbook.logbook.studies.workers import _apply_there, _software, study_workers
from roundbook.statistics.studies.single_pairs import bootstrap_test
from roundbook.statistics.studies.swap_rate import swap_rate
from roundbook.statistics.studies.tukey import tukey_test

SCORES = np.random.default_rng(4).beta(1, 3, (40, 25)).round(2)
needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None, reason="Dask is not installed: pip install 'roundbook[dask]'"
)


def studied(mapped, progress=lambda *_: None):
    """Every number of three studies."""
    return [
        astuple(tukey_test(SCORES, trials=2_000, mapped=mapped, progress=progress)),
        # Resamples in plenty make several pieces of 300 pairs.
        astuple(bootstrap_test(SCORES, trials=8_000, mapped=mapped)),
        astuple(swap_rate(SCORES, trials=1_000, mapped=mapped)),
    ]


def wait_for(reached, seconds=60):
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.02)


def ended(process):
    """Whether a process has ended, though nobody may have asked for its exit code."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture(scope="module")
def alone():
    return studied(map)


@pytest.mark.long
@pytest.mark.parametrize("number", [2, 3])
def test_the_same_numbers_by_any_number_of_processes(alone, number):
    with study_workers(1) as mapped:
        assert mapped is map
    steps = []
    with study_workers(number) as mapped:
        np.testing.assert_equal(studied(mapped, lambda *done: steps.append(done)), alone)
    assert steps == [(done, 2_000) for done in range(125, 2_001, 125)]
    # Other tests leave processes that have ended.
    running = [child for child in psutil.Process().children() if not ended(child)]
    assert not [child for child in running if "spawn_main" in str(child.cmdline())]


def test_a_lost_process_and_a_faulty_piece():
    with (
        pytest.raises(WorkersError, match="ended from outside"),
        study_workers(2) as mapped,
    ):
        list(mapped(partial(os.kill, os.getpid()), [0]))  # asks whether this process is there
        list(mapped(os._exit, [1]))
    with pytest.raises(ZeroDivisionError), study_workers(2) as mapped:
        list(mapped(partial(divmod, 1), [1, 0]))


def test_a_worker_has_one_thread_for_its_sums():
    # Which NumPy's library asks when it is loaded, so nothing may load it before.
    code = "import sys, roundbook.logbook.studies.workers; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    with study_workers(2) as mapped:
        assert list(mapped(os.getenv, ["OPENBLAS_NUM_THREADS"] * 3)) == ["1"] * 3


@pytest.mark.long
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_study_leaves_no_process(tmp_path, stop):
    header = ",".join(["topic", *(f"run{number}" for number in range(25))])
    rows = [",".join([f"t{number}", *map(str, row)]) for number, row in enumerate(SCORES.tolist())]
    (tmp_path / "scores.csv").write_text("\n".join([header, *rows]) + "\n")
    study = ("study", "discriminative-power", "--file", "scores.csv", "--measure", "AP")
    command = [*PROGRAM, *study, "--trials", "1000000", "--workers", "2"]
    program = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    )

    def workers():
        children = psutil.Process(program.pid).children(recursive=True)
        # Busy ones have NumPy and the study's scores.
        return [child for child in children if sum(child.cpu_times()[:2]) > 0.5]

    wait_for(lambda: len(workers()) == 2)
    children = psutil.Process(program.pid).children(recursive=True)
    assert len(children) >= 2
    if stop == signal.SIGINT:
        os.killpg(program.pid, stop)  # as the terminal sends it: to all of them
    else:
        program.kill()
    _, output = program.communicate(timeout=30)
    wait_for(lambda: all(map(ended, children)))
    if stop == signal.SIGINT:
        assert (program.returncode, output) == (130, "Interrupted. The record is as it was.\n")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and two workers on loopback, and the processes of the workers."""
    directory = tmp_path_factory.mktemp("dask")
    known = directory / "scheduler.json"
    dask = (sys.executable, "-m", "dask")
    here = ("--host", "127.0.0.1", "--scheduler-file", str(known), "--no-dashboard")
    alone = ("--nthreads", "1", "--no-nanny", "--local-directory", str(directory))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [subprocess.Popen([*dask, "scheduler", *here, "--port", "0"], **quiet)]
    processes += [subprocess.Popen([*dask, "worker", *here, *alone], **quiet) for _ in range(2)]
    try:
        wait_for(lambda: known.exists() and known.read_text().rstrip().endswith("}"))
        yield json.loads(known.read_text())["address"], processes[1:]
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


@pytest.mark.long
@needs_dask
def test_the_same_numbers_though_a_worker_is_lost(alone, cluster):
    address, workers = cluster

    def lose_one(done, of):
        if done >= of / 4 and workers[0].poll() is None:
            workers[0].kill()
            workers[0].wait()

    import distributed

    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=30)
    with study_workers(dask=address) as mapped:
        np.testing.assert_equal(studied(mapped, lose_one), alone)
        with pytest.raises(ZeroDivisionError):
            list(mapped(partial(divmod, 1), [1, 0]))
    assert workers[0].poll() == -signal.SIGKILL


@pytest.mark.long
@needs_dask
def test_a_cluster_of_other_software_is_refused(cluster, monkeypatch):
    def asked(**software):
        monkeypatch.setattr("roundbook.logbook.studies.workers._software", lambda: software)
        with pytest.raises(WorkersError) as refused, study_workers(dask=cluster[0]):
            pass
        assert refused.value.way_out.code == "the same software"
        return str(refused.value)

    numpy = f"has numpy {np.__version__} where this machine has 1.0: the numbers might differ."
    assert numpy in asked(numpy="1.0")
    assert "has no roundhouse somewhere where this machine has 0.1" in asked(roundhouse="0.1")
    # A worker that came later finds it out itself.
    with pytest.raises(WorkersError, match=f"Worker .* has numpy {np.__version__} where"):
        monkeypatch.undo()
        _apply_there({**_software(), "numpy": "1.0"}, abs, [1])


@needs_dask
def test_an_address_where_no_scheduler_answers(monkeypatch):
    monkeypatch.setattr("roundbook.logbook.studies.workers._PATIENCE", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        addresses = ["", "nowhere", "foo://x:1", "tcp://127.0.0.1:99999", f"127.0.0.1:{port}"]
        for address in addresses:
            with pytest.raises(WorkersError) as refused, study_workers(dask=address):
                pass
            assert str(refused.value) == f"No Dask scheduler answers at '{address}'."
    with (
        pytest.raises(WorkersError, match=r"\(connection refused\)"),
        study_workers(dask=f"127.0.0.1:{port}"),
    ):
        pass


def test_a_cluster_needs_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError) as refused, study_workers(dask="tcp://127.0.0.1:8786"):
        pass
    assert refused.value.way_out.facts == {"extra": "dask"}


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_even_the_first_process_ignores_interrupts(tmp_path):
    script = tmp_path / "first.py"
    script.write_text(
        "from multiprocessing import get_context, resource_tracker\n"
        "from pathlib import Path\n"
        "from roundbook.logbook.studies.workers import uninterrupted\n"
        "def blocked(process='self'):\n"
        "    lines = Path(f'/proc/{process}/status').read_text().splitlines()\n"
        "    print(next(int(line[7:], 16) for line in lines if line.startswith('SigBlk')), flush=True)\n"
        "if __name__ == '__main__':\n"
        "    for _ in range(2):\n"
        "        process = get_context('spawn').Process(target=blocked)\n"
        "        with uninterrupted():\n"
        "            process.start()\n"
        "        process.join()\n"
        "    blocked(resource_tracker._resource_tracker._pid)\n"
        "    blocked()\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    interrupt, hang_up = (1 << (number - 1) for number in (signal.SIGINT, signal.SIGHUP))
    first, second, tracker, parent = map(int, done.stdout.split())
    assert first == second == interrupt | hang_up
    assert tracker & hang_up
    assert parent == 0
