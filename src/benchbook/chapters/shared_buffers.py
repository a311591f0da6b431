"""How large the pool is, against which memory and storage, cold or warm: what each size gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import kit, statistics
from benchbook.caches import policies
from benchbook.claims import chapter_claims, region
from benchbook.drawing import marks
from benchbook.errors import BenchbookError
from benchbook.figures import theme
from benchbook.figures.numbers import with_interval
from benchbook.measuring import pgbench
from benchbook.measuring.pgbench import pool_arms, pool_bench, treatment
from benchbook.measuring.pgbench.estimands import needed, over, repeated, restarts, smallest
from benchbook.measuring.pgbench.pool_arms import READS, REVERTED, SHARES, SMALL, SWEEP
from benchbook.measuring.pgbench.pool_arms import Parameters as Parameters
from benchbook.notes import number
from benchbook.notes import table as note
from benchbook.notes.other_runs import next_to_no_reads, nothing_to_save
from benchbook.notes.own_reports import evidence
from benchbook.numbers.estimands import Words
from benchbook.numbers.inert import Control, cannot_act
from benchbook.numbers.littles_law import littles_gate
from benchbook.pages.prose import filled

configurations, needs = pool_arms.configurations, pool_bench.needs
session, reduce = pool_bench.session, pool_bench.reduce

SERVED = {"pool": "shared buffers", "os": "OS cache", "device": "device"}
"""What serves the requests for a block, by the beginning of its metric."""
METRICS = {
    **pgbench.METRICS,
    **{f"{tier}_share_of_requests": kit.Metric(
        f"share of requests served by {by}", format="{:.2%}".format, heading=f"served by {by}"
    ) for tier, by in SERVED.items()},
    "data_in_pool_end": pgbench.percent("share of the data in the pool at the end", "data in the pool at the end"),
    "data_in_os_cache_start": pgbench.percent(
        "share of the data in the OS cache at the start", "data in the OS cache at the start"
    ),
    "growth": kit.Metric("last over first twelfth", heading="growth along the trial"),
    "interval_sd_ns": kit.Metric(
        "standard deviation of the latency within a twelfth", "ms", 1e-6, heading="sd of latency within a twelfth"
    ),
    "reads_per_transaction": kit.Metric(
        "number of blocks of 8 KiB read per transaction", heading="blocks of 8 KiB read per transaction"
    ),
    "dirty_limit_bytes": kit.Metric("limit of dirty data", "MiB", pgbench.MIB),
    "huge_page_bytes": kit.Metric("huge pages in use", "MiB", pgbench.MIB),
    "ram_blocks": kit.Metric("number of blocks that memory can hold"),
    "resident_share_end": pgbench.percent(
        "share of the data in either cache at the end", "data in either cache at the end"
    ),
    **{f"{kind}_{when}_checkpoint": kit.Metric(f"number of {pages} {when} the CHECKPOINT")
       for kind, pages in {"resident": "pages in the pool", "dirty": "dirty pages"}.items()
       for when in ("before", "after")},
}  # fmt: skip
AA, AA_WARM = ("scenario_a_again", "scenario_a"), ("ram_25", "round_2")
"""The same settings twice; the second pair in two groups of a block."""
REPORTS = {"C045": next_to_no_reads, "C080": nothing_to_save, **{claim: evidence(claim) for claim in ("R052", "R057")}}
"""What the notes' own reports show of the claims that they decide."""
LEAST_PER_PAGE = {pgbench.Part.RESTART: 0.62, pgbench.Part.WARM: 0.51}
"""Transactions per page of pgbench_accounts: the least of note 002's three runs, and of note 003's rounds 2 and 3."""
NOTE_SCALE, NOTE_POOL_GIB, NOTE_PER_PAGE = 1250, 20.0, 0.92
"""Of note 002's best run; the last is 31,532 x 60 / 2.05 million transactions per page of pgbench_accounts."""


class Summary(pgbench.Summary[Parameters]):
    """One run."""

    REMEDY = "measure all parts, with allow_vm_settings=true and allow_slow_storage=true, as root"

    def timeline(self, arm: str) -> np.ndarray:
        """TPS of each twelfth of each trial, shape (blocks, 12), block order."""
        return np.stack([self.values(arm, f"interval_{place:02}_tps") for place in range(1, 13)], axis=1)

    def fillable(self, arm: str) -> pd.Series:
        """The share of the pool that the data can fill, in each trial of a configuration."""
        rows = self.in_blocks(arm)
        return (rows["data_blocks"] / rows["pool_blocks"]).clip(upper=1.0)

    def departures(self) -> list[str]:
        cached = "reads" in self.parameters.parts and self.run.provenance.get("direct_io") is False
        own = "reads through the OS page cache instead of direct I/O" * cached
        return [*filter(None, (*treatment.of_machine(self.parameters), own)), *super().departures()]


def untestable(summary: Summary, answer: kit.Answer) -> str:
    """That huge pages were not allowed, of a claim that needs them; "" of any other."""
    p = summary.parameters
    if answer.claim in ("R045", "R063") and "memory" in p.parts and not p.allow_vm_settings:
        return "This needs huge pages: run as root with allow_vm_settings=true on a machine that can reserve them."
    return ""


def aa_gates(summary: Summary, answer: kit.Answer) -> list[kit.Gate]:
    """The baseline against itself: of note 002's trials, or of those after a warm start."""
    warm = answer.estimand.names(summary) & {*summary.where("part", pgbench.Part.WARM)}
    return [summary.aa_gate(*(AA_WARM if warm else AA), answer.estimand.metric or "")]


def checks(summary: Summary, answer: kit.Answer) -> Iterator[kit.Gate]:
    """Equal counts, bounded and full memory, equal starts; of latencies Little's law too."""
    names = answer.estimand.names(summary)
    yield from summary.counts_gate(names)
    if warm := names & {*summary.where("part", pgbench.Part.WARM)}:
        yield from [summary.bound_gate(names), summary.full_gate(warm)]
    if names & {*summary.where("part", pgbench.Part.RESTART)}:
        yield summary.dirty_gate(names)
    if answer.estimand.metric in ("latency_mean_ns", "interval_sd_ns"):
        yield littles_gate(summary.of(names), float(summary.parameters.tpcb_seconds))


def evicts(*small: str) -> Words:
    """Why pools of these sizes did the work of one that holds all of the data: one of their trials evicted nothing."""

    def why(summary: Summary) -> str:
        for arm in small:
            evicted = summary.values(arm, "evictions")
            if without := int((evicted == 0).sum()):
                used = 100 * float(summary.values(arm, "data_in_pool_end").max())
                return (
                    f"the pool of “{summary.label(arm)}” evicted nothing in {without} of {len(evicted)} trials, which "
                    f"touched at most {used:.0f} % of the data, so a larger one did the same work"
                )
        return ""

    return why


no_room_needed = cannot_act(
    "evictions", ("pool_100",), counted="a pool as large as the data evicted 0 pages in {} trials",
    why="a pool that holds all of the data has nothing to keep in further room, and the note's own data take 0.91 of "
    "its pool",
    control=Control("scenario_a", "evictions", "a pool of a fifth of the data evicted at least {} pages a trial", ""),
    scope="the note asks for a test of further room and does not say that it helps", refutes=False,
)  # fmt: skip
"""Why room beyond the data cannot help on the note's own machine either."""


def takes_memory(summary: Summary) -> str:
    """Why a pool of three eighths of the memory left as much to everything else as one of a quarter."""
    free = [summary.values(arm, "least_available_share") for arm in ("ram_25", "ram_37_5")]
    less = float((free[0] - free[1]).min())
    large, small = (summary.label(arm) for arm in ("ram_37_5", "ram_25"))
    return "" if less >= 0.05 else (
        f"“{large}” left only {100 * max(0.0, less):.1f} % of the memory less than "
        f"“{small}” in one of {len(free[0])} trials, so the larger pool took no memory from anything"
    )  # fmt: skip


def no_reads(summary: Summary) -> str:
    """Why Scenario A had no read of the device to be saved; "" where it had."""
    most = float(summary.values("scenario_a", "device_reads_per_transaction").max())
    text = f"{summary.label('scenario_a')} read at most {most:.2g} blocks per transaction from the device"
    return "" if most >= 0.01 else f"{text}, so there were no reads to save"


holds_more = treatment.unless(
    lambda s: (s.values("scenario_b", "data_in_pool_end") > s.values("scenario_a", "data_in_pool_end")).all(),
    "in some block the pool of 100 % held no more of the data than that of 20 %",
)
wrote_pages = treatment.unless(
    lambda summary: summary.values("ram_25", "dirty_before_checkpoint").min() >= 1,
    "in some trial no page was dirty before the CHECKPOINT, so it wrote nothing",
)


def not_warmer(summary: Summary) -> str:
    """Why an empty and a filled pool did not differ in what they held at the start; "" where they did."""
    least = float(summary.values("scenario_b_prewarmed", "data_in_pool_start").min())
    most = float(summary.values("scenario_b", "data_in_pool_start").max())
    held = f"the compared pools held between {100 * least:.0f} % and {100 * most:.0f} % of the data"
    return "" if least >= 0.99 and most <= 0.01 else f"when the trials began, {held}"


def more_images(summary: Summary) -> str:
    """Why a CHECKPOINT made no transaction log more; "" where it did."""
    of = "full_images_per_transaction"
    after, without = (summary.mean(arm, of) for arm in ("ram_25", "ram_25_no_checkpoint"))
    text = f"after a CHECKPOINT a transaction logged {after:.2f} full page images, without one {without:.2f}"
    return "" if after > without else text


def huge(summary: Summary) -> str:
    """Why one pool lay in huge pages no more than the other; "" where it did."""
    on, off = (summary.values(arm, "huge_page_bytes") for arm in ("ram_25", "ram_25_ordinary_pages"))
    differ = (on - off >= 8192 * summary.values("ram_25", "pool_blocks")).all()
    return "" if differ else "the huge pages in use differed by less than the pool between the two configurations"


def missing(*names: str, size: bool = False) -> Words:
    """How far the trials of these configurations depart from what the claims name; "" where they do not.

    size: whether that depends on how deep a small pool falls, and so on the cap.
    """

    def what(summary: Summary) -> str:
        p, named = summary.parameters, {*names}
        parts = {part: named & {*summary.where("part", part)} for part in LEAST_PER_PAGE}
        found = [treatment.too_few(summary, parts[part], least) for part, least in LEAST_PER_PAGE.items()]
        if parts[pgbench.Part.RESTART] and not p.allow_slow_storage:
            found.append("storage as fast as this machine's disk where the claim names a cap")
        if parts[pgbench.Part.RESTART]:
            found.append(treatment.own_limits(p))
        if size and p.allow_slow_storage:
            found.append(treatment.off_proportion(summary, "scenario_a", "scenario_a_local_disk"))
        return " and ".join(filter(None, found))

    return what


def beside(summary: Summary, metric: str = "tps", large: str = "scenario_b", *, turned: bool = False) -> str:
    """How much a larger pool gives over the one that note 002 states, and over the small one without a cap, as clauses.

    turned: with the larger pool below.
    """

    def said(words: str, top: str, bottom: str) -> str:
        pair = (bottom, top) if turned else (top, bottom)
        return f"{words} {with_interval(summary.gain(*pair, metric))}; "

    clauses = filled(
        partial(said, "against a pool of 80 %, which the note states,", large, "pool_80"),
        partial(said, f"against one of {SMALL} % without a cap", "scenario_b_local_disk", "scenario_a_local_disk"),
    )
    return "".join(clauses) + (
        "the size follows from the cap, which we set in the note's proportion of writes to transactions"
    )


def before(metric: str = "tps", *, large: str = "scenario_b", turned: bool = False) -> Words:
    """The same at the beginning of a verdict's reason, before the number itself."""

    def said(summary: Summary) -> str:
        clauses = beside(summary, metric, large, turned=turned)
        return f"{clauses[:1].upper()}{clauses[1:]}; against a pool of {SMALL} % under the cap"

    return said


def times(top: str, bottom: str, idle: Words, metric: str = "tps", *, size: bool = False, **ground: Any) -> kit.Values:
    """Ratio of a metric of two configurations that takes time. size, ground: as in ``missing`` and ``Estimand``."""
    asked = kit.measured(metric)
    return (asked[top] / asked[bottom]).but(idle=idle, departs=missing(top, bottom, size=size), **ground)


def held(summary: Summary) -> kit.Estimate:
    """Share of the data in the pool of Scenario B, after as many transactions per page as the note's.

    After fewer, the share s becomes 1 - (1 - s)^r, with r the note's transactions over ours. It can be no more: a page
    that each transaction touches with probability p is missed with (1 - p)^n, and the mean of r-th powers over the
    pages is at least the r-th power of their mean (Jensen).
    """
    metrics = ("data_in_pool_end", "transactions_per_account_page", "data_blocks")
    share, made, blocks = (summary.values("scenario_b", metric) for metric in metrics)
    return summary.estimated(statistics.share, 1 - (1 - share) ** np.maximum(1.0, NOTE_PER_PAGE / made), blocks)


def kept(summary: Summary) -> kit.Estimate:
    """Pages in the pool after a CHECKPOINT over those before it: a share of them, as none can come from nowhere."""
    first, after = (summary.values("ram_25", f"resident_{when}_checkpoint") for when in ("before", "after"))
    if first.min() < 1:
        raise kit.NotEstimableError("there were no such pages before the CHECKPOINT", "use a longer warm_fill_seconds")
    return summary.estimated(statistics.share, np.minimum(after / first, 1.0), first)


def size_gib(summary: Summary) -> float:
    """Size of a fresh pgbench database at the note's scale, on the line through the two small sizes, in GiB."""
    sizes = summary.run.provenance.get("size_bytes_by_scale") or {}
    if len(sizes) < 2:
        raise kit.NotEstimableError("this run did not measure two small data sets", "measure again")
    slope, start = np.polyfit([float(scale) for scale in sizes], np.array([*sizes.values()], dtype=float), 1)
    return float((slope * NOTE_SCALE + start) / 2**30)


tps, first, third = (kit.measured(name) for name in ("tps", "interval_01_tps", "interval_03_tps"))
reads, small, others = kit.counted("device_reads_per_transaction"), ("baseline", "scenario_a"), (20, 80)
line = partial(kit.known, words="The size is extrapolated to the note's scale from two small data sets")
GAINS = {
    "gain": "tps", "gain_sd": "interval_sd_ns", "gain_peak": "peak_tps", "gain_min": "min_tps",
    "gain_latency": "latency_mean_ns",
}  # fmt: skip
"""Metric of each gain of Scenario B over A of which note 002 gives the size, which the cap decides: other pools and no
cap stand beside it."""
NUMBERS = {
    **{name: times("scenario_b", "scenario_a", evicts("scenario_a"), metric, size=True, working=before(metric))
       for name, metric in GAINS.items()},
    "baseline": times("baseline", "scenario_b", evicts("baseline"), size=True, working=before(turned=True)),
    "gain_pool": times("pool_100", "scenario_a", evicts("scenario_a"), working=before(large="pool_100")),
    "gain_beyond": times("pool_120", "pool_100", evicts("pool_100"), inert=no_room_needed),
    "gain_stated": tps["scenario_b"] / tps["pool_80"],
    "gain_local": tps["scenario_b_local_disk"] / tps["scenario_a_local_disk"],
    "gain_cold": tps["scenario_b_cold_os_cache"] / tps["scenario_a_cold_os_cache"],
    "gain_reads": tps["reads_100"] / tps["reads_20"],
    "best_pool": smallest(
        "pool_100", (SWEEP[each] for each in others), idle=evicts("scenario_a"),
        departs=missing("pool_100", *(SWEEP[each] for each in others)),
    ),
    "best_run": smallest(
        "scenario_b", small, idle=evicts(*small), departs=missing("scenario_b", *small), working=before()
    ),
    "growth": times("scenario_b", "scenario_b_prewarmed", not_warmer, "growth"),
    "device_share": kit.percent(kit.share("device_share_of_requests", of="block_requests")["scenario_b"]),
    "reads_saved": (reads["scenario_a"] - reads["scenario_b"]).but(idle=no_reads),
    "held": kit.percent(kit.custom(
        held, kit.Quantity.COUNTER, "scenario_b", "scenario_a", idle=holds_more,
        working=lambda _: f"For a trial with fewer transactions per page than the note's {NOTE_PER_PAGE:g}, the most "
        "that it could then hold is used",
    )),
    "evicted": kit.share("evictions_per_allocation", of="allocations")["scenario_b"].but(idle=evicts("scenario_a")),
    "cleaned": kit.custom(
        lambda summary: statistics.exact(float(np.median(summary.values("scenario_b", "buffers_clean")))),
        kit.Quantity.COUNTER, "scenario_b", idle=evicts("scenario_a"),
        working=lambda _: "The count is of pages that the background writer wrote in the median trial",
    ),
    "data_gib": line(size_gib),
    "data_over_pool": line(lambda summary: size_gib(summary) / NOTE_POOL_GIB),
    "restarts": restarts("shared_buffers", "bgwriter_lru_maxpages", words="shared_buffers and bgwriter_lru_maxpages"),
    "cold": tps["scenario_a_cold_os_cache"] / tps["scenario_a"],
    "cold_first": first["scenario_a_cold_os_cache"] / first["scenario_a"],
    "cold_third": third["scenario_a_cold_os_cache"] / third["scenario_a"],
    "more_memory": times("ram_37_5", "ram_25", takes_memory),
    "more_memory_1": tps["round_1_ram_37_5"] / tps["round_1_ram_25"],
    "left_free": kit.percent(kit.share("least_available_share", of="ram_blocks")["ram_37_5"].but(idle=takes_memory)),
    "resident": kit.share("resident_share_end", of="data_blocks")["ram_37_5"].but(idle=takes_memory),
    "huge_pages": times("ram_25", "ram_25_ordinary_pages", huge),
    "restarted": tps["round_2_cold"] / tps["round_2"],
    "five_back": tps["round_2"] / tps["round_3"],
    "after_checkpoint": times("ram_25", "ram_25_no_checkpoint", more_images),
    "kept": kit.percent(kit.custom(kept, kit.Quantity.COUNTER, "ram_25", bounded=True, idle=wrote_pages)),
}  # fmt: skip


def fell(tps: np.ndarray) -> float:
    """Which share of a trial has passed when a twelfth falls below 0.7 of the highest so far, the rule for a cliff."""
    fallen = tps < 0.7 * np.maximum.accumulate(tps)
    if not fallen.any():
        raise kit.NotEstimableError("throughput does not fall", "use slower storage")
    return float(np.argmax(fallen)) / 12


def course(summary: Summary) -> np.ndarray:
    """TPS of each twelfth of Scenario A, shape (12,)."""
    return np.asarray(summary.timeline("scenario_a").mean(axis=0))


def served(summary: Summary) -> dict[str, dict[str, float]]:
    """Share of the requests for a block that each tier served, by configuration; mean over trials."""
    metrics = {by: f"{tier}_share_of_requests" for tier, by in SERVED.items()}
    known = summary.having(summary.arms, *metrics.values())
    return {by: {arm: summary.mean(arm, metric) for arm in known} for by, metric in metrics.items()}


PREDICTED = (20, 80)
"""Pools in % of the data whose hits a clock sweep is asked for."""
ACCOUNTS_A_PAGE, KEYS_A_LEAF, LEAVES_A_PAGE = 61, 366, 285
"""Of pgbench's accounts and their index, whose pages are filled to 90 %."""


@cache
def clock_sweep(rows: int, places: int) -> float:
    """Share of the requests for a block that a pool of so many pages serves, for look-ups of random accounts."""
    asked = 4 * max(rows // ACCOUNTS_A_PAGE, places)  # three quarters of them fill the pool first
    row = np.random.default_rng(1).integers(0, rows, asked)
    leaf = row // KEYS_A_LEAF
    inner = leaf // LEAVES_A_PAGE
    page = np.stack([row * 0, inner, leaf, row // ACCOUNTS_A_PAGE], axis=1)
    page += np.cumsum([0, 1, *(page[:, 1:3].max(axis=0) + 1)])  # each kind of page has numbers of its own
    return policies.clock_sweep(page.ravel().tolist(), places, skip=3 * asked)


def predicted(summary: Summary) -> dict[str, list[float]]:
    """Such shares for the pools of PREDICTED, in %, and those that PostgreSQL had."""
    arms = summary.having([READS[percent] for percent in PREDICTED], "pool_blocks", "pool_share_of_requests")
    rows = 100_000 * summary.parameters.scale
    return {
        "sweep": [100 * clock_sweep(rows, int(summary.mean(arm, "pool_blocks"))) for arm in arms],
        "measured": [100 * summary.mean(arm, "pool_share_of_requests") for arm in arms],
    }


def capped_writes(summary: Summary) -> np.ndarray:
    """Writes a second that the device did before each trial on capped storage, shape (trials,)."""
    capped = summary.where("capped", True)
    if not capped:
        why = "no trial ran on capped storage"
        raise kit.NotEstimableError(why, "allow slow storage, where the machine can make it")
    return np.concatenate([summary.values(arm, "storage_write_iops") for arm in capped])


SWEEPS = {
    "TPC-B after a restart, capped storage, OS cache in use": SWEEP,
    "read only, direct I/O, pool filled first": READS,
}
OF_TRIALS = {
    "evicted_small": ("scenario_a", "evictions"), "evicted_stated": ("pool_80", "evictions"),
    "evicted_full": ("scenario_b", "evictions"), "dirty_most": ("scenario_a", "dirty_most_bytes"),
    "dirty_limit": ("scenario_a", "dirty_limit_bytes"), "to_device": ("scenario_a", "device_share_of_requests"),
    "images": ("ram_25", "full_images_per_transaction"),
    "images_without": ("ram_25_no_checkpoint", "full_images_per_transaction"),
    **{f"{kind}_{when}": ("ram_25", f"{kind}_{when}_checkpoint")
       for kind in ("resident", "dirty") for when in ("before", "after")},
    "uncapped": ("scenario_a_local_disk", "storage_write_iops"),
}  # fmt: skip
"""Configuration and metric of the words that are a number for each trial."""
WORDS: dict[str, Callable[[Summary], Any]] = {
    **{name: partial(Summary.values, arm=arm, metric=metric) for name, (arm, metric) in OF_TRIALS.items()},
    "per_page": lambda summary: np.array(
        [summary.mean(arm, "transactions_per_account_page") for arm in ("scenario_a", "scenario_b")]
    ),
    "failed": lambda summary: summary.failures(summary.arms),
    "other_pools": beside,
    "other_pools_sd": partial(beside, metric="interval_sd_ns"),
    "capped": capped_writes,
    "cap_share": lambda summary: treatment.cap_share(summary, "scenario_a", "scenario_a_local_disk"),
    "again": lambda summary: repeated(summary, *AA, "tps", "latency_mean_ns", "interval_sd_ns", "min_tps", "growth"),
    "blocks_needed": partial(needed, pair=AA),
    "waiting": lambda summary: min(summary.values(arm, "littles_ratio").min() for arm in READS.values()),
    "inspected": lambda summary: summary.inspected(
        {*summary.where("part", pgbench.Part.RESTART)} - {"scenario_a_cold_os_cache", "scenario_b_cold_os_cache"},
        "data_in_os_cache_start", "dirty_start_bytes",
    ),
    "course": course,
    "noted_five_back": lambda _: number("r8g_runs", "tps", round=2) / number("r8g_runs", "tps", round=3),
    "fell_here": lambda summary: fell(course(summary)),
    "fell_there": lambda summary: fell(note("c8gb_timeline").query("run == 2")["tps"].to_numpy()),
    "hits": lambda summary: {summary.label(arm): share for arm, share in served(summary)["shared buffers"].items()},
    "predicted": predicted,
    "unbounded": lambda summary: summary.free_trials(summary.where("part", pgbench.Part.WARM)),
    "left_out": lambda summary: [
        summary.label(arm) for sizes in SWEEPS.values() for arm in sizes.values()
        if arm in summary.arms and not summary.has(arm, "tps")
    ],
}  # fmt: skip


def note_claims(summary: Summary) -> pd.DataFrame:
    """The notes' own numbers: one run each, without intervals."""
    columns = {
        "scenario": "run", "label": "run", "shared_buffers_gb": "shared_buffers (GB)", "tps_avg": "TPS", "tps": "TPS",
        "tps_peak": "highest 5 s", "tps_min": "lowest 5 s", "latency_ms": "mean latency (ms)",
    }  # fmt: skip
    three = note("c8gb_runs")[["scenario", "shared_buffers_gb", "tps_avg", "tps_peak", "tps_min", "latency_ms"]]
    later = note("r8g_runs")[["label", "shared_buffers_gb", "tps", "latency_ms"]]
    both = pd.concat(
        [three.rename(columns=columns).assign(note="002"), later.rename(columns=columns).assign(note="003")]
    )
    return both.set_index(["note", "run"]).map(
        lambda value: "" if pd.isna(value) else f"{value:g}" if value < 100 else f"{value:,.0f}"
    )


TABLES = {"note_claims": note_claims}
MEND = "measure the standard profile"


def timelines(summary: Summary) -> kit.Drawn | kit.Blank:
    """TPS of each twelfth of a trial over the mean of B, with a band over blocks, the note's runs beside it."""
    noted, x = note("c8gb_timeline"), [(place + 1) / 12 for place in range(12)]
    shown = ("baseline", "scenario_a", "scenario_b", "scenario_a_local_disk", "scenario_b_prewarmed")
    known = summary.having(shown, "interval_01_tps")
    if not {"scenario_a", "scenario_b"} <= {*known}:
        return kit.Blank("This run lacks the timeline of one or both scenarios", MEND)
    frames, plot = [], go.Figure()
    for place, arm in enumerate(known):
        along = summary.timeline(arm) / summary.timeline("scenario_b").mean()
        middle, low, high = (each.tolist() for each in (along.mean(axis=0), along.min(axis=0), along.max(axis=0)))
        columns = {"share of the trial": x, "TPS over mean of B": middle, "least": low, "most": high}
        frames.append(pd.DataFrame({"configuration": summary.label(arm), **columns}))
        name = summary.label(arm).partition(", 1,250")[0]
        pgbench.courses.add_course(plot, place, name, x, middle, (low, high), dash="solid")
    mean = float(noted.loc[noted["run"] == 3, "tps"].mean())
    for run, (short, symbol) in enumerate({"baseline": "cross", "A": "bowtie", "B": "star"}.items(), start=1):
        part = noted[noted["run"] == run]
        shares, heights = (part["t_s"] / 60).tolist(), (part["tps"] / mean).tolist()
        columns = {"share of the trial": shares, "TPS over mean of B": heights}
        frames.append(pd.DataFrame({"configuration": f"the note's run {run}", **columns}))
        plot.add_scatter(
            x=shares, y=heights, name=f"the note's run {run} ({short})", mode="lines+markers",
            line={"color": marks.COLOURS[run - 1], "dash": "dot", "width": 1}, marker={"symbol": symbol, "size": 7},
        )  # fmt: skip
    ticks = {0: "0 %", 0.25: "25 %", 0.5: "50 %", 0.75: "75 %", 1: "100 %"}
    plot.update_xaxes(title="share of the trial that has passed", tickvals=[*ticks], ticktext=[*ticks.values()])
    plot.update_yaxes(title="throughput over the mean of B", rangemode="tozero")
    plot.update_layout(height=theme.HEIGHT_PX + 100)  # eight names stand below it
    return kit.Drawn(plot, pd.concat(frames, ignore_index=True), own={"n": len(known)})


def over_full(sizes: Mapping[int, str]) -> kit.Ask:
    """TPS over that with a pool of the data's size. sizes: pool in % of the data to its configuration."""
    ask = over(sizes[100], *(arm for percent, arm in sizes.items() if percent != 100))
    return lambda summary, percent: ask(summary, sizes.get(percent, "none"))


def means(*metrics: str) -> dict[str, Callable[[Summary, str], float | None]]:
    """Further columns of a table, with the mean of each metric where every trial of a configuration has it."""

    def mean(metric: str, summary: Summary, arm: str) -> float | None:
        return summary.mean(arm, metric) if summary.has(arm, metric) else None

    return {METRICS[metric].brief: partial(mean, metric) for metric in metrics}


def tiers(summary: Summary) -> kit.Drawn | kit.Blank:
    """Which tier served the block requests of each configuration; those with the fewest hits are drawn."""
    shares = served(summary)
    if not (known := [*shares["device"]]):
        return kit.Blank("This run did not count which tier served the requests", MEND)
    columns: dict[str, object] = {"configuration": [summary.label(arm) for arm in known]}
    columns |= {name: [each[arm] for arm in known] for name, each in shares.items()}
    columns |= {heading: [mean(summary, arm) for arm in known] for heading, mean in means(
        "device_reads_per_transaction", "evictions", "evictions_per_allocation", "buffers_clean", "data_in_pool_end",
        "data_in_os_cache_start", "dirty_most_bytes", "dirty_limit_bytes",
    ).items()}  # fmt: skip
    fewest_hits = sorted(known, key=shares["shared buffers"].__getitem__)[:12]
    drawn, plot = [arm for arm in known if arm in fewest_hits], go.Figure()
    for place, name in enumerate(("OS cache", "device"), start=1):
        marks.add_bars(plot, place, name, {summary.label(arm): 100 * shares[name][arm] for arm in drawn})
    plot.update_layout(barmode="stack", height=160 + 26 * len(drawn))
    plot.update_xaxes(title="block requests that shared buffers did not serve (%)")
    plot.update_yaxes(autorange="reversed")
    return kit.Drawn(plot, pd.DataFrame(columns), own={"n": len(drawn)})


def taken_back(summary: Summary) -> Mapping[str, str]:
    """Round 3's changes, that of compression with its codec."""
    codec = summary.run.provenance.get("wal_compression")
    coded = {"round_3_compression": f"wal_compression ({codec})"} if codec else {}
    return {"round_2": "all five (round 2)", **{name: setting for name, (setting, _) in REVERTED.items()}, **coded}


class WithRegion(kit.Dots):
    """With the region that the note's -23 % stands for."""

    def scaled(self, plot: go.Figure, shown: Iterable[float]) -> str:
        """The axis, and the region as a band."""
        cut = super().scaled(plot, shown)
        asked = region(chapter_claims("shared_buffers")["R077"])
        plot.add_vrect(x0=asked.low, x1=asked.high, fillcolor=marks.COLOURS[5], opacity=0.3, line_width=0)
        plot.add_scatter(  # a shape has no entry in the legend
            x=[None], y=[None], name="what counts as the note's −23 %", mode="markers",
            marker={"color": marks.COLOURS[5], "symbol": "square", "size": 14, "opacity": 0.4}, **marks.of_row(0),
        )  # fmt: skip
        return cut


def checkpoint(summary: Summary) -> kit.Drawn | kit.Blank:
    """Pages in the pool and dirty pages, before and after a CHECKPOINT."""
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    for place, moment in enumerate(("before", "after")):
        found = {}
        for words, kind in (("in the pool", "resident"), ("dirty", "dirty")):
            if summary.has("ram_25", metric := f"{kind}_{moment}_checkpoint"):
                values = summary.values("ram_25", metric)
                found[words] = float(values.mean())
                row = {"moment": f"{moment} the CHECKPOINT", "pages": words, "mean": found[words]}
                rows.append(row | {"least": values.min(), "most": values.max(), "trials": len(values)})
        marks.add_bars(plot, place, f"{moment} the CHECKPOINT", found, across=False)
    if not rows:
        return kit.Blank("This run did not count the pool's pages around a CHECKPOINT", MEND)
    plot.update_layout(barmode="group")
    plot.update_yaxes(title="pages of 8 KiB")
    return kit.Drawn(plot, pd.DataFrame(rows))


def sizes(summary: Summary) -> kit.Drawn:
    """Size of a fresh pgbench database by scale: measured at small ones, read off the line at the note's."""
    record = summary.run.provenance
    measured = {int(k): int(v) for k, v in (record.get("size_bytes_by_scale") or {}).items()}
    if "data_bytes" in record:
        measured[summary.parameters.scale] = int(record["data_bytes"])
    rows: list[dict[str, object]] = [
        {"scale": scale, "size (GiB)": size / 2**30, "how": "measured"} for scale, size in sorted(measured.items())
    ]
    with suppress(BenchbookError):
        gib = size_gib(summary)
        rows.append({"scale": NOTE_SCALE, "size (GiB)": gib, "how": "on the line through the two smallest"})
    frame = pd.DataFrame(rows or [{"scale": summary.parameters.scale, "how": "not measured"}])
    plot = go.Figure()
    for place, (how, part) in enumerate(frame.groupby("how", sort=False)):
        plot.add_scatter(
            x=part["scale"], y=part.get("size (GiB)"), name=str(how), mode="markers",
            marker={"color": marks.COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 10},
        )  # fmt: skip
    plot.add_scatter(
        x=[1, 2 * NOTE_SCALE], y=[NOTE_POOL_GIB] * 2, name=f"the note's pool of {NOTE_POOL_GIB:g} GiB", mode="lines",
        line={"color": marks.COLOURS[5], "dash": "dot"},
    )  # fmt: skip
    plot.update_xaxes(**theme.decades(), title="pgbench scale")
    plot.update_yaxes(**theme.decades(), title="tables and indexes (GiB)")
    return kit.Drawn(plot, frame)


OF_MEMORY = [name for percent, name in SHARES.items() if percent != 25.0] + ["ram_25_ordinary_pages"]
QUARTERS = (over("ram_25", *OF_MEMORY), over("round_1_ram_25", "round_1_ram_37_5"))
"""Over a pool of a quarter of the memory: in round 2's proportions, and in round 1's."""
FIGURES = {
    "timelines": timelines,
    "claims": kit.ClaimFigure(
        title="Claims on the three runs against measurements",
        what="The changes of note 002 between its three runs",
        only=lambda answer: answer.figure == "fig-shared-buffers-claims",
    ),
    "pools": kit.Lines(
        over=lambda summary: SWEEP, across="shared_buffers (% of the data)", column="pool (% of data)",
        nothing="This run did not measure enough sizes of the pool", mend=MEND, heading="sweep",
        series={sweep: over_full(arms) for sweep, arms in SWEEPS.items()}, replicates="blocks",
        axis="throughput over that with 100 %<br>(above 1: faster)", quantity="over pool of 100 %", rule=1,
    ),
    "tiers": tiers,
    "rounds": kit.Dots(
        rows=taken_back, row="taken back", series={"measured": over("round_3", "round_2", *REVERTED)},
        given=lambda summary: [kit.Given("the note's two runs", {"round_2": WORDS["noted_five_back"](summary)})],
        axis="throughput over that of round 3 (above 1: faster)", quantity="TPS over round 3", scale="plain", rule=1,
        replicates="blocks",
        more=means(
            "least_available_share", "huge_page_bytes", "wal_bytes_per_transaction", "buffers_clean", "autovacuums",
            "evictions",
        ),
        nothing="This run did not measure note 003's rounds", mend=MEND,
    ),
    "share_of_ram": WithRegion(
        rows=lambda summary: [*OF_MEMORY, "round_1_ram_37_5"],
        series={"measured": lambda summary, arm: QUARTERS[arm not in OF_MEMORY](summary, arm)},
        axis="throughput over a pool of 25 % of memory (above 1: faster)", quantity="TPS over 25 % of memory",
        heading="", scale="plain", rule=1, replicates="blocks",
        more=means(
            "evictions", "reads_per_transaction", "resident_share_end", "least_available_share", "swapped_bytes",
            "killed_processes",
        ),
        nothing="This run did not measure pools of several shares of memory", mend=MEND,
    ),
    "checkpoint": checkpoint,
    "sizes": sizes,
}  # fmt: skip
