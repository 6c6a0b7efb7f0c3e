"""Pages without a browser: what they say, whom they let in, what their forms do, how large they get."""

from __future__ import annotations

import csv
import gzip
import io
import re
from html import escape, unescape
from urllib.parse import urlencode

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event
from tests.databases import scalar
from tests.factories import log_scores, publish_round, simulated, wide
from tests.pages import beside, confirm, links_of, plain, words
from tests.savepoints import prepared

from roundbook.api.app import make_app
from roundbook.errors import DatabaseUnreachableError
from roundbook.logbook.studies.studies import STUDIES
from roundbook.pages.rendering import sentence
from roundbook.pages.study_form import study_fields
from roundbook.pages.ways_out import on_page
from roundbook.presentation import drift, drift_advice, drift_verdict
from roundbook.presentation.drift_curve import summary as curve_summary
from roundbook.presentation.plan_protocol import protocol
from roundbook.presentation.plans import guidance
from roundbook.presentation.rankings import summary as ranking_summary
from roundbook.presentation.variances import summary
from roundbook.settings import load_settings

pytestmark = pytest.mark.one_server
# What would be markup, were it not escaped.
TASK, RUN, TOPIC = "track<b>&x", "r<script>alert(1)</script>", "q<i>'\""
OF = {"task": TASK, "measure": "AP"}
CROWD = "crowd<b>&2"


def scores(seed=0):
    topics, runs = [f"t{number}" for number in range(1, 8)], [f"run{n}" for n in range(1, 5)]
    return wide(simulated(seed, 8, 5), [TOPIC, *topics], [RUN, *runs])


def events_of(engine):
    return scalar(engine, "SELECT count(*) FROM roundbook.event")


def as_said(text):
    """Return a sentence of an answer as `words` has it."""
    return plain(sentence(text))


def upload(client, file, name="scores.csv", **fields):
    given = {"task": TASK, "round": "4", "measure": "AP"} | fields
    return client.post("/upload", data=given, files={"file": (name, file, "text/csv")})


@prepared
def record(book):
    """A task of three rounds, the first published, with a saved plan."""
    for seed, label in enumerate("123"):
        book.log(TASK, label, io.StringIO(scores(seed)), "AP", create=True)
    book.save("plan", "next", **OF, m=(10,), min_d=(0.1,))
    book.publish(TASK, "1")
    return book


def test_an_empty_record_says_what_to_do(client):
    first = client.get("/")
    assert "roundbook log mytask round1 scores.csv --measure nDCG@10 --create" in first.text
    for path in ("/plan", "/studies", "/results", "/events", "/upload", "/login"):
        assert client.get(path).status_code == 200, path
    absent = client.get("/task", params={"task": "none"})
    assert (absent.status_code, "There is no task 'none'." in words(absent)) == (404, True)
    assert client.get("/nowhere").status_code == 404
    assert client.get("/charts/none.svg").status_code == 404
    assert "Not possible task is not given." in words(client.get("/task"))


def test_the_headers_of_a_page_come_without_it(engine, record):
    token = record.ask("create_token", name="reader", scope="read").token
    with TestClient(make_app(load_settings(), engine), follow_redirects=False) as client:
        for headers, status in (({}, 303), ({"Authorization": f"Bearer {token}"}, 200)):
            for path, expected in {"/": 200, "/results": status, "/none": 404}.items():
                page = client.get(path, headers=headers)
                head = client.head(path, headers=headers)
                assert (page.status_code, head.status_code) == (expected, expected), path
                assert (head.headers, head.content) == (page.headers, b""), path
        assert client.get("/results").headers["location"] == "/login?then=%2Fresults"
        assert client.head("/login").status_code == 200
        assert client.head("/logout").status_code == 405


@pytest.mark.long
def test_every_page_says_what_the_terminal_says(client, record):
    pages = {
        path: client.get(path, params=params)
        for path, params in {
            "/": {},
            "/task": OF,
            "/round": OF | {"round": "1"},
            "/matrix": {"matrix": 1},
            "/variances": {"task": TASK},
            "/drift": OF,
            "/plan": OF | {"m": "10", "min_d": "0.1"},
            "/studies": OF | {"round": "1", "study": "discriminative-power", "trials": "100",
                              "scales": ["raw", "std-ab"]},
            "/results": {},
            "/result": {"name": "next"},
            "/events": {},
        }.items()
    }  # fmt: skip
    for path, answer in pages.items():
        assert answer.status_code == 200, (path, words(answer))
        assert not re.search(r"<script>|<b>&x|<i>'|style=\"| on\w+=", answer.text), path
        (script,) = re.findall(r"<script[^>]*>[^<]*</script>", answer.text)
        assert re.fullmatch(r'<script src="/static/pages.js\?v=\w+" defer></script>', script)
        assert "; script-src 'self'; " in answer.headers["content-security-policy"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.text.count("<h1") == 1, path
        assert len(re.findall(r"<th(?=[ >])", answer.text)) == answer.text.count("<th scope="), path
    assert "Runs on raw, and how many runs each is told apart from" in pages["/studies"].text
    asked = {name: record.ask(name, **OF).model for name in ("variances", "drift", "ageing")}
    on_task = words(pages["/task"])
    for line in (*summary(asked["variances"]), curve_summary(asked["ageing"])):
        assert as_said(line) in on_task
    assert as_said(on_page(drift_advice.brief_advice(asked["drift"]), asked["drift"])) in on_task
    assert "published" in on_task
    assert "draft" in on_task
    assert f'<th scope="row"><a href="/round?task={TASK}' not in pages["/task"].text
    # The plan that the page opens is the one that every door computes unless told otherwise.
    (opened,) = re.findall(r'<a href="([^"]+)">Plan the next round<', pages["/task"].text)
    usual = record.plan(**OF)
    assert usual.design == "anova"
    assert as_said(usual.say().splitlines()[0]) in words(client.get(unescape(opened)))
    assert as_said(drift_verdict.reason(asked["drift"])) in words(pages["/drift"])
    assert drift.assumed(asked["drift"]) in words(pages["/drift"])
    assert f"{asked['drift'].verdict.upper()} AP" in words(pages["/"])
    assert "next plan AP anova: " in words(pages["/results"])
    ranking = record.ask("rank", **OF, round="1").model
    on_round = words(pages["/round"])
    assert all(as_said(sentence) in on_round for sentence in ranking_summary(ranking))
    fingerprint = record.ask("verify_round", task=TASK, round="1").model.fingerprint
    assert fingerprint in on_round
    assert "its published fingerprint still verifies" in on_round
    plan = record.plan(**OF, m=(10,), min_d=(0.1,)).model
    assert protocol(plan) in words(pages["/plan"])
    power = f"Round Topics Variance m minD exact sakai Enough 1 8 .{plan.rounds[0].variance:.5f}"
    for path in ("/plan", "/result"):
        assert power.replace(".0.", ".") in words(pages[path]), path
        said = words(pages[path])
        assert [said.count(as_said(line)) for line in guidance(plan)] == [1, 1, 1], path
    many = client.get("/plan", params=OF | {"m": "10", "min_d": "0.01"}).text
    assert re.search(r"<td[^>]*>\d,\d{3}<", many)
    assert not re.search(r"<td[^>]*>\d{4,}<", many)
    for path, names in (("/round", (RUN, TOPIC)), ("/matrix", (RUN,)), ("/drift", (TOPIC,))):
        for name in names:
            assert escape(name) in pages[path].text or escape(name, quote=False) in pages[path].text
    # The charts: two of each, one for a phone, and three files.
    for path, number in {"/task": 4, "/round": 2, "/matrix": 2, "/drift": 2, "/plan": 1,
                         "/studies": 1, "/result": 1}.items():  # fmt: skip
        written = pages[path].text
        assert written.count("chart desk") == written.count("chart phone") == number, path
        links = [unescape(link) for link in re.findall(r'href="(/charts/[^"]+)"', written)]
        assert len(links) == 3 * number
        kinds = {"svg": "image/svg+xml", "png": "image/png", "csv": "text/csv; charset=utf-8"}
        for link in links if path in ("/matrix", "/drift", "/studies", "/result") else ():
            file = client.get(link)
            assert file.status_code == 200, (link, file.text)
            if "scores.svg" in link:
                assert re.search(r'<image [^>]*width="[1-9]', file.text)
            assert file.headers["content-type"] == kinds[re.search(r"\.(\w+)\?", link)[1]]


@pytest.mark.long
def test_one_of_several_assessments_is_chosen_on_a_page_and_kept_by_its_links(client, record):
    select = '<select name="assessments">'
    for path in ("/task", "/round"):
        assert select not in client.get(path, params=OF | {"round": "2"}).text
    for seed, label in ((5, "2"), (6, "3")):
        record.log(TASK, label, io.StringIO(scores(seed)), "AP", assessments=CROWD)
    # Where none is chosen, the pages show the official ones, and say so.
    for path in ("/task", "/round"):
        several = client.get(path, params=OF | {"round": "2", "assessments": ""})
        assert (
            f"AP is recorded under several assessments ({CROWD}, official), which are never mixed:"
            " shown is official."
        ) in words(several)
        options = re.search(f"{select}(.*?)</select>", several.text)[1]
        assert options == (f"<option>{escape(CROWD)}</option><option selected>official</option>")

    of = OF | {"assessments": CROWD}
    chosen = client.get("/task", params=of)
    assert f"<option selected>{escape(CROWD)}</option>" in chosen.text
    assert "several assessments" not in words(chosen)
    asked = {name: record.ask(name, **of).model for name in ("variances", "drift", "ageing")}
    assert [row.round for row in asked["variances"].rounds] == ["2", "3"]
    for line in (*summary(asked["variances"]), curve_summary(asked["ageing"])):
        assert as_said(line) in words(chosen)
    assert as_said(on_page(drift_advice.brief_advice(asked["drift"]), asked["drift"])) in words(
        chosen
    )
    # The files of its charts are of these assessments, as the charts are.
    links = links_of(chosen, "/charts/[a-z]+.csv")
    assert len(links) == 3  # factors age over more rounds
    assert all(client.get(link).status_code == 200 for link in links)
    drawn = list(csv.DictReader(io.StringIO(client.get(links[0]).text)))
    assert [float(row["variance"]) for row in drawn[:2]] == pytest.approx(
        [row.variance for row in asked["variances"].rounds]
    )
    # So are the pages that it links to.
    (to_drift,), (to_plan,) = links_of(chosen, "/drift"), links_of(chosen, "/plan")
    assert as_said(drift_verdict.reason(asked["drift"])) in words(client.get(to_drift))
    planned = client.get(to_plan)
    assert as_said(record.plan(**of).say().splitlines()[0]) in words(planned)
    assert f'name="assessments" inputmode="text" value="{escape(CROWD)}"' in planned.text
    to_round = links_of(chosen, "/round")
    pages = [client.get(link) for link in to_round]
    ranking = record.ask("rank", **of, round="3").model
    assert all(as_said(line) in words(pages[2]) for line in ranking_summary(ranking))
    assert f"This round has no AP scores under '{CROWD}' assessments that stand." in words(pages[0])
    assert select in pages[2].text
    for answer in (client.get(to_drift), *pages):
        (back,) = links_of(answer, "/task")
        assert words(client.get(back)) == words(chosen)
    (as_json,) = links_of(chosen, "/api/v1/variances")
    assert client.get(as_json).json()["assessments"] == CROWD
    every = client.get("/variances", params={"task": TASK})
    assert f"AP ({CROWD})" in words(every)
    assert links_of(every, "/task")[1:] == [
        f"/task?{urlencode(OF | {'assessments': label})}"
        for label in re.findall(r"AP \((.*?)\)</a>", unescape(every.text))
    ]
    # A measure may be spelt as another tool spells it.
    for path in ("/task", "/round"):
        spelt = of | {"round": "3"}
        ours, theirs = (client.get(path, params=spelt | {"measure": m}) for m in ("AP", "map"))
        assert ours.text == theirs.text
    # A form keeps what it corrects, and a mistyped label is asked for.
    (correct,) = links_of(pages[2], "/upload")[:1]
    assert f'name="assessments" value="{escape(CROWD)}"' in client.get(correct).text
    mistyped = upload(client, scores(7), round="2", assessments="offical")
    assert (
        f"'offical' is new to this task, which has {CROWD}, official; scores under different labels"
        " are not mixed. Did you mean official?" in words(mistyped)
    )


def test_numbers_of_sentences_as_in_tables():
    for text, shown in {
        "95% interval [0.056, 0.076], +0.4 to 1.2": "95% interval [.056, .076], +.4 to 1.2",
        "RBP(p=0.8) by roundbook 0.1.0, 10.05": "RBP(p=0.8) by roundbook 0.1.0, 10.05",
        "round 'run 0.5' at 0.05, <0.1": "round &#39;run 0.5&#39; at .05, &lt;0.1",
        "0.8% of 0.25": "0.8% of .25",
        "round 'it's 0.5' at 0.05": "round &#39;it&#39;s 0.5&#39; at .05",
        "a round's 0.05 in 'run 0.5'": "a round&#39;s .05 in &#39;run 0.5&#39;",
    }.items():
        assert sentence(text) == shown


@pytest.mark.long
def test_what_a_draft_shows_without_a_token(engine, record, monkeypatch, caplog):
    token = record.ask("create_token", name="reader", scope="read").token
    draft = {"matrix": 2}
    with TestClient(make_app(load_settings(), engine), follow_redirects=False) as client:
        assert "draft" not in words(client.get("/task", params=OF))
        for path, params in {"/matrix": draft, "/round": OF | {"round": "2"}, "/drift": OF,
                             "/results": {}, "/events": {}, "/upload": {}}.items():  # fmt: skip
            answer = client.get(path, params=params)
            assert answer.status_code in (303, 404), path
            if answer.status_code == 303:
                assert answer.headers["location"].startswith(f"/login?then=%2F{path[1:]}")
        assert client.get("/charts/scores.csv", params=draft).status_code == 303
        assert client.get("/matrix", params={"matrix": 1}).status_code == 200
        wrong = client.post("/login", data={"token": "rb_wrong", "then": "/"})
        assert wrong.status_code == 401
        assert re.search(r'id="wrong-token">The token is not valid\.', wrong.text)
        for then in ("//elsewhere.org", "https://elsewhere.org", "/\\elsewhere.org"):
            right = client.post("/login", data={"token": token, "then": then})
            assert (right.status_code, right.headers["location"]) == (303, "/")
        cookie = right.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert client.get("/matrix", params=draft).status_code == 200
        # It may read, and no more.
        assert client.get("/upload").status_code == 403
        assert client.post("/renew", data={"name": "next"}).status_code == 403
        assert client.post("/logout", headers={"Origin": "http://elsewhere.org"}).status_code == 403
        assert client.post("/logout").status_code == 303
        where = "no connection to 10.1.2.3 as campaign_owner"

        def refuse(_):
            raise DatabaseUnreachableError(where)

        monkeypatch.setattr("roundbook.api.access.list_tasks", refuse)
        assert where in words(client.get("/", headers={"Authorization": f"Bearer {token}"}))
        client.cookies.clear()
        assert client.get("/matrix", params=draft).status_code == 303
        unreached = client.get("/")
        assert unreached.status_code == 503
        assert "The database does not answer at present; try again later." in words(unreached)
        assert where not in unreached.text
        assert caplog.messages == [f"GET /: {where}"]


@pytest.mark.long
def test_forms_say_what_is_wrong_beside_the_field(client, record):
    def plan(**fields):
        return client.get("/plan", params=fields)

    refused = beside(plan(variance="x"), "variance")
    assert refused == "\"A variance you know\" takes a number, not 'x'."
    comma = beside(plan(variance="0,05"), "variance")
    assert comma == "\"A variance you know\" takes a number, not '0,05'; write 0.05."
    comma = beside(plan(variance="0.05", m="2", min_d="0,1"), "min_d")
    assert comma == "Decimals need a point here: 0.1, not 0,1."
    negative = beside(plan(variance="0.1", min_d="-1"), "min_d")
    assert negative == "\"minD, or the width\" should be greater than 0, not '-1'."
    assert beside(plan(m="2"), "") == (
        'Give either "A variance you know", or "that of a task" and "its measure".'
    )
    assert "leave out m" in beside(plan(variance="0.1", design="paired-t", m="3"), "")
    two_runs = plan(variance="0.1", design="paired-t", min_d="0.1")
    assert two_runs.status_code == 200
    assert "paired t test" in words(two_runs)
    grid = list(csv.DictReader(io.StringIO(
        client.get("/plan.csv?variance=0.05&m=10&min_d=0.1").text)))  # fmt: skip
    assert (grid[0]["topics_exact"], grid[0]["topics_sakai"]) == ("158", "157")
    assert "10 & 0.100 & 158" in client.get("/plan.tex?variance=0.05&m=10&min_d=0.1").text
    assert "Take the size by tukey where all runs get the same topics" in words(
        plan(**OF, m="10", min_d="0.1")
    )
    study = client.get("/studies", params={"study": "swap-rate", **OF})
    assert beside(study, "round") == "round is not given."
    of_change = {"study": "change", **OF, "round": "1"}
    change = client.get("/studies", params=of_change)
    other = "A change is between two rounds of a task, and the other one is not given."
    assert beside(change, "to_round") == other
    seen, _, more = change.text.partition("<summary>More")
    assert re.search('name="to_round" list="rounds"[^>]* required', seen)
    assert 'name="to_round"' not in more
    trials = client.get("/studies", params=of_change | {"to_round": "2", "trials": "3000000"})
    assert beside(trials, "trials") == (
        "trials should be less than or equal to 1,000,000, not '3000000'."
    )

    before = record.ask("events").model
    assert beside(client.post("/upload", data=OF | {"round": "4"}), "file") == "Choose a file."
    bad = scores().replace("0.", "zero.", 1)
    sentence = beside(upload(client, bad), "file")
    assert sentence.startswith("scores.csv:2:2: ")
    assert "roundbook-" not in sentence
    for label in "12":
        refused = beside(upload(client, scores(9), round=label), "revise")
        assert refused.startswith("Other scores are already logged for AP")
        assert "If these correct them, say why" in refused
    assert record.ask("events").model == before


@pytest.mark.long
def test_a_look_at_a_file_logs_nothing_and_then_it_is_logged(client, record, engine):
    before = events_of(engine)
    seen = upload(client, scores(5), round="rnd 4", missing="zero")
    page_text = words(seen)
    assert seen.status_code == 200
    for fact in ("Nothing is logged yet", "Layout wide", "Topics 8: ", f"Runs 5: {RUN}, run1",
                 "Missing scores none", "Topics of other rounds 8 of 8", "Revision 1",
                 f"Into {TASK}, rnd 4 (a new round)"):  # fmt: skip
        assert fact in page_text, fact
    slip = words(upload(client, scores(5), task="trakc<b>&x"))
    assert f"Did you mean {TASK}?" in slip
    assert "rakc<b>&x, 4 (a new task)" in slip
    assert "The measure 'APP' is none that Roundbook knows" in words(
        upload(client, scores(5), measure="APP")
    )
    correction = upload(client, scores(7), round="2", revise="a run was resubmitted")
    assert f"Into {TASK}, 2 Measure" in words(correction)
    assert "Revision 2, in place of 1" in words(correction)
    of_published = words(upload(client, scores(7), round="1", revise="a run was resubmitted"))
    assert "its published fingerprint would no longer verify" in of_published
    assert "Would become stale" in words(correction)
    assert "'next'" in words(correction)
    # As the terminal says it: factors and variances that follow by themselves are only counted.
    assert "factors and variances (4): computed anew, nothing is to be done" in words(correction)
    assert "factor version 1 (" not in words(correction)
    assert "logged already" in words(upload(client, scores(1), round="2"))
    assert events_of(engine) == before

    logged = confirm(client, seen, follow_redirects=False)
    assert (logged.status_code, logged.headers["location"]) == (
        303, "/round?task=track%3Cb%3E%26x&round=rnd+4&measure=AP"
    )  # fmt: skip
    assert "rnd 4" in words(client.get(logged.headers["location"]))
    newest = record.ask("matrices", task=TASK).model.matrices[-1].matrix
    of_matrix = words(client.get("/matrix", params={"matrix": newest}))
    assert "Files scores.csv Layout wide Tool – Missing scores none" in of_matrix
    events = events_of(engine)
    assert (
        confirm(client, seen, follow_redirects=False).headers["location"]
        == logged.headers["location"]
    )
    assert events_of(engine) == events  # it is logged once
    confirm(client, correction, follow_redirects=False)
    stale = words(client.get("/task", params=OF))
    assert "its score matrix was corrected (revision 2)" in stale
    assert "since " in stale
    renewed = client.post("/renew", data={"name": "next"}, follow_redirects=False)
    assert renewed.status_code == 303
    page = client.get("/result", params={"name": "next"})
    shown = words(page)
    assert "version 2 of 2" in shown
    assert "Topic set sizes m minD Topics" in shown
    assert "stale" not in shown
    assert "/result?name=next&amp;kind=plan&amp;version=1" in page.text
    assert "/task?task=track%3Cb%3E%26x&amp;measure=AP" in page.text
    older = words(client.get("/result", params={"name": "next", "version": 1}))
    assert "version 1 of 2" in older
    revised = words(client.get("/matrix", params={"matrix": 2}))
    assert "Superseded by matrix" in revised
    assert "a run was resubmitted" in revised
    # What somebody revises between the look and the log is not replaced.
    first, second = (upload(client, scores(seed), round="2", revise="again") for seed in (11, 12))
    assert confirm(client, first, follow_redirects=False).status_code == 303
    assert confirm(client, second, follow_redirects=False).status_code == 409


@pytest.mark.long
def test_several_files_and_teams_and_what_is_kept_of_runs(client, record, tmp_path):
    head = "num_q\tall\t2\n"
    of_run = {
        name: "".join(
            f"map\t{topic}\t{score}\n" for topic, score in zip("123", scores, strict=True)
        )
        for name, scores in {
            "x": (0.1, 0.2, 0.3),
            "y": (0.3, 0.1, 0.2),
            "z": (0.2, 0.3, 0.2),
        }.items()
    }
    files = [
        ("file", (f"{name}.txt", f"runid\tall\t{name}\n{head}{lines}"))
        for name, lines in of_run.items()
    ]
    files.append(("teams", ("teams.csv", "run,team\nx,A\ny,B\nz,B\n")))
    given = {"task": TASK, "round": "5", "measure": "AP", "assessments": "own"}
    seen = client.post("/upload", data=given, files=files)
    assert seen.status_code == 200, words(seen)
    assert "understood of 3 files" in words(seen)
    assert "AP, own assessments" in words(seen)
    folders = [one.directory for one in client.app.state.previewed.values()]
    assert [len(list(folder.iterdir())) for folder in folders] == [4]
    held = re.search(r'name="held" value="([^"]+)"', seen.text)[1]
    client.post("/upload/confirm", data={"held": held})
    assert not any(folder.exists() for folder in folders)
    number = max(one.matrix for one in record.ask("matrices", task=TASK).model.matrices)
    matrix = words(client.get("/matrix", params={"matrix": number}))
    assert "x A" in matrix
    assert "Files x.txt, y.txt, z.txt" in matrix
    twice = client.post("/upload", data=given, files=files[:1] * 2)
    assert (twice.status_code, "called 'x.txt'" in words(twice)) == (422, True)
    (tmp_path / "runs").write_text("1 Q0 d1 1 9.5 x\n")
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d2 0\n")
    record.log_runs(TASK, "5", tmp_path / "runs")
    record.log_qrels(TASK, "5", tmp_path / "qrels")
    record.record_variance(TASK, "6", "AP", variance=0.05, runs=12, topics=40, source="A paper <1>",
                           create=True)  # fmt: skip
    published = words(client.get("/round", params={"task": TASK, "round": "6"}))
    assert "No scores are logged, only published variances. Log scores" in published
    assert "AP official raw 1 .05000 12 40 A paper <1>" in published
    kept = words(client.get("/round", params={"task": TASK, "round": "5"}))
    assert "What runs retrieved" in kept
    assert "official 1 2 2 1" in kept


@pytest.mark.long
def test_runs_and_assessments_are_looked_at_and_then_logged(client, engine, shared):
    folder = shared / "data/treccovid"
    of_runs = (folder / "round1_runs_top20.txt.gz").read_bytes()
    judged = gzip.decompress((folder / "round1.qrels.gz").read_bytes()).decode()
    corrected = re.sub(r"(?m) 0$", " 1", judged, count=1)

    def look(kind, *contents, **fields):
        given = {"kind": kind, "task": "covid", "round": "round1"} | fields
        files = [("file", (f"f{number}", one)) for number, one in enumerate(contents)]
        return client.post("/upload", data=given, files=files)

    runs, qrels = look("runs", of_runs), look("assessments", judged)
    for fact in ("Runs 143: ", ", … ", "Topics 30", " in 4,290 lists, the longest of 20; ",
                 f"Files f0 ({len(of_runs):,} bytes)", "Documents 85,314 "):  # fmt: skip
        assert fact in words(runs), fact
    for fact in ("Topics 30", "Judgments 8,691, of which 2,352 relevant", "grade 1: 1,115",
                 "New topics of the task: 1, ", "Revision 1"):  # fmt: skip
        assert fact in words(qrels), fact
    assert events_of(engine) == 0
    for seen in (runs, qrels):
        assert (
            confirm(client, seen, follow_redirects=False).headers["location"]
            == "/round?task=covid&round=round1"
        )
    shown = words(client.get("/round?task=covid&round=round1"))
    assert "1 143 30 85,314" in shown
    assert "official 1 30 8,691 2,352" in shown
    assert "roundbook log covid round1 --from-runs --measure nDCG@10" in shown
    computed = {"task": "covid", "round": "round1", "measures": "AP", "from_runs": True}
    assert client.post("/api/v1/log", params=computed).status_code == 200
    logged = events_of(engine)
    for kind, content in (("runs", of_runs), ("assessments", judged)):
        assert "This is logged already" in words(look(kind, content))
    new = look("runs", "1 Q0 d1 1 9.5 BBGhelani_1\n")
    assert "The run BBGhelani_1 is new. Did you mean BBGhelani1?" in words(new)
    assert "Would become stale: matrix 1, AP" in words(new)
    refused = beside(look("runs", "1 Q0 d1 1 9.5 run1\n"), "file")
    assert "other lists already" in refused
    assert "roundbook round rename covid round1 NAME --force" in refused
    assert beside(look("runs", "1 Q0 d1 1 9.5 x\n1 Q0 d2 2\n"), "file").startswith("f0:2")
    assert beside(look("assessments", judged, judged), "") == "It takes one file, not 2."
    assert "say why" in beside(look("assessments", corrected), "revise")
    assert look("teams", judged).status_code == 422
    revised = [look("assessments", corrected, revise=why) for why in ("a slip", "another")]
    assert "Revision 2, in place of 1" in words(revised[0])
    assert "Would become stale: matrix 1, AP" in words(revised[0])
    assert events_of(engine) == logged
    assert [confirm(client, one, follow_redirects=False).status_code for one in revised] == [
        303,
        303,
    ]
    other = re.sub(r"(?m) 0$", " 2", judged, count=2)
    first, second = (look("assessments", one, revise="more") for one in (other, judged))
    assert [
        confirm(client, one, follow_redirects=False).status_code for one in (first, second)
    ] == [303, 409]


TITLES = {
    "across-rounds": "Swap rates across all rounds",
    "leave-one-out-rounds": "Leave one out across all rounds",
}


@pytest.mark.long
def test_every_study_is_run_from_its_form(client, engine):
    fill(engine, 2, 12, 6)
    of = {"task": "t", "round": "round0", "measure": "AP"}
    extra = {
        "incremental": {"difference": "0.1"},
        "change": {"to_round": "round1", "pivot": "run0", "match": "tag"},
        "leave-one-out": {"by": "run"},
        "topic-subsets": {"topics": "8, 5", "m": "5", "min_d": "0.2"},
    }
    # These take teams, or runs and assessments, which the record has none of.
    wanting = {"leave-teams-out", "leave-one-out-rounds", "per-topic-variance"}
    for name, entry in STUDIES.items():
        form = client.get("/studies", params={"study": name, "task": "t", "form": "only"})
        shown = set(re.findall(r'name="(\w+)"', form.text))
        files = {
            "study",
            "files",
            "to_files",
            "teams",
            "qrels",
            "layout",
            "missing",
            "file_measure",
        }
        rounds = {"round"} if {"across-rounds", "leave-one-out-rounds"} & {name} else set()
        assert set(entry.request.model_fields) - files - rounds <= shown, name
        # Nobody need know what the record calls a study of all rounds.
        assert f">{TITLES.get(name, name.capitalize().replace('-', ' '))}</option>" in form.text
        asked = of | {"study": name, "trials": "40"} | extra.get(name, {})
        ran = client.get("/studies", params=asked)
        assert ran.status_code == (200 if name not in wanting else ran.status_code), words(ran)
        if name == "across-rounds":
            assert "<h2>Swap rates across all rounds</h2>" in ran.text
            kept = client.post("/save", data={
                "kind": "study", "asked": f"study={name}&task=t&measure=AP&trials=40", "name": "over",
            })  # fmt: skip
            assert "Swap rates across all rounds" in words(kept)
            assert "over study AP Swap rates across all rounds: pairs told" in words(
                client.get("/results")
            )
            assert "across-rounds" not in words(ran) + words(kept)
        if name in wanting:
            refused = re.findall(r'class="refused"[^>]*>(.*?)</span>', ran.text, re.DOTALL)
            assert ran.status_code in (404, 422), words(ran)
            assert refused, name
        links = {unescape(link) for link in re.findall(r'href="(/charts/[^"]+csv[^"]+)"', ran.text)}
        for link in links:
            # What was shown is kept, and drawn again.
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("roundbook.pages.study_form.compute_result", None)
                assert client.get(link).status_code == 200


def count_queries(client, path, params):
    counted = []

    def count(*arguments):
        counted.append(arguments[2])

    engine = client.app.state.engine
    event.listen(engine, "before_cursor_execute", count)
    answer = client.get(path, params=params)
    event.remove(engine, "before_cursor_execute", count)
    assert answer.status_code == 200, words(answer)
    return len(counted), answer


def fill(engine, rounds, topics=6, runs=4):
    rng = np.random.default_rng(1)
    for number in range(rounds):
        log_scores(engine, f"round{number}", rng.random((topics, runs)), "AP")
    publish_round(engine, "t", "round0")


@pytest.mark.long
def test_queries_and_charts_do_not_grow_with_the_record(client, engine):
    few, many = 3, 9
    fill(engine, few)
    counted = {}
    of = {"task": "t", "measure": "AP"}
    asked = {"/": {}, "/task": of, "/round": of | {"round": "round0"}, "/variances": {"task": "t"},
             "/matrix": {"matrix": 1}, "/drift": of}  # fmt: skip
    for path, params in asked.items():
        counted[path] = count_queries(client, path, params)[0]
    for number in range(few, many):
        log_scores(engine, f"round{number}", np.random.default_rng(number).random((6, 4)), "AP")
    for path, params in asked.items():
        number, _ = count_queries(client, path, params)
        # The ageing curve reads the scores of each round; nothing else grows.
        grown = (many - few) * 4 if path == "/task" else 0
        assert number <= counted[path] + grown, (path, counted[path], number)
        assert number <= 60 + grown, (path, number)


@pytest.mark.slow
def test_a_task_of_200_rounds(client, engine):
    fill(engine, 200)
    number, answer = count_queries(client, "/task", {"task": "t", "measure": "AP"})
    assert number < 60 + 200 * 4
    assert "in the latest 60 of 200 rounds" in words(answer)
    assert len(answer.text) < 600_000
    assert answer.elapsed.total_seconds() < 30


@pytest.mark.long
def test_a_matrix_of_a_million_scores(client, engine):
    fill(engine, 1, 1000, 1000)
    number, answer = count_queries(client, "/matrix", {"matrix": 1})
    assert number < 25
    assert "They are drawn as 100 x 150 cells, neighbours averaged." in words(answer)
    # At a desk and on a phone.
    drawn_topics = re.findall(r"Of 1,000 topics, (\d+) are drawn\.", words(answer))
    assert drawn_topics == ["115", "56"]
    assert len(answer.text) < 600_000
    cells = client.get("/charts/scores.csv", params={"matrix": 1}).text
    assert cells.count("\n") == 1 + 100 * 150
    # An average of several is not named as the score of one.
    for row in list(csv.DictReader(io.StringIO(cells)))[::50]:
        assert row["topic"].endswith(" and 9 more")
        assert re.search(r" and [56] more$", row["run"]), row


@pytest.mark.long
def test_results_of_two_kinds_may_have_one_name(client, book, tmp_path):
    for seed, label in enumerate("12"):
        book.log("t", label, io.StringIO(scores(seed)), "AP", create=True)
    book.save("plan", "same", task="t", measure="AP", m=(10,), min_d=(0.1,))
    book.save("drift", "same", task="t", measure="AP")
    listed = client.get("/results").text
    links = re.findall(r'href="(/result\?[^"]*)"', listed)
    assert links == ["/result?name=same&amp;kind=drift", "/result?name=same&amp;kind=plan"]
    for kind, heading in (("plan", "Plan 'same', version 1"), ("drift", "Drift 'same', version 1")):
        page = client.get("/result", params={"name": "same", "kind": kind})
        assert heading in words(page)
        charts = re.findall(r'(/charts/result\.svg\?[^"]*)"', page.text)
        assert charts
        assert client.get(unescape(charts[0])).status_code == 200
        assert book.result("same", kind=kind).kind == kind
    book.log("t", "2", io.StringIO(scores(5)), "AP", revise="a slip")
    answer = client.post("/renew", data={"name": "same", "kind": "plan"}, follow_redirects=False)
    assert answer.status_code == 303
    assert book.result("same", kind="plan").version == 2
    (renewed,) = book.renew("same", kind="drift").renewed
    assert (renewed.after.kind, renewed.after.version) == ("drift", 2)
    report = book.report("html", "t", tmp_path / "t.html")
    assert [title for title in report.pages if title == "same"] == ["same", "same"]
    assert report.left_out == {}


def test_a_run_with_a_comma_is_named_in_a_field_of_its_own():
    pair = study_fields("incremental", {"pair": ["sys0,v0", "run3"], "difference": ["0.1"]})
    assert pair["pair"] == ("sys0,v0", "run3")
    typed = study_fields("incremental", {"pair": ["run1, run3"], "scales": ["raw", "std-ab"]})
    assert (typed["pair"], typed["scales"]) == (("run1", "run3"), ("raw", "std-ab"))
