"""The numbers of the chapter by name, note by note recomputed from data/notes, and what its words name beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from benchbook import notes, statistics
from benchbook.chapters.notes_reanalysis import pgbench, runs, stores
from benchbook.chapters.notes_reanalysis.runs import Summary
from benchbook.claims import Quantity, Rule, chapter_claims
from benchbook.model import Outcome
from benchbook.numbers import judging
from benchbook.numbers.estimands import Estimand, custom

OPEN = {
    "C001": "we did not consult the vendor's specification of the instance type",
    "C084": "the image's own settings are not recorded; the report of run 1 shows 10 and 5 before its own commands, "
    "which shows what was in force but not who had set it",
    "O083": "the file right before the change was not available; `git diff --numstat cdfd1ff 8e8670d -- "
    "src/rocks_storage.rs` in that repository decides it",
}
"""Claims that stay open, and what would close them."""
FIGURE, DRAWN = "fig-notes-arithmetic", 12
"""The figure of the sums, and how many it draws besides those that do not follow."""
ROUNDED = 0.0101
"""Three numbers printed to two decimals: the mean of two may differ by one in the last place."""
METRICS = {
    "block_cache_needed_gb": "block cache needed (GB)", "cost_per_key_kb": "cost per key (kB)",
    "effective_cache_size_gb": "effective_cache_size (GB)", "evicted_share_percent": "share evicted (%)",
    "latency_reduction_percent": "reduction of the latency (%)", "littles_law_ratio": "clients by Little's law",
    "memory_total_gb": "memory in all (GB)", "memory_total_mb": "memory in all (MB)", "mib_per_round": "MiB per round",
    "share_of_ram": "share of the memory", "shared_buffers_ratio": "shared_buffers ratio", "total_ns": "sum (ns)",
    "upper_share_of_ram_gb": "upper share of the memory (GB)", "usable_gb": "usable (GB)",
    "work_mem_mb": "work_mem (MB)",
}  # fmt: skip
"""The ledger's names of metrics of sums that do not read as words."""


def _round(number: int) -> float:
    return notes.number("r8g_runs", "tps", round=number)


def _to_round(number: int) -> Estimand:
    """The repeated runs' mean over that single round."""
    return custom(
        lambda summary: runs.against_one(summary.validation.tps, _round(number)),
        Quantity.COMPARISON,
    )


NUMBERS: Mapping[str, Estimand] = {
    **stores.READ,
    **stores.FEATURE_SERVING,
    **stores.BADGER,
    **pgbench.LARGE,
    **pgbench.SMALL,
    **stores.LEARNED_INDEX,
    "five": custom(lambda summary: summary.validation.estimate, Quantity.LEVEL),
    "one_more": custom(lambda summary: runs.next_run(summary.validation.tps), Quantity.LEVEL),
    "to_round_1": _to_round(1),
    "to_round_3": _to_round(3),
}


def _contradicted(summary: Summary) -> list[tuple[str, str, str]]:
    """The statements that do not hold: claim, the notes' words, and why."""
    claims = chapter_claims(summary.chapter.name)
    wrong = [each for each in judging.verdicts(summary) if each.outcome is Outcome.CONTRADICTED]
    return [(each.claim_id, claims[each.claim_id].quote, each.reason) for each in wrong]


def _counts(summary: Summary) -> dict[str, int]:
    """How many statements came out which way."""
    found = [verdict.outcome for verdict in judging.verdicts(summary)]
    return {outcome.name.lower(): found.count(outcome) for outcome in Outcome}


def _noted_cliffs(summary: Summary) -> list[tuple[Any, Any]]:
    """Run and second, as note 002 marks them."""
    found = notes.table("c8gb_timeline")
    return [*found[found["label"].fillna("").str.startswith("cliff")].set_index("run")["t_s"].items()]


def sums(summary: Summary) -> pd.DataFrame:
    """Recomputed over claimed, for every sum with a positive region; the region's middle is the claimed number.

    Columns claim, metric, ratio, low, high: the region's edges over its middle; right: whether the ratio lies between
    these; drawn: whether a figure has room for it. Furthest from 1 first.
    """
    claims = chapter_claims(summary.chapter.name)
    rows: list[dict[str, Any]] = []
    for each in judging.answered(summary):
        claim = claims[each.claim_id]
        summed = each.answer is not None and each.answer.figure == FIGURE and claim.rule is Rule.ARITHMETIC
        if not summed or each.estimate is None or not claim.low or not claim.high:
            continue
        middle = (claim.low + claim.high) / 2
        ratios = {"ratio": each.estimate.point / middle, "low": claim.low / middle, "high": claim.high / middle}
        rows.append({"claim": claim.id, "metric": METRICS.get(claim.metric, claim.metric.replace("_", " ")), **ratios})
    rows.sort(key=lambda row: -abs(math.log(row["ratio"])))
    found = pd.DataFrame(rows)
    found["right"] = (found["low"] <= found["ratio"]) & (found["ratio"] <= found["high"])
    return found.assign(drawn=~found["right"] | (found.index < DRAWN))


def factor(ratio: float) -> str:
    """A ratio in words."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def speedups() -> pd.DataFrame:
    """One row per size: the printed speed-up, that of queries, that of inserts, and the mean of the last two."""
    printed = notes.table("omendb_speedup").set_index("scale_rows")["before"]
    rows = []
    for name, size in {"10k": 10_000, "100k": 100_000, "1m": 1_000_000, "10m": 10_000_000}.items():
        query, insert = (notes.reading(f"{what}_speedup_{name}") for what in ("query", "insert"))
        row = {"printed": float(printed[size]), "queries": query, "inserts": insert}
        row["mean of both"] = (query + insert) / 2
        same = [what for what in ("queries", "mean of both") if abs(row["printed"] - row[what]) <= ROUNDED]
        rows.append({"rows": size, **row, "printed is": " and ".join(same) or "neither"})
    return pd.DataFrame(rows)


def _off_percent(summary: Summary) -> float:
    """How far a whole timeline's mean differs from the printed average at most."""
    return 100 * max(abs(each.mean / each.printed_average - 1) for each in summary.timelines if each.complete)


def _change(number: int) -> Callable[[Summary], float]:
    return lambda summary: notes.number("r8g_changes", "change_percent", round=number, metric="tps")


def _stated(name: str) -> Callable[[Summary], float]:
    return lambda summary: notes.number("omendb_statements", "value", name=name)


WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "counts": _counts,
    "contradicted": _contradicted,
    "changes": lambda summary: summary.pairs,
    "standing": lambda summary: [pair for pair in summary.pairs if pair.stands_out(summary.sd)],
    "noted_cliffs": _noted_cliffs,
    "cliffs_by_rule": lambda summary: [each for each in summary.timelines if each.note == "002"],
    "off_percent": _off_percent,
    "round_2": lambda summary: _round(2),
    "up": _change(2),
    "down": _change(3),
    "scale_of_round_1": lambda summary: notes.reading("scale_of_round_1"),
    "scale_of_five": lambda summary: notes.reading("scale_of_validation"),
    "runs_needed": lambda summary: summary.validation.runs_needed,
    "spread_percent": lambda summary: 100 * summary.validation.log_sd,
    "sums": sums,
    "timelines": lambda summary: summary.timelines,
    "spread": lambda summary: summary.sd,
    "factor": lambda summary: factor,
    "least_claimed": _stated("claimed_speedup_lo"),
    "most_claimed": _stated("claimed_speedup_hi"),
    "meanings": lambda summary: [*speedups()["printed is"].value_counts()],
    "half_width_of_two": lambda summary: runs.half_width_percent(summary.sd, 2),
    "half_width_of_most": lambda summary: runs.half_width_percent(summary.sd, summary.parameters.most_runs),
}


def _by_state(summary: Summary) -> pd.DataFrame:
    """One row per cache state as the note labels it: how many runs, their mean, and an interval where there is one."""
    rows, repeats = [], summary.validation
    for label in ["all five", *dict.fromkeys(repeats.states)]:
        part = [tps for tps, each in zip(repeats.tps, repeats.states, strict=True) if label in (each, "all five")]
        mean, interval = math.exp(np.log(part).mean()), "none: one run"
        if len(part) > 1:
            found = statistics.geometric_mean(part)
            interval = f"{found.low:,.0f} to {found.high:,.0f}"
        rows.append({"cache state": label, "runs": len(part), "mean (TPS)": f"{mean:,.0f}", "95 % interval": interval})
    return pd.DataFrame(rows).set_index("cache state")


def _speedups(summary: Summary) -> pd.DataFrame:
    """What each printed speed-up is."""
    return speedups().assign(rows=lambda found: found["rows"].map("{:,}".format)).set_index("rows").round(2)


def _readings(summary: Summary) -> pd.DataFrame:
    """Every fact that was read in a repository, with its place."""
    found = notes.table("readings").rename(columns={"value": "number", "source": "where", "working": "how"})
    fact, number = found["id"].str.replace("_", " "), found["number"].map("{:,.10g}".format)
    return found.assign(fact=fact, number=number).set_index("fact")[["number", "where", "how"]]


TABLES = {"validation": _by_state, "speedups": _speedups, "readings": _readings}
