"""Decimal numbers from text, many at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from roundbook.formats.trec.numbering import Words

_Uint64 = npt.NDArray[np.uint64]

_LONGEST = 16


def _all_bytes(value: int) -> np.uint64:
    return np.uint64(value * 0x0101010101010101)


_DOTS = _all_bytes(ord("."))
_ONE, _8, _16, _32, _56 = (np.uint64(value) for value in (1, 8, 16, 32, 56))
# By number of characters: masks of the bytes they take at the end of 16, and zeros to fill up.
_TAKEN = np.array(
    [list(bytes(16 - length) + b"\xff" * length) for length in range(17)], np.uint8
).view("<u8")
_ZEROS = ~_TAKEN & _all_bytes(ord("0"))
# By position of the dot in the last eight characters, 8 without one: masks of the characters
# before and after it, the shift of those before it, the filler behind it, and the power of ten.
_BEFORE = np.array([2 ** (8 * dot) - 1 for dot in range(9)], np.uint64)
_BEHIND = np.array([2**64 - 2 ** (8 * dot + 8) for dot in range(8)] + [0], np.uint64)
_MOVE = np.array([8] * 8 + [0], np.uint64)
_CARRY = np.array([0xFF] * 8 + [0], np.uint64)
_LEFT = np.array([ord("0")] * 8 + [0], np.uint64)
_SCALE = np.array([10.0 ** (7 - dot) for dot in range(8)] + [1.0])


def decimals(
    characters: Words, lengths: npt.NDArray[np.int64], negative: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Return decimal numbers as float() does, and NaN for those that need float() itself.

    Parameters
    ----------
    characters : (n, 2) array of words
        The 16 bytes up to the last one of each number.
    lengths : (n,) array of int
        How many of these bytes belong to the number, without its sign.
    negative : (n,) array of bool

    Returns
    -------
    (n,) array of float
        NaN for a text that is longer, has an exponent or more than seven decimals, or is no number.
    """
    counted = np.minimum(lengths, _LONGEST)
    characters = characters & _TAKEN.take(counted, axis=0) | _ZEROS.take(counted, axis=0)
    high, low = characters[:, 0], characters[:, 1]
    # The dot gives a byte of zero, the first whose top bit the subtraction sets.
    marked = low ^ _DOTS
    dots = (marked - _all_bytes(1)) & ~marked & _all_bytes(0x80)
    dot = np.bitwise_count((dots & (~dots + _ONE)) - _ONE) >> np.uint8(3)
    move = _MOVE.take(dot)
    behind, behind_valid = _eight_digits(
        low & _BEHIND.take(dot) | (low & _BEFORE.take(dot)) << move | high >> _56 & _CARRY.take(dot)
    )
    before, before_valid = _eight_digits(high << move | _LEFT.take(dot))
    mantissa = before * np.uint64(10**8) + behind
    # A double holds such a mantissa and such a power of ten exactly: the quotient is rounded once.
    values = mantissa / _SCALE.take(dot)
    valid = (
        behind_valid
        & before_valid
        & (lengths <= _LONGEST)
        & (lengths > (dot < 8))
        & (mantissa <= 2**53)
    )
    return np.where(valid, np.where(negative, -values, values), np.nan)


def _eight_digits(characters: _Uint64) -> tuple[_Uint64, npt.NDArray[np.bool_]]:
    """Return eight characters as a number, and whether they are digits."""
    high_halves = _all_bytes(0xF0)
    valid = (characters & high_halves) | ((characters + _all_bytes(6)) & high_halves) >> np.uint64(
        4
    )
    # Pairs of digits are combined into numbers, then pairs of these, then the last two.
    digits = characters & _all_bytes(0x0F)
    digits = digits * np.uint64(10 * 2**8 + 1) >> _8 & np.uint64(0x00FF00FF00FF00FF)
    digits = digits * np.uint64(100 * 2**16 + 1) >> _16 & np.uint64(0x0000FFFF0000FFFF)
    return digits * np.uint64(10**4 * 2**32 + 1) >> _32, valid == _all_bytes(0x33)
