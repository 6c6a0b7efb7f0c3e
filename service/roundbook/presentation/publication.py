"""Sentences on a round and its fingerprint, and the columns of its published variances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.phrases import counted
from roundbook.presentation.tables import Column, count, number

if TYPE_CHECKING:
    from roundbook.logbook.round_contents import RoundContents
    from roundbook.logbook.round_fingerprint import Publication


PUBLISHED_VARIANCES = (
    Column("measure", "Measure"),
    Column("assessments", "Assessments"),
    Column("scale", "Scale"),
    count("revision", "Revision"),
    number("variance", "Variance", 5),
    count("runs", "Runs"),
    count("topics", "Topics"),
    count("teams", "Teams", spare=1),
    Column("source", "Source"),
    Column("reason", "Revised because", spare=2),
)


def round_sentences(contents: RoundContents) -> list[str]:
    """Return the sentences on a round: its status, missing scores, and fingerprints."""
    sentences = [_round_sentence(contents)]
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


def _round_sentence(contents: RoundContents) -> str:
    held = "" if contents.held is None else f", held {contents.held}"
    on = "" if contents.collection is None else f", on {contents.collection}"
    return (
        f"Round '{contents.round}' of '{contents.task}', number {contents.ordinal}{held}{on}:"
        f" {contents.status}."
    )
