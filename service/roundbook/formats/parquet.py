"""Tables in Apache Parquet, read and written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.columns import Table
from roundbook.formats.extras import import_extra
from roundbook.formats.matrix import MAX_CELLS
from roundbook.formats.table import Scores, score
from roundbook.limits import LARGEST_SCORE, WHOLE_FLOATS


class _ParquetTable(Table):
    """A table read by Arrow; rows are numbered as the lines of a CSV would be."""

    def __init__(self, file: str, content: Any, modules: tuple[Any, Any]) -> None:  # noqa: ANN401
        super().__init__(file, list(content.column_names), 1, range(2, content.num_rows + 2))
        self._content = content
        self._arrow, self._compute = modules

    def _cells(self, column: int) -> list[str]:
        cells, types = self._content.column(column), self._arrow.types
        kind = cells.type.value_type if types.is_dictionary(cells.type) else cells.type
        values: list[Any] = cells.to_pylist()
        if types.is_floating(kind):
            if any(value is not None and math.isnan(value) for value in values):
                raise self._refusal(column, "NaN, and names are text")
            if any(value is not None and abs(value) >= WHOLE_FLOATS for value in values):
                raise self._refusal(
                    column, "floating-point numbers too large to be exact, and names are text"
                )
            return ["" if value is None else repr(value).removesuffix(".0") for value in values]
        if types.is_integer(kind) or types.is_string(kind) or types.is_large_string(kind):
            return ["" if value is None else str(value) for value in values]
        if types.is_null(kind):
            return [""] * len(values)
        raise self._refusal(column, f"{kind}, and names are text")

    def numbers(self, column: int, rows: Sequence[int]) -> Scores:
        """Return the cells of a column, in some rows, as scores."""
        cells, types = self._content.column(column), self._arrow.types
        kind = cells.type
        if types.is_string(kind) or types.is_large_string(kind) or types.is_dictionary(kind):
            return super().numbers(column, rows)
        tests = types.is_floating, types.is_integer, types.is_decimal, types.is_null
        if not any(test(kind) for test in tests):
            raise self._refusal(column, f"{kind}, and scores are numbers")
        values = self._compute.cast(cells, self._arrow.float64(), safe=False)
        missing = values.is_null().to_numpy()
        whole: Scores = values.fill_null(0.0).to_numpy()
        if len(rows) < len(whole):
            whole, missing = whole[rows], missing[rows]
        unfit = np.flatnonzero(~(np.abs(whole) <= LARGEST_SCORE))
        if unfit.size:
            at = int(unfit[0])
            score(repr(float(whole[at])), self.file, rows[at] + 2, column + 1)
        return np.where(missing, np.nan, whole)

    def _refusal(self, column: int, reason: str) -> BadFileError:
        return BadFileError(f"the column {self.header[column][:40]!r} holds {reason}", self.file)


def read_parquet(data: bytes, file: str, max_bytes: int) -> Table:
    """Return the table of a Parquet file, with an index written by pandas as first column.

    Parameters
    ----------
    max_bytes : int
        Largest unpacked size of the columns.

    Raises
    ------
    BadFileError
        If it is broken or too large.
    MissingExtraError
        If pyarrow is not installed.
    """
    arrow = import_extra("pyarrow", "parquet", file)
    reader, compute = (
        import_extra(f"pyarrow.{name}", "parquet", file) for name in ("parquet", "compute")
    )
    broken = BadFileError("the Parquet file is broken or cut short; copy it again", file)
    try:
        opened = reader.ParquetFile(arrow.BufferReader(data))
        metadata = opened.metadata
        size = sum(metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups))
        schema = opened.schema_arrow
        index = (schema.pandas_metadata or {}).get("index_columns", [])
    except (arrow.ArrowException, OSError, ValueError, AttributeError):
        raise broken from None
    cells = metadata.num_rows * max(1, metadata.num_columns)
    if size > max_bytes or cells > 4 * MAX_CELLS:
        raise BadFileError(
            f"the Parquet file unpacks to {size} bytes and {cells} cells; at most {max_bytes} and"
            f" {4 * MAX_CELLS} are read",
            file,
        )
    if not metadata.num_rows or not schema.names:
        raise BadFileError("the file is empty", file)
    if len(set(schema.names)) < len(schema.names):
        raise BadFileError("two columns have the same name; keep one", file)
    first = [name for name in schema.names if name in index]
    try:
        content = opened.read(use_threads=False).select(
            first + [name for name in schema.names if name not in first]
        )
    except (arrow.ArrowException, OSError, ValueError):
        raise broken from None
    if first:
        content = content.rename_columns(
            ["" if name.startswith("__index_level_") else name for name in content.column_names]
        )
    return _ParquetTable(file, content, (arrow, compute))


def write_parquet(
    names: Sequence[tuple[str, Sequence[str]]],
    scores: Sequence[tuple[str, Scores]],
    file: str,
) -> bytes:
    """Return a Parquet file with columns of names and of scores, by heading.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    arrow = import_extra("pyarrow", "parquet", file)
    writer = import_extra("pyarrow.parquet", "parquet", file)
    columns = [arrow.array(cells, arrow.string()) for _, cells in names]
    columns += [arrow.array(cells, arrow.float64()) for _, cells in scores]
    stream = arrow.BufferOutputStream()
    writer.write_table(
        arrow.Table.from_arrays(columns, [heading for heading, _ in (*names, *scores)]), stream
    )
    written: bytes = stream.getvalue().to_pybytes()
    return written
