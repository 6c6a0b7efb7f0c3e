"""The form of a study, made from the fields of its request, and the studies run from it."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Container, Mapping, Sequence
from threading import Lock
from typing import Any

from roundbook.errors import RequestError
from roundbook.logbook.saving import ComputedResult, compute_result
from roundbook.logbook.session import Session
from roundbook.logbook.studies.studies import STUDIES
from roundbook.logbook.studies.study import Study
from roundbook.pages.forms import FormField, fields_of, form_field
from roundbook.requests.base import takes_several
from roundbook.requests.studies import AllRoundsRequest, StudyRequest

# The fields that name the scores; and fields of files, which only the terminal has.
OF = ("task", "round", "measure")
_OF_FILES = frozenset({"layout", "missing", "file_measure"})
# Fields that a form requires, though the request does not.
_NEEDED = frozenset({"to_round", "pivot"})
# A page has to be quick: it runs at most so many trials unless the form says otherwise.
TRIALS = {"trials": 1_000, "swap_trials": 200}
# The titles of studies of all rounds.
_OVER_ROUNDS = {
    "across-rounds": "Swap rates across all rounds",
    "leave-one-out-rounds": "Leave one out across all rounds",
}
# The parts of a description that are about options of the terminal and about files.
_OF_TERMINAL = re.compile("; (repeat\\b[^.]*|none with `file`)")


def study_form(study: str) -> list[FormField]:
    """Return the form fields of a study, except those that name the scores; see `OF`."""
    request, trials = STUDIES[study].request, _page_trials(study)
    return [
        field._replace(
            hint=_OF_TERMINAL.sub("", field.hint),
            usual=trials.get(field.name, field.usual),
            required=field.required or field.name in _NEEDED,
        )
        for field in (form_field(request, name) for name in _names(study) if name not in OF)
    ]


def study_title(study: str) -> str:
    """Return the title of a study on pages."""
    return _OVER_ROUNDS.get(study) or study.capitalize().replace("-", " ")


def is_of_a_round(study: str) -> bool:
    """Return whether a study is of a single round, which its form has to name."""
    return "round" in _names(study)


def draws(study: str) -> bool:
    """Return whether a study draws samples, so that it has a number of trials."""
    return study in STUDIES and "trials" in STUDIES[study].request.model_fields


def fewer_trials(study: str, typed: Container[str]) -> list[str]:
    """Return a sentence for each number of trials that a page lowers, as it is not `typed`."""
    sentences = []
    for name, number in _default_trials(study).items():
        if name not in typed and number > TRIALS[name]:
            # As its field says: "permutations of ...".
            words = (STUDIES[study].request.model_fields[name].description or "").rstrip(".")
            sentences.append(
                f"{TRIALS[name]:,} {words[:1].lower()}{words[1:]}; by default the terminal takes"
                f" {number:,}."
            )
    return sentences


def _default_trials(study: str) -> dict[str, int]:
    """Return the default numbers of trials of a study's request, by field."""
    fields = STUDIES[study].request.model_fields
    return {name: fields[name].default for name in TRIALS if name in fields}


def _page_trials(study: str) -> dict[str, str]:
    """Return how many trials a page runs unless its form says otherwise, by field."""
    return {name: str(min(TRIALS[name], most)) for name, most in _default_trials(study).items()}


def study_measures(study: str, recorded: Sequence[str]) -> list[str]:
    """Return the measures, of those recorded, that a study can be of; or the only one it is of."""
    field = STUDIES[study].request.model_fields["measure"]
    return list(recorded) if field.is_required() else [field.default]


def check_round(study: str, fields: Container[str]) -> None:
    """Raise RequestError unless the task and, of a study of one, the round are filled in."""
    for name in ("task", "round"):
        if name in _names(study) and name not in fields:
            raise RequestError(name, f"`{name}` is not given")


def study_fields(study: str, query: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the request fields from a study's form, with the number of trials that a page runs.

    Several values are repeated fields, or one field with commas between them; a value with a comma
    of its own needs repeated fields.
    """
    names, request = _names(study), STUDIES[study].request
    fields: dict[str, Sequence[str]] = {
        name: [number] for name, number in _page_trials(study).items()
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


# Studies that pages have shown, kept for the files of their charts and for repeated requests.
_MOST_KEPT = 16
_KEPT: OrderedDict[tuple[str, str], ComputedResult] = OrderedDict()
_LOCK = Lock()


def run_kept_study(session: Session, request: StudyRequest) -> Study:
    """Return a study: the one kept if its inputs are the same today, else a new computation."""
    # Two services in one process may have records of their own.
    key = (str(session.connection.engine.url), request.model_dump_json())
    kept = _KEPT.get(key)
    if kept is None or not kept.is_of_today(session.connection):
        kept = compute_result(session, "study", request)
    with _LOCK:
        _KEPT[key] = kept
        _KEPT.move_to_end(key)
        while len(_KEPT) > _MOST_KEPT:
            _KEPT.popitem(last=False)
    assert isinstance(kept.result, Study)
    return kept.result
