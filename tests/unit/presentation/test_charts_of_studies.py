"""What the charts of studies draw."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest

from roundbook.logbook.studies.across_rounds import AcrossRounds
from roundbook.logbook.studies.studies import run_study
from roundbook.presentation.charts.files import bare_svg
from roundbook.presentation.charts.studies import study_chart, study_points
from roundbook.presentation.views import view_of
from roundbook.requests.studies import (
    ChangeRequest,
    DiscriminativePowerRequest,
    IncrementalRequest,
    LeaveOneOutRequest,
    SwapRateRequest,
    TopicSubsetsRequest,
)

SCALES = ("raw", "std-ab")


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    rng = np.random.default_rng(3)
    drawn = (rng.random((10, 24)) * 0.5 + np.arange(24) * 0.02).round(3)
    for name, values in (("scores.csv", drawn), ("later.csv", drawn[:, ::-1] * 0.9)):
        _write(path.with_name(name), values)
    return {"files": [path], "measure": "AP", "scales": SCALES}


def _write(path, drawn):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["topic", *(f"run{number}" for number in range(24))])
        writer.writerows([f"t{number}", *row] for number, row in enumerate(drawn.tolist()))


def titles(chart):
    encoding = chart["concat"][0]["layer"][-1]["encoding"]
    return encoding["x"]["title"], encoding["y"]["title"]


def test_asl_curves(scores):
    study = run_study(None, DiscriminativePowerRequest(**scores, trials=200, resamples=50))
    points = study_points(study)
    raw = [point for point in points if point["scale"] == "raw"]
    # Of 276 pairs 200 are drawn, of which the first and the last are.
    assert (len(raw), raw[0]["rank"], raw[-1]["rank"]) == (200, 1, 276)
    assert [point["p"] for point in raw] == study.scales[0].asl
    chart = study_chart(study).to_dict()
    (panel,) = chart["concat"]
    assert titles(chart) == (
        "Pairs of runs, from the largest p value to the smallest",
        "p value, randomised Tukey HSD",
    )
    alpha, curves = (chart["datasets"][layer["data"]["name"]] for layer in panel["layer"])
    assert (alpha, curves) == ([{"p": 0.05}], points)
    assert panel["layer"][1]["encoding"]["color"]["scale"]["domain"] == list(SCALES)


def test_swap_rates_by_difference(scores):
    study = run_study(None, SwapRateRequest(**scores, trials=50))
    points = study_points(study)
    first = study.scales[1].in_sds.bins[0]
    assert {
        "scale": "std-ab",
        "unit": "sd",
        "low": 0.0,
        "rate": first.rate,
        "comparisons": first.count,
    } in points
    assert all(point["rate"] is not None for point in points)
    chart = study_chart(study).to_dict()
    assert titles(chart) == ("Difference on the first topics", "Swap rate")
    assert len(chart["concat"]) == 2
    assert "Rates between sets of 5 topics." in " ".join(chart["title"])


def test_rounds_beside_each_other():
    scale = {"share": 0.25, "share_low": 0.2, "share_high": 0.3, "critical_difference": None}
    scale |= {"overall": 0.1, "overall_low": None, "overall_high": None, "topics": 9}
    scale |= {"needed_difference": None, "sensitivity": None, "topics_each": 4}
    rounds = [
        {"round": label, "matrix": 1, "revision": 1, "factor_version": None, "topics": 9, "runs": 3}
        | {"scales": [scale | {"scale": "raw"}]}
        for label in ("2024", "2025")
    ]
    study = AcrossRounds(
        study="across-rounds",
        task="t",
        measure="AP",
        assessments="official",
        topics=18,
        runs=6,
        trials=10,
        seed=0,
        alpha=0.05,
        plus_one=False,
        swap_trials=10,
        level=0.05,
        with_replacement=False,
        rounds=rounds,
        left_out=[],
        scales=[{"scale": "raw", "share": 0.25, "overall": 0.1, "beside_raw": []}],
    )
    assert study_points(study)[1] == {
        "name": "2025",
        "scale": "raw",
        "share": 0.25,
        "overall": 0.1,
    }
    assert len(study_chart(study).to_dict()["concat"]) == 2


def panels(study):
    chart = study_chart(study)
    assert view_of(study).chart().to_dict()["concat"] == chart.to_dict()["concat"]
    return chart.to_dict()["concat"]


def test_pilots_and_topics_so_far(scores):
    study = run_study(None, TopicSubsetsRequest(**scores, topics=[5, 8], trials=20))
    assert len(panels(study)) == 2
    first = study.scales[0].sizes[0]
    assert study_points(study)[0] == {
        "scale": "raw",
        "figure": "variance",
        "size": 8,
        "mean": first.variance.mean,
        "low": first.variance.low,
        "high": first.variance.high,
        "whole": study.scales[0].variance,
    }
    asked = IncrementalRequest(**scores, difference=0.1, start=4, step=3, trials=50)
    study = run_study(None, asked)
    assert [panel["layer"][0]["encoding"]["y"]["title"] for panel in panels(study)] == [
        "By the sd so far",
        "By the upper 80% limit of the sd",
    ]
    points = study_points(study)
    assert [point["topics"] for point in points[:6:2]] == [4, 7, 10]
    assert points[0]["share"] == study.scales[0].steps[0].enough


def test_runs_left_out_and_systems_that_came_back(scores):
    study = run_study(None, LeaveOneOutRequest(**scores | {"scales": ("std-ab", "std-cdf")}))
    assert [panel["title"] for panel in panels(study)] == ["std-ab", "std-cdf"]
    point = study_points(study)[0]
    assert point["left_out"] == study.scales[0].left_out[0].left_out
    assert (point["scale"], point["team"]) == ("std-ab", None)
    (panel,) = panels(
        change := run_study(
            None,
            ChangeRequest(
                **scores | {"scales": ("raw",)},
                to_files=[scores["files"][0].with_name("later.csv")],
                pivot="run3",
                trials=50,
            ),
        )
    )
    # A page has the heading above the chart, and leaves it out of the caption.
    view = view_of(change)
    caption = f"{view.sentences[0]} The mean of each system beside the pivot run3."
    assert "".join(view.chart().title).replace(" ", "") == caption.replace(" ", "")
    others, pivot, names = panel["layer"]
    assert others["encoding"]["detail"]["field"] == pivot["encoding"]["detail"]["field"] == "system"
    drawn = study_chart(change).to_dict()
    labels = drawn["datasets"][drawn["concat"][0]["layer"][2]["data"]["name"]]
    assert labels[0]["label"] == "run3"
    assert {"run2", "run23"} < {point["label"] for point in labels}
    means = sorted(point["mean"] for point in labels)
    highest = max(point["mean"] for point in study_points(change))
    lowest = min(point["mean"] for point in study_points(change))
    # A line of text is 13 of the 240 pixels, on an axis that is a little longer than its points.
    assert min(np.diff(means)) > (highest - lowest) * 13 / 240
    assert names["encoding"]["text"]["field"] == "label"
    of_pivot = [point for point in study_points(change) if point["of"] == "pivot"]
    assert [(point["system"], point["name"]) for point in of_pivot] == [
        ("run3", "earlier"),
        ("run3", "later"),
    ]


def test_marks_say_each_figure_once_under_its_title(scores):
    raw = scores | {"scales": ("raw",)}
    later = [scores["files"][0].with_name("later.csv")]
    mean = ["Mean in the round", "Mean where left out"]
    pilot = ["Scale", "95% from", "95% to", "All of the round"]
    swap = ["Swap rate", "Scale", "Comparisons"]
    swap_titles = "Difference on the first topics", "Difference, in sds of the scale"
    for request, says in (
        (
            SwapRateRequest(**raw, trials=50),
            [["Swap rate"], *([name, *swap] for name in swap_titles)],
        ),
        (
            TopicSubsetsRequest(**raw, topics=[5], trials=20),
            [["Topics of a pilot", name, *pilot] for name in ("Variance", "Topics planned")]
            + [[name, "Scale"] for name in ("Variance", "Topics planned")],
        ),
        (
            LeaveOneOutRequest(**scores | {"scales": ("std-ab",)}),
            [[*mean, "Run", "Team", "Ranks lost"]],
        ),
        (
            ChangeRequest(**raw, to_files=later, pivot="run3", trials=50),
            [["Round", "Mean", "Among", "System"]],
        ),
    ):
        drawn = bare_svg(study_chart(run_study(None, request)))
        marks = re.findall(
            r'aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="(?:point|circle|rule)',
            drawn,
        )
        titles = {tuple(part.partition(": ")[0] for part in mark.split("; ")) for mark in marks}
        assert titles == set(map(tuple, says)), request.study
