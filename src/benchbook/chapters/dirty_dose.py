"""Limits of dirty data, the background writer, a bound on memory and the pool: when throughput then falls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from plotly.subplots import make_subplots

from benchbook import kit, statistics
from benchbook.drawing.marks import COLOURS
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.pgbench.kernel_waits import KernelWaits, Seen
from benchbook.measuring import pgbench
from benchbook.statistics.estimates import MEDIAN_TRIALS


class Parameters(pgbench.StorageParameters):
    """Defaults are the standard profile: 750 MB of data, about ten minutes a block."""

    blocks: int = kit.common("blocks", 2)
    trial_seconds: int = kit.common(
        "trial_seconds", 25, high=3_600, words="length of a trial from a restart with an empty pool"
    )
    allow_vm_settings: bool = kit.param(
        True, words="set the kernel's limits of dirty data for the length of each trial and put them back (root only); "
        "without it nothing but the pool and the cap can be varied",
    )  # fmt: skip
    _nothing_delayed = pgbench.undelayed("nothing is delayed in this chapter")

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of one trial."""
        return int(self.data_bytes * 1.2) + self.trial_seconds * 10_000 * 9_000 // 4


LIMITS = {"90": (90, 22), "225": (225, 112), "450": (450, 225), "1600": (1600, 800)}
"""Limits of dirty data in MiB, and those from which the kernel writes in the background."""
WAYS: tuple[tuple[str, str, str, tuple[str, ...], dict[str, bool]], ...] = (
    ("plain", "dose", "", tuple(LIMITS), {}),
    ("noted", "note", ", note 002's background writer", ("90", "450"), {"noted_writer": True}),
    ("ahead", "read ahead", ", data read ahead", ("90", "450", "1600"), {"read_ahead": True}),
    ("bound", "read ahead", ", as in version 2 of the I/O cliff", ("90", "450"),
     {"noted_writer": True, "read_ahead": True, "bound": True}),
)  # fmt: skip
"""PostgreSQL's own background writer; the note's; the data read ahead into the OS cache, in large pieces, and not page
by page; the same in a bound on memory with the note's background writer, as in version 2 of io_cliff."""


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """As far as the parameters let them be run; what is compared stands together."""

    def arm(name: str, label: str, group: str = "control", limit: str = "225", **changed: Any) -> kit.Configuration:
        dirty, background = LIMITS[limit]
        usual = {"noted_writer": False, "read_ahead": False, "bound": False, "pool_over_data": 0.2, "capped": True}
        limits = {"dirty_mib": dirty, "dirty_background_mib": background}
        return kit.Configuration(name, label, limits | usual | changed, group)

    limited = parameters.allow_slow_storage and parameters.allow_vm_settings
    for way, group, words, limits, changed in WAYS:
        for limit in limits if limited and (way != "bound" or parameters.bound_memory) else ():
            yield arm(f"{way}_{limit}", f"limit {limit} MiB{words}", group, limit, **changed)
            if way == "plain" and limit == "225":
                yield arm("plain_225_again", "limit 225 MiB again (A/A)", group)
    if parameters.allow_slow_storage:
        yield arm("pool_100", "pool of all the data", pool_over_data=1.2)
    else:
        yield arm("not_capped_again", "storage not capped, again (A/A)", capped=False)
    yield arm("not_capped", "storage not capped", capped=False)


def needs(parameters: Parameters) -> kit.Needs:
    """Of all trials; root where the parameters ask for it."""
    p = parameters
    each = p.trial_seconds + pgbench.capped.CERTIFICATE_SECONDS * p.allow_slow_storage
    usable = pgbench.capped.usable(p, "set allow_vm_settings=false to measure the controls only")
    return pgbench.needs(p, [each] * len([*configurations(p)]), beside_s=3.0, usable=usable)


@dataclass(frozen=True)
class Bench(pgbench.Limited[Parameters]):
    """Trials from a restart under limits of dirty data; what waits to be written is looked at all along."""

    def measure(self, planned: kit.PlannedTrial) -> kit.Trial:
        """In a bound on memory, or without one where the configuration has none."""
        if self.parameters.bound_memory and not planned.configuration.settings["bound"]:
            free = self.parameters.model_copy(update={"bound_memory": False})
            return replace(self, parameters=free).measure(planned)
        return super().measure(planned)

    def settings(self, arm: kit.Configuration) -> pgbench.Settings:
        """PostgreSQL's own but for the pool and what the log may grow to; or with note 002's background writer."""
        noted = pgbench.NOTE_002 | {"bgwriter_lru_maxpages": 1000} if arm.settings["noted_writer"] else {}
        pool = pgbench.pool_blocks(float(arm.settings["pool_over_data"] or 0) * self.tables.data_bytes)
        return noted | {
            "shared_buffers": f"{pool * 8}kB", "max_connections": self.parameters.max_connections,
            "wal_compression": self.tables.wal_compression, "max_wal_size": "48GB", "checkpoint_timeout": "30min",
        }  # fmt: skip

    def limits(self, arm: kit.Configuration) -> DirtyLimits | None:
        """Those of a trial, at the kernel's own ages: nothing is written for its age; None leaves the machine's own."""
        if not self.parameters.allow_vm_settings:
            return None
        limit, background = (int(arm.settings[name] or 0) * 2**20 for name in ("dirty_mib", "dirty_background_mib"))
        return DirtyLimits(limit, background, 3_000, 500)

    def trial(self, planned: kit.PlannedTrial, bound: pgbench.MemoryBound) -> pgbench.Measured:
        """From a restart with an empty pool, watched while it is measured."""
        p, waits, limits = self.parameters, KernelWaits(self.tables.cluster), self.limits(planned.configuration)
        work = pgbench.Workload("tpcb-like", p.clients, p.threads, p.trial_seconds, seed=planned.seed)
        done, window, metrics = self.counted(work, waits)
        kept, slows = pgbench.subsample(done.latency_ns, 200), None if limits is None else limits.slows_from_bytes
        handed = None if window.evictions is None else 8192.0 * (window.evictions + window.cleaned)
        metrics |= reduce(kept) | watched(waits.seen, done.end_s, p.trial_seconds, slows) | {"handed_bytes": handed}
        return metrics, {"transaction": kept}


def watched(seen: Seen, end_s: np.ndarray, seconds: float, slows: float | None) -> pgbench.Metrics:
    """When throughput falls, and when dirty data reach the point that slows writers, from 95 % of it on.

    end_s: when each transaction ended, in seconds after the trial's start, ascending. slows: bytes that wait to be
    written when the kernel begins to slow writers; None where nobody set a limit.
    """
    halves = int(2 * seconds)
    place = pgbench.spent.fall(np.histogram(end_s, bins=halves, range=(0.0, halves / 2))[0])
    fell, waiting = None if place is None else place / 2, seen.waiting_bytes
    near = [] if slows is None else seen.at_s[waiting >= 0.95 * slows].tolist()
    known, middles = ~np.isnan(waiting), (np.arange(pgbench.spent.PARTS) + 0.5) * seconds / pgbench.spent.PARTS

    def at(when: Any) -> np.ndarray | None:
        return np.interp(when, seen.at_s[known], waiting[known]) if known.any() else None

    def rate(start: float, end: float) -> float | None:
        low, high = np.searchsorted(end_s, (start, end))
        return float(high - low) / (end - start) if end > start else None

    begins = max(0.0, seconds - 4.0) if fell is None else fell  # backends are looked at for 4 s from then on
    level, along = at(begins), at(middles)
    return {
        "fell": float(fell is not None),
        "fell_s": fell,
        "reached": None if slows is None else float(bool(near)),
        "reached_s": near[0] if near else None,
        "waiting_peak_bytes": float(np.nanmax(waiting)) if known.any() else None,
        "waiting_at_fall_over_slowing": None if fell is None or not slows or level is None else float(level) / slows,
        "slows_from_bytes": slows,
        "tps_before": None if fell is None else rate(0.0, fell),
        "tps_after": None if fell is None else rate(fell, seconds),
        "file_lock_share": seen.share("ext4_buffered_write_iter", begins, begins + 4.0),  # another writes it
        "throttled_share": seen.share("balance_dirty_pages", begins, begins + 4.0),  # at the limit
        "backends_seen": float(seen.backends.max()) if seen.backends.size else None,
        **{f"waiting_{part + 1:03}_mib": None if along is None else float(along[part]) / 2**20
           for part in range(len(middles))},
    }  # fmt: skip


session = pgbench.capped.session_of(Bench, configurations, "not_capped")
reduce = pgbench.reduce

METRICS = {
    **pgbench.METRICS,
    **pgbench.SPENT,
    "reads_per_transaction": pgbench.SPENT["reads_per_transaction"].but(format="{:.2f}".format),
    "waiting_#_mib": kit.Metric("data that wait to be written in a hundred-and-twentieth of the trial", "MiB"),
    "fell": pgbench.percent("share of the trials in which throughput falls"),
    "fell_s": kit.Metric("second in which throughput falls", "s", format="{:.1f}".format),
    "reached": pgbench.percent("share of the trials in which dirty data reach the point that slows writers"),
    "reached_s": kit.Metric("second in which dirty data reach the point that slows writers", "s",
                            format="{:.1f}".format),
    "waiting_at_fall_over_slowing": kit.Metric(
        "data waiting to be written at the fall, over the point that slows writers", format="{:.2f}".format,
        heading="waiting at the fall over the point that slows",
    ),
    **{f"{name}_bytes": kit.Metric(words, "MiB", pgbench.MIB, heading=heading) for name, words, heading in (
        ("waiting_peak", "data waiting to be written at most", "most waiting"),
        ("handed", "data that the pool handed to the kernel", "handed to the kernel"),
        ("slows_from", "point that slows writers", "slows from"),
    )},
    **{f"tps_{when}": kit.Metric(f"throughput {when} the fall", heading=f"TPS {when}") for when in ("before", "after")},
    **{f"{name}_share": pgbench.percent(f"share of the backends that {words} after the fall", heading)
       for name, words, heading in (("file_lock", "wait for a file's lock", "wait for a file"),
                                    ("throttled", "the kernel slows", "slowed"))},
    "backends_seen": kit.Metric("number of backends looked at"),
}  # fmt: skip


class Summary(pgbench.Summary[Parameters]):
    """One run."""

    REMEDY = "needs root, allow_slow_storage=true and allow_vm_settings=true"

    def typical(self, arm: str, metric: str) -> kit.Estimate:
        """Mean over the trials that have such a second; raises NotEstimableError for fewer than two."""
        values = self.seen(arm, metric)
        # A second that may be 0 has no logarithm.
        mean = statistics.geometric_mean if values.all() else statistics.arithmetic_mean
        return self.of_those(arm, values, f"have a {self.in_words(metric)}", mean)

    def falls(self, arm: str) -> tuple[int, int]:
        """Trials in which throughput falls, and all trials, of a configuration."""
        values = self.values(arm, "fell")
        return int(values.sum()), values.size


def first(summary: Summary) -> str:
    """The configuration that is measured twice."""
    return "plain_225" if "plain_90" in summary.arms else "not_capped"


again = pgbench.second_name(first)
AA = (again, first)


def second(arm: str, metric: str = "fell_s") -> kit.Estimand:
    """Of the trials that have one."""
    return kit.custom(lambda summary: summary.typical(arm, metric), kit.Quantity.LEVEL, arm)


fell, most, handed = (kit.counted(name) for name in ("fell_s", "waiting_peak_bytes", "handed_bytes"))
tps, locked, slowed = kit.measured("tps"), kit.counted("file_lock_share"), kit.counted("throttled_share")
NUMBERS = {
    **{f"later{'' if way == 'plain' else f'_{way}'}": fell[f"{way}_450"] / fell[f"{way}_90"] for way, *_ in WAYS},
    "counted_ahead": most["ahead_1600"] / handed["ahead_1600"],
    "counted": most["plain_1600"] / handed["plain_1600"],
    **{f"{way}_fell_{name}": second(f"{way}_{limit}") for way in ("ahead", "bound")
       for name, limit in (("lowest", "90"), ("high", "450"))},
    **{f"fell_{limit}": second(f"plain_{limit}") for limit in ("90", "225", "450")},
    **{f"reached_{limit}": second(f"plain_{limit}", "reached_s") for limit in ("90", "225", "450")},
    "at_fall": second("plain_225", "waiting_at_fall_over_slowing"),
    "waiting_for_file": kit.percent(locked["plain_90"].mean),
    "waiting_for_file_none": kit.percent(locked["plain_1600"].mean),
    "slowed": kit.percent(slowed["plain_90"].mean),
    "cost": tps["plain_90"] / tps["plain_1600"],
    "depth": kit.measured("tps_after")["plain_90"] / kit.measured("tps_before")["plain_90"],
    "same": tps[again] / tps[first],
}  # fmt: skip
WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "falls_highest": lambda summary: summary.falls("plain_1600"),
    "falls_large": lambda summary: summary.falls("pool_100"),
    "falls_free": lambda summary: summary.falls("not_capped"),
    "capped_writes": lambda summary: summary.mean(first(summary), "storage_write_iops"),
}
DRAWN = 30
"""Parts of a trial that are drawn: four of those that are stored as one."""
MEND = "measure as root with allow_slow_storage=true and allow_vm_settings=true"


def courses(summary: Summary) -> kit.Drawn | kit.Blank:
    """TPS and what waits to be written along a trial, by limit: of few trials each, of more the intervals."""
    panels = {"TPS": "part_{}_tps", "waiting (MiB)": "waiting_{}_mib"}
    every = [name for metric in panels.values() for name in pgbench.courses.parts_of(metric)]
    known = {f"plain_{each}": f"{each} MiB" for each in LIMITS if summary.has(f"plain_{each}", *every)}
    if not known:
        return kit.Blank("This run did not vary the limits of dirty data", MEND)
    plot = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.06)
    at = ((np.arange(DRAWN) + 0.5) * summary.parameters.trial_seconds / DRAWN).tolist()
    shown, tables = dict[str, list[kit.Estimate]](), []
    for place, (arm, name) in enumerate(known.items()):
        for row, (what, metric) in enumerate(panels.items(), start=1):
            parts = np.stack([summary.values(arm, each) for each in pgbench.courses.parts_of(metric)])
            trials = parts.reshape(DRAWN, -1, parts.shape[1]).mean(axis=1)
            found = [summary.estimated(statistics.arithmetic_mean, part) for part in trials]
            few = trials.shape[1] < MEDIAN_TRIALS
            for trial in trials.T if few else ():
                plot.add_scatter(
                    x=at, y=trial, mode="lines", opacity=0.4, showlegend=False,
                    line={"color": COLOURS[place], "width": 1, "dash": "solid"}, hoverinfo="skip", row=row, col=1,
                )  # fmt: skip
            table = pgbench.courses.add_estimates(plot, place, name, at, found, "value", band=not few, row=row, col=1)
            plot.data[-1].update(showlegend=row == 1)
            tables.append(table.assign(limit=name, what=what))
            shown.setdefault(name, found)
    for arm in known:
        if arm != "plain_1600":
            plot.add_hline(y=sum(LIMITS[arm[6:]]) / 2, line={"dash": "dot", "width": 1}, row=2, col=1)
    plot.update_xaxes(title="second of the trial", range=[0, summary.parameters.trial_seconds], row=2)
    for row, what in enumerate(panels, start=1):
        plot.update_yaxes(title=what, rangemode="tozero", row=row)
    plot.update_layout(height=520)
    data = pd.concat(tables, ignore_index=True)[["limit", "what", "second", "value", "low", "high"]]
    return kit.Drawn(plot, data, shown, [e for found in shown.values() for e in found], own={"n": len(known)})


FIGURES = {
    "seconds": kit.Dots(
        # without the second name, two blocks of which lie apart, and would make the axis ten times as long
        rows=lambda s: [a.name for a in s.configurations.values() if a.group != "control" and a.name != again(s)],
        axis="second of the trial (s)", scale="zero", heading="what", mend=MEND,
        series={"dirty data reach the point that slows writers": lambda s, arm: s.typical(arm, "reached_s"),
                "throughput falls": lambda s, arm: s.typical(arm, "fell_s")},
        nothing="Fewer than two trials of each configuration fell or reached a limit",
    ),
    "courses": courses,
}  # fmt: skip
