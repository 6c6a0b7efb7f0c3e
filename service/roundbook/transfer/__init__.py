"""The record carried elsewhere: archives, backups, moves to another server."""
