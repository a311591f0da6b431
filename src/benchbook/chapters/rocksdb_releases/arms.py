"""What can be set, and the configurations: where the rows lie and which options RocksDB has, each on two releases."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.kv.options import AFTER, BEFORE, MIB, Options
from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.model import Configuration, Scalar

OURS, NOTES = "ours", "notes"
RELEASES = {OURS: "the book's release", NOTES: "the note's release"}
MEMTABLE, FILES = "memtable", "files"
PLACES = {MEMTABLE: "rows in the memtable", FILES: "rows in files"}
"""Where the rows are to lie: in the memtable, written as one as the note does, or in compacted files."""
CASES: dict[str, tuple[str, str, bool]] = {
    "memtable_before": ("before the change", MEMTABLE, False),
    "memtable_after": ("all five options", MEMTABLE, False),
    "files_default": ("RocksDB's own options", FILES, False),
    "files_before": ("before the change", FILES, False),
    "files_after": ("all five options", FILES, False),
    "files_larger": ("all five options, larger cache", FILES, True),
}
"""What is measured: which options, where the rows lie, and whether the block cache is the larger one."""
COMPARED = {
    "memtable": ("rows in the memtable: all five options ÷ before", "memtable_after", "memtable_before"),
    "files": ("rows in files: all five options ÷ before", "files_after", "files_before"),
    "larger": ("rows in files: all five, larger cache ÷ before", "files_larger", "files_before"),
    "place": ("before: rows in files ÷ in the memtable", "files_before", "memtable_before"),
}
"""Comparisons: label, and the two configurations."""
AGAIN = "ours_files_before_again"


class Parameters(TurnParameters):
    """Defaults are the standard profile: the note's ten million rows, 512 MiB of block cache and 1 GiB."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: int = Field(10_000_000, ge=1_000, le=100_000_000, description="rows of each store")
    cache_mib: int = Field(512, ge=8, le=65_536, description="block cache of the five options, in MiB")
    larger_cache_mib: int = Field(1_024, ge=16, le=131_072, description="the larger block cache, in MiB")
    load_batch_rows: int = Field(100_000, ge=100, le=10_000_000, description="rows of a write where rows reach files")
    lookups: int = Field(500, ge=8, le=1_000_000, description="look-ups of a trial that count at least")
    warm_lookups: int = Field(
        5_000, ge=8, le=100_000_000, description="look-ups that warm a store before its first turn"
    )
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _cache_grows(self) -> Self:
        if self.larger_cache_mib <= self.cache_mib:
            raise ValueError(f"larger_cache_mib={self.larger_cache_mib} must be more than cache_mib={self.cache_mib}")
        return self


def at(release: str, case: str) -> str:
    """Configuration name."""
    return f"{release}_{case}"


def options_of(parameters: Parameters, case: str) -> Options:
    """RocksDB's options in a case, in the probe's words."""
    if case == "files_default":
        return {}
    if case.endswith("before"):
        return BEFORE
    cache: Scalar = (parameters.larger_cache_mib if CASES[case][2] else parameters.cache_mib) * MIB
    return {**AFTER, "block_cache_bytes": cache}


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every case on both releases, those of one place in turns with each other, and one twice (A/A)."""

    def arm(release: str, case: str, name: str = "", more: str = "") -> Configuration:
        label, place, _ = CASES[case]
        return Configuration(
            name or at(release, case), f"{label}, {PLACES[place]}, {RELEASES[release]}{more}",
            {"release": release, "case": case}, "turns",
        )  # fmt: skip

    return (
        *(arm(release, case) for case in CASES for release in RELEASES),
        arm(OURS, "files_before", AGAIN, ", again (A/A)"),
    )
