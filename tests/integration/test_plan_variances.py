"""Plans of a task: the variance each design takes, at which limit, and what stands beside."""

from __future__ import annotations

import numpy as np
import pytest
from tests.factories import (
    log_files,
    log_scores,
    plan_task,
    record_variance,
    save_plan,
    show_plan,
    show_variances,
)
from tests.savepoints import prepared

from roundbook.errors import ImpossibleStatisticError, NotRecordedError, RequestError
from roundbook.presentation.plan_protocol import protocol
from roundbook.presentation.plans import notes, warning
from roundbook.presentation.variance_differences import disagreement, stability
from roundbook.presentation.variances import (
    conclusions,
)
from roundbook.presentation.views import view_of
from roundbook.requests.plans import PlanRequest
from roundbook.statistics.design import (
    DESIGNS,
    solve_min_d,
    solve_power,
    solve_runs,
    solve_topics,
)
from roundbook.statistics.variance.parts import variance_parts
from roundbook.statistics.variance.pooled import pool
from roundbook.statistics.variance.rounds import StoredVariance
from roundbook_cli.plan_advice import with_advice

pytestmark = pytest.mark.one_server

TWO_WAY = ("two-way", "tukey", "paired-t", "paired-width")
TAKES_RUNS = ("anova", "two-way", "tukey")

DRAW = np.random.default_rng(7).normal
FIRST = DRAW(0.5, 0.2, (12, 1)) + DRAW(0, 0.12, (12, 6))
LATER = DRAW(0.5, 0.25, (9, 1)) + DRAW(0, 0.15, (9, 4))


def publish(engine, label, **facts):
    given = {"variance": 0.05, "runs": 8, "topics": 40, "source": "a paper"} | facts
    return record_variance(engine, "t", label, "AP", **given, create=True, user="me")


@prepared
def two_rounds(engine):
    """Two logged rounds, whose topics are in part the same ones."""
    log_scores(engine, "1", FIRST)
    log_scores(engine, "2", LATER)
    return engine


def by_hand(pool_by):
    """Return both variances at every limit, from the scores alone."""
    known = {}
    for kind in ("one-way", "two-way"):
        rounds = []
        for scores in (FIRST, LATER):
            n, m = scores.shape
            parts = variance_parts(scores)
            part = parts.one_way if kind == "one-way" else parts.two_way
            residuals = scores - scores.mean(axis=0)
            if kind == "two-way":
                residuals = residuals - scores.mean(axis=1, keepdims=True) + scores.mean()
            dof = (m if kind == "one-way" else m - 1) * (n - 1)
            variance = (residuals**2).sum() / dof
            weight = dof if pool_by == "dof" else n - 1
            rounds.append(
                StoredVariance(variance, weight, m, np.arange(n), part.by_topic, part.runs_part)
            )
        values, weights = zip(*((row.variance, row.weight) for row in rounds), strict=True)
        known[kind, "pooled"] = np.average(values, weights=weights)
        known[kind, "latest"] = values[-1]
        known[kind, "planning"] = pool(rounds).next_round.u80
    return known


def size(design, min_d, variance, m, engine="exact"):
    runs = m if DESIGNS[design].takes_runs else None
    return int(solve_topics(design, min_d, variance, runs=runs, engine=engine).topics)


# which variance, and what stands beside


@pytest.mark.long
@pytest.mark.parametrize("name", DESIGNS)
def test_every_design_at_every_limit(two_rounds, name):
    for pool_by in ("dof", "topics"):
        known = by_hand(pool_by)
        for at in ("pooled", "planning", "latest", 0.07):
            plan = plan_task(
                two_rounds,
                "t",
                "AP",
                m=(2, 10) if name in TAKES_RUNS else (),
                min_d=(0.1, 0.2),
                design=name,
                engine="sakai",
                variance_at=at,
                pool_by=pool_by,
            )
            check_limit(plan, known, at)


def check_limit(plan, known, at):
    """Compare a plan's variance, and what stands beside it, with what is known by hand."""
    name = plan.design
    kind = "two-way" if name in TWO_WAY else "one-way"
    assert plan.variance_kind == kind
    assert plan.variance_at == (at if isinstance(at, str) else "given")
    assert plan.variance_of == ("paired" if name.startswith("paired") else None)
    variance = known[kind, at] if isinstance(at, str) else at
    assert plan.variance == pytest.approx(variance, rel=1e-12)
    assert plan.variance_planning == pytest.approx(known[kind, "planning"], rel=1e-12)
    assert plan.variance_planning > known[kind, "pooled"]

    limit = at if isinstance(at, str) else "pooled"
    expected = {
        other: (name, kind, other) for other in ("pooled", "planning") if other != plan.variance_at
    }
    if name.startswith("paired"):
        expected["conservative"] = (name, "one-way", limit)
    if name in TAKES_RUNS:
        expected["tukey"] = ("tukey", "two-way", limit)
        expected["anova"] = ("anova", "one-way", limit)
        expected.pop(name, None)
    assert {
        alternative.name: (alternative.design, alternative.variance_kind, alternative.variance_at)
        for alternative in plan.alternatives
    } == expected
    for alternative in plan.alternatives:
        value = known[alternative.variance_kind, alternative.variance_at]
        assert alternative.variance == pytest.approx(value, rel=1e-12)
    for cell in plan.cells:
        assert cell.topics == cell.topics_sakai == size(name, cell.min_d, variance, cell.m, "sakai")
        assert cell.topics_exact == size(name, cell.min_d, variance, cell.m)
        assert cell.beside == {
            key: size(design, cell.min_d, known[of_kind, where], cell.m, "sakai")
            for key, (design, of_kind, where) in expected.items()
        }


@pytest.mark.parametrize("name", ["paired-t", "paired-width"])
def test_the_variance_of_a_difference(two_rounds, name):
    """Twice V_2 is the mean of var(x_i - x_k) over all pairs of runs."""
    pairs = [
        np.var(scores[:, i] - scores[:, k], ddof=1)
        for scores in (FIRST,)
        for i in range(6)
        for k in range(i)
    ]
    asked = {"min_d": (0.1,), "design": name}
    for variance_of, kind in (("paired", "two-way"), ("conservative", "one-way")):
        plan = plan_task(two_rounds, "t", "AP", asked, variance_of=variance_of)
        assert (plan.variance_of, plan.variance_kind) == (variance_of, kind)
        assert plan.variance == pytest.approx(by_hand("dof")[kind, "pooled"], rel=1e-12)
        other = {"paired": "conservative", "conservative": "paired"}[variance_of]
        assert [alternative.name for alternative in plan.alternatives] == ["planning", other]
        again = plan_task(two_rounds, "t", "AP", asked, variance_of=other)
        assert plan.cells[0].beside[other] == again.cells[0].topics
    first = show_variances(two_rounds, "t", "AP").rounds[0]
    assert 2 * first.two_way_variance == pytest.approx(np.mean(pairs), rel=1e-12)


@pytest.mark.parametrize("name", TAKES_RUNS)
def test_what_is_solved_for_beside(two_rounds, name):
    known = by_hand("dof")
    kinds = {design: "one-way" if design == "anova" else "two-way" for design in TAKES_RUNS}
    options = {
        "power": (solve_power, {"min_d": (0.1,)}),
        "min-d": (solve_min_d, {}),
        "m": (solve_runs, {"min_d": (0.2,)}),
    }
    for solve, (solver, given) in options.items():
        asked = {"design": name, "m": (2, 5, 10), "topics": (60,), "solve": solve, **given}
        plan = plan_task(two_rounds, "t", "AP", asked)
        for cell in plan.cells:
            for alternative in plan.alternatives:
                variance = known[kinds[alternative.design], alternative.variance_at]
                if solve == "power":
                    value = solver(alternative.design, 60, 0.1, variance, runs=cell.m).power
                elif solve == "min-d":
                    value = solver(alternative.design, 60, variance, runs=cell.m).min_d
                else:
                    value = solver((2, 5, 10), 60, 0.2, variance, design=alternative.design).runs
                assert cell.beside[alternative.name] == pytest.approx(float(value), rel=1e-9)


def test_the_power_that_each_round_had_is_by_its_own_variance_of_the_kind(two_rounds):
    for name, of_kind in (("tukey", "two_way_variance"), ("anova", "variance")):
        plan = plan_task(two_rounds, "t", "AP", design=name, m=(5,), min_d=(0.2,))
        for row, known, scores in zip(
            plan.rounds, plan.estimate.rounds, (FIRST, LATER), strict=True
        ):
            assert row.variance == getattr(known, of_kind)
            power = solve_power(name, scores.shape[0], 0.2, row.variance, runs=5).power
            assert row.achieved_power == pytest.approx(float(power), rel=1e-9)
    paired = {"design": "paired-t", "min_d": (0.2,)}
    for variance_of, of_kind in (("paired", "two_way_variance"), ("conservative", "variance")):
        plan = plan_task(two_rounds, "t", "AP", paired, variance_of=variance_of)
        rounds = plan.estimate.rounds
        assert [row.variance for row in plan.rounds] == [getattr(row, of_kind) for row in rounds]


def test_a_size_beyond_all_bounds_beside_only(two_rounds):
    variance = show_variances(two_rounds, "t", "AP").pooled.variance
    edge = float(solve_min_d("anova", 9_900_000, variance, runs=10).min_d)
    plan = plan_task(two_rounds, "t", "AP", m=(10,), min_d=(edge, 0.1))
    assert plan.cells[0].topics == 9_900_000
    assert plan.cells[0].beside["planning"] is None
    assert plan.cells[1].beside["planning"] > plan.cells[1].topics
    (note,) = notes(plan)
    assert note.sentence.startswith("At the planning variance, 1 of 2 cells")
    assert "10,000,000" in note.sentence


def test_a_difference_that_scores_cannot_have_is_noted(two_rounds):
    def sentences(**given):
        plan = plan_task(two_rounds, "t", "AP", **given)
        return [note.sentence for note in notes(plan)]

    assert sentences(min_d=(0.1, 1.0)) == []
    for scale in ("raw", "std-ab"):
        assert sentences(min_d=(0.1, 5.0), scale=scale) == [
            f"No runs differ by 5: scores of AP on the {scale} scale lie between 0 and 1."
        ]
    assert sentences(min_d=(2.0,), design="two-sample-width") == []
    for label, scores in (("1", FIRST), ("2", LATER)):
        log_scores(two_rounds, label, 100 * scores, revise="in percent")
    assert sentences(min_d=(5.0,)) == []


# where a variance is missing


def test_published_values_alone(engine):
    publish(engine, "0")
    for name in ("two-way", "tukey"):
        with pytest.raises(NotRecordedError, match="has a two-way variance of AP") as refused:
            plan_task(engine, "t", "AP", design=name, m=(10,), min_d=(0.1,))
        assert f"the design {name} takes" in str(refused.value)
        assert refused.value.way_out.code == "plan by anova"
    paired = {"design": "paired-t", "min_d": (0.1,)}
    with pytest.raises(NotRecordedError) as refused:
        plan_task(engine, "t", "AP", paired, variance_of="paired")
    assert refused.value.way_out.code == "plan conservatively"
    plan = plan_task(engine, "t", "AP", paired)
    assert (plan.variance, plan.variance_of, plan.variance_kind) == (
        0.05, "conservative", "one-way",
    )  # fmt: skip
    assert "No round has a two-way variance" in notes(plan)[0].sentence
    assert [alternative.name for alternative in plan.alternatives] == ["planning"]
    again = plan_task(engine, "t", "AP", paired, variance_of="conservative")
    assert [note.code for note in again.notes] == ["no_two_way_variance"]
    anova = plan_task(engine, "t", "AP", m=(10,), min_d=(0.1,))
    assert [alternative.name for alternative in anova.alternatives] == ["planning"]


def test_a_published_round_has_no_part_in_a_two_way_plan(two_rounds):
    publish(two_rounds, "3", variance=0.25)
    tukey = {"design": "tukey", "m": (10,), "min_d": (0.1,)}
    plan = plan_task(two_rounds, "t", "AP", tukey)
    assert plan.variance == pytest.approx(by_hand("dof")["two-way", "pooled"], rel=1e-12)
    assert plan.variance_planning == pytest.approx(by_hand("dof")["two-way", "planning"])
    assert plan.rounds[-1].reason == "no_two_way_variance"
    assert (plan.rounds[-1].variance, plan.rounds[-1].achieved_power) == (None, None)
    assert "2 rounds of t (1, 2)" in protocol(plan)
    with pytest.raises(NotRecordedError, match="latest round, '3', has no two-way variance"):
        plan_task(two_rounds, "t", "AP", tukey, variance_at="latest")
    anova = {"m": (10,), "min_d": (0.1,)}
    latest = plan_task(two_rounds, "t", "AP", anova, variance_at="latest")
    assert latest.variance == 0.25
    assert [alternative.name for alternative in latest.alternatives] == ["pooled", "planning"]


def test_no_planning_variance_and_why(engine):
    publish(engine, "0", topics=9)
    anova = {"m": (10,), "min_d": (0.1,)}
    plan = plan_task(engine, "t", "AP", anova)
    assert (plan.variance_planning, plan.alternatives) == (None, [])
    assert [note.sentence for note in notes(plan)] == [
        "There is no planning variance: a published value of fewer than 10 topics is too uncertain."
    ]
    with pytest.raises(NotRecordedError, match=r"do not tell the planning variance.*than 10 top"):
        plan_task(engine, "t", "AP", anova, variance_at="planning")


def test_a_variance_of_0(engine):
    # Runs that differ by the same amount on every topic.
    log_scores(engine, "flat", np.arange(12)[:, None] / 16 + np.array([0.0, 0.25, 0.5]))
    tukey = {"design": "tukey", "m": (10,), "min_d": (0.1,)}
    for at in ("pooled", "latest"):
        with pytest.raises(
            ImpossibleStatisticError, match=f"the {at} two-way variance of AP"
        ) as refused:
            plan_task(engine, "t", "AP", tukey, variance_at=at)
        assert "runs differ by the same amount on all topics" in str(refused.value)
        assert "(flat)" in str(refused.value)
    anova = plan_task(engine, "t", "AP", m=(10,), min_d=(0.1,))
    assert "tukey" not in anova.cells[0].beside


@pytest.mark.long
@pytest.mark.parametrize("value", [0.0, -0.1, float("nan"), float("inf"), 0])
def test_a_variance_that_is_none(two_rounds, value):
    with pytest.raises(RequestError, match="latest or a number above 0, not '"):
        plan_task(two_rounds, "t", "AP", m=(10,), min_d=(0.1,), variance_at=value)


def test_rounds_that_disagree_about_the_two_way_variance_alone(engine):
    draw = np.random.default_rng(8).normal
    hard = draw(0.5, 0.3, (60, 1))
    log_scores(engine, "1", hard + draw(0, 0.03, (60, 8)))
    log_scores(engine, "2", hard + draw(0, 0.06, (60, 8)))
    history = show_variances(engine, "t", "AP")
    assert disagreement(history) is None
    assert history.pooled.two_way_homogeneity.p_value < 0.001
    # Who reads the variances reads both, and one-way and two-way are told apart.
    one_way, _, two_way, *_ = conclusions(history)
    assert one_way.startswith("No difference between the rounds' one-way variances was found (Wald")
    assert two_way == disagreement(history, "two-way").sentence
    # The plan that is advised takes the variance that they disagree about.
    (advised,) = with_advice(history, [two_way])
    assert ": roundbook plan --task t --measure AP --design tukey --variance-at" in advised
    assert " (the rounds disagree about the two-way variance). It grows" in stability([history])[0]
    assert not any("On none of them" in line for line in stability([history]))
    plan = plan_task(engine, "t", "AP", design="tukey", m=(10,), min_d=(0.1,))
    smallest, largest = sorted(row.two_way_variance for row in plan.estimate.rounds)
    ratio = f"largest over smallest {largest / smallest:.2f}"
    warned = warning(plan).sentence
    assert f"disagree about the two-way variance (Wald F test, p < 0.001; {ratio})" in warned
    assert warning(plan_task(engine, "t", "AP", m=(10,), min_d=(0.1,))) is None
    # Its page has the warning before the table, and the paragraph for a paper comes last.
    *answers, paragraph = view_of(plan).sentences
    assert warned in answers
    assert paragraph == protocol(plan)


# real rounds, by an independent program


@prepared
def covid(engine, shared):
    for label in ("1", "2", "3"):
        log_files(
            engine,
            "covid",
            label,
            [shared / f"data/treccovid/treccovid_round{label}_ndcg10.csv"],
            "nDCG@10",
            teams=shared / f"data/treccovid/round{label}_run_team.csv",
            create=True,
            user="me",
        )
    return engine


# design, runs, variance_of: sizes for minD (or the width) .05 and .1.
COVID_1 = {
    ("paired-t", None, "paired"): (215, 55),
    ("paired-t", None, "conservative"): (336, 86),
    ("paired-width", None, "paired"): (418, 106),
    ("paired-width", None, "conservative"): (655, 166),
    ("two-way", 10, None): (424, 107),
    ("tukey", 10, None): (435, 109),
    ("anova", 10, None): (666, 168),
    ("two-way", 5, None): (324, 82),
    ("tukey", 5, None): (346, 87),
    ("anova", 5, None): (509, 128),
    ("two-way", 100, None): (1093, 274),
    ("tukey", 100, None): (716, 179),
    ("anova", 100, None): (1717, 430),
}
ROBUST_2003 = {
    ("paired-t", None, "paired"): (64, 18),
    ("paired-t", None, "conservative"): (257, 66),
    ("paired-width", None, "paired"): (123, 33),
    ("paired-width", None, "conservative"): (501, 127),
    ("two-way", 10, None): (124, 32),
    ("tukey", 10, None): (127, 33),
    ("anova", 10, None): (509, 128),
}


def sizes_of(engine, task, measure, asked, **options):
    name, m, variance_of = asked
    design = {"design": name, "m": (m,) if m else (), "min_d": (0.05, 0.1)}
    return plan_task(engine, task, measure, design, variance_of=variance_of, **options)


def test_sizes_on_trec_covid(engine, covid):
    # Round 1 alone: each of its variances as a value, and as the latest of a record of its own.
    first = show_variances(covid, "covid", "nDCG@10").rounds[0]
    assert f"{first.variance:.6f} {first.two_way_variance:.6f}" == "0.053106 0.033787"
    for asked, sizes in COVID_1.items():
        two_way = asked[0] in TWO_WAY and asked[2] != "conservative"
        value = first.two_way_variance if two_way else first.variance
        plan = sizes_of(covid, "covid", "nDCG@10", asked, variance_at=value)
        assert tuple(cell.topics for cell in plan.cells) == sizes, asked
        if asked == ("two-way", 10, None):
            assert tuple(cell.topics_sakai for cell in plan.cells) == (422, 106)


def test_limits_on_trec_covid(covid):
    tukey = sizes_of(covid, "covid", "nDCG@10", ("tukey", 10, None))
    interval = tukey.interval
    assert f"{tukey.variance:.6f} {tukey.variance_planning:.5f}" == "0.032856 0.03670"
    assert f"[{interval.low:.5f}, {interval.high:.5f}]" == "[0.03029, 0.03576]"
    anova = sizes_of(covid, "covid", "nDCG@10", ("anova", 10, None))
    assert f"{anova.variance:.6f} {anova.variance_planning:.5f}" == "0.065045 0.07647"


def test_sizes_on_robust_2003(engine, shared):
    log_files(
        engine,
        "robust",
        "2003",
        [shared / "data/adhoc/trec_robust2003_ap.csv"],
        "AP",
        create=True,
        user="me",
    )
    for asked, sizes in ROBUST_2003.items():
        for at in ("pooled", "latest"):
            plan = sizes_of(engine, "robust", "AP", asked, variance_at=at)
            assert tuple(cell.topics for cell in plan.cells) == sizes, asked
        if asked[0] == "paired-t":
            other = {"paired": "conservative", "conservative": "paired"}[asked[2]]
            assert (
                tuple(cell.beside[other] for cell in plan.cells)
                == ROBUST_2003["paired-t", None, other]
            )
        if asked[0] == "anova":
            assert tuple(cell.beside["tukey"] for cell in plan.cells) == (127, 33)
    for asked, sizes in (
        (("paired-t", None, "paired"), (78, 21)),
        (("tukey", 10, None), (154, 39)),
    ):
        beside = sizes_of(engine, "robust", "AP", asked)
        assert f"{beside.variance_planning:.5f}" == "0.01195"
        assert tuple(cell.beside["planning"] for cell in beside.cells) == sizes
        plan = sizes_of(engine, "robust", "AP", asked, variance_at="planning")
        assert tuple(cell.topics for cell in plan.cells) == sizes
        assert plan.variance == beside.variance_planning


# saved


@pytest.mark.long
@pytest.mark.parametrize("at", ["pooled", "planning", "latest", 0.0712345678901234])
@pytest.mark.parametrize(
    ("name", "variance_of"),
    [("tukey", None), ("two-way", None), ("paired-t", "paired"), ("paired-width", "conservative")],
)
def test_a_saved_plan_holds_the_request_that_made_it(two_rounds, name, variance_of, at):
    asked = {"design": name, "m": (3,) if name in TAKES_RUNS else (), "min_d": (0.1,)}
    asked |= {"variance_of": variance_of, "variance_at": at}
    plan = plan_task(two_rounds, "t", "AP", asked)
    save_plan(two_rounds, "p", PlanRequest(task="t", measure="AP", **asked), user="me")
    log_scores(two_rounds, "3", FIRST)
    shown = show_plan(two_rounds, "p")
    assert (shown.plan, shown.new_rounds) == (plan, ["3"])
    assert shown.request["assessments"] == ["official"]
    assert shown.request["design"] == name
    assert shown.request.get("variance_of") == variance_of
    assert shown.request.get("variance_at", "pooled") == at
