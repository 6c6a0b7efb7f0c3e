"""Saved studies in a line: every study's own figure, by its name."""

from __future__ import annotations

import pytest

from roundbook.logbook.studies.studies import STUDIES
from roundbook.presentation.saved_studies import brief_sentence

SAID = {
    ("discriminative-power", 0.351): "pairs told apart raw 35.1%",
    ("incremental", 1.0): "pairs with topics enough raw 100.0%",
    ("leave-one-out", -1.0): "Kendall's tau raw -1.000",
    ("topic-subsets", 1234): "topics planned raw 1,234",
    ("per-topic-variance", 0.7): "Kendall's tau raw 0.700",
    ("leave-one-out", None): "Kendall's tau raw -",
}


@pytest.mark.parametrize(("given", "sentence"), SAID.items())
def test_a_figure_has_its_name(given, sentence):
    study, value = given
    assert brief_sentence({"study": study, "scales": {"raw": value}}) == f"{study}: {sentence}"


def test_every_study_has_a_figure():
    for study in STUDIES:
        assert study in brief_sentence({"study": study, "scales": {"raw": 0}})
