"""Reader of TREC qrels: the relevance grade of each judged document, by topic."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.table import numbered_names, quoted
from roundbook.formats.text import StoredFile
from roundbook.formats.trec.files import read_stored
from roundbook.formats.trec.numbering import Numbers

_FIELDS = ("topic", "iteration", "document", "grade")
_GRADE = re.compile(r"[+-]?[0-9]{1,9}")
_LARGEST_GRADE = 2**15 - 1


@dataclass(frozen=True)
class QrelsFile:
    """The relevance assessments of a file.

    Attributes
    ----------
    topics, documents : tuple of str
        Their names, in order of first appearance.
    topic, document, grade : int array
        One entry for each judgment, in the file's order; the first two are indices of the names.
    repeated : int
        Number of lines that repeat an earlier line and are left out.
    file : StoredFile
    """

    topics: tuple[str, ...]
    documents: tuple[str, ...]
    topic: Numbers
    document: Numbers
    grade: Numbers
    repeated: int
    file: StoredFile


def read_qrels(path: Path | str, *, max_bytes: int) -> QrelsFile:
    """Read relevance assessments of TREC's format: topic, iteration, document and grade a line.

    Parameters
    ----------
    path : path
        The file, gzipped or not.
    max_bytes : int
        Largest file that is read, also after decompression.

    Raises
    ------
    BadFileError
        If the file cannot be read as such, gives a document two grades for one topic, or has no
        relevant document.
    """
    stored, source = read_stored(path, max_bytes, "TREC qrels")
    file = stored.file
    grades: dict[tuple[str, str], int] = {}
    lines: list[int] = []
    for line, text in source.rows:
        fields = text.split()
        if len(fields) != len(_FIELDS):
            raise BadFileError(
                f"a line of qrels has four fields ({', '.join(_FIELDS)}), and this one has"
                f" {len(fields)}",
                file,
                line,
            )
        topic, _, document, cell = fields
        if not _GRADE.fullmatch(cell) or abs(int(cell)) > _LARGEST_GRADE:
            reason = (
                f"the grade {quoted(cell)} is not a whole number within ±{_LARGEST_GRADE};"
                " write one"
            )
            raise BadFileError(reason, file, line, 4)
        grade = grades.setdefault((topic, document), int(cell))
        if grade != int(cell):
            first = lines[list(grades).index((topic, document))]
            reason = (
                f"the document {document} has the grade {cell} for topic {topic}, and {grade} on"
                f" line {first}; keep one"
            )
            raise BadFileError(reason, file, line, 4)
        if len(grades) > len(lines):
            lines.append(line)
    if max(grades.values()) <= 0:
        raise BadFileError(
            "no document has a grade above 0, so these assessments find nothing relevant and no"
            " measure can be computed with them",
            file,
        )
    topics, topic_of = numbered_names(
        [topic for topic, _ in grades], "topic", file, lambda at: (lines[at], 1)
    )
    documents, document_of = numbered_names(
        [document for _, document in grades], "document", file, lambda at: (lines[at], 3)
    )
    return QrelsFile(
        topics,
        documents,
        topic_of,
        document_of,
        grade=np.fromiter(grades.values(), np.int32, len(grades)),
        repeated=len(source.rows) - len(grades),
        file=stored,
    )
