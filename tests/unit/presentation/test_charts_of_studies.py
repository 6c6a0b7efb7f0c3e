"""What the charts of studies draw."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from roundbook.errors import InputError
from roundbook.logbook.studies.across_rounds import AcrossRounds
from roundbook.logbook.studies.studies import run_study
from roundbook.presentation.charts.studies import asl_points, round_points, study_chart, swap_points
from roundbook.requests.studies import DiscriminativePowerRequest, SwapRateRequest

SCALES = ("raw", "std-ab")


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    rng = np.random.default_rng(3)
    drawn = (rng.random((10, 24)) * 0.5 + np.arange(24) * 0.02).round(3)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["topic", *(f"run{number}" for number in range(24))])
        writer.writerows([f"t{place}", *row] for place, row in enumerate(drawn.tolist()))
    return {"files": [path], "measure": "AP", "scales": SCALES}


def titles(chart):
    encoding = chart["concat"][0]["layer"][-1]["encoding"]
    return encoding["x"]["title"], encoding["y"]["title"]


def test_asl_curves(scores):
    study = run_study(None, DiscriminativePowerRequest(**scores, trials=200, resamples=50))
    points = asl_points(study)
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
    points = swap_points(study)
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
    assert round_points(study)[1] == {
        "name": "2025",
        "scale": "raw",
        "share": 0.25,
        "overall": 0.1,
    }
    assert len(study_chart(study).to_dict()["concat"]) == 2
    with pytest.raises(InputError, match="is not drawn"):
        study_chart(study.model_copy(update={"study": "change"}))
