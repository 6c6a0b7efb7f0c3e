"""Charts of results: pure functions that return the points of a chart, and functions that draw.

Each subject has a function that returns its points as mappings, and one that draws them. Only the
drawing needs Altair and vl-convert, which come with the extra ``charts``.
"""
