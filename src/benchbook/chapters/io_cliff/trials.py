"""What the trials of a run hold: their courses, when throughput falls, dirty data, and whether they began alike."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.chapters.io_cliff.arms import A_FREE, CHECKPOINTS, FREE_AGAIN, REPEATED, A, Parameters
from benchbook.chapters.io_cliff.course import slots
from benchbook.chapters.io_cliff.watched import WAIT_TYPES
from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.metric_words import MIB, percent
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.measuring.pgbench.words import UNKNOWN
from benchbook.model import Effect, Estimate
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.sentences import source
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.statistics import Gate
from benchbook.statistics.estimates import MEDIAN_TRIALS

DIRTY_START_SHARE, DIRTY_START_BYTES = 0.02, 16 * 2**20
"""What may wait to be written when a trial begins, of the data or in all, for its start to count as equal."""
POOL_START_SHARE = 0.02
"""By how much the share of the data in the pool may differ when trials begin."""
SHORTEST_COURSE_S = 12
"""Below it a twelfth of a trial is less than a second, and the shape of its course is that of chance."""
HALVES = 120
"""Parts of a trial by which its fall is placed, since means over 5 s show it late: half a second of the note's 60 s."""
FALLEN, KEPT = 0.6, 4
"""It has fallen where it is below 60 % of the highest half second so far, and stays there on average for 2 s."""
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
    def capped(self) -> bool:
        """Whether the run has configurations on storage that was made slow."""
        return A in self.configurations

    def first(self) -> str:
        """The configuration that is measured twice: A, or where the run has no capped ones A without a cap."""
        return A if self.capped else A_FREE

    def again(self) -> str:
        """The same under its second name."""
        return REPEATED if self.capped else FREE_AGAIN

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        if arm in CHECKPOINTS:
            return "give checkpoint_seconds=600, which adds half an hour to each block"
        return "needs root and allow_slow_storage=true" if not self.capped else super().remedy(arm)

    def seconds(self, arm: str) -> int:
        """Length of a trial."""
        return self.parameters.checkpoint_seconds if arm in CHECKPOINTS else self.parameters.trial_seconds

    def fell_s(self, arm: str) -> Estimate:
        """The second in which throughput falls, to half a second; the median of the trials with a cliff."""
        return self._typical(arm, self.falls_s(arm), "shows a cliff")

    def reached_s(self, arm: str) -> Estimate:
        """The second in which dirty data is first seen near the point where writers are slowed, in the same way."""
        known = self.in_blocks(arm).reindex(columns=["limit_reached_at"])["limit_reached_at"].to_numpy(dtype=float)
        return self._typical(arm, known * self.seconds(arm), "has dirty data near its limit")

    def _typical(self, arm: str, seconds: np.ndarray, what: str) -> Estimate:
        """Median over the trials that have such a second; the mean of fewer than six."""
        seen = ~np.isnan(seconds)
        if seen.sum() < 2:
            raise NotEstimableError(
                f"{int(seen.sum())} of {seen.size} trials of “{self.label(arm)}” {what}", "measure more blocks"
            )
        if seen.sum() < MEDIAN_TRIALS:
            return self.estimated(statistics.arithmetic_mean, seconds[seen], of=seen)
        return statistics.median(seconds[seen])

    def falls_s(self, arm: str) -> np.ndarray:
        """The second in which throughput falls in each trial, in block order; nan where there is no cliff."""
        trials = self.in_blocks(arm).reindex(columns=["trial", "cliff"]).itertuples(index=False)
        found = [falls(self._stretches(trial)) if cliff == 1 else None for trial, cliff in trials]
        return np.array(found, dtype=float) * self.seconds(arm)

    def courses(self, arm: str) -> pd.DataFrame:
        """TPS in each twelfth of each trial that was measured, a row for each of their blocks, in order."""
        found = {}
        for block, trial, tps in self.in_blocks(arm).reindex(columns=["block", "trial", "tps"]).itertuples(index=False):
            relative = slots(self._stretches(trial))
            if relative is not None and not pd.isna(tps):
                found[int(block)] = float(tps) * relative.reshape(INTERVALS, -1).mean(axis=1)
        if not found:
            raise NotEstimableError(f"no trial of “{self.label(arm)}” was measured", "repeat the run")
        return pd.DataFrame.from_dict(found, orient="index")

    def most(self, arms: Iterable[str]) -> float:
        """The highest TPS in a twelfth of any trial of these configurations."""
        return max(float(self.courses(arm).to_numpy().max()) for arm in arms)

    def _stretches(self, trial: int) -> np.ndarray:
        """What ``course.stretches`` gave for a trial; of one that failed nothing."""
        by_trial = self.once("stretches", lambda: dict(iter(self.run.samples.groupby("trial")["latency_ns"])))
        return by_trial[trial].to_numpy(np.int64) if trial in by_trial else np.zeros(0, np.int64)

    def started(self, top: str, bottom: str) -> Effect:
        """Ratio of the throughput in a trial's first twelfth, paired in the blocks in which both were measured."""
        both = pd.concat([self.courses(arm)[0] for arm in (top, bottom)], axis=1, join="inner").sort_index()
        return self.estimated(statistics.ratio, *both.to_numpy().T, of=both.index)

    def check_course(self) -> None:
        """Raise NotEstimableError when the note's trials are too short to have a course."""
        seconds = self.parameters.trial_seconds
        if seconds < SHORTEST_COURSE_S:
            raise NotEstimableError(
                f"in trials of {seconds} s, a twelfth, which stands for the note's 5 s, is {seconds / 12:.2g} s",
                f"give trial_seconds of {SHORTEST_COURSE_S} or more",
            )

    def cliffs(self, arm: str) -> tuple[int, int]:
        """Trials with a cliff, and all trials, of a configuration."""
        values = self.values(arm, "cliff")
        return int(values.sum()), len(values)

    def gates(self, arms: Iterable[str]) -> list[Gate]:
        """Counts and memory of every trial; bounded memory and equal starts of those of these configurations."""
        found, rows = self.counts_gate(self.arms), self.of(arms)
        if "processes_killed" in self.run.trials:
            killed = int((self.run.trials["processes_killed"].fillna(0) > 0).sum())
            found += [Gate("memory", killed == 0, float(killed), f"the kernel killed processes in {killed} trials")]
        if "memory" not in rows or "dirty_start_bytes" not in rows:
            return found
        waiting = float(rows["dirty_start_bytes"].max())
        share = waiting / float(self.run.provenance["data_bytes"])
        equal = share <= DIRTY_START_SHARE or waiting <= DIRTY_START_BYTES
        why = f"up to {share:.1%} of the data was waiting to be written when a trial began"
        found += [self.bound_gate(arms), Gate("equal dirty start", equal, share, why)]
        if "data_in_pool_start" in rows:
            least, most = (float(end) for end in rows["data_in_pool_start"].agg(["min", "max"]))
            why = f"pools held {least:.1%} to {most:.1%} of the data when a trial began"
            found += [Gate("equal pool at the start", most - least <= POOL_START_SHARE, most - least, why)]
        return found

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


def falls(latencies: np.ndarray) -> float | None:
    """The beginning of the half second in which throughput falls, as a share of the trial; None where it does not.

    latencies: ns, int64, as ``course.stretches`` gives them.
    """
    if len(latencies) < 2 or latencies.sum() <= 0:
        return None
    ends = np.concatenate([[0.0], np.cumsum(latencies[:-1], dtype=np.float64)])
    done = np.interp(np.linspace(0, float(latencies.sum()), HALVES + 1), ends, np.arange(len(ends), dtype=np.float64))
    tps = np.diff(done) / done[-1]
    highest = np.maximum.accumulate(tps)
    for place in range(1, HALVES - KEPT):
        before = FALLEN * highest[place - 1]
        if tps[place] < before and tps[place : place + KEPT].mean() < before:
            return place / HALVES
    return None


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS with interval, latency, trials with a cliff, dirty data, evictions, writes."""

    def cliffs(arm: str) -> str:
        return "{} of {}".format(*summary.cliffs(arm)) if summary.has(arm, "cliff") else NOT_ESTIMABLE

    def begun(arm: str) -> str:
        if not summary.has(arm, "checkpoints"):
            return UNKNOWN
        ends = {f"{end:,.0f}": None for end in np.percentile(summary.values(arm, "checkpoints"), (0, 100))}
        return " to ".join(ends)

    counts = partial(means, summary, otherwise=UNKNOWN)
    columns: Columns = {
        **levels(summary, "tps", "latency_mean_ns", "latency_p99_ns", otherwise=NOT_ESTIMABLE),
        "trials with a cliff": cliffs,
        **counts("evictions", "dirty_peak_bytes", "dirty_limit_bytes", "disk_written_bytes", "storage_write_iops"),
        "checkpoints": begun,
        **counts("wal_bytes", "transactions_per_account_page"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)
