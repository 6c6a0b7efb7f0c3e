"""Discriminative power: how many pairs of runs a round's scores tell apart, and which.

Three tests of all pairs: the randomised Tukey HSD test, whose error rate holds for all pairs at
once, the paired bootstrap test, each pair for itself, and the paired t test with Holm's method.
"""

from roundbook.statistics.studies.discriminative_power.bootstrap import (
    BootstrapTest,
    bootstrap_test,
)
from roundbook.statistics.studies.discriminative_power.paired import PairedTTest, paired_t_tests
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
