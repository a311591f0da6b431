"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

import contextlib

import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.io_cliff import treatment
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
from benchbook.experiments.io_cliff.summary import PAGES_CLAIMED, Summary, share_of_peak
from benchbook.experiments.notes import table
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.sentences import departing, opening
from benchbook.figures import Prose, with_interval

MIB = 2**20


def note_timeline() -> pd.DataFrame:
    """The note's three timelines side by side, TPS per 5 s."""
    found = table("c8gb_timeline").pivot_table(index="t_s", columns="run", values="tps")
    found.columns = pd.Index(["run 1: baseline", "run 2: A", "run 3: B"])
    found.index.name = "second"
    return found.map(lambda value: "" if pd.isna(value) else f"{value:,.0f}")


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and how it differs from the design that the claims ask for."""
    p, run = summary.parameters, summary.run
    trials = run.trials
    text = (
        f"{opening(run)} {len(summary.arms)} configurations on "
        f"PostgreSQL {run.provenance.get('engine_version', 'unknown')}, pgbench at scale {p.scale} "
        f"({float(run.provenance.get('data_bytes', 0)) / 2**30:.2f} GiB with indexes), {p.clients} clients. "
        f"Memory: {run.provenance.get('memory_bound', 'unknown')}. "
    )
    if "data_in_os_cache_start" in trials and trials["data_in_os_cache_start"].notna().all():
        cached = trials.loc[trials["configuration"].isin(summary.note_arms), "data_in_os_cache_start"].min()
        text += f"When a trial from a restart began, at least {cached:.0%} of the data lay in the OS page cache. "
    if summary.has(A, "transactions_per_account_page"):
        pages = summary.values(A, "transactions_per_account_page").mean()
        text += (
            f"A trial of Scenario A made {pages:.2f} transactions for each page of the accounts; the note's baseline "
            f"made about {PAGES_CLAIMED:.2f}. "
        )
    if "look_share" in trials and trials["look_share"].notna().any():
        text += f"Watching took {trials['look_share'].mean():.1%} of a trial's time, on a connection of its own."
    return Prose(text + departing(summary.departures()))


def one_and_the_same(summary: Summary) -> Prose:
    """That the claimed causes did not act, where they did not; what the page can then say and what it cannot."""
    why = []
    with contextlib.suppress(BenchbookError):
        why.append(treatment.nothing_evicted(summary))
    with contextlib.suppress(BenchbookError):
        why.append(treatment.limits_not_reached(summary, (A_4_1, A_10_1, A, B_4_1, B)))
    said = list(dict.fromkeys(each for each in why if each))
    if not said:
        return Prose("")
    return Prose(
        "**At this scale the configurations of note 002 were one and the same.** "
        + " ".join(f"{each[:1].upper()}{each[1:]}." for each in said)
        + " So this page says how equal configurations differ here, and nothing of what a larger pool or lower limits "
        "do to a cliff. That takes storage that can be slow and trials long enough to fill it; such a design follows."
    )


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    try:
        summary.check_course()
    except NotEstimableError as error:
        return Prose(f"Whether there is a cliff cannot be told from this run: {error.problem} ({error.mend}).")
    counts = {arm: summary.cliffs(arm) for arm in (BASELINE, A, B, SMALL_POOL) if summary.has(arm, "cliff")}
    said = ", ".join(f"{found} of {of} trials of “{summary.labels[arm]}”" for arm, (found, of) in counts.items())
    sentences = [f"A cliff came in {said}."]
    try:
        ends = [
            f"{name} {with_interval(share_of_peak(summary.values(arm, 'end_over_peak')))}"
            for name, arm in (("baseline", BASELINE), ("A", A), ("B", B))
        ]
        sentences.append(
            f"The last twelfth of a trial has this share of its best twelfth's throughput: {', '.join(ends)}."
        )
        sentences.append(
            f"Over the whole trial B has {with_interval(summary.against(B))} times the throughput of A, the baseline "
            f"{with_interval(summary.against(BASELINE))} times; with the pool at 20 % of the data it is "
            f"{with_interval(summary.against(SMALL_POOL))} times."
        )
    except BenchbookError as error:
        sentences.append(f"The shape cannot be told from this run: {error.problem}.")
    return Prose(" ".join(sentences))


def explanation(summary: Summary) -> Prose:
    """Whether the kernel's limit of dirty data can be behind a cliff here, and what the server wrote from its pool."""
    sentences = []
    for arm in (A, SMALL_POOL, B, A_4_1):
        if not (arm in summary.labels and summary.has(arm, "limit_reached") and summary.has(arm, "cliff")):
            continue
        reached = summary.values(arm, "limit_reached")
        both = int(((reached > 0) & (summary.values(arm, "cliff") > 0)).sum())
        sentences.append(
            f"“{summary.labels[arm]}”: dirty data came near to where the kernel slows writers in "
            f"{int(reached.sum())} of {reached.size} trials, {both} of them with a cliff."
        )
    if summary.has(A, "evictions") and summary.has(SMALL_POOL, "evictions"):
        a, small = (summary.values(arm, "evictions").mean() for arm in (A, SMALL_POOL))
        sentences.append(
            f"A trial evicted {a:,.0f} pages from the pool of 80 % and {small:,.0f} from the one of 20 %: only "
            "evictions and checkpoints hand changed pages to the kernel, which must then write them out."
        )
    if A_MACHINE in summary.labels:
        with contextlib.suppress(BenchbookError):
            own = with_interval(summary.against(A_MACHINE))
            sentences.append(f"Under the machine's own limits A has {own} times the throughput of the note's limits.")
    return Prose(" ".join(sentences) or "This run does not tell where dirty data stood.")


def checkpoints(summary: Summary) -> Prose:
    """How many checkpoints the long trials held, and whether that made a difference."""
    if not summary.checkpoint_arms:
        return Prose("This run left out the checkpoint configurations.")
    sentences = []
    for arm in CHECKPOINTS:
        if summary.has(arm, "checkpoints"):
            begun = summary.values(arm, "checkpoints")
            least, most = int(begun.min()), int(begun.max())
            held = "no checkpoint" if not most else f"{least} checkpoints" if least == most else f"{least} to {most}"
            sentences.append(f"“{summary.labels[arm]}”: {held} in a trial.")
    if summary.has(CHECKPOINTS[0], "checkpoints") and any(summary.has(arm, "checkpoints") for arm in CHECKPOINTS[1:]):
        idle = [
            summary.labels[arm]
            for arm in CHECKPOINTS[1:]
            if summary.has(arm, "checkpoints") and summary.values(arm, "checkpoints").max() == 0
        ]
        if idle:
            sentences.append(f"{' and '.join(idle)} started none: the setting was inert here.")
    return Prose(" ".join(sentences))


def noise(summary: Summary) -> Prose:
    """How far Scenario A differs from itself."""
    found = []
    for metric, name in (
        ("tps", "TPS"),
        ("min_over_peak", "lowest over highest twelfth"),
        ("end_over_peak", "end over peak"),
    ):
        try:
            effect = statistics.ratio(summary.values(REPEATED, metric), summary.values(A, metric))
        except (NotEstimableError, BenchbookError):
            continue
        found.append(f"{name} {with_interval(effect)}")
    return Prose(
        f"Scenario A against itself (A/A), as ratios: {', '.join(found) or 'not estimable'}. "
        "Differences of that size are this machine's noise."
    )
