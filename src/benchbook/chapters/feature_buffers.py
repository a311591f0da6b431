"""Whether a larger buffer pool gives a feature server more hits and a shorter tail when the memory stays the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from pydantic import model_validator

from benchbook import kit
from benchbook.measuring import features
from benchbook.model import Plan
from benchbook.statistics import best_over_best
from benchbook.workloads import KeySets, hot_share

SERVER_MIB = 56
"""What the server takes of the bounded memory beside its pool, at least."""


class Parameters(features.Features):
    """Defaults are the standard profile: about 1.4 GiB of data in memory that is a little smaller."""

    n_tables: int = kit.param(10, 1, 200, "tables read per request, one row each (the note: 30; later: 10 to 30)")
    rows_per_table: int = kit.param(450_000, 1_000, 100_000_000, "rows that every table has")
    fillfactor_percent: int = kit.param(100, 10, 100, "how full pages of tables and indexes are; full: 44 rows")
    n_features: int = kit.param(6, 1, 92, "feature columns of 8 bytes per row, beside the 64-character key")
    shared_buffers_mib: int = kit.param(
        128, 1, 1_000_000, "pool in MiB of the server that says its settings; trials have their own"
    )
    hot_set_keys: int = kit.param(10_000, 1, 1_000_000, "keys of the hot set of the 80/20 mix", asks="hot keys")
    hot_share_percent: int = kit.param(
        80, 1, 99, "share in % of its requests that ask for one of these", asks="% of requests on hot keys"
    )
    fill_requests: int = kit.param(
        20_000, 100, 10_000_000, "requests of the same mix, sent as joins, that fill both caches"
    )
    direct_io: bool = kit.param(False, words="read past the OS page cache (PostgreSQL 16+); the claims ask not to")
    bound_memory: bool = kit.param(True, words="bound the memory of server and page cache by a control group, as root")
    ram_percent: int = kit.param(98, 10, 1_000, "that memory in % of the data; the claims ask for less than the data")
    pools_percent: tuple[int, ...] = kit.param((23, 46, 92), words="pools in % of that memory, for both mixes of keys")
    mix_pools_percent: tuple[int, ...] = kit.param((12, 30, 38), words="further pools in % of it, for 80/20 alone")

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        every, taken = self.pools_percent + self.mix_pools_percent, self.hot_set_keys + self.measured_requests
        spare = self.ram_mib * (100 - max(every, default=0)) // 100
        repeats = f"pools_percent and mix_pools_percent={every} must lie between 1 and 95 without repeats"
        single = f"pools_percent={self.pools_percent} names no size together with its double"
        elsewhere = f"key_existence={self.key_existence} does not belong here: every key is in every table"
        tight = (
            f"ram_percent={self.ram_percent} of about {self.data_bytes >> 20:,} MiB leaves {spare:,} MiB beside a pool "
            f"of {max(every, default=0)} %, and the server needs {SERVER_MIB}: give more rows_per_table or ram_percent"
        )
        few = (
            f"rows_per_table={self.rows_per_table:,} leaves too few keys to fill the pool with: hot_set_keys + "
            f"measured_requests = {taken:,} must be at most half of them"
        )
        kit.refuse(not every or not {*every} <= {*range(1, 96)} or len({*every}) < len(every), repeats)
        kit.refuse(not self.doubled_percents, single)
        kit.refuse(self.key_existence != "all_tables", elsewhere)
        kit.refuse(self.bound_memory and spare < SERVER_MIB, tight)
        kit.refuse(self.rows_per_table < 2 * taken, few)
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
        """The pools whose double was measured too, with both mixes of keys; the largest is the baseline."""
        return tuple(sorted(each for each in self.pools_percent if 2 * each in self.pools_percent))

    @property
    def sweeps(self) -> Mapping[str, list[int]]:
        """The pools of each mix of keys, from small to large."""
        return {"disjoint": sorted(self.pools_percent), "mix": sorted(self.pools_percent + self.mix_pools_percent)}


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """The sweeps, the baseline again, and base and doubled pool without a page cache, and after a warm-up alone."""
    p, base, hot = parameters, parameters.doubled_percents[-1], parameters.hot_share_percent
    start = {"fill": False, "requests": min(1_000, p.measured_requests)}
    arms: list[tuple[str, int, str, str, dict[str, Any]]] = [
        *(("disjoint", each, "disjoint keys", "", {}) for each in p.sweeps["disjoint"]),
        ("disjoint", base, "disjoint keys", ", again (A/A)", {}),
        *(("mix", each, f"{hot}/{100 - hot}", "", {"share": hot / 100}) for each in p.sweeps["mix"]),
        *(("direct", base * n, "no page cache", "", {"direct": True}) for n in (() if p.direct_io else (1, 2))),
        *(("unfilled", base * n, "after the note's warm-up only", "", start) for n in (1, 2)),
    ]
    for keys, percent, words, again, more in arms:
        name, label = f"{keys}_{percent}{'_again' if again else ''}", f"{words}, pool {percent} % of memory{again}"
        drawn = {"draw": "mix"} if keys == "mix" else {"draw": "disjoint", "chance": True}
        yield features.arm(name, label, pool_percent=percent, **drawn, **more)


def plan(parameters: Parameters) -> Plan:
    """Blocks in which the sizes of one mix of keys follow each other."""
    arms = [*configurations(parameters)]
    return features.neighbours(arms, lambda name: name.split("_")[0], parameters.blocks, parameters.seed)


def asked(parameters: Parameters, configuration: kit.Configuration, seed: int) -> features.bounded.Asked:
    """The keys of a trial; trials of a block share ``seed``, hence hot set, measured keys and what fills the caches.

    Disjoint keys are each asked for once, and nothing before asks for them. In the 80/20 mix that holds of the keys
    outside the hot set; the hot ones are asked for before and after in the same share.
    """
    p, settings = parameters, configuration.settings
    keys = KeySets.shuffled(0, p.rows_per_table, np.random.default_rng([seed, 0]))
    hot, fresh = keys.cut(0, p.hot_set_keys), keys.cut(p.hot_set_keys, p.measured_requests)
    others = keys.order[p.hot_set_keys + p.measured_requests :]
    share = float(settings.get("share") or 0)
    own = np.random.default_rng([seed, 1, round(100 * share)])
    n = min(p.measured_requests, int(settings.get("requests") or p.measured_requests))
    filled = 0 if settings.get("fill") is False else p.fill_requests
    count = p.warmup_requests + filled
    if share:
        measured = hot_share(hot, fresh, share, n, own)
        drawn = np.where(own.random(count) < share, own.choice(hot, count), own.choice(others, count))
    else:
        measured, drawn = fresh[:n], own.choice(np.concatenate([hot, others]), count)
    return features.bounded.Asked(drawn[:filled], drawn[filled:], measured)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[features.bounded.Bench]:
    """The family's loaded tables, and what a fresh cluster says of the setting."""
    p = parameters
    with features.session(p, progress) as base:
        yield features.bounded.bench(base, p.ram_percent, p.bound_memory, partial(asked, p))


def needs(parameters: Parameters) -> kit.Needs:
    return features.needs(parameters)


reduce = features.reduce

MIB = 2**20
METRICS = {
    **features.METRICS,
    "heap_hit_ratio": kit.Metric("heap hit ratio", "%", 100, format="{:.1f}".format),
    "hit_ratio": kit.Metric("hit ratio of heaps and indexes", "%", 100, format="{:.1f}".format),
    "heap_blocks": kit.Metric("number of heap blocks that the measured requests touched"),
    **{f"{name}_bytes": kit.Metric(words, "MiB", 1 / MIB) for name, words in {
        "in_pool_only": "data in shared buffers alone", "in_os_cache_only": "data in the OS page cache alone",
        "in_both": "data in both caches", "in_pool": "data in shared buffers",
        "cached": "distinct data in either cache", "pool": "size of shared buffers",
        "ram": "memory that server and page cache may use", "memory_used": "memory that they used at the end",
    }.items()},
    "killed_processes": kit.Metric("number of processes that the kernel ended for want of memory"),
    **{name: kit.Metric(f"share of the {words}", "%", 100) for name, words in {
        "data_in_pool_at_start": "data in shared buffers at the start",
        "data_in_os_cache_at_start": "data in the OS page cache at the start",
        "data_in_os_cache_at_end": "data in the OS page cache at the end",
        "needed_in_pool_at_end": "needed pages in shared buffers at the end",
    }.items()},
    "io_reads_per_request": features.METRICS["delayed_reads_per_request"].but(
        words="number of reads that the server asked for per request"
    ),
}  # fmt: skip
NOTE_HIT_RATIO, COMPARABLE = 0.44, (0.34, 0.54)
"""Beyond these the base is too far from the note's to be compared with it."""
BAND_PERCENT, NOTE_BEFORE = (25, 40), (8 / 64, 16 / 64)
"""The note's rule: the pool takes so much of the memory. Its present pool: 8 to 16 GB, of 64 GB of memory."""
FULL = 0.95
"""A pool is full when the data take so much of it."""


class Summary(features.Summary[Parameters]):
    """One run."""

    @property
    def base(self) -> int:
        """Of the pools whose double was measured too, that whose heap hit ratio lies nearest to the note's 0.44."""

        def find() -> int:
            doubled = {f"disjoint_{each}": each for each in self.parameters.doubled_percents}
            found = self.having(doubled, "heap_hit_ratio")
            if not found:
                raise kit.NotEstimableError("no pool was measured together with its double", "measure again")
            return doubled[min(found, key=lambda arm: abs(self.mean(arm, "heap_hit_ratio") - NOTE_HIT_RATIO))]

        return self.once("base", find)

    @property
    def ram_bytes(self) -> float:
        """What server and page cache may use together."""
        return float(self.run.provenance["ram_bytes"])

    @property
    def unbounded(self) -> int:
        """Trials whose memory nothing bounded."""
        trials = self.run.trials
        said = trials["memory"].fillna("") if "memory" in trials else pd.Series("", trials.index)
        return int((~said.str.startswith("bounded")).sum())

    def departures(self) -> list[str]:
        asked, least = self.parameters.measured_requests, features.REQUESTS
        found = {
            f"{asked:,} measured requests per trial instead of {least:,}": asked < least,
            "memory that nothing bounds": self.unbounded > 0,
            "data that fits into the memory": self.ram_bytes >= self.data_bytes,
            "reads past the OS page cache": bool(self.run.provenance.get("direct_io")),
        }
        return [text for text, departs in found.items() if departs] + kit.Summary.departures(self)


Arm = Callable[[Summary], str]


def base(keys: str, times: int = 1) -> Arm:
    """The configuration of a mix of keys whose pool is the base of the doubling, or so many times that pool."""
    return lambda summary: f"{keys}_{times * summary.base}"


def at(keys: str, times: int = 1, again: str = "") -> Arm:
    """The configuration with the largest pool whose double was measured, or so many times that pool."""
    return lambda summary: f"{keys}_{times * summary.parameters.doubled_percents[-1]}{again}"


one, two, mix, mix_two = base("disjoint"), base("disjoint", 2), base("mix"), base("mix", 2)


def of_mix(place: int) -> Arm:
    """The 80/20 configuration with the smallest pool (0) or the largest (-1)."""
    return lambda summary: f"mix_{summary.parameters.sweeps['mix'][place]}"


def in_band(summary: Summary) -> list[int]:
    """The sizes of the 80/20 configurations that lie in the note's band."""
    low, high = BAND_PERCENT
    found = [each for each in summary.parameters.sweeps["mix"] if low <= each <= high]
    if not found:
        raise kit.NotEstimableError(
            f"no pool of {low} to {high} % of the memory was measured", "give mix_pools_percent"
        )
    return found


def best_of_band(summary: Summary) -> kit.Estimate:
    """Lowest P99 of the note's band over the lowest of the sweep, each minimum found anew in every resample."""
    inside, every = in_band(summary), summary.parameters.sweeps["mix"]
    grid = np.stack([summary.values(f"mix_{each}", "p99_ns") for each in every], axis=1)
    return summary.estimated(best_over_best, grid, np.array([each in inside for each in every]))


def not_full(summary: Summary) -> str:
    """Why the base pool left out nothing: it had room left in one trial."""
    used, pool = (summary.values(one(summary), f"{name}_bytes") for name in ("in_pool", "pool"))
    share = (used / pool).min()
    told = f"in one block the data took {share:.0%} of the base pool, so a larger one had nothing to add"
    return told if share < FULL else ""


def departing(*reasons: Arm) -> Arm:
    """What a claim asks for and this run does not have, of these, joined; "" where it has all."""
    return lambda summary: "; ".join(filter(None, (why(summary) for why in reasons)))


def far(summary: Summary) -> str:
    ratio, (low, high) = summary.mean(one(summary), "heap_hit_ratio"), COMPARABLE
    told = f"the base's heap hit ratio is {ratio:.2f}, too far from the note's {NOTE_HIT_RATIO:g} to be compared"
    return "" if low <= ratio <= high else f"{told} ({low:g} to {high:g})"


def free(summary: Summary) -> str:
    told = f"memory was not bounded in {summary.unbounded} of {len(summary.run.trials)} trials"
    return told if summary.unbounded else ""


def past(summary: Summary) -> str:
    return "reads went past the OS page cache" if summary.run.provenance.get("direct_io") else ""


def fits(summary: Summary) -> str:
    share = summary.data_bytes / summary.ram_bytes
    return "" if share > 1 else f"the data take {share:.0%} of the memory, and the claim asks for more than all of it"


def large(summary: Summary) -> str:
    """That the base pool holds all pages that the 80/20 requests need."""
    needed, pool = (summary.values(mix(summary), name) for name in ("needed_pages", "pool_bytes"))
    needed = needed * 8192
    told = f"the base pool of {pool.max() / MIB:,.0f} MiB holds all {needed.min() / MIB:,.0f} MiB that are needed"
    return "" if (pool < needed).all() else told


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Equal counts and enough memory for the server's processes; of times Little's law."""
    arms = answer.estimand.names(summary)
    if not arms:
        return []
    rows = summary.of(arms)
    lost = int(rows["killed_processes"].fillna(0).gt(0).sum()) if "killed_processes" in rows else 0
    enough = kit.Gate("enough memory", lost == 0, float(lost), f"the kernel ended processes in {lost} trials")
    timed = [] if answer.estimand.metric is None else [summary.littles_law(arms)]
    return [summary.counts_agree(), enough, *timed]


def setting(summary: Summary) -> dict[str, int]:
    """What a fresh cluster said of the setting, in bytes."""
    said = summary.run.provenance.get("setting")
    if not said:
        raise kit.NotEstimableError("this run did not try the setting on a fresh cluster", "measure again")
    return dict(said)


def needs_restart(summary: Summary) -> float:
    """How many fresh clusters, of one, leave the value pending after a reload and have it after a restart."""
    said = setting(summary)
    waited = said["pending"] and said["after_reload_bytes"] == said["default_bytes"] != said["asked_bytes"]
    return float(bool(waited) and said["after_restart_bytes"] == said["asked_bytes"])


p50, p99 = kit.measured("p50_ns"), kit.measured("p99_ns")
hits, cached = kit.share("heap_hit_ratio", of="heap_blocks"), kit.counted("cached_bytes")
misses, reads = kit.counted("pool_misses_per_request"), kit.counted("device_blocks_per_request")
AA = (at("disjoint", again="_again"), at("disjoint"))
NUMBERS = {
    "hits_rise": kit.percent((hits[two] - hits[one]).but(idle=features.same_reads(one, two), departs=far)),
    "cached_times": (cached[two] / cached[one]).but(idle=not_full, departs=departing(free, past, fits)),
    "p99": (p99[two] / p99[one]).but(idle=features.same_reads(one, two), departs=departing(far, free)),
    "mix_p99": (p99[mix_two] / p99[mix]).but(idle=features.same_reads(mix, mix_two), departs=departing(large, free)),
    "best_of_band": kit.custom(
        best_of_band, kit.Quantity.COMPARISON, of_mix(0), of_mix(-1), aa="p99_ns", bounded=True,
        idle=features.same_reads(of_mix(0), of_mix(-1)), departs=departing(free, past),
    ),
    "default_gib": kit.known(
        lambda summary: setting(summary)["default_bytes"] / 2**30,
        "The value is that of a fresh cluster on which nobody set it",
    ),
    "needs_restart": kit.known(
        needs_restart, "The count is of fresh clusters, of one, with the value pending until a restart"
    ),
    "set_by_alter_system": kit.known(
        lambda summary: float(setting(summary)["after_restart_bytes"] == setting(summary)["asked_bytes"]),
        "The count is of fresh clusters, of one, that had the value after a restart",
    ),
    **{f"{name}_times": each[two] / each[one]
       for name, each in {"hits": kit.counted("heap_hit_ratio"), "misses": misses, "reads": reads}.items()},
    "median_times": p50[two] / p50[one],
    "mix_median_times": p50[mix_two] / p50[mix],
    "tail_times": features.tails(two, one), "mix_tail_times": features.tails(mix_two, mix),
    "again_median": p50[AA[0]] / p50[AA[1]], "again_tail": features.tails(*AA),
    "through_cache": p50[at("disjoint", 2)] / p50[at("disjoint")],
    "past_cache": p50[at("direct", 2)] / p50[at("direct")],
    "noted_median": p50["mix_30"] / p50["mix_12"],  # the note's step, in shares of the memory
}  # fmt: skip


def hits_of(summary: Summary, sizes: Iterable[int]) -> list[dict[str, Any]]:
    """The heap hit ratios under 80/20 with pools of so many percent of the memory."""
    return [{"percent": each, "hits": kit.Told(hits["mix_{}"](summary, each), 100)} for each in sizes]


def noted(summary: Summary) -> dict[str, Any]:
    """The same of the pools nearest to the note's own step."""
    sizes, (low, high) = summary.parameters.sweeps["mix"], (100 * share for share in NOTE_BEFORE)
    before = [each for each in sizes if low - 1 <= each <= high]
    after = min(sizes, key=lambda each: abs(each - 100 * features.bounded.NOTE_SHARE))
    if not before or after in before:
        raise kit.NotEstimableError("no pool of the note's size was measured", "give mix_pools_percent")
    return {"before": hits_of(summary, before), "after": hits_of(summary, [after])[0]}


def held(summary: Summary) -> list[dict[str, float]]:
    """Of each pool with disjoint keys how much of the data is cached somewhere, and how much of it twice."""
    metrics, sizes = {"mib": "cached_bytes", "twice_mib": "in_both_bytes"}, summary.parameters.sweeps["disjoint"]
    return [
        {"percent": each} | {name: summary.mean(f"disjoint_{each}", metric) / MIB for name, metric in metrics.items()}
        for each in sizes
    ]


OF_BOTH = {
    "hits": (base, "disjoint", "heap_hit_ratio", 100), "all_hits": (base, "disjoint", "hit_ratio", 100),
    "mix_hits": (base, "mix", "heap_hit_ratio", 100), "misses": (base, "disjoint", misses.name, 1),
    "reads": (base, "disjoint", reads.name, 1), "cached_mib": (base, "disjoint", "cached_bytes", 1 / MIB),
    "twice_mib": (base, "disjoint", "in_both_bytes", 1 / MIB), "unfilled": (at, "unfilled", "note_heap_hit_ratio", 100),
    "filled": (at, "disjoint", "note_heap_hit_ratio", 100),
}  # fmt: skip
"""What is told of a pool and of the doubled one."""
WAYS = {"base": 1, "doubled": 2}
WORDS = {
    "tail": lambda summary: summary.tail_heading,
    "base": lambda summary: summary.base,
    "unbounded": lambda summary: summary.unbounded,
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
    "data_mib": lambda summary: summary.data_bytes / MIB,
    "memory_mib": lambda summary: summary.ram_bytes / MIB,
    "memory_share": lambda summary: 100 * summary.ram_bytes / summary.data_bytes,
    "index_share": lambda summary: 100 * summary.run.provenance["index_bytes"] / summary.data_bytes,
    "needed_mib": features.average(at("disjoint"), "needed_pages", 8192 / MIB),
    "mix_needed_mib": features.average(at("mix"), "needed_pages", 8192 / MIB),
    "pool_mib": features.average(at("disjoint"), "pool_bytes", 1 / MIB),
    "room_base": lambda summary: 100 * summary.mean(one(summary), "pool_bytes") / summary.data_bytes,
    "room_doubled": lambda summary: 100 * summary.mean(two(summary), "pool_bytes") / summary.data_bytes,
    **{f"{name}_{way}": features.average(which(keys, n), metric, factor)
       for name, (which, keys, metric, factor) in OF_BOTH.items() for way, n in WAYS.items()},
    "unfilled_used": lambda summary: 100 * summary.mean(at("unfilled")(summary), "in_pool_bytes")
    / summary.mean(at("unfilled")(summary), "pool_bytes"),
    "in_band": lambda summary: hits_of(summary, in_band(summary)),
    "noted": noted,
    "cached": held,
    "mix_tails": lambda summary: [
        {"percent": each, "ms": summary.latency(f"mix_{each}", summary.tail).point}
        for each in summary.parameters.sweeps["mix"]
    ],
    "again_apart": lambda summary: float(
        100 * abs(np.subtract(*(summary.values(arm(summary), "heap_hit_ratio") for arm in AA))).max()
    ),
    "setting": setting,
}  # fmt: skip


def settings(summary: Summary) -> pd.DataFrame:
    """What was otherwise in the note."""
    p, ram = summary.parameters, summary.ram_bytes / 2**30
    return features.note_differences(
        summary,
        ("memory", "64 GB on the cluster that the fix names", f"{ram:.2f} GiB for server and page cache together",
         "none on shares of it"),
        ("data over memory", "1.5 TB over 64 GB", f"{summary.data_bytes / 2**30 / ram:.2f} times",
         "a pool can hold far more of the data: higher hit ratios"),
        ("state before a run", "a server in use, 1,000 requests for other keys",
         f"a server just started, {p.fill_requests:,} requests for other keys, then 1,000 more",
         "a full pool, as in a service in use"),
    )  # fmt: skip


TABLES = {"settings": settings}
ACROSS = "shared_buffers (% of the memory)"


def everything(summary: Summary) -> Iterable[kit.Given]:
    """The size of all data, in MiB."""
    sizes = dict.fromkeys(summary.parameters.sweeps["disjoint"], summary.data_bytes / MIB)
    return (kit.Given("all of the data", sizes, line="dot", listed=False),)


def room(summary: Summary) -> Iterable[kit.Given]:
    """Share of the data for which a pool has room, in %."""
    over = summary.ram_bytes / summary.data_bytes
    shares = {percent: min(100.0, percent * over) for percent in summary.parameters.sweeps["mix"]}
    return (kit.Given("share of the data that the pool has room for", shares, line="dot", listed=False),)


def lines(asked: Callable[[Summary, str], Mapping[str, kit.Ask]], **more: Any) -> kit.Lines:
    """Over the sizes of the pool, for both mixes of keys. asked: words after the mix, to what is asked of its sizes."""

    def series(summary: Summary) -> Mapping[str, kit.Ask]:
        hot = summary.parameters.hot_share_percent
        mixes = {"disjoint keys": "disjoint_{}", f"{hot}/{100 - hot}": "mix_{}"}
        return {f"{name}{words}": ask for name, arm in mixes.items() for words, ask in asked(summary, arm).items()}

    return kit.Lines(
        over=lambda summary: summary.parameters.sweeps["mix"], across=ACROSS, column="pool (% of memory)",
        series=series, nothing="This run did not measure enough sizes of the pool", **more,
    )  # fmt: skip


FIGURES = {
    "hits": lines(
        lambda summary, arm: {"": hits[arm]}, heading="keys", axis="heap hit ratio (%)", quantity="percent",
        factor=100, scale="percent", given=room,
    ),
    "latency": lines(
        lambda summary, arm: {f", {METRICS[name].brief}": kit.measured(name)[arm] / 1e6
                              for name in ("p50_ns", summary.tail)},
        heading="keys and quantile", axis="latency of a request (ms)", quantity="latency (ms)",
    ),
    "cached": kit.Lines(
        over=lambda summary: summary.parameters.sweeps["disjoint"], across=ACROSS, column="pool (% of memory)",
        series={words: kit.counted(f"{name}_bytes")["disjoint_{}"].mean for name, words in {
            "cached": "in either", "in_pool_only": "in shared buffers alone", "in_both": "in both",
            "in_os_cache_only": "in the OS page cache alone",
        }.items()},
        axis="distinct data that are cached (MiB)", heading="cache", factor=1 / MIB, scale="zero", given=everything,
        nothing="Nobody looked into the caches", mend="measure again",
    ),
    "claims": kit.ClaimFigure(only=lambda answer: bool(answer.row)),
}  # fmt: skip
