"""A run in, per-block values, courses and gates per configuration out; the table of all configurations."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from benchbook import statistics
from benchbook.experiments.io_cliff.arms import CHECKPOINTS, A, configurations
from benchbook.experiments.io_cliff.course import PARTS
from benchbook.experiments.io_cliff.parameters import Parameters
from benchbook.experiments.io_cliff.reduction import INTERVALS, slots
from benchbook.experiments.per_block import NOT_ESTIMABLE, NotEstimableError, PerBlock, check_whole, shown
from benchbook.experiments.sentences import source, too_few_blocks
from benchbook.model import Estimate, Run
from benchbook.statistics import Gate

DIRTY_START_SHARE, DIRTY_START_BYTES = 0.02, 16 * 2**20
"""What may wait to be written when a trial begins, of the data or in all, for its start to count as equal."""
SHORTEST_COURSE_S = 12
"""Below it a twelfth of a trial is less than a second, and the shape of its course is that of chance."""
PAGES_CLAIMED = 0.62
"""Transactions per page of pgbench_accounts in the note's baseline: 21,199 in each of 60 s on 1,250 x 1,640 pages."""


@dataclass(frozen=True)
class Summary(PerBlock):
    """One run, ready for figures and verdicts."""

    parameters: Parameters
    labels: dict[str, str]

    @property
    def arms(self) -> list[str]:
        """Configuration names in the order of the figures."""
        return list(self.labels)

    @property
    def note_arms(self) -> list[str]:
        """Those of note 002: short trials from a restart."""
        return [arm for arm in self.labels if arm not in CHECKPOINTS]

    @property
    def checkpoint_arms(self) -> list[str]:
        """Those whose trials hold checkpoints, or none where the run left them out."""
        return [arm for arm in CHECKPOINTS if arm in self.labels]

    def trials(self, arm: str) -> pd.DataFrame:
        """The trials of a configuration in block order. Raises NotEstimableError when the run left it out."""
        if arm not in self.labels:
            raise self._left_out(arm)
        return self.in_blocks(arm)

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where the run left out a configuration, or a trial lacks a metric."""
        if arm not in self.labels:
            return self._left_out(arm)
        rows = self.in_blocks(arm)
        lacking = len(rows) if metric not in rows else int(rows[metric].isna().sum())
        return NotEstimableError(
            f"{metric.replace('_', ' ')} of “{self.labels[arm]}” is missing in {lacking} of {len(rows)} trials",
            "look at the trials' states; repeat the run",
        )

    def seconds(self, arm: str) -> int:
        """Length of a trial."""
        return self.parameters.checkpoint_seconds if arm in CHECKPOINTS else self.parameters.trial_seconds

    def courses(self, arm: str) -> np.ndarray:
        """TPS in each twelfth of each trial that was measured, shape (trials, 12), in block order."""
        rows = self.trials(arm)
        samples = self.run.samples[self.run.samples["trial"].isin(rows["trial"])]
        stretches = {int(str(trial)): part.to_numpy() for trial, part in samples.groupby("trial")["latency_ns"]}
        found = []
        for row in rows.to_dict("records"):
            relative = slots(stretches.get(int(row["trial"]), np.zeros(0)).astype(np.int64))
            if relative is not None and not pd.isna(row.get("tps", np.nan)):
                found.append(float(row["tps"]) * relative.reshape(INTERVALS, -1).mean(axis=1))
        if not found:
            raise NotEstimableError(f"no trial of “{self.labels[arm]}” was measured", "repeat the run")
        return np.array(found)

    def check_course(self) -> None:
        """Raise NotEstimableError when the note's trials are too short to have a course."""
        seconds = self.parameters.trial_seconds
        if seconds < SHORTEST_COURSE_S:
            raise NotEstimableError(
                f"in trials of {seconds} s a twelfth, which stands for the note's 5 s, is {seconds / 12:.2g} s",
                f"give trial_seconds of {SHORTEST_COURSE_S} or more",
            )

    def parts(self, arm: str, name: str) -> np.ndarray | None:
        """A metric of each of the 24 parts of a trial, mean over trials; None where nobody told it."""
        rows = self.trials(arm)
        columns = [f"{name}_{part + 1:02}" for part in range(PARTS)]
        if not set(columns) <= set(rows.columns):
            return None
        means = rows[columns].astype(float).mean().to_numpy()
        return None if np.isnan(means).any() else means

    def cliffs(self, arm: str) -> tuple[int, int]:
        """Trials with a cliff, and all trials, of a configuration."""
        values = self.values(arm, "cliff")
        return int(values.sum()), len(values)

    def against(self, arm: str, other: str = A) -> Estimate:
        """Ratio of TPS, paired within blocks."""
        return statistics.ratio(self.values(arm, "tps"), self.values(other, "tps"))

    def consistency_gates(self) -> list[Gate]:
        """Counts of client and server, and memory, in every trial."""
        trials = self.run.trials
        if "server_transactions" not in trials:
            return []
        differ = trials["server_transactions"].notna() & (trials["server_transactions"] != trials["transactions"])
        killed = int((trials["processes_killed"].fillna(0) > 0).sum())
        return [
            Gate("counts agree", not differ.any(), float(differ.sum()),
                 f"client and server counts differ in {int(differ.sum())} trials"),
            Gate("memory", killed == 0, float(killed), f"the kernel ended processes in {killed} trials"),
        ]  # fmt: skip

    def state_gates(self, arms: set[str]) -> list[Gate]:
        """What the claims ask of these configurations: bounded memory, and as little to be written at each start."""
        rows = self.run.trials[self.run.trials["configuration"].isin(arms)]
        if "memory" not in rows or "dirty_start_bytes" not in rows:
            return []
        free = int((~rows["memory"].fillna("").str.startswith("bounded")).sum())
        bounded = Gate(
            "memory bound", free == 0, float(free), f"memory was not bounded in {free} of {len(rows)} trials"
        )
        waiting = float(rows["dirty_start_bytes"].max())
        share = waiting / float(self.run.provenance["data_bytes"])
        equal = Gate(
            "equal dirty start", share <= DIRTY_START_SHARE or waiting <= DIRTY_START_BYTES, share,
            f"up to {share:.1%} of the data waited to be written when a trial began",
        )  # fmt: skip
        return [bounded, equal]

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = []
        if p.trial_seconds != 60:
            found.append(
                f"trials of {p.trial_seconds} s instead of 60 s, looked at in twelfths of {p.trial_seconds / 12:.3g} s "
                "where the note has intervals of 5 s (the rule for a cliff is scaled alike)"
            )
        if p.clients != 100:
            found.append(f"{p.clients} clients instead of 100")
        if not p.checkpoint_seconds:
            found.append("no checkpoint configurations")
        elif p.checkpoint_seconds != 600:
            found.append(
                f"checkpoint trials of {p.checkpoint_seconds} s instead of 600 s, with checkpoint_timeout shortened "
                f"to {p.checkpoint_timeout_s} s for the default's 5 min"
            )
        if self.run.provenance.get("wal_compression", "lz4") != "lz4":
            found.append(f"the log compressed with {self.run.provenance['wal_compression']} instead of lz4")
        if not p.allow_vm_settings:
            found.append("the machine's own limits of dirty data instead of the note's share of memory")
        found += too_few_blocks(self.run)
        if "memory" in self.run.trials and not self.run.trials["memory"].str.startswith("bounded").all():
            found.append("memory that nothing bounds")
        return found

    def origin(self, arms: list[str] | None = None) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        p = self.run.provenance
        lengths = sorted({self.seconds(arm) for arm in (arms or self.note_arms)})
        return (
            f"{self.run.blocks} blocks with one trial of {' or '.join(map(str, lengths))} s per configuration, "
            f"{self.parameters.clients} clients; {source(self.run)}, "
            f"PostgreSQL {p.get('engine_version', 'unknown')}"
        )

    def _left_out(self, arm: str) -> NotEstimableError:
        mend = "not run here: needs root and allow_vm_settings=true"
        if arm in CHECKPOINTS:
            mend = "give checkpoint_seconds above 0"
        return NotEstimableError(f"the run left out “{arm}”", mend)


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    labels = {arm.name: arm.label for arm in configurations(parameters)}
    check_whole(run, labels)
    return Summary(run, parameters, labels)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS with interval, latency, trials with a cliff, dirty data, checkpoints, writes."""
    rows = []
    for arm in summary.arms:
        trials = summary.trials(arm)
        with_cliff, of = summary.cliffs(arm) if summary.has(arm, "cliff") else (0, 0)
        rows.append(
            {
                "configuration": summary.labels[arm],
                "TPS": shown(summary.level, arm, "tps"),
                "mean latency (ms)": shown(summary.level, arm, "latency_mean_ns", factor=1e-6),
                "P99 (ms)": shown(summary.level, arm, "latency_p99_ns", factor=1e-6),
                "trials with a cliff": f"{with_cliff} of {of}" if of else NOT_ESTIMABLE,
                "most dirty (MiB)": _mean(trials, "dirty_peak_bytes", 2**-20),
                "dirty limit (MiB)": _mean(trials, "dirty_limit_bytes", 2**-20),
                "checkpoints": _counted(trials, "checkpoints"),
                "log (MiB)": _mean(trials, "wal_bytes", 2**-20),
                "evictions": _mean(trials, "evictions", 1.0),
                "transactions per page": _mean(trials, "transactions_per_account_page", 1.0, digits=2),
                "data in OS cache at start": _mean(trials, "data_in_os_cache_start", 100.0, unit=" %"),
            }
        )
    return pd.DataFrame(rows).set_index("configuration")


def _mean(trials: pd.DataFrame, metric: str, factor: float, *, digits: int = 0, unit: str = "") -> str:
    if metric not in trials or trials[metric].isna().any():
        return "unknown"
    return f"{float(trials[metric].mean()) * factor:,.{digits}f}{unit}"


def _counted(trials: pd.DataFrame, metric: str) -> str:
    """Fewest and most of a trial, such as "28 to 30"; one whole number where all trials have the same."""
    if metric not in trials or trials[metric].isna().any():
        return "unknown"
    least, most = int(trials[metric].min()), int(trials[metric].max())
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def share_of_peak(values: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Geometric mean of shares of each trial's own highest throughput; the interval ends at 1, where no share exceeds.

    values: one per trial, shape (trials,), in (0, 1]. Raises BenchbookError as ``statistics.geometric_mean``.
    """
    found = statistics.geometric_mean(values, confidence=confidence)
    return replace(found, high=min(found.high, 1.0))
