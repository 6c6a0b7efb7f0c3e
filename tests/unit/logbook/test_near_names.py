"""Which names are near another one, and which are the next in a series."""

from __future__ import annotations

import pytest

from roundbook.logbook.measures import near_measure
from roundbook.logbook.names import near_name


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("roud4", ["round3", "round4"], "round4"),
        ("ruond4", ["round4"], "round4"),
        ("Round 4", ["round4"], "round4"),
        ("covdi", ["drift", "covid"], "covid"),
        ("wbe", ["web"], "web"),
        ("round5", ["round4"], None),
        ("round44", ["round4"], None),
        ("2024", ["2023"], None),
        ("round-b", ["round-a"], None),
        ("roundb", ["rounda"], None),
        ("st", ["wt"], None),
        ("draft", ["drift"], None),
        ("anything", [], None),
    ],
)
def test_a_slip_is_near_and_the_next_in_a_series_is_not(name, known, near):
    assert near_name(name, known) == near


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("nDGC@10", "nDCG@10"),
        ("Sucess(rel=2)@5", "Success(rel=2)@5"),
        ("nDCG@10", None),
        ("ndcg10", "nDCG@10"),
        ("err_20", "ERR@20"),
        ("prec@5", "P@5"),
        # Letters for digits; what is left of the name is of another family too.
        ("nDCG@1O", "nDCG@10"),
        ("P@1O", "P@10"),
        ("nDCG@l0", "nDCG@10"),
        ("ERR@2O", "ERR@20"),
        ("P_1O", "P@10"),
        ("ndgc1O", "nDCG@10"),
        ("P@1X", None),
        ("P@O", None),
        ("click@1O", None),
        # Names of other measures, which are near to map and mrr.
        ("GMAP", None),
        ("nMRR", None),
        ("nDGC10", "nDCG@10"),
        ("succ@5", "Success@5"),
        # The start of recall and of reciprocal rank.
        ("rec@5", None),
        ("pr@5", None),
        # Of ir_measures, and neither ERR nor nERR.
        ("NERR10", None),
        ("top3", None),
        ("clicks per query", None),
        ("latency", None),
    ],
)
def test_an_unknown_measure_is_near_a_known_one(name, near):
    assert near_measure(name) == near
