"""Drift of standardisation factors between two rounds that share topics."""
