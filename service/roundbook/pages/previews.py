"""The kinds of files that pages log, scores, runs and assessments, and their previews."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from roundbook.logbook.impact import Dependent
from roundbook.logbook.matrices.listing import list_matrices
from roundbook.logbook.matrices.logged import LoggedMatrices
from roundbook.logbook.matrices.showing import show_matrix
from roundbook.logbook.runs.assessing import LoggedQrels
from roundbook.logbook.runs.listing import list_runs
from roundbook.logbook.runs.log_runs import LoggedRuns
from roundbook.logbook.session import Session
from roundbook.logbook.topics import list_topics
from roundbook.presentation.decisions import decision_sentences
from roundbook.presentation.matrices import log_notes
from roundbook.presentation.previews import qrels_file_facts, run_file_facts, score_file_facts
from roundbook.presentation.rounds import publication_note
from roundbook.presentation.runs import qrels_notes, run_notes
from roundbook.presentation.teams import team_file_news
from roundbook.requests.matrices import ListMatrices, ShowMatrix
from roundbook.requests.runs import ListRuns
from roundbook.requests.tasks import ListTopics

Logged = LoggedMatrices | LoggedRuns | LoggedQrels


class Preview(NamedTuple):
    """What logging files would do, by what was `understood` of them, its notes and its `impact`.

    `expected` are the request's fields with the revisions that are seen now.
    """

    unchanged: bool
    understood: dict[str, str]
    notes: list[str]
    impact: list[Dependent]
    expected: Mapping[str, Any]


class FileKind(NamedTuple):
    """A kind of file: its name and hint in the form, and the use case of `UPLOADS` that logs it.

    `fields` are the form's fields that not every kind has; `look` returns the preview of files as
    logged, within the transaction.
    """

    name: str
    hint: str
    use_case: str
    fields: tuple[str, ...]
    look: Callable[[Session, Any], Preview]


def _look_at_scores(session: Session, logged: LoggedMatrices) -> Preview:
    (matrix,) = logged.matrices
    request = ListMatrices(task=matrix.task, round=matrix.round, measure=matrix.measure)
    number = next(
        row.matrix
        for row in list_matrices(session, request).matrices
        if row.assessments == matrix.assessments
    )
    details = show_matrix(session, ShowMatrix(matrix=number))
    listed = list_topics(session, ListTopics(task=matrix.task)).topics
    own = set(details.topics)
    returned = sum(
        any(entry.round != matrix.round for entry in topic.rounds)
        for topic in listed
        if not own.isdisjoint((topic.topic, *topic.aliases))
    )
    published = publication_note(matrix.round, matrix.publication, dry_run=matrix.dry_run)
    facts = score_file_facts(matrix, details.topics, [run.run for run in details.runs])
    return Preview(
        unchanged=matrix.status == "unchanged" and not matrix.runs_described,
        understood=facts | {"Topics of other rounds": f"{returned} of {matrix.topics}"},
        notes=list(filter(None, [published, *log_notes(matrix), team_file_news(matrix)])),
        impact=matrix.impact,
        expected={"expected_revisions": {matrix.measure: matrix.revision - 1}},
    )


def _look_at_runs(session: Session, logged: LoggedRuns) -> Preview:
    listed = list_runs(session, ListRuns(task=logged.task, round=logged.round))
    latest = listed.uploads[-1].upload
    new = [run.run for run in listed.runs or () if run.upload == latest]
    return Preview(
        unchanged=logged.status == "unchanged",
        understood=run_file_facts(logged, new),
        notes=run_notes(logged),
        impact=logged.impact,
        expected={},  # lists are never revised
    )


def _look_at_qrels(_: Session, logged: LoggedQrels) -> Preview:
    return Preview(
        unchanged=logged.status == "unchanged",
        understood=qrels_file_facts(logged),
        notes=qrels_notes(logged),
        impact=logged.impact,
        expected={"expected_revision": logged.revision - 1},
    )


KINDS = {
    "scores": FileKind(
        "Scores",
        "Scores as a table of topics by runs, a line a score, or what trec_eval, ir_measures and"
        " NTCIREVAL print, as text, Excel or Parquet.",
        "log",
        ("measure", "missing", "revise", "assessments", "teams"),
        _look_at_scores,
    ),
    "runs": FileKind(
        "Runs",
        "What runs retrieved, in TREC's run format, gzipped or not: topic, Q0, document, rank,"
        " score, tag. What a run retrieved never changes.",
        "log_runs",
        (),
        _look_at_runs,
    ),
    "assessments": FileKind(
        "Relevance assessments",
        "Relevance assessments in TREC's format, gzipped or not: topic, iteration, document, grade.",
        "log_qrels",
        ("revise", "assessments"),
        _look_at_qrels,
    ),
}


def logged_sentences(logged: Logged) -> list[str]:
    """Return the sentences on what was logged, and how to renew the saved results it made stale."""
    sentences = decision_sentences(logged)
    first = logged.matrices[0] if isinstance(logged, LoggedMatrices) else logged
    if any(dependent.entry for dependent in first.impact):
        sentences.append("Saved results are renewed under Results, or on the page of their task.")
    return sentences
