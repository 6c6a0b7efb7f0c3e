"""The tables of an archive as Table Schemas, for tools that read Frictionless Data Packages."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Table, Uuid, types
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from roundbook.formats.archive_package import TableSchema
from roundbook.transfer.archive.descriptions import DESCRIPTIONS
from roundbook.transfer.archive.tables import columns_of, refers_to

_TYPES: tuple[tuple[type, dict[str, str]], ...] = (
    (types.Integer, {"type": "integer"}),
    (types.Double, {"type": "number"}),
    (types.Text, {"type": "string"}),
    (types.Boolean, {"type": "boolean"}),
    (types.DateTime, {"type": "datetime"}),
    (types.Date, {"type": "date"}),
    (Uuid, {"type": "string", "format": "uuid"}),
    (ARRAY, {"type": "array"}),
    (JSONB, {"type": "object"}),
)


def table_schema(table: Table) -> TableSchema:
    """Return the Table Schema of a table's member: fields, primary key and foreign keys."""
    description, meanings = DESCRIPTIONS.get(table.name, ("", {}))
    columns = columns_of(table)
    schema: TableSchema = {
        "fields": [_field(column, meanings.get(column.name, "")) for column in columns],
        "primaryKey": [column.name for column in table.primary_key],
    }
    if description:
        schema["description"] = description
    keys = [
        {"fields": [column.name], "reference": {"resource": target.name, "fields": ["id"]}}
        for column in columns
        if (target := refers_to(column)) is not None
    ]
    if keys:
        schema["foreignKeys"] = keys
    return schema


def _field(column: Column[Any], description: str) -> dict[str, Any]:
    kind = next(kind for sql, kind in _TYPES if isinstance(column.type, sql))
    field: dict[str, Any] = {"name": column.name, **kind, "description": description}
    # An empty text is a value here; the tools would take it for a missing value.
    if not column.nullable and not isinstance(column.type, types.Text):
        field["constraints"] = {"required": True}
    return field
