"""Hits of ranked lists, against a plain loop."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.unit.statistics.measures.rounds import assessed

from roundbook.statistics.measures.hits import Judgments, find_hits, relevant_hits


def test_judged_documents_of_any_grade_are_hits_in_order_of_run_topic_and_rank():
    judgments, hits = assessed([[[5, 2], [3, 5]], [[7, -1, 5], []]], [{5: -1, 2: 1}, {5: 2}])
    rows = np.column_stack([hits.run, hits.topic, hits.rank, hits.judgment])
    assert rows.tolist() == [[0, 0, 1, 0], [0, 0, 2, 1], [0, 1, 2, 2], [1, 0, 3, 0]]
    assert (hits.runs, hits.topics) == (2, 2)
    assert relevant_hits(hits, judgments).judgment.tolist() == [1, 2]


def test_a_round_without_judgments_or_lists_has_no_hits():
    none = np.zeros(0, dtype=int)
    assert find_hits(np.ones((2, 3, 4), dtype=int), Judgments(3, none, none, none)).run.size == 0
    one = np.zeros(1, dtype=int)
    assert find_hits(np.zeros((2, 1, 0), dtype=int), Judgments(1, one, one, one)).run.size == 0


@given(
    arrays(np.int32, (3, 2, 6), elements=st.integers(-1, 8)),
    st.dictionaries(st.tuples(st.integers(0, 1), st.integers(0, 12)), st.integers(-1, 2)),
)
def test_hits_are_those_of_a_loop(lists, grades):
    judged = np.array([(*key, grade) for key, grade in grades.items()], dtype=int).reshape(-1, 3)
    hits = find_hits(lists, Judgments(2, *judged.T))
    number = {key: index for index, key in enumerate(grades)}
    expected = [
        (run, topic, position + 1, number[topic, int(lists[run, topic, position])])
        for run, topic, position in np.ndindex(lists.shape)
        if (topic, int(lists[run, topic, position])) in number
    ]
    assert list(zip(hits.run, hits.topic, hits.rank, hits.judgment, strict=True)) == expected
