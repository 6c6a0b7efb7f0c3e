"""What a round is, and what a change means for a published one, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundbook.logbook.round_contents import RoundContents
    from roundbook.logbook.round_fingerprint import Publication


def round_sentence(contents: RoundContents) -> str:
    """Return where in its task a round stands, when and on what it was held, and its status."""
    held = "" if contents.held is None else f", held {contents.held}"
    on = "" if contents.collection is None else f", on {contents.collection}"
    return (
        f"Round '{contents.round}' of '{contents.task}', number {contents.ordinal}{held}{on}:"
        f" {contents.status}."
    )


def publication_note(
    round_label: str, publication: Publication | RoundContents | None, *, dry_run: bool = False
) -> str | None:
    """Return whether a round's published fingerprint verifies; None where it is not published."""
    if publication is None or publication.fingerprint is None:
        return None
    published = f"Round '{round_label}' is published"
    if publication.published_fingerprint is None:
        return f"{published}."
    if publication.published_fingerprint == publication.fingerprint:
        return f"{published}; its published fingerprint still verifies."
    does = "would no longer verify" if dry_run else "no longer verifies"
    return f"{published}, and its published fingerprint {does}."
