"""Turns JSON into the models of the description, and arguments into JSON."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import attrs


class Unset:
    """The type of an argument that was not given. None stands for null."""

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()


@attrs.define(kw_only=True)
class Model:
    """A value of the API, by attributes."""

    additional_properties: dict[str, Any] = attrs.field(factory=dict, repr=False)
    """The fields that this version of the package does not know."""


def given(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if not isinstance(value, Unset)}


def read(kind: Any, value: Any) -> Any:
    """Keep what this version of the description does not foresee. Missing fields are None."""
    kinds = [one for one in get_args(kind) if one is not NoneType]
    if NoneType in get_args(kind):
        return read(kinds[0], value) if len(kinds) == 1 else value
    if isinstance(value, dict) and attrs.has(kind):
        return _read_model(kind, dict(value))
    if isinstance(value, list) and get_origin(kind) is list:
        return [read(kinds[0], item) for item in value]
    if isinstance(value, dict) and get_origin(kind) is dict:
        return {key: read(kinds[1], item) for key, item in value.items()}
    if isinstance(value, str) and kind is datetime:
        # Python 3.10 does not know the Z.
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value


def _read_model(model: Any, rest: dict[str, Any]) -> Any:
    known = {field.name: read(field.type, rest.pop(key, None)) for key, field in _fields_of(model)}
    return model(**known, additional_properties=rest)


def write(value: Any) -> Any:
    """For ``json.dumps(default=)``: leaves out optional fields without a value."""
    if isinstance(value, datetime):
        return value.isoformat()
    if not isinstance(value, Model):
        raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
    model: Any = type(value)
    fields = {
        key: getattr(value, field.name)
        for key, field in _fields_of(model)
        if getattr(value, field.name) is not None or field.default is attrs.NOTHING
    }
    return {**value.additional_properties, **fields}


@cache
def _fields_of(model: Any) -> list[tuple[str, attrs.Attribute[Any]]]:
    """The fields of the description with their names in JSON."""
    # Without the attributes of the class, whose names can be those of types.
    attrs.resolve_types(model, localns={})
    known = [field for field in attrs.fields(model) if field.name != "additional_properties"]
    return [(field.metadata.get("name", field.name), field) for field in known]
