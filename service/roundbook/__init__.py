"""Roundbook: the logbook of evaluation campaigns that run round after round."""
