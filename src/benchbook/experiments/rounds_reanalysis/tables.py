"""The chapter's tables: the nine runs, how each began, and where the numbers were read."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.r8g_reports import REPORTS
from benchbook.experiments.rounds_reanalysis.summary import Summary
from benchbook.experiments.rounds_reanalysis.words import NAMELESS


def runs(summary: Summary) -> pd.DataFrame:
    """One row per run: what the note calls it, its data and pool, throughput, disks, and time of a transaction."""
    rows = [
        {
            "run": each.clock,
            "the note calls it": each.name or NAMELESS,
            "scale": f"{each.scale:,}",
            "pool (GB)": f"{each.pool_gb}",
            "TPS": f"{each.tps:,.0f}",
            "latency, mean and sd (ms)": f"{each.latency_ms:.1f}, {each.latency_sd_ms:.1f}",
            "reads from disk": f"{each.reads:,}",
            "writes of data (1/s)": f"{each.writes_per_s:.1f}",
            "user + system time of a transaction (µs)": f"{each.user_us:.0f} + {each.system_us:.0f}",
        }
        for each in summary.runs.values()
    ]
    return pd.DataFrame(rows).set_index("run")


def beginnings(summary: Summary) -> pd.DataFrame:
    """One row per run: how long the CHECKPOINT before it took, and what the processors did around it."""
    rows = [
        {
            "run": each.clock,
            "the note calls it": each.name or NAMELESS,
            "CHECKPOINT before it, at most (s)": f"{each.checkpoint_s}",
            "first run of the server": "yes" if each.first else "no" if each.checkpoint_s > 1 else "not known",
            "processors in use before and after, at most (%)": f"{each.outside_percent:.1f}",
            "idle during the run (%)": f"{each.idle_percent:.1f}",
            "waiting for disks (%)": f"{each.waiting_percent:.1f}",
        }
        for each in summary.runs.values()
    ]
    return pd.DataFrame(rows).set_index("run")


def sources() -> pd.DataFrame:
    """Where each run's report was read."""
    found = notes.table(REPORTS)
    return found[["run_id", "repository", "commit", "file"]].assign(
        commit=found["commit"].str[:7], file=found["file"].str.rpartition("/")[2]
    ).rename(columns={"run_id": "run"}).set_index("run")  # fmt: skip
