"""Files and directories are written whole or not at all, and what fails names the path."""

from __future__ import annotations

import os
import time

import pytest

from roundbook.errors import InputError
from roundbook.logbook.atomic_files import atomic_directory, atomic_file, write_file


def opened(kind, path):
    return atomic_file(path) if kind == "file" else atomic_directory(path, lambda _: True)


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_what_fails_while_it_is_filled_names_the_path(tmp_path, kind):
    path = tmp_path / "a"
    refused = pytest.raises(InputError, match=r"a: this cannot be written \(No space left on dev")
    with refused, opened(kind, path):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_other_errors_pass(tmp_path, kind):
    with pytest.raises(ValueError, match="of the content"), opened(kind, tmp_path / "a"):
        raise ValueError("of the content")
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_no_system_takes(tmp_path):
    with pytest.raises(InputError, match="this cannot be written"), atomic_file(tmp_path / "a\0b"):
        pass


def test_what_a_killed_process_left_is_deleted_half_a_day_later(tmp_path):
    part = f".x.dump.{'0a' * 16}.part"
    yesterday = time.time() - 24 * 60 * 60
    for name in (part, ".notes.part", f"x.dump.{'0a' * 16}.part"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (yesterday, yesterday))
    written = f".y.dump.{'0b' * 16}.part"
    (tmp_path / written).touch()
    write_file(tmp_path / "z", "")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {".notes.part", f"x.dump.{'0a' * 16}.part", written, "z"}
