"""The codec alone: what it writes it reads, bit for bit, and nothing else passes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from roundbook.database.vectors import decode, encode

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def round_trip(scores: np.ndarray) -> np.ndarray:
    return decode(b"".join(encode(scores, 7)), scores.shape[0])


@settings(max_examples=80)
@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=40), elements=FINITE))
def test_round_trip_is_exact(scores):
    assert round_trip(scores).tobytes() == np.ascontiguousarray(scores).tobytes()


@pytest.mark.long
@pytest.mark.parametrize("shape", [(1, 1), (1, 3000), (10_000, 1), (997, 1013), (10_000, 2000)])
def test_round_trip_of_extreme_shapes(shape):
    scores = np.random.default_rng(1).normal(size=shape)
    assert np.array_equal(round_trip(scores), scores)


def test_transposed_and_strided_input():
    scores = np.random.default_rng(2).normal(size=(60, 80))
    for view in (scores.T, scores[::-2, 1::3], np.asfortranarray(scores)):
        assert np.array_equal(round_trip(view), view)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_only_finite_scores_are_encoded(bad):
    scores = np.zeros((3, 4))
    scores[2, 1] = bad
    with pytest.raises(ValueError, match="NaN and infinity"):
        list(encode(scores, 1))


@pytest.mark.parametrize("topics", [1, 2, 4, 5])
def test_another_length_is_refused(topics):
    stream = b"".join(encode(np.zeros((3, 4)), 1))
    with pytest.raises(ValueError, match="no vectors"):
        decode(stream, topics)


def test_a_torn_stream_is_refused():
    stream = b"".join(encode(np.zeros((3, 4)), 1))
    for torn in (b"", stream[:-3], stream[5:]):
        with pytest.raises(ValueError, match="no vectors"):
            decode(torn, 3)
