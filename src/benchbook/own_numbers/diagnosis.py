"""What counters forbid and what they say: rules in ``diagnoses.json``, which the page of advice reads too.

A rule's expressions are lists, an operation and what it is made of, over the names of counters: both readers of the
file, this one and ``diagnose.js``, are as short as that.
"""

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.figures.prose import digits

_OPERATIONS: Mapping[str, Callable[[list[float]], float]] = {
    "+": sum,
    "*": math.prod,
    "/": lambda each: each[0] / each[1] if each[1] else math.nan,
    "power": lambda each: each[0] ** each[1],
    ">": lambda each: each[0] > each[1],
    "<": lambda each: each[0] < each[1],
    "and": all,
}
RULES = Path(__file__).with_name("diagnoses.json")
Counters = Mapping[str, float]


@dataclass(frozen=True)
class Finding:
    """One thing that the counters say. forbids: causes that cannot have acted, or ""; chapter: where it is measured."""

    kind: str
    says: str
    forbids: str = ""
    chapter: str = ""


@cache
def rules() -> Mapping[str, Any]:
    """The file of rules."""
    found: Mapping[str, Any] = json.loads(RULES.read_text("utf-8"))
    return found


def pairs(text: str) -> Iterator[tuple[str, float]]:
    """Names and numbers in the order of a text: "name: 1", "name | 1", "name COUNT : 1"; commas group thousands."""
    for name, number in re.findall(rules()["pair"], text):
        yield name, float(number.replace(",", ""))


def table(lines: Iterable[str]) -> Iterator[tuple[str, float]]:
    """The same of a table with a head: CSV by ``|``, ``,`` or tabs, or what psql prints; its first and last row."""
    rows = iter(lines)
    head = next((line for line in rows if line.strip()), "")
    mark = max("|,\t", key=head.count)
    names = [each.strip() for each in head.split(mark)]
    kept: list[list[str]] = []
    for row in csv.reader(rows, delimiter=mark):
        if len(row) == len(names):
            kept[1:] = [row]  # the first, and the one that came last
    for row in kept:
        for name, cell in zip(names, row, strict=True):
            with suppress(ValueError):
                yield name, float(cell)


def busiest(lines: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Of ``iostat -x``: means over its reports, without the first one, of the device that was busiest."""
    names: list[str] = []
    heads: list[str] = []
    report = 0
    sums: dict[str, list[tuple[int, list[float]]]] = {}
    for line in lines:
        fields = line.split()
        if fields and fields[0].startswith("Device"):
            heads = names = fields[1:]
            report += 1
        elif names and len(fields) == len(names) + 1:
            sums.setdefault(fields[0], []).append((report, [float(each.replace(",", ".")) for each in fields[1:]]))
        elif not fields:
            names = []
    if not sums:
        return
    place = heads.index("%util") if "%util" in heads else -1
    found: list[float] = []
    for rows in sums.values():
        later = np.array([row for number, row in rows if number > 1 or report == 1])
        if later.size and (not found or later.mean(axis=0)[place] > found[place]):
            found = later.mean(axis=0).tolist()
    yield from zip(heads, found, strict=False)


def grown(found: Iterable[tuple[str, float]], used: frozenset[str]) -> dict[str, float]:
    """Each counter as it is; of one that comes more than once, by how much it grew from the first time to the last.

    Raises BenchbookError for one of ``used`` that fell: between, it was reset.
    """
    first: dict[str, float] = {}
    last: dict[str, float] = {}
    for name, value in found:
        if name in first:
            last[name] = value
        else:
            first[name] = value
    for name in used & last.keys():
        if last[name] < first[name]:
            raise BenchbookError(
                f"{name} fell from {first[name]:g} to {last[name]:g}",
                "it was reset: give two looks without one between",
            )
    return {name: last[name] - first[name] if name in last else value for name, value in first.items()}


def names(expression: Any) -> frozenset[str]:
    """The counters that an expression asks for."""
    if isinstance(expression, list):
        return frozenset().union(*map(names, expression[1:]))
    return frozenset({expression}) if isinstance(expression, str) else frozenset()


def value(expression: Any, counters: Counters) -> float:
    """What an expression comes to; a division by 0 is no number, and no comparison with that holds."""
    if isinstance(expression, str):
        return counters[expression]
    if not isinstance(expression, list):
        return float(expression)
    operation, *parts = expression
    return float(_OPERATIONS[operation]([value(part, counters) for part in parts]))


def findings(counters: Counters) -> list[Finding]:
    """What the rules say of these counters, of each kind whose signs are among them, in the order of the rules."""
    found = []
    for kind in rules()["kinds"]:
        if not counters.keys() & set(kind["signs"]):
            continue
        for rule in kind["rules"]:
            known = _asked(rule) <= counters.keys() and rule.get("without") not in counters
            if known and value(rule["when"], counters):
                shown = {name: digits(value(each, counters)) for name, each in rule.get("values", {}).items()}
                says = rule["say"].format(**shown)
                found.append(Finding(kind["name"], says, rule.get("forbids", ""), rule.get("chapter", "")))
    return found


def used() -> frozenset[str]:
    """All counters that any rule asks for."""
    every = [each for kind in rules()["kinds"] for each in kind["rules"]]
    return frozenset().union(*map(_asked, every))


def _asked(rule: Mapping[str, Any]) -> frozenset[str]:
    return names(rule["when"]).union(*map(names, rule.get("values", {}).values()))


def of_text(text: str) -> list[Finding]:
    """What the counters in a text say: one look, or several, of which the growth between first and last counts."""
    lines = text.splitlines()
    found = [*pairs(text)]
    known = used()
    if not any(name in known for name, _ in found):
        found = [*busiest(lines)] if any(line.startswith("Device") for line in lines) else [*table(lines)]
    return findings(grown(found, known))
