"""Output of ``trec_eval -q``: ``measure topic value`` lines, then summary lines of ``all``."""

from __future__ import annotations

from roundbook.errors import BadFileError
from roundbook.formats.lines import ScoreLine, ToolLines
from roundbook.formats.matrix import SUMMARY_TOPIC
from roundbook.formats.table import checked_name
from roundbook.formats.text import SourceText, fields_of


def trec_eval_lines(source: SourceText) -> ToolLines:
    """Return the scores of a file of trec_eval output, with one or several runs in succession.

    The run's tag is in the summary line ``runid all TAG``; without one (``trec_eval -m map -q``
    does not write it) the file holds one run and its name is the tag. Several outputs in a file
    are separated by their summaries, so each needs its own ``runid``.

    Raises
    ------
    BadFileError
        If a line is invalid, or the runs cannot be separated.
    """
    groups: list[list[ScoreLine]] = []
    tags: list[tuple[int, int, str]] = []  # groups begun before it, line, tag
    in_summary = True
    for line, text in source.rows:
        fields = fields_of(text)
        if len(fields) != 3:
            raise BadFileError(
                f"expected 3 fields (measure, topic, value), found {len(fields)}",
                source.file,
                line,
            )
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
        groups[-1].append(ScoreLine(line, topic, name, value))
    if not groups:
        raise BadFileError(
            "there are only summary lines, no scores of single topics; run trec_eval with -q",
            source.file,
        )
    return ToolLines(_tagged(groups, tags, source.file), topic_column=2, value_column=3)


def _tagged(
    groups: list[list[ScoreLine]], tags: list[tuple[int, int, str]], file: str
) -> list[ScoreLine]:
    seen: dict[str, int] = {}
    for _, line, tag in tags:
        if tag in seen:
            raise BadFileError(
                f"the run tag {tag} already ends another run on line {seen[tag]}; "
                "give one file a run",
                file,
                line,
                3,
            )
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
        ScoreLine(*line[:4], tag)
        for group, (_, _, tag) in zip(groups, tags, strict=True)
        for line in group
    ]
