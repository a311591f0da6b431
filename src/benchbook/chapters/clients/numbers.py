"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd

from benchbook import notes, statistics
from benchbook.chapters.clients import summary as own
from benchbook.chapters.clients.arms import AGAIN, COLD, DIRECT, FEW, HALF, MANY, POOLED, TWICE, protocol_name
from benchbook.chapters.clients.parameters import MOST_BACKENDS
from benchbook.chapters.clients.summary import Summary
from benchbook.claims import Quantity
from benchbook.measuring.pgbench.metric_words import STATES
from benchbook.measuring.pgbench.parameters import NOTE_CLIENTS, NOTE_SECONDS
from benchbook.measuring.pgbench.words import UNKNOWN, repeated
from benchbook.model import Estimate
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, Words, custom, known, ratio, share
from benchbook.numbers.quantities import Told, percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.prose import listed
from benchbook.pages.tables import means, table
from benchbook.statistics import Gate

AA = (AGAIN, DIRECT)
COUNTED = {
    "wal_first": "clients_looked_at_first",
    **dict.fromkeys(("cpu_busy", "cpu_user", "cpu_system", "cpu_iowait"), "cpu_ticks"),
}
"""Shares in a trial that claims are about, to what each is a share of."""
AA_SHARES = {
    "wal_first": ("waits_flushing", "clients_looked_at"),
}
"""The same of a trial's first twelfth, to the share that the A/A pair has of it and what that is a share of: the pair
starts warm, and is too short for looks at its first twelfth."""


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, bounded memory, full pools after a warm start and empty caches after a cold one."""
    arms = answer.estimand.names(summary)
    gates = [*summary.counts_gate(arms), summary.bound_gate(arms), summary.full_gate(arms)]
    return [*gates, summary.cold_gate(arms)] if COLD in arms else gates


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The baseline's two names in what the claim is about: a ratio of throughputs or of what the pool missed, or a
    difference of shares.
    """
    metric = answer.estimand.metric
    assert metric is not None
    if metric in COUNTED:
        return [summary.aa_share_gate(*AA, *AA_SHARES.get(metric, (metric, COUNTED[metric])))]
    return [summary.aa_gate(*AA, metric)]


def _other(name: str, asked: int, unit: str) -> Words:
    """Another value of a parameter than the claims name."""

    def why(summary: Summary) -> str:
        here = getattr(summary.parameters, name)
        return "" if here == asked else f"{here} {unit} where the claim names {asked}"

    return why


def _all_of(*reasons: Words) -> Words:
    return lambda summary: " and ".join(filter(None, (reason(summary) for reason in reasons)))


_CLIENTS = _other("clients", NOTE_CLIENTS, "clients")
OTHER_START = _all_of(_CLIENTS, _other("waits_seconds", NOTE_SECONDS, "s"))
OTHER_CLIENTS = _all_of(_CLIENTS, Summary.threads_depart)


def _cold(metric: str, *, idle: Words | None = None) -> Estimand:
    """A share in the trial from a cold start, in which time decides."""
    return share(COLD, metric, COUNTED[metric], quantity=Quantity.LEVEL, aa=metric, departs=OTHER_START, idle=idle)


def _tps(top: str, bottom: str, idle: Words) -> Estimand:
    """Ratio of two throughputs that a claim is about."""
    return ratio(top, bottom, "tps", idle=idle, departs=OTHER_CLIENTS)


def _at(count: Callable[[Summary], int]) -> Callable[[Summary], str]:
    """The configuration of a number of clients that connect directly."""
    return lambda summary: summary.direct[count(summary)]


def _peak(summary: Summary) -> int:
    """The number of clients with the highest throughput."""
    return max(summary.direct, key=lambda count: summary.mean(summary.direct[count], "tps"))


def _level_with_peak(summary: Summary) -> str:
    """From how many to how many clients throughput is not shown to be below the highest; "" for one number alone."""
    peak = _peak(summary)
    highest = summary.direct[peak]
    alike = [count for count, arm in summary.direct.items() if count == peak or summary.gain(arm, highest).high >= 1]
    return f"{min(alike):,} to {max(alike):,}" if len(alike) > 1 else ""


def _both(summary: Summary) -> int:
    """The most clients that were measured with a pooler and without, if more than the baseline's."""
    both = [count for count in summary.pooled if count in summary.direct]
    if not both or summary.pooled[both[-1]] == POOLED:
        raise NotEstimableError("no more clients were measured both ways", "measure more counts")
    return both[-1]


NUMBERS = {
    "half": _tps(HALF, DIRECT, own.as_many),
    "through_pooler": _tps(POOLED, DIRECT, own.not_through),
    "served": known(
        own.served,
        f"The count is of clients that completed a transaction in the last sixth of the trial with fewest, while "
        f"the server never had more than {MOST_BACKENDS} client connections; the pooler is PgBouncer",
        MANY,
    ),
    "busy": percent(_cold("cpu_busy", idle=own.nothing_read)),
    "user": _cold("cpu_user"),
    "system": _cold("cpu_system"),
    "iowait": percent(_cold("cpu_iowait")),
    "reading_first": percent(share(COLD, "reading_first", "clients_looked_at_first")),
    "wal_first": percent(_cold("wal_first")),
    **{f"{name}_warm": percent(share(COLD, f"{name}_warm", "clients_looked_at_warm")) for name in ("reading", "wal")},
    "hit_rise": percent(custom(own.hit_rise, Quantity.PARTS, COLD, aa="reads_per_transaction", departs=OTHER_START)),
    "peak_gain": ratio(_at(_peak), _at(lambda summary: min(summary.direct)), "tps"),
    "most_gain": ratio(_at(lambda summary: max(summary.direct)), DIRECT, "tps"),
    "prepared_gain": ratio(protocol_name("prepared", TWICE), DIRECT, "tps"),
    "again": ratio(*AA, "tps"),
    "rescued": ratio(lambda summary: summary.pooled[_both(summary)], _at(_both), "start_tps"),
    "few": ratio(FEW, POOLED, "tps"),
}


def _law(summary: Summary) -> dict[str, Any]:
    """The least and the largest of the blocks: the serial part in %, and where throughput is highest, if somewhere."""
    serial = [100 * each.contention for each in summary.laws]
    peak = [each.best_clients for each in summary.laws]
    return {"serial": (min(serial), max(serial)), "peak": (min(peak), max(peak)) if max(peak) < math.inf else ()}


def _by_clients(ask: Callable[[int], Estimate], counts: Iterable[int]) -> dict[int, Told]:
    """A ratio for each number of clients of which the run has it."""

    def each(count: int) -> tuple[int, Told]:
        return count, Told(ask(count))

    return dict(listed(*(partial(each, count) for count in counts)))


def _doing(summary: Summary, arm: str, waits: str) -> list[tuple[str, float]]:
    """What most clients are found doing, in %. waits: how the names of these shares begin."""
    shares = {words: 100 * summary.mean(arm, f"{waits}_{name}") for name, words in STATES.items()}
    return sorted(shares.items(), key=lambda item: item[1], reverse=True)[:3]


def _needed(summary: Summary) -> dict[int, int]:
    """How many blocks a ratio of TPS needs for a half-width in %."""
    sd = summary.gain(*AA).sd
    blocks = {each: statistics.blocks_for_half_width(sd, math.log1p(each / 100)) for each in (5, 2, 1)}
    return {each: count for each, count in blocks.items() if count is not None}


def _inside(summary: Summary) -> float | None:
    """The least share of its time for which a client is inside a transaction."""
    arms = summary.having(summary.direct.values(), "littles_ratio")
    return min((float(summary.values(arm, "littles_ratio").min()) for arm in arms), default=None)


def _mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric) / unit


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": lambda summary: summary.apparatus(),
    "bounded": lambda summary: summary.run.provenance.get("memory_bound", "not known"),
    "pooler": lambda summary: summary.run.provenance.get("pooler", UNKNOWN),
    "failed": lambda summary: summary.failures(summary.arms),
    "peak": _peak,
    "level_with_peak": _level_with_peak,
    "direct": lambda summary: summary.direct,
    "fitted": lambda summary: summary.fitted,
    "law": _law,
    "surprises": lambda summary: _by_clients(summary.surprise, summary.predicted),
    **{f"device_{when}": _mean(COLD, f"device_read_{when}", 2**20) for when in ("first", "warm")},
    **{f"{name}_{when}": _mean(COLD, f"{name}_{when}", 0.01) for name in ("hit", "other_hit")
       for when in ("first", "last")},
    "doing": partial(_doing, arm=DIRECT, waits="waits"),
    "at_first": partial(_doing, arm=COLD, waits="waits_01"),
    "both": _both,
    "ways": lambda summary: _by_clients(summary.against_direct, sorted({*summary.pooled} & {*summary.direct})),
    "pooler_us": _mean(POOLED, "pooler_cpu_us_per_transaction"),
    "pooler_busy": lambda summary: summary.mean(POOLED, "pooler_cpu_s") / summary.parameters.seconds,
    "served_fewest": lambda summary: float(summary.values(MANY, "clients_served").min()),
    "backends_most": lambda summary: float(summary.values(MANY, "backends_most").max()),
    "itself": lambda summary: repeated(summary, *AA, "tps", "latency_mean_ns"),
    "needed": _needed,
    "inside": _inside,
    "dollar": lambda summary: {
        end: notes.number("r8g_cost", f"tps_per_usd_{end}", instance="r8g.xlarge", pricing="On-Demand")
        for end in ("lo", "hi")
    },
    "dollar_larger": lambda summary: notes.number("r8g_cost", "tps_per_usd_lo", instance="r8g.2xlarge"),
}  # fmt: skip


def _note_claims(summary: Summary) -> pd.DataFrame:
    """What the note saw and expects: one run, no intervals."""
    waits, cpu = notes.table("r8g_wait_events"), notes.table("r8g_cpu_hit").set_index("metric")["value"]
    rows = [
        (f"clients in {row.wait_event}, of 100", f"{row.count_lo}–{row.count_hi}", str(row.issue))
        for row in waits.itertuples()
    ]
    rows += [
        ("hit ratio", f"{cpu['hit_ratio_start']:g} → {cpu['hit_ratio_end']:g} %", "warming over 60 s"),
        ("processor time", f"user {cpu['cpu_user']:g} %, system {cpu['cpu_system']:g} %, iowait below 1 %",
         "CPU-bound after the warm-up"),
        ("50 clients, 4 threads", "not run", "to reduce connection overhead"),
        ("PgCat", "not run", "1,000 clients or more with 100–250 connections"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["what", "note 003", "its reading"]).set_index("what")


def _poolers(summary: Summary) -> pd.DataFrame:
    """Which poolers and which of their modes were measured, and why not."""
    p = summary.parameters
    name = str(summary.run.provenance.get("pooler", "PgBouncer"))
    off = "no: `make pooler` unpacks it, and parts must name it"
    lost = "no: PgBouncer before 1.21 loses prepared statements between transactions"
    rows = [
        (name, "transaction mode, simple protocol", "yes" if "pooled" in p.parts else off),
        (name, "transaction mode, prepared statements", "yes" if p.pooled_prepared else lost),
        ("PgCat", "transaction mode", "no: neither Debian nor the registry of Rust crates has it as a package"),
    ]
    return pd.DataFrame(rows, columns=["pooler", "mode", "measured here"]).set_index(["pooler", "mode"])


def _connections(summary: Summary) -> pd.DataFrame:
    """Whether each configuration did what it is named for: connections by the server, clients, processor time."""
    columns = {
        "clients": lambda arm: f"{int(summary.configurations[arm].settings['clients'] or 0):,}",
        "pgbench threads": lambda arm: str(summary.configurations[arm].settings["threads"]),
    }
    columns |= means(summary, "connected_most", "clients_served", "cpu_busy", "pooler_cpu_us_per_transaction")
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


TABLES = {"note_claims": _note_claims, "poolers": _poolers, "connections": _connections}
