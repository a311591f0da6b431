"""The note's engine and SQLite, each used in two ways, by number of rows; the note's column, and what it adds up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from pydantic import model_validator

from benchbook import kit, notes, statistics
from benchbook.claims.evidence import Reported
from benchbook.measuring import kv
from benchbook.numbers import hosts
from benchbook.numbers.environment import cache_bytes
from benchbook.statistics import intervals

MOST_ROWS = 100_000_000
ASKED_ROWS = TEN_K, HUNDRED_K, MILLION, TEN_MILLION = 10_000, 100_000, 1_000_000, 10_000_000
"""Sizes for which claims were registered."""


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile: the note's sizes and look-ups, 10 million rows with sequential keys only."""

    blocks: int = kit.common("blocks", 8)
    rows: tuple[int, ...] = kit.param(ASKED_ROWS, words="numbers of rows with sequential keys; all systems at each")
    random_rows: tuple[int, ...] = kit.param(ASKED_ROWS[:3], words="the same with random keys; all systems but after")
    again_rows: tuple[int, ...] = kit.param(ASKED_ROWS, words="of rows, where the state before is measured again (A/A)")
    lookups: int = kit.common(
        "lookups", 1_000, 100, 1_000_000, "look-ups at a fixed stride, each key once, unwarmed", asks="look-ups a trial"
    )
    batch_lookups: int = kit.param(100, 10, 65_536, "look-ups between two readings of the clock; divides lookups")
    tail_rows: int = kit.param(1_000_000, 1_000, MOST_ROWS, "rows of the trials that time each look-up")
    tail_lookups: int = kit.param(100_000, 1_000, 10_000_000, "look-ups of these, uniform and timed one by one")
    tail_warm_lookups: int = kit.param(10_000, 0, 10_000_000, "look-ups from the same distribution before them")
    kept_samples: int = kit.common("kept_samples", 5_000)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        for name, least in {"rows": 2, "random_rows": 0, "again_rows": 1}.items():
            sizes: tuple[int, ...] = getattr(self, name)
            said, asked = f"{name}={[*sizes]} must", f"lookups={self.lookups:,}, since each key is asked for once"
            few = len(sizes) < least or len({*sizes}) != len(sizes)
            kit.refuse(few, f"{said} name at least {least} sizes, each once")
            beyond = any(not self.lookups <= rows <= MOST_ROWS for rows in sizes)
            kit.refuse(beyond, f"{said} lie between {asked}, and {MOST_ROWS:,}")
        among = f"again_rows={[*self.again_rows]} must be among rows={[*self.rows]}"
        kit.refuse(not {*self.again_rows} <= {*self.rows}, among)
        multiple = f"lookups={self.lookups} is no multiple of batch_lookups={self.batch_lookups}"
        kit.refuse(self.lookups % self.batch_lookups > 0, multiple)
        return self


SYSTEMS = {
    "before": "ALEX + RocksDB, before",
    "after": "ALEX + RocksDB, after",
    "sqlite_as_run": "SQLite as run",
    "sqlite_well": "SQLite used well",
}
"""Before and after mean the note's five options of RocksDB."""
OPTIONS: dict[str, kv.Options] = {
    "before": {**kv.ENGINE, **kv.BEFORE},
    "after": {**kv.ENGINE, **kv.AFTER},
    "sqlite_as_run": kv.uses.SQLITE_PER_QUERY,
    "sqlite_well": {**kv.uses.SQLITE_BEST, "journal": "wal", "synchronous": "normal"},
}


def short(rows: int) -> str:
    """A number of rows in few signs: 10k, 100k, 1M; with all digits where that would not be exact."""
    for unit, sign in ((1_000_000, "M"), (1_000, "k")):
        if rows >= unit and rows % (unit // 100) == 0:
            return f"{rows / unit:g}{sign}"
    return f"{rows:,}"


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p = parameters
    for system, rows, kind in (
        *((system, rows, "sequential") for rows in sorted(p.rows) for system in SYSTEMS),
        *(("before_again", rows, "sequential") for rows in sorted(p.again_rows)),
        *((each, rows, "random") for rows in sorted(p.random_rows) for each in SYSTEMS if each != "after"),
        *((system, p.tail_rows, "uniform") for system in SYSTEMS),
    ):
        of, uniform = system.removesuffix("_again"), kind == "uniform"
        label = f"{SYSTEMS[of]}, {short(rows)}{'' if kind == 'sequential' else f' {kind}'}"
        settings: dict[str, kit.Scalar] = {"system": of, "rows": rows, "keys": "sequential" if uniform else kind}
        settings |= {"law": "uniform" if uniform else "stride"}
        again = "" if of == system else " again (A/A)"
        yield kit.Configuration(f"{system}_{rows}_{kind}", label + again, settings, f"{kind} {rows}")


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    p, rows, keys, law = parameters, *(arm.settings[name] for name in ("rows", "keys", "law"))
    options = dict(OPTIONS[str(arm.settings["system"])])
    if "index" in options:
        # The note's engine sorts a batch before it gives its keys to the tree one by one. With sequential keys that is
        # the order of writing; of random ones the probe sorts those that it loads in bulk, outside the clock.
        options["index_load"] = "single" if keys == "sequential" else "bulk"
    run: dict[str, Any] = {"law": law, "operations": p.tail_lookups, "warm_operations": p.tail_warm_lookups}
    run |= {"timing": "queries"}
    if law == "stride":
        run = {"law": law, "stride": int(rows or 0) // p.lookups, "operations": p.lookups, "timing": "batches"}
        run |= {"batch_operations": p.batch_lookups}
    return kv.request(seed, options, int(rows or 0), run, keys=keys)


def metrics(answer: kv.Answer, run: Mapping[str, Any]) -> kv.Metrics:
    """What an engine does not have is missing, never 0. run: the look-ups that were asked for.

    Raises BenchbookError when the probe timed another number.
    """
    record, operations, made = answer.record, int(run["operations"]), kv.lookups_made(answer.record, run)
    counters, seconds = record["counters"], record["seconds"]
    engine, index = counters["run"]["engine"], counters["run"].get("index")
    found: kv.Metrics = {
        "insert_s": kv.inserted_s(record),
        "engine_insert_s": seconds["load_engine"],
        "index_insert_s": seconds.get("load_index"),
        "lookups": float(made),
        "checked_reads": float(counters["run"]["checked_reads"]),
        "row_cache_hits": float(counters["run"]["row_cache_hits"]),
        "insert_syncs": kv.syncs(counters, "open", "load"),
        "anonymous_bytes": float(record["memory"]["anonymous_bytes"]),
    }
    if run["law"] == "stride":
        batches, each = answer.series["batch.service"], int(run["batch_operations"])
        kv.all_timed(len(batches) * each, operations)
        # The mean is the note's number; the middle batch shows whether one interruption made it.
        found |= {"query_mean_ns": kv.mean_ns(record, operations), "query_middle_ns": float(np.median(batches)) / each}
    else:
        single = answer.series["query.service"]
        kv.all_timed(len(single), operations)
        found |= kv.quantiles(single, "uniform", ("mean_ns", "p50_ns", "p99_ns", "p999_ns"))
    if "files_at_level" in engine:
        found |= {"memtable_rows": kv.memtable_rows(engine), "table_files": kv.table_files(engine)}
    if index is not None:
        told = {"index_bytes": index["bytes"], "index_leaves": index["shape"].get("leaves")}
        found |= {name: None if value is None else float(value) for name, value in told.items()}
    if "cache_misses" in engine:
        missed = kv.sqlite_pages(counters, "cache_misses") / made
        found |= {"pages": float(engine["page_count"]), "pages_missed_per_lookup": missed}
    return found


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """A trial's metrics, and its one series of times: of batches or of single look-ups."""
    series = "batch" if asked.request["run"]["law"] == "stride" else "query"
    record, times = asked.answer.record, asked.answer.series[f"{series}.service"]
    labels = {"engine": f"{record['engine']} {record['engine_version']}"}
    return kv.Reading(metrics(asked.answer, asked.request["run"]), series, times, labels)


PROBING = kv.Probing("RocksDB and SQLite", ("RocksDB", "SQLite"), configurations, request_of, read)
needs, session, reduce = PROBING.needs, PROBING.session, kv.reduce

QUERY, INSERT = "query_mean_ns", "insert_s"
QUANTILES = {"uniform_p50_ns": "P50", "uniform_p99_ns": "P99", "uniform_p999_ns": "P99.9"}
METRICS = {
    **kv.METRICS,
    INSERT: kit.Metric("time to insert all rows", "s", format="{:.3g}".format),
    "index_insert_s": kit.Metric("time to fill the index", "s", format="{:.3g}".format, heading="index part"),
    "insert_syncs": kv.METRICS["insert_syncs"].but(heading="fsyncs of the insert"),
    QUERY: kv.METRICS[QUERY].but(heading="look-up, mean"),
    "query_middle_ns": kit.Metric("time of a look-up in the middle batch", "µs", 1e-3, heading="look-up, middle batch"),
    **{metric: kit.Metric(f"{words} of a single look-up", "µs", 1e-3) for metric, words in QUANTILES.items()},
    "pages_missed_per_lookup": kit.Metric(
        "number of pages missed per look-up", format="{:.2f}".format, heading="pages missed per look-up"
    ),
    "index_leaves": kit.Metric("number of leaves of the index"),
}


class Summary(kv.Summary[Parameters]):
    MEND = "raise lookups or tail_lookups"

    @property
    def rows(self) -> list[int]:
        """Sizes with sequential keys, smallest first."""
        return sorted(self.parameters.rows)

    def timed(self, sizes: Iterable[int], *systems: str, keys: str = "sequential") -> list[int]:
        """The sizes at which every trial of these systems has both of its times; raises NotEstimableError for none."""
        found = [rows for rows in sizes if all(self.has(f"{each}_{rows}_{keys}", QUERY, INSERT) for each in systems)]
        if not found:
            raise kit.NotEstimableError("this run timed nothing of it", "measure again")
        return found

    def first(self, place: int = 0) -> int:
        """The fewest rows at which every trial of all systems has its times."""
        return self.timed(self.rows, *SYSTEMS)[place]

    def last(self) -> int:
        """The most of them."""
        return self.first(-1)

    def random(self) -> int:
        """The most rows that were timed with random and with sequential keys."""
        pair = ("before", "sqlite_as_run")
        return self.timed(self.timed(sorted(self.parameters.random_rows), *pair, keys="random"), *pair)[-1]

    def missing(self, arm: str, metric: str) -> kit.NotEstimableError:
        """The same, and where a size was not asked for, that there is none."""
        if arm in self.configurations:
            return super().missing(arm, metric)
        return kit.NotEstimableError(f"this run has no configuration {arm}", "ask for its number of rows")

    def departures(self) -> list[str]:
        left = [short(rows) for rows in ASKED_ROWS if rows not in self.parameters.rows]
        return [*([f"no trials with {', '.join(left)} rows"] if left else []), *super().departures()]

    def sizes(self) -> str:
        return f", {self.parameters.lookups:,} look-ups per trial unless stated otherwise"


checks = kv.all_compared


def aa_gates(summary: Summary, answer: kit.Answer) -> list[kit.Gate]:
    """The state before the options against _itself, in all sizes and times of the claim.

    A size without a second measurement is answered for by the next smaller one that has it, else by the smallest.
    Taken together the gates of a sound run fail once in a hundred (Bonferroni), as a single one does.
    """
    again, metric = sorted(summary.parameters.again_rows), answer.estimand.metric
    sizes = {int(arm.split("_")[-2]) for arm in answer.estimand.names(summary)}
    found = sorted({max((rows for rows in again if rows <= size), default=again[0]) for size in sizes})
    pairs = [(f"before_again_{rows}_sequential", f"before_{rows}_sequential", each) for rows in found
             for each in ((INSERT, QUERY) if metric == INSERT else (QUERY,))]  # fmt: skip
    return [summary.aa_gate(*pair, pairs=len(pairs)) for pair in pairs]


def own_table() -> Reported:
    """O068: the note's table has the speed-up at its largest size, before and after the change."""
    of = partial(notes.number, "omendb_speedup", scale_rows=TEN_MILLION, distribution="Sequential")
    before, after = of("before"), of("after")
    return Reported(
        f"By queries alone, as registered, the note's own table has {after:g} times for ten million sequential rows "
        f"after the change, and {before:g} before it (OPTIMIZATION_RESULTS_OCT_14.md, omendb/omendb at 7ab24ab).",
        after,
    )


REPORTS = {"O068": own_table}
Rows = int | str | Callable[[Summary], int]
"""A number of rows, the row of a figure, or one of a run's sizes."""
time, insert = kit.measured(QUERY), kit.measured(INSERT)


def sized(system: str, rows: Rows, keys: str = "sequential") -> str | Callable[[Summary], str]:
    """The configuration of a system at a size."""
    return (lambda summary: f"{system}_{rows(summary)}_{keys}") if callable(rows) else f"{system}_{rows}_{keys}"


def _single(system: str) -> str | Callable[[Summary], str]:
    return sized(system, lambda summary: summary.parameters.tail_rows, "uniform")


def speedup(
    of: kit.measured, rows: Rows, *, system: str = "before", base: str = "sqlite_as_run", keys: str = "sequential"
) -> kit.Values:
    """SQLite's time over the system's: above 1 the system is faster."""
    return kit.blockwise(np.divide, *(of[sized(each, rows, keys)] for each in (base, system)))


def mixed(rows: Rows) -> kit.Values:
    """The note's definition: the arithmetic mean of insert speed-up and query speed-up, per block."""
    return kit.blockwise(lambda *both: sum(both) / 2, speedup(insert, rows), speedup(time, rows))


def smallest(summary: Any, per_size: Iterable[np.ndarray]) -> kit.Effect:
    """The smallest of several speed-ups, whichever it is, with an interval of the summary's confidence.

    per_size: ratios, each of shape (blocks,). Each size gets an interval at 1 - (1 - confidence) / k for k sizes
    (Bonferroni); all hold together, and then the smallest true speed-up lies between the smallest lower and the
    smallest upper end. The smallest value of each block would not do: it is too small wherever sizes are close.
    """
    every = [*per_size]
    each = summary.at(1 - (1 - summary.confidence) / len(every))
    found = kit.outermost((each.estimated(statistics.ratio, of, np.ones(len(of))) for of in every), min)
    method = intervals.simultaneous(found.method)
    return replace(found, method=method, confidence=summary.confidence, typical=None)


def least(*values: kit.Values) -> kit.Estimand:
    """The same of expressions."""
    arms = (arm for each in values for arm in each.arms)
    return kit.custom(lambda summary: smallest(summary, (each.vector(summary, None) for each in values)),
                      kit.Quantity.COMPARISON, *arms, aa=values[0].metric)  # fmt: skip


ENDS: dict[str, Rows] = {"first": Summary.first, "last": Summary.last}
TIMES = {"query": time, "insert": insert}
NUMBERS = {
    "change": speedup(time, TEN_MILLION) / speedup(time, TEN_K),
    "change_from_1M": speedup(time, TEN_MILLION) / speedup(time, MILLION),
    "lead_10M": time[f"sqlite_as_run_{TEN_MILLION}_sequential"] / time[f"before_{TEN_MILLION}_sequential"],
    "time_10M": time[f"before_{TEN_MILLION}_sequential"] / time[f"sqlite_as_run_{TEN_MILLION}_sequential"],
    "mixed": {short(rows): mixed(rows) for rows in ASKED_ROWS[:3]},
    "least_after": least(*(speedup(time, rows, system="after") for rows in ASKED_ROWS)),
    "least_mixed": least(mixed(HUNDRED_K), mixed(MILLION)),
    "column_as_printed": speedup(time, TEN_MILLION) / mixed(TEN_K),
    "column_mean": mixed(TEN_MILLION) / mixed(TEN_K),
    "fall": speedup(time, Summary.last) / speedup(time, Summary.first),
    "longer": {system: kit.on_hosts(time[sized(system, Summary.last)] / time[sized(system, Summary.first)])
               for system in ("before", "sqlite_as_run")},
    **{what: {end: kit.on_hosts(speedup(of, rows)) for end, rows in ENDS.items()} for what, of in TIMES.items()},
    "well": {f"{what}_{end}": kit.on_hosts(speedup(of, rows, base="sqlite_well"))
             for what, of in TIMES.items() for end, rows in ENDS.items()},
    "random": {what: kit.on_hosts(speedup(of, Summary.random, keys="random")) for what, of in TIMES.items()}
    | {f"{what}_change": speedup(of, Summary.random, keys="random") / speedup(of, Summary.random)
       for what, of in TIMES.items()},
    "tail": {what: kit.on_hosts(kit.measured("uniform_p50_ns")[_single(base)]
                                / kit.measured("uniform_p50_ns")[_single("before")])
             for what, base in {"p50": "sqlite_as_run", "well": "sqlite_well"}.items()},
}  # fmt: skip


def _falls(values: Mapping[int, float]) -> dict[str, float]:
    first, last = values[min(values)], values[max(values)]
    return {"first": first, "last": last, "left": last / first}


def by_rows(ask: Callable[[Summary, int], Any], sizes: str = "rows") -> Callable[[Summary], dict[str, Any]]:
    """What is asked at each of these sizes, a parameter's name, of which a run may lack some."""
    return lambda summary: dict(
        kit.each(lambda rows: (short(rows), ask(summary, rows)), sorted(getattr(summary.parameters, sizes)))
    )


def on_hosts(**which: str) -> Callable[[Summary], dict[str, kit.Told]]:
    """The query speed-up by size, on each kind of host where these lie apart. which: as ``speedup`` takes it."""

    def told(summary: Summary, rows: int) -> kit.Told:
        values = speedup(time, rows, **which)
        return kit.Told(values(summary), hosts=hosts.apart(summary, values))

    return lambda summary: {short(rows): told(summary, rows) for rows in summary.timed(summary.rows, *SYSTEMS)}


def _itself(summary: Summary, rows: int) -> dict[str, kit.Told]:
    again, first = (f"{each}_{rows}_sequential" for each in ("before_again", "before"))
    return {what: kit.Told((of[again] / of[first])(summary)) for what, of in TIMES.items()}


def held(summary: Summary) -> dict[str, Any]:
    """Where the rows were when they were looked up, and what the note's tree had become."""
    arms = {rows: f"before_{rows}_sequential" for rows in summary.rows}
    seen = {rows: arm for rows, arm in arms.items()
            if summary.has(arm, "memtable_rows", "table_files", "index_leaves")}  # fmt: skip
    if not seen:
        raise kit.NotEstimableError("this run did not record where the rows were", "measure again")
    rows = max(seen)
    leaves = summary.mean(seen[rows], "index_leaves")
    return {
        "share": min(float((summary.values(arm, "memtable_rows") / rows).min()) for rows, arm in seen.items()),
        "files": max(float(summary.values(arm, "table_files").max()) for arm in seen.values()),
        "rows": short(rows), "leaves": leaves, "per_leaf": rows / leaves,
    }  # fmt: skip


note = kv.note
WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: kv.in_turns(summary.parameters),
    "sizes": lambda summary: [*map(short, summary.rows)],
    "random_sizes": lambda summary: [*map(short, sorted(summary.parameters.random_rows))],
    "again_sizes": lambda summary: [*map(short, sorted(summary.parameters.again_rows))],
    "tail_size": lambda summary: short(summary.parameters.tail_rows),
    "first": lambda summary: short(summary.first()),
    "last": lambda summary: short(summary.last()),
    "random": lambda summary: short(summary.random()),
    **{f"syncs_{system}": kit.mean(sized(system, Summary.last), "insert_syncs")
       for system in ("before", "sqlite_as_run", "sqlite_well")},
    "printed": lambda summary: _falls(note.printed()),
    "means": lambda summary: _falls(note.mixed_behind()),
    "queries": lambda summary: _falls(note.behind("query")),
    "definitions": lambda summary: {short(rows): note.definition(rows) for rows in note.SIZES},
    "beyond": lambda summary: [short(rows) for rows in summary.rows if rows > max(note.SIZES)],
    "speedup_after": on_hosts(system="after"),
    "speedup_well": on_hosts(base="sqlite_well"),
    "held": held,
    "missed": by_rows(lambda run, rows: run.mean(f"sqlite_as_run_{rows}_sequential", "pages_missed_per_lookup")),
    "taken_mib": by_rows(lambda summary, rows: summary.mean(f"before_{rows}_sequential", "anonymous_bytes") / kv.MIB),
    "cache_mib": lambda summary: (cache_bytes(summary.run.provenance) or 0) / kv.MIB,
    "itself": by_rows(_itself, "again_rows"),
}  # fmt: skip


def note_claims(summary: Summary) -> pd.DataFrame:
    """The printed column beside the numbers behind it."""
    columns = {"printed speed-up": note.printed(), "query speed-up": note.behind("query"),
               "insert speed-up": note.behind("insert"), "mean of the two": note.mixed_behind()}  # fmt: skip
    cells = {heading: [f"{values[rows]:.2f}" for rows in note.SIZES] for heading, values in columns.items()}
    cells["what was printed"] = [*map(note.definition, note.SIZES)]
    return pd.DataFrame({"rows": [*map(short, note.SIZES)]} | cells).set_index("rows")


TABLES = {"note_claims": note_claims}
by_size = partial(
    kit.Lines, over=lambda summary: summary.rows, across="rows", rows=True, aside=True, beyond=5.0, tick=short,
    quantity="speed-up", replicates="blocks", axis="times as fast as SQLite",
)  # fmt: skip


def _equal(summary: Summary, *given: kit.Given) -> list[kit.Given]:
    sizes = [*summary.rows, *(rows for each in given for rows in each.values)]
    return [*given, kit.Given("equally fast", {min(sizes): 1, max(sizes): 1}, line="dash", listed=False)]


def as_printed(summary: Summary, rows: int) -> kit.Estimate:
    """From the largest of its sizes on the note prints the query speed-up alone."""
    return (speedup(time, "{}") if rows >= max(note.SIZES) else mixed("{}"))(summary, rows)


FIGURES = {
    "speedups": by_size(
        series={"query": speedup(time, "{}"), "insert": speedup(insert, "{}"),
                "query, after the options": speedup(time, "{}", system="after")},
        given=lambda summary: _equal(summary, *(kit.Given(f"{what}, the note's report", note.behind(what))
                                               for what in ("query", "insert"))),
    ),
    "column": by_size(
        series={
            "mixed as in the note": as_printed, "mean throughout": mixed("{}"),
            "query throughout": speedup(time, "{}"),
            "geometric mean throughout": kit.blockwise(lambda *both: np.sqrt(np.multiply(*both)),
                                                       speedup(insert, "{}"), speedup(time, "{}")),
        },
        axis="times as fast as SQLite as run",
        given=lambda summary: _equal(summary, kit.Given("the note's column", note.printed())),
    ),
    "lookups": by_size(
        series={label: time[sized(system, "{}")] / 1e3 for system, label in SYSTEMS.items()},
        axis="look-up, mean (µs)", quantity="look-up, mean (µs)",
    ),
    "claims": kit.ClaimFigure(),
}  # fmt: skip
