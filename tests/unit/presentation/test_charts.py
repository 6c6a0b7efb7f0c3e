"""What charts draw: the points of a result, and how they are drawn."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
from tests.factories import plan

from roundbook.errors import InputError
from roundbook.logbook.factors import Factor, FactorSet
from roundbook.logbook.variance_history import Pooled
from roundbook.presentation.charts.drift import curve_chart, curve_points, topics_chart
from roundbook.presentation.charts.files import bare_svg
from roundbook.presentation.charts.plans import planned_points, power_chart, power_points
from roundbook.presentation.charts.scores import factor_chart, factor_points
from roundbook.presentation.charts.style import (
    COLOURS,
    GREY,
    ON_DARK,
    bounded,
    fitted,
    layered,
    names_axis,
    points_of,
    short_names,
    styled,
)
from roundbook.presentation.charts.variances import level_points, variance_chart, variance_points
from roundbook.statistics.design import design_curve, solve_power, solve_topics
from roundbook.statistics.variance.pooled import NextRound


def luminance(colour):
    """Relative luminance of a colour, as the guidelines on contrast define it."""
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    ]
    return np.dot((0.2126, 0.7152, 0.0722), linear)


def layers(chart, panel):
    """Return what each layer of a panel draws."""
    names = [layer["data"]["name"] for layer in chart["concat"][panel]["layer"]]
    return [chart["datasets"][name] for name in names]


def test_every_mark_stands_out_from_a_light_and_a_dark_page():
    of_both = dict.fromkeys([*COLOURS, GREY])
    for light, dark in (of_both | ON_DARK).items():
        assert 1.05 / (luminance(light) + 0.05) >= 3
        assert (luminance(dark or light) + 0.05) / (luminance("#1e1e1e") + 0.05) >= 3


def test_power_by_number_of_topics():
    sizes = np.array([50.0, 158.0])
    drawn = design_curve("anova", sizes, 0.1, 0.05, 0.05, runs=10)
    assert drawn == pytest.approx(solve_power("anova", sizes, 0.1, 0.05, runs=10).power)
    undefined = design_curve(
        "anova", np.array([2.0, 50.0]), 0.1, 0.05, 0.05, runs=2, engine="sakai"
    )
    assert np.isnan(undefined).tolist() == [True, False]
    widths = design_curve("paired-width", np.array([81.0]), np.nan, 0.05, 0.05)
    (topics,) = solve_topics("paired-width", widths, 0.05).topics
    assert topics == 81


def test_a_plan_as_points():
    planned = plan(0.05, m=(2, 10), min_d=(0.1, 0.2))
    assert planned_points(planned) == [
        {"m": cell.m, "min_d": f"{cell.min_d:g}", "topics": cell.topics}
        | {"value": cell.achieved_power}
        for cell in planned.cells
    ]
    points = power_points(planned)
    sizes = sorted({point["topics"] for point in points})
    assert (sizes[0], sizes[-1]) == (5, 237)
    (at,) = [
        point["value"]
        for point in points
        if (point["m"], point["min_d"], point["topics"]) == (10, "0.1", sizes[-1])
    ]
    assert at == pytest.approx(float(solve_power("anova", 237, 0.1, 0.05, runs=10).power))
    chart = power_chart(planned).to_dict()
    assert [panel["title"] for panel in chart["concat"]] == ["m = 2 runs", "m = 10 runs"]
    drawn = " ".join(chart["title"])
    assert drawn.startswith("Topics needed: one-way ANOVA, alpha 0.05, beta 0.2")
    # A legend names the lines, of which labels would run into each other; no two look the same.
    for panel in chart["concat"]:
        line = panel["layer"][1]["encoding"]
        assert line["color"]["title"] == "minD"
        assert line["color"]["legend"]["columns"] == 2
        assert {layer["mark"]["type"] for layer in panel["layer"]} == {"rule", "line", "point"}
    many = power_chart(plan(0.05, m=(10,), min_d=(0.1, 0.2, 0.3, 0.4, 0.5))).to_dict()
    line = many["concat"][0]["layer"][1]["encoding"]
    looks = zip(*(line[name]["scale"]["range"] for name in ("color", "strokeDash")), strict=True)
    assert len({(colour, tuple(dash)) for colour, dash in looks}) == 5
    interval = plan(0.05, min_d=(0.1,), design="paired-width")
    (point,) = planned_points(interval)
    assert point["value"] == interval.cells[0].width
    (panel,) = power_chart(interval).to_dict()["concat"]
    assert panel["layer"][0]["encoding"]["y"]["title"] == "Expected full width"


def test_variances_as_points():
    def row(label, variance, low, high, origin="matrix"):
        interval = None if low is None else SimpleNamespace(low=low, high=high)
        return SimpleNamespace(
            round=label, variance=variance, interval=interval, origin=origin, topics=9, runs=5
        )

    limits = NextRound(0.25, None, None, None, None, "systems")
    unused = {
        "dof": 1,
        "weights": "dof",
        "max_min_ratio": None,
        "homogeneity": None,
        "interval": None,
    }
    history = SimpleNamespace(
        task="t", measure="AP", scale="raw", assessments="official", mixed=[],
        rounds=[row("r1", 0.1, 0.05, 0.2), row("r2", 0.3, 0.1, None), row("r3", 0, None, None)],
        pooled=Pooled.model_construct(variance=0.15, rounds=["r1"], next_round=limits, **unused),
    )  # fmt: skip
    points = variance_points(history)
    assert [(point["low"], point["high"], point["open"]) for point in points] == [
        (0.05, 0.2, False), (0.1, None, True), (None, None, False),
    ]  # fmt: skip
    assert [level["variance"] for level in level_points(history)] == [0.15, 0.25]
    whiskers, tips, marks, words = layers(variance_chart(history).to_dict(), 0)[1:]
    assert [(span["name"], span["high"]) for span in whiskers] == [
        ("r1", 0.2),
        ("r2", pytest.approx(0.33)),
    ]
    assert [span["name"] for span in tips] == ["r2"]
    assert marks[0]["text"] == "r1: .1000, 95% .0500 to .2000"
    assert [word["level"] for word in words] == ["pooled", "planning"]
    # A published value has a mark of its own, which a legend names where there is one.
    for origin, named in (("matrix", False), ("published", True)):
        history.rounds = [row("r1", 0.3, 0.2, 0.4), row("r2", 0.1, 0.05, 0.4, origin)]
        layer = variance_chart(history, width=480).to_dict()["concat"][0]["layer"][3]
        assert (layer["encoding"]["shape"]["legend"] is not None) == named
    # A page has the latest 60 rounds, a file all of them.
    history.rounds = [row(f"r{number}", 0.1, 0.05, 0.2) for number in range(200)]
    page, file = (
        layers(variance_chart(history, width=width).to_dict(), 0) for width in (480, None)
    )
    assert (len(page[1]), page[1][-1]["name"], len(file[1])) == (60, "r199", 200)


def test_factors_as_points():
    factors = FactorSet(
        task="t", round="r", measure="AP", assessments="official", version=2, versions=[1, 2],
        matrix=1, revision=1, standardising="all", zero_sd="average", zero_sd_topics=[],
        reason=None, fitted_at=datetime(2026, 1, 1, tzinfo=UTC), fitted_by="me", software="test",
        withdrawn=None,
        factors=[
            Factor(topic="easy", mean=0.75, sd=0.25, runs=3),
            Factor(topic="hard", mean=0.25, sd=0.125, runs=3),
        ],
    )  # fmt: skip
    points = factor_points(factors)
    assert [(point["name"], point["low"], point["high"]) for point in points] == [
        ("hard", 0.125, 0.375),
        ("easy", 0.5, 1.0),
    ]
    (panel,) = factor_chart(factors).to_dict()["concat"]
    assert panel["layer"][0]["encoding"]["x"]["scale"]["domain"] == ["hard", "easy"]
    # On a page it has no title, and all that it draws.
    page = fitted(factor_chart(factors, 336), 336).to_dict()
    assert "title" not in page
    assert page["width"] == 336
    (drawn,) = page["datasets"].values()
    assert [point["text"] for point in drawn] == [
        "topic hard: .2500, sd .1250", "topic easy: .7500, sd .2500",
    ]  # fmt: skip


def test_an_ageing_curve_as_points():
    like = SimpleNamespace(shift=0.3, shift_95=(0.1, 0.5), sd_ratio=1.1, sd_ratio_95=None)
    later = [
        SimpleNamespace(round="r2", verdict="aged", shared_topics=9, systems_like_these=like),
        SimpleNamespace(round="r3", verdict="unbridged", shared_topics=0, systems_like_these=None),
    ]
    curve = SimpleNamespace(
        task="t", measure="AP", from_round="r1", margin=0.2, sd_ratio_margin=1.25, rounds=later
    )
    about = {"name": "r2", "verdict": "aged", "topics": 9}
    assert curve_points(curve, "shift") == [about | {"value": 0.3, "low": 0.1, "high": 0.5}]
    assert curve_points(curve, "sd_ratio") == [about | {"value": 1.1, "low": None, "high": None}]
    chart = curve_chart(curve).to_dict()
    assert layers(chart, 0)[0] == [{"low": -0.2, "high": 0.2}]
    assert layers(chart, 1)[0] == [{"low": 0.8, "high": 1.25}]
    # The ratio has no interval, and a round without a shift is on the axis all the same.
    assert layers(chart, 1)[2] == []
    (label,) = layers(chart, 0)[4]
    assert (label["verdict"], label["top"]) == ("aged", 0.5)
    (label,) = layers(chart, 1)[4]
    assert label["top"] == 1.1
    shift = chart["concat"][0]["layer"][3]
    assert shift["encoding"]["x"]["scale"]["domain"] == ["r2", "r3"]
    curve.rounds = later[1:]
    with pytest.raises(InputError, match="nothing to draw: no round after 'r1' has a shift"):
        curve_chart(curve)


def test_verdicts_are_all_labelled_or_in_a_legend():
    like = SimpleNamespace(shift=0.3, shift_95=(0.1, 0.5))

    def drawn(number):
        later = [
            SimpleNamespace(
                round=f"r{ordinal}", verdict="aged" if ordinal > 2 else "undecided", shared_topics=9,
                systems_like_these=like,
            )
            for ordinal in range(1, number + 1)
        ]  # fmt: skip
        curve = SimpleNamespace(
            task="t", measure="AP", from_round="r0", margin=0.2, sd_ratio_margin=1.25, rounds=later
        )
        chart = curve_chart(curve, 480).to_dict()
        legend = chart["concat"][0]["layer"][3]["encoding"]["color"]["legend"]
        return [label["verdict"] for label in layers(chart, 0)[4]], legend and legend["values"]

    assert drawn(4) == (["undecided", "undecided", "aged", "aged"], None)
    assert drawn(20) == ([], ["aged", "undecided"])


def test_long_names_lose_what_all_of_them_begin_and_end_with():
    rounds = [f"Pilot of the CLIR track {year}, first assessments" for year in (2016, 2017)]
    assert short_names(rounds, 16) == ["…2016…", "…2017…"]
    assert short_names(["topic-2016-001", "topic-2016-012"], 10) == ["…001", "…012"]
    assert short_names(["a long name", "another one altogether"], 9) == ["a lo…name", "anot…ther"]
    assert short_names(rounds[:1], 9) == ["Pilo…ents"]
    names = [f"topic-2016-{number:03d}" for number in range(60)]
    axis = names_axis("topic", names, 336).to_dict()["axis"]
    assert r"\u0001topic-2016-000\u0001topic-2016-006\u0001" in axis["values"]["expr"]
    assert r"\u0001\u2026000\u0001\u2026006\u0001" in axis["labelExpr"]
    # Names that have room stay as they are.
    axis = names_axis("topic", names[:2], 336).to_dict()["axis"]
    assert r'"\u0001topic-2016-000\u0001topic-2016-001"' in axis["labelExpr"]


@pytest.mark.parametrize(
    "name", ["constructor", "__proto__", "toString", "a.b", "a[0]", r"\u0001", "'\"", "null", "01"]
)
def test_names_that_mean_something_to_the_drawing_program_are_drawn(name):
    drawn = bare_svg(names_chart([name, "b"]))
    labels = [unescape(text) for text in re.findall("<text[^>]*>([^<]*)</text>", drawn)]
    assert labels[:2] == [name, "b"]
    assert (
        unescape(re.findall("<text[^>]*>([^<]*)</text>", bare_svg(names_chart([name])))[0]) == name
    )


def names_chart(names):
    """Return a chart with names on an axis."""
    points = [{"name": name, "low": number} for number, name in enumerate(names)]
    drawn = points_of(points).mark_point().encode(x=names_axis("", names), y="low:Q")
    return layered(drawn, width=600, height=100)


def test_axes_of_long_rounds_are_titled_by_what_tells_them_apart():
    first, later = (f"Pilot of the CLIR track {year}, first assessments" for year in (2016, 2017))
    topic = SimpleNamespace(topic="t", mean_from=0.1, mean_to=0.2, sd_from=0.1, sd_to=0.1)
    report = SimpleNamespace(from_round=first, to_round=later, topics=[topic])
    axes = topics_chart(report).to_dict()["concat"][0]["layer"][0]["encoding"]
    assert axes["x"]["title"] == "mean over runs, …2016…"
    assert axes["y"]["title"] == "mean over runs, …2017…"
    like = SimpleNamespace(shift=0.3, shift_95=(0.1, 0.5))
    row = SimpleNamespace(round=later, verdict="aged", shared_topics=9, systems_like_these=like)
    curve = SimpleNamespace(
        task="t", measure="AP", from_round=first, margin=0.2, sd_ratio_margin=1.25, rounds=[row]
    )
    panel = curve_chart(curve, 480).to_dict()["concat"][0]
    assert panel["layer"][0]["encoding"]["y"]["title"] == "shift, in sds of …2016…"


def test_a_cloud_of_points_is_bounded():
    cloud = points_of({"x": number} for number in range(2000)).mark_circle().encode(x="x:Q")
    line = points_of({"x": number} for number in range(500)).mark_line().encode(x="x:Q")
    chart = styled([layered(cloud, line, width=300, height=300)], "A cloud")
    drawn, had = bounded(chart, 300)
    assert had == 2000
    assert [len(points) for points in layers(drawn.to_dict(), 0)] == [300, 500]
    assert [len(points) for points in layers(chart.to_dict(), 0)] == [2000, 500]
    assert bounded(drawn, 300)[1] == 0
