"""Verification of the record: everything derived is computed again and compared."""
