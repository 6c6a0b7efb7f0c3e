"""The page of studies: which scores a study is of, how many trials it ran, what its form offers."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.factories import simulated, wide
from tests.pages import links_of, words
from tests.savepoints import prepared

from roundbook.jobs.worker import run_worker
from roundbook.presentation.drift_curve import summary
from roundbook.presentation.views import table_of
from roundbook.settings import load_settings

pytestmark = [pytest.mark.one_server, pytest.mark.usefixtures("book")]
OF = {"task": "t", "round": "r1", "measure": "AP"}
FEW = {"trials": "50", "resamples": "50"}
POWER = OF | FEW | {"study": "discriminative-power"}
PERMUTATIONS = "1,000 permutations of the Tukey HSD test; by default the terminal takes 10,000."
TOPIC_SETS = "200 pairs of topic sets; by default the terminal takes 1,000."


def scores(seed=0, runs=8):
    return io.StringIO(wide(simulated(seed, 12, runs)))


@prepared
def book(book):
    for seed, label in enumerate(("r1", "r2")):
        book.log("t", label, scores(seed), "AP", create=True)
    return book


def value_of(answer, field):
    """Return what a field of a form is filled with."""
    return unescape(re.search(rf'<input name="{field}"[^>]* value="([^"]*)"', answer.text)[1])


def refusals(answer):
    """Return what is said beside the fields of a form, by field."""
    spans = re.findall(r'id="wrong-(\w+)">(.*?)</span>', answer.text, re.DOTALL)
    return {field: unescape(re.sub("<[^>]+>", "", text)) for field, text in spans}


@pytest.mark.long
def test_a_study_says_which_assessments_it_is_of(committed, client, book):
    for seed, label in ((5, "r1"), (6, "r2")):
        book.log("t", label, scores(seed), "AP", assessments="prelim")
    official, prelim = (book.study(
        "discriminative-power", **OF, trials=50, resamples=50, assessments=label,
    ).say().splitlines() for label in ("official", "prelim"))  # fmt: skip
    start = "t, round 'r1': AP, {}8 runs on 12 topics (matrix {}, revision 1)"
    for sentences, of in (
        (official, start.format("", 1)),
        (prelim, start.format("prelim assessments, ", 3)),
    ):
        assert sentences[0] == f"{of}."
        assert sentences[-1].startswith(f"{of}; scores on raw; ")
    changed = {"to_round": "r2", "pivot": "run0", "match": "tag", "trials": 40}
    change = book.study("change", **OF, **changed, assessments="prelim").say().splitlines()
    assert change[0] == (
        "t: AP from round 'r1' (8 runs on 12 topics) to round 'r2' (8 runs on 12 topics), prelim"
        " assessments."
    )
    assert "AP, prelim assessments, 8 runs on 12 topics (matrix 3, revision 1); " in change[-1]
    for params, of in (
        (POWER | {"assessments": "official"}, official[0]),
        (POWER | {"assessments": "prelim"}, prelim[0]),
    ):
        shown = client.get("/studies", params=params)
        assert f'<p class="grey">{of.replace(chr(39), "&#39;")}</p>' in shown.text

    # So do the lists of saved results, and the page of one links to the scores that it is of.
    asked = "&".join(f"{name}={value}" for name, value in POWER.items())
    for name, label in (("usual", "&assessments=official"), ("early", "&assessments=prelim")):
        client.post("/save", data={"kind": "study", "asked": asked + label, "name": name})
    share = r"Discriminative power: pairs told apart raw [\d.]+%"
    listed = words(client.get("/results"))
    assert re.search(rf"usual study AP {share} t round 'r1' stands", listed)
    assert re.search(rf"early study AP {share}, prelim assessments t round 'r1' stands", listed)
    usual, early = (client.get("/result", params={"name": name}) for name in ("usual", "early"))
    for page, label, label_words in (
        (usual, None, "r1 : AP "),
        (early, ["prelim"], "prelim assessments"),
    ):
        assert re.search(rf"Of t , r1 : AP(, {label_words})? ", words(page))
        for path in ("/task", "/round"):
            (link,) = links_of(page, path)
            query = parse_qs(urlsplit(link).query)
            assert query.get("assessments") == label
            assert query["measure"] == ["AP"]
    assert "Of t , r1 : AP, prelim assessments " in words(early)
    (to_round,) = links_of(early, "/round")
    assert "AP, prelim assessments" in words(client.get(to_round))
    for label in ("official", "prelim"):
        of = f"study=swap-rate&task=t&round=r1&measure=AP&assessments={label}"
        client.post("/jobs", data={"asked": of})
    assert re.search(r"r1 AP, prelim assessments 1,000 .* r1 AP 1,000", words(client.get("/jobs")))
    # A plan has its labels as a list.
    book.save("plan", "next", task="t", measure="AP", assessments="prelim", m=(5,), min_d=(0.2,))
    (to_task,) = links_of(client.get("/result", params={"name": "next"}), "/task")
    assert parse_qs(urlsplit(to_task).query)["assessments"] == ["prelim"]


@pytest.mark.long
def test_a_study_of_all_rounds_says_how_factors_aged(client, book):
    asked = {"study": "across-rounds", "task": "t", "measure": "AP", "scales": ["raw", "std-ab"]}
    shown = client.get("/studies", params=asked)
    ageing = summary(book.ask("ageing", task="t", measure="AP", from_round="r1").model)
    assert ageing.startswith("The factors of round 'r1' in 1 later round: ")
    assert ageing in words(shown)
    assert words(shown).index("Does std-ab help?") < words(shown).index(ageing)
    assert "later round" not in words(client.get("/studies", params=asked | {"scales": "raw"}))
    for label in ("r1", "r2"):
        book.log("t", label, scores(9), "AP", assessments="prelim")
    early = words(client.get("/studies", params=asked | {"assessments": "prelim"}))
    prelim = book.ask("ageing", task="t", measure="AP", from_round="r1", assessments="prelim")
    assert summary(prelim.model) in early


@pytest.mark.long
def test_fewer_trials_than_the_terminals_are_told(client):
    over = {"study": "across-rounds", "task": "t", "measure": "AP"}
    both = f"{PERMUTATIONS} {TOPIC_SETS}"
    for asked, sentences in (
        (POWER | {"trials": ""}, PERMUTATIONS),
        (POWER | {"trials": "1000"}, None),
        (over, both),
        (over | {"trials": "50"}, TOPIC_SETS),
        (over | {"swap_trials": "20"}, PERMUTATIONS),
        (OF | {"study": "swap-rate"}, None),  # as many as the terminal
        (OF | {"study": "topic-subsets", "topics": "8", "m": "5", "min_d": "0.2"}, None),
    ):
        shown = client.get("/studies", params=asked)
        assert shown.status_code == 200, words(shown)
        assert words(shown).count("by default the terminal takes") == 2 * (sentences or "").count(
            ";"
        )
        if sentences is not None:
            answer, save = words(shown).split("Keep it under the name")
            assert sentences in answer
            assert f"It is saved as shown here: {sentences}" in save


def test_earlier_jobs_are_on_a_page_of_their_own(committed, client, book, monkeypatch):
    monkeypatch.setattr("roundbook.pages.studies._JOBS", 2)
    asked = "study=swap-rate&task=t&measure=AP&round=r1"
    numbers = [
        client.post("/jobs", data={"asked": asked}, follow_redirects=False)
        .headers["location"].removeprefix("/job/")
        for _ in range(3)
    ]  # fmt: skip

    def listed(path):
        answer = client.get(path)
        return re.findall(r'<a href="/job/(\d+)">', answer.text), links_of(answer, "/jobs")

    first, second, third = numbers
    assert listed("/jobs") == ([third, second], [f"/jobs?before={second}"])
    assert listed(f"/jobs?before={second}") == ([first], [])
    assert client.get("/jobs?before=0").status_code == 422


def test_a_job_says_that_its_name_was_of_another_question(client, book, address):
    asked = "study=swap-rate&task=t&measure=AP&round="
    client.post("/save", data={"kind": "study", "asked": f"{asked}r1&trials=20", "name": "swaps"})
    sent = {"asked": f"{asked}r2", "trials": "20", "name": "swaps"}
    jobs = [client.post("/jobs", data=sent, follow_redirects=False) for _ in range(2)]
    first = client.post("/jobs", data=sent | {"name": "new"}, follow_redirects=False)
    lines = []
    run_worker(load_settings(), address, lines.append, until_idle=True)
    other, again, new = (words(client.get(job.headers["location"])) for job in (*jobs, first))
    sentence = "Version 1 was of another question: round r1."
    assert f"Done: swaps , version 2. {sentence}" in other
    assert "Done: swaps , version 2, which was there already." in again
    assert "Done: new , version 1." in new
    assert "another question" not in again + new
    number = int(jobs[0].headers["location"].rpartition("/")[2])
    job = book.job(number)
    assert job.asked_before == {"round": "r1"}
    assert job.say() == f"Job {number}: swap-rate of t is saved: 'swaps', version 2. {sentence}"
    assert job.say() in lines
    assert client.get(f"/api/v1/jobs/{number}").json()["asked_before"] == {"round": "r1"}
    assert "asked_before" not in client.get(f"/api/v1/jobs/{number + 1}").json()


def test_what_draws_nothing_is_offered_no_trials(committed, client):
    trials = '<input name="trials"'
    for study, draws in (
        ("swap-rate", True),
        ("leave-one-out", False),
        ("leave-one-out-rounds", False),
    ):
        form = client.get("/studies", params=OF | {"study": study, "form": "only"})
        assert ("A page runs few trials" in words(form)) is draws, study
        assert (trials in form.text) is draws, study
    ran = client.get("/studies", params=OF | {"study": "leave-one-out", "by": "run"})
    assert "Run in the background" in words(ran)
    assert trials not in ran.text
    # Nor on the page that says why a job was refused.
    for study, draws in (("swap-rate", True), ("leave-one-out", False)):
        asked = f"study={study}&task=t&round=r1&measure=AP"
        refused = client.post("/jobs", data={"asked": asked, "name": "x" * 300})
        assert refused.status_code == 422
        assert (trials in refused.text) is draws, study


def test_an_unknown_study_is_refused_alike_as_a_chart_and_as_a_table(client):
    for file in ("/studies.csv", "/charts/study.svg", "/charts/study.csv"):
        refused = client.get(file, params={"study": "swaprate"})
        assert refused.status_code == 422
        assert "There is no study 'swaprate'; there are discriminative-power" in words(refused)


def test_a_missing_round_is_told_beside_its_field(client):
    for study in ("swap-rate", "change"):
        fields = {"study": study, "measure": "AP", "to_round": "r2", "pivot": "run0"}
        wanting = client.get("/studies", params=fields | {"task": "t"})
        assert wanting.status_code == 422
        (refusal,) = refusals(wanting).items()
        assert refusal[0] == "round"
        assert re.fullmatch(r"\W?round\W? is not given\.", refusal[1], re.IGNORECASE)
        assert set(refusals(client.get("/studies", params=fields))) == {"task"}


def test_a_form_offers_what_the_study_and_the_task_have(client, book):
    book.log("t", "r1", scores(3), "P@5")
    book.log("other", "x1", scores(4), "nDCG@10", create=True)
    book.log("other", "x2", scores(4), "nDCG@10", create=True)

    def form(**fields):
        return client.get("/studies", params=OF | {"form": "only", "study": "swap-rate"} | fields)

    def options(answer):
        listed = re.search(r'<datalist id="measures">(.*?)</datalist>', answer.text)[1]
        return re.findall('value="([^"]+)"', listed)

    assert options(form()) == ["AP", "P@5"]
    # Another task's first round and measure, in place of those that it has not.
    kept, changed = form(measure="P@5"), form(task="other")
    assert (value_of(kept, "round"), value_of(kept, "measure")) == ("r1", "P@5")
    assert (value_of(changed, "round"), value_of(changed, "measure")) == ("x1", "nDCG@10")
    assert value_of(form(measure="map"), "measure") == "AP"
    assert value_of(form(round=""), "round") == ""
    # What is typed stays where a study was refused.
    refused = client.get("/studies", params=OF | {"study": "swap-rate", "round": "none"})
    assert (refused.status_code, value_of(refused, "round")) == (404, "none")
    alone = client.get(
        "/studies", params=OF | {"study": "incremental", "difference": "0.1", "pair": "run0"}
    )
    assert refusals(alone) == {"pair": "pair takes the names of two different runs."}
    # One study is of one measure alone.
    lists = form(study="per-topic-variance", measure="P@5")
    assert (options(lists), value_of(lists, "measure")) == (["AP"], "AP")
    assert value_of(form(study="per-topic-variance", measure=""), "measure") == "AP"


@pytest.mark.long
def test_rows_that_a_page_leaves_out_are_in_a_file(client, book, tmp_path):
    book.log("t", "r3", scores(7, runs=25), "AP", create=True)
    asked = POWER | {"round": "r3", "pairs": "true"}
    shown = client.get("/studies", params=asked)
    assert "200 of 300 rows. All as CSV" in words(shown)
    (link,) = links_of(shown, "/studies.csv")
    study = book.study(
        "discriminative-power", "t", "r3", "AP", trials=50, resamples=50, pairs=True
    ).model
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    client.post("/save", data={"kind": "study", "asked": query, "name": "pairs"})
    saved = client.get("/result", params={"name": "pairs"})
    assert "200 of 300 rows. All as CSV" in words(saved)
    (of_saved,) = links_of(saved, "/result.csv")
    columns, rows = table_of(study)
    for address in (link, of_saved):
        file = client.get(address)
        assert file.headers["content-type"] == "text/csv; charset=utf-8"
        header, *lines = csv.reader(io.StringIO(file.text))
        assert header == columns
        assert [line[1:3] for line in lines] == [[row["run"], row["other"]] for row in rows]
        assert len(lines) == 300
    assert client.get("/studies.csv?study=bananas").status_code == 422
    assert "All as CSV" not in client.get("/studies", params=POWER).text
    # A report as one file has no link to it.
    book.report("html", "t", tmp_path / "t.html")
    report = (tmp_path / "t.html").read_text()
    assert "200 of 300 rows." in report
    assert "All as CSV" not in report
