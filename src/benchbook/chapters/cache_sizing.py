"""Sizes of Badger's block and index cache under the relay's benchmark, and what their hits save look-ups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from pydantic import model_validator

from benchbook import files, kit, statistics
from benchbook.claims import chapter_claims
from benchbook.figures import with_interval
from benchbook.measuring import badger
from benchbook.measuring.storage import check
from benchbook.model import Scalar
from benchbook.numbers.estimands import Words
from benchbook.numbers.inert import Control, cannot_act
from benchbook.numbers.quantities import Number, departing
from benchbook.pages.prose import listed
from benchbook.pages.tables import Columns, levels, means, table
from benchbook.statistics import intervals

SUITE_S, LOOKUP_BESIDE_S, ROWS_PER_S, CERTIFICATE_S = 6.0, 1.0, 1e6, 3.5
"""Of a trial, on average: estimates for what is said of the time."""


class Parameters(badger.LookedUp):
    """Defaults are the standard profile: the note's number of events, its long tests cut short."""

    blocks: int = kit.common("blocks", 6)
    fewer_events: int = kit.param(
        10_000, 10, 10_000_000, "events of the configuration fewer_events, the note's earlier number"
    )  # fmt: skip
    small_mem_table_mib: int = kit.param(16, 1, 4096, "MemTableSize in MiB of the configuration small_tables")
    small_base_table_mib: int = kit.param(8, 1, 4096, "BaseTableSize in MiB of the same")
    length_ladder_mib: tuple[int, ...] = kit.param(
        (1, 2, 4, 64, 2048), words="block cache sizes in MiB of the build that charges a block its own length, with 64"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        few, ladder = f"fewer_events={self.fewer_events}", self.length_ladder_mib
        small = f"small_mem_table_mib={self.small_mem_table_mib} is not below mem_table_mib={self.mem_table_mib}"
        each = len(set(ladder)) == len(ladder) > 1 and 64 in ladder
        kit.refuse(self.fewer_events < self.bursts, f"{few} is less than one for each of bursts={self.bursts}")
        kit.refuse(not each, f"length_ladder_mib={ladder} must name two or more sizes, each once, and 64")
        kit.refuse(min(ladder) < 1, f"length_ladder_mib={ladder} must name sizes of 1 MiB and more")
        kit.refuse(self.small_mem_table_mib >= self.mem_table_mib > 1, small)
        return self

    def table_sizes_mib(self, settings: Mapping[str, Scalar]) -> tuple[int, int]:
        """Those of the change in the configuration of small tables."""
        small = self.small_mem_table_mib, self.small_base_table_mib
        return small if settings.get("small_tables") else super().table_sizes_mib(settings)


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p, build, ladder = parameters, badger.Build, parameters.length_ladder_mib
    query: dict[str, Any] = {"scope": "query"}
    whole: dict[str, Any] = {"scope": "suite"}
    others: dict[str, Any]
    for name, block, index, more, others in (
        ("stated", 64, 32, " (as stated)", query), ("stated_again", 64, 32, ", again (A/A)", query),
        ("block_cache_alone", 2048, 32, "", query), ("tuned", 2048, 1024, " (tuned)", whole),
        ("medium", 1024, 512, " (medium)", whole), ("relay_before", 512, 256, " (relay before)", {}),
        ("minimal", 384, 128, " (minimal)", whole), ("badger_default", 256, 0, " (Badger's default)", {}),
        ("no_block_cache", 0, 1024, "", whole), ("no_index_cache", 2048, 0, "", {}),
        ("small_tables", 64, 32, ", small tables", {"small_tables": True}),
        ("fewer_events", 64, 32, f", {p.fewer_events:,} events", {"events": p.fewer_events}),
        ("current_version", 2048, 1024, ", current Badger", {"build": build.CURRENT}),
        ("snappy", 64, 32, ", Snappy", {"compression": "snappy"}), ("zstd", 64, 32, ", ZSTD", {"compression": "zstd"}),
        *((f"own_length_{mib}", mib, 32, ", own length", {"build": build.LENGTH}) for mib in sorted(ladder)),
    ):  # fmt: skip
        yield badger.arm(name, f"{block} / {index}{more}", block, index, **others)
    held: dict[str, Any] = {
        "scope": "lookups",
        "in_proportion": True,
        "bounded": True,
        "capped": True,
        "dropped": False,
    }
    free: dict[str, Any] = {"capped": False, "bounded": False}
    snappy: dict[str, Any] = {"compression": "snappy", "in_proportion": False}
    # On the slow volume memory is bounded and the disk capped: a miss costs. Snappy's blocks are in memory of their
    # own, so that their cache has to fit into what is bounded.
    for name, block, index, label, others in (
        ("slow_stated", 64, 32, "64 / 32", {}), ("slow_stated_again", 64, 32, "64 / 32, again (A/A)", {}),
        ("slow_minimal", 384, 128, "384 / 128", {}), ("slow_relay_before", 512, 256, "512 / 256", {}),
        ("slow_medium", 1024, 512, "1024 / 512", {}), ("slow_block_cache_alone", 2048, 32, "2048 / 32", {}),
        ("slow_tuned", 2048, 1024, "2048 / 1024", {}), ("slow_no_block_cache", 0, 1024, "0 / 1024", {}),
        ("slow_own_length", 2048, 32, "2048 / 32, own length", {"build": build.LENGTH}),
        ("slow_snappy_small", 4, 0, "4 MiB, Snappy", snappy), ("slow_snappy", 64, 0, "64 MiB, Snappy", snappy),
        ("dropped_stated", 64, 32, "64 / 32, page cache dropped", {"capped": False, "dropped": True}),
        ("free_stated", 64, 32, "64 / 32, all in memory", free),
        ("free_tuned", 2048, 1024, "2048 / 1024, all in memory", free),
    ):  # fmt: skip
        if p.allow_slow_storage or not name.startswith("slow_"):
            yield badger.arm(name, f"look-ups {label}", block, index, **(held | others))


def parted(p: Parameters) -> tuple[list[kit.Configuration], list[kit.Configuration], list[str]]:
    """The arms that run the relay's benchmark, those that look up rows, and the compressions of their stores."""
    every = [*configurations(p)]
    looked = [arm for arm in every if arm.settings["scope"] == "lookups"]
    return [arm for arm in every if arm not in looked], looked, sorted({str(a.settings["compression"]) for a in looked})


def needs(parameters: Parameters) -> kit.Needs:
    """Disk, memory, the three builds of the probe, and what slow storage needs."""
    p, lookups, (suite, looked, kinds) = parameters, badger.lookups, parted(parameters)
    own, store = badger.needs(p, suite), badger.lookups.size_bytes(p.lookup_rows)
    each = p.lookup_warm_s + p.lookup_s + LOOKUP_BESIDE_S + p.lookup_rows / ROWS_PER_S
    capped_s = sum(bool(arm.settings["capped"]) for arm in looked) * CERTIFICATE_S
    block_s = len(suite) * SUITE_S * p.events / 50_000 + len(looked) * each + capped_s
    return kit.Needs(
        own.disk_bytes + lookups.room_bytes(p, kinds) + badger.storage.SPARE_BYTES,
        own.memory_bytes + store,
        lambda: badger.identity(*badger.builds([*suite, *looked])),
        (p.blocks * block_s + 2 * store / lookups.FILL_BYTES_PER_S) / 60,
        lambda: check(allowed=p.allow_slow_storage),
    )


@dataclass(frozen=True)
class Bench(badger.Bench):
    """The programs, the disk on which the suite's stores lie, and the stores for look-ups."""

    parameters: Parameters
    stores: badger.lookups.Stores

    def provenance(self) -> dict[str, Any]:
        """The family's, and what the machine allows of bounds and caps."""
        return super().provenance() | badger.lookups.surroundings(self.stores, self.parameters.lookup_memory_mib)

    def measured(self, planned: kit.PlannedTrial, store: Path | None) -> badger.Measured:
        """What the probe says of one trial."""
        own = planned.configuration.settings
        if own["scope"] != "lookups":
            return super().measured(planned, store)
        program = self.programs[badger.Build(str(own["build"]))]
        return badger.lookups.measure(self.parameters, planned, program, self.stores, self.folder)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The programs, the suite's disk, and filled stores for look-ups, which are gone at the end."""
    p, arms = parameters, [*configurations(parameters)]
    scratch = files.scratch(needs(p).disk_bytes)
    with badger.lookups.filled(p, parted(p)[2], scratch, progress) as stores:
        yield Bench(p, arms, *badger.ready(p, arms, progress), stores)


reduce = badger.reduce

METRICS, MIB, INDEX_LOOKUPS = badger.METRICS, 2.0**20, "query_index_cache_lookups"
TARGET, PLATEAU_SHARE = 0.85, 0.95
"""The least share of hits that the note expects of its larger caches, and of the largest rung's that is enough."""
UNDER_WAY_SHARE = 0.05
"""Blocks read but not yet offered to the cache when the counters are taken look as if they were turned away."""
LEAST_HITS, LEAST_WAITS = 0.05, 0.1
"""Difference of two hit ratios that the ledger takes for one that matters; one miss in ten that reaches the device is
its weakest reading of "misses cause disk I/O"."""
PLAIN = ("stated", "badger_default", "minimal", "relay_before", "medium", "tuned")
"""The note's version without compression, by growing block cache."""
AA, SLOW_AA = ("stated_again", "stated"), ("slow_stated_again", "slow_stated")
REPORTS = {
    "B003": badger.reports.counters("hit ratios", "hit", "asked"),
    "B004": badger.reports.counters("keys added per miss", "keys_added", "miss"),
    "B018": badger.reports.counters("costs per key, in MB,", "cost_added_bytes", "keys_added", 1e-6),
}
"""What the logs of the note's own benchmark show of the counters that it printed."""


class Summary(badger.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    def departures(self) -> list[str]:
        """The family's, and configurations that the machine or the parameters left out."""
        p, found = self.parameters, super().departures()
        if not p.allow_slow_storage:
            found.append("no look-ups on a capped disk (allow_slow_storage=false)")
        elif (p.storage_iops, p.storage_mb_per_s) != (3_000, 125):
            had = f"a disk capped at {p.storage_iops:,} operations and {p.storage_mb_per_s:,} MB a second"
            found.append(f"{had} where 3,000 and 125 are asked")
        return found

    @property
    def suite_arms(self) -> list[str]:
        """The configurations that run the relay's benchmark, in the order of the figures."""
        return [arm.name for arm in self.configurations.values() if arm.settings["scope"] != "lookups"]

    @property
    def lookup_arms(self) -> list[str]:
        """Those that look up rows of a store that is there."""
        return [arm for arm in self.arms if arm not in self.suite_arms]

    @property
    def rungs(self) -> list[str]:
        """The configurations of the build that charges a block its own length, smallest cache first."""
        return [f"own_length_{mib}" for mib in sorted(self.parameters.length_ladder_mib)]


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """The probe timed what the store saved."""
    return summary.counts_agree()


def aa_gates(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """The baseline held against itself, in the trials that the claim is about."""
    metric = str(answer.estimand.metric)
    yield summary.aa_gate(*(SLOW_AA if metric.startswith("lookup_") else AA), metric)


def around_plateau(summary: Summary) -> tuple[np.ndarray, np.ndarray]:
    """Resident blocks at the last rung whose hit ratio misses 95 % of the largest rung's, and at the next one.

    Each of shape (blocks,). The rungs lie apart, so that the number asked for lies between the two; where the
    first rung is enough, between nothing and that one.
    """
    ratios, resident = (
        np.array([summary.values(arm, metric) for arm in summary.rungs]) for metric in ("hit_ratio", "resident_blocks")
    )
    first, of = np.argmax(ratios >= PLATEAU_SHARE * ratios[-1], axis=0), np.arange(resident.shape[1])
    return np.where(first > 0, resident[np.maximum(first - 1, 0), of], 0.0), resident[first, of]


def blocks_to_hold(summary: Summary) -> kit.Estimate:
    """Blocks that must be resident before more of them help no further: the smallest rung that is enough.

    Its interval begins with that of the rung below it.
    """
    below, enough = around_plateau(summary)
    if enough.min() <= 0:
        raise kit.NotEstimableError("no block was resident at the plateau", "raise events")
    found = summary.estimated(statistics.geometric_mean, enough)
    low = summary.estimated(statistics.geometric_mean, below).low if below.min() > 0 else 0.0
    return replace(found, low=min(low, found.low), method=intervals.RUNGS)


def index_answers(summary: Summary) -> kit.Estimate:
    """Difference of the shares of index look-ups that the index cache served; 0 by definition where it is not asked."""
    shares, asked = [], []
    for arm in ("tuned", "block_cache_alone"):
        lookups = summary.values(arm, INDEX_LOOKUPS)
        shares.append(summary.values(arm, "query_index_cache_hit_ratio") if lookups.any() else np.zeros(len(lookups)))
        asked += [int(lookups.min())] if lookups.any() else []
    if not asked:
        return summary.estimated(statistics.difference, *shares)
    return summary.estimated(statistics.shares_difference, *shares, min(asked))


def needed(summary: Summary) -> kit.Estimate:
    """By how much the tuned size hits more often than the note's target, or the medium one less often: the lesser.

    Above 0 only if the size reaches the target and the smaller one does not.
    """
    enough, less = (summary.values(arm, "hit_ratio") for arm in ("tuned", "medium"))
    fewest = int(min(summary.values(arm, "accesses").min() for arm in ("tuned", "medium")))
    lesser = np.minimum(enough, 2 * TARGET - less)
    return summary.estimated(statistics.shares_difference, lesser, np.full(len(lesser), TARGET), fewest)


def shown_of_needed(summary: Summary) -> str:
    """The hit ratios that this stands on, for the verdict's reason."""
    shares = " and ".join(f"{100 * summary.mean(arm, 'hit_ratio'):.1f} %" for arm in ("tuned", "medium"))
    sizes = " and ".join(map(summary.label, ("tuned", "medium")))
    return f"Caches of {sizes} MiB hit on {shares} of the look-ups, and the target is {100 * TARGET:.0f} %"


def same_work(summary: Summary, one: str, other: str) -> str:
    """That two cache sizes hit alike, or look-ups wait for no device, so that no hit could save a wait.

    Whether more hits make fewer look-ups wait is the claim's own business, and not asked here.
    """
    hits = {arm: summary.mean(arm, "lookup_hit_ratio") for arm in (one, other)}
    charged = [summary.values(arm, "lookup_charged_bytes").min() for arm in (one, other)]
    waits, apart = summary.mean(min(hits, key=lambda arm: hits[arm]), "lookup_waits"), abs(hits[one] - hits[other])
    if not all(charged):
        return "a block cache was charged nothing, so it took no part"
    if apart < LEAST_HITS:
        least = f"where {100 * LEAST_HITS:.0f} are the least that matters, so both did the same work"
        return f"the hit ratios differ by {100 * apart:.1f} percentage points {least}"
    if waits < LEAST_WAITS:
        nothing = "so there was nothing that a hit could save"
        return f"{100 * waits:.1f} % of the look-ups waited for the device where fewer hit, {nothing}"
    return ""


def admitted_nothing(summary: Summary, *arms: str) -> str:
    """Caches of which one admitted no block."""
    idle = [summary.label(arm) for arm in arms if not summary.values(arm, "keys_added").all()]
    return f"the block cache of {' and of '.join(idle)} admitted no block in some trial" if idle else ""


def other_sizes(summary: Summary, *names: str) -> str:
    """That another store, memory or disk than a claim names shows nothing of it: a few events fit into any cache."""
    sizes = [(name, getattr(summary.parameters, name), Parameters.model_fields[name].default) for name in names]
    return " and ".join(f"{name.replace('_', ' ')} of {had:,} where the claim names {wanted:,}"
                        for name, had, wanted in sizes if had != wanted)  # fmt: skip


def about(why: Callable[..., str], *names: str) -> Words:
    """The same of these."""
    return lambda summary: why(summary, *names)


mean, p95, query, lookup = map(kit.measured, ("burst_mean_ns", "burst_p95_ns", "query_mean_ns", "lookup_mean_ns"))
look_p95, cost, peak = (
    kit.measured("lookup_p95_ns"),
    kit.counted("cost_per_key_bytes"),
    kit.counted("peak_resident_bytes"),
)
hits, waits = kit.share("hit_ratio", of="accesses"), kit.share("lookup_waits", of="lookups_asked")
look_hits = kit.share("lookup_hit_ratio", of="lookup_accesses")
never_asked = partial(
    cannot_act,
    counted="the index cache was not asked once in {} trials",
    why="Badger asks its index cache only for encrypted tables, and the note encrypts none",
    control=Control(
        "index_encrypted_1024", "index_cache_lookups", "with an encryption key it was asked at least {} times a trial"
    ),
)
NEVER = never_asked(INDEX_LOOKUPS, ("tuned", "block_cache_alone"))
NEVER_SLOW = never_asked(
    "lookup_index_lookups", ("slow_tuned", "slow_block_cache_alone"), refutes=False,
    scope="the note sets it without a number: it neither helps nor harms",
)  # fmt: skip
COUNT = kit.Quantity.COUNTER


def level(arm: str, metric: str, unit: float = 1.0) -> kit.Values:
    return kit.counted(metric)[arm] / unit


def looked_up(top: str, bottom: str) -> kit.Values:
    """Ratio of the mean look-up on the capped disk, where hits differ and misses wait."""
    return (lookup[top] / lookup[bottom]).but(idle=about(same_work, top, bottom))


OF_A_STORE: dict[str, Any] = {
    "hits_block_only": kit.percent(hits["block_cache_alone"].but(idle=about(admitted_nothing, "block_cache_alone"))),
    "hits_stated": kit.percent(hits["stated"]),
    "hits_tuned": kit.percent(hits["tuned"]),
    "save": (mean["tuned"] / mean["stated"]).but(idle=about(admitted_nothing, "tuned", "stated")),
    "save_p95": (p95["tuned"] / p95["stated"]).but(idle=about(admitted_nothing, "tuned", "stated")),
    "reads_per_miss": level("stated", "device_reads_per_miss").but(
        idle=lambda summary: "" if summary.values("stated", "burst_misses").all()
        else "the block cache missed nothing in some burst"
    ),
    "block_kb": cost["own_length_64"] / 1e3,
    "blocks_to_hold": kit.custom(blocks_to_hold, COUNT),
    "index_answers": kit.percent(kit.custom(index_answers, COUNT, "tuned", "block_cache_alone", inert=NEVER)),
    "misses_per_hit": level("stated", "misses_per_hit"),
    "added_per_miss": level("stated", "keys_added_per_miss").but(bounded=True),
    "evicted": kit.share("evicted_share", of="keys_added")["stated"],
    "evicted_soon": kit.share("evicted_within_2s_share", of="lives")["stated"].as_quantity(kit.Quantity.LEVEL),
    "charge_stated": Number(cost["stated"], 1e-6),
    "stored_keys": kit.known(lambda summary: summary.values("stated", "stored_keys").min(), "", "stated"),
    "index_gb": level("stated", "index_bytes", 1e9),
    "query_by_index": (query["tuned"] / query["block_cache_alone"]).but(inert=NEVER),
    "added_memory": kit.percent(kit.custom(lambda summary: summary.estimated(
        statistics.arithmetic_mean,  # may be negative, so no ratio of logs
        (summary.values("tuned", peak.name) - summary.values("no_block_cache", peak.name)) / (2048 * MIB),
    ), COUNT, "tuned", "no_block_cache")),
    "index_memory": level("tuned", "peak_index_cache_charged_bytes", 1024 * MIB),
    "badger_memory": level("tuned", "peak_badger_heap_bytes", 200e6),
    "go_memory": level("tuned", "peak_go_overhead_bytes", 200e6),
    "peak": peak["tuned"] / 3.5e9,
    "peak_medium": level("medium", "peak_anonymous_bytes", 1.5e9),
    "peak_minimal": level("minimal", "peak_anonymous_bytes", 512e6),
    "needed": kit.custom(needed, COUNT, "tuned", "medium", working=shown_of_needed),
    "more_hits": (hits["tuned"] - hits["minimal"]).but(idle=about(admitted_nothing, "tuned", "minimal")),
}  # fmt: skip
OF_LOOKUPS: dict[str, Any] = {
    "slow_by_block": looked_up("slow_block_cache_alone", "slow_stated"),
    "slow_by_index": (lookup["slow_tuned"] / lookup["slow_block_cache_alone"]).but(inert=NEVER_SLOW),
    "slow_by_size": looked_up("slow_minimal", "slow_tuned"),
}
"""On the capped disk."""
LOOKING = {
    "slow": "slow_stated", "tuned": "slow_tuned", "length": "slow_own_length", "snappy": "slow_snappy",
    "free": "free_tuned", "dropped": "dropped_stated",
}  # fmt: skip
NUMBERS = {
    **departing(about(other_sizes, "events", "mem_table_mib", "base_table_mib", "block_bytes"), OF_A_STORE),
    **departing(about(other_sizes, "lookup_rows", "lookup_memory_mib", "storage_iops", "storage_mb_per_s", "workers",
                      "block_bytes", "base_table_mib"), OF_LOOKUPS),
    **{f"{kind}_default": kit.known(partial(lambda summary, kind: summary.run.provenance["settings"][
        f"default_{kind}_cache_bytes"] / MIB, kind=kind)) for kind in ("block", "index")},
    "charge": {"block_only": Number(cost["block_cache_alone"], 1e-6),
               "small_tables": Number(cost["small_tables"], 1e-6), "snappy": Number(cost["snappy"], 1e-3),
               "by_version": cost["current_version"] / cost["tuned"]},
    "hits": {"snappy": kit.percent(hits["snappy"]), "length": kit.percent(hits["own_length_64"])},
    "peak_mb": peak["tuned"] / 1e6,
    "query": query["tuned"] / query["stated"],
    "again": {name: time[AA[0]] / time[AA[1]] for name, time in {"mean": mean, "p95": p95, "query": query}.items()},
    "without_cache": mean["no_block_cache"] / mean["tuned"],
    "save_snappy": mean["snappy"] / mean["stated"],
    "found": {name: kit.percent(look_hits[arm]) for name, arm in LOOKING.items() if name != "dropped"},
    "waits": {name: kit.percent(waits[arm]) for name, arm in LOOKING.items()},
    "slow_lookup": lookup["slow_tuned"] / lookup["slow_stated"],
    "slow_none": lookup["slow_no_block_cache"] / lookup["slow_stated"],
    "free_lookup": lookup["free_tuned"] / lookup["free_stated"],
}  # fmt: skip


def evicted(summary: Summary, arm: str) -> dict[str, Any]:
    """What the charge does to what the cache can keep."""
    blocks, share = (summary.mean(arm, metric) for metric in ("resident_blocks", "evicted_share"))
    soon, away = (summary.mean(arm, metric) if summary.has(arm, metric) else None
                  for metric in ("evicted_within_2s_share", "turned_away_share"))  # fmt: skip
    found = {"label": summary.label(arm), "blocks": blocks, "evicted": share, "soon": soon}
    return found | {"turned_away": away if (away or 0) > UNDER_WAY_SHARE else None}


def charged(summary: Summary) -> list[dict[str, Any]]:
    """The uncompressed settings whose charge was counted, with it and with their hits."""
    return [
        {"label": summary.label(arm), "cost": cost[arm](summary).point, "hits": hits[arm](summary).point}
        for arm in summary.having(summary.arms, cost.name, "hit_ratio") if arm in PLAIN
    ]  # fmt: skip


def held_back_ms(summary: Summary) -> float:
    """The longest look-up where a mean is twice the P95: there the slowest twentieth takes more than half."""
    above = [arm for arm in summary.having(summary.arms, look_p95.name)
             if (summary.values(arm, lookup.name) > 2 * summary.values(arm, look_p95.name)).all()]  # fmt: skip
    if not above:
        raise kit.NotEstimableError("no look-up was held back", "see the chapter")
    return max(float(summary.values(arm, "lookup_max_ns").max()) for arm in above) / 1e6


def along_tuned(summary: Summary) -> dict[str, list[float]]:
    """The tuned setting's hit ratios test by test in %: "until" a test's end since opening, "within" it alone."""

    def ratios(kind: str) -> list[float]:
        tests = product(range(1, summary.parameters.rounds + 1), badger.PHASES)
        metrics = (f"hit_ratio_{kind}_{number}_{phase}" for number, phase in tests)
        return [100 * summary.mean("tuned", metric) for metric in metrics if summary.has("tuned", metric)]

    found = {kind: ratios(kind) for kind in ("until", "within")}
    if not all(found.values()):
        raise kit.NotEstimableError("the tuned setting's cache was not used in every test", summary.MEND)
    return found


MEANS: dict[str, tuple[str, str, float]] = {
    "keys": ("stated", "stored_keys", 1), "stored_mb": ("stated", "tables_bytes", 1e6),
    "tables_mb": ("tuned", "tables_bytes", 1e6), "table_mb": ("block_cache_alone", "largest_table_bytes", 1e6),
    "small_table_mb": ("small_tables", "largest_table_bytes", 1e6),
    "stated_table_mb": ("stated", "largest_table_bytes", 1e6), "index_mb": ("stated", "index_bytes", 1e6),
    "burst_misses": ("stated", "burst_misses", 1), "burst_reads": ("stated", "burst_device_reads", 1),
    "burst_faults": ("stated", "burst_major_faults", 1),
}  # fmt: skip
"""Configuration, metric and unit."""
NOTED: dict[str, Callable[[], float]] = {
    "mb": lambda: badger.notes.cost_per_key_bytes() / 1e6, "hits": lambda: 100 * badger.notes.hit_ratio(),
    "left": badger.notes.keys_left, "budget_mb": badger.notes.budget_mb,
    "store_mib": lambda: badger.lookups.NOTE_STORE_MIB,
}  # fmt: skip
WORDS: dict[str, Callable[[Summary], Any]] = {
    **{name: partial(lambda summary, of: summary.mean(*of[:2]) / of[2], of=of) for name, of in MEANS.items()},
    "builds": lambda summary: summary.run.provenance["builds"],
    "logs_held_least": lambda summary: badger.reports.held_mb()[0],
    "logs_held_most": lambda summary: badger.reports.held_mb()[1],
    "lookup_arms": lambda summary: len(summary.lookup_arms),
    "index_asked": lambda summary: [
        summary.values(arm, INDEX_LOOKUPS).sum() for arm in summary.having(summary.suite_arms, INDEX_LOOKUPS)
    ],
    "evictions": lambda summary: listed(
        *(partial(evicted, summary, arm) for arm in ("stated", "medium", "tuned", "snappy", "own_length_64"))
    ),
    "charged": charged,
    **{f"note_{name}": partial(lambda summary, ask: ask(), ask=ask) for name, ask in NOTED.items()},
    "note_burst_ms": lambda summary: {
        name: badger.notes.burst_ms(badger.notes.SLOW, name) for name in ("avg", "avg target", "p95", "p95 target")
    },
    "noted": lambda summary: badger.notes.counted().to_dict(),
    "logged_early": lambda summary: 100 * badger.reports.ratio("hit", "asked")[0],
    "logged_late": lambda summary: 100 * badger.reports.ratio("hit", "asked", last=True)[0],
    "along": along_tuned,
    "data_bytes": lambda summary: badger.lookups.size_bytes(summary.parameters.lookup_rows),
    "held_back_ms": held_back_ms,
}


def rows_of(summary: Summary, arms: Sequence[str], columns: Columns) -> pd.DataFrame:
    return table([({"block / index cache (MiB)": summary.label(arm)}, arm) for arm in arms], columns)


TABLES: dict[str, Callable[[Summary], pd.DataFrame]] = {
    "overview": lambda summary: rows_of(summary, summary.suite_arms, {
        "cost per key (MB)": lambda arm: with_interval(cost[arm](summary), 1e-6),
        "hit ratio": lambda arm: with_interval(hits[arm](summary)),
        **means(summary, "keys_added", "evicted_share"),
        **levels(summary, "burst_mean_ns", "burst_p95_ns", "burst_p99_ns", "response_mean_ns"),
        **means(summary, "burst_events_per_s"),
        **levels(summary, "query_mean_ns"),
        **means(summary, "peak_resident_bytes"),
    }),
    "of_lookups": lambda summary: rows_of(summary, summary.lookup_arms, {
        "hit ratio": lambda arm: with_interval(look_hits[arm](summary)),
        "look-ups that wait": lambda arm: with_interval(waits[arm](summary)),
        **means(summary, "lookup_read_bytes", "lookup_charged_bytes", "lookup_anonymous_bytes"),
        **levels(summary, "lookup_mean_ns", "lookup_p95_ns"),
        **means(summary, "storage_read_iops", "storage_read_bytes_per_s"),
    }),
}  # fmt: skip
PARTS = {
    "resident, mapped files included": "peak_resident_bytes",
    "anonymous": "peak_anonymous_bytes",
    "heap of Go, garbage included": "peak_go_heap_bytes",
    "of it Badger's own, without caches": "peak_badger_heap_bytes",
}
MEMORY, NO_CACHE = "fig-cache-sizing-memory", "No cache was used in this run"


def target() -> float:
    """The hit ratio that the note aims at, at least, in %."""
    return 100 * (chapter_claims("cache_sizing")["B025"].low or 0.0)


def suite_aside(summary: Summary) -> list[str]:
    """What is like another, and all rungs of the cache that charges lengths but one, which have their own figure."""
    rungs = [each for each in summary.rungs if each != "own_length_64"]
    return ["zstd", "no_block_cache", "fewer_events", "no_index_cache", *rungs]


def block_mib(summary: Summary, arm: str) -> int:
    """The note's size of the block cache in a configuration."""
    return int(str(summary.configurations[arm].settings["block_mib"]))


def at_size(summary: Summary, mib: float, among: Iterable[str]) -> kit.Estimate:
    """The hit ratio of that of some configurations which has so many MiB."""
    found = [arm for arm in among if block_mib(summary, arm) == mib]
    if not found:
        raise kit.NotEstimableError(f"no such configuration has {mib:g} MiB", "see length_ladder_mib")
    return hits[found[0]](summary)


def budgets(summary: Summary) -> list[kit.Given]:
    """The note's totals, of configurations whose memory was measured."""
    totals = {"tuned": badger.notes.budget_mb(), "medium": 1500.0, "minimal": 512.0}
    return [kit.Given("the note's total", {arm: totals[arm] for arm in summary.having(totals, *PARTS.values())})]


def lengths(summary: Summary) -> dict[str, str]:
    """Caches of the build that charges a block its own length, by configuration, with what they hit."""
    shown = summary.having(summary.rungs, "hit_ratio")
    return {arm: f"{block_mib(summary, arm)} MiB ({100 * hits[arm](summary).point:.0f} % hits)" for arm in shown}


def to_hold(summary: Summary) -> list[kit.Given]:
    """Between how many blocks the note says that the cache must hold."""
    ends = {end: float(badger.notes.counted()[f"blocks_to_hold_{end}"]) for end in ("lo", "hi")}
    return [kit.Given("the note's estimates", ends, line="dash", listed=False)]


suite: dict[str, Any] = {
    "rows": lambda summary: summary.suite_arms, "table_only": suite_aside, "row": "setting", "height": 160, "each": 26,
    "mend": Summary.MEND,
}  # fmt: skip
looked: dict[str, Any] = {
    "rows": lambda summary: summary.lookup_arms, "row": "setting", "heading": "quantity", "height": 160, "each": 34,
    "nothing": "Nothing was looked up in this run",
    "table_only": lambda summary: [f"slow_{each}" for each in
                                   ("stated_again", "relay_before", "block_cache_alone", "snappy_small")],
}  # fmt: skip
FIGURES = {
    "cost": kit.Dots(
        series={"charge per key that the cache admitted": cost["{}"]}, metric=METRICS[cost.name], heading="",
        given=lambda summary: [kit.Given(
            "the note's number", {"": badger.notes.cost_per_key_bytes() / 1e3}, line="dash", listed=False
        )],
        nothing="No block entered a cache in this run", **suite,
    ),
    "hit_ratio": kit.Dots(
        series={"hit ratio": hits["{}"]}, metric=METRICS["hit_ratio"], heading="", scale="percent",
        given=lambda summary: [
            kit.Given("the note's 33 %", {"": 100 * badger.notes.hit_ratio()}, line="dash", listed=False),
            kit.Given("its target", {"": target()}, line="dot", listed=False),
        ],
        nothing=NO_CACHE, **suite,
    ),
    "by_size": kit.Lines(
        over=lambda summary: sorted({block_mib(summary, arm) for arm in summary.suite_arms}),
        across="size of the block cache (MiB)", column="block cache (MiB)", rows=True, ticks=(1, 4, 16, 64, 256, 2048),
        series=lambda summary: {
            "without compression": partial(at_size, among=PLAIN),
            "charged its own length": partial(at_size, among=summary.rungs),
            "compressed (Snappy)": partial(at_size, among=["snappy"]),
        },
        axis="hit ratio (%)", heading="way", factor=100, scale="percent", nothing=NO_CACHE, mend=Summary.MEND,
        given=lambda summary: [
            kit.Given("the note's target", dict.fromkeys((1, 2048), target()), line="dot", listed=False)
        ],
    ),
    "ladder": kit.Dots(
        rows=lengths, row="block cache", series={"blocks kept": kit.counted("resident_blocks")["{}"]}, heading="",
        metric=METRICS["resident_blocks"], given=to_hold, height=160, each=34, nothing=NO_CACHE, mend=Summary.MEND,
    ),
    "latency": kit.Dots(
        series={"mean": mean["{}"] / 1e6, "P95": p95["{}"] / 1e6}, axis="latency of a save in the burst (ms)",
        quantity="latency (ms)", heading="quantity", **suite,
    ),
    "lookups": kit.Dots(
        series={"block cache hits": look_hits["{}"], "look-ups that wait for the device": waits["{}"]},
        axis="share of reads that hit, of look-ups that wait (%)", quantity="share (%)", factor=100, scale="percent",
        **looked,
    ),
    "lookup_times": kit.Dots(
        series={"mean": lookup["{}"] / 1e6, "P95": look_p95["{}"] / 1e6}, axis="latency of a look-up (ms)",
        quantity="latency (ms)", **looked,
    ),
    "memory": kit.Dots(
        rows=lambda summary: summary.having(summary.suite_arms, *PARTS.values()), row="setting", heading="quantity",
        series={name: kit.counted(metric)["{}"] / 1e6 for name, metric in PARTS.items()}, given=budgets,
        axis="peak over the suite (MB)", quantity="peak (MB)", scale="zero", height=180, each=45,
        nothing="No trial went through the whole suite", mend=Summary.MEND,
    ),
    "claims": kit.ClaimFigure(only=lambda answer: answer.figure != MEMORY),
    "memory_claims": kit.ClaimFigure(
        title="Claims about memory against measurements",
        what="The note's claims about memory, as ratios to its own numbers",
        only=lambda answer: answer.figure == MEMORY,
    ),
}  # fmt: skip
