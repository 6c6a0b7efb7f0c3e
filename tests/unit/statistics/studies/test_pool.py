"""The pool's rules: its depth, who contributed what, and what remains without some teams."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.unit.statistics.treccovid import treccovid

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.measures.hits import Judgments, find_hits
from roundbook.statistics.studies.scoring import (
    find_contributions,
    judged_shares,
    kept_judgments,
    pool_depth,
)

RUNS, TOPICS, DEPTH, DOCUMENTS = 5, 2, 4, 9
# Lists without repeated documents, that end anywhere.
LISTS = st.lists(
    st.lists(
        st.lists(st.integers(0, DOCUMENTS - 1), max_size=DEPTH, unique=True).map(
            lambda documents: documents + [-1] * (DEPTH - len(documents))
        ),
        min_size=TOPICS,
        max_size=TOPICS,
    ),
    min_size=RUNS,
    max_size=RUNS,
).map(np.array)
JUDGED = st.lists(
    st.tuples(st.integers(0, TOPICS - 1), st.integers(0, DOCUMENTS - 1), st.integers(-1, 2)),
    min_size=1,
    unique_by=lambda judgment: judgment[:2],
).map(lambda rows: Judgments(TOPICS, *np.array(rows).T))


@pytest.mark.parametrize(
    ("number", "shares", "depth", "explained"),
    [
        (1, {5: 1.0, 7: 0.999, 10: 0.743}, 7, 0.800),
        pytest.param(2, {5: 1.0, 7: 1.0, 10: 0.780}, 7, 0.495, marks=pytest.mark.long),
        (3, {5: 0.968, 7: 0.967, 10: 0.961, 15: 0.695}, 10, 0.496),
    ],
)
def test_depth_of_treccovid(shared, number, shares, depth, explained):
    covid = treccovid(shared, number)
    judged = judged_shares(covid.lists, covid.judgments, covid.pooled)
    assert {d: round(float(judged[d - 1]), 3) for d in shares} == shares
    assert pool_depth(judged) == depth
    contributed = find_contributions(covid.hits, covid.judgments, covid.team, covid.pooled, depth)
    assert round(contributed.any(axis=0).mean(), 3) == explained


def test_unique_contributions_of_treccovid(shared):
    covid = treccovid(shared, 1)
    relevant = covid.judgments.grade > 0
    contributed = find_contributions(covid.hits, covid.judgments, covid.team, covid.pooled, 7)
    alone = np.eye(len(covid.teams), dtype=bool)
    removed = np.stack([~kept_judgments(contributed, team) for team in alone])
    assert (relevant.size, contributed.any(axis=0).sum(), relevant.sum()) == (8691, 6953, 2352)
    assert (removed.sum(), removed[:, relevant].sum()) == (5446, 1068)
    unique = dict(zip(covid.teams, removed[:, relevant].sum(axis=1).tolist(), strict=True))
    most = sorted(unique, key=unique.__getitem__, reverse=True)[:3]
    assert {team: unique[team] for team in most} == {"xj4wang": 57, "BBGhelani": 45, "POZNAN": 40}
    # A team without a pooled run contributed nothing.
    outside = np.bincount(covid.team, covid.pooled) == 0
    assert not removed[outside].any()

    later = treccovid(shared, 3)
    contributions = find_contributions(later.hits, later.judgments, later.team, later.pooled, 10)
    alone = (contributions.sum(axis=0) == 1) & (later.judgments.grade > 0)
    assert (alone.sum(), (later.judgments.grade > 0).sum()) == (2001, 4698)

    # Together the other fifty teams take more with them than each alone.
    left = ["UIowaS", "BITEM", "Factum", "BRPHJ_NLP", "UB_BW", "IRLabKU"]
    assert kept_judgments(contributed, ~np.isin(covid.teams, left)).sum() == 2879


@given(
    LISTS,
    JUDGED,
    arrays(np.bool_, RUNS),
    arrays(np.int64, RUNS, elements=st.integers(0, 2)),
    arrays(np.bool_, 3),
    st.integers(1, DEPTH),
)
def test_rules_by_hand(lists, judgments, pooled, team, removed, depth):
    """The rules as sentences say them, with sets."""
    pooled[0] = True
    team[-1] = 2
    lists[0, :, 0] = np.where(lists[0, :, 0] < 0, 0, lists[0, :, 0])
    rows = list(zip(judgments.topic.tolist(), judgments.document.tolist(), strict=True))
    kept = []
    for topic, document in rows:
        by = {
            team[run]
            for run in np.flatnonzero(pooled)
            if document in lists[run, topic, :depth].tolist()
        }
        kept.append(not by or any(not removed[number] for number in by))
    contributed = find_contributions(find_hits(lists, judgments), judgments, team, pooled, depth)
    assert kept_judgments(contributed, removed).tolist() == kept
    assert kept_judgments(contributed, np.zeros(3, dtype=bool)).tolist() == [True] * len(rows)

    judged_topics = set(judgments.topic.tolist())
    pool = {
        (topic, document)
        for topic in judged_topics
        for document in lists[pooled, topic, :depth].ravel().tolist()
        if document >= 0
    }
    share = judged_shares(lists, judgments, pooled)[depth - 1]
    assert share == pytest.approx(len(pool & set(rows)) / len(pool))


def test_bad_pools():
    judgments = Judgments(1, np.array([0]), np.array([3]), np.array([1]))
    lists = np.array([[[3, 1]], [[2, -1]]])
    with pytest.raises(ImpossibleStatisticError, match="no documents for any judged topic"):
        judged_shares(np.full((2, 1, 2), -1), judgments, np.array([True, True]))
    shares = judged_shares(lists, judgments, np.array([True, True]))
    assert shares.tolist() == [1 / 2, 1 / 3]
    with pytest.raises(ImpossibleStatisticError, match=r"No pool depth explains .* 50\.0% are"):
        pool_depth(shares)
    # The share may fall and rise again: the largest depth counts.
    assert pool_depth(np.array([0.94, 0.96, 0.9, 0.95, 0.5])) == 4
