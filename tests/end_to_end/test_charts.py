"""Charts at the terminal: results as SVG, PNG and HTML files, and refusals of what cannot be drawn."""

from __future__ import annotations

import importlib.util
import json
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

pytestmark = pytest.mark.one_server

AP = ("--measure", "AP")
SCORES = np.random.default_rng(31).random((12, 8)).round(4)


@pytest.fixture
def logged(roundbook, log):
    """Three rounds on the same topics, the last of half the spread and named like a tag."""
    for label, scores in (("r1", SCORES), ("r2", SCORES[::-1]), ("</script>r3", SCORES / 2)):
        log(label, scores)
    return roundbook


def drawn(path):
    """Return the words of an SVG file."""
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    return [element.text for element in root.iter() if element.tag.endswith("text")]


@pytest.mark.long
def test_what_each_command_draws(logged, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def draw(*words):
        done = logged(*words, "--chart", "chart.svg")
        assert (done.code, done.err.splitlines()[-1]) == (0, "Drawn: chart.svg"), done
        if words[:2] != ("plan", "save"):
            assert done.out == logged(*words).out
        return drawn(tmp_path / "chart.svg")

    for words in (("variance", "show", "t", *AP), ("variance", "history", "t")):
        labels = draw(*words)
        assert {"Residual variance by round", "t: AP, raw scale"} <= set(labels)
        assert {"residual variance, raw scale", "pooled", "r1", "</script>r3"} <= set(labels)
    labels = draw("factors", "show", "t", "r1", *AP)
    assert {"topic, the hardest first", "AP: mean ± sd", "t7"} <= set(labels)
    labels = draw("drift", "t", *AP, "--curve")
    assert {"shift, in sds of r1", "ratio of sds, log scale", "</script>r3"} <= set(labels)
    assert {"held", "aged", "undecided", "unbridged"} & set(labels)
    labels = draw("plan", "--task", "t", *AP, "--m", "2", "--m", "5", "--min-d", "0.2")
    assert {"Topics, log scale", "Power", "minD", "0.2", "m = 2 runs", "m = 5 runs"} <= set(labels)
    saved = ("plan", "save", "p", "--task", "t", *AP, "--design", "paired-width", "--width", "0.2")
    labels = draw(*saved)
    assert {"Expected full width", "Width", "0.2", "Two runs"} <= set(labels)
    assert draw("plan", "show", "p") == labels


@pytest.mark.long
def test_the_formats_of_a_chart(logged, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ("variance", "show", "t", *AP, "--format", "csv")
    for name in ("chart.SVG", "chart.png", "chart.html"):
        (tmp_path / name).write_text("an earlier one")
        assert logged(*command, "--chart", name).code == 0
    assert sorted(path.name for path in tmp_path.glob("*chart*")) == [
        "chart.SVG",
        "chart.html",
        "chart.png",
    ]
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG\r\n")
    svg = (tmp_path / "chart.SVG").read_text(encoding="utf-8")
    assert "@media (prefers-color-scheme: dark)" in svg
    assert 'svg [fill="#1d2327"] { fill: #e6eaec }' in svg
    assert 'fill="#1d2327"' in svg.partition("</style>")[2]
    page = (tmp_path / "chart.html").read_text(encoding="utf-8")
    # It fetches nothing, and a round's name does not end its script.
    page = re.sub(r"<script>(?!vegaEmbed).*?</script>", "", page, flags=re.DOTALL)
    assert not re.search("src=|href=|import|url\\(", page)
    assert page.count("</script>") == 1
    (spec,) = re.findall(r'vegaEmbed\("#chart", (\{.*\}), \{renderer', page)
    assert "</script>r3" in json.dumps(json.loads(spec))


def test_what_cannot_be_drawn(logged, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ("plan", "--variance", "0.05")
    assert logged(*given, "--chart", "plan.gif").refusal() == (
        "plan.gif: a chart is a file that ends in .svg, .png, .html."
    )
    assert "there is no directory" in logged(*given, "--chart", "no/plan.svg").refusal()
    refused = logged("drift", "t", *AP, "--chart", "drift.svg")
    assert (refused.code, refused.out) == (2, "")
    assert "--chart draws the ageing curve: add --curve" in refused.err
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "roundbook.presentation.charts.files.find_spec",
        lambda name: None if name == "altair" else find_spec(name),
    )
    assert logged(*given, "--chart", "plan.svg").refusal() == (
        "Charts need Altair and vl-convert: pip install 'roundbook[charts]'"
    )
    assert list(tmp_path.glob("*.svg")) == []
