"""An open record: a server's, the embedded one, or a service's."""

from __future__ import annotations

import weakref
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from roundbook.errors import InputError
from roundbook.python.answers import Answer
from roundbook.python.ways_out import with_ways_out
from roundbook.use_cases import find_use_case

if TYPE_CHECKING:
    from roundbook.python.local import LocalRecord
    from roundbook.python.remote import RemoteRecord


def without_none(**fields: object) -> dict[str, object]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


class OpenRecord:
    """An open record, with every use case by its name; see `Book`."""

    def __init__(self, address: str | None = None, token: str | None = None) -> None:
        self._opened: LocalRecord | RemoteRecord
        if address is not None and address.startswith(("http://", "https://")):
            from roundbook.python.remote import RemoteRecord

            self._opened = RemoteRecord(address, token)
        else:
            from roundbook.python.local import LocalRecord

            self._opened = LocalRecord(address)
        # The embedded server is stopped when the book is closed or garbage-collected.
        self._close = weakref.finalize(self, self._opened.close)

    @property
    def _record(self) -> LocalRecord | RemoteRecord:
        if not self._close.alive:
            raise InputError("The book is closed; roundbook.open() opens one.")
        return self._opened

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the record; the embedded server stops unless somebody else uses it."""
        self._close()

    def ask(self, use_case: str, /, **fields: object) -> Answer:
        """Return the answer of any use case of `roundbook.use_cases`, by its name.

        Raises
        ------
        RequestError
            When a field has a value it cannot have, or there is no such field.
        """
        with with_ways_out():
            case = find_use_case(use_case)
            request = None if case.request is None else case.request(**without_none(**fields))
            return Answer(self._record.ask(use_case, request))

    def _upload(self, name: str, fields: dict[str, Any], *files: Path) -> Answer:
        with with_ways_out():
            return Answer(self._record.upload(name, fields, files))
