"""Studies: what the scores of a round bear."""
