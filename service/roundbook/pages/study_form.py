"""The form of a study: a field for each that its request has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic_core import PydanticUndefined

from roundbook.logbook.studies.studies import STUDIES
from roundbook.pages.site import fields_of
from roundbook.requests.studies import AllRoundsRequest

# Which scores it is of; and fields of files, which are for the terminal.
OF = ("task", "round", "measure")
_OF_FILES = frozenset({"layout", "missing", "file_measure"})
# A page is not waited for long: with no more trials than so many unless it is said.
_TRIALS = {"trials": 1_000, "swap_trials": 200}
# What a description says of options and of files.
_OF_TERMINAL = re.compile("; (repeat\\b[^.]*|none with `file`)")


class StudyField(NamedTuple):
    """A field of a study's form: how it is filled in, with what, and what it is without.

    `choices` are those of a list, or where `several` may be chosen the boxes to tick; a `tick` is
    one box alone.
    """

    name: str
    hint: str
    usual: str
    required: bool
    choices: tuple[str, ...] = ()
    several: bool = False
    tick: bool = False


def study_form(study: str) -> list[StudyField]:
    """Return the fields of a study but for those that name the scores; see `OF`."""
    return [_field(study, name) for name in _names(study) if name not in OF]


def is_of_all_rounds(study: str) -> bool:
    """Return whether a study is of all rounds of a task, and so names none."""
    return issubclass(STUDIES[study].request, AllRoundsRequest)


def study_fields(study: str, query: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what a study's form was filled in with, and how many trials a page runs.

    Several values are each in a field of their own, or between commas.
    """
    names = _names(study)
    request = STUDIES[study].request
    given: dict[str, Sequence[str]] = {
        name: [str(min(most, request.model_fields[name].default))]
        for name, most in _TRIALS.items()
        if name in names
    }
    for name, values in query.items():
        if name in names:
            parts = ",".join(values).split(",") if _is_several(study, name) else values
            given[name] = [part.strip() for part in parts if part.strip()]
    return fields_of(request, {name: values for name, values in given.items() if values})


def _names(study: str) -> list[str]:
    # Of a round of all, the label is none.
    without = {"round"} if is_of_all_rounds(study) else set()
    return [
        name
        for name, field in STUDIES[study].request.model_fields.items()
        if name not in _OF_FILES | {"study"} | without and "Path" not in str(field.annotation)
    ]


def _is_several(study: str, name: str) -> bool:
    return "tuple[" in str(STUDIES[study].request.model_fields[name].annotation)


def _field(study: str, name: str) -> StudyField:
    field = STUDIES[study].request.model_fields[name]
    several, kind = _is_several(study, name), field.annotation
    parts = [kind, *get_args(kind)]
    literals = next((part for part in parts if get_origin(part) is Literal), None)
    default = min(field.default, _TRIALS[name]) if name in _TRIALS else field.default
    known = default not in (None, PydanticUndefined, ()) and not several
    return StudyField(
        name=name,
        hint=_OF_TERMINAL.sub("", field.description or ""),
        usual=str(default) if known else "",
        required=field.is_required(),
        choices=get_args(literals),
        several=several,
        tick=kind is bool,
    )
