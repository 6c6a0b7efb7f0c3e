"""One measure, one name: every spelling finds it, and what was recorded apart is merged."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
import psycopg
import pytest
from sqlalchemy import text
from tests.databases import database_on, execute, load_release, rows, scalar
from tests.factories import (
    compare_rankings,
    export_archive,
    fit_factor_set,
    import_archive,
    list_events,
    list_results,
    publish_round,
    record_variance,
    refusing,
    renew_results,
    report_drift,
    report_generalisability,
    save_plan,
    score_matrix,
    show_factors,
    show_impact,
    show_variances,
    standardise,
    verify_record,
    verify_round,
    withdraw_matrix,
)
from tests.factories import log_scores as log

from roundbook.database.engine import unit_of_work
from roundbook.database.schema import upgrade
from roundbook.errors import AlreadyRecordedError, DatabaseError, InputError, NotRecordedError
from roundbook.logbook import recorded_measures
from roundbook.logbook.lookup import find_task
from roundbook.logbook.matrices.log_matrix import log_scores as log_session_scores
from roundbook.logbook.measures import ensure_measure
from roundbook.logbook.rounds import published_tasks
from roundbook.logbook.session import begin
from roundbook.logbook.tasks import list_tasks
from roundbook.requests.matrices import LogRequest
from roundbook.requests.plans import PlanRequest
from roundbook.requests.tasks import ListMeasures, MergeMeasures


def scores(seed, topics=8, runs=4):
    return np.random.default_rng(seed).random((topics, runs))


def merge(engine, merged, into, reason=None):
    with begin(engine, "tester") as session:
        request = MergeMeasures(merged=merged, into=into, reason=reason)
        return recorded_measures.merge_measures(session, request)


def listed(engine, task=None):
    with begin(engine, "tester") as session:
        return recorded_measures.list_measures(session, ListMeasures(task=task)).measures


def execute_before(engine, *statements):
    """Change a record of an earlier schema by hand."""
    with unit_of_work(engine) as connection:
        for statement in statements:
            connection.execute(text(statement.replace(":", "\\:")))
        connection.commit()


def rename(engine, name, to):
    """Record a measure under a name that no version records now."""
    guard = "ALTER TABLE roundbook.measure {} TRIGGER immutable"
    execute(
        engine,
        guard.format("DISABLE"),
        f"UPDATE roundbook.measure SET name = '{to}', family = '{to}', cutoff = NULL"
        f" WHERE name = '{name}'",
        guard.format("ENABLE ALWAYS"),
    )


def test_every_spelling_is_one_measure(engine):
    assert log(engine, "1", scores(1), "ndcg_cut_10", create=True).measure == "nDCG@10"
    assert log(engine, "2", scores(2), "NDCG@0010", create=True).measure == "nDCG@10"
    assert log(engine, "2", scores(2), "ndcg_cut.10").status == "unchanged"
    assert log(engine, "1", scores(3), "map").measure == "AP"
    assert log(engine, "1", scores(4), " clicks  per query ").measure == "clicks per query"
    record_variance(
        engine, "t", "old", "nDCG_cut_10", variance=0.1, runs=3, topics=9, source="p", create=True
    )
    assert rows(engine, "SELECT name, family, cutoff FROM roundbook.measure ORDER BY id") == [
        ("nDCG@10", "nDCG", 10),
        ("AP", "AP", None),
        ("clicks per query", "clicks per query", None),
    ]
    assert show_variances(engine, "t", "ndcg_cut_10").pooled.rounds == ["1", "2", "old"]
    assert show_factors(engine, "t", "1", "ndcg_cut_10").measure == "nDCG@10"
    assert fit_factor_set(engine, "t", "1", "MAP", runs="all", reason="x").measure == "AP"
    assert standardise(engine, "t", "1", "ndcg_cut_10").measure == "nDCG@10"
    assert compare_rankings(engine, "t", "1", "map", resamples=40).measure == "AP"
    assert report_drift(engine, "t", "ndcg_cut_10").measure == "nDCG@10"
    assert report_generalisability(engine, "t", "ndcg_cut_10").measure == "nDCG@10"
    saved = save_plan(engine, "next", PlanRequest(task="t", measure="ndcg_cut_10"))
    assert saved.plan.estimate.measure == "nDCG@10"
    with refusing(NotRecordedError, "nothing for measure 'bpref'; it has AP, clicks per query, nD"):
        show_variances(engine, "t", "bpref")
    with refusing(InputError, "cutoff of 0"):
        log(engine, "1", scores(4), "P_0")


def test_measures_recorded_apart_are_merged(engine):
    log(engine, "1", scores(1), "nDCG@10", create=True)
    log(engine, "1", scores(7), "nDCG@10", task="other", create=True)
    rename(engine, "nDCG@10", "ndcg at ten")
    log(engine, "2", scores(2), "nDCG@10", create=True)
    publish_round(engine, "t", "1")
    fingerprint = verify_round(engine, "t", "1").fingerprint
    save_plan(engine, "next", PlanRequest(task="t", measure="ndcg at ten"))

    done = merge(engine, "ndcg at ten", "ndcg_cut_10", "one tool's name for it")
    assert done.model_dump() == {
        "measure": "nDCG@10",
        "merged": "ndcg at ten",
        "known_into_unknown": False,
        "tasks": ["t", "other"],
        "matrices": 2,
        "published_variances": 0,
    }
    (entry,) = listed(engine)
    assert (entry.measure, entry.tasks, entry.rounds) == ("nDCG@10", ["other", "t"], 3)
    assert entry.spellings == ["ndcg at ten"]
    event = list_events(engine, "t").events[-1]
    assert (event.what, event.who, event.why) == (
        "measures merged",
        "tester",
        "one tool's name for it",
    )
    assert event.details["merged"] == "ndcg at ten"
    # Its name finds it still: typed, in what is saved, and in a fingerprint.
    assert show_variances(engine, "t", "NDCG at ten").pooled.rounds == ["1", "2"]
    assert log(engine, "2", scores(2), "ndcg at ten").status == "unchanged"
    assert verify_round(engine, "t", "1").fingerprint == fingerprint
    (plan,) = list_results(engine, "t").results
    assert [(change.code, change.round) for change in plan.changes] == [("added", "2")]
    (renewed,) = renew_results(engine, name="next").renewed
    assert (renewed.after.brief["measure"], renewed.after.stale) == ("nDCG@10", False)
    assert verify_record(engine).differences == []


def test_what_cannot_be_one_measure_stays_apart(engine):
    log(engine, "1", scores(1), "earlier", create=True)
    log(engine, "2", scores(2), "nDCG@10", create=True)
    log(engine, "1", scores(3), "nDCG@10")
    rename(engine, "earlier", "ndcg_cut_10")
    log(engine, "1", scores(4), "P@5")
    # Its own name comes first, so that scores go where the task's other scores are.
    assert log(engine, "1", scores(1), "ndcg_cut_10").measure == "ndcg_cut_10"
    assert [entry.spelling_of for entry in listed(engine, "t")] == [None, None, "nDCG@10"]
    before = rows(engine, "SELECT * FROM roundbook.matrix ORDER BY id")
    with refusing(
        AlreadyRecordedError,
        r"^Both ndcg_cut_10 and nDCG@10 have scores of round '1' of task 't' \(official"
        r" assessments; matrices 1 and 3\), and one measure cannot have two, withdrawn or not: they"
        r" stay apart\. Log what counts of ndcg_cut_10 under nDCG@10 instead, and withdraw it under"
        r" ndcg_cut_10: 'roundbook matrix list t --measure ndcg_cut_10' shows it\.$",
    ):
        merge(engine, "nDCG@10", "ndcg_cut_10")
    # Once that is done, nothing is left to do.
    withdraw_matrix(engine, 1, "under another name")
    with refusing(
        AlreadyRecordedError,
        r"they stay apart\. Nothing of ndcg_cut_10 counts, so that nothing is left to do\.$",
    ):
        merge(engine, "nDCG@10", "ndcg_cut_10")
    # But it is while scores of another round count.
    log(engine, "3", scores(5), "ndcg_cut_10")
    with refusing(AlreadyRecordedError, "Log what counts of ndcg_cut_10 under nDCG@10"):
        merge(engine, "nDCG@10", "ndcg_cut_10")
    before = rows(engine, "SELECT * FROM roundbook.matrix ORDER BY id")
    with refusing(InputError, "P@5 and nDCG@10 are two measures"):
        merge(engine, "P@5", "nDCG@10")
    with refusing(InputError, "are one measure: P@5"):
        merge(engine, "P_5", "P@5")
    with refusing(NotRecordedError, "no measure 'AP'. 'roundbook measure list'"):
        merge(engine, "AP", "nDCG@10")
    for table in ("matrix", "factor_set", "published_variance", "measure"):
        column = "name" if table == "measure" else "assessments"
        with pytest.raises(DatabaseError):
            execute(engine, f"UPDATE roundbook.{table} SET {column} = 'x'")
    with pytest.raises(DatabaseError) as caught:
        execute(engine, "UPDATE roundbook.matrix SET measure_id = 2 WHERE id = 4")
    assert isinstance(caught.value.__cause__.orig, psycopg.errors.RestrictViolation)
    with pytest.raises(DatabaseError, match="what holds scores"):
        execute(engine, "DELETE FROM roundbook.measure WHERE name = 'P@5'")
    assert rows(engine, "SELECT * FROM roundbook.matrix ORDER BY id") == before


def test_a_merge_waits_for_whoever_logs(engine, committed):
    log(engine, "1", scores(1), "earlier", create=True)
    log(engine, "2", scores(2), "nDCG@10", create=True)
    with ThreadPoolExecutor(1) as beside:
        with begin(engine, "ann") as session:
            ensure_measure(session.connection, find_task(session.connection, "t"), "earlier")
            merging = beside.submit(merge, engine, "earlier", "nDCG@10")
            assert not wait([merging], timeout=0.3).done
            request = LogRequest(task="t", round="3", measure="earlier", create=True)
            matrix = score_matrix(scores(3, 3, 3))
            log_session_scores(session, request, matrix)
        assert merging.result(timeout=20).matrices == 2
    assert show_variances(engine, "t", "earlier").pooled.rounds == ["1", "2", "3"]


def test_what_is_withdrawn_does_not_count_in_lists(engine):
    log(engine, "1", scores(1), "AP", create=True)
    log(engine, "1", scores(2), "clicks")
    slip = log(engine, "1", scores(3), "clicks", revise="of another day").matrix
    publish_round(engine, "t", "1")

    def measures_of_task():
        with begin(engine, "tester") as session:
            (task,) = list_tasks(session).tasks
            return task.measures, published_tasks(session.connection)["t"].measures

    def counts():
        return [(row.measure, row.tasks, row.rounds, row.matrices) for row in listed(engine, "t")]

    assert measures_of_task() == (["AP", "clicks"], ["AP", "clicks"])
    assert counts() == [("AP", ["t"], 1, 1), ("clicks", ["t"], 1, 2)]
    withdraw_matrix(engine, slip, "a slip")
    assert measures_of_task() == (["AP"], ["AP"])
    # It is listed all the same, as it may be merged.
    assert counts() == [("AP", ["t"], 1, 1), ("clicks", ["t"], 0, 0)]
    log(engine, "2", scores(4), "sessions", create=True)
    assert merge(engine, "clicks", "sessions").matrices == 2


def test_a_saved_result_knows_its_measure_by_another_name(engine):
    """What was withdrawn of its measure, and what rests on a matrix of it."""
    first = log(engine, "1", scores(1), "nDCG@10", create=True)
    log(engine, "2", scores(2), "nDCG@10", create=True)
    save_plan(engine, "next", PlanRequest(task="t", measure="nDCG@10"))
    with unit_of_work(engine) as connection:
        connection.execute(text("ALTER TABLE roundbook.result DISABLE TRIGGER immutable"))
        connection.execute(
            text(
                "UPDATE roundbook.result SET"
                " request = jsonb_set(request, '{measure}', '\"ndcg_cut_10\"'),"
                " result = jsonb_set(result, '{estimate,measure}', '\"ndcg_cut_10\"')"
            )
        )
        connection.commit()
    withdraw_matrix(engine, first.matrix, "a topic was judged twice")
    (plan,) = list_results(engine, "t").results
    (change,) = plan.changes
    assert (change.code, change.reason) == ("withdrawn", "a topic was judged twice")
    assert any(
        dependent.name and "next" in dependent.name
        for dependent in show_impact(engine, first.matrix).dependents
    )


@pytest.mark.long
def test_archives_come_in_under_the_canonical_name(engine, server, template, tmp_path):
    def export(task):
        export_archive(engine, tmp_path / task, tasks=(task,))
        return tmp_path / task

    log(engine, "1", scores(1), "nDCG@10", task="old", create=True)
    rename(engine, "nDCG@10", "ndcg_cut_10")
    old = export("old")
    log(engine, "1", scores(2), "ndcg_cut_10", task="both", create=True)
    rename(engine, "ndcg_cut_10", "earlier")
    log(engine, "1", scores(3), "nDCG@10", task="both")
    rename(engine, "earlier", "ndcg_cut_10")
    both = export("both")
    log(engine, "1", scores(4), "ndgc10", task="merged", create=True)
    log(engine, "2", scores(5), "nDCG@10", task="merged", create=True)
    merge(engine, "ndgc10", "nDCG@10")
    merged = export("merged")
    names = 'SELECT array_agg(name ORDER BY name COLLATE "C") FROM roundbook.measure'
    with database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as other:
        import_archive(other, old)
        assert scalar(other, names) == ["nDCG@10"]
        assert show_variances(other, "old", "ndcg_cut_10").measure == "nDCG@10"
        assert verify_record(other).differences == []
        import_archive(other, merged)
        assert scalar(other, names) == ["nDCG@10"]
        assert show_variances(other, "merged", "ndgc10").pooled.rounds == ["1", "2"]
        assert log(other, "3", scores(6), "NDGC10", task="old", create=True).measure == "nDCG@10"
        import_archive(other, both)
        assert scalar(other, names) == ["nDCG@10", "ndcg_cut_10"]
        assert show_variances(other, "both", "ndcg_cut_10").rounds[0].matrix == 5


def publish(engine, task, label, name):
    """Record a published variance; return the measure it is recorded under."""
    return record_variance(
        engine, task, label, name, variance=0.1, runs=3, topics=9, source="p", create=True
    ).measure


@pytest.mark.long
@pytest.mark.parametrize("separate_there", [True, False], ids=["archive", "record"])
def test_an_import_takes_no_merge_back(engine, server, template, tmp_path, separate_there):
    """One side has foo and bar apart, the other has merged them; each task goes on as it did."""
    log(engine, "1", scores(1), "foo", task="apart", create=True)
    log(engine, "1", scores(2), "bar", task="apart")
    export_archive(engine, tmp_path / "apart", tasks=("apart",))
    with (
        database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as first,
        database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as other,
    ):
        log(first, "1", scores(3), "foo", task="merged", create=True)
        log(first, "2", scores(4), "bar", task="merged", create=True)
        merge(first, "foo", "bar")
        export_archive(first, tmp_path / "merged", tasks=("merged",))
        if separate_there:
            there = first
            import_archive(there, tmp_path / "apart")
        else:
            there = other
            import_archive(there, tmp_path / "apart")
            import_archive(there, tmp_path / "merged")
        assert rows(there, "SELECT name, spellings FROM roundbook.measure ORDER BY name") == [
            ("bar", ["foo"]),
            ("foo", []),
        ]
        before = show_variances(there, "merged", "foo").pooled.rounds
        assert before == ["1", "2"]
        assert publish(there, "merged", "old", "foo") == "bar"
        assert show_variances(there, "merged", "foo").pooled.rounds == ["1", "2", "old"]
        assert log(there, "3", scores(5), "foo", task="merged", create=True).measure == "bar"
        assert show_variances(there, "merged", "foo").pooled.rounds == ["1", "2", "old", "3"]
        # A task that has both by their names keeps both, and one without either has the name.
        assert publish(there, "apart", "old", "foo") == "foo"
        assert publish(there, "apart", "older", "bar") == "bar"
        assert publish(there, "neither", "old", "foo") == "foo"
        with begin(there, "tester") as session:
            task_id = find_task(session.connection, "neither")
            assert ensure_measure(session.connection, task_id, "foo").name == "foo"
        assert verify_record(there).differences == []


def test_an_upgrade_renames_measures(bare):
    load_release(bare, "0006")
    guard = "ALTER TABLE roundbook.measure {} TRIGGER immutable"
    before = dict(rows(bare, "SELECT name, id FROM roundbook.measure"))
    assert set(before) == {"P@5", "nDCG@10"}
    execute_before(
        bare,
        guard.format("DISABLE"),
        "UPDATE roundbook.measure SET name = 'P_5', family = 'P_5', cutoff = NULL"
        " WHERE name = 'P@5'",
        "INSERT INTO roundbook.measure (name, family) VALUES ('p5', 'p5'), ('map', 'map'),"
        " ('MSnDCG@10', 'MSnDCG'), ('ndcg_cut_10', 'ndcg_cut_10')",
        "INSERT INTO roundbook.measure (name, family, parameters)"
        " VALUES ('rbp(p=0.80)', 'rbp', '{\"p\": \"0.80\"}')",
        guard.format("ENABLE ALWAYS"),
    )
    upgrade(bare)
    assert rows(
        bare, "SELECT name, family, cutoff, parameters FROM roundbook.measure ORDER BY name"
    ) == [
        ("AP", "AP", None, {}),
        ("MSnDCG@10", "MSnDCG", None, {}),
        ("P@5", "P", 5, {}),
        ("RBP(p=0.8)", "RBP", None, {"p": "0.8"}),
        ("nDCG@10", "nDCG", 10, {}),
        ("ndcg_cut_10", "ndcg_cut_10", None, {}),
        ("p5", "p5", None, {}),
    ]
    events = rows(
        bare,
        "SELECT task.name, details FROM roundbook.event JOIN roundbook.task ON task.id = task_id"
        " WHERE what = 'measure renamed' ORDER BY event.id",
    )
    assert ("web", {"from": "P_5", "to": "P@5"}) in events
    assert {task for task, _ in events} == {"web"}
    assert merge(bare, "p5", "P@5").matrices == 0
    assert [entry.spelling_of for entry in listed(bare) if entry.spelling_of] == ["nDCG@10"]
    assert verify_record(bare).differences == []
