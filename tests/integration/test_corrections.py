"""Corrections are new facts: a withdrawn matrix counts in nothing, a published round is frozen."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import text
from tests.databases import rows, scalar
from tests.factories import (
    Design,
    compare_rankings,
    create_round,
    create_task,
    fit_factor_set,
    list_events,
    list_rounds,
    log_scores,
    plan_task,
    publish_round,
    record_variance,
    refusing,
    report_drift,
    report_generalisability,
    restore_matrix,
    save_plan,
    set_round,
    show_factors,
    show_histories,
    show_plan,
    show_result,
    show_variances,
    standardise,
    trace_drift,
    withdraw_matrix,
)
from tests.savepoints import prepared

from roundbook.database.engine import unit_of_work
from roundbook.errors import (
    AlreadyRecordedError,
    ContentDiffersError,
    DatabaseError,
    InputError,
    NotRecordedError,
    RecordError,
    RevisedMeanwhileError,
    RoundPublishedError,
    WithdrawnError,
)
from roundbook.logbook.withdrawals import LATEST, left_out

ROUNDS = ("r1", "r2", "r3")


def scores(seed, topics=8, runs=5):
    return np.random.default_rng(seed).random((topics, runs))


@prepared
def three(engine):
    """Three rounds of one measure: the numbers of their matrices."""
    return [log_scores(engine, label, scores(seed)).matrix for seed, label in enumerate(ROUNDS)]


def own_variance(values):
    """The residual variance of (topics, runs) scores, run by run."""
    return sum(np.sum((run - run.mean()) ** 2) for run in values.T) / (
        values.shape[1] * (values.shape[0] - 1)
    )


def test_a_withdrawn_matrix_leaves_the_pooled_variance_and_this_is_said(engine, three):
    withdraw_matrix(engine, three[1], "wrong qrels", user="bob")
    history = show_variances(engine, "t", "AP")
    assert [row.round for row in history.rounds] == ["r1", "r3"]
    expected = (own_variance(scores(0)) + own_variance(scores(2))) / 2
    assert history.pooled.variance == pytest.approx(expected, rel=1e-12)
    (withdrawn,) = history.withdrawn
    assert (withdrawn.round, withdrawn.matrix, withdrawn.reason) == ("r2", three[1], "wrong qrels")
    assert withdrawn.withdrawn_by == "bob"
    assert "wrong qrels" in left_out(withdrawn)
    histories = show_histories(engine, "t")
    assert [row.round for row in histories.histories[0].rounds] == ["r1", "r3"]
    assert histories.withdrawn == [withdrawn]


def test_the_latest_matrices_that_are_not_withdrawn_are_the_current_ones(engine, three):
    withdraw_matrix(engine, three[0], "wrong qrels")
    withdraw_matrix(engine, three[1], "wrong qrels")
    later = log_scores(engine, "r1", scores(9), revise="mended").matrix
    restore_matrix(engine, three[1], "they were right")
    log_scores(engine, "r3", scores(9), revise="mended")
    last = log_scores(engine, "r3", scores(8), revise="mended again").matrix
    withdraw_matrix(engine, last, "not at all")
    latest = rows(engine, f"SELECT id, withdrawn FROM {LATEST} AS latest ORDER BY id")
    assert latest == [(three[1], None), (later, None), (last, "not at all")]
    current = rows(engine, "SELECT id FROM roundbook.current_matrix ORDER BY id")
    assert current == [(three[1],), (later,)]


def test_what_asks_for_a_withdrawn_matrix_is_told(engine, three):
    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    for ask in (
        lambda: show_factors(engine, "t", "r1", "AP"),
        lambda: standardise(engine, "t", "r1", "AP"),
        lambda: standardise(engine, "t", "r2", "AP", factors_from="r1"),
        lambda: compare_rankings(engine, "t", "r1", "AP"),
        lambda: fit_factor_set(engine, "t", "r1", "AP", runs="all", reason="x", user="ann"),
        lambda: report_drift(engine, "t", "AP", from_round="r1"),
    ):
        with refusing(WithdrawnError, f"matrix {three[0]}.*wrong qrels.*matrix restore"):
            ask()
    # By its number a version stays readable, and says so.
    assert show_factors(engine, "t", "r1", "AP", version=1).withdrawn == "wrong qrels"


def test_drift_and_generalisability_leave_it_out(engine, three):
    assert report_drift(engine, "t", "AP").from_round == "r1"
    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    report = report_drift(engine, "t", "AP")
    assert (report.from_round, report.to_round) == ("r2", "r3")
    assert [row.matrix for row in report.withdrawn] == [three[0]]
    curve = trace_drift(engine, "t", "AP")
    assert (curve.from_round, [row.round for row in curve.rounds]) == ("r2", ["r3"])
    assert [row.matrix for row in curve.withdrawn] == [three[0]]
    report_of_rounds = report_generalisability(engine, "t", "AP")
    assert [row.round for row in report_of_rounds.rounds] == ["r2", "r3"]
    assert [row.matrix for row in report_of_rounds.withdrawn] == [three[0]]
    with pytest.raises(WithdrawnError, match="wrong qrels"):
        report_generalisability(engine, "t", "AP", round_label="r1")


@pytest.mark.parametrize(
    "words",
    [
        "drift t",
        "drift t --curve",
        "variance show t",
        "variance history t",
        "variance pooled t",
        "plan --task t --min-d 0.1 --m 10",
        "generalisability t",
        "study discriminative-power t --all-rounds",
        "study swap-rate t --all-rounds",
    ],
)
def test_where_nothing_counts_the_withdrawal_can_be_taken_back(engine, three, terminal, words):
    for matrix in three:
        withdraw_matrix(engine, matrix, "wrong qrels", user="bob")
    said = terminal(*words.split(), "--measure", "AP").refusal()
    assert all(f"Left out: round '{label}', whose AP scores" in said for label in ROUNDS)
    assert said.endswith(
        "are withdrawn: wrong qrels. Log a correction with --revise, or take the withdrawal back"
        f" with 'roundbook matrix restore {three[-1]} --reason REASON'."
    )
    restore_matrix(engine, three[-1], "they were right")
    if not words.startswith("drift"):  # it needs two rounds
        assert terminal(*words.split(), "--measure", "AP").code == 0


def test_of_many_withdrawn_matrices_an_error_names_the_last_three(engine, three):
    for label in ("r4", "r5"):
        log_scores(engine, label, scores(5))
    numbers = range(three[0], three[0] + 5)
    for count, matrix in enumerate(numbers, 1):
        withdraw_matrix(engine, matrix, "wrong qrels")
        more = {4: " 1 more score matrix is", 5: " 2 more score matrices are"}.get(count)
        if count >= 4:
            with refusing(WithdrawnError, "") as caught:
                report_drift(engine, "t", "AP")
            said = str(caught.value)
            assert said.count("Left out: ") == 3
            assert said.endswith(f"wrong qrels.{more} withdrawn.")
            assert "'r1'" not in said
            assert f"(matrix {matrix}," in said
            assert caught.value.facts["matrix"] == matrix


def test_a_plan_that_rests_on_it_says_so(engine, three):
    design = Design(m=(5,), min_d=(0.2,))
    save_plan(engine, "next", plan_task(engine, "t", "AP", design), user="ann")
    withdraw_matrix(engine, three[2], "wrong qrels", user="bob")
    (stale,) = show_plan(engine, "next").stale
    assert (stale.round, stale.now) == ("r3", None)
    assert stale.why == "its score matrix was withdrawn: wrong qrels"
    again = plan_task(engine, "t", "AP", design)
    assert [row.round for row in again.estimate.rounds] == ["r1", "r2"]
    assert [row.matrix for row in again.estimate.withdrawn] == [three[2]]
    for number in three[:2]:
        withdraw_matrix(engine, number, "all of them", user="bob")
    with pytest.raises(WithdrawnError, match=r"all of them.*wrong qrels"):
        plan_task(engine, "t", "AP", design)
    assert {row.why for row in show_plan(engine, "next").stale} == {
        "its score matrix was withdrawn: wrong qrels",
        "its score matrix was withdrawn: all of them",
    }


def test_restored_it_counts_again_exactly(engine, three):
    before = show_variances(engine, "t", "AP")
    drift = report_drift(engine, "t", "AP")
    done = withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    assert (done.status, done.matrix_status, done.reason) == (
        "withdrawn",
        "withdrawn",
        "wrong qrels",
    )
    assert withdraw_matrix(engine, three[0], "again", user="eve").status == "unchanged"
    done = restore_matrix(engine, three[0], "right after all", user="bob")
    assert (done.status, done.matrix_status) == ("restored", "current")
    assert restore_matrix(engine, three[0], "again", user="eve").status == "unchanged"
    assert show_variances(engine, "t", "AP") == before
    assert report_drift(engine, "t", "AP") == drift
    decisions = [
        (event.what, event.who, event.why)
        for event in list_events(engine, matrix=three[0]).events
        if event.what != "matrix logged"
    ]
    assert decisions == [
        ("matrix withdrawn", "bob", "wrong qrels"),
        ("matrix restored", "bob", "right after all"),
    ]


def test_no_earlier_revision_takes_its_place(engine, three):
    second = log_scores(engine, "r1", scores(9), revise="a typo").matrix
    withdraw_matrix(engine, second, "worse than before", user="bob")
    assert [row.round for row in show_variances(engine, "t", "AP").rounds] == ["r2", "r3"]
    assert report_drift(engine, "t", "AP").from_round == "r2"
    with pytest.raises(RecordError, match="revision 1 of 2"):
        withdraw_matrix(engine, three[0], "as well", user="bob")
    # The first scores again are a third revision, which counts.
    third = log_scores(engine, "r1", scores(0), revise="the first were right")
    assert (third.revision, third.status) == (3, "logged")
    assert [row.round for row in show_variances(engine, "t", "AP").rounds] == list(ROUNDS)
    assert show_variances(engine, "t", "AP").withdrawn == []
    with pytest.raises(RecordError, match="revision 2 of 3"):
        restore_matrix(engine, second, "no", user="bob")


def test_the_withdrawn_scores_again_are_no_way_around(engine, three):
    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    # A correction of the same scores is none.
    for reason in (None, "please"):
        with refusing(
            WithdrawnError,
            r"withdrawn: wrong qrels\. These very scores count again once that is taken back:"
            r" roundbook matrix restore \d+ --reason REASON$",
        ):
            log_scores(engine, "r1", scores(0), revise=reason)
    with pytest.raises(ContentDiffersError):
        log_scores(engine, "r1", scores(5))
    assert log_scores(engine, "r1", scores(5), revise="new qrels").revision == 2


def test_a_published_variance_stands_in_for_withdrawn_scores(engine, three, terminal):
    record_variance(
        engine, "t", "r1", "AP", variance=0.25, runs=4, topics=9, source="paper", user="ann"
    )
    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    history = show_variances(engine, "t", "AP")
    assert (history.rounds[0].round, history.rounds[0].origin) == ("r1", "published")
    assert [row.round for row in history.withdrawn] == ["r1"]
    # It is the scores that are left out, not the round.
    note = f"Left out: the AP scores (matrix {three[0]}, revision 1, official assessments) of round"
    for words in ("show t", "show t --measure AP", "history t", "pooled t --measure AP"):
        done = terminal("variance", *words.split())
        assert note in " ".join(f"{done.out} {done.err}".split()), words


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "x" * 2001])
def test_a_withdrawal_needs_a_reason(engine, three, reason):
    for decide in (withdraw_matrix, restore_matrix):
        with pytest.raises(InputError):
            decide(engine, three[0], reason)


def test_there_must_be_such_a_matrix(engine, three):
    with refusing(NotRecordedError, "matrix list"):
        withdraw_matrix(engine, 99, "x")


def test_the_database_takes_withdrawals_only_in_turn(engine, three):
    insert = text(
        "INSERT INTO roundbook.withdrawal (matrix_id, number, withdrawn, reason, software,"
        " decided_by) VALUES (:matrix, :number, :withdrawn, 'x', 'x', 'x')"
    )
    for number, withdrawn in ((1, False), (2, True), (0, False)):
        with pytest.raises(DatabaseError), unit_of_work(engine) as connection:
            connection.execute(
                insert, {"matrix": three[0], "number": number, "withdrawn": withdrawn}
            )


def test_of_two_revisions_of_the_same_one_the_second_is_refused(engine, three):
    log_scores(engine, "r1", scores(7), revise="mine", user="ann", expected_revisions={"AP": 1})
    with refusing(RevisedMeanwhileError, r"ann logged revision 2.*matrix show"):
        log_scores(
            engine, "r1", scores(8), revise="also mine", user="bob", expected_revisions={"AP": 1}
        )
    assert show_variances(engine, "t", "AP").rounds[0].revision == 2
    log_scores(engine, "r1", scores(8), revise="seen", user="bob", expected_revisions={"AP": 2})
    # Whoever names none revises the latest.
    assert log_scores(engine, "r1", scores(9), revise="again", user="bob").revision == 4
    # The same content from both is one revision, and no quarrel.
    same = log_scores(engine, "r1", scores(9), revise="same", expected_revisions={"AP": 1})
    assert same.status == "unchanged"


def test_who_saw_nothing_revises_nothing(engine, three):
    with refusing(RevisedMeanwhileError, "logged revision 1"):
        log_scores(engine, "r1", scores(8), revise="first", user="bob", expected_revisions={})


def test_publishing_freezes_a_round(engine):
    log_scores(engine, "r1", scores(0))
    done = publish_round(engine, "t", "r1", reason="results are out", user="ann")
    assert (done.status, done.round) == ("published", "r1")
    assert publish_round(engine, "t", "r1", user="bob").status == "unchanged"
    assert list_rounds(engine, "t").rounds[0].status == "published"
    assert log_scores(engine, "r1", scores(0)).status == "unchanged"
    with pytest.raises(ContentDiffersError):
        log_scores(engine, "r1", scores(1))
    with refusing(RoundPublishedError, "--revise"):
        log_scores(engine, "r1", scores(1), "P@5")
    with pytest.raises(RoundPublishedError):
        log_scores(engine, "r1", scores(1), assessments="bronze")
    assert log_scores(engine, "r1", scores(1), revise="re-issued").revision == 2
    late = log_scores(engine, "r1", scores(1), "P@5", revise="asked for since")
    assert (late.revision, late.status) == (1, "logged")
    (event,) = list_events(engine, what="round published").events
    assert (event.who, event.why, event.task, event.round) == (
        "ann",
        "results are out",
        "t",
        "r1",
    )


def test_only_a_round_with_scores_is_published(engine):
    number = log_scores(engine, "r1", scores(0)).matrix
    create_round(engine, "t", "empty")
    with pytest.raises(NotRecordedError, match="no score matrix"):
        publish_round(engine, "t", "empty")
    withdraw_matrix(engine, number, "x")
    with pytest.raises(NotRecordedError, match="no score matrix"):
        publish_round(engine, "t", "r1")


def test_the_database_keeps_a_published_round(engine):
    log_scores(engine, "r1", scores(0))
    publish_round(engine, "t", "r1")
    for statement in (
        "UPDATE roundbook.round SET status = 'draft'",
        "UPDATE roundbook.round SET label = 'other'",
        "DELETE FROM roundbook.round",
        "UPDATE roundbook.task SET name = 'other'",
        "DELETE FROM roundbook.task",
        "DELETE FROM roundbook.run",
        "INSERT INTO roundbook.matrix (round_id, measure_id, assessments, revision, topics, runs,"
        " content_hash, missing_policy, missing_cells, dropped_topics, files, layout, software,"
        " logged_by) SELECT round_id, measure_id, 'other', 1, topics, runs, content_hash,"
        " missing_policy, missing_cells, dropped_topics, files, layout, software, logged_by"
        " FROM roundbook.matrix",
    ):
        with pytest.raises(DatabaseError), unit_of_work(engine) as connection:
            connection.execute(text(statement))
            connection.commit()


@pytest.mark.long
@pytest.mark.parametrize(
    "table", ["event", "withdrawal", "factor", "score_vector", "variance_estimate", "result"]
)
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_not_even_a_replica_session_changes_what_is_kept(engine, three, table, statement):
    with pytest.raises(DatabaseError, match="is refused"), unit_of_work(engine) as connection:
        connection.execute(text("SET session_replication_role = replica"))
        connection.execute(text(statement.format(f"roundbook.{table}")))


@pytest.mark.parametrize("left_out", ["event", "variance_estimate"])
def test_a_matrix_is_whole_only_with_its_statistics_and_event(engine, monkeypatch, left_out):
    from roundbook.logbook.matrices import log_matrix as matrices

    if left_out == "event":
        monkeypatch.setattr(matrices, "record_event", lambda *args, **facts: None)
    else:
        monkeypatch.setattr(matrices, "store_estimates", lambda *args, **facts: {"raw": 0.0})
    with pytest.raises(DatabaseError, match=r"no event tells|has no variance"):
        log_scores(engine, "r1", scores(0))
    assert scalar(engine, "SELECT count(*) FROM roundbook.matrix") == 0


def test_every_change_tells_of_itself(engine):
    create_task(engine, "t", user="ann")
    create_round(engine, "t", "r1", user="ann")
    set_round(engine, "t", "r1", collection="CORD-19", user="bob")
    set_round(engine, "t", "r1", collection="CORD-19", user="bob")  # nothing new
    number = log_scores(engine, "r1", scores(0)).matrix
    log_scores(engine, "r1", scores(0))  # unchanged
    log_scores(engine, "r2", scores(1), dry_run=True)
    fit_factor_set(engine, "t", "r1", "AP", runs=["run0", "run1"], reason="only these", user="cat")
    record_variance(
        engine, "t", "r1", "P@5", variance=0.1, runs=3, topics=9, source="paper", user="dan"
    )
    design = Design(m=(5,), min_d=(0.2,))
    save_plan(engine, "next", plan_task(engine, "t", "AP", design), note="agreed", user="eve")
    revised = log_scores(engine, "r1", scores(3), revise="a typo").matrix
    publish_round(engine, "t", "r1", user="ann")
    events = list_events(engine).events
    assert [(event.what, event.who, event.why, event.round, event.matrix) for event in events] == [
        ("task created", "ann", None, None, None),
        ("round created", "ann", None, "r1", None),
        ("round changed", "bob", None, "r1", None),
        ("matrix logged", "tester", None, "r1", number),
        ("factors fitted", "cat", "only these", "r1", number),
        ("variance recorded", "dan", None, "r1", None),
        ("plan saved", "eve", "agreed", None, None),
        ("matrix revised", "tester", "a typo", "r1", revised),
        ("round published", "ann", None, "r1", None),
    ]
    assert events[2].details == {"collection": {"was": None, "is": "CORD-19"}}
    assert {event.task for event in events} == {"t"}
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert [event.what for event in list_events(engine, limit=2).events] == [
        "matrix revised",
        "round published",
    ]
    assert list_events(engine, limit=2).earlier == 7
    assert [event.what for event in list_events(engine, who="bob").events] == ["round changed"]
    assert len(list_events(engine, task_name="t", round_label="r1").events) == 7


def test_assessments_are_mixed_only_when_asked(engine):
    gold, bronze, later = scores(1), scores(2), scores(3)
    log_scores(engine, "r1", gold, assessments="gold")
    log_scores(engine, "r1", bronze, assessments="bronze")
    log_scores(engine, "r2", later, assessments="bronze")
    with refusing(InputError, r"bronze, gold.*--assessments"):
        show_variances(engine, "t", "AP")
    alone = show_variances(engine, "t", "AP", assessments="bronze")
    assert [row.variance for row in alone.rounds] == pytest.approx(
        [own_variance(bronze), own_variance(later)], rel=1e-12
    )
    mixed = show_variances(engine, "t", "AP", assessments=["gold", "bronze"])
    assert mixed.mixed == ["gold", "bronze"]
    assert [(row.round, row.assessments) for row in mixed.rounds] == [
        ("r1", "gold"),
        ("r2", "bronze"),
    ]
    assert mixed.pooled.variance == pytest.approx(
        (own_variance(gold) + own_variance(later)) / 2, rel=1e-12
    )
    other = show_variances(engine, "t", "AP", assessments=["bronze", "gold"])
    assert [row.assessments for row in other.rounds] == ["bronze", "bronze"]
    design = Design(m=(5,), min_d=(0.2,))
    planned = plan_task(engine, "t", "AP", design, assessments=["gold", "bronze"])
    assert planned.variance == mixed.pooled.variance
    save_plan(engine, "mixed", planned, user="ann")
    shown = show_plan(engine, "mixed")
    assert (shown.stale, shown.renew) == ([], None)
    log_scores(engine, "r2", scores(4), assessments="gold")
    shown = show_plan(engine, "mixed")
    assert [row.round for row in shown.stale] == ["r2"]
    assert shown.renew == "roundbook result renew mixed"
    assert show_result(engine, "mixed").request["assessments"] == ["gold", "bronze"]


def test_a_label_whose_scores_are_all_withdrawn_is_not_in_the_way_of_another(engine):
    official, mistyped = scores(1), scores(2)
    log_scores(engine, "r1", official)
    log_scores(engine, "r2", scores(3))
    number = log_scores(engine, "r2", mistyped, assessments="offical").matrix
    questions = (
        lambda **of: show_variances(engine, "t", "AP", **of),
        lambda **of: show_factors(engine, "t", "r2", "AP", **of),
        lambda **of: compare_rankings(engine, "t", "r2", "AP", resamples=50, **of),
        lambda **of: report_drift(engine, "t", "AP", **of),
        lambda **of: report_generalisability(engine, "t", "AP", **of),
    )
    for ask in questions:
        with refusing(InputError, r"\(offical, official\)"):
            ask()
    withdraw_matrix(engine, number, "label mistyped", user="ann")
    for ask in questions:
        assert ask() == ask(assessments="official")
    assert [row.variance for row in show_variances(engine, "t", "AP").rounds] == (
        pytest.approx([own_variance(official), own_variance(scores(3))], rel=1e-12)
    )
    # Named, it is found, and whoever names another is told of both.
    with pytest.raises(WithdrawnError, match="label mistyped"):
        show_variances(engine, "t", "AP", assessments="offical")
    named = show_factors(engine, "t", "r2", "AP", assessments="offical", version=1)
    assert named.withdrawn == "label mistyped"
    with pytest.raises(NotRecordedError, match="'own' of AP; it has offical, official"):
        show_variances(engine, "t", "AP", assessments="own")
    # Later scores under the label stand.
    log_scores(engine, "r2", scores(4), assessments="offical", revise="other scores")
    with refusing(InputError, r"\(offical, official\)"):
        show_variances(engine, "t", "AP")


def test_where_no_label_has_scores_that_stand_all_of_them_count(engine):
    first = log_scores(engine, "r1", scores(1), assessments="gold").matrix
    second = log_scores(engine, "r1", scores(2), assessments="bronze").matrix
    for matrix in (first, second):
        withdraw_matrix(engine, matrix, "wrong qrels", user="ann")
    with refusing(InputError, r"\(bronze, gold\)"):
        show_factors(engine, "t", "r1", "AP")
    # A published variance cannot be withdrawn: its label counts, and now alone.
    record_variance(engine, "t", "r2", "AP", variance=0.05, runs=9, topics=40, source="[1]",
                    assessments="gold", create=True)  # fmt: skip
    assert show_variances(engine, "t", "AP").assessments == "gold"


def test_what_is_left_out_of_a_round_that_counts_is_not_the_round(engine):
    log_scores(engine, "r1", scores(1), assessments="gold")
    bronze = log_scores(engine, "r1", scores(2), assessments="bronze").matrix
    alone = log_scores(engine, "r2", scores(3), assessments="bronze").matrix
    for matrix in (bronze, alone):
        withdraw_matrix(engine, matrix, "wrong qrels.", user="ann")
    mixed = show_variances(engine, "t", "AP", assessments=["gold", "bronze"])
    assert mixed.pooled.rounds == ["r1"]
    assert [left_out(matrix, mixed.pooled.rounds) for matrix in mixed.withdrawn] == [
        f"Left out: the AP scores (matrix {bronze}, revision 1, bronze assessments) of round 'r1',"
        " withdrawn: wrong qrels.",
        f"Left out: round 'r2', whose AP scores (matrix {alone}, revision 1, bronze assessments)"
        " are withdrawn: wrong qrels.",
    ]


def test_a_round_keeps_its_date_unless_forced_and_both_are_told(engine):
    from datetime import date

    create_task(engine, "t")
    create_round(engine, "t", "r1", held=date(2019, 5, 1))
    with pytest.raises(AlreadyRecordedError):
        set_round(engine, "t", "r1", held=date(2020, 5, 1))
    set_round(engine, "t", "r1", held=date(2020, 5, 1), force=True, user="ann")
    (event,) = list_events(engine, what="round changed").events
    assert event.details == {"held": {"was": "2019-05-01", "is": "2020-05-01"}}
