"""Topic set size design: how many topics a round needs, and what its topics can detect."""

from roundbook.statistics.design.distributions import ENGINES, Engine
from roundbook.statistics.design.solvers import (
    SolvedDesign,
    design_curve,
    solve_min_d,
    solve_power,
    solve_runs,
    solve_topics,
    solve_variance,
)
from roundbook.statistics.design.table import DESIGNS, Design

__all__ = [
    "DESIGNS",
    "ENGINES",
    "Design",
    "Engine",
    "SolvedDesign",
    "design_curve",
    "solve_min_d",
    "solve_power",
    "solve_runs",
    "solve_topics",
    "solve_variance",
]
