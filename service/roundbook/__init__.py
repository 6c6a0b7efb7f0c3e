"""Roundbook: the logbook of evaluation campaigns that run round after round.

In Python, ``roundbook.open()`` opens a record as a `roundbook.python.book.Book`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundbook.python.book import Book

__all__ = ["open"]


def open(address: str | None = None) -> Book:  # noqa: A001
    """Open a record: the embedded one, or that of a PostgreSQL server.

    Parameters
    ----------
    address : str, optional
        As ``postgresql://user:password@host:port/database``. Default: that of the settings, and
        the embedded server where they name none.

    Returns
    -------
    Book
        To be closed after use, by ``with`` or ``close()``.
    """
    # The terminal imports this package too, and starts without any of that.
    from roundbook.python.book import Book  # noqa: PLC0415

    return Book(address)
