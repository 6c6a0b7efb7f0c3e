"""Which of a file's measures the user means."""

from __future__ import annotations

from collections.abc import Iterable

from roundbook.errors import BadFileError
from roundbook.formats.table import shown
from roundbook.measure_names import in_any_case, measure_key

_MAX_MEASURES = 10_000


def choose_measure(names: Iterable[str], measure: str, file_measure: str | None, file: str) -> str:
    """Return the one of a file's measures that the user means.

    Parameters
    ----------
    names : iterable of str
        The names in the file.
    measure : str
        The measure's name in the record; tried exactly, then in any case, then by its other
        spellings.
    file_measure : str or None
        The name in the file, if the user gave it; only an exact match counts.
    file : str

    Raises
    ------
    BadFileError
        If no measure of the file fits, or several do.
    """
    names = list(dict.fromkeys(names))
    if len(names) > _MAX_MEASURES:
        raise BadFileError(
            f"the file names {len(names)} measures; check which column holds them",
            file,
            way_out="too many measures",
        )
    wanted = measure if file_measure is None else file_measure
    if wanted in names:
        return wanted
    if file_measure is None:
        for spelt in (in_any_case, measure_key):
            fitting = [name for name in names if spelt(name) == spelt(wanted)]
            if len(fitting) > 1:
                raise BadFileError(
                    f"the measures {listed(fitting)} of this file could all be {wanted}",
                    file,
                    way_out="several measures",
                )
            if fitting:
                return fitting[0]
    if len(names) == 1:
        raise BadFileError(
            f"the file holds the measure {listed(names)}, not {wanted}",
            file,
            way_out="another measure",
        )
    raise BadFileError(
        f"the file holds no measure {wanted}, but {listed(names)}",
        file,
        way_out="other measures",
    )


def listed(names: list[str], limit: int = 40) -> str:
    """Return names one after another, as they can be printed, and how many more there are."""
    more = len(names) - limit
    short = [name if name.isprintable() and len(name) <= 80 else shown(name) for name in names]
    return ", ".join(short[:limit]) + (f" and {more} more" if more > 0 else "")
