"""A request in, what its trial takes of the machine out: seconds, disk, memory, and when it is given up."""

from __future__ import annotations

from benchbook.measuring.kv.requests import Request, lookups

ROW_S = {"rocksdb": 1.3e-6, "sqlite": 1.2e-6, "lmdb": 0.4e-6, "redb": 1.2e-6, "value_file": 0.35e-6, "none": 0.25e-6}
"""To make, write and index a row, as seen on two cores of a current server; of an index alone, to index it."""
PREPARED_ROW_S, COMPACTED_ROW_S, SYNCED_ROW_S, FOUND_AGAIN_ROW_S = 4e-6, 1.8e-6, 4e-6, 10e-6
RANDOM_TIMES = 3
"""Random keys take a store up to so many times as long to write."""
LOOKUP_S, TRIAL_S = 2e-6, 0.06
USUAL_ROW_BYTES, NOTE_ROW_BYTES, ROW_BYTES = 150, 64, 48
"""Up to the first a row's length changes little; the others are what one takes on disk: the note's with its value, any
other beside its value."""
ONE_WRITE_ROW_BYTES, MEMORY_ROW_BYTES = 250, 100
"""Memory of a row in the note's engine, or in RocksDB while all are written as one (200 at its peak), and in others."""
INDEX_ROW_BYTES = {
    "alex": 25, "alex_simd": 25, "btree": 20, "hash": 40, "sorted": 17, "note_flat": 140, "note_levels": 140
}  # fmt: skip
WAITING_BYTES = 80_000_000
"""What an index takes for a key, and what a filled process takes beside its rows, as seen with a million."""
SPARE_BYTES = 500_000_000
"""Of disk beside all stores that live at once, and of memory beside a process."""
GIVEN_UP_S, GIVEN_UP_ROW_S, GIVEN_UP_LOOKUP_S = 300.0, 1e-4, 1e-3


def seconds(request: Request) -> float:
    """About how long the trial takes."""
    load, options = request["load"], request["options"]
    engine = str(options["engine"])
    each = ROW_S[engine]
    if options.get("prepare") == "query":
        each = PREPARED_ROW_S
    if engine != "none" and load["keys"] == "random":
        each *= RANDOM_TIMES
    if load.get("settle") == "compact":
        each += COMPACTED_ROW_S
    if load.get("reopen"):
        each = SYNCED_ROW_S
    if request["workload"] == "crash":
        each = FOUND_AGAIN_ROW_S
    longer = max(1.0, _row_bytes(request) / USUAL_ROW_BYTES)
    return float(TRIAL_S + load["rows"] * each * longer + lookups(request) * LOOKUP_S)


def disk_bytes(request: Request) -> int:
    """What the store takes at most: a log and the files, and where they are compacted or synced another generation.

    ``SPARE_BYTES`` come on top once, for all that live at one time.
    """
    load = request["load"]
    copies = 3 if load.get("settle") == "compact" or load.get("reopen") or request["workload"] == "crash" else 2
    return int(copies * load["rows"] * _row_bytes(request) + 8 * lookups(request))


def memory_bytes(request: Request) -> int:
    """What the process takes at most, and room for the kernel to keep the files that it reads."""
    load, engine = request["load"], request["options"]["engine"]
    one_write = engine == "none" or (engine == "rocksdb" and not load["batch_rows"])
    in_files = engine != "none" and (engine != "rocksdb" or load.get("settle") == "compact")
    each = (ONE_WRITE_ROW_BYTES if one_write else MEMORY_ROW_BYTES) + (_row_bytes(request) if in_files else 0)
    return int(load["rows"] * each + 8 * lookups(request) + SPARE_BYTES)


def live_bytes(request: Request) -> int:
    """What it goes on taking once it is filled and waits, the files that the kernel keeps for it included."""
    load, options = request["load"], request["options"]
    index = str(options["value_index"] if options["engine"] == "value_file" else options.get("index", "none"))
    held = INDEX_ROW_BYTES.get(index.removesuffix("_huge_pages"), 0)
    cached = min(int(options.get("block_cache_bytes", 0)), load["rows"] * _row_bytes(request))
    return int(load["rows"] * (held + _row_bytes(request)) + cached + WAITING_BYTES)


def limit_s(request: Request) -> float:
    """When the trial is given up: far beyond what a slow disk needs."""
    return float(GIVEN_UP_S + request["load"]["rows"] * GIVEN_UP_ROW_S + lookups(request) * GIVEN_UP_LOOKUP_S)


def _row_bytes(request: Request) -> int:
    value = int(request["load"]["value_bytes"])
    return value + ROW_BYTES if value else NOTE_ROW_BYTES
