"""The numbers of the chapter, each once and by name, and what its claims stand on: what a switched setting gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchbook.chapters.switched_settings.arms import AGAIN, ALONE, CONTROL, GROUPS, Parameters, base_of
from benchbook.measuring.pgbench import metric_words, treatment
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.estimands import largest
from benchbook.measuring.pgbench.ladder import arms as ladder
from benchbook.measuring.pgbench.ladder import singles
from benchbook.measuring.pgbench.metric_words import percent
from benchbook.notes import table as note
from benchbook.notes.c8gb import writer_idle
from benchbook.notes.r8g_claims import evidence
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, Words, counts, level, ratio
from benchbook.numbers.inert import published
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.statistics import Gate

LZ4, NONE = ladder.CODECS["lz4"], ladder.CODECS["off"]
REPORTS = {"R033": evidence("R033"), "C052": writer_idle, "C054": writer_idle}
"""What the notes' own reports show of the claims that they decide."""
MOVES = 0.05
"""Commits per flush that differ by less are the same: those of equal configurations differ by up to 2 %."""
LADDER, CARRIED = "config_ladder", "commits_per_flush"
"""The chapter that measures one configuration after the other, and what it counts."""
_METRICS: Metrics = {
    **metric_words.METRICS,
    "pool_used_share": percent("share of the pool in use when the turns began"),
    "wal_bytes_per_transaction": Metric("log per transaction", "bytes"),
    "cleaned_per_transaction": Metric("pages that the background writer cleaned per transaction"),
    "cpu_per_transaction_s": Metric("server's processor time per transaction", "µs", 1e6),
    "cpu_busy_share": percent("share of the processors' time that was used"),
    "reads_per_transaction": Metric("blocks read per transaction"),
    "early_over_kept": Metric("throughput of the first part of a turn over that of the rest"),
    "switch_s": Metric("time to switch", "ms", 1e3),
    "turns": Metric("number of turns"),
    "counted_transactions": Metric("number of transactions that count"),
    "sample_mean_ns": Metric("mean latency of the stored transactions", "ms", 1e-6),
    "sample_p50_ns": Metric("median latency of the stored transactions", "ms", 1e-6),
}


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = _METRICS

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts, with second_server=true"

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        missing = len(type(p).model_fields["parts"].default) - len(p.parts)
        found = {
            f"{missing} of {missing + len(p.parts)} parts left out": bool(missing),
            "this machine's own dirty limits, and pools in ordinary pages": not p.allow_vm_settings,
        }
        return [*(text for text, departs in found.items() if departs), *super().departures()]


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The base of the claim's own server against itself."""
    known = summary.configurations
    groups = sorted({known[arm].group for arm in answer.estimand.names(summary) if arm in known and known[arm].group})
    metric = answer.estimand.metric or ""
    return [summary.aa_gate(f"{base_of(group)}{AGAIN}", base_of(group), metric) for group in groups]


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts of client and server, bounded memory, full pools."""
    arms = answer.estimand.names(summary)
    return [*summary.counts_gate(arms), summary.bound_gate(arms), summary.full_gate(arms)]


def fired(setting: str, top: str, bottom: str) -> Words:
    """Why a setting of group commit changed nothing that a flush carries; "" where it did.

    A turn is too short for these counters. The same two configurations were measured one after the other as well, with
    as many clients, and what they counted is read from those runs; nothing is said where there are none.
    """

    def why(summary: Any) -> str:
        if same := treatment.applied(setting, top, bottom)(summary):
            return same
        few = _too_few_clients(summary, top)
        counted = [published(summary.chapter, LADDER, arm, CARRIED) for arm in (top, bottom)]
        if not all(counted):
            return few
        more, less = (float(np.exp(np.mean(np.log(each)))) for each in counted)
        if abs(more / less - 1) >= MOVES:
            return few
        same = (
            f"a flush of the log carries {more:.3f} commits with it and {less:.3f} without, in "
            f"{len(counted[0])} trials of each, where less than {MOVES:.0%} counts as the same"
        )
        return "; ".join(filter(None, [same, few]))

    return why


def _too_few_clients(summary: Any, arm: str) -> str:
    """That commit_delay never waits with so few clients, whatever else is set; "" where it can."""
    wanted, others = summary.in_force(arm, "commit_siblings")[0], summary.parameters.clients - 1
    if not wanted.isdigit() or others >= int(wanted):
        return ""
    return (
        f"commit_delay waits only while {wanted} other transactions are open, and of {others + 1} clients at most "
        f"{others} others are. More clients would get there"
    )


def processors_idle(*arms: str) -> Words:
    """That there was nothing to compress, or the processors were not short; "" where both were so in all trials."""

    def why(summary: Any) -> str:
        least = min(float(summary.values(arm, "cpu_busy_share").min()) for arm in arms)
        busy = f"the processors were busy for as little as {least:.0%} of the time in some trial"
        return treatment.images(arms[-1])(summary) or (busy if least < treatment.BUSY else "")

    return why


def departing(*arms: str, limits: bool = False, codec: bool = False) -> Words:
    """What the claim names and this run does not have. limits: of dirty data; codec: lz4."""

    def what(summary: Any) -> str:
        least = treatment.PER_PAGE_002 if limits else treatment.PER_PAGE_003
        known = summary.having(arms, "transactions_per_account_page")
        made = min((summary.mean(arm, "transactions_per_account_page") for arm in known), default=least)
        found = {
            f"{made:.2f} transactions per page of the accounts where the claim names {least:g}": made < least,
            "this machine's own dirty limits where the claim names 4 and 1 %": (
                limits and not summary.parameters.allow_vm_settings
            ),
            "no lz4, which the claim names": codec and not summary.parameters.has_second,
        }
        return " and ".join(text for text, departs in found.items() if departs)

    return what


def _switched(setting: str, top: str, bottom: str, *, limits: bool = False) -> Estimand:
    """Throughput with a setting over that without. limits: as in ``departing``."""
    acted = fired if setting in ("commit_delay", "commit_siblings") else treatment.applied
    departs = departing(top, bottom, limits=limits)
    return ratio(top, bottom, "tps", idle=acted(setting, top, bottom), departs=departs)


_nothing_cleaned = treatment.counts_some(
    ladder.ROUND_2, "cleaned_per_transaction", "the background writer wrote no page"
)
NUMBERS = {
    "lz4": ratio(LZ4, NONE, "tps", idle=processors_idle(LZ4, NONE), departs=departing(LZ4, NONE, codec=True)),
    "processor_time": ratio(
        NONE, LZ4, "cpu_per_transaction_s", idle=treatment.images(NONE), departs=departing(LZ4, NONE, codec=True)
    ),
    "best_delay": largest(
        ladder.ROUND_2, ladder.DELAYS.values(), idle=fired("commit_delay", ladder.DELAYS[200], ladder.ROUND_2),
        departs=departing(ladder.ROUND_2, *ladder.DELAYS.values()),
    ),
    "option_b": _switched("commit_delay", ladder.OPTION_B, ladder.ROUND_2),
    "siblings_2": _switched("commit_siblings", ladder.OPTION_B, ladder.DELAYS[10]),
    "writer_delay": _switched("wal_writer_delay", ladder.ROUND_2, ladder.WRITER_200),
    "page_cost": _switched("random_page_cost", ladder.ROUND_2, ladder.COST_4),
    "cleaner_delay": _switched("bgwriter_delay", ladder.ROUND_2, ladder.BGWRITER_200),
    "maxpages": _switched("bgwriter_lru_maxpages", ladder.MAXPAGES_500, ladder.ROUND_1_BASE),
    "more_cleaned": counts(
        ladder.MULTIPLIER_5, ladder.ROUND_2, "cleaned_per_transaction", idle=_nothing_cleaned,
        departs=departing(ladder.MULTIPLIER_5, ladder.ROUND_2),
    ),
    "b_cache_size": _switched("effective_cache_size", ladder.B, "b_cache_default", limits=True),
    "b_work_mem": _switched("work_mem", ladder.B, "b_work_mem_4", limits=True),
    "b_cleaner_delay": _switched("bgwriter_delay", ladder.B, "b_bgwriter_200", limits=True),
    "b_multiplier": _switched("bgwriter_lru_multiplier", ladder.B, "b_multiplier_2", limits=True),
    "b_maxpages": _switched("bgwriter_lru_maxpages", ladder.B, "b_maxpages_1000", limits=True),
    "b_delay": _switched("commit_delay", ladder.B, "b_delay_0", limits=True),
    "b_siblings": _switched("commit_siblings", ladder.B, "b_siblings_5", limits=True),
    "lz4_log": ratio(LZ4, NONE, "wal_bytes_per_transaction"),
    "early": level(ladder.ROUND_2, "early_over_kept"),
    "again": ratio(f"{ladder.ROUND_2}{AGAIN}", ladder.ROUND_2, "tps"),
    "waiting": ratio(CONTROL, ladder.ROUND_2, "tps"),
    "compression": ratio(ladder.ROUND_2, ladder.OFF, "tps"),
    "compression_alone": ratio(f"{ALONE}{ladder.ROUND_2}", f"{ALONE}{ladder.OFF}", "tps"),
}  # fmt: skip


def _large(summary: Summary) -> list[str]:
    """The settings whose intervals lie wholly beyond the least that the notes sell."""
    low, high = 1 - singles.SOLD, 1 + singles.SOLD
    return [words for words, effect in singles.sort(summary).moved.items() if effect.high < low or effect.low > high]


def _of_note(note_number: str, summary: Summary) -> dict[str, int]:
    """How many settings of a note were switched, and how many are shown to matter by less and by more than 5 %."""
    ours, found = f"(note {note_number})", singles.sort(summary)
    return {
        name: sum(words.endswith(ours) for words in some)
        for name, some in (("every", found.every), ("still", found.within(singles.SOLD)), ("large", _large(summary)))
    }


def _reach(summary: Summary) -> float:
    """Median of how far the intervals reach to one side, as a share."""
    return float(np.median([math.sqrt(e.high / e.low) - 1 for e in singles.sort(summary).every.values()]))


WORDS: dict[str, Callable[[Summary], Any]] = {
    "failed": lambda summary: summary.failures(summary.arms),
    "single": singles.sort,
    "large": _large,
    "of_003": partial(_of_note, "003"),
    "of_002": partial(_of_note, "002"),
    "switched": lambda summary: len(singles.sort(summary).every),
    "moved": lambda summary: len(_large(summary)),
    "still": lambda summary: len(singles.sort(summary).within(singles.SOLD)),
    "reach": _reach,
    "detectable": lambda summary: singles.detectable(summary) - 1,
    "switch_ms": lambda summary: (
        1e3 * max(summary.mean(arm, "switch_s") for arm in summary.having(summary.arms, "switch_s"))
    ),
    "images_own": partial(Summary.mean, arm=GROUPS["round_2"].base, metric="full_images_per_transaction"),
    "images_codecs": partial(Summary.mean, arm=GROUPS["codecs"].base, metric="full_images_per_transaction"),
}


def _note_claims(summary: Summary) -> pd.DataFrame:
    """What note 003 changed between its rounds and why, in its own words."""
    found = note("r8g_param_changes")
    return found.set_index(found.columns[0])


TABLES = {"note_claims": _note_claims}
