"""Scores from runs and assessments: Roundbook's own, and those of ir_measures."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from roundbook.errors import ImpossibleStatisticError, InputError, MissingExtraError
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.runs.scoring import score_assessed
from roundbook.logbook.runs.storing import AssessedRuns
from roundbook.logbook.study_source import StudySource
from roundbook.statistics.measures.hits import Judgments
from roundbook_cli.ways_out import sentence


@pytest.fixture
def assessed():
    """Two runs on three topics, of which the last has no relevant document."""
    rows = [(0, 1, 2), (0, 2, 0), (0, 3, 1), (1, 4, 1), (1, 5, -1), (2, 6, 0)]
    lists = [[[1, 2, 3], [4, 9, -1], [6, -1, -1]], [[2, 9, 1], [-1, -1, -1], [9, 6, -1]]]
    return AssessedRuns(
        source=StudySource(topics=3, runs=2, upload=1, assessments="official", revision=2),
        runs=["a", "b"],
        topics=["t1", "t2", "t3"],
        lists=np.array(lists, dtype=np.int32),
        scores=None,
        judgments=Judgments(3, *np.array(rows).T),
        run_ids=np.array([1, 2]),
    )


def test_own_measures_and_those_of_ir_measures_together(assessed):
    measures = ["map", "ndcg(gains=2:3,1:1)@2", "recip_rank", "R(rel=2)@3", "NumRet"]
    measures.append("Judged@10")
    (ap, own), (ndcg, _), (rr, theirs), *others = score_assessed(assessed, measures)
    recall, retrieved, judged = (scores for scores, _ in others)
    ir_measures = pytest.importorskip("ir_measures")
    assert (own, theirs) == (SOFTWARE, f"ir_measures {ir_measures.__version__}")
    assert ap == pytest.approx(np.array([[(1 + 2 / 3) / 2, 1 / 6], [1, 0], [0, 0]]))
    assert ndcg[:, 0] == pytest.approx([3 / (3 + 1 / np.log2(3)), 1, 0])
    assert rr == pytest.approx(np.array([[1, 1 / 3], [1, 0], [0, 0]]))
    assert recall == pytest.approx(np.array([[1, 1], [0, 0], [0, 0]]))
    assert judged == pytest.approx(np.array([[1, 2 / 3], [1 / 2, 0], [1, 1 / 2]]))
    assert retrieved.tolist() == [[3, 3], [2, 0], [1, 2]]


def test_what_cannot_be_computed_says_so(assessed, monkeypatch):
    for measure, message in {
        "clicks": "Neither Roundbook nor ir_measures .* computes clicks: measure not found",
        "R(rel=x)@5": "Neither Roundbook nor ir_measures .* computes R",
        "D#-nDCG@10": "Neither Roundbook nor ir_measures .* computes D#-nDCG@10",
        "SDCG@10": "computes SDCG@10: invalid param max_rel=nothing",
        # What cannot be read is not taken for the measure without it.
        "RR(rel)@5": r"computes RR\(rel\)@5: parameters are written as in nDCG\(gains=exp\)@10",
        "foo(a=1)": r"computes foo\(a=1\): measure not found: foo\.",
        # Computed, these would end the process.
        "Bpref(rel=-1)": r"computes Bpref\(rel=-1\): invalid param rel='-1'",
        "nDCG(gains=1:-5,judged_only=True)@5": "invalid param gains='{1:-5}'",
        "RR(rel=2)@-1": "invalid param cutoff='-1'",
        "AP(judged_only=True)@0": "a cutoff of 0 is none",
    }.items():
        with pytest.raises(InputError, match=message):
            score_assessed(assessed, [measure])
    with pytest.raises(ImpossibleStatisticError, match="grade 2, which has no gain"):
        score_assessed(assessed, ["nDCG(gains=1:1)@10"])
    with pytest.raises(ImpossibleStatisticError, match=r"write nERR\(gains=1:1,2:3\)@10"):
        score_assessed(assessed, ["AP", "nERR@10"])
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtraError) as caught:
        score_assessed(assessed, ["RR"])
    assert sentence(caught.value) == (
        "Roundbook does not compute RR itself, and ir_measures is not installed:"
        " pip install 'roundbook[measures]'"
    )
    with pytest.raises(MissingExtraError, match=r"foo@10 is no measure that .*, RBP"):
        score_assessed(assessed, ["foo@10"])
