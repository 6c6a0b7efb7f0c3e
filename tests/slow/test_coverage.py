"""Intervals, verdicts, tests and plans keep their promises, by simulation.

The references are an independent program's; `make coverage` prints all of them beside ours.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.coverage.cells import replicate, strays
from tests.coverage.drift_cells import DRIFT_CELLS, SPREAD_CELLS, UNEVEN_FIELD_CELLS
from tests.coverage.plan_cells import PLAN_CELLS
from tests.coverage.rank_cells import RANK_CELLS
from tests.coverage.reliability_cells import RELIABILITY_CELLS
from tests.coverage.significance_cells import SIGNIFICANCE_CELLS
from tests.coverage.tables import WIDTH, tables
from tests.coverage.variance_cells import (
    NEXT_ROUND_CELLS,
    POOLED_CELLS,
    PUBLISHED_CELLS,
    UNEVEN_ROUNDS_CELLS,
    UNEVEN_VARIANCE_CELLS,
    VARIANCE_CELLS,
)

NAMES = (
    "C3 COVID 1, 15/15 teams",
    "C5 COVID 2, 30/30 teams",
    "C7 COVID 2, 15/15, 10 same*",
    "P1 adhoc 7 P@10, 30/30 runs",
    "K1 COVID 1, 15/15 hidden",
    "G1 Gauss, 30/30 runs*",
    "C5 COVID 2, 30/30 teams, ratio 1.5",
    "Gauss rho=.7, 30 runs, n=25",
    "NTCIR-7 Q, 20 runs, n=50",
    "V_2: Robust 2003 AP, 30 runs*, n=50",
    "Robust 2003 AP, K=3*, 0 shared",
    "Robust 2003 AP, K=3*, 30 shared",
    "Robust 2003 AP, K=3*, 50 shared",
    "COVID 1, 15 teams, K=3*, 30 shared",
    "COVID 1 nDCG@10, 3 teams, n=30",
    "COVID 1, same 10 teams, K=3",
    "COVID 1, same 10 teams, K=5",
    "web 2012 nDCG@20, 2 runs, n=50",
    "Gauss, 20 runs*, sd 0, K=3",
    "Gauss, 20 runs*, sd 0.126, K=1",
    "Gauss, 20 runs*, sd 0.126, K=5",
    "Gauss, 20 runs*, sd 0.25, K=3",
    "Gauss, 20 runs*, sd 0.4, K=1",
    "V_2: COVID 1, 8 teams*, sd 0.126, K=3",
    "V_2: COVID 1, 10 teams, 7 stay, sd 0.126, K=5",
    "Reliability: Gauss, 20 runs, n=50",
    "Reliability: Gauss, topics' sds uneven, 20 runs*, n=10",
    "Reliability: Gauss, 10 teams of 5*, n=50",
    "tau-b: Gauss, ranked alike*, 5 runs, n=10",
    "tau-b: Gauss, ranked alike*, 20 runs, n=30",
    "NTCIR-7 Q, 10 runs: paired t",
    "NTCIR-7 Q, 10 runs: two-way F",
    "NTCIR-7 Q, 10 runs: Tukey HSD",
    "Robust 2003 AP, 5 runs: Tukey HSD",
    "exponential differences, n=5",
    "exponential differences, n=10",
    "exponential differences, n=50",
    "runs' sds .5*, 30 runs, n=50",
    "V_2: lognormal*, 30 runs, n=30",
    "P@5 of .2*, as P, 20 runs, n=50",
    "runs' sds .4*, 10 runs, K=2",
    "V_2: Gauss rho=.7*, 30-4-60 runs, n=50-10-25",
    "Reliability: runs' sds .5, 10 runs*, n=50",
    "Reliability: heavy tails, 30 runs*, n=50",
    "a tenth failed*, 20/20 runs, n=50",
    "topics' sds 1*, 30/30 runs, n=10",
    "topics' sds 1.2*, 30/30, n=20, shift 1",
)
SHIFTS = (0.0, 0.2, 0.5)
REPLICATIONS = 500


def cells():
    by_name = {
        cell.name: cell
        for cell in (
            *SPREAD_CELLS,
            *UNEVEN_FIELD_CELLS,
            *VARIANCE_CELLS,
            *UNEVEN_VARIANCE_CELLS,
            *PUBLISHED_CELLS,
            *UNEVEN_ROUNDS_CELLS,
            *POOLED_CELLS,
            *NEXT_ROUND_CELLS,
            *RELIABILITY_CELLS,
            *RANK_CELLS,
            *PLAN_CELLS,
            *SIGNIFICANCE_CELLS,
        )
    } | {cell.name: replace(cell, shifts=SHIFTS) for cell in DRIFT_CELLS}
    return [pytest.param(_of_the_product(by_name[name]), id=name) for name in NAMES]


def _of_the_product(cell):
    """The cell without references for the rules that the product no longer has."""
    old = ("old ", "chi", "boot")
    kept = {name: value for name, value in cell.reference.items() if not name.startswith(old)}
    return replace(cell, reference=kept)


@pytest.mark.slow
@pytest.mark.parametrize("cell", cells())
def test_many_replications_agree_with_the_reference(cell, shared):
    assert strays(cell, replicate(cell, range(REPLICATIONS))) == []


@pytest.mark.parametrize("cell", cells())
def test_a_few_replications_agree_with_the_reference(cell, shared):
    result = replicate(cell, range(10))
    assert result.keys() & cell.reference.keys()
    assert strays(cell, result) == []


def test_a_wrong_coverage_is_noticed(shared):
    (cell,) = (cell for cell in VARIANCE_CELLS if cell.name == "NTCIR-7 Q, 20 runs, n=50")
    # What the chi-square interval covers is no coverage of the new one.
    wrong = replace(cell, reference={"new": cell.reference["chi"]})
    (sentence,) = strays(wrong, replicate(wrong, range(100)))
    assert "new is" in sentence


def test_a_name_is_that_of_one_cell():
    cells = {cell for table in tables() for cell in map(_named, table.cells)}
    assert len(cells) == len({name for name, *_ in cells})


def _named(cell):
    return cell.name, type(cell), cell.seed_name


@pytest.mark.long
def test_tables_fit_the_terminal(shared):
    for table in tables():
        lines = table.lines([replicate(cell, range(1)) for cell in table.cells])
        assert max(map(len, lines)) <= WIDTH
        assert len(lines) > len(table.cells)
