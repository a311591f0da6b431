"""A parameter's declaration in words: type, unit, bounds and values."""

import types
import typing
from collections.abc import Mapping
from typing import Any, Literal

from pydantic.fields import FieldInfo

UNITS = {each: each for each in ("bytes", "ns", "ms", "s", "keys", "requests")} | {
    "mib": "MiB", "gib": "GiB", "percent": "%", "us": "µs",
}  # fmt: skip
_NAMES: dict[Any, tuple[str, str]] = {
    bool: ("true or false", "true or false"),
    int: ("whole number", "whole numbers"),
    float: ("number", "numbers"),
    str: ("text", "texts"),
}


def kind(annotation: Any) -> str:
    """Of a type, such as "whole number", "list of numbers", "one of pipeline, serial"."""
    if annotation in _NAMES:
        return _NAMES[annotation][0]
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return f"one of {', '.join(str(part) for part in parts)}"
    if origin in {tuple, list}:
        return f"list of {_NAMES[parts[0]][1] if parts[0] in _NAMES else 'values'}"
    if origin in {types.UnionType, typing.Union}:
        return " or ".join("nothing" if part is type(None) else kind(part) for part in parts)
    return str(annotation)


def unit(name: str) -> str:
    """The unit that a name's ending says, or "" where the meaning says it: n_tables counts tables."""
    if name.startswith("n_"):
        return name.removeprefix("n_").replace("_", " ")
    if "_per_" in name or name == "blocks":
        return name.replace("_", " ")
    return UNITS.get(name.rsplit("_", 1)[-1], "") if "_" in name else ""


def bounds(field: FieldInfo) -> str:
    """Such as "from 1 to 200", "above 0"; "" where only the type bounds it."""
    words = {"ge": "from", "gt": "above", "le": "to", "lt": "below"}
    limits = [(word, getattr(part, name, None)) for part in field.metadata for name, word in words.items()]
    return " ".join(f"{word} {value(limit)}" for word, limit in limits if limit is not None)


def shape(values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters without those that say how much was measured, and no other question."""
    return {name: value for name, value in values.items() if name not in {"blocks", "seed"}}


def differing(own: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Each parameter that has not the value wanted, such as "n_tables=10 instead of 30"."""
    return [
        f"{name}={value(own.get(name))} instead of {value(wanted.get(name))}"
        for name in {**wanted, **own}
        if own.get(name) != wanted.get(name)
    ]


def value(given: Any) -> str:
    """As it is written after ``-p name=``, so that it can be copied."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, tuple | list):
        return f"[{','.join(value(each) for each in given)}]"
    return "null" if given is None else str(given)
