"""The form of a study, made from the fields of its request, and the studies run from it."""

from __future__ import annotations

import re
import shlex
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic_core import PydanticUndefined

from roundbook.logbook.saving import ComputedResult, compute_result, inputs_of
from roundbook.logbook.session import Session
from roundbook.logbook.studies.studies import STUDIES
from roundbook.logbook.studies.study import Study
from roundbook.pages.forms import fields_of
from roundbook.requests.base import takes_several
from roundbook.requests.studies import AllRoundsRequest, StudyRequest

# The fields that name the scores; and fields of files, which only the terminal has.
OF = ("task", "round", "measure")
_OF_FILES = frozenset({"layout", "missing", "file_measure"})
# Fields that a form requires, though the request does not.
_NEEDED = frozenset({"to_round", "pivot"})
# A page has to be quick: it runs at most so many trials unless the form says otherwise.
TRIALS = {"trials": 1_000, "swap_trials": 200}
# Studies of all rounds: their titles on pages, and the studies of one round of which they are an
# option in the terminal.
_OVER_ROUNDS = {
    "across-rounds": ("Swap rates across all rounds", "swap-rate"),
    "leave-one-out-rounds": ("Leave one out across all rounds", "leave-one-out"),
}
# The parts of a description that are about options of the terminal and about files.
_OF_TERMINAL = re.compile("; (repeat\\b[^.]*|none with `file`)")


class StudyField(NamedTuple):
    """A field of a study's form: its hint, its usual value, and how it is filled in.

    `choices` are those of a list or, where `several` may be chosen, boxes to tick; a `tick` is a
    single box.
    """

    name: str
    hint: str
    usual: str
    required: bool
    choices: tuple[str, ...] = ()
    several: bool = False
    tick: bool = False


def study_form(study: str) -> list[StudyField]:
    """Return the form fields of a study, except those that name the scores; see `OF`."""
    return [_field(study, name) for name in _names(study) if name not in OF]


def study_title(study: str) -> str:
    """Return the title of a study on pages."""
    title, _ = _OVER_ROUNDS.get(study, (None, None))
    return title or study.capitalize().replace("-", " ")


def over_rounds_command(study: str, task: str | None, measure: str | None) -> str | None:
    """Return the command of the terminal for a study of all rounds; None for one of a round."""
    if study not in _OVER_ROUNDS:
        return None
    named = (task or "TASK", "--all-rounds", "--measure", measure or "M")
    return shlex.join(["roundbook", "study", _OVER_ROUNDS[study][1], *named])


def study_fields(study: str, query: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the request fields from a study's form, with the number of trials that a page runs.

    Several values are repeated fields, or one field with commas between them; a value with a comma
    of its own needs repeated fields.
    """
    names, request = _names(study), STUDIES[study].request
    fields: dict[str, Sequence[str]] = {
        name: [str(min(most, request.model_fields[name].default))]
        for name, most in TRIALS.items()
        if name in names
    }
    for name, values in query.items():
        if name in names:
            split = takes_several(request, name) and len(values) == 1
            parts = values[0].split(",") if split else values
            fields[name] = [part.strip() for part in parts if part.strip()]
    return fields_of(request, {name: values for name, values in fields.items() if values})


def _names(study: str) -> list[str]:
    request = STUDIES[study].request
    # A study of all rounds has no round's label.
    without = {"round"} if issubclass(request, AllRoundsRequest) else set()
    return [
        name
        for name, field in request.model_fields.items()
        if name not in _OF_FILES | {"study"} | without and "Path" not in str(field.annotation)
    ]


def _field(study: str, name: str) -> StudyField:
    request = STUDIES[study].request
    field = request.model_fields[name]
    several, kind = takes_several(request, name), field.annotation
    parts = [kind, *get_args(kind)]
    literals = next((part for part in parts if get_origin(part) is Literal), None)
    default = min(field.default, TRIALS[name]) if name in TRIALS else field.default
    has_default = default not in (None, PydanticUndefined, ()) and not several
    return StudyField(
        name=name,
        hint=_OF_TERMINAL.sub("", field.description or ""),
        usual=str(default) if has_default else "",
        required=field.is_required() or name in _NEEDED,
        choices=get_args(literals),
        several=several,
        tick=kind is bool,
    )


# Studies that pages have shown, kept for the files of their charts and for repeated requests.
_MOST_KEPT = 16
_KEPT: OrderedDict[tuple[str, str], ComputedResult] = OrderedDict()
_LOCK = Lock()


def run_kept_study(session: Session, request: StudyRequest) -> Study:
    """Return a study: the one kept if its inputs are the same today, else a new computation."""
    # Two services in one process may have records of their own.
    key = (str(session.connection.engine.url), request.model_dump_json())
    kept = _KEPT.get(key)
    if kept is None or kept.inputs != inputs_of(
        session.connection, "study", kept.request, kept.result
    ):
        kept = compute_result(session, "study", request)
    with _LOCK:
        _KEPT[key] = kept
        _KEPT.move_to_end(key)
        while len(_KEPT) > _MOST_KEPT:
            _KEPT.popitem(last=False)
    assert isinstance(kept.result, Study)
    return kept.result
