"""What was decided, in sentences: what was logged, corrected, published, saved or renewed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from roundbook.logbook.kinds import find_kind
from roundbook.presentation.factors import fitted_notes, heading, unchanged
from roundbook.presentation.impact import stale_lines
from roundbook.presentation.matrices import (
    hidden_notes,
    log_notes,
    refittable_note,
    renewed_note,
    standardising_note,
    team_file_notes,
)
from roundbook.presentation.measures import merge_sentence
from roundbook.presentation.phrases import counted
from roundbook.presentation.runs import qrels_notes, run_notes
from roundbook.presentation.saved_results import brief_sentence
from roundbook.presentation.staleness import why_stale
from roundbook.presentation.teams import described_phrase
from roundbook.presentation.variances import recorded_notes

if TYPE_CHECKING:
    from roundbook.logbook.impact import Dependent
    from roundbook.logbook.matrices.corrections import CorrectedMatrix
    from roundbook.logbook.matrices.logged import LoggedMatrices, LoggedMatrix
    from roundbook.logbook.published import RecordedVariance
    from roundbook.logbook.result import Result
    from roundbook.logbook.round_changes import PublishedRound
    from roundbook.logbook.runs.assessing import LoggedQrels
    from roundbook.logbook.runs.log_runs import LoggedRuns
    from roundbook.logbook.saving import Renewal, SavedResult
    from roundbook.logbook.teams import DescribedTeams
    from roundbook.logbook.topics import AliasedTopics, UnaliasedTopic

DRY_RUN = "Dry run: nothing was written."
NOTHING_STALE = "Nothing was stale that can be renewed."


def decision_sentences(result: Any) -> list[str]:  # noqa: ANN401
    """Return what a decision brought about, in sentences; none of what is no decision."""
    make = _SENTENCES.get(type(result).__name__)
    return [] if make is None else [sentence for sentence in make(result) if sentence]


def renamed_sentence(what: str, was: str, name: str) -> str:
    """Return what a task or round is called from now on."""
    return f"{what} '{was}' is now '{name}'."


def published_sentences(published: PublishedRound, reason: str | None = None) -> list[str]:
    """Return that a round is published for good, or was so already, and has changed since.

    Parameters
    ----------
    reason : str, optional
        Why it was to be published.
    """
    if published.status != "unchanged":
        return [f"Round '{published.round}' is published for good: there is no way back."]
    day = f" on {published.published_at:%Y-%m-%d}" if published.published_at else ""
    lost = "; this reason was not recorded" if reason else ""
    sentences = [f"Round '{published.round}' was published already{day}{lost}."]
    if published.published_fingerprint is None:
        sentences.append("No fingerprint was noted then; this is that of today.")
    elif published.fingerprint != published.published_fingerprint:
        sentences.append(
            f"The round has changed since; its fingerprint today is {published.fingerprint}."
        )
    return sentences


def corrected_headline(corrected: CorrectedMatrix) -> str:
    """Return what is stale by a withdrawal or restoration, as the heading of a list."""
    # A plan that left the matrix out is listed too.
    return f"Stale now, of what rests on matrix {corrected.matrix} or was planned without it:"


def uncorrected_note(corrected: CorrectedMatrix, reason: str | None = None) -> str | None:
    """Return that a matrix was withdrawn or restored before, where it was.

    Parameters
    ----------
    reason : str, optional
        Why it was to be.
    """
    if corrected.status != "unchanged":
        return None
    how = "is withdrawn" if corrected.standing == "withdrawn" else "counts"
    since = f", since {corrected.decided_at:%Y-%m-%d}" if corrected.decided_at else ""
    given = "" if reason is None else f" '{reason}'"
    return f"Matrix {corrected.matrix} {how} already{since}; the reason{given} was not recorded."


def aliased_sentence(aliased: AliasedTopics) -> str:
    """Return how many other ids of topics are new, and how many were known."""
    count = len(aliased.aliases)
    known = f", {aliased.unchanged} known already" if aliased.unchanged or not count else ""
    return f"{counted(count, 'new id')} recorded{known}."


def unaliased_sentence(unaliased: UnaliasedTopic) -> str:
    """Return that an id is no other topic's any more."""
    return f"'{unaliased.id}' is a topic of its own again."


def stale_by_topics(changed: AliasedTopics | UnaliasedTopic) -> str | None:
    """Return which saved results are stale as rounds share other topics; None for none."""
    if not changed.stale:
        return None
    return f"Stale, as rounds share other topics now: {', '.join(changed.stale)}."


def described_notes(described: DescribedTeams) -> list[str]:
    """Return what to know of a team file: the runs it leaves out, the variances estimated anew."""
    where = f"round '{described.round}'"
    notes = team_file_notes(described.unknown_runs, described.undescribed_runs, where)
    note = renewed_note(described.renewed, corrected=described.status == "corrected")
    return [*notes, *([note] if note else []), *hidden_notes(described.hidden)]


def pool_corrected(described: DescribedTeams) -> bool:
    """Return whether another pool was known before."""
    return any(
        change.fact == "contributed_to_pool" and change.was is not None
        for change in described.changes
    )


def saved_sentence(saved: SavedResult) -> str:
    """Return under which name and version a result is saved."""
    done = "Saved" if saved.status == "saved" else "Unchanged"
    of_task = "" if saved.task is None else f", of task '{saved.task}'"
    title = find_kind(saved.kind).title
    return f"{done}: {title} '{saved.name}', version {saved.version}{of_task}."


def renewal_notes(renewal: Renewal) -> list[str]:
    """Return which results are the same today, and which stay stale."""
    return [
        *(
            f"'{one.after.name}' is the same today; no version was added."
            for one in renewal.renewed
            if one.status == "unchanged"
        ),
        *(f"'{entry.name}' stays stale: {error}" for entry, error in renewal.left),
    ]


def report_notes(written: Result) -> list[str]:
    """Return which measures it is not of, which drafts it tells of, what is left out, what changed."""
    facts = dict(written)
    notes = []
    if others := facts.get("other_measures"):
        notes.append(f"it is of {facts['measure']} alone, and not of {', '.join(others)}.")
    if facts.get("drafts"):
        notes.append(f"it tells of drafts: {', '.join(facts['drafts'])}.")
    if facts.get("draft"):
        notes.append(f"round '{facts['round']}' is a draft; its scores may change.")
    notes += [f"without {name}: {why}" for name, why in facts.get("left_out", {}).items()]
    return notes + [
        f"round '{label}' was corrected after it was published; the bundle says so."
        for label in facts.get("corrected", ())
    ]


def _of_matrices(logged: LoggedMatrices) -> Iterable[str | None]:
    # What is of all of them alike is said once.
    return dict.fromkeys(one for matrix in logged.matrices for one in _of_matrix(matrix))


def _of_matrix(logged: LoggedMatrix) -> list[str | None]:
    matrix = "" if logged.matrix is None else f"matrix {logged.matrix}, "
    when = "once" if logged.dry_run else "now that"
    return [
        f"{logged.task}, round '{logged.round}': {logged.measure}, {matrix}revision"
        f" {logged.revision}, {logged.topics} topics by {logged.runs} runs: {logged.status}.",
        *log_notes(logged),
        standardising_note(logged),
        *_refittable(logged.remarks.refittable),
        f"The team file told something new of {logged.runs_described} runs."
        if logged.runs_described and logged.status == "unchanged"
        else None,
        *_stale(logged.impact, f"Stale {when} the scores of {logged.measure} are replaced:"),
        *_dry(logged),
    ]


def _of_runs(logged: LoggedRuns) -> list[str]:
    when = "once" if logged.dry_run else "now that"
    return [
        f"{logged.task}, round '{logged.round}': {logged.runs} runs: {logged.status}.",
        *run_notes(logged),
        *_stale(logged.impact, f"Stale {when} further runs are logged:"),
        *_dry(logged),
    ]


def _of_qrels(logged: LoggedQrels) -> list[str]:
    when = "once" if logged.dry_run else "now that"
    return [
        f"{logged.task}, round '{logged.round}': {logged.assessments} assessments, revision"
        f" {logged.revision}: {logged.status}.",
        *qrels_notes(logged),
        *_stale(logged.impact, f"Stale {when} the assessments are corrected:"),
        *_dry(logged),
    ]


def _of_teams(described: DescribedTeams) -> list[str]:
    return [
        f"{described.task}, round '{described.round}': {described_phrase(described)}.",
        *described_notes(described),
        *_refittable(described.refittable, corrected=pool_corrected(described)),
        *_dry(described),
    ]


def _recorded(recorded: RecordedVariance) -> list[str]:
    return [
        f"{recorded.task}, round '{recorded.round}': {recorded.measure}, variance"
        f" {recorded.variance:g}: {recorded.status}.",
        *recorded_notes(recorded),
    ]


def _corrected(corrected: CorrectedMatrix) -> list[str | None]:
    return [
        f"Matrix {corrected.matrix} of round '{corrected.round}', {corrected.measure}:"
        f" {corrected.status}.",
        uncorrected_note(corrected),
        *_stale(corrected.impact, corrected_headline(corrected)),
    ]


def _renewed(renewal: Renewal) -> list[str]:
    renewed = [
        f"'{one.after.name}', version {one.after.version}: {brief_sentence(one.after)}; before,"
        f" {brief_sentence(one.before)}."
        for one in renewal.renewed
        if one.status == "saved"
    ]
    nothing = [] if renewal.renewed else [NOTHING_STALE]
    return [*renewed, *nothing, *renewal_notes(renewal), *_dry(renewal)]


def _refittable(factors: Sequence[Any], *, corrected: bool = False) -> list[str]:
    return [refittable_note(factors, corrected=corrected)] if factors else []


def _stale(dependents: Sequence[Dependent], headline: str) -> list[str]:
    return [headline, *stale_lines(dependents)] if dependents else []


def _dry(logged: Any) -> list[str]:  # noqa: ANN401
    return [DRY_RUN] if logged.dry_run else []


_SENTENCES: dict[str, Callable[[Any], Iterable[str | None]]] = {
    "LoggedMatrices": _of_matrices,
    "LoggedMatrix": _of_matrix,
    "LoggedRuns": _of_runs,
    "LoggedQrels": _of_qrels,
    "DescribedTeams": _of_teams,
    "AliasedTopics": lambda done: [aliased_sentence(done), stale_by_topics(done)],
    "UnaliasedTopic": lambda done: [unaliased_sentence(done), stale_by_topics(done)],
    "RecordedVariance": _recorded,
    "FittedFactorSet": lambda done: [heading(done), unchanged(done), *fitted_notes(done)],
    "CorrectedMatrix": _corrected,
    "MergedMeasures": lambda done: [merge_sentence(done)],
    "RenamedTask": lambda done: [renamed_sentence("Task", done.was, done.task)],
    "RenamedRound": lambda done: [renamed_sentence("Round", done.was, done.round)],
    "PublishedRound": published_sentences,
    "ShownResult": lambda shown: [(why := why_stale(shown)) and f"Stale: {why}."],
    "SavedResult": lambda done: [saved_sentence(done)],
    "Renewal": _renewed,
    "WrittenHtml": report_notes,
    "WrittenLatex": report_notes,
    "Deposit": report_notes,
}
