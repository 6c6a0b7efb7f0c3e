"""Results as charts: what is drawn as points, pure functions from results, and drawing them.

Each subject has a function that returns its points, a mapping each, and one that draws them. Only
the drawing needs Altair and vl-convert, which come with the extra ``charts``.
"""
