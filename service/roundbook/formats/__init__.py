"""Readers of score files, in each of the `LAYOUTS`, and of team files.

Whatever the bytes, a call returns its result or raises one of `roundbook.errors` that names the
position in the file: BadFileError, where a docstring names no other. `wide`, `long` and `tools` read
the layouts; `reader` chooses between them.
"""

from roundbook.formats.matrix import ScoreMatrix
from roundbook.formats.missing_scores import CompleteMatrix, apply_missing_policy
from roundbook.formats.name_tables import RunTeam, RunTeams, read_teams
from roundbook.formats.reader import LAYOUTS, read_measures, read_scores
from roundbook.formats.text import sent_to

__all__ = [
    "LAYOUTS",
    "CompleteMatrix",
    "RunTeam",
    "RunTeams",
    "ScoreMatrix",
    "apply_missing_policy",
    "read_measures",
    "read_scores",
    "read_teams",
    "sent_to",
]
