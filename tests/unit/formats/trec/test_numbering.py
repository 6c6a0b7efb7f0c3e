import numpy as np

from roundbook.formats.trec.decimals import decimals
from roundbook.formats.trec.numbering import Numbering


def words(names):
    width = -(-max(map(len, names)) // 8)
    return np.array([*map(str.encode, names)], f"S{8 * width}").view("<u8").reshape(-1, width)


def test_names_are_numbered_as_by_a_dict():
    generator = np.random.default_rng(1)
    numbering, numbers = Numbering(), {}
    for size in (8, 8, 24, 8, 300, 16):
        names = [
            str(number) * int(generator.integers(1, 2 + size // 8))
            for number in generator.integers(20_000, size=3_000)
        ]
        names = [name[:size] for name in names]
        given = numbering.number(words(names))
        for name in names:
            numbers.setdefault(name, len(numbers))
        assert given.tolist() == [numbers[name] for name in names]
        assert numbering.names() == list(numbers)
    assert numbering.count == len(numbers) > 2**12
    assert numbering.names(numbering.count) == []


def test_decimals_are_what_float_makes_of_them():
    generator = np.random.default_rng(2)
    texts = [
        f"{'-+ '[row % 3].strip()}{value:.{row % 8}f}"
        for row, value in enumerate(10 ** generator.uniform(-6, 7, 5000))
    ]
    texts += [".5", "5.", "0", "-0.0", "1234567.1234567", "9007199254740992", "1234567890123456"]
    odd = [".", "-", "1e5", "1.2.3", "1(5", "1/2", "1:2", "0.12345678", "12345678901234567", "é"]
    odd += ["9007199254740993.", "--5", "9999999999999999"]
    signed = np.array([text[0] in "+-" for text in texts + odd])
    negative = np.array([text[0] == "-" for text in texts + odd])
    lengths = np.array([len(text.encode()) for text in texts + odd]) - signed
    padded = [(b"Q0 7.5 " * 3 + text.encode())[-16:] for text in texts + odd]
    characters = np.array([[*row] for row in padded], np.uint8).view("<u8")
    values = decimals(characters, lengths, negative)
    np.testing.assert_array_equal(values[: len(texts)], [*map(float, texts)])
    assert np.isnan(values[len(texts) :]).all()
