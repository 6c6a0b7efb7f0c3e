"""Roundbook: the logbook of evaluation campaigns that run round after round.

In Python, ``roundbook.open()`` opens a record as a `roundbook.python.book.Book`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundbook.python.book import Book

__all__ = ["open"]


def open(address: str | None = None, token: str | None = None) -> Book:  # noqa: A001
    """Open a record: the embedded one, that of a PostgreSQL server, or that of a service.

    Parameters
    ----------
    address : str, optional
        ``postgresql://user:password@host:port/database``, or ``https://host`` of a service.
        Default: the settings' address, else the embedded server.
    token : str, optional
        A service's token; without one the service shows what is published.

    Returns
    -------
    Book
        Close it after use, by ``with`` or ``close()``.
    """
    # The terminal imports this package too, and starts without any of that.
    from roundbook.python.book import Book  # noqa: PLC0415

    return Book(address, token)
