import numpy as np
import pytest

from roundbook.errors import BadFileError, MissingScoresError
from roundbook.formats import ScoreMatrix, apply_missing_policy
from roundbook_cli.ways_out import sentence


def matrix(by_run, files=("f.csv",)):
    by_run = np.array(by_run, dtype=float)
    return ScoreMatrix(
        topics=tuple(f"t{i}" for i in range(by_run.shape[1])),
        runs=tuple(f"r{i}" for i in range(by_run.shape[0])),
        scores=by_run.T,
        measure="AP",
        layout="wide",
        files=files,
    )


NAN = float("nan")
HOLED = [[1, NAN, 0.5], [NAN, NAN, 0.25]]


def test_reject_names_the_cells_and_the_ways_out():
    with pytest.raises(MissingScoresError) as caught:
        apply_missing_policy(matrix(HOLED), "reject")
    assert caught.value.cells == (("t0", "r1"), ("t1", "r0"), ("t1", "r1"))
    assert sentence(caught.value) == (
        "f.csv: 3 scores are missing: topic t0 of run r1, topic t1 of run r0, topic t1 of run r1; "
        "complete the file, or choose --missing zero or --missing drop-topic."
    )


def test_reject_names_ten_cells_and_counts_the_rest():
    with pytest.raises(MissingScoresError) as caught:
        apply_missing_policy(matrix([[NAN] * 13], ("f", "g", "h")), "reject")
    assert "topic t9 of run r0 and 3 more; complete" in sentence(caught.value)
    assert caught.value.file == "f and 2 more"
    assert len(caught.value.cells) == 13


@pytest.mark.parametrize("policy", ["reject", "zero", "drop-topic"])
def test_a_complete_matrix_passes_under_any_policy(policy):
    complete = apply_missing_policy(matrix([[1, 2], [3, 4]]), policy)
    assert complete.scores.T.tolist() == [[1, 2], [3, 4]]
    assert (complete.missing_policy, complete.missing_cells) == (policy, 0)
    assert complete.dropped_topics == ()


def test_zero():
    complete = apply_missing_policy(matrix(HOLED), "zero")
    assert complete.scores.T.tolist() == [[1, 0, 0.5], [0, 0, 0.25]]
    assert (complete.missing_cells, complete.dropped_topics) == (3, ())
    assert complete.scores.T.flags.c_contiguous


def test_drop_topic():
    complete = apply_missing_policy(matrix(HOLED), "drop-topic")
    assert complete.topics == ("t2",)
    assert complete.scores.T.tolist() == [[0.5], [0.25]]
    assert (complete.missing_cells, complete.dropped_topics) == (3, ("t0", "t1"))
    assert complete.scores.T.flags.c_contiguous


def test_dropping_every_topic_is_refused():
    with pytest.raises(BadFileError, match="every topic misses"):
        apply_missing_policy(matrix([[NAN, NAN], [1, 2]]), "drop-topic")
