"""Studies: analyses of the scores of a round, of several rounds, or of files."""
