"""Transfer of the record: archives, backups, and moves to another server."""
