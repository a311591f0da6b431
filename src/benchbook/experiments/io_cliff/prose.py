"""The chapter's sentences with numbers, computed from the run that the page shows, and its tables."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.experiments.families.pgbench.treatment import cap_share
from benchbook.experiments.families.pgbench.words import UNKNOWN, repeated
from benchbook.experiments.io_cliff.answers import again, first
from benchbook.experiments.io_cliff.arms import (
    A_10_5,
    A_80,
    A_FREE,
    B_FREE,
    CHECKPOINTS,
    A,
    B,
)
from benchbook.experiments.io_cliff.causes import PAGES_NAMED, nothing_slowed, told_apart
from benchbook.experiments.io_cliff.summary import Summary, share_of_peak
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, with_interval


def note_timeline() -> pd.DataFrame:
    """The note's three timelines side by side, TPS per 5 s."""
    found = note("c8gb_timeline").pivot_table(index="t_s", columns="run", values="tps")
    found.columns = pd.Index(["run 1: baseline", "run 2: A", "run 3: B"])
    found.index.name = "second"
    return found.map(lambda value: "" if pd.isna(value) else f"{value:,.0f}")


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and how it differs from the design that the claims ask for."""

    def cached() -> str:
        least = min(summary.values(arm, "data_in_os_cache_start").min() for arm in summary.note_arms)
        return f"When a trial after a restart began, at least {least:.0%} of the data was in the OS page cache."

    def pages() -> str:
        made = summary.mean(B if summary.capped else B_FREE, "transactions_per_account_page")
        return (
            f"With the pool of 100 % a trial made {made:.2f} transactions per page of the accounts; the note's "
            f"baseline made about {PAGES_NAMED}."
        )

    def looks() -> str:
        shares = summary.run.trials.get("look_share", pd.Series(dtype=float)).dropna()
        took = f"Sampling took {shares.mean():.1%} of a trial's time, on a separate connection."
        return took if len(shares) else ""

    memory = f"Memory: {summary.run.provenance.get('memory_bound', UNKNOWN)}."
    return telling.design(
        summary, " ".join(told(summary.apparatus(), memory, cached, pages, partial(cap, summary), looks))
    )


def cap(summary: Summary) -> str:
    """What the volume did in the capped trials and in the others, as measured on the device before each."""
    capped, free = (summary.mean(arm, "storage_write_iops") for arm in (A, A_FREE))
    latency = summary.mean(A, "storage_write_p50_us") / 1000
    return (
        f"Measured on the device before each trial, the capped volume did {capped:,.0f} writes of 8 KiB a second, the "
        f"same volume without the cap {free:,.0f}. A single write on the capped one took {latency:.2f} ms in the "
        "median, since the kernel lets a tenth of a second's worth pass at once. The cap "
        f"allows {cap_share(summary, A, A_FREE):.2f} writes for each transaction that the small pool makes without it; "
        f"the note's disks did {NOTE_WRITES_PER_TRANSACTION}."
    )


def left_out(summary: Summary) -> Prose:
    """What this run cannot show, and how to get it; "" where it has all."""
    if summary.capped:
        return Prose("")
    return Prose(
        "**This run has no capped storage, so no cliff can be shown.** Run it as root, outside of a container, with "
        "`allow_slow_storage=true` and the standard profile; `benchbook doctor` says what is missing."
    )


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    try:
        summary.check_course()
    except BenchbookError as error:
        return Prose(f"This run does not show whether there is a cliff: {error.problem} ({error.mend}).")

    def counted() -> str:
        counts = {arm: summary.cliffs(arm) for arm in summary.having((A, A_FREE, A_80, B, B_FREE), "cliff")}
        said = ", ".join(f"{found} of {of} trials of “{summary.label(arm)}”" for arm, (found, of) in counts.items())
        return f"A cliff came in {said}."

    def ends() -> str:
        arms = [arm for arm in (A, A_FREE, B) if arm in summary.configurations]
        shares = ", ".join(
            f"“{summary.label(arm)}” "
            f"{with_interval(share_of_peak(summary.values(arm, 'end_over_peak'), sessions=summary.sessions))}"
            for arm in arms
        )
        return f"Throughput of the last twelfth of a trial as a share of its best twelfth: {shares}."

    def whole() -> str:
        b, free, eighty = (with_interval(summary.gain(arm, A)) for arm in (B, A_FREE, A_80))
        stated = with_interval(summary.gain(B, A_80))
        return (
            f"Over the whole trial B has {b} times the throughput of A, A on storage without a cap {free} times, and A "
            f"with a pool of 80 % of the data, which the note states, {eighty} times; B has {stated} times that of the "
            "last. How deep A falls follows from the cap."
        )

    return tell(counted, ends, whole)


def explanation(summary: Summary) -> Prose:
    """Whether the cause acted: what the pools evicted, when dirty data neared its limit, and when throughput fell."""

    def evicted() -> str:
        arms = [arm for arm in (A, A_FREE, A_80, B) if arm in summary.configurations]
        said = ", ".join(f"“{summary.label(arm)}” {summary.mean(arm, 'evictions'):,.0f}" for arm in arms)
        return f"Pages evicted in a trial: {said}."

    def near(arm: str) -> str:
        reached = summary.values(arm, "limit_reached")
        both = int(((reached > 0) & (summary.values(arm, "cliff") > 0)).sum())
        return (
            f"“{summary.label(arm)}”: for a moment at least, dirty data came near the point where the kernel slows "
            f"writers in {int(reached.sum())} of {reached.size} trials, {both} of them with a cliff."
        )

    def moved() -> str:
        low, high = (with_interval(summary.fell_s(arm)) for arm in (A, A_10_5))
        first_s, second_s = (with_interval(summary.reached_s(arm)) for arm in (A, A_10_5))
        return (
            f"With limits of 4 and 1 % dirty data is first seen there in second {first_s}, and throughput falls in "
            f"second {low}; with 10 and 5 %, in seconds {second_s} and {high}. The fall is placed by half seconds, "
            "dirty data by one look a second."
        )

    def delayed() -> str:
        begun = with_interval(summary.started(A_10_5, A))
        more, less = (summary.mean(arm, "dirty_peak_bytes") / 1e6 for arm in (A_10_5, A))
        if told_apart(summary, A, A_10_5):
            return f"The first twelfth of a trial has {begun} times the throughput with the higher limits."
        return (
            "**These trials cannot tell the two limits apart.** Once the small pool is full, its pages reach the "
            "kernel so fast that dirty data meets either limit within a second or two. Two explanations stay open: "
            "the kernel makes writers wait at its limit, or the full pool makes each client wait for the slow storage "
            "to take a page. With the higher limits more data waits (at the peak "
            f"{more:,.0f} MB instead of {less:,.0f}), and the first twelfth of a trial has {begun} times the "
            "throughput. That does not show that a higher limit leaves the fall where it is: dirty data must grow "
            "slowly enough for the two limits to be met many seconds apart, and such trials are still to be "
            "measured. What removes the fall here is a larger pool, or storage without a cap."
        )

    def acted() -> str:
        why = nothing_slowed(A)(summary)
        return f"So the cause did not act in A: {why}." if why else ""

    every = [partial(near, arm) for arm in (A, A_10_5, A_FREE, B)]
    return tell(evicted, *every, moved, delayed, acted, otherwise="This run did not record dirty data.")


def checkpoints(summary: Summary) -> Prose:
    """How many checkpoints the long trials held, and whether that made a difference."""

    def held(arm: str) -> str:
        begun = summary.values(arm, "checkpoints")
        least, most = int(begun.min()), int(begun.max())
        many = "no checkpoint" if not most else f"{least} checkpoints" if least == most else f"{least} to {most}"
        return f"“{summary.label(arm)}”: {many} per trial."

    known = summary.having(CHECKPOINTS, "checkpoints")
    idle = [summary.label(arm) for arm in known[1:] if summary.values(arm, "checkpoints").max() == 0]
    inert = f"{' and '.join(idle)} started none: the setting had no effect here." if idle else ""
    otherwise = (
        "The claims on checkpoints stay open: they name trials of 600 s, which `checkpoint_seconds=600` measures."
    )
    return tell(*(partial(held, arm) for arm in known), inert, otherwise=otherwise)


def noise(summary: Summary) -> Prose:
    """How far the repeated configuration differs from itself."""
    one, two = first(summary), again(summary)
    found = repeated(summary, two, one, "tps", "min_over_peak", "end_over_peak")
    return Prose(
        f"“{summary.label(one)}” against itself (A/A), as ratios: {found or NOT_ESTIMABLE}. Differences of this size "
        "are noise on this machine."
    )


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS with interval, latency, trials with a cliff, dirty data, evictions, writes."""

    def cliffs(arm: str) -> str:
        return "{} of {}".format(*summary.cliffs(arm)) if summary.has(arm, "cliff") else NOT_ESTIMABLE

    def begun(arm: str) -> str:
        if not summary.has(arm, "checkpoints"):
            return UNKNOWN
        values = summary.values(arm, "checkpoints")
        least, most = int(values.min()), int(values.max())
        return f"{least:,}" if least == most else f"{least:,} to {most:,}"

    counted = partial(means, summary, otherwise=UNKNOWN)
    columns: Columns = {
        **levels(summary, "tps", "latency_mean_ns", "latency_p99_ns", otherwise=NOT_ESTIMABLE),
        "trials with a cliff": cliffs,
        **counted("evictions", "dirty_peak_bytes", "dirty_limit_bytes", "disk_written_bytes", "storage_write_iops"),
        "checkpoints": begun,
        **counted("wal_bytes", "transactions_per_account_page"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)
