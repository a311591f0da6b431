"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from benchbook.chapters.checkpoints import arms
from benchbook.chapters.checkpoints.arms import Parameters
from benchbook.claims import Quantity
from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.metric_words import percent
from benchbook.measuring.pgbench.parameters import PAGES_PER_SCALE
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, Words, counts, custom, level, ratio
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.statistics import Gate

LEAST_PER_PAGE, MOST_PER_PAGE = 1.0, 4.0
"""Transactions per page of the accounts between two checkpoints that the claims name; the note's rounds made 1.0
and 3.3 in five minutes."""
LEAST_OF_DATA, MOST_OF_DATA = 0.05, 0.20
"""The small max_wal_size over the data, as the claims name it; PostgreSQL's 1 GB is 0.05 to 0.13 of the note's."""
METRICS: Metrics = {
    **metric_words.METRICS,
    "part_#_tps": Metric("throughput of a hundred-and-twentieth of the trial"),
    "user_s_per_transaction": Metric("server's processor time in user mode per transaction", "µs", 1e6),
    "system_s_per_transaction": Metric("server's processor time in the kernel per transaction", "µs", 1e6),
    "reads_per_transaction": Metric("number of pages read into the pool per transaction", format="{:.3f}".format),
    "disk_reads_per_transaction": Metric("number of reads from the device per transaction", format="{:.3f}".format),
    "disk_read_bytes_per_transaction": Metric("data read from the device per transaction", "KiB", 2**-10),
    "disk_writes_per_transaction": Metric(
        "number of writes to the device per transaction", format="{:.2f}".format, heading="writes per transaction"
    ),
    "disk_written_bytes_per_transaction": Metric("data written to the device per transaction", "KiB", 2**-10),
    "checkpoints": Metric("number of checkpoints", format="{:.1f}".format, heading="checkpoints"),
    "owed_pages": Metric("number of changed pages at the end", heading="pages owed"),
    "ready_s": Metric(
        "time after a kill until the server answers", "s", format="{:.1f}".format, heading="answers after"
    ),
    "redo_s": Metric("time to read and apply the log", "s", format="{:.1f}".format, heading="redo"),
    "recovery_checkpoint_s": Metric(
        "time to write what the redo changed", "s", format="{:.1f}".format, heading="writes for"
    ),
    "recovery_pages": Metric("number of pages that the recovery writes", heading="recovery writes pages"),
    "lost_transactions": Metric("number of acknowledged transactions that the recovery lost"),
    "wait_read_share": percent("share of the clients that wait for a read"),
    "wait_lock_share": percent("share of the clients that wait for a lock"),
    "wait_log_share": percent("share of the clients that wait for the log"),
    "wait_none_share": percent("share of the clients that wait for nothing"),
    "storage_write_p50_us": Metric("median time of a write of 8 KiB", "us"),
    "transactions": Metric("number of transactions"),
    "sample_mean_ns": Metric("mean latency of the stored transactions", "ms", 1e-6),
    "sample_p50_ns": Metric("median latency of the stored transactions", "ms", 1e-6),
}


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    @property
    def capped(self) -> bool:
        """Whether the run has configurations on storage that was made slow."""
        return arms.HOUR in self.configurations

    def first(self) -> str:
        """The configuration that is measured twice."""
        return arms.HOUR if self.capped else arms.HOUR_FREE

    def again(self) -> str:
        """The same under its second name."""
        return arms.AGAIN if self.capped else arms.FREE_AGAIN

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "needs root and allow_slow_storage=true"

    @property
    def load_minutes(self) -> float:
        """How long the server was under load before it was killed."""
        return (self.parameters.fill_seconds + self.parameters.trial_seconds) / 60

    def per_page(self, arm: str) -> float:
        """Transactions per page of the accounts between two checkpoints, mean over trials; inf where there are none."""
        made, begun = self.mean(arm, "transactions"), self.mean(arm, "checkpoints")
        return made / begun / (self.parameters.scale * PAGES_PER_SCALE) if begun else float("inf")

    def log_over_data(self, arm: str) -> float:
        """max_wal_size over the data."""
        if arm not in self.configurations:
            raise self.missing(arm, "tps")
        size = float(self.configurations[arm].settings["max_wal_size_mb"] or 0) * 2**20
        return size / float(self.run.provenance["data_bytes"])

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        own = {"storage that is not capped": not self.capped, "a log without compression instead of lz4": True}
        others = [each for each in super().departures() if "compressed" not in each]
        return [*(text for text, departs in own.items() if departs), *others]


AA = (Summary.again, Summary.first)


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts of client and server, bounded memory, nothing lost by a recovery."""
    arms_ = answer.estimand.names(summary)
    lost = summary.of(arms_).reindex(columns=["lost_transactions"])["lost_transactions"].fillna(0)
    most = float(lost.abs().max()) if len(lost) else 0.0
    kept = Gate("recovery", most == 0, most, f"a recovery kept {most:.0f} transactions more or fewer than were made")
    return [*summary.counts_gate(arms_), summary.bound_gate(arms_), kept]


def checkpointed(less: str, more: str) -> Words:
    """Why checkpoints cannot have made a difference; "" where each trial of the second had some, none of the first."""

    def why(summary: Summary) -> str:
        few, many = (summary.values(arm, "checkpoints") for arm in (less, more))
        if few.any():
            return f"{int((few > 0).sum())} of {few.size} trials of “{summary.label(less)}” had a checkpoint"
        if (none := int((many < 1).sum())) > 0:
            return f"{none} of {many.size} trials of “{summary.label(more)}” had no checkpoint"
        return ""

    return why


def spaced_as_named(summary: Summary) -> str:
    """That checkpoints by time lie closer together or further apart than the claim names; "" where they do not."""
    found = summary.per_page(arms.OFTEN)
    if LEAST_PER_PAGE <= found <= MOST_PER_PAGE:
        return ""
    named = f"{LEAST_PER_PAGE:g} to {MOST_PER_PAGE:g}"
    return f"{found:.2g} transactions per page between two checkpoints where the claim names {named}"


def sized_as_named(summary: Summary) -> str:
    """That the small log is of another size than the claim names; "" where it is not."""
    found = summary.log_over_data(arms.SMALL_LOG)
    if LEAST_OF_DATA <= found <= MOST_OF_DATA:
        return ""
    return f"max_wal_size of {found:.0%} of the data where the claim names {LEAST_OF_DATA:.0%} to {MOST_OF_DATA:.0%}"


def _against(bottom: str, departs: Words) -> Estimand:
    return ratio(arms.HOUR, bottom, "tps", idle=checkpointed(arms.HOUR, bottom), departs=departs)


NUMBERS = {
    "timeout": _against(arms.OFTEN, spaced_as_named),
    "wal": _against(arms.SMALL_LOG, sized_as_named),
    "minute": _against(arms.MINUTE, lambda summary: ""),
    "free": ratio(arms.HOUR_FREE, arms.OFTEN_FREE, "tps"),
    "images_off": ratio(arms.NO_IMAGES, arms.OFTEN, "tps"),
    "left": ratio(arms.HOUR, arms.NO_IMAGES, "tps"),
    "images": counts(arms.OFTEN, arms.HOUR, "full_images_per_transaction"),
    "log": counts(arms.OFTEN, arms.HOUR, "wal_bytes_per_transaction"),
    "writes": counts(arms.OFTEN, arms.HOUR, "disk_writes_per_transaction"),
    "ready_hour": level(arms.HOUR, "ready_s"),
    "ready_often": level(arms.OFTEN, "ready_s"),
    "ready_hour_free": level(arms.HOUR_FREE, "ready_s"),
    "redo_hour": level(arms.HOUR, "redo_s"),
    "redo_minute": custom(
        lambda summary: summary.level(arms.HOUR, "redo_s", summary.load_minutes), Quantity.COUNTER, arms.HOUR
    ),
    "redo_often": level(arms.OFTEN, "redo_s"),
    "redo_small": level(arms.SMALL_LOG, "redo_s"),
    "owed_hour": level(arms.HOUR, "owed_pages"),
    "owed_often": level(arms.OFTEN, "owed_pages"),
    "same": ratio(Summary.again, Summary.first, "tps"),
}


def _mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric) / unit


def _lost(summary: Summary) -> dict[str, int]:
    every = summary.of(summary.arms)[["lost_transactions", "transactions"]].dropna()
    return {"lost": int(every["lost_transactions"].abs().sum()), "trials": len(every)}


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "capped": lambda summary: summary.capped,
    "per_page": lambda summary: summary.per_page(arms.OFTEN),
    "per_page_minute": lambda summary: summary.per_page(arms.MINUTE),
    "per_page_small": lambda summary: summary.per_page(arms.SMALL_LOG),
    "log_share": lambda summary: summary.log_over_data(arms.SMALL_LOG),
    "capped_writes": _mean(arms.HOUR, "storage_write_iops"),
    "images_often": _mean(arms.OFTEN, "full_images_per_transaction"),
    "images_hour": _mean(arms.HOUR, "full_images_per_transaction"),
    "checkpoints_often": _mean(arms.OFTEN, "checkpoints"),
    "checkpoints_small": _mean(arms.SMALL_LOG, "checkpoints"),
    "recovered": _lost,
}
