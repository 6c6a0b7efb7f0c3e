"""The pages of tasks, rounds and matrices: what they say where something is missing or several."""

from __future__ import annotations

import io
import re
from html import unescape
from urllib.parse import urlencode

import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests import pages
from tests.factories import wide

from roundbook.api.app import make_app
from roundbook.errors import RoundbookError
from roundbook.pages import charts
from roundbook.settings import load_settings

pytestmark = pytest.mark.one_server
OF = {"task": "covid", "measure": "AP"}


def scores(seed, topics=8, runs=5):
    """Return scores of topics that are as hard whatever the seed."""
    hard, rng = np.random.default_rng(99), np.random.default_rng(seed)
    drawn = hard.random((topics, 1)) * 0.4 + rng.random((topics, runs)) * 0.3
    return io.StringIO(wide(drawn.round(3)))


def words(answer):
    """Return what a page says that is there."""
    assert answer.status_code == 200, answer.text
    return pages.words(answer)


def rows(answer, caption):
    """Return the cells of a table of a page, by its first cell."""
    region = answer.text.partition(f'aria-label="{caption}"')[2].partition("</table>")[0]
    cells = [
        [
            pages.plain(re.sub(r"<svg.*?</svg>", "", cell))
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", region, re.DOTALL)[1:]
    ]
    return {of[0]: of[1:] for of in cells}


def drawn(answer):
    """Return the names of the charts of a page."""
    return re.findall(r'href="/charts/([a-z]+)\.csv\?', answer.text)


def as_json(answer):
    """Return the links of a page's footer to JSON, by what they are called."""
    links = re.findall(r' · ([^:<]+): <a href="([^"]+)"[^>]*>JSON<', answer.text)
    return {what: unescape(link) for what, link in links}


@pytest.fixture
def visitors(engine):
    with TestClient(make_app(load_settings(), engine)) as opened:
        yield opened


@pytest.mark.long
def test_home_counts_what_is_stale_whatever_else_there_is(client, book):
    book.log("solo", "1", scores(1), "AP", create=True)
    book.save("plan", "of one", task="solo", measure="AP", m=(10,), min_d=(0.1,))
    for seed, label in enumerate("12", 1):
        book.log("covid", label, scores(seed), "AP", create=True)
    book.save("plan", "of two", **OF, m=(10,), min_d=(0.1,))
    assert [cells[4] for cells in rows(client.get("/"), "Tasks").values()] == ["", ""]
    book.log("solo", "1", scores(3), "AP", revise="a slip")
    book.log("covid", "2", scores(4), "AP", revise="a slip")
    before = rows(client.get("/"), "Tasks")
    assert [before[task][4] for task in ("covid", "solo")] == ["1 stale", "1 stale"]
    # Another assessments label hides neither that nor the verdict and variance of the official one.
    book.log("covid", "2", scores(5), "AP", assessments="crowd")
    after = client.get("/")
    assert rows(after, "Tasks") == before
    assert re.fullmatch(r"[A-Z]+ AP", before["covid"][1])
    assert re.fullmatch(r"\.\d{4} AP", before["covid"][2])
    (to_drift,) = re.findall(r'href="(/drift[^"]+)"', after.text)
    assert client.get(unescape(to_drift)).status_code == 200
    # Nor does a withdrawal after which no scores of a task are left.
    book.withdraw(4, "wrong qrels")
    book.ask("create_task", task="empty")
    left = rows(client.get("/"), "Tasks")
    assert left["solo"] == ["1", "–", "–", "", "1 stale"]
    assert left["empty"] == ["0", "–", "–", "", ""]


def test_plans_and_variances_say_at_every_door_what_is_withdrawn(client, book):
    for seed, label in enumerate("123", 1):
        book.log("covid", label, scores(seed), "AP", create=True)
    book.log("covid", "1", scores(4), "P@5")
    book.record_variance("covid", "3", "AP", variance=0.05, runs=9, topics=40, source="[1]")
    for matrix in (3, 4):
        book.withdraw(matrix, "wrong qrels")
    of_round = "Left out: round '1', whose P@5 scores (matrix 4, revision 1, official assessments)"
    of_scores = "Left out: the AP scores (matrix 3, revision 1, official assessments) of round '3',"
    asked = {**OF, "m": 10, "min_d": 0.1}
    for address, params, said in (
        ("plan", asked, [of_scores]),
        ("histories", {"task": "covid"}, [of_round, of_scores]),
    ):
        answer = client.get(f"/api/v1/{address}", params=params).json()
        sentences = [one for one in answer["sentences"] if one.startswith("Left out")]
        assert [one[: len(start)] for one, start in zip(sentences, said, strict=True)] == said
        page = "variances" if address == "histories" else address
        of_page = words(client.get(f"/{page}", params=params))
        assert all(sentence in of_page for sentence in sentences)
    # P@5 has no history, since all its scores are withdrawn.
    assert {history["measure"] for history in answer["histories"]} == {"AP"}
    assert [one["measure"] for one in answer["withdrawn"]] == ["P@5", "AP"]
    book.save("plan", "next", **OF, m=(10,), min_d=(0.1,))
    saved = words(client.get("/result", params={"name": "next", "kind": "plan"}))
    assert of_scores in saved


def test_rounds_without_shared_topics_are_called_so(client, book):
    book.log("covid", "1", scores(1), "AP", create=True)
    other = io.StringIO(scores(2).getvalue().replace("\nt", "\nu"))
    book.log("covid", "2", other, "AP", create=True)
    report = book.save("drift", "later", **OF)
    assert report.brief["verdict"] == "unbridged"
    home, task, page = (client.get(path, params=OF) for path in ("/", "/task", "/drift"))
    assert rows(home, "Tasks")["covid"][1] == "NO SHARED TOPICS AP"
    sentence = "NO SHARED TOPICS . Rounds '1' and '2' have no usable shared topic."
    for answer in (task, page):
        assert sentence in words(answer)
        assert '<section class="answer unbridged"' in answer.text
        assert '<strong class="verdict unbridged">' in answer.text
    assert "1 to 2: no shared topics" in words(client.get("/results"))
    assert all("unbridged" not in words(answer).lower() for answer in (home, task, page))


def test_home_names_another_measure_whose_saved_report_is_aged(client, book):
    moved = {"1": (0.0, 1), "2": (0.35, 2)}
    for label, (shift, seed) in moved.items():
        for measure, by in (("AP", 0.0), ("P@5", shift)):
            rng = np.random.default_rng(seed)
            drawn = np.random.default_rng(9).random((30, 1)) * 0.4 + rng.random((30, 25)) * 0.1
            runs = [f"run{label}{number}" for number in range(25)]
            file = io.StringIO(wide((drawn + by).round(4), runs=runs))
            book.log("covid", label, file, measure, create=True)
    report = book.save("drift", "precision", task="covid", measure="P@5")
    assert report.brief["verdict"] == "aged"
    page = client.get("/")
    verdicts = rows(page, "Tasks")["covid"][1]
    assert re.fullmatch(r"(HELD|UNDECIDED) AP AGED P@5, saved", verdicts)
    assert "/result?name=precision&amp;kind=drift" in page.text
    # Not once it is stale.
    book.log("covid", "2", scores(7), "P@5", revise="a slip")
    assert "AGED" not in rows(client.get("/"), "Tasks")["covid"][1]


@pytest.mark.long
def test_one_of_several_assessments_that_are_not_official_is_asked_for(client, book):
    for seed, label in enumerate("12", 1):
        for assessments in ("crowd", "own"):
            book.log("covid", label, scores(seed), "AP", assessments=assessments, create=True)
    asks = "AP is recorded under several assessments (crowd, own), which are never mixed."
    for path in ("/task", "/round"):
        page = client.get(path, params=OF | {"round": "1"})
        assert asks in words(page), path
        assert (drawn(page), as_json(page)) == ([], {}), path
        options = re.search(r'<select name="assessments">(.*?)</select>', page.text)[1]
        assert options == (
            '<option value="">choose</option><option>crowd</option><option>own</option>'
        )
        chosen = client.get(path, params=OF | {"round": "1", "assessments": "own"})
        assert "several assessments" not in words(chosen)
        assert "factors" in drawn(chosen)
    assert "Scores of AP, own assessments" in words(chosen)
    # The pages of a matrix lead to those of its own assessments.
    of_matrix = client.get("/matrix", params={"matrix": 2}).text
    for path in ("task", "round"):
        assert re.search(rf'href="/{path}\?[^"]*assessments=own', of_matrix)


def test_another_measures_assessments_are_no_choice(client, book):
    book.log("covid", "1", scores(1), "AP", create=True)
    book.log("covid", "1", scores(2), "P@5", assessments="crowd")
    for path in ("/task", "/round"):
        page = client.get(path, params=OF | {"round": "1"})
        assert 'name="assessments"' not in page.text
        assert "several assessments" not in words(page)


def test_factors_of_a_round_alone_are_in_its_row(client, book):
    book.log("covid", "1", scores(1), "AP", create=True)
    page = client.get("/task", params=OF)
    assert rows(page, "Rounds")["1"][7] == "v1, all runs"
    assert "Version 1, all 5 runs: mean and sd of AP on 8 topics." in words(page)
    # A single run has no factors; those of the next round are shown.
    book.log("later", "1", scores(1, runs=1), "AP", create=True)
    book.log("later", "2", scores(2), "AP", create=True)
    page = client.get("/task", params=OF | {"task": "later"})
    assert [cells[7] for cells in rows(page, "Rounds").values()] == ["–", "v1, all runs"]
    assert "Factors of 2" in words(page)


@pytest.mark.long
def test_the_numbers_of_a_task_are_linked_by_what_they_are(client, book):
    for seed, label in enumerate("12", 1):
        book.log("covid", label, scores(seed), "AP", create=True)
    page = client.get("/task", params=OF | {"scale": "std-ab"})
    links = as_json(page)
    assert list(links) == ["variances, std-ab scale", "drift", "ageing", "factors of 1"]
    answers = [client.get(link).json() for link in links.values()]
    variances = [f"{row['variance']:.4f}".removeprefix("0") for row in answers[0]["rounds"]]
    assert [cells[4] for cells in rows(page, "Rounds").values()] == variances
    assert answers[0]["scale"] == "std-ab"
    assert f'class="answer {answers[1]["verdict"]}"' in page.text
    assert [row["round"] for row in answers[2]["rounds"]] == ["2"]
    assert (answers[3]["round"], answers[3]["version"]) == ("1", 1)
    assert "Variance of AP, std-ab scale, in the 2 rounds with 95% intervals; pooled" in words(page)
    assert (
        "Shift of AP in the later round for systems and topics like these, in standard deviations of"
        " '1', with 95% intervals"
    ) in words(page)
    assert "Mean AP over the runs on the 8 shared topics" in words(page)
    assert "Variances, raw scale" in words(client.get("/variances?task=covid"))
    links = as_json(client.get("/matrix", params={"matrix": 1}))
    assert list(links) == ["the matrix", "its revisions"]
    assert [client.get(link).status_code for link in links.values()] == [200, 200]


def test_a_round_says_why_it_shows_no_scores(client, book):
    for measure in ("AP", "P@5"):
        book.log("covid", "1", scores(1), measure, create=True)
    book.log("covid", "2", scores(2), "nDCG@10", create=True)

    def page(**of):
        return client.get("/round", params={"task": "covid", "round": "1"} | of)

    for measure in ("nDCG@10", "nope"):
        absent = page(measure=measure)
        assert f"This round has no {measure} scores; it has AP, P@5." in words(absent)
        assert '<option value="">choose</option><option>AP</option>' in absent.text
    book.withdraw(1, reason="scored with the wrong qrels.")
    why = "The AP scores of this round (matrix 1) are withdrawn: scored with the wrong qrels."
    assert why in words(page(measure="AP"))
    # Scores that stand are shown first, unless others are asked for.
    assert "Scores of P@5" in words(page())
    book.withdraw(2, reason="these too")
    gone = page()
    assert why in words(gone)
    assert drawn(gone) == []


@pytest.mark.long
def test_commands_for_what_no_page_does_are_named(client, visitors, book):
    task = "ad hoc"
    book.log(task, "1", scores(1), "AP", create=True)

    def commands(path, **of):
        text = client.get(path, params=of).text.partition("<summary>In the terminal</summary>")[2]
        return [unescape(one) for one in re.findall(r"<dd><code>(.*?)</code>", text)]

    assert commands("/round", task=task, round="1") == [
        "roundbook round set 'ad hoc' 1 --held DATE --collection NAME",
        "roundbook round teams 'ad hoc' 1 teams.csv",
        "roundbook round teams 'ad hoc' 1 teams.csv --revise REASON",
        "roundbook factors fit 'ad hoc' 1 --measure AP --runs pooled --reason REASON",
        "roundbook standardise 'ad hoc' 1 --measure AP",
        "roundbook measure merge AP INTO --reason REASON",
        "roundbook round rename 'ad hoc' 1 NAME --force",
        "roundbook round publish 'ad hoc' 1",
        "roundbook report html 'ad hoc' 1 --measure AP --output round.html",
    ]
    withdraw, *others = commands("/matrix", matrix=1)
    assert withdraw == "roundbook matrix withdraw 1 --reason REASON"
    assert others == ["roundbook impact 1", "roundbook matrix export 1 --output scores.csv"]
    book.withdraw(1, reason="a slip")
    assert commands("/matrix", matrix=1)[0] == "roundbook matrix restore 1 --reason REASON"
    book.ask("restore", matrix=1, reason="none")
    book.log(task, "1", scores(2), "AP", assessments="crowd")
    fit = commands("/round", task=task, round="1", assessments="crowd")[3]
    assert "--measure AP --assessments crowd --runs pooled" in fit
    book.ask("set_round", task=task, round="1", collection="CORD-19")
    book.publish(task, "1")
    published = commands("/round", task=task, round="1")
    assert published[0].endswith("--held DATE --collection NAME --force")
    assert "roundbook round verify 'ad hoc' 1" in published
    assert not any(" rename " in one or " publish " in one for one in published)
    assert "In the terminal" not in visitors.get("/round", params={"task": task, "round": "1"}).text
    book.ask("create_round", task=task, round="2")
    assert "roundbook round remove 'ad hoc' 2" in commands("/round", task=task, round="2")


def test_a_report_has_no_commands(book, tmp_path):
    book.log("covid", "1", scores(1), "AP", create=True)
    book.report("html", "covid", tmp_path / "covid.html")
    assert "In the terminal" not in (tmp_path / "covid.html").read_text("utf-8")


@pytest.mark.long
def test_a_visitor_sees_the_published_rounds_numbers_and_why_others_are_missing(visitors, book):
    for seed, label in enumerate("123", 1):
        book.log("covid", label, scores(seed), "AP", create=True)
    for label in "12":
        book.publish("covid", label)
    page = visitors.get("/task", params=OF)
    text = words(page)
    assert "It is not there" not in text
    assert (
        text.count("Figures over all rounds, such as variances and drift, take a token until") == 1
    )
    shown = {
        label: [cells[column] for column in (0, 2, 3, 4, 7)]
        for label, cells in rows(page, "Rounds").items()
    }
    hidden = "takes a token"
    assert shown == {label: ["8", "5", hidden, hidden, "v1, all runs"] for label in "12"}
    assert rows(visitors.get("/"), "Tasks")["covid"][2] == hidden
    book.publish("covid", "3")
    assert re.fullmatch(r"\.\d{4} AP", rows(visitors.get("/"), "Tasks")["covid"][2])
    page = visitors.get("/task", params=OF)
    assert "take a token" not in words(page)
    assert hidden not in words(page)


def test_a_row_says_why_a_round_has_no_factors(client, book):
    book.ask("record_variance", task="covid", round="0", measure="AP", variance=0.02, runs=20,
             topics=30, source="a paper", create=True)  # fmt: skip
    for seed, label in enumerate("12", 1):
        book.log("covid", label, scores(seed), "AP", create=True)
    book.withdraw(2, reason="scored with the wrong qrels")
    factors = {
        label: cells[7] for label, cells in rows(client.get("/task", params=OF), "Rounds").items()
    }
    assert factors == {
        "0": "none: published value", "1": "v1, all runs", "2": "none: matrix 2 withdrawn"
    }  # fmt: skip


def test_the_first_page_says_what_the_latest_variance_is(client, book):
    def latest():
        return rows(client.get("/"), "Tasks")["covid"][2]

    for seed, label in enumerate("12", 1):
        book.log("covid", label, scores(seed), "AP", create=True)
    assert re.fullmatch(r"\.\d{4} AP", latest())
    book.ask("set_round", task="covid", round="1", held="2021-05-01")
    book.ask("set_round", task="covid", round="2", held="2020-05-01")
    assert latest().endswith("AP; of 2, recorded last (1 was held later)")
    book.ask("record_variance", task="covid", round="3", measure="AP", variance=0.02, runs=20,
             topics=30, source="a paper", create=True)  # fmt: skip
    assert latest() == ".0200 AP, published without scores"


@pytest.mark.long
def test_topics_of_scores_that_count_no_more_have_not_returned(client, book):
    topics = scores(1).getvalue()
    others = topics.replace("\nt", "\nu")
    book.log("covid", "1", io.StringIO(topics), "AP", create=True)
    book.log("covid", "2", io.StringIO(topics), "AP", create=True)
    assert "2 8 8 5" in words(client.get("/task", params=OF))  # 8 topics, of which 8 returned
    book.log("covid", "2", io.StringIO(others), "AP", revise="wrong file")
    assert "2 8 0 5" in words(client.get("/task", params=OF))

    def looked_at():
        files = {"file": ("scores.csv", topics, "text/csv")}
        page = client.post("/upload", data=OF | {"round": "3"}, files=files)
        return re.search(r"Topics of other rounds (\d of \d)", words(page))[1]

    assert looked_at() == "8 of 8"
    book.ask("withdraw", matrix=1, reason="a slip")
    assert looked_at() == "0 of 8"


@pytest.mark.long
def test_topics_have_returned_in_scores_of_the_measure_on_one_collection(client, book):
    topics = scores(1).getvalue()
    others = topics.replace("\nt", "\nu")
    for label, of_ap in (("1", topics), ("2", topics), ("3", others)):
        book.log("covid", label, io.StringIO(of_ap), "AP", create=True)
    book.log("covid", "3", io.StringIO(topics), "P@5")  # another year's file
    asked = book.ask("topics", task="covid", measure="ap").topics
    assert len(asked) == 16
    assert {entry.round for entry in asked[-1].rounds} == {"3"}
    with pytest.raises(RoundbookError, match="no scores by the assessments 'other'"):
        book.ask("topics", task="covid", assessments="other")
    with pytest.raises(RoundbookError, match=r"No P@5 scores of task 'covid' have a topic 'u0'"):
        book.ask("topics", task="covid", measure="P@5", after="u0")

    def returned():
        return [row[1] for row in rows(client.get("/task", params=OF), "Rounds").values()]

    assert returned() == ["0", "8", "0"]
    book.ask("set_round", task="covid", round="1", collection="v1")
    book.ask("set_round", task="covid", round="2", collection="v2")
    assert returned() == ["0", "0", "0"]
    # A round without these scores is no part of it.
    book.ask("set_round", task="covid", round="2", force=True, collection="v1")
    book.ask("create_round", task="covid", round="4", collection="v3")
    assert returned() == ["0", "8", "0", "–"]


@pytest.mark.long
def test_advice_on_drift_names_what_pages_have(client, book):
    topics = scores(1).getvalue()
    book.log("covid", "1", io.StringIO(topics), "AP", create=True)
    book.log("covid", "2", io.StringIO(topics.replace("\nt", "\nu")), "AP", create=True)
    for path in ("/task", "/drift"):
        page = client.get(path, params=OF)
        assert "(in a terminal, <code>roundbook topic alias covid FILE</code>)" in page.text
        assert "alias_topics" not in page.text
    book.log("covid", "3", scores(3), "AP", create=True)
    for path in ("/task", "/drift"):
        page = words(client.get(path, params=OF))
        assert "UNDECIDED" in page
        assert "both team files (Teams of the runs, where scores are logged)" in page
    saved = book.save("drift", "open", task="covid", measure="AP")
    assert saved.model.name == "open"
    assert "team files (Teams of the runs" in words(client.get("/result?name=open"))


def test_factors_on_the_pool_are_to_be_fitted_on_all_runs(client, book, tmp_path):
    def fit():
        page = client.get("/round", params=OF | {"round": "1"})
        return re.search(r"<dt>(Fit [^<]+)</dt><dd><code>[^<]*--runs (\w+)", page.text).groups()

    book.log("covid", "1", scores(1), "AP", create=True)
    assert fit() == ("Fit factors on the pool, if it is known", "pooled")
    teams = tmp_path / "teams.csv"
    pool = [f"run{number},team{number},{'yes' if number < 3 else 'no'}" for number in range(5)]
    teams.write_text("\n".join(["run,team,contributed_to_pool", *pool, ""]))
    book.log("covid", "1", scores(1), "AP", teams=teams)
    assert fit() == ("Fit factors on the pool, if it is known", "pooled")
    book.fit("covid", "1", "AP", "the pool")
    assert fit() == ("Fit factors on all runs", "all")


@pytest.mark.long
def test_a_chart_says_of_how_many_topics_it_draws_some(client, book):
    book.log("covid", "1", scores(1, topics=100), "AP", create=True)
    for path, title in (("/task", "Factors of 1"), ("/matrix?matrix=1", "Topics")):
        page = client.get(path, params=OF if path == "/task" else None).text
        phone = '<span class="phone">Of 100 topics, 56 are drawn.</span>'
        assert page.count(phone) == 1
        assert 'class="desk">Of' not in page
        desk, small = re.findall(rf'aria-label="({title}\. [^"]*)"', page)
        assert desk.endswith(" on 100 topics.")
        assert small.endswith(" on 100 topics. Of 100 topics, 56 are drawn.")


def test_a_saved_result_of_a_kind_without_a_chart_has_none(client, book, monkeypatch):
    book.log("covid", "1", scores(1), "AP", create=True)
    book.save("plan", "next", task="covid", measure="AP", m=(10,), min_d=(0.1,))
    assert client.get("/charts/result.svg?name=next").status_code == 200
    monkeypatch.setattr(charts, "_OF_RESULTS", {})
    assert client.get("/charts/result.svg?name=next").status_code == 404
    page = client.get("/result?name=next")
    assert page.status_code == 200
    assert "<figure>" not in page.text


def test_who_may_not_log_is_not_led_to_logging(client, visitors, book):
    book.log("covid", "1", scores(1), "AP", create=True)
    book.publish("covid", "1")
    paths = {"/": {}, "/task": OF, "/round": OF | {"round": "1"}}
    tokens = {
        scope: book.ask("create_token", name=scope, scope=scope).token for scope in ("read", "log")
    }

    def leads(asking, headers=None):
        answers = [asking.get(path, params=of, headers=headers) for path, of in paths.items()]
        assert [answer.status_code for answer in answers] == [200] * 3
        return ['href="/upload' in answer.text for answer in answers]

    for scope, may in {"read": False, "log": True}.items():
        assert leads(visitors, {"Authorization": f"Bearer {tokens[scope]}"}) == [may] * 3, scope
    assert leads(visitors) == [False] * 3
    assert leads(client) == [True] * 3
    assert 'href="/upload' in client.get("/login").text


@pytest.mark.long
def test_a_task_shows_what_stands_and_whose_it_is(client, book):
    for label, seed in (("1", 1), ("2", 2)):
        for measure in ("AP", "P@10"):
            book.log("mw", label, scores(seed + (measure == "AP")), measure, create=True)
    for matrix in book.matrices("mw", measure="AP").matrices:
        book.withdraw(matrix.matrix, "wrong")
    assert "Variance of P@10, raw scale" in words(client.get("/task?task=mw"))
    for label, seed in (("1", 1), ("2", 2)):
        book.log("gold", label, scores(seed), "AP", create=True, assessments="gold")
    assert "Variance of AP, raw scale, gold assessments" in words(client.get("/task?task=gold"))
    value = {"variance": 0.03, "runs": 9, "topics": 9, "source": "A paper", "create": True}
    book.record_variance("pv", "1", "nDCG@10", **value)
    assert ".0300" in words(client.get("/task?task=pv"))
    book.record_variance("pv", "1", "nDCG@10", assessments="crowd", **value)
    published = words(client.get("/round?task=pv&round=1&measure=nDCG%4010"))
    assert "shown is" not in published


def test_names_are_one_however_their_accents_are_encoded(client, book):
    book.log("caf\u00e9", "1", scores(1), "AP", create=True)
    for path in ("/task", "/round"):
        query = urlencode({"task": "cafe\u0301", "round": "1"})
        assert "caf\u00e9" in words(client.get(f"{path}?{query}"))
    studies = client.get(f"/studies?{urlencode({'task': 'cafe' + chr(0x301), 'form': 'only'})}")
    assert "<option selected>caf\u00e9" in studies.text


def test_commands_in_pages_can_be_pasted(client, book, tmp_path):
    name = "runs $(touch X) y"
    (tmp_path / "runs").write_text("1 Q0 d1 1 0.5 a\n")
    (tmp_path / "qrels").write_text("1 0 d1 1\n")
    book.create_task(f"{name}; empty")
    book.log_runs(name, "r 1", tmp_path / "runs", create=True)
    book.log_qrels(name, "r 1", tmp_path / "qrels")
    shown = client.get(f"/round?{urlencode({'task': name, 'round': 'r 1'})}")
    command = "roundbook log 'runs $(touch X) y' 'r 1' --from-runs --measure nDCG@10"
    assert command in words(shown)
    # Neither what its runs forbid, nor what takes scores.
    for what in ("round remove", "round publish", "report html"):
        assert f"roundbook {what}" not in words(shown)
    empty = client.get(f"/task?{urlencode({'task': f'{name}; empty'})}")
    assert "roundbook log 'runs $(touch X) y; empty' round1 scores.csv" in words(empty)


def test_drift_is_offered_between_rounds_that_have_factors(client, book):
    for label in "123":
        book.log("covid", label, scores(int(label)), "AP", create=True)
    book.log("covid", "single", scores(4, runs=1), "AP", create=True)
    offered = client.get("/drift?task=covid&measure=AP").text
    assert ">3</option>" in offered
    assert ">single</option>" not in offered


def test_the_page_of_drift_tells_of_recurring_systems_as_the_terminal_does(client, book, tmp_path):
    teams = tmp_path / "teams.csv"
    teams.write_text("run,team,system\n" + "".join(f"run{n},T{n},s{n}\n" for n in range(5)))
    for label in "12":
        book.log("covid", label, scores(int(label)), "AP", create=True, teams=teams)
    shown = words(client.get("/drift?task=covid&measure=AP"))
    assert "Recurring systems: 5 systems ran in both rounds; their mean standardised score" in shown
    assert "roundbook factors fit covid ROUND --measure AP --runs RUNS --reason REASON" in shown
