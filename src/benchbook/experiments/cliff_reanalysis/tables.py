"""The chapter's tables: falls and plateaus, the pool by each kind of evidence, and where the numbers were read."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.cliff_reanalysis import pool
from benchbook.experiments.cliff_reanalysis.reports import BASELINE, PAGES_PER_GIB, REPORTS, A, B, Report
from benchbook.experiments.cliff_reanalysis.summary import Summary

WHOLE_GIB = range(1, 21)


def falls(summary: Summary) -> pd.DataFrame:
    """One row per run: when it falls, when Dirty is on its plateau, and how that compares with the limit."""
    rows = []
    for name, found in summary.falls.items():
        held, report, limit = found.plateau, summary.reports[name], f"{summary.parameters.dirty_limit_percent:g} %"
        rows.append(
            {
                "run": name,
                "throughput falls (s)": "no fall" if found.tps_s is None else f"{found.tps_s:.0f}",
                "processors idle from (s)": _cpu(found.cpu_s, len(report.devices) > 0),
                "Dirty on its plateau (s)": "no plateau" if held is None else f"{held.second}",
                "highest Dirty (GiB)": f"{found.highest_gib:.{3 if held is None else 2}f}",
                f"{limit} of memory then (GiB)": "" if held is None else f"{held.limit_gib:.2f}",
                "TPS in the first 10 s": f"{report.mean_tps(0, 10):,.0f}",
                "TPS in the last 20 s": f"{report.mean_tps(report.duration_s - 20, report.duration_s):,.0f}",
            }
        )
    return pd.DataFrame(rows).set_index("run")


def counters(summary: Summary) -> pd.DataFrame:
    """One row per run: pages allocated and written, and the pools in whole GiB that the count of writes allows."""
    rows = []
    for name, report in summary.reports.items():
        allowed = pool.explained(report, WHOLE_GIB)
        rows.append(
            {
                "run": name,
                "configured (GiB)": f"{report.configured_gib:g}",
                "shared memory before (MiB)": f"{report.shared_mib:,.0f}",
                "allocated": f"{report.allocated:,}",
                "written by the background writer": f"{report.cleaned:,}",
                "written by backends": f"{report.written:,}",
                "pools that the writes allow (GiB)": _runs(allowed) if report.written else "no backend writes seen",
            }
        )
    return pd.DataFrame(rows).set_index("run")


def pools(summary: Summary) -> pd.DataFrame:
    """One row per kind of evidence on the pool in force in the baseline and in A, in GiB."""
    every, fits = summary.reports, summary.fits
    second, full = summary.filled
    both = [size for size in pool.explained(every[BASELINE], WHOLE_GIB) if size in pool.explained(every[A], WHOLE_GIB)]
    less = pool.smaller_by(every[A], every[B])
    lines = [
        ("both", "pools for which the counted writes of both runs are possible", _runs(both)),
        ("baseline", "shared memory before the run, server not restarted", f"{every[BASELINE].shared_mib / 1024:.1f}"),
        ("baseline", "allocations, simulated, pool full at the start", _fit(fits[BASELINE])),
        ("A", "allocations, simulated, pool empty at the start", _fit(fits[A])),
        ("A", f"pages touched by second {second}, when the disks begin to write", f"{full:.1f}"),
        ("A", f"shared memory of the server just started: {less:.1f} GiB of pool less than B", f"{20 - less:.1f}"),
        ("A", "all pages allocated in the run; a larger pool would have evicted none", f"below {_size(every[A]):.1f}"),
        ("B", "all pages allocated in the run; none was evicted", f"at least {_size(every[B]):.1f}"),
    ]  # fmt: skip
    return pd.DataFrame(lines, columns=["run", "evidence", "pool (GiB)"]).set_index("run")


def sources(summary: Summary) -> pd.DataFrame:
    """Where each run's report was read."""
    found = notes.table(REPORTS)
    return found[["run", "repository", "commit", "file"]].assign(
        commit=found["commit"].str[:7], file=found["file"].str.rpartition("/")[2]
    ).set_index("run")  # fmt: skip


def _cpu(second: int | None, known: bool) -> str:
    return "not read" if not known else "never" if second is None else f"{second}"


def _size(report: Report) -> float:
    return report.allocated / PAGES_PER_GIB


def _fit(found: pool.Fit) -> str:
    return f"{found.gib:.1f} ({found.low:.1f} to {found.high:.1f})"


def _runs(sizes: list[int]) -> str:
    """Whole numbers as ranges: "1 to 5, 8"."""
    parts: list[list[int]] = []
    for size in sizes:
        if parts and size == parts[-1][-1] + 1:
            parts[-1].append(size)
        else:
            parts.append([size])
    return ", ".join(f"{part[0]} to {part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts)
