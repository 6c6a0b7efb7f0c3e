"""What drift does to the later round's runs: the same scores by the earlier and later factors."""

from __future__ import annotations

import numpy as np

from roundbook.errors import ImpossibleStatisticError
from roundbook.logbook.drift.ends import End
from roundbook.logbook.result import Result
from roundbook.statistics.design import solve_topics
from roundbook.statistics.design.inputs import check_counts, check_sizes
from roundbook.statistics.drift.consequence import UnderFactors as Under
from roundbook.statistics.drift.consequence import drift_consequence

_ALPHA, _BETA = 0.05, 0.20
_MOST_RUNS = 1_000_000


class UnderFactors(Result):
    """The runs' scores on std-AB by one round's factors.

    `clipped_at_0` and `clipped_at_1` are the shares of scores beyond 0 and 1; `variance` is the
    one-way residual variance, and `topics_needed` the topic set size that it implies. Where one
    of the two does not exist, `reason` says why.
    """

    mean: float
    clipped_at_0: float
    clipped_at_1: float
    variance: float | None
    topics_needed: int | None
    reason: str | None


class Consequence(Result):
    """The later round's runs on the bridges, by the earlier round's factors and by its own.

    `bias` is how much the earlier factors flatter these runs on average, `kendall_tau` (tau-b)
    how alike the two rankings of the runs are. The topic set sizes are for comparing `m` runs
    with a smallest difference `min_d` worth detecting on the std-AB scale (one-way ANOVA).
    """

    topics: int
    runs: int
    zero_sd: str
    a: float
    b: float
    earlier: UnderFactors
    later: UnderFactors
    bias: float
    kendall_tau: float | None
    kendall_tau_reason: str | None
    m: int
    min_d: float
    alpha: float
    beta: float
    engine: str


def check_design(m: int, min_d: float) -> None:
    """Refuse a number of runs or a difference for which there is no topic set size."""
    if m > _MOST_RUNS:
        raise ImpossibleStatisticError(
            f"A topic set is planned for at most {_MOST_RUNS:,} runs --m."
        )
    check_counts("A number of runs --m", np.array(m, dtype=float))
    check_sizes("A minD", np.array(min_d, dtype=float))


def consequence(
    old: End, before: list[int], new: End, after: list[int], *, m: int, min_d: float
) -> Consequence:
    """Standardise the later round's runs on the bridges by both rounds' factors.

    All runs of the later round count, whether or not they standardise.

    Parameters
    ----------
    before, after : list of int
        The bridges' places among the topics of `old` and of `new`.

    Raises
    ------
    ImpossibleStatisticError
        When no bridge can be standardised by both.
    """
    policies = {old.fitted.zero_sd, new.fitted.zero_sd}
    compared = drift_consequence(
        new.scores[after],
        old.mean[before],
        old.sd[before],
        new.mean[after],
        new.sd[after],
        # The same topics under both, so the policy that leaves some out rules.
        zero_sd="drop" if "drop" in policies else "average",
    )
    no_tau = None
    if compared.kendall_tau is None:
        no_tau = "A ranking needs at least two runs." if compared.runs < 2 else "All runs tie."
    return Consequence(
        topics=compared.topics,
        runs=compared.runs,
        zero_sd=compared.zero_sd,
        a=compared.a,
        b=compared.b,
        earlier=_under(compared.earlier, m, min_d),
        later=_under(compared.later, m, min_d),
        bias=compared.bias,
        kendall_tau=compared.kendall_tau,
        kendall_tau_reason=no_tau,
        m=m,
        min_d=min_d,
        alpha=_ALPHA,
        beta=_BETA,
        engine="exact",
    )


def consequence_sentences(done: Consequence, from_round: str) -> list[str]:
    """Return what the later round's runs gain or lose by the earlier round's factors."""
    side = "higher" if done.bias >= 0 else "lower"
    tau = f"cannot be said: {done.kendall_tau_reason}"
    if done.kendall_tau is not None:
        tau = f"{done.kendall_tau:.3f}, where 1 is the same order."
    reasons = {under.reason for under in (done.earlier, done.later) if under.reason}
    return [
        f"By the factors of '{from_round}' they score {abs(done.bias):.4f} {side} on average.",
        f"Kendall's tau of the two rankings of the runs: {tau}",
        f"Topics needed: for a one-way ANOVA of {done.m} runs, the best and the worst of them"
        f" {done.min_d:g} apart on std-AB, at alpha {done.alpha:g} and beta {done.beta:g}.",
        *sorted(reasons),
    ]


def _under(under: Under, m: int, min_d: float) -> UnderFactors:
    topics, reason = None, None
    if under.residual_variance is None:
        reason = "A variance over topics needs at least two topics."
    elif under.residual_variance == 0:
        reason = "The variance is 0: no topic set size follows from it."
    else:
        try:
            size = solve_topics(
                "anova", min_d, under.residual_variance, _ALPHA, _BETA, engine="exact", runs=m
            )
            topics = int(size.topics)
        except ImpossibleStatisticError as error:
            reason = str(error)
    return UnderFactors(
        mean=under.mean,
        clipped_at_0=under.clipped_at_0,
        clipped_at_1=under.clipped_at_1,
        variance=under.residual_variance,
        topics_needed=topics,
        reason=reason,
    )
