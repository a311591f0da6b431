"""What can be set, and the configurations: which engine, how it is used, and in which of five ways it is measured."""

from __future__ import annotations

import math
from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.kv import uses
from benchbook.measuring.kv.options import Options
from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.model import Configuration
from benchbook.parameters.base import asked

STRIDE, UNIFORM, INDEX, DURABLE, HALF = "stride", "uniform", "index", "durable", "half"
"""STRIDE: the note's rows and its fixed stride, timed in batches. UNIFORM: random look-ups, timed one by one.

INDEX: an index alone, each look-up waiting for the last. DURABLE: synced writes, a reopening, range scans. HALF: random
look-ups where memory holds half of the store's files.
"""

SQLITE_AS_RUN = "sqlite_as_run"
BYPASS = "bypass"
BYPASS_AGAIN = "bypass_again"
BTREE_ROCKSDB = "btree_and_rocksdb"
LARGER_CACHE = "option_a_larger_cache"
COMPACTED = "option_a_compacted"
LMDB_FOR_REDB = "lmdb_for_redb"
OPTION_A = (LARGER_CACHE, COMPACTED)

VALUE_FILE = "value_file"
VALUE_FILE_AGAIN = "value_file_again"
VALUE_FILE_BESIDE = "value_file_beside"
VALUE_FILE_SMALL = "value_file_small_pages"
VALUE_FILE_HASH = "value_file_hash"
VALUE_FILE_HASH_SMALL = "value_file_hash_small_pages"
SQLITE_BEST = "sqlite_best"
SQLITE_AUTOCOMMIT = "sqlite_autocommit"
LMDB = "lmdb"
ROCKSDB_TUNED = "rocksdb_tuned"
PLAIN_TABLE = "plain_table"
CUCKOO_TABLE = "cuckoo_table"
BESIDES = (VALUE_FILE_SMALL, VALUE_FILE_HASH, VALUE_FILE_HASH_SMALL)
"""The value file with one thing changed: where its index lies, and which index it is."""
OWN_TABLES = (PLAIN_TABLE, CUCKOO_TABLE)
"""RocksDB's own table formats for files that are mapped."""
RIVALS = (SQLITE_BEST, SQLITE_AUTOCOMMIT, LMDB, ROCKSDB_TUNED, *OWN_TABLES)
SECOND = (VALUE_FILE_BESIDE, *BESIDES, *OWN_TABLES)
"""Random look-ups that are compared with the value file of a group of their own, so that fewer stores live at once."""

ALEX_PRESENT = "alex_present"
ALEX_ABSENT = "alex_absent"
HASH_PRESENT = "hash_present"
BTREE_PRESENT = "btree_present"

DURABLE_VALUE_FILE = "durable_value_file"
DURABLE_SQLITE = "durable_sqlite"
DURABLE_LMDB = "durable_lmdb"
DURABLE_ROCKSDB = "durable_rocksdb"
VALUE_FILE_HALF = "value_file_half"
SQLITE_HALF = "sqlite_half"
LMDB_HALF = "lmdb_half"
ROCKSDB_HALF = "rocksdb_half"
VALUE_FILE_LABEL = "ALEX + value file, huge pages"
SECOND_GROUP = "uniform, indexes and tables"

BATCH_OPERATIONS = 256
"""Look-ups that the probe times as one where it measures throughput."""
LOAD_BATCH_ROWS = 100_000
WANTED_KEYS = 1_000_000
"""Keys of each class that the claims ask for at least."""


class Parameters(TurnParameters):
    """Defaults are the standard profile: the note's ten million rows."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: int = asked(
        10_000_000, "rows", ge=30_000, le=100_000_000, description="rows of the stores that are looked up in"
    )
    value_bytes: int = Field(
        100, ge=8, le=4096, description="length of a value in the comparison of engines; the note's own are value_<key>"
    )
    stride: int = Field(
        100, ge=1, le=1_000_000, description="distance in rows between look-ups that follow the note; one pass is timed"
    )
    warm_stride: int = Field(
        37, ge=2, le=1_000_000, description="distance in rows between the look-ups that warm every store; one pass"
    )
    operations: int = Field(
        100_000, ge=1_000, le=100_000_000, description="uniform look-ups timed one by one in the comparison of engines"
    )
    existence_keys: int = Field(
        1_000_000,
        ge=1_000,
        le=100_000_000,
        description="present, and as many absent, keys that the index alone answers",
    )
    durable_rows: int = Field(
        300_000,
        ge=1_000,
        le=100_000_000,
        description="rows of the stores that are written durably, reopened, scanned",
    )
    durable_batch_rows: int = Field(
        1_000, ge=1, le=1_000_000, description="rows of a write that must have reached the disk before the next one"
    )
    scans: int = Field(10_000, ge=200, le=10_000_000, description="range scans timed one by one")
    scan_rows: int = Field(100, ge=1, le=100_000, description="rows that a range scan reads in the order of keys")
    option_a_cache_mib: int = Field(
        2048, ge=8, le=1_000_000, description="block cache in MiB where RocksDB is tuned further, as the note proposes"
    )
    half_rows: int = Field(
        2_000_000, ge=10_000, le=100_000_000, description="rows of the stores whose files memory holds by half"
    )
    half_operations: int = Field(
        2_000, ge=1_000, le=100_000_000, description="random look-ups in them, timed one by one, after as many others"
    )
    bound_memory: bool = Field(
        True,
        description="measure those, whose memory a control group bounds (root only); without it they are left out",
    )
    kept_samples: int = Field(
        4_000, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if self.rows // self.stride < BATCH_OPERATIONS:
            raise ValueError(
                f"rows={self.rows} at stride={self.stride} give {self.rows // self.stride} look-ups, fewer than the "
                f"{BATCH_OPERATIONS} of one batch"
            )
        if self.rows // self.warm_stride < 1:
            raise ValueError(f"warm_stride={self.warm_stride} is more than rows={self.rows}")
        if math.gcd(self.stride, self.warm_stride) != 1:
            raise ValueError(
                f"stride={self.stride} and warm_stride={self.warm_stride} have a common divisor, so the warm-up would "
                "ask for the keys that are measured"
            )
        for name in ("durable_batch_rows", "scan_rows"):
            if getattr(self, name) > self.durable_rows:
                raise ValueError(f"{name}={getattr(self, name)} is more than durable_rows={self.durable_rows}")
        return self

    @property
    def stride_operations(self) -> int:
        """Look-ups of one pass at the note's stride."""
        return self.rows // self.stride

    @property
    def warm_operations(self) -> int:
        """Look-ups of one pass of the warm-up."""
        return self.rows // self.warm_stride


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name and every engine beside it, in the order of the figures."""
    tuned = uses.option_a(parameters.option_a_cache_mib)
    cache = f"{parameters.option_a_cache_mib:,} MiB cache"
    every = (
        _stride(SQLITE_AS_RUN, "SQLite as the note ran it", uses.SQLITE_AS_RUN, batch_rows=0),
        _stride(BYPASS, "ALEX + value file", uses.VALUE_FILE),
        _stride(BYPASS_AGAIN, "ALEX + value file, again (A/A)", uses.VALUE_FILE),
        _stride(BTREE_ROCKSDB, "B-tree index + RocksDB", uses.ROCKSDB_AFTER, index="btree", batch_rows=0),
        _stride(LARGER_CACHE, f"ALEX + RocksDB, {cache}, as written", tuned, index="alex", batch_rows=0),
        _stride(COMPACTED, f"ALEX + RocksDB, {cache}, compacted", tuned, index="alex", batch_rows=0, settle="compact"),
        _stride(LMDB_FOR_REDB, "LMDB (in place of redb)", uses.LMDB),
        _uniform(VALUE_FILE, VALUE_FILE_LABEL, uses.VALUE_FILE_HUGE),
        _uniform(VALUE_FILE_AGAIN, f"{VALUE_FILE_LABEL}, again (A/A)", uses.VALUE_FILE_HUGE),
        _uniform(SQLITE_BEST, "SQLite, best", uses.SQLITE_BEST),
        _uniform(SQLITE_AUTOCOMMIT, "SQLite, autocommit", uses.SQLITE_AUTOCOMMIT),
        _uniform(LMDB, "LMDB", uses.LMDB),
        _uniform(ROCKSDB_TUNED, "RocksDB as the note tuned it", uses.ROCKSDB_AFTER, settle="compact"),
        _uniform(VALUE_FILE_BESIDE, f"{VALUE_FILE_LABEL}, second group", uses.VALUE_FILE_HUGE),
        _uniform(VALUE_FILE_SMALL, "ALEX + value file", uses.VALUE_FILE),
        _uniform(VALUE_FILE_HASH, "hash + value file, huge pages", uses.VALUE_FILE_HASH_HUGE),
        _uniform(VALUE_FILE_HASH_SMALL, "hash + value file", uses.VALUE_FILE_HASH),
        _uniform(PLAIN_TABLE, "RocksDB PlainTable", uses.PLAIN_TABLE, settle="compact"),
        _uniform(CUCKOO_TABLE, "RocksDB CuckooTable", uses.CUCKOO_TABLE, settle="compact"),
        _index(ALEX_PRESENT, "ALEX alone", "alex"),
        _index(ALEX_ABSENT, "ALEX alone, absent keys", "alex", absent=True),
        _index(HASH_PRESENT, "hash table alone", "hash"),
        _index(BTREE_PRESENT, "B-tree alone", "btree"),
        _durable(DURABLE_VALUE_FILE, "ALEX + value file", uses.VALUE_FILE),
        _durable(DURABLE_SQLITE, "SQLite, best", uses.SQLITE_BEST),
        _durable(DURABLE_LMDB, "LMDB", uses.LMDB),
        _durable(DURABLE_ROCKSDB, "RocksDB as the note tuned it", uses.ROCKSDB_AFTER),
        _half(VALUE_FILE_HALF, "ALEX + value file", uses.VALUE_FILE),
        _half(SQLITE_HALF, "SQLite, best", uses.SQLITE_BEST),
        _half(LMDB_HALF, "LMDB", uses.LMDB),
        _half(ROCKSDB_HALF, "RocksDB, tuned, block cache 8 MiB", uses.ROCKSDB_SMALL_CACHE, settle="compact"),
    )
    return tuple(arm for arm in every if parameters.bound_memory or arm.group != HALF)


def _stride(
    name: str,
    label: str,
    options: Options,
    *,
    index: str = "none",
    batch_rows: int = LOAD_BATCH_ROWS,
    settle: str = "nothing",
) -> Configuration:
    """batch_rows=0: all rows in one write, as in the note's program."""
    loading: Options = {"settle": settle, "batch_rows": batch_rows}
    whole = {**options, **uses.FASTER_LOADING.get(str(options["engine"]), {})}
    return Configuration(name, label, {"way": STRIDE, **loading, "index": index, **whole}, STRIDE)


def _uniform(name: str, label: str, options: Options, *, settle: str = "nothing") -> Configuration:
    loading: Options = {"settle": settle, "batch_rows": LOAD_BATCH_ROWS}
    whole = {**options, **uses.FASTER_LOADING.get(str(options["engine"]), {})}
    if settle == "compact":  # all rows are in files before the first look-up, so a log would change no read
        whole |= {"write_ahead_log": False}
    return Configuration(name, label, {"way": UNIFORM, **loading, **whole}, SECOND_GROUP if name in SECOND else UNIFORM)


def _index(name: str, label: str, index: str, *, absent: bool = False) -> Configuration:
    return Configuration(name, label, {"way": INDEX, "absent": absent, "engine": "none", "index": index}, INDEX)


def _durable(name: str, label: str, options: Options) -> Configuration:
    settings: Options = {"way": DURABLE, **options, **uses.DURABLE[str(options["engine"])]}
    return Configuration(name, label, settings, DURABLE)


def _half(name: str, label: str, options: Options, *, settle: str = "nothing") -> Configuration:
    settings = dict(_uniform(name, label, options, settle=settle).settings)
    return Configuration(name, f"{label}, half in memory", {**settings, "way": HALF}, HALF)
