"""The rows and columns of results."""

from __future__ import annotations

import pytest

from roundbook.logbook.matrices.export import ExportedMatrix
from roundbook.logbook.standardise import StandardisedScores
from roundbook.presentation.views import columns_of, typed_table_of
from roundbook.python.answers import Answer


def test_runs_called_as_others_with_a_dot_have_columns_of_their_own():
    content = "topic,ielab-prf,ielab-prf.2query.v3,topic.2\n1,0.1,0.2,0.3\n2,0.4,0.5,0.6\n"
    exported = ExportedMatrix.model_construct(layout="wide", content=content)
    types, rows = typed_table_of(exported)
    assert list(types) == ["topic", "ielab-prf", "ielab-prf.2query.v3", "topic.2"]
    assert rows[1] == dict(zip(types, ("2", 0.4, 0.5, 0.6), strict=True))
    assert columns_of(exported)["ielab-prf"] == (float, [0.1, 0.4])


@pytest.fixture
def standardised(monkeypatch):
    """Return a function that gives the frame's columns of standardised scores, by run."""
    for name in ("standardised_heading", "standardised_notes", "standardised_remarks"):
        monkeypatch.setattr(f"roundbook.presentation.factors.{name}", lambda scores: "")

    def columns(scores):
        runs, by_run = list(scores), list(scores.values())
        topics = [str(number) for number, _ in enumerate(by_run[0], 1)]
        model = StandardisedScores.model_construct(topics=topics, runs=runs, scores=by_run)
        return {name: values for name, (_, values) in columns_of(model).items()}

    return columns


def test_runs_without_scores_keep_their_columns_whatever_they_are_called(standardised):
    scores = {"ielab-prf": [None, None], "ielab-prf.2query.v3": [None, None]}
    assert standardised(scores) == {"topic": ["1", "2"], **scores}


def test_a_run_called_like_the_column_of_topics_replaces_no_other_run(standardised):
    columns = standardised({"topic": [0.1], "run topic": [0.2], "run run topic": [0.3]})
    assert list(columns) == ["topic", "run run run topic", "run topic", "run run topic"]
    assert list(columns.values()) == [["1"], [0.1], [0.2], [0.3]]


def test_a_run_called_like_an_attribute_of_an_object_has_its_scores_in_latex(standardised):
    model = StandardisedScores.model_construct(topics=["1"], runs=["__class__"], scores=[[0.25]])
    assert "\n1 & 0.2500 \\\\\n" in Answer(model).to_latex()
