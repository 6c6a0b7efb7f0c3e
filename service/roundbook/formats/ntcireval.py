"""Output of NTCIREVAL (``ntcir_eval compute -out TOPIC``): ``topic measure= value`` lines."""

from __future__ import annotations

import re

from roundbook.errors import BadFileError
from roundbook.formats.lines import ScoreLine, ToolLines
from roundbook.formats.table import is_number, quoted
from roundbook.formats.text import SourceText

# Lines of -out TOPIC; the last kind are the rank-by-rank lines of -v, without a topic.
_NOTE = re.compile(r"(?:\S+\s+)?#\s*(?:syslen|r1|intent_num|nuggets)=|#\d+\s+(?:CGi|count)=")


def ntcireval_lines(source: SourceText) -> ToolLines:
    """Return the scores of a ``.nev`` file, which has one run.

    Notes on the run (``0001 # syslen=620 jrel=5 jnonrel=0``) are left out, and so are the lines
    of single intents in diversity evaluation (``0001 2 0.25 Q@0010= 0.3``); their summary line
    (``0001 SUMp= 1.0 IA-Q@0010= 0.3``) is read.

    Raises
    ------
    BadFileError
        If a line does not fit.
    """
    lines: list[ScoreLine] = []
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
        lines += (ScoreLine(line, topic, name, value) for name, value in pairs)
    if not lines:
        raise BadFileError("there are notes only, no scores", source.file)
    return ToolLines(lines, topic_column=1, value_column=3)


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
