"""How often the server checkpoints, with full page images or without, and what a kill then costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from benchbook import kit
from benchbook.engines.postgres import recovery
from benchbook.measuring import pgbench


class Parameters(pgbench.StorageParameters):
    """Defaults are the standard profile: 600 MB of data, about a quarter of an hour a block."""

    blocks: int = kit.common("blocks", 3)
    scale: int = kit.common("scale", 40)
    clients: int = kit.common("clients", 10)
    trial_seconds: int = kit.common(
        "trial_seconds", 60, words="length of a trial; by default two cycles of the shortest checkpoint_timeout, 30 s"
    )
    fill_seconds: int = kit.common("fill_seconds", 20)

    _nothing_delayed = pgbench.undelayed(
        "the server is started again within a trial here, and the new one would have no delay"
    )

    @property
    def loaded_seconds(self) -> int:
        """How long the server is under load before it is killed."""
        return self.trial_seconds + self.fill_seconds

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of one trial: each cycle logs every page once as a whole."""
        return int((2 + self.loaded_seconds / 30) * 1.2 * self.data_bytes) + self.loaded_seconds * 10_000 * 1_000


ARMS: dict[str, tuple[str, dict[str, int | bool]]] = {
    "hour": ("timeout 1 h: none", {}),
    "hour_again": ("timeout 1 h again (A/A)", {}),
    "minute": ("timeout 60 s", {"checkpoint_timeout_s": 60}),
    "half_minute": ("timeout 30 s", {"checkpoint_timeout_s": 30}),
    "half_minute_no_images": ("timeout 30 s, full_page_writes off",
                              {"checkpoint_timeout_s": 30, "full_page_writes": False}),
    "small_log": ("max_wal_size 96 MB", {"max_wal_size_mb": 96}),
    "hour_free": ("timeout 1 h, storage not capped", {"capped": False}),
    "hour_free_again": ("timeout 1 h, storage not capped, again (A/A)", {"capped": False}),
    "half_minute_free": ("timeout 30 s, storage not capped", {"checkpoint_timeout_s": 30, "capped": False}),
}  # fmt: skip
"""What each changes. 30 s is the shortest that PostgreSQL allows; 96 MB are about its 1 GB in proportion to the note's
20 GB of data, and 20 GB are never reached in a trial."""


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """What is compared stands together in a block; without a cap the rest has an A/A pair of its own."""
    usual = {"checkpoint_timeout_s": 3_600, "max_wal_size_mb": 20_000, "full_page_writes": True, "capped": True}
    for name, (label, changed) in ARMS.items():
        settings = usual | changed
        if name != "hour_free_again" if parameters.allow_slow_storage else not settings["capped"]:
            yield kit.Configuration(name, label, settings, "capped" if settings["capped"] else "not capped")


def needs(parameters: Parameters) -> kit.Needs:
    """A recovery writes 1,300 pages a second under the cap."""
    p = parameters
    capped = pgbench.capped.CERTIFICATE_SECONDS + p.scale * pgbench.PAGES_PER_SCALE / 1_300
    trials = [p.loaded_seconds + capped * bool(arm.settings["capped"]) for arm in configurations(p)]
    return pgbench.needs(p, trials, beside_s=5.0, usable=pgbench.capped.usable(p))


@dataclass(frozen=True)
class Bench(pgbench.Capped[Parameters]):
    """Trials on a filled pool that checkpoint or do not, a kill at their end, and the recovery after it."""

    def settings(self, arm: kit.Configuration) -> pgbench.Settings:
        """Note 003's of its second round, whose data had 0.92 of the pool, without compression, and the arm's own."""
        own = arm.settings
        return pgbench.NOTE_003 | {
            "shared_buffers": f"{pgbench.pool_blocks(1 / 0.92 * self.tables.data_bytes) * 8}kB",
            "max_connections": self.parameters.max_connections,
            "checkpoint_timeout": f"{own['checkpoint_timeout_s']}s", "full_page_writes": bool(own["full_page_writes"]),
            "max_wal_size": f"{own['max_wal_size_mb']}MB", "min_wal_size": "32MB", "wal_buffers": "16MB",
            "wal_compression": "off", "checkpoint_completion_target": 0.9,
        }  # fmt: skip

    def trial(self, planned: kit.PlannedTrial, bound: pgbench.MemoryBound) -> pgbench.Measured:
        """On a filled pool; then the server is killed, and what its recovery takes and finds is measured too."""
        p, cluster = self.parameters, self.tables.cluster
        with pgbench.connect(cluster) as connection:
            pgbench.residency.prewarm(connection)
        filled = self.run(self.tpcb(planned, p.fill_seconds, 1)).processed if p.fill_seconds else 0
        sampler = pgbench.WaitSampler(cluster.connect, 0.25)
        done, _, metrics = self.counted(self.tpcb(planned, p.trial_seconds), sampler)
        with pgbench.connect(cluster) as connection:
            _, dirty = pgbench.residency.pool_pages(connection)
        recovered = recovery.after_crash(cluster, bound, self.settings(planned.configuration))
        with pgbench.connect(cluster) as connection:
            pgbench.check_balances(connection)
        kept = pgbench.subsample(done.latency_ns, 200)
        metrics |= {
            **reduce(kept),
            **pgbench.of_waits(sampler.waits, p.clients),
            "owed_pages": float(dirty),
            "ready_s": recovered.ready_s,
            "redo_s": recovered.redo_s,
            "recovery_checkpoint_s": recovered.checkpoint_s,
            "recovery_pages": float(recovered.pages),
            "lost_transactions": float(filled + done.processed - pgbench.history(cluster)),
        }
        return metrics, {"transaction": kept}


session = pgbench.capped.session_of(Bench, configurations, "hour_free", "pg_prewarm")
reduce = pgbench.reduce

METRICS = {
    **pgbench.METRICS,
    **pgbench.SPENT,
    "checkpoints": kit.Metric("number of checkpoints", format="{:.1f}".format, heading="checkpoints"),
    "owed_pages": kit.Metric("number of changed pages at the end", heading="pages owed"),
    **{name: kit.Metric(words, "s", format="{:.1f}".format, heading=heading) for name, words, heading in (
        ("ready_s", "time after a kill until the server answers", "answers after"),
        ("redo_s", "time to read and apply the log", "redo"),
        ("recovery_checkpoint_s", "time to write what the redo changed", "writes for"),
    )},
    "recovery_pages": kit.Metric("number of pages that the recovery writes", heading="recovery writes pages"),
    "lost_transactions": kit.Metric("number of acknowledged transactions that the recovery lost"),
    **pgbench.WAITED,
    "storage_write_p50_us": kit.Metric("median time of a write of 8 KiB", "us"),
}  # fmt: skip


class Summary(pgbench.Summary[Parameters]):
    """One run."""

    REMEDY = "needs root and allow_slow_storage=true"

    def per_page(self, arm: str) -> float:
        """Transactions per page of the accounts between two checkpoints, mean over trials; inf where there are none."""
        made, begun = self.mean(arm, "transactions"), self.mean(arm, "checkpoints")
        return made / begun / (self.parameters.scale * pgbench.PAGES_PER_SCALE) if begun else float("inf")

    def log_over_data(self) -> float:
        """The small max_wal_size over the data."""
        if "small_log" not in self.configurations:
            raise self.missing("small_log", "tps")
        size = float(self.configurations["small_log"].settings["max_wal_size_mb"] or 0) * 2**20
        return size / float(self.run.provenance["data_bytes"])

    def departures(self) -> list[str]:
        own = ["storage that is not capped"] * ("hour" not in self.arms) + ["a log without compression instead of lz4"]
        return own + [each for each in super().departures() if "compressed" not in each]


def first(summary: Summary) -> str:
    """The configuration that is measured twice."""
    return "hour" if "hour" in summary.arms else "hour_free"


again = pgbench.second_name(first)
AA = (again, first)


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Equal counts of client and server, bounded memory, nothing lost by a recovery."""
    arms = answer.estimand.names(summary)
    lost = summary.of(arms).reindex(columns=["lost_transactions"])["lost_transactions"].fillna(0)
    most = float(lost.abs().max()) if len(lost) else 0.0
    why = f"a recovery kept {most:.0f} transactions more or fewer than were made"
    return [*summary.counts_gate(arms), summary.bound_gate(arms), kit.Gate("recovery", most == 0, most, why)]


def against(more: str, *named: Any) -> kit.Values:
    """The hour over what checkpoints; idle unless each trial of the second had a checkpoint, and none of the first.

    named: what the claim names of it, as ``treatment.outside`` takes it.
    """

    def idle(summary: Summary) -> str:
        few, many = (summary.values(arm, "checkpoints") for arm in ("hour", more))
        if few.any():
            return f"{int((few > 0).sum())} of {few.size} trials of “{summary.label('hour')}” had a checkpoint"
        none = int((many < 1).sum())
        return f"{none} of {many.size} trials of “{summary.label(more)}” had no checkpoint" if none else ""

    departs = pgbench.treatment.outside(*named) if named else None
    return (kit.measured("tps")["hour"] / kit.measured("tps")[more]).but(idle=idle, departs=departs)


tps = kit.measured("tps")
often = {name: kit.counted(metric)["half_minute"] / kit.counted(metric)["hour"] for name, metric in (
    ("images", "full_images_per_transaction"), ("log", "wal_bytes_per_transaction"),
    ("writes", "disk_writes_per_transaction"),
)}  # fmt: skip
ready, redo, owed = (kit.counted(name) for name in ("ready_s", "redo_s", "owed_pages"))
NUMBERS = {
    # The note's rounds made 1.0 and 3.3 in five minutes; PostgreSQL's 1 GB is 0.05 to 0.13 of the note's data.
    "timeout": against("half_minute", lambda summary: summary.per_page("half_minute"), 1, 4,
                       "{:.2g} transactions per page between two checkpoints where the claim names 1 to 4"),
    "wal": against("small_log", Summary.log_over_data, 0.05, 0.20,
                   "max_wal_size of {:.0%} of the data where the claim names 5% to 20%"),
    "minute": against("minute"),
    "free": tps["hour_free"] / tps["half_minute_free"],
    "images_off": tps["half_minute_no_images"] / tps["half_minute"],
    "left": tps["hour"] / tps["half_minute_no_images"],
    **often,
    "ready": {"hour": ready["hour"], "often": ready["half_minute"], "hour_free": ready["hour_free"]},
    "redo": {"hour": redo["hour"], "often": redo["half_minute"], "small": redo["small_log"],
             "minute": kit.custom(lambda s: s.level("hour", "redo_s", s.parameters.loaded_seconds / 60),
                                  kit.Quantity.COUNTER, "hour")},
    "owed": {"hour": owed["hour"], "often": owed["half_minute"]},
    "same": tps[again] / tps[first],
}  # fmt: skip


def recovered(summary: Summary) -> dict[str, int]:
    """Trials with a recovery, and how many transactions these lost or gained."""
    every = summary.of(summary.arms)[["lost_transactions", "transactions"]].dropna()
    return {"lost": int(every["lost_transactions"].abs().sum()), "trials": len(every)}


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus, "capped": lambda summary: first(summary) == "hour", "recovered": recovered,
    "per_page": lambda summary: summary.per_page("half_minute"),
    "per_page_minute": lambda summary: summary.per_page("minute"),
    "per_page_small": lambda summary: summary.per_page("small_log"), "log_share": Summary.log_over_data,
    "capped_writes": pgbench.mean("hour", "storage_write_iops"),
    "images_often": pgbench.mean("half_minute", "full_images_per_transaction"),
    "images_hour": pgbench.mean("hour", "full_images_per_transaction"),
    "checkpoints_often": pgbench.mean("half_minute", "checkpoints"),
    "checkpoints_small": pgbench.mean("small_log", "checkpoints"),
}  # fmt: skip
MEND = "measure with allow_slow_storage=true, as root"


FIGURES = {
    "cost": kit.Dots(
        rows=lambda summary: {arm: "the same again (A/A)" if arm == "hour_again" else summary.label(arm)
                              for arm in summary.arms if arm not in ("hour", "hour_free", "hour_free_again")},
        row="checkpoints", heading="", quantity="TPS over none", scale="plain", rule=1,
        series={"measured": lambda summary, arm: summary.gain(arm, "hour_free" if arm.endswith("_free") else "hour")},
        axis="throughput over that without a checkpoint (above 1: faster)", replicates="blocks",
        nothing="This run did not measure checkpoints", mend=MEND,
    ),
    "claims": kit.ClaimFigure(),
}  # fmt: skip
