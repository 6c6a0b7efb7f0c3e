"""Roundbook: the logbook of evaluation campaigns that run round after round."""

from importlib.metadata import version

__version__ = version("roundbook")
