"""Headers and cells of tables: known headings, strict numbers, printable names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from roundbook.errors import BadFileError
from roundbook.limits import LARGEST_SCORE

Scores = npt.NDArray[np.float64]
# A line and a column, counted from 1; and what gives them for the index of a cell.
Location = tuple[int, int | None]
Locate = Callable[[int], Location]

# A heading of a later group counts only if the file has none of an earlier group:
# it may have the topic's id and its text, or a run's tag and its system.
TOPIC_HEADERS = (("topic", "topic_id", "topicid", "query_id", "queryid", "qid"), ("query",))
RUN_HEADERS = (("run", "run_id", "runid", "run_tag", "runtag", "run_name", "tag"), ("system",))
# The run column only in a table of PyTerrier's, see `long`; elsewhere it may be any name.
PYTERRIER_RUN_HEADERS = (("name",),)
TEAM_HEADERS = (
    ("team", "team_id", "team_name"),
    ("group", "group_id", "participant", "organisation"),
)
MEASURE_HEADERS = (("measure", "metric"),)
VALUE_HEADERS = (("value", "score"),)
ANY_TOPIC_HEADER = frozenset(chain(*TOPIC_HEADERS))
ANY_RUN_HEADER = frozenset(chain(*RUN_HEADERS))
ANY_TEAM_HEADER = frozenset(chain(*TEAM_HEADERS))
ANY_VALUE_HEADER = frozenset(chain(*VALUE_HEADERS))
# A run called so is misread in a wide file.
COLUMN_HEADERS = ANY_TOPIC_HEADER | ANY_RUN_HEADER | ANY_VALUE_HEADER

MAX_NAME = 500
# Longer than any double needs; float() takes quadratic time on very long digit strings.
MAX_NUMBER = 400
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# float() also takes 1_000, nan, infinity and full-width digits: none passes these characters.
_PLAIN = re.compile(r"[0-9eE.+\- ]*")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")
_ABSENT = re.compile(r"[+-]?(?:nan|inf(?:inity)?)|n/?a|null|none|-+|\?", re.IGNORECASE)
# A group of three digits after a comma may be thousands, but not after a leading 0.
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
# Bytes that need no further check in a name.
_VISIBLE = bytes(range(33, 127))
# Control characters, and the invisible ones that make two names look the same:
# zero-width space, bidirectional marks, byte order mark; lone surrogates come from JSON escapes,
# U+FFFE from a byte order mark read backwards, and XML (charts, workbooks) has no U+FFFE or U+FFFF.
_UNFIT = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff"
    "\ud800-\udfff]"
)


def header_key(cell: str) -> str:
    """Return a header cell in the form in which headings are compared."""
    return cell.strip().lower().replace(" ", "_").replace("-", "_")


def quoted(text: str, limit: int = 40) -> str:
    """Return a text from a file in quotes, cut to a readable length."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def readable(text: str) -> str:
    """Return a text from a file unchanged if it is printable and short, else as `quoted`."""
    return text if text.isprintable() and len(text) <= 100 else quoted(text, 100)


def has_unfit(text: str) -> bool:
    """Return whether a text holds a control or invisible character."""
    return _UNFIT.search(text) is not None


def checked_name(text: str, noun: str, file: str, line: int | None, column: int | None) -> str:
    """Return a topic's or run's name in NFC, without the white space around it.

    It must not be empty, very long, or hold invisible characters.
    """
    name = normalize("NFC", text.strip())
    if not name:
        reason = "is empty"
    elif len(name) > MAX_NAME:
        reason = f"{quoted(name)} has {len(name)} characters; at most {MAX_NAME} are read"
    elif has_unfit(name):
        reason = f"{quoted(name)} holds a control or invisible character; take it out"
    else:
        return name
    raise BadFileError(f"the {noun} name {reason}", file, line, column)


def checked_names(cells: Sequence[str], noun: str, file: str, location: Locate) -> list[str]:
    """Return `checked_name` of each cell, with a fast path for plain ones."""
    if not "".join(cells).encode("utf-8", "surrogatepass").translate(None, _VISIBLE):
        lengths = set(map(len, cells))
        if not lengths or 0 < min(lengths) <= max(lengths) <= MAX_NAME:
            return list(cells)
    return [checked_name(cell, noun, file, *location(at)) for at, cell in enumerate(cells)]


def numbered_names(
    names: list[str], noun: str, file: str, location: Locate
) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Return the distinct names, as `checked_name` gives them, and the index of each given name."""
    spellings = list(dict.fromkeys(names))
    fit = checked_names(spellings, noun, file, lambda at: location(names.index(spellings[at])))
    codes = {name: code for code, name in enumerate(dict.fromkeys(fit))}
    of_names = codes
    if fit != spellings:
        of_names = {spelling: codes[name] for spelling, name in zip(spellings, fit, strict=True)}
    return tuple(codes), np.fromiter(map(of_names.__getitem__, names), np.int32, len(names))


def first_repeated(names: Sequence[str]) -> int | None:
    """Return the index of the first name that repeats an earlier one, or None."""
    if len(set(names)) == len(names):
        return None
    first: dict[str, int] = {}
    return next(at for at, name in enumerate(names) if first.setdefault(name, at) != at)


def is_number(text: str) -> bool:
    """Return whether a cell is a strict decimal number."""
    text = text.strip()
    return len(text) <= MAX_NUMBER and _NUMBER.fullmatch(text) is not None


def has_decimal_comma(text: str) -> bool:
    """Return whether a cell is a strict decimal number with a comma as decimal separator."""
    text = text.strip()
    return len(text) <= MAX_NUMBER and _DECIMAL_COMMA.fullmatch(text) is not None


def quick_numbers(cells: Sequence[str]) -> Scores | None:
    """Return the cells as numbers, NaN where empty, or None if any needs the full parser."""
    if not cells or max(map(len, cells)) > MAX_NUMBER or not _PLAIN.fullmatch("".join(cells)):
        return None
    holes = [index for index, cell in enumerate(cells) if not cell] if "" in cells else []
    try:
        values = np.array([float(cell or 0) for cell in cells] if holes else [*map(float, cells)])
    except ValueError:
        return None
    if np.abs(values).max() > LARGEST_SCORE:
        return None
    values[holes] = np.nan
    return values


def numbers(cells: Sequence[str], file: str, location: Locate) -> Scores:
    """Return cells as scores; an empty cell is NaN, a missing score.

    Scores may have decimal commas where these are unambiguous.
    """
    values = quick_numbers(cells)
    if values is None:
        cells = _with_points(cells, file, location)
        values = quick_numbers(cells)
    if values is None:
        values = np.array([score(cell, file, *location(at)) for at, cell in enumerate(cells)])
    return values


def _with_points(cells: Sequence[str], file: str, location: Locate) -> Sequence[str]:
    """Return the cells with decimal points in place of decimal commas."""
    commas = [at for at, cell in enumerate(cells) if has_decimal_comma(cell)]
    if not commas:
        return cells
    first = cells[commas[0]].strip()
    reason = None
    if any("." in cell and is_number(cell) for cell in cells):
        reason = (
            f"the score {quoted(first)} is written with a decimal comma, and others with a decimal"
            f" point; write {quoted(first.replace(',', '.'))}"
        )
    elif all(_GROUPED.fullmatch(cells[at].strip()) for at in commas):
        reason = (
            f"the comma in the score {quoted(first)} may be a decimal comma or part thousands;"
            f" write {quoted(first.replace(',', '.'))} or {quoted(first.replace(',', ''))}"
        )
    if reason is not None:
        raise BadFileError(reason, file, *location(commas[0]))
    pointed = list(cells)
    for at in commas:
        pointed[at] = pointed[at].replace(",", ".")
    return pointed


def score(text: str, file: str, line: int, column: int | None) -> float:
    """Return one cell, a decimal number within ±1e100; an empty cell is NaN, a missing score."""
    text = text.strip()
    if not text:
        return float("nan")
    if is_number(text):
        value = float(text)
        if abs(value) <= LARGEST_SCORE:
            return value
        reason = (
            f"the score {quoted(text)} is too large; only scores within ±{LARGEST_SCORE:g} are read"
        )
    elif _ABSENT.fullmatch(text):
        reason = f"{quoted(text)} is not a score; leave it out if the score is missing"
    elif has_decimal_comma(text):
        reason = (
            f"the score {quoted(text)} is written with a decimal comma; "
            f"write {quoted(text.replace(',', '.'))}"
        )
    else:
        reason = f"{quoted(text)} is not a number"
    raise BadFileError(reason, file, line, column)
