"""The points of a sweep: values for some parameters, written shortly, as every combination of them."""

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError, shortened
from benchbook.parameters import profiles, yaml_text

MOST_POINTS = 200
"""Each is a run of two blocks or more."""
_RANGE = re.compile(r"(?P<first>[^.\s*+][^*+\s]*?)\.\.(?P<last>[^*+\s]+)(?P<kind>[*+])(?P<step>\S+)")
_SHORTEST_STEP = 1e-9
Grid = Mapping[str, Sequence[Any]]


def read(texts: Sequence[str]) -> dict[str, list[Any]]:
    """``name=values`` each: ``64,128``, ``[90],[90,50]``, ``512..4096*2`` by a factor, ``0..100+25`` by a step.

    Raises BenchbookError for what cannot be read, for a name without values, and for one that is given twice.
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = (each.strip() for each in text.partition("="))
        if not equals or not name or not values:
            raise BenchbookError(f"{shortened(repr(text))} is not of the form name=values", "give one such as a=1,2,4")
        if name in found:
            raise BenchbookError(f"{shortened(repr(name))} is given twice", "give all values of a parameter together")
        found[name] = _values(name, values)
    return found


def read_file(path: Path) -> dict[str, list[Any]]:
    """A YAML file with a list of values, or a range in words, for each name. Raises BenchbookError as ``read`` does."""
    content = profiles.read_parameters(path)
    if not content:
        raise BenchbookError(f"{path} holds no grid", "give a line `name: [values]` each")
    return {
        name: _values(name, values) if isinstance(values, str) else _listed(name, values)
        for name, values in content.items()
    }


def points(grid: Grid) -> list[dict[str, Any]]:
    """Every combination, in the order of the grid; raises BenchbookError for none, and for more than are useful."""
    if not grid:
        raise BenchbookError("the grid has no parameter", "name one, such as -g shared_buffers_mib=64,128,256")
    number = math.prod(map(len, grid.values()))
    if number > MOST_POINTS:
        raise BenchbookError(
            f"the grid has {number:,} points, and {MOST_POINTS} are the most", "give fewer values, or several sweeps"
        )
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def _values(name: str, text: str) -> list[Any]:
    span = _RANGE.fullmatch(text)
    if span is not None:
        return _spread(name, **span.groupdict())
    return _listed(name, [_one(name, each) for each in _parted(text)])


def _listed(name: str, values: Any) -> list[Any]:
    found = list(values) if isinstance(values, list | tuple) else [values]
    if not found:
        raise BenchbookError(f"{name} has no values", "give at least one")
    if any(found[place] in found[:place] for place in range(len(found))):
        raise BenchbookError(f"a value of {name} is given twice", "give each once")
    return found


def _one(name: str, text: str) -> Any:
    try:
        return yaml_text.read(text)
    except ValueError as error:
        raise BenchbookError(f"{name}={shortened(text)} cannot be read ({error})", "quote it") from None


def _parted(text: str) -> list[str]:
    """At the commas that stand in no list."""
    depth, parts = 0, [""]
    for each in text:
        depth += (each == "[") - (each == "]")
        if each == "," and not depth:
            parts.append("")
        else:
            parts[-1] += each
    if any(not part.strip() for part in parts):
        raise BenchbookError(f"{shortened(text)!r} has an empty value", "give values with a comma between them")
    return parts


def _spread(name: str, first: str, last: str, kind: str, step: str) -> list[Any]:
    numbers = [_one(name, each) for each in (first, last, step)]
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in numbers):
        raise BenchbookError(f"{name}={first}..{last}{kind}{step} is no range of numbers", "such as 512..4096*2")
    low, high, by = numbers
    grows = by > 1 + _SHORTEST_STEP and low > 0 if kind == "*" else by > _SHORTEST_STEP
    if not grows or low > high or not all(map(math.isfinite, numbers)):
        raise BenchbookError(
            f"{name}={first}..{last}{kind}{step} is an empty or endless range",
            "give a lower end, a higher one, and a factor above 1 or a step above 0",
        )
    found: list[Any] = []
    for place in range(MOST_POINTS + 1):
        value = low * by**place if kind == "*" else low + by * place
        if value > high * (1 + _SHORTEST_STEP):
            break
        found.append(int(value) if float(value).is_integer() and isinstance(low, int) else value)
    return found
