"""Per-block values, timelines and checks of a run's trials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from benchbook import statistics
from benchbook.experiments.families.pgbench import metric_words
from benchbook.experiments.families.pgbench import summary as family
from benchbook.experiments.families.pgbench.metric_words import MIB, percent
from benchbook.experiments.families.pgbench.parameters import INTERVALS
from benchbook.experiments.io_cliff import half_seconds
from benchbook.experiments.io_cliff.arms import CHECKPOINTS, A, Parameters
from benchbook.experiments.io_cliff.course import slots
from benchbook.experiments.io_cliff.watched import PARTS, WAIT_TYPES
from benchbook.experiments.sentences import source
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Effect, Estimate
from benchbook.statistics import Gate
from benchbook.statistics.estimates import MEDIAN_TRIALS

DIRTY_START_SHARE, DIRTY_START_BYTES = 0.02, 16 * 2**20
"""What may wait to be written when a trial begins, of the data or in all, for its start to count as equal."""
POOL_START_SHARE = 0.02
"""By how much the share of the data in the pool may differ when trials begin."""
SHORTEST_COURSE_S = 12
"""Below it a twelfth of a trial is less than a second, and the shape of its course is that of chance."""
METRICS: Metrics = {
    **metric_words.METRICS,
    "peak_over_mean": Metric("highest twelfth over the mean"),
    "peak_interval": Metric("place of the highest twelfth"),
    "min_over_peak": Metric("lowest over highest twelfth"),
    "end_over_peak": Metric("last over highest twelfth", heading="end over peak"),
    "post_cliff_over_peak": Metric("last third over the highest twelfth"),
    "last_over_first": Metric("last over first twelfth"),
    "late_growth": Metric("last quarter over the quarter before it"),
    "max_drawdown": percent("largest fall of throughput below its earlier level"),
    "rising_share": percent("share of the twelfths that are faster than the one before"),
    "cliff": percent("share of the trials with a cliff"),
    "checkpoints": Metric("number of checkpoints"),
    "checkpoints_#": Metric("number of checkpoints begun in a part of the trial"),
    "evictions": Metric("number of evicted pages", heading="evictions"),
    "disk_written_bytes": Metric("data written to the device", "MiB", MIB, heading="written to device"),
    "storage_write_iops": Metric("writes of 8 KiB a second that the storage can do", heading="writes/s possible"),
    "storage_write_p50_us": Metric("median time of a write of 8 KiB", "us"),
    "cliff_slot": Metric("place of the second in which throughput falls"),
    "limit_reached_at": Metric("share of the trial after which dirty data came close to the limit"),
    "wal_bytes": Metric("log written", "MiB", MIB, heading="log"),
    "dirty_mib_#": Metric("dirty data in a part of the trial", "MiB"),
    "writeback_mib_#": Metric("data being written in a part of the trial", "MiB"),
    "dirty_peak_bytes": Metric("most data waiting to be written", "MiB", MIB, heading="most dirty"),
    "dirty_slowing_bytes": Metric("point at which the kernel slows writers", "MiB", MIB),
    "dirty_limit_bytes": Metric("limit of dirty data", "MiB", MIB, heading="dirty limit"),
    "dirty_background_bytes": Metric("limit from which the kernel writes in the background", "MiB", MIB),
    "limit_reached": percent("share of the trials whose dirty data came close to the limit"),
    **{f"waits_{kind.lower()}": Metric(f"number of samples in the state {kind}") for kind in WAIT_TYPES},
}


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    @property
    def note_arms(self) -> list[str]:
        """Those of note 002: short trials from a restart."""
        return [arm for arm in self.arms if arm not in CHECKPOINTS]

    @property
    def checkpoint_arms(self) -> list[str]:
        """Those whose trials hold checkpoints, or none where the run left them out."""
        return [arm for arm in CHECKPOINTS if arm in self.arms]

    @property
    def capped(self) -> bool:
        """Whether the run has configurations on storage that was made slow."""
        return A in self.configurations

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        if arm in CHECKPOINTS:
            return "give checkpoint_seconds=600, which adds half an hour to each block"
        return "needs root and allow_slow_storage=true" if not self.capped else super().remedy(arm)

    def fell_s(self, arm: str) -> Estimate:
        """The second in which throughput falls, to half a second; the median of the trials with a cliff."""
        return self._typical(arm, self.falls_s(arm), "shows a cliff")

    def reached_s(self, arm: str) -> Estimate:
        """The second in which dirty data is first seen near the point where writers are slowed, in the same way."""
        rows = self.in_blocks(arm)
        known = rows["limit_reached_at"] if "limit_reached_at" in rows else pd.Series(np.nan, index=rows.index)
        return self._typical(arm, known.to_numpy(dtype=float) * self.seconds(arm), "has dirty data near its limit")

    def falls_s(self, arm: str) -> np.ndarray:
        """The second in which throughput falls in each trial, in block order; nan where there is no cliff."""
        return self.once(f"falls of {arm}", lambda: self._found_falls(arm))

    def _found_falls(self, arm: str) -> np.ndarray:
        rows, stretches = self.in_blocks(arm), self._stretches(arm)
        found = [
            half_seconds.falls(stretches[int(row["trial"])]) if row.get("cliff") == 1 else None
            for row in rows.to_dict("records")
        ]
        return np.array([np.nan if each is None else each for each in found]) * self.seconds(arm)

    def _typical(self, arm: str, seconds: np.ndarray, what: str) -> Estimate:
        """Median over the trials that have such a second; the mean of fewer than six."""
        seen = ~np.isnan(seconds)
        if seen.sum() < 2:
            raise NotEstimableError(
                f"{int(seen.sum())} of {seen.size} trials of “{self.label(arm)}” {what}", "measure more blocks"
            )
        if seen.sum() < MEDIAN_TRIALS:
            return statistics.arithmetic_mean(seconds[seen], sessions=self.sessions[seen])
        return statistics.median(seconds[seen])

    def seconds(self, arm: str) -> int:
        """Length of a trial."""
        return self.parameters.checkpoint_seconds if arm in CHECKPOINTS else self.parameters.trial_seconds

    def courses(self, arm: str) -> np.ndarray:
        """TPS in each twelfth of each trial that was measured, shape (trials, 12), in block order."""
        return np.array([course for _, course in self._courses(arm)])

    def course_sessions(self, arm: str) -> np.ndarray:
        """The measuring session of each of these trials, shape (trials,)."""
        return self.sessions[[block for block, _ in self._courses(arm)]]

    def started(self, top: str, bottom: str) -> Effect:
        """Ratio of the throughput in a trial's first twelfth, paired in the blocks in which both were measured."""
        above, below = (dict(self._courses(arm)) for arm in (top, bottom))
        both = sorted({*above} & {*below})
        first = (np.array([found[block][0] for block in both]) for found in (above, below))
        return statistics.ratio(*first, sessions=self.sessions[both])

    def _courses(self, arm: str) -> list[tuple[int, np.ndarray]]:
        return self.once(f"courses of {arm}", lambda: self._found_courses(arm))

    def _found_courses(self, arm: str) -> list[tuple[int, np.ndarray]]:
        rows, stretches = self.in_blocks(arm), self._stretches(arm)
        found = []
        for row in rows.to_dict("records"):
            relative = slots(stretches[int(row["trial"])])
            if relative is not None and not pd.isna(row.get("tps", np.nan)):
                course = float(row["tps"]) * relative.reshape(INTERVALS, -1).mean(axis=1)
                found.append((int(row["block"]), course))
        if not found:
            raise NotEstimableError(f"no trial of “{self.label(arm)}” was measured", "repeat the run")
        return found

    def _stretches(self, arm: str) -> dict[int, np.ndarray]:
        """What ``course.stretches`` gave for each trial of a configuration; of one that failed nothing."""
        numbers = [int(trial) for trial in self.in_blocks(arm)["trial"]]
        samples = self.run.samples[self.run.samples["trial"].isin(numbers)]
        stored = {int(str(trial)): part.to_numpy() for trial, part in samples.groupby("trial")["latency_ns"]}
        return {trial: stored.get(trial, np.zeros(0)).astype(np.int64) for trial in numbers}

    def check_course(self) -> None:
        """Raise NotEstimableError when the note's trials are too short to have a course."""
        seconds = self.parameters.trial_seconds
        if seconds < SHORTEST_COURSE_S:
            raise NotEstimableError(
                f"in trials of {seconds} s, a twelfth, which stands for the note's 5 s, is {seconds / 12:.2g} s",
                f"give trial_seconds of {SHORTEST_COURSE_S} or more",
            )

    def parts(self, arm: str, name: str) -> np.ndarray:
        """A metric of each of the 24 parts of a trial, mean over trials."""
        return np.array([self.values(arm, f"{name}_{part + 1:02}").mean() for part in range(PARTS)])

    def cliffs(self, arm: str) -> tuple[int, int]:
        """Trials with a cliff, and all trials, of a configuration."""
        values = self.values(arm, "cliff")
        return int(values.sum()), len(values)

    def consistency_gates(self) -> list[Gate]:
        """Counts of client and server, and memory, in every trial."""
        if "processes_killed" not in self.run.trials:
            return self.counts_gate(self.arms)
        killed = int((self.run.trials["processes_killed"].fillna(0) > 0).sum())
        memory = Gate("memory", killed == 0, float(killed), f"the kernel killed processes in {killed} trials")
        return [*self.counts_gate(self.arms), memory]

    def state_gates(self, arms: Iterable[str]) -> list[Gate]:
        """What the claims ask of these configurations: bounded memory, and as little to be written at each start."""
        rows = self.of(arms)
        if "memory" not in rows or "dirty_start_bytes" not in rows:
            return []
        waiting = float(rows["dirty_start_bytes"].max())
        share = waiting / float(self.run.provenance["data_bytes"])
        equal = Gate(
            "equal dirty start", share <= DIRTY_START_SHARE or waiting <= DIRTY_START_BYTES, share,
            f"up to {share:.1%} of the data was waiting to be written when a trial began",
        )  # fmt: skip
        return [self.bound_gate(arms), equal, *self._pool_gate(rows)]

    def _pool_gate(self, rows: pd.DataFrame) -> list[Gate]:
        if "data_in_pool_start" not in rows:
            return []
        filled = rows["data_in_pool_start"]
        apart = float(filled.max() - filled.min())
        why = f"pools held {filled.min():.1%} to {filled.max():.1%} of the data when a trial began"
        return [Gate("equal pool at the start", apart <= POOL_START_SHARE, apart, why)]

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = {
            f"trials of {p.trial_seconds} s instead of 60 s, divided into twelfths of {p.trial_seconds / 12:.3g} s "
            "where the note has intervals of 5 s (the rule for a cliff is scaled to match)": p.trial_seconds != 60,
            "no checkpoint configurations": not p.checkpoint_seconds,
            "no configurations on slow storage": not p.allow_slow_storage,
            f"checkpoint trials of {p.checkpoint_seconds} s instead of 600 s, with checkpoint_timeout shortened "
            f"to {p.checkpoint_timeout_s} s for the default's 5 min": p.checkpoint_seconds not in (0, 600),
            "the machine's own limits on dirty data instead of the note's share of memory": not p.allow_vm_settings,
        }
        return [*(text for text, departs in found.items() if departs), *super().departures()]

    def origin(self, arms: list[str] | None = None) -> str:
        """Half a sentence under figures: which run, how many blocks, how long a trial of these configurations is."""
        lengths = sorted({self.seconds(arm) for arm in (arms or self.note_arms)})
        trials = f"one trial of {' or '.join(map(str, lengths))} s per configuration, {self.parameters.clients} clients"
        return f"{self.run.blocks} blocks with {trials}; {source(self.run)}, {self.on()}"


def share_of_peak(values: ArrayLike, *, confidence: float = 0.95, sessions: ArrayLike | None = None) -> Estimate:
    """Geometric mean of shares of each trial's own highest throughput; the interval ends at 1, where no share exceeds.

    values: one per trial, shape (trials,), in (0, 1]. sessions: of each. Raises BenchbookError as
    ``statistics.geometric_mean``.
    """
    found = statistics.geometric_mean(values, confidence=confidence, sessions=sessions)
    return replace(found, high=min(found.high, 1.0))
