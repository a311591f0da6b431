"""What can be set, and the configurations: how many rows the cache holds, and which keys are asked for."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.experiments.families.kv import options
from benchbook.experiments.families.kv.options import MIB, Options
from benchbook.experiments.families.kv.parameters import TurnParameters
from benchbook.experiments.parameters import asked
from benchbook.model import Configuration, Scalar


class Parameters(TurnParameters):
    """Defaults are the standard profile: the note's ten million rows, its cache and the ones that it proposes."""

    blocks: int = Field(
        4,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    rows: int = asked(10_000_000, "rows", ge=2_000, le=100_000_000, description="rows of the store")
    small_entries: int = asked(
        1_000, "rows in the smallest cache", ge=1, le=100_000_000, description="rows in the note's cache"
    )
    middle_entries: int = Field(
        100_000, ge=1, le=100_000_000, description="rows in the smaller of the two caches that the note proposes"
    )
    large_entries: int = asked(
        1_000_000, "rows in the largest cache", ge=1, le=100_000_000, description="rows in the larger of them"
    )
    zipf_exponent: float = Field(0.99, gt=0, lt=20, description="exponent of the Zipf pattern")
    lookups: int = asked(
        100_000, "look-ups a trial", ge=256, le=100_000_000, description="look-ups of a trial that count at least"
    )
    warm_lookups: int = Field(
        5_000_000,
        ge=0,
        le=1_000_000_000,
        description="look-ups by the same distribution before them, to fill the cache",
    )
    once_lookups: int = Field(
        3_000_000, ge=256, le=100_000_000, description="look-ups at least where no key is asked for twice"
    )
    pilot_blocks: int = Field(
        1, ge=1, le=10, description="first blocks, which choose the best setting of RocksDB and do not judge it"
    )
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        entries = [self.small_entries, self.middle_entries, self.large_entries]
        if entries != sorted(set(entries)):
            raise ValueError(f"small_entries, middle_entries and large_entries must grow, and are {entries}")
        if self.once_lookups * MADE_BESIDE > self.rows:
            raise ValueError(
                f"once_lookups={self.once_lookups} must be at most half of rows={self.rows}: no key is asked for twice"
            )
        if self.rows % ONCE_STRIDE == 0:
            raise ValueError(
                f"rows={self.rows} is a multiple of {ONCE_STRIDE}, the stride at which each is asked for once"
            )
        if self.pilot_blocks >= self.blocks:
            raise ValueError(f"pilot_blocks={self.pilot_blocks} leaves none of blocks={self.blocks} to judge by")
        return self


MADE_BESIDE = 2
"""Look-ups that a turn makes for each that counts, at most: those at its beginning do not count."""
ONCE_STRIDE = 7_919
"""A prime that divides no usual number of rows, so that its multiples meet every row before they meet one again."""
ZIPF, UNIFORM, ONCE = "zipf", "uniform", "once"
LAWS = {ZIPF: "Zipf", UNIFORM: "uniform", ONCE: "each key once"}
SMALL, MIDDLE, LARGE = "small", "middle", "large"
SIZES = (SMALL, MIDDLE, LARGE)
UNIVERSAL, LARGER = "large_universal", "large_block_cache"
SQLITE, AGAIN = "sqlite", "again"
BEST = (LARGE, UNIVERSAL, LARGER)
"""The largest cache over the note's five options, and over them with a further setting of RocksDB."""
OPTIONS: dict[str, Options] = {
    **dict.fromkeys((*SIZES, AGAIN), options.AFTER),
    UNIVERSAL: {**options.AFTER, "compaction": "universal"},
    LARGER: {**options.AFTER, "block_cache_bytes": 1024 * MIB},
    # The note's client library opens SQLite without a mutex; all else is SQLite's default.
    SQLITE: {"engine": "sqlite", "prepare": "query", "mutex": "none"},
}


def at(law: str, use: str) -> str:
    """Configuration name."""
    return f"{law}_{use}"


def entries(parameters: Parameters, use: str) -> int:
    """Rows in the cache of a use; none before SQLite."""
    known = {SMALL: parameters.small_entries, AGAIN: parameters.small_entries, MIDDLE: parameters.middle_entries}
    return 0 if use == SQLITE else known.get(use, parameters.large_entries)


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    uses = {
        ZIPF: (*SIZES, UNIVERSAL, LARGER, SQLITE, AGAIN),
        UNIFORM: (*SIZES, UNIVERSAL, LARGER, SQLITE),
        ONCE: (SMALL, LARGE),
    }
    return tuple(_arm(parameters, law, use) for law, each in uses.items() for use in each)


def _arm(parameters: Parameters, law: str, use: str) -> Configuration:
    words = {
        UNIVERSAL: ", universal compaction", LARGER: ", 1 GB block cache", AGAIN: " (A/A)",
    }  # fmt: skip
    rows = f"{entries(parameters, use):,} rows cached{words.get(use, '')}"
    label = f"{'SQLite as run' if use == SQLITE else rows}, {LAWS[law]}"
    settings: dict[str, Scalar] = {
        "law": law, "use": SMALL if use == AGAIN else use, "row_cache_entries": entries(parameters, use),
    }  # fmt: skip
    return Configuration(at(law, use), label, settings, law)
