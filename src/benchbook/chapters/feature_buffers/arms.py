"""What can be set, and the configurations: which keys are asked for, and how much of the memory is the pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.features.arms import arm, neighbours
from benchbook.measuring.features.parameters import Features
from benchbook.model import Configuration, Plan, Scalar
from benchbook.parameters.base import asked

DISJOINT, MIX, DIRECT, UNFILLED = "disjoint", "mix", "direct", "unfilled"
"""Keys that nothing had asked for, in a pool that others filled; 80/20; without a page cache; after a warm-up alone."""
BAND_PERCENT = (25, 40)
"""The note's rule: the pool takes so much of the memory."""
SERVER_MIB = 56
"""What the server takes of the bounded memory beside its pool, at least."""
NOTE_REQUESTS = 1_000
"""As many as the note measured after its warm-up."""


class Parameters(Features):
    """Defaults are the standard profile: about 1.4 GiB of data in memory that is a little smaller."""

    n_tables: int = Field(
        10, ge=1, le=200, description="tables read per request, one row each (the note: 30; its later runs: 10 to 30)"
    )
    rows_per_table: int = Field(450_000, ge=1_000, le=100_000_000, description="rows that every table has")
    fillfactor_percent: int = Field(
        100, ge=10, le=100,
        description="how full pages of tables and indexes are; full pages hold 44 rows, so that every page is asked "
        "for again by other keys",
    )  # fmt: skip
    n_features: int = Field(
        6, ge=1, le=92,
        description="feature columns of 8 bytes per row, beside the 64-character key (6: 152-byte rows, near the least "
        "of the note's 146 to 218)",
    )  # fmt: skip
    shared_buffers_mib: int = Field(
        128, ge=1, le=1_000_000,
        description="buffer pool in MiB of the server that says its settings for the record; trials have their own",
    )  # fmt: skip
    hot_set_keys: int = asked(
        10_000, "hot keys", ge=1, le=1_000_000,
        description="keys of the hot set in the 80/20 configurations (as many as the note's second benchmark sampled)",
    )  # fmt: skip
    hot_share_percent: int = asked(
        80,
        "% of requests on hot keys",
        ge=1,
        le=99,
        description="share in % of their requests that ask for one of these",
    )
    fill_requests: int = Field(
        20_000, ge=100, le=10_000_000,
        description="requests for other keys of the same mix, sent as joins, that fill pool and page cache beforehand",
    )  # fmt: skip
    direct_io: bool = Field(False, description="read past the OS page cache (PostgreSQL 16+); the claims ask not to")
    bound_memory: bool = Field(
        True,
        description="bound the memory of server and page cache by a control group; without root nothing is bounded",
    )
    ram_percent: int = Field(
        98, ge=10, le=1_000, description="that memory in % of the data; the claims ask for less than the data"
    )
    pools_percent: tuple[int, ...] = Field(
        (23, 46, 92), description="buffer pools in % of that memory, for both mixes of keys"
    )
    mix_pools_percent: tuple[int, ...] = Field(
        (12, 30, 38),
        description="further pools in % of that memory, for 80/20 alone; two of them in the note's range of 25 to 40 %",
    )  # fmt: skip

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        every = self.pools_percent + self.mix_pools_percent
        if len(set(every)) != len(every) or not every or not all(1 <= each <= 95 for each in every):
            raise ValueError(f"pools_percent and mix_pools_percent={every} must lie between 1 and 95 without repeats")
        if not self.doubled_percents:
            raise ValueError(f"pools_percent={self.pools_percent} names no size together with its double")
        if self.key_existence != "all_tables":
            raise ValueError(f"key_existence={self.key_existence} does not belong here: every key is in every table")
        spare = self.ram_mib * (100 - max(every)) // 100
        if self.bound_memory and spare < SERVER_MIB:
            raise ValueError(
                f"ram_percent={self.ram_percent} of about {self.data_bytes >> 20:,} MiB leaves {spare:,} MiB beside a "
                f"pool of {max(every)} %, and the server needs {SERVER_MIB}: give more rows_per_table or ram_percent"
            )
        taken = self.hot_set_keys + self.measured_requests
        if self.rows_per_table < 2 * taken:
            raise ValueError(
                f"rows_per_table={self.rows_per_table:,} leaves too few keys to fill the pool with: hot_set_keys + "
                f"measured_requests = {taken:,} must be at most half of them"
            )
        return self

    @property
    def ram_mib(self) -> int:
        """About how much memory a trial may use."""
        return self.data_bytes * self.ram_percent // 100 >> 20

    @property
    def largest_pool_mib(self) -> int:
        """What a trial's processes may hold together, for the check before loading."""
        return self.ram_mib

    @property
    def doubled_percents(self) -> tuple[int, ...]:
        """The pools whose double was measured too, with both mixes of keys."""
        return tuple(sorted(each for each in self.pools_percent if 2 * each in self.pools_percent))

    @property
    def base_percent(self) -> int:
        """The largest of them: the baseline, measured twice."""
        return self.doubled_percents[-1]

    @property
    def mix_percents(self) -> tuple[int, ...]:
        """The pools of the 80/20 configurations."""
        return tuple(sorted(self.pools_percent + self.mix_pools_percent))


def pool_name(keys: str, percent: int) -> str:
    """Configuration name of a pool in % of the memory, such as mix_46."""
    return f"{keys}_{percent}"


def again_name(percent: int) -> str:
    """The same of the baseline under its second label."""
    return f"{pool_name(DISJOINT, percent)}_again"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """The sweeps, the baseline again, and base and doubled pool without a page cache, and after a warm-up alone."""
    p, base = parameters, parameters.base_percent
    hot = p.hot_share_percent

    def disjoint(percent: int, name: str, label: str, **more: Scalar) -> Configuration:
        return arm(name, label, "disjoint", chance=True, pool_percent=percent, **more)

    return (
        *(
            disjoint(each, pool_name(DISJOINT, each), f"disjoint keys, pool {each} % of memory")
            for each in sorted(p.pools_percent)
        ),
        disjoint(base, again_name(base), f"disjoint keys, pool {base} % of memory, again (A/A)"),
        *(
            arm(
                pool_name(MIX, each), f"{hot}/{100 - hot}, pool {each} % of memory", "mix",
                share=hot / 100, pool_percent=each,
            )
            for each in p.mix_percents
        ),
        *(
            disjoint(each, pool_name(DIRECT, each), f"no page cache, pool {each} % of memory", direct=True)
            for each in ((base, 2 * base) if not p.direct_io else ())
        ),
        *(
            disjoint(
                each, pool_name(UNFILLED, each), f"after the note's warm-up only, pool {each} % of memory",
                fill=False, requests=min(NOTE_REQUESTS, p.measured_requests),
            )
            for each in (base, 2 * base)
        ),
    )  # fmt: skip


def percent_of(settings: Mapping[str, Scalar]) -> int:
    """The pool of a configuration in % of the memory."""
    return int(settings["pool_percent"] or 0)


def plan(parameters: Parameters) -> Plan:
    """Blocks in which the sizes of one mix of keys follow each other."""
    return neighbours(configurations(parameters), lambda name: name.split("_")[0], parameters.blocks, parameters.seed)
