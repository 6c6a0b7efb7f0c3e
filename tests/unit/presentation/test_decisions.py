"""Sentences and views by the name of a result's type: every decision has its own, none is dead."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import roundbook
from roundbook.logbook.result import Result
from roundbook.presentation.decisions import _SENTENCES, _STALE_BY
from roundbook.presentation.views import _ROWS, _VIEWS
from roundbook.use_cases import UPLOADS, USE_CASES

# Their names and numbers say all.
WITHOUT_SENTENCES = {"RemovedTask", "RemovedRound", "CreatedToken", "Token"}


def results():
    """Return all types of results, by name."""
    for package in ("logbook", "reports", "jobs", "transfer"):
        path = [f"{folder}/{package}" for folder in roundbook.__path__]
        for module in pkgutil.walk_packages(path, f"roundbook.{package}."):
            import_module(module.name)
    types, models = [Result], {}
    while types:
        for subtype in types.pop().__subclasses__():
            # Descriptions of HTTP answers, where another test has made them, are no results.
            if subtype.__module__ != "roundbook.api.openapi":
                models[subtype.__name__] = subtype
                types.append(subtype)
    return models


def test_every_decision_has_sentences():
    decisions = {case.result.__name__ for case in (USE_CASES | UPLOADS).values() if case.changes}
    assert decisions - _SENTENCES.keys() == WITHOUT_SENTENCES


def test_every_decision_that_makes_results_stale_says_by_what():
    stale = {
        name
        for name, result in results().items()
        if {"impact", "dry_run"} <= result.model_fields.keys()
    }
    assert stale == _STALE_BY.keys()


def test_every_name_is_that_of_a_result():
    assert _SENTENCES.keys() | _STALE_BY.keys() | _VIEWS.keys() | _ROWS.keys() <= results().keys()
