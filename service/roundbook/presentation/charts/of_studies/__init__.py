"""Charts of studies: `drawn_points` and `draw` of each, in the module named after it."""
