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
_MOST_LISTED = 40


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


def choose_measures(names: Iterable[str], selection: MeasureSelection, file: str) -> dict[str, str]:
    """Return the names in a file of the selected measures, by their names in the record.

    Any spelling of a measure counts, in any case; two in one file are refused, since runs may be
    spread over them. Of a name that the user gave for the file only an exact match counts. Of
    several measures those that the file lacks are left out, since a run may have a file for each
    measure. If none is named, all but counts such as num_ret are taken, under their own names.
    """
    names = list(dict.fromkeys(names))
    if not selection.measures:
        return _all_measures(names, file)
    if len(names) > _MAX_MEASURES:
        reason = f"the file names {len(names)} measures; check which column holds them"
        raise BadFileError(reason, file, way_out="too many measures")
    chosen = {
        measure: name
        for measure in selection.measures
        if (name := _spelling(names, measure, selection.file_measure, file)) is not None
    }
    if chosen:
        return chosen
    if len(selection.measures) > 1:
        reason = f"the file holds none of {selection}, but {_listed(names)}"
        raise BadFileError(reason, file, way_out="name the measures")
    if len(names) == 1:
        reason = f"the file holds the measure {_listed(names)}, not {selection}"
        raise BadFileError(reason, file, way_out="another measure")
    reason = f"the file holds no measure {selection}, but {_listed(names)}"
    raise BadFileError(reason, file, way_out="other measures")


def _spelling(names: list[str], measure: str, file_measure: str | None, file: str) -> str | None:
    """Return the name of a measure among those in a file, None without one."""
    if file_measure is None:
        key = measure_key(measure)
        fitting = [name for name in names if measure_key(name) == key]
    else:
        measure = file_measure
        fitting = [name for name in names if name == file_measure]
    if len(fitting) > 1:
        reason = f"the measures {_listed(fitting)} of this file could all be {measure}"
        raise BadFileError(reason, file, way_out="several measures")
    return fitting[0] if fitting else None


def _all_measures(names: list[str], file: str) -> dict[str, str]:
    chosen = {name: name for name in names if not _NO_SCORES.fullmatch(name)}
    by_key: dict[str, str] = {}
    for name in chosen:
        if (first := by_key.setdefault(measure_key(name), name)) != name:
            raise BadFileError(
                f"{first} and {name} are one measure", file, way_out="name the measures"
            )
    if not chosen:
        raise BadFileError(
            f"the file holds no measure, but {_listed(names)}", file, way_out="name the measures"
        )
    return chosen


def _listed(names: list[str]) -> str:
    """Return a printable list of names, cut after many, with the number of the rest."""
    more = len(names) - _MOST_LISTED
    short = [name if name.isprintable() and len(name) <= 80 else quoted(name) for name in names]
    return ", ".join(short[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
