"""Discriminative power: which pairs of runs differ significantly by a round's scores.

Three tests of all pairs: the randomised Tukey HSD test, whose error rate holds for all pairs
together, the paired bootstrap test of single pairs, and the paired t test with Holm's method.
"""

from roundbook.statistics.studies.discriminative_power.single_pairs import (
    BootstrapTest,
    PairedTTest,
    bootstrap_test,
    paired_t_tests,
)
from roundbook.statistics.studies.discriminative_power.tukey import (
    TukeyTest,
    asl_curve,
    share_limits,
    tukey_test,
)

__all__ = [
    "BootstrapTest",
    "PairedTTest",
    "TukeyTest",
    "asl_curve",
    "bootstrap_test",
    "paired_t_tests",
    "share_limits",
    "tukey_test",
]
