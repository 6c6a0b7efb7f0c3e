"""Residual variances of score matrices, with intervals that follow from what is kept of each.

:mod:`~roundbook.statistics.variance.parts` says what is kept,
:mod:`~roundbook.statistics.variance.interval` gives the interval of one round, and
:mod:`~roundbook.statistics.variance.pooled` that of several.
"""
