"""The numbers of the chapter, each once and by name, what its claims stand on, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from benchbook import notes
from benchbook.chapters.comparators import arms
from benchbook.chapters.comparators.arms import BASELINE, COLD, DISJOINT, HOT, POSTGRES, REDIS, STAND_IN, name_of
from benchbook.chapters.comparators.stores import KIB, MEAN, Summary, stated_ms, store_label
from benchbook.claims import Quantity
from benchbook.measuring.features import differences
from benchbook.measuring.features.treatment import same_reads
from benchbook.numbers import read_ahead
from benchbook.numbers.analysis import read
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, average, custom, level, ratio
from benchbook.numbers.quantities import Told
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.prose import filled
from benchbook.pages.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.statistics import Gate

P50, P99 = "p50_ns", "p99_ns"
SAME = 1.25
"""Penalties of two stores that differ by less are called alike."""
AA = (arms.REPEATED, BASELINE)


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts and caches as named; of times Little's law."""
    names = answer.estimand.names(summary)
    return [summary.counts_agree(), summary.certified(names), summary.littles_law(names)] if names else []


def _tail(arm: str) -> Estimand:
    return replace(custom(lambda summary: summary.latency(arm, summary.tail), Quantity.COUNTER, arm), of="p99_ns")


def _behind(summary: Summary, stores: Iterable[str]) -> dict[str, float]:
    """How many stores there are, and how many times as long PostgreSQL takes, hot both: least, most, the lowest end."""
    found = [summary.pairing(store, HOT, HOT) for store in stores if store in summary.present(HOT)]
    if not found or len(summary.present(HOT)) < 2:
        raise NotEstimableError("fewer than two other stores were measured hot", "measure more stores")
    points = [effect.point for effect in found]
    low = min(effect.low for effect in found)
    return {"stores": len(found), "least": min(points), "most": max(points), "low": low}


def _client(empty: str, store: str, summary: Summary) -> float:
    """The share of a hot request's median that the same client spends on nothing."""
    return summary.latency(empty, P50).point / summary.latency(name_of(store, HOT), P50).point


def _slowest(summary: Summary) -> dict[str, Any]:
    """The configuration with the slowest median."""
    found = {arm: summary.latency(arm, P50).point for arm in summary.compared}
    if not found:
        raise NotEstimableError("this run timed no store", "measure again")
    arm = max(found, key=lambda arm: found[arm])
    return {"label": summary.label(arm), "ms": found[arm]}


def _apart(summary: Summary) -> dict[str, list[str]]:
    """The stores that a cold cache costs more in proportion than PostgreSQL, and less."""
    found = {store_label(store): summary.penalty(store) for store in summary.cold_stores() if store != POSTGRES}
    own = summary.penalty(POSTGRES)
    return {
        "more": [label for label, each in found.items() if each.low > SAME * own.high],
        "less": [label for label, each in found.items() if each.high * SAME < own.low],
    }


def _cold(ask: Callable[[Summary, str], Any]) -> Callable[[Summary], dict[str, Any]]:
    """What is asked of each store's cold configuration, by the store's label; a run may lack some."""

    def one(summary: Summary, store: str) -> tuple[str, Any]:
        return store_label(store), ask(summary, name_of(store, COLD))

    return lambda summary: dict(filled(*(partial(one, summary, store) for store in summary.cold_stores())))


def _slow_at_first(summary: Summary) -> dict[str, Told]:
    """The cold stores whose first 100 requests are slower than the others, and how many times."""
    found = _cold(lambda summary, arm: Told(summary.ratio((arm, "first_100_mean_ns"), (arm, "rest_mean_ns"))))(summary)
    if not found:
        raise NotEstimableError("no cold store was timed", "measure again")
    return {label: each for label, each in found.items() if each.low > SAME}


def _miscertified(summary: Summary) -> dict[str, dict[str, int]]:
    """How many trials of a configuration were not in the state that they are named after, by its label."""
    wrong = {}
    for arm in summary.compared:
        named = {"same": HOT, "disjoint": COLD}.get(str(summary.configurations[arm].settings["draw"]))
        states = summary.in_blocks(arm)["cache_state"]
        if named and (states != named).any():
            wrong[summary.label(arm)] = {"off": (states != named).sum(), "trials": len(states)}
    return wrong


_EMPTY = {POSTGRES: arms.POSTGRES_EMPTY, REDIS: arms.REDIS_EMPTY, STAND_IN: arms.PROBE_EMPTY}
NUMBERS = {
    "mismatch": custom(
        lambda summary: summary.mismatch(P99), Quantity.COMPARISON,
        DISJOINT, BASELINE, name_of(STAND_IN, HOT), aa=P99, idle=same_reads(DISJOINT, BASELINE),
    ),
    "mismatch_tail": custom(lambda summary: summary.mismatch(summary.tail), Quantity.COMPARISON),
    "mismatch_mean": custom(lambda summary: summary.mismatch(MEAN), Quantity.COMPARISON),
    "systems_hot": read("systems_measured_hot"),
    "cold_to_hot": ratio(DISJOINT, name_of(STAND_IN, HOT), MEAN),
    "hot_to_hot": ratio(BASELINE, name_of(STAND_IN, HOT), MEAN),
    "cold_to_cold": ratio(DISJOINT, name_of(STAND_IN, COLD), MEAN),
    "redis": ratio(BASELINE, name_of(REDIS, HOT), MEAN),
    "penalty": ratio(DISJOINT, BASELINE, MEAN),
    "tail_hot": _tail(BASELINE),
    "tail_cold": _tail(DISJOINT),
    "kib_hot": average(BASELINE, KIB),
    "kib_cold": average(DISJOINT, KIB),
    **{f"again_{name}": ratio(arms.REPEATED, BASELINE, f"{name}_ns") for name in ("mean", "p50", "p95", "p99")},
    **{f"empty_{store}_us": level(empty, P50, 1e3) for store, empty in _EMPTY.items()},
    "dynamodb_ms": level(name_of(arms.DYNAMODB, HOT), P50, 1e6),
}  # fmt: skip
WORDS = {
    **{f"empty_{store}_share": partial(_client, empty, store) for store, empty in _EMPTY.items()},
    "measured": lambda summary: len(summary.measured),
    "data_gib": lambda summary: summary.data_bytes / 2**30,
    "stores": lambda summary: summary.run.provenance.get("stores", {}),
    "left_out": lambda summary: summary.run.provenance.get("left_out", {}),
    "miscertified": _miscertified,
    "partly": lambda summary: sorted({summary.label(arm).rpartition(", ")[2] for arm in summary.partly_cold}),
    "tail": lambda summary: summary.tail_heading,
    "behind": lambda summary: _behind(summary, arms.LABELS),
    "embedded": lambda summary: _behind(summary, arms.EMBEDDED),
    "apart": _apart,
    "read_cold": _cold(lambda summary, arm: summary.average(arm, KIB).point),
    "read_ahead": lambda summary: read_ahead.in_words(summary.run),
    "slow_at_first": _slow_at_first,
    "slowest": _slowest,
    "typical_ms": lambda summary: stated_ms("typical"),
    "dynamodb_requests": lambda summary: summary.values(name_of(arms.DYNAMODB, HOT), "requests").sum(),
}


def _stated(summary: Summary) -> pd.DataFrame:
    """What the note and its repository say of DynamoDB, and where it comes from."""
    rows = [
        ("typical request", f"{stated_ms('typical'):g} ms", "constant; the mean in one notebook, P50 in another"),
        ("P99", f"{stated_ms('p99'):g} ms", "constant; “from user's production”"),
        ("key size, item size, region, client", "not stated", ""),
        ("state of its caches", "“100% memory-backed for hot keys”", "the note's word; nobody measured it"),
        ("systems that the fixed benchmark runs", f"{notes.reading('systems_measured_hot'):g}", "Lakebase"),
    ]
    return pd.DataFrame(rows, columns=["what", "stated", "how known"]).set_index("what")


def _settings(summary: Summary) -> pd.DataFrame:
    """What was otherwise in the note."""
    return differences.differences(
        summary,
        ("the other system", "DynamoDB, a hosted service, not run", "stores on the same machine", "much faster"),
        ("request to it", "unknown; one call for many keys in an early version", "see the method", "unknown"),
    )


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: certified state, quantiles with intervals in ms, what was read."""

    def states(arm: str) -> str:
        counts = summary.in_blocks(arm)["cache_state"].value_counts()
        return ", ".join(f"{state} ({count})" for state, count in counts.items())

    columns: Columns = {
        "certified cache": states,
        **levels(summary, MEAN, P50, "p95_ns", P99, otherwise=NOT_ESTIMABLE),
        **means(summary, "requests", KIB, "files_in_os_cache_at_start"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.measured], columns)


TABLES = {"stated": _stated, "settings": _settings, "overview": _overview}
