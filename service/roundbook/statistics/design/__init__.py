"""Topic set size design: how many topics a round takes, and what the topics it has are good for."""

from roundbook.statistics.design.inputs import ENGINES, MOST_TOPICS, Engine
from roundbook.statistics.design.inverse import (
    solve_min_d,
    solve_power,
    solve_runs,
    solve_variance,
)
from roundbook.statistics.design.solved import SolvedDesign
from roundbook.statistics.design.table import DESIGNS, Design
from roundbook.statistics.design.topics import anova_topics, solve_topics

__all__ = [
    "DESIGNS",
    "ENGINES",
    "MOST_TOPICS",
    "Design",
    "Engine",
    "SolvedDesign",
    "anova_topics",
    "solve_min_d",
    "solve_power",
    "solve_runs",
    "solve_topics",
    "solve_variance",
]
