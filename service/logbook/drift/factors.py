"""The comparison of two rounds' factors, with no figure in it that no float holds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from service.statistics.drift import Drift, factor_drift
from service.statistics.t_interval import Interval


def compare_factors(
    factors: npt.NDArray[np.float64], *, margin: float, sd_ratio_margin: float
) -> Drift:
    """Return how far the factors of the bridges moved.

    Parameters
    ----------
    factors : (4, bridges) float array
        Earlier means and sds, later means and sds.
    """
    # Shifts over sds near the least of all floats can spread beyond the largest; their interval
    # is then infinite, which is to say not known.
    with np.errstate(over="ignore"):
        drift = factor_drift(*factors, margin=margin, sd_ratio_margin=sd_ratio_margin)
    return replace(
        drift,
        mean_shift_95=_finite(drift.mean_shift_95),
        mean_shift_90=_finite(drift.mean_shift_90),
        sd_ratio_95=_finite(drift.sd_ratio_95),
        sd_ratio_90=_finite(drift.sd_ratio_90),
    )


def _finite(interval: Interval | None) -> Interval | None:
    return interval if interval is not None and all(map(math.isfinite, interval)) else None
