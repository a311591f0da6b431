"""Which counter shows that a setting acted, why it did not, and how far the run departs from the claims.

A setting with which a trial ran, and which the workload has nothing for, has been judged: the claim is on this
workload, and no machine would launch a parallel worker for it. The check of such a setting is that it was in force. A
cause that needs a state of the machine, such as pages to clean or cold caches, is checked by its counter.
"""

from __future__ import annotations

from collections.abc import Callable

from benchbook.experiments import r8g_reports
from benchbook.experiments.config_ladder.summary import Summary
from benchbook.experiments.families.pgbench.ladder.arms import A_80, A_FREE, B_AGAIN, BASELINE_80, A, B, Start, start_of
from benchbook.experiments.families.pgbench.treatment import PER_PAGE_002, PER_PAGE_003, every, off_proportion
from benchbook.experiments.shape.inert import Control, cannot_act

Words = Callable[[Summary], str]
COLD = 0.01
"""Share of the data in a cache up to which it counts as cold: the protocol's certificate."""
FULL = 0.9
"""Share of the pool in use from which it counts as warm, where the data do not fit."""
AS_READING = 0.5
"""Share of what note 003's first run has of clients in a wait for reads, from which a start is bound by them as it."""


no_parallel_plan = cannot_act(
    "parallel_workers",
    None,
    counted="0 parallel workers were launched in {} trials",
    why="pgbench's statements have no parallel plan (they write, or look up one row by its key)",
    control=Control(
        "sum_scenario_a",
        "parallel_workers",
        "a sum over the same table launched at least {} a trial under note 002's own settings",
    ),
)
"""Why settings of parallel workers cannot act on these transactions, here or on the note's machine."""


def wrote_in_each_session(arm: str) -> Words:
    """That backends wrote no page in some session, so that there was nothing to reduce; "" where they did in all."""

    def why(summary: Summary) -> str:
        written, sessions = summary.values(arm, "backend_writes_per_transaction"), summary.sessions
        every = sorted({*sessions.tolist()})
        none = sum(not written[sessions == each].any() for each in every)
        return f"backends wrote no page in {none} of {len(every)} sessions of “{summary.label(arm)}”" if none else ""

    return why


def bound_by_reads(arm: str) -> Words:
    """That the start of these trials is not bound by reads as the note's was; "" where it is, or nobody looked."""

    def why(summary: Summary) -> str:
        if not summary.has(arm, "wait_read_share"):
            return ""
        seen, noted = (
            summary.values(arm, "wait_read_share"),
            r8g_reports.reports()[r8g_reports.ROUND_1].read_waits / 100,
        )
        if seen.mean() >= AS_READING * noted:
            return ""
        return (
            f"over a trial of “{summary.label(arm)}” {seen.mean():.1%} of the clients wait for a read (at most "
            f"{seen.max():.1%}, {len(seen)} trials), where the report of the note's first run has {noted:.0%}, and 91 "
            "to 97 of 100 in its first seconds. A slower disk under the data would get there"
        )

    return why


def any_vacuumed(arm: str) -> Words:
    """That autovacuum worked on no table in any trial, so that there was no overhead; "" where it did in one."""

    def why(summary: Summary) -> str:
        found = summary.values(arm, "autovacuums")
        return "" if found.any() else f"autovacuum worked on no table in any of {len(found)} trials"

    return why


def cold(*arms: str) -> Words:
    """That the caches of one of these configurations were not empty when a trial began; "" where they were."""

    def why(summary: Summary) -> str:
        for arm in arms:
            for metric in ("data_in_pool_start", "data_in_os_cache_start"):
                most = float(summary.values(arm, metric).max())
                if most > COLD:
                    return f"{summary.in_words(metric)} of “{summary.label(arm)}” was up to {most:.0%}"
        return ""

    return why


def apart(warm: str, empty: str) -> Words:
    """That two configurations did not differ in what the caches held when they began; "" where they did."""

    def why(summary: Summary) -> str:
        used = float(summary.values(warm, "pool_used_share").min())
        return cold(empty)(summary) or ("" if used >= FULL else f"the filled pool was in use to {used:.0%} only")

    return why


def warmer(arm: str, later: str) -> Words:
    """That a later run of a trial began with no fuller pool than its first; "" where it did in every trial."""

    def why(summary: Summary) -> str:
        first, then = (summary.values(arm, f"{prefix}data_in_pool_start") for prefix in ("", later))
        return "" if (then > first).all() else "in some trial the pool was no fuller when the later run began"

    return every(cold(arm), why)


def no_workers(*arms: str) -> Words:
    """How many parallel workers the trials of these configurations launched, for a verdict's reason."""

    def said(summary: Summary) -> str:
        known = summary.having(arms, "parallel_workers")
        if not known:
            return "This release does not count parallel workers"
        launched = sum(float(summary.values(arm, "parallel_workers").sum()) for arm in known)
        trials = sum(len(summary.values(arm, "parallel_workers")) for arm in known)
        return f"Parallel workers launched in {trials} trials: {launched:,.0f}"

    return said


def departs(*arms: str | Callable[[Summary], str]) -> Words:
    """How far the trials of these configurations depart from what the claims name; "" where they do not."""

    def what(summary: Summary) -> str:
        named = [arm if isinstance(arm, str) else arm(summary) for arm in arms]
        starts = {start_of(summary.configurations[arm]) for arm in named if arm in summary.configurations}
        found = []
        if Start.RESTART in starts:
            made = summary.most_per_page((BASELINE_80, A_80, B, B_AGAIN, *named))
            if made is not None and made < PER_PAGE_002:
                found.append(_too_few(made, PER_PAGE_002))
            if not summary.parameters.allow_vm_settings:
                found.append("this machine's own dirty limits where the claim names 4 and 1 %")
        if starts - {Start.RESTART}:
            made = summary.most_per_page(named)
            if made is not None and made < PER_PAGE_003:
                found.append(_too_few(made, PER_PAGE_003))
        return " and ".join(found)

    return what


def departs_in_codec(*arms: str) -> Words:
    """The same of what compares a compressed log with one that is not: the codec decides what that costs."""

    def what(summary: Summary) -> str:
        return " and ".join(filter(None, (departs(*arms)(summary), other_codec(summary))))

    return what


def other_codec(summary: Summary) -> str:
    """That the log is compressed otherwise than in the notes; "" where it is as there, or nobody knows."""
    codec = summary.run.provenance.get("wal_compression", "lz4")
    return "" if codec == "lz4" else f"{codec} where the claim's server had lz4"


def departs_capped(*arms: str) -> Words:
    """The same of what lies on capped storage, in the note's proportion to a pilot's transactions."""

    def what(summary: Summary) -> str:
        free = "" if summary.parameters.allow_slow_storage else "storage without a cap where the claim names one"
        return " and ".join(filter(None, (departs(*arms)(summary), free)))

    return what


def departs_in_size(*arms: str) -> Words:
    """The same of what depends on how deep a small pool falls, and so on the cap."""

    def what(summary: Summary) -> str:
        off = off_proportion(summary, A, A_FREE) if summary.parameters.allow_slow_storage else ""
        return " and ".join(filter(None, (departs_capped(*arms)(summary), off)))

    return what


def _too_few(made: float, named: float) -> str:
    return f"{made:.2f} transactions per page of the accounts where the claim names {named:g}"
