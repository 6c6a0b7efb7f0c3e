"""Matrices computed from a round's runs and assessments, and compared with logged ones."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from tests.factories import (
    create_round,
    create_task,
    export_matrix,
    list_events,
    log_files,
    log_measures,
    log_qrels,
    log_runs,
    refusing,
    show_matrix,
    verify_record,
)

from roundbook.errors import (
    ContentDiffersError,
    ImpossibleStatisticError,
    InputError,
    NotRecordedError,
)
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.runs.scoring import compare_scores
from roundbook.logbook.session import begin
from roundbook.presentation.matrices import log_notes
from roundbook.requests.runs import CompareScores

# By topic: bm25 finds grades 1, 0, 2; 1, 1; 0, 2. The best of topic t4 is not relevant.
BM25 = {"t1": "d1 d2 d3", "t2": "d4 d5", "t3": "d2 d6", "t4": "d1"}
DENSE = {"t1": "d3 d7", "t2": "d4 d8", "t3": "d6 d9", "t9": "d1"}
QRELS = "t1 d1 1|t1 d2 0|t1 d3 2|t2 d4 1|t2 d5 1|t2 d8 0|t3 d6 2|t3 d9 1|t4 d1 -1"


@pytest.fixture
def round_with_runs(engine, tmp_path):
    """Log two runs and the assessments of four topics; a fifth is not assessed."""
    create_task(engine, "web")
    create_round(engine, "web", "2024")
    for tag, lists in (("bm25", BM25), ("dense", DENSE)):
        lines = [
            f"{topic} Q0 {document} 1 {9 - rank}.5 {tag}\n"
            for topic, documents in lists.items()
            for rank, document in enumerate(documents.split())
        ]
        (tmp_path / f"{tag}.run").write_text("".join(lines))
    qrels = [line.split() for line in QRELS.split("|")]
    text = "".join(f"{topic} 0 {document} {grade}\n" for topic, document, grade in qrels)
    (tmp_path / "2024.qrels").write_text(text)
    files = (tmp_path / "bm25.run", tmp_path / "dense.run")
    log_runs(engine, "web", "2024", *files)
    log_qrels(engine, "web", "2024", tmp_path / "2024.qrels")
    return engine


def _compare(engine, measure, **options):
    request = CompareScores(task="web", round="2024", measure=measure, **options)
    with begin(engine, "organiser") as session:
        return compare_scores(session, request)


def test_runs_without_a_list_for_an_assessed_topic_are_told_of(round_with_runs, tmp_path):
    engine = round_with_runs
    for tag, topic in (("late", "t9"), ("later", "t10"), ("part", "t4")):
        (tmp_path / tag).write_text(f"{topic} Q0 d1 1 2 {tag}\n")
        log_runs(engine, "web", "2024", tmp_path / tag)
    tried = log_measures(engine, "web", "2024", [], "AP", from_runs=True, dry_run=True)
    logged = log_measures(engine, "web", "2024", [], "AP", from_runs=True)
    for (matrix,) in (tried.matrices, logged.matrices):
        assert (matrix.runs, matrix.remarks.runs_without_lists) == (5, ["late", "later"])
        assert (
            "2 of 5 runs have no list for any assessed topic and score 0 throughout: late, later. They"
            " may be of another round."
        ) in log_notes(matrix)
        assert (matrix.topics, matrix.remarks.lacking_lists) == (4, {"dense": 1, "part": 3})
        assert (
            "2 of 5 runs have no list for some assessed topics, where they score 0: part (3 of 4),"
            " dense (1 of 4)."
        ) in log_notes(matrix)


def test_matrices_are_made_from_runs_and_assessments(round_with_runs):
    engine, own = round_with_runs, ("map", "ndcg(gains={2:3,1:1})@10")
    logged = log_measures(engine, "web", "2024", [], *own, "RR", from_runs=True).matrices
    assert [entry.measure for entry in logged] == ["AP", "nDCG(gains=1:1,2:3)@10", "RR"]
    assert {entry.layout for entry in logged} == {"runs"}
    assert logged[0].remarks.topics_without_relevant == ["t4"]
    ndcg = (1 + 3 / 2) / (3 + 1 / log2(3)), 1 / (1 + 1 / log2(3))
    expected = {
        "AP": [[5 / 6, 1 / 2], [1, 1 / 2], [1 / 4, 1], [0, 0]],
        "nDCG(gains=1:1,2:3)@10": [
            [ndcg[0], 3 / (3 + 1 / log2(3))],
            [1, ndcg[1]],
            [3 / log2(3) / (3 + 1 / log2(3)), 1],
            [0, 0],
        ],
        "RR": [[1, 1], [1, 1], [1 / 2, 1], [0, 0]],
    }
    for entry in logged:
        rows = [line.split(",") for line in export_matrix(engine, entry.matrix).content.split()]
        assert rows[0] == ["topic", "bm25", "dense"]
        scores = np.array([row[1:] for row in rows[1:]], dtype=float)
        assert scores == pytest.approx(np.array(expected[entry.measure])), entry.measure
    shown = show_matrix(engine, logged[1].matrix)
    assert shown.tool == SOFTWARE
    assert shown.files == ["upload 1 of runs", "revision 1 of official assessments"]
    assert show_matrix(engine, logged[2].matrix).tool.startswith("ir_measures ")
    *_, event = list_events(engine, "web", what="matrix logged").events
    assert event.details["upload"] == event.details["assessments_revision"] == 1
    again = log_measures(engine, "web", "2024", [], "AP", from_runs=True).matrices[0]
    assert (again.status, again.matrix) == ("unchanged", logged[0].matrix)
    assert verify_record(engine).differences == []


def test_logged_scores_are_compared_with_computed_ones(round_with_runs, tmp_path):
    engine, file = round_with_runs, tmp_path / "scores.csv"
    file.write_text("topic,bm25,dense,other\nt1,.5,.5,.1\nt2,1,.75,.1\nt3,.50005,.4,.1\nt7,0,0,0\n")
    log_files(engine, "web", "2024", [file], "P@2")
    compared = _compare(engine, "P@2", limit=1)
    assert (compared.topics, compared.runs, compared.cells) == (3, 2, 6)
    assert (compared.different, compared.different_topics, compared.different_runs) == (2, 2, 1)
    assert compared.largest == pytest.approx(0.6)
    (cell,) = compared.cells_shown
    assert (cell.topic, cell.run, cell.logged, cell.computed) == ("t3", "dense", 0.4, 1)
    assert cell.difference == pytest.approx(0.6)
    assert (compared.only_logged_topics, compared.only_logged_runs) == (["t7"], ["other"])
    assert (compared.only_computed_topics, compared.only_computed_runs) == (["t4"], [])
    assert (compared.upload, compared.assessments_revision) == (1, 1)
    assert _compare(engine, "P@2", tolerance=0).different == 3
    with refusing(ContentDiffersError, "Other scores are already logged for P@2"):
        log_measures(engine, "web", "2024", [], "P@2", from_runs=True)


def test_what_is_missing_or_unknown_is_said(round_with_runs, tmp_path):
    engine = round_with_runs
    create_round(engine, "web", "2025")

    def log_from_runs(measure="AP", label="2024", **options):
        return log_measures(engine, "web", label, [], measure, from_runs=True, **options)

    with refusing(NotRecordedError, "has no round '2026'"):
        log_from_runs(label="2026")
    with refusing(NotRecordedError, "Round '2025' has no runs.*roundbook run log"):
        log_from_runs(label="2025")
    with refusing(NotRecordedError, "no relevance assessments 'second'.*; it has official"):
        log_from_runs(assessments="second")
    with refusing(ImpossibleStatisticError, "grade 2, which has no gain"):
        log_from_runs("nDCG(gains=1:1)@10")
    with refusing(InputError, "Neither Roundbook nor ir_measures .* computes clicks"):
        log_from_runs("clicks")
    for fields, reason in (
        (
            {"files": ("x",), "from_runs": True},
            "(?i)give score files, or take `from_runs`, not both",
        ),
        ({"from_runs": True, "file_measure": "map"}, "name them with `measure` alone"),
        ({"from_runs": True, "layout": "wide"}, "reads no score files: leave out `layout`"),
        ({"from_runs": True, "missing": "zero"}, "nothing counts 0: leave out `missing`"),
        ({}, "(?i)give score files, or compute the scores with `from_runs`"),
    ):
        files = fields.pop("files", ())
        with refusing(InputError, reason.replace("`", ".")):
            log_measures(engine, "web", "2024", files, "AP", **fields)
    with refusing(NotRecordedError, "has no scores yet"):
        _compare(engine, "AP")
