"""The chapter's sentences with numbers, computed from the raw reports."""

from __future__ import annotations

from benchbook.experiments import notes
from benchbook.experiments.cliff_reanalysis.pool import BOOKKEEPING_BYTES
from benchbook.experiments.cliff_reanalysis.reports import BASELINE, A, B
from benchbook.experiments.cliff_reanalysis.summary import Summary
from benchbook.figures import Prose

MIRRORED, DISKS, GP3_IOPS = 2, 8, 3_000


def answer(summary: Summary) -> Prose:
    """What was found, in a few sentences."""
    first, second, fits, split = summary.plateau(BASELINE), summary.plateau(A), summary.fits, summary.parted_s
    return Prose(
        "In both runs that fall, unwritten data are then at the kernel's limit, or a second or two below it. "
        f"Dirty rises to {first.gib:.2f} GiB in the baseline and {second.gib:.2f} GiB in run A, "
        f"{first.percent_of_memory:.1f} and {second.percent_of_memory:.1f} % of the memory then available; it gets "
        f"there in seconds {first.second} and {second.second}, and throughput falls at "
        f"{summary.fell_s(BASELINE):.0f} and {summary.fell_s(A):.0f} s. The pool that feeds it was not one of 16 GB: "
        f"the counters of the two runs fit {fits[BASELINE].gib:.1f} and {fits[A].gib:.1f} GiB. So “+31 %” compares "
        f"about 4 GB with 20, and all of it comes after A's fall: up to second {split} run B is "
        f"{summary.gain(0, split):.3f} times as fast as A. A falls later because it was restarted: it first fills an "
        "empty pool, and begins with nothing dirty."
    )


def limit(summary: Summary) -> Prose:
    """Which of the kernel's limits was in force."""
    first, second = summary.plateau(BASELINE), summary.plateau(A)
    printed, memory = notes.reading("runs_with_os_tuning_off"), 100 * second.limit_gib / second.percent
    return Prose(
        f"The note says that the limits on dirty data were left at 10 and 5 %. Its three reports set 4 and 1 right "
        f"before pgbench; {f'{printed:.0f} of them show' if printed else 'none of them shows'} 10 and 5 in force. The "
        f"plateaus bear this out: they lie at "
        f"{first.percent_of_memory:.2f} and {second.percent_of_memory:.2f} % of the available memory, while 10 % would "
        f"have been {0.1 * memory:.1f} GiB. In B and C too little is dirty to tell."
    )


def writes(summary: Summary) -> Prose:
    """The rate of the disks and what it implies."""
    found = summary.reports[A].devices
    busy = found[(found["t_s"] > summary.filled[0]) & (found["t_s"] <= 60)]["device_writes"].median()
    log = summary.reports[B].devices
    own = log[(log["t_s"] > 2) & (log["t_s"] <= 60)]["device_writes"].median()
    return Prose(
        f"In run B, where only the log is written, all disks together do {own:,.0f} writes per second. In A it is the "
        f"same until second {summary.filled[0]}, then a median of {busy:,.0f}. Without those of the log, and as both "
        f"halves of a mirror do each, this is {(busy - own) / MIRRORED:,.0f} writes of data per second. Eight gp3 "
        f"volumes with the {GP3_IOPS:,} operations that gp3 has without a surcharge do {DISKS * GP3_IOPS:,}, or "
        f"{DISKS * GP3_IOPS // MIRRORED:,} mirrored; what the volumes were given, the note does not say. At "
        f"{summary.reports[A].mean_tps(15, 25):,.0f} transactions per second, each with about one changed page to "
        "evict, more arrives than leaves, and the difference accumulates as Dirty."
    )


def delays(summary: Summary) -> Prose:
    """Why A falls later."""
    first, second, start = summary.plateau(BASELINE), summary.plateau(A), summary.filled[0]
    return Prose(
        f"Dirty reaches its plateau {second.second - first.second} s later in A than in the baseline. "
        f"{start - first.rise_s} s of that pass before A's pages are written at all: A begins with an empty pool "
        f"({summary.reports[A].shared_mib:,.0f} MiB of shared memory), the baseline with a full one "
        f"({summary.reports[BASELINE].shared_mib / 1024:.1f} GiB). The other "
        f"{second.second - start - (first.second - first.rise_s)} s are the longer way up: A starts from nothing, the "
        f"baseline from {first.low_gib:.2f} GiB, what is left of something written before the run. So about half of "
        "the delay is the empty pool, and about half is that nothing was dirty. The worker settings, which the note "
        "credits, start no process that pgbench's statements could use."
    )


def bookkeeping(summary: Summary) -> Prose:
    """The reasons against 16 GB that need no simulation."""
    report = summary.reports[A]
    return Prose(
        f"Two lines need no model. A pool of 16 GiB has 2,097,152 pages; A allocated {report.allocated:,}, too few "
        f"to fill it, and a pool that is not full evicts nothing; yet {report.written + report.cleaned:,} pages were "
        f"written out by background writer and backends. And a server that has just started has touched only its "
        f"bookkeeping, a fixed part and {BOOKKEEPING_BYTES} bytes for each page of pool: {report.shared_mib:,.0f} MiB "
        f"in A against {summary.reports[B].shared_mib:,.0f} MiB in B. A PostgreSQL 15 that we started with 4 GB took "
        "158 MiB."
    )
