"""The note's engine against SQLite used in several ways, one difference at a time, and what a killed writer leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from pydantic import model_validator
from scipy.stats import gmean

from benchbook import kit, notes, statistics
from benchbook.measuring import kv
from benchbook.model import Outcome
from benchbook.numbers import judging
from benchbook.statistics.gates import each_trial

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
"""Rows of the note's benchmark, for which claims were registered."""


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile: the note's sizes and its 1,000 look-ups, and more look-ups at one size."""

    blocks: int = kit.common("blocks", 3)
    sizes: tuple[int, ...] = kit.param(SIZES, words="rows at which the note's benchmark is repeated, growing")
    queries: int = kit.param(
        1_000, 100, 10_000_000, "its look-ups: at a fixed stride, unwarmed", asks="look-ups of the benchmark"
    )
    ladder_rows: int = kit.param(1_000_000, 1_000, 1_000_000_000, "rows at which SQLite's settings are changed singly")
    ladder_queries: int = kit.param(100_000, 1_024, 100_000_000, "uniform look-ups there, in batches or dependent")
    warm_queries: int = kit.param(50_000, 0, 100_000_000, "look-ups before them, from the same distribution")
    timed_queries: int = kit.param(100_000, 1_000, 10_000_000, "look-ups there with a time stamp each, in other trials")
    commit_rows: int = kit.param(1_000, 1, 1_000_000, "rows of a commit where many are written")
    commits: int = kit.param(100, 2, 1_000_000, "commits of them; the writer is killed in the second half")
    one_write_rows: int = kit.param(100_000, 1_000, 1_000_000_000, "rows of the one commit before a writer's kill")
    allow_power_cut: bool = kit.param(
        True, words="write some stores to a volume of their own, and cut its power after the kill (root only); without "
        "it these configurations are left out",
    )  # fmt: skip
    kept_samples: int = kit.common("kept_samples", 2_000)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        sizes, said = self.sizes, f"sizes={self.sizes} must"
        kit.refuse(not sizes or [*sizes] != sorted(set(sizes)), f"{said} name one size or more, each once, growing")
        few = f"{said} each hold the queries={self.queries} different rows that are asked"
        kit.refuse(min(sizes) < self.queries, few)
        kit.refuse(max(sizes) > 1_000_000_000, f"{said} not go beyond 1,000,000,000 rows")
        return self

    @property
    def largest(self) -> int:
        """Rows of the largest repetition of the note's benchmark."""
        return self.sizes[-1]


SQLITE = kv.uses.SQLITE_AUTOCOMMIT
OMENDB: kv.Options = {**kv.ENGINE, "index_load": "single"}
# Afterwards all rows are looked for in one read transaction; writing does not change by that.
WRITER: kv.Options = {**SQLITE, "transaction": "read"}
LOOKUPS: dict[str, tuple[str, kv.Options]] = {
    "as_run": ("SQLite, prepared for every query", kv.uses.SQLITE_PER_QUERY),
    "once": ("SQLite, prepared once", SQLITE),
    "full_mutex": ("… with the full mutex", {**SQLITE, "mutex": "full"}),
    "no_sync": ("… synchronous off", {**SQLITE, "synchronous": "off"}),
    "write_ahead_log": ("… journal WAL", {**SQLITE, "journal": "wal"}),
    "large_cache": ("… cache of 256 MiB", {**SQLITE, "cache_kib": 262_144}),
    "mapped": ("… file mapped", {**SQLITE, "mmap_bytes": 1 << 33}),
    "exclusive": ("… exclusive lock", {**SQLITE, "locking": "exclusive"}),
    "read_held": ("… one read transaction", WRITER),
    "best": ("SQLite, one read transaction, file mapped", {**WRITER, "mmap_bytes": 1 << 33}),
    "before": ("OmenDB, options before", {**OMENDB, **kv.BEFORE}),
    "after": ("OmenDB, options after", {**OMENDB, **kv.AFTER}),
    "before_settled": ("OmenDB, options before, compacted", {**OMENDB, **kv.BEFORE}),
    "after_settled": ("OmenDB, options after, compacted", {**OMENDB, **kv.AFTER}),
}
"""Uses in look-ups: those of SQLite change one thing at a time from "prepared once"."""
WRITES: dict[str, tuple[str, kv.Options]] = {
    "default": ("SQLite, its defaults (journal, full)", WRITER),
    "extra": ("SQLite, journal, extra", {**WRITER, "synchronous": "extra"}),
    "wal_full": ("SQLite, WAL, full", {**WRITER, "journal": "wal", "synchronous": "full"}),
    "wal_normal": ("SQLite, WAL, normal", {**WRITER, "journal": "wal", "synchronous": "normal"}),
    "unsynced": ("SQLite, synchronous off", {**WRITER, "synchronous": "off"}),
    "log_synced": ("RocksDB, log synced", {**kv.uses.ROCKSDB_AFTER, "sync": True}),
    "log_unsynced": ("RocksDB, log not synced (as run)", {**kv.uses.ROCKSDB_AFTER, "sync": False}),
    "no_log": ("RocksDB, without its log", {**kv.uses.ROCKSDB_AFTER, "sync": False, "write_ahead_log": False}),
}
"""How durable a commit is. The note's index lives in memory and makes nothing durable, so it is left out."""
LABELS = {use: label for use, (label, _) in (LOOKUPS | WRITES).items()}
USES = ("as_run", "once", "best")
LADDER = {"warm": (*LOOKUPS,), "dependent": ("once", "best", "after"), "timed": (*USES, "after")}
WRITTEN = ("commits", "one_write", "power_cut")
"""Parts: a writer of many commits, or of one, that is killed; one of one commit whose disk then loses its power."""


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Look-ups take turns with those that they are compared with; a writer syncs, and is killed, alone."""
    p = parameters
    rows_written = {"commits": p.commits * p.commit_rows, "one_write": p.one_write_rows}
    rows_written |= {"power_cut": p.one_write_rows} if p.allow_power_cut else {}
    for name, part, use, rows in (
        *((f"{use}_{rows}", "note", use, rows) for rows in p.sizes for use in (*USES, "before", "after")),
        (f"once_{p.largest}_again", "note", "once", p.largest),
        *((f"{part}_{use}", part, use, p.ladder_rows) for part, uses in LADDER.items() for use in uses),
        ("warm_once_again", "warm", "once", p.ladder_rows),
        *((f"{part}_{use}", part, use, rows) for part, rows in rows_written.items() for use in WRITES),
    ):
        label = LABELS[use] + (" (A/A)" if name.endswith("_again") else "")
        group = "" if part in WRITTEN else f"note {rows}" if part == "note" else part
        yield kit.Configuration(name, label, {"part": part, "use": use, "rows": rows}, group)


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    """What the probe is asked for in a trial; the moment of the kill is alike in a block."""
    p, part, use, rows = parameters, str(arm.settings["part"]), str(arm.settings["use"]), int(arm.settings["rows"] or 0)
    _, options = (LOOKUPS | WRITES)[use]
    if part in WRITTEN:
        many = part == "commits"  # killed after one of the second half
        kill = int(np.random.default_rng(seed).integers(p.commits // 2, p.commits, endpoint=True)) if many else 1
        batch = p.commit_rows if many else 0
        return kv.request(seed, options, rows, {"kill_after_batches": kill}, workload="crash", batch_rows=batch)
    run: dict[str, Any] = {"law": "uniform", "warm_operations": p.warm_queries, "operations": p.ladder_queries}
    run |= {"batch_operations": 256} | ({"dependent": True} if part == "dependent" else {})
    if part == "note":  # its benchmark: each stride-th row, once, nothing before
        run = {"law": "stride", "stride": rows // p.queries, "operations": p.queries}
        run |= {"batch_operations": min(p.queries, 1 << 16)}
    elif part == "timed":
        run |= {"operations": p.timed_queries, "timing": "queries"}
    return kv.request(seed, options, rows, run, settle="compact" if use.endswith("_settled") else "nothing")


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """A trial's metrics, and its one series of times."""
    written = asked.arm.settings["part"] in WRITTEN
    found = (killed if written else looked_up)(asked.answer, asked.request)
    [times] = asked.answer.series.values()
    metrics = {"device_read_bytes": asked.device_bytes, **found}
    return kv.Reading(metrics, "write" if written else "lookup", times, {"engine": str(asked.answer.record["engine"])})


def looked_up(answer: kv.Answer, request: Mapping[str, Any]) -> kv.Metrics:
    """Metrics of a trial of look-ups; what an engine does not count is missing."""
    record, run, rows = answer.record, request["run"], int(request["load"]["rows"])
    counters, engine = record["counters"], record["counters"]["run"]["engine"]
    found: kv.Metrics = {
        "query_mean_ns": kv.mean_ns(record, run["operations"]),
        "asked_reads": float(run.get("warm_operations", 0) + kv.lookups_made(record, run)),
        "checked_reads": float(record["checked_reads"]),
        "lookup_device_bytes": kv.lookup_device_bytes(counters),
        "row_cache_hits": float(counters["run"]["row_cache_hits"]),
        "insert_ns_per_row": 1e9 * kv.inserted_s(record) / rows,
        "insert_engine_ns_per_row": 1e9 * record["seconds"]["load_engine"] / rows,
        "insert_syncs": kv.syncs(counters, "open", "load"),
        **{f"{kind}_bytes": float(counters["run"]["memory"][f"{kind}_bytes"]) for kind in ("resident", "anonymous")},
        "timer_ns": float(record["timer_ns"]),
    }
    if "query.service" in answer.series:
        wanted = ("p50_ns", "p95_ns", "p99_ns", "p999_ns")
        found |= kv.quantiles(answer.series["query.service"], "query", wanted)
    if "files_at_level" in engine:
        held = kv.memtable_rows(engine)
        found |= {"memtable_share": None if held is None else held / rows, "table_files": kv.table_files(engine)}
    if "cache_hits" in engine:  # a mapped file does not ask SQLite's page cache
        hits, misses = (kv.sqlite_pages(counters, what) for what in ("cache_hits", "cache_misses"))
        asked = hits + misses
        found |= {"page_lookups": asked, "page_hit_ratio": hits / asked if asked else None}
    return found


def killed(answer: kv.Answer, request: Mapping[str, Any]) -> kv.Metrics:
    """Metrics of a trial whose writer was killed."""
    crash = answer.record["counters"]["crash"]
    acknowledged = float(crash["acknowledged_rows"])
    return {
        "acknowledged_rows": acknowledged,
        "recovered_rows": float(crash["recovered_rows"]),
        "lost_share": 1 - crash["recovered_rows"] / acknowledged,
        "acknowledged_commits": float(crash["batches"]),
        "wanted_commits": float(request["run"]["kill_after_batches"]),
        "write_ns_per_row": float(answer.series["write.service"].sum()) / acknowledged,
        "write_syncs_per_commit": crash["syncs"] / crash["batches"],
        "recover_s": float(answer.record["seconds"]["recover"]),
        "unreadable": float(bool(crash["unreadable"])) if "unreadable" in crash else None,
    }


PROBING = kv.PowerCuts(
    "SQLite and RocksDB", ("SQLite", "RocksDB"), configurations, request_of, read,
    cut=lambda arm: arm.settings["part"] == "power_cut",
)  # fmt: skip
needs, session, reduce = PROBING.needs, PROBING.session, kv.reduce

TIME, WRITE, SYNCS = "query_mean_ns", "write_ns_per_row", "write_syncs_per_commit"
METRICS = {
    **kv.METRICS,
    "insert_ns_per_row": kit.Metric("time to insert a row", "µs", 1e-3),
    WRITE: kit.Metric("time to write a row", "µs", 1e-3),
    SYNCS: kit.Metric("number of syncs per commit", format="{:.2f}".format, heading="syncs per commit"),
    "acknowledged_rows": kit.Metric("number of reported rows"),
    "recovered_rows": kit.Metric("number of rows found afterwards"),
    "unreadable": kit.Metric("number of stores that could not be read after a loss of power"),
    "lost_share": kit.Metric("share of the reported rows that were lost", "%", 100),
    "memtable_share": kit.Metric("share of the rows in the memtable", "%", 100),
    "page_hit_ratio": kit.Metric("hit ratio of SQLite's page cache", "%", 100),
}
AA = (lambda summary: f"once_{summary.parameters.largest}_again", lambda summary: largest("once", summary))
KILLED, CUT = "one_write_log_unsynced", "power_cut_log_unsynced"
"""The insert path as the note ran it: with a killed writer, and with a disk that then lost its power."""


class Summary(kv.Summary[Parameters]):
    """One run. Labels are unique among the configurations of one part."""

    MEND = "raise the number of look-ups"

    def part(self, part: str) -> list[str]:
        """Configurations of one part, in the order of the figures."""
        return [name for name, arm in self.configurations.items() if arm.settings["part"] == part]

    def missing(self, arm: str, metric: str) -> kit.NotEstimableError:
        """The same, and where a size of the benchmark was not asked for, that it was not."""
        rows = arm.rpartition("_")[2]
        if arm in self.configurations or not rows.isdigit():
            return super().missing(arm, metric)
        why = f"this run does not repeat the benchmark at {int(rows):,} rows"
        return kit.NotEstimableError(why, "add them to sizes")

    def counted(self, arm: str) -> tuple[np.ndarray, np.ndarray]:
        """Rows that a writer had reported before it was killed, and those found afterwards, each of shape (blocks,)."""
        return self.values(arm, "acknowledged_rows"), self.values(arm, "recovered_rows")

    def left(self, part: str, use: str) -> dict[str, Any]:
        """Rows that a writer had reported, those found afterwards, and the stores that could not be read."""
        reported, found = (int(counts.sum()) for counts in self.counted(f"{part}_{use}"))
        broken = int(self.values(f"{part}_{use}", "unreadable").sum()) if part == "power_cut" else 0
        return {"label": LABELS[use], "reported": reported, "found": found, "broken": broken}

    def departures(self) -> list[str]:
        left = [rows for rows in SIZES if rows not in self.parameters.sizes]
        return [*(f"{rows:,} rows left out" for rows in left), *super().departures()]

    def worst(self) -> str:
        """The configuration that says most of durability in this run: a loss of power, else a kill."""
        return CUT if CUT in self.configurations else KILLED


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """What was reported can be counted; of times, every value was compared, and look-ups of these found their pages."""
    trials = summary.run.trials
    if answer.estimand.metric and (every := kv.compared(trials, asked="asked_reads")):
        yield from every
        own = summary.of(answer.estimand.names(summary))
        looking = own.get("lookup_device_bytes", pd.Series(np.nan, index=own.index))
        # Of trials that counted what loading read too, all of it; a page has 4 KiB.
        cold = looking.fillna(own["device_read_bytes"]) / 4096 > 0.01 * own["asked_reads"]
        read, before = cold & looking.notna(), cold & looking.isna()
        why = f"{read.sum()} trials read more than 1% of their look-ups' pages from a device"
        yield each_trial("page cache", read, own["block"], why)
        why = f"{before.sum()} earlier trials read more from a device than look-ups may, loading included"
        yield each_trial("page cache", before, own["block"], why, unseen=True)
    if "acknowledged_rows" in trials:
        more = int((trials["recovered_rows"] > trials["acknowledged_rows"]).sum())
        yield kit.Gate("rows agree", more == 0, float(more), f"{more} trials found more than was written")


def all_recovered(summary: Summary) -> kit.Estimate:
    """1 when every acknowledged row was found in every trial of the insert path as run; else 0."""
    acknowledged, recovered = summary.counted(summary.worst())
    if acknowledged.min() < 1:
        raise kit.NotEstimableError("no row was acknowledged before the end", "raise one_write_rows")
    return statistics.exact(float((recovered == acknowledged).all()))


def not_durable(summary: Summary) -> str:
    """Why a kill that lost nothing does not test whether the log makes rows durable; "" where they had been synced."""
    if summary.worst() == CUT:
        return ""
    acknowledged, recovered = summary.counted(KILLED)
    unsynced = int((summary.values(KILLED, SYNCS) < 1).sum())
    if not unsynced or (recovered < acknowledged).any():
        return ""
    return (
        f"in {unsynced} of {len(recovered)} trials the insert path acknowledged its rows without waiting for the disk, "
        "so they outlived the kill in the kernel's memory, which a power cut empties"
    )


def recovered_words(summary: Summary) -> str:
    """How many acknowledged rows were found, for the verdict's reason."""
    arm = summary.worst()
    acknowledged, recovered = summary.counted(arm)
    return (
        f"{recovered.sum():,.0f} of {acknowledged.sum():,.0f} acknowledged rows were found after "
        f"{'the disk lost its power' if arm == CUT else 'kill -9'}, all of them in {(recovered == acknowledged).sum()} "
        f"of {len(recovered)} trials, with {summary.mean(arm, SYNCS):.1f} syncs per batch"
    )


def largest(use: str, summary: Summary) -> str:
    """The note's benchmark in a use, at the largest size."""
    return f"{use}_{summary.parameters.largest}"


time, insert, write = kit.measured(TIME), kit.measured("insert_ns_per_row"), kit.measured(WRITE)
tail = {quantile: kit.measured(f"query_{quantile}_ns") for quantile in ("p50", "p99")}
four = {use: kit.blockwise(lambda *times: gmean(times), *(time[f"{use}_{rows}"] for rows in SIZES))
        for use in (*USES, "after")}  # fmt: skip
most = {use: partial(largest, use) for use in (*USES, "before", "after")}
NUMBERS = {
    "over_four": {use: kit.on_hosts(four[use] / four["after"]) for use in USES},
    "largest": {use: kit.on_hosts(time[most[use]] / time[most["after"]]) for use in USES}
    | {"before": kit.on_hosts(time[most["as_run"]] / time[most["before"]])},
    "inserting": kit.on_hosts(insert[most["as_run"]] / insert[most["after"]]),
    "preparing": time["as_run_10000000"] / time["once_10000000"],
    "locking": kit.on_hosts(time["warm_once"] / time["warm_read_held"]),
    "recovered": kit.custom(
        all_recovered, kit.Quantity.COUNTER, Summary.worst, working=recovered_words, idle=not_durable
    ),
    "once": {"us": time["warm_once"] / 1e3, "itself": time["warm_once_again"] / time["warm_once"]},
    "settled": time["warm_after_settled"] / time["warm_after"],
    "best_over_settled": time["warm_best"] / time["warm_after_settled"],
    **{name: {use: each[f"timed_{use}"] / each["timed_after"] for use in USES} for name, each in tail.items()},
    "default_over": {name: write["commits_default"] / write[f"commits_{other}"] for name, other in
                     {"as_run": "log_unsynced", "synced": "log_synced"}.items()},
    "wal_over": {name: write[f"commits_wal_{wal}"] / write[f"commits_log_{name}"] for name, wal in
                 {"synced": "full", "unsynced": "normal"}.items()},
}  # fmt: skip


def _prepared(summary: Summary, rows: int) -> dict[str, Any]:
    found = {"more": time[f"as_run_{rows}"] / 1e3 - time[f"once_{rows}"] / 1e3,
             "times": time[f"as_run_{rows}"] / time[f"once_{rows}"]}  # fmt: skip
    return {"rows": rows} | {name: kit.Told(each(summary)) for name, each in found.items()}


def settings(summary: Summary) -> dict[str, kit.Told]:
    """A warm look-up in each setting of SQLite over one prepared once, with intervals that hold together."""
    timed = summary.having(summary.part("warm"), TIME)
    sqlite = [arm for arm in timed if arm != "warm_once" and not {"before", "after"} & {*arm.split("_")}]
    others = {summary.label(arm): summary.values(arm, TIME) for arm in sqlite}
    effects = summary.estimated(statistics.many_to_one, summary.values("warm_once", TIME), others)
    return {label: kit.Told(effect) for label, effect in effects.items()}


def journal_came_back(summary: Summary) -> bool:
    """Whether a commit that was synced was taken back where the journal's folder was not."""
    default, extra = (summary.left("power_cut", use) for use in ("default", "extra"))
    return bool(default["found"] < default["reported"] and extra["found"] >= extra["reported"])


WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: kv.in_turns(summary.parameters),
    "apart": lambda summary: any(
        each.claim_id == "O078" and each.outcome is Outcome.HOST for each in judging.verdicts(summary)
    ),
    "note_before": lambda summary: kv.note.behind("query")[SIZES[-1]],
    "note_after": lambda summary: kv.note.speedup_after(),
    "prepared": lambda summary: kit.each(partial(_prepared, summary), summary.parameters.sizes),
    "settings": settings,
    "kernels": lambda summary: sorted({part.provenance.get("system", "an unknown kernel")
                                       for part in summary.run.parts}),
    "memtable": kit.mean(most["after"], "memtable_share"),
    "files": kit.mean(most["after"], "table_files"),
    "page_hits": kit.mean(most["once"], "page_hit_ratio"),
    "engine_bytes": kit.mean(most["after"], "resident_bytes"),
    "sqlite_bytes": kit.mean(most["once"], "resident_bytes"),
    "left": lambda summary: kit.each(partial(summary.left, "power_cut"), WRITES),
    "journal_came_back": journal_came_back,
    "killed": lambda summary: summary.left("one_write", "log_unsynced"),
    "cut": lambda summary: summary.left("power_cut", "log_unsynced"),
    "synced": lambda summary: bool(summary.values(KILLED, SYNCS).any()),
}  # fmt: skip


def note_claims(summary: Summary) -> pd.DataFrame:
    """The speed-ups over SQLite that the note and the report beside it print."""
    told = notes.table("omendb_speedup").set_index("scale_rows")
    columns: dict[str, Any] = {f"note, {when}": told[when] for when in ("before", "after")}
    columns |= {"look-ups alone": kv.note.behind("query"), "inserts alone": kv.note.behind("insert")}
    cells = {name: [f"{each[rows]:g}".replace("nan", "") for rows in kv.note.SIZES] for name, each in columns.items()}
    return pd.DataFrame({"rows": [f"{rows:,}" for rows in kv.note.SIZES]} | cells).set_index("rows")


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: look-ups and writes with intervals, syncs, memory, rows lost."""
    words = {"note": "as the note", "warm": "warm, in batches", "dependent": "warm, dependent",
             "timed": "warm, timed one by one", "commits": "many commits, killed",
             "one_write": "one commit, killed", "power_cut": "one commit, power cut"}  # fmt: skip
    rows = [({"what": words[str(arm.settings["part"])], "rows": f"{arm.settings['rows']:,}", "use": arm.label}, name)
            for name, arm in summary.configurations.items()]  # fmt: skip
    columns = kit.levels(summary, TIME, "query_p50_ns", "query_p99_ns", "insert_ns_per_row", WRITE)
    return kit.table(rows, columns | kit.means(summary, "insert_syncs", SYNCS, "lost_share", "resident_bytes"))


TABLES = {"note_claims": note_claims, "overview": overview}


def _given(summary: Summary) -> list[kit.Given]:
    """What the note prints, and the line at which neither is faster."""
    printed = {"before": kv.note.behind("query"), "after": {SIZES[-1]: kv.note.speedup_after()}}
    noted = [kit.Given(f"the note, {when}", values) for when, values in printed.items()]
    sizes = [*summary.parameters.sizes, *(rows for each in noted for rows in each.values)]
    return [*noted, kit.Given("as fast as SQLite", {min(sizes): 1, max(sizes): 1}, line="dot", listed=False)]


def _outcome(lost: bool, summary: Summary, arm: str) -> kit.Estimate:
    if bool(summary.values(arm, "lost_share").any()) is not lost:
        raise kit.NotEstimableError("it has the other outcome", "see the other series")
    return summary.level(arm, WRITE, 1e3)


def _found_share(part: str, summary: Summary, use: str) -> kit.Estimate:
    reported, found = summary.counted(f"{part}_{use}")
    return replace(statistics.exact(float(found.sum() / reported.sum())), n=len(reported))


dots = partial(kit.Dots, row="use", height=180, each=28)
FIGURES = {
    "speedup": kit.Lines(
        over=lambda summary: summary.parameters.sizes, across="rows", rows=True, aside=True, tick="{:,}".format,
        series={LABELS[use]: time[f"{use}_{{}}"] / time["after_{}"] for use in USES}
        | {f"{LABELS['as_run']}, options before": time["as_run_{}"] / time["before_{}"]},
        heading="comparison", axis="times as fast as SQLite", quantity="SQLite's look-up / the engine's",
        replicates="blocks", given=_given,
    ),
    "settings": dots(
        rows=lambda summary: {arm.removeprefix("warm_"): summary.label(arm) for arm in summary.part("warm")},
        series={"independent": time["warm_{}"] / 1e3, "each needs the result of the last": time["dependent_{}"] / 1e3},
        axis="mean look-up (µs)", quantity="look-up (µs)", heading="look-ups", scale="zero",
        table_only=lambda summary: ("once_again", "before_settled", "after_settled"),
    ),
    "durability": dots(
        rows=lambda summary: {arm: summary.label(arm) for arm in summary.part("commits")}
        | {arm: f"{summary.label(arm)} (one commit)" for arm in summary.part("one_write")},
        table_only=lambda summary: summary.part("one_write"),
        series={"every reported row was found": partial(_outcome, False), "rows were lost": partial(_outcome, True)},
        axis="write (µs per row)", heading="after the kill", nothing="Nothing was written in this run",
        more={
            "syncs per commit": lambda summary, arm: summary.mean(arm, SYNCS),
            "rows reported": lambda summary, arm: float(summary.values(arm, "acknowledged_rows").sum()),
            "rows lost (%)": lambda summary, arm: 100 * summary.mean(arm, "lost_share"),
        },
    ),
    "outlived": dots(
        rows={use: LABELS[use] for use in WRITES}, heading="afterwards", factor=100, scale="percent", each=34,
        series={"the writer was killed": partial(_found_share, "one_write"),
                "then the disk lost its power": partial(_found_share, "power_cut")},
        axis="acknowledged rows that were found (%)", quantity="found (%)", nothing="Nothing was written in this run",
    ),
    "claims": kit.ClaimFigure(what="The chapter's claims that are ratios"),
}  # fmt: skip
