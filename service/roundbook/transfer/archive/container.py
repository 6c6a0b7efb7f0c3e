"""The container of archives: a zip of plain CSV and JSON files, with checksums.

The last member, ``manifest.json``, lists the others with their checksums, bytes and rows. The one
before it, ``datapackage.json``, describes the CSV files for other programs. The zip has no times
and a fixed order, so that the same content always gives the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Annotated, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from roundbook.errors import BadFileError, InputError
from roundbook.formats.table import has_unfit, readable
from roundbook.formats.text import shown_path
from roundbook.transfer.archive.data_package import (
    DATA_PACKAGE,
    TableSchema,
    describe_file,
    package_pieces,
    part_schema,
)
from roundbook.transfer.archive.tables import VERSION

FORMAT = "roundbook archive"
MANIFEST = "manifest.json"

# Limits of reading, whatever an archive claims. The largest score matrix fits into a member.
MAX_MEMBER = 2**30
MAX_UNPACKED = 16 * 2**30
MAX_MANIFEST = 64 * 2**20
# Up to so many bytes any ratio is allowed, as equal scores compress several hundredfold.
_ANY_RATIO_BYTES = 64 * 2**20
_MAX_RATIO = 100

_NAME = re.compile(r"(?:[a-z_]+/)?[A-Za-z0-9_]+\.(?:csv|json|txt)")
_EARLIEST = (1980, 1, 1, 0, 0, 0)
_CHUNK = 2**20
_ENCRYPTED = 1
# The errors of zipfile for files that are no zip or have been altered.
BROKEN = (
    BadZipFile,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)


def _checked_line(text: str) -> str:
    if has_unfit(text) or len(text) > 2000:
        raise ValueError("this is no line of at most 2,000 characters")
    return text


_Text = Annotated[str, AfterValidator(_checked_line)]


class Member(BaseModel, strict=True, frozen=True, extra="forbid"):
    """A member's entry in the manifest; `rows` counts those below the header of a CSV."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)
    rows: int | None = Field(ge=0)


class Manifest(BaseModel, strict=True, frozen=True, extra="forbid"):
    """The manifest: format version, software, schema revision, tasks and members.

    `tasks` are those the export was limited to, None for the whole record.
    """

    format: str
    version: int
    software: _Text
    schema_revision: _Text
    tasks: list[_Text] | None
    members: dict[str, Member]


class Archive(NamedTuple):
    """An open archive, whose members have been checked against the manifest."""

    file: str
    bytes: int
    sha256: str
    manifest: Manifest
    content: ZipFile

    def member(self, name: str) -> str:
        """Return a member's name in errors, behind that of the archive."""
        return f"{self.file}/{name}"


def write_archive(
    target: Path,
    members: Iterable[tuple[str, Iterable[str]]],
    *,
    schemas: Mapping[str, TableSchema],
    about: Manifest,
) -> Manifest:
    """Write a new archive, which only its owner may read, and return its manifest.

    Parameters
    ----------
    members : iterable of (name, pieces of text)
        In the order of their names. The pieces of a CSV are its records, the header first. Only
        one piece at a time and the headers are held in memory.
    schemas : mapping of str to Table Schema
        By member, for ``datapackage.json``; a CSV without one is a score matrix, or ranked lists.
    about : Manifest
        The manifest without its members.

    Raises
    ------
    InputError
        When a member would be larger than an archive may hold.
    OSError
    """
    written: dict[str, Member] = {}
    headers: dict[str, str] = {}
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        with ZipFile(file, "w") as content:
            for name, pieces in members:
                if name.endswith(".csv"):
                    rest = iter(pieces)
                    headers[name] = next(rest)
                    pieces = chain([headers[name]], rest)  # noqa: PLW2901
                written[name] = _write_member(content, name, pieces)
            resources = (
                describe_file(
                    name,
                    sha256=written[name].sha256,
                    size=written[name].bytes,
                    schema=schemas[name] if name in schemas else part_schema(header),
                )
                for name, header in headers.items()
            )
            written[DATA_PACKAGE] = _write_member(
                content, DATA_PACKAGE, package_pieces(about.software, resources)
            )
            manifest = about.model_copy(update={"members": written})
            _write_member(content, MANIFEST, [manifest.model_dump_json(indent=1), "\n"])
        file.flush()
        os.fsync(file.fileno())
    return manifest


def _write_member(content: ZipFile, name: str, pieces: Iterable[str]) -> Member:
    info = ZipInfo(name, _EARLIEST)
    info.create_system = 3  # Unix, wherever it is written
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    info.compress_type = ZIP_DEFLATED
    with content.open(info, "w") as stream:
        return measure_member(name, pieces, stream.write)


def measure_member(
    name: str, pieces: Iterable[str], write: Callable[[bytes], object] = lambda _: None
) -> Member:
    """Return the manifest's entry of a member from its pieces of text, passing each to `write`.

    Raises
    ------
    InputError
        When the member would be larger than an archive may hold.
    """
    digest, size, count = hashlib.sha256(), 0, 0
    for count, piece in enumerate(pieces, 1):  # noqa: B007
        data = piece.encode()
        size += len(data)
        if size > MAX_MEMBER:
            raise InputError(f"{name} would be larger than {MAX_MEMBER} bytes, and so unread.")
        digest.update(data)
        write(data)
    rows = count - 1 if name.endswith(".csv") else None
    return Member(sha256=digest.hexdigest(), bytes=size, rows=rows)


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive, check the container and every checksum; nothing is written to disk.

    Raises
    ------
    BadFileError
        When it is no archive, one of a later version, or not as it was written.
    """
    file = shown_path(path)
    with _open_file(path, file) as stream:
        digest, size = hashlib.file_digest(stream, "sha256").hexdigest(), stream.tell()
        with _open_zip(stream, file) as content:
            _check_members(content, size, file)
            manifest = _read_manifest(content, file)
            archive = Archive(file, size, digest, manifest, content)
            _check_content(archive)
            yield archive


def is_archive(path: Path) -> bool:
    """Return whether a file has an archive's manifest, whether or not it is complete."""
    file = shown_path(path)
    try:
        with (
            _open_file(path, file) as stream,
            _open_zip(stream, file) as content,
            content.open(MANIFEST) as manifest,
        ):
            document = json.loads(manifest.read(MAX_MANIFEST))
    except (*BROKEN, KeyError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("format") == FORMAT


def _open_file(path: Path, file: str) -> io.BufferedReader:
    try:
        # Opening a pipe without a writer would wait for ever.
        if stat.S_ISREG(path.stat().st_mode):
            return path.open("rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFileError(f"the archive cannot be read ({reason})", file) from None
    raise BadFileError("this is no ordinary file; name an archive", file)


@contextmanager
def _open_zip(stream: IO[bytes], file: str) -> Iterator[ZipFile]:
    try:
        content = ZipFile(stream)
    except BROKEN:
        raise BadFileError(
            "this is no zip file, or it was cut short", file, way_out="name an archive"
        ) from None
    with content:
        yield content


def _check_members(content: ZipFile, size: int, file: str) -> None:
    infos = content.infolist()
    for info in infos:
        if not _NAME.fullmatch(info.filename):
            raise BadFileError(f"an archive has no member called {info.filename[:100]!r}", file)
        if info.flag_bits & _ENCRYPTED or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise BadFileError(
                f"{info.filename} is encrypted or compressed in a way no archive is", file
            )
        if info.file_size > (MAX_MANIFEST if info.filename == MANIFEST else MAX_MEMBER):
            raise BadFileError(
                f"{info.filename} unpacks to {info.file_size} bytes, which is too much", file
            )
    if len({info.filename for info in infos}) < len(infos):
        raise BadFileError("a member is in it twice", file)
    unpacked = sum(info.file_size for info in infos)
    if unpacked > min(MAX_UNPACKED, max(_ANY_RATIO_BYTES, _MAX_RATIO * size)):
        raise BadFileError(
            f"it would unpack from {size} to {unpacked} bytes, which is too much", file
        )


def _read_manifest(content: ZipFile, file: str) -> Manifest:
    if MANIFEST not in content.namelist():
        raise BadFileError(f"it has no {MANIFEST}", file, way_out="name an archive")
    member = f"{file}/{MANIFEST}"
    text = b"".join(_blocks(content, MANIFEST, file))
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise BadFileError("this is not JSON", member) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadFileError("this is not the manifest of a Roundbook archive", member)
    version, software = document.get("version"), document.get("software")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise BadFileError("this does not say of which version the archive is", member)
    if version > VERSION:
        by = f" by {readable(software)}" if isinstance(software, str) else ""
        raise BadFileError(
            f"the archive was written{by} in version {version} of the format, and this Roundbook"
            f" reads up to {VERSION}; install the newer Roundbook",
            member,
        )
    try:
        manifest = Manifest.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise BadFileError(f"{readable(where)}: {first['msg']}", member) from None
    listed, present = {*manifest.members, MANIFEST}, set(content.namelist())
    if listed != present:
        name = min(listed ^ present)
        fault = "listed and not there" if name in listed else "there and not listed"
        raise BadFileError(f"{readable(name)} is {fault}", member)
    return manifest


def _check_content(archive: Archive) -> None:
    for name, member in archive.manifest.members.items():
        digest, size = hashlib.sha256(), 0
        for block in _blocks(archive.content, name, archive.file):
            digest.update(block)
            size += len(block)
        if (size, digest.hexdigest()) != (member.bytes, member.sha256):
            raise BadFileError(
                "its checksum is not the one in the manifest, so it is not as it was written; get"
                " the archive anew from where it came",
                archive.member(name),
            )


def _blocks(content: ZipFile, name: str, file: str) -> Iterator[bytes]:
    # zipfile returns no more bytes than the size that was checked.
    try:
        with content.open(name) as stream:
            while block := stream.read(_CHUNK):
                yield block
    except BROKEN as error:
        raise BadFileError(f"this is damaged ({error})", f"{file}/{name}") from None
