"""Turns JSON into the models of the description, and arguments into JSON."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

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
    if isinstance(value, dict) and attrs.has(kind):
        return _read_model(kind, dict(value))
    if isinstance(value, list) and get_origin(kind) is list:
        return [read(get_args(kind)[0], item) for item in value]
    if isinstance(value, dict) and get_origin(kind) is dict:
        return {key: read(get_args(kind)[1], item) for key, item in value.items()}
    if isinstance(value, str) and kind is datetime:
        # Python 3.10 does not know the Z.
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value


def _read_model(model: Any, fields: dict[str, Any]) -> Any:
    known = {
        name: read(hint, fields.pop(key, None)) for name, (key, hint) in _fields_of(model).items()
    }
    return model(**known, additional_properties=fields)


@cache
def _fields_of(model: Any) -> dict[str, tuple[str, Any]]:
    """The name in JSON and the type of each attribute."""
    hints = get_type_hints(model, localns={})
    return {
        field.name: (_json_name(field), _without_none(hints[field.name]))
        for field in _described(model)
    }


def _described(model: Any) -> list[attrs.Attribute[Any]]:
    return [field for field in attrs.fields(model) if field.name != "additional_properties"]


def _json_name(field: attrs.Attribute[Any]) -> str:
    return str(field.metadata.get("name", field.name))


def _without_none(hint: Any) -> Any:
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    return kinds[0] if NoneType in get_args(hint) and len(kinds) == 1 else hint


def write(value: Any) -> Any:
    """For ``json.dumps(default=)``: leaves out optional fields without a value."""
    if isinstance(value, datetime):
        return value.isoformat()
    if not isinstance(value, Model):
        raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
    fields = {
        _json_name(field): getattr(value, field.name)
        for field in _described(type(value))
        if getattr(value, field.name) is not None or field.default is attrs.NOTHING
    }
    return {**value.additional_properties, **fields}
