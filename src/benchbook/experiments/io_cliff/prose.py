"""The chapter's sentences with numbers, computed from the run that the page shows, and its tables."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench.words import UNKNOWN, repeated
from benchbook.experiments.io_cliff.answers import limits_not_reached, same_pools
from benchbook.experiments.io_cliff.arms import (
    A_4_1,
    A_10_1,
    A_MACHINE,
    B_4_1,
    BASELINE,
    CHECKPOINTS,
    REPEATED,
    SMALL_POOL,
    A,
    B,
)
from benchbook.experiments.io_cliff.summary import Summary, share_of_peak
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, with_interval

PAGES_CLAIMED = 0.62
"""Transactions per page of pgbench_accounts in the note's baseline: 21,199 in each of 60 s on 1,250 x 1,640 pages."""


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
        made = summary.values(A, "transactions_per_account_page").mean()
        return (
            f"A trial of Scenario A ran {made:.2f} transactions per page of the accounts; the note's baseline ran "
            f"about {PAGES_CLAIMED:.2f}."
        )

    def looks() -> str:
        shares = summary.run.trials.get("look_share", pd.Series(dtype=float)).dropna()
        took = f"Sampling took {shares.mean():.1%} of a trial's time, on a separate connection."
        return took if len(shares) else ""

    memory = f"Memory: {summary.run.provenance.get('memory_bound', UNKNOWN)}."
    return telling.design(summary, " ".join(told(summary.apparatus(), memory, cached, pages, looks)))


def one_and_the_same(summary: Summary) -> Prose:
    """That the claimed causes did not act, where they did not; what the page can then say and what it cannot."""
    limited = partial(limits_not_reached, summary, (A_4_1, A_10_1, A, B_4_1, B))
    said = told(partial(same_pools, summary), limited)
    if not said:
        return Prose("")
    return Prose(
        "**At this scale the configurations of note 002 did the same work.** "
        + " ".join(f"{each[:1].upper()}{each[1:]}." for each in said)
        + " This page therefore says how much equal configurations differ here, not what a larger pool or lower limits "
        "do to a cliff. That would take slower storage and trials long enough to saturate it; such a design will "
        "follow."
    )


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    try:
        summary.check_course()
    except BenchbookError as error:
        return Prose(f"This run does not show whether there is a cliff: {error.problem} ({error.mend}).")

    def counted() -> str:
        counts = {arm: summary.cliffs(arm) for arm in summary.having((BASELINE, A, B, SMALL_POOL), "cliff")}
        said = ", ".join(f"{found} of {of} trials of “{summary.label(arm)}”" for arm, (found, of) in counts.items())
        return f"A cliff came in {said}."

    def ends() -> str:
        shares = ", ".join(
            f"{name} {with_interval(share_of_peak(summary.values(arm, 'end_over_peak'), sessions=summary.sessions))}"
            for name, arm in (("baseline", BASELINE), ("A", A), ("B", B))
        )
        return f"Throughput of the last twelfth of a trial as a share of its best twelfth: {shares}."

    def whole() -> str:
        b, baseline, small = (with_interval(summary.gain(arm, A)) for arm in (B, BASELINE, SMALL_POOL))
        return (
            f"Over the whole trial, B has {b} times the throughput of A, the baseline {baseline} times, and A with a "
            f"pool of 20 % of the data {small} times."
        )

    return tell(counted, ends, whole)


def explanation(summary: Summary) -> Prose:
    """Whether the kernel's limit of dirty data can be behind a cliff here, and what the server wrote from its pool."""

    def near(arm: str) -> str:
        reached = summary.values(arm, "limit_reached")
        both = int(((reached > 0) & (summary.values(arm, "cliff") > 0)).sum())
        return (
            f"“{summary.label(arm)}”: dirty data came close to the point where the kernel slows writers in "
            f"{int(reached.sum())} of {reached.size} trials, {both} of them with a cliff."
        )

    def evicted() -> str:
        a, small = (summary.values(arm, "evictions").mean() for arm in (A, SMALL_POOL))
        return (
            f"A trial evicted {a:,.0f} pages from the pool of 80 % and {small:,.0f} from the pool of 20 %: only "
            "evictions and checkpoints hand changed pages to the kernel, which must then write them out."
        )

    def machine() -> str:
        own = with_interval(summary.gain(A_MACHINE, A))
        return f"Under the machine's own limits, A has {own} times the throughput that it has under the note's limits."

    reached = [partial(near, arm) for arm in (A, SMALL_POOL, B, A_4_1)]
    return tell(*reached, evicted, machine, otherwise="This run did not record dirty data.")


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
    otherwise = "This run left out the checkpoint configurations."
    return tell(*(partial(held, arm) for arm in known), inert, otherwise=otherwise)


def noise(summary: Summary) -> Prose:
    """How far Scenario A differs from itself."""
    found = repeated(summary, REPEATED, A, "tps", "min_over_peak", "end_over_peak")
    return Prose(
        f"Scenario A against itself (A/A), as ratios: {found or NOT_ESTIMABLE}. Differences of this size are noise on "
        "this machine."
    )


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS with interval, latency, trials with a cliff, dirty data, checkpoints, writes."""

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
        **counted("dirty_peak_bytes", "dirty_limit_bytes"),
        "checkpoints": begun,
        **counted("wal_bytes", "evictions", "transactions_per_account_page", "data_in_os_cache_start"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)
