"""Pseudonyms of teams and runs, for results shown before a round is published."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, text

from roundbook.errors import RecordError
from roundbook.logbook.lookup import read_round


class Pseudonyms(NamedTuple):
    """The pseudonyms of a round's teams and runs.

    ``teams`` maps a team's name to ``team 3``, ``runs`` a tag to ``team3-run2``, or to ``run7`` if
    the team is unknown. ``runs`` is in the order of the pseudonyms.
    """

    teams: dict[str, str]
    runs: dict[str, str]

    def order(self, tags: Sequence[str]) -> list[int]:
        """Return the indices of the tags in the order of their pseudonyms.

        The order in which runs were logged would often give away their names.
        """
        position = {tag: index for index, tag in enumerate(self.runs)}
        return sorted(range(len(tags)), key=lambda index: position[tags[index]])

    def hide(
        self, tags: Sequence[str], scores: npt.NDArray[np.float64]
    ) -> tuple[list[str], npt.NDArray[np.float64]]:
        """Return the sorted pseudonyms of runs, and the (topics, runs) scores in the same order."""
        order = self.order(tags)
        return [self.runs[tags[index]] for index in order], scores[:, order]


def draft_pseudonyms(connection: Connection, round_id: int) -> Pseudonyms:
    """Return the pseudonyms of a draft round's teams and runs, the same for every measure.

    They are numbered by a hash with the round's secret key, so that the numbers reveal nothing of
    the names. Teams and runs that come with a later matrix get later numbers, so that numbers stay,
    unless the team of a run becomes known after it was logged. A published round is refused.
    """
    row = read_round(connection, round_id)
    if row.status == "published":
        raise RecordError(
            f"Round '{row.label}' is published, and its team names are public with it.",
            way_out="not anonymous",
            round=row.label,
        )
    key: UUID = row.pseudonym_key
    rows = connection.execute(text(_RUNS), {"round": round_id}).all()

    def hashed(kind: bytes, name: str) -> bytes:
        return blake2b(name.encode(), key=key.bytes, person=kind, digest_size=16).digest()

    runs = sorted((row.first, hashed(b"run", row.tag), row.tag, row.team) for row in rows)
    first: dict[str, int] = {}
    for matrix_id, _, _, team in runs:
        if team is not None:
            first.setdefault(team, matrix_id)
    teams = sorted(first, key=lambda name: (first[name], hashed(b"team", name)))
    number = {name: index for index, name in enumerate(teams, 1)}
    of_team = dict.fromkeys(teams, 0)
    named: list[tuple[tuple[float, int], str, str]] = []
    for index, (_, _, tag, team) in enumerate(runs, 1):
        if team is None:
            named.append(((float("inf"), index), tag, f"run{index}"))
            continue
        of_team[team] += 1
        name = f"team{number[team]}-run{of_team[team]}"
        named.append(((number[team], of_team[team]), tag, name))
    return Pseudonyms(
        {name: f"team {index}" for name, index in number.items()},
        {tag: name for _, tag, name in sorted(named)},
    )


_RUNS = """
SELECT run.tag, team.name AS team, min(matrix_run.matrix_id) AS first
FROM roundbook.matrix
JOIN roundbook.matrix_run ON matrix_run.matrix_id = matrix.id
JOIN roundbook.run ON run.id = matrix_run.run_id
LEFT JOIN roundbook.team ON team.id = run.team_id
WHERE matrix.round_id = :round
GROUP BY run.tag, team.name
"""
