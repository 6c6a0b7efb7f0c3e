"""The largest score that files may hold and statistics take."""

from __future__ import annotations

# Squares of larger scores, summed over a large matrix, leave the range of a double.
LARGEST_SCORE = 1e100
