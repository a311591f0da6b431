"""What can be set, and the configurations: which keys are warmed, which are measured, how the tables lie, how slow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.features.arms import arm, hot_share, neighbours
from benchbook.measuring.features.parameters import ALIKE, OWN, Features
from benchbook.model import Configuration, Plan, Scalar

BASELINE = "same_keys"
REPEATED = "same_keys_again"
DISJOINT, BY_CHANCE, ALIKE_ORDER = "disjoint", "disjoint_by_chance", "disjoint_by_chance_alike"
MIXED = "hot_share_80"
COLD, PROBED = "true_cold", "true_cold_probed"
ALL_WARMED, TEN_PERCENT = "all_warmed_large_pool", "ten_percent_warmed_large_pool"
SAME_FIRST, DISJOINT_FIRST = "same_keys_first_table", "disjoint_first_table"
EMPTY = "empty_statement"
HOT_CELL, DISJOINT_CELL, MIXED_CELL = "hot", "disjoint", "mixed"
CELLS: dict[str, tuple[str, str, dict[str, Scalar]]] = {
    HOT_CELL: ("warmed keys", "same", {}),
    MIXED_CELL: ("80 % warmed", "mix", {"share": 0.8}),
    DISJOINT_CELL: ("disjoint keys", "disjoint", {}),
}
"""Which keys are measured on slower storage and over a longer way: in words, their draw, and what it asks for."""
SERIAL, PIPELINE = "serial", "pipeline"
NOTE_REQUESTS = 1_000
"""As many as the note measured, where no tail is asked for."""
_LONGEST_MS = 100.0


class Parameters(Features):
    """Defaults are the standard profile."""

    large_pool_mib: int = Field(
        4608, ge=1, le=1_000_000,
        description="buffer pool in MiB of the *_large_pool configurations; should hold what they measure",
    )  # fmt: skip
    hot_shares_percent: tuple[int, ...] = Field(
        (99, 98, 95, 90, 80, 50),
        description="shares in % of requests on the hot set, between 100 (same keys) and 0 (disjoint)",
    )
    zipf_exponents: tuple[float, ...] = Field(
        (0.99,), description="exponents of the Zipf configurations, over all keys of a table"
    )
    added_read_ms: tuple[float, ...] = Field(
        (0.0, 0.5, 1.0),
        description="latencies in ms that are added to each read of the server, by a library preloaded into it (needs "
        "direct reads and a C compiler); none: nothing is measured on slower storage",
    )
    added_trip_ms: tuple[float, ...] = Field(
        (0.0, 0.5, 1.0),
        description="round trips in ms that are added between client and server, by a proxy (needs Linux); none: "
        "nothing is measured over a longer way",
    )
    slow_requests: int = Field(
        30, ge=10, le=100_000, description="measured requests of a trial on slower storage or over a longer way"
    )
    slow_hot_keys: int = Field(200, ge=1, le=1_000_000, description="keys that are warmed before them, once each")

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if self.large_pool_mib < self.shared_buffers_mib:
            raise ValueError(
                f"large_pool_mib={self.large_pool_mib} is smaller than shared_buffers_mib={self.shared_buffers_mib}"
            )
        if any(not 0 < share < 100 for share in self.hot_shares_percent):
            raise ValueError(f"hot_shares_percent={self.hot_shares_percent} must lie between 1 and 99")
        if any(not 0 < exponent <= 10 for exponent in self.zipf_exponents):
            raise ValueError(f"zipf_exponents={self.zipf_exponents} must be above 0 and at most 10")
        for name in ("added_read_ms", "added_trip_ms"):
            if any(not 0 <= value <= _LONGEST_MS for value in getattr(self, name)):
                raise ValueError(f"{name}={getattr(self, name)} must lie between 0 and {_LONGEST_MS:g}")
        for name in ("hot_shares_percent", "zipf_exponents", "added_read_ms", "added_trip_ms"):
            values = getattr(self, name)
            if len({f"{value:g}" for value in values}) != len(values):  # as their configurations are named
                raise ValueError(f"{name}={values} names a value twice")
        return self

    @property
    def slower(self) -> bool:
        """Whether anything is measured on slower storage and over a longer way; only direct reads can be slowed."""
        return bool(self.direct_io and self.added_read_ms and self.added_trip_ms)

    @property
    def layouts(self) -> tuple[str, ...]:
        """Each table in an order of its own, and all in one."""
        return (OWN, ALIKE)

    @property
    def largest_pool_mib(self) -> int:
        """The largest buffer pool of any configuration."""
        return self.large_pool_mib

    def pool_mib(self, settings: Mapping[str, Scalar]) -> int:
        """The buffer pool of a configuration."""
        return self.large_pool_mib if settings.get("large_pool") else self.shared_buffers_mib


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures, and the surface of latencies."""
    hot, requests = f"{parameters.hot_set_keys:,}", f"{parameters.measured_requests:,}"
    chance: dict[str, Scalar] = {"chance": True, "requests": NOTE_REQUESTS}
    return (
        arm(BASELINE, "same keys (hot)", "same"),
        arm(REPEATED, "same keys, again (A/A)", "same"),
        *(arm(hot_share(share), f"{share} % hot", "mix", share=share / 100) for share in parameters.hot_shares_percent),
        arm(DISJOINT, "disjoint keys (the note's mistake)", "disjoint"),
        arm(BY_CHANCE, "disjoint keys by chance", "disjoint", **chance),
        arm(ALIKE_ORDER, "disjoint keys by chance, tables alike", "disjoint", alike=True, **chance),
        arm(COLD, "no warm-up at all", "disjoint", warm=False, probe=False, requests=NOTE_REQUESTS),
        arm(PROBED, "no warm-up but start-up probes", "disjoint", warm=False, requests=NOTE_REQUESTS),
        *(arm(zipf_name(each), f"Zipf {each:g}", "zipf", exponent=each) for each in parameters.zipf_exponents),
        arm(ALL_WARMED, f"all {requests} keys warmed, large pool", "all_warmed", large_pool=True),
        arm(TEN_PERCENT, f"10 % of {requests} keys warmed, large pool", "ten_percent", large_pool=True),
        arm(SAME_FIRST, f"same {hot} keys, first table only", "same", only_first=True, requests=NOTE_REQUESTS),
        arm(DISJOINT_FIRST, "disjoint keys, first table only", "disjoint", only_first=True, requests=NOTE_REQUESTS),
        arm(EMPTY, "empty statement (client cost)", "empty"),
        *_surface(parameters),
    )


def _surface(parameters: Parameters) -> tuple[Configuration, ...]:
    if not parameters.slower:
        return ()
    reads, trips = parameters.added_read_ms, parameters.added_trip_ms
    places = [(read, trip, SERIAL) for read in reads for trip in trips] + [(max(reads), max(trips), PIPELINE)]
    own: dict[str, Scalar] = {"requests": parameters.slow_requests, "hot_keys": parameters.slow_hot_keys}
    return tuple(
        arm(
            cell(keys, read, trip, client),
            f"{words}, +{read:g} ms a read, +{trip:g} ms a trip{', in a pipeline' if client == PIPELINE else ''}",
            draw, **more, **own, read_ms=read, trip_ms=trip, client=client,
        )
        for keys, (words, draw, more) in CELLS.items()
        for read, trip, client in places
    )  # fmt: skip


def cell(keys: str, read_ms: float, trip_ms: float, client: str = SERIAL) -> str:
    """Configuration name of a cell of the surface, such as slow_hot_read_0_5_trip_1."""
    return f"slow_{keys}_read_{read_ms:g}_trip_{trip_ms:g}".replace(".", "_") + f"_{client}" * (client != SERIAL)


def zipf_name(exponent: float) -> str:
    """Configuration name of a Zipf exponent, such as zipf_0_99."""
    return f"zipf_{exponent:g}".replace(".", "_")


def plan(parameters: Parameters) -> Plan:
    """Blocks in which what is compared is measured within a minute or two."""
    return neighbours(configurations(parameters), _group, parameters.blocks, parameters.seed)


def _group(name: str) -> str:
    groups = {
        "keys": (BASELINE, REPEATED, DISJOINT, BY_CHANCE, ALIKE_ORDER, MIXED),
        "cold": (COLD, PROBED),
        "warmed": (ALL_WARMED, TEN_PERCENT),
        "first table": (SAME_FIRST, DISJOINT_FIRST),
    }
    found = next((group for group, names in groups.items() if name in names), "")
    return found or ("surface" if name.startswith("slow_") else "shares")
