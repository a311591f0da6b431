"""Pools, limits of dirty data, a cap of the storage: whether throughput falls along a trial, and how far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots
from pydantic import model_validator

from benchbook import kit, notes, statistics
from benchbook.drawing.marks import COLOURS
from benchbook.engines.bounds.memory import SMALLEST_BYTES
from benchbook.errors import BenchbookError
from benchbook.figures import theme
from benchbook.measuring import pgbench
from benchbook.measuring.pgbench import cliffs, stretches, treatment
from benchbook.measuring.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.measuring.pgbench.watched import PARTS, WAIT_TYPES
from benchbook.numbers.inert import Control, cannot_act
from benchbook.numbers.quantities import departing
from benchbook.numbers.sentences import source
from benchbook.pages.tables import NOT_ESTIMABLE
from benchbook.statistics.estimates import MEDIAN_TRIALS


class Parameters(pgbench.StorageParameters):
    """Defaults are the standard profile: 750 MB of data, about 80 minutes a session."""

    blocks: int = kit.common("blocks", 6)
    trial_seconds: int = kit.common(
        "trial_seconds", 60, high=3_600, words="length of a trial from a restart; a twelfth stands for the note's 5 s"
    )
    checkpoint_seconds: int = kit.param(
        0, 0, 36_000, "length of a trial of the checkpoint configurations; stands for 600 s, and checkpoint_timeout is "
        "scaled alike; 0 leaves them out",
    )  # fmt: skip
    fill_seconds: int = kit.common(
        "fill_seconds", 2, low=1, words="discarded run that fills the pool before a checkpoint trial"
    )
    allow_vm_settings: bool = kit.param(
        True, words="set the kernel's limits of dirty data for the length of each trial and put them back (root only); "
        "without it the trials run under the machine's own limits and the other limits are left out",
    )  # fmt: skip

    @model_validator(mode="after")
    def _possible(self) -> Self:
        ram = (pgbench.SMALL_RAM_OVER_DATA if self.checkpoint_seconds else pgbench.RAM_OVER_DATA) * self.data_bytes
        bound = f"scale={self.scale} bounds memory to {ram / 2**20:.0f} MiB"
        least = f"{bound}, and no server starts in less than {SMALLEST_BYTES / 2**20:.0f}"
        kit.refuse(self.bound_memory and ram < SMALLEST_BYTES, least)
        return self

    @property
    def checkpoint_timeout_s(self) -> int:
        """PostgreSQL's default of 5 min, scaled as the trial is; no shorter than the server allows."""
        return max(30, round(self.checkpoint_seconds / 2))

    @property
    def log_bytes(self) -> int:
        seconds = max(self.trial_seconds, self.checkpoint_seconds + self.fill_seconds)
        return int(min(self.data_bytes, seconds * 10_000 * 9_000) * 1.2 + seconds * 10_000 * 1_000)


A, B, BASELINE, A_80 = "scenario_a", "scenario_b", "baseline", "scenario_a_pool_80"
A_10_1, A_10_5, B_10_5 = "scenario_a_dirty_10_1", "scenario_a_dirty_10_5", "scenario_b_dirty_10_5"
A_FREE, B_FREE = "scenario_a_free", "scenario_b_free"
SMALL, LARGE, UNCAPPED = "small pool", "large pool", "storage not capped"
ALL: dict[str, Any] = {"pool_over_data": 1.05, "lru_maxpages": 1250}
"""A trial adds up to 2 % to the data here, the note's added 0.3 %: a pool of exactly their size would evict."""
TEN_FIVE: dict[str, Any] = {"dirty_percent": 10, "dirty_background_percent": 5}
ARMS: dict[str, tuple[str, str, dict[str, Any]]] = {
    A: ("A: pool 20 %", SMALL, {}),
    f"{A}_again": ("A again (A/A)", SMALL, {}),
    BASELINE: ("baseline: as A, 8 workers", SMALL, {"workers": 8}),
    B: ("B: pool of all the data", LARGE, ALL),
    A_80: ("A with pool 80 %", LARGE, {"pool_over_data": 0.8}),
    A_10_1: ("A, dirty limits 10/1", SMALL, {"dirty_percent": 10}),
    A_10_5: ("A, dirty limits 10/5", SMALL, TEN_FIVE),
    B_10_5: ("B, dirty limits 10/5", LARGE, ALL | TEN_FIVE),
    A_FREE: ("A, not capped", UNCAPPED, {"capped": False}),
    f"{A_FREE}_again": ("A, not capped, again (A/A)", UNCAPPED, {"capped": False}),
    B_FREE: ("B, not capped", UNCAPPED, ALL | {"capped": False}),
}
"""What each changes; what is compared with each other stands together in its block."""
CHECKPOINTS = {"spaced_checkpoints": "checkpoints far apart", "default_timeout": "default checkpoint_timeout",
               "default_wal_size": "default max_wal_size"}  # fmt: skip


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm that the claims name, as far as the parameters let it be run, in the order of the figures."""
    p = parameters
    usual = {  # the note's limits of dirty data by its raw reports, in % of memory
        "pool_over_data": 0.2, "workers": 32, "lru_maxpages": 1000, "dirty_percent": 4, "dirty_background_percent": 1,
        "capped": True, "read_ahead": False,
    }  # fmt: skip
    for name, (label, group, changed) in ARMS.items():
        settings, paired = usual | changed, p.allow_slow_storage and name == f"{A_FREE}_again"
        possible = settings["capped"] <= p.allow_slow_storage and (
            "dirty_percent" not in changed or p.allow_vm_settings
        )
        if possible and not paired:
            yield kit.Configuration(name, label, settings, group)
    for name, label in CHECKPOINTS.items() if p.checkpoint_seconds else ():
        settings = {"pool_over_data": 0.4, "warm": True, "capped": False}
        settings |= {each: each == name for each in ("default_timeout", "default_wal_size")}
        yield kit.Configuration(name, label, settings, "checkpoints")


def needs(parameters: Parameters) -> kit.Needs:
    """Of all trials; root where the parameters ask for it."""
    p = parameters
    usable = pgbench.capped.usable(p, "set allow_vm_settings=false to measure under the machine's own limits only")
    certificate, long = pgbench.capped.CERTIFICATE_SECONDS * p.allow_slow_storage, p.checkpoint_seconds + p.fill_seconds
    each = [certificate + (long if arm.name in CHECKPOINTS else p.trial_seconds) for arm in configurations(p)]
    return pgbench.needs(p, each, beside_s=2.5, usable=usable)


session, reduce = pgbench.capped.session_of(cliffs.Bench, configurations, A_FREE), stretches.reduce

METRICS = {
    **pgbench.METRICS,
    **{name: kit.Metric(words) for name, words in {
        "peak_over_mean": "highest twelfth over the mean", "peak_interval": "place of the highest twelfth",
        "min_over_peak": "lowest over highest twelfth", "last_over_first": "last over first twelfth",
        "post_cliff_over_peak": "last third over the highest twelfth",
        "late_growth": "last quarter over the quarter before it",
        "checkpoints_#": "number of checkpoints begun in a part of the trial",
        "waiting_over_handed": "data that wait to be written, over what the pool handed to the kernel, at most",
        "cliff_slot": "place of the second in which throughput falls",
        "limit_reached_at": "share of the trial after which dirty data came close to the limit",
        **{f"waits_{kind.lower()}": f"number of samples in the state {kind}" for kind in WAIT_TYPES},
    }.items()},
    "end_over_peak": kit.Metric("last over highest twelfth", heading="end over peak"),
    **{name: pgbench.percent(words) for name, words in {
        "max_drawdown": "largest fall of throughput below its earlier level",
        "cliff": "share of the trials with a cliff",
        "rising_share": "share of the twelfths that are faster than the one before",
        "limit_reached": "share of the trials whose dirty data came close to the limit",
    }.items()},
    "evictions": kit.Metric("number of evicted pages", heading="evictions"),
    "storage_write_iops": kit.Metric("writes of 8 KiB a second that the storage can do", heading="writes/s possible"),
    "storage_write_p50_us": kit.Metric("median time of a write of 8 KiB", "us"),
    "dirty_mib_#": kit.Metric("dirty data in a part of the trial", "MiB"),
    "writeback_mib_#": kit.Metric("data being written in a part of the trial", "MiB"),
    **{f"{name}_bytes": kit.Metric(words, "MiB", pgbench.MIB, heading=heading) for name, words, heading in (
        ("disk_written", "data written to the device", "written to device"), ("wal", "log written", "log"),
        ("dirty_peak", "most data waiting to be written", "most dirty"),
        ("dirty_slowing", "point at which the kernel slows writers", ""),
        ("dirty_limit", "limit of dirty data", "dirty limit"),
        ("dirty_background", "limit from which the kernel writes in the background", ""),
    )},
}  # fmt: skip
SHORTEST_COURSE_S = 12
"""Below it a twelfth of a trial is less than a second, and the shape of its course is that of chance."""


class Summary(pgbench.Summary[Parameters]):
    """One run."""

    @property
    def note_arms(self) -> list[str]:
        """Those of note 002: short trials from a restart."""
        return [arm for arm in self.arms if arm not in CHECKPOINTS]

    @property
    def capped(self) -> bool:
        """Whether the run has configurations on storage that was made slow."""
        return A in self.configurations

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        if arm in CHECKPOINTS:
            return "give checkpoint_seconds=600, which adds half an hour to each block"
        return super().remedy(arm) if self.capped else "needs root and allow_slow_storage=true"

    def seconds(self, arm: str) -> int:
        return self.parameters.checkpoint_seconds if arm in CHECKPOINTS else self.parameters.trial_seconds

    def fell_s(self, arm: str) -> kit.Estimate:
        """The second in which throughput falls, to half a second; the median of the trials with a cliff."""
        return self._typical(arm, self.falls_s(arm), "shows a cliff")

    def reached_s(self, arm: str) -> kit.Estimate:
        """The second in which dirty data is first seen near the point where writers are slowed, in the same way."""
        known = self.in_blocks(arm).reindex(columns=["limit_reached_at"])["limit_reached_at"].to_numpy(dtype=float)
        return self._typical(arm, known * self.seconds(arm), "has dirty data near its limit")

    def _typical(self, arm: str, seconds: np.ndarray, what: str) -> kit.Estimate:
        """Median over the trials that have such a second; the mean of fewer than six."""
        known = seconds[~np.isnan(seconds)]
        few = known.size < MEDIAN_TRIALS
        return self.of_those(arm, seconds, what, statistics.arithmetic_mean) if few else statistics.median(known)

    def falls_s(self, arm: str) -> np.ndarray:
        """The second in which throughput falls in each trial, in block order; nan where there is no cliff."""
        trials = self.in_blocks(arm).reindex(columns=["trial", "cliff"]).itertuples(index=False)
        found = [stretches.falls(self._stretches(trial)) if cliff == 1 else None for trial, cliff in trials]
        return np.array(found, dtype=float) * self.seconds(arm)

    def courses(self, arm: str) -> pd.DataFrame:
        """TPS in each twelfth of each trial that was measured, a row for each of their blocks, in order."""
        found = {}
        for block, trial, tps in self.in_blocks(arm).reindex(columns=["block", "trial", "tps"]).itertuples(index=False):
            relative = stretches.slots(self._stretches(trial))
            if relative is not None and not pd.isna(tps):
                found[int(block)] = float(tps) * relative.reshape(12, -1).mean(axis=1)
        if not found:
            raise kit.NotEstimableError(f"no trial of “{self.label(arm)}” was measured", "repeat the run")
        return pd.DataFrame.from_dict(found, orient="index")

    def _stretches(self, trial: int) -> np.ndarray:
        """What ``stretches`` gave for a trial; of one that failed nothing."""
        by_trial = self.once("stretches", lambda: dict(iter(self.run.samples.groupby("trial")["latency_ns"])))
        return by_trial[trial].to_numpy(np.int64) if trial in by_trial else np.zeros(0, np.int64)

    def started(self, top: str, bottom: str) -> kit.Effect:
        """Ratio of the throughput in a trial's first twelfth, paired in the blocks in which both were measured."""
        both = pd.concat([self.courses(arm)[0] for arm in (top, bottom)], axis=1, join="inner").sort_index()
        return self.estimated(statistics.ratio, *both.to_numpy().T, of=both.index)

    def cliffs(self, arm: str) -> tuple[int, int]:
        """Trials with a cliff, and all trials, of a configuration."""
        values = self.values(arm, "cliff")
        return int(values.sum()), len(values)

    def departures(self) -> list[str]:
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

    def origin(self) -> str:
        p = self.parameters
        trials = f"one trial of {p.trial_seconds} s per configuration, {p.clients} clients"
        return f"{self.run.blocks} blocks with {trials}; {source(self.run)}, {self.on()}"


def first(summary: Summary) -> str:
    """The configuration that is measured twice: A, or where the run has no capped ones A without a cap."""
    return A if summary.capped else A_FREE


again = pgbench.second_name(first)
AA = (again, first)


COUNTED_OVER = 1.05
"""Data that wait may be so much more than what the pool handed over: the kernel then counts pages, not whole pieces."""


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Counts and memory of every trial; bounded memory and equal starts of those that a claim is about."""
    arms, trials = answer.estimand.names(summary), summary.run.trials
    yield from summary.counts_gate(summary.arms)
    if "processes_killed" in trials:
        killed = int((trials["processes_killed"].fillna(0) > 0).sum())
        yield kit.Gate("memory", killed == 0, float(killed), f"the kernel killed processes in {killed} trials")
    rows = summary.of(arms)
    if "waiting_over_handed" in rows and (known := rows["waiting_over_handed"].dropna()).size:
        why = f"up to {known.max():.2f} times what the pool handed to the kernel was waiting to be written"
        yield kit.Gate("dirty as handed over", known.max() <= COUNTED_OVER, float(known.max()), why)
    if "memory" not in rows or "dirty_start_bytes" not in rows:
        return
    waiting = float(rows["dirty_start_bytes"].max())
    share = waiting / float(summary.run.provenance["data_bytes"])
    why = f"up to {share:.1%} of the data was waiting to be written when a trial began"
    yield summary.bound_gate(arms)
    yield kit.Gate("equal dirty start", share <= 0.02 or waiting <= 16 * 2**20, share, why)
    if "data_in_pool_start" in rows:
        least, most = (float(end) for end in rows["data_in_pool_start"].agg(["min", "max"]))
        why = f"pools held {least:.1%} to {most:.1%} of the data when a trial began"
        yield kit.Gate("equal pool at the start", most - least <= 0.02, most - least, why)


def counted(which: np.ndarray) -> str:
    """How many of the trials these are."""
    return f"{int(which.sum())} of {which.size} trials"


def nothing_slowed(arm: str) -> Callable[[Summary], str]:
    """Why dirty data cannot have slowed the writers of this configuration; "" where they can in most trials."""

    def why(summary: Summary) -> str:
        evicting = summary.values(arm, "evictions") > 0
        if not evicting.all():
            return f"the pool of “{summary.label(arm)}” evicted no page in {counted(~evicting)}"
        reached = summary.values(arm, "limit_reached") > 0
        near = "the data waiting to be written came near the point at which the kernel slows writers in only"
        return "" if reached.mean() > 0.5 else f"{near} {counted(reached)} of “{summary.label(arm)}”"

    return why


def same_pools(summary: Summary) -> str:
    """Why the larger pool did the same work as the smaller one, or had nothing to remove; "" where neither."""
    small, large = (summary.mean(arm, "evictions") for arm in (A, B))
    if small > 0 and large >= small:
        return f"the larger pool evicted {large:,.0f} pages in a trial and the smaller one {small:,.0f}"
    return nothing_slowed(A)(summary)


def background_not_reached(summary: Summary) -> str:
    """Why limits in the background were not in force in one of two configurations; "" where they were in both."""
    for arm in (A_10_1, A_10_5):
        above = summary.values(arm, "dirty_peak_bytes") >= summary.values(arm, "dirty_background_bytes")
        if above.mean() <= 0.5:
            limit = "the limit from which the kernel writes in the background"
            return f"the data waiting to be written reached {limit} in only {counted(above)} of “{summary.label(arm)}”"
    return ""


nothing_handed_over = cannot_act(
    "evictions", (B, B_10_5), counted="a pool of all the data evicted no page in {} trials",
    why="limits of dirty data act on what the pool hands to the kernel",
    control=Control(A, "evictions", "a pool of a fifth of the data evicted at least {} pages in every trial", ""),
)  # fmt: skip
PAGES_NAMED = 0.62
"""Transactions per page of pgbench_accounts in the note's baseline: 21,199 in each of 60 s on 1,250 x 1,640 pages."""


def unlike_course(summary: Summary) -> str:
    """How the trials from a restart differ from what the claims name; "" where they do not."""
    p, found = summary.parameters, []
    if p.trial_seconds < 60:
        found.append(f"trials of {p.trial_seconds} s where the claim names 60 s")
    if not p.allow_vm_settings:
        found.append("the machine's own limits of dirty data where the claim names 4 and 1 % of the memory")
    metric = "transactions_per_account_page"
    if summary.has(B, metric) and (made := summary.mean(B, metric)) < PAGES_NAMED:
        found.append(f"{made:.2f} transactions per page of the accounts where the claim names {PAGES_NAMED}")
    return " and ".join(found)


def unlike_depth(summary: Summary) -> str:
    """The same, and that the cap is not in the proportion to the transactions that decides how deep a fall is."""
    return " and ".join(filter(None, (unlike_course(summary), treatment.off_proportion(summary, A, A_FREE))))


def within(mean: Callable[..., kit.Estimate]) -> Callable[..., kit.Estimate]:
    """This mean over trials, of shares of each trial's own highest throughput: its interval ends at 0 and 1."""

    def share(values: Any, **how: Any) -> kit.Estimate:
        found: kit.Estimate = mean(values, **how)
        return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))

    return share


share_of_peak = within(statistics.geometric_mean)
# Of falls the mean of the trials themselves, as registered: on the logit scale one trial without any would set it.
share_that_falls = within(statistics.arithmetic_mean)


def of_course(
    compute: Callable[[Summary], kit.Estimate], quantity: kit.Quantity, arm: str, *others: str, **ground: Any
) -> kit.Estimand:
    """A number of trials that are long enough to have a course. others: whose trials must begin alike.

    Of a course of B too what the small pool did is asked: that nothing falls says little where nothing could.
    """

    def checked(summary: Summary) -> kit.Estimate:
        if (seconds := summary.parameters.trial_seconds) < SHORTEST_COURSE_S:
            short = f"in trials of {seconds} s, a twelfth, which stands for the note's 5 s, is {seconds / 12:.2g} s"
            raise kit.NotEstimableError(short, f"give trial_seconds of {SHORTEST_COURSE_S} or more")
        return compute(summary)

    acting = nothing_slowed(A if arm == B else arm)
    return kit.custom(checked, quantity, arm, *others, **{"idle": acting, **ground})


def shape(arm: str, metric: str, mean: Callable[..., Any] = statistics.geometric_mean, **more: Any) -> kit.Estimand:
    """Mean over trials of what each trial's course gives."""

    def compute(summary: Summary) -> kit.Estimate:
        found: kit.Estimate = summary.estimated(mean, summary.values(arm, metric))
        return found

    return of_course(compute, kit.Quantity.SHAPE, arm, **{"aa": metric, **more})


def trials(arm: str, metric: str, as_asked: Callable[[np.ndarray], Any], *others: str) -> kit.Estimand:
    """Share of the trials of one configuration whose metric is as asked."""

    def compute(summary: Summary) -> kit.Estimate:
        which = as_asked(summary.values(arm, metric))
        return statistics.share_of_trials(int(which.sum()), which.size)

    return of_course(compute, kit.Quantity.SHARE_OF_TRIALS, arm, *others)


def after_onset(summary: Summary) -> kit.Estimate:
    """Throughput after a fall of the baseline over that before it, in the trials that have one."""
    depth = summary.seen(BASELINE, "post_onset_over_peak")
    mend = "give a lower storage_iops, or longer trials"
    return summary.of_those(BASELINE, depth, "show a cliff", statistics.geometric_mean, mend)


def eliminated(summary: Summary) -> kit.Estimate:
    """Share of the blocks with a cliff in A that have none in B."""
    fell = summary.values(A, "cliff") > 0
    if not fell.any():
        problem = f"none of the {fell.size} trials of A (pool 20 %) shows a cliff, so there is none to eliminate"
        raise kit.NotEstimableError(problem, "give a lower storage_iops, or longer trials")
    gone = fell & (summary.values(B, "cliff") == 0)
    return statistics.share_of_trials(int(gone.sum()), int(fell.sum()))


def other_pools(summary: Summary) -> str:
    """What stands beside the claim, at the beginning of its verdict's reason."""
    (beside,) = (each.beside for each in summary.chapter.answers.given if each.claim == "C042" and each.beside)
    clauses = beside(summary)
    return f"{clauses[:1].upper()}{clauses[1:]}; with a pool of 20 % under the cap, of the blocks in which it falls"


tps = kit.measured("tps")
NUMBERS = {
    **departing(unlike_course, {
        "cliff": kit.percent(trials(BASELINE, "cliff", lambda cliff: cliff > 0)),
        "cliff_A": kit.percent(trials(A, "cliff", lambda cliff: cliff > 0, BASELINE)),
        "no_cliff_B": kit.percent(trials(B, "cliff", lambda cliff: cliff == 0)),
        "eliminated": kit.percent(of_course(
            eliminated, kit.Quantity.SHARE_OF_TRIALS, A, B, idle=same_pools, working=other_pools,
        )),
        "limit": (tps[A] / tps[A_10_1]).but(idle=nothing_slowed(A)),
        "background": (tps[A_10_1] / tps[A_10_5]).but(idle=background_not_reached),
        "limits_B": (tps[B] / tps[B_10_5]).but(idle=nothing_slowed(A), inert=nothing_handed_over),
        "late_peak_A": trials(A, "peak_interval", lambda peak: peak >= 3),
        "early_peak": trials(BASELINE, "peak_interval", lambda peak: peak <= 2),
        "last_B": shape(B, "last_over_first"),
        "late_growth_B": shape(B, "late_growth"),
        "fall_B": shape(B, "max_drawdown", share_that_falls, aa=None),
        "rising_B": shape(B, "rising_share", lambda values, **how: statistics.share(values, 11, **how), aa=None),
    }),
    # How deep a fall is follows from how much the storage lets pass.
    **departing(unlike_depth, {
        "highest": shape(BASELINE, "peak_over_mean", bounded=True),
        "lowest": shape(BASELINE, "min_over_peak", share_of_peak, bounded=True),
        "lowest_A": shape(A, "min_over_peak", share_of_peak, bounded=True),
        "end": shape(BASELINE, "end_over_peak", share_of_peak, bounded=True),
        "last_third": shape(BASELINE, "post_cliff_over_peak", share_of_peak, bounded=True),
        "after_onset": of_course(after_onset, kit.Quantity.SHAPE, BASELINE, bounded=True),
    }),
    "gain": {"B": tps[B] / tps[A], "free": tps[A_FREE] / tps[A], "80": tps[A_80] / tps[A],
             "over_80": tps[B] / tps[A_80], "B_free": tps[B_FREE] / tps[A_FREE]},
    "fell": kit.custom(lambda s: s.fell_s(A), kit.Quantity.LEVEL, A),
    "fell_10_5": kit.custom(lambda s: s.fell_s(A_10_5), kit.Quantity.LEVEL, A_10_5),
    "reached": kit.custom(lambda s: s.reached_s(A), kit.Quantity.LEVEL, A),
    "reached_10_5": kit.custom(lambda s: s.reached_s(A_10_5), kit.Quantity.LEVEL, A_10_5),
    "begun": kit.custom(lambda s: s.started(A_10_5, A), kit.Quantity.COMPARISON, A_10_5, A),
}  # fmt: skip


def server(summary: Summary) -> dict[str, Any]:
    """What the run says of the server and its machine, as far as it knows it."""
    unknown = dict.fromkeys(("engine_version", "wal_compression", "cores"), pgbench.UNKNOWN)
    record = {**unknown, **summary.run.provenance}
    major = str(record["engine_version"]).partition(".")[0]
    return {"major": int(major) if major.isdigit() else 0, "data_bytes": summary.parameters.data_bytes, **record}


def waiting_for_disk(summary: Summary) -> float:
    """Share of the connections seen in the first configuration that waited for input or output, in %."""
    seen = {kind: summary.values(first(summary), f"waits_{kind.lower()}").sum() for kind in WAIT_TYPES}
    if not (every := sum(seen.values())):
        raise kit.NotEstimableError("this run saw no connection", "measure longer trials")
    return float(100 * seen["IO"] / every)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus, "server": server, "capped": lambda summary: summary.capped,
    "bounded": lambda summary: summary.run.provenance.get("memory_bound", pgbench.UNKNOWN),
    "cached": lambda s: min(float(s.values(arm, "data_in_os_cache_start").min()) for arm in s.note_arms),
    "pages": lambda summary: summary.mean(B if summary.capped else B_FREE, "transactions_per_account_page"),
    "pages_named": lambda summary: PAGES_NAMED,
    "capped_writes": pgbench.mean(A, "storage_write_iops"), "free_writes": pgbench.mean(A_FREE, "storage_write_iops"),
    "write_ms": pgbench.mean(A, "storage_write_p50_us", 1000),
    "cap_share": lambda summary: treatment.cap_share(summary, A, A_FREE),
    "noted_writes": lambda summary: NOTE_WRITES_PER_TRANSACTION,
    "looking": lambda s: s.run.trials.reindex(columns=["look_share"])["look_share"].astype(float).mean(),
    "shortest": lambda summary: SHORTEST_COURSE_S,
    "all_cliffs": lambda s: np.concatenate([s.values(arm, "cliff") for arm in s.having(s.arms, "cliff")]),
    **{f"falls_{name}": partial(Summary.cliffs, arm=arm)
       for name, arm in (("A", A), ("B", B), ("80", A_80), ("free", A_FREE))},
    "waiting_for_disk": waiting_for_disk,
    "dirty_mb": pgbench.mean(A, "dirty_peak_bytes", 1e6),
    "dirty_mb_10_5": pgbench.mean(A_10_5, "dirty_peak_bytes", 1e6),
    "apart_s": lambda summary: 2.0,  # looked at once a second, limits that are met closer together look alike
    "idle": nothing_slowed(A),
    "baseline": lambda summary: summary.label(first(summary)),
    "itself": lambda s: (
        pgbench.repeated(s, again(s), first(s), "tps", "min_over_peak", "end_over_peak") or NOT_ESTIMABLE
    ),
}  # fmt: skip


def note_timeline(summary: Summary) -> pd.DataFrame:
    """The note's three timelines side by side, TPS per 5 s."""
    found = notes.table("c8gb_timeline").pivot_table(index="t_s", columns="run", values="tps")
    found.columns = pd.Index(["run 1: baseline", "run 2: A", "run 3: B"])
    found.index.name = "second"
    return found.map(lambda value: "" if pd.isna(value) else f"{value:,.0f}")


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS with interval, latency, trials with a cliff, dirty data, evictions, writes."""

    def fallen(arm: str) -> str:
        return "{} of {}".format(*summary.cliffs(arm)) if summary.has(arm, "cliff") else NOT_ESTIMABLE

    def begun(arm: str) -> str:
        if not summary.has(arm, "checkpoints"):
            return pgbench.UNKNOWN
        ends = {f"{end:,.0f}": None for end in np.percentile(summary.values(arm, "checkpoints"), (0, 100))}
        return " to ".join(ends)

    counts = partial(kit.means, summary, otherwise=pgbench.UNKNOWN)
    columns = {
        **kit.levels(summary, "tps", "latency_mean_ns", "latency_p99_ns", otherwise=NOT_ESTIMABLE),
        "trials with a cliff": fallen,
        **counts("evictions", "dirty_peak_bytes", "dirty_limit_bytes", "disk_written_bytes", "storage_write_iops"),
        "checkpoints": begun,
        **counts("wal_bytes", "transactions_per_account_page"),
    }
    return kit.table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


SHOWN = (A, A_10_5, A_80, B, A_FREE, B_FREE)


def seen(summary: Summary) -> pd.DataFrame:
    """A row for each pool and storage: trials with a cliff, how they end, pages evicted, trials near the limit."""
    short = summary.parameters.trial_seconds < SHORTEST_COURSE_S

    def count(metric: str, arm: str) -> str:
        values = summary.values(arm, metric) if summary.has(arm, metric) else None
        return pgbench.UNKNOWN if values is None else f"{int(values.sum())} of {len(values)}"

    def end(arm: str) -> str:
        return str(kit.Told(summary.estimated(share_of_peak, summary.values(arm, "end_over_peak"))))

    columns: dict[str, Callable[[str], str]] = {
        "trials with a cliff": lambda arm: NOT_ESTIMABLE if short else count("cliff", arm),
        "last twelfth over the best": lambda arm: NOT_ESTIMABLE if short else end(arm),
        **kit.means(summary, "evictions", otherwise=pgbench.UNKNOWN),
        "trials with dirty data near its limit": partial(count, "limit_reached"),
    }
    rows = [({"configuration": summary.label(arm)}, arm) for arm in summary.having(SHOWN, "cliff")]
    return kit.table(rows, columns)


TABLES = {"note_timeline": note_timeline, "overview": overview, "seen": seen}
DIRTY = (
    *(f"{name}_mib_{part + 1:02}" for name in ("dirty", "writeback") for part in range(PARTS)),
    "dirty_slowing_bytes", "dirty_peak_bytes",
)  # fmt: skip
"""What a run has where its system tells of dirty data."""
LIMIT = {"dash": "dot", "color": theme.COLOURS["grey"]}


def middles(summary: Summary, arm: str, parts: int = PARTS) -> np.ndarray:
    """The second in the middle of each of so many parts of a trial, shape (parts,)."""
    return np.asarray((np.arange(parts) + 0.5) / parts * summary.seconds(arm))


def amounts(summary: Summary, arm: str) -> tuple[np.ndarray, float]:
    """MiB that wait to be written or are being written in each part of a trial, and from which writers are slowed."""
    dirty, written = (
        np.array([summary.mean(arm, f"{name}_mib_{part + 1:02}") for part in range(PARTS)])
        for name in ("dirty", "writeback")
    )
    return dirty + written, summary.mean(arm, "dirty_slowing_bytes") / 2**20


def add_course(summary: Summary, plot: go.Figure, arm: str, column: int) -> tuple[list[kit.Estimate], pd.DataFrame]:
    """TPS over trials in each twelfth, drawn with its band in the first row."""
    courses = summary.courses(arm)

    def of(values: np.ndarray) -> kit.Estimate:
        try:
            return summary.estimated(statistics.geometric_mean, values, of=courses.index)
        except BenchbookError:  # a standstill in some trial leaves the logs
            if values.size < 2:
                return statistics.exact(float(values[0]))
            return summary.estimated(statistics.arithmetic_mean, values, of=courses.index)

    seconds, estimates = middles(summary, arm, 12).tolist(), [of(values) for values in courses.to_numpy().T]
    points, low, high = ([getattr(e, end) for e in estimates] for end in ("point", "low", "high"))
    pgbench.courses.add_course(plot, 0, "throughput", seconds, points, (low, high), row=1, col=column)
    plot.data[-1].update(showlegend=column == 1, marker={"size": 5})
    return estimates, pd.DataFrame(
        {"second": seconds, "value": points, "low": low, "high": high, "trials": len(courses)}
    )


def add_waiting(summary: Summary, plot: go.Figure, arm: str, column: int) -> tuple[np.ndarray, float]:
    """The lower panel of a configuration, and in both when it comes close to the point that slows writers."""
    (waiting, slowing), cell = amounts(summary, arm), {"row": 2, "col": column}
    plot.add_scatter(
        x=middles(summary, arm), y=waiting, name="waiting to be written", showlegend=column == 1, mode="lines",
        line={"color": COLOURS[1], "dash": "solid"}, **cell,
    )  # fmt: skip
    plot.add_hline(y=slowing, line=LIMIT, **cell)
    with suppress(BenchbookError):  # neared in one trial at most
        reached = summary.reached_s(arm)
        if waiting.max() >= 0.9 * slowing and summary.in_blocks(arm)["limit_reached_at"].notna().mean() > 0.5:
            for row in (1, 2):
                plot.add_vline(x=reached.point, line=LIMIT, row=row, col=column)
    return waiting, slowing


def timelines(summary: Summary) -> kit.Drawn:
    """One column per pool and storage: TPS, and under it what waits to be written and the point that slows writers."""
    pools = {"20": (A, A_FREE), f"{100 * ALL['pool_over_data']:.0f}": (B, B_FREE)}
    columns = {arm: f"pool {pool} %, {how}" for pool, pair in pools.items()
               for arm, how in zip(pair, ("capped", "not capped"), strict=True) if arm in summary.arms}  # fmt: skip
    plot = make_subplots(
        rows=2, cols=len(columns), shared_xaxes=True, shared_yaxes="rows", vertical_spacing=0.08,
        horizontal_spacing=0.02, column_titles=[name.replace(", ", "<br>") for name in columns.values()],
    )  # fmt: skip
    tables, courses, most, seconds = [], {}, [0.0], summary.parameters.trial_seconds
    for column, (arm, name) in enumerate(columns.items(), start=1):
        courses[name], table = add_course(summary, plot, arm, column)
        tables.append(table.assign(configuration=name, what="TPS"))
        if summary.has(arm, *DIRTY):
            waiting, slowing = add_waiting(summary, plot, arm, column)
            most += [slowing, float(waiting.max())]
            at = {"second": middles(summary, arm), "value": waiting}
            tables.append(pd.DataFrame({"configuration": name, "what": "waiting to be written (MiB)", **at}))
    plot.add_scatter(
        x=[None], y=[None], name="the kernel begins to slow writers", mode="lines", line=LIMIT, row=2, col=1
    )
    plot.update_annotations(font_size=13)
    plot.update_xaxes(range=[0, seconds], tickvals=[0, seconds / 3, 2 * seconds / 3], tickformat=".3~g")
    plot.update_xaxes(title="second", row=2)
    highest = max(float(summary.courses(arm).to_numpy().max()) for arm in columns)
    for row, title, top in ((1, "TPS", 1.15 * highest), (2, "to be written (MiB)", 1.1 * max(most))):
        plot.update_yaxes(range=[0, top or 1], row=row)
        plot.update_yaxes(title=title, row=row, col=1)
    plot.update_layout(height=520)
    data = pd.concat(tables, ignore_index=True)[["configuration", "what", "second", "value", "low", "high"]]
    return kit.Drawn(plot, data, courses, [e for each in courses.values() for e in each], own={"n": len(columns)})


COMPARED = (
    (f"{A}_again", A), (f"{A_FREE}_again", A_FREE), (BASELINE, A), (B, A), (A_80, A), (A_FREE, A), (B_FREE, B),
    (B_FREE, A_FREE), (A, A_10_1), (A_10_1, A_10_5), (B, B_10_5),
)  # fmt: skip


def pairs(summary: Summary) -> dict[tuple[str, str], str]:
    """The comparisons that the run has, labelled without what the letters A and B stand for."""
    letters = {arm: summary.label(arm).split(":")[0] for arm in (A, B)}
    known = [pair for pair in COMPARED if {*pair} <= {*summary.arms}]
    return {pair: " / ".join(letters.get(arm, summary.label(arm)) for arm in pair) for pair in known}


FIGURES = {
    "timelines": timelines,
    "share_of_trials": kit.Dots(
        rows=lambda summary: summary.arms, axis="trials with a cliff (%)", quantity="percent", heading="", factor=100,
        series={"share of the trials": lambda summary, arm: statistics.share_of_trials(*summary.cliffs(arm))},
        scale="percent", height=120, more={"trials with a cliff": lambda summary, arm: summary.cliffs(arm)[0]},
    ),
    "dirty_limits": kit.Dots(
        rows=pairs, series={"ratio of TPS": lambda summary, pair: summary.gain(*pair)}, row="comparison",
        axis="throughput of the first over the second (above 1: faster)", quantity="ratio", heading="", rule=1,
        height=120, replicates="blocks",
    ),
    "claims": kit.ClaimFigure(),
}  # fmt: skip
