"""What is written reads back as the same double, under the same names, or is refused."""

from __future__ import annotations

import csv
import io
from unicodedata import normalize
from urllib.parse import unquote

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from roundbook.errors import InputError
from roundbook.formats import read_scores
from roundbook.formats.writing import run_file_names, write_long, write_trec_eval, write_wide
from roundbook_cli.ways_out import sentence

# As the readers take them: no control or invisible character, no white space at the ends.
NAME = (
    st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), max_size=12)
    .map(lambda name: normalize("NFC", name.strip()))
    .filter(bool)
)
WORD = st.sampled_from(
    ["all", "ALL", "mean", "Amean", "average", "query", "Topic ID", "run", "system", "score"]
)
SCORE = st.floats(-1e100, 1e100) | st.sampled_from([5e-324, 0.1 + 0.2, 1e100, 2 / 3, 0.0])
AWKWARD = ("a,b", 'say "x"', "semi;colon", "two  words", "Ωmega", "..", "#1", "'q'", "1e5", "{a}")


@st.composite
def matrices(draw):
    topics = draw(st.lists(NAME | WORD, min_size=1, max_size=5, unique=True))
    runs = draw(st.lists(NAME | WORD, min_size=1, max_size=4, unique=True))
    count = len(topics) * len(runs)
    scores = draw(st.lists(SCORE, min_size=count, max_size=count))
    return topics, runs, np.array(scores).reshape(len(topics), len(runs)) + 0.0


def written(layout, topics, runs, scores, measure="AP"):
    """Return the text of each file by its name."""
    if layout == "wide":
        return {"scores.csv": write_wide(topics, runs, scores)}
    if layout == "long":
        return {"scores.csv": write_long(topics, runs, scores, measure)}
    names = run_file_names(runs)
    return {
        names[run]: write_trec_eval(topics, run, scores[:, column], measure)
        for column, run in enumerate(runs)
    }


def read_back(texts, directory, layout, measure="AP"):
    directory.mkdir(exist_ok=True)
    paths = []
    for name, content in texts.items():
        paths.append(directory / name)
        paths[-1].write_text(content, encoding="utf-8", newline="")
    return read_scores(paths, measure=measure, layout=layout)


def same(again, topics, runs, scores):
    assert list(again.topics) == list(topics)
    assert list(again.runs) == list(runs)
    assert np.array_equal(again.scores, scores)


@pytest.mark.long
@pytest.mark.parametrize("layout", ["wide", "long", "trec_eval"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(matrix=matrices())
@example(matrix=(["mean", "t"], ["r"], np.zeros((2, 1))))
@example(matrix=(["t", "all"], ["r"], np.zeros((2, 1))))
@example(matrix=(["t"], ["query"], np.zeros((1, 1))))
@example(matrix=(["t"], ["value"], np.zeros((1, 1))))
@example(matrix=(["t"], ["run", "score"], np.zeros((1, 2))))
@example(matrix=(list(AWKWARD), list(AWKWARD), np.arange(100.0).reshape(10, 10) / 7))
def test_what_is_written_is_read_back_or_refused(tmp_path, layout, matrix):
    topics, runs, scores = matrix
    try:
        texts = written(layout, topics, runs, scores)
    except InputError as refusal:
        message = sentence(refusal)
        summaries = {"all", "mean", "average", "amean"}
        misread = any(topic.lower() in summaries for topic in topics)
        if layout == "wide":
            misread |= any(run.lower().replace(" ", "_") in COLUMNS for run in runs)
        assert misread, message
        assert message.endswith(("an archive of its task holds it.", "choose --layout long."))
        return
    same(read_back(texts, tmp_path / "out", layout), topics, runs, scores)


COLUMNS = {
    *("topic", "topic_id", "topicid", "query_id", "queryid", "qid", "query"),
    *("run", "run_id", "runid", "run_tag", "runtag", "run_name", "tag", "system"),
    *("value", "score"),
}


@pytest.mark.parametrize("layout", ["wide", "long", "trec_eval"])
def test_the_layout_is_told_from_the_content(tmp_path, layout):
    scores = np.random.default_rng(3).random((4, 3))
    for measure in ("nDCG@10", "AP", "RBP(p=0.8)", "nDCG(base=2,gains=exp)@10"):
        texts = written(layout, ["301", "302", "a b", "x,y"], ["bm25", "b,m", "d"], scores, measure)
        again = read_back(texts, tmp_path / "out", "auto", measure)
        assert again.layout == layout
        same(again, ["301", "302", "a b", "x,y"], ["bm25", "b,m", "d"], scores)


def test_other_parsers_read_the_same_scores():
    scores = np.random.default_rng(4).standard_normal((10, 10)) * 10.0 ** np.arange(-50, 50, 10)
    wide = list(csv.reader(io.StringIO(write_wide(AWKWARD, AWKWARD, scores))))
    assert wide[0] == ["topic", *AWKWARD]
    assert [row[0] for row in wide[1:]] == list(AWKWARD)
    assert np.array_equal([[float(cell) for cell in row[1:]] for row in wide[1:]], scores)
    long = list(csv.DictReader(io.StringIO(write_long(AWKWARD, AWKWARD, scores, "AP"))))
    cells = {(row["topic"], row["run"]): float(row["value"]) for row in long}
    assert len(long) == len(cells) == 100
    assert {row["measure"] for row in long} == {"AP"}
    for row, topic in enumerate(AWKWARD):
        assert [cells[topic, run] for run in AWKWARD] == scores[row].tolist()
    for column, run in enumerate(AWKWARD):
        text = write_trec_eval(AWKWARD, run, scores[:, column], "AP")
        lines = [line.split("\t") for line in text.splitlines()]
        assert [float(value) for _, _, value in lines[:10]] == scores[:, column].tolist()
        assert [topic for _, topic, _ in lines[:10]] == list(AWKWARD)
        assert lines[10] == ["runid".ljust(22), "all", run]
        assert lines[11][:2] == ["AP".ljust(22), "all"]
        assert float(lines[11][2]) == pytest.approx(scores[:, column].mean(), rel=1e-12)
        assert len(lines) == 12


def test_trec_eval_to_the_letter():
    text = write_trec_eval(["301", "302"], "bm25", np.array([0.25, 0.5]), "map")
    assert text == (
        "map                   \t301\t0.25\n"
        "map                   \t302\t0.5\n"
        "runid                 \tall\tbm25\n"
        "map                   \tall\t0.375\n"
    )


@pytest.mark.parametrize("topic", ["all", "ALL", "mean", "Average"])
def test_a_topic_that_is_read_as_a_summary_is_refused_in_every_layout(topic):
    for layout in ("wide", "long", "trec_eval"):
        with pytest.raises(InputError, match=f"'{topic}' would be read as a summary in any layout"):
            written(layout, ["1", topic], ["r"], np.array([[0.5], [0.25]]))


def test_a_measure_called_like_the_line_of_the_tag_is_refused():
    with pytest.raises(InputError, match="measure 'runid' means something else") as caught:
        write_trec_eval(["1"], "r", np.array([0.5]), "runid")
    assert sentence(caught.value).endswith("; choose --layout long.")


@given(tags=st.lists(NAME | st.text("aAbB.~%", min_size=1, max_size=4), unique=True, max_size=8))
@example(tags=["BM25", "bm25", "Bm25", "%42%4D25"])
@example(tags=[".", "..", "../../etc/passwd", "/", "\\", "a/b", "a:b", "-rf", "~", "CON", "nul.x"])
@example(tags=["é", "É", "e\u0301", "K", "\u212a"])
def test_file_names_are_safe_differ_in_more_than_capitals_and_give_the_tags(tags):
    names = run_file_names(tags)
    assert list(names) == tags
    assert len({name.lower() for name in names.values()}) == len(tags)
    for tag, name in names.items():
        assert set(name) <= set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-%"
        )
        assert name.endswith(".eval")
        assert name[0] not in ".-"
        assert name.partition(".")[0].lower() not in {"con", "nul", "aux", "prn", "com1"}
        assert unquote(name.removesuffix(".eval"), errors="strict") == tag


def test_plain_tags_are_the_names():
    assert run_file_names(["10x20.prf.unipd.it", "CSIROmed_PE"]) == {
        "10x20.prf.unipd.it": "10x20.prf.unipd.it.eval",
        "CSIROmed_PE": "CSIROmed_PE.eval",
    }


def test_tags_too_long_for_a_name_still_differ():
    tags = ["Ω" * 499 + end for end in "abB"] + ["x" * 500, "X" * 500]
    names = list(run_file_names(tags).values())
    assert len({name.lower() for name in names}) == 5
    assert all(len(name) <= 200 and name.count("~") == 1 for name in names)
