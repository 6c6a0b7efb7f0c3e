"""The commands that fit factors anew."""

from __future__ import annotations

from types import SimpleNamespace

from roundbook_cli.renewal import refit_notes


def test_factors_of_several_assessments_are_told_apart():
    def refittable(measure, assessments):
        return SimpleNamespace(
            measure=measure, assessments=assessments, standardising_runs=4, runs=4, contributed=2
        )

    of_round = SimpleNamespace(task="t", round="1")
    factors = [
        refittable("AP", "official"),
        refittable("AP", "crowd"),
        refittable("P@5", "official"),
    ]
    (note,) = refit_notes(of_round, factors, corrected=True)
    because = "--runs pooled --reason 'the pool is another one now'"
    assert note.split("\n")[1:] == [
        f"  roundbook factors fit t 1 --measure AP --assessments official {because}",
        f"  roundbook factors fit t 1 --measure AP --assessments crowd {because}",
        f"  roundbook factors fit t 1 --measure P@5 {because}",
    ]
