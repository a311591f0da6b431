"""Tables of the chapter: levels and spread per configuration, and where the spread comes from."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pandas as pd

from benchbook import statistics
from benchbook.chapters.noise_floor.arms import WORKLOADS
from benchbook.figures import with_interval
from benchbook.pages.tables import NOT_ESTIMABLE, Columns, levels, shown, table

LATENCIES = ("mean_ns", "p50_ns", "p95_ns", "p99_ns")
PAIRED = ("tps", *LATENCIES)
"""What is compared between two labels of a workload."""


def overview(summary: Any) -> pd.DataFrame:
    """Per configuration: TPS with its interval, variation, latencies, hit ratio, course, cache at the start."""

    def variation(metric: str, arm: str) -> str:
        return shown(lambda: statistics.sd_interval(summary.values(arm, metric)), factor=100)

    def mean(metric: str, arm: str) -> float:
        return float(summary.in_blocks(arm)[metric].mean())

    columns: Columns = {
        "TPS (thousands)": lambda arm: shown(summary.level, arm, "tps", factor=1e-3),
        "variation (%)": partial(variation, "tps"),
        "variation from cold start (%)": partial(variation, "first_tps"),
        **levels(summary, *LATENCIES, otherwise=NOT_ESTIMABLE),
        "hit ratio of the run": lambda arm: f"{mean('run_hit_ratio', arm):.4f}",
        "clients by Little's law": lambda arm: f"{mean('little_ratio', arm) * summary.parameters.clients:.4g}",
        "course": lambda arm: _counts(summary.in_blocks(arm)["steadiness"]),
        "cache at the start": lambda arm: _counts(summary.in_blocks(arm)["cache_state"]),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


def decomposition(summary: Any) -> pd.DataFrame:
    """Standard deviations in % between blocks and between trials, drift per block, and blocks for ±1, 2, 5 %."""
    rows = []
    for workload, labels in WORKLOADS.items():
        for metric in PAIRED:
            if summary.having(labels, metric) != [*labels]:
                continue
            sd = summary.trial_sd(workload, metric).point
            slope = summary.drift(workload, metric)
            row: dict[str, object] = {
                "workload": workload,
                "metric": summary.METRICS[metric].brief,
                "between blocks (%)": f"{100 * summary.block_sd(workload, metric):.2g}",
                "between trials (%)": f"{100 * sd:.2g}",
                "drift per block (%)": "" if slope is None else with_interval(slope, 100),
            }
            for half_width, blocks in statistics.plan_table(math.sqrt(2) * sd, (0.01, 0.02, 0.05)):
                row[f"blocks for a ratio ±{half_width:.0%}"] = "over 10,000" if blocks is None else f"{blocks:,}"
            rows.append(row)
    return pd.DataFrame(rows).set_index(["workload", "metric"])


def _counts(labels: pd.Series[str]) -> str:
    return ", ".join(f"{label} ({count})" for label, count in labels.value_counts().items())
