"""The files of an evaluation that lie beside its scores, and are taken for them."""

from __future__ import annotations

from collections.abc import Sequence

from roundbook.errors import BadFileError
from roundbook.formats.cells import is_number
from roundbook.formats.lines import fields_of
from roundbook.formats.table import RUN_WORDS, TEAM_WORDS, TOPIC_WORDS, any_of, header_word
from roundbook.formats.text import SourceText


def refuse_other_file(source: SourceText, header: Sequence[str]) -> None:
    """Refuse a team file, TREC qrels and a TREC run, which hold no scores of runs.

    Raises
    ------
    BadFileError
        Saying what the file looks like, and what to give instead.
    """
    words = {header_word(cell) for cell in header}
    if (
        header_word(header[0]) in any_of(RUN_WORDS) | any_of(TEAM_WORDS)
        and words & any_of(RUN_WORDS)
        and words & any_of(TEAM_WORDS)
        and not words & any_of(TOPIC_WORDS)
    ):
        raise BadFileError(
            "this looks like a team file, and not like scores; give it with --teams, beside the"
            " score file",
            source.file,
        )
    for what, fits in (("TREC qrels", _is_qrels), ("a TREC run", _is_run)):
        if all(fits(text) for _, text in source.rows[:2]):
            raise BadFileError(
                f"this looks like {what}, and not like scores; Roundbook takes scores a topic, as"
                " trec_eval -q prints them",
                source.file,
            )


def _is_qrels(text: str) -> bool:
    fields = fields_of(text)
    if len(fields) != 4 or not fields[1].isdecimal() or not fields[3].lstrip("-").isdecimal():
        return False
    # With tabs it might be a row of a wide file, were it not for the document's name.
    return "\t" not in text or not is_number(fields[2])


def _is_run(text: str) -> bool:
    fields = fields_of(text)
    return len(fields) == 6 and fields[1].upper() == "Q0" and is_number(fields[4])
