"""Studies of score matrices: what the scores of a round bear."""
