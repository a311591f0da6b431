"""What each configuration is asked or sets, told as another one with what differs from it.

``python -m tests.chapters.planted_numbers`` writes requests.csv anew, which test_numbers compares.
"""

import csv
import inspect
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchbook import lab
from benchbook.engines.postgres import Binaries
from benchbook.experiments import parts
from benchbook.measuring.pgbench import bench, capped, cliffs, many_clients, paced, pool_bench
from benchbook.measuring.pgbench.ladder import bench as ladder
from benchbook.measuring.pgbench.tables import Tables
from benchbook.measuring.pgbench.turns import SideBySide
from benchbook.model import Configuration

FILE = Path(__file__).with_name("requests.csv")
SEED = 1
Flat = dict[str, str]


BENCHES = {
    "clients": many_clients.Bench,
    "cold_starts": paced.Bench,
    "config_ladder": ladder.Bench,
    "io_cliff": cliffs.Bench,
    "shared_buffers": pool_bench.Bench,
}
"""Who makes the server of chapters whose module does not have a bench of its own."""


def server(chapter: str, module: Any, arm: Configuration) -> dict[str, Any]:
    """Settings of the server of a chapter with pgbench, its memory, and what slows it, with 784 MB of data loaded."""
    kind: Any = BENCHES.get(chapter) or getattr(module, "Bench", None)
    if not isinstance(kind, type) or not issubclass(kind, bench.Bench):
        return {}
    found, nothing = Binaries(Path("/"), "18.6", embedded=True), None
    cluster: Any = SimpleNamespace(direct_io_possible=True)
    tables = Tables(found, cluster, nothing, [], 680_000_000, 104_000_000, "pglz", {})  # type: ignore[arg-type]
    more: dict[str, Any] = {"iops": 800} if issubclass(kind, capped.Capped) else {}
    more |= {"turns": nothing} if issubclass(kind, SideBySide) else {}
    made = kind(module.Parameters(), tables, **more)
    slow, limits = made.slowness(arm), made.limits(arm) if isinstance(made, capped.Limited) else None
    return {
        "server": dict(made.settings(arm)), "ram_bytes": made.ram_bytes(arm), "huge": made.huge(arm),
        "limits": limits, "slowed": f"{slow.cap}, {slow.sync_ms} ms",
    }  # fmt: skip


def request_of(chapter: str, module: Any, arm: Configuration) -> dict[str, Any]:
    """What a probe is asked, of parameters, a configuration and a seed; elsewhere the settings, and the server's."""
    ask = getattr(module, "request_of", None)
    if ask is None or len(inspect.signature(ask).parameters) != 3:
        return dict(arm.settings) | server(chapter, module, arm)
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
        asked = request_of(chapter, module, arm)
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
