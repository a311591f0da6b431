"""Events saved in and asked of Badger, SQLite, LMDB, bbolt and Pebble, without and with a sync for each save."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Self

from pydantic import model_validator

from benchbook import files, kit
from benchbook.engines import event_stores, probe
from benchbook.measuring import badger

STORES = {
    "badger": "Badger", "sqlite": "SQLite", "sqlite_tags": "SQLite, table of tags", "lmdb": "LMDB", "bbolt": "bbolt",
    "pebble": "Pebble",
}  # fmt: skip
"""What the probe opens, and what figures call it: the relay's keys on key-value engines, khatru's schema on SQLite."""
TESTS, TEST_LIMIT_S = ("alone", *badger.PHASES), 300
EVENT_BYTES, SAVE_S, SYNCED_SAVE_S = 4_000, 150e-6, 4e-3
"""Of an event: disk that it takes at most, with its index entries, logs and pages half full, and estimates of time."""


class Parameters(badger.OneRound):
    """Defaults are the standard profile: the note's events, fewer where each save waits for the device."""

    blocks: int = kit.common("blocks", 6)
    synced_events: int = kit.param(1_000, 20, 10_000_000, "events where each save waits for the device")
    alone_events: int = kit.param(200, 20, 1_000_000, "events that each trial saves first, one after the other")
    cache_mib: int = kit.param(64, 1, 1 << 20, "cache of an engine that has one, in MiB", asks="MiB of cache")
    index_cache_mib: int = kit.param(32, 0, 1 << 20, "index cache of Badger in MiB", asks="MiB of index cache")
    query_events: int = kit.param(2_000, 0, 10_000_000, "events saved before the query test")

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        given = f"events={self.events} and synced_events={self.synced_events} must be at least bursts={self.bursts}"
        fewest = min(self.events, self.synced_events)
        kit.refuse(fewest < max(self.bursts, self.alone_events), f"{given} and alone_events={self.alone_events}")
        return self


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every store without and with syncs, and three more, in the order of the figures."""
    for name, label in {
        **STORES, "badger_again": "Badger, again (A/A)", "badger_query_cache": "Badger, answers cached",
        **{f"{store}_synced": f"{label}, synced" for store, label in STORES.items()},
        "sqlite_journal": "SQLite's defaults, synced",
    }.items():  # fmt: skip
        store = name.removesuffix("_again").removesuffix("_query_cache").removesuffix("_synced")
        own = {"synced": label.endswith(", synced"), "query_cache": name.endswith("_query_cache")}
        yield kit.Configuration(name, label, {"store": store, **own})


def needs(parameters: Parameters) -> kit.Needs:
    """Disk for one store, memory for its process, and the probe."""
    p, synced = parameters, [bool(arm.settings["synced"]) for arm in configurations(parameters)]
    each_s = p.query_s + p.concurrent_s + p.bursts * (p.burst_spread_ms + p.burst_quiet_ms) / 1e3 + 2
    saving_s = 2 * sum(p.synced_events * SYNCED_SAVE_S if held else p.events * SAVE_S for held in synced)
    return kit.Needs(
        (3 * p.events + 2 * p.query_events) * EVENT_BYTES + 1_000_000_000,
        2_000_000_000 + (p.cache_mib << 20),
        event_stores.identity,
        p.blocks * (len(synced) * each_s + saving_s) / 60,
    )


def request_of(parameters: Parameters, configuration: kit.Configuration, seed: int) -> dict[str, Any]:
    """What the probe is asked for in a trial."""
    p, own = parameters, configuration.settings
    suite = badger.request_of(p, badger.arm(configuration.name, "", p.cache_mib, p.index_cache_mib), seed)
    return suite | {
        "workload": "stores",
        "options": suite["options"] if own["store"] == "badger" else {},
        "load": {
            "events": p.synced_events if own["synced"] else p.events, "engine": own["store"], "synced": own["synced"],
            "query_cache": own["query_cache"], "cache_bytes": p.cache_mib << 20,
        },
        "run": suite["run"] | {"tests": [*TESTS], "alone_events": p.alone_events, "limit_s": TEST_LIMIT_S},
    }  # fmt: skip


def metrics(answer: probe.Answer, sent: Mapping[str, Any]) -> badger.Metrics:
    """Those of a trial but ``reduce``'s; raises as ``badger.saves``. What engine or machine do not say is missing."""
    series, counters = answer.series, answer.record["counters"]
    start, first, burst = (counters[name] for name in ("start", "round_1.alone", "round_1.burst"))
    found = badger.saves(answer, sent, ("alone", "peak", "burst"))
    saved, written = burst["saved_events"], badger.difference(start["memory"], burst["memory"], "device_write_bytes")
    flushes = badger.difference(start["device"], first["device"], "flushes")
    found |= {
        "most_under_way": float(burst["most_under_way"]),
        "store_bytes_per_event": burst["store_bytes"] / saved,
        "written_bytes_per_event": None if written is None else written / saved,
        "flushes_per_save": None if flushes is None else flushes / sent["run"]["alone_events"],
        "anonymous_bytes": float(burst["memory"]["anonymous_bytes"]) if "anonymous_bytes" in burst["memory"] else None,
        "queries": float(len(series["round_1.query.service"])),
    }
    for test in ("alone", "query", "mixed.save", "mixed.query", "concurrent.save", "concurrent.query"):
        found |= badger.latencies(test.replace(".", "_"), series[f"round_1.{test}.service"])
    if sent["load"]["query_cache"]:
        before, after = counters["round_1.query"], counters["round_1.concurrent"]
        hits, misses = (after[name] - before[name] for name in ("query_cache_hits", "query_cache_misses"))
        found["concurrent_cache_hit_ratio"] = badger.per(hits, hits + misses)
    return found


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[badger.Trials]:
    """Nothing is loaded ahead: every trial fills a store of its own, whose settings stand with it."""
    progress("finding the probe", 1.0)
    program, folder = event_stores.find(), files.scratch(needs(parameters).disk_bytes)

    def measured(planned: kit.PlannedTrial) -> badger.Measured:
        sent = request_of(parameters, planned.configuration, planned.seed)
        answer = probe.ask(program, sent, timeout_s=len(TESTS) * TEST_LIMIT_S, folder=folder)
        engine = f"{answer.record['engine']} {answer.record['engine_version']}"
        settings = ", ".join(f"{name} {value}" for name, value in sorted(answer.record["settings"].items()))
        labels = {"engine": engine, "settings": settings}
        return metrics(answer, sent), {"burst": answer.series["round_1.burst.service"]}, labels

    yield badger.Trials(event_stores.identity, measured, parameters.kept_samples)


reduce = badger.reduce

US: dict[str, Any] = {"unit": "µs", "factor": 1e-3}
KB: dict[str, Any] = {"unit": "kB", "factor": 1e-3, "format": "{:.2f}".format}
METRICS: kit.Metrics = {
    **badger.METRICS,
    "alone_mean_ns": kit.Metric("mean of a save with nothing else under way", heading="save alone", **US),
    "query_mean_ns": kit.Metric("mean of a query", heading="query", **US),
    "concurrent_query_mean_ns": kit.Metric("mean of a query while others save", heading="query beside saves", **US),
    "concurrent_save_mean_ns": kit.Metric("mean of a save while others query", heading="save beside queries", **US),
    "most_under_way": kit.Metric("most saves under way at once", heading="under way"),
    "flushes_per_save": kit.Metric("flushes of the device for each save", "", 1, KB["format"], "flushes a save"),
    "written_bytes_per_event": kit.Metric("bytes written for each event", heading="written", **KB),
    "store_bytes_per_event": kit.Metric("size of the store for each event", heading="stored", **KB),
    "anonymous_bytes": kit.Metric("memory of the process", "MB", 1e-6, heading="memory"),
    "concurrent_cache_hit_ratio": kit.Metric("share of the queries beside saves that the cache answered", "%", 100),
}
WAITED, NOT_WAITED = 0.9, 0.2
"""Flushes for each save from which on saves waited for the device, and up to which they did not: others flush too."""


class Summary(badger.Summary[Parameters]):
    """One run."""

    def durability(self) -> list[kit.Gate]:
        """Each save of a synced store was flushed to the device, none of another; none where no flush is counted."""
        trials, every = self.run.trials, self.run.trials.get("flushes_per_save")
        if every is None or every.isna().any() or not every.any():  # a device that keeps nothing back flushes nothing
            return []
        waits = trials["configuration"].str.contains("_synced|_journal")
        fewest, most = float(every[waits].min()), float(every[~waits].max())
        said = f"{fewest:.2f} flushes for each save of a synced store at least, {most:.2f} of another at most"
        return [kit.Gate("durability", fewest >= WAITED and most <= NOT_WAITED, fewest, said)]

    def departures(self) -> list[str]:
        """The family's, and where nothing certifies that saves waited."""
        uncounted = "flushes of the device are not counted here, so that durability is declared and not certified"
        return super().departures() + ([] if self.durability() else [uncounted])


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """The probe timed what the store saved; saves waited for the device where they were to, and there alone."""
    return [*summary.counts_agree(), *summary.durability()]


burst, p95, alone, query, busy = map(
    kit.measured, ("burst_mean_ns", "burst_p95_ns", "alone_mean_ns", "query_mean_ns", "concurrent_query_mean_ns")
)
flushes, under_way, written = map(kit.counted, ("flushes_per_save", "most_under_way", "written_bytes_per_event"))
AA = ("badger_again", "badger")
OTHERS = [store for store in STORES if store != "badger"]
NUMBERS = {
    **{name: {store: time["badger"] / time[store] for store in OTHERS}
       for name, time in {"burst": burst, "alone": alone, "query": query, "busy": busy}.items()},
    "p95_sqlite": p95["badger"] / p95["sqlite"],
    "synced": {store: alone["badger_synced"] / alone[f"{store}_synced"] for store in OTHERS},
    "waits": {store: alone[f"{store}_synced"] / alone[store] for store in STORES},
    "unequal": alone["sqlite_journal"] / alone["badger"],
    **{f"queue{end}": burst[store] / alone[store] for end, store in {"": "badger", "_sqlite": "sqlite"}.items()},
    **{f"under_way{end}": under_way[store].mean for end, store in {"": "badger", "_sqlite": "sqlite"}.items()},
    "flushes": {"journal": flushes["sqlite_journal"].mean, "synced": flushes["badger_synced"].mean,
                "none": flushes["badger"].mean},
    "cached": query["badger"] / query["badger_query_cache"],
    "cached_busy": busy["badger"] / busy["badger_query_cache"],
    "cache_hits": kit.percent(kit.counted("concurrent_cache_hit_ratio")["badger_query_cache"].mean),
    "written": {store: written[store] / 1e3 for store in ("badger", "sqlite")},
    "equal": burst["badger_again"] / burst["badger"],
}  # fmt: skip
WORDS = badger.notes.WORDS


def noted(summary: Summary) -> list[kit.Given]:
    """What the note prints of a burst under two names."""
    slow, fast = (badger.notes.WORDS[f"noted_{label}"](summary)["mean"] for label in ("slow", "fast"))
    return [kit.Given("the note, under these names", {"badger": slow, "sqlite": fast})]


dots = partial(kit.Dots, rows=STORES, row="store", heading="test")
FIGURES = {
    "bursts": dots(
        series={"a save of a burst": burst["{}"]}, given=noted,
        metric=METRICS["burst_mean_ns"].but(words="burst mean of a save"),
    ),
    "alone": dots(
        series={"not synced": alone["{}"], "synced": alone["{}_synced"]}, heading="durability",
        metric=METRICS["alone_mean_ns"],
    ),
}  # fmt: skip
