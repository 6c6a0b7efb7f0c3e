"""The commands that fit factors anew."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from roundbook_cli.drift_commands import next_commands
from roundbook_cli.renewal import refit_notes


def test_factors_of_several_assessments_are_told_apart():
    def refittable(measure, assessments):
        return SimpleNamespace(
            measure=measure,
            assessments=assessments,
            standardising_runs=4,
            runs=4,
            contributed=2,
            pool_known=True,
        )

    of_round = SimpleNamespace(task="t", round="1", publication=None)
    factors = [
        refittable("AP", "official"),
        refittable("AP", "crowd"),
        refittable("P@5", "official"),
    ]
    (note,) = refit_notes(of_round, factors, corrected=True).values()
    assert note.split("\n")[0].endswith("runs. To fit them on it, in all rounds alike:")
    because = "--runs pooled --reason REASON"
    assert note.split("\n")[1:] == [
        f"  roundbook factors fit t 1 --measure AP --assessments official {because}",
        f"  roundbook factors fit t 1 --measure AP --assessments crowd {because}",
        f"  roundbook factors fit t 1 --measure P@5 {because}",
    ]
    of_round.publication = object()
    (note,) = refit_notes(of_round, factors).values()
    assert note.split("\n")[0].endswith(
        "in all rounds alike (round '1' is published, and its fingerprint changes with them):"
    )


@pytest.mark.parametrize(
    ("first", "later", "commands"),
    [
        (
            ("pooled", 4),
            ("pooled", 6),
            {"Have the factors of both rounds rest on all runs": ["a all"]},
        ),
        (
            ("pooled", 4),
            ("chosen", 2),
            {
                "Have the factors of both rounds rest on the pool, if it is known": ["b pooled"],
                "Or have both rest on all runs": ["a all", "b all"],
            },
        ),
        (("pooled", 4), ("pooled", 3), {}),
    ],
)
def test_factors_chosen_differently_are_fitted_alike(first, later, commands):
    on = [
        SimpleNamespace(which=which, runs=runs, of=6, pool_now=None)
        for which, runs in (first, later)
    ]
    report = SimpleNamespace(
        task="t",
        measure="AP",
        assessments="official",
        verdict="undecided",
        from_round="a",
        to_round="b",
        from_collection=None,
        to_collection=None,
        out_of_order=None,
        latest_not_held_last=None,
        standardising_from=on[0],
        standardising_to=on[1],
    )
    advised = {}
    for step in next_commands(report, None)[2:]:
        words = step["command"].split()
        assert words[:4] + words[5:8] == [
            "roundbook",
            "factors",
            "fit",
            "t",
            "--measure",
            "AP",
            "--runs",
        ]
        assert words[9:] == ["--reason", "REASON"]
        advised.setdefault(step["purpose"], []).append(f"{words[4]} {words[8]}")
    assert advised == commands
