"""A notebook's parameters cell: of each its type, its default and its words, as papermill's help reads them."""

import json
import types
import typing
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from benchbook.parameters import wording

WIDTH, ROOM = 120, 40
"""Of a line, and what its words get of it at least."""
_SAID = ("MiB", "GiB", "bytes", "%", "ns", "µs", "ms", "s")
"""Units proper; what a name counts, such as keys, it says itself."""


def text(model: type[BaseModel]) -> str:
    """The cell, a line for each parameter; of a long list a line for each value.

    papermill's help reads ``name: type = value  # words``, on one line but for the values of a list.
    """
    return "\n".join(_assignment(name, field) for name, field in model.model_fields.items())


def kind(annotation: Any) -> str:
    """Python's name of a type, as simple as a reader needs it: int, str for a choice, list[float]."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return type(parts[0]).__name__
    if origin in (tuple, list):
        return f"list[{kind(parts[0])}]"
    if origin in (typing.Annotated, typing.Union, types.UnionType):
        return kind(parts[0])
    return str(annotation.__name__)


def words(name: str, field: FieldInfo) -> str:
    """What a parameter means, after its choices where it has some, and before its unit unless that is said."""
    meaning, unit = field.description or "", wording.unit(name)
    if typing.get_origin(field.annotation) is Literal:
        return f"{wording.kind(field.annotation)}: {meaning}"
    named = unit in _SAID and unit not in meaning
    return f"{meaning}; in {unit}" if named else meaning


def _assignment(name: str, field: FieldInfo) -> str:
    value, start = field.default, f"{name}: {kind(field.annotation)} = "
    meaning = words(name, field)
    if not isinstance(value, tuple | list):
        return _commented(f"{start}{_literal(value)}", meaning)
    values = [_literal(each) for each in value]
    line = f"{start}[{', '.join(values)}]"
    if len(line) <= WIDTH - ROOM:
        return _commented(line, meaning)
    return "\n".join([f"{start}[", *(f"    {each}," for each in values), _commented("]", meaning)])


def _commented(code: str, meaning: str) -> str:
    """As much of the words as the line holds, up to the end of a clause; `benchbook show` has all."""
    line, end = f"{code}  # {meaning}", WIDTH - len(" …")
    if len(line) <= WIDTH:
        return line
    start = len(code) + ROOM // 2
    cut = max(line.rfind(mark, start, end + 1) for mark in ("; ", " ("))
    cut = cut if cut > 0 else max(line.rfind(mark, start, end + 1) for mark in (", ", " "))
    return f"{line[:cut]} …"


def _literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)
