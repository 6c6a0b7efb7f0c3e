"""Why a variance has no interval, no upper limit, or no test."""

from __future__ import annotations

from typing import Literal

Target = Literal["systems", "these runs"]
"""What an interval is of: topics and runs as samples, or topics alone."""

NoInfluence = Literal["fewer_than_3_topics", "no_variance", "one_topic"]
"""Of a stored matrix: too few topics; scores that never vary; all of it borne by one topic."""

Refusal = Literal["unknown_size", "fewer_than_10_topics", "two_way", "standardised"]
"""Of a published variance: topics or runs not given; too few topics; a two-way variance, or one of
standardised scores, without matrices of the task's own to take the constants from."""

NoInterval = NoInfluence | Refusal | Literal["too_uneven"]
"""Further: a single topic or team bears nearly all of the variance."""

NoUpperLimit = NoInterval | Literal["unbounded"]
"""Further: not bounded by so few topics, beside a lower limit that exists."""

NoTest = NoInterval | Literal["one_round", "too_few_topics", "not_separable"]
"""Further: nothing to compare; too few topics for so many rounds; rounds that hold the same scores,
or whose variance no topic changes."""
