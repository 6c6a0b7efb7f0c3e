"""What holds a zip together, where zipfile does not look: damage there may not be all there is."""

from __future__ import annotations

import copy
import io
import struct
from typing import IO
from zipfile import LargeZipFile, ZipFile, ZipInfo

_HEADER = 30
# A member that begins later needs a later version to be found, but is no other.
_NEAR = 2**31 - 1
_PLAIN = 20


def find_disagreement(stream: IO[bytes], content: ZipFile) -> str | None:
    """Return the member whose header is not as the directory says, or that is not in its place.

    An empty string where the directory at the end is not as zipfile would write it of the same
    members; None where all is well, whatever program packed them, if it packed all alike.
    """
    infos = sorted(map(_near, content.infolist()), key=lambda info: info.header_offset)
    at, place = 0, ""
    try:
        for info in infos:
            place = info.filename
            expected = info.FileHeader(zip64=False)
            stream.seek(at)
            fixed = stream.read(_HEADER).ljust(_HEADER)
            name, extra = struct.unpack_from("<HH", fixed, _HEADER - 4)
            there = fixed[:-2] + stream.read(name)
            # Other things that a program notes of a file may differ between the two places.
            if info.header_offset != at or there != expected[: _HEADER - 2] + place.encode():
                return place
            at += _HEADER + name + extra + info.compress_size
        place = ""
        tail = _Tail(at)
        with ZipFile(tail, "w") as again:
            again.comment = content.comment
            again.infolist().extend(content.infolist())
        stream.seek(at)
        same = stream.read(len(tail.getvalue()) + 1) == tail.getvalue()
    except (OSError, ValueError, struct.error, LargeZipFile):  # numbers that no header holds
        return place
    alike = {(i.create_version, i.create_system, i.internal_attr, i.external_attr) for i in infos}
    return None if same and len(alike) <= 1 else ""


def _near(info: ZipInfo) -> ZipInfo:
    near = copy.copy(info)
    if info.header_offset > _NEAR:
        near.create_version = near.extract_version = _PLAIN
    return near


class _Tail(io.BytesIO):
    """What is written from a place on, without what is before it."""

    def __init__(self, start: int) -> None:
        super().__init__()
        self._start = start

    def tell(self) -> int:
        return self._start + super().tell()

    def seek(self, place: int, whence: int = 0) -> int:
        return super().seek(place - self._start, whence)
