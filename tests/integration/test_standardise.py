"""Standardised scores: any A and B, E-std, new runs from files, what cannot be placed."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from scipy import stats
from tests.factories import (
    fit_factor_set,
    log_scores,
    set_round,
    show_factors,
    standardise,
    standardise_files,
)

from roundbook.errors import ImpossibleStatisticError, InputError, NotRecordedError, RequestError
from roundbook.presentation.factors import standardised_notes, undeclared_round
from roundbook.presentation.views import view_of

pytestmark = pytest.mark.one_server

SCORES = np.random.default_rng(15).random((7, 6))
RUNS = tuple(f"run{i}" for i in range(6))
TOPICS = tuple(f"t{j}" for j in range(7))


@pytest.fixture
def new_runs(tmp_path):
    """Write a file of new runs, topics a row."""

    def put(scores, topics, runs=("new", "newer"), name="new.csv"):
        path = tmp_path / name
        with path.open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["topic", *runs])
            out.writerows([topic, *row] for topic, row in zip(topics, scores, strict=True))
        return path

    return put


def from_files(engine, source, *paths, **options):
    return standardise_files(engine, "t", source, list(paths), "AP", **options)


def naive_std(scores, by):
    """(x - mean) / sd, a cell at a time."""
    standardised = np.empty(np.shape(scores))
    for j, row in enumerate(by):
        mean = sum(row) / len(row)
        sd = (sum((x - mean) ** 2 for x in row) / (len(row) - 1)) ** 0.5
        for i, x in enumerate(scores[j]):
            standardised[j, i] = (x - mean) / sd
    return standardised


def naive_e_std(scores, by):
    """The share of standardising scores that a score reaches, counted one by one."""
    return np.array(
        [
            [sum(s <= x for s in row) / len(row) for x in mine]
            for mine, row in zip(scores, by, strict=True)
        ]
    )


@pytest.mark.parametrize(("a", "b"), [(0.15, 0.5), (0.1, 0.4), (0.5, 0.5), (0.15, -0.3)])
def test_std_ab_with_any_a_and_b(engine, a, b):
    log_scores(engine, "r1", SCORES)
    shown = standardise(engine, "t", "r1", "AP", a=a, b=b)
    expected = [
        [min(max(a * cell + b, 0), 1) for cell in row] for row in naive_std(SCORES, SCORES).tolist()
    ]
    np.testing.assert_allclose(np.transpose(shown.scores), expected, atol=1e-12)
    assert (shown.a, shown.b, shown.scale) == (a, b, "std-ab")
    assert (shown.left_out, shown.off_ties, shown.files) == ([], [], ["test"])


@pytest.mark.long
@pytest.mark.parametrize("scale", ["std", "std-cdf", "e-std"])
def test_the_other_scales_have_no_a_and_b(engine, scale):
    log_scores(engine, "r1", SCORES)
    shown = standardise(engine, "t", "r1", "AP", scale=scale)
    std = naive_std(SCORES, SCORES)
    expected = {
        "std": std,
        "std-cdf": stats.norm.cdf(std),
        "e-std": naive_e_std(SCORES, SCORES),
    }[scale]
    np.testing.assert_allclose(np.transpose(shown.scores), expected, atol=1e-12)
    assert (shown.a, shown.b) == (None, None)


@pytest.mark.parametrize(
    ("a", "b"), [(np.nan, 0.5), (0.15, np.nan), (np.inf, 0.5), (0.15, -np.inf)]
)
def test_a_and_b_must_be_finite(engine, a, b):
    log_scores(engine, "r1", SCORES)
    with pytest.raises(RequestError, match=r"`[ab]` should be a finite number"):
        standardise(engine, "t", "r1", "AP", a=a, b=b)


@pytest.mark.parametrize("a", [0, -1])
def test_a_is_above_0(engine, new_runs, a):
    log_scores(engine, "r1", SCORES)
    sentence = "`a` should be greater than 0"
    with pytest.raises(RequestError, match=sentence):
        standardise(engine, "t", "r1", "AP", a=a)
    with pytest.raises(RequestError, match=sentence):
        from_files(engine, "r1", new_runs([[0.1, 0.2]], ["t0"]), a=a)


def test_an_enormous_a_clips(engine):
    log_scores(engine, "r1", SCORES)
    shown = np.array(standardise(engine, "t", "r1", "AP", a=1e308).scores)
    assert set(shown.ravel()) == {0.0, 1.0}


def test_e_std_is_by_the_standardising_runs_only(engine):
    log_scores(engine, "r1", SCORES)
    fit_factor_set(engine, "t", "r1", "AP", runs=["run5", "run1", "run2"], reason="x", user="u")
    shown = standardise(engine, "t", "r1", "AP", scale="e-std")
    expected = naive_e_std(SCORES, SCORES[:, [1, 2, 5]])
    np.testing.assert_allclose(np.transpose(shown.scores), expected, atol=1e-15)
    by_all = standardise(engine, "t", "r1", "AP", scale="e-std", factors_from="r1:1")
    np.testing.assert_allclose(np.transpose(by_all.scores), naive_e_std(SCORES, SCORES))


def test_e_std_across_rounds_and_revisions(engine):
    """The scores behind the factors are those of their own revision, in their own order."""
    log_scores(engine, "r1", SCORES)
    log_scores(engine, "r1", SCORES[::-1] * 0.5, topics=TOPICS[::-1], revise="halved")
    later = np.random.default_rng(16).random((4, 3))
    log_scores(engine, "r2", later, topics=("t6", "t0", "other", "t3"), runs=("x", "y", "z"))
    kept = [6, 0, 3]
    for version, factor in ((1, 1), (2, 0.5)):
        shown = standardise(engine, "t", "r2", "AP", scale="e-std", factors_from=f"r1:{version}")
        expected = naive_e_std(later[[0, 1, 3]], SCORES[kept] * factor)
        np.testing.assert_allclose(np.transpose(shown.scores), expected)
        assert (shown.topics, shown.left_out) == (["t6", "t0", "t3"], ["other"])
        assert (shown.factors_round, shown.factor_version) == ("r1", version)


@pytest.mark.parametrize("scale", ["std", "std-cdf", "std-ab", "e-std"])
def test_new_runs_from_a_file_by_old_factors(engine, new_runs, scale):
    log_scores(engine, "r1", SCORES)
    log_scores(engine, "r1", SCORES * 0.5, revise="halved")
    scores = np.random.default_rng(17).random((4, 2)).round(4)
    path = new_runs(scores, ["t5", "t0", "unknown", "t2"])
    before = show_factors(engine, "t", "r1", "AP").versions
    for source, factor, version in (("r1:1", 1, 1), ("r1:2", 0.5, 2), ("r1", 0.5, 2)):
        shown = from_files(engine, source, path, scale=scale)
        by, mine = SCORES[[5, 0, 2]] * factor, scores[[0, 1, 3]]
        std = naive_std(mine, by)
        expected = {
            "std": std,
            "std-cdf": stats.norm.cdf(std),
            "std-ab": np.clip(0.15 * std + 0.5, 0, 1),
            "e-std": naive_e_std(mine, by),
        }[scale]
        np.testing.assert_allclose(np.transpose(shown.scores), expected, atol=1e-12)
        assert (shown.topics, shown.runs) == (["t5", "t0", "t2"], ["new", "newer"])
        assert shown.left_out == ["unknown"]
        assert (shown.factors_round, shown.factor_version) == ("r1", version)
        assert (shown.matrix, shown.revision) == (None, None)
        assert [name.endswith("new.csv") for name in shown.files] == [True]
    # Nothing was logged.
    assert show_factors(engine, "t", "r1", "AP").versions == before


def test_a_file_whose_topics_have_no_factors(engine, new_runs):
    log_scores(engine, "r1", SCORES)
    path = new_runs([[0.1, 0.2], [0.3, 0.4]], ["x", "y"])
    with pytest.raises(ImpossibleStatisticError, match="None of the topics has usable factors"):
        from_files(engine, "r1", path)
    with pytest.raises(NotRecordedError, match="9"):
        from_files(engine, "r1:9", path)
    with pytest.raises(NotRecordedError, match="'r7'"):
        from_files(engine, "r7", path)


@pytest.mark.long
@pytest.mark.parametrize("wrong", ["1.0", "a", "", "-1", "1" * 200])
def test_a_version_is_a_whole_number(engine, new_runs, wrong):
    log_scores(engine, "r1", SCORES)
    log_scores(engine, "r1:odd", SCORES)
    sentence = (
        f"Round 'r1' is there, but '{wrong}' is no version of its factors: a version is a whole"
        " number, as in 'r1:1'."
    )
    with pytest.raises(InputError) as refused:
        standardise(engine, "t", "r1", "AP", factors_from=f"r1:{wrong}")
    assert str(refused.value) == sentence
    facts = {"task": "t", "round": "r1", "measure": "AP"}
    assert refused.value.way_out == ("list factor versions", facts)
    with pytest.raises(InputError) as refused:
        from_files(engine, f"r1:{wrong}", new_runs([[0.1, 0.2]], ["t0"]))
    assert str(refused.value) == sentence
    assert standardise(engine, "t", "r1", "AP", factors_from="r1:odd").factors_round == "r1:odd"
    with pytest.raises(NotRecordedError, match=r"has no round 'r7:1\.0'"):
        standardise(engine, "t", "r1", "AP", factors_from="r7:1.0")
    with pytest.raises(NotRecordedError, match="has no AP factor version 12345678901; it has 1"):
        standardise(engine, "t", "r1", "AP", factors_from="r1:12345678901")


def test_a_file_with_holes(engine, new_runs):
    log_scores(engine, "r1", SCORES)
    path = new_runs([[0.1, 0.2], [0.3, ""]], ["t0", "t1"])
    with pytest.raises(InputError, match="missing"):
        from_files(engine, "r1", path)
    zero = from_files(engine, "r1", path, missing="zero", scale="std")
    np.testing.assert_allclose(
        np.transpose(zero.scores), naive_std([[0.1, 0.2], [0.3, 0]], SCORES[:2])
    )
    assert from_files(engine, "r1", path, missing="drop-topic").topics == ["t0"]


@pytest.mark.parametrize("scale", ["std", "std-cdf", "std-ab", "e-std"])
@pytest.mark.parametrize("policy", ["average", "drop"])
def test_zero_sd_policies_on_every_scale(engine, new_runs, scale, policy):
    tied = SCORES.copy()
    tied[3] = 0.25
    log_scores(engine, "r1", tied, zero_sd=policy)
    path = new_runs([[0.25, 0.9], [0.5, 0.5]], ["t3", "t0"])
    shown = from_files(engine, "r1", path, scale=scale)
    own = standardise(engine, "t", "r1", "AP", scale=scale)
    assert shown.zero_sd == own.zero_sd == policy
    assert own.off_ties == []
    if policy == "drop":
        assert (shown.topics, shown.left_out, shown.off_ties) == (["t0"], ["t3"], [])
        assert (len(own.topics), own.left_out) == (6, ["t3"])
        return
    neutral = 0.0 if scale == "std" else 0.5
    assert [run[0] for run in shown.scores] == [neutral, neutral]
    assert [(tie.run, tie.topic) for tie in shown.off_ties] == [("newer", "t3")]
    assert {run[3] for run in own.scores} == {neutral}
    # Scores that tie but for rounding are on the tie, as they are for the factors.
    rounded = tied.copy()
    rounded[3] = 0.3
    rounded[3, :2] = 0.1 + 0.2, 0.3 + 2e-13
    log_scores(engine, "rounded", rounded, zero_sd=policy)
    assert standardise(engine, "t", "rounded", "AP", scale=scale).off_ties == []
    # The other topics are as without the tie.
    rest = [0, 1, 2, 4, 5, 6]
    std = naive_std(SCORES[rest], SCORES[rest])
    expected = {
        "std": std,
        "std-cdf": stats.norm.cdf(std),
        "std-ab": np.clip(0.15 * std + 0.5, 0, 1),
        "e-std": naive_e_std(SCORES[rest], SCORES[rest]),
    }[scale]
    np.testing.assert_allclose(np.transpose(own.scores)[rest], expected, atol=1e-12)


def test_a_constant_matrix(engine):
    log_scores(engine, "r1", np.full((3, 4), 0.3), runs=RUNS[:4])
    for scale, neutral in (("std", 0.0), ("std-cdf", 0.5), ("std-ab", 0.5), ("e-std", 0.5)):
        shown = standardise(engine, "t", "r1", "AP", scale=scale)
        assert {cell for run in shown.scores for cell in run} == {neutral}
    log_scores(engine, "r2", np.full((3, 4), 0.3), runs=RUNS[:4], zero_sd="drop")
    with pytest.raises(ImpossibleStatisticError, match="nothing to standardise by"):
        standardise(engine, "t", "r2", "AP")


def test_one_run_is_scored_by_other_factors_only(engine):
    log_scores(engine, "r1", SCORES)
    log_scores(engine, "r2", SCORES[:, :1], runs=["alone"])
    with pytest.raises(NotRecordedError, match="two runs"):
        standardise(engine, "t", "r2", "AP")
    shown = standardise(engine, "t", "r2", "AP", scale="std", factors_from="r1")
    np.testing.assert_allclose(shown.scores[0], naive_std(SCORES[:, :1], SCORES)[:, 0])


def test_trec_7_has_mean_half_and_sd_15_per_topic_before_clipping(engine, shared):
    """ICTIR 2016: std-AB with A .15 and B .5; and the published factors stay as they are."""
    path = shared / "data/adhoc/trec_adhoc7_ap.csv"
    rows = list(csv.reader(path.read_text().splitlines()))
    topics, runs = [row[0] for row in rows[1:]], rows[0][1:]
    scores = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    log_scores(engine, "trec7", scores, topics=topics, runs=runs)
    std = np.transpose(standardise(engine, "t", "trec7", "AP", scale="std").scores)
    before_clipping = 0.15 * std + 0.5
    np.testing.assert_allclose(before_clipping.mean(axis=1), 0.5, atol=1e-12)
    np.testing.assert_allclose(before_clipping.std(axis=1, ddof=1), 0.15, atol=1e-12)
    shown = standardise(engine, "t", "trec7", "AP")
    assert (shown.a, shown.b) == (0.15, 0.5)
    clipped = np.transpose(shown.scores)
    np.testing.assert_allclose(clipped, np.clip(before_clipping, 0, 1), atol=1e-12)
    assert (clipped != before_clipping).any()
    factors = {factor.topic: factor for factor in show_factors(engine, "t", "trec7", "AP").factors}
    for kind in ("mean", "sd"):
        name = {"mean": "mn", "sd": "sd"}[kind]
        text = (shared / f"data/factors/trec7.adhoc.{name}.csv").read_text()
        published = {row[""]: float(row["AP"]) for row in csv.DictReader(text.splitlines())}
        assert set(published) == set(factors)
        for topic, value in published.items():
            assert getattr(factors[topic], kind) == pytest.approx(value, abs=1e-12)


def test_a_round_label_that_ends_in_a_number_after_a_colon(engine, new_runs):
    log_scores(engine, "2020:1", SCORES)
    path = new_runs(SCORES[:2, :2].round(4), ["t0", "t1"])
    assert from_files(engine, "2020:1", path).factors_round == "2020:1"
    log_scores(engine, "2020", SCORES * 0.5)
    assert from_files(engine, "2020:1:1", path).factors_round == "2020:1"
    assert from_files(engine, "2020", path).factors_round == "2020"
    for ambiguous in ("2020:1", " 2020:1 "):
        with pytest.raises(InputError, match="factor version 1 of round '2020'"):
            from_files(engine, ambiguous, path)
        with pytest.raises(InputError, match="factor version 1 of round '2020'"):
            standardise(engine, "t", "2020", "AP", factors_from=ambiguous)
    for label in ("2020:1", "2020"):
        assert from_files(engine, label, path, factors_version=1).factors_round == label
        standardised = standardise(engine, "t", "2020", "AP", factors_from=label, factors_version=1)
        assert (standardised.factors_round, standardised.factor_version) == (label, 1)
    with pytest.raises(NotRecordedError, match="factor version 7; it has 1"):
        standardise(engine, "t", "2020", "AP", factors_version=7)


def test_a_topic_on_another_collection_is_another_topic(engine, new_runs):
    log_scores(engine, "r1", SCORES)
    log_scores(engine, "r2", SCORES[::-1])
    by_the_first = {"factors_from": "r1"}
    plain = standardise(engine, "t", "r2", "AP", **by_the_first)
    assert (plain.collection, plain.factors_collection) == (None, None)
    assert standardised_notes(plain) == []
    # Only one of them declares any: assumed to be the same, and said.
    set_round(engine, "t", "r1", collection="CORD-19")
    assumed = standardise(engine, "t", "r2", "AP", **by_the_first)
    assert (assumed.collection, assumed.factors_collection) == (None, "CORD-19")
    assert (assumed.scores, undeclared_round(assumed)) == (plain.scores, "r2")
    note = (
        "Assumed: round 'r2' was held on the document collection 'CORD-19' too, since none is"
        " declared."
    )
    assert standardised_notes(assumed) == [note]
    assert note in view_of(assumed).sentences
    # Runs in a file are of no round.
    of_file = from_files(engine, "r1", new_runs(SCORES[:, :2], TOPICS))
    assert (of_file.collection, standardised_notes(of_file)) == ("CORD-19", [])
    set_round(engine, "t", "r2", collection="AQUAINT")
    for named in ("r1", "r1:1"):
        with pytest.raises(ImpossibleStatisticError) as refused:
            standardise(engine, "t", "r2", "AP", factors_from=named)
        assert str(refused.value) == (
            "Round 'r1' was held on the document collection 'CORD-19' and round 'r2' on 'AQUAINT': a"
            " topic of the same name on other documents is another topic, so round 'r1' has factors"
            " of none of these topics."
        )
        assert refused.value.way_out == (
            "own factors",
            {"task": "t", "round": "r2", "measure": "AP", "collection": "CORD-19"},
        )
    own = standardise(engine, "t", "r2", "AP")
    assert (own.collection, own.factors_collection) == ("AQUAINT", "AQUAINT")
    # Capitals make no other collection, and its factors are those of before.
    set_round(engine, "t", "r2", collection="cord-19", force=True)
    again = standardise(engine, "t", "r2", "AP", **by_the_first)
    assert (again.scores, standardised_notes(again)) == (plain.scores, [])
