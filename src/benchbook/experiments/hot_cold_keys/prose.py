"""The chapter's sentences and its tables, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.families.features import differences
from benchbook.experiments.families.features.summary import QUANTILES
from benchbook.experiments.hot_cold_keys.answers import FEW_COLD
from benchbook.experiments.hot_cold_keys.arms import (
    ALIKE_ORDER,
    BASELINE,
    BY_CHANCE,
    DISJOINT,
    EMPTY,
    MIXED,
    REPEATED,
)
from benchbook.experiments.hot_cold_keys.cache_figures import cached_at_start
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, with_interval
from benchbook.workloads import zipf_weights

DEVICE = "device_blocks_per_request"
WORDS = {"p50_ns": "median", "p95_ns": "P95", "p99_ns": "P99"}
COLUMNS = {
    "before_measured": "before (measured)",
    "after_expected_text": "after (expected)",
    "target_text": "target",
}


def note_claims() -> pd.DataFrame:
    """The note's own table: what it measured before the fix, what it expected after."""
    found = notes.table("lakebase_before_after").set_index("metric")[["unit", *COLUMNS]].rename(columns=COLUMNS)
    return found.rename(index=lambda metric: metric.replace("_", " "))


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, where = summary.parameters, summary.run.provenance
    data = (where["heap_bytes"] + where["index_bytes"]) / 2**30
    warmed, needed = (_mib(summary, pages) for pages in ("warmed_pages", "needed_pages"))
    pinned = "The client runs on one processor core, the server on the others."
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations on {summary.on()}, {p.n_tables} tables of {p.rows_per_table:,} rows "
        f"or more ({data:.2f} GiB with indexes), a pool of {p.shared_buffers_mib:,} MiB. The pages of the warmed keys "
        f"take {warmed:,.0f} MiB, those of the disjoint keys {needed:,.0f} MiB. "
        f"{pinned if where.get('pinned') else 'The kernel chose the cores of client and server.'}",
    )


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    tail = summary.tail
    name = WORDS[tail]

    def over(arm: str, other: str, metric: str) -> str:
        return with_interval(summary.ratio((arm, metric), (other, metric)))

    def mixed() -> str:
        few, many = (over(arm, BASELINE, tail) for arm in (FEW_COLD, MIXED))
        return (
            f"If one request in a hundred is for an unwarmed key, the {name} is {few} times that of warmed keys alone, "
            f"and {many} times if it is one in five."
        )

    def rereads() -> str:
        share = summary.mean(DISJOINT, "reread_share")
        return (
            f"Of the blocks read for the first 1,000 disjoint requests, {share:.1%} had been read before in the trial: "
            f"{'mostly first reads, no thrashing' if share < 0.5 else 'the pool was thrashing'}. "
            f"{_rereads_of_the_whole_trial(summary)}"
        )

    return tell(
        lambda: (
            f"With the warmed keys the {name} is {over(BASELINE, DISJOINT, tail)} times what it is with disjoint keys, "
            f"the median {over(BASELINE, DISJOINT, 'p50_ns')} times, the minimum "
            f"{over(BASELINE, DISJOINT, 'note_min_ns')} times."
        ),
        lambda: fastest(summary),
        mixed,
        f"The client alone, with the same number of empty statements, takes {summary.client_share():.0%} of the hot "
        "median.",
        rereads,
    )


def certified(summary: Summary) -> Prose:
    """What was cached of the keys that the warm-up had not read."""
    return tell(partial(cached_at_start, summary), otherwise="This run has no certificate of its disjoint keys.")


def hit_ratios(summary: Summary) -> Prose:
    """The hit ratio of the requests, and the one that the note read."""

    def both() -> str:
        window, reported = (summary.mean(BY_CHANCE, f"{kind}_heap_hit_ratio") for kind in ("note", "cumulative"))
        return (
            f"With disjoint keys by chance the heap hit ratio of the note's 1,000 requests is {window:.1%}; computed "
            f"the note's way, it is {reported:.1%} in the same runs."
        )

    return tell(both, otherwise="This run did not measure disjoint keys by chance.")


def fastest(summary: Summary) -> str:
    """Whether the fastest disjoint request was a cached one."""

    def read(arm: str) -> str:
        blocks, cached = summary.mean(arm, "note_min_reads"), summary.mean(arm, "note_cached_share")
        return f"the fastest of the first 1,000 requests read {blocks:.3g} blocks, and {cached:.2%} of them read none"

    return (
        f"With disjoint keys by chance {read(BY_CHANCE)}. Where all tables hold the same rows in the same order, "
        f"{read(ALIKE_ORDER)}."
    )


def settings(summary: Summary) -> pd.DataFrame:
    """What was otherwise in the note."""
    return differences.differences(summary)


def _mib(summary: Summary, pages: str) -> float:
    """How much some pages of the disjoint configuration are, on average over trials."""
    return summary.mean(DISJOINT, pages) * 8192 / 2**20


def _rereads_of_the_whole_trial(summary: Summary) -> str:
    """The least share of reads in whole trials that must have been repeated: more blocks were read than were absent."""
    p = summary.parameters
    reads = summary.values(DISJOINT, "pool_misses_per_request") * summary.values(DISJOINT, "requests")
    absent = summary.values(DISJOINT, "needed_pages") * (1 - summary.values(DISJOINT, "needed_in_pool_at_start"))
    again = np.maximum(0.0, 1 - absent / reads)
    if again.max() <= 0:
        return f"Over all {p.measured_requests:,}, there may have been no re-reads either."
    return (
        f"Of the blocks that all {p.measured_requests:,} disjoint requests read, at least {again.min():.1%} (in "
        f"another trial {again.max():.1%}) were read a second time: the keys need "
        f"{_mib(summary, 'needed_pages'):,.0f} MiB, the pool has {p.shared_buffers_mib:,}."
    )


def noise(summary: Summary) -> Prose:
    """How far the baseline differs from itself, and how unsteady one trial of it is."""

    def itself(metric: str) -> str:
        return f"{WORDS[metric]} {with_interval(summary.ratio((REPEATED, metric), (BASELINE, metric)))}"

    again = told(*(partial(itself, metric) for metric in WORDS))
    windows = summary.window_medians(BASELINE) / 1e6
    return Prose(
        f"The baseline against itself (A/A), as ratios: {', '.join(again)}. Differences of this size are noise on this "
        f"machine. The medians of successive {summary.parameters.window_requests:,} requests of the same hot "
        f"configuration run from {windows.min():.2g} to {windows.max():.2g} ms, with every page in shared buffers."
    )


def implied_shares(summary: Summary) -> Prose:
    """What share of the requests each distribution gives to the most requested fifth of the keys."""
    p = summary.parameters
    if not p.zipf_exponents:
        return Prose("This run has no Zipf configurations.")
    shares = (
        f"{zipf_weights(p.rows_per_table, each)[: p.rows_per_table // 5].sum():.0%} under Zipf {each:g}"
        for each in p.zipf_exponents
    )
    return Prose(
        f"For comparison with the 80/20 rule: of requests over {p.rows_per_table:,} keys, the most requested fifth "
        f"gets {', '.join(shares)}. Zipf configurations draw their warm-up from the same distribution as the measured "
        "requests."
    )


def misses_of_the_service_level(summary: Summary, level_ms: float = 200.0) -> Prose:
    """How many measured requests of any configuration took longer than the note's example of a cold service level."""
    samples = summary.samples(summary.plain)["latency_ns"]
    late = int((samples > level_ms * 1e6).sum())
    return Prose(
        f"Of all {len(samples):,} requests measured on this machine's own storage, {late:,} took longer than the "
        f"{level_ms:g} ms that the note calls "
        "an acceptable level for cold requests; only the service's owner can say what is acceptable."
    )


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: certified state, quantiles with intervals in ms, hit ratios, reads per request."""

    def states(arm: str) -> str:
        counts = summary.in_blocks(arm)["cache_state"].value_counts()
        return ", ".join(f"{state} ({count})" for state, count in counts.items())

    def noted(arm: str) -> str:
        values = summary.values(arm, "note_p99_ns") / 1e6
        return f"{values.min():.3g} to {values.max():.3g}"

    def device(arm: str) -> str:
        unknown = "" if arm == EMPTY else "unknown"
        return summary.METRICS[DEVICE].written(summary.mean(arm, DEVICE)) if summary.has(arm, DEVICE) else unknown

    def typical(metric: str, arm: str) -> str:
        return f"{summary.latency(arm, metric).point:.3g}"

    columns: Columns = {
        "certified cache": states,
        **levels(summary, *QUANTILES, otherwise=NOT_ESTIMABLE),
        "P99 of 1,000, as in the note (ms)": noted,
        **{summary.METRICS[name].column: partial(typical, name) for name in ("min_ns", "mean_ns", "max_ns", "sd_ns")},
        **means(summary, "heap_hit_ratio", "pool_misses_per_request"),
        summary.METRICS[DEVICE].column: device,
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.plain], columns)
