"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchbook import project, statistics
from benchbook.experiments.hot_cold_keys.arms import BASELINE, DISJOINT, REPEATED
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.sentences import departing, opening
from benchbook.figures import Prose, with_interval
from benchbook.workloads import zipf_weights

QUANTILES = {"p50_ns": "median", "p95_ns": "P95", "p99_ns": "P99"}


def note_claims() -> pd.DataFrame:
    """The note's own table: what it measured before the fix, what it expected after."""
    table = pd.read_csv(project.root() / "data" / "notes" / "lakebase_before_after.csv")
    table = table[["metric", "unit", "before_measured", "after_expected_text", "target_text"]]
    return table.set_axis(["metric", "unit", "before (measured)", "after (expected)", "target"], axis=1).set_index(
        "metric"
    )


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, run = summary.parameters, summary.run
    data = (run.provenance["heap_bytes"] + run.provenance["index_bytes"]) / 2**30
    warmed, needed = (_mib(summary, pages) for pages in ("warmed_pages", "needed_pages"))
    text = (
        f"{opening(run)} {len(summary.arms)} configurations on "
        f"PostgreSQL {run.provenance['engine_version']}, {p.n_tables} tables of {p.rows_per_table:,} "
        f"rows ({data:.2f} GiB with indexes), a pool of {p.shared_buffers_mib:,} MiB. The pages of the warmed keys are "
        f"{warmed:,.0f} MiB, those of the disjoint keys {needed:,.0f} MiB. "
    )
    if run.provenance.get("pinned"):
        text += "The client keeps to one processor core, the server to the others."
    else:
        text += "The kernel chose on which cores client and server ran."
    return Prose(text + departing(summary.departures()))


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    tail = summary.tail
    name = QUANTILES[tail]
    change = statistics.ratio(summary.values(BASELINE, tail), summary.values(DISJOINT, tail))
    middle = statistics.ratio(summary.values(BASELINE, "p50_ns"), summary.values(DISJOINT, "p50_ns"))
    minimum = statistics.ratio(summary.values(BASELINE, "note_min_ns"), summary.values(DISJOINT, "note_min_ns"))
    window, reported = (
        float(summary.values(DISJOINT, metric).mean())
        for metric in ("note_heap_hit_ratio", "cumulative_heap_hit_ratio")
    )
    sentences = [
        f"With the warmed keys the {name} is {with_interval(change)} times what it is with disjoint keys, the median "
        f"{with_interval(middle)} times, the minimum {with_interval(minimum)} times.",
        f"With disjoint keys the heap hit ratio of the note's 1,000 requests is {window:.1%}; computed the note's way, "
        f"from counters that hold the loading and the index builds too, the same runs show {reported:.1%}.",
        f"The client alone, asking as many empty statements, takes {summary.client_share():.0%} of the hot median.",
    ]
    if "hot_share_80" in summary.labels:
        mixed = statistics.ratio(summary.values("hot_share_80", tail), summary.values(BASELINE, tail))
        sentences.insert(
            1,
            f"If one request in five asks for an unwarmed key, the {name} is {with_interval(mixed)} times that of "
            "warmed keys alone.",
        )
    try:
        rereads = float(summary.values(DISJOINT, "reread_share").mean())
    except NotEstimableError:
        pass
    else:
        sentences.append(
            f"Of the blocks read for the first 1,000 disjoint requests, {rereads:.1%} had been read before in the "
            "trial: " + ("mostly first reads, no thrashing." if rereads < 0.5 else "the pool was thrashing.")
        )
        sentences.append(_rereads_of_the_whole_trial(summary))
    return Prose(" ".join(sentences))


def _mib(summary: Summary, pages: str) -> float:
    """How much some pages of the disjoint configuration are, on average over trials."""
    return float(summary.values(DISJOINT, pages).mean() * 8192 / 2**20)


def _rereads_of_the_whole_trial(summary: Summary) -> str:
    """The least share of reads in whole trials that must have been repeated: more blocks were read than were absent."""
    rows = summary.in_blocks(DISJOINT)
    reads = summary.values(DISJOINT, "pool_misses_per_request") * rows["requests"].to_numpy(dtype=float)
    absent = summary.values(DISJOINT, "needed_pages") * (1 - summary.values(DISJOINT, "needed_in_pool_at_start"))
    needed = _mib(summary, "needed_pages")
    again = np.maximum(0.0, 1 - absent / reads)
    return (
        f"Over all {summary.parameters.measured_requests:,} disjoint requests at least {again.min():.1%} to "
        f"{again.max():.1%} of the blocks were read a second time: the keys need {needed:,.0f} MiB, the pool has "
        f"{summary.parameters.shared_buffers_mib:,}."
        if again.max() > 0
        else f"Nor need it have happened over all {summary.parameters.measured_requests:,}."
    )


def noise(summary: Summary) -> Prose:
    """How far the baseline differs from itself, and how unsteady one trial of it is."""
    again = [
        f"{name} {with_interval(statistics.ratio(summary.values(REPEATED, metric), summary.values(BASELINE, metric)))}"
        for metric, name in QUANTILES.items()
        if summary.has(BASELINE, metric)
    ]
    windows = summary.window_medians(BASELINE) / 1e6
    size = f"{summary.parameters.window_requests:,}"
    return Prose(
        f"The baseline against itself (A/A), as ratios: {', '.join(again)}. Differences of that size are this "
        f"machine's noise. The medians of successive {size} requests of the same hot "
        f"configuration run from {windows.min():.2g} to {windows.max():.2g} ms, with every page in shared buffers."
    )


def implied_shares(summary: Summary) -> Prose:
    """What share of the requests each popularity law gives to the most requested fifth of the keys."""
    keys = summary.parameters.rows_per_table
    shares = [
        f"{zipf_weights(keys, exponent)[: keys // 5].sum():.0%} under Zipf {exponent:g}"
        for exponent in summary.parameters.zipf_exponents
    ]
    if not shares:
        return Prose("This run has no Zipf configuration.")
    return Prose(
        f"For comparison with the 80/20 rule: of requests over {keys:,} keys, the most requested fifth gets "
        + ", ".join(shares)
        + ". Zipf configurations draw their warm-up from the same law as the measured requests."
    )


def misses_of_the_service_level(summary: Summary, level_ms: float = 200.0) -> Prose:
    """How many measured requests of any configuration took longer than the note's example of a cold service level."""
    samples = summary.run.samples["latency_ns"]
    late = int((samples > level_ms * 1e6).sum())
    return Prose(
        f"Of all {len(samples):,} measured requests, {late:,} took longer than the {level_ms:g} ms that the note "
        "offers as an acceptable level for cold requests; what level is acceptable is the service owner's to say."
    )
