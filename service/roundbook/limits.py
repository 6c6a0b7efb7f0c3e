"""What no score may exceed, for the files that bring scores and the statistics on them."""

from __future__ import annotations

# Squares of larger scores, summed over a large matrix, leave the range of a double.
LARGEST_SCORE = 1e100
