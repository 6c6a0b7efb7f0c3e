"""The pages in a browser, Debian's chromium: light and dark, desk and phone, with and without script.

Where there is no chromium, these tests are left out.
"""

from __future__ import annotations

import csv
import io
import os
import re
import threading
import time

import pytest
import uvicorn
from tests.conftest import CHROMIUM

import roundbook
from roundbook.api.app import make_app
from roundbook.settings import load_settings

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.one_server]
# What a page does well is not told: it takes longer than to look.
ONLY_VIOLATIONS = {"resultTypes": ["violations"]}
DESK, PHONE = {"width": 1120, "height": 900}, {"width": 390, "height": 844}
MEASURE = "nDCG@10"
# Where screenshots of all pages go, to be looked at; nowhere unless it is said.
PICTURES = os.environ.get("ROUNDBOOK_TEST_PICTURES")
PAGES = {
    "home": "/",
    "task": f"/task?task=covid&measure={MEASURE}",
    "round": f"/round?task=covid&round=round1&measure={MEASURE}",
    "matrix": "/matrix?matrix=1",
    "variances": "/variances?task=covid",
    "drift": f"/drift?task=covid&measure={MEASURE}",
    "plan": "/plan?variance=0.05&m=10,50&min_d=0.05,0.1",
    "refused plan": "/plan?variance=x",
    "study": f"/studies?study=discriminative-power&task=covid&round=round1&measure={MEASURE}"
    "&scales=raw&scales=std-ab&trials=100",
    "left out": f"/studies?study=leave-one-out&task=covid&round=round1&measure={MEASURE}",
    "refused study": f"/studies?study=incremental&task=covid&round=round1&measure={MEASURE}",
    "results": "/results",
    "result": "/result?name=next",
    "events": "/events",
    "jobs": "/jobs",
    "upload": "/upload",
    "upload of runs": "/upload?kind=runs&task=covid&round=round1",
    "upload of assessments": "/upload?kind=assessments&task=covid&round=round1",
    "login": "/login",
    "no such page": "/nowhere",
}


@pytest.fixture
def site(engine, address):
    """Yield the address of a service that listens on loopback."""
    app = make_app(load_settings(), engine, open_to_all=True)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    until = time.monotonic() + 60
    while not server.started and time.monotonic() < until:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(60)


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Without its sandbox, which root may not have; it opens our own pages only.
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def scores(shared):
    """The score files of the first three rounds of TREC-COVID."""
    return [shared / f"data/treccovid/treccovid_round{number}_ndcg10.csv" for number in (1, 2, 3)]


def open_page(chromium, **options):
    """Return a page, and what its browser complains of."""
    page = chromium.new_context(**{"viewport": DESK, **options}).new_page()
    page.set_default_timeout(20_000)
    complaints = []
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_a_newcomers_path(site, chromium, scores, tmp_path, script):
    page, complaints = open_page(chromium, java_script_enabled=script)

    def log(label, file, why=""):
        page.get_by_role("link", name="Log a round").first.click()
        page.get_by_label("Task").fill("covid")
        page.get_by_label("Round").fill(label)
        page.get_by_label("Measure").fill(MEASURE)
        page.get_by_label("Why, if it corrects").fill(why)
        page.get_by_label("Scores, one file").set_input_files(file)
        page.get_by_role("button", name="Look at it first").click()
        page.get_by_text("Nothing is logged yet.").wait_for()
        answer = page.locator("section.answer").inner_text()
        page.get_by_role("button", name="Log it").click()
        page.get_by_role("heading", name=label).wait_for()
        return answer

    def save(name):
        page.get_by_label("Keep it under the name").fill(name)
        page.get_by_role("button", name="Save").click()
        page.get_by_role("heading", name=name).wait_for()
        page.goto(f"{site}{PAGES['task']}")

    page.goto(site)
    page.get_by_text("Nothing is logged yet").wait_for()
    for number, file in enumerate(scores, 1):
        answer = log(f"round{number}", file)
        assert "Layout\nwide" in answer.replace("\n\n", "\n")
    assert "Topics of other rounds\n35 of 40" in answer.replace("\n\n", "\n")
    page.get_by_role("link", name="covid").click()
    page.get_by_text("no longer hold in round 'round3'").wait_for()
    page.get_by_role("link", name="Plan the next round").click()
    page.get_by_role("heading", name="Topics needed").wait_for()
    save("next")
    page.get_by_role("link", name="Topic by topic").click()
    page.get_by_role("heading", name="round1 to round3").wait_for()
    save("aged?")
    page.get_by_role("link", name="Studies").last.click()
    page.get_by_role("combobox", name="Round", exact=True).fill("round1")
    page.get_by_label("std-ab").check()
    page.get_by_role("button", name="Run").click()
    page.get_by_role("heading", name="discriminative power").first.wait_for()
    assert page.locator(".chart.desk svg").count() == 1
    save("which differ")

    rows = list(csv.reader(io.StringIO(scores[2].read_text())))
    rows[1][1] = "0.5"
    corrected = tmp_path / "corrected.csv"
    with corrected.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    answer = log("round3", corrected, "two judgements were swapped")
    assert "plan 'next' version 1" in answer
    page.goto(f"{site}{PAGES['task']}")
    assert page.get_by_text("stale", exact=True).count() == 2
    page.get_by_role("button", name="Renew next").click()
    page.get_by_role("heading", name="Saved results").wait_for()
    assert page.get_by_text("stale", exact=True).count() == 1
    page.get_by_role("button", name="Renew what is stale").click()
    page.get_by_role("heading", name="Saved results").wait_for()
    assert page.get_by_text("stale", exact=True).count() == 0
    assert complaints == []


def check_what_the_script_adds(page, complaints, site):
    """Check what marks and cells say under the pointer and by keys, and answers while one types."""
    tip = page.locator(".tip")
    page.goto(f"{site}{PAGES['task']}")
    chart = page.locator(".chart.desk").first
    chart.locator("path[data-says]").first.hover()
    assert tip.inner_text() == "round1: .0531, 95% .0422 to .0688"
    page.mouse.move(0, 0)
    assert tip.inner_text() == ""
    chart.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    assert tip.inner_text().startswith("round1: ")
    page.keyboard.press("Escape")
    assert tip.inner_text() == ""
    page.goto(f"{site}{PAGES['matrix']}")
    page.locator(".chart.desk").first.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    tip.get_by_text(re.compile(r"^topic \d+, BBGhelani[12]: \.\d{4}$")).wait_for()
    page.goto(f"{site}/plan")
    page.get_by_label("A variance you").fill("0.05")
    page.get_by_label("Runs m").fill("10")
    page.get_by_label("minD, or the width").fill("0.1")
    page.get_by_role("cell", name="158").first.wait_for()
    assert "min_d=0.1" in page.url
    numbers = page.get_by_role("link", name="every number of the plan, as JSON")
    assert re.search("variance=0.05&.*m=10&min_d=0.1", numbers.get_attribute("href"))
    page.goto(f"{site}/studies?study=swap-rate&form=only&task=covid")
    page.get_by_role("combobox", name="Round", exact=True).fill("round1")
    page.get_by_role("combobox", name="Measure", exact=True).fill(MEASURE)
    page.get_by_label("Study").select_option("Leave one out")
    page.get_by_text("Whether runs that were not there").wait_for()
    page.get_by_role("combobox", name="Measure", exact=True).press("Enter")
    page.get_by_role("heading", name="Leave one out").first.wait_for()
    assert complaints == []


def check_a_long_name_hides_no_numbers(page, site):
    """Check that a name of 95 characters leaves half of a phone's width to the other columns."""
    page.set_viewport_size(PHONE)
    page.goto(site)
    name = page.locator("tbody th").first
    name.locator("a").evaluate("link => { link.textContent = 'x'.repeat(95) }")
    assert name.bounding_box()["width"] < PHONE["width"] / 2


def test_a_phone_shows_long_round_names_and_whole_refusals(site, address, chromium, scores):
    long = [f"Pilot of the Spanish-English CLIR track {year}, first assessments" for year in "123"]
    with roundbook.open(address) as book:
        for label, file in zip(long, scores, strict=True):
            book.log("covid", label, file, MEASURE, create=True)
    page, _ = open_page(chromium, viewport=PHONE)
    page.goto(f"{site}{PAGES['drift']}")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    # What a refusal names in code is part of its line; a command has a line of its own.
    page.goto(f"{site}/drift?task=covid&measure=AP&from_round=x")
    shown = page.evaluate(
        "['', ' class=command'].map(of => { const one = document.querySelector('.refused');"
        " one.innerHTML = `<code${of}>from</code>`;"
        " return getComputedStyle(one.firstChild).display })"
    )
    assert shown == ["inline", "block"]


def test_cells_of_a_heat_map_have_the_names_recorded(site, address, chromium):
    written = "topic,=a,''-b\n@1,0.9,0.8\n2,0.7,0.5\n"
    with roundbook.open(address) as book:
        book.log("t", "1", io.StringIO(written), "AP", create=True)
    page, complaints = open_page(chromium)
    page.goto(f"{site}/matrix?matrix=1")
    page.locator(".chart.desk").first.focus()
    says = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
        page.wait_for_function(
            "said => document.querySelector('.tip').textContent !== said", arg="".join(says[-1:])
        )
        says.append(page.locator(".tip").inner_text())
    assert says == ["topic 2, =a: .7000", "topic 2, '-b: .5000", "topic @1, '-b: .8000"]
    assert complaints == []


def test_pages_can_be_read_by_all(site, address, chromium, scores):
    from axe_playwright_python.sync_playwright import Axe

    with roundbook.open(address) as book:
        for number, file in enumerate(scores, 1):
            teams = file.with_name(f"round{number}_run_team.csv")
            book.log("covid", f"round{number}", file, MEASURE, create=True, teams=teams)
        book.publish("covid", "round1")
        book.save("plan", "next", task="covid", measure=MEASURE, m=(10,), min_d=(0.1,))
        # One that is stale, and one that is not.
        corrected = scores[2].read_text().replace(",0.", ",0.0", 1)
        book.log("covid", "round3", io.StringIO(corrected), MEASURE, revise="a slip")
        book.save("drift", "aged", task="covid", measure=MEASURE)
    check_what_the_script_adds(*open_page(chromium), site)
    check_a_long_name_hides_no_numbers(open_page(chromium)[0], site)
    modes = {
        "desk": {},
        "phone-dark": {"viewport": PHONE, "color_scheme": "dark"},
        "desk-dark": {"color_scheme": "dark"},
        "phone": {"viewport": PHONE},
    }
    # Two of them show every width and every colour.
    for mode, options in list(modes.items())[: None if PICTURES else 2]:
        page, complaints = open_page(chromium, **options)
        for name, path in PAGES.items():
            page.goto(site + path)
            where = f"{name}, {mode}"
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, where
            if PICTURES:
                page.screenshot(path=f"{PICTURES}/{name}-{mode}.png", full_page=True)
            # Nothing is drawn smaller than it was meant to be, so letters stay as large.
            shrunk = page.evaluate(
                "[...document.querySelectorAll('.chart svg')].filter(one => one.checkVisibility())"
                ".map(one => one.getBoundingClientRect().width / one.viewBox.baseVal.width)"
            )
            assert all(share > 0.99 for share in shrunk), (where, shrunk)
            violations = Axe().run(page, options=ONLY_VIOLATIONS).response["violations"]
            serious = [
                (one["id"], one["nodes"][0]["html"])
                for one in violations
                if one["impact"] in ("serious", "critical")
            ]
            assert serious == [], where
            page.keyboard.press("Tab")
            focused = page.evaluate("document.activeElement.textContent")
            assert focused == "To the content", where
        refusals = [
            complaint
            for complaint in complaints
            if not re.search(r"status of (422|404)", complaint)
        ]
        assert refusals == [], mode
