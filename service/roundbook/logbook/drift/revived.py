"""Revived systems: the same system run in two rounds is a bridge even when topics differ."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from roundbook.logbook.drift.ends import End
from roundbook.logbook.result import Result
from roundbook.statistics.drift.recurring_systems import RecurringDrift, recurring_drift
from roundbook.statistics.standardisation.factors import ZeroSd, standardise

_WORDS = {
    "held": "they stand where they stood, so the field around them is as it was",
    "aged": "they do not stand where they stood, so a standardised score no longer means the same",
    "undecided": "whether they stand where they stood cannot be told",
}


class RevivedSystem(Result):
    """A system of both rounds: its mean standardised score (std), each by its round's factors.

    With several runs of it in a round, the mean over them.
    """

    system: str
    runs_from: list[str]
    runs_to: list[str]
    mean_from: float
    mean_to: float
    difference: float


class Revived(Result):
    """How far revived systems moved, in sds of each topic's runs, and what that says of drift.

    Each mean is over all topics of its round, shared or not. Intervals are by t over systems.
    """

    verdict: str
    reason: str
    mean_difference: float | None
    mean_difference_95: tuple[float, float] | None
    mean_difference_90: tuple[float, float] | None
    margin: float
    systems: list[RevivedSystem]


def revived(old: End, new: End, margin: float) -> Revived | None:
    """Compare the systems that ran in both rounds; None where there are none.

    Parameters
    ----------
    margin : float
        Largest mean difference that does not matter, in sds.
    """
    before, after = _by_system(old), _by_system(new)
    names = [name for name in before if name in after]
    if not names:
        return None
    ends = ((old, before), (new, after))
    # An sd of 0 places no run: without any other, all would stand at 0 whatever they did.
    flat = [end.fitted.round for end, _ in ends if not (end.sd > 0).any()]
    if flat:
        return Revived(
            verdict="unbridged",
            reason=f"{_systems(len(names))} ran in both rounds, but no topic of round '{flat[0]}'"
            " has an sd above 0, so nothing can be said of them.",
            mean_difference=None,
            mean_difference_95=None,
            mean_difference_90=None,
            margin=margin,
            systems=[],
        )
    means = [
        [float(std[columns[name]].mean()) for name in names]
        for std, columns in ((_run_means(end), columns) for end, columns in ends)
    ]
    found = recurring_drift(*means, margin=margin)
    return Revived(
        verdict=found.verdict,
        reason=_reason(found),
        mean_difference=found.mean_difference,
        mean_difference_95=found.mean_difference_95,
        mean_difference_90=found.mean_difference_90,
        margin=margin,
        systems=[
            RevivedSystem(
                system=name,
                runs_from=[old.runs[run] for run in before[name]],
                runs_to=[new.runs[run] for run in after[name]],
                mean_from=first,
                mean_to=later,
                difference=later - first,
            )
            for name, first, later in zip(names, *means, strict=True)
        ],
    )


def _by_system(end: End) -> dict[str, list[int]]:
    columns: dict[str, list[int]] = {}
    for place, system in enumerate(end.systems):
        if system is not None:
            columns.setdefault(system, []).append(place)
    return columns


def _run_means(end: End) -> npt.NDArray[np.float64]:
    policy: ZeroSd = "drop" if end.fitted.zero_sd == "drop" else "average"
    std = standardise(end.scores, end.mean, end.sd, policy)
    return np.asarray(std[~np.isnan(std[:, 0])].mean(axis=0))


def _reason(found: RecurringDrift) -> str:
    interval = "no interval exists for one"
    if found.mean_difference_95:
        low, high = found.mean_difference_95
        interval = f"95% interval {low:.3f} to {high:.3f}"
    return (
        f"{_systems(found.systems)} ran in both rounds; their mean standardised score, each by its"
        f" own round's factors, moved by {found.mean_difference:+.3f} sds ({interval}; up to"
        f" {found.margin:g} does not matter): {_WORDS[found.verdict]}."
    )


def _systems(number: int) -> str:
    return "One system" if number == 1 else f"{number} systems"
