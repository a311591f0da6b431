"""Which keys are measured over a network that is added, and how slow their reads and their trips are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from pydantic import model_validator

from benchbook import kit
from benchbook.figures import with_interval
from benchbook.measuring import features
from benchbook.model import Outcome, Plan
from benchbook.notes import other_runs
from benchbook.numbers import judging
from benchbook.numbers.estimands import Conditions
from benchbook.numbers.summary import Value
from benchbook.pages import tables

KEYS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "same_keys": ("same keys", "same keys (hot)", "same", {}),
    "disjoint": ("disjoint keys", "disjoint keys (the note's mistake)", "disjoint", {}),
    "by_chance": ("disjoint keys by chance", "disjoint keys by chance", "disjoint", {"chance": True}),
}
"""Which keys are measured at several latencies: in words, at the centre, their draw, and what it asks for."""


@dataclass(frozen=True)
class Place:
    """What is added to each read that reaches the storage and to each round trip, in ms."""

    read_ms: float
    trip_ms: float

    def __str__(self) -> str:
        return f"+{self.read_ms:g} ms a read, +{self.trip_ms:g} ms a trip"


Condition = Place | None
"""Latencies; None: the centre."""


class Parameters(features.Features):
    """Defaults are the standard profile: 11 GB in 30 tables, a pool that holds the warmed pages but not all.

    So many blocks since a P99 needs 10,000 requests: about an hour.
    """

    blocks: int = kit.common("blocks", 10)
    client_mode: Literal["serial"] = kit.param("serial", words="a round trip for each look-up, as the note's text says")
    measured_requests: int = kit.param(
        10_000, 100, 1_000_000, "unwarmed keys drawn for a block; no trial asks for more of them"
    )
    requests: int = kit.param(1_000, 10, 100_000, "measured requests of a trial, as many as the note measured")
    dose_requests: int = kit.param(150, 10, 100_000, "the same where other latencies are added")
    read_ms: float = kit.param(1.0, None, 100.0, "latency in ms that is added to each read of the server", above=0)
    trip_ms: float = kit.param(0.25, None, 100.0, "round trip in ms that is added between client and server", above=0)
    other_read_ms: tuple[float, ...] = kit.param(
        (0.0, 0.5), words="other latencies of a read with the same round trip; 0 takes the cause away"
    )
    other_trip_ms: float = kit.param(1.0, 0, 100.0, "another round trip, with the slowest reads; 0: not measured")

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        for name in ("requests", "dose_requests"):
            asked = getattr(self, name)
            more = f"{name}={asked:,} exceeds measured_requests={self.measured_requests:,}"
            kit.refuse(asked > self.measured_requests, more)
        other = f"other_read_ms={self.other_read_ms}"
        kit.refuse(any(not 0 <= each <= 100 for each in self.other_read_ms), f"{other} must lie between 0 and 100")
        reads = [f"{each:g}" for each in (self.read_ms, *self.other_read_ms)]  # as their configurations are named
        kit.refuse(len({*reads}) != len(reads), f"{other} names a value twice, or read_ms={self.read_ms:g}")
        kit.refuse(self.other_trip_ms == self.trip_ms, f"other_trip_ms={self.other_trip_ms:g} is trip_ms too")
        kit.refuse(not self.direct_io, "direct_io=False: only direct reads can be slowed")
        return self

    @property
    def centre(self) -> Place:
        """Where the claims' numbers are taken."""
        return Place(self.read_ms, self.trip_ms)

    @property
    def doses(self) -> tuple[Place, ...]:
        """The other latencies of reads over the same way, from the lowest."""
        return tuple(Place(each, self.trip_ms) for each in sorted(self.other_read_ms))

    @property
    def elsewhere(self) -> tuple[Place, ...]:
        """Where else than at the centre disjoint keys are measured, the slowest reads over the other way last."""
        corner = Place(max([self.read_ms, *self.other_read_ms]), self.other_trip_ms)
        return (*self.doses, *([corner] if self.other_trip_ms else []))


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """The arms at the centre, and those at other latencies.

    Warmed keys, which read nothing, differ by the way alone; by chance not where nothing is added to reads: no claim is
    decided there.
    """
    p = parameters

    def arm(name: str, label: str, draw: str, place: Place = p.centre, **more: Any) -> kit.Configuration:
        few = {"requests": p.requests if "requests" in more else p.dose_requests}
        return features.arm(name, label, draw, **{**more, "read_ms": place.read_ms, "trip_ms": place.trip_ms, **few})

    every: dict[str, Any] = {"requests": True}
    own = {keys: arm(keys, label, draw, **more, **every) for keys, (_, label, draw, more) in KEYS.items()}
    yield own["same_keys"]
    yield arm("same_keys_again", "same keys, again (A/A)", "same", **every)
    yield arm("hot_share_80", "80 % hot", "mix", share=0.8, **every)
    yield from (own["disjoint"], own["by_chance"])
    for place in p.elsewhere:
        hot = ("same_keys",) if place.trip_ms != p.trip_ms else ()
        for keys in (*hot, *(("disjoint", "by_chance") if place.read_ms else ("disjoint",))):
            words, _, draw, more = KEYS[keys]
            yield arm(at(keys, place, p), f"{words}, {place}", draw, place, **more)


def at(keys: str, condition: Condition, p: Parameters) -> str:
    """The configuration of these keys there, such as disjoint_read_0_5_trip_0_25."""
    if condition in (None, p.centre) or (keys == "same_keys" and condition.trip_ms == p.trip_ms):
        return keys
    return f"{keys}_read_{condition.read_ms:g}_trip_{condition.trip_ms:g}".replace(".", "_")


def plan(parameters: Parameters) -> Plan:
    """Blocks in which the arms at the centre follow each other, and so do those at each other place."""
    every = tuple(configurations(parameters))
    groups = {each.name: f"trip {each.settings['trip_ms']}" for each in every}
    groups |= dict.fromkeys(("same_keys", "same_keys_again", "hot_share_80", "disjoint", "by_chance"), "centre")
    return features.neighbours(every, groups.__getitem__, parameters.blocks, parameters.seed)


def needs(parameters: Parameters) -> kit.Needs:
    """The family's, and what slows reads and makes the way longer."""
    mend = "read the published run: every comparison of this chapter is over a network that is added"
    return features.needs(parameters, partial(features.usable, reads=True, trips=True, mend=mend))


class Bench(features.Bench):
    """Loaded tables."""

    def derived(self, metrics: Mapping[str, float | None]) -> dict[str, float | None]:
        """Which shares of the requests' time the added delay of reads and the added round trips take, as measured."""
        mean_ms = (metrics["mean_ns"] or 0.0) / 1e6
        reads_ms = (metrics.get("delayed_reads_per_request") or 0.0) * (metrics.get("measured_read_ms") or 0.0)
        trips_ms = self.parameters.n_tables * (metrics.get("measured_trip_ms") or 0.0)
        return {"reads_time_share": reads_ms / mean_ms, "trips_time_share": trips_ms / mean_ms}


session, reduce = features.session_of(Bench), features.reduce

METRICS = {
    **features.METRICS,
    "reads_time_share": kit.Metric("share of the requests' time that the added delay of reads takes", "%", 100),
    "trips_time_share": kit.Metric("share of the requests' time that the added round trips take", "%", 100),
}  # fmt: skip
AA = ("same_keys_again", "same_keys")
MIN, P50, P95, P99, SD = "note_min_ns", "note_p50_ns", "note_p95_ns", "note_p99_ns", "sd_ns"


class Summary(features.Summary[Parameters]):
    """One run. Trials whose network was not as slow as asked are in no number."""

    def departures(self) -> list[str]:
        found = [each for each in super().departures() if "measured requests per trial" not in each]
        return [*found, *filter(None, [other_latencies(self)])]

    def sizes(self) -> str:
        return f", {self.parameters.requests:,} requests per trial at the central latencies"

    @property
    def conditions(self) -> dict[str, Condition]:
        """By what it is called: all latencies that this run added, those of the centre first.

        Without that at which nothing is added to reads, since there no block costs what it costs over a network.
        """
        p = self.parameters
        places = {str(each): each for each in p.elsewhere if each.read_ms}
        return {str(p.centre): None, **places}

    def missing(self, arm: str, metric: str) -> kit.NotEstimableError:
        words = f"{self.in_words(metric)} of “{self.label(arm)}” is not estimable in two blocks"
        return kit.NotEstimableError(words, "measure more blocks")


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Equal counts, caches as named and Little's law, at the centre and under all conditions that bear on a claim."""
    keys = answer.estimand.names(summary)
    names = {at(each, condition, summary.parameters) for each in keys for condition in summary.conditions.values()}
    return [summary.counts_agree(), summary.certified(names), summary.littles_law(names)]


def of(keys: str, metric: str, condition: Condition = None) -> kit.Values:
    """A metric of these keys under a condition, of the blocks in which none of the trials failed."""
    arm = keys if condition is None else lambda summary: at(keys, condition, summary.parameters)
    return kit.measured(metric, gaps=True)[arm]


def over(top: Value, bottom: Value, condition: Condition = None) -> kit.Values:
    """Ratio of two metrics, of keys or two of them, under one condition."""
    return of(*top, condition) / of(*bottom, condition)


def further(keys: str, condition: Condition = None) -> kit.Values:
    """By how many more blocks cold keys read than warmed ones."""
    return of(keys, features.READS, condition) - of("same_keys", features.READS, condition)


def block_ms(keys: str, condition: Condition = None) -> kit.Values:
    """By how much each block that was not cached lengthened a request, in ms."""
    longer = of(keys, "mean_ns", condition) - of("same_keys", "mean_ns", condition)
    return (longer / features.NS_PER_MS / further(keys, condition)).mean


def other_latencies(summary: Summary) -> str:
    """That this run did not add what the claims ask for; "" where it did."""
    p, asked = summary.parameters, Parameters()
    if (p.requests, p.n_tables) != (asked.requests, asked.n_tables):
        return (
            f"{p.requests:,} measured requests of {p.n_tables} tables instead of {asked.requests:,} of {asked.n_tables}"
        )
    if (p.centre, {*p.elsewhere}) != (asked.centre, {*asked.elsewhere}):
        return "other latencies than those that the claims name"
    return ""


def no_network(keys: str, summary: Summary) -> str:
    """Why a run shows nothing of storage over a network: cold keys read no more, or a block costs less; else ""."""
    for words, condition in summary.conditions.items():
        named = words if condition else "at the central latencies"
        if (more := float(np.nanmin(further(keys, condition).vector(summary, None)))) < features.LEAST_READS:
            return f"{named}, cold keys read {more:.2g} blocks per request more than warmed ones in one block"
        if (cost := block_ms(keys, condition)(summary).point) < features.NETWORK_MS:
            least = f"{features.NETWORK_MS:g} ms or more"
            return f"{named}, an uncached block costs {cost:.2g} ms, and over a network {least}"
    return ""


def longest_trip_ms() -> float:
    """The note's second run allows no longer trip: its fastest request asked thirty tables one by one, in 9.08 ms."""
    return other_runs.second_run_ms("min") / Parameters().n_tables


def allowed(top: Value, bottom: Value, summary: Summary) -> dict[str, kit.Values]:
    """The ratio under each condition whose trips the note allows."""
    places = {words: each or summary.parameters.centre for words, each in summary.conditions.items()}
    return {
        words: over(top, bottom, summary.conditions[words])
        for words, each in places.items() if each.trip_ms <= longest_trip_ms()
    }  # fmt: skip


def departing(tail: bool, summary: Summary) -> str:
    """How a run departs from what a claim names, whether that is of a P99 or not; "" where it does not."""
    p, seen = summary.parameters, summary.parameters.requests * summary.run.blocks
    if other := other_latencies(summary):
        return other
    if tail and seen < features.REQUESTS:
        return f"{seen:,} requests of all trials together, and a P99 needs {features.REQUESTS:,}"
    if p.trip_ms > (longest := longest_trip_ms()):
        return f"{p.trip_ms:g} ms a round trip, where the note's second run allows {longest:.2g} ms"
    return ""


def judged(top: Value, bottom: Value) -> kit.Values:
    """A claim's ratio under the latencies that the note's own numbers allow, of which it names none."""
    ratio, spread = over(top, bottom), top[0] == bottom[0]
    if spread:
        ratio = ratio.as_quantity(kit.Quantity.DISPERSION, top[1])
    latencies = Conditions("the note names no latency", partial(allowed, top, bottom), named=True)
    return ratio.but(
        bounded=spread, idle=partial(no_network, bottom[0]), departs=partial(departing, "p99" in top[1]),
        conditions=latencies,
    )  # fmt: skip


def without(summary: Summary) -> Place:
    """The place where nothing is added to reads; raises NotEstimableError where the run has none."""
    for each in summary.parameters.doses:
        if not each.read_ms:
            return each
    raise kit.NotEstimableError("reads were slowed everywhere", "give other_read_ms a 0")


def fall(pick: Callable[..., Any], summary: Summary) -> kit.Estimate:
    """The least or the largest ratio of the medians of warmed and disjoint keys over all places of latencies."""
    places = [*summary.conditions.values()]
    if len(places) < 2:  # the centre alone is no range
        raise kit.NotEstimableError("no other latencies were added", "give other_read_ms")
    found: list[Any] = [over((HOT, P50), (COLD, P50), each)(summary) for each in places]
    return kit.outermost(found, pick)


REPORTS = {
    "L003": other_runs.over_median("p99"), "L004": other_runs.over_median("min"), "L055": other_runs.over_median("p95"),
    "L059": other_runs.over_median("sd"),
}  # fmt: skip
"""What other runs of the note's own show of the claims that they decide."""
HOT, COLD, CHANCE = "same_keys", "disjoint", "by_chance"
FALLS = {
    "p50_warmed": ("P50: same keys ÷ disjoint keys", (HOT, P50), (COLD, P50)),
    "p99_warmed": ("P99: same keys ÷ disjoint keys", (HOT, P99), (COLD, P99)),
    "min_over_min": ("minimum: same keys ÷ keys by chance", (HOT, MIN), (CHANCE, MIN)),
    "p50_over_min": ("P50 of same keys ÷ minimum by chance", (HOT, P50), (CHANCE, MIN)),
    "p99_over_min": ("P99 of same keys ÷ minimum by chance", (HOT, P99), (CHANCE, MIN)),
}
SPREADS = {
    "min_spread": ("keys by chance: minimum ÷ P50", (CHANCE, MIN), (CHANCE, P50)),
    "p95_spread": ("disjoint keys: P95 ÷ P50", (COLD, P95), (COLD, P50)),
    "p99_spread": ("disjoint keys: P99 ÷ P50", (COLD, P99), (COLD, P50)),
    "sd_spread": ("disjoint keys: standard deviation ÷ P50", (COLD, SD), (COLD, P50)),
}
ARMS = {"hot": HOT, "mixed": "hot_share_80", "cold": COLD}
NUMBERS = {
    **{name: judged(top, bottom) for name, (_, top, bottom) in (FALLS | SPREADS).items()},
    **{f"{each}_{name}_ms": of(arm, f"note_{each}_ns") / 1e6 for each in ("p50", "p99") for name, arm in ARMS.items()},
    "min_chance_ms": of(CHANCE, MIN) / 1e6,
    "saved": kit.percent(1 - of(HOT, P50) / of(COLD, P50)),
    "fall": {"least": kit.told(partial(fall, min)), "most": kit.told(partial(fall, max))},
    "fall_without": kit.told(lambda summary: over((HOT, P50), (COLD, P50), without(summary))(summary)),
    "p50_without_ms": kit.told(lambda summary: (of(COLD, P50, without(summary)) / 1e6)(summary)),
    "block_ms": block_ms(COLD),
    "block_without_ms": kit.told(lambda summary: block_ms(COLD, without(summary))(summary)),
    "reads_cold": kit.percent(of(COLD, "reads_time_share").mean),
    "trips": {name: kit.percent(of(arm, "trips_time_share").mean) for name, arm in {"cold": COLD, "hot": HOT}.items()},
    "again": {name: kit.measured(f"note_{name}_ns")[AA[0]] / kit.measured(f"note_{name}_ns")[HOT]
              for name in ("p50", "p99", "min")},
}  # fmt: skip


def turning(summary: Summary) -> dict[str, list[str]]:
    """Claims whose verdict depends on the latencies that were added, and those on which not all of these decide."""
    given = judging.verdicts(summary)
    return {
        "settled": [each.claim_id for each in given if each.outcome is Outcome.CONDITION],
        "open": [each.claim_id for each in given if "turns on it" in each.why],
    }


def missed(summary: Summary) -> dict[str, float]:
    """By how much % the measured latencies differ from those that were asked for, at most."""
    rows, found = summary.run.trials, {}
    read = rows[rows["added_read_ms"].gt(0) & rows["delayed_reads_per_request"].gt(1)]
    for name, own in {"read": read, "trip": rows}.items():
        ratios = (own[f"measured_{name}_ms"] / own[f"added_{name}_ms"]).dropna()
        if not len(ratios):
            raise kit.NotEstimableError(f"no trial measured its {name}s", "measure again")
        found[f"{name}s"] = 100 * float((ratios - 1).abs().max())
    return found


WORDS: dict[str, Callable[[Summary], Any]] = {
    "data_gib": lambda summary: summary.data_bytes / 2**30,
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
    "failed": lambda summary: int(summary.run.trials["state"].str.startswith("failed").sum()),
    "cold_blocks": features.average(COLD, features.READS),
    "hot_blocks": features.average(HOT, features.READS),
    "fastest_blocks": features.average(CHANCE, "note_min_reads"),
    "off": missed,
    "turning": turning,
    "other": other_latencies,
    "noted": lambda summary: {name: features.noted(name) for name in ("min", "p50", "p99")},
    "second_min_ms": lambda summary: other_runs.second_run_ms("min"),
    "later": features.later_run,
}


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: certified state, quantiles in ms, blocks read, latencies as measured, shares of the time."""

    def typical(metric: str, arm: str) -> str:
        return with_interval((of(arm, metric) / 1e6)(summary))

    columns: tables.Columns = {
        "certified cache": tables.distinct(summary, "cache_state"), "fastest (ms)": partial(typical, MIN),
        "P50 (ms)": partial(typical, P50), "P99 as the note took it (ms)": partial(typical, P99),
        **tables.means(
            summary, "requests", features.READS, "measured_read_ms", "measured_trip_ms", "reads_time_share",
            "trips_time_share",
        ),
    }  # fmt: skip
    return tables.table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


def by_condition(summary: Summary) -> pd.DataFrame:
    """Each claim's number under every condition."""
    rows, pairs = [], {words: (top, bottom) for words, top, bottom in (FALLS | SPREADS).values()}
    for answer in summary.chapter.answers.given:
        for words, condition in summary.conditions.items():
            with suppress(kit.NotEstimableError):
                found = with_interval(over(*pairs[answer.row], condition)(summary))
                rows.append({"claim": answer.claim, "what": answer.row, "condition": words, "measured": found})
    if not rows:
        raise kit.NotEstimableError("no claim has a number", "measure more blocks")
    return pd.DataFrame(rows).set_index("claim")


def settings(summary: Summary) -> pd.DataFrame:
    """The family's differences to the note, with storage, way and requests as they are here."""
    p = summary.parameters
    other = ", ".join(f"{each.read_ms:g}" for each in p.doses)
    unknown = "the note does not say how long its own took"
    found = features.note_differences(summary)
    for setting, *here in (
        ("storage", f"own disk, {p.read_ms:g} ms added to each read; {other} ms too", unknown),
        ("client and server", f"on one machine, {p.trip_ms:g} ms added to each round trip", unknown),
        ("look-ups of a request", "one round trip each", "longer requests than in a pipeline, by a trip per table"),
        ("measured requests", f"{p.requests:,} a trial, {summary.run.blocks} blocks", "none on the middle"),
    ):
        found.loc[setting, ["here", "expected effect here"]] = here
    return found


TABLES = {"overview": overview, "by_condition": by_condition, "settings": settings}
NOTE = "the note's one run"


def ratios(shown: Mapping[str, tuple[str, Value, Value]], **more: Any) -> kit.Dots:
    """These ratios under each condition."""

    def ask(condition: Condition) -> kit.Ask:
        return lambda summary, name: over(*shown[name][1:], condition)(summary)

    return kit.Dots(
        rows={name: words for name, (words, *_) in shown.items()}, row="ratio", heading="condition", height=230,
        series=lambda summary: {words: ask(condition) for words, condition in summary.conditions.items()}, **more,
    )  # fmt: skip


FIGURES = {
    "latency": kit.Dots(
        rows={MIN: "fastest", P50: "P50", P95: "P95", P99: "P99"}, row="quantile", heading="keys",
        axis="latency of a request (ms)", quantity="latency (ms)",
        series=lambda summary: {
            summary.label(arm): of(arm, "{}") / 1e6 for arm in (HOT, "hot_share_80", CHANCE, COLD)
        },
        given=lambda summary: [
            kit.Given(NOTE, {f"note_{name}_ns": features.noted(name) for name in ("min", "p50", "p95", "p99")})
        ],
    ),
    "falls": ratios(FALLS, axis="ratio of latencies", rule=1.0),
    "spreads": ratios(SPREADS, axis="ratio within a trial", given=lambda summary: [kit.Given(NOTE, {
        name: features.noted(each) / features.noted("p50")
        for name, each in zip(SPREADS, ("min", "p95", "p99", "stddev"), strict=True)
    })]),
    "claims": kit.ClaimFigure(),
}  # fmt: skip
