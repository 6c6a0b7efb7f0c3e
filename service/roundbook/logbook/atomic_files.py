"""Atomic writing of files and directories."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from roundbook.errors import InputError


def write_file(path: Path, content: str | bytes, *, force: bool = False) -> None:
    """Write a file atomically; see `atomic_file`."""
    with atomic_file(path, force=force) as part:
        _write(part, content)


@contextmanager
def atomic_file(
    path: Path, *, force: bool = False, earlier: Callable[[Path], bool] | None = None
) -> Iterator[Path]:
    """Yield a temporary path to write to, which is renamed to the file when the block ends.

    With `force` an existing file is overwritten, if it is empty or `earlier` tells that it is an
    earlier output. An OSError of the block is taken for one of writing. What a killed process left
    in the directory half a day ago is deleted.

    Raises
    ------
    InputError
        When the path exists already, or cannot be written.
    """
    with _naming(path):
        target = _resolved(path)
        if target.exists():
            if not target.is_file():
                raise InputError(f"{path}: this is no ordinary file; name another.")
            if not force:
                raise InputError(f"{path}: there is such a file.", way_out="existing file")
            if earlier and target.stat().st_size > 0 and not earlier(target):
                raise InputError(
                    f"{path}: this is no file that such a command wrote.", way_out="foreign file"
                )
        _clear_away(target.parent)
        part = _temporary(target)
    try:
        with _naming(path):
            yield part
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_directory(
    path: Path, contents: Mapping[str, str], *, suffix: str, force: bool = False
) -> None:
    """Write a directory of text files of one `suffix` atomically; see `atomic_directory`."""
    with atomic_directory(path, lambda file: file.suffix == suffix, force=force) as part:
        for name, content in contents.items():
            _write(part / name, content)


@contextmanager
def atomic_directory(
    path: Path, ours: Callable[[Path], bool], *, force: bool = False
) -> Iterator[Path]:
    """Yield a temporary directory to fill, which is renamed to `path` when the block ends.

    With `force` it replaces a directory that holds nothing but earlier outputs, which `ours` tells.
    An OSError of the block is taken for one of writing.

    Raises
    ------
    InputError
        When the path exists and is no empty directory, or it cannot be written.
    """
    with _naming(path):
        target = _resolved(path)
        old = _replaced(target, path, ours, force=force)
        part = _temporary(target)
        part.mkdir()
    try:
        with _naming(path):
            yield part
            if old:
                _swap(part, target)
            else:
                part.rename(target)  # onto an empty directory too
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _resolved(path: Path) -> Path:
    """Return the absolute path of a file or directory; refuse a missing parent directory."""
    try:
        target = path.resolve()
    except (ValueError, RuntimeError) as error:
        raise _unwritable(path, error) from None
    if not target.parent.is_dir():
        raise InputError(f"{path}: there is no directory {target.parent}; make it first.")
    return target


def _replaced(target: Path, path: Path, ours: Callable[[Path], bool], *, force: bool) -> bool:
    """Return whether the directory holds earlier outputs to replace; refuse any other content."""
    if not target.exists():
        return False
    if not target.is_dir():
        raise InputError(f"{path}: this is no directory; name another.")
    files = list(target.iterdir())
    if files and not force:
        raise InputError(f"{path}: this directory is not empty.", way_out="existing directory")
    for file in files:
        if not ours(file) or file.is_symlink() or not file.is_file():
            raise InputError(
                f"{path}: this directory also holds {file.name}, which is no earlier export, so"
                " it is not replaced; name another."
            )
    return bool(files)


def _swap(part: Path, target: Path) -> None:
    aside = _temporary(target)
    target.rename(aside)
    try:
        part.rename(target)
    except BaseException:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _temporary(target: Path) -> Path:
    return target.with_name(f".{target.name[:100]}.{uuid4().hex}.part")


_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{32}\.part")
_SECONDS_UNTOUCHED = 12 * 60 * 60


def _clear_away(directory: Path) -> None:
    """Delete the temporary files in a directory to which nobody has written for half a day."""
    for path in directory.glob(".*.part"):
        with suppress(OSError):
            old = path.lstat().st_mtime < time.time() - _SECONDS_UNTOUCHED
            if old and _TEMPORARY.fullmatch(path.name) and path.is_file():
                path.unlink()


def _write(path: Path, content: str | bytes) -> None:
    with path.open("xb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn failures to write into an InputError that names the path."""
    try:
        yield
    except OSError as error:
        raise _unwritable(path, error.strerror or error) from None


def _unwritable(path: Path, reason: object) -> InputError:
    return InputError(f"{path}: this cannot be written ({reason}); name another place.")
