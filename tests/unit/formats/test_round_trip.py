import gzip
import json
import time
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from roundbook.formats import read_scores

ALPHABET = st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters='"{[<#=')
NAME = st.text(ALPHABET, min_size=1, max_size=12).map(lambda text: normalize("NFC", f"n{text}"))
SCORE = st.floats(-1e100, 1e100)


@st.composite
def matrices(draw, names=NAME):
    topics = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    runs = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    count = len(topics) * len(runs)
    scores = draw(st.lists(SCORE, min_size=count, max_size=count))
    return topics, runs, np.array(scores).reshape(len(topics), len(runs)) + 0.0


def quoted(cells, delimiter):
    return delimiter.join(f'"{cell}"' if "," in cell or ";" in cell else cell for cell in cells)


def wide(topics, runs, scores, delimiter):
    rows = [["topic", *runs]]
    rows += [[t, *map(repr, row)] for t, row in zip(topics, scores.tolist(), strict=True)]
    return "\n".join(quoted(row, delimiter) for row in rows)


def long(topics, runs, scores, delimiter):
    rows = [["run", "measure", "score", "topic"]]
    rows += [
        [run, "AP", repr(value), topic]
        for topic, row in zip(topics, scores.tolist(), strict=True)
        for run, value in zip(runs, row, strict=True)
    ]
    return "\n".join(quoted(row, delimiter) for row in rows)


def trec_eval(topics, run, column):
    lines = [f"map\t{t}\t{v!r}" for t, v in zip(topics, column, strict=True)]
    return "\n".join([*lines, f"runid\tall\t{run}", "map\tall\t0.0", ""])


def ir_measures(topics, column):
    lines = [f"{t}\tAP\t{v!r}\n" for t, v in zip(topics, column, strict=True)]
    return "".join(lines) + "all\tAP\t0.5\n"


def json_lines(topics, column):
    return "\n".join(
        json.dumps({"query_id": t, "measure": "AP", "value": v})
        for t, v in zip(topics, column, strict=True)
    )


def ntcireval(topics, column):
    return "".join(
        f"{t} # syslen=1 jrel=1 jnonrel=1\n{t} AP=                  {v!r}\n"
        for t, v in zip(topics, column, strict=True)
    )


def same(paths, topics, runs, scores, layout):
    matrix = read_scores(paths, measure="AP")
    assert matrix.layout == layout
    assert (matrix.topics, matrix.runs) == (tuple(topics), tuple(runs))
    np.testing.assert_array_equal(matrix.scores, scores)


QUICK = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUICK
@given(matrices(), st.sampled_from(",;\t"), st.booleans())
def test_wide_and_long(tmp_path, drawn, delimiter, zipped):
    for write in (wide, long):
        text = write(*drawn, delimiter).encode()
        path = tmp_path / "f"
        path.write_bytes(gzip.compress(text) if zipped else text)
        if delimiter == ";" and b"," in text.split(b"\n")[0].replace(b'"', b""):
            continue
        same([path], *drawn, write.__name__)


@QUICK
@given(matrices())
def test_trec_eval(tmp_path, drawn):
    topics, runs, scores = drawn
    assume(not any("@" in topic for topic in topics))  # what looks like a measure is ambiguous
    blocks = [trec_eval(topics, run, scores[:, r].tolist()) for r, run in enumerate(runs)]
    path = tmp_path / "f"
    path.write_text("".join(blocks), encoding="utf-8")
    same([path], *drawn, "trec_eval")


PLAIN = st.from_regex(r"[a-z][A-Za-z0-9_+]{0,9}", fullmatch=True).map(lambda text: f"n{text}")


@pytest.mark.long
@pytest.mark.parametrize(
    ("write", "layout"),
    [(ir_measures, "ir_measures"), (json_lines, "ir_measures"), (ntcireval, "ntcireval")],
)
@QUICK
@given(drawn=matrices(PLAIN))
def test_one_run_a_file(tmp_path, write, layout, drawn):
    topics, runs, scores = drawn
    paths = []
    for r, run in enumerate(runs):
        paths.append(tmp_path / f"{run}.txt")
        paths[-1].write_text(write(topics, scores[:, r].tolist()), encoding="utf-8")
    same(paths, *drawn, layout)


@pytest.mark.long
def test_a_thousand_by_a_thousand_is_read_quickly(tmp_path):
    scores = np.random.default_rng(1).random((1000, 1000)).round(4)
    topics, runs = [f"t{i}" for i in range(1000)], [f"r{i}" for i in range(1000)]
    path = tmp_path / "wide.csv"
    path.write_text(wide(topics, runs, scores, ","))
    start = time.perf_counter()
    matrix = read_scores([path], measure="AP")
    assert time.perf_counter() - start < 3  # measured 0.3 s; a quadratic parse takes minutes
    np.testing.assert_array_equal(matrix.scores, scores)
