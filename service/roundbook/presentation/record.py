"""Sentences on a whole record: events, what verifying found, and settings of the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roundbook.logbook.events import Event
    from roundbook.logbook.schema import DatabaseState
    from roundbook.logbook.verifying.differences import (
        Difference,
        DifferenceKind,
        NotComputedReason,
        Verification,
    )

KINDS: dict[DifferenceKind, str] = {
    "content-hash": "content hashes",
    "factors": "standardisation factors",
    "variance": "residual variances",
    "variance-parts": "inputs of intervals",
    "runs": "runs",
    "assessments": "relevance assessments",
    "result": "saved results",
    "event": "events",
}

# By kind, the clause that precedes the computed value.
_GIVES = {
    "content-hash": "there are",
    "factors": "the scores of its {runs} standardising runs give",
    "variance": "the scores give",
    "variance-parts": "the scores give",
    "runs": "what is there gives",
    "assessments": "what is there gives",
    "result": "what it rests on gives",
    "event": "it refers to",
}

# By table and field: sentences for differences that are not of a recorded and a computed value.
_SENTENCES = {
    ("matrix", "references"): "its measure is missing",
    ("matrix", "content_hash"): (
        "these are not the scores that were logged: their hash is another"
    ),
    ("run", "round"): "run '{run}' is of round '{recorded}', and not of this one",
    ("matrix", "measure"): "it was logged of {computed}",
    ("published_variance", "measure"): "it was recorded of {computed}, not {recorded}",
    ("factor", "topics_with_factors"): "it has factors of {recorded} topics, not of {computed}",
    ("factor_set", "factor_sets"): "it has {runs} runs and no factors",
    ("factor_set", "version"): "there is no version before it of these scores",
    ("variance_estimate", "version"): "version {recorded} is there, and not version {computed}",
    ("factor_set", "standardising_runs"): (
        "it says that {recorded} runs standardise it, but {computed} do"
    ),
    ("variance_estimate", "estimates"): "it is missing",
    ("variance_estimate", "topic_ids"): "its topics are not those of the scores",
    ("variance_estimate", "latest_clusters"): (
        "clusters is {recorded} in the last estimate, and the runs' teams give {computed}"
    ),
    ("result", "inputs"): (
        "its result tells of {recorded} inputs, and {computed} are listed in their order"
    ),
    ("result", "topics"): (
        "it compares {recorded} topics, and these are not the {computed} that both factor versions"
        " have"
    ),
    ("event", "fingerprint"): (
        "it notes the fingerprint {recorded}, and the round, in which nothing has changed since, has"
        " {computed}"
    ),
    ("uploaded_run", "content_hash"): (
        "these are not the lists that were logged: their hash is another"
    ),
    ("run_upload", "lists"): "{computed} of its lists are of runs that it does not have",
    ("run_upload", "documents"): (
        "{recorded} documents have numbers, and its lists name number {computed} of them"
    ),
    ("document_names", "content_hash"): (
        "the names of documents from number {recorded} on are not those that were logged: their"
        " hash is another"
    ),
    ("document_names", "names"): "of {recorded} names of documents only {computed} are different",
    ("qrels", "content_hash"): (
        "these are not the judgments that were logged: their hash is another"
    ),
    ("qrels", "documents"): (
        "{recorded} documents have numbers, and it judges number {computed} of them"
    ),
    ("withdrawal", "withdrawals"): (
        "it has {recorded} withdrawals and restorations, and {computed} events of them"
    ),
}


_NOT_COMPUTED: dict[NotComputedReason, str] = {
    "form": "saved in an earlier form: only what both forms have was compared",
    "known": "since other teams, systems or ids of topics are known by now than were then",
    "long": "since that takes more than a minute",
}


def not_computed_sentences(verification: Verification) -> list[str]:
    """Return a sentence for each reason why saved results were not computed again."""
    sentences = []
    for code, reason in _NOT_COMPUTED.items():
        names = [
            f"{row.result_kind} '{row.result}' version {row.version}"
            for row in verification.not_computed
            if row.reason == code
        ]
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            sentences.append(f"Not computed again: {names[0]}{more}, {reason}.")
    return sentences


def difference_sentence(difference: Difference) -> str:
    """Return the sentence on a difference and its subject, without a full stop."""
    return f"{difference_subject(difference)}: {_what_differs(difference)}"


def difference_subject(difference: Difference) -> str:
    """Return the subject of a difference: a matrix, a saved result, an event, a round or a task."""
    if difference.matrix is not None:
        if difference.measure is None:
            return f"matrix {difference.matrix}"
        subject = (
            f"'{difference.task}' round '{difference.round}', {difference.measure}"
            f" ({difference.assessments}, revision {difference.revision})"
        )
        if difference.scale is not None:
            subject += f", {difference.scale} scale"
        if difference.factor_version is not None:
            link = " by" if difference.scale is not None else ","
            subject += f"{link} factor version {difference.factor_version}"
        return subject
    if difference.result is not None:
        return f"{difference.result_kind} '{difference.result}' version {difference.version}"
    if difference.event is not None:
        return f"event {difference.event}"
    if difference.round is None:
        return f"task '{difference.task}'"
    part = ""
    if difference.run is not None:
        part = f", run '{difference.run}'"
    elif difference.upload is not None:
        part = f", upload {difference.upload}"
    elif difference.kind == "runs":
        part = ", its runs"
    elif difference.table == "qrels":
        part = f", assessments '{difference.assessments}', revision {difference.revision}"
    elif difference.table == "published_variance":
        part = (
            f", published variance ({difference.assessments}, {difference.scale}, revision"
            f" {difference.revision})"
        )
    return f"'{difference.task}' round '{difference.round}'{part}"


def _what_differs(difference: Difference) -> str:
    if difference.reason is not None:
        return str(difference.reason).removesuffix(".")
    facts = {
        name: "none" if value is None else repr(value) if isinstance(value, float) else str(value)
        for name, value in difference
        if name in ("recorded", "computed", "runs", "run")
    }
    sentence = _SENTENCES.get((difference.table, difference.what))
    if sentence is not None:
        return sentence.format(**facts)
    field = difference.what
    if difference.kind == "event" and isinstance(difference.recorded, int):
        events = {0: "no event says", 1: "an event says"}.get(
            int(difference.computed or 0), f"{difference.computed} events say"
        )
        if difference.recorded == 0:
            return f"it says '{field}', and nothing of the kind is recorded"
        return f"{events} '{field}' of it"
    if difference.topic is not None:
        field = f"the {field} of topic '{difference.topic}'"
    elif difference.result is not None and difference.round is not None:
        field = f"the {field} of round '{difference.round}'"
    gives = _GIVES[difference.kind].format(**facts)
    if (difference.kind, difference.table) == ("event", "result"):
        gives = "the event of its saving says"
    return f"{field} is {facts['recorded']}, and {gives} {facts['computed']}"


def database_notes(state: DatabaseState) -> list[str]:
    """Return the notes on differing settings, a pooler, a standby, and read-only transactions."""
    notes = []
    if state.settings:
        others = "; ".join(
            f"{setting.name} is '{setting.value}', and '{setting.pinned}' in Roundbook's"
            " transactions"
            for setting in state.settings
        )
        notes.append(f"Set otherwise here, which Roundbook's results do not depend on: {others}.")
    if state.pooler:
        notes.append(
            "A pooler answers in the server's place. Backups are saved and restored at the server's"
            " own address."
        )
    if state.standby:
        notes.append("This server is a standby: it can be read, and takes no change.")
    elif state.read_only:
        notes.append(
            "Transactions here are read-only (default_transaction_read_only): nothing can be"
            " changed."
        )
    return notes


def event_details(values: Mapping[str, Any]) -> str:
    """Return the details of an event as text; for a changed value, the old and the new one."""
    texts = []
    for name, value in values.items():
        fact, of, run = name.partition(" of ")  # a run's tag may have an underscore
        shown = f"{fact.replace('_', ' ')}{of}{run}"
        if isinstance(value, dict) and set(value) == {"was", "is"}:
            texts.append(f"{shown}: {_text(value['was'])} → {_text(value['is'])}")
        else:
            texts.append(f"{shown} {_text(value)}")
    return ", ".join(texts)


def differing_users(events: Sequence[Event]) -> list[Event]:
    """Return events with `database_user` set to None where it is the same as `who`."""
    return [
        event.model_copy(update={"database_user": None})
        if event.database_user == event.who
        else event
        for event in events
    ]


def _text(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, dict):
        return " ".join(f"{name} {_text(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
