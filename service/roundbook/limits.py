"""Limits and defaults that requests have, and score files or statistics too."""

from __future__ import annotations

# Squares of larger scores, summed over a large matrix, leave the range of a double.
LARGEST_SCORE = 1e100
# Below it every whole number is a floating-point number of its own.
WHOLE_FLOATS = 2**53
# Bytes of a file that is read, also after decompression.
LARGEST_FILE = 256 * 2**20
# Characters of a name of what is recorded, and of a reason or another text on it.
LONGEST_NAME = 200
LONGEST_TEXT = 2_000
# Documents below this rank are not stored; trec_eval, as campaigns use it, looks no further.
LIST_DEPTH = 1000
# Draws of a study, and resamples of a bootstrap over topics.
MOST_TRIALS = 1_000_000
MOST_RESAMPLES = 1_000_000
# Sizes of designs: topics; and counts in all, beyond which not all whole numbers are floats and the
# distribution functions fail.
MOST_TOPICS = 10_000_000
MOST_COUNTED = 1_000_000_000
# By how much the factors of a later round may differ and the first round's hold: the largest shift,
# in first-round sds, and the largest ratio of sds.
SHIFT_MARGIN = 0.2
SD_RATIO_MARGIN = 1.25
# Sizes of pilots, of those that a round has more of: topics; teams, each times powers of ten too.
PILOT_TOPICS = (75, 50, 25, 10)
PILOT_TEAMS = (1, 2, 3, 5)
