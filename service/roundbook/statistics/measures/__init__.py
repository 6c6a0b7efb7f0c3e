"""Measures computed from ranked lists and relevance assessments, on arrays."""
