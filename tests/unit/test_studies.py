"""Every study of the registry has its modules, its command, and an option for each field."""

from __future__ import annotations

import inspect
from collections import defaultdict
from importlib import import_module
from importlib.util import find_spec
from typing import Literal, get_args, get_type_hints

import pytest

from roundbook.errors import InputError
from roundbook.logbook.session import Session
from roundbook.logbook.studies.studies import (
    STUDIES,
    StudyEntry,
    find_study,
    of_all_rounds,
    run_study,
)
from roundbook.pages.study_form import _OVER_ROUNDS
from roundbook.presentation.charts.studies import CHARTS
from roundbook.requests.studies import AllRoundsRequest, LeaveOneOutRequest, StudyRequest
from roundbook_cli import study as commands_of_studies

# By package, what the module of a study has.
MODULES = {
    "roundbook.logbook.studies": ("STUDIES",),
    "roundbook.presentation.studies": ("FIGURE", "sentences", "tables", "protocol"),
}
CHARTS_MODULE = "roundbook.presentation.charts.studies"
OF_THE_OUTPUT = {
    "context", "database", "form", "save", "note", "chart", "workers", "dask", "top",
}  # fmt: skip
# Fields that the terminal does not ask for: there is one scale, one way to read files, nothing is
# drawn, or files are of no round.
NOT_ASKED = {
    "change": {"scales"},
    "per-topic-variance": {"scales", "layout", "file_measure", "missing"},
    "leave-one-out": {"seed"},
    "leave-one-out-rounds": {"seed"},
}


@pytest.fixture(scope="module")
def commands():
    """By request, the commands that make it, with the names of what they fill it from."""
    made = defaultdict(dict)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands_of_studies, "refuse_beside_all_rounds", lambda *_, **__: None)
        for command in commands_of_studies.app.registered_commands:
            name = command.name or command.callback.__name__

            def note(model, options, name=name, **_):
                if options.get("all_rounds"):
                    study, options = of_all_rounds(model.model_fields["study"].default, options)
                    model = STUDIES[study].request
                made[model][name] = {"round" if key == "round_label" else key for key in options}

            patch.setattr(commands_of_studies, "run_and_print", note)
            parameters = dict.fromkeys(inspect.signature(command.callback).parameters)
            command.callback(**parameters)
            if "all_rounds" in parameters:
                command.callback(**parameters | {"all_rounds": True})
    return made


def missing_pieces(name, commands):
    """Yield a sentence on each piece that a study lacks."""
    request, figure, module_name, _ = STUDIES[name]
    for package, pieces in MODULES.items():
        module = f"{package}.{module_name}"
        if find_spec(module) is None:
            yield f"There is no module {module}, with {', '.join(pieces)}."
            continue
        for piece in pieces:
            if not hasattr(import_module(module), piece):
                yield f"{module} has no {piece}."
    if name not in CHARTS:
        yield f"There is no chart of it in CHARTS of {CHARTS_MODULE}."
    if find_spec(f"roundbook.logbook.studies.{module_name}") is not None:
        (of_scale,) = get_args(find_study(name).result.model_fields["scales"].annotation)
        if figure not in get_type_hints(of_scale):
            yield f"The figure '{figure}' in STUDIES is no field of {of_scale.__name__}."
    if request.model_fields["study"].default != name:
        yield f"The field 'study' of {request.__name__} is not '{name}'."
    if request not in commands:
        yield f"No command of roundbook_cli/study.py makes a {request.__name__}."
        return
    given = set().union(*commands[request].values())
    asked = set(request.model_fields) - {"study"} - NOT_ASKED.get(name, set())
    for field in sorted(asked - given):
        yield f"The field '{field}' of {request.__name__} is no option of its command."


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_has_all_its_pieces(name, commands):
    if missing := list(missing_pieces(name, commands)):
        pytest.fail("\n".join(missing), pytrace=False)


# With --all-rounds, options of one round are refused.
OF_ONE_ROUND = [
    name for name, entry in STUDIES.items() if not issubclass(entry.request, AllRoundsRequest)
]


@pytest.mark.parametrize("name", OF_ONE_ROUND)
def test_each_option_is_a_field_of_the_request(name, commands):
    request = STUDIES[name].request
    fields = set(request.model_fields) - {"study"} - NOT_ASKED.get(name, set())
    for command, given in commands[request].items():
        assert given - OF_THE_OUTPUT - {"all_rounds"} == fields, command


@pytest.mark.parametrize("name", OF_ONE_ROUND)
def test_a_study_of_all_rounds_has_the_fields_of_that_of_one(name):
    if STUDIES[name].all_rounds is None:
        with pytest.raises(InputError, match=f"^There is no {name} of all rounds"):
            of_all_rounds(name, {})
        return
    given = {"task": "t", "measure": "AP", "trials": 7}
    study, fields = of_all_rounds(name, given)
    assert issubclass(STUDIES[study].request, AllRoundsRequest)
    trials = {"swap-rate": "swap_trials"}.get(name, "trials")
    assert fields == {"task": "t", "measure": "AP", trials: 7}


def test_a_study_of_all_rounds_has_a_title_of_its_own_on_pages():
    assert _OVER_ROUNDS.keys() == {entry.all_rounds for entry in STUDIES.values()} - {None}


def test_what_a_study_lacks_is_said(commands, monkeypatch):
    class Half(StudyRequest):
        study: Literal["half"] = "half"
        depth: int = 1

    monkeypatch.setitem(STUDIES, "half", StudyEntry(Half, "share", "half"))
    assert list(missing_pieces("half", commands)) == [
        "There is no module roundbook.logbook.studies.half, with STUDIES.",
        "There is no module roundbook.presentation.studies.half, with FIGURE, sentences, tables,"
        " protocol.",
        "There is no chart of it in CHARTS of roundbook.presentation.charts.studies.",
        "No command of roundbook_cli/study.py makes a Half.",
    ]
    options = set(StudyRequest.model_fields)
    assert list(missing_pieces("half", commands | {Half: {"half": options}}))[3:] == [
        "The field 'depth' of Half is no option of its command."
    ]
    monkeypatch.delattr("roundbook.presentation.studies.swap_rate.FIGURE")
    monkeypatch.setitem(STUDIES, "swap-rate", STUDIES["swap-rate"]._replace(figure="shares"))
    assert list(missing_pieces("swap-rate", commands)) == [
        "roundbook.presentation.studies.swap_rate has no FIGURE.",
        "The figure 'shares' in STUDIES is no field of SwapRateOfScale.",
    ]


def test_a_study_of_files_takes_nothing_from_a_record(tmp_path):
    lines = ["topic,a,b,c", "t1,0.1,0.5,0.3", "t2,0.4,0.2,0.6", "t3,0.7,0.3,0.1"]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
    request = LeaveOneOutRequest(files=[tmp_path / "scores.csv"], measure="AP")
    assert run_study(Session(connection=None), request) == run_study(None, request)
