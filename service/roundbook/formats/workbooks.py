"""Excel workbooks (xlsx) with a table on one sheet, read and written."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, time, timedelta
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from roundbook.errors import BadFileError, InputError
from roundbook.formats.columns import Table
from roundbook.formats.extras import import_extra
from roundbook.formats.matrix import MAX_CELLS, HiddenCells
from roundbook.limits import WHOLE_FLOATS

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
_ERRORS = frozenset(
    {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#SPILL!", "#CALC!"}
)

# A spreadsheet keeps 15 digits of a number.
_MOST_DIGITS = 10**15

# In a sheet's XML, attributes mark hidden rows and columns.
_ROW_TAG = re.compile(rb"<(?:\w+:)?row\b[^>]*>")
_COLUMNS_TAG = re.compile(rb"<(?:\w+:)?col\b[^>]*>")
_ATTRIBUTE = re.compile(rb"\b(r|min|max|hidden)\s*=\s*[\"']([0-9]{1,9}|true)[\"']")

_Row = tuple[int, list[Any]]


class _WorkbookTable(Table):
    """The table of a sheet; `inexact` has the line of a number too long for a name, by column."""

    inexact: Mapping[int, int]

    def texts(self, column: int) -> list[str]:
        """Return the cells of a column as text; refuse more digits than a spreadsheet keeps."""
        if column in self.inexact:
            raise _inexact_name(self.file, self.inexact[column], column + 1)
        return super().texts(column)


class _Sheet(NamedTuple):
    """A sheet's rows, its title if it is hidden, and its path in the workbook."""

    rows: list[_Row]
    hidden: str | None
    path: str


def read_workbook(data: bytes, file: str, max_bytes: int) -> Table:
    """Return the table of a workbook's one sheet with cells; formulas count by their saved values.

    Parameters
    ----------
    max_bytes : int
        Largest unpacked size of the workbook.

    Raises
    ------
    BadFileError
        If it is broken, too large, or has several sheets with cells; if a cell holds an error, a
        date, or a formula without its value. Names that are numbers of more than 15 digits are
        refused where the table's reader takes them.
    MissingExtraError
        If openpyxl is not installed.
    """
    _refuse_bomb(data, file, max_bytes)
    sheet = _filled_sheet(data, file, values=True)
    if sheet is None:
        raise BadFileError("the workbook has no cells", file)
    rows = sheet.rows
    (header_line, heading), *below = rows
    if not below:
        raise BadFileError("there is a header and nothing below it", file, header_line)
    width = max(len(cells) for _, cells in rows)
    if width > len(heading):
        line = next(line for line, cells in rows if len(cells) > len(heading))
        reason = f"expected {len(heading)} cells as in the header, found {width}"
        raise BadFileError(reason, file, line, len(heading) + 1)
    _refuse_formulas(data, file, below, width)
    texts = [
        [_text(value, file, line, at) for at, value in enumerate(_padded(cells, width), 1)]
        for line, cells in rows
    ]
    columns = [list(column) for column in zip(*texts[1:], strict=True)]
    for at, value in enumerate(heading, 1):
        if _is_inexact(value):
            raise _inexact_name(file, header_line, at)
    table = _WorkbookTable(file, texts[0], header_line, [line for line, _ in below], columns)
    table.inexact = {
        at: line for line, cells in reversed(below) for at, x in enumerate(cells) if _is_inexact(x)
    }
    table.hidden = _hidden_cells(data, file, sheet, width)
    return table


def _hidden_cells(data: bytes, file: str, sheet: _Sheet, width: int) -> HiddenCells | None:
    """Return the hidden parts of the sheet that was read, None if there are none.

    openpyxl's fast reader reports hidden sheets only, so hidden rows and columns are looked up in
    the sheet's XML.
    """
    with ZipFile(io.BytesIO(data)) as content:
        text = content.read(sheet.path) if sheet.path in content.namelist() else b""
    lines, at = {line for line, _ in sheet.rows}, 0
    rows = columns = 0
    for tag in _ROW_TAG.finditer(text):
        attributes = dict(_ATTRIBUTE.findall(tag[0]))
        at = int(attributes.get(b"r", at + 1))
        rows += _is_hidden(attributes) and at in lines
    for tag in _COLUMNS_TAG.finditer(text):
        attributes = dict(_ATTRIBUTE.findall(tag[0]))
        if _is_hidden(attributes):
            first, last = int(attributes.get(b"min", 1)), int(attributes.get(b"max", width))
            columns += max(0, min(last, width) - first + 1)
    if not (rows or columns or sheet.hidden):
        return None
    return HiddenCells(file, sheet.hidden, rows, columns)


def _is_hidden(attributes: Mapping[bytes, bytes]) -> bool:
    return attributes.get(b"hidden") in (b"1", b"true")


def _refuse_bomb(data: bytes, file: str, max_bytes: int) -> None:
    try:
        with ZipFile(io.BytesIO(data)) as content:
            size = sum(info.file_size for info in content.infolist())
    except (BadZipFile, ValueError, OSError, NotImplementedError):
        raise BadFileError("the workbook is broken or cut short; copy it again", file) from None
    if size > max_bytes:
        raise BadFileError(
            f"the workbook unpacks to more than {max_bytes} bytes; raise ROUNDBOOK_MAX_FILE_BYTES"
            " if it should be read",
            file,
        )


def _filled_sheet(data: bytes, file: str, *, values: bool) -> _Sheet | None:
    """Return the one sheet with cells, or None; its rows without trailing empty cells."""
    openpyxl = import_extra("openpyxl", "xlsx", file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of unknown styles
            book = openpyxl.load_workbook(
                io.BytesIO(data), read_only=True, data_only=values, keep_links=False
            )
            sheets = {
                sheet.title: _Sheet(
                    list(_filled(sheet, file)),
                    None if sheet.sheet_state == "visible" else sheet.title,
                    sheet._worksheet_path,
                )
                for sheet in book.worksheets
            }
    except BadFileError:
        raise
    except Exception:  # a damaged workbook may raise any error in openpyxl  # noqa: BLE001
        raise BadFileError("the workbook is broken or cut short; copy it again", file) from None
    filled = {title: sheet for title, sheet in sheets.items() if sheet.rows}
    if len(filled) > 1:
        titles = ", ".join(
            f"{title[:40]!r}{' (hidden)' if sheet.hidden else ''}"
            for title, sheet in list(filled.items())[:10]
        )
        raise BadFileError(
            f"several sheets have cells ({titles}); save a workbook with the one to read", file
        )
    return next(iter(filled.values()), None)


def _filled(sheet: Any, file: str) -> Iterator[_Row]:  # noqa: ANN401
    sheet.reset_dimensions()  # the size that the workbook states may be wrong
    seen = 0
    for line, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = list(row)
        while cells and (cells[-1] is None or not str(cells[-1]).strip()):
            cells.pop()
        seen += len(row)
        if line > MOST_ROWS or seen > 4 * MAX_CELLS:
            raise BadFileError("the sheet has far too many cells", file)
        if cells:
            yield line, cells


def _padded(cells: list[Any], width: int) -> list[Any]:
    return cells + [None] * (width - len(cells))


def _refuse_formulas(data: bytes, file: str, rows: Sequence[_Row], width: int) -> None:
    """Refuse formulas without a saved value, which would be read as empty cells."""
    if all(len(cells) == width and None not in cells for _, cells in rows):
        return
    values_by_line = dict(rows)
    sheet = _filled_sheet(data, file, values=False)
    for line, cells in sheet.rows if sheet else ():
        for at, (value, cell) in enumerate(
            zip(_padded(values_by_line.get(line, []), len(cells)), cells, strict=False), 1
        ):
            # A formula that fills several cells is an object with their range.
            formula = str(cell).startswith("=") or hasattr(cell, "ref")
            if value is None and cell is not None and formula:
                reason = (
                    "the cell holds a formula without its value; open the workbook in a spreadsheet"
                    " program and save it there"
                )
                raise BadFileError(reason, file, line, at)


def _text(value: object, file: str, line: int, column: int) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < WHOLE_FLOATS else repr(value)
    if isinstance(value, date | time | timedelta):
        reason = f"the cell holds a date or time ({value}); give the column the format Text"
        raise BadFileError(reason, file, line, column)
    text = str(value)
    if text in _ERRORS:
        raise BadFileError(f"the cell holds the error {text}", file, line, column)
    return text


def _is_inexact(value: object) -> bool:
    return isinstance(value, float) and abs(value) >= _MOST_DIGITS


def _inexact_name(file: str, line: int, column: int) -> BadFileError:
    reason = (
        "the cell holds a number of more than 15 digits, of which a spreadsheet keeps 15; give the"
        " column the format Text, and enter the name again"
    )
    return BadFileError(reason, file, line, column)


def write_workbook(
    header: Sequence[str], rows: Iterable[Sequence[str | float]], file: str, size: tuple[int, int]
) -> bytes:
    """Return a workbook with one sheet; names are text, never formulas, and scores are exact.

    Parameters
    ----------
    size : (rows, columns)
        Size of the table below the header.

    Raises
    ------
    InputError
        If a sheet cannot hold so much.
    MissingExtraError
        If openpyxl is not installed.
    """
    openpyxl = import_extra("openpyxl", "xlsx", file)
    if size[0] + 1 > MOST_ROWS or size[1] > MOST_COLUMNS:
        raise InputError(
            f"{file}: a sheet holds {MOST_ROWS} rows and {MOST_COLUMNS} columns at most, and these"
            f" are {size[0] + 1} and {size[1]}; name a file that ends in .csv or .parquet."
        )
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("scores")

    def cell(value: str | float) -> Any:  # noqa: ANN401
        # Set as text with its type: numbers keep all digits, and no name is taken for a formula.
        written = openpyxl.cell.WriteOnlyCell(sheet, value="")
        written._value = value if isinstance(value, str) else repr(value)
        written.data_type = "s" if isinstance(value, str) else "n"
        return written

    for row in (header, *rows):
        sheet.append([cell(value) for value in row])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()
