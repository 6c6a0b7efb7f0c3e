"""Differences of a verification as JSON."""

from __future__ import annotations

import json

from roundbook.errors import ImpossibleStatisticError
from roundbook.logbook.verifying.differences import Difference
from roundbook.presentation.record import difference_sentence


def test_the_error_of_what_cannot_be_computed_is_a_sentence_in_json():
    error = ImpossibleStatisticError("One topic has no residual variance.", topics=1)
    about = {"task": "web", "round": "1", "measure": "AP", "assessments": "official"}
    difference = Difference(
        kind="variance", table="variance_estimate", what="variance", matrix=4, revision=1,
        reason=error, **about,
    )  # fmt: skip
    assert difference.reason.facts == {"topics": 1}
    assert json.loads(difference.model_dump_json())["reason"] == str(error)
    assert difference_sentence(difference) == (
        "'web' round '1', AP (official, revision 1): One topic has no residual variance"
    )
