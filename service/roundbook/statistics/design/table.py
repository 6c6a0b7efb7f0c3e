"""The table of all topic set size designs.

Designs differ in degrees of freedom; with n topics and m runs, residual variance V and
``lambda = n minD^2 / (2 V)``:

- one-way ANOVA: ``F'(m - 1, m (n - 1), lambda)`` against ``F(1 - alpha)``;
- two-way ANOVA, topics as blocks: ``F'(m - 1, (m - 1)(n - 1), lambda)`` against ``F(1 - alpha)``;
- Tukey HSD, best run against worst: ``|t'((m - 1)(n - 1), sqrt(lambda))|`` against
  ``q(1 - alpha; m, (m - 1)(n - 1)) / sqrt(2)``, q the studentized range quantile;
- paired t: ``|t'(n - 1, sqrt(lambda))|`` against ``t(1 - alpha/2)``;
- two-sample t: ``|t'(2n - 2, sqrt(lambda))|`` against ``t(1 - alpha/2)``;
- interval of a paired difference, its expected full width:
  ``2 t(1 - alpha/2; n - 1) G(n - 1) sqrt(2 V / n)``;
- interval of a two-sample difference: ``2 t(1 - alpha/2; 2n - 2) G(2n - 2) sqrt(2 V / n)``;

with G of :func:`roundbook.statistics.design.distributions.expected_sd`. Two-way ANOVA and Tukey HSD of two
runs are the paired t test, one-way ANOVA of two runs is the two-sample t test.

V is the two-way residual variance V_2 where the runs share their topics: the mean of ``var(x_i -
x_k)`` over all pairs of runs is ``2 V_2`` (ddof 1). For paired designs the published practice is
the one-way residual variance V_E instead, which is conservative. Runs with topics of their own take
V_E. An expected width is exact from normal scores: there the engines coincide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from roundbook.statistics.design.distributions import (
    F_MISS,
    T_MISS,
    Engine,
    critical_t,
    expected_sd,
    range_quantile,
)
from roundbook.statistics.score_matrix import Floats

Design = Literal[
    "anova", "two-way", "tukey", "paired-t", "two-sample-t", "paired-width", "two-sample-width"
]
Miss = Callable[[Engine, Floats, Floats, Floats, Floats], Floats]
_TWO = np.asarray(2.0)


@dataclass(frozen=True)
class DesignKind:
    """The properties of a design.

    Attributes
    ----------
    title : str
        Its name in a sentence.
    label : str
        Its short name in a list.
    fits : str
        The experiment it fits, as a phrase.
    takes_runs : bool
        Whether it has a number of runs m; all others compare two.
    shares_topics : bool
        Whether all runs have the same topics, so that its variance is V_2.
    sakai_published : bool
        Whether the engine `sakai` is what published spreadsheets compute, and not their
        approximation applied to a design without a spreadsheet.
    miss : callable or None
        ``miss(engine, topics, runs, effect, alpha)`` is the type II error probability, with the
        effect ``minD^2 / (2 variance)``; unchecked, same shapes. None for an interval width.
    enough : callable or None
        ``enough(runs, alpha, beta)`` is the noncentrality that suffices if the variance is known,
        the limit for many topics. None for an interval width.
    unit_width : callable or None
        ``unit_width(topics, alpha)`` is the expected full width of the interval in units of the
        residual sd. None for a test.
    """

    title: str
    label: str
    fits: str
    takes_runs: bool = False
    shares_topics: bool = False
    sakai_published: bool = True
    miss: Miss | None = None
    enough: Callable[[Floats, Floats, Floats], Floats] | None = None
    unit_width: Callable[[Floats, Floats], Floats] | None = None


Dof = Callable[[Floats, Floats], Floats]


def _own_topics(topics: Floats, runs: Floats) -> Floats:
    return runs * (topics - 1)


def _same_topics(topics: Floats, runs: Floats) -> Floats:
    return (runs - 1) * (topics - 1)


def _f_test(dof: Dof) -> Miss:
    def miss(engine: Engine, topics: Floats, runs: Floats, effect: Floats, alpha: Floats) -> Floats:
        return F_MISS[engine](runs - 1, dof(topics, runs), topics * effect, alpha)

    return miss


def _t_test(dof: Dof) -> Miss:
    def miss(
        engine: Engine, topics: Floats, _runs: Floats, effect: Floats, alpha: Floats
    ) -> Floats:
        phi = dof(topics, _TWO)
        return T_MISS[engine](phi, topics * effect, critical_t(phi, alpha))

    return miss


def _tukey_miss(
    engine: Engine, topics: Floats, runs: Floats, effect: Floats, alpha: Floats
) -> Floats:
    phi = _same_topics(topics, runs)
    return T_MISS[engine](phi, topics * effect, range_quantile(alpha, runs, phi) / np.sqrt(2))


def _enough_for_f(runs: Floats, alpha: Floats, beta: Floats) -> Floats:
    # phiA * F is chi-square then, whose noncentrality has an inverse.
    return np.asarray(
        scipy.special.chndtrinc(scipy.special.chdtri(runs - 1, alpha), runs - 1, beta),
        dtype=np.float64,
    )


def _enough_for_tukey(runs: Floats, alpha: Floats, beta: Floats) -> Floats:
    critical = range_quantile(alpha, runs, np.full(runs.shape, np.inf)) / np.sqrt(2)
    return np.asarray(np.square(np.maximum(critical - scipy.special.ndtri(beta), 0)))


def _enough_for_t(_runs: Floats, alpha: Floats, beta: Floats) -> Floats:
    return np.asarray(
        np.square(np.maximum(-scipy.special.ndtri(alpha / 2) - scipy.special.ndtri(beta), 0))
    )


def _width(dof: Dof) -> Callable[[Floats, Floats], Floats]:
    def unit_width(topics: Floats, alpha: Floats) -> Floats:
        phi = dof(topics, _TWO)
        return 2 * critical_t(phi, alpha) * expected_sd(phi) * np.sqrt(2 / topics)

    return unit_width


DESIGNS: dict[Design, DesignKind] = {
    "anova": DesignKind(
        "one-way ANOVA",
        "one-way (Sakai), other topics per system",
        "runs that each have topics of their own",
        takes_runs=True,
        miss=_f_test(_own_topics),
        enough=_enough_for_f,
    ),
    "two-way": DesignKind(
        "two-way ANOVA",
        "two-way F, topics as blocks",
        "runs on the same topics when the question is whether they differ at all (with 10 runs or"
        " more its F test finds differences too often)",
        takes_runs=True,
        shares_topics=True,
        sakai_published=False,
        miss=_f_test(_same_topics),
        enough=_enough_for_f,
    ),
    "tukey": DesignKind(
        "Tukey HSD test",
        "Tukey HSD, best against worst",
        "runs on the same topics when every pair of them is compared (recommended for 3 runs or"
        " more)",
        takes_runs=True,
        shares_topics=True,
        sakai_published=False,
        miss=_tukey_miss,
        enough=_enough_for_tukey,
    ),
    "paired-t": DesignKind(
        "paired t test",
        "paired t, same topics",
        "two runs on the same topics, chosen before their scores are seen",
        shares_topics=True,
        miss=_t_test(_same_topics),
        enough=_enough_for_t,
    ),
    "two-sample-t": DesignKind(
        "two-sample t test",
        "two-sample t, other topics per system",
        "two runs that each have topics of their own",
        miss=_t_test(_own_topics),
        enough=_enough_for_t,
    ),
    "paired-width": DesignKind(
        "interval of a paired difference",
        "width of a paired interval, same topics",
        "two runs on the same topics when the size of their difference is the question",
        shares_topics=True,
        unit_width=_width(_same_topics),
    ),
    "two-sample-width": DesignKind(
        "interval of a two-sample difference",
        "width of a two-sample interval, other topics per system",
        "two runs that each have topics of their own when the size of their difference is the"
        " question",
        unit_width=_width(_own_topics),
    ),
}
