"""Scores given in Python: data frames, arrays with names, paths and open files."""

from __future__ import annotations

import csv
import io
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np

from roundbook.csv_names import marked, unmarked
from roundbook.errors import InputError
from roundbook.formats import ScoreMatrix, sent_to
from roundbook.formats.extras import import_extra
from roundbook.formats.matrix import MEANS
from roundbook.formats.table import ANY_TOPIC_HEADER, COLUMN_HEADERS, checked_name, header_key
from roundbook.limits import WHOLE_FLOATS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# The file names of a data frame and of an array in error messages and in the record.
_FRAME = "the frame"
_ARRAY = "array"


@contextmanager
def as_files(scores: object) -> Iterator[tuple[Path, ...]]:
    """Yield files with the scores; those made from a frame or an open file last for the block.

    Parameters
    ----------
    scores : path, sequence of paths, data frame or open file
        Frames are those of pandas, polars and others that narwhals supports: wide, with a column or
        index of topics and a column for each run, or long as score files are.

    Raises
    ------
    InputError
        When it is none of them, or a frame names no topics.
    """
    files = scores if isinstance(scores, (list, tuple)) else [scores]
    if all(isinstance(file, (str, PathLike)) for file in files):
        yield tuple(map(Path, files))
        return
    with TemporaryDirectory(prefix="roundbook-") as directory, sent_to(directory):
        if hasattr(scores, "read"):
            file = Path(directory) / (Path(str(getattr(scores, "name", ""))).name or "scores")
            _copy(scores, file)
        else:
            file = Path(directory) / _FRAME
            _write(scores, file)
        yield (file,)


@contextmanager
def array_file(matrix: ScoreMatrix) -> Iterator[tuple[Path, str]]:
    """Yield a file with the scores of an array, for the block, and its layout."""
    with TemporaryDirectory(prefix="roundbook-") as directory, sent_to(directory):
        file = Path(directory) / _ARRAY
        text, layout = array_text(matrix)
        file.write_text(text, "utf-8")
        yield file, layout


def array_text(matrix: ScoreMatrix) -> tuple[str, str]:
    """Return a score matrix as the text of a file, with empty cells for missing scores.

    The layout is wide, or long where a run is called like a column of score files.
    """
    cells = [
        ["" if score != score else repr(score) for score in row]  # noqa: PLR0124
        for row in matrix.scores.tolist()
    ]
    topics, runs = (list(map(marked, names)) for names in (matrix.topics, matrix.runs))
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if COLUMN_HEADERS.isdisjoint(map(header_key, matrix.runs)):
        writer.writerow(["topic", *runs])
        writer.writerows([topic, *row] for topic, row in zip(topics, cells, strict=True))
        return stream.getvalue(), "wide"
    writer.writerow(["topic", "run", "value"])
    for topic, row in zip(topics, cells, strict=True):
        writer.writerows([topic, run, score] for run, score in zip(runs, row, strict=True))
    return stream.getvalue(), "long"


def as_matrix(
    scores: object,
    topics: Sequence[object] | None,
    runs: Sequence[object] | None,
    measure: object,
) -> ScoreMatrix:
    """Return an array of scores and the names of its topics and runs as a score matrix.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        NaN, or masked, where a score is missing.

    Raises
    ------
    InputError
        When names or the measure are missing, the numbers of names and scores differ, a name comes
        twice, or it is one that no score file could have, as a topic called ``all``.
    """
    if topics is None or runs is None or not isinstance(measure, str):
        raise InputError("An array takes `topics`, `runs` and one `measure`.")
    try:
        masked = np.ma.asarray(cast("ArrayLike", scores), dtype=np.float64)
        array = masked.filled(np.nan)
    except (TypeError, ValueError):
        raise InputError("The scores are no array of numbers.") from None
    names = _checked(topics, "topic"), _checked(runs, "run")
    if array.shape != (len(names[0]), len(names[1])):
        raise InputError(
            f"The scores are {' x '.join(map(str, array.shape))}, and {len(names[0])} topics and"
            f" {len(names[1])} runs are named: an array has a row a topic and a column a run."
        )
    for noun, labels in zip(("topic", "run"), names, strict=True):
        name, times = Counter(labels).most_common(1)[0] if labels else ("", 0)
        if times > 1:
            raise InputError(f"The {noun} '{name}' is named twice.")
    if means := [name for name in names[0] if name.lower() in MEANS]:
        # A service, which reads a file, would take it for the mean of the others.
        raise InputError(
            f"A topic cannot be called '{means[0]}', as the means of runs are in files."
        )
    if np.isinf(array).any():
        raise InputError("A score is infinite.")
    by_run = np.ascontiguousarray(array.T).T
    return ScoreMatrix(*names, by_run, measure, "array", (_ARRAY,))


def _checked(names: Sequence[object], noun: str) -> tuple[str, ...]:
    texts = (str(int(name) if _is_whole(name) else name) for name in names)
    return tuple(checked_name(text, noun, _ARRAY, None, None) for text in texts)


def _is_whole(value: object) -> TypeGuard[float]:
    """Return whether a float is a whole number, as topics are that pandas made floats of."""
    return isinstance(value, float) and value.is_integer() and abs(value) < WHOLE_FLOATS


def _copy(stream: Any, file: Path) -> None:  # noqa: ANN401
    first = stream.read(1)
    mode = "w" if isinstance(first, str) else "wb"
    target: IO[Any]
    with file.open(mode, encoding="utf-8" if mode == "w" else None) as target:
        target.write(first)
        shutil.copyfileobj(stream, target)


def _write(frame: Any, file: Path) -> None:  # noqa: ANN401
    narwhals = import_extra("narwhals", "frames", "a data frame")
    if hasattr(frame, "reset_index") and hasattr(frame, "columns"):
        index = frame.index
        if index.name in frame.columns:
            raise InputError(
                f"The index and a column of the frame are both called '{index.name}': keep one."
            )
        # A copy has its columns in one block; pandas warns of adding one to many blocks.
        if index.nlevels > 1:
            frame = frame.copy().reset_index()
        # Where no column is called topic, an index that is not a count of the rows holds them.
        elif index.name is not None or (
            type(index).__name__ != "RangeIndex" and not _names_topics(frame)
        ):
            frame = frame.copy().rename_axis(index=index.name or "topic").reset_index()
    try:
        read = narwhals.from_native(frame, eager_only=True)
    except narwhals.exceptions.DuplicateError:
        raise InputError("Two columns of the frame have the same name.") from None
    except TypeError:
        raise InputError(
            "Scores are a path, an open file, a data frame or, beside `topics` and `runs`, an array;"
            f" what is of type {type(frame).__name__} by itself is none of them."
        ) from None
    kinds = list(read.schema.values())
    # Whole numbers before scores with decimals are topics, under any heading.
    whole = all(kind.is_integer() for kind in kinds)
    if (whole or kinds[0].is_float()) and not _names_topics(read):
        raise InputError(
            "The frame names no topics, and its first column would be taken for them: name them in"
            " the index or in a column `topic`."
        )
    # Topics that are whole numbers are floats where pandas had a gap among them before.
    floats = [
        narwhals.col(name).cast(narwhals.Int64)
        for name, kind in read.schema.items()
        if kind.is_float()
        and header_key(str(name)) in ANY_TOPIC_HEADER
        and all(map(_is_whole, read[name].to_list()))
    ]
    kept = _with_apostrophes(read.with_columns(*floats), narwhals)
    kept.write_csv(str(file))


def _with_apostrophes(frame: Any, narwhals: Any) -> Any:  # noqa: ANN401
    """Return a frame in which one more apostrophe marks the names of which reading takes one off."""

    def kept(cell: object) -> object:
        if isinstance(cell, str) and "'" in cell and unmarked(cell) != cell.strip():
            return f"'{cell}"
        return cell

    # A column may be called by a number, so it is no item of the frame.
    texts = (
        (name, frame.get_column(name).to_list())
        for name, kind in frame.schema.items()
        if not kind.is_numeric()
    )
    columns = [
        narwhals.new_series(
            name, [*map(kept, column)], narwhals.String, backend=frame.implementation
        )
        for name, column in texts
        if any(kept(cell) != cell for cell in column)
    ]
    headings = {name: kept(name) for name in frame.columns if kept(name) != name}
    return frame.with_columns(*columns).rename(headings)


def _names_topics(frame: Any) -> bool:  # noqa: ANN401
    """Return whether a column of a data frame has a heading of topics."""
    return not ANY_TOPIC_HEADER.isdisjoint(header_key(str(name)) for name in frame.columns)
