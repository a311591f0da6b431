"""The chapter's claims: what a setting gives when it is switched on one server, and what shows that it was in force."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from benchbook.experiments.config_ladder import arms as ladder
from benchbook.experiments.config_ladder.estimands import largest
from benchbook.experiments.config_ladder.treatment import (
    BUSY,
    PER_PAGE_002,
    PER_PAGE_003,
    applied,
    counts_some,
    images,
)
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, counts, ratio
from benchbook.experiments.switched_settings.arms import AGAIN, base_of
from benchbook.experiments.switched_settings.summary import Summary
from benchbook.experiments.switched_settings.treatment import fired
from benchbook.statistics import Gate

OF_003, OF_002, CODECS = "fig-switched-note-003", "fig-switched-note-002", "fig-switched-codecs"
CLAIMS_003, CLAIMS_002 = "fig-switched-claims-003", "fig-switched-claims-002"
Words = Callable[[Summary], str]


def departs(*arms: str, limits: bool = False, codec: bool = False) -> Words:
    """What the claim names and this run does not have. limits: of dirty data; codec: lz4."""

    def what(summary: Summary) -> str:
        least = PER_PAGE_002 if limits else PER_PAGE_003
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


def _times(setting: str, top: str, bottom: str, *, limits: bool = False) -> Estimand:
    return ratio(top, bottom, "tps", idle=applied(setting, top, bottom), departs=departs(top, bottom, limits=limits))


def _joined(setting: str, top: str, bottom: str, *, limits: bool = False) -> Estimand:
    """The same of a setting of group commit, which acts by what a flush carries."""
    return ratio(top, bottom, "tps", idle=fired(setting, top, bottom), departs=departs(top, bottom, limits=limits))


def _of_b(setting: str, without: str) -> Estimand:
    return _times(setting, ladder.B, without, limits=True)


_nothing_cleaned = counts_some(ladder.ROUND_2, "cleaned_per_transaction", "the background writer wrote no page")
LZ4, NONE = ladder.CODECS["lz4"], ladder.CODECS["off"]


def processors_idle(summary: Any) -> str:
    """That there was nothing to compress, or the processors were not short; "" where both were so in all trials."""
    least = min(float(summary.values(arm, "cpu_busy_share").min()) for arm in (LZ4, NONE))
    idle = f"the processors were busy for as little as {least:.0%} of the time in some trial" if least < BUSY else ""
    return images(NONE)(summary) or idle


ANSWERS = (
    Answer(
        "R047",
        ratio(LZ4, NONE, "tps", idle=processors_idle, departs=departs(LZ4, NONE, codec=True)), CODECS,
        said="wal_compression = lz4 pays even where the processors are short",
        seen="it gives {} times the throughput of none", row="lz4 ÷ off: TPS",
    ),
    Answer(
        "R032",
        ratio(
            NONE, LZ4, "cpu_per_transaction_s", idle=images(NONE), departs=departs(LZ4, NONE, codec=True)
        ),
        CODECS,
        said="switching compression of the log off saves processor time",
        seen="a transaction takes {} times as much of the server's", row="off ÷ lz4: processor time",
    ),
    Answer(
        "R070",
        largest(
            ladder.ROUND_2, ladder.DELAYS.values(),
            idle=fired("commit_delay", ladder.DELAYS[200], ladder.ROUND_2),
            departs=departs(ladder.ROUND_2, *ladder.DELAYS.values()),
        ),
        OF_003,
        said="commit_delay is best at 0", seen="the best of three other values gives {} times its throughput",
        row="best commit_delay ÷ 0: TPS",
    ),
    Answer(
        "R075", _joined("commit_delay", ladder.OPTION_B, ladder.ROUND_2), OF_003,
        said="commit_delay = 10 with commit_siblings = 2 gives more", seen="it gives {} times the throughput",
        row="commit_delay 10, siblings 2 ÷ round 2: TPS",
    ),
    Answer(
        "R076", _joined("commit_siblings", ladder.OPTION_B, ladder.DELAYS[10]), OF_003,
        row="commit_siblings 2 ÷ 3: TPS",
    ),
    Answer(
        "R066", _times("wal_writer_delay", ladder.ROUND_2, ladder.WRITER_200), OF_003,
        row="wal_writer_delay 10 ÷ 200 ms: TPS",
    ),
    Answer(
        "R071", _times("random_page_cost", ladder.ROUND_2, ladder.COST_4), OF_003, row="random_page_cost 1.1 ÷ 4: TPS"
    ),
    Answer(
        "R098", _times("bgwriter_delay", ladder.ROUND_2, ladder.BGWRITER_200), OF_003,
        row="bgwriter_delay 10 ÷ 200 ms: TPS",
    ),
    Answer(
        "R018", _times("bgwriter_lru_maxpages", ladder.MAXPAGES_500, ladder.ROUND_1_BASE), OF_003,
        row="bgwriter_lru_maxpages 500 ÷ 1,000: TPS",
    ),
    Answer(
        "R033",
        counts(
            ladder.MULTIPLIER_5, ladder.ROUND_2, "cleaned_per_transaction", idle=_nothing_cleaned,
            departs=departs(ladder.MULTIPLIER_5, ladder.ROUND_2),
        ),
        OF_003,
        said="a bgwriter_lru_multiplier of 5 instead of 4 makes the background writer write more",
        seen="it writes {} times as many pages for a transaction", row="bgwriter_lru_multiplier 5 ÷ 4: pages cleaned",
    ),
    Answer(
        "C050", _of_b("effective_cache_size", "b_cache_default"), OF_002,
        row="effective_cache_size 2.25 ÷ 0.2 × data: TPS",
    ),
    Answer("C051", _of_b("work_mem", "b_work_mem_4"), OF_002, row="work_mem 53 ÷ 4 MB: TPS"),
    Answer("C052", _of_b("bgwriter_delay", "b_bgwriter_200"), OF_002, row="B, bgwriter_delay 10 ÷ 200 ms: TPS"),
    Answer(
        "C054", _of_b("bgwriter_lru_multiplier", "b_multiplier_2"), OF_002, row="bgwriter_lru_multiplier 10 ÷ 2: TPS"
    ),
    Answer(
        "C055", _joined("commit_delay", ladder.B, "b_delay_0", limits=True), OF_002, row="B, commit_delay 50 ÷ 0: TPS"
    ),
    Answer(
        "C056", _joined("commit_siblings", ladder.B, "b_siblings_5", limits=True), OF_002,
        row="B, commit_siblings 10 ÷ 5: TPS",
    ),
    Answer(
        "C078", _of_b("bgwriter_lru_maxpages", "b_maxpages_1000"), OF_002,
        row="bgwriter_lru_maxpages 1,250 ÷ 1,000: TPS",
    ),
)  # fmt: skip


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
