"""Look-ups in a store that is there: memory bounded, disk capped, a fresh process with its own cache sizes each time.

The store is filled once for all trials and opened for reading only, so that no trial changes what the next one finds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import files, temporary
from benchbook.engines import badger, bounds, probe
from benchbook.engines.badger import Build
from benchbook.engines.prepared import Turn, prepared
from benchbook.engines.storage.caps import Cap
from benchbook.engines.storage.volumes import Volume
from benchbook.measuring.badger import storage
from benchbook.measuring.badger.bench import Measured
from benchbook.measuring.badger.metrics import Metrics, latencies, per
from benchbook.measuring.badger.parameters import LookedUp
from benchbook.measuring.badger.request import threshold_bytes
from benchbook.model import Configuration, PlannedTrial

ROW_BYTES = 400
STORED_BYTES = 428
"""What a row takes in a table: key, value, time stamp, and its part of block index and Bloom filter."""
FILL_ROOM = 1.25
"""Of a filled store: while it is compacted, a part of it lies on the disk twice."""
FILL_BYTES_PER_S = 20e6
"""An estimate for what is said of the time."""
NOTE_STORE_MIB = 324
"""The note's store after both rounds of its suite, as its repository tells."""
EXPONENT = 0.99
DISCARD_S = 0.5
"""Of a measured window: the throttle lets a tenth of a second's worth pass at once."""
FILL_LIMIT_S, PREPARE_LIMIT_S = 1_200.0, 300.0
SERIES = "gets.service"
NS = 1_000_000_000


@dataclass(frozen=True)
class Stores:
    """Filled stores by compression. volume: on which they are alone; None: on the scratch disk."""

    folders: Mapping[str, Path]
    volume: Volume | None


def size_bytes(rows: int) -> int:
    return rows * STORED_BYTES


def cache_bytes(rows: int, note_mib: float) -> int:
    """A cache that is to this store what one of ``note_mib`` is to the note's."""
    return int(note_mib / NOTE_STORE_MIB * size_bytes(rows))


def request_of(p: LookedUp, arm: Configuration, seed: int) -> dict[str, Any]:
    own = arm.settings

    def size(name: str) -> int:
        mib = float(own[name] or 0)
        return cache_bytes(p.lookup_rows, mib) if own["in_proportion"] else int(mib * 2**20)

    found = _request(p, str(own["compression"]), seed)
    sizes = {"block_cache_bytes": size("block_mib"), "index_cache_bytes": size("index_mib")}
    found["options"] |= sizes | {"read_only": True}
    return found


def room_bytes(p: LookedUp, kinds: Collection[str]) -> int:
    """Disk that stores of these compressions take while they are filled."""
    return len(kinds) * int(size_bytes(p.lookup_rows) * FILL_ROOM) + (4 * p.mem_table_mib << 20)


@contextmanager
def filled(
    p: LookedUp, kinds: Collection[str], scratch: Path, progress: Callable[[str, float], None]
) -> Iterator[Stores]:
    """A store of each of these compressions, on a volume of its own where the parameters allow one; gone at the end."""
    with storage.placed(p, room_bytes(p, kinds)) as volume, temporary.folder("probe", scratch) as local:
        folders = {kind: (local if volume is None else volume.folder) / kind for kind in kinds}
        for number, (kind, folder) in enumerate(folders.items()):
            progress("filling stores for look-ups", number / len(folders))
            folder.mkdir()
            fill(p, kind, folder, scratch)
        yield Stores(folders, volume)


def fill(p: LookedUp, compression: str, folder: Path, scratch: Path) -> None:
    """Fill a store in an empty folder. scratch: where the samples lie meanwhile."""
    request = _request(p, compression, 0)
    request["options"] |= {"block_cache_bytes": 64 << 20, "compact_l0_on_close": True}
    request["run"] |= {"operations": 1, "workers": 1}
    probe.ask(badger.find(Build.NOTE), request, timeout_s=FILL_LIMIT_S, folder=scratch, store=folder)


def surroundings(stores: Stores, memory_mib: int, more: str = "") -> dict[str, str]:
    """What the machine allows of bounds and volumes. more: of such a volume."""
    with bounds.memory(memory_mib << 20) as bound:
        return {
            "memory_bound": bound.label,
            "storage": "local disk" if stores.volume is None else f"a volume of their own{more}",
        }


def measure(p: LookedUp, planned: PlannedTrial, program: Path, stores: Stores, scratch: Path) -> Measured:
    """A trial of look-ups.

    Raises MachineError where the capped volume does not keep its cap, and as the probe does.
    """
    arm, own = planned.configuration, planned.configuration.settings
    store = stores.folders[str(own["compression"])]
    files.evict(store)
    if not own["bounded"]:
        files.recall(store)
    limit = p.lookup_memory_mib * 2**20 if own["bounded"] else None
    found: Metrics = {}
    labels = {"storage": str(p.cap if own["capped"] else Cap())}
    with ExitStack() as stack:
        bound = stack.enter_context(bounds.memory(limit))
        with bound.inside():
            request = request_of(p, arm, planned.seed)
            waiting = stack.enter_context(
                prepared(program, request, timeout_s=PREPARE_LIMIT_S, folder=scratch, store=store)
            )
        labels["memory"] = bound.label
        warm_ns = 1 if own["dropped"] else max(1, int(p.lookup_warm_s * NS))  # 1: a single look-up of each worker
        before = waiting.turn(Turn(warm_ns, warm_ns))
        if own["capped"]:
            assert stores.volume is not None
            stack.enter_context(stores.volume.capped(p.cap))
            found |= storage.certified(stores.volume, p.cap)
        discard_s = 0.0 if own["dropped"] else min(DISCARD_S, p.lookup_s / 4)
        window = waiting.turn(Turn(int((p.lookup_s + discard_s) * NS), int(discard_s * NS)))
        memory = bound.reading()
        answer = waiting.end()
    samples = answer.series[SERIES]
    found |= _metrics(before, window, samples, p.workers)
    found["memory_peak_bytes"] = None if memory is None or memory.peak_bytes is None else float(memory.peak_bytes)
    return found, {"look-up": samples}, labels


def _request(p: LookedUp, compression: str, seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "workload": "gets",
        "options": {
            "compression": compression, "block_bytes": p.block_bytes, "mem_table_bytes": p.mem_table_mib << 20,
            "base_table_bytes": p.base_table_mib << 20, "value_threshold_bytes": threshold_bytes(p.mem_table_mib),
        },
        "load": {"keys": p.lookup_rows, "value_bytes": ROW_BYTES},
        "run": {
            "law": "zipf", "exponent": EXPONENT, "warm_operations": 0, "operations": 100_000, "workers": p.workers
        },
    }  # fmt: skip


def _metrics(before: Mapping[str, Any], window: Mapping[str, Any], values: np.ndarray, workers: int) -> Metrics:
    """Differences of counters around the window, and what a look-up took in its kept part."""
    first, last = before["counters"], window["counters"]
    asked, kept_ns = int(window["all_operations"]), int(window["measured_ns"])
    found: Metrics = {
        "lookups": float(len(values)),
        "lookups_asked": float(asked),
        "lookups_per_s": per(len(values) * workers * NS, kept_ns),
        "lookup_anonymous_bytes": float(last["memory"]["anonymous_bytes"]),
        **latencies("lookup", values),
    }
    for name, key in (("lookup_waits", "major_faults"), ("lookup_read_bytes", "device_read_bytes")):
        if key in first["memory"] and key in last["memory"]:
            found[name] = per(last["memory"][key] - first["memory"][key], asked)
    if last["block_cache"] is not None:
        begun, ended = first["block_cache"], last["block_cache"]
        hits, misses, added, charged = (
            ended[name] - begun[name] for name in ("hits", "misses", "keys_added", "cost_added_bytes")
        )
        found |= {
            "lookup_accesses": float(hits + misses),
            "lookup_hit_ratio": per(hits, hits + misses),
            "lookup_keys_added": float(added),
            "lookup_charged_bytes": float(charged),
        }
    if last["index_cache"] is not None:
        begun, ended = first["index_cache"], last["index_cache"]
        found["lookup_index_lookups"] = float(sum(ended[name] - begun[name] for name in ("hits", "misses")))
    return found
