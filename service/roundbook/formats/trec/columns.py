"""The columns of a run file, parsed for many lines at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from roundbook.errors import BadFileError
from roundbook.formats.table import checked_name, is_number, quoted
from roundbook.formats.text import SourceText
from roundbook.formats.trec.decimals import decimals
from roundbook.formats.trec.numbering import Numbering, Numbers, Words

_FIELDS = ("topic", "Q0", "document", "rank", "score", "tag")
_TOPIC, _DOCUMENT, _SCORE, _TAG = 0, 2, 4, 5
# Bytes: enough to make the overhead of NumPy's calls negligible, few enough to stay in cache.
_PIECE = 2**19
# In bytes: longer than any name of 500 characters and any number.
_WIDEST = 2048
# On both sides of a piece, so that every field can be read as the same number of words.
_PADDING = bytes(_WIDEST + 8)
_TAB, _NEWLINE, _BLANK, _PLUS, _MINUS = b"\t\n +-"
_BLANKS = np.uint64(0x2020202020202020)
LARGEST_RUN_SCORE = float(np.finfo(np.float32).max)

_Offsets = npt.NDArray[np.int64]


class Columns(NamedTuple):
    """The columns of a run file, without blank lines, all of equal length."""

    run: Numbers
    topic: Numbers
    document: Numbers
    score: npt.NDArray[np.float32]


def read_columns(
    source: SourceText, runs: Numbering, topics: Numbering, documents: Numbering
) -> Columns:
    """Read the lines of a run file."""
    pieces = []
    for piece, starts, lengths, scores in _pieces(source):
        run, topic, document = (
            _words(piece, starts[:, field], lengths[:, field])
            for field in (_TAG, _TOPIC, _DOCUMENT)
        )
        numbers = (_of_blocks(runs, run), _of_blocks(topics, topic), documents.number(document))
        pieces.append(Columns(*numbers, scores))
    return Columns(*map(np.concatenate, zip(*pieces, strict=True)))


def _of_blocks(numbering: Numbering, words: Words) -> Numbers:
    """Return the numbers of names that repeat in long blocks, each block looked up once."""
    changes = np.flatnonzero((words[1:] != words[:-1]).any(axis=1)) + 1
    starts = np.append(0, changes)[: len(words)]
    return np.repeat(numbering.number(words[starts]), np.diff(starts, append=len(words)))


def _pieces(
    source: SourceText,
) -> Iterator[tuple[bytes, _Offsets, _Offsets, npt.NDArray[np.float32]]]:
    """Yield pieces of the file: padded bytes, the fields' starts and lengths, and the scores."""
    text = source.text
    start, line = 0, 1
    while start < len(text):
        stop = text.find("\n", start + _PIECE) + 1 or len(text)
        piece = text[start:stop]
        tidied = piece if piece.endswith("\n") else piece + "\n"
        offsets = _field_offsets(tidied.encode())
        if offsets is None:
            rows = map(str.split, piece.split("\n"))
            tidied = "".join(" ".join(fields) + "\n" for fields in rows if fields)
            offsets = _field_offsets(tidied.encode())
        padded = _PADDING + tidied.encode() + _PADDING
        scores = None if offsets is None else _scores(padded, *offsets)
        if offsets is None or scores is None:
            raise _fault(piece, source.file, line)
        yield padded, *offsets, scores
        start = stop
        line += len(scores) if tidied is piece else piece.count("\n")


def _field_offsets(piece: bytes) -> tuple[_Offsets, _Offsets] | None:
    """Return the starts and the lengths of fields, (lines, fields) each, or None.

    None unless each line has six fields separated by one blank or tab each.
    """
    marks = np.frombuffer(piece, np.uint8)
    stops = np.flatnonzero(marks <= _BLANK)
    gaps = marks[stops]
    lines, rest = divmod(gaps.size, len(_FIELDS))
    within = np.count_nonzero(gaps == _BLANK) + np.count_nonzero(gaps == _TAB)
    last_gaps = gaps[len(_FIELDS) - 1 :: len(_FIELDS)]
    if rest or within + lines < gaps.size or not (last_gaps == _NEWLINE).all():
        return None
    starts = np.zeros_like(stops)
    starts[1:] = stops[:-1] + 1
    lengths = stops - starts
    if not 0 < lengths.min(initial=1) <= lengths.max(initial=1) <= _WIDEST:
        return None
    return starts.reshape(-1, len(_FIELDS)), lengths.reshape(-1, len(_FIELDS))


def _words(padded: bytes, starts: _Offsets, lengths: _Offsets, *, spare: int = 0) -> Words:
    """Return fields as rows of words, with at least `spare` zero bytes after each."""
    width = -(-(int(lengths.max(initial=1)) + spare) // 8)
    return _words_at(padded, starts, width) & _masks(width).take(lengths, axis=0)


@cache
def _masks(width: int) -> Words:
    """Return, by length of a field, the mask of its bytes in `width` words."""
    lengths = np.arange(8 * width + 1)[:, np.newaxis]
    return np.where(np.arange(8 * width) < lengths, 255, 0).astype(np.uint8).view("<u8")


def _words_at(padded: bytes, offsets: _Offsets, width: int, *, back: int = 0) -> Words:
    """Return `width` words from each offset, or from `back` bytes before it."""
    windows = np.ndarray(
        len(padded) - 2 * len(_PADDING), f"S{8 * width}", padded, len(_PADDING) - back, (1,)
    )
    return windows[offsets].view("<u8").reshape(-1, width)


def _scores(padded: bytes, starts: _Offsets, lengths: _Offsets) -> npt.NDArray[np.float32] | None:
    """Return the scores of lines, or None if one is no number."""
    starts, lengths = starts[:, _SCORE], lengths[:, _SCORE]
    first = np.frombuffer(padded, np.uint8, offset=len(_PADDING))[starts]
    negative = first == _MINUS
    unsigned = lengths - (negative | (first == _PLUS))
    scores = decimals(_words_at(padded, starts + lengths, 2, back=16), unsigned, negative)
    unparsed = np.flatnonzero(np.isnan(scores))
    if unparsed.size:
        words = _words(padded, starts[unparsed], lengths[unparsed], spare=1)
        words |= _BLANKS  # makes blanks of zero bytes, and leaves the characters of numbers alone
        try:
            scores[unparsed] = np.fromstring(words.tobytes(), sep=" ")
        except ValueError:
            return None
    return scores.astype(np.float32) if (np.abs(scores) <= LARGEST_RUN_SCORE).all() else None


def _fault(lines: str, file: str, first_line: int) -> BadFileError:
    """Return the error of the first line that is no line of a run."""
    for line, text in enumerate(lines.split("\n"), first_line):
        fields = text.split()
        if fields and len(fields) != len(_FIELDS):
            return BadFileError(
                f"a line of a TREC run has six fields ({', '.join(_FIELDS)}), and this one has"
                f" {len(fields)}; mend it, or leave out the file if it holds no runs",
                file,
                line,
            )
        for column, (noun, field) in enumerate(zip(_FIELDS, fields, strict=False), 1):
            if noun != "score":
                checked_name(field, noun, file, line, column)
            elif not is_number(field) or abs(float(field)) > LARGEST_RUN_SCORE:
                return BadFileError(
                    f"{quoted(field)} is not a score; write a decimal number within"
                    f" ±{LARGEST_RUN_SCORE:.1e}, or leave the document out",
                    file,
                    line,
                    column,
                )
    return BadFileError("the lines are not those of a TREC run", file, first_line)
