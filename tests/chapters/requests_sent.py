"""What each configuration of the chapters on probes is asked, told as another one with what differs from it.

``python -m tests.chapters.planted_numbers`` writes requests.csv anew, which test_numbers compares.
"""

from __future__ import annotations

import csv
import inspect
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchbook import lab
from benchbook.experiments import parts

FILE = Path(__file__).with_name("requests.csv")
SEED = 1
Flat = dict[str, str]


def asking() -> list[str]:
    """Chapters that make a request of parameters, a configuration and a seed."""
    modules = {name: parts.module(lab.experiment(name).package) for name in lab.names()}
    asks = {name: module.request_of for name, module in modules.items() if hasattr(module, "request_of")}
    return [name for name, ask in asks.items() if len(inspect.signature(ask).parameters) == 3]


def flat(given: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every single value with its place."""
    if isinstance(given, dict):
        for key, value in given.items():
            yield from flat(value, f"{name}.{key}" if name else key)
    else:
        yield name, repr(given)


def requests(chapter: str) -> dict[str, Flat]:
    """By configuration, its group, and whether it is asked once, the fields of its request."""
    module = parts.module(lab.experiment(chapter).package)
    parameters, found = module.Parameters(), {}
    for arm in module.configurations(parameters):
        asked = module.request_of(parameters, arm, SEED)
        once = module.PROBING.once(arm, asked) if hasattr(module, "PROBING") else ""
        found[arm.name] = {"group": repr(arm.group), "once": repr(once), **dict(flat(asked))}
    return found


def changes(one: Flat, other: Flat) -> list[str]:
    """What has to be changed in the one to have the other."""
    return [f"{field}={other.get(field, 'none')}" for field in one | other if one.get(field) != other.get(field)]


def rows(chapter: str) -> Iterator[tuple[str, str, str, str]]:
    """Chapter, configuration, the earlier configuration that is most like it, and what differs."""
    before: dict[str, Flat] = {"": {}}
    for name, asked in requests(chapter).items():
        like, differ = min(((each, changes(before[each], asked)) for each in before), key=lambda found: len(found[1]))
        yield chapter, name, like, "; ".join(differ)
        before[name] = asked


def text(chapters: Iterable[str]) -> str:
    """The file's lines of these chapters, as they are now."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(row for name in chapters for row in rows(name))
    return out.getvalue()
