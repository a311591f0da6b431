"""Ways of asking for a row of each of many tables, over ways of different length to the server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from benchbook import kit, statistics
from benchbook.measuring import features
from benchbook.measuring.features import way_bench
from benchbook.measuring.features.way_bench import COUNTED, ENDS, PARTS, counted
from benchbook.model import Plan
from benchbook.pages.prose import filled
from benchbook.pages.tables import distinct

CLAIMED_MS, LONGEST_MS = 1.0, 50.0
"""The added round trip at which the claims compare medians, and the longest."""


class Parameters(way_bench.WayParameters):
    """Defaults are the standard profile: 1.1 GB in 30 tables, all ways of asking over five lengths of the way."""

    rows_per_table: int = kit.param(20_000, 1_000, 100_000_000, "rows that every table has")
    fillfactor_percent: int = kit.param(20, 10, 100, "how full pages of tables and indexes are; 20: 7 rows on a page")
    shared_buffers_mib: int = kit.param(512, 1, 1_000_000, "PostgreSQL's buffer pool in MiB")
    hot_set_keys: int = kit.param(60, 1, 1_000_000, "warmed keys; hot requests ask for no others")
    warmup_requests: int = kit.param(60, 1, 1_000_000, "requests before the measured ones; at least hot_set_keys")
    measured_requests: int = kit.param(
        600, 100, 1_000_000, "requests of a trial whose P50 the claims ask for, a third with each number of tables"
    )
    window_requests: int = kit.param(600, 50, 1_000_000, "requests after which the client collects garbage, untimed")
    fewer_requests: int = kit.param(90, 3, 1_000_000, "requests of other trials with a trip of at most 1 ms added")
    far_requests: int = kit.param(30, 3, 1_000_000, "requests of other trials with a longer one added")
    client_mode: Literal["pipeline"] = kit.param("pipeline", words="how the warm-up asks; others ask in every way")
    key_existence: Literal["all_tables"] = kit.param("all_tables", words="every key exists in every table")
    added_trip_ms: tuple[float, ...] = kit.param(
        (0.0, 0.5, 1.0, 5.0, 20.0), words="ms that a proxy adds to each round trip (needs Linux); 1 is one"
    )
    disjoint_trip_ms: tuple[float, ...] = kit.param(
        (0.0, 1.0, 5.0), words="those with which other keys are asked for too; 1 is one"
    )
    counted_trip_ms: float = Field(
        10.0, ge=2, le=LONGEST_MS, allow_inf_nan=False,
        description="ms added while trips are counted; the client must send a whole request in less time",
    )  # fmt: skip

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        thirds = self.n_tables // PARTS
        third = f"n_tables={self.n_tables} must be a multiple of {PARTS}: a third of them is asked for too"
        kit.refuse(bool(self.n_tables % PARTS), third)
        for name in ("measured_requests", "fewer_requests", "far_requests"):
            asked = getattr(self, name)
            kit.refuse(bool(asked % PARTS), f"{name}={asked} must be a multiple of {PARTS}")
            more = f"{name}={asked} exceeds measured_requests={self.measured_requests}"
            kit.refuse(asked > self.measured_requests, more)
        few = f"warmup_requests={self.warmup_requests} does not warm hot_set_keys={self.hot_set_keys} keys"
        kit.refuse(self.warmup_requests < self.hot_set_keys, few)
        for name in ("added_trip_ms", "disjoint_trip_ms"):
            values = getattr(self, name)
            outside = f"{name}={values} must lie between 0 and {LONGEST_MS:g}"
            kit.refuse(any(not 0 <= value <= LONGEST_MS for value in values), outside)
            kit.refuse(len({*map(length, values)}) != len(values), f"{name}={values} names a value twice")
            lacks = f"{name}={values} lacks {CLAIMED_MS:g}, at which the claims are asked"
            kit.refuse(CLAIMED_MS not in values, lacks)
        missing = sorted({*self.disjoint_trip_ms} - {*self.added_trip_ms})
        lacks = f"disjoint_trip_ms has {missing}, which added_trip_ms={self.added_trip_ms} lacks"
        kit.refuse(bool(missing), lacks)
        point = f"added_trip_ms={self.added_trip_ms} needs a second value: a line needs two points"
        kit.refuse(len(self.added_trip_ms) < 2, point)
        lanes, most = self.connections, min(8, thirds)
        kit.refuse(len({*lanes}) != len(lanes), f"connections={lanes} names a value twice")
        each = f"each has a table of the {thirds} that the smallest requests read"
        outside = f"connections={lanes} must lie between 2 and {most}: {each}"
        kit.refuse(any(not 2 <= each <= most for each in lanes), outside)
        return self


def length(trip_ms: float) -> str:
    """An added round trip in a configuration's name."""
    return f"{trip_ms:g}".replace(".", "_")


def cell(mode: str, trip_ms: float, *, disjoint: bool = False) -> str:
    """Configuration name of a way of asking with an added round trip, such as pipeline_trip_0_5."""
    return f"{mode}{'_disjoint' * disjoint}_trip_{length(trip_ms)}"


BASELINE, SERIALLY = cell("pipeline", CLAIMED_MS), cell("serial", CLAIMED_MS)
DISJOINT, DISJOINT_SERIALLY = (cell(mode, CLAIMED_MS, disjoint=True) for mode in ("pipeline", "serial"))
AA = (f"{BASELINE}_again", BASELINE)


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every way over every length, the baseline again, both of the claims' ways with other keys, and the counting."""
    p, found = parameters, {}
    hot = [(mode, trip_ms, False) for mode in p.modes for trip_ms in p.added_trip_ms]
    cold = [(mode, trip_ms, True) for mode in ("serial", "pipeline") for trip_ms in p.disjoint_trip_ms]
    for mode, trip_ms, disjoint in [*hot, *cold]:
        far = trip_ms > CLAIMED_MS
        medians = mode == "pipeline" or (mode == "serial" and not far)
        requests = p.measured_requests if medians else p.far_requests if far else p.fewer_requests
        label = f"{p.modes[mode]}, +{trip_ms:g} ms{', disjoint keys' * disjoint}"
        name, draw = cell(mode, trip_ms, disjoint=disjoint), "disjoint" if disjoint else "same"
        found[name] = features.arm(name, label, draw, mode=mode, trip_ms=trip_ms, requests=requests)
    arms, again = [*found.values()], found[BASELINE]
    yield from arms[: len(hot)]
    yield kit.Configuration(AA[0], f"{again.label}, again (A/A)", again.settings)
    yield from arms[len(hot) :]
    words, trip_ms = "trips counted on the wire", p.counted_trip_ms
    yield features.arm(COUNTED, words, "same", mode=COUNTED, trip_ms=trip_ms, requests=PARTS)


def plan(parameters: Parameters) -> Plan:
    """Blocks in which what is compared, all of one length of the way, is measured within a minute or two."""
    lengths = {each.name: f"{each.settings['trip_ms']}" for each in configurations(parameters)}
    arms = [*configurations(parameters)]
    return features.neighbours(arms, lengths.__getitem__, parameters.blocks, parameters.seed)


def needs(parameters: Parameters) -> kit.Needs:
    """The family's, and what makes the way longer."""
    mend = "read the published run: every comparison of this chapter is over a longer way"
    return features.needs(parameters, partial(features.usable, reads=False, trips=True, mend=mend))


session, reduce = way_bench.session, way_bench.reduce

TABLES_OF = dict(zip(ENDS, ("a third of the tables", "two thirds of the tables", "all tables"), strict=True))
CODE = {
    "committed": "the feature server's code", "autocommit": "the feature server's code in autocommit mode",
    "snippet": "the note's code", "own_cursors": "the code with a cursor for each look-up",
}  # fmt: skip
METRICS = {
    **features.METRICS,
    **{f"{which}{end}_ns": kit.Metric(f"{words} latency with {tables}", "ms", features.MS)
       for which, words in {"mean": "mean", "p50": "P50"}.items() for end, tables in TABLES_OF.items()},
    "mean_ns": kit.Metric("mean latency of a request", "ms", features.MS, heading="mean"),
    "p50_ns": kit.Metric("P50 latency", "ms", features.MS, heading="P50"),
    "trips": kit.Metric("number of round trips by construction"),
    "lookups": kit.Metric("number of look-ups"),
    **{counted(mode, end): kit.Metric(f"number of counted round trips with {tables}")
       for mode in ("serial", "pipeline", "unions", "one_union", "one_function", "connections_#")
       for end, tables in TABLES_OF.items()},
    **{f"{metric}_{name}": kit.Metric(text.format(words)) for name, words in CODE.items() for metric, text in {
        "trips": "number of counted round trips of {}",
        "correct_rows": "number of right rows that {} gets",
        "rows_in_place": "number of rows that {} gets in their place",
    }.items()},
    **{f"trips_{name}_per_table": kit.Metric(f"counted round trips per table of {words}", format="{:.2f}".format)
       for name, words in CODE.items()},
    "statements_at_once": kit.Metric("largest number of statements of a pipeline that run at once"),
    "statements_at_once_control": kit.Metric("largest number of statements over four connections that run at once"),
}  # fmt: skip
MEDIAN_REQUESTS = 200
"""With all tables, of a trial whose P50 is asked for."""
SEEN_AT_ONCE = 2
"""Statements at once that the control must show, or one of the pipeline says nothing."""
NEAR = 0.1
"""A slope so close to the trips that were counted, as a share of them, agrees."""


class Summary(features.Summary[Parameters]):
    """One run."""

    @property
    def trips_ms(self) -> list[float]:
        return sorted(self.parameters.added_trip_ms)

    def missing(self, arm: str, metric: str) -> kit.NotEstimableError:
        """What to say where a trial lacks a metric, as the P50 of fewer than 200 requests."""
        return kit.NotEstimableError(
            f"{self.in_words(metric)} of “{self.label(arm)}” is not estimable in every trial of this run",
            f"give measured_requests of {PARTS * MEDIAN_REQUESTS} or more",
        )

    def departures(self) -> list[str]:
        asked, direct = self.parameters.measured_requests // PARTS, self.run.provenance.get("direct_io")
        few = f"{asked} requests for a median instead of {MEDIAN_REQUESTS}"
        found = kit.Summary.departures(self) + ([few] if asked < MEDIAN_REQUESTS else [])
        return found + ([] if direct else ["reads through the OS page cache instead of direct I/O"])

    def sizes(self) -> str:
        """Nothing after the blocks: trials differ in their number of requests."""
        return ""


@dataclass(frozen=True)
class Place:
    """One cell of the map. best: the way with the shortest mean latency. over: the others' ratios to it, whose
    intervals hold together."""

    tables: int
    trip_ms: float
    best: str
    over: dict[str, kit.Effect]

    @property
    def tied(self) -> list[str]:
        """Other ways that are not told from the best: the interval of the ratio holds 1."""
        return [mode for mode, effect in self.over.items() if effect.low <= 1.0]


def places(summary: Summary) -> list[Place]:
    """Every cell of the map that the run can fill."""

    def place(tables: int, end: str, trip_ms: float) -> Place:
        values = {mode: summary.values(cell(mode, trip_ms), f"mean{end}_ns") for mode in summary.parameters.modes}
        best = min(values, key=lambda mode: float(np.log(values[mode]).mean()))
        fastest = values.pop(best)
        return Place(tables, trip_ms, best, summary.estimated(statistics.many_to_one, fastest, values))

    sizes = zip(summary.parameters.sizes, ENDS, strict=True)
    wanted = [partial(place, size, end, trip_ms) for size, end in sizes for trip_ms in summary.trips_ms]
    return summary.once("places", lambda: filled(*wanted))


@dataclass(frozen=True)
class Line:
    """Of one way of asking for all tables: latency = trips x added round trip + work.

    off: the largest share by which a block's line misses a latency that it was fitted to; None for two, which no line
    misses. near_ms: the latency without any added trip, which no line of two or more other lengths was fitted to: there
    is no proxy on that way.
    """

    trips: kit.Estimate
    work_ms: kit.Estimate
    off: float | None
    near_ms: kit.Estimate | None


def lengths_ms(summary: Summary, mode: str) -> np.ndarray:
    """The added round trips of a way's trials as they were measured, 0 without the proxy; shape (lengths, blocks)."""
    return np.array([
        summary.values(cell(mode, trip_ms), "measured_trip_ms") if trip_ms else np.zeros(summary.run.blocks)
        for trip_ms in summary.trips_ms
    ])  # fmt: skip


def line(summary: Summary, mode: str) -> Line:
    """The line of a way of asking; misses count relative to the latency. Raises NotEstimableError."""
    added, lengths, near = np.array(summary.trips_ms), lengths_ms(summary, mode), None
    latencies = np.array([summary.values(cell(mode, trip_ms), "mean_ns") / 1e6 for trip_ms in summary.trips_ms])
    if not added.min():
        near = summary.estimated(statistics.geometric_mean, latencies[added.argmin()])
    if (added > 0).sum() > 1:
        lengths, latencies = lengths[added > 0], latencies[added > 0]
    slopes, work = np.array([fitted(x, y) for x, y in zip(lengths.T, latencies.T, strict=True)]).T
    off = float((np.abs(slopes * lengths + work - latencies) / latencies).max()) if len(lengths) > 2 else None
    slope, intercept = (summary.estimated(statistics.arithmetic_mean, each) for each in (slopes, work))
    return Line(slope, intercept, off, near)


def fitted(lengths: np.ndarray, latencies: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of least squares of the relative misses, so that short ways count as much as long ones."""
    design = np.stack([lengths, np.ones_like(lengths)], axis=1) / latencies[:, None]
    slope, intercept = np.linalg.lstsq(design, np.ones_like(latencies), rcond=None)[0]
    return float(slope), float(intercept)


def growth(summary: Summary) -> kit.Estimate:
    """Growth of a pipeline's P50 per further table and per ms of added round trip, mean over blocks."""
    tables, lengths = np.array(summary.parameters.sizes, dtype=float), lengths_ms(summary, "pipeline")
    values = np.array([
        [summary.values(cell("pipeline", trip_ms), f"p50{end}_ns") / 1e6 for end in ENDS]
        for trip_ms in summary.trips_ms
    ])  # fmt: skip
    found = [growing(tables, lengths[:, block], values[:, :, block]) for block in range(values.shape[2])]
    return summary.estimated(statistics.arithmetic_mean, found)


def growing(tables: np.ndarray, lengths: np.ndarray, latencies: np.ndarray) -> float:
    """The coefficient of tables x length by least squares, beside a constant, tables and length.

    latencies: shape (lengths, tables). In ms per table and ms.
    """
    t, r = np.meshgrid(tables - tables.mean(), lengths - lengths.mean())
    design = np.stack([np.ones(t.size), t.ravel(), r.ravel(), (t * r).ravel()], axis=1)
    return float(np.linalg.lstsq(design, latencies.ravel(), rcond=None)[0][3])


def waiting(summary: Summary, mode: str) -> kit.Estimate:
    """Share of a request's latency that is its trips, counted on the wire, times their length as measured."""
    measured = lengths_ms(summary, mode)[summary.trips_ms.index(CLAIMED_MS)]
    shares = made[mode](summary).point * measured / (summary.values(cell(mode, CLAIMED_MS), "mean_ns") / 1e6)
    return summary.estimated(statistics.arithmetic_mean, shares)


def fewer_trips(summary: Summary) -> str:
    """Why a pipeline saved nothing: it waited as often; "" where the wire says that it did not."""
    alone, together = made["serial"](summary).low, made["pipeline"](summary).high
    told = f"the pipeline waited for the server {together:g} times a request and single look-ups {alone:g} times"
    return "" if together < alone else told


def disjoint_read(summary: Summary) -> str:
    """Why other keys than the warmed ones changed nothing; "" where they read more blocks, and trips were saved."""
    pairs = ((DISJOINT, BASELINE), (DISJOINT_SERIALLY, SERIALLY))
    return next(filter(None, (features.same_reads(*pair)(summary) for pair in pairs)), fewer_trips(summary))


def overlap_unseen(summary: Summary) -> str:
    """Why statements at once would not have been seen; "" where the control saw them."""
    most = on_the_wire("statements_at_once_control")(summary).low
    told = f"of the same statements over four connections no more than {most:g} were seen at once either"
    return "" if most >= SEEN_AT_ONCE else told


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Caches as named and, of what is timed, equal counts and Little's law."""
    names = answer.estimand.names(summary) or frozenset(cell("pipeline", trip_ms) for trip_ms in summary.trips_ms)
    timed = answer.estimand.metric is not None
    return [summary.certified(names), *([summary.counts_agree(), summary.littles_law(names)] if timed else [])]


def on_the_wire(metric: str) -> kit.Values:
    """What was counted once a block; its mean over them."""
    return kit.counted(metric)[COUNTED].mean


def farthest(mode: str, end: Callable[[Iterable[float]], float]) -> Callable[[Summary], str]:
    """A way of asking over the shortest way, or the longest."""
    return lambda summary: cell(mode, end(summary.trips_ms))


mean, p50 = kit.measured("mean_ns"), kit.measured("p50_ns")
made = {mode: on_the_wire(counted(mode)) for mode in ("serial", "pipeline")}
BOTH = {"hot": (SERIALLY, BASELINE), "cold": (DISJOINT_SERIALLY, DISJOINT)}
hot, cold = (p50[alone] / p50[together] for alone, together in BOTH.values())
NUMBERS = {
    "pipeline": (p50[BASELINE] / p50[SERIALLY]).but(idle=fewer_trips),
    "trips_per_table": kit.counted("trips_committed_per_table")[COUNTED],
    "right_rows": kit.known(
        lambda summary: float(summary.values(COUNTED, "correct_rows_snippet").min()),
        "the least in any block of the right rows that the note's lines got, whatever their place", COUNTED,
    ),
    "growth": kit.custom(growth, kit.Quantity.COMPARISON, aa="p50_ns", idle=fewer_trips),
    "at_once": replace(
        kit.known(
            lambda summary: float(summary.values(COUNTED, "statements_at_once").max()),
            "the most in any block, by the server's own clock", COUNTED,
        ),
        idle=overlap_unseen,
    ),
    "at_once_control": kit.known(lambda summary: float(summary.values(COUNTED, "statements_at_once_control").max())),
    "by_keys": (hot / cold).but(idle=disjoint_read),
    "serial_ms": mean[SERIALLY] / 1e6, "pipeline_ms": mean[BASELINE] / 1e6,
    "speed_up": {keys: mean[alone] / mean[together] for keys, (alone, together) in BOTH.items()},
    "saved": {keys: mean[alone] / 1e6 - mean[together] / 1e6 for keys, (alone, together) in BOTH.items()},
    "union": mean[cell("one_union", CLAIMED_MS)] / mean[BASELINE],
    **{f"{mode}_{end.__name__}": mean[farthest(f"one_{mode}", end)] / mean[farthest("pipeline", end)]
       for mode in ("union", "function") for end in (min, max)},
    "waiting": {mode: kit.percent(kit.told(waiting, mode)) for mode in made},
    "work": {mode: kit.told(lambda summary, mode: line(summary, mode).work_ms, mode) for mode in made},
    "trips": {**made, **{name: on_the_wire(f"trips_{name}") for name in CODE}},
    **{which: {name: on_the_wire(f"{which}_{name}") for name in CODE} for which in ("correct_rows", "rows_in_place")},
    "again": {"mean": mean[AA[0]] / mean[BASELINE], "p50": p50[AA[0]] / p50[BASELINE]},
}  # fmt: skip


def loss(summary: Summary) -> dict[str, Any] | None:
    """Where look-ups one by one lose most against the fastest way; None where they are the fastest everywhere."""
    slowed = [each for each in places(summary) if each.best != "serial"]
    most = max(slowed, key=lambda each: each.over["serial"].point, default=None)
    if most is None:
        return None
    return {"place": most, "times": kit.Told(most.over["serial"]), "way": summary.parameters.modes[most.best]}


def misfits(summary: Summary) -> list[tuple[str, kit.Told, float]]:
    """The ways of which the trips that the latencies imply are not those that were counted, and both."""
    found = []
    for mode, words in summary.parameters.modes.items():
        slope, waited = line(summary, mode).trips, on_the_wire(counted(mode))(summary).point
        if not slope.low <= waited <= slope.high and abs(slope.point / waited - 1) > NEAR:
            found.append((words, kit.Told(slope), waited))
    return found


def largest_miss(summary: Summary) -> float | None:
    """The largest share by which a fitted line misses a measured mean; no line of two points misses one."""
    every = (line(summary, mode).off for mode in summary.parameters.modes)
    return max((off for off in every if off is not None), default=None)


def trips_off(summary: Summary) -> float:
    """The largest share by which an added trip differs from what was asked for."""
    rows = summary.run.trials
    return float((rows["measured_trip_ms"] / rows["added_trip_ms"] - 1).abs()[rows["added_trip_ms"] > 0].max())


speed_up = {keys: mean[f"serial{keys}_trip_{{}}"] / mean[f"pipeline{keys}_trip_{{}}"] for keys in ("", "_disjoint")}
WORDS = {
    "data_gib": lambda summary: summary.data_bytes / 2**30,
    "psycopg": lambda summary: summary.run.provenance.get("psycopg", "unknown"),
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
    "failed": lambda summary: int(summary.run.trials["state"].str.startswith("failed").sum()),
    "reads_cold": lambda summary: summary.mean(DISJOINT, "pool_misses_per_request"),
    "speed_ups": lambda summary: {ms: kit.Told(speed_up[""](summary, length(ms))) for ms in summary.trips_ms},
    "places": places,
    "fastest": lambda summary: Counter(
        summary.parameters.modes[each.best] for each in places(summary) if not each.tied
    ),
    "loss": loss,
    "misfits": misfits,
    "near": lambda summary: 100 * NEAR,
    "largest_miss": largest_miss,
    "trips_off": trips_off,
}


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration that was timed: certified state, mean and median latency, blocks read."""
    columns = {
        "certified cache": distinct(summary, "cache_state"),
        **kit.levels(summary, "mean_ns", "p50_ns"),
        **kit.means(summary, "requests", "measured_trip_ms", "pool_misses_per_request"),
    }
    return kit.table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms if arm != COUNTED], columns)


def lines(summary: Summary) -> pd.DataFrame:
    """For each way: trips counted with fewer and all tables, trips and work by the fitted line, its largest miss."""
    p, of = summary.parameters, partial(line, summary)

    def waited(end: str, mode: str) -> str:
        return f"{on_the_wire(counted(mode, end))(summary).point:.3g}"

    columns: dict[str, Callable[[str], str]] = {
        **{f"counted, {size} tables": partial(waited, end) for size, end in zip(p.sizes, ENDS, strict=True)},
        f"implied, {p.n_tables} tables": lambda mode: kit.with_interval(of(mode).trips),
        "work (ms)": lambda mode: kit.with_interval(of(mode).work_ms),
        "latency without the proxy (ms)": lambda mode: kit.with_interval(e) if (e := of(mode).near_ms) else "",
        "largest miss": lambda mode: "" if (off := of(mode).off) is None else f"{off:.1%}",
    }
    return kit.table([({"way of asking": words}, mode) for mode, words in p.modes.items()], columns)


TABLES = {"overview": overview, "lines": lines}


FIGURES = {
    "ways": kit.Dots(
        rows=lambda summary: summary.parameters.modes, row="way of asking",
        series=lambda summary: {f"+{ms:g} ms": mean[f"{{}}_trip_{length(ms)}"] / 1e6 for ms in summary.trips_ms},
        heading="added round trip",
        axis="mean latency of a request for all tables (ms)", quantity="mean latency (ms)",
    ),
    "trips": kit.Dots(
        rows=lambda summary: summary.parameters.modes | {
            "committed": "the feature server's code", "autocommit": "the same in autocommit mode",
            "snippet": "the note's lines", "own_cursors": "a cursor for each look-up",
        },
        row="way of asking", heading="found by",
        series={
            "counted on the wire": lambda summary, row: on_the_wire(
                f"trips_{row}" if row in CODE else counted(row)
            )(summary),
            "implied by the latencies": lambda summary, mode: line(summary, mode).trips,
        },
        axis="round trips of a request for all tables", quantity="round trips", scale="zero",
        nothing="No trip was counted in this run",
    ),
    "got": kit.Dots(
        rows={
            "correct_rows_snippet": "right rows, the note's lines",
            "correct_rows_committed": "right rows, the feature server's code",
            "correct_rows_own_cursors": "right rows, a cursor for each look-up",
            "statements_at_once": "statements at once, one pipeline",
            "statements_at_once_control": "statements at once, four connections",
        },
        row="count", series={"counted": lambda summary, metric: on_the_wire(metric)(summary)}, heading="",
        axis="number", scale="zero", nothing="Nothing was counted in this run",
    ),
    "gains": kit.Dots(
        rows=lambda summary: {length(ms): f"+{ms:g} ms" for ms in sorted(summary.parameters.disjoint_trip_ms)},
        row="added round trip", heading="keys",
        series={"warmed keys": speed_up[""], "keys never read before": speed_up["_disjoint"]},
        axis="latency one by one ÷ in a pipeline (above 1: pipeline faster)", quantity="speed-up", rule=1.0,
    ),
    "claims": kit.ClaimFigure(),
}  # fmt: skip
