"""The record as an archive: written, read back and checked."""
