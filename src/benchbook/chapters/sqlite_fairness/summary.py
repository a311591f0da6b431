"""What a run is asked beside what every run is: its parts, all sizes together, what a kill left, if pages were cold."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.chapters.sqlite_fairness import arms
from benchbook.chapters.sqlite_fairness.arms import ONE_WRITE, POWER_CUT, UNSYNCED, at
from benchbook.measuring.kv import metric_words, summary
from benchbook.measuring.kv.checks import compared
from benchbook.model import Estimate
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import Gate
from benchbook.statistics.gates import each_trial

TIME, WRITE, SYNCS = "query_mean_ns", "write_ns_per_row", "write_syncs_per_commit"
METRICS: Metrics = {
    **metric_words.METRICS,
    "insert_ns_per_row": Metric("time to insert a row", "µs", 1e-3),
    WRITE: Metric("time to write a row", "µs", 1e-3),
    SYNCS: Metric("number of syncs per commit", format="{:.2f}".format, heading="syncs per commit"),
    "acknowledged_rows": Metric("number of reported rows"),
    "recovered_rows": Metric("number of rows found afterwards"),
    "unreadable": Metric("number of stores that could not be read after a loss of power"),
    "lost_share": Metric("share of the reported rows that were lost", "%", 100),
    "memtable_share": Metric("share of the rows in the memtable", "%", 100),
    "page_hit_ratio": Metric("hit ratio of SQLite's page cache", "%", 100),
}
KILLED, CUT = at(ONE_WRITE, UNSYNCED), at(POWER_CUT, UNSYNCED)
"""The insert path as the note ran it: with a killed writer, and with a disk that then lost its power."""
PAGE_BYTES = 4096
UNCACHED_SHARE = 0.01
"""Pages read from a device per look-up above which a store does not count as cached."""
COUNTED = "rows agree"
"""The gate that counts of rows must pass; how fast they were read is another question."""


class Summary(summary.Summary[arms.Parameters]):
    """One run, ready for figures and verdicts. Labels are unique among the configurations of one part."""

    METRICS = METRICS
    MEND = "raise the number of look-ups"

    def part(self, part: str) -> list[str]:
        """Configurations of one part, in the order of the figures."""
        return [name for name, arm in self.configurations.items() if arm.settings["part"] == part]

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """The same, and where a size of the benchmark was not asked for, that it was not."""
        rows = arm.rpartition("_")[2]
        if arm in self.configurations or not rows.isdigit():
            return super().missing(arm, metric)
        return NotEstimableError(f"this run does not repeat the benchmark at {int(rows):,} rows", "add them to sizes")

    def sizes_together(self, use: str) -> np.ndarray:
        """Geometric mean over the claimed sizes of the mean look-up in one use, in ns, shape (blocks,)."""
        each = [np.log(self.values(arms.note(use, rows), TIME)) for rows in arms.CLAIMED_SIZES]
        return np.asarray(np.exp(np.mean(each, axis=0)))

    def counted(self, arm: str) -> tuple[np.ndarray, np.ndarray]:
        """Rows that a writer had reported before it was killed, and those found afterwards, each of shape (blocks,)."""
        return self.values(arm, "acknowledged_rows"), self.values(arm, "recovered_rows")

    def left(self, part: str, use: str) -> dict[str, Any]:
        """Rows that a writer had reported, those found afterwards, and the stores that could not be read."""
        arm = at(part, use)
        reported, found = (int(counts.sum()) for counts in self.counted(arm))
        broken = int(self.values(arm, "unreadable").sum()) if part == POWER_CUT else 0
        label = arms.WRITES[use].label
        return {"label": label, "part": part, "reported": reported, "found": found, "broken": broken}

    def journal_came_back(self) -> bool:
        """Whether a commit that was synced was taken back where the journal's folder was not."""
        default, extra = (self.left(POWER_CUT, use) for use in (arms.DEFAULT, arms.EXTRA))
        return bool(default["found"] < default["reported"] and extra["found"] >= extra["reported"])

    def consistency_gates(self, names: Collection[str]) -> list[Gate]:
        """What was asked was checked, and what was reported can be counted; look-ups of these found their pages."""
        trials = self.run.trials
        gates = compared(trials, asked="asked_reads")
        if gates:
            own = self.of(names)
            every = own["device_read_bytes"]  # of trials that counted what loading read too, all of it
            looked_up = own.get("lookup_device_bytes", pd.Series(np.nan, index=own.index))
            cold = looked_up.fillna(every) / PAGE_BYTES > UNCACHED_SHARE * own["asked_reads"]
            alone = looked_up.notna()
            read, before = cold & alone, cold & ~alone
            why = f"{read.sum()} trials read more than {UNCACHED_SHARE:.0%} of their look-ups' pages from a device"
            gates.append(each_trial("page cache", read, own["block"], why))
            why = f"{before.sum()} earlier trials read more from a device than look-ups may, loading included"
            gates.append(each_trial("page cache", before, own["block"], why, unseen=True))
        if "acknowledged_rows" in trials:
            more = int((trials["recovered_rows"] > trials["acknowledged_rows"]).sum())
            gates.append(Gate(COUNTED, more == 0, float(more), f"{more} trials found more than was written"))
        return gates

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        left = [rows for rows in arms.CLAIMED_SIZES if rows not in self.parameters.sizes]
        return [*(f"{rows:,} rows left out" for rows in left), *super().departures()]


def worst(summary: Summary) -> str:
    """The configuration that says most of durability in this run: a loss of power, else a kill."""
    return CUT if CUT in summary.configurations else KILLED


def all_recovered(summary: Summary) -> Estimate:
    """1 when every acknowledged row was found in every trial of the insert path as run; else 0."""
    acknowledged, recovered = summary.counted(worst(summary))
    if acknowledged.min() < 1:
        raise NotEstimableError("no row was acknowledged before the end", "raise one_write_rows")
    return statistics.exact(float((recovered == acknowledged).all()))


def not_durable(summary: Summary) -> str:
    """Why a kill that lost nothing does not test whether the log makes rows durable; "" where they had been synced."""
    if worst(summary) == CUT:
        return ""
    acknowledged, recovered = summary.counted(KILLED)
    unsynced = int((summary.values(KILLED, SYNCS) < 1).sum())
    if not unsynced or (recovered < acknowledged).any():
        return ""
    return (
        f"in {unsynced} of {len(recovered)} trials the insert path acknowledged its rows without waiting for the disk, "
        "so they outlived the kill in the kernel's memory, which a power cut empties"
    )


def recovered_words(summary: Summary) -> str:
    """How many acknowledged rows were found, for the verdict's reason."""
    arm = worst(summary)
    acknowledged, recovered = summary.counted(arm)
    whole = int((recovered == acknowledged).sum())
    how = "the disk lost its power" if arm == CUT else "kill -9"
    return (
        f"{recovered.sum():,.0f} of {acknowledged.sum():,.0f} acknowledged rows were found after {how}, all of them "
        f"in {whole} of {len(recovered)} trials, with {summary.mean(arm, SYNCS):.1f} syncs per batch"
    )
