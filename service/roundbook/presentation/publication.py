"""What a change means for a published round, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundbook.logbook.round_fingerprint import Publication


def publication_note(
    round_label: str, publication: Publication | None, *, dry_run: bool = False
) -> str | None:
    """Return whether a changed round's published fingerprint verifies; None where not published."""
    if publication is None:
        return None
    published = f"Round '{round_label}' is published"
    if publication.published_fingerprint is None:
        return f"{published}."
    if publication.published_fingerprint == publication.fingerprint:
        return f"{published}; its published fingerprint still verifies."
    does = "would no longer verify" if dry_run else "no longer verifies"
    return f"{published}, and its published fingerprint {does}."
