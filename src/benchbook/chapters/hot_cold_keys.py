"""Which keys are warmed and which are measured, how the tables lie, and how slow storage and the way to it are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any, Self

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from pydantic import model_validator

from benchbook import kit, notes, statistics
from benchbook.drawing.regular.base import Found
from benchbook.measuring import features
from benchbook.model import Plan
from benchbook.numbers import judging
from benchbook.numbers.claim_sides import Side, shown
from benchbook.numbers.quantities import Told
from benchbook.pages import tables
from benchbook.workloads import zipf_weights

Settings = dict[str, Any]
CELLS: dict[str, tuple[str, str, Settings]] = {
    "hot": ("warmed keys", "same", {}),
    "mixed": ("80 % warmed", "mix", {"share": 0.8}),
    "disjoint": ("disjoint keys", "disjoint", {}),
}
"""Which keys are measured on slower storage and over a longer way: in words, their draw, and what it asks for."""
NOTE_REQUESTS = 1_000
"""As many as the note measured, where no tail is asked for."""


class Parameters(features.Features):
    """Defaults are the standard profile."""

    large_pool_mib: int = kit.param(
        4608, 1, 1_000_000, "buffer pool in MiB of the *_large_pool configurations; should hold what they measure"
    )
    hot_shares_percent: tuple[int, ...] = kit.param(
        (99, 98, 95, 90, 80, 50), words="shares in % of requests on the hot set, between 100 and 0"
    )
    zipf_exponents: tuple[float, ...] = kit.param((0.99,), words="exponents of the Zipf configurations, over all keys")
    added_read_ms: tuple[float, ...] = kit.param(
        (0.0, 0.5, 1.0), words="ms added to each read of the server (needs direct reads and a C compiler); or none"
    )
    added_trip_ms: tuple[float, ...] = kit.param(
        (0.0, 0.5, 1.0), words="round trips in ms added between client and server, by a proxy (needs Linux); or none"
    )
    slow_requests: int = kit.param(30, 10, 100_000, "measured requests of a trial where reads or trips are added")
    slow_hot_keys: int = kit.param(200, 1, 1_000_000, "keys that are warmed before them, once each")

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        pools = f"large_pool_mib={self.large_pool_mib} is smaller than shared_buffers_mib={self.shared_buffers_mib}"
        kit.refuse(self.large_pool_mib < self.shared_buffers_mib, pools)
        for name, fits, words in (
            ("hot_shares_percent", lambda each: 0 < each < 100, "must lie between 1 and 99"),
            ("zipf_exponents", lambda each: 0 < each <= 10, "must be above 0 and at most 10"),
            *((name, lambda each: 0 <= each <= 100, "must lie between 0 and 100")
              for name in ("added_read_ms", "added_trip_ms")),
        ):  # fmt: skip
            values = getattr(self, name)
            kit.refuse(not all(map(fits, values)), f"{name}={values} {words}")
            twice = len({f"{each:g}" for each in values}) != len(values)  # as their configurations are named
            kit.refuse(twice, f"{name}={values} names a value twice")
        return self

    @property
    def slower(self) -> bool:
        """Whether anything is measured on slower storage and over a longer way; only direct reads can be slowed."""
        return bool(self.direct_io and self.added_read_ms and self.added_trip_ms)

    @property
    def layouts(self) -> tuple[str, ...]:
        """Each table in an order of its own, and all in one."""
        return (features.OWN, features.ALIKE)

    @property
    def largest_pool_mib(self) -> int:
        return self.large_pool_mib

    def pool_mib(self, settings: Mapping[str, kit.Scalar]) -> int:
        return self.large_pool_mib if settings.get("large_pool") else self.shared_buffers_mib


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm that the claims of this chapter name, in the order of the figures, and the surface of latencies."""
    p, hot, requests = parameters, f"{parameters.hot_set_keys:,}", f"{parameters.measured_requests:,}"
    few = {"requests": NOTE_REQUESTS}
    chance, first, large = {"chance": True, **few}, {"only_first": True, **few}, {"large_pool": True}
    every: tuple[tuple[str, str, str, Settings], ...] = (
        ("same_keys", "same keys (hot)", "same", {}),
        ("same_keys_again", "same keys, again (A/A)", "same", {}),
        *((features.hot_share(each), f"{each} % hot", "mix", {"share": each / 100}) for each in p.hot_shares_percent),
        ("disjoint", "disjoint keys (the note's mistake)", "disjoint", {}),
        ("disjoint_by_chance", "disjoint keys by chance", "disjoint", chance),
        ("disjoint_by_chance_alike", "disjoint keys by chance, tables alike", "disjoint", {"alike": True, **chance}),
        ("true_cold", "no warm-up at all", "disjoint", {"warm": False, "probe": False, **few}),
        ("true_cold_probed", "no warm-up but start-up probes", "disjoint", {"warm": False, **few}),
        *((zipf_name(each), f"Zipf {each:g}", "zipf", {"exponent": each}) for each in p.zipf_exponents),
        ("all_warmed_large_pool", f"all {requests} keys warmed, large pool", "all_warmed", large),
        ("ten_percent_warmed_large_pool", f"10 % of {requests} keys warmed, large pool", "ten_percent", large),
        ("same_keys_first_table", f"same {hot} keys, first table only", "same", first),
        ("disjoint_first_table", "disjoint keys, first table only", "disjoint", first),
        ("empty_statement", "empty statement (client cost)", "empty", {}),
    )  # fmt: skip
    yield from (features.arm(name, label, draw, **settings) for name, label, draw, settings in every)
    if p.slower:
        most = (max(p.added_read_ms), max(p.added_trip_ms), "pipeline")
        places = [*((read, trip, "serial") for read in p.added_read_ms for trip in p.added_trip_ms), most]
        for (keys, (words, draw, more)), (read, trip, client) in product(CELLS.items(), places):
            label = f"{words}, +{read:g} ms a read, +{trip:g} ms a trip{', in a pipeline' * (client == 'pipeline')}"
            own = {"requests": p.slow_requests, "hot_keys": p.slow_hot_keys, "read_ms": read, "trip_ms": trip}
            yield features.arm(cell(keys, read, trip, client), label, draw, **more, **own, client=client)


def cell(keys: str, read_ms: float, trip_ms: float, client: str = "serial") -> str:
    """Configuration name of a cell of the surface, such as slow_hot_read_0_5_trip_1."""
    return f"slow_{keys}_read_{read_ms:g}_trip_{trip_ms:g}".replace(".", "_") + f"_{client}" * (client != "serial")


def zipf_name(exponent: float) -> str:
    """Configuration name of a Zipf exponent, such as zipf_0_99."""
    return f"zipf_{exponent:g}".replace(".", "_")


GROUPS = {
    "keys": ("same_keys", "same_keys_again", "disjoint", "disjoint_by_chance", "disjoint_by_chance_alike",
             "hot_share_80"),
    "cold": ("true_cold", "true_cold_probed"),
    "warmed": ("all_warmed_large_pool", "ten_percent_warmed_large_pool"),
    "first table": ("same_keys_first_table", "disjoint_first_table"),
}  # fmt: skip
"""What is compared is measured within a minute or two."""


def plan(parameters: Parameters) -> Plan:
    """Blocks in which the configurations of a group follow each other."""
    every = tuple(configurations(parameters))
    groups = {each.name: "surface" if each.name.startswith("slow_") else "shares" for each in every}
    groups |= {name: group for group, names in GROUPS.items() for name in names}
    return features.neighbours(every, groups.__getitem__, parameters.blocks, parameters.seed)


def needs(parameters: Parameters) -> kit.Needs:
    """The family's, and what slows reads and lengthens the way, where the parameters ask for these."""
    p, mend = parameters, "give added_read_ms=[] to measure nothing on slower storage"
    reads, trips = (p.slower and any(each) for each in (p.added_read_ms, p.added_trip_ms))
    return features.needs(p, partial(features.usable, reads=reads, trips=trips, mend=mend))


session, reduce = features.session, features.reduce

METRICS = features.METRICS
AA = ("same_keys_again", "same_keys")
HOT, COLD, CHANCE, WARMED, TENTH = "same_keys", "disjoint", "disjoint_by_chance", *GROUPS["warmed"]
ALIKE, EMPTY = "disjoint_by_chance_alike", "empty_statement"
CERTIFIED, IN_SYSTEM = "needed_in_pool_at_start", "needed_in_os_cache_at_start"
HITS, DEVICE = "note_heap_hit_ratio", "device_blocks_per_request"
NONE_SLOWER = ("nothing was measured on slower storage", "give added_read_ms and added_trip_ms")
MISSES, SINCE_EVER = features.READS, "cumulative_heap_hit_ratio"


class Summary(features.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    @property
    def reading(self) -> list[str]:
        """The configurations that read tables, on this machine's own storage."""
        return [arm for arm in self.plain if arm != EMPTY]

    @property
    def rungs(self) -> list[str]:
        """The shares of warmed keys but one: they have a figure of their own, and stand in the tables of the others."""
        return [features.hot_share(each) for each in self.parameters.hot_shares_percent if each != 80]

    @property
    def most(self) -> tuple[float, float]:
        """What is added to a read and to the round trip at most, in ms."""
        p = self.parameters
        if not p.slower:
            raise kit.NotEstimableError(*NONE_SLOWER)
        return max(p.added_read_ms), max(p.added_trip_ms)


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Equal counts and caches as named; of times Little's law."""
    arms = answer.estimand.names(summary)
    gates = [summary.counts_agree(), summary.certified(arms)]
    return gates if answer.estimand.metric is None else [*gates, summary.littles_law(arms)]


def rereads(summary: Summary) -> kit.Estimate:
    """Share of the blocks read for the first 1,000 disjoint requests that had been read before in the trial."""
    pool_pages = summary.parameters.shared_buffers_mib * 2**20 // features.PAGE_BYTES
    if pool_pages < 4 * summary.values(COLD, "warmed_pages").max():  # as L010 asks
        raise kit.NotEstimableError(
            "the pool is smaller than four times the pages that the warm-up touched: our own setting would cause "
            "re-reads",
            "raise shared_buffers_mib",
        )
    return summary.share(COLD, "reread_share", "note_reads")


def implied(what: str, summary: Summary) -> kit.Estimate:
    """With one round trip per look-up, what storage and way would give the note's fastest and its typical request.

    trip: so long a round trip in ms makes a request whose pages are all cached take as long as the note's fastest.
    read: with it, so much more than on this machine's disk must each read take for its median of disjoint keys. Both by
    straight lines through the cells, block by block, of blocks in which none of their trials failed.
    """
    (read, trip), p = summary.most, summary.parameters
    if not (min(p.added_read_ms) == min(p.added_trip_ms) == 0 < min(read, trip)):
        why = "nothing was measured both without and with added latency"
        raise kit.NotEstimableError(why, "begin both lists with 0")

    def made(hot: np.ndarray, hot_far: np.ndarray, cold: np.ndarray, cold_slow: np.ndarray) -> np.ndarray:
        trips = (features.noted("min") - hot) / ((hot_far - hot) / trip)
        reads = (features.noted("p50") - features.noted("min") - (cold - hot)) / ((cold_slow - cold) / read)
        return np.where(np.isfinite(trips + reads), trips if what == "trip" else reads, np.nan)

    places = (("hot", 0, 0), ("hot", 0, trip), ("disjoint", 0, 0), ("disjoint", read, 0))
    return kit.blockwise(made, *(seen[cell(*place)] / features.NS_PER_MS for place in places)).mean(summary)


def extreme(pick: Callable[..., kit.Effect], summary: Summary) -> kit.Effect:
    """Least or largest ratio of the means of warmed and disjoint keys among the cells in which reads take longer."""
    p, (longest, _) = summary.parameters, summary.most
    if not longest:
        raise kit.NotEstimableError(*NONE_SLOWER)
    places = [(read, trip) for read, trip in product(p.added_read_ms, p.added_trip_ms) if read > 0]
    ratios = ((mean[cell("hot", *each)] / mean[cell("disjoint", *each)])(summary) for each in places)
    return pick(ratios, key=lambda each: each.point)


def farthest(keys: str, client: str = "serial", *, reads: bool = True) -> Callable[[Summary], str]:
    """The cell in which the round trip is longest, and so are reads, or these are as they are."""
    return lambda summary: cell(keys, summary.most[0] if reads else 0, summary.most[1], client)


p50, p95, p99, sd, mean = (kit.measured(f"{name}_ns") for name in ("p50", "p95", "p99", "sd", "mean"))
note_min, misses = kit.measured("note_min_ns"), kit.counted(MISSES)
seen, same, again = kit.measured("mean_ns", gaps=True), features.same_reads, {"p50": p50, "p95": p95, "p99": p99}
hits, cached = kit.share(HITS, of="note_heap_blocks"), kit.share(CERTIFIED, of="needed_pages")
differ, by_chance = same(COLD, HOT), same(CHANCE, HOT)
NUMBERS = {
    "p99_disjoint": (p99[COLD] / p99[HOT]).but(idle=differ),
    "p50_disjoint": (p50[COLD] / p50[HOT]).but(idle=differ),
    "hits_warmed": kit.percent(hits[HOT]),
    "hits_rise": (hits[HOT] - hits[COLD]).but(idle=differ),
    "hits_noted": kit.counted(SINCE_EVER)[CHANCE] / kit.counted(HITS)[CHANCE],
    **{f"{name}_warmed": (time[HOT] / time[COLD]).but(idle=differ) for name, time in (again | {"sd": sd}).items()},
    "min_warmed": note_min[HOT] / note_min[COLD],
    "tail_warmed": features.tails(HOT, COLD),
    # More than a hundredth of cold requests, and a P99 is the latency of one of them.
    "p99_few_cold": (p99["hot_share_99"] / p99[HOT]).but(idle=same("hot_share_99", HOT, share=0.01)),
    "few_cold_slower": kit.told(lambda summary: shown(judging.verdicts(summary), "L017", Side.ABOVE)),
    "p50_few_cold": p50["hot_share_99"] / p50[HOT],
    "mean_few_cold": mean["hot_share_99"] / mean[HOT],
    "tail_few_cold": features.tails("hot_share_99", HOT),
    "p99_two_cold": p99["hot_share_98"] / p99[HOT], "tail_two_cold": features.tails("hot_share_98", HOT),
    "tail_mixed": features.tails("hot_share_80", HOT),
    "rereads": kit.percent(kit.custom(rereads, kit.Quantity.COUNTER, COLD, idle=differ)),
    "minima": kit.custom(
        lambda summary: statistics.geometric_sd(summary.values(CHANCE, "note_min_ns")), kit.Quantity.DISPERSION,
        CHANCE, aa="note_min_ns", bounded=True, idle=by_chance,
    ),
    "p50_over_min": (p50[HOT] / note_min[CHANCE]).but(idle=by_chance),
    "p50_over_ten_min": (p50[HOT] / note_min[TENTH]).but(idle=same(TENTH, HOT)),
    "cached_by_chance": cached[CHANCE].but(idle=by_chance),
    "cached_all_warmed": cached[WARMED],
    "reads_all_warmed": misses[WARMED].mean,
    "reads_probed": (misses["true_cold_probed"] / misses["true_cold"]).but(
        idle=features.nothing_loaded("true_cold_probed", "true_cold")
    ),
    "sd_all_warmed": (sd[WARMED] / sd[TENTH]).but(idle=same(TENTH, WARMED)),
    "p99_all_warmed": (p99[WARMED] / p99[COLD]).but(idle=same(COLD, WARMED)),
    "mean_ten_percent": (mean[TENTH] / mean[WARMED]).but(idle=same(TENTH, WARMED)),
    "again": {name: time[AA[0]] / time[HOT] for name, time in again.items()},
    "p50_hot_ms": p50[HOT] / 1e6,
    "p50_cold_ms": p50[COLD] / 1e6,
    "tail_hot_ms": kit.told(lambda summary: summary.latency(HOT, summary.tail)),
    "tail_cold_ms": kit.told(lambda summary: summary.latency(COLD, summary.tail)),
    "network": {"least": kit.told(partial(extreme, min)), "most": kit.told(partial(extreme, max))},
    "longer_way": mean[farthest("hot", reads=False)] / mean[farthest("disjoint", reads=False)],
    "far_min": {keys: note_min[farthest("hot")] / note_min[farthest(keys)] for keys in ("disjoint", "mixed")},
    "one_by_one_ms": seen[farthest("hot")] / 1e6,
    "pipeline_ms": seen[farthest("hot", "pipeline")] / 1e6,
    **{f"implied_{what}_ms": kit.told(partial(implied, what)) for what in ("trip", "read")},
}  # fmt: skip


def ladder(summary: Summary) -> list[float]:
    return [100, *sorted(summary.parameters.hot_shares_percent, reverse=True), 0]


def fifths(summary: Summary) -> list[dict[str, float]]:
    """What share of the requests in % each Zipf distribution gives to the most requested fifth of the keys."""
    rows, exponents = summary.parameters.rows_per_table, summary.parameters.zipf_exponents
    if not exponents:
        raise kit.NotEstimableError("there is no Zipf configuration", "give zipf_exponents")
    return [{"exponent": e, "share": 100 * zipf_weights(rows, e)[: rows // 5].sum()} for e in exponents]


def popular(summary: Summary) -> list[dict[str, Any]]:
    """By Zipf exponent how many times the P99 of warmed keys alone is."""
    ratios = {e: p99[zipf_name(e)] / p99[HOT] for e in summary.parameters.zipf_exponents}
    return [{"exponent": e, "times": Told(ratio(summary))} for e, ratio in ratios.items()]


def likely(share: float, together: int) -> str:
    """How likely so many pages are all cached, were each cached by itself, as a power of ten."""
    return "10" + f"{together * np.log10(share):.0f}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def failed(summary: Summary) -> dict[str, int]:
    """How many trials on slower storage or over a longer way failed, since these were not as slow as asked; and all."""
    slower = summary.of([arm for arm in summary.arms if arm not in summary.plain])
    if not len(slower):
        raise kit.NotEstimableError("no trial was on slower storage", "measure again")
    return {"lost": int(slower["requests"].isna().sum()), "every": len(slower)}


def read_again(summary: Summary) -> np.ndarray:
    """The least share in % of reads in whole trials that must have been repeated: more were read than were absent."""
    reads = summary.values(COLD, MISSES) * summary.values(COLD, "requests")
    absent = summary.values(COLD, "needed_pages") * (1 - summary.values(COLD, CERTIFIED))
    return np.asarray(100 * np.maximum(0.0, 1 - absent / reads))


def course(summary: Summary) -> list[float]:
    """Hit ratio in % of each counter window of a trial with disjoint keys, in order of time."""
    start = "hit_ratio_until_"
    columns = (each for each in map(str, summary.run.trials) if each.startswith(start) and summary.has(COLD, each))
    return [100 * summary.mean(COLD, each) for each in sorted(columns, key=lambda each: int(each.removeprefix(start)))]


def fastest(arm: str) -> Callable[[Summary], dict[str, float]]:
    """Blocks that the fastest of the first requests read, and which share of them in % read none."""
    blocks, cached = features.average(arm, "note_min_reads"), features.average(arm, "note_cached_share", 100)
    return lambda summary: {"blocks": blocks(summary), "cached": cached(summary)}


WORDS: dict[str, Callable[[Summary], Any]] = {
    **{name: features.average(*asked) for name, asked in {
        "warmed_mib": (COLD, "warmed_pages", features.PAGE_BYTES / 2**20),
        "needed_mib": (COLD, "needed_pages", features.PAGE_BYTES / 2**20),
        "chance_cached": (CHANCE, CERTIFIED, 100), "apart_cached": (COLD, CERTIFIED, 100),
        "window_hits": (CHANCE, HITS, 100), "reported_hits": (CHANCE, SINCE_EVER, 100),
        "reread": (COLD, "reread_share", 100), "blocks_all": (COLD, "blocks_per_request", 1),
        "blocks_first": ("disjoint_first_table", "blocks_per_request", 1),
    }.items()},
    "tail": lambda summary: summary.tail_heading,
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
    "direct_io": lambda summary: summary.run.provenance.get("direct_io"),
    "data_gib": lambda summary: summary.data_bytes / 2**30,
    "client_share": lambda summary: 100 * summary.latency(EMPTY, "p50_ns").point / summary.latency(HOT, "p50_ns").point,
    "ladder": ladder, "read_again": read_again, "fifths": fifths, "popular": popular, "failed": failed,
    "course": course, "fastest_by_chance": fastest(CHANCE), "fastest_alike": fastest(ALIKE),
    "later": features.later_run,
    "windows_ms": lambda summary: summary.window_medians(HOT) / 1e6,
    "sampled_ms": lambda summary: summary.samples(summary.plain)["latency_ns"] / 1e6,
    "longest_trip_ms": lambda summary: summary.most[1],
    "likely_here": lambda summary: likely(summary.mean(CHANCE, CERTIFIED), 2 * summary.parameters.n_tables),
    "likely_noted": lambda summary: likely(features.noted("buffer_hit_ratio") / 100, 30),
    "noted": lambda summary: {name: features.noted(name) for name in ("buffer_hit_ratio", "min", "p50")},
}  # fmt: skip


def note_claims(summary: Summary) -> pd.DataFrame:
    """The note's own table: what it measured before the fix, what it expected after."""
    columns = {"unit": "unit", "before_measured": "before (measured)", "after_expected_text": "after (expected)",
               "target_text": "target"}  # fmt: skip
    found = notes.table("lakebase_before_after").set_index("metric")[[*columns]].rename(columns=columns)
    return found.rename(index=lambda metric: metric.replace("_", " "))


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: certified state, quantiles with intervals in ms, hit ratios, reads per request."""

    def noted(arm: str) -> str:
        values = summary.values(arm, "note_p99_ns") / 1e6
        return f"{values.min():.3g} to {values.max():.3g}"

    def typical(metric: str, arm: str) -> str:
        return f"{summary.latency(arm, metric).point:.3g}"

    columns: tables.Columns = {
        "certified cache": partial(features.states, summary),
        **tables.levels(summary, *features.QUANTILES, otherwise=tables.NOT_ESTIMABLE),
        "P99 of 1,000, as in the note (ms)": noted,
        **{METRICS[name].column: partial(typical, name) for name in ("min_ns", "mean_ns", "max_ns", "sd_ns")},
        **tables.means(summary, "heap_hit_ratio", MISSES, DEVICE),
    }
    return tables.table([({"configuration": summary.label(arm)}, arm) for arm in summary.plain], columns)


TABLES = {"note_claims": note_claims, "settings": features.note_differences, "overview": overview}


class Steps(kit.Lines):
    """Lines over numbers that stand at equal distances: from 100 to 99 % is as wide a step as from 50 to 0 %."""

    def draw(self, found: Found, keys: Mapping[Any, str], given: Iterable[kit.Given]) -> go.Figure:
        """The same lines, each number a place by itself."""
        plot, places = super().draw(found, keys, given), {number: place for place, number in enumerate(keys)}
        for trace in plot.data:
            trace.x = [places[number] for number in trace.x]
        return plot.update_xaxes(tickvals=[*places.values()], ticktext=[*keys.values()])


def at_share(share: float) -> str:
    """The configuration with so many requests in % for warmed keys."""
    return {100: HOT, 0: COLD}.get(int(share)) or features.hot_share(int(share))


QUANTILES: dict[str, Any] = {"axis": "latency of a request (ms)", "quantity": "latency (ms)", "heading": "quantile",
             "nothing": "No request was timed in this run"}  # fmt: skip
FIGURES = {
    "certificate": kit.Dots(
        rows=lambda summary: summary.reading, table_only=lambda summary: summary.rungs, height=120,
        series={
            "in shared buffers": cached["{}"], "in the OS page cache": kit.counted(IN_SYSTEM)["{}"].mean,
            "keys that were warmed": kit.counted("warmed_keys_share")["{}"].mean,
        },
        axis="share at the start (%)", quantity="percent", heading="share", factor=100, scale="percent",
        more={"certified": features.states}, nothing="No cache was looked into in this run",
    ),
    "tails": kit.Dots(
        rows=lambda summary: sorted(summary.plain, key=lambda arm: summary.mean(arm, "p50_ns")),
        series=features.quantiles(features.by_arm), height=120, **QUANTILES,
        table_only=lambda summary: [*summary.rungs, ALIKE, "true_cold_probed", *GROUPS["first table"]],
    ),
    "hit_ratio": kit.Dots(
        rows=lambda summary: summary.reading, table_only=lambda summary: summary.rungs, height=150,
        axis="heap hit ratio (%)", quantity="percent", heading="hit ratio", factor=100, scale="percent",
        nothing="No hit ratio was counted in this run",
        series={name: kit.share(metric, of="note_heap_blocks")["{}"] for name, metric in {
            "the 1,000 measured requests (difference of counters)": HITS,
            "since the server's start, warm-up included": "cumulative_heap_hit_ratio_without_load",
            "cumulative with loading, as the note computed it": SINCE_EVER,
        }.items()},
    ),
    "hot_share": Steps(
        over=ladder, across="share of requests for warmed keys (%), not to scale", column="hot share (%)", **QUANTILES,
        series=features.quantiles(lambda metric: lambda summary, share: summary.latency(at_share(share), metric)),
        more={"configuration": lambda summary, share: summary.label(at_share(share))},
    ),
    "claims": kit.ClaimFigure(only=lambda answer: bool(answer.row)),
}  # fmt: skip
