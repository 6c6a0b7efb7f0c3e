"""Generalisability: components from sums of squares, alpha, and TREC-COVID's published views."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.factories import log_scores, report_generalisability

from roundbook.errors import NotRecordedError, RequestError
from roundbook.presentation.generalisability import reason
from roundbook.presentation.views import view_of

pytestmark = pytest.mark.one_server

RNG = np.random.default_rng(19)
SCORES = 0.5 + RNG.normal(size=(12, 1)) * 0.1 + RNG.normal(size=7) * 0.1 + RNG.random((12, 7)) / 5


def mean_squares(scores):
    """MS of systems, topics and residual, from the textbook's sums."""
    n, m = scores.shape
    grand = scores.sum() ** 2 / (n * m)
    systems = sum(scores[:, i].sum() ** 2 for i in range(m)) / n - grand
    topics = sum(scores[j].sum() ** 2 for j in range(n)) / m - grand
    residual = (scores**2).sum() - grand - systems - topics
    return systems / (m - 1), topics / (n - 1), residual / ((m - 1) * (n - 1))


def cronbach_alpha(scores):
    n = scores.shape[0]
    items = scores.var(axis=1, ddof=1).sum()
    return n / (n - 1) * (1 - items / scores.sum(axis=0).var(ddof=1))


def test_components_reliability_and_alpha(engine):
    log_scores(engine, "r1", SCORES)
    (row,) = report_generalisability(engine, "t", "AP", " r1").rounds
    n, m = SCORES.shape
    systems, topics, residual = mean_squares(SCORES)
    system, topic = (systems - residual) / n, (topics - residual) / m
    assert (row.system, row.topic, row.residual) == pytest.approx(
        (system, topic, residual), rel=1e-9
    )
    assert (row.topics, row.runs, row.negative, row.reason) == (n, m, [], None)
    assert row.e_rho_squared == pytest.approx(cronbach_alpha(SCORES), rel=1e-10)
    assert row.phi == pytest.approx(system / (system + (topic + residual) / n), rel=1e-9)
    for value, interval in (
        (row.e_rho_squared, row.e_rho_squared_interval),
        (row.phi, row.phi_interval),
    ):
        assert interval[0] < value < interval[1]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_of_e_rho_squared_is_feldts(engine, level):
    log_scores(engine, "r1", SCORES)
    (row,) = report_generalisability(engine, "t", "AP", level=level).rounds
    n, m = SCORES.shape
    alpha, dofs = cronbach_alpha(SCORES), (m - 1, (m - 1) * (n - 1))
    tail = (1 - level) / 2
    # (1 - alpha) F bounds 1 - the reliability (Feldt 1965), F being between systems over residual.
    expected = [1 - (1 - alpha) * stats.f.ppf(p, *dofs) for p in (1 - tail, tail)]
    assert row.e_rho_squared_interval == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("target", [0.8, 0.9, 0.95, 0.99])
def test_the_topics_for_a_target_are_the_fewest(engine, target):
    log_scores(engine, "r1", SCORES)
    (row,) = report_generalisability(engine, "t", "AP", target=target).rounds
    for topics, noise in (
        (row.e_rho_squared_topics, row.residual),
        (row.phi_topics, row.topic + row.residual),
    ):
        assert row.system / (row.system + noise / topics) >= target
        assert topics == 1 or row.system / (row.system + noise / (topics - 1)) < target
    for (fewest, most), topics in (
        (row.e_rho_squared_topics_interval, row.e_rho_squared_topics),
        (row.phi_topics_interval, row.phi_topics),
    ):
        assert fewest <= topics <= most


def test_the_topic_set_size_beside_it(engine):
    log_scores(engine, "r1", SCORES)
    report = report_generalisability(engine, "t", "AP", m=5, min_d=0.15)
    (row,) = report.rounds
    assert (report.m, report.min_d, report.target, report.level) == (5, 0.15, 0.95, 0.95)
    variance = np.mean([np.var(run, ddof=1) for run in SCORES.T])

    def power(topics):
        dofs = 4, 5 * (topics - 1)
        ncp = topics * 0.15**2 / (2 * variance)
        return stats.ncf.sf(stats.f.ppf(0.95, *dofs), *dofs, ncp)

    assert power(row.design_topics) >= 0.8 > power(row.design_topics - 1)


@pytest.mark.parametrize(("unit", "min_d"), [(20_000, 0.1), (1, 1e-9)])
def test_without_a_topic_set_size_the_rest_is_there(engine, terminal, unit, min_d):
    """Scores in the thousands, and a default minD that is one of scores up to 1."""
    log_scores(engine, "r1", unit * SCORES)
    report = report_generalisability(engine, "t", "AP", min_d=min_d)
    (row,) = report.rounds
    assert row.design_topics is None
    assert (row.reason, row.design_reason) == (None, "too_many_topics")
    variance = np.mean([np.var(unit * run, ddof=1) for run in SCORES.T])
    assert row.arguments == {
        "runs": 10, "min_d": min_d, "variance": pytest.approx(variance), "alpha": 0.05, "beta": 0.2,
    }  # fmt: skip
    assert reason(row) == (
        f"m = 10 runs, minD {min_d:g} and variance {variance:g} (alpha 0.05, beta 0.2) would take"
        " more than 10,000,000 topics."
    )
    printed = terminal("generalisability", "t", "--measure", "AP", "--min-d", str(min_d), "--format",
                       "json").json["rounds"]  # fmt: skip
    facts = row.model_dump(mode="json", exclude={"design_reason", "arguments"})
    assert printed == [facts | {"reason": reason(row)}]
    # Other doors have the code, and the sentence beside it.
    assert f"Round 'r1': {reason(row)}" in view_of(report).sentences
    systems, topics, residual = mean_squares(unit * SCORES)
    n, m = SCORES.shape
    assert (row.system, row.topic, row.residual) == pytest.approx(
        ((systems - residual) / n, (topics - residual) / m, residual), rel=1e-9
    )
    assert row.e_rho_squared == pytest.approx(cronbach_alpha(SCORES), rel=1e-9)
    assert row.e_rho_squared_topics > 1


COVID = [  # round, E-rho-squared, Phi, topics for .95 of each
    ("round1", 0.966, 0.948, 21, 32),
    ("round2", 0.960, 0.918, 28, 60),
    ("round3", 0.976, 0.946, 19, 44),
]


def test_trec_covid(engine, shared):
    for number in (1, 2, 3):
        path = shared / f"data/treccovid/treccovid_round{number}_ndcg10.csv"
        scores = np.genfromtxt(path, delimiter=",", skip_header=1)[:, 1:]
        log_scores(engine, f"round{number}", scores, "nDCG@10")
    report = report_generalisability(engine, "t", "nDCG@10")
    figures = [
        (
            row.round,
            round(row.e_rho_squared, 3),
            round(row.phi, 3),
            row.e_rho_squared_topics,
            row.phi_topics,
        )
        for row in report.rounds
    ]
    assert figures == COVID
    for number, row in enumerate(report.rounds, 1):
        path = shared / f"data/treccovid/treccovid_round{number}_ndcg10.csv"
        scores = np.genfromtxt(path, delimiter=",", skip_header=1)[:, 1:]
        assert row.e_rho_squared == pytest.approx(cronbach_alpha(scores), rel=1e-9)


def test_rounds_measures_and_assessments_are_chosen(engine):
    log_scores(engine, "r1", SCORES)
    log_scores(engine, "r2", SCORES * 0.5)
    log_scores(engine, "r2", SCORES * 2, revise="new qrels")
    log_scores(engine, "r2", SCORES, "P@5")
    report = report_generalisability(engine, "t", "AP")
    assert [row.round for row in report.rounds] == ["r1", "r2"]
    assert report.rounds[1].system == pytest.approx(4 * report.rounds[0].system)  # the revision
    assert report.rounds[1].phi == pytest.approx(report.rounds[0].phi)
    (only,) = report_generalisability(engine, "t", "AP", round_label="r2").rounds
    assert only == report.rounds[1]
    with pytest.raises(NotRecordedError, match="r9"):
        report_generalisability(engine, "t", "AP", round_label="r9")
    with pytest.raises(NotRecordedError, match=r"P@5 scores of at least two runs in round 'r1'"):
        report_generalisability(engine, "t", "P@5", round_label="r1")
    with pytest.raises(NotRecordedError, match="silver"):
        report_generalisability(engine, "t", "AP", assessments="silver")


def test_rounds_of_one_run_are_named(engine):
    log_scores(engine, "r1", SCORES[:, :1])
    with pytest.raises(NotRecordedError, match="at least two runs"):
        report_generalisability(engine, "t", "AP")
    log_scores(engine, "r2", SCORES)
    report = report_generalisability(engine, "t", "AP")
    assert ([row.round for row in report.rounds], report.single_run) == (["r2"], ["r1"])


def test_a_constant_matrix(engine):
    log_scores(engine, "r1", np.full((4, 3), 0.25))
    report = report_generalisability(engine, "t", "AP")
    (row,) = report.rounds
    assert (row.system, row.topic, row.residual) == (0.0, 0.0, 0.0)
    unknown = (
        *(row.e_rho_squared, row.e_rho_squared_interval, row.phi, row.phi_interval),
        *(row.e_rho_squared_topics, row.phi_topics, row.design_topics),
    )
    assert set(unknown) == {None}
    # That the target is not reached either follows from that.
    assert (row.reason, row.design_reason) == ("no_residual", None)
    assert reason(row) == (
        "Runs and topics explain every score, without a residual: there is nothing to judge the"
        " error of the estimates by."
    )
    assert "NaN" not in report.model_dump_json()


def test_identical_runs_cannot_be_ranked(engine):
    log_scores(engine, "r1", np.repeat(SCORES[:, :1], 4, axis=1))
    (row,) = report_generalisability(engine, "t", "AP").rounds
    assert row.system == 0.0
    assert row.e_rho_squared_topics is None
    assert row.reason == "no_residual"
    assert row.design_topics is not None


def test_a_negative_component_counts_as_0_and_is_named(engine):
    # Balanced so that the run means agree while single topics do not.
    log_scores(engine, "r1", [[0.1, 0.9, 0.5], [0.9, 0.1, 0.5], [0.2, 0.8, 0.5], [0.8, 0.2, 0.5]])
    (row,) = report_generalisability(engine, "t", "AP").rounds
    assert (row.system, row.topic, row.negative) == (0.0, 0.0, ["system", "topic"])
    assert (row.e_rho_squared, row.phi) == (0.0, 0.0)
    assert (row.e_rho_squared_topics, row.phi_topics) == (None, None)
    assert row.reason == "target_not_reached"
    assert reason(row) == (
        "Where a number of topics is missing, systems may not differ at all, or so little that"
        " 10,000,000 topics would not be enough."
    )


def test_several_levels_and_numbers_of_topics_in_one_table(engine, terminal):
    log_scores(engine, "r1", SCORES)
    words = ("generalisability", "t", "--measure", "AP")
    assert terminal(*words, "--format", "json").json["rounds"][0]["reliabilities"] == []
    asked = (*words, "--level", "0.9", "--level", "0.99", "--topics", "12", "--topics", "50")
    printed = terminal(*asked, "--format", "json").json
    (row,) = printed["rounds"]
    table = row["reliabilities"]
    assert [(one["topics"], one["level"]) for one in table] == [
        *((12, 0.9), (12, 0.99)),
        *((50, 0.9), (50, 0.99)),
    ]
    # With as many topics as the round has it is what the round itself has.
    keys = ("e_rho_squared", "e_rho_squared_interval", "phi", "phi_interval")
    assert [table[0][key] for key in keys] == [row[key] for key in keys]
    (other,) = report_generalisability(engine, "t", "AP", level=0.99).rounds
    assert tuple(table[1]["phi_interval"]) == pytest.approx(other.phi_interval)
    noise = row["residual"]
    assert table[2]["e_rho_squared"] == pytest.approx(row["system"] / (row["system"] + noise / 50))
    relative = [limit / (1 - limit) for limit in table[0]["e_rho_squared_interval"]]
    longer = [limit / (1 - limit) for limit in table[2]["e_rho_squared_interval"]]
    assert longer == pytest.approx([50 / 12 * signal for signal in relative])
    lines = terminal(*asked, "--format", "csv").out.splitlines()
    assert (len(lines), lines[0].split(",")[:6]) == (
        5,
        ["task", "measure", "assessments", "round", "topics", "level"],
    )
    assert all(line.startswith("t,AP,official,") for line in lines[1:])
    shown = terminal(*words, "--level", "0.8", "--level", "0.95").out
    assert "With so many topics, and intervals at so many levels:" in shown
    assert "greater than or equal to 1, not '0'" in terminal(*words, "--topics", "0").usage_error
    of_levels = terminal(*words, "--level", "0.9", "--level", "2").usage_error
    assert "--level must be between 0 and 1, not 2" in of_levels


def test_refused(engine, subtests):
    log_scores(engine, "r1", SCORES)
    for options in (
        {"target": math.nan}, {"target": 0}, {"target": 1}, {"level": math.nan}, {"level": 1},
        {"m": 1}, {"m": 10**400}, {"min_d": math.nan}, {"min_d": 0}, {"min_d": math.inf},
        {"more_levels": (0.9, 2)}, {"topic_counts": (0,)},
    ):  # fmt: skip
        with subtests.test(**options), pytest.raises(RequestError) as refused:
            report_generalisability(engine, "t", "AP", **options)
        assert [refused.value.field] == list(options)
