"""Types of the columns of rows, by what their models declare and not by the values there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

# A type of a column: text, numbers, truth values and times; `object` for lists and mappings.
ColumnTypes = Mapping[str, type]
_SCALARS = (str, bool, int, float, datetime, date)


def types_of(model: type[BaseModel], *, by_alias: bool = True) -> dict[str, type]:
    """Return the type of every column of a model's rows, by its keys in JSON or by its fields.

    Models within it have columns of their own, ``interval.low``; a mapping of names to numbers or
    texts has one a name, which is not known here.
    """
    types: dict[str, type] = {}
    annotations = {
        (by_alias and field.alias) or name: field.annotation
        for name, field in model.model_fields.items()
    }
    for name in model.model_computed_fields:
        annotations[name] = get_type_hints(getattr(model, name).fget)["return"]
    for name, annotation in annotations.items():
        kind = _without_none(annotation)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            of_kind = types_of(kind, by_alias=by_alias)
            types |= {f"{name}.{inner}": of_inner for inner, of_inner in of_kind.items()}
        else:
            types[name] = _column_type(kind)
    return types


def types_at(model: type[BaseModel], paths: Mapping[str, str]) -> dict[str, type]:
    """Return the types of columns that are paths of a model's fields, see `values_at`."""
    types = types_of(model, by_alias=False)
    return {name: types[path] for name, path in paths.items()}


def types_of_values(names: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> dict[str, type]:
    """Return the types of columns that no model declares, without those that hold nothing."""
    rows, types = list(rows), {}
    for name in names:
        kinds = {type(row[name]) for row in rows} - {NoneType}
        if kinds == {int, float}:
            kinds = {float}
        if kinds:
            (kind,) = kinds if len(kinds) == 1 else (object,)
            types[name] = kind if kind in _SCALARS else object
    return types


def _without_none(annotation: Any) -> Any:  # noqa: ANN401
    """Return an annotation without None and constraints; unions of several others as they are."""
    if get_origin(annotation) is Annotated:
        return _without_none(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        others = [kind for kind in get_args(annotation) if kind is not NoneType]
        return _without_none(others[0]) if len(others) == 1 else annotation
    return annotation


def _column_type(kind: Any) -> type:  # noqa: ANN401
    if get_origin(kind) is Literal and all(isinstance(value, str) for value in get_args(kind)):
        return str
    if get_origin(kind) in (Union, UnionType) and {*get_args(kind)} - {NoneType} == {int, float}:
        return float
    return kind if kind in _SCALARS else object
