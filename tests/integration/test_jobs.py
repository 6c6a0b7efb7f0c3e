"""Studies as jobs: to their result, followed, cancelled, put back, taken up after a worker's end."""

from __future__ import annotations

import html
import io
import json
import os
import re
import signal
import subprocess
import threading
import time
from contextlib import ExitStack, contextmanager
from functools import partial

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.databases import address_of, administer, rows, scalar, served
from tests.factories import simulated, wide
from tests.outcomes import PROGRAM
from tests.serving import serving
from tests.waiting import wait_until

import roundbook
from roundbook.api.app import PREFIX, make_app
from roundbook.database.engine import unit_of_work
from roundbook.database.schema import upgrade
from roundbook.embedded.server import server_process
from roundbook.errors import (
    AlreadyRecordedError,
    InputError,
    NotRecordedError,
    RequestError,
    RevisedMeanwhileError,
)
from roundbook.jobs.job_queue import make_queue
from roundbook.jobs.studies import cancel_job, list_jobs, show_job, start_study
from roundbook.jobs.worker import run_worker
from roundbook.logbook.saving import save_long_result
from roundbook.logbook.session import Work, begin
from roundbook.requests.record import BackupRequest, RestoreRequest
from roundbook.requests.results import ListJobs, SaveResult, ShowJob, StartStudy
from roundbook.requests.studies import SwapRateRequest
from roundbook.settings import load_settings
from roundbook.transfer.backup import restore_backup, save_backup

pytestmark = pytest.mark.one_server
SWAPS = {"task": "t", "round": "1", "measure": "AP", "trials": 50}
# Some seconds each, in which it tells how far it is.
LONG, VERY_LONG = SWAPS | {"trials": 40_000}, SWAPS | {"trials": 1_000_000}


OTHER_ROUND = {"task": "t", "round": "2", "measure": "AP"}


def scores(seed=0):
    return io.StringIO(wide(simulated(seed, 30, 40)))


@pytest.fixture
def record(address, engine):
    with roundbook.open(address) as book:
        book.log("t", "1", scores(), "AP", create=True)
    return engine


@pytest.fixture
def start(record):
    """Start a study and return its job's number."""

    def start(request, name=None, study="swap-rate"):
        make_queue(record)
        with begin(record, "ann") as session:
            return start_study(session, StartStudy(study=study, request=request, name=name)).job

    return start


@pytest.fixture
def look(record):
    def look(number):
        with begin(record) as session:
            return show_job(session, ShowJob(job=number))

    return look


@contextmanager
def program(*words, **environment):
    """Run a command line in a process of its own, which is ended with the block."""
    running = subprocess.Popen(
        [*PROGRAM, *words],
        stderr=subprocess.PIPE,
        text=True,
        env={"ROUNDBOOK_WORKER_TIMEOUT": "2", "PATH": "", "HOME": "/nonexistent", **environment},
    )
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def studies(engine):
    return rows(engine, "SELECT name, version, saved_by FROM roundbook.result WHERE kind = 'study'")


def take_all(address, lines=None):
    run_worker(
        load_settings(), address, (lines if lines is not None else []).append, until_idle=True
    )


def test_a_name_of_another_task_is_refused_before_a_worker_comes(record, address, start):
    with roundbook.open(address) as book:
        book.log("v", "1", scores(), "AP", create=True)
        book.save("study", "swaps", **SWAPS | {"study": "swap-rate", "task": "v"})
    with pytest.raises(AlreadyRecordedError, match="'swaps' is a study of task 'v' already"):
        start(SWAPS, "swaps")
    with begin(record) as session:
        assert list_jobs(session, ListJobs()).jobs == []
    assert start(SWAPS | {"task": "v"}, "swaps")  # a further version


def test_a_job_is_computed_and_saved_once(record, address, start, look):
    number = start(SWAPS, "swaps")
    waiting = look(number)
    assert (waiting.status, waiting.task, waiting.asked_by) == ("waiting", "t", "ann")
    refused = start(SWAPS | {"topics_each": 16})
    again, other = start(SWAPS, "swaps"), start(SWAPS | {"seed": 1})
    take_all(address, lines := [])
    done = look(number)
    assert (done.status, done.result, done.version, done.saved) == ("done", "swaps", 1, "saved")
    assert (done.part, done.done, done.total, done.seconds_left) == ("raw: trials", 50, 50, 0)
    assert done.asked_at <= done.started_at <= done.ended_at
    assert (look(again).version, look(again).saved) == (1, "unchanged")
    assert look(other).result == "t/study-1"
    assert look(refused).status == "failed"
    assert "16" in look(refused).error
    assert studies(record) == [("swaps", 1, "ann"), ("t/study-1", 1, "ann")]
    assert f"Job {number}: swap-rate of t is saved: 'swaps', version 1." in lines
    with roundbook.open(address) as book:
        here = book.study("swap-rate", "t", "1", "AP", trials=50).model
        assert book.ask("result", name="swaps").model.result == here
        book.create_round("t", "2")
    with begin(record) as session:
        assert [job.job for job in list_jobs(session, ListJobs(limit=2)).jobs] == [other, again]
        assert list_jobs(session, ListJobs(task="u")).jobs == []
        with pytest.raises(AlreadyRecordedError, match="is done already"):
            cancel_job(session, ShowJob(job=number))
        with pytest.raises(NotRecordedError, match="no job 99"):
            show_job(session, ShowJob(job=99))
        for study, request, kind, sentence in (
            ("x", SWAPS, InputError, "no study 'x'"),
            ("swap-rate", SWAPS | {"trials": 0}, RequestError, "trials"),
            ("swap-rate", {"measure": "AP", "files": ["a.csv"]}, InputError, "not of files"),
            ("swap-rate", SWAPS | {"task": "u"}, NotRecordedError, "no task 'u'"),
            ("swap-rate", SWAPS | {"round": "9"}, NotRecordedError, "has no round '9'"),
            ("swap-rate", SWAPS | {"measure": "P@5"}, NotRecordedError, "for measure 'P@5'"),
            ("leave-one-out", OTHER_ROUND, NotRecordedError, "nothing for measure AP"),
        ):
            with pytest.raises(kind, match=sentence):
                start_study(session, StartStudy(study=study, request=request))


@pytest.mark.long
def test_from_python_jobs_are_started_followed_and_cancelled(record, address):
    with (
        serving(make_app(load_settings(), record, open_to_all=True)) as port,
        roundbook.open(address) as here,
        roundbook.open(f"http://127.0.0.1:{port}") as there,
    ):
        for book in (here, there):
            assert book.jobs().jobs == [] or book is there
            begun = book.start_study("swap-rate", "t", "1", "AP", trials=40_000, name="swaps")
            assert begun.say() == f"Job {begun.job}: swap-rate of t is waiting for a worker."
            gone = book.start_study("swap-rate", "t", "1", "AP", trials=50)
            assert book.cancel_job(gone.job).status == "cancelled"
            worker = threading.Thread(target=take_all, args=(address,))
            worker.start()
            seen = list(book.follow_job(begun.job, seconds=0.1))
            worker.join()
            statuses = [job.status for job in seen]
            assert statuses == sorted(statuses, key=["waiting", "running", "done"].index)
            assert any("raw: trials" in job.say() for job in seen)
            assert (seen[-1].result, seen[-1].version) == ("swaps", 1)
            assert book.job(gone.job).say().endswith("is cancelled; nothing is saved.")
            with pytest.raises(NotRecordedError, match="no job 99"):
                book.job(99)
            with pytest.raises(InputError, match="no study 'x'"):
                book.start_study("x", "t", "1", "AP")
            with pytest.raises(AlreadyRecordedError, match="is done already"):
                book.cancel_job(begun.job)
        assert here.jobs("t").model == there.jobs("t").model
        assert len(there.jobs(limit=3).to_frame()) == 3


def test_the_queue_is_made_once_and_no_part_of_the_record(record, address, start):
    start(SWAPS)
    newest = text(
        "SELECT max(oid) FROM pg_class WHERE relnamespace = 'roundbook_jobs'::regnamespace"
    )
    with unit_of_work(record) as connection:
        made = connection.execute(
            text(
                "SELECT max(oid) FROM pg_class WHERE relnamespace = 'roundbook_jobs'::regnamespace"
            )
        ).scalar_one()
        extensions = connection.execute(text("SELECT extname FROM pg_extension")).scalars().all()
        # As an earlier procrastinate left it.
        connection.execute(text("COMMENT ON SCHEMA roundbook_jobs IS '03.04.00_02'"))
        connection.execute(
            text(
                "DROP TRIGGER procrastinate_trigger_status_events_update_v1"
                " ON roundbook_jobs.procrastinate_jobs"
            )
        )
        connection.commit()
    make_queue(record)
    start(SWAPS)
    with unit_of_work(record) as connection:
        triggers = text(
            "SELECT count(*) FROM pg_trigger"
            " WHERE tgname = 'procrastinate_trigger_status_events_update_v1'"
        )
        assert connection.execute(triggers).scalar_one() == 1
        assert connection.execute(newest).scalar_one() == made
    assert extensions == ["plpgsql"]
    # A job stays its task's and round's, not those of whoever has their old names next.
    with roundbook.open(address) as book:
        book.ask("rename_round", task="t", round=SWAPS["round"], name="first", force=True)
        book.create_round("t", SWAPS["round"])
        book.ask("rename_task", task="t", name="renamed", force=True)
        book.create_task("t")
        assert [job.task for job in book.jobs().jobs] == ["renamed"] * 2
        assert book.jobs("t").jobs == []
    take_all(address, lines := [])
    assert lines[1].endswith("swap-rate of renamed is begun.")
    assert "'renamed/study-1', version 1" in lines[2]
    with roundbook.open(address) as book:
        assert book.result("renamed/study-1").result.round == "first"


@pytest.mark.long
def test_a_job_of_a_record_that_was_replaced_is_not_anothers(
    record, address, start, look, tmp_path
):
    file = tmp_path / "x.dump"
    save_backup(record, BackupRequest(file=file))
    with roundbook.open(address) as book:
        book.log("t", "2", scores(), "AP", create=True)
        book.log("u", "1", scores(), "AP", create=True)
    start(SWAPS, "there")
    for asked in (SWAPS | {"round": "2"}, SWAPS | {"task": "u"}):
        start(asked)
    record.dispose()
    restore_backup(record, RestoreRequest(file=file, replace=True))
    with roundbook.open(address) as book:
        assert [job.job for job in book.jobs().jobs] == [2, 1]
        # They get the numbers that the round and the task of the jobs had.
        book.log("t", "other", scores(), "AP", create=True)
        book.log("v", "1", scores(), "AP", create=True)
        assert scalar(record, "SELECT id FROM roundbook.task WHERE name = 'v'") == 2
        assert [job.job for job in book.jobs().jobs] == [2, 1]
    take_all(address)
    assert studies(record) == [("there", 1, "ann")]
    assert (look(1).status, look(2).status) == ("done", "failed")
    assert look(2).error == "The task or the round that it was asked of is no longer there."


@pytest.mark.long
def test_a_job_whose_task_is_renamed_while_it_runs_stays_its_tasks(record, address, start, look):
    number = start(LONG)
    worker = threading.Thread(target=take_all, args=(address, lines := []))
    worker.start()
    wait_until(lambda: look(number).done)
    with roundbook.open(address) as book:
        book.ask("rename_task", task="t", name="renamed", force=True)
        book.log("t", "1", scores(seed=1), "AP", create=True)
    worker.join()
    assert lines[-1].endswith("is put back, as its task or round was renamed meanwhile.")
    wait_until(lambda: take_all(address) or look(number).status == "done")
    assert studies(record) == [("renamed/study-1", 1, "ann")]


@pytest.mark.long
def test_a_killed_worker_is_replaced_and_there_is_one_result(record, address, start, look):
    number = start(LONG, "swaps")
    with program("worker", ROUNDBOOK_DATABASE_URL=address) as first:
        wait_until(lambda: look(number).done)
        first.send_signal(signal.SIGKILL)
        first.wait()
        half = look(number)
        assert (half.status, 0 < half.done < half.total) == ("running", True)
        with program("worker", ROUNDBOOK_DATABASE_URL=address):
            done = wait_until(lambda: look(number).status == "done" and look(number))
    assert (done.lost, done.result, done.version, done.saved) == (1, "swaps", 1, "saved")
    assert studies(record) == [("swaps", 1, "ann")]


@pytest.mark.long
def test_a_job_that_is_cancelled_after_its_worker_was_killed_has_an_end(
    record, address, start, look
):
    number = start(VERY_LONG)
    with program("worker", ROUNDBOOK_DATABASE_URL=address) as worker:
        wait_until(lambda: look(number).done)
    with begin(record) as session:
        assert cancel_job(session, ShowJob(job=number)).stopping
    with program("worker", ROUNDBOOK_DATABASE_URL=address) as worker:
        ended = wait_until(lambda: look(number).status != "running" and look(number))
        worker.send_signal(signal.SIGTERM)
        worker.communicate(timeout=60)
    assert (ended.status, ended.stopping, ended.error) == ("cancelled", False, None)
    assert ended.ended_at is not None


@pytest.mark.long
def test_a_worker_that_is_told_to_end_puts_its_job_back(record, address, start, look):
    number = start(VERY_LONG, "swaps")
    for how in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(how) == signal.SIG_IGN:
            continue  # under nohup nothing ends by SIGHUP
        with program("worker", ROUNDBOOK_DATABASE_URL=address) as worker:
            wait_until(lambda: look(number).done)
            worker.send_signal(how)
            worker.send_signal(how)  # as of someone impatient
            _, output = worker.communicate(timeout=60)
            assert worker.returncode == 0
            assert output.splitlines()[1:] == [
                f"Job {number}: swap-rate of t is begun.",
                f"Job {number}: swap-rate of t is put back.",
            ]
            assert (look(number).status, look(number).lost) == ("waiting", 0)
    assert studies(record) == []


def test_a_worker_that_is_interrupted_when_it_begins_ends_well(record, address):
    sentences = []

    def interrupt(sentence):
        sentences.append(sentence)
        signal.raise_signal(signal.SIGINT)

    run_worker(load_settings(), address, interrupt)
    assert sentences == ["Taking jobs."]


@pytest.mark.long
def test_a_job_whose_connections_are_cut_is_put_back(record, address, start, look):
    number = start(LONG, "swaps")
    with program("worker", ROUNDBOOK_DATABASE_URL=address) as worker:
        wait_until(lambda: look(number).done)
        scalar(
            record,
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <>"
            " pg_backend_pid() AND datname = current_database()",
        )
        done = wait_until(lambda: look(number).status != "running" and look(number).result)
        worker.send_signal(signal.SIGTERM)
        _, output = worker.communicate(timeout=60)
    assert (done, look(number).version, look(number).lost) == ("swaps", 1, 1)
    assert output.splitlines()[1:4] == [
        f"Job {number}: swap-rate of t is begun.",
        f"Job {number}: swap-rate of t is put back, as the database was lost under it.",
        f"Job {number}: swap-rate of t is begun.",
    ]
    assert studies(record) == [("swaps", 1, "ann")]


@pytest.mark.long
def test_a_worker_outlives_its_database(tmp_path):
    directory = tmp_path / "postgres"
    with ExitStack() as stack:
        with served(directory) as (url, engine):
            upgrade(engine)
            book = stack.enter_context(roundbook.open(address_of(url)))
            book.log("t", "1", scores(), "AP", create=True)
            number = book.start_study("swap-rate", "t", "1", "AP", trials=40_000).job
            running = program("worker", ROUNDBOOK_DATABASE_URL=address_of(url))
            worker = stack.enter_context(running)
            wait_until(lambda: book.job(number).done)
            os.kill(server_process(directory), signal.SIGQUIT)
        lines = [worker.stderr.readline() for _ in range(3)]
        assert lines[2].startswith("No jobs are taken until the database answers again: The")
        with served(directory):
            done = wait_until(lambda: book.job(number).status == "done" and book.job(number))
            worker.send_signal(signal.SIGTERM)
            lines += worker.communicate(timeout=60)[1].splitlines()
    assert (done.result, done.version, done.lost) == ("t/study-1", 1, 1)
    assert (worker.returncode, lines[3]) == (0, "Taking jobs.")
    assert not any("Traceback" in line for line in lines)


@pytest.fixture
def service(record, address):
    """Yield clients by what their token allows."""
    with roundbook.open(address) as book:
        book.create_task("u")
        secrets = {
            scope: book.ask("create_token", name=scope, scope=scope).token
            for scope in ("read", "log")
        }
        secrets["of u"] = book.ask("create_token", name="of u", scope="admin", task="u").token
        secrets["of t"] = book.ask("create_token", name="of t", scope="log", task="t").token
    app = make_app(load_settings(), record)
    with TestClient(app) as anonymous:
        yield {"none": anonymous} | {
            name: TestClient(app, headers={"Authorization": f"Bearer {secret}"})
            for name, secret in secrets.items()
        }


@pytest.mark.long
def test_over_http_jobs_are_started_followed_and_cancelled(service, address):
    client, jobs = service["log"], f"{PREFIX}/jobs"
    begun = client.post(f"{jobs}/study/swap-rate", json={"request": LONG, "name": "swaps"})
    assert (begun.status_code, begun.headers["location"]) == (202, f"{jobs}/1")
    assert begun.json()["status"] == "waiting"
    client.post(f"{jobs}/study/swap-rate", json={"request": SWAPS})
    assert client.post(f"{jobs}/2/cancel").json()["status"] == "cancelled"
    assert client.post(f"{jobs}/2/cancel").json()["ended_at"] is not None
    worker = threading.Thread(target=take_all, args=(address,))
    worker.start()
    with client.stream("GET", f"{jobs}/1/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [
            dict(line.split(": ", 1) for line in event.splitlines())
            for event in answer.read().decode().strip().split("\n\n")
        ]
    worker.join()
    assert [int(event["id"]) for event in events] == list(range(1, len(events) + 1))
    assert [event["event"] for event in events] == ["progress"] * (len(events) - 1) + ["end"]
    facts = [json.loads(event["data"]) for event in events]
    order = ["waiting", "running", "done"]
    assert [order.index(fact["status"]) for fact in facts] == sorted(
        order.index(fact["status"]) for fact in facts
    )
    parts = [fact["done"] for fact in facts if fact["done"] is not None]
    assert parts == sorted(parts)
    assert parts[-1] == LONG["trials"]
    assert facts[-1]["result"] == "swaps"
    assert client.get(f"{jobs}/1").json() == facts[-1]
    assert [job["job"] for job in client.get(jobs).json()["jobs"]] == [2, 1]

    long = client.post(f"{jobs}/study/swap-rate", json={"request": VERY_LONG}).json()["job"]
    worker = threading.Thread(target=take_all, args=(address,))
    worker.start()
    wait_until(lambda: client.get(f"{jobs}/{long}").json()["seconds_left"])
    assert client.post(f"{jobs}/{long}/cancel").json()["stopping"]
    assert client.post(f"{jobs}/{long}/cancel").json()["status"] in ("running", "cancelled")
    worker.join(10)
    ended = client.get(f"{jobs}/{long}").json()
    assert (ended["status"], ended["result"], ended["error"]) == ("cancelled", None, None)


@pytest.mark.long
def test_who_may_start_follow_and_cancel(service):
    jobs, body = f"{PREFIX}/jobs", {"request": SWAPS}
    assert service["of t"].post(f"{jobs}/study/swap-rate", json=body).status_code == 202
    expected = {
        "none": (401, 401, 401, 401, 401),
        "read": (403, 200, 200, 200, 403),
        "of u": (403, 200, 403, 403, 403),
    }
    for name, statuses in expected.items():
        client = service[name]
        client.post(f"{jobs}/1/cancel")
        answers = (
            client.post(f"{jobs}/study/swap-rate", json=body),
            client.get(jobs),
            client.get(f"{jobs}/1"),
            client.get(f"{jobs}/1/events") if name != "read" else client.get(jobs),
            client.post(f"{jobs}/1/cancel"),
        )
        assert tuple(answer.status_code for answer in answers) == statuses, name
    assert service["log"].post(f"{jobs}/1/cancel").status_code == 200
    # Another task's token is refused alike, whatever has become of the job.
    assert service["of u"].post(f"{jobs}/1/cancel").status_code == 403
    # And is not told whether there is a job.
    there, absent = (service["of u"].get(f"{jobs}/{number}") for number in (1, 7))
    assert (there.status_code, there.text) == (403, absent.text)
    missing = service["log"].post(
        f"{jobs}/study/swap-rate", json={"request": SWAPS | {"round": "9"}}
    )
    assert missing.status_code == 404
    assert service["of t"].post(f"{jobs}/study/swap-rate", json=body).status_code == 202
    assert service["of u"].get(jobs).json()["jobs"] == []
    statuses = [job["status"] for job in service["read"].get(jobs).json()["jobs"]]
    assert statuses == ["waiting", "cancelled"]
    client = service["log"]
    # What would follow a job that waits is over at once without a body.
    head = client.head(f"{jobs}/2/events")
    assert (head.status_code, head.headers["content-type"][:17]) == (200, "text/event-stream")
    for answer, status in (
        (client.get(f"{jobs}/7"), 404),
        (client.get(f"{jobs}/x"), 422),
        (client.get(f"{jobs}/{2**70}"), 422),
        (client.get(jobs, params={"limit": 0}), 422),
        (client.get(jobs, params={"x": 0}), 422),
        (client.post(f"{jobs}/study/x", json=body), 422),
        (client.post(f"{jobs}/study/swap-rate", json={"request": SWAPS | {"task": "v"}}), 404),
        (client.post(f"{jobs}/study/swap-rate", json={"request": {"files": ["/x"]}}), 422),
        (client.post(f"{jobs}/1"), 405),
    ):
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.long
def test_the_page_of_a_job_looks_again_by_itself(service):
    client = service["log"]
    form = {"asked": "study=swap-rate&task=t&round=1&measure=AP&scales=raw&trials=500", "name": "n"}
    begun = client.post("/jobs", data=form | {"trials": "7"}, follow_redirects=False)
    assert (begun.status_code, begun.headers["location"]) == (303, "/job/1")
    shown = client.get("/job/1")
    assert shown.headers["refresh"] == "2"
    assert "Waiting for a worker." in shown.text
    assert "<dt>trials</dt><dd>7</dd>" in shown.text
    assert '<a href="/job/1">1</a>' in client.get("/jobs").text
    assert "<h1>Job 1: Swap rate of t</h1>" in shown.text
    assert "Cancelled; nothing is saved." in client.post("/job/1/cancel").text
    assert "refresh" not in client.get("/job/1").headers
    # What was filled in stays, and the reason stands beside its field.
    refused = client.post("/jobs", data=form | {"trials": "x"})
    assert refused.status_code == 422
    assert 'name="trials" inputmode="numeric" value="x" placeholder="the study&#39;s own"' in (
        refused.text.replace("'", "&#39;")
    )
    assert 'aria-invalid="true" aria-describedby="wrong-trials"' in refused.text
    assert '<input name="name" value="n">' in refused.text
    assert f'name="asked" value="{form["asked"].replace("&", "&amp;")}"' in refused.text
    # Trials that were typed into the study's own form are those of the job.
    typed = client.get(f"/studies?{form['asked']}").text
    assert 'inputmode="numeric" value="500"' in typed
    asked = html.unescape(
        re.search(r'action="/jobs".*?name="asked" value="([^"]*)"', typed, re.S)[1]
    )
    assert "trials=500" in asked
    job = client.post("/jobs", data={"asked": asked, "trials": "500"}).text
    assert "<dt>trials</dt><dd>500</dd>" in job
    # The few trials that a page runs by itself are not those of a job.
    plain = client.get("/studies?study=swap-rate&task=t&round=1&measure=AP&scales=raw").text
    asked = html.unescape(
        re.search(r'action="/jobs".*?name="asked" value="([^"]*)"', plain, re.S)[1]
    )
    assert "trials" not in asked
    assert client.post("/jobs", data={"asked": "study=x"}).status_code == 422
    assert service["read"].post("/jobs", data=form).status_code == 403
    assert service["of u"].post("/jobs", data=form).status_code == 403
    assert service["of u"].get("/job/1").status_code == 403
    assert service["none"].get("/job/1", follow_redirects=False).status_code == 303


@pytest.mark.slow
def test_serving_takes_jobs_and_a_restart_loses_none(record, address, start, look):
    number = start(VERY_LONG, "long")
    with program("serve", "--port", "0", ROUNDBOOK_DATABASE_URL=address) as service:
        wait_until(lambda: "Serving" in service.stderr.readline())
        wait_until(lambda: look(number).done)
        service.send_signal(signal.SIGINT)
        service.communicate(timeout=20)
        assert (service.returncode, look(number).status) == (0, "waiting")
    with program("serve", "--port", "0", ROUNDBOOK_DATABASE_URL=address) as service:
        wait_until(lambda: look(number).done)
        service.send_signal(signal.SIGKILL)  # its worker sees that it is alone, and ends too
        wait_until(lambda: look(number).status == "waiting")
    assert look(number).lost == 0


@pytest.mark.long
def test_a_service_on_a_read_only_database_says_once_that_it_takes_no_jobs(address, database):
    name = database.database
    administer(database, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with program("serve", "--port", "0", ROUNDBOOK_DATABASE_URL=address) as service:
        lines = [service.stderr.readline() for _ in range(2)]
        time.sleep(8)
        service.send_signal(signal.SIGINT)
        lines += service.communicate(timeout=20)[1].splitlines()
    assert any("is read-only" in line for line in lines)
    assert len(lines) == 2


@pytest.mark.long
def test_others_log_and_correct_while_a_long_result_is_computed(record, address):
    request = SwapRateRequest(**SWAPS)
    corrections = []

    def correct(*_):
        """Log other scores while it is computed, as often as there are any."""
        if len(corrections) < most and (not corrections or corrections[-1] != times()):
            corrections.append(times())
            with roundbook.open(address) as book:
                again = scores(seed=10 * most + len(corrections))
                book.log("t", "1", again, "AP", revise="misprint")

    def times():
        return scalar(record, "SELECT count(*) FROM roundbook.matrix")

    most = 1
    opened = partial(begin, record, "ann", work=Work(correct))
    saved = save_long_result(opened, "study", request, SaveResult(name="swaps"))
    assert (saved.status, saved.stale, saved.result.revision) == ("saved", False, 2)
    most, corrections = 9, []
    with pytest.raises(RevisedMeanwhileError, match="each time"):
        save_long_result(opened, "study", request, SaveResult(name="swaps"))
    with pytest.raises(InputError):
        work = Work(pytest.fail)
        save_long_result(partial(opened, work=work), "study", request, SaveResult(name=" "))
    assert [(name, version) for name, version, _ in studies(record)] == [("swaps", 1)]
