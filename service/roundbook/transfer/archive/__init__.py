"""Archives of the record: export, import and verification."""
