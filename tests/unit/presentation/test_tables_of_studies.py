"""What every door shows of a study: plain rows, and tables that are read."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from roundbook.logbook.studies.across_rounds import AcrossRounds
from roundbook.logbook.studies.leave_one_out_rounds import LeaveOneOutRounds
from roundbook.logbook.studies.studies import STUDIES, run_study
from roundbook.presentation.charts.studies import study_chart, study_points
from roundbook.presentation.views import table_of, view_of
from roundbook_cli.table_layout import lay_out

ABOUT = {"task": "t", "measure": "AP", "assessments": "official", "seed": 0, "trials": 9}
ABOUT |= {"topics": 18, "runs": 6}
ROUND = {"matrix": 1, "revision": 1, "factor_version": 1, "topics": 9, "runs": 3, "teams": 3}
FIGURES = {"scale": "std-ab", "tau": 0.9, "tau_low": 0.5, "tau_high": 1.3, "rmse": 0.01}
FIGURES |= {"largest": 0.02, "bias": 0.0, "mean_rank_shift": 0.5, "largest_rank_shift": 1}
POWER = {"scale": "raw", "share": 0.25, "share_low": 0.2, "share_high": 0.3, "overall": 0.1}
POWER |= {"critical_difference": None, "overall_low": None, "overall_high": None, "topics": 9}
POWER |= {"needed_difference": None, "sensitivity": None, "topics_each": 4}


@pytest.fixture
def studies(tmp_path):
    """One of each study, by its name."""
    rng = np.random.default_rng(3)
    runs = [f"run{number}" for number in range(24)]
    drawn = (rng.random((10, 24)) * 0.5 + np.arange(24) * 0.02).round(3)
    for name, values in (("scores.csv", drawn), ("later.csv", drawn[:, ::-1] * 0.9)):
        with (tmp_path / name).open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["topic", *runs])
            writer.writerows([f"t{number}", *row] for number, row in enumerate(values.tolist()))
    teams = [f"{run},team{number % 5},yes\n" for number, run in enumerate(runs)]
    (tmp_path / "teams.csv").write_text("run,team,contributed_to_pool\n" + "".join(teams))
    lists, judged = [], {(topic, doc): doc % 3 > 0 for topic in range(10) for doc in range(12)}
    for run in runs:
        for topic in range(10):
            documents = rng.permutation(12)[:8].tolist()
            lists += [
                f"t{topic} Q0 d{doc} {r + 1} {9 - r} {run}" for r, doc in enumerate(documents)
            ]
    (tmp_path / "runs.txt").write_text("\n".join(lists) + "\n")
    lines = [f"t{topic} 0 d{doc} {int(grade)}\n" for (topic, doc), grade in judged.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    scored = {"files": [tmp_path / "scores.csv"], "measure": "AP"}
    ranked = {"files": [tmp_path / "runs.txt"], "qrels": tmp_path / "qrels.txt", "measure": "AP"}
    by_team = {"teams": tmp_path / "teams.csv"}
    both, some = {"scales": ("raw", "std-ab")}, {"trials": 50}
    asked = {
        "discriminative-power": scored | both | some | {"resamples": 50},
        "swap-rate": scored | both | some,
        "incremental": scored | both | some | {"difference": 0.1, "start": 4},
        "change": scored | some | {"to_files": [tmp_path / "later.csv"], "pivot": "run3"},
        "leave-one-out": ranked | by_team | {"reassessed": True},
        "leave-teams-out": scored | both | some | by_team,
        "topic-subsets": scored | both | some | {"topics": [5, 8]},
        "per-topic-variance": ranked | some,
    }
    made = {name: run_study(None, STUDIES[name].request(**of)) for name, of in asked.items()}
    anew = ROUND | {"upload": 1, "pooled_runs": 3, "pool_depth": 5, "judged_share": 1.0}
    anew |= {"explained_share": 0.9, "judged": 40, "relevant": 20, "relevant_alone": 4}
    anew |= {"team_of_run": [0, 1, 2], "fed_pool": [True] * 3, "scales": [FIGURES]}
    made["leave-one-out-rounds"] = LeaveOneOutRounds(
        **ABOUT,
        study="leave-one-out-rounds",
        ageing_from="2024",
        rounds=[
            ROUND
            | {"round": label, "runs_without_team": 0, "team_of_run": [0, 1, 2]}
            | {"scales": [FIGURES], "reassessed": reassessed}
            | {"ageing": "unbridged" if label == "2025" else None}
            | {"not_reassessed": None if reassessed else "no runs"}
            for label, reassessed in (("2024", anew), ("2025", None))
        ],
        left_out=[],
        scales=[{"scale": "std-ab", "lowest": 0.9, "trends": []}],
    )
    made["across-rounds"] = AcrossRounds(
        **ABOUT,
        study="across-rounds",
        alpha=0.05,
        plus_one=False,
        swap_trials=10,
        level=0.05,
        with_replacement=False,
        rounds=[
            {name: value for name, value in ROUND.items() if name != "teams"}
            | {"round": label, "scales": [POWER]}
            for label in ("2024", "2025")
        ],
        left_out=[],
        scales=[{"scale": "raw", "share": 0.25, "overall": 0.1, "beside_raw": []}],
    )
    return made


def test_a_round_without_shared_topics_is_called_so(studies):
    table = view_of(studies["leave-one-out-rounds"]).tables[0]
    factors = next(column for column in table.columns if column.heading == "Factors")
    assert [factors.cell(row) for row in table.rows] == ["-", "no shared topics"]


def test_one_of_each_study_is_here(studies):
    assert set(studies) == set(STUDIES)


def test_every_study_is_drawn(studies):
    for name, study in studies.items():
        assert study_points(study), name
        drawing = study_chart(study).to_dict()
        assert drawing["concat"], name
        assert all(drawing["datasets"].values()), name


def test_every_cell_of_every_study_is_plain(studies):
    for name, study in studies.items():
        _, rows = table_of(study)
        cells = {type(cell) for row in rows for cell in row.values()}
        assert cells <= {str, int, float, bool, type(None)}, name
        view = view_of(study)
        assert rows, name
        assert [table.main for table in view.tables].count(True) == 1, name
        assert view.latex().count(r"\\") > len(rows), name
        for table in view.tables:
            for part, _ in table.parts():
                assert len(lay_out(part.rows, part.columns, 200)) >= len(part.rows) + 2, name
    assert {"scale", "run", "better_than", "worse_than"} <= set(
        table_of(studies["discriminative-power"])[1][0]
    )


def test_long_tables_are_cut_where_they_are_read(studies):
    _, ranking = view_of(studies["discriminative-power"]).tables
    assert [(part.heading[:11], len(part.rows), there) for part, there in ranking.parts()] == [
        ("Runs on raw", 20, 24),
        ("Runs on std", 20, 24),
    ]
    assert [len(part.rows) for part, _ in ranking.parts(24)] == [24, 24]
    _, steps = view_of(studies["incremental"]).tables
    part, _ = next(steps.parts(2))
    assert [row.topics for row in part.rows] == [4, 10]
