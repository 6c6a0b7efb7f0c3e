"""Residual variances of score matrices, with intervals computed from their stored parts.

:mod:`~roundbook.statistics.variance.parts` computes the parts that are stored,
:mod:`~roundbook.statistics.variance.interval` gives the interval of one round, and
:mod:`~roundbook.statistics.variance.pooled` that of several.
"""
