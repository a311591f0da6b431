"""What each configuration is asked or sets, told as another one with what differs from it.

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
from benchbook.model import Configuration

FILE = Path(__file__).with_name("requests.csv")
SEED = 1
Flat = dict[str, str]


def request_of(module: Any, arm: Configuration) -> dict[str, Any]:
    """What a probe is asked, of parameters, a configuration and a seed; elsewhere the settings."""
    ask = getattr(module, "request_of", None)
    if ask is None or len(inspect.signature(ask).parameters) != 3:
        return dict(arm.settings)
    asked: dict[str, Any] = ask(module.Parameters(), arm, SEED)
    return asked


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
    found = {}
    for arm in module.configurations(module.Parameters()):
        asked = request_of(module, arm)
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
