"""The numbers of the chapter, each once and by name, what its claims stand on, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd

from benchbook import notes, statistics
from benchbook.chapters.networked_keys import arms, network
from benchbook.chapters.networked_keys.arms import BASELINE, BY_CHANCE, DISJOINT, MIXED, Place
from benchbook.chapters.networked_keys.network import Summary, judged
from benchbook.figures import with_interval
from benchbook.measuring.features import differences
from benchbook.model import Estimate, Outcome
from benchbook.notes import lakebase as lakebase_reported
from benchbook.numbers import judging
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import complement, outermost, ratio, told
from benchbook.numbers.quantities import percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import Columns, distinct, means, table
from benchbook.statistics import Gate

MIN, P50, P95, P99, SD = "note_min_ns", "note_p50_ns", "note_p95_ns", "note_p99_ns", "sd_ns"
AA = (arms.REPEATED, BASELINE)
FALLS = {
    "P50: same keys ÷ disjoint keys": ((BASELINE, P50), (DISJOINT, P50)),
    "P99: same keys ÷ disjoint keys": ((BASELINE, P99), (DISJOINT, P99)),
    "minimum: same keys ÷ keys by chance": ((BASELINE, MIN), (BY_CHANCE, MIN)),
    "P50 of same keys ÷ minimum by chance": ((BASELINE, P50), (BY_CHANCE, MIN)),
    "P99 of same keys ÷ minimum by chance": ((BASELINE, P99), (BY_CHANCE, MIN)),
}
SPREADS = {
    "keys by chance: minimum ÷ P50": ((BY_CHANCE, MIN), (BY_CHANCE, P50)),
    "disjoint keys: P95 ÷ P50": ((DISJOINT, P95), (DISJOINT, P50)),
    "disjoint keys: P99 ÷ P50": ((DISJOINT, P99), (DISJOINT, P50)),
    "disjoint keys: standard deviation ÷ P50": ((DISJOINT, SD), (DISJOINT, P50)),
}
NOTED = {MIN: "min", P50: "p50", P95: "p95", P99: "p99"}
"""Metrics by their names in the note's own table."""


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, caches as named and Little's law, at the centre and under all conditions that bear on a claim."""
    keys = answer.estimand.names(summary)
    names = {summary.named(each, condition) for each in keys for condition in (None, *summary.conditions.values())}
    return [summary.counts_agree(), summary.certified(names), summary.littles_law(names)]


def _share(summary: Summary, arm: str, metric: str) -> Estimate:
    values, usable = summary.whole((arm, metric))
    return summary.estimated(statistics.arithmetic_mean, values, of=usable)


def _fall(summary: Summary, pick: Callable[..., Any]) -> Estimate:
    """The least or the largest ratio of the medians of warmed and disjoint keys over all places of latencies."""
    places = [None, *(each for each in summary.conditions.values() if isinstance(each, Place))]
    if len(places) < 2:  # the centre alone is no range
        raise NotEstimableError("no other latencies were added", "give other_read_ms")
    return outermost([summary.over((BASELINE, P50), (DISJOINT, P50), each) for each in places], pick)


def _saved(summary: Summary) -> Estimate:
    return complement(summary.over((BASELINE, P50), (DISJOINT, P50)))


def _without_network(summary: Summary) -> Place:
    """The place where nothing is added to reads; raises NotEstimableError where the run has none."""
    for each in summary.parameters.doses:
        if not each.read_ms:
            return each
    raise NotEstimableError("reads were slowed everywhere", "give other_read_ms a 0")


def _spread(summary: Summary, by: str) -> Estimate:
    return summary.over((DISJOINT, P99), (DISJOINT, P50), by)


def _ms(keys: str, metric: str) -> Any:
    return told(lambda summary: summary.typical_ms(keys, metric))


REPORTS = {
    "L003": lakebase_reported.over_median("p99"), "L004": lakebase_reported.over_median("min"),
    "L055": lakebase_reported.over_median("p95"), "L059": lakebase_reported.over_median("sd"),
    "L075": lakebase_reported.no_floor,
}  # fmt: skip
"""What a second run of the note's own shows of the claims that it decides."""
NUMBERS = {
    "p99_warmed": judged((BASELINE, P99), (DISJOINT, P99)),
    "p50_warmed": judged((BASELINE, P50), (DISJOINT, P50)),
    "p99_over_min": judged((BASELINE, P99), (BY_CHANCE, MIN)),
    "p50_over_min": judged((BASELINE, P50), (BY_CHANCE, MIN)),
    "min_over_min": judged((BASELINE, MIN), (BY_CHANCE, MIN)),
    "min_spread": judged((BY_CHANCE, MIN), (BY_CHANCE, P50)),
    "p99_spread": judged((DISJOINT, P99), (DISJOINT, P50)),
    "p95_spread": judged((DISJOINT, P95), (DISJOINT, P50)),
    "sd_spread": judged((DISJOINT, SD), (DISJOINT, P50)),
    "p50_hot_ms": _ms(BASELINE, P50),
    "p50_mixed_ms": _ms(MIXED, P50),
    "p50_cold_ms": _ms(DISJOINT, P50),
    "p99_hot_ms": _ms(BASELINE, P99),
    "p99_mixed_ms": _ms(MIXED, P99),
    "p99_cold_ms": _ms(DISJOINT, P99),
    "min_chance_ms": _ms(BY_CHANCE, MIN),
    "saved": percent(told(_saved)),
    "fall_least": told(_fall, min),
    "fall_most": told(_fall, max),
    "fall_without": told(lambda summary: summary.over((BASELINE, P50), (DISJOINT, P50), _without_network(summary))),
    "p50_without_ms": told(lambda summary: summary.typical_ms(DISJOINT, P50, _without_network(summary))),
    "block_ms": told(lambda summary: summary.block_ms(DISJOINT)),
    "block_without_ms": told(lambda summary: summary.block_ms(DISJOINT, _without_network(summary))),
    "reads_cold": percent(told(lambda summary: _share(summary, DISJOINT, "reads_time_share"))),
    "trips_cold": percent(told(lambda summary: _share(summary, DISJOINT, "trips_time_share"))),
    "trips_hot": percent(told(lambda summary: _share(summary, BASELINE, "trips_time_share"))),
    "p99_by_lookup": told(lambda summary: _spread(summary, arms.LOOKUP)),
    "p99_by_request": told(lambda summary: _spread(summary, arms.REQUEST)),
    **{f"again_{name}": ratio(arms.REPEATED, BASELINE, f"note_{name}_ns") for name in ("p50", "p99", "min")},
}  # fmt: skip


def noted(metric: str) -> float:
    """A number of the note's one run, in the unit of its table."""
    return notes.number("lakebase_before_after", "before_measured", metric=metric)


def _mean(arm: str, metric: str) -> Callable[[Summary], float]:
    return lambda summary: float(summary.whole((arm, metric))[0].mean())


def _turning(summary: Summary) -> dict[str, list[str]]:
    """Claims whose verdict depends on the latencies that were added, and those on which not all of these decide."""
    given = judging.verdicts(summary)
    return {
        "settled": [each.claim_id for each in given if each.outcome is Outcome.CONDITION],
        "open": [each.claim_id for each in given if "turns on it" in each.why],
    }


def _off(summary: Summary) -> dict[str, float]:
    """By how much % the measured latencies differ from those that were asked for, at most."""
    rows, found = summary.run.trials, {}
    read = rows[rows["added_read_ms"].gt(0) & rows["delayed_reads_per_request"].gt(1)]
    for name, own, asked, seen in (
        ("reads", read, "added_read_ms", "measured_read_ms"),
        ("trips", rows, "added_trip_ms", "measured_trip_ms"),
    ):
        ratios = (own[seen] / own[asked]).dropna()
        if not len(ratios):
            raise NotEstimableError(f"no trial measured its {name}", "measure again")
        found[name] = 100 * float((ratios - 1).abs().max())
    return found


WORDS: dict[str, Callable[[Summary], Any]] = {
    "data_gib": lambda summary: summary.data_bytes / 2**30,
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
    "failed": lambda summary: int(summary.run.trials["state"].str.startswith("failed").sum()),
    "cold_blocks": _mean(DISJOINT, "pool_misses_per_request"),
    "hot_blocks": _mean(BASELINE, "pool_misses_per_request"),
    "fastest_blocks": _mean(BY_CHANCE, "note_min_reads"),
    "off": _off,
    "turning": _turning,
    "other": network.other_latencies,
    "noted": lambda summary: {name: noted(name) for name in ("min", "p50", "p99")},
    "second_min_ms": lambda summary: lakebase_reported.milliseconds("min"),
    "later": lambda summary: {
        name: notes.reading(f"later_run_{name}") for name in ("hot_share", "p50_ms", "hot_p99_ms", "blended_p99_ms")
    },
}


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: certified state, quantiles in ms, blocks read, latencies as measured, shares of the time."""

    def typical(metric: str, arm: str) -> str:
        values, usable = summary.whole((arm, metric))
        return with_interval(summary.estimated(statistics.geometric_mean, values / 1e6, of=usable))

    columns: Columns = {
        "certified cache": distinct(summary, "cache_state"),
        "fastest (ms)": partial(typical, MIN),
        "P50 (ms)": partial(typical, P50),
        "P99 as the note took it (ms)": partial(typical, P99),
        **means(
            summary, "requests", "pool_misses_per_request", "measured_read_ms", "measured_trip_ms",
            "asked_wait_spread", "reads_time_share", "trips_time_share",
        ),
    }  # fmt: skip
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


def _by_condition(summary: Summary) -> pd.DataFrame:
    """Each claim's number under every condition."""
    rows = [
        {"claim": answer.claim, "what": answer.row, "condition": words, "measured": with_interval(effect)}
        for answer in summary.chapter.answers.given
        for words, effect in network.everywhere(summary, *{**FALLS, **SPREADS}[answer.row]).items()
    ]
    if not rows:
        raise NotEstimableError("no claim has a number", "measure more blocks")
    return pd.DataFrame(rows).set_index("claim")


def _settings(summary: Summary) -> pd.DataFrame:
    """The family's differences to the note, with storage, way and requests as they are here."""
    p = summary.parameters
    other = ", ".join(f"{each.read_ms:g}" for each in p.doses)
    unknown = "the note does not say how long its own took"
    own = {
        "storage": (f"own disk, {p.read_ms:g} ms added to each read; {other} ms too", unknown),
        "client and server": (f"on one machine, {p.trip_ms:g} ms added to each round trip", unknown),
        "look-ups of a request": ("one round trip each", "longer requests than in a pipeline, by a trip per table"),
        "measured requests": (f"{p.requests:,} a trial, {summary.run.blocks} blocks", "none on the middle"),
    }
    found = differences.differences(summary)
    for setting, here in own.items():
        found.loc[setting, list(differences.COLUMNS[2:])] = here
    return found


TABLES = {"overview": _overview, "by_condition": _by_condition, "settings": _settings}
