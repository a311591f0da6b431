"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

import numpy as np

from benchbook import statistics
from benchbook.experiments.noise_floor.arms import TPCB, WORKLOADS
from benchbook.experiments.noise_floor.judgements import cold_variation, plain_over_sampled
from benchbook.experiments.noise_floor.summary import PLANNED_BLOCKS, Summary
from benchbook.experiments.sentences import departing, opening
from benchbook.figures import Prose, with_interval
from benchbook.figures.prose import digits


def noise_floor_line(summary: Summary, blocks: int = PLANNED_BLOCKS) -> str:
    """One sentence for the captions of other chapters: spread between trials, and what so many blocks cannot show."""
    spreads, hidden = [], []
    for workload in WORKLOADS:
        spreads.append(f"{digits(100 * summary.trial_sd(workload).point)} % ({workload})")
        hidden.append(f"{digits(100 * (summary.detectable(workload, blocks).point - 1))} %")
    return (
        f"Noise floor of pgbench on this machine, from a run of its own: trials of one block vary in TPS by "
        f"{' and '.join(spreads)}, so {blocks} blocks show differences from {' and '.join(hidden)} on"
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
        slope = summary.drift(workload, "tps")
        again = with_interval(summary.aa_ratio(workload, "tps"))
        said = f"{workload}: the second label has {again} times the TPS of the first"
        if slope is not None:
            moved = "whether it drifts is not decided" if slope.low <= 0 <= slope.high else "it drifts"
            said += f"; over the run {moved} ({with_interval(slope, 100)} % a block)"
        sentences.append(f"{said}.")
    sentences.append(
        f"From the cold start on, TPC-B-like TPS varies by {with_interval(cold_variation(summary), 100)} % a trial."
    )
    return Prose(" ".join(sentences))


def independence(summary: Summary) -> Prose:
    """Whether a trial's throughput tells that of the next trial of the same workload, and what follows."""
    sentences, remembered = [], False
    for workload in WORKLOADS:
        _, values = summary.in_time(workload, "tps")
        found = float(statistics.autocorrelation(np.log(values), 1)[0])
        bound = statistics.autocorrelation_bound(values.size)
        remembered |= abs(found) > bound
        sentences.append(f"{workload}: {found:.2f} at lag 1, where independence allows ±{bound:.2f}.")
    sentences.append(
        "So a trial does tell of the next one: the machine was faster in one part of the run than in another. A "
        "comparison within blocks takes that out. The interval of a single configuration does not, and is too narrow "
        "in such a run."
        if remembered
        else "So nothing of the kind is to be seen in this run."
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
