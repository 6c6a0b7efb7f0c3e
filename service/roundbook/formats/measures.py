"""The choice of measures from files that hold several, under the files' own names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from roundbook.errors import BadFileError
from roundbook.formats.table import quoted
from roundbook.measure_names import measure_key

_MAX_MEASURES = 10_000
# Counts and copies that tools print by topic, which are no scores of runs.
_NO_SCORES = re.compile(r"num_\w+|relstring\w*|runid|Num(?:Q|Rel|Ret)(?:\(.*\))?", re.IGNORECASE)
# Ways out of the errors that a file lacks a measure, with one other or several in it.
_ABSENT = frozenset({"another measure", "other measures"})


class MeasureSelection(NamedTuple):
    """The measures to read, by their names in the record; empty for all that files hold.

    `file_measure` is the name in the files of a single measure, if the user gave it.
    """

    measures: tuple[str, ...]
    file_measure: str | None = None

    def __str__(self) -> str:
        return self.file_measure or ", ".join(self.measures)

    def only(self, file: str) -> str:
        """Return the single measure, to which scores in a file without measure names belong."""
        if self.file_measure is not None:
            raise BadFileError("the file names no measure", file, way_out="no measure in the file")
        if len(self.measures) != 1:
            raise BadFileError("the file names no measure", file, way_out="one measure a file")
        return self.measures[0]


def choose_measure(names: Iterable[str], measure: str, file_measure: str | None, file: str) -> str:
    """Return the name in a file of the measure to read.

    Parameters
    ----------
    names : iterable of str
        The names in the file.
    measure : str
        The measure's name in the record; any of its spellings counts, in any case.
    file_measure : str or None
        The name in the file, if the user gave it; only an exact match counts.
    """
    names = list(dict.fromkeys(names))
    if len(names) > _MAX_MEASURES:
        raise BadFileError(
            f"the file names {len(names)} measures; check which column holds them",
            file,
            way_out="too many measures",
        )
    if file_measure is None:
        key = measure_key(measure)
        fitting = [name for name in names if measure_key(name) == key]
    else:
        measure = file_measure
        fitting = [name for name in names if name == file_measure]
    if len(fitting) > 1:
        raise BadFileError(
            f"the measures {listed(fitting)} of this file could all be {measure}",
            file,
            way_out="several measures",
        )
    if fitting:
        return fitting[0]
    if len(names) == 1:
        raise BadFileError(
            f"the file holds the measure {listed(names)}, not {measure}",
            file,
            way_out="another measure",
        )
    raise BadFileError(
        f"the file holds no measure {measure}, but {listed(names)}",
        file,
        way_out="other measures",
    )


def listed(names: list[str], limit: int = 40) -> str:
    """Return a printable list of names, cut after `limit`, with the number of the rest."""
    more = len(names) - limit
    short = [name if name.isprintable() and len(name) <= 80 else quoted(name) for name in names]
    return ", ".join(short[:limit]) + (f" and {more} more" if more > 0 else "")


def choose_measures(names: Iterable[str], selection: MeasureSelection, file: str) -> dict[str, str]:
    """Return the names in a file of the selected measures, by their names in the record.

    Of several measures those that the file lacks are left out, since a run may have a file for
    each measure. If none is named, all but counts such as num_ret are taken, under their own
    names.
    """
    names = list(dict.fromkeys(names))
    if len(selection.measures) == 1:
        (measure,) = selection.measures
        return {measure: choose_measure(names, measure, selection.file_measure, file)}
    chosen: dict[str, str] = {}
    for measure in selection.measures:
        try:
            chosen[measure] = choose_measure(names, measure, None, file)
        except BadFileError as error:
            if error.way_out is None or error.way_out.code not in _ABSENT:
                raise
    if not selection.measures:
        chosen = {name: name for name in names if not _NO_SCORES.fullmatch(name)}
        by_key: dict[str, str] = {}
        for name in chosen:
            if (first := by_key.setdefault(measure_key(name), name)) != name:
                raise BadFileError(
                    f"{first} and {name} are one measure", file, way_out="name the measures"
                )
    if not chosen:
        none_of = f"none of {selection}" if selection.measures else "no measure"
        raise BadFileError(
            f"the file holds {none_of}, but {listed(names)}", file, way_out="name the measures"
        )
    return chosen
