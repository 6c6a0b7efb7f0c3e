"""Numbering of names, many at a time: a hash table in NumPy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Names as rows of little-endian words, filled up with zero bytes.
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int32]

_WORD = np.dtype("<u8")
# 2**64 over the golden ratio, whose multiples spread evenly over the slots.
_MIXER = 0x9E3779B97F4A7C15
_HALF = np.uint64(32)
_FIRST_CAPACITY = 2**10


class Numbering:
    """Names in order of first appearance, numbered from 0.

    A dict is three times slower: it waits for memory name by name, NumPy's indexing for many names
    at once.

    Attributes
    ----------
    count : int
        Number of names.
    """

    def __init__(self) -> None:
        self.count = 0
        self._stored: Words = np.zeros((_FIRST_CAPACITY, 1), _WORD)
        self._slots: Numbers = np.full(4 * _FIRST_CAPACITY, -1, np.int32)

    def number(self, words: Words) -> Numbers:
        """Return the numbers of names; new names get the next numbers."""
        count, width = words.shape
        missing = width - self._stored.shape[1]
        if missing > 0:
            self._stored = np.pad(self._stored, ((0, 0), (0, missing)))
        elif missing < 0:
            words = np.pad(words, ((0, 0), (0, -missing)))
        # One row stays empty, to which the number in a free slot points.
        if self.count + count >= len(self._stored):
            self._grow(self.count + count + 1)
        slots = self._first_slots(words)
        numbers = self._slots.take(slots)
        rest = np.flatnonzero(~_same(self._stored.take(numbers, axis=0), words))
        if rest.size:
            numbers[rest] = self._probe(words.take(rest, axis=0), slots[rest])
        return numbers

    def _probe(self, words: Words, slots: npt.NDArray[np.int64]) -> Numbers:
        """Return the numbers of names that are new or not in their first slots."""
        before = self.count
        rows, filled_slots = [], []
        numbers = np.empty(len(words), np.int32)
        pending = np.arange(len(words))
        while pending.size:
            free = np.flatnonzero(self._slots[slots] < 0)
            # Of several names for a slot the first gets it, as it is written last.
            self._slots[slots[free[::-1]]] = free[::-1]
            first = free[self._slots[slots[free]] == free]
            rows.append(pending[first])
            filled_slots.append(slots[first])
            new = np.arange(self.count, self.count + first.size, dtype=np.int32)
            self._stored[new] = words[pending[first]]
            self._slots[slots[first]] = new
            self.count += first.size
            numbers[pending] = self._slots[slots]
            rest = ~_same(self._stored.take(numbers[pending], axis=0), words.take(pending, axis=0))
            pending = pending[rest]
            slots = (slots[rest] + 1) & (len(self._slots) - 1)
        # A name whose slot was taken was numbered after names that appear later: reorder.
        order = np.argsort(np.concatenate(rows))
        self._stored[before : self.count] = self._stored[before + order]
        new = before + np.argsort(order).astype(np.int32)
        self._slots[np.concatenate(filled_slots)] = new
        is_new = numbers >= before
        numbers[is_new] = new[numbers[is_new] - before]
        return numbers

    def words(self, numbers: Numbers) -> Words:
        """Return the names with these numbers, as rows of words."""
        return self._stored[numbers]

    def names(self, first: int = 0) -> list[str]:
        """Return the names with numbers from `first` on."""
        stored = self._stored[first : self.count]
        packed: list[bytes] = stored.view(f"S{8 * stored.shape[1]}").ravel().tolist()
        return b"\n".join(packed).decode().split("\n") if packed else []

    def _grow(self, count: int) -> None:
        capacity = 2 ** (count - 1).bit_length()
        self._stored = np.pad(self._stored, ((0, capacity - len(self._stored)), (0, 0)))
        self._slots = np.full(4 * capacity, -1, np.int32)
        pending = np.arange(self.count, dtype=np.int32)
        slots = self._first_slots(self._stored[: self.count])
        while pending.size:
            free = self._slots[slots] < 0
            self._slots[slots[free]] = pending[free]
            rest = self._slots[slots] != pending
            pending = pending[rest]
            slots = (slots[rest] + 1) & (len(self._slots) - 1)

    def _first_slots(self, words: Words) -> npt.NDArray[np.int64]:
        # A word of zeros adds nothing, so that a name's slot does not depend on the others' width.
        mixed = np.zeros(len(words), np.uint64)
        for column in range(words.shape[1]):
            word = words[:, column] * np.uint64(_MIXER)
            word ^= word >> _HALF
            mixed += word * np.uint64(_MIXER * (2 * column + 1) % 2**64)
        bits = (len(self._slots) - 1).bit_length()
        return (mixed >> np.uint64(64 - bits)).astype(np.int64)


def _same(first: Words, second: Words) -> npt.NDArray[np.bool_]:
    """Return which rows are equal; `all` over an axis of two or three is far slower."""
    same: npt.NDArray[np.bool_] = first[:, 0] == second[:, 0]
    for column in range(1, first.shape[1]):
        same &= first[:, column] == second[:, column]
    return same
