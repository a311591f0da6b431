"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

from benchbook import statistics
from benchbook.experiments.noise_floor.arms import TPCB, WORKLOADS
from benchbook.experiments.noise_floor.judgements import cold_variation, plain_over_sampled
from benchbook.experiments.noise_floor.summary import PLANNED_BLOCKS, Summary
from benchbook.experiments.sentences import departing, opening
from benchbook.figures import Prose, with_interval


def noise_floor_line(summary: Summary, blocks: int = PLANNED_BLOCKS) -> str:
    """One sentence for the captions of other chapters: spread between trials, and what so many blocks cannot show."""
    spreads, hidden = [], []
    for workload in WORKLOADS:
        spreads.append(f"{100 * summary.trial_sd(workload).point:.2g} % ({workload})")
        hidden.append(f"{100 * (summary.detectable(workload, blocks).point - 1):.2g} %")
    return (
        f"Noise floor on this machine: between trials of one configuration TPS varies by {' and '.join(spreads)}, "
        f"so {blocks} blocks show differences from {' and '.join(hidden)} on"
    )


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and how it differs from the design that the claims ask for."""
    p, run = summary.parameters, summary.run
    data = (run.provenance["heap_bytes"] + run.provenance["index_bytes"]) / 2**20
    text = (
        f"{opening(run)} {len(summary.labels)} configurations on "
        f"PostgreSQL {run.provenance['engine_version']}, pgbench at scale {p.scale} "
        f"({data:,.0f} MiB), a pool of {p.shared_buffers_mib:,} MiB, {p.clients} clients. "
    )
    if run.provenance.get("pinned"):
        text += "pgbench keeps to one processor core, the server to the others."
    else:
        text += "The kernel chose on which cores pgbench and the server ran."
    return Prose(text + departing(summary.departures()))


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    sentences = [f"{noise_floor_line(summary)}."]
    for workload in WORKLOADS:
        _, values = summary.in_time(workload, "tps")
        slope = statistics.drift(values)
        moved = "no drift is to be seen" if slope.low <= 0 <= slope.high else "it drifts"
        sentences.append(
            f"{workload}: the second label has {with_interval(summary.aa_ratio(workload, 'tps'))} times the TPS of the "
            f"first; over the run {moved} ({with_interval(slope, 100)} % a trial)."
        )
    sentences.append(
        f"From the cold start on, TPC-B-like TPS varies by {with_interval(cold_variation(summary), 100)} % a trial."
    )
    return Prose(" ".join(sentences))


def samplers(summary: Summary) -> Prose:
    """What logging and looking cost."""
    looks, seconds = (summary.values(TPCB, metric).sum() for metric in ("looks", "looking_s"))
    each = f"; one look at the waits took {1000 * seconds / looks:.2g} ms on average" if looks else ""
    return Prose(
        f"The plain command has {with_interval(plain_over_sampled(summary))} times the TPS of the one with a log of "
        f"every transaction and a look at the waits each second{each}."
    )
