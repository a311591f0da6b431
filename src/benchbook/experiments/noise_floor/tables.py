"""Tables of the chapter: levels and spread per configuration, and where the spread comes from."""

from __future__ import annotations

import math

import pandas as pd

from benchbook import statistics
from benchbook.experiments.noise_floor.arms import WORKLOADS
from benchbook.experiments.noise_floor.summary import METRICS, Summary
from benchbook.experiments.per_block import shown
from benchbook.figures import with_interval


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS with its interval, variation, latencies, hit ratio, course, cache at the start."""
    rows = []
    for arm, label in summary.labels.items():
        trials = summary.run.trials[summary.run.trials["configuration"] == arm]
        row: dict[str, object] = {
            "configuration": label,
            "TPS (thousands)": with_interval(summary.level(arm, "tps"), 1e-3),
            "variation (%)": with_interval(statistics.sd_interval(summary.values(arm, "tps")), 100),
            "variation from cold start (%)": with_interval(
                statistics.sd_interval(summary.values(arm, "first_tps")), 100
            ),
        }
        for metric, name in METRICS.items():
            if metric.endswith("_ns"):
                row[f"{name} (ms)"] = shown(summary.level, arm, metric, factor=1e-6)
        row["hit ratio of the run"] = f"{trials['run_hit_ratio'].mean():.4f}"
        row["clients by Little's law"] = f"{(trials['little_ratio'] * summary.parameters.clients).mean():.4g}"
        row["course"] = _counts(trials["steadiness"])
        row["cache at the start"] = _counts(trials["cache_state"])
        rows.append(row)
    return pd.DataFrame(rows).set_index("configuration")


def decomposition(summary: Summary) -> pd.DataFrame:
    """Standard deviations in % between blocks and between trials, drift per block, and blocks for ±1, 2, 5 %."""
    rows = []
    for workload in WORKLOADS:
        for metric, name in METRICS.items():
            if not summary.has_pair(workload, metric):
                continue
            sd = summary.trial_sd(workload, metric).point
            slope = summary.drift(workload, metric)
            row: dict[str, object] = {
                "workload": workload,
                "metric": name,
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
