"""What can be asked of a plan: what is left out is filled in, contradictions are refused."""

from __future__ import annotations

import math
from typing import get_args

import pytest

from roundbook.errors import RequestError
from roundbook.limits import MOST_COUNTED, MOST_TOPICS
from roundbook.pages.answers import _PLAN_FORM
from roundbook.requests import plans
from roundbook.requests.plans import PlanRequest
from roundbook.statistics.design import DESIGNS, ENGINES, Design

SIZES = ("variance", "min_d")
GIVEN = {"variance": 0.1}
TASK = {"task": "t", "measure": "AP"}


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({}, "either `variance`, or `task`"),
        ({**GIVEN, **TASK}, "either `variance`, or `task`"),
        ({"task": "t"}, "`task` needs `measure`"),
        ({**GIVEN, "solve": "variance", "topics": (9,)}, "leave out `variance` and `task`"),
        ({**TASK, "solve": "variance", "topics": (9,)}, "leave out `variance` and `task`"),
        ({**GIVEN, "measure": "AP"}, "go with `task`"),
        ({**GIVEN, "scale": "std-ab"}, "go with `task`"),
        ({**GIVEN, "assessments": "gold"}, "go with `task`"),
        ({**GIVEN, "pool_by": "topics"}, "go with `task`"),
        ({**GIVEN, "variance_at": "latest"}, "go with `task`"),
        ({**GIVEN, "design": "paired-t", "variance_of": "paired"}, "go with `task`"),
        *(({**TASK, "design": name, "variance_of": variance_of}, "give `design` paired-t or")
          for name in DESIGNS if not name.startswith("paired")
          for variance_of in ("paired", "conservative")),
        ({**GIVEN, "topics": (9,)}, "otherwise the topics are what is solved for"),
        ({**GIVEN, "design": "paired-width", "beta": 0.1}, "no power to ask for"),
        ({**GIVEN, "solve": "power", "topics": (9,), "beta": 0.1}, "no power to ask for"),
        ({**GIVEN, "design": "paired-t", "solve": "m", "topics": (9,)}, "t test compares two runs"),
        ({**GIVEN, "design": "paired-width", "solve": "power", "topics": (9,)}, "no power to solve"),
        ({**GIVEN, "design": "paired-t", "m": (2,)}, "leave out m"),
        ({**GIVEN, "solve": "power"}, "needs topics"),
        ({**GIVEN, "solve": "min-d", "topics": (9,), "min_d": (0.1,)}, "min-d is what is solved"),
        ({**TASK, "variance_at": "pool"}, "`variance_at` takes pooled, planning, latest or a num"),
        ({**GIVEN, "design": "hsd"}, "`design` should be 'anova'"),
        ({**GIVEN, "alpha": "little"}, "`alpha` takes a number"),
        ({**GIVEN, "sizes": 3}, "`sizes`"),
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_go_together(asked, reason):
    with pytest.raises(RequestError) as refused:
        PlanRequest(**asked)
    assert reason in refused.value.reason
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("asked", "m", "min_d"),
    [
        ({}, (2, 10, 50), (0.05, 0.1, 0.2)),
        ({"m": [3], "min_d": [0.3]}, (3,), (0.3,)),
        ({"design": "paired-t"}, (), (0.05, 0.1, 0.2)),
        ({"solve": "min-d", "topics": [50]}, (2, 10, 50), ()),
        ({"solve": "m", "topics": [50]}, (2, 3, 5, 10, 20, 50, 100), (0.05, 0.1, 0.2)),
    ],
)
def test_what_is_left_out_is_filled_in(asked, m, min_d):
    request = PlanRequest(variance=0.1, **asked)
    assert (request.m, request.min_d, request.beta) == (m, min_d, 0.2)
    for saved in (
        request.model_dump(mode="json"),
        request.model_dump(mode="json", exclude_defaults=True),
    ):
        assert PlanRequest(**saved) == request
    assert PlanRequest(**{"task": None, "topics": None, **asked}, variance=0.1) == request


def test_a_limit_of_the_variance_may_be_a_number():
    for limit, value in (("latest", "latest"), ("0.05", 0.05), (1, 1.0)):
        assert PlanRequest(**TASK, variance_at=limit).variance_at == value
    for limit in (0, -1, "1e-400", math.nan, math.inf, "most", True):
        with pytest.raises(RequestError, match="latest or a number above 0, not '"):
            PlanRequest(**TASK, variance_at=limit)


@pytest.mark.parametrize(
    ("field", "wrong", "says"),
    [
        *((name, wrong, "should be greater than 0") for name in SIZES for wrong in (0, -1)),
        *((name, wrong, "should be a finite number")
          for name in SIZES for wrong in (math.nan, math.inf)),
        *((name, wrong, "must be between 0 and 1")
          for name in ("alpha", "beta") for wrong in (0, 1, -1, 5, math.nan, math.inf)),
        *((name, wrong, "should be greater than or equal to 2")
          for name in ("m", "topics") for wrong in (1, -3)),
        *((name, wrong, f"should be less than or equal to {most:,}")
          for name, most in (("m", MOST_COUNTED), ("topics", MOST_TOPICS))
          for wrong in (most + 1, 10**400)),
    ],
)  # fmt: skip
def test_numbers_that_no_design_has_are_refused_by_field(field, wrong, says):
    with pytest.raises(RequestError) as refused:
        PlanRequest(**{"variance": 0.1, field: wrong})
    assert refused.value.field == field
    named = "" if wrong == 10**400 else f", not {wrong:,}"
    assert str(refused.value) == f"`{field}` {says}{named}."


def test_the_form_of_pages_lacks_no_other_field():
    in_form = {name for part in _PLAN_FORM.values() for name in part}
    assert PlanRequest.model_fields.keys() - in_form == {"pool_by", "variance_of"}


def test_a_request_knows_the_designs_as_the_statistics_do():
    assert get_args(plans.PlanDesign) == get_args(Design) == tuple(DESIGNS)
    assert get_args(plans.Engine) == ENGINES
    titles = {name: kind.title for name, kind in DESIGNS.items() if not kind.takes_runs}
    assert titles == plans.TWO_RUNS
    assert tuple(name for name, kind in DESIGNS.items() if kind.miss is None) == plans.INTERVALS
