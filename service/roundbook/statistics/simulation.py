"""Simulated score matrices: for demonstrations, never to be taken for real rounds.

The model: on the logit scale, the score of system i on topic j in a round is

    hardness_j + ability_i + interaction_ij + lift + noise_ij

and the score is its inverse logit, so it lies in (0, 1). Systems of one team share part of their
ability and of their interaction with each topic. A system that comes back has the same ability and
interactions; only the noise is new. `lift` is what all systems of a round have become better by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from roundbook.statistics.score_matrix import Floats, Ints

# Standard deviations on the logit scale.
_HARDNESS, _HARDNESS_MEAN = 0.9, -0.4
_TEAM_ABILITY, _SYSTEM_ABILITY = 0.5, 0.2
_TEAM_INTERACTION, _SYSTEM_INTERACTION = 0.5, 0.4
_NOISE = 0.25


@dataclass(frozen=True, eq=False)
class SimulatedField:
    """All topics and systems of a simulated campaign, on the logit scale.

    Attributes
    ----------
    hardness : (topics,) float array
        Lower is harder.
    abilities : (systems,) float array
    interactions : (topics, systems) float array
    teams : (systems,) int array
        Team of each system.
    """

    hardness: Floats
    abilities: Floats
    interactions: Floats
    teams: Ints


def simulate_field(generator: np.random.Generator, topics: int, teams: Ints) -> SimulatedField:
    """Draw the topics and systems of a campaign.

    Parameters
    ----------
    teams : (systems,) int array
        Team of each system, numbered from 0.
    """
    count = int(teams.max()) + 1
    hardness = generator.normal(_HARDNESS_MEAN, _HARDNESS, topics)
    team_ability = generator.normal(0, _TEAM_ABILITY, count)
    team_interaction = generator.normal(0, _TEAM_INTERACTION, (topics, count))
    return SimulatedField(
        hardness,
        team_ability[teams] + generator.normal(0, _SYSTEM_ABILITY, teams.size),
        team_interaction[:, teams] + generator.normal(0, _SYSTEM_INTERACTION, (topics, teams.size)),
        teams,
    )


def simulate_round(
    generator: np.random.Generator,
    field: SimulatedField,
    topics: Ints,
    systems: Ints,
    lift: float = 0.0,
) -> Floats:
    """Simulate the score matrix of a round.

    Parameters
    ----------
    topics, systems : int arrays
        Which of the field's take part.
    lift : float
        What all systems have become better by, logit scale.

    Returns
    -------
    (topics, systems) float array in (0, 1), four decimals as evaluation tools print them
    """
    noise = generator.normal(0, _NOISE, (topics.size, systems.size))
    logits = (
        field.hardness[topics, np.newaxis]
        + field.abilities[systems]
        + field.interactions[np.ix_(topics, systems)]
        + lift
        + noise
    )
    scores: Floats = scipy.special.expit(logits)
    return scores.round(4)
