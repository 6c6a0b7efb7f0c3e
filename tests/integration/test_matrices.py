"""Matrices listed, shown, followed through time and exported."""

from __future__ import annotations

import csv
import os
import re
import stat
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import event
from tests.factories import (
    compare_rankings,
    export_matrix,
    fit_factor_set,
    list_matrices,
    log_files,
    log_matrix,
    log_scores,
    refusing,
    restore_matrix,
    score_matrix,
    show_history,
    show_matrix,
    standardise,
    withdraw_matrix,
)
from tests.savepoints import prepared

from roundbook.errors import InputError, NotRecordedError
from roundbook.formats import RunTeam
from roundbook.logbook.result import SOFTWARE
from roundbook.presentation.factors import standardised_notes
from roundbook.presentation.matrices import export_notes, status_phrase
from roundbook.presentation.rankings import notes as rank_notes

TOPICS = ("t1", "t2", "t3", "t4")
RUNS = ("a", "b", "c")
SCORES = np.random.default_rng(11).random((4, 3))


def log(engine, scores=SCORES, label="r1", **options):
    options = {"task": "task", "topics": TOPICS, "runs": RUNS, "user": "ann", **options}
    return log_scores(engine, label, scores, **options).matrix


def log_again(engine, paths, *, task="task", label="r1", measure="AP", **options):
    options = {"user": "ann", **options}
    return log_files(engine, task, label, [*paths], measure, **options)


@prepared
def corrected(engine):
    """A series with everything in it: the numbers of its three revisions."""
    first = log(engine)
    fit_factor_set(engine, "task", "r1", "AP", runs=["a", "b"], reason="c is odd", user="bob")
    withdraw_matrix(engine, first, "wrong qrels", user="cas")
    changed = SCORES.copy()
    changed[1, 2] += 0.25
    changed[3, 0] -= 0.125
    second = log(engine, changed, user="dee", revise="new qrels")
    third = log(
        engine,
        np.c_[changed[1:, ::-1], [0.5, 0.5, 0.6]],
        topics=TOPICS[1:],
        runs=(*RUNS[::-1], "d"),
        user="eve",
        revise="t1 was a mistake",
    )
    withdraw_matrix(engine, third, "d is late", user="cas")
    restore_matrix(engine, third, "d counts", user="cas")
    return first, second, third


# list


def test_the_list_says_which_matrices_count_and_why_the_others_do_not(engine, corrected):
    first, second, third = corrected
    other = log(engine, label="r2", assessments="gold")
    withdrawn = log(engine, label="r2", measure="nDCG@10")
    withdraw_matrix(engine, withdrawn, "a mix-up", user="cas")
    revised = log(engine, SCORES / 2, label="r2", measure="recall@5")
    latest = log(engine, SCORES / 3, label="r2", measure="recall@5", revise="rounding")

    def listed_rows(**options):
        listed = list_matrices(engine, "task", **options)
        return [
            (row.matrix, row.revision, row.status, row.reason, row.replaced_by)
            for row in listed.matrices
        ]

    counted = [
        (third, 3, "current", "d counts", None),
        (other, 1, "current", None, None),
        (withdrawn, 1, "withdrawn", "a mix-up", None),
        (latest, 2, "current", "rounding", None),
    ]
    assert sorted(listed_rows()) == sorted(counted)
    gone = [
        (first, 1, "superseded", "new qrels", second),
        (second, 2, "superseded", "t1 was a mistake", third),
        (revised, 1, "superseded", "rounding", latest),
    ]
    assert sorted(listed_rows(superseded=True)) == sorted(counted + gone)
    # By round, measure and revision.
    assert [row[0] for row in listed_rows(superseded=True)] == [
        first,
        second,
        third,
        other,
        revised,
        latest,
        withdrawn,
    ]
    assert [row[0] for row in listed_rows(round="r2", measure="ndcg@10")] == [withdrawn]
    assert [row[0] for row in listed_rows(assessments="gold")] == [other]
    assert listed_rows(assessments="bronze") == []
    (one,) = list_matrices(engine, "task", round="r1").matrices
    assert (one.topics, one.runs, one.logged_by, one.assessments) == (3, 4, "eve", "official")


def test_the_list_is_one_query_however_many_matrices(engine, corrected, committed):
    def queries():
        statements = []

        def note(connection, cursor, statement, *rest):
            statements.append(statement)

        event.listen(engine, "before_cursor_execute", note)
        list_matrices(engine, "task", superseded=True)
        event.remove(engine, "before_cursor_execute", note)
        return len(statements)

    few = queries()
    for number in range(5):
        log(engine, label=f"more{number}")
    assert queries() == few == 4  # the settings, the task, its matrices, their sources


@pytest.mark.parametrize(
    ("task", "options"),
    [("nope", {}), ("task", {"round": "nope"}), ("task", {"measure": "nope"})],
)
def test_what_is_not_there_is_not_listed(engine, corrected, task, options):
    with pytest.raises(NotRecordedError, match="'nope'"):
        list_matrices(engine, task, **options)


def test_a_list_does_not_continue_after_another_tasks_matrix(engine, corrected):
    matrix = score_matrix(SCORES, TOPICS, RUNS)
    other = log_matrix(engine, "other", "r1", "AP", matrix, create=True).matrix
    with pytest.raises(NotRecordedError) as refused:
        list_matrices(engine, "task", after=other)
    assert str(refused.value) == f"Matrix {other} is of task 'other', not of 'task'."


# show


def test_a_matrix_is_shown_with_all_that_is_known(engine):
    about = {
        "a": RunTeam("a", "Aalto", "manual", True, "sys-a"),
        "b": RunTeam("b", "Bologna", None, True, None),
    }
    scores = np.r_[SCORES, [[0.5, np.nan, 0.5]]]
    matrix = score_matrix(scores, (*TOPICS, "t5"), RUNS, ("one.csv", "two.csv"))
    options = {"missing": "drop-topic", "teams": about, "tool": "ev 9", "create": True}
    number = log_matrix(
        engine, "task", "r1", "AP", replace(matrix, layout="long"), user="ann", **options
    ).matrix
    fit_factor_set(engine, "task", "r1", "AP", runs=["a", "b"], reason="c is odd", user="bob")
    shown = show_matrix(engine, number)
    assert (shown.task, shown.round, shown.round_status) == ("task", "r1", "draft")
    assert (shown.measure, shown.assessments, shown.revision) == ("AP", "official", 1)
    assert (shown.status, shown.why, shown.decided_by) == ("current", None, "ann")
    assert shown.since == shown.logged_at
    assert (shown.files, shown.layout, shown.tool) == (["one.csv", "two.csv"], "long", "ev 9")
    assert (shown.missing_policy, shown.missing_cells) == ("drop-topic", 1)
    assert shown.dropped_topics == ["t5"]
    assert re.fullmatch("[0-9a-f]{64}", shown.content_hash)
    assert shown.software == SOFTWARE
    assert shown.topics == list(TOPICS)
    assert [
        (row.run, row.team, row.type, row.contributed_to_pool, row.system) for row in shown.runs
    ] == [
        ("a", "Aalto", "manual", True, "sys-a"),
        ("b", "Bologna", None, True, None),
        ("c", None, None, None, None),
    ]
    assert [(row.scale, row.factor_version) for row in shown.variances] == [
        ("raw", None),
        ("std-ab", 1),
        ("std-cdf", 1),
        ("std-ab", 2),
        ("std-cdf", 2),
    ]
    assert shown.variances[0].variance == pytest.approx(SCORES.var(axis=0, ddof=1).mean())
    assert shown.variances[0].dof == 9
    assert [
        (row.version, row.standardising, row.runs, row.reason, row.fitted_by)
        for row in shown.factors
    ] == [(1, "all", 3, None, "ann"), (2, "chosen", 2, "c is odd", "bob")]


def test_a_matrix_is_shown_with_what_became_of_it(committed, engine, corrected):
    first, second, third = (show_matrix(engine, number) for number in corrected)
    assert (first.status, first.replaced_by) == ("superseded", second.matrix)
    assert (first.why, first.decided_by, first.since) == ("new qrels", "dee", second.logged_at)
    assert (second.reason, second.why) == ("new qrels", "t1 was a mistake")
    assert (third.status, third.why, third.decided_by) == ("current", "d counts", "cas")
    assert third.reason == "t1 was a mistake"
    withdraw_matrix(engine, third.matrix, "once more", user="fay")
    again = show_matrix(engine, third.matrix)
    assert (again.status, again.why, again.decided_by) == ("withdrawn", "once more", "fay")
    assert again.since > third.since


@pytest.mark.parametrize("ask", [show_matrix, show_history, export_matrix])
def test_a_number_that_is_no_matrix(engine, ask):
    with refusing(NotRecordedError, r"no matrix 7; 'roundbook matrix list"):
        ask(engine, 7)


# history


def test_the_history_has_every_step_in_order(committed, engine, corrected):
    first, second, third = corrected
    for number in corrected:
        history = show_history(engine, number)
        assert [
            (entry.matrix, entry.what, entry.who, entry.factor_version, entry.why)
            for entry in history.entries
        ] == [
            (first, "logged", "ann", None, None),
            (first, "factors fitted", "ann", 1, None),
            (first, "factors fitted", "bob", 2, "c is odd"),
            (first, "withdrawn", "cas", None, "wrong qrels"),
            (second, "revised", "dee", None, "new qrels"),
            (second, "factors fitted", "dee", 3, "new qrels"),
            (third, "revised", "eve", None, "t1 was a mistake"),
            (third, "factors fitted", "eve", 4, "t1 was a mistake"),
            (third, "withdrawn", "cas", None, "d is late"),
            (third, "restored", "cas", None, "d counts"),
        ]
        moments = [entry.at for entry in history.entries]
        assert moments == sorted(moments)


def test_the_history_tells_what_a_revision_changed(engine, corrected):
    changes = {
        entry.revision: entry.changes
        for entry in show_history(engine, corrected[0]).entries
        if entry.what == "revised"
    }
    assert (changes[2].cells, changes[2].cells_changed) == (12, 2)
    assert changes[2].cells_beyond_rounding == 2
    assert changes[2].largest_change == pytest.approx(0.25)
    assert (changes[2].largest_topic, changes[2].largest_run) == ("t2", "c")
    for nothing in ("topics_added", "topics_removed", "runs_added", "runs_removed"):
        assert getattr(changes[2], nothing) == []
    # Another order of topics and runs is no change.
    assert (changes[3].cells, changes[3].cells_changed) == (9, 0)
    assert (changes[3].largest_change, changes[3].largest_topic) == (None, None)
    assert (changes[3].topics_added, changes[3].topics_removed) == ([], ["t1"])
    assert (changes[3].runs_added, changes[3].runs_removed) == (["d"], [])


def test_revisions_that_share_nothing_are_compared_too(engine):
    number = log(engine)
    log(engine, topics=("x", "y", "z", "w"), runs=("k", "l", "m"), revise="another task's file")
    changes = show_history(engine, number).entries[2].changes
    assert (changes.cells, changes.cells_changed, changes.largest_change) == (0, 0, None)
    assert changes.topics_removed == list(TOPICS)
    assert changes.runs_added == ["k", "l", "m"]


def test_other_measures_and_assessments_are_no_part_of_it(engine):
    number = log(engine)
    log(engine, measure="P@5")
    log(engine, assessments="gold")
    log(engine, label="r2")
    assert {entry.matrix for entry in show_history(engine, number).entries} == {number}


# export

AWKWARD_TOPICS = ("a,b", 'say "x"', "semi;colon", "two  words", "Ωmega", "#1", "'q'", "1e5")
AWKWARD_RUNS = ("BM25", "bm25", "..", "a/b", "x,y", '"q"', "Ω ω", "CON", "-rf", "%41", "v" * 400)


@pytest.mark.parametrize("layout", ["wide", "long", "trec_eval"])
@pytest.mark.parametrize("named_layout", ["auto", "as it is"])
def test_exported_files_logged_again_change_nothing(engine, tmp_path, layout, named_layout):
    scores = np.random.default_rng(5).standard_normal((8, 11)) * 10.0 ** np.arange(-6, 5)
    scores[0] = scores[1] = [0.0, 1.0, 0.1, 0.2, 0.1 + 0.2, 1 / 3, 5e-324, 1e22, 0.5, 0.7, 1e-7]
    scores[:, 3] = scores[:, 2]  # two runs with the same scores
    number = log(engine, scores, topics=AWKWARD_TOPICS, runs=AWKWARD_RUNS)
    where = tmp_path / "exported"
    exported = export_matrix(engine, number, layout=layout, output=where)
    paths = sorted(where.iterdir()) if layout == "trec_eval" else [where]
    assert sorted(exported.files) == [str(path) for path in paths]
    assert (exported.topics, exported.runs, exported.content) == (8, 11, None)
    logged = log_again(engine, paths, layout="auto" if named_layout == "auto" else layout)
    assert (logged.status, logged.matrix, logged.layout) == ("unchanged", number, layout)


@pytest.mark.parametrize("layout", ["wide", "long", "trec_eval"])
def test_a_real_matrix_goes_out_and_comes_back(engine, shared, tmp_path, layout):
    source = shared / "data/treccovid/treccovid_round1_ndcg10.csv"
    logged = log_again(engine, [source], measure="nDCG@10", create=True)
    where = tmp_path / "exported"
    export_matrix(engine, logged.matrix, layout=layout, output=where)
    paths = [*where.iterdir()] if layout == "trec_eval" else [where]
    assert len(paths) == (143 if layout == "trec_eval" else 1)
    again = log_again(engine, paths, measure="nDCG@10")
    assert (again.status, again.matrix) == ("unchanged", logged.matrix)
    # And by a parser that is not ours, cell by cell against the source.
    with source.open(newline="") as file:
        header, *rows = csv.reader(file)
    expected = {
        (topic, run): float(cell)
        for topic, *cells in rows
        for run, cell in zip(header[1:], cells, strict=True)
    }
    assert naive_cells(paths, layout) == expected


def naive_cells(paths, layout):
    cells = {}
    for path in paths:
        lines = path.read_text().splitlines()
        if layout == "trec_eval":
            split = [line.split() for line in lines]
            ((_, _, run),) = [words for words in split if words[0] == "runid"]
            assert path.name == f"{run}.eval"
            cells |= {(topic, run): float(v) for _, topic, v in split if topic != "all"}
        elif layout == "long":
            split = [line.split(",") for line in lines[1:]]
            cells |= {(topic, run): float(value) for run, topic, _, value in split}
        else:
            runs = lines[0].split(",")[1:]
            for line in lines[1:]:
                topic, *values = line.split(",")
                cells |= {(topic, r): float(v) for r, v in zip(runs, values, strict=True)}
    return cells


def test_without_an_output_the_text_is_returned(engine, tmp_path):
    number = log(engine)
    wide = export_matrix(engine, number)
    assert (wide.output, wide.files, export_notes(wide)) == (None, [], [])
    assert wide.content.splitlines()[0] == "topic,a,b,c"
    assert wide.content.splitlines()[1] == ",".join(["t1", *map(repr, SCORES[0].tolist())])
    one = export_matrix(engine, number, layout="trec_eval", runs=["b"])
    lines = [line.split("\t") for line in one.content.splitlines()]
    assert [float(value) for _, _, value in lines[:4]] == SCORES[:, 1].tolist()
    assert lines[4][1:] == ["all", "b"]
    some = export_matrix(engine, number, runs=["c", "a", "c"])
    assert some.content.splitlines()[0] == "topic,c,a"
    assert float(some.content.splitlines()[1].split(",")[1]) == SCORES[0, 2]
    with refusing(InputError, r"3 runs.*--output.*--run"):
        export_matrix(engine, number, layout="trec_eval")
    with refusing(NotRecordedError, f"no run 'z'; 'roundbook matrix show {number}'"):
        export_matrix(engine, number, runs=["a", "z"])
    with refusing(NotRecordedError, f"'roundbook matrix show {number} --anonymous' lists"):
        export_matrix(engine, number, runs=["a"], anonymous=True)


def test_what_does_not_count_is_exported_with_a_note(engine, corrected):
    first, second, third = corrected
    assert export_notes(export_matrix(engine, third)) == []
    exported = export_matrix(engine, first)
    assert exported.status == "superseded"
    assert export_notes(exported) == [
        f"Matrix {first} (revision 1) is superseded by matrix {second} (the latest is matrix {third},"
        " revision 3): new qrels."
    ]
    assert (exported.latest_matrix, exported.latest_revision) == (third, 3)
    shown = show_matrix(engine, first)
    assert (shown.replaced_by, shown.latest_matrix) == (second, third)
    assert status_phrase(show_matrix(engine, second)) == f"superseded by matrix {third}"
    assert status_phrase(show_matrix(engine, third)) == "current"
    withdraw_matrix(engine, third, "once more.", user="fay")
    assert export_notes(export_matrix(engine, third)) == [
        f"Matrix {third} (revision 3) is withdrawn: once more."
    ]


def test_a_file_is_overwritten_only_by_force(engine, tmp_path):
    number = log(engine)
    where = tmp_path / "scores.csv"
    where.write_text("precious")
    with refusing(InputError, "--force"):
        export_matrix(engine, number, output=where)
    assert where.read_text() == "precious"
    export_matrix(engine, number, output=where, force=True)
    assert where.read_text() == export_matrix(engine, number).content
    assert [*tmp_path.iterdir()] == [where]
    # As any file that a person makes, not as a temporary one.
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(where.stat().st_mode) == 0o666 & ~mask


def test_a_directory_is_replaced_only_by_force_and_only_an_export(engine, tmp_path):
    number, other = log(engine), log(engine, runs=("a", "y"), scores=SCORES[:, :2], label="r2")
    where = tmp_path / "runs"
    where.mkdir()  # empty: as good as none
    export_matrix(engine, number, layout="trec_eval", output=where)
    assert sorted(path.name for path in where.iterdir()) == ["a.eval", "b.eval", "c.eval"]
    with refusing(InputError, r"not empty.*--force"):
        export_matrix(engine, other, layout="trec_eval", output=where)
    assert len([*where.iterdir()]) == 3
    export_matrix(engine, other, layout="trec_eval", output=where, force=True)
    assert sorted(path.name for path in where.iterdir()) == ["a.eval", "y.eval"]
    assert log_again(engine, where.iterdir(), label="r2").status == "unchanged"
    (where / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match=r"thesis\.tex"):
        export_matrix(engine, number, layout="trec_eval", output=where, force=True)
    assert (where / "thesis.tex").read_text() == "precious"
    assert len([*where.iterdir()]) == 3
    assert [*tmp_path.iterdir()] == [where]


@pytest.mark.parametrize("layout", ["wide", "trec_eval"])
def test_a_write_that_fails_leaves_nothing(engine, tmp_path, monkeypatch, layout):
    number = log(engine)
    kept = tmp_path / "kept"
    export_matrix(engine, number, layout=layout, output=kept)
    before = tree(tmp_path)
    written = []

    def fail(handle):
        written.append(handle)
        if len(written) == (2 if layout == "trec_eval" else 1):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    for output, force in ((tmp_path / "new", False), (kept, True)):
        written.clear()
        with pytest.raises(InputError, match="No space left on device"):
            export_matrix(engine, number, layout=layout, output=output, force=force)
        assert tree(tmp_path) == before


def test_a_directory_that_cannot_take_its_place_is_put_back(engine, tmp_path, monkeypatch):
    number = log(engine)
    where = tmp_path / "runs"
    export_matrix(engine, number, layout="trec_eval", output=where)
    before = tree(tmp_path)
    rename = type(where).rename
    tried = []

    def fail(self, target):
        tried.append(target)
        if len(tried) == 2:
            raise OSError(16, "Device or resource busy")
        return rename(self, target)

    monkeypatch.setattr(type(where), "rename", fail)
    with pytest.raises(InputError, match="Device or resource busy"):
        export_matrix(engine, number, layout="trec_eval", output=where, force=True)
    assert len(tried) == 3
    assert tree(tmp_path) == before


def tree(directory):
    return {
        str(path.relative_to(directory)): path.read_text() if path.is_file() else None
        for path in directory.rglob("*")
    }


@pytest.mark.parametrize("layout", ["wide", "trec_eval"])
def test_no_place_to_write_is_said_in_one_sentence(engine, tmp_path, layout):
    number = log(engine)
    wrong = "directory" if layout == "wide" else "file"
    (tmp_path / "directory").mkdir()
    (tmp_path / "file").write_text("precious")
    for output in (tmp_path / "none/at/all", tmp_path / wrong, tmp_path / ("x" * 300)):
        with pytest.raises(InputError, match=re.escape(str(output))):
            export_matrix(engine, number, layout=layout, output=output, force=True)
    assert tree(tmp_path) == {"directory": None, "file": "precious"}


@pytest.mark.parametrize("layout", ["wide", "long", "trec_eval"])
def test_names_that_a_layout_cannot_hold_are_refused_before_anything_is_written(
    engine, tmp_path, layout
):
    number = log(engine, topics=("all", "mean", "t3", "t4"), runs=("query", "b", "c"))
    with refusing(InputError, "'all' would be read as a summary in any layout; an archive of its"):
        export_matrix(engine, number, layout=layout, output=tmp_path / "out")
    assert [*tmp_path.iterdir()] == []


# lineage


def test_standardised_scores_say_on_what_they_rest(engine, corrected):
    first, second, third = corrected
    new = standardise(engine, "task", "r1", "AP")
    assert (new.matrix, new.revision) == (third, 3)
    assert (new.factor_version, new.factors_matrix, new.factors_revision) == (4, third, 3)
    assert (new.outdated, standardised_notes(new), new.software) == (None, [], SOFTWARE)
    old = standardise(engine, "task", "r1", "AP", factors_version=2)
    assert (old.matrix, old.factors_matrix, old.factors_revision) == (third, first, 1)
    assert old.withdrawn == "wrong qrels"
    assert standardised_notes(old) == [
        f"Factor version 2 of round 'r1' was fitted on matrix {first} (revision 1), which is"
        f" superseded by matrix {second}: new qrels."
    ]
    log(engine, label="r2")
    withdraw_matrix(engine, third, "once more", user="fay")
    gone = standardise(engine, "task", "r2", "AP", factors_from="r1:4")
    assert (gone.factors_matrix, gone.withdrawn) == (third, "once more")
    assert standardised_notes(gone) == [
        f"Factor version 4 of round 'r1' was fitted on matrix {third} (revision 3), which is"
        " withdrawn: once more."
    ]


def test_rankings_say_on_what_they_rest(engine, corrected):
    first, second, third = corrected
    ranking = compare_rankings(engine, "task", "r1", "AP", resamples=50)
    assert (ranking.matrix, ranking.revision, ranking.factor_versions) == (third, 3, [4])
    assert (rank_notes(ranking), ranking.software) == ([], SOFTWARE)
    old = compare_rankings(engine, "task", "r1", "AP", versions=(2, 4), resamples=50)
    assert old.factor_versions == [2, 4]
    (note,) = rank_notes(old)
    assert f"matrix {first} (revision 1), which is superseded by matrix {second}" in note
