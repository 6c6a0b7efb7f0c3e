"""The form of a study: a field for each that its request has; and the studies that were run from it."""

from __future__ import annotations

import re
import shlex
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic_core import PydanticUndefined

from roundbook.logbook.kinds import find_kind
from roundbook.logbook.saving import ComputedResult, compute_result
from roundbook.logbook.session import Session
from roundbook.logbook.studies.studies import STUDIES
from roundbook.logbook.studies.study import Study
from roundbook.pages.forms import fields_of
from roundbook.requests.base import takes_several
from roundbook.requests.studies import AllRoundsRequest, StudyRequest

# Which scores it is of; and fields of files, which are for the terminal.
OF = ("task", "round", "measure")
_OF_FILES = frozenset({"layout", "missing", "file_measure"})
# What a request is given in files or by hand, and a form cannot do without.
_NEEDED = frozenset({"to_round", "pivot"})
# A page is not waited for long: with no more trials than so many unless it is said.
_TRIALS = {"trials": 1_000, "swap_trials": 200}
# Studies of all rounds, by the titles that they have on pages: in the terminal they are an option
# of the study of one round.
_OVER_ROUNDS = {
    "across-rounds": ("Swap rates across all rounds", "swap-rate"),
    "leave-one-out-rounds": ("Leave one out across all rounds", "leave-one-out"),
}
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


def study_title(study: str) -> str:
    """Return what a study is called on pages."""
    title, _ = _OVER_ROUNDS.get(study, (None, None))
    return title or study.capitalize().replace("-", " ")


def over_rounds_command(study: str, task: str | None, measure: str | None) -> str | None:
    """Return the command of the terminal for a study of all rounds; None for one of a round."""
    if study not in _OVER_ROUNDS:
        return None
    named = (task or "TASK", "--all-rounds", "--measure", measure or "M")
    return shlex.join(["roundbook", "study", _OVER_ROUNDS[study][1], *named])


def study_fields(study: str, query: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what a study's form was filled in with, and how many trials a page runs.

    Several values are each in a field of their own, or between commas.
    """
    names, request = _names(study), STUDIES[study].request
    given: dict[str, Sequence[str]] = {
        name: [str(min(most, request.model_fields[name].default))]
        for name, most in _TRIALS.items()
        if name in names
    }
    for name, values in query.items():
        if name in names:
            parts = ",".join(values).split(",") if takes_several(request, name) else values
            given[name] = [part.strip() for part in parts if part.strip()]
    return fields_of(request, {name: values for name, values in given.items() if values})


def _names(study: str) -> list[str]:
    request = STUDIES[study].request
    # Of a round of all, the label is none.
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
    default = min(field.default, _TRIALS[name]) if name in _TRIALS else field.default
    known = default not in (None, PydanticUndefined, ()) and not several
    return StudyField(
        name=name,
        hint=_OF_TERMINAL.sub("", field.description or ""),
        usual=str(default) if known else "",
        required=field.is_required() or name in _NEEDED,
        choices=get_args(literals),
        several=several,
        tick=kind is bool,
    )


# Studies that pages have shown, kept for their charts' files, and for whoever looks again.
_MOST_KEPT = 16
_KEPT: OrderedDict[tuple[str, str], ComputedResult] = OrderedDict()
_LOCK = Lock()


def run_kept_study(session: Session, request: StudyRequest) -> Study:
    """Compute a study, or return the one kept if what it rests on is the same today."""
    # Two services in one process may have records of their own.
    key = (str(session.connection.engine.url), request.model_dump_json())
    kept = _KEPT.get(key)
    if kept is None or kept.inputs != find_kind("study").inputs(
        session.connection, kept.asked, kept.result
    ):
        kept = compute_result(session, "study", request)
    with _LOCK:
        _KEPT[key] = kept
        _KEPT.move_to_end(key)
        while len(_KEPT) > _MOST_KEPT:
            _KEPT.popitem(last=False)
    assert isinstance(kept.result, Study)
    return kept.result
