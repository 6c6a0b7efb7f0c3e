"""Writers of score files, which Roundbook and other tools read back exactly.

Floats are written by the shortest text that reads back as the same double.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from math import fsum
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Literal

import numpy as np

from roundbook.csv_names import write_csv
from roundbook.errors import InputError
from roundbook.formats.matrix import MEANS, SUMMARY_TOPIC
from roundbook.formats.parquet import write_parquet
from roundbook.formats.table import COLUMN_HEADERS, Scores, header_key
from roundbook.formats.text import shown_path
from roundbook.formats.workbooks import write_workbook

TableFile = Literal["csv", "xlsx", "parquet"]
RUN_FILE_SUFFIX = ".eval"
# trec_eval's own width of a measure's name.
_MEASURE_WIDTH = 22
_PLAIN = frozenset(ascii_lowercase + digits + "._-")
# File systems allow names of 255 bytes, and the suffix is still to be added.
_LONGEST_NAME = 200
# Reserved file names on Windows, whatever the suffix.
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
)


def table_file(path: Path | None) -> TableFile:
    """Return the file type of a table, by the suffix of its path; CSV without one."""
    ending = "" if path is None else path.suffix.lower()
    return "xlsx" if ending == ".xlsx" else "parquet" if ending == ".parquet" else "csv"


def write_wide(
    topics: Sequence[str], runs: Sequence[str], scores: Scores, output: Path | None = None
) -> str | bytes:
    """Return a score matrix as a table with a row for each topic and a column for each run.

    Parameters
    ----------
    scores : (topics, runs) float array
        Without missing scores.
    output : path, optional
        The file's path, whose suffix gives the type, see `table_file`: text for CSV, else bytes.

    Raises
    ------
    InputError
        When a name would be misread, or the library for the file type is missing.
    """
    kind, file = table_file(output), shown_path(output or "")
    _refuse_summaries(topics)
    for run in runs:
        if header_key(run) in COLUMN_HEADERS:
            raise InputError(
                f"The run '{run}' is called like a column of a score file, so a wide file would be"
                " misread.",
                way_out="other layout",
                layout="long",
            )
    if kind == "parquet":
        columns = zip(runs, np.ascontiguousarray(scores.T), strict=True)
        return write_parquet([("topic", topics)], list(columns), file)
    rows = ([topic, *row] for topic, row in zip(topics, scores.tolist(), strict=True))
    header = ["topic", *runs]
    return _csv(header, rows) if kind == "csv" else write_workbook(header, rows, file, scores.shape)


def write_long(
    topics: Sequence[str],
    runs: Sequence[str],
    scores: Scores,
    measure: str,
    output: Path | None = None,
) -> str | bytes:
    """Return a score matrix as a table with one score a row, run by run; see `write_wide`."""
    kind, file = table_file(output), shown_path(output or "")
    _refuse_summaries(topics)
    if kind == "parquet":
        names = [
            ("run", [run for run in runs for _ in topics]),
            ("topic", list(topics) * len(runs)),
            ("measure", [measure] * scores.size),
        ]
        return write_parquet(names, [("value", scores.T.ravel())], file)
    header = ["run", "topic", "measure", "value"]
    rows = (
        [run, topic, measure, score]
        for run, column in zip(runs, scores.T.tolist(), strict=True)
        for topic, score in zip(topics, column, strict=True)
    )
    if kind == "csv":
        return _csv(header, rows)
    return write_workbook(header, rows, file, (scores.size, 4))


def write_trec_eval(topics: Sequence[str], run: str, scores: Scores, measure: str) -> str:
    """Return one run's scores as ``trec_eval -q`` prints them, the mean in the last line.

    Parameters
    ----------
    scores : (topics,) float array

    Raises
    ------
    InputError
        When a name would be misread.
    """
    _refuse_summaries(topics)
    if measure == "runid":
        reason = "The measure 'runid' means something else in trec_eval's output."
        raise InputError(reason, way_out="other layout", layout="long")
    values = scores.tolist()
    lines = [(measure, topic, repr(value)) for topic, value in zip(topics, values, strict=True)]
    lines.append(("runid", SUMMARY_TOPIC, run))
    lines.append((measure, SUMMARY_TOPIC, repr(fsum(values) / len(values))))
    return "".join(f"{name:{_MEASURE_WIDTH}}\t{topic}\t{value}\n" for name, topic, value in lines)


def run_file_names(tags: Sequence[str]) -> dict[str, str]:
    """Return a file name for each run: its tag, percent-encoded where unsafe, and .eval.

    In tags that differ in capitals only, capitals are encoded too, for file systems that ignore
    case. Decoding a name gives its tag, unless it holds a ``~``: then the tag was too long for a
    file name, and is in the file only.
    """
    folded: dict[str, int] = {}
    for tag in tags:
        folded[tag.lower()] = folded.get(tag.lower(), 0) + 1
    return {tag: _safe(tag, capitals=folded[tag.lower()] == 1) + RUN_FILE_SUFFIX for tag in tags}


def _safe(tag: str, *, capitals: bool) -> str:
    kept = _PLAIN | frozenset(ascii_uppercase) if capitals else _PLAIN
    name = "".join(mark if mark in kept else _encoded(mark) for mark in tag)
    if name.startswith((".", "-")) or name.partition(".")[0].lower() in _RESERVED:
        name = _encoded(name[0]) + name[1:]
    if len(name) > _LONGEST_NAME:
        name = f"{name[:100]}~{blake2b(tag.encode(), digest_size=16).hexdigest()}"
    return name


def _encoded(mark: str) -> str:
    return "".join(f"%{byte:02X}" for byte in mark.encode())


def _refuse_summaries(topics: Iterable[str]) -> None:
    for topic in topics:
        if topic.lower() in MEANS:
            raise InputError(
                f"The topic '{topic}' would be read as a summary in any layout; an archive of its task"
                " holds it."
            )


def _csv(header: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    text = io.StringIO()
    write_csv(text, (header, *rows))
    return text.getvalue()
