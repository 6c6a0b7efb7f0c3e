"""The rows and columns of results."""

from __future__ import annotations

from roundbook.logbook.matrices.export import ExportedMatrix
from roundbook.presentation.views import columns_of, typed_table_of


def test_runs_called_as_others_with_a_dot_have_columns_of_their_own():
    content = "topic,ielab-prf,ielab-prf.2query.v3,topic.2\n1,0.1,0.2,0.3\n2,0.4,0.5,0.6\n"
    exported = ExportedMatrix.model_construct(layout="wide", content=content)
    types, rows = typed_table_of(exported)
    assert list(types) == ["topic", "ielab-prf", "ielab-prf.2query.v3", "topic.2"]
    assert rows[1] == dict(zip(types, ("2", 0.4, 0.5, 0.6), strict=True))
    assert columns_of(exported)["ielab-prf"] == (float, [0.1, 0.4])
