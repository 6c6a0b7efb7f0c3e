"""Studies: statistical analyses of score matrices."""
