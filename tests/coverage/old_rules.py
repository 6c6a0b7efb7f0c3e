"""The rules that the jackknife replaced, for the columns called `before`."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc, gammainccinv, gammaincinv, stdtrit

RESAMPLES = 500


def old_drift(scores_from, scores_to, margin=0.2, sd_ratio_margin=1.25):
    """The t intervals over topics that took runs for fixed: 95% of the mean shift, and verdict."""
    used = scores_from.std(axis=1) > 0
    sd_from, sd_to = (scores[used].std(axis=1, ddof=1) for scores in (scores_from, scores_to))
    shifts = (scores_to[used].mean(axis=1) - scores_from[used].mean(axis=1)) / sd_from
    logs = np.log(sd_to[sd_to > 0] / sd_from[sd_to > 0])
    values = ((shifts, margin), (logs, np.log(sd_ratio_margin)))
    if any(_outside(_t_interval(value, 0.95), limit) for value, limit in values):
        verdict = "aged"
    elif all(np.abs(_t_interval(value, 0.90)).max() < limit for value, limit in values):
        verdict = "held"
    else:
        verdict = "undecided"
    return _t_interval(shifts, 0.95), verdict


def chi_square(variance, dof):
    """The 95% interval of a variance as if every score were independent and normal."""
    half = dof * variance / 2
    return half / gammainccinv(dof / 2, 0.025), half / gammaincinv(dof / 2, 0.025)


def bootstrap(generator, *matrices):
    """The percentile interval of V_E, pooled over matrices, by drawing topics anew in each."""
    pooled = sum(_resampled(generator, scores) for scores in matrices)
    return tuple(np.quantile(pooled / sum(map(_dof, matrices)), (0.025, 0.975)))


def bartlett(variances, dofs):
    """The p-value of Bartlett's test that variances are equal."""
    variances, dofs = np.asarray(variances), np.asarray(dofs)
    pooled = variances @ dofs / dofs.sum()
    groups = len(dofs) - 1
    correction = 1 + ((1 / dofs).sum() - 1 / dofs.sum()) / (3 * groups)
    return chdtrc(groups, dofs @ np.log(pooled / variances) / correction)


def _t_interval(values, level):
    half = stdtrit(len(values) - 1, (1 + level) / 2) * values.std(ddof=1) / np.sqrt(len(values))
    return values.mean() - half, values.mean() + half


def _outside(interval, margin):
    return interval[0] > margin or interval[1] < -margin


def _resampled(generator, scores):
    """Sums of squares about run means, of `RESAMPLES` draws of topics."""
    topics = len(scores)
    centred = scores - scores.mean(axis=0)
    weights = generator.multinomial(topics, np.full(topics, 1 / topics), RESAMPLES)
    return weights @ (centred**2).sum(axis=1) - ((weights @ centred) ** 2).sum(axis=1) / topics


def _dof(scores):
    return scores.shape[1] * (len(scores) - 1)
