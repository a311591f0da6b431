"""The numbers of the chapter, each once and by name, and what its claims stand on: what a switched setting gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from benchbook.experiments.families.pgbench.estimands import largest
from benchbook.experiments.families.pgbench.ladder import arms as ladder
from benchbook.experiments.families.pgbench.ladder import singles
from benchbook.experiments.families.pgbench.treatment import applied, counts_some, images
from benchbook.experiments.families.pgbench.words import UNKNOWN
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, counts, ratio
from benchbook.experiments.shape.tables import levels, means, table
from benchbook.experiments.switched_settings.arms import AGAIN, ALONE, CONTROL, GROUPS, base_of
from benchbook.experiments.switched_settings.summary import Summary
from benchbook.experiments.switched_settings.treatment import departing, fired, processors_idle
from benchbook.statistics import Gate

__all__ = ["NUMBERS", "TABLES", "WORDS", "Summary", "aa_gates", "checks"]
LZ4, NONE = ladder.CODECS["lz4"], ladder.CODECS["off"]
IMAGES = "full_images_per_transaction"


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


def _times(setting: str, top: str, bottom: str, *, limits: bool = False) -> Estimand:
    return ratio(top, bottom, "tps", idle=applied(setting, top, bottom), departs=departing(top, bottom, limits=limits))


def _joined(setting: str, top: str, bottom: str, *, limits: bool = False) -> Estimand:
    """The same of a setting of group commit, which acts by what a flush carries."""
    return ratio(top, bottom, "tps", idle=fired(setting, top, bottom), departs=departing(top, bottom, limits=limits))


def _of_b(setting: str, without: str) -> Estimand:
    return _times(setting, ladder.B, without, limits=True)


_nothing_cleaned = counts_some(ladder.ROUND_2, "cleaned_per_transaction", "the background writer wrote no page")
NUMBERS = {
    "lz4": ratio(LZ4, NONE, "tps", idle=processors_idle(LZ4, NONE), departs=departing(LZ4, NONE, codec=True)),
    "processor_time": ratio(
        NONE, LZ4, "cpu_per_transaction_s", idle=images(NONE), departs=departing(LZ4, NONE, codec=True)
    ),
    "best_delay": largest(
        ladder.ROUND_2, ladder.DELAYS.values(), idle=fired("commit_delay", ladder.DELAYS[200], ladder.ROUND_2),
        departs=departing(ladder.ROUND_2, *ladder.DELAYS.values()),
    ),
    "option_b": _joined("commit_delay", ladder.OPTION_B, ladder.ROUND_2),
    "siblings_2": _joined("commit_siblings", ladder.OPTION_B, ladder.DELAYS[10]),
    "writer_delay": _times("wal_writer_delay", ladder.ROUND_2, ladder.WRITER_200),
    "page_cost": _times("random_page_cost", ladder.ROUND_2, ladder.COST_4),
    "cleaner_delay": _times("bgwriter_delay", ladder.ROUND_2, ladder.BGWRITER_200),
    "maxpages": _times("bgwriter_lru_maxpages", ladder.MAXPAGES_500, ladder.ROUND_1_BASE),
    "more_cleaned": counts(
        ladder.MULTIPLIER_5, ladder.ROUND_2, "cleaned_per_transaction", idle=_nothing_cleaned,
        departs=departing(ladder.MULTIPLIER_5, ladder.ROUND_2),
    ),
    "b_cache_size": _of_b("effective_cache_size", "b_cache_default"),
    "b_work_mem": _of_b("work_mem", "b_work_mem_4"),
    "b_cleaner_delay": _of_b("bgwriter_delay", "b_bgwriter_200"),
    "b_multiplier": _of_b("bgwriter_lru_multiplier", "b_multiplier_2"),
    "b_maxpages": _of_b("bgwriter_lru_maxpages", "b_maxpages_1000"),
    "b_delay": _joined("commit_delay", ladder.B, "b_delay_0", limits=True),
    "b_siblings": _joined("commit_siblings", ladder.B, "b_siblings_5", limits=True),
    "again": ratio(f"{ladder.ROUND_2}{AGAIN}", ladder.ROUND_2, "tps"),
    "waiting": ratio(CONTROL, ladder.ROUND_2, "tps"),
    "compression": ratio(ladder.ROUND_2, ladder.OFF, "tps"),
    "compression_alone": ratio(f"{ALONE}{ladder.ROUND_2}", f"{ALONE}{ladder.OFF}", "tps"),
}  # fmt: skip


def _moved(summary: Summary) -> SimpleNamespace:
    """Which settings change throughput by what the notes sell at least, how many are shown not to, and are open."""
    found = singles.sort(summary)
    low, high = 1 - singles.SOLD, 1 + singles.SOLD
    large = [words for words, effect in found.moved.items() if effect.high < low or effect.low > high]
    still = len(found.within(singles.SOLD))
    return SimpleNamespace(large=large, still=still, open=len(found.every) - still - len(large))


def _reach(summary: Summary) -> float:
    """Median of how far the intervals reach to one side, as a share."""
    return float(np.median([math.sqrt(e.high / e.low) - 1 for e in singles.sort(summary).every.values()]))


def _switch_ms(summary: Summary) -> float:
    """The mean time to switch of the configuration that takes longest."""
    return 1e3 * max(summary.mean(arm, "switch_s") for arm in summary.having(summary.arms, "switch_s"))


def _images(part: str) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(GROUPS[part].base, IMAGES)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "memory_bound": lambda summary: summary.run.provenance.get("memory_bound", UNKNOWN),
    "second_version": lambda summary: summary.run.provenance.get("second_engine_version"),
    "failed": lambda summary: summary.failures(summary.arms),
    "single": singles.sort,
    "moved": _moved,
    "reach": _reach,
    "detectable": lambda summary: singles.detectable(summary) - 1,
    "switch_ms": _switch_ms,
    "codec": lambda summary: summary.run.provenance.get("wal_compression") or "the server's codec",
    "images_own": _images("round_2"),
    "images_codecs": _images("codecs"),
}


def _note_claims(summary: Summary) -> pd.DataFrame:
    """What note 003 changed between its rounds and why, in its own words."""
    found = note("r8g_param_changes")
    return found.set_index(found.columns[0])


def _rows(summary: Summary) -> list[tuple[dict[str, object], str]]:
    return [({"configuration": summary.label(arm)}, arm) for arm in summary.arms]


def _counters(summary: Summary) -> pd.DataFrame:
    """What each setting could act on: counters in the turns of each configuration, means over the blocks."""
    columns = means(
        summary, "cleaned_per_transaction", "wal_bytes_per_transaction", "cpu_per_transaction_s", "cpu_busy_share"
    )
    return table(_rows(summary), columns)


def _overview(summary: Summary) -> pd.DataFrame:
    """One row per configuration: geometric means over trials with 95 % intervals."""
    return table(_rows(summary), levels(summary, "tps", "latency_mean_ns", "latency_p99_ns"))


def _settings(summary: Summary) -> pd.DataFrame:
    """What differs from the notes' runs, with the direction in which each difference is expected to act."""
    p, known = summary.parameters, summary.run.provenance
    rows = (
        ("what is compared", "runs of 60 s, one after the other", "turns of a second on one server",
         "what a setting leaves to the turns of others makes all differences look smaller"),
        ("server", "PostgreSQL 16", f"PostgreSQL {known.get('engine_version', UNKNOWN)}", "hardly"),
        ("data, clients", "scale 1,250 or 500, 100 clients", f"scale {p.scale}, {p.clients} clients",
         "more waiting for rows of branches, so all differences look smaller"),
        ("start", "note 002: from a restart; note 003: not said", "the pool filled first",
         "what only matters while a pool fills is not seen"),
        ("processors", "32 and 4, clients on the same machine", f"{known.get('cores', UNKNOWN)}, with the clients",
         "group commit has fewer commits to join"),
        ("volume", "EBS", "the local disk", "a flush takes less time: commit_delay gains less"),
    )  # fmt: skip
    return pd.DataFrame(rows, columns=["what", "notes 002 and 003", "here", "expected to act"]).set_index("what")


TABLES = {"note_claims": _note_claims, "counters": _counters, "overview": _overview, "settings": _settings}
