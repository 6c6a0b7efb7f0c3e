"""Output of evaluation tools: trec_eval, ir_measures and NTCIREVAL, with one score a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from roundbook.errors import BadFileError
from roundbook.formats.long import block_of_lines
from roundbook.formats.matrix import MEANS, SUMMARY_TOPIC, Block
from roundbook.formats.measures import MeasureSelection, choose_measures
from roundbook.formats.table import Scores, checked_name, is_number, numbers, quoted
from roundbook.formats.text import STANDARD_INPUT, SourceText, fields_of

# Only these suffixes are removed from a file's name: run tags hold dots (10x20.prf.unipd.it).
_SUFFIXES = frozenset(
    {".gz", ".txt", ".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".out", ".eval",
     ".evals", ".treceval", ".trec_eval", ".ir_measures", ".nev", ".dnev", ".scores", ".results"}
)  # fmt: skip
_NO_TOPICS = (
    "there are summaries over all topics, no scores of single topics; run ir_measures with -q"
)
# Lines of -out TOPIC; the last kind are the rank-by-rank lines of -v, without a topic.
_NOTE = re.compile(r"(?:\S+\s+)?#\s*(?:syslen|r1|intent_num|nuggets)=|#\d+\s+(?:CGi|count)=")


class _ScoreLine(NamedTuple):
    """One score of a tool's output; the run is None if only the file's name gives it."""

    line: int
    topic: str
    measure: str
    value: str
    run: str | None = None


class _ToolLines(NamedTuple):
    """The scores of a tool's output, with the columns of topics and values for error messages."""

    lines: list[_ScoreLine]
    topic_column: int | None = None
    value_column: int | None = None


def read_output(source: SourceText, tool: str, selection: MeasureSelection) -> dict[str, Block]:
    """Read the output of one of `TOOLS`: a block for each selected measure.

    A run without a tag gets it from the file's name. Only the values of the selected measures are
    read as numbers: others may be text (trec_eval's relstring) or undefined.
    """
    file, output = source.file, TOOLS[tool](source)
    by_name: dict[str, list[_ScoreLine]] = {}
    for line in output.lines:
        by_name.setdefault(line.measure, []).append(line)
    chosen = choose_measures(by_name, selection, file)
    runs_read = {line.run for name in chosen.values() for line in by_name[name]}
    other_runs: dict[str, str] = {}
    for line in output.lines:
        if line.run not in runs_read and line.run is not None and line.topic.lower() not in MEANS:
            other_runs.setdefault(line.run, line.measure)
    blocks = {}
    for measure, name in chosen.items():
        lines = by_name[name]
        tag = "" if all(line.run is not None for line in lines) else _run_tag(file)
        block = block_of_lines(
            file,
            topics=[line.topic for line in lines],
            runs=[tag if line.run is None else line.run for line in lines],
            scores=_scores(lines, file, output.value_column),
            lines=[line.line for line in lines],
            topic_column=output.topic_column,
            run_column=None,
            score_column=output.value_column,
            measure=name,
            whole_runs=True,
        )
        blocks[measure] = replace(block, other_runs=other_runs)
    return blocks


def _run_tag(file: str) -> str:
    """Return the run tag from a file's name: the name without known suffixes."""
    if file == STANDARD_INPUT:
        raise BadFileError(
            "the scores name no run, and standard input has no file name to take the tag from;"
            " give a file called by the tag",
            file,
        )
    name = Path(file).name
    while Path(name).suffix.lower() in _SUFFIXES:
        name = Path(name).stem
    if not name.strip(". ") or name.lower() in _SUFFIXES:
        raise BadFileError("the run has no tag in the file, and the file's name gives none", file)
    return checked_name(name, "run", file, None, None)


def _scores(lines: list[_ScoreLine], file: str, column: int | None) -> Scores:
    for line in lines:
        if not line.value:
            raise BadFileError("the score is missing", file, line.line, column)
    return numbers([line.value for line in lines], file, lambda at: (lines[at].line, column))


def _trec_eval_lines(source: SourceText) -> _ToolLines:
    """Return the scores of ``trec_eval -q``: ``measure topic value`` lines, then those of ``all``.

    The run's tag is in the summary line ``runid all TAG``; without one (``trec_eval -m map -q``
    does not write it) the file holds one run and its name is the tag. Several outputs in a file
    are separated by their summaries, so each needs its own ``runid``.
    """
    groups: list[list[_ScoreLine]] = []
    tags: list[tuple[int, int, str]] = []  # groups begun before it, line, tag
    in_summary = True
    for line, text in source.rows:
        fields = fields_of(text)
        if len(fields) != 3:
            reason = f"expected 3 fields (measure, topic, value), found {len(fields)}"
            raise BadFileError(reason, source.file, line)
        name, topic, value = fields
        if topic.lower() == SUMMARY_TOPIC:
            in_summary = True
            if name == "runid":
                tag = checked_name(value, "run", source.file, line, 3)
                tags.append((len(groups), line, tag))
            continue
        if in_summary:
            groups.append([])
            in_summary = False
        groups[-1].append(_ScoreLine(line, topic, name, value))
    if not groups:
        raise BadFileError(
            "there are only summary lines, no scores of single topics; run trec_eval with -q",
            source.file,
        )
    return _ToolLines(_tagged(groups, tags, source.file), topic_column=2, value_column=3)


def _tagged(
    groups: list[list[_ScoreLine]], tags: list[tuple[int, int, str]], file: str
) -> list[_ScoreLine]:
    seen: dict[str, int] = {}
    for _, line, tag in tags:
        if tag in seen:
            reason = (
                f"the run tag {tag} already ends another run on line {seen[tag]}; "
                "give one file a run"
            )
            raise BadFileError(reason, file, line, 3)
        seen[tag] = line
    if len(groups) == 1 and not tags:
        return groups[0]
    if len(groups) != 1 and [at for at, _, _ in tags] != list(range(1, len(groups) + 1)):
        raise BadFileError(
            "several runs stand one after another, but not each ends in its own line "
            "'runid all TAG'; give one file a run",
            file,
            groups[1][0].line,
        )
    if len(tags) != len(groups):
        raise BadFileError("more runs are named than have scores", file, tags[1][1])
    return [
        _ScoreLine(*line[:4], tag)
        for group, (_, _, tag) in zip(groups, tags, strict=True)
        for line in group
    ]


def _ir_measures_lines(source: SourceText) -> _ToolLines:
    """Return the scores of ``ir_measures -q``: ``topic measure value`` as TSV, or JSON lines.

    The file has one run. The topic ``all`` of the summary (absent with ``-n``) is left out.
    """
    is_json = source.rows[0][1].lstrip().startswith("{")
    read_lines = _json_lines if is_json else _tsv_lines
    lines = [line for line in read_lines(source) if line.topic.lower() != SUMMARY_TOPIC]
    if not lines:
        raise BadFileError(_NO_TOPICS, source.file)
    return _ToolLines(lines) if is_json else _ToolLines(lines, topic_column=1, value_column=3)


def _tsv_lines(source: SourceText) -> Iterator[_ScoreLine]:
    for line, text in source.rows:
        fields = fields_of(text)
        if len(fields) == 2:
            raise BadFileError(_NO_TOPICS, source.file, line)
        if len(fields) != 3:
            reason = f"expected 3 fields (topic, measure, value), found {len(fields)}"
            raise BadFileError(reason, source.file, line)
        yield _ScoreLine(line, fields[0], fields[1], fields[2])


def _json_lines(source: SourceText) -> Iterator[_ScoreLine]:
    for line, text in source.rows:
        try:
            # Numbers stay text, to be parsed as strictly as in other layouts.
            entry = json.loads(
                text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_entry
            )
        except _RepeatedKeyError as repeated:
            reason = f"the key {quoted(repeated.args[0])} is there twice; keep one"
            raise BadFileError(reason, source.file, line) from None
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict):
            raise BadFileError("the line is not a JSON object", source.file, line)
        if "query_id" not in entry and "measure" in entry:
            raise BadFileError(_NO_TOPICS, source.file, line)
        cells = [entry.get(key) for key in ("query_id", "measure", "value")]
        topic, name, value = (cell if isinstance(cell, str) else None for cell in cells)
        if topic is None or name is None or value is None:
            raise BadFileError(
                'expected {"query_id": .., "measure": .., "value": number}, '
                f"found {quoted(text.strip(), 80)}",
                source.file,
                line,
            )
        yield _ScoreLine(line, topic.strip(), name.strip(), value.strip())


class _RepeatedKeyError(ValueError):
    """A key of a JSON object, its argument, is there twice."""


def _entry(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # json would silently keep the last of two equal keys.
    entry: dict[str, Any] = {}
    for key, value in pairs:
        if key in entry:
            raise _RepeatedKeyError(key)
        entry[key] = value
    return entry


def _ntcireval_lines(source: SourceText) -> _ToolLines:
    """Return the scores of ``ntcir_eval compute -out TOPIC``: ``topic measure= value`` lines.

    The file has one run. Notes on it (``0001 # syslen=620 jrel=5 jnonrel=0``) are left out, and so
    are the lines of single intents in diversity evaluation (``0001 2 0.25 Q@0010= 0.3``); their
    summary line (``0001 SUMp= 1.0 IA-Q@0010= 0.3``) is read.
    """
    lines: list[_ScoreLine] = []
    for line, text in source.rows:
        if _is_note(text):
            continue
        topic, *rest = text.split()
        if _pairs([topic, *rest]):
            raise BadFileError(
                "the line names no topic; run ntcir_eval with -out TOPIC", source.file, line, 1
            )
        pairs = _pairs(rest)
        if pairs is None and len(rest) >= 3 and _pairs(rest[2:]):
            continue  # one intent's score
        if pairs is None:
            raise BadFileError(
                f"expected 'topic measure= value', found {quoted(text.strip())}", source.file, line
            )
        lines += (_ScoreLine(line, topic, name, value) for name, value in pairs)
    if not lines:
        raise BadFileError("there are notes only, no scores", source.file)
    return _ToolLines(lines, topic_column=1, value_column=3)


def looks_like_ntcireval(text: str) -> bool:
    """Return whether a line has NTCIREVAL's form, which no other layout has."""
    return _is_note(text) or bool(_pairs(text.split()[1:])) or bool(_pairs(text.split()))


def _is_note(text: str) -> bool:
    return _NOTE.match(text.strip()) is not None


def _pairs(tokens: list[str]) -> list[tuple[str, str]] | None:
    # pyNTCIREVAL pads the name to a fixed width, so a long one touches its value.
    pairs: list[tuple[str, str]] = []
    waiting: str | None = None
    for token in tokens:
        if waiting is not None:
            pairs.append((waiting, token))
            waiting = None
            continue
        name, equals, value = token.partition("=")
        if not equals or not name:
            return None
        if not value:
            waiting = name
        elif is_number(value):
            pairs.append((name, value))
        else:
            return None
    return pairs if waiting is None and pairs else None


TOOLS = {
    "trec_eval": _trec_eval_lines,
    "ir_measures": _ir_measures_lines,
    "ntcireval": _ntcireval_lines,
}
