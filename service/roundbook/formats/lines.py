"""What the evaluation tools' outputs share: a score a line, a run a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from roundbook.errors import BadFileError
from roundbook.formats.cells import checked_name
from roundbook.formats.grid import Block, Records, block_from_records
from roundbook.formats.measures import choose_measure

# Only these are taken off a file's name: run tags hold dots themselves (10x20.prf.unipd.it).
_SUFFIXES = frozenset(
    {".gz", ".txt", ".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".out", ".eval",
     ".evals", ".treceval", ".trec_eval", ".ir_measures", ".nev", ".dnev", ".scores", ".results"}
)  # fmt: skip


class ScoreLine(NamedTuple):
    """One score of a tool's output; the run is None where only the file's name tells it."""

    line: int
    topic: str
    measure: str
    value: str
    run: str | None = None


def fields_of(text: str) -> list[str]:
    """Return the fields of a line; a tab, where there is one, is the only separator."""
    return [field.strip() for field in text.split("\t")] if "\t" in text else text.split()


def run_tag_from_name(file: str) -> str:
    """Return the run tag a file's name stands for: the name without known suffixes.

    Raises
    ------
    BadFileError
        If nothing, or nothing fit for a name, is left.
    """
    name = Path(file).name
    while Path(name).suffix.lower() in _SUFFIXES:
        name = Path(name).stem
    if not name.strip(". ") or name.lower() in _SUFFIXES:
        raise BadFileError("the run has no tag in the file, and the file's name gives none", file)
    return checked_name(name, "run", file, None, None)


def block_of_lines(
    lines: Iterable[ScoreLine],
    measure: str,
    file_measure: str | None,
    file: str,
    *,
    value_column: int | None,
    topic_column: int | None,
) -> tuple[Block, str]:
    """Lay out the scores of one measure; lines without a run belong to the file's run.

    Only the chosen measure's values are read as numbers, since other measures may hold text
    (trec_eval's relstring) or nothing defined.

    Returns
    -------
    Block
    str
        The measure's name in the file.
    """
    lines = list(lines)
    chosen = choose_measure((line.measure for line in lines), measure, file_measure, file)
    records = Records(file, topic_column=topic_column, value_column=value_column)
    tag: str | None = None
    for line in lines:
        if line.measure != chosen:
            continue
        run = line.run
        if run is None:
            tag = run = tag or run_tag_from_name(file)
        if not line.value:
            raise BadFileError("the score is missing", file, line.line, value_column)
        records.topics.append(line.topic)
        records.runs.append(run)
        records.values.append(line.value)
        records.lines.append(line.line)
    return block_from_records(records, whole_runs=True), chosen
