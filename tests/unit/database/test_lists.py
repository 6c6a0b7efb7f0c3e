"""The codec of ranked lists alone: what it writes it reads, whatever their lengths."""

from __future__ import annotations

import numpy as np
import pytest

from roundbook.database.lists import StoredList, decode_lists, encode_lists


def test_lists_of_all_lengths_read_back():
    generator = np.random.default_rng(1)
    lists = [
        StoredList(
            2**40 + run,
            topic,
            generator.integers(0, 2**31, length, dtype=np.int32),
            generator.normal(size=length).astype(np.float32),
        )
        for run in range(100)
        for topic, length in enumerate((1, 7, 1000))
    ]
    blocks = list(encode_lists(lists, 5))
    assert len(blocks) > 1
    again = list(decode_lists(b"".join(blocks)))
    assert [part[:2] for part in again] == [part[:2] for part in lists]
    for read, written in zip(again, lists, strict=True):
        assert read.documents.dtype == np.int32
        assert np.array_equal(read.documents, written.documents)
        assert np.array_equal(read.scores, written.scores)
    assert list(decode_lists(b"".join(encode_lists([], 5)))) == []
    with pytest.raises(ValueError, match="no lists"):
        list(decode_lists(b"PGCOPY"))
