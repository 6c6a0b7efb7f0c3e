"""What a request can choose, the tables can store, and what computes it knows."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from sqlalchemy import CheckConstraint

from roundbook.database.table_parts import metadata
from roundbook.formats.missing_scores import MissingPolicy
from roundbook.logbook.estimates import STANDARDISED
from roundbook.pages.rendering import _TEMPLATES
from roundbook.requests.access import Scope
from roundbook.requests.factors import Scale
from roundbook.requests.fields import Missing, StandardisedScale, VarianceScale, ZeroSd
from roundbook.statistics.standardisation import SCALES, ZERO_SD_POLICIES
from roundbook.transfer.archive.data_package import DESCRIPTIONS

# By table and column, what is chosen there.
CHOICES = {
    ("matrix", "missing_policy"): Missing,
    ("factor_set", "zero_sd"): ZeroSd,
    ("variance_estimate", "scale"): VarianceScale,
    ("published_variance", "scale"): VarianceScale,
    ("access_token", "scope"): Scope,
}
# What no request chooses: it follows from what was done.
FOLLOWS = {("round", "status"), ("factor_set", "standardising")}
# Stored by no request: no variance is estimated on it.
NOT_CHOSEN = {"std"}


def stored():
    """Yield the columns that a check limits to a list of values, with these."""
    for table in metadata.tables.values():
        for check in table.constraints:
            if isinstance(check, CheckConstraint):
                listed = re.fullmatch(r"(\w+) IN \((.+)\)", str(check.sqltext))
                if listed:
                    yield (table.name, listed[1]), set(re.findall(r"'([^']+)'", listed[2]))


@pytest.mark.parametrize("where", CHOICES, ids=".".join)
def test_what_can_be_chosen_can_be_stored(where):
    assert dict(stored())[where] - NOT_CHOSEN == set(get_args(CHOICES[where]))


def test_no_list_of_values_is_left_out():
    assert dict(stored()).keys() - CHOICES.keys() == FOLLOWS


IN_ARCHIVES = [where for where in CHOICES if where[0] != "access_token"]


@pytest.mark.parametrize("where", IN_ARCHIVES, ids=".".join)
def test_an_archive_describes_every_choice(where):
    table, column = where
    description = DESCRIPTIONS[table].columns[column]
    assert re.findall("`([a-z-]+)`", description) == list(get_args(CHOICES[where]))


def test_what_can_be_chosen_is_known_where_it_is_computed():
    assert get_args(Missing) == get_args(MissingPolicy)
    assert get_args(ZeroSd) == ZERO_SD_POLICIES
    assert get_args(StandardisedScale) == SCALES
    assert get_args(Scale) == (*SCALES, "e-std")
    assert get_args(VarianceScale) == ("raw", *STANDARDISED)


def test_the_forms_of_pages_offer_every_choice():
    assert _TEMPLATES.globals["missing_policies"] == get_args(Missing)
    assert _TEMPLATES.globals["variance_scales"] == get_args(VarianceScale)
    literal = re.compile(r"options\(\(")
    for name in _TEMPLATES.list_templates():
        source, *_ = _TEMPLATES.loader.get_source(_TEMPLATES, name)
        assert not literal.search(source), f"{name} lists choices of its own"
