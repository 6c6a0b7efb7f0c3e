"""Reader of TREC run files: the ranked list of documents of each run and topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise, starmap
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from roundbook.errors import BadFileError
from roundbook.formats.table import checked_names
from roundbook.formats.text import SourceText, StoredFile, shown_path
from roundbook.formats.trec.columns import Columns, read_columns
from roundbook.formats.trec.files import read_stored
from roundbook.formats.trec.numbering import Numbering, Numbers
from roundbook.limits import LIST_DEPTH


class RankedList(NamedTuple):
    """The ranked list of a run for a topic: documents in order of rank, and their scores."""

    run: int
    topic: int
    documents: Numbers
    scores: npt.NDArray[np.float32]


@dataclass(frozen=True)
class RunFiles:
    """The runs of one or several files.

    Attributes
    ----------
    runs : tuple of str
        Their tags, in order of first appearance.
    topics : tuple of str
        Names of topics: those to read, or all in order of first appearance.
    documents : tuple of str
        Names of documents, by number.
    lists : tuple of RankedList
        In order of run and topic, given as indices; without an entry where a run has no documents.
    beyond_depth : int
        Number of documents ranked below the depth, which are left out.
    files : tuple of StoredFile
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    lists: tuple[RankedList, ...]
    beyond_depth: int
    files: tuple[StoredFile, ...]


def read_runs(
    paths: Sequence[Path | str], *, max_bytes: int, topics: Sequence[str] | None = None
) -> RunFiles:
    """Read files of TREC runs, with topic, Q0, document, rank, score and tag in each line.

    The order is trec_eval's: by descending score in single precision, then by descending document
    name. The column of ranks is ignored.

    Parameters
    ----------
    paths : sequence of paths
        Files, gzipped or not, or directories of such files; one or several runs a file.
    max_bytes : int
        Largest file that is read, also after decompression.
    topics : sequence of str, optional
        Those to read; lists for others are left out.

    Raises
    ------
    BadFileError
        If a file cannot be read as runs, or two have the same run; the message names the position.
    """
    numberings = {"tag": Numbering(), "topic": Numbering(), "document": Numbering()}
    names: dict[str, list[str]] = {noun: [] for noun in numberings}
    file_of_run: list[str] = []
    stored_files: list[StoredFile] = []
    lists: list[RankedList] = []
    beyond = 0
    for path in _files(paths):
        stored, source = read_stored(path, max_bytes, "a TREC run")
        columns = read_columns(source, *numberings.values())
        for noun, numbering in numberings.items():
            names[noun] += _new_names(numbering, len(names[noun]), noun, source)
        starts = _starts_of_runs(columns, names["tag"], file_of_run, source)
        file_of_run += [stored.file] * (len(names["tag"]) - len(file_of_run))
        stored_files.append(stored)
        for lines in starmap(slice, pairwise([*starts, len(columns.run)])):
            _refuse_repeated_documents(columns, lines, names, source)
            of_run, dropped = _ranked_lists(columns, lines, numberings["document"])
            lists += of_run
            beyond += dropped
    kept_topics = names["topic"] if topics is None else topics
    at_topic = {name: index for index, name in enumerate(kept_topics)}
    kept = [
        ranked._replace(topic=at_topic[name])
        for ranked in lists
        if (name := names["topic"][ranked.topic]) in at_topic
    ]
    documents = names["document"]
    if beyond or len(kept) < len(lists):
        kept, documents = _renumbered(kept, documents)
    return RunFiles(
        runs=tuple(names["tag"]),
        topics=tuple(kept_topics),
        documents=tuple(documents),
        lists=tuple(sorted(kept, key=lambda ranked: ranked[:2])),
        beyond_depth=beyond,
        files=tuple(stored_files),
    )


def _files(paths: Sequence[Path | str]) -> Iterator[Path | str]:
    """Yield the files, those of a directory sorted by name and without hidden ones."""
    for path in paths:
        try:
            files = sorted(file for file in Path(path).iterdir() if not file.name.startswith("."))
        except (OSError, ValueError):
            yield path  # no directory; if it is no file either, reading it raises the error
            continue
        if not files:
            raise BadFileError("the directory holds no files; name run files", shown_path(path))
        yield from files


def _new_names(numbering: Numbering, first: int, noun: str, source: SourceText) -> list[str]:
    """Return the names that a file added, numbered from `first` on, checked."""
    column = ("topic", "", "document", "", "", "tag").index(noun)
    new = numbering.names(first)

    def location(at: int) -> tuple[int, int]:
        lines = (line for line, text in source.rows if text.split()[column] == new[at])
        return next(lines), column + 1

    return checked_names(new, noun, source.file, location)


def _starts_of_runs(
    columns: Columns, tags: Sequence[str], file_of_run: Sequence[str], source: SourceText
) -> list[int]:
    """Return the row at which each run of a file starts."""
    run, topic = columns.run, columns.topic
    starts = [0, *(np.flatnonzero(run[1:] != run[:-1]) + 1).tolist()]
    seen: set[int] = set()
    before = ""
    for start in starts:
        number = int(run[start])
        tag, reason = tags[number], None
        if number < len(file_of_run):
            reason = f"the run {tag} is already in {file_of_run[number]}; give it once"
        elif number in seen:
            reason = (
                f"the run {tag} goes on here behind lines of the run {before}; put the lines of a"
                " run together, or mend the tag"
            )
        elif start and topic[start] == topic[start - 1]:
            ranks = [source.rows[row][1].split()[3] for row in (start - 1, start)]
            if all(map(str.isdecimal, ranks)) and int(ranks[1]) == int(ranks[0]) + 1:
                reason = (
                    f"the tag changes from {before} to {tag} within the list of a topic, at rank"
                    f" {ranks[1]}; give all lines of a run the same tag"
                )
        if reason is not None:
            raise BadFileError(reason, source.file, source.rows[start][0], 6)
        seen.add(number)
        before = tag
    return starts


def _refuse_repeated_documents(
    columns: Columns, lines: slice, names: Mapping[str, Sequence[str]], source: SourceText
) -> None:
    topic, document = columns.topic[lines], columns.document[lines]
    pairs = topic.astype(np.int64) << 32 | document
    in_order = np.sort(pairs)
    if (in_order[1:] > in_order[:-1]).all():
        return
    order = np.argsort(pairs, kind="stable")
    second = int(order[np.flatnonzero(np.diff(pairs[order]) == 0) + 1].min())
    first = int(np.argmax(pairs == pairs[second]))
    first_line, second_line = (source.rows[lines.start + row][0] for row in (first, second))
    reason = (
        f"the run {names['tag'][columns.run[lines.start]]} has the document"
        f" {names['document'][document[second]]} for topic {names['topic'][topic[second]]} on line"
        f" {first_line} already; keep one"
    )
    raise BadFileError(reason, source.file, second_line, 3)


def _ranked_lists(
    columns: Columns, lines: slice, documents: Numbering
) -> tuple[list[RankedList], int]:
    """Return the lists of a run in trec_eval's order, and the number of documents below `LIST_DEPTH`."""
    topic, document, score = columns.topic[lines], columns.document[lines], columns.score[lines]
    starts = np.append(0, np.flatnonzero(topic[1:] != topic[:-1]) + 1)
    topics, at_topic = np.unique(topic[starts], return_inverse=True)
    in_blocks = np.diff(starts, append=len(topic))

    # The bits of a float32 sort like its values, but in reverse for negative ones.
    bits = (score + np.float32(0)).view(np.uint32)
    falling = np.where(bits >> 31, bits, bits ^ np.uint32(2**31 - 1))
    sort_key = np.repeat(at_topic, in_blocks) << 32 | falling
    if (sort_key[1:] < sort_key[:-1]).any():
        order = np.argsort(sort_key, kind="stable")
        sort_key, document, score = sort_key[order], document[order], score[order]
    same = sort_key[1:] == sort_key[:-1]
    if same.any():
        tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
        words = documents.words(document[tied]).byteswap()
        document[tied] = document[tied][np.lexsort((*~words.T[::-1], sort_key[tied]))]

    run = int(columns.run[lines.start])
    stops = np.cumsum(np.bincount(at_topic, weights=in_blocks).astype(np.int64))
    lists = [
        RankedList(run, number, documents_of_list[:LIST_DEPTH].copy(), scores[:LIST_DEPTH].copy())
        for number, documents_of_list, scores in zip(
            topics.tolist(), np.split(document, stops), np.split(score, stops), strict=False
        )
    ]
    return lists, len(topic) - sum(len(ranked.documents) for ranked in lists)


def _renumbered(
    lists: Sequence[RankedList], names: Sequence[str]
) -> tuple[list[RankedList], list[str]]:
    """Return the lists and the document names, renumbered without documents that are in no list."""
    used = np.zeros(len(names), bool)
    for ranked in lists:
        used[ranked.documents] = True
    numbers = (np.cumsum(used) - 1).astype(np.int32)
    return (
        [ranked._replace(documents=numbers[ranked.documents]) for ranked in lists],
        [*compress(names, used)],
    )
