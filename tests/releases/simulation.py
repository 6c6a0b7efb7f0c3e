"""Simulated score matrices of a release's campaign, never to be taken for real rounds.

The model: on the logit scale, the score of run i on topic j is

    hardness_j + ability_i + interaction_ij,   interaction_ij ~ Normal(0, spread^2)

and the score is its inverse logit, so it lies in (0, 1). Abilities are evenly spaced normal
quantiles around their centre rather than draws, so that two rounds whose centres are equal
differ by the interactions alone: factors move only where the centre is moved.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtri

from roundbook.errors import ImpossibleStatisticError


def simulate_scores(
    generator: np.random.Generator,
    hardness: npt.NDArray[np.float64],
    runs: int,
    *,
    centre: float = 0.0,
    ability_sd: float = 0.6,
    spread: float = 0.7,
) -> npt.NDArray[np.float64]:
    """Simulate one round's score matrix by the model above.

    Parameters
    ----------
    generator : numpy.random.Generator
    hardness : (topics,) float array, logit scale; lower is harder
    runs : int, at least 1
    centre : float
        Mean ability of the runs, logit scale.
    ability_sd, spread : float
        Sd of the runs' abilities and of the interactions, logit scale.

    Returns
    -------
    (topics, runs) float array in (0, 1), four decimals as evaluation tools print them

    Raises
    ------
    ImpossibleStatisticError
        When there is no run or no topic.
    """
    if runs < 1 or hardness.size < 1:
        raise ImpossibleStatisticError("A simulated round needs at least one run and one topic.")
    ability = centre + ability_sd * ndtri((np.arange(runs) + 0.5) / runs)
    interaction = generator.normal(0.0, spread, (hardness.size, runs))
    scores: npt.NDArray[np.float64] = expit(hardness[:, None] + ability[None, :] + interaction)
    return scores.round(4)
