"""A use case takes a session, a request and little else."""

from __future__ import annotations

from inspect import signature

import pytest

from roundbook.use_cases import DOWNLOADS, UPLOADS, USE_CASES


@pytest.mark.parametrize("name", [*USE_CASES, *UPLOADS, *DOWNLOADS])
def test_no_use_case_has_more_than_five_parameters(name):
    case = (USE_CASES | UPLOADS | DOWNLOADS)[name]
    assert len(signature(case.call).parameters) <= 5
