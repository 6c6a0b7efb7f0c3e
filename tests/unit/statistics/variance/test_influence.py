"""Topic influences, against leaving topics out of the scores."""

from __future__ import annotations

import math

import numpy as np
import pytest

from roundbook.statistics.variance.parts import variance_parts
from roundbook.statistics.variance.residual import residual_variance, two_way_variance
from roundbook.statistics.variance.rounds import topic_influences

KINDS = {
    "one_way": residual_variance,
    "two_way": lambda scores: two_way_variance(scores).variance,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(3, 4), (8, 2), (12, 6)])
def test_equals_leaving_topics_out(kind, shape):
    scores = np.random.default_rng(1).beta(1, 2, shape)
    n = len(scores)
    logs = [math.log(KINDS[kind](np.delete(scores, topic, axis=0))) for topic in range(n)]
    by_topic = getattr(variance_parts(scores), kind).by_topic
    influences = topic_influences([by_topic])
    mean = sum(logs) / n
    expected = [(mean - log) * math.sqrt((n - 1) / n) for log in logs]
    assert influences.values == pytest.approx(expected, abs=1e-10)
    jackknife = (n - 1) / n * sum((log - mean) ** 2 for log in logs)
    assert influences.variances[0] == pytest.approx(jackknife, rel=1e-10)


def test_several_at_once():
    rng = np.random.default_rng(2)
    vectors = [rng.gamma(4, size=size) for size in (5, 4, 40)]
    together = topic_influences(vectors)
    singly = [topic_influences([vector]) for vector in vectors]
    assert together.values.tolist() == [
        pytest.approx(value) for single in singly for value in single.values
    ]
    assert together.variances.tolist() == [pytest.approx(one.variances[0]) for one in singly]
    assert together.sizes.tolist() == [5, 4, 40]
    assert together.reasons == (None, None, None)


def test_none_at_all():
    nothing = topic_influences([])
    assert (nothing.values.size, nothing.variances.size, nothing.reasons) == (0, 0, ())


def test_reasons():
    usable = np.array([1.0, 2.0, 3.0])
    vectors = [
        np.array([1.0, 1.0]),
        np.zeros(4),
        # The most that one topic of four can bear: the others follow, through the runs' means.
        np.array([9.0, 1.0, 1.0, 1.0]),
        usable,
        np.array([1.0]),
    ]
    influences = topic_influences(vectors)
    assert influences.reasons == (
        "fewer_than_3_topics",
        "no_variance",
        "one_topic",
        None,
        "fewer_than_3_topics",
    )
    assert np.isnan(influences.variances).tolist() == [True, True, True, False, True]
    assert influences.values[:10].tolist() == [0.0] * 10
    assert influences.values[10:13].tolist() == topic_influences([usable]).values.tolist()


def test_one_topic_alone_varies():
    scores = np.full((6, 3), 0.5)
    scores[2] = [0.1, 0.9, 0.7]
    for kind in KINDS:
        by_topic = getattr(variance_parts(scores), kind).by_topic
        assert topic_influences([by_topic]).reasons == ("one_topic",)
