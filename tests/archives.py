"""Archives for tests: opened, altered, and the databases they come from and go to."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile

import pytest


def members_of(file):
    with zipfile.ZipFile(file) as content:
        return {name: content.read(name).decode() for name in content.namelist()}


def contents_of(file):
    """Return the members that hold what is recorded."""
    members = members_of(file)
    del members["manifest.json"]
    members.pop("datapackage.json", None)
    return members


def table_in(file, name):
    return list(csv.DictReader(io.StringIO(members_of(file)[f"{name}.csv"], newline="")))


def changed(file, target, change, *, checksums=True):
    """Write an archive anew after a change of its members' texts."""
    members = members_of(file)
    before = dict(members)
    change(members)
    if checksums:
        manifest = json.loads(members["manifest.json"])
        kept = manifest["members"]
        manifest["members"] = {
            name: kept[name]
            if before.get(name) == member
            else {
                "sha256": hashlib.sha256(member.encode()).hexdigest(),
                "bytes": len(member.encode()),
                "rows": len(list(csv.reader(io.StringIO(member, newline="")))) - 1
                if name.endswith(".csv")
                else None,
            }
            for name, member in members.items()
            if name != "manifest.json"
        }
        members["manifest.json"] = json.dumps(manifest)
    with zipfile.ZipFile(target, "w") as content:
        for name, member in members.items():
            content.writestr(name, member)
    return target


def cell(member, line, column, new, *, number=False):
    """Return a change of one cell: by line from 1 below the header, by the column's name."""

    def change(members):
        table = list(csv.reader(io.StringIO(members[member], newline="")))
        at = column if number else table[0].index(column)
        value = new(table[line][at]) if callable(new) else new
        assert table[line][at] != value
        table[line][at] = value
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(table)
        members[member] = out.getvalue()

    return change


def line_of(member, change):
    """Return a change of a member's lines."""

    def call(members):
        lines = members[member].splitlines(keepends=True)
        change(lines)
        members[member] = "".join(lines)

    return call


def edit(name, change):
    """Return a change of a table: `change` alters its rows in place, dictionaries of texts."""

    def call(members):
        reader = csv.DictReader(io.StringIO(members[f"{name}.csv"], newline=""))
        table = list(reader)
        before = [dict(row) for row in table]
        change(table)
        assert table != before
        out = io.StringIO()
        writer = csv.DictWriter(out, reader.fieldnames, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
        members[f"{name}.csv"] = out.getvalue()

    return call


def put(name, number, **values):
    """Return a change of some cells in a row, counted from 1; a function is given the number."""

    def change(table):
        row = table[number - 1]
        for column, value in values.items():
            row[column] = repr(value(float(row[column]))) if callable(value) else value

    return edit(name, change)


def both(*changes):
    def call(members):
        for change in changes:
            change(members)

    return call


def a_third(cases):
    """Return the names of cases as parameters: every third runs always, the others when slow."""
    return [
        pytest.param(name, marks=pytest.mark.slow if number % 3 else ())
        for number, name in enumerate(cases)
    ]
