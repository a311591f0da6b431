"""What the trials of a run show: metrics in words, whether they began cold and were bound by reads, what they lack."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook.chapters.cold_starts.arms import FREE, FREE_AGAIN, NOTE_READS_PER_TRANSACTION, Parameters
from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.ladder.arms import ROUND_1, ROUND_1_COLD, ROUND_1_COLD_AGAIN, Start
from benchbook.measuring.pgbench.ladder.metric_words import OF_RUN
from benchbook.measuring.pgbench.treatment import NEAR, PER_PAGE_003, too_few
from benchbook.notes import r8g_reports
from benchbook.numbers.estimands import Arm, Words, named
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.parameters.base import other_numbers

AS_READING = 0.5
"""Share of what note 003's first run has of clients in a wait for reads, from which a start is bound by them as it."""
MOST = 0.5
"""Share of the clients in such a wait from which most of them are, and of the trials from which most are."""
READING = "waits_reading"
METRICS: Metrics = {
    **OF_RUN,
    **metric_words.LOOKED,
    "device_read_iops": Metric("reads of the device in a second", heading="device reads/s"),
    "device_read_iops_most": Metric(
        "reads of the device in a second of the twelfth with most", heading="device reads/s at most"
    ),
    "device_read_iops_#": Metric("reads of the device in a second of a twelfth"),
    "paced_iops": Metric("reads past the page cache in a second", heading="reads past the cache/s"),
    "paced_iops_most": Metric("reads past the page cache in a second of the twelfth with most"),
    "paced_iops_#": Metric("reads past the page cache in a second of a twelfth"),
    "paced_reads_per_transaction": Metric(
        "number of reads past the page cache per transaction",
        format="{:.2f}".format,
        heading="reads past the cache per transaction",
    ),
    "paced_wait_ms": Metric("time until a read past the page cache may pass", "ms", format="{:.1f}".format),
    "read_cap_iops": Metric("reads past the page cache that may pass in a second", heading="reads/s allowed"),
    "storage_read_iops": Metric("reads of 8 KiB that the storage does in a second", heading="reads/s possible"),
    "storage_read_p50_us": Metric("median time of a read of 8 KiB, one at a time", "µs"),
}


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    @property
    def capped(self) -> bool:
        """Whether the run has configurations whose reads are capped."""
        return ROUND_1_COLD in self.configurations

    def first(self) -> str:
        """The configuration that is measured twice."""
        return ROUND_1_COLD if self.capped else FREE

    def again(self) -> str:
        """The same under its second name."""
        return ROUND_1_COLD_AGAIN if self.capped else FREE_AGAIN

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "needs root and allow_slow_storage=true"

    @property
    def per_transaction(self) -> float:
        """Reads that may pass for each transaction on a warm pool."""
        warm = np.log(self.values(ROUND_1_COLD, "read_cap_iops") / self.values(ROUND_1, "tps"))
        return float(np.exp(warm.mean()))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = {
            "all of it on this machine's own disk, without a cap": not p.allow_slow_storage,
            "pools in ordinary pages where the note has huge ones": not p.allow_vm_settings,
        }
        return [*(text for text, departs in found.items() if departs), *super().departures()]


def bound_by_reads(summary: Summary) -> str:
    """That the start of round 1 is not bound by reads as the note's was; "" where it is."""
    noted = r8g_reports.reports()[r8g_reports.ROUND_1].read_waits / 100
    seen = summary.values(ROUND_1_COLD, READING)
    if seen.mean() >= AS_READING * noted:
        return ""
    return (
        f"over a trial of “{summary.label(ROUND_1_COLD)}” {seen.mean():.1%} of the clients wait for a read (at most "
        f"{seen.max():.1%}, {len(seen)} trials), where the report of the note's first run has {noted:.0%}. A lower "
        "cap would get there"
    )


def bound_at_first(summary: Summary) -> str:
    """Why the first seconds are not those of the note, in which clients wait for reads; "" where most do so here."""
    seen = summary.values(ROUND_1_COLD, "reading_first")
    most = int((seen > MOST).sum())
    if most > MOST * len(seen):
        return ""
    return (
        f"in {most or 'none'} of {len(seen)} trials most of the clients wait for a read in the first twelfth (at most "
        f"{seen.max():.1%} do), where the note's report has 91 to 97 of 100. A lower cap would get there"
    )


def not_in_proportion(summary: Summary) -> str:
    """That the cap is not in the note's proportion, in words; "" where it is."""
    share = summary.per_transaction
    if 1 / NEAR <= share / NOTE_READS_PER_TRANSACTION <= NEAR:
        return ""
    return (
        f"a cap of {share:.2f} reads for each transaction that is made on a warm pool, where the claim names "
        f"{NOTE_READS_PER_TRANSACTION:.2f}"
    )


def departing(*given: Arm, also: Iterable[Words] = ()) -> Words:
    """How far the trials of these configurations depart from what the claims name; "" where they do not."""

    def what(summary: Summary) -> str:
        names = {named(arm, summary) for arm in given}
        found = [*other_numbers(summary.parameters), too_few(summary, names, PER_PAGE_003), not_in_proportion(summary)]
        return " and ".join(filter(None, [*found, *(each(summary) for each in also)]))

    return what


def warm(summary: Summary, names: Iterable[str]) -> set[str]:
    """Those of these configurations that begin on a filled pool."""
    return {*names} & {*summary.where("start", Start.WARM)}
