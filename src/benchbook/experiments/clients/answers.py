"""The chapter's claims: how each number comes from the stored trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.clients.arms import AGAIN, COLD, DIRECT, HALF, MANY, POOLED
from benchbook.experiments.clients.parameters import MOST_BACKENDS
from benchbook.experiments.clients.summary import Summary
from benchbook.experiments.families.pgbench.parameters import NOTE_CLIENTS, NOTE_SECONDS
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, Words, custom, known, ratio, share
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate
from benchbook.statistics import Gate

SCALING, WAITS, THROUGH = "fig-clients-scaling", "fig-clients-waits", "fig-clients-pooled"
PROTOCOLS, CLAIMED, SHARES = "fig-clients-protocols", "fig-clients-claims", "fig-clients-claimed-shares"
AA = (AGAIN, DIRECT)
BOUND_BY_READS = 0.5
"""Share of the clients in a wait for reads from which a start counts as bound by them; the note's report has 0.91."""
READ_START = "a start that is bound by reads"


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


def departs(summary: Summary) -> str:
    """What the claims on the trial from a cold start name and this run does not have."""
    p = summary.parameters
    found = {
        f"{p.clients} clients where the claim names {NOTE_CLIENTS}": p.clients != NOTE_CLIENTS,
        f"{p.waits_seconds} s where the claim names {NOTE_SECONDS}": p.waits_seconds != NOTE_SECONDS,
    }
    return " and ".join(text for text, other in found.items() if other)


def departs_in_clients(summary: Summary) -> str:
    """The same of those on the number of clients."""
    clients = summary.parameters.clients
    other = f"{clients} clients where the claim names {NOTE_CLIENTS}" if clients != NOTE_CLIENTS else ""
    return " and ".join(filter(None, (other, summary.threads_depart())))


def nothing_read(summary: Summary) -> str:
    """Why nothing could have been bound by reading; "" where the device read in every trial."""
    least = float(summary.values(COLD, "device_read_first").min())
    return "" if least > 0 else "in some trial the device read nothing in the first twelfth, so nothing waited for it"


def not_bound_by_reads(summary: Summary) -> str:
    """Why the first seconds are not those of the note, in which clients wait for reads; "" where most do so here."""
    seen = summary.values(COLD, "reading_first")
    most = int((seen > BOUND_BY_READS).sum())
    if most > len(seen) / 2:
        return ""
    return (
        f"in {most or 'none'} of {len(seen)} trials most of the clients wait for a read in the first twelfth (at most "
        f"{seen.max():.1%} do), where the note's report has 91 to 97 of 100. A slower disk under the data would get "
        "there"
    )


def as_many(summary: Summary) -> str:
    """Why half the clients made no fewer connections; "" where they did in every trial."""
    half, whole = (summary.values(arm, "connected_most") for arm in (HALF, DIRECT))
    return "" if (half < whole).all() else "in some block half of the clients had no fewer connections"


def not_through(summary: Summary) -> str:
    """Why the pooler did nothing; "" where it used a processor and kept to its connections in every trial."""
    spent, most = summary.values(POOLED, "pooler_cpu_s"), summary.values(POOLED, "connected_most")
    if spent.min() > 0 and most.max() <= summary.parameters.pool_backends:
        return ""
    return f"the pooler used {spent.min():.2g} s of processor time, and the server had {most.max():.0f} connections"


def served(summary: Summary) -> float:
    """Fewest clients that a trial served to its end; 0 where a server had more connections than the note allows."""
    clients, backends = summary.values(MANY, "clients_served"), summary.values(MANY, "backends_most")
    p = summary.parameters
    if p.many_seconds < NOTE_SECONDS:
        raise NotEstimableError(
            f"its trials with {p.many_clients:,} clients take {p.many_seconds} s", f"use many_seconds={NOTE_SECONDS}"
        )
    return float(clients.min()) if backends.max() <= MOST_BACKENDS else 0.0


def hit_rise(summary: Summary, confidence: float) -> Estimate:
    """Hit ratio of the last twelfth less that of the first, within a trial."""
    last, first = (summary.values(COLD, f"hit_{when}") for when in ("last", "first"))
    fewest = int(summary.values(COLD, "hit_requests").min())
    return statistics.shares_difference(last, first, fewest, confidence=confidence, sessions=summary.sessions)


def _level(metric: str, *, idle: Words | None = None) -> Estimand:
    """A share in the trial from a cold start, in which time decides."""
    return share(COLD, metric, COUNTED[metric], quantity=Quantity.LEVEL, aa=metric, departs=departs, idle=idle)


ANSWERS = (
    Answer(
        "R074", ratio(HALF, DIRECT, "tps", idle=as_many, departs=departs_in_clients), CLAIMED,
        said="half the clients, with as many pgbench threads as processors, give more throughput",
        seen="they give {} times the throughput",
        row="mean TPS: half the clients and threads ÷ all",
    ),
    Answer(
        "R078", ratio(POOLED, DIRECT, "tps", idle=not_through, departs=departs_in_clients), CLAIMED,
        said="going through a connection pooler reduces overhead",
        seen="through PgBouncer, which stands in for PgCat, the same clients have {} times the throughput",
        row="mean TPS: through a pooler ÷ direct",
    ),
    Answer(
        "R079",
        known(
            served,
            f"The count is of clients that completed a transaction in the last sixth of the trial with fewest, while "
            f"the server never had more than {MOST_BACKENDS} client connections; the pooler is PgBouncer",
            MANY,
        ),
        THROUGH,
        said="a pooler serves 1,000 clients with 100 to 250 connections", seen="it serves {} to the end",
    ),
    Answer(
        "R016",
        _level("cpu_busy", idle=nothing_read),
        WAITS,
        said="after the warm-up the processors are the limit, and not the disk",
        seen="{} % of the processor time is busy then", factor=100,
    ),
    Answer(
        "R009", _level("reading_first", idle=not_bound_by_reads), WAITS, cause=READ_START,
        said="after a cold start nearly all clients wait for reads", seen="{} % do in the first twelfth of the trial",
        factor=100, row="share of clients that read at first",
    ),
    Answer(
        "R010", _level("wal_first"), WAITS,
        said="4 to 7 of 100 clients wait in LWLock/WALWrite", seen="at first {} % do", factor=100,
        row="share of clients in WALWrite at first",
    ),
    Answer(
        "R011", _level("extending_most", idle=not_bound_by_reads), WAITS, cause=READ_START,
        said="17 to 32 of 100 clients wait to extend a table during the warm-up",
        seen="in the worst sample of the first third {} % do", factor=100, row="most clients that extend a table",
    ),
    Answer(
        "R012", custom(hit_rise, Quantity.PARTS, COLD, aa="reads_per_transaction", departs=departs), WAITS,
        said="the hit ratio rises by 4.4 points while the pool warms", seen="it rises by {} points", factor=100,
        row="rise of the hit ratio",
    ),
    Answer(
        "R013", _level("cpu_user"), SHARES, row="share of processor time in user mode",
    ),
    Answer(
        "R014", _level("cpu_system"), SHARES, row="share of processor time in system mode",
    ),
    Answer(
        "R015", _level("cpu_iowait"), SHARES,
        said="less than 1 % of the processor time is iowait", seen="{} % is", factor=100,
        row="share of processor time in iowait",
    ),
)  # fmt: skip


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


def waiting_share(summary: Summary, arm: str, name: str) -> float:
    """Mean share of the clients of a configuration that are found in a state."""
    return float(np.mean(summary.values(arm, f"waits_{name}")))
