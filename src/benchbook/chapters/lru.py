"""How many rows a cache holds before the note's engine, which keys it is asked for, and what that gains over SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Self

import numpy as np
import pandas as pd
from pydantic import model_validator

from benchbook import kit, notes
from benchbook.caches import curve, trace
from benchbook.measuring import kv
from benchbook.workloads import draws

ONCE_STRIDE = 7_919
"""A prime that divides no usual number of rows, so that its multiples meet every row before they meet one again."""


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile: the note's ten million rows, its cache and the ones that it proposes."""

    blocks: int = kit.common("blocks", 4)
    rows: int = kit.common("rows", 10_000_000, 2_000, asks="rows")
    small_entries: int = kit.param(1_000, 1, 100_000_000, "rows in the note's cache", asks="rows in the smallest cache")
    middle_entries: int = kit.param(
        100_000, 1, 100_000_000, "rows in the smaller of the two caches that the note proposes"
    )
    large_entries: int = kit.param(
        1_000_000, 1, 100_000_000, "rows in the larger of them", asks="rows in the largest cache"
    )  # fmt: skip
    zipf_exponent: float = kit.param(0.99, words="exponent of the Zipf pattern", above=0, below=20)
    lookups: int = kit.common("lookups", 100_000, asks="look-ups a trial")
    warm_lookups: int = kit.common(
        "warm_lookups", 5_000_000, words="look-ups by the same law before them: fill the cache"
    )
    once_lookups: int = kit.param(3_000_000, 256, 100_000_000, "look-ups at least where no key is asked for twice")
    pilot_blocks: int = kit.common("pilot_blocks", 1)
    kept_samples: int = kit.common("kept_samples", 500)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        entries = [self.small_entries, self.middle_entries, self.large_entries]
        growing = f"small_entries, middle_entries and large_entries must grow, and are {entries}"
        half = f"once_lookups={self.once_lookups} must be at most half of rows={self.rows}: no key is asked for twice"
        stride = f"rows={self.rows} is a multiple of {ONCE_STRIDE}, the stride at which each is asked for once"
        left = f"pilot_blocks={self.pilot_blocks} leaves none of blocks={self.blocks} to judge by"
        kit.refuse(entries != sorted(set(entries)), growing)
        kit.refuse(2 * self.once_lookups > self.rows, half)  # a turn makes at most twice the look-ups that it counts
        kit.refuse(self.rows % ONCE_STRIDE == 0, stride)
        kit.refuse(self.pilot_blocks >= self.blocks, left)
        return self


LAWS = {"zipf": "Zipf", "uniform": "uniform", "once": "each key once"}
CACHES = {"small": "small_entries", "middle": "middle_entries", "large": "large_entries"}
FURTHER = {"large_universal": ", universal compaction", "large_block_cache": ", 1 GB block cache"}
"""Settings of RocksDB over the note's five, under the largest cache."""
BEST = ("large", *FURTHER)
OPTIONS: dict[str, kv.Options] = {
    "large_universal": {**kv.AFTER, "compaction": "universal"},
    "large_block_cache": {**kv.AFTER, "block_cache_bytes": 1024 * kv.MIB},
    "sqlite": kv.uses.SQLITE_PER_QUERY,
}


def cached(p: Parameters, *uses: str) -> dict[str, str]:
    """Each use in words."""
    words = {use: f"{getattr(p, CACHES.get(use, CACHES['large'])):,} rows cached{FURTHER.get(use, '')}" for use in uses}
    return words | ({"sqlite": "SQLite as run"} if "sqlite" in uses else {})


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Caches, and SQLite, by kind of keys; each kind takes turns."""
    for law, uses in {"zipf": (*CACHES, *FURTHER, "sqlite", "again"), "uniform": (*CACHES, *FURTHER, "sqlite"),
                      "once": ("small", "large")}.items():  # fmt: skip
        for use in uses:
            of = "small" if use == "again" else use
            entries = 0 if use == "sqlite" else getattr(parameters, CACHES.get(of, CACHES["large"]))
            label = f"{cached(parameters, of)[of]}{' (A/A)' if use == 'again' else ''}, {LAWS[law]}"
            yield kit.Configuration(f"{law}_{use}", label, {"law": law, "use": of, "row_cache_entries": entries}, law)


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    p, law, use = parameters, str(arm.settings["law"]), str(arm.settings["use"])
    options: dict[str, Any] = {**OPTIONS.get(use, kv.AFTER)}
    if use != "sqlite":
        options = {
            **kv.ENGINE,
            "index_load": "single",
            "row_cache_entries": arm.settings["row_cache_entries"],
            **options,
        }
    run: dict[str, Any] = {"law": law, "operations": p.lookups, "timing": "batches"}
    if law == "once":
        run |= {"law": "stride", "stride": ONCE_STRIDE, "operations": p.once_lookups}
    else:  # SQLite's own cache is small and full at once
        run |= {"warm_operations": p.lookups if use == "sqlite" else p.warm_lookups}
    return kv.request(seed, options, p.rows, run | ({"exponent": p.zipf_exponent} if law == "zipf" else {}))


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """A trial's metrics, and the times of its batches. What an engine does not have is missing, never 0."""
    record, request = asked.answer.record, asked.request
    counters, made = record["counters"], kv.lookups_made(record, request["run"])
    found = kv.looked_up(record, request["run"], "query_mean_ns")
    found["anonymous_bytes"] = float(counters["run"]["memory"]["anonymous_bytes"])
    if request["options"].get("row_cache_entries"):
        hits = counters["run"]["row_cache_hits"] - counters["warm"]["row_cache_hits"]
        found |= {"hit_ratio": hits / made, "memtable_rows": kv.memtable_rows(counters["run"]["engine"])}
    labels = {"engine": f"{record['engine']} {record['engine_version']}"}
    return kv.Reading(found, "batch", asked.answer.series["batch.service"], labels)


# None is asked for so many look-ups and no more: also where no key is asked for twice, keys last for all turns.
PROBING = kv.Probing(
    "RocksDB and SQLite", ("RocksDB", "SQLite"), configurations, request_of, read, once=lambda arm, request: False
)  # fmt: skip
needs, session, reduce = PROBING.needs, PROBING.session, kv.reduce

METRICS = {**kv.METRICS, "hit_ratio": kit.Metric("hit ratio of the cache of rows", "%", 100, heading="hits")}
AA, checks = ("zipf_again", "zipf_small"), kv.all_compared


class Summary(kv.Summary[Parameters]):
    def sizes(self) -> str:
        """Rows, after the blocks."""
        return f", {self.parameters.rows:,} rows"


def asked_twice(summary: Summary) -> str:
    """That a key was asked for twice where none was to be; "" where the caches never had one."""
    hits = max(float(summary.values(f"once_{use}", "hit_ratio").max()) for use in ("small", "large"))
    return f"{hits:.2%} of the look-ups found their row in the cache" if hits else ""


def departs(summary: Summary) -> str:
    """What a claim names and this run does not have."""
    p = summary.parameters
    other = [f"a Zipf exponent of {p.zipf_exponent} where 0.99 is asked"] if p.zipf_exponent != 0.99 else []
    return " and ".join([*kit.other_numbers(p), *other])


@cache
def lru_hits(rows: int, exponent: float, warm: int, lookups: int, sizes: tuple[int, ...]) -> list[float]:
    """Share of look-ups whose row is in a cache of each size that drops the least recently used one (libCacheSim)."""
    keys = draws.zipf(rows, exponent, warm + lookups, np.random.default_rng(1))
    return [each.hits for each in curve.curve(trace.of_keys(keys), sizes, curve.LRU, warm_up=warm / keys.size)]


def predicted(summary: Summary) -> dict[str, float]:
    """Hits of Zipf look-ups by cache, in %, without the engine."""
    p = summary.parameters
    sizes = tuple(getattr(p, entries) for entries in CACHES.values())
    hits = lru_hits(p.rows, p.zipf_exponent, p.warm_lookups, p.lookups, sizes)
    return {name: 100 * each for name, each in zip(CACHES, hits, strict=True)}


time, hits, memory = kit.measured("query_mean_ns"), kit.share("hit_ratio", of="lookups"), kit.counted("anonymous_bytes")
gain = {law: time[f"{law}_small"] / time[f"{law}_large"] for law in ("zipf", "uniform")}
lead = {law: time[f"{law}_sqlite"] / time[f"{law}_{{}}"] for law in gain}
best = {law: kit.picked(time, *(f"{law}_{use}" for use in BEST), pilot="pilot_blocks") for law in gain}
SHOWN = ("small", "large")
NUMBERS = {
    "best": {law: (time[f"{law}_sqlite"] / each).after("pilot_blocks") for law, each in best.items()},
    "gain": gain | {"zipf_middle": time["zipf_small"] / time["zipf_middle"]},
    "cost_uniform": time["uniform_large"] / time["uniform_small"],
    "lead": {f"{law}_{use}": time[f"{law}_sqlite"] / time[f"{law}_{use}"] for law in gain for use in SHOWN},
    "hits": {name: kit.percent(hits[arm]) for name, arm in
             {"zipf_small": "zipf_small", "zipf_large": "zipf_large", "uniform": "uniform_large"}.items()},
    "once": (time["once_large"] / time["once_small"]).but(idle=asked_twice),
    "locality": gain["zipf"] / gain["uniform"],
    "memory": memory["uniform_large"] / 1e6 - memory["uniform_small"] / 1e6,
}  # fmt: skip
WORDS = {"predicted": predicted, "in_turns": lambda summary: kv.in_turns(summary.parameters, all_of_them=True)}


def note_claims(summary: Summary) -> pd.DataFrame:
    """The note's three ways on, with what it expects of each."""
    told = notes.table("omendb_options").set_index("name")
    named = {"expected_gain": "gain", "expected_speedup_lo": "speed-up from", "expected_speedup_hi": "to",
             "risk": "risk"}  # fmt: skip
    return told[[*named]].astype(object).fillna("").rename(columns=named)


TABLES = {"note_claims": note_claims}
FIGURES = {
    "speedups": kit.Dots(
        rows=lambda summary: cached(summary.parameters, "small", "middle", *BEST), row="cache",
        series={LAWS[law]: lead[law] for law in gain}, heading="keys",
        axis="times as fast as SQLite that prepares for every look-up", rule=1.0, height=190, replicates="blocks",
        quantity="SQLite's mean look-up / the engine's",
        given=lambda summary: [
            kit.Given("the note, its benchmark", {"small": kv.note.speedup_after()}),
            kit.Given("the note's target", dict.fromkeys(("small", BEST[-1]), 2.0), line="dash", listed=False),
        ],
    ),
    "times": kit.Dots(
        rows=lambda summary: cached(summary.parameters, *CACHES, "sqlite"), row="cache",
        series={LAWS[law]: time[f"{law}_{{}}"] for law in LAWS}, heading="keys",
        metric=METRICS["query_mean_ns"].but(words="mean query"), scale="zero", height=190,
    ),
    "hits": kit.Dots(
        rows=lambda summary: cached(summary.parameters, *CACHES), row="cache",
        series={LAWS[law]: hits[f"{law}_{{}}"] for law in LAWS}, heading="keys",
        axis="look-ups that found their row (%)", factor=100, scale="percent", height=180,
        given=lambda summary: [kit.Given("Zipf, predicted", predicted(summary))],
    ),
    "claims": kit.ClaimFigure(what="The chapter's claims that are ratios"),
}  # fmt: skip
