"""What a text must be to be imported: what it must be to be typed, or read from a score file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column

from roundbook.database import tables
from roundbook.errors import InputError
from roundbook.formats.table import checked_name, has_unfit, shown
from roundbook.logbook.lookup import check_name, check_reason, check_text
from roundbook.logbook.measures import parse_measure
from roundbook.transfer.archive import earlier

# Names that are typed, each with what it is the name of.
_TYPED = {
    tables.task.c.name: "task",
    tables.round_.c.label: "round",
    tables.round_.c.collection: "document collection",
    tables.matrix.c.assessments: "assessments label",
    tables.factor_set.c.assessments: "assessments label",
    tables.published_variance.c.assessments: "assessments label",
    tables.result.c.name: "saved result",
    earlier.plan.c.name: "plan",
}
# Names that come with scores.
_READ = {
    tables.topic.c.name: "topic",
    tables.topic_alias.c.name: "topic",
    tables.team.c.name: "team",
    tables.run.c.tag: "run",
    tables.run.c.type: "type",
    tables.run.c.system: "system",
}
_REASONS = frozenset(
    {
        tables.matrix.c.reason,
        tables.factor_set.c.reason,
        tables.published_variance.c.reason,
        tables.withdrawal.c.reason,
    }
)


def check_value(column: Column[Any], value: Any, file: str, line: int, position: int) -> None:  # noqa: ANN401
    """Refuse a text that nobody could have typed, and a name that no score file could have.

    Raises
    ------
    InputError
        What is wrong with it.
    """
    if isinstance(value, str):
        if column in _READ:
            checked_name(value, _READ[column], file, line, position)
        elif column in _TYPED:
            check_name(_TYPED[column], value)
        elif column is tables.measure.c.name:
            parse_measure(value)
        elif column in _REASONS:
            check_reason(value)
        else:
            check_text(column.name.replace("_", " "), value)
        if (column in _READ or column in _TYPED) and value != value.strip():
            raise InputError(f"{shown(value)} has white space around it.")
    elif isinstance(value, list | dict):
        for text in _texts(value):
            if has_unfit(text):
                raise InputError(f"{shown(text)} holds a control or invisible character.")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _texts(part)
