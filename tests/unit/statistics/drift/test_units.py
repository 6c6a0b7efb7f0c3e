"""Units of runs, against a closure by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundbook.statistics.drift.units import RunsOfRound, unit_labels

RUN = st.tuples(
    st.sampled_from([None, " ", "A", "a ", "b", "C"]),
    st.sampled_from([None, None, "s", "t"]),
    st.integers(0, 3),
)


def labels_of(runs_from, runs_to):
    return unit_labels(*(RunsOfRound(*zip(*runs, strict=True)) for runs in (runs_from, runs_to)))


def partition(labels):
    return np.equal.outer(labels, labels)


def joined(first, second):
    (round_1, (team_1, system_1, kin_1)), (round_2, (team_2, system_2, kin_2)) = first, second
    team_1, team_2 = ((team or "").strip().lower() for team in (team_1, team_2))
    return (
        (team_1 != "" and team_1 == team_2)
        or (system_1 is not None and system_1 == system_2)
        or (team_1 == team_2 == "" and round_1 == round_2 and kin_1 == kin_2)
    )


def counts(units):
    old, new = set(units.labels_from.tolist()), set(units.labels_to.tolist())
    return len(old), len(new), len(old & new)


@given(st.lists(RUN, min_size=1, max_size=7), st.lists(RUN, min_size=1, max_size=7))
def test_every_chain_of_joins_is_one_unit(runs_from, runs_to):
    runs = [*(("from", run) for run in runs_from), *(("to", run) for run in runs_to)]
    reached = np.array([[joined(one, other) for other in runs] for one in runs])
    np.fill_diagonal(reached, val=True)
    for _ in runs:
        reached = reached @ reached
    units = labels_of(runs_from, runs_to)
    assert np.array_equal(partition(np.concatenate([units.labels_from, units.labels_to])), reached)


@given(st.lists(RUN, min_size=2, max_size=8), st.data())
def test_the_order_of_the_runs_changes_nothing(runs, data):
    order = data.draw(st.permutations(range(len(runs))))
    plain = labels_of(runs, [(None, "s", 0)])
    permuted = labels_of([runs[run] for run in order], [(None, "s", 0)])
    assert np.array_equal(
        partition(permuted.labels_from), partition(plain.labels_from[list(order)])
    )
    assert counts(permuted) == counts(plain)


def test_a_team_is_one_unit_however_it_is_written():
    units = unit_labels(RunsOfRound(["RUIR", " ruir "]), RunsOfRound(["Ruir"]))
    assert units.labels_from.tolist() == [0, 0]
    assert units.labels_to.tolist() == [0]
    assert (counts(units), units.by) == ((1, 1, 1), "team")


def test_kin_groups_join_within_a_round_and_only_runs_without_a_team():
    units = unit_labels(
        RunsOfRound(["x", None, None, "y"], kin=[0] * 4), RunsOfRound([None], kin=[0])
    )
    assert units.labels_from.tolist() == [0, 1, 1, 2]
    assert units.labels_to.tolist() == [3]


@pytest.mark.parametrize(
    ("team", "system", "kin", "by"),
    [
        ("x", None, None, "team"),
        (None, "s", [1, 0], "system"),
        (" ", "s", None, "system"),
        (None, None, [1, 0], "kin"),
        (None, None, None, "run"),
    ],
)
def test_by_is_the_least_certain_knowledge(team, system, kin, by):
    units = unit_labels(RunsOfRound([team, "y"], [system, None], kin), RunsOfRound(["z"]))
    assert units.by == by


@pytest.mark.parametrize(("old", "new", "known"), [(1, 2, (56, 51, 31)), (2, 3, (51, 31, 23))])
def test_teams_of_treccovid(covid, old, new, known):
    units = unit_labels(RunsOfRound(covid[old].teams), RunsOfRound(covid[new].teams))
    assert counts(units) == known
