"""Sentences on rounds: when and on which collection they were held, what they have, fingerprints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roundbook.errors import WayOut
from roundbook.presentation.phrases import counted, joined, listed
from roundbook.presentation.previews import near_note
from roundbook.presentation.tables import Column, count, variance_column

if TYPE_CHECKING:
    from roundbook.logbook.held_order import OutOfOrder
    from roundbook.logbook.matrices.listing import ListedMatrix
    from roundbook.logbook.round_changes import ChangedRound
    from roundbook.logbook.round_contents import RoundContents
    from roundbook.logbook.round_fingerprint import Publication, VerifiedRound
    from roundbook.logbook.rounds import CreatedRound, Round

_FEW_PAIRS = 3
# For callers without a token, in place of figures over all rounds where some are not published.
OF_ALL_ROUNDS = (
    "Figures over all rounds, such as variances and drift, take a token until every round is"
    " published."
)


def assumed_collection(collections: Sequence[tuple[str, str | None]]) -> str | None:
    """Return the sentence on the collections that rounds are assumed to be held on.

    The rounds are given with the collection that each declares; None where all declare theirs.
    """
    labels = [f"'{label}'" for label, collection in collections if collection is None]
    if not labels:
        return None
    declared = {collection for _, collection in collections if collection is not None}
    where = "the same document collection"
    if len(declared) == 1:
        where = f"the document collection '{declared.pop()}' too"
    rounds = f"{len(labels)} rounds were"
    if len(labels) <= 3:
        rounds = f"round {labels[0]} was" if len(labels) == 1 else f"rounds {joined(labels)} were"
    return f"Assumed: {rounds} held on {where}, since none is declared."


def out_of_order(pair: OutOfOrder) -> str:
    """Return the clause that a round was held before one that is recorded before it."""
    return (
        f"Round '{pair.round}' was held on {pair.held}, before round '{pair.recorded_after}'"
        f" ({pair.recorded_after_held}), but is recorded after it"
    )


def out_of_order_notes(rounds: Sequence[Round]) -> list[str]:
    """Return the notes on rounds whose dates contradict the order of rounds, a few of many."""
    pairs = list(dict.fromkeys(out_of_order(pair) for row in rounds for pair in row.out_of_order))
    if not pairs:
        return []
    clauses = pairs[:_FEW_PAIRS]
    if len(pairs) > _FEW_PAIRS:
        clauses.append(f"{len(pairs) - _FEW_PAIRS:,} other rounds have such dates")
    return [
        *(f"{clause}." for clause in clauses[:-1]),
        f"{clauses[-1]}: what compares rounds or takes the latest goes by the order of recording.",
    ]


def collection_notes(declared: CreatedRound | ChangedRound) -> list[str]:
    """Return what a collection just declared may be a slip for, and which topics it parts."""
    notes = []
    if declared.near_collection:
        name = str(declared.collection)
        notes.append(near_note("document collection", name, declared.near_collection))
    if parted := getattr(declared, "no_longer_shared", None):
        shared = listed([f"{number:,} with round '{label}'" for label, number in parted.items()])
        notes.append(
            f"Topics that round '{declared.round}' no longer shares, as these rounds are on other"
            f" documents now: {shared}. Drift and factors compare shared topics alone; if a"
            " collection only grew, declare its rounds under one name."
        )
    return notes


def correct_date(task: str) -> WayOut:
    """Return the advice where the dates of a task's rounds contradict their order."""
    return WayOut("correct a date", {"task": task})


def several_assessments(measure: str, label: str | None, labels: Sequence[str]) -> str:
    """Return the note that a measure has several assessments labels; `label` is the one shown."""
    note = (
        f"{measure} is recorded under several assessments ({listed(labels, 8)}), which are never"
        " mixed"
    )
    return f"{note}." if label is None else f"{note}: shown is {label}."


def no_current_scores(
    measure: str, assessments: str | None, matrices: Sequence[ListedMatrix]
) -> str:
    """Return the sentence that no scores of a measure, under a label if given, count in a round.

    It names the measures that the round has, by its score matrices.
    """
    by = "" if assessments is None else f" under '{assessments}' assessments"
    for row in matrices:
        requested = row.measure == measure and assessments in (None, row.assessments)
        if requested and row.status == "withdrawn":
            why = (row.reason or "").rstrip(".")
            return f"The {measure} scores of this round{by} (matrix {row.matrix}) are withdrawn: {why}."
    if by:
        return f"This round has no {measure} scores{by} that stand."
    measures = dict.fromkeys(row.measure for row in matrices if row.status == "current")
    has = f"; it has {listed(list(measures), 8)}" if measures else ""
    return f"This round has no {measure} scores{has}."


PUBLISHED_VARIANCES = (
    Column("measure", "Measure"),
    Column("assessments", "Assessments"),
    Column("scale", "Scale"),
    count("revision", "Revision"),
    variance_column("variance", "Variance"),
    count("runs", "Runs"),
    count("topics", "Topics"),
    count("teams", "Teams", spare=1),
    Column("source", "Source"),
    Column("reason", "Revised because", spare=2),
)


def round_sentences(contents: RoundContents) -> list[str]:
    """Return the sentences on a round: its status, missing scores, and fingerprints."""
    held = "" if contents.held is None else f", held {contents.held}"
    on = "" if contents.collection is None else f", on {contents.collection}"
    sentences = [
        f"Round '{contents.round}' of '{contents.task}', number {contents.ordinal}{held}{on}:"
        f" {contents.status}."
    ]
    if not contents.matrices:
        published = len(contents.published_variances)
        only = f", only {counted(published, 'published variance')}" if published else ""
        sentences.append(f"No scores yet{only}.")
    if note := publication_note(contents.round, contents):
        sentences += [note, f"Fingerprint {contents.fingerprint}"]
        if contents.published_fingerprint not in (None, contents.fingerprint):
            sentences.append(f"As published {contents.published_fingerprint}")
    return sentences


def publication_note(
    round_label: str, publication: Publication | RoundContents | None, *, dry_run: bool = False
) -> str | None:
    """Return the note on a published round and its fingerprint; None if it is not published."""
    if publication is None or publication.fingerprint is None:
        return None
    published = f"Round '{round_label}' is published"
    if publication.published_fingerprint is None:
        return f"{published}."
    if publication.published_fingerprint == publication.fingerprint:
        return f"{published}; its published fingerprint still verifies."
    differs = "would no longer verify" if dry_run else "no longer verifies"
    return f"{published}, and its published fingerprint {differs}."


def given_fingerprint_note(verified: VerifiedRound) -> str | None:
    """Return the note that a given fingerprint is not that of the publication, else None."""
    published = verified.published_fingerprint
    if verified.status == "same" or published in (None, verified.expected):
        return None
    if published == verified.fingerprint:
        return "The round is as it was published; the fingerprint given is another one."
    return "The fingerprint given is not that of its publication either."
