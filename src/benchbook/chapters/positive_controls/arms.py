"""What can be set, and the configurations: five settings, each where nothing asks for it and where something must."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from benchbook.model import Configuration, Scalar
from benchbook.parameters.base import ExperimentParameters

NOTE_SCALE = 1250
"""Of notes 002 and 003: 16 GB of accounts."""
KEY_BYTES = 16
"""Of the encrypted stores: AES-128."""


class Part(StrEnum):
    """What a trial does: TPC-B with note 002's settings or 003's, sums, ranges, a change, look-ups, CHECKPOINT."""

    TPCB = "tpcb"
    SUM = "sum"
    ROUND = "round"
    BITMAP = "bitmap"
    BULK = "bulk"
    INDEX = "index"
    CHECKPOINT = "checkpoint"


BASELINE, REPEATED, SCENARIO_A = "tpcb_baseline", "tpcb_baseline_again", "tpcb_scenario_a"
SUM_BASELINE, SUM_A = "sum_baseline", "sum_scenario_a"
PLAIN, SMALLEST, SMALL, LARGE = "index_plain_1024", "index_encrypted_1", "index_encrypted_32", "index_encrypted_1024"
CHECKPOINT = "checkpoint"
LOG_16, LOG_128, LOG_BULK = "log_16_mb", "log_128_mb", "log_bulk"
READS_200, READS_100, READS_BITMAP = "reads_200", "reads_100", "reads_bitmap"
LOGS, READS = (LOG_16, LOG_128), (READS_200, READS_100)
"""TPC-B with two sizes of the log's buffers, and with two numbers of reads ahead; the third of each is its control."""
TPCB, SUMS, ENCRYPTED = (BASELINE, REPEATED, SCENARIO_A), (SUM_BASELINE, SUM_A), (SMALLEST, SMALL, LARGE)


class Parameters(ExperimentParameters):
    """Defaults are the standard profile. Counters need no long trials: what moves does so at once."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    scale: int = Field(20, ge=5, le=20_000, description="pgbench scale factor; 20 is 0.3 GiB of tables and indexes")
    clients: int = Field(8, ge=2, le=200, description="pgbench clients (the notes: 100)")
    tpcb_seconds: int = Field(3, ge=1, le=3_600, description="length of TPC-B, also before the CHECKPOINT")
    sums: int = Field(5, ge=2, le=10_000, description="sums of all account balances in a trial, one after the other")
    rows: int = Field(
        300_000, ge=1_000, le=1_000_000_000,
        description="rows of 400 bytes in Badger; by default their indexes take more than 1 MiB",
    )  # fmt: skip
    lookups: int = Field(20_000, ge=1_000, le=100_000_000, description="look-ups of uniformly drawn rows in a trial")


def part_of(arm: Configuration) -> Part:
    """What the trials of a configuration do."""
    return Part(str(arm.settings["part"]))


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm, in the order of the figures; what is compared stands together in a block."""
    return (
        _workers(BASELINE, "TPC-B, 8 workers allowed", Part.TPCB, 8),
        _workers(REPEATED, "TPC-B, 8 workers allowed, again (A/A)", Part.TPCB, 8),
        _workers(SCENARIO_A, "TPC-B, 32 workers allowed", Part.TPCB, 32),
        _workers(SUM_BASELINE, "sum of a table, 8 workers allowed", Part.SUM, 8),
        _workers(SUM_A, "sum of a table, 32 workers allowed", Part.SUM, 32),
        _index(PLAIN, "plain store, index cache of 1,024 MiB", 1024, 0),
        _index(SMALLEST, "encrypted store, index cache of 1 MiB", 1),
        _index(SMALL, "encrypted store, index cache of 32 MiB", 32),
        _index(LARGE, "encrypted store, index cache of 1,024 MiB", 1024),
        _round(LOG_16, "TPC-B, wal_buffers 16 MB", wal_buffers="16MB"),
        _round(LOG_128, "TPC-B, wal_buffers 128 MB", wal_buffers="128MB"),
        _round(LOG_BULK, "one large change, wal_buffers 64 kB", Part.BULK, wal_buffers="64kB"),
        _round(READS_200, "TPC-B, effective_io_concurrency 200", effective_io_concurrency=200),
        _round(READS_100, "TPC-B, effective_io_concurrency 100", effective_io_concurrency=100),
        _round(READS_BITMAP, "ranges by a bitmap, 100 of the same", Part.BITMAP, effective_io_concurrency=100),
        Configuration(CHECKPOINT, "CHECKPOINT, autovacuum off", {"part": str(Part.CHECKPOINT)}, "checkpoint"),
    )


def _workers(name: str, label: str, part: Part, workers: int) -> Configuration:
    settings: dict[str, Scalar] = {"part": str(part), "workers": workers}
    return Configuration(name, label, settings, "workers")


def _round(name: str, label: str, part: Part = Part.ROUND, **changed: Scalar) -> Configuration:
    """Note 003's second round, but for one setting."""
    return Configuration(name, label, {"part": str(part), **changed}, next(iter(changed)))


def _index(name: str, label: str, cache_mib: int, key_bytes: int = KEY_BYTES) -> Configuration:
    settings: dict[str, Scalar] = {"part": str(Part.INDEX), "index_mib": cache_mib, "encryption_key_bytes": key_bytes}
    return Configuration(name, label, settings, "index")
