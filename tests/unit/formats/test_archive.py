"""Archives as files: what is written reads back, and nothing else is read."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roundbook.errors import BadFile, InputError
from roundbook.formats import archive, archive_frame
from roundbook.formats.archive import MANIFEST, open_archive, write_archive
from roundbook.formats.archive_csv import read_records, write_record

FACTS = {"software": "roundbook 0.1.0", "schema_revision": "0003", "tasks": ["web"]}
MEMBERS = {
    "README.txt": ["Read me.\n"],
    "matrix.csv": ["id,note\n", "1,\n", '2,"a, ""b""\nc"\n', "3,é\n"],
    "scores/000001.csv": ["topic,a\n", *(f"{n},{n / 7!r}\n" for n in range(200))],
}


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "web.zip"
    write_archive(path, MEMBERS.items(), **FACTS)
    return path


def rebuilt(path, change=lambda members: None, *, manifest=True, **options):
    """Write the zip anew after a change of its members, with the checksums put right."""
    with zipfile.ZipFile(path) as content:
        members = {name: content.read(name) for name in content.namelist()}
    change(members)
    if manifest:
        said = json.loads(members[MANIFEST])
        said["members"] = {
            name: {
                "sha256": hashlib.sha256(data).hexdigest(),
                "bytes": len(data),
                "rows": said["members"].get(name, {"rows": None})["rows"],
            }
            for name, data in members.items()
            if name != MANIFEST
        }
        members[MANIFEST] = json.dumps(said).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as content:
        for name, data in members.items():
            content.writestr(name, data)
    return path


def edited(path, **changes):
    """Change the manifest's keys."""

    def change(members):
        members[MANIFEST] = json.dumps(json.loads(members[MANIFEST]) | changes).encode()

    return rebuilt(path, change, manifest=False)


def everything(path):
    with open_archive(path) as found:
        return found.manifest, {
            name: found.content.read(name) for name in sorted(found.manifest.members)
        }


def refusal(path):
    with pytest.raises(BadFile) as refused, open_archive(path):
        pass
    said = str(refused.value)
    assert said.startswith(str(path))
    assert "\n" not in said
    return said


def test_what_is_written_reads_back(written):
    manifest, members = everything(written)
    assert members == {name: "".join(parts).encode() for name, parts in MEMBERS.items()}
    assert (manifest.format, manifest.version, manifest.tasks) == ("roundbook archive", 2, ["web"])
    assert (manifest.software, manifest.schema_revision) == ("roundbook 0.1.0", "0003")
    assert {name: each.rows for name, each in manifest.members.items()} == {
        "README.txt": None,
        "matrix.csv": 3,
        "scores/000001.csv": 200,
    }
    assert manifest.members["README.txt"].sha256 == hashlib.sha256(b"Read me.\n").hexdigest()


def test_the_same_content_gives_the_same_bytes_and_no_time(written, tmp_path, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 2e9)
    monkeypatch.setattr("time.localtime", lambda *_: pytest.fail("asked for the time"))
    again = tmp_path / "again.zip"
    write_archive(again, MEMBERS.items(), **FACTS)
    assert again.read_bytes() == written.read_bytes()
    with zipfile.ZipFile(again) as content:
        assert content.namelist() == [*MEMBERS, MANIFEST]
        assert {each.date_time for each in content.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert content.testzip() is None


def test_only_the_owner_may_read_it(written):
    assert stat.S_IMODE(written.stat().st_mode) == 0o600


def test_the_sha256_is_that_of_the_file(written):
    with open_archive(written) as found:
        assert found.sha256 == hashlib.sha256(written.read_bytes()).hexdigest()


def test_an_existing_file_is_never_written_over(written):
    before = written.read_bytes()
    with pytest.raises(FileExistsError):
        write_archive(written, MEMBERS.items(), **FACTS)
    assert written.read_bytes() == before


def test_what_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBER", 100)
    with pytest.raises(InputError, match=r"scores/000001\.csv would be larger than 100 bytes"):
        write_archive(tmp_path / "a.zip", MEMBERS.items(), **FACTS)


# what is no archive


def test_no_such_file_a_directory_a_pipe(tmp_path):
    assert "No such file" in refusal(tmp_path / "none.zip")
    assert "no ordinary file" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "no ordinary file" in refusal(tmp_path / "pipe")


@pytest.mark.parametrize("data", [b"", b"topic,a\n1,0.5\n", b"PK\x03\x04" + bytes(100), bytes(99)])
def test_no_zip(tmp_path, data):
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    assert "no zip file" in refusal(path)


def test_a_zip_of_something_else(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as content:
        content.writestr("word.txt", "x")
    assert "has no manifest.json" in refusal(path)


def test_cut_short_anywhere(written):
    data = written.read_bytes()
    for size in [*range(0, len(data), 37), len(data) - 1]:
        written.write_bytes(data[:size])
        refusal(written)


def packed_bytes(path):
    """The places of the members' packed content."""
    with zipfile.ZipFile(path) as content:
        starts = {
            each.header_offset + len(each.FileHeader()): each.compress_size
            for each in content.infolist()
        }
    return {start + n for start, size in starts.items() for n in range(size)}


@pytest.mark.parametrize("anew", [False, True])
def test_any_bit_flipped_is_seen_or_changes_nothing(tmp_path, anew):
    path = tmp_path / "a.zip"
    write_archive(path, [("a.csv", ["id,note\n", "1,\n"]), ("b.csv", ["x\n"])], **FACTS)
    if anew:
        rebuilt(path, manifest=False)
    data, original, packed = path.read_bytes(), everything(path), packed_bytes(path)
    unseen, said = [], set()
    for place in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[place] ^= 1 << bit
            path.write_bytes(changed)
            try:
                found = everything(path)
            except BadFile as refused:
                said.add(str(refused))
            else:
                assert found == original, (place, bit)
                unseen.append(place)
    assert not any("\n" in each for each in said)
    # What is left are bits that say nothing of the content, such as those that fill up the last
    # byte of what is packed.
    assert packed.issuperset(unseen)
    assert len(unseen) < 0.02 * 8 * len(data)


def test_bytes_that_belong_to_no_member(written):
    data, more = written.read_bytes(), b"more"
    directory = data.index(b"PK\x01\x02")
    size = int.from_bytes(data[-6:-2], "little")
    assert size == directory
    before = everything(written)
    for changed in (
        more + data,
        data[:directory] + more + data[directory:],
        data[:directory] + more + data[directory:-6] + struct.pack("<IH", size + 4, 0),
        data[:-2] + b"\x04\0" + more[:3],
        data + more,
    ):
        written.write_bytes(changed)
        refusal(written)
    written.write_bytes(data)
    assert everything(written) == before


def test_members_far_into_a_large_archive(tmp_path, monkeypatch):
    """Beyond two gigabytes, of which these are a model, the directory is written another way."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 2000)
    monkeypatch.setattr(archive_frame, "_NEAR", 2000)
    path = tmp_path / "a.zip"
    lines = [hashlib.sha256(bytes([n])).hexdigest() for n in range(25)]
    members = {f"a{n}.csv": ["x\n", *(f"{line}\n" for line in lines)] for n in range(5)}
    write_archive(path, members.items(), **FACTS)
    assert sorted(everything(path)[1]) == sorted(members)
    with zipfile.ZipFile(path) as content:
        assert {each.extract_version for each in content.infolist()} == {20, 45}


# members


def test_a_flipped_cell(written):
    def change(members):
        members["matrix.csv"] = members["matrix.csv"].replace(b"1,", b"2,")

    rebuilt(written, change, manifest=False)
    assert "matrix.csv: its checksum is not the one in the manifest" in refusal(written)


def test_a_missing_and_an_extra_member(written):
    rebuilt(written, lambda members: members.pop("matrix.csv"), manifest=False)
    assert "matrix.csv is listed and not there" in refusal(written)
    rebuilt(written, lambda members: members.update({"more.csv": b"a\n"}), manifest=False)
    assert "not listed" in refusal(written) or "not there" in refusal(written)


def test_a_member_twice(written):
    with zipfile.ZipFile(written, "a") as content, pytest.warns(UserWarning, match="Duplicate"):
        content.writestr("matrix.csv", "id,note\n")
    assert "is in it twice" in refusal(written)


@pytest.mark.parametrize(
    "name",
    [
        "../matrix.csv",
        "/etc/passwd",
        "scores/../../a.csv",
        "scores\\a.csv",
        "C:a.csv",
        "a/b/c.csv",
        "scores/",
        "matrix.csv/",
        ".csv",
        "matrix.exe",
        "mätrix.csv",
        "a\nb.csv",
    ],
)
def test_names_that_no_member_has(written, name):
    rebuilt(written, lambda members: members.update({name: b""}))
    assert "an archive has no member called" in refusal(written)


def test_a_bomb_is_refused_before_it_is_unpacked(written, monkeypatch):
    rebuilt(written, lambda members: members.update({"matrix.csv": bytes(200 * 2**20)}))
    assert written.stat().st_size < 2**20
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("unpacked"))
    assert "would unpack from" in refusal(written)


def test_a_member_that_is_too_large(written, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBER", 1000)
    assert "scores/000001.csv unpacks to" in refusal(written)
    monkeypatch.setattr(archive, "MAX_MEMBER", 10_000)
    monkeypatch.setattr(archive, "MAX_UNPACKED", 2_000)
    assert "which is too much" in refusal(written)
    monkeypatch.setattr(archive, "MAX_MANIFEST", 10)
    assert "manifest.json unpacks to" in refusal(written)


def test_a_bomb_that_lies_about_its_size(written):
    """What the directory says is all that is unpacked, and then the checksum is another."""
    rebuilt(written, lambda members: members.update({"matrix.csv": bytes(100 * 2**20)}))
    data = bytearray(written.read_bytes())
    at = data.rindex(b"PK\x01\x02", 0, data.rindex(b"matrix.csv"))
    assert struct.unpack_from("<I", data, at + 24) == (100 * 2**20,)
    struct.pack_into("<I", data, at + 24, 10)
    written.write_bytes(data)
    assert "matrix.csv" in refusal(written)


def test_an_encrypted_member_and_another_compression(written):
    data = bytearray(written.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    written.write_bytes(data)
    assert "is encrypted or compressed in a way no archive is" in refusal(written)


def test_bzip2(written):
    with zipfile.ZipFile(written) as content:
        members = {name: content.read(name) for name in content.namelist()}
    with zipfile.ZipFile(written, "w", zipfile.ZIP_BZIP2) as content:
        for name, data in members.items():
            content.writestr(name, data)
    assert "compressed in a way no archive is" in refusal(written)


def test_packed_anew_by_another_program_it_is_the_same_archive(written):
    original = everything(written)
    rebuilt(written, manifest=False, compresslevel=1)
    assert everything(written) == original


# the manifest


def test_a_later_version_names_who_wrote_it(written):
    edited(written, version=3, software="roundbook 7.0", more="x")
    said = refusal(written)
    assert "by roundbook 7.0 in version 3" in said
    assert "install the newer Roundbook" in said


@pytest.mark.parametrize("version", [0, -1, "1", None, 1.5, True])
def test_no_version(written, version):
    edited(written, version=version)
    assert "of which version" in refusal(written)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "another"}, "not the manifest of a Roundbook archive"),
        ({"more": 1}, "more: Extra inputs"),
        ({"tasks": "web"}, "tasks: "),
        ({"tasks": [1]}, "tasks.0: "),
        ({"software": None}, "software: "),
        ({"members": []}, "members: "),
        ({"members": {}}, "there and not listed"),
        ({"members": {"a.csv": {"sha256": "x", "bytes": 1, "rows": 1}}}, "members.a.csv.sha256"),
        ({"members": {"a.csv": {"sha256": "0" * 64, "bytes": -1, "rows": 1}}}, "a.csv.bytes"),
    ],
)
def test_a_manifest_that_is_none(written, changes, said):
    edited(written, **changes)
    assert said in refusal(written)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"1", b"\xff", b"[" * 100_000])
def test_a_manifest_that_is_no_json_object(written, data):
    rebuilt(written, lambda members: members.update({MANIFEST: data}), manifest=False)
    assert MANIFEST in refusal(written)


# records


def records_of(tmp_path, data):
    path = tmp_path / "a.zip"
    path.unlink(missing_ok=True)
    write_archive(path, [("a.csv", ["x"])], **FACTS)
    rebuilt(path, lambda members: members.update({"a.csv": data}))
    with open_archive(path) as found:
        return [(each.line, each.cells) for each in read_records(found, "a.csv")]


def test_records_and_their_lines(tmp_path):
    data = b'id,note\n1,\n2,"a, ""b""\nc\r\n"\n3,\xc3\xa9\n'
    assert records_of(tmp_path, data) == [
        (1, ["id", "note"]),
        (2, ["1", ""]),
        (3, ["2", 'a, "b"\nc\r\n']),
        (6, ["3", "é"]),
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a,b\n1,2", "a.csv:2: the last line does not end"),
        (b'a\n"b\n', "a.csv:2: a double quote is not closed"),
        (b'a\n"b"\n', "a.csv:2: the quotes of this row"),
        (b'a\nb"c"\n', "a.csv:2: the quotes of this row"),
        (b'a\n"b,"c\n', "a.csv:2: the quotes of this row"),
        (b"a\r\nb\r\n", "a.csv:1: the quotes of this row"),
        (b"a\n\xff\n", "a.csv: this is not UTF-8"),
    ],
)
def test_records_that_nobody_wrote(tmp_path, data, said):
    with pytest.raises(BadFile) as refused:
        records_of(tmp_path, data)
    assert said in str(refused.value)


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=4)))
def test_any_cells_read_back(tmp_path_factory, rows):
    data = "".join(map(write_record, rows)).encode()
    found = records_of(tmp_path_factory.getbasetemp(), data)
    assert [cells for _, cells in found] == rows


def test_any_program_reads_the_records():
    import csv

    row = ["", "a", 'b"c', "d,e", "f\ng", " h ", "\\", "é"]
    assert next(csv.reader(io.StringIO(write_record(row), newline=""))) == row
