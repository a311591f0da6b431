"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.experiments.noise_floor.answers import PLAIN, cold_variation
from benchbook.experiments.noise_floor.arms import TPCB, WORKLOADS
from benchbook.experiments.noise_floor.summary import PLANNED_BLOCKS, Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval
from benchbook.figures.prose import digits


def noise_floor_line(summary: Summary, blocks: int = PLANNED_BLOCKS, source: str = ", from a separate run") -> str:
    """One sentence: spread between trials, and what so many blocks cannot show. source: for other chapters' pages."""
    spreads, hidden = [], []
    for workload in WORKLOADS:
        spreads.append(f"{digits(100 * summary.trial_sd(workload).point)} % ({workload})")
        hidden.append(f"{digits(100 * summary.detectable(workload, blocks).point)} %")
    return (
        f"Noise floor of pgbench on this machine{source}: trials of one block vary in TPS by "
        f"{' and '.join(spreads)}, so {blocks} blocks can show differences of {' and '.join(hidden)} or more"
    )


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and how it differs from the design that the claims ask for."""
    p, record = summary.parameters, summary.run.provenance
    data = (record["heap_bytes"] + record["index_bytes"]) / 2**20
    pinned = "pgbench runs on one processor core, the server on the others."
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations on {summary.on()}, pgbench at scale {p.scale} ({data:,.0f} MiB), a pool "
        f"of {p.shared_buffers_mib:,} MiB, {p.clients} clients. "
        f"{pinned if record.get('pinned') else 'The kernel chose the cores of pgbench and the server.'}",
    )


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""

    def again(workload: str) -> str:
        slope = summary.drift(workload, "tps")
        ratio = with_interval(summary.aa_ratio(workload, "tps"))
        said = f"{workload}: the second label has {ratio} times the TPS of the first"
        if slope is not None:
            moved = "it is undecided whether it drifts" if slope.low <= 0 <= slope.high else "it drifts"
            said += f"; over the run {moved} ({with_interval(slope, 100)} % per block)"
        return f"{said}."

    def cold() -> str:
        varies = with_interval(cold_variation(summary), 100)
        return f"From the cold start on, TPC-B-like TPS varies by {varies} % between trials."

    pairs: list[Callable[[], str]] = [partial(again, workload) for workload in WORKLOADS]
    return tell(
        lambda: f"{noise_floor_line(summary, source='')}.", *pairs, cold, otherwise="This run has too few timings."
    )


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
        "Successive trials are therefore correlated: the machine was faster in one part of the run than in another. A "
        "comparison within blocks removes this effect. The interval of a single configuration does not, and is too "
        "narrow in such a run."
        if remembered
        else "This run shows no such correlation."
    )
    return Prose(" ".join(sentences))


def samplers(summary: Summary) -> Prose:
    """What logging and looking cost."""

    def cost() -> str:
        looks, seconds = (summary.values(TPCB, metric).sum() for metric in ("looks", "looking_s"))
        each = f"; one sample of the waits took {1000 * seconds / looks:.2g} ms on average" if looks else ""
        return (
            f"The plain command has {with_interval(summary.ratio(*PLAIN))} times the TPS of the one with a log of "
            f"every transaction and a sample of the waits every second{each}."
        )

    return tell(cost, otherwise="This run does not show what the samplers cost.")
