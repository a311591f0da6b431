"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.clients import tables
from benchbook.experiments.clients.arms import AGAIN, COLD, DIRECT, FEW, HALF, MANY, POOLED, TWICE, protocol_name
from benchbook.experiments.clients.parameters import MOST_BACKENDS
from benchbook.experiments.clients.summary import (
    STATES,
    Summary,
    as_many,
    hit_rise,
    not_bound_by_reads,
    not_through,
    nothing_read,
    served,
)
from benchbook.experiments.families.pgbench.parameters import NOTE_CLIENTS, NOTE_SECONDS
from benchbook.experiments.families.pgbench.words import UNKNOWN, repeated
from benchbook.experiments.notes import number as noted
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, Words, custom, known, ratio, share
from benchbook.experiments.shape.named import Told, percent
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.telling import listed
from benchbook.model import Estimate
from benchbook.statistics import Gate

AA = (AGAIN, DIRECT)
COUNTED = {
    "reading_first": "clients_looked_at_first",
    "wal_first": "clients_looked_at_first",
    "extending_most": "clients_looked_at",
    **dict.fromkeys(("cpu_busy", "cpu_user", "cpu_system", "cpu_iowait"), "cpu_ticks"),
}
"""Shares in a trial that claims are about, to what each is a share of."""
AA_SHARES = {
    "reading_first": ("waits_reading", "clients_looked_at"),
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
    again, first = AA
    metric = answer.estimand.metric
    assert metric is not None
    if metric in AA_SHARES:
        return [summary.aa_share_gate(again, first, *AA_SHARES[metric])]
    if metric in COUNTED:
        return [summary.aa_share_gate(again, first, metric, COUNTED[metric])]
    return [summary.aa_gate(again, first, metric)]


def _other_start(summary: Summary) -> str:
    """What the claims on the trial from a cold start name and this run does not have."""
    p = summary.parameters
    found = {
        f"{p.clients} clients where the claim names {NOTE_CLIENTS}": p.clients != NOTE_CLIENTS,
        f"{p.waits_seconds} s where the claim names {NOTE_SECONDS}": p.waits_seconds != NOTE_SECONDS,
    }
    return " and ".join(text for text, other in found.items() if other)


def _other_clients(summary: Summary) -> str:
    """The same of those on the number of clients."""
    clients = summary.parameters.clients
    other = f"{clients} clients where the claim names {NOTE_CLIENTS}" if clients != NOTE_CLIENTS else ""
    return " and ".join(filter(None, (other, summary.threads_depart())))


def _cold(metric: str, *, idle: Words | None = None) -> Estimand:
    """A share in the trial from a cold start, in which time decides."""
    return share(COLD, metric, COUNTED[metric], quantity=Quantity.LEVEL, aa=metric, departs=_other_start, idle=idle)


def _tps(top: str, bottom: str, idle: Words) -> Estimand:
    """Ratio of two throughputs that a claim is about."""
    return ratio(top, bottom, "tps", idle=idle, departs=_other_clients)


def _at(count: Callable[[Summary], int]) -> Callable[[Summary], str]:
    """The configuration of a number of clients that connect directly."""
    return lambda summary: summary.direct[count(summary)]


def _peak(summary: Summary) -> int:
    """The number of clients with the highest throughput."""
    return max(summary.direct, key=lambda count: summary.mean(summary.direct[count], "tps"))


def _fewest(summary: Summary) -> int:
    return min(summary.direct)


def _most(summary: Summary) -> int:
    return max(summary.direct)


def _both(summary: Summary) -> int:
    """The most clients that were measured with a pooler and without, if more than the baseline's."""
    both = [count for count in summary.pooled if count in summary.direct]
    if not both or summary.pooled[both[-1]] == POOLED:
        raise NotEstimableError("no more clients were measured both ways", "measure more counts")
    return both[-1]


NUMBERS = {
    "half": _tps(HALF, DIRECT, as_many),
    "through_pooler": _tps(POOLED, DIRECT, not_through),
    "served": known(
        served,
        f"The count is of clients that completed a transaction in the last sixth of the trial with fewest, while "
        f"the server never had more than {MOST_BACKENDS} client connections; the pooler is PgBouncer",
        MANY,
    ),
    "busy": percent(_cold("cpu_busy", idle=nothing_read)),
    "user": _cold("cpu_user"),
    "system": _cold("cpu_system"),
    "iowait": percent(_cold("cpu_iowait")),
    "reading_first": percent(_cold("reading_first", idle=not_bound_by_reads)),
    "wal_first": percent(_cold("wal_first")),
    **{f"{name}_warm": percent(share(COLD, f"{name}_warm", "clients_looked_at_warm")) for name in ("reading", "wal")},
    "extending": percent(_cold("extending_most", idle=not_bound_by_reads)),
    "hit_rise": percent(custom(hit_rise, Quantity.PARTS, COLD, aa="reads_per_transaction", departs=_other_start)),
    "peak_gain": ratio(_at(_peak), _at(_fewest), "tps"),
    "most_gain": ratio(_at(_most), DIRECT, "tps"),
    "prepared_gain": ratio(protocol_name("prepared", TWICE), DIRECT, "tps"),
    "again": ratio(*AA, "tps"),
    "rescued": ratio(lambda summary: summary.pooled[_both(summary)], _at(_both), "start_tps"),
    "few": ratio(FEW, POOLED, "tps"),
}


def _law(summary: Summary) -> dict[str, Any]:
    """Over blocks: the least and the largest serial part in %, and where throughput is highest, if in all somewhere."""
    serial = [100 * each.contention for each in summary.laws]
    peak = [each.best_clients for each in summary.laws]
    return {
        "least": min(serial),
        "largest": max(serial),
        "peak": (min(peak), max(peak)) if max(peak) < math.inf else (),
    }


def _by_clients(ask: Callable[[int], Estimate], counts: Iterable[int]) -> list[dict[str, Any]]:
    """Numbers of clients, each with a ratio."""

    def each(count: int) -> dict[str, Any]:
        return {"clients": count, "ratio": Told(ask(count))}

    return listed(*(partial(each, count) for count in counts))


def _doing(summary: Summary) -> list[dict[str, Any]]:
    """What most clients are found doing after a warm start, in %."""
    shares = {words: 100 * summary.mean(DIRECT, f"waits_{name}") for name, words in STATES.items()}
    most = sorted(shares, key=shares.__getitem__, reverse=True)[:3]
    return [{"words": words, "share": shares[words]} for words in most]


def _needed(summary: Summary) -> list[dict[str, Any]]:
    """How many blocks a ratio of TPS needs for a half-width in %."""
    sd = summary.gain(*AA).sd
    blocks = {each: statistics.blocks_for_half_width(sd, math.log1p(each / 100)) for each in (5, 2, 1)}
    return [{"percent": each, "blocks": count} for each, count in blocks.items() if count is not None]


def _inside(summary: Summary) -> float:
    """The least share of its time for which a client is inside a transaction."""
    arms = summary.having(summary.direct.values(), "littles_ratio")
    return min(listed(*(partial(_least, summary, arm, "littles_ratio") for arm in arms)))


def _least(summary: Summary, arm: str, metric: str) -> float:
    return float(summary.values(arm, metric).min())


def _dollar(end: str, **machine: str) -> float:
    """TPS for a dollar by the note."""
    return noted("r8g_cost", f"tps_per_usd_{end}", **machine)


def _mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric) / unit


def _recorded(name: str, otherwise: str) -> Callable[[Summary], Any]:
    return lambda summary: summary.run.provenance.get(name, otherwise)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": lambda summary: summary.apparatus(),
    "bounded": _recorded("memory_bound", "not known"),
    "pooler": _recorded("pooler", UNKNOWN),
    "failed": lambda summary: summary.failures(summary.arms),
    "peak": _peak,
    "fewest": _fewest,
    "most": _most,
    "fitted": lambda summary: summary.fitted,
    "law": _law,
    "surprises": lambda summary: _by_clients(summary.surprise, summary.predicted),
    **{f"device_{when}": _mean(COLD, f"device_read_{when}", 2**20) for when in ("first", "warm")},
    **{f"{name}_{when}": _mean(COLD, f"{name}_{when}", 0.01) for name in ("hit", "other_hit")
       for when in ("first", "last")},
    "doing": _doing,
    "both": _both,
    "ways": lambda summary: _by_clients(
        summary.against_direct, [count for count in summary.pooled if count in summary.direct]
    ),
    "pooler_us": _mean(POOLED, "pooler_cpu_us_per_transaction"),
    "pooler_busy": lambda summary: summary.mean(POOLED, "pooler_cpu_s") / summary.parameters.seconds,
    "served_fewest": lambda summary: _least(summary, MANY, "clients_served"),
    "backends_most": lambda summary: float(summary.values(MANY, "backends_most").max()),
    "itself": lambda summary: repeated(summary, *AA, "tps", "latency_mean_ns"),
    "needed": _needed,
    "inside": _inside,
    "dollar": lambda summary: {end: _dollar(end, instance="r8g.xlarge", pricing="On-Demand") for end in ("lo", "hi")},
    "dollar_larger": lambda summary: _dollar("lo", instance="r8g.2xlarge"),
}  # fmt: skip
TABLES = {
    "note_claims": tables.note_claims,
    "poolers": tables.poolers,
    "connections": tables.connections,
    "overview": tables.overview,
}
