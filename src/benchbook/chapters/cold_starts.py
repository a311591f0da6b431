"""Note 003's first two rounds from empty caches, on a volume that lets so many reads a second pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from pydantic import model_validator

from benchbook import kit, store
from benchbook.engines.storage import compiling, devices, pacing
from benchbook.engines.storage.caps import SMALLEST_IOPS
from benchbook.measuring import pgbench
from benchbook.measuring.pgbench import paced, parameters, storage, treatment
from benchbook.measuring.pgbench.ladder import arms, course, states
from benchbook.measuring.pgbench.ladder import parameters as ladder
from benchbook.measuring.storage import check
from benchbook.notes import nine_runs
from benchbook.notes.own_reports import evidence
from benchbook.numbers import hosts, looks
from benchbook.numbers.inert import published

CAPPED = {
    "round_1_cold": "round 1, cold", "round_1_cold_again": "round 1, cold, again (A/A)",
    "round_2_cold": "round 2, cold", "round_1_fits": "round 1, cold, data fit the pool", "round_1": "round 1, warm",
}  # fmt: skip
FREE = {"round_1_cold_free": "round 1, cold, reads not capped"}
AGAIN = {"round_1_cold_free_again": "round 1, cold, reads not capped, again (A/A)"}


class Parameters(pgbench.Parameters):
    """Defaults are the standard profile: 3 GB of data, some eight minutes a block on two processors."""

    blocks: int = kit.common("blocks", 3)
    scale: int = kit.common("scale", 200)
    clients: int = kit.common("clients", 100, asks="clients")
    threads: int = kit.common("threads", 4, high=100)
    trial_seconds: int = kit.common("trial_seconds", 36, high=3_600)
    warm_fill_seconds: int = kit.common("warm_fill_seconds", 2, low=1)
    allow_slow_storage: bool = kit.param(
        True,
        words="put the data on a volume of their own (a file behind a loop device, root only) and cap the reads in the "
        "trials of all configurations but one; without it only cold starts on the disk as it is are left",
    )
    read_iops: int = kit.param(
        0, 0, 1_000_000,
        "reads past the page cache that may pass in a second, from 20, writes being free; 0: in note 003's proportion "
        "to the transactions that a pilot makes on a warm pool",
    )  # fmt: skip
    read_ahead_kib: int = kit.param(64, 0, 16_384, "how far the kernel reads ahead on the volume, in KiB (note: 64)")
    allow_vm_settings: bool = kit.param(
        True,
        words="reserve huge pages for the pools, as the note did, and give them back after each trial (root only); "
        "without it pools lie in ordinary pages",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        few = f"read_iops={self.read_iops} is below {SMALLEST_IOPS}, too few to be told from none"
        kit.refuse(0 < self.read_iops < SMALLEST_IOPS, few)
        left = int((pgbench.SMALL_RAM_OVER_DATA - 1.07 * 0.4) * self.data_bytes)
        left += ladder.EXTRA_BYTES - ladder.SHARED_BYTES
        parameters.check_room(self, left, smallest=0.4)
        return self

    @property
    def warm_seconds(self) -> int:
        """Length of a trial, under the name that the ladder has for it."""
        return self.trial_seconds

    @property
    def log_bytes(self) -> int:
        return pgbench.log_bytes(self, self.trial_seconds + self.warm_fill_seconds, images=3)

    @property
    def volume_bytes(self) -> int:
        return int(self.data_bytes * 2.4) + parameters.VOLUME_SPARE_BYTES

    @property
    def disk_bytes(self) -> int:
        return super().disk_bytes + parameters.VOLUME_SPARE_BYTES * self.allow_slow_storage

    @property
    def memory_bytes(self) -> int:
        return int(ladder.LARGEST_RAM_OVER_DATA * self.data_bytes) + ladder.EXTRA_BYTES + 500_000_000


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """The ladder's, each run once; the first twice (A/A), and one where nothing caps the reads."""
    every = arms.configurations(ladder.Parameters(parts=("rounds", "states"), second_server=False))
    known = {arm.name: arm.settings for arm in every}
    for name, label in (CAPPED | FREE if parameters.allow_slow_storage else FREE | AGAIN).items():
        own = {**known[name.partition("_free")[0]], "runs": 1, "capped": "free" not in name}
        yield kit.Configuration(name, label, own, "starts")


def needs(parameters: Parameters) -> kit.Needs:
    """Of all trials, with their connections and certificates; root where asked for."""
    p, slow = parameters, parameters.allow_slow_storage

    def usable() -> None:
        check(allowed=slow)
        if slow:
            compiling.compiled(pacing.NAME)
        pgbench.has_huge_pages(p, ladder.LARGEST_RAM_OVER_DATA / 4)

    filled = [(p.warm_fill_seconds + 1) * (arm.settings["start"] == "warm") for arm in configurations(p)]
    beside = 3.0 + 0.03 * p.clients
    pilot = storage.PILOT_SECONDS + beside + 2 * p.data_bytes / 400e6 if slow and not p.read_iops else 0.0
    trials = [p.trial_seconds + each + 2.0 * slow for each in filled]
    return pgbench.needs(p, trials, beside_s=beside, once_s=pilot, usable=usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[paced.Bench]:
    p: Any = parameters
    with storage.placed(p) as place:
        if (volume := place.volume) is not None:  # before the server opens any file on it
            devices.set_read_ahead(devices.Device(volume.device, volume.number), p.read_ahead_kib)
        with pgbench.tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm", place=place) as found:
            if p.allow_slow_storage:
                found = replace(found, cluster=pacing.prepared(found.cluster))
            made = paced.Bench(p, found, p.read_iops)
            if p.allow_slow_storage and not p.read_iops:
                progress("making a pilot for the cap of the reads", 0.95)
                made = replace(made, iops=made.piloted(next(arm for arm in configurations(p) if arm.name == "round_1")))
            yield made


reduce = course.reduce
METRICS = {
    **states.OF_RUN,
    **pgbench.LOOKED,
    **{f"{name}{of}": kit.Metric(f"{words} in a second{when}", heading=heading) for name, words, short in (
        ("device_read_iops", "reads of the device", "device reads/s"),
        ("paced_iops", "reads past the page cache", "reads past the cache/s"),
    ) for of, when, heading in (
        ("", "", short), ("_most", " of the twelfth with most", f"{short} at most" * ("device" in name)),
        ("_#", " of a twelfth", ""),
    )},
    "paced_reads_per_transaction": kit.Metric(
        "number of reads past the page cache per transaction", format="{:.2f}".format,
        heading="reads past the cache per transaction",
    ),
    "paced_wait_ms": kit.Metric("time until a read past the page cache may pass", "ms", format="{:.1f}".format),
    "read_cap_iops": kit.Metric("reads past the page cache that may pass in a second", heading="reads/s allowed"),
    "storage_read_iops": kit.Metric("reads of 8 KiB that the storage does in a second", heading="reads/s possible"),
    "storage_read_p50_us": kit.Metric("median time of a read of 8 KiB, one at a time", "µs"),
}  # fmt: skip


class Summary(pgbench.Summary[Parameters]):
    REMEDY = "needs root and allow_slow_storage=true"

    @property
    def capped(self) -> bool:
        return "round_1_cold" in self.configurations

    def first(self) -> str:
        """The configuration that is measured twice."""
        return "round_1_cold" if self.capped else "round_1_cold_free"

    def again(self) -> str:
        return f"{self.first()}_again"

    @property
    def per_transaction(self) -> float:
        """Reads that may pass for each transaction on a warm pool."""
        share = self.values("round_1_cold", "read_cap_iops") / self.values("round_1", "tps")
        return float(np.exp(np.log(share).mean()))

    def departures(self) -> list[str]:
        disk = "all of it on this machine's own disk, without a cap" * (not self.parameters.allow_slow_storage)
        pages = "pools in ordinary pages where the note has huge ones" * (not self.parameters.allow_vm_settings)
        return [*filter(None, (disk, pages)), *super().departures()]


def note() -> nine_runs.Report:
    """The note's own report of its first round."""
    return nine_runs.reports()[nine_runs.ROUND_1]


def bound_by_reads(summary: Summary) -> str:
    """That the start of round 1 is not bound by reads as the note's was, half as much at least; "" where it is."""
    noted, seen = note().read_waits / 100, summary.values("round_1_cold", "waits_reading")
    return "" if seen.mean() >= noted / 2 else (
        f"over a trial of “{summary.label('round_1_cold')}” {seen.mean():.1%} of the clients wait for a read (at most "
        f"{seen.max():.1%}, {len(seen)} trials), where the report of the note's first run has {noted:.0%}. A lower "
        "cap would get there"
    )  # fmt: skip


def bound_at_first(summary: Summary) -> str:
    """Why the first seconds are not those of the note, in which clients wait for reads; "" where most do so here."""
    seen = summary.values("round_1_cold", "reading_first")
    most = int((seen > 0.5).sum())
    return "" if most > len(seen) / 2 else (
        f"in {most or 'none'} of {len(seen)} trials most of the clients wait for a read in the first twelfth (at most "
        f"{seen.max():.1%} do), where the note's report has 91 to 97 of 100. A lower cap would get there"
    )  # fmt: skip


def departing(summary: Summary, few: str) -> Iterator[str]:
    """By what a run departs from what claims name. few: that its trials are too short."""
    yield from (*kit.other_numbers(summary.parameters), few)
    share = summary.per_transaction
    if not 1 / treatment.NEAR <= share / paced.NOTE_READS_PER_TRANSACTION <= treatment.NEAR:
        of_note = f"where the claim names {paced.NOTE_READS_PER_TRANSACTION:.2f}"
        yield f"a cap of {share:.2f} reads for each transaction that is made on a warm pool, {of_note}"


AA = (Summary.again, Summary.first)
REPORTS = {each: evidence(each) for each in ("R024", "R029", "R087")}
SHARES = {"reading_first": "clients_looked_at_first", "extending_most": "clients_looked_at"}
"""Shares of clients that claims are about, to what each is a share of."""
checks = pgbench.claim_checks(lambda p: p.trial_seconds)


def aa_gates(summary: Summary, answer: kit.Answer) -> list[kit.Gate]:
    """Round 1 from cold caches against itself: a ratio, or a difference of shares."""
    metric, pair = answer.estimand.metric or "", (summary.again(), summary.first())
    if metric in SHARES:
        return [summary.aa_share_gate(*pair, metric, SHARES[metric])]
    return [summary.aa_gate(*pair, metric)]


claim = partial(pgbench.claimed, departing)
tps, sd, reading = (kit.measured(name) for name in ("tps", "latency_sd_ns", "waits_reading"))
first_mean, twelfth = kit.measured("first_over_mean"), kit.measured("interval_{:02}_tps")
bound = treatment.every(states.cold("round_1_cold"), bound_by_reads)
five = treatment.every(
    treatment.applied("wal_writer_flush_after", "round_2_cold", "round_1_cold"),
    states.cold("round_2_cold", "round_1_cold"), bound_by_reads,
)  # fmt: skip
sizes = treatment.every(states.cold("round_1_cold", "round_1_fits"), bound_by_reads)


def within(above: str, below: str, arm: str = "round_1_cold") -> kit.Values:
    return kit.measured(above)[arm] / kit.measured(below)[arm]


def of_clients(metric: str) -> Any:
    share = kit.share(metric, of=SHARES[metric])["round_1_cold"].as_quantity(kit.Quantity.LEVEL, metric)
    return kit.percent(claim(share, idle=treatment.every(states.cold("round_1_cold"), bound_at_first)))


spread = within("latency_sd_ns", "latency_mean_ns").as_quantity(kit.Quantity.DISPERSION, "latency_sd_ns")
NUMBERS = {
    "spread": claim(spread, idle=bound),
    **{nth: claim(within(f"interval_{place}_tps", "interval_12_tps"), idle=bound)
       for nth, place in {"first": "01", "second": "02", "third": "03"}.items()},
    "peak": claim(within("peak_tps", "tps"), idle=bound, bounded=True),
    "five_spread": claim(sd["round_2_cold"] / sd["round_1_cold"], idle=five),
    "five_start": claim(first_mean["round_2_cold"] / first_mean["round_1_cold"], idle=five),
    "size": claim(reading["round_1_cold"] / reading["round_1_fits"], idle=sizes),
    "reading_first": of_clients("reading_first"),
    "extending": of_clients("extending_most"),
    "five": tps["round_2_cold"] / tps["round_1_cold"],
    "warmth": tps["round_1"] / tps["round_1_cold"],
    "cap": tps["round_1_cold_free"] / tps["round_1_cold"],
    "free_first": within("interval_01_tps", "interval_12_tps", "round_1_cold_free"),
}  # fmt: skip


def on_local_disk(summary: Summary) -> float:
    """Share of the clients that wait for a read where the same start has the local disk: of the published runs."""
    found = published(summary.chapter, "config_ladder", "round_1_cold", "wait_read_share")
    if found:
        return float(np.mean(found))
    raise kit.NotEstimableError("nobody has published this start on a local disk", "publish a run of config_ladder")


def unbound(summary: Summary) -> dict[str, str]:
    """Sessions whose starts were not bound by reads, by their beginning and processor, and what they lacked."""
    found = {}
    for place, part in hosts.parts(summary).items():
        about = summary.run.parts[place]
        if isinstance(part, Summary) and (why := bound_by_reads(part) or bound_at_first(part)):
            begun = looks.begun(about)[:16].replace("T", ", ")
            found[f"{begun} UTC, on {store.model_of(about.provenance)}"] = why
    return found


REPEATED = ("tps", "latency_mean_ns", "latency_sd_ns", "first_over_mean")
WORDS = {
    "apparatus": Summary.apparatus,
    "failed": lambda summary: summary.failures(summary.arms),
    "unbound": unbound,
    "repeated": lambda summary: pgbench.repeated(summary, summary.again(), summary.first(), *REPEATED),
    "noted": lambda summary: note(),
    "noted_share": lambda summary: paced.NOTE_READS_PER_TRANSACTION,
    "share": lambda summary: summary.per_transaction,
    "capped_reads": pgbench.mean("round_1_cold", "read_cap_iops"),
    "free_reads": pgbench.mean("round_1_cold_free", "storage_read_iops"),
    "reading": pgbench.mean("round_1_cold", "waits_reading"),
    "reading_local": on_local_disk,
    "reading_free": pgbench.mean("round_1_cold_free", "waits_reading"),
    "reading_warm": pgbench.mean("round_1", "waits_reading"),
    **{f"{start}_trials": partial(states.inspected, start) for start in ("cold", "warm")},
}
MEND = "measure as root, with allow_slow_storage=true"


def along(ask: Callable[[str, Summary], kit.Values], **more: Any) -> kit.Lines:
    """Lines of something in each twelfth. ask: of a configuration; the one for the A/A comparison lies on the first."""

    def series(summary: Summary) -> Mapping[str, kit.Ask]:
        shown = ("round_1_cold", "round_2_cold", "round_1_fits", "round_1_cold_free", "round_1")
        return {summary.label(arm): ask(arm, summary) for arm in shown if arm in summary.configurations}

    return kit.Lines(
        series=series, heading="start", over=lambda summary: range(1, 13),
        across="twelfth of the trial (5 s in the note)", **more,
    )  # fmt: skip


def noted_course(summary: Summary) -> Iterable[kit.Given]:
    """The note's first round, each 5 s over the best."""
    seen = note().course["tps"]
    yield kit.Given("the note's round 1 over its best 5 s", dict(enumerate((seen / seen.max()).tolist(), start=1)))


FIGURES = {
    "courses": along(  # where there are no warm trials, over the mean of the configuration's own
        lambda arm, summary: twelfth[arm] / tps["round_1" if summary.has("round_1", "tps") else arm],
        given=noted_course, axis="throughput over round 1, warm", scale="zero", rule=1, replicates="blocks",
        nothing="This run has no trial from cold caches", mend=MEND,
    ),
    "waiting": along(
        lambda arm, summary: (kit.counted("waits_{:02}_reading")[arm] / 0.01).mean,
        axis="share of the clients that wait for a read (%)", scale="percent", replicates="trials",
        nothing="Nobody looked at the clients of this run", mend=MEND,
    ),
    "claims": kit.ClaimFigure(
        title="What note 003 says of its warm-up against measurements", only=lambda answer: bool(answer.row),
        what="The ratios that note 003 gives of its warm-up and of what its settings do to it",
    ),
}  # fmt: skip
