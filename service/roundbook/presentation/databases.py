"""Notes on unusual settings of the database that a record is in."""

from __future__ import annotations

from roundbook.logbook.schema import DatabaseState


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
