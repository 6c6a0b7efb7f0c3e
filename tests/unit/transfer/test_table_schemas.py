"""The tables of an archive, described for other programs: complete, and as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roundbook.transfer.archive.data_package import table_schema
from roundbook.transfer.archive.tables import TABLES, columns_of

PAGE = Path(__file__).parents[3] / "docs/reference/archive.md"
NAMES = {table.name for table in TABLES}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_the_schema_of_a_table(table):
    schema = table_schema(table)
    names = [field["name"] for field in schema["fields"]]
    assert names == [column.name for column in columns_of(table)]
    assert schema["primaryKey"]
    assert set(schema["primaryKey"]) <= set(names)
    assert {name for key in schema.get("foreignKeys", ()) for name in key["fields"]} == {
        name for name in names if name.endswith("_id")
    }
    for key in schema.get("foreignKeys", ()):
        assert key["reference"]["resource"] in NAMES
        assert key["reference"]["fields"] == ["id"]
    assert schema["description"]
    assert all(field["description"] for field in schema["fields"])


def test_types_and_constraints():
    schemas = {table.name: table_schema(table) for table in TABLES}
    fields = {
        (name, field.pop("name")): {key: field[key] for key in field if key != "description"}
        for name, schema in schemas.items()
        for field in schema["fields"]
    }
    required = {"constraints": {"required": True}}
    assert fields["task", "id"] == {"type": "integer", **required}
    assert fields["task", "name"] == {"type": "string"}
    assert fields["task", "title"] == {"type": "string"}
    assert fields["task", "created_at"] == {"type": "datetime", **required}
    assert fields["round", "held"] == {"type": "date"}
    assert fields["round", "pseudonym_key"] == {"type": "string", "format": "uuid", **required}
    assert fields["run", "contributed_to_pool"] == {"type": "boolean"}
    assert fields["factor", "sd"] == {"type": "number", **required}
    assert fields["matrix", "files"] == {"type": "array", **required}
    assert fields["event", "details"] == {"type": "object", **required}


def test_the_descriptions_are_those_of_the_page():
    tables = PAGE.read_text(encoding="utf-8").partition("## The tables\n")[2]
    on_the_page = {}
    for part in re.split(r"^### ", tables, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        columns = dict(re.findall(r"^\| `([a-z_]+)` \| .*? \| (.+) \|$", body, re.MULTILINE))
        first = " ".join(body.strip().partition("\n\n")[0].split())
        on_the_page[title.removesuffix(".csv")] = (first, columns)
    described = {}
    for table in TABLES:
        schema = table_schema(table)
        columns = {field["name"]: field["description"] for field in schema["fields"]}
        described[table.name] = (schema["description"], columns)
    assert described == on_the_page
