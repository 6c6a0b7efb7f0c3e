import gzip
import io
import os
import zipfile
from pathlib import Path

import pytest

from roundbook.errors import BadFileError, InputError
from roundbook.formats import read_scores

GOOD = b"topic,a\n1,0.5\n"


def refusal(tmp_path, content, **options):
    path = tmp_path / "f.csv"
    path.write_bytes(content)
    with pytest.raises(BadFileError) as caught:
        read_scores([path], measure="AP", **options)
    return caught.value.reason, caught.value.line


def archive():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as stream:
        stream.writestr("a", "b")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "reason", "line"),
    [
        (b"", "the file is empty", None),
        (b"\xef\xbb\xbf\n \n", "the file is empty", None),
        (GOOD + b"2,\xff\n", "byte 0xff at byte offset 16; save the file as UTF-8", 3),
        (b"\xef\xbb\xbftopic,\xe9\n", "byte 0xe9 at byte offset 9", 1),
        (b"topic,a\r\n1,0\r2,\x00\n", "NUL byte at byte offset 15", 3),
        ("\ufefftopic,a\n".encode("utf-16-le"), "UTF-16 text; save it as UTF-8", None),
        ("\ufefftopic,a\n".encode("utf-16-be"), "UTF-16 text; save it as UTF-8", None),
        ("\ufefftopic,a\n".encode("utf-32-le"), "UTF-32 text; save it as UTF-8", None),
        ("\ufefftopic,a\n".encode("utf-32-be"), "UTF-32 text; save it as UTF-8", None),
        (archive(), "zip archive or a spreadsheet (ods); save the sheet as CSV or xlsx", None),
        (b"BZh91AY", "compressed with bzip2", None),
        (gzip.compress(GOOD, mtime=0)[:-9], "gzip file is broken or cut short", None),
        (b"\x1f\x8bnot really", "gzip file is broken or cut short", None),
        (gzip.compress(gzip.compress(GOOD, mtime=0), mtime=0), "gzipped twice", None),
    ],
)
def test_files_that_are_not_text(tmp_path, content, reason, line):
    refused = refusal(tmp_path, content)
    assert reason in refused[0]
    assert refused[1] == line


def test_the_size_limit_holds_before_and_after_decompression(tmp_path):
    reason, _ = refusal(tmp_path, GOOD, max_bytes=len(GOOD) - 1)
    assert reason.startswith("the file is larger than 13 bytes; raise ROUNDBOOK_MAX_FILE_BYTES")
    bomb = gzip.compress(b"\n" * 50_000_000)
    reason, _ = refusal(tmp_path, bomb, max_bytes=100_000)
    assert "decompresses to more than 100000 bytes; raise ROUNDBOOK_MAX_FILE_BYTES" in reason
    path = tmp_path / "exact.csv"
    path.write_bytes(GOOD)
    assert read_scores([path], measure="AP", max_bytes=len(GOOD)).topics == ("1",)


def test_paths_that_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, reason in [
        (tmp_path, "is a directory"),
        (tmp_path / "none", "there is no such file"),
        (tmp_path / "pipe", "is a pipe or a device"),
        ("/dev/zero", "is a pipe or a device"),
        ("a\0b", "cannot be read"),
        (tmp_path / ("x" * 300), "cannot be read"),
    ]:
        with pytest.raises(BadFileError, match=reason):
            read_scores([path], measure="AP")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = tmp_path / "secret.csv"
    path.write_bytes(GOOD)

    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(BadFileError, match="may not be read; check its permissions"):
        read_scores([path], measure="AP")


def test_no_file_is_refused():
    with pytest.raises(InputError, match="no score file"):
        read_scores([], measure="AP")


def test_a_name_that_is_not_utf8_can_be_printed(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/r\xff.tsv")
    Path(path).write_bytes(b"1\tAP\t0.5\n")
    matrix = read_scores([path], measure="AP")
    assert matrix.files[0].encode("utf-8").endswith(b"/r\\udcff.tsv")
