"""Requests describe every field, and say a default once."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
import pytest

from roundbook import requests
from roundbook.errors import RequestError
from roundbook.limits import LONGEST_NAME, LONGEST_TEXT, PILOT_TEAMS, PILOT_TOPICS, SHIFT_MARGIN
from roundbook.requests.base import Request, refusal_reason
from roundbook.requests.drift import DETECTED_MIN_D, CurveRequest
from roundbook.requests.matrices import ExportMatrix
from roundbook.requests.plans import PlanRequest
from roundbook.requests.record import EventsRequest
from roundbook.requests.results import SaveResult, StartStudy
from roundbook.requests.studies import LeaveTeamsOutRequest, StudyRequest, TopicSubsetsRequest
from roundbook.requests.variances import VarianceRequest


def _below(model):
    for child in model.__subclasses__():
        yield child
        yield from _below(child)


for module in walk_packages(requests.__path__, "roundbook.requests."):
    import_module(module.name)
FIELDS = [
    pytest.param(model, name, id=f"{model.__name__}.{name}")
    for model in sorted(set(_below(Request)), key=lambda model: model.__qualname__)
    if model.__module__.startswith("roundbook.requests.")
    for name in model.model_fields
    # A study's own name is that of its endpoint and of its command.
    if not (name == "study" and issubclass(model, StudyRequest))
]


def test_there_are_requests_of_every_module():
    of = {parameter.values[0].__module__ for parameter in FIELDS}
    assert {"roundbook.requests.drift", "roundbook.requests.studies.altered_rounds"} < of


@pytest.mark.parametrize(("model", "name"), FIELDS)
def test_a_field_has_a_description_for_every_door(model, name):
    description = model.model_fields[name].description
    assert description
    # Options are the terminal's; it makes them of names in backticks.
    assert "--" not in description


@pytest.mark.parametrize(("model", "name"), FIELDS)
def test_a_default_that_is_a_value_is_not_repeated_in_words(model, name):
    field = model.model_fields[name]
    # None and an empty list stand for what only words can tell.
    if not field.is_required() and field.default not in (None, ()):
        assert "default" not in field.description.lower()


def test_defaults_in_words_are_those_that_are_taken():
    filled = {
        solve: PlanRequest(variance=0.1, topics=(50,), solve=solve).m for solve in ("power", "m")
    }
    of_m, of_min_d = (PlanRequest.model_fields[name].description for name in ("m", "min_d"))
    assert f"(default: {' '.join(map(str, filled['power']))};" in of_m
    assert f"m: {' '.join(map(str, filled['m']))})" in of_m
    assert f"(default: {' '.join(map(str, PlanRequest(variance=0.1).min_d))})" in of_min_d
    of_margin, of_min_d = (
        CurveRequest.model_fields[name].description for name in ("margin", "min_d")
    )
    assert f"(default: {SHIFT_MARGIN})" in of_margin
    assert f"(without both: {SHIFT_MARGIN})" in of_min_d
    assert f"(without it: {DETECTED_MIN_D})" in of_min_d
    for numbers, model, name in (
        (PILOT_TOPICS, TopicSubsetsRequest, "topics"),
        (PILOT_TEAMS, LeaveTeamsOutRequest, "teams_left"),
    ):
        assert f"(default: {', '.join(map(str, numbers))}," in model.model_fields[name].description


@pytest.mark.parametrize(
    "written", ["yesterday", "2020-02-31", "16 June 2020", "2020-04-15T12:00", True]
)
def test_what_is_no_day_is_refused_with_an_example_of_one(written):
    with pytest.raises(RequestError, match="`since` takes a day, as 2020-04-15") as caught:
        EventsRequest(since=written)
    assert caught.value.field == "since"


@pytest.mark.parametrize("model", [SaveResult, partial(StartStudy, study="s", request={})])
def test_names_and_notes_of_results_have_one_length(model):
    kept = model(name="x" * LONGEST_NAME, note="y" * LONGEST_TEXT)
    assert (len(kept.name), len(kept.note)) == (LONGEST_NAME, LONGEST_TEXT)
    for field, longest in (("name", LONGEST_NAME), ("note", LONGEST_TEXT)):
        with pytest.raises(RequestError, match=f"`{field}` should have at most {longest:,} char"):
            model(**{field: "x" * (longest + 1)})
        with pytest.raises(RequestError, match=f"`{field}` takes a text, not 3"):
            model(**{field: 3})


@pytest.mark.parametrize(
    ("value", "named"),
    [(1, "1"), (-2.5, "-2.5"), (0, "0"), (10**400, ""), ("0", "'0'"), ("0" * 41, ""), (True, "")],
)
def test_a_refused_value_is_named_unless_it_is_long(value, named):
    fault = {"type": "greater_than", "msg": "Input should be greater than 5", "input": value}
    assert refusal_reason(fault) == "should be greater than 5" + (named and f", not {named}")


@pytest.mark.parametrize("listed", [list, np.array])
def test_a_text_that_cannot_be_kept_is_refused_and_accents_are_composed(listed):
    assert ExportMatrix(matrix=1, runs=listed(["cafe\u0301", "b"])).runs == ("caf\u00e9", "b")
    for unfit in ("a\0b", "a\ud800b"):
        with pytest.raises(RequestError, match="`runs` has a character that no text") as caught:
            ExportMatrix(matrix=1, runs=listed(["b", unfit]))
        assert caught.value.field == "runs"


def test_a_scale_may_be_in_any_case():
    assert VarianceRequest(task="t", measure="AP", scale="std-AB").scale == "std-ab"
    study = TopicSubsetsRequest(task="t", round="r", measure="AP", scales=("STD-CDF", "Raw"))
    assert study.scales == ("std-cdf", "raw")
    with pytest.raises(RequestError, match="`scale` should be 'raw', 'std-ab' or 'std-cdf'"):
        VarianceRequest(task="t", measure="AP", scale="std")
