"""Sentences on decisions: what was logged, corrected, published, saved or renewed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from roundbook.errors import RoundbookError
from roundbook.logbook.kinds import find_kind
from roundbook.presentation.factors import fitted_notes, heading, unchanged
from roundbook.presentation.impact import stale_lines
from roundbook.presentation.matrices import hidden_notes, log_notes
from roundbook.presentation.measures import merge_sentence
from roundbook.presentation.phrases import counted, joined, listed, named
from roundbook.presentation.previews import near_note
from roundbook.presentation.rounds import collection_notes, out_of_order_notes, publication_note
from roundbook.presentation.runs import described_phrase, qrels_notes, run_notes
from roundbook.presentation.saved_results import brief_sentence, other_question, why_stale
from roundbook.presentation.teams import (
    refittable_notes,
    renewed_note,
    team_file_news,
    team_file_notes,
)
from roundbook.presentation.variances import recorded_notes

if TYPE_CHECKING:
    from roundbook.logbook.matrices.corrections import CorrectedMatrix
    from roundbook.logbook.matrices.logged import LoggedMatrices, LoggedMatrix
    from roundbook.logbook.result import Result
    from roundbook.logbook.round_changes import PublishedRound
    from roundbook.logbook.saving import Renewal, SavedResult
    from roundbook.logbook.teams import DescribedTeams
    from roundbook.logbook.topics import AliasedTopics, UnaliasedTopic

DRY_RUN = "Dry run: nothing was written."
NOTHING_STALE = "Nothing was stale that can be renewed."


def decision_sentences(result: Any) -> list[str]:  # noqa: ANN401
    """Return the sentences on the effects of a decision; an empty list for other results."""
    make = _SENTENCES.get(type(result).__name__)
    return [] if make is None else [sentence for sentence in make(result) if sentence]


def renamed_sentence(noun: str, old: str, new: str) -> str:
    """Return the sentence with the new name of a task or round."""
    return f"{noun} '{old}' is now '{new}'."


def published_sentences(published: PublishedRound, reason: str | None = None) -> list[str]:
    """Return the sentences that a round is published, or was before and whether it has changed."""
    if published.status == "draft":
        return ["Dry run: nothing was published."]
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


def _archived(archived: Any, done: str) -> list[str]:  # noqa: ANN401
    """Return the sentences on an archive that was written or read."""
    parts = [
        counted(len(archived.tasks), "task"),
        counted(archived.rounds, "round"),
        counted(archived.matrices, "matrix", "matrices"),
        counted(archived.plans + archived.drift_reports + archived.studies, "saved result"),
    ]
    return [f"{archived.archive} is {done}: {joined(parts)}.", f"SHA-256 {archived.sha256}"]


def stale_headline(decision: Any) -> str:  # noqa: ANN401
    """Return the heading of the list of what a decision made stale, or would in a dry run."""
    when = "once" if decision.dry_run else "now that"
    return f"Stale {when} {_STALE_BY[type(decision).__name__](decision)}:"


def uncorrected_note(corrected: CorrectedMatrix, reason: str | None = None) -> str | None:
    """Return the note that a matrix was withdrawn or restored before; None where it was not.

    `reason` is the one that was given this time.
    """
    if corrected.status != "unchanged":
        return None
    status = "is withdrawn" if corrected.matrix_status == "withdrawn" else "counts"
    since = f", since {corrected.decided_at:%Y-%m-%d}" if corrected.decided_at else ""
    quoted = "" if reason is None else f" '{reason}'"
    return (
        f"Matrix {corrected.matrix} {status} already{since}; the reason{quoted} was not recorded."
    )


def rename_note(corrected: CorrectedMatrix) -> str | None:
    """Return the note that a round of withdrawn scores may be renamed instead, None where not."""
    if not corrected.renamable:
        return None
    instead = (
        "rename the round instead" if corrected.dry_run else "restore them and rename the round"
    )
    return (
        f"Round '{corrected.round}' has no other scores. If these are another round's, {instead}."
    )


def aliased_sentence(aliased: AliasedTopics) -> str:
    """Return the sentence on how many further ids of topics are new, and how many were known."""
    count = len(aliased.aliases)
    unchanged = f", {aliased.unchanged} known already" if aliased.unchanged or not count else ""
    return f"{counted(count, 'new id')} recorded{unchanged}."


def unaliased_sentence(unaliased: UnaliasedTopic) -> str:
    """Return the sentence that an id is a topic of its own again."""
    return f"'{unaliased.id}' is a topic of its own again."


def stale_by_topics(changed: AliasedTopics | UnaliasedTopic) -> str | None:
    """Return the sentence on results made stale by a change of shared topics; None without any."""
    if not changed.stale:
        return None
    return f"Stale, as rounds share other topics now: {', '.join(changed.stale)}."


def described_notes(described: DescribedTeams) -> list[str]:
    """Return the notes on a team file: on its runs and teams, and what rested on what was known."""
    where = f"the scores or lists that count in round '{described.round}'"
    notes = team_file_notes(described, where)
    corrected = described.status == "corrected"
    note = renewed_note(described.renewed, corrected=corrected, dry_run=described.dry_run)
    former = [
        f"Team '{team}' has no run here any more, but in {counted(len(rounds), 'other round')}"
        f" ({listed(rounds)}): if it was renamed, correct its name there too, or it counts as two."
        for team, rounds in described.former_teams.items()
    ]
    refits = refittable_notes(described.refittable, corrected=pool_corrected(described))
    return [
        *notes,
        *([note] if note else []),
        *former,
        *hidden_notes(described.hidden),
        *(note for note, _ in refits),
    ]


def pool_corrected(described: DescribedTeams) -> bool:
    """Return whether a team file corrected which runs contributed to the pool."""
    return any(
        change.fact == "contributed_to_pool" and change.was is not None
        for change in described.changes
    )


def saved_sentence(saved: SavedResult) -> str:
    """Return the sentence with the name and version under which a result is saved.

    Where the request of the version before differs, a second sentence lists its options.
    """
    status = "Saved" if saved.status == "saved" else "Unchanged"
    of_task = "" if saved.task is None else f", of task '{saved.task}'"
    title = find_kind(saved.kind).title
    sentence = f"{status}: {title} '{saved.name}', version {saved.version}{of_task}."
    other = other_question(saved.version, saved.asked_before)
    return sentence if other is None else f"{sentence} {other}"


def renewal_notes(renewal: Renewal) -> list[str]:
    """Return the notes on results that rest on further rounds, are the same today, or stay stale."""
    rounds_added = {
        result.after.name: list(
            dict.fromkeys(
                change.round for change in result.before.changes if change.code == "added"
            )
        )
        for result in renewal.renewed
        if result.status == "saved"
    }
    return [
        *(
            f"'{name}' rests on {named('round', added)} too, which the version before did not."
            for name, added in rounds_added.items()
            if added
        ),
        *(
            f"'{result.after.name}' is the same today; no version was added."
            for result in renewal.renewed
            if result.status == "unchanged"
        ),
        *(f"'{entry.name}' stays stale: {error}" for entry, error in renewal.left),
    ]


def report_notes(written: Result, sentence: Callable[[RoundbookError], str] = str) -> list[str]:
    """Return the notes on a report: parts left out, drafts, a stale plan, corrections.

    `sentence` returns what an interface says of an error, for the parts that are left out.
    """
    facts = dict(written)
    notes = []
    others = ", ".join(facts.get("other_measures") or ())
    of_results = ", ".join(facts.get("measures_of_results") or ())
    if of_results:
        lacking = f"; it has nothing of {others}" if others else ""
        notes.append(f"it is of {facts['measure']}, with saved results of {of_results}{lacking}.")
    elif others:
        notes.append(f"it is of {facts['measure']} alone, and not of {others}.")
    if facts.get("drafts"):
        notes.append(f"it tells of drafts: {', '.join(facts['drafts'])}.")
    if facts.get("draft"):
        notes.append(f"round '{facts['round']}' is a draft; its scores may change.")
    if facts.get("plan_measure"):
        notes.append(
            f"its sizes are by plan '{facts['plan']}', which is of {facts['plan_measure']}."
        )
    if facts.get("plan_stale"):
        notes.append(f"plan '{facts['plan']}' is stale; its sizes are those it was saved with.")
    left_out: dict[str, list[str]] = {}
    for name, error in facts.get("left_out", {}).items():
        left_out.setdefault(sentence(error), []).append(name)
    notes += [f"without {', '.join(names)}: {why}" for why, names in left_out.items()]
    return notes + [
        f"round '{label}' was corrected after it was published; the bundle says so."
        for label in facts.get("corrected", ())
    ]


def _of_matrices(logged: LoggedMatrices) -> Iterable[str | None]:
    # Sentences that are the same for several matrices appear once.
    return dict.fromkeys(note for matrix in logged.matrices for note in _of_matrix(matrix))


def _of_matrix(logged: LoggedMatrix) -> list[str | None]:
    matrix = "" if logged.matrix is None else f"matrix {logged.matrix}, "
    return [
        f"{logged.task}, round '{logged.round}': {logged.measure}, {matrix}revision"
        f" {logged.revision}, {counted(logged.topics, 'topic')} by {counted(logged.runs, 'run')}:"
        f" {logged.status}.",
        *_near(logged.remarks),
        *log_notes(logged),
        team_file_news(logged),
        publication_note(logged.round, logged.publication, dry_run=logged.dry_run),
        *_stale(logged),
    ]


def _logged(logged: Any, subject: str, notes: Iterable[str]) -> list[str]:  # noqa: ANN401
    """Return the sentences on what was logged of a round: runs, assessments or a variance."""
    return [
        f"{logged.task}, round '{logged.round}': {subject}: {logged.status}.",
        *_near(logged),
        *notes,
        *_stale(logged),
    ]


def _of_teams(described: DescribedTeams) -> list[str | None]:
    return [
        f"{described.task}, round '{described.round}': {described_phrase(described)}.",
        *described_notes(described),
        publication_note(described.round, described.publication, dry_run=described.dry_run),
        *_stale(described),
    ]


def _corrected(corrected: CorrectedMatrix) -> list[str | None]:
    return [
        f"Matrix {corrected.matrix} of round '{corrected.round}', {corrected.measure}:"
        f" {corrected.status}.",
        uncorrected_note(corrected),
        rename_note(corrected),
        publication_note(corrected.round, corrected.publication, dry_run=corrected.dry_run),
        *_stale(corrected),
    ]


def _renewed(renewal: Renewal) -> list[str]:
    renewed = [
        f"'{result.after.name}', version {result.after.version}: {brief_sentence(result.after)};"
        f" before, {brief_sentence(result.before)}."
        for result in renewal.renewed
        if result.status == "saved"
    ]
    nothing = [] if renewal.renewed else [NOTHING_STALE]
    return [*renewed, *nothing, *renewal_notes(renewal), *_dry(renewal)]


def _stale(decision: Any) -> list[str]:  # noqa: ANN401
    """Return the heading and lines on what a decision made stale, and whether it was a dry run."""
    lines = stale_lines(decision.impact)
    return [*([stale_headline(decision), *lines] if lines else []), *_dry(decision)]


def _of_topics(changed: AliasedTopics | UnaliasedTopic) -> list[str | None]:
    return [stale_by_topics(changed), *_dry(changed)]


def _near(logged: Any) -> list[str]:  # noqa: ANN401
    return [near_note(new.kind, new.name, new.near) for new in logged.near_names]


def _dry(logged: Any) -> list[str]:  # noqa: ANN401
    return [DRY_RUN] if logged.dry_run else []


# By the type of a decision: what it does that makes other results stale.
_STALE_BY: dict[str, Callable[[Any], str]] = {
    "LoggedMatrix": lambda logged: (
        f"the scores of {logged.measure} are {'logged' if logged.revision == 1 else 'replaced'}"
    ),
    "LoggedRuns": lambda _: "further runs are logged",
    "LoggedQrels": lambda _: "the assessments are corrected",
    "DescribedTeams": lambda described: (
        "what is known of the runs is corrected"
        if described.status == "corrected"
        else "more is known of the runs"
    ),
    "RecordedVariance": lambda recorded: (
        f"the published variance of {recorded.measure} is replaced"
    ),
    "FittedFactorSet": lambda fitted: (
        f"factor version {fitted.version} of round '{fitted.round}' is fitted"
    ),
    # A plan that left a matrix out as withdrawn is stale once the matrix counts.
    "CorrectedMatrix": lambda corrected: (
        f"matrix {corrected.matrix}"
        f" {'is withdrawn' if corrected.matrix_status == 'withdrawn' else 'counts'}"
    ),
    "ChangedRound": lambda changed: (
        f"round '{changed.round}' declares no collection"
        if changed.collection is None
        else f"round '{changed.round}' is on collection '{changed.collection}'"
    ),
}
_SENTENCES: dict[str, Callable[[Any], Iterable[str | None]]] = {
    "LoggedMatrices": _of_matrices,
    "LoggedMatrix": _of_matrix,
    "LoggedRuns": lambda runs: _logged(runs, counted(runs.runs, "run"), run_notes(runs)),
    "LoggedQrels": lambda qrels: _logged(
        qrels, f"{qrels.assessments} assessments, revision {qrels.revision}", qrels_notes(qrels)
    ),
    "DescribedTeams": _of_teams,
    "AliasedTopics": lambda topics: [aliased_sentence(topics), *_of_topics(topics)],
    "UnaliasedTopic": lambda topic: [unaliased_sentence(topic), *_of_topics(topic)],
    "RecordedVariance": lambda recorded: _logged(
        recorded,
        f"{recorded.measure}, variance {recorded.variance:g}",
        recorded_notes(recorded),
    ),
    "FittedFactorSet": lambda fitted: [
        heading(fitted),
        unchanged(fitted),
        *fitted_notes(fitted),
        publication_note(fitted.round, fitted.publication, dry_run=fitted.dry_run),
        *_stale(fitted),
    ],
    "CorrectedMatrix": _corrected,
    "MergedMeasures": lambda merge: [merge_sentence(merge)],
    "RenamedTask": lambda renamed: [renamed_sentence("Task", renamed.was, renamed.task)],
    "CreatedTask": _near,
    "CreatedRound": lambda created: [
        *_near(created),
        *collection_notes(created),
        *out_of_order_notes([created]),
    ],
    "RoundList": lambda listed: out_of_order_notes(listed.rounds),
    "ChangedRound": lambda changed: [
        *collection_notes(changed),
        *out_of_order_notes([changed]),
        *_stale(changed),
    ],
    "RenamedRound": lambda renamed: [renamed_sentence("Round", renamed.was, renamed.round)],
    "PublishedRound": published_sentences,
    "ShownResult": lambda result: [(why := why_stale(result)) and f"Stale: {why}."],
    "SavedResult": lambda saved: [saved_sentence(saved)],
    "Renewal": _renewed,
    "WrittenHtml": report_notes,
    "WrittenLatex": report_notes,
    "Deposit": report_notes,
    "ExportedArchive": lambda exported: _archived(exported, "written"),
    "ImportedArchive": lambda imported: _archived(imported, "read"),
}
