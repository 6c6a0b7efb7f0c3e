"""Archives as files: what is written reads back, and nothing else is read."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import stat
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundbook.errors import BadFileError, InputError
from roundbook.transfer.archive import container
from roundbook.transfer.archive.cells import write_record
from roundbook.transfer.archive.container import (
    FORMAT,
    MANIFEST,
    Manifest,
    open_archive,
    write_archive,
)
from roundbook.transfer.archive.data_package import DATA_PACKAGE
from roundbook.transfer.archive.reading import read_records
from roundbook.transfer.archive.tables import VERSION

SCHEMAS = {
    "matrix.csv": {
        "description": "The score matrices.",
        "fields": [
            {"name": "id", "type": "integer", "description": "Its number."},
            {"name": "note", "type": "string", "description": "What is noted."},
        ],
        "primaryKey": ["id"],
    }
}
FACTS = {
    "schemas": SCHEMAS,
    "about": Manifest(
        format=FORMAT,
        version=VERSION,
        software="roundbook 0.1.0",
        schema_revision="0003",
        tasks=["web"],
        members={},
    ),
}
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
        document = json.loads(members[MANIFEST])
        document["members"] = {
            name: {
                "sha256": hashlib.sha256(data).hexdigest(),
                "bytes": len(data),
                "rows": document["members"].get(name, {"rows": None})["rows"],
            }
            for name, data in members.items()
            if name != MANIFEST
        }
        members[MANIFEST] = json.dumps(document).encode()
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
    with open_archive(path) as opened:
        return opened.manifest, {
            name: opened.content.read(name) for name in sorted(opened.manifest.members)
        }


def refusal(path):
    with pytest.raises(BadFileError) as refused, open_archive(path):
        pass
    message = str(refused.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


def test_what_is_written_reads_back(written):
    manifest, members = everything(written)
    del members[DATA_PACKAGE]
    assert members == {name: "".join(parts).encode() for name, parts in MEMBERS.items()}
    assert (manifest.format, manifest.version, manifest.tasks) == ("roundbook archive", 4, ["web"])
    assert (manifest.software, manifest.schema_revision) == ("roundbook 0.1.0", "0003")
    assert {name: member.rows for name, member in manifest.members.items()} == {
        "README.txt": None,
        "matrix.csv": 3,
        "scores/000001.csv": 200,
        DATA_PACKAGE: None,
    }
    assert manifest.members["README.txt"].sha256 == hashlib.sha256(b"Read me.\n").hexdigest()


def test_the_same_content_gives_the_same_bytes_and_no_time(written, tmp_path, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 2e9)
    monkeypatch.setattr("time.localtime", lambda *_: pytest.fail("asked for the time"))
    again = tmp_path / "again.zip"
    write_archive(again, MEMBERS.items(), **FACTS)
    assert again.read_bytes() == written.read_bytes()
    with zipfile.ZipFile(again) as content:
        assert content.namelist() == [*MEMBERS, DATA_PACKAGE, MANIFEST]
        assert {info.date_time for info in content.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert content.testzip() is None


def test_only_the_owner_may_read_it(written):
    assert stat.S_IMODE(written.stat().st_mode) == 0o600


def test_the_sha256_is_that_of_the_file(written):
    with open_archive(written) as opened:
        assert opened.sha256 == hashlib.sha256(written.read_bytes()).hexdigest()


def test_an_existing_file_is_never_written_over(written):
    before = written.read_bytes()
    with pytest.raises(FileExistsError):
        write_archive(written, MEMBERS.items(), **FACTS)
    assert written.read_bytes() == before


def test_what_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(container, "MAX_MEMBER", 100)
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


@pytest.mark.parametrize("step", [21, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("anew", [False, True])
def test_any_bit_flipped_is_seen_or_changes_nothing(tmp_path, anew, step):
    path = tmp_path / "a.zip"
    write_archive(path, [("a.csv", ["id,note\n", "1,\n"]), ("b.csv", ["x\n"])], **FACTS)
    if anew:
        rebuilt(path, manifest=False)
    data, original = path.read_bytes(), everything(path)
    unseen, refusals = 0, set()
    flips = range(0, 8 * len(data), step)
    for flip in flips:
        changed = bytearray(data)
        changed[flip // 8] ^= 1 << flip % 8
        path.write_bytes(changed)
        try:
            members = everything(path)
        except BadFileError as refused:
            refusals.add(str(refused))
        else:
            assert members == original, flip
            unseen += 1
    assert not any("\n" in refusal for refusal in refusals)
    # What is left are bits that say nothing of the content, such as times and who packed it.
    assert unseen < 0.2 * len(flips)


def test_bytes_that_belong_to_no_member_change_nothing(written):
    data, more = written.read_bytes(), b"more"
    directory = data.index(b"PK\x01\x02")
    before = everything(written)
    for changed in (
        more + data,
        data[:directory] + more + data[directory:-6] + struct.pack("<IH", directory + 4, 0),
        data[:-2] + b"\x04\0" + more,
    ):
        written.write_bytes(changed)
        assert everything(written) == before


def test_members_far_into_a_large_archive(tmp_path, monkeypatch):
    """Beyond two gigabytes, of which these are a model, the directory is written another way."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 3500)
    path = tmp_path / "a.zip"
    lines = [hashlib.sha256(bytes([n])).hexdigest() for n in range(45)]
    members = {f"a{n}.csv": ["x\n", *(f"{line}\n" for line in lines)] for n in range(4)}
    write_archive(path, members.items(), **FACTS)
    assert sorted(everything(path)[1]) == [*sorted(members), DATA_PACKAGE]
    with zipfile.ZipFile(path) as content:
        assert {info.extract_version for info in content.infolist()} == {20, 45}


# the data package


def test_the_data_package_describes_the_csv_files(written):
    """By the keys that the specification requires, and those that let a tool check a file."""
    manifest, members = everything(written)
    package = json.loads(members[DATA_PACKAGE])
    assert package["profile"] == "tabular-data-package"
    assert re.fullmatch("[-a-z0-9._/]+", package["name"])
    assert "created" not in package
    resources = {resource["path"]: resource for resource in package["resources"]}
    assert list(resources) == [name for name in MEMBERS if name.endswith(".csv")]
    names = [resource["name"] for resource in resources.values()]
    assert len(set(names)) == len(names)
    for path, resource in resources.items():
        assert resource["profile"] == "tabular-data-resource"
        assert re.fullmatch("[-a-z0-9._/]+", resource["name"])
        assert (resource["format"], resource["mediatype"]) == ("csv", "text/csv")
        assert resource["encoding"] == "utf-8"
        assert resource["bytes"] == len(members[path]) == manifest.members[path].bytes
        assert resource["hash"] == "sha256:" + hashlib.sha256(members[path]).hexdigest()
        assert resource["description"]
        fields = resource["schema"]["fields"]
        header = next(csv.reader(io.StringIO(members[path].decode(), newline="")))
        assert [field["name"] for field in fields] == header
        assert all(field["type"] in {"integer", "number", "string"} for field in fields)
        assert set(resource["schema"]["primaryKey"]) <= set(header)
    assert resources["matrix.csv"]["description"] == "The score matrices."
    assert resources["matrix.csv"]["schema"]["fields"] == SCHEMAS["matrix.csv"]["fields"]


def test_the_columns_of_a_score_matrix_are_its_runs(tmp_path):
    path, runs = tmp_path / "a.zip", ["a", 'b"c', "d,e", "f\ng", "h\ri", "\u2028", "é"]
    header = write_record(["topic", *runs])
    write_archive(path, [("scores/000001.csv", [header])], **FACTS)
    (resource,) = json.loads(everything(path)[1][DATA_PACKAGE])["resources"]
    assert resource["name"] == "scores-000001"
    topic, *others = resource["schema"]["fields"]
    assert (topic["name"], topic["type"]) == ("topic", "string")
    assert [(field["name"], field["type"]) for field in others] == [(run, "number") for run in runs]


def test_an_archive_from_before_the_data_package_is_one(written):
    rebuilt(written, lambda members: members.pop(DATA_PACKAGE))
    assert sorted(everything(written)[1]) == sorted(MEMBERS)


def test_a_data_package_that_was_changed(written):
    rebuilt(written, lambda members: members.update({DATA_PACKAGE: b"{}"}), manifest=False)
    assert "datapackage.json: its checksum is not the one in the manifest" in refusal(written)


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


@pytest.mark.long
def test_a_bomb_is_refused_before_it_is_unpacked(written, monkeypatch):
    rebuilt(written, lambda members: members.update({"matrix.csv": bytes(200 * 2**20)}))
    assert written.stat().st_size < 2**20
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("unpacked"))
    assert "would unpack from" in refusal(written)


def test_a_member_that_is_too_large(written, monkeypatch):
    monkeypatch.setattr(container, "MAX_MEMBER", 1000)
    assert "scores/000001.csv unpacks to" in refusal(written)
    monkeypatch.setattr(container, "MAX_MEMBER", 10_000)
    monkeypatch.setattr(container, "MAX_UNPACKED", 2_000)
    assert "which is too much" in refusal(written)
    monkeypatch.setattr(container, "MAX_MANIFEST", 10)
    assert "manifest.json unpacks to" in refusal(written)


def test_a_bomb_that_lies_about_its_size(written):
    """What the directory says is all that is unpacked, and then the checksum is another."""
    rebuilt(written, lambda members: members.update({"matrix.csv": bytes(4 * 2**20)}))
    data = bytearray(written.read_bytes())
    at = data.rindex(b"PK\x01\x02", 0, data.rindex(b"matrix.csv"))
    assert struct.unpack_from("<I", data, at + 24) == (4 * 2**20,)
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
    edited(written, version=5, software="roundbook 7.0", more="x")
    message = refusal(written)
    assert "by roundbook 7.0 in version 5" in message
    assert "install the newer Roundbook" in message


@pytest.mark.parametrize("version", [0, -1, "1", None, 1.5, True])
def test_no_version(written, version):
    edited(written, version=version)
    assert "of which version" in refusal(written)


@pytest.mark.parametrize(
    ("changes", "message"),
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
def test_a_manifest_that_is_none(written, changes, message):
    edited(written, **changes)
    assert message in refusal(written)


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
    with open_archive(path) as opened:
        return [(record.line, record.cells) for record in read_records(opened, "a.csv")]


def test_records_and_their_lines(tmp_path):
    data = b'id,note\n1,\n2,"a, ""b""\nc\r\n"\n3,\xc3\xa9\n'
    assert records_of(tmp_path, data) == [
        (1, ["id", "note"]),
        (2, ["1", ""]),
        (3, ["2", 'a, "b"\nc\r\n']),
        (6, ["3", "é"]),
    ]


@pytest.mark.parametrize(
    ("data", "message"),
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
def test_records_that_nobody_wrote(tmp_path, data, message):
    with pytest.raises(BadFileError) as refused:
        records_of(tmp_path, data)
    assert message in str(refused.value)


@pytest.mark.long
@given(st.lists(st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=4)))
def test_any_cells_read_back(tmp_path_factory, rows):
    data = "".join(map(write_record, rows)).encode()
    records = records_of(tmp_path_factory.getbasetemp(), data)
    assert [cells for _, cells in records] == rows


def test_any_program_reads_the_records():
    row = ["", "a", 'b"c', "d,e", "f\ng", " h ", "\\", "é"]
    assert next(csv.reader(io.StringIO(write_record(row), newline=""))) == row
