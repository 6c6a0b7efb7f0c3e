"""Significance tests of paired and of independent samples."""
