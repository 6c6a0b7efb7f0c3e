"""Which measures to read from files that hold several, and what these call them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from roundbook.errors import BadFileError
from roundbook.formats.measures import choose_measure, listed
from roundbook.measure_names import measure_key

# What tools count or copy per topic, which scores no run.
_NO_SCORES = re.compile(r"num_\w+|relstring\w*|runid|Num(?:Q|Rel|Ret)(?:\(.*\))?", re.IGNORECASE)
# That a file lacks a measure, where it holds one other and where it holds several.
_ABSENT = frozenset({"another measure", "other measures"})


class WantedMeasures(NamedTuple):
    """The measures to read: their names in the record, none of them for all that files hold.

    `file_measure` is the name in the files of the only one, where the user gave it.
    """

    measures: tuple[str, ...]
    file_measure: str | None = None

    def __str__(self) -> str:
        return self.file_measure or ", ".join(self.measures)

    def only(self, file: str) -> str:
        """Return the only one, which the scores of a file that names no measure are of."""
        if len(self.measures) != 1:
            raise BadFileError("the file names no measure", file, way_out="one measure a file")
        return self.measures[0]


def choose_measures(names: Iterable[str], wanted: WantedMeasures, file: str) -> dict[str, str]:
    """Return the names in a file of the measures that are wanted, by these.

    Of several, those that the file lacks are left out: a run may have a file a measure. All are
    all but what tools count, such as num_ret, under their own names.

    Raises
    ------
    BadFileError
        If no measure of the file fits, or several do.
    """
    names = list(dict.fromkeys(names))
    if len(wanted.measures) == 1:
        (measure,) = wanted.measures
        return {measure: choose_measure(names, measure, wanted.file_measure, file)}
    chosen: dict[str, str] = {}
    for measure in wanted.measures:
        try:
            chosen[measure] = choose_measure(names, measure, None, file)
        except BadFileError as error:
            if error.way_out is None or error.way_out.code not in _ABSENT:
                raise
    if not wanted.measures:
        chosen = {name: name for name in names if not _NO_SCORES.fullmatch(name)}
        by_key: dict[str, str] = {}
        for name in chosen:
            if (first := by_key.setdefault(measure_key(name), name)) != name:
                raise BadFileError(
                    f"{first} and {name} are one measure", file, way_out="name the measures"
                )
    if not chosen:
        none_of = f"none of {wanted}" if wanted.measures else "no measure"
        raise BadFileError(
            f"the file holds {none_of}, but {listed(names)}", file, way_out="name the measures"
        )
    return chosen
