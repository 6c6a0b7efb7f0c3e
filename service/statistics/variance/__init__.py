"""Residual variances of score matrices, with intervals that follow from what is kept of each.

:mod:`~service.statistics.variance.parts` says what is kept,
:mod:`~service.statistics.variance.interval` gives the interval of one round, and
:mod:`~service.statistics.variance.pooled` that of several.
"""
