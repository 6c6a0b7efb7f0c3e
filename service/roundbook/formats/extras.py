"""Imports of optional libraries, which only some formats need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from roundbook.errors import MissingExtraError


def import_extra(module: str, extra: str, file: str) -> Any:  # noqa: ANN401
    """Return a module of a library that an extra of Roundbook installs.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        message = f"{file}: this takes {library}, which is not installed."
        raise MissingExtraError(message, extra) from None
