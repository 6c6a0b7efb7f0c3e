"""Forms of pages: what is logged, renewed, refused or chosen with them, and what they say of it."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests.factories import wide
from tests.pages import beside, confirm, words
from tests.savepoints import prepared

from roundbook.api.app import make_app
from roundbook.api.problems import HttpError
from roundbook.api.turns import computing_turn
from roundbook.pages import forms
from roundbook.pages.rendering import redirect
from roundbook.settings import load_settings

pytestmark = [pytest.mark.one_server, pytest.mark.usefixtures("book")]
RUNS = [f"run{number}" for number in range(8)]
TEAMS = "run,team\n" + "".join(f"{run},{run[-1]}\n" for run in RUNS)


def scores(add=0.0, topics=8):
    """Return scores of eight runs; `add` is added to one of them."""
    drawn = (np.arange(topics)[:, None] * 7 + np.arange(len(RUNS)) * 5) % 11 / 20
    drawn[0, 0] += add
    return wide(drawn.round(3))


def upload(client, file, teams=None, **fields):
    given = {"task": "t", "round": "r1", "measure": "AP"} | fields
    files = {"file": ("scores.csv", file, "text/csv")}
    if teams:
        files["teams"] = ("teams.csv", teams, "text/csv")
    return client.post("/upload", data=given, files=files)


@prepared
def book(book):
    book.log("t", "r1", io.StringIO(scores()), "AP", create=True)
    return book


@pytest.mark.long
def test_a_team_file_that_comes_later_is_logged(client, book):
    seen = upload(client, scores(), TEAMS)
    assert "The team file tells something new of 8 runs." in words(seen)
    assert "nothing to do" not in words(seen)
    done = confirm(client, seen)
    assert "The team file told something new of 8 runs." in words(done)
    assert {run.team for run in book.ask("matrix", matrix=1).model.runs} == set("01234567")
    again = upload(client, scores(), TEAMS)
    assert "This is logged already; there is nothing to do." in words(again)
    assert 'name="held"' not in again.text


def test_a_file_that_is_looked_at_has_the_notes_of_one_that_is_logged(client, book):
    pool = [f"{run},team{run},{'yes' if number < 5 else 'no'}\n" for number, run in enumerate(RUNS)]
    seen = upload(client, scores(), "".join(["run,team,contributed_to_pool\n", *pool]))
    note = (
        "The pool is known now: 5 of 8 runs contributed. The factors of AP still rest on all runs."
    )
    assert note in words(seen)
    assert note in words(confirm(client, seen))


def test_what_was_logged_is_said_once_and_not_logged_again(client, book):
    book.save("plan", "next", task="t", measure="AP", m=(10,), min_d=(0.1,))
    events = len(book.ask("events").model.events)
    seen = upload(client, scores(0.1), revise="a slip")
    round_page = confirm(client, seen)
    assert round_page.url.path == "/round"
    for sentence in (
        "revision 2, 8 topics by 8 runs: logged.",
        "Stale now that the scores of AP are replaced:",
        "plan 'next' version 1 (task 't')",
        "Saved results are renewed under Results, or on the page of their task.",
    ):
        assert sentence in words(round_page)
    assert "revision 2, 8 topics" not in words(client.get(round_page.url))
    logged = len(book.ask("events").model.events)
    assert logged > events
    twice = confirm(client, seen)
    assert twice.url == round_page.url
    assert "It was logged before; nothing was logged again." in words(twice)
    assert len(book.ask("events").model.events) == logged
    gone = client.post("/upload/confirm", data={"held": "none"})
    assert (gone.status_code, beside(gone, "file")) == (
        409, "What was looked at is not kept any more; send the file again."
    )  # fmt: skip
    # What the form said is kept, of whatever kind the file was.
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', seen.text))
    assert {name: fields[name] for name in ("kind", "task", "round", "measure", "revise")} == {
        "kind": "scores", "task": "t", "round": "r1", "measure": "AP", "revise": "a slip"
    }  # fmt: skip
    lost = {"held": "none", "kind": "assessments", "task": "t", "round": "r 2", "revise": "a slip"}
    gone = client.post("/upload/confirm", data=lost).text
    assert '<input type="hidden" name="kind" value="assessments">' in gone
    assert all(f'value="{value}"' in gone for value in ("t", "r 2", "a slip"))


def test_renewing_leads_back_with_what_came_out(client, book):
    def renew(fields, page):
        headers = {"referer": f"http://testserver{page}"} if page else {}
        return client.post("/renew", data=fields, headers=headers, follow_redirects=False)

    book.log("t", "r2", io.StringIO(scores(0.3)), "AP", create=True)
    for name in ("first", "next"):
        book.save("plan", name, task="t", measure="AP", m=(10,), min_d=(0.1,))
    before = client.get("/result?name=next").text
    topics = re.search(r"anova: (\d+) topics", before)[1]
    book.log("t", "r1", io.StringIO(scores(0.4)), "AP", revise="a slip")
    done = renew({"name": "next", "kind": "plan"}, "/result?name=next&kind=plan")
    assert (done.status_code, done.headers["location"]) == (303, "/result?name=next&kind=plan")
    shown = words(client.get(done.headers["location"]))
    now = re.search(r"'next', version 2: anova: (\d+) topics; before, anova: (\d+) topics\.", shown)
    assert now, shown
    assert now[2] == topics
    assert "before, anova" not in words(client.get("/result?name=next"))
    of_task = "/task?task=t&measure=AP&scale=std-ab"
    assert renew({"task": "t"}, of_task).headers["location"] == of_task
    nothing = "Nothing was stale that can be renewed."
    assert renew({"task": "t"}, "/results").headers["location"] == "/results"
    assert nothing in words(client.get("/results"))
    # A browser that does not say, or says another site's, is led to what was renewed.
    assert renew({"task": "t"}, None).headers["location"] == "/task?task=t"
    assert renew({"name": "next"}, None).headers["location"] == "/result?name=next"
    for elsewhere in ("http://elsewhere/result", "http://testserver//elsewhere/result"):
        headers = {"referer": elsewhere}
        led = client.post("/renew", data={"task": "t"}, headers=headers, follow_redirects=False)
        assert led.headers["location"] == "/task?task=t"


def test_what_is_saved_says_so_and_a_forged_message_harms_nothing(client):
    asked = {"kind": "plan", "asked": "variance=0.05&m=10&min_d=0.1", "name": "mine"}
    assert "Saved: plan 'mine', version 1." in words(client.post("/save", data=asked))
    for forged in ("%%%", "a", "PHNjcmlwdD4=", "/w=="):
        answer = client.get("/results", headers={"cookie": f"roundbook_said={forged}"})
        assert answer.status_code == 200
        assert "<script>" not in answer.text
    assert "&lt;script&gt;" in client.get(
        "/results", headers={"cookie": "roundbook_said=PHNjcmlwdD4="}
    ).text  # fmt: skip


def test_refusals_name_what_helps(client, book, tmp_path):
    teams = tmp_path / "teams.csv"
    teams.write_text(TEAMS)
    book.log("t", "r2", io.StringIO(scores(0.1)), "AP", create=True, teams=teams)
    other = TEAMS.replace("run0,0", "run0,Z")
    contradicted = upload(client, scores(0.1), other, round="r2")
    assert contradicted.status_code == 409
    assert beside(contradicted, "teams") == (
        "The team file contradicts the record on run 'run0': team is '0' there and 'Z' in the file."
        " Nothing was written; check first that the file is of this round. Send another file or, to"
        " correct the record, in a terminal: roundbook round teams t r2 FILE --revise REASON"
    )
    unread = upload(client, scores(), "run;team\n", round="r3")
    assert beside(unread, "teams").startswith("teams.csv")
    differing = upload(client, scores(0.2))
    assert beside(differing, "revise").endswith("if they rest on other assessments, name those.")
    assert '<a href="/matrix?matrix=1">Matrix 1</a>' in differing.text
    book.withdraw(1, "wrong qrels")
    assert beside(upload(client, scores()), "revise") == (
        "The AP scores of round 'r1' (matrix 1) are withdrawn: wrong qrels. These very scores count"
        " again once that is taken back, in a terminal: roundbook matrix restore 1 --reason REASON"
    )
    change = {"study": "change", "task": "t", "round": "r1", "to_round": "r2", "measure": "AP"}
    book.restore(1, "right after all")
    refused = client.get("/studies", params=change | {"pivot": "run0"})
    assert beside(refused, "").startswith("No system is recorded to have run in both")
    assert beside(refused, "").endswith("roundbook round teams t ROUND FILE")
    of_drift = {"task": "t", "measure": "AP"}
    headers = {"referer": "http://testserver/drift?task=t&measure=AP"}
    both = client.get("/drift", params=of_drift | {"from_round": "r2"}, headers=headers)
    assert beside(both, "") == "Drift compares two rounds, and 'r2' is both. Choose two."
    assert '<a href="/drift?task=t&amp;measure=AP">Back</a>' in both.text
    assert beside(client.get("/plan?variance=0.05&m=2,a"), "m") == (
        "\"Runs m\" takes a whole number, not 'a'."
    )  # fmt: skip


def test_a_plan_of_a_task_says_which_measures_there_are(client, book):
    book.log("t", "r1", io.StringIO(scores(0.1)), "nDCG@10")
    for query in ("task=t", "task=t&m=10&min_d=0.1"):
        assert beside(client.get(f"/plan?{query}"), "measure") == (
            "Say which measure: task 't' has AP, nDCG@10."
        )  # fmt: skip
    assert beside(client.get("/plan?task=other"), "") == '"that of a task" needs "its measure".'
    assert beside(client.get("/plan?variance=0.05&m=2&min_d=x"), "min_d") == (
        "\"minD, or the width\" takes a number, not 'x'."
    )  # fmt: skip


def test_scores_and_teams_may_have_the_same_file_name(client, book):
    def send(*files):
        fields = {"task": "t", "round": "r2", "measure": "AP"}
        sent = [(field, (name, text, "text/csv")) for field, name, text in files]
        return client.post("/upload", data=fields, files=sent)

    seen = send(("file", "x.csv", scores()), ("teams", "x.csv", TEAMS))
    assert seen.status_code == 200
    confirm(client, seen)
    (matrix,) = book.ask("matrices", task="t", round="r2").model.matrices
    logged = book.ask("matrix", matrix=matrix.matrix).model
    assert logged.files == ["x.csv"]
    assert {run.team for run in logged.runs} == set("01234567")
    unread = send(("file", "x.csv", scores(0.1)), ("teams", "x.csv", "run;team\n"))
    assert beside(unread, "teams").startswith("teams x.csv")
    # Two score files of one name are refused, and the form stays as it was filled in.
    twice = send(("file", "x.csv", scores()), ("file", "x.csv", scores()))
    assert twice.status_code == 422
    assert beside(twice, "file") == "Two of the files are called 'x.csv'."
    assert 'name="round" value="r2"' in twice.text
    long = send(("file", "x" * 201, scores()))
    assert "at most 200 characters" in beside(long, "file")


def test_a_preview_says_what_would_be(client, book):
    seen = upload(client, scores(), re.sub("[67]$", "5", TEAMS, flags=re.MULTILINE))
    would = (
        "Teams of runs would become known: the intervals of 3 variance estimates (AP) would be"
        " estimated anew by team. Any result saved on the earlier ones would be stale."
    )
    assert would in words(seen)
    did = words(confirm(client, seen))
    assert (
        "Teams of runs became known: the intervals of 3 variance estimates (AP) were estimated anew"
        " by team. Any result saved on the earlier ones is stale."
    ) in did


def test_the_second_of_two_corrections_is_refused_on_its_form(client, book):
    first, second = (upload(client, scores(add), revise="a slip") for add in (0.1, 0.2))
    assert confirm(client, first).status_code == 200
    refused = confirm(client, second)
    assert refused.status_code == 409
    assert "logged revision 2 of AP in round 'r1' while" in beside(refused, "revise")
    assert "Look at it first, then send the file again" in beside(refused, "revise")
    latest = book.ask("matrices", task="t").model.matrices[-1].matrix
    assert f'<a href="/matrix?matrix={latest}">Matrix {latest}</a>' in refused.text
    assert 'name="task" value="t"' in refused.text
    assert 'name="revise" value="a slip"' in refused.text


def test_equal_runs_and_variances_as_pages_say_them(client):
    def one(topic):
        return ",".join(f"{((topic * 7 + pair * 5) % 11) / 20}" for pair in range(6) for _ in "ab")

    head = ",".join(f"run{number}" for number in range(12))
    file = f"topic,{head}\n" + "".join(f"t{topic},{one(topic)}\n" for topic in range(8))
    seen = upload(client, file, round="r2")
    assert "6 of 12 runs repeat the scores of another run on every topic: " in words(seen)
    assert "JSON, as" not in words(seen)
    assert "JSON, as" not in words(confirm(client, seen))
    order = r"Variance \.\d+ raw, \.\d+ std-ab, \.\d+ std-cdf"
    for shown in (seen, upload(client, file, round="r2")):
        assert re.search(order, words(shown)), words(shown)


def test_a_chosen_study_is_the_one_that_runs(client, book, monkeypatch):
    book.log("other", "x1", io.StringIO(scores()), "P@5", create=True)
    page = client.get("/studies?study=swap-rate&form=only&task=other").text
    assert '<option value="x1">' in page
    assert '<option value="r1">' not in page
    assert len(re.findall("<form", page)) == 1
    assert "<h2>" not in page
    # What the form sends after another study is chosen in it: the fields of the former one.
    asked = {"task": "t", "round": "r1", "measure": "AP", "scales": "raw", "trials": "50"}
    ran = client.get("/studies", params=asked | {"study": "discriminative-power", "splits": "2"})
    assert "<h2>Discriminative power</h2>" in ran.text
    wanting = client.get("/studies", params=asked | {"study": "change", "to_round": "none"})
    assert wanting.status_code == 404
    assert "Run in the background" not in wanting.text
    unknown = client.get("/studies", params=asked | {"study": "bananas"})
    assert unknown.status_code == 422
    assert "There is no study &#39;bananas&#39;; there are discriminative-power, " in unknown.text

    def too_long(*_):
        raise HttpError(503, "It took longer than 60 seconds.", way_out="start a job")

    monkeypatch.setattr("roundbook.pages.studies.run_kept_study", too_long)
    given_up = client.get("/studies", params=asked | {"study": "swap-rate"})
    assert given_up.status_code == 503
    assert "Run in the background" in given_up.text


@pytest.mark.long
def test_rounds_of_drift_are_chosen(client, book):
    for number, label in enumerate(("r2", "r3"), 1):
        book.log("t", label, io.StringIO(scores(number / 10)), "AP", create=True)
    book.log("t", "r4", io.StringIO(scores()), "P@5", create=True)
    page = client.get("/drift?task=t&measure=AP&margin=0.3").text
    chosen = {
        name: re.findall("<option([^>]*)>([^<]+)", options)
        for name, options in re.findall(r'<select name="(\w+)">(.*?)</select>', page)
    }
    assert chosen == {
        "from_round": [(" selected", "r1"), ("", "r2"), ("", "r3")],
        "to_round": [("", "r1"), ("", "r2"), (" selected", "r3")],
    }
    assert '<input type="hidden" name="margin" value="0.3">' in page
    other = client.get("/drift?task=t&measure=AP&margin=0.3&from_round=r2&to_round=r3")
    assert "<strong>r2 against r3: means</strong>" in other.text
    client.post("/save", data={
        "kind": "drift", "asked": "task=t&measure=AP&from_round=r2", "name": "later",
    })  # fmt: skip
    assert "<strong>r2 against r3: means</strong>" in client.get("/result?name=later").text
    # A refused name stays in the form, with the reason beside it.
    refused = client.post("/save", data={
        "kind": "drift", "asked": "task=t&measure=AP&from_round=r2", "name": "x" * 300,
    })  # fmt: skip
    assert refused.status_code == 422
    assert f'<input name="name" value="{"x" * 300}" required' in refused.text
    assert "task=t&amp;measure=AP&amp;from_round=r2" in refused.text
    assert "at most 200" in words(refused)


def test_lists_of_all_tasks_name_the_task_and_what_was_asked(committed, client, book):
    book.save("plan", "next", task="t", measure="AP", m=(10,), min_d=(0.1,))
    of_all, of_one = (words(client.get(path)) for path in ("/results", "/results?task=t"))
    assert "Answer Task Of State" in of_all
    assert re.search(r"topics t task 't' stands", of_all)
    assert "Answer Of State" in of_one
    asked = "study=swap-rate&task=t&round=r1&measure=AP"
    client.post("/jobs", data={"asked": asked, "trials": "2500"})
    client.post("/jobs", data={"asked": "study=across-rounds&task=t&measure=AP"})
    jobs = words(client.get("/jobs"))
    assert "Study Task Round Measure Trials Status" in jobs
    assert "Swap rate t r1 AP 2,500 waiting" in jobs
    assert "Swap rates across all rounds t all AP 10,000 waiting" in jobs


def test_the_numbers_of_a_plan_are_linked_within_its_answer(client):
    page = client.get("/plan?variance=0.08&m=10&min_d=0.1").text
    _, answer = page.split('<div id="answer">')
    answer, rest = answer.split("</main>")
    assert 'href="/api/v1/plan?variance=0.08&amp;m=10&amp;min_d=0.1"' in answer
    assert "/api/v1/plan" not in rest
    assert "/api/v1/plan" not in client.get("/plan").text


def test_a_plan_takes_numbers_that_are_repeated(client, book):
    of_task = "task=t&measure=AP&min_d=0.5"
    repeated, typed = (f"{of_task}&m=2&m=3", f"{of_task}&m=2+3")
    page = client.get(f"/plan?{repeated}").text
    assert re.search('<input name="m"[^>]* value="2 3"', page)
    assert client.get(f"/plan.csv?{repeated}").text == client.get(f"/plan.csv?{typed}").text
    client.post("/save", data={"kind": "plan", "name": "next", "asked": repeated})
    assert book.result("next").result.m == (2, 3)


def test_who_logged_out_elsewhere_is_led_to_log_in(engine, book):
    with TestClient(make_app(load_settings(), engine)) as stranger:
        headers = {"referer": "http://testserver/upload?kind=runs"}
        refused = stranger.post("/upload/confirm", data={"held": "x"}, headers=headers)
    assert refused.status_code == 401
    assert '<a href="/login?then=%2Fupload%3Fkind%3Druns">Log in</a>' in refused.text
    assert '<a href="/upload?kind=runs">Back</a>' in refused.text


def test_what_was_done_is_said_on_its_own_page_alone(client):
    done = confirm(client, upload(client, scores(0.1), revise="a slip"), follow_redirects=False)
    for other in ("/nope", "/", "/studies?form=only"):
        assert "revision 2" not in words(client.get(other))
    assert "revision 2, 8 topics by 8 runs: logged." in words(client.get(done.headers["location"]))
    kept = base64.urlsafe_b64decode(
        re.search(r'roundbook_said="?([^";]+)', redirect("/", ["Logged.", *["y " * 2000] * 9])
                  .headers["set-cookie"])[1]
    ).decode().split("\n")  # fmt: skip
    assert (kept[0], kept[-1]) == ("Logged.", "And 5 more.")
    assert {line[-5:] for line in kept[1:-1]} == {"y ..."}


def test_an_address_of_the_page_before_that_is_none_harms_nothing(client):
    for method, path in (("POST", "/renew"), ("GET", "/nope")):
        answer = client.request(
            method, path, data={"task": "t"}, headers={"Referer": "http://[::1"}
        )
        assert answer.status_code in (200, 404)


def test_a_study_takes_its_turn_and_its_own_fields(client, monkeypatch):
    turns = []

    def turn(http, caller):
        turns.append(http.url.query)
        return computing_turn(http, caller)

    monkeypatch.setattr(forms, "computing_turn", turn)
    of = "/studies?study=swap-rate&task=t&round=r1&measure=AP&trials=20"
    for end, computed in (("", True), ("&form=", True), ("&form=only", False)):
        answer = client.get(of + end)
        assert (answer.status_code, len(turns)) == (200, computed), end
        turns.clear()
    other = client.get("/studies?study=change&task=t&round=r1&measure=AP&level=0.05&form=only")
    assert 'value="0.05"' not in other.text
    assert 'value="r1"' in other.text
