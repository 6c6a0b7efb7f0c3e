"""Measures against published scores, pyNTCIREVAL, ir_measures, and by hand."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.unit.statistics.measures.rounds import assessed
from tests.unit.statistics.treccovid import treccovid

from roundbook.errors import ImpossibleStatisticError
from roundbook.logbook.runs.ir_measures import measure_of_ir_measures
from roundbook.measure_names import canonical_measure
from roundbook.statistics.measures.hits import Judgments, find_hits, relevant_hits
from roundbook.statistics.measures.measure import is_own_measure, parse_measure
from roundbook.statistics.measures.scores import count_relevant, score_runs
from roundbook.statistics.variance.residual import residual_variance

GAINS = "gains=1:1,2:3"
ALL = [
    *("AP", "AP@3", "AP(denominator=min)@3", "P@3", f"nDCG({GAINS})", f"nDCG({GAINS})@3"),
    *(f"nG({GAINS})@1", f"Q({GAINS})", f"Q({GAINS})@3", f"Q(beta=5,{GAINS})@3", f"P+({GAINS})"),
    *(f"P-plus(beta=0.5,{GAINS})@3", f"nERR({GAINS})", f"nERR({GAINS})@3", f"ERR({GAINS})@3"),
    *(f"RBP({GAINS},p=0.8)", "RBP(p=0.95)@3", f"MSnDCG({GAINS})@3"),
]


def _score(name, lists, grades, keep=None):
    judgments, hits = assessed(lists, grades)
    return score_runs(parse_measure(name), hits, judgments, keep)


@pytest.mark.long
@pytest.mark.parametrize("number", [1, 2, 3])
def test_trec_covid_scores_are_those_that_nist_published(shared, number):
    assessed_round = treccovid(shared, number)
    for name, file, tolerance in (
        ("AP", "map", 5e-11),
        ("nDCG(gains=1:1,2:2)@10", "ndcg10", 5e-11),
        ("P@5", "p5", 0),
    ):
        scores = score_runs(parse_measure(name), assessed_round.hits, assessed_round.judgments)
        assert np.abs(scores - assessed_round.scores[file]).max() <= tolerance, name


def test_trec_covid_residual_variances(shared):
    assessed_round = treccovid(shared, 1)
    expected = {f"nG({GAINS})@1": 0.164020, f"P+({GAINS})@10": 0.106130, "AP": 0.017075}
    expected |= {f"nERR({GAINS})@10": 0.100154, f"nDCG({GAINS})@10": 0.052962}
    expected |= {f"Q({GAINS})@10": 0.051323, "P@5": 0.078930}
    for name, variance in expected.items():
        scores = score_runs(parse_measure(name), assessed_round.hits, assessed_round.judgments)
        assert residual_variance(scores) == pytest.approx(variance, abs=5e-7), name


lists_of_runs = arrays(np.int32, (3, 2, 6), elements=st.integers(0, 9)).map(
    lambda lists: [[list(dict.fromkeys(cell.tolist())) for cell in run] for run in lists]
)
relevant_grades = st.dictionaries(st.integers(0, 12), st.integers(0, 2)).filter(
    lambda grades: any(grades.values())
)


@given(lists_of_runs, st.tuples(relevant_grades, relevant_grades))
def test_every_cell_is_that_of_pyntcireval(lists, grades):
    for name in ALL:
        scores = _score(name, lists, grades)
        expected = [[_ntcireval(name, run[t], grades[t]) for run in lists] for t in range(2)]
        np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-14, err_msg=name)


def _ntcireval(name, documents, grades):
    metrics = pytest.importorskip("pyNTCIREVAL.metrics")
    labeler = pytest.importorskip("pyNTCIREVAL.labeler").Labeler(grades)
    measure = parse_measure(name)
    ranked = labeler.label(documents)
    cut = ranked[: measure.cutoff]
    judged, gains, cutoff = labeler.compute_per_level_doc_num(3), [1, 3], measure.cutoff
    everything = cutoff or 1000
    if measure.family == "RBP" and measure.gains is None:
        gains = [1, 1]
    if name == "AP@3":
        relevant = sum(judged[1:])
        return metrics.AP(judged, gains, 3).compute(ranked) * min(relevant, 3) / relevant
    metric, given = {
        "AP": lambda: (metrics.AP(judged, gains, cutoff), ranked),
        "P": lambda: (metrics.Precision(cutoff), ranked),
        "nDCG": lambda: (metrics.MSnDCG(judged, gains, everything), ranked),
        "MSnDCG": lambda: (metrics.MSnDCG(judged, gains, everything), ranked),
        "nG": lambda: (metrics.MSnDCG(judged, gains, 1), ranked),
        "Q": lambda: (metrics.QMeasure(judged, gains, measure.beta, cutoff), ranked),
        "P+": lambda: (metrics.PPlusMeasure(judged, gains, measure.beta), cut),
        "nERR": lambda: (metrics.nERR(judged, gains, everything), ranked),
        "ERR": lambda: (metrics.ERR(judged, gains), cut),
        "RBP": lambda: (metrics.RBP(judged, gains, measure.p), cut),
    }[measure.family]()
    return metric.compute(given)


def test_ap_p_and_ndcg_are_those_of_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    random = np.random.default_rng(0)
    lists = [[random.permutation(40)[:30].tolist() for _ in range(3)] for _ in range(4)]
    grades = [
        dict(zip(range(0, 40, 2), random.integers(-1, 3, 20).tolist(), strict=True))
        for _ in range(3)
    ]
    own = ["AP", "AP@10", "AP(rel=2)", "P@10", "P(rel=2)@5", "nDCG", "nDCG@10"]
    own.append("nDCG(gains=1:1,2:3)@10")
    measures = {measure_of_ir_measures(ir_measures, name): name for name in own}
    qrels = {str(t): {str(d): g for d, g in row.items()} for t, row in enumerate(grades)}
    for number, run in enumerate(lists):
        scored = {
            str(topic): {str(document): -rank for rank, document in enumerate(documents)}
            for topic, documents in enumerate(run)
        }
        # One by one: together, ir_measures takes the gains of one nDCG for the other at times.
        for measure, name in measures.items():
            scores = _score(name, lists, grades)[:, number]
            for result in ir_measures.iter_calc([measure], qrels, scored):
                expected = pytest.approx(result.value, abs=1e-15)
                assert scores[int(result.query_id)] == expected, result


def test_err_without_gains_is_that_of_the_web_track():
    # gdeval: (2^grade - 1)/16 whatever the task's grades.
    scores = _score("ERR@20", [[[1, 2, 3, 4]]], [{1: 1, 3: 4, 4: -2}])
    assert scores.item() == pytest.approx(1 / 16 + 15 / 16 * 15 / 16 / 3)
    with pytest.raises(ImpossibleStatisticError, match="up to 4, and the assessments have 5"):
        _score("ERR@20", [[[1]]], [{1: 5}])


def test_graded_measures_by_hand():
    lists, grades = [[[1, 2, 3, 4]], [[]]], [{1: 1, 3: 2, 4: 2, 9: 1, 2: -2}]
    gain_at_3 = (1 + 1) / (1 + 3), (2 + 4) / (3 + 7)
    assert _score(f"P+({GAINS})", lists, grades)[0] == pytest.approx([sum(gain_at_3) / 2, 0])
    assert _score(f"nG({GAINS})@1", lists, grades)[0] == pytest.approx([1 / 3, 0])
    ideal = 3 + 3 / log2(3) + 1 / 2
    assert _score(f"nDCG({GAINS})@3", lists, grades)[0] == pytest.approx([(1 + 3 / 2) / ideal, 0])
    exp = (1 + 3 / 2) / ideal
    assert _score("nDCG(gains=exp)@3", lists, grades)[0] == pytest.approx([exp, 0])
    # Without gains they are the grades: 0 for a negative one.
    linear = (1 + 2 / 2) / (2 + 2 / log2(3) + 1 / 2)
    assert _score("nDCG@3", lists, grades)[0] == pytest.approx([linear, 0])


@given(lists_of_runs, st.tuples(relevant_grades, relevant_grades), st.data())
def test_kept_judgments_are_assessments_without_the_others(lists, grades, data):
    judgments, hits = assessed(lists, grades)
    size = judgments.grade.size
    keep = data.draw(arrays(np.bool_, size))
    kept = Judgments(2, judgments.topic[keep], judgments.document[keep], judgments.grade[keep])
    depth = max(len(cell) for run in lists for cell in run)
    padded = np.array([[cell + [-1] * (depth - len(cell)) for cell in run] for run in lists])
    for name in ALL:
        measure = parse_measure(name)
        masked = score_runs(measure, relevant_hits(hits, judgments), judgments, keep)
        assert np.array_equal(masked, score_runs(measure, find_hits(padded, kept), kept)), name
        lost = count_relevant(measure, judgments, keep) == 0
        assert not masked[lost].any()
        assert np.all((masked >= 0) & (masked <= 1 + 1e-12))


def test_no_relevant_documents_score_0_and_are_counted():
    lists = [[[1, 2], [1]], [[], [2]]]
    for name in ALL:
        assert not _score(name, lists, [{1: 0, 2: -1}, {}]).any()
    judgments, _ = assessed(lists, [{1: 1, 2: 2, 3: 0}, {2: -1}])
    assert count_relevant(parse_measure("AP"), judgments).tolist() == [2, 0]
    assert count_relevant(parse_measure("AP(rel=2)"), judgments).tolist() == [1, 0]


def test_equal_lists_have_equal_scores_to_the_last_bit():
    random = np.random.default_rng(1)
    documents = random.permutation(300).tolist()
    grades = [dict(enumerate(random.integers(0, 3, 300).tolist()))]
    lists = [[random.permutation(300).tolist()], [documents], [documents]]
    for name in [*ALL, "Q(gains=1:0.1,2:0.7)", "nERR(gains=1:0.1,2:0.7)"]:
        _, second, third = _score(name, lists, grades)[0]
        assert second == third > 0, name


def test_names_keep_what_scores_depend_on_and_no_more():
    for text, name in {
        "nDCG(gains={0:0,2:3,1:1})@10": "nDCG(gains=1:1,2:3)@10",
        "Q(beta=1.0)@10": "Q@10",
        "P-plus(gains=1:1,2:3.50)@10": "P+(gains=1:1,2:3.5)@10",
        "AP(rel=1)": "AP",
        "AP(denominator=R)@5": "AP@5",
        "RBP(p=0.80)": "RBP(p=0.8)",
        "nDCG(gains=exp)@10": "nDCG(gains=exp)@10",
    }.items():
        assert parse_measure(text).name == name
        assert parse_measure(name) == parse_measure(text)
        assert canonical_measure(text) == name
        assert is_own_measure(text)
    for text in ("Bpref", "nDCG(dcg=exp-log2)@10", "AP(judged_only=True)", "NERR10@10", "(", "R@5"):
        assert not is_own_measure(text), text


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("Bpref", "none of the measures computed from runs: AP, P, "),
        ("AP(beta=1)", "no parameter beta; AP has denominator, rel"),
        ("P", "write P@10"),
        ("AP@0", "write AP@10"),
        ("nG@3", "write nG@1"),
        ("AP(denominator=min)", r"write AP\(denominator=min\)@10"),
        ("AP(denominator=R+)@5", "it is R, or min"),
        ("nERR@10", r"write nERR\(gains=1:1,2:3\)@10"),
        ("ERR(gains=exp)@10", r"write ERR\(gains=1:1,2:3\)"),
        ("RBP", r"write RBP\(p=0.8\)"),
        ("RBP(p=1)", r"write RBP\(p=0.8\)"),
        ("RBP(p=2)", "p=2, which must be a number from 0 to 1"),
        ("Q(beta=-1)", "number from 0 on"),
        ("AP(rel=1.5)", "whole number from 1 on"),
        ("Q(gains=1:3,2:1)", "none lower"),
        ("Q(gains=1:3,1:4)", "none lower"),
        ("Q(gains=1:0)", "the highest must"),
        ("Q(gains=-1:-1,1:1)", "only grades above 0"),
        ("Q(gains=1:inf)", "gain of every grade"),
        ("Q(gains=linear)", "gain of every grade"),
        ("Q(gains=1:nan)", "gain of every grade"),
    ],
)
def test_what_cannot_be_computed_says_why(text, match):
    with pytest.raises(ImpossibleStatisticError, match=match):
        parse_measure(text)


def test_a_grade_without_a_gain_is_refused():
    with pytest.raises(ImpossibleStatisticError, match="grade 3, which has no gain in Q"):
        _score(f"Q({GAINS})", [[[1]]], [{1: 3}])
