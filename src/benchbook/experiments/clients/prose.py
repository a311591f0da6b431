"""The chapter's sentences with numbers, computed from the run that the page shows, and its tables."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.experiments.clients.answers import AA
from benchbook.experiments.clients.arms import COLD, DIRECT, FEW, MANY, POOLED
from benchbook.experiments.clients.metric_words import STATES
from benchbook.experiments.clients.summary import Summary
from benchbook.experiments.families.pgbench.words import UNKNOWN, repeated
from benchbook.experiments.notes import number
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, with_interval
from benchbook.figures.prose import digits

__all__ = [
    "connections",
    "cost",
    "design",
    "noise",
    "note_claims",
    "overview",
    "poolers",
    "scaling",
    "through",
    "waits",
]


def note_claims() -> pd.DataFrame:
    """What the note saw and expects: one run, no intervals."""
    waits, cpu = note("r8g_wait_events"), note("r8g_cpu_hit").set_index("metric")["value"]
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


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, record = summary.parameters, summary.run.provenance
    bounded = record.get("memory_bound", "not known")
    pooler = f"The pooler is {record.get('pooler', UNKNOWN)}." if "pooled" in p.parts else ""
    failed = summary.failures(summary.arms)
    lost = f"Trials that failed: {len(failed)} ({'; '.join(failed[:3])})." if failed else ""
    lengths = f"A trial after a warm start takes {p.seconds} s, after a discarded run of {p.fill_seconds} s."
    memory = f"Memory of server and page cache: {bounded}, and 3 MiB more for each connection."
    return telling.design(summary, " ".join(told(summary.apparatus(), lengths, memory, pooler, lost)))


def scaling(summary: Summary) -> Prose:
    """Where throughput is highest, and how far the law that is fitted to fewer clients predicts more of them."""

    def best() -> str:
        levels_ = {count: summary.mean(arm, "tps") for count, arm in summary.direct.items()}
        top = max(levels_, key=levels_.__getitem__)
        alone = summary.gain(summary.direct[top], summary.direct[min(levels_)])
        if top == min(levels_):
            return f"Throughput is highest with {top:,} client{'s' * (top > 1)}, the fewest that were measured."
        return (
            f"Throughput is highest with {top:,} clients, {with_interval(alone)} times that of {min(levels_)}; with "
            f"the most, {max(levels_):,}, it is {with_interval(summary.gain(summary.direct[max(levels_)], DIRECT))} "
            f"times that of {summary.parameters.clients}."
        )

    def law() -> str:
        sigma = [each.contention for each in summary.laws]
        peak = [each.best_clients for each in summary.laws]
        where = f"between {min(peak):,.0f} and {max(peak):,.0f}" if max(peak) < math.inf else "in some block at no"
        return (
            f"Fitted in each block to the {len(summary.fitted)} client counts up to {summary.fitted[-1]}, the "
            f"Universal Scalability Law puts {100 * min(sigma):.2g} to {100 * max(sigma):.2g} % of the work in its "
            f"serial part, and the highest throughput {where} clients."
        )

    def said(count: int) -> str:
        found = summary.surprise(count)
        verdict = (
            "as the law predicts"
            if found.low <= 1 <= found.high
            else ("more than the law predicts" if found.low > 1 else "less than the law predicts")
        )
        return f"With {count:,} clients, measured over predicted throughput is {with_interval(found)}, {verdict}."

    return tell(best, law, *(partial(said, count) for count in summary.predicted))


def waits(summary: Summary) -> Prose:
    """What the trial from a cold start shows beside the claims' own windows."""

    def found(when: str) -> str:
        part = "first twelfth" if when == "first" else "last two thirds"
        reading, wal = (
            with_interval(summary.share(COLD, f"{name}_{when}", f"clients_looked_at_{when}"), 100)
            for name in ("reading", "wal")
        )
        device = summary.mean(COLD, f"device_read_{when}") / 2**20
        return (
            f"In the {part} of the trial {reading} % of the clients read data and {wal} % are in "
            f"LWLock/WALWrite, while the device reads {digits(device)} MiB a second."
        )

    def hits() -> str:
        own, other = (
            [100 * summary.mean(COLD, f"{name}_{when}") for when in ("first", "last")] for name in ("hit", "other_hit")
        )
        return (
            f"The hit ratio of pgbench's database goes from {own[0]:.2f} % in the first to {own[1]:.2f} % in the last "
            f"twelfth; that of the database in which the observers sit, which the note's script seems to have read, "
            f"from {other[0]:.2f} to {other[1]:.2f} %."
        )

    def warm() -> str:
        shares = {words: summary.mean(DIRECT, f"waits_{name}") for name, words in STATES.items()}
        most = sorted(shares, key=shares.__getitem__, reverse=True)[:3]
        each = ", ".join(f"{100 * shares[words]:.0f} % {words}" for words in most)
        return f"After a warm start, of the same number of clients {each}."

    return tell(
        partial(found, "first"), partial(found, "warm"), hits, warm,
        otherwise="This run has no trial from a cold start.",
    )  # fmt: skip


def through(summary: Summary) -> Prose:
    """What the pooler gives and costs, by number of clients."""

    def ratio(count: int) -> str:
        return f"{with_interval(summary.against_direct(count))} with {count:,} clients"

    def ratios() -> str:
        found = told(*(partial(ratio, count) for count in summary.pooled if count in summary.direct))
        if not found:
            raise NotEstimableError("no number of clients was measured both ways", "measure more")
        return f"Throughput through the pooler over that without is {', '.join(found)}."

    def few() -> str:
        p = summary.parameters
        return (
            f"With {p.few_backends} connections instead of {p.pool_backends}, the pooler gives {p.clients} clients "
            f"{with_interval(summary.gain(FEW, POOLED))} times the throughput."
        )

    def spent() -> str:
        each = summary.mean(POOLED, "pooler_cpu_us_per_transaction")
        busy = summary.mean(POOLED, "pooler_cpu_s") / summary.parameters.seconds
        return f"The pooler itself takes {digits(each)} µs of processor time for a transaction, {busy:.0%} of a core."

    def kept() -> str:
        fewest, most = summary.values(MANY, "clients_served").min(), summary.values(MANY, "backends_most").max()
        who = "all were" if fewest >= summary.parameters.many_clients else f"at least {fewest:,.0f} were"
        return (
            f"Of {summary.parameters.many_clients:,} clients {who} served to the end of each trial, "
            f"while the server had at most {most:.0f} connections, two of them ours."
        )

    return tell(ratios, few, spent, kept, otherwise="This run did not measure a pooler.")


def poolers(summary: Summary) -> pd.DataFrame:
    """Which poolers and which of their modes were measured, and why not."""
    p = summary.parameters
    name = str(summary.run.provenance.get("pooler", "PgBouncer"))
    off = "no: `make pooler` unpacks it, and parts must name it"
    prepared = (
        "yes" if p.pooled_prepared else "no: PgBouncer before 1.21 loses prepared statements between transactions"
    )
    rows = [
        (name, "transaction mode, simple protocol", "yes" if "pooled" in p.parts else off),
        (name, "transaction mode, prepared statements", prepared),
        ("PgCat", "transaction mode", "no: neither Debian nor the registry of Rust crates has it as a package"),
    ]
    return pd.DataFrame(rows, columns=["pooler", "mode", "measured here"]).set_index(["pooler", "mode"])


def connections(summary: Summary) -> pd.DataFrame:
    """Whether each configuration did what it is named for: connections by the server, clients, processor time."""
    columns = {
        "clients": lambda arm: f"{int(summary.configurations[arm].settings['clients'] or 0):,}",
        "pgbench threads": lambda arm: str(summary.configurations[arm].settings["threads"]),
    }
    columns |= means(summary, "connected_most", "clients_served", "cpu_busy", "pooler_cpu_us_per_transaction")
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


def cost() -> Prose:
    """What the note's own machines give for a dollar; recomputed in the chapter on cost."""
    low, high = (number("r8g_cost", f"tps_per_usd_{end}", instance="r8g.xlarge", pricing="On-Demand")
                 for end in ("lo", "hi"))  # fmt: skip
    large = number("r8g_cost", "tps_per_usd_lo", instance="r8g.2xlarge")
    return Prose(
        f"The note puts its machine at {low:g} to {high:g} TPS for a dollar a month, and the next larger one at "
        f"{large:g}. A gain from clients, threads or a pooler is free and scales all of these alike; "
        "the chapter on cost recomputes them."
    )


def noise(summary: Summary) -> Prose:
    """How far the baseline differs from itself, and how many blocks a ratio of a given precision would take."""
    again = repeated(summary, *AA, "tps", "latency_mean_ns")
    if not again:
        return Prose("This run does not have the baseline twice.")

    def needed() -> str:
        sd = summary.gain(*AA).sd
        blocks = {each: statistics.blocks_for_half_width(sd, math.log1p(each / 100)) for each in (5, 2, 1)}
        said = ", ".join(f"{count:,} for ±{percent} %" for percent, count in blocks.items() if count is not None)
        return f"At this spread, the number of blocks that a ratio of TPS needs is {said}." if said else ""

    def client() -> str:
        known = summary.having(summary.direct.values(), "littles_ratio")
        least = min(float(np.min(summary.values(arm, "littles_ratio"))) for arm in known)
        return (
            f"A client is inside a transaction for at least {least:.0%} of its time, which includes pgbench's own work "
            "between two statements."
        )

    return tell(f"The baseline against itself (A/A), as ratios: {again}.", needed, client)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS, mean and P95 of latency with intervals, log and reads per transaction."""
    columns = levels(summary, "tps", "latency_mean_ns", "latency_p95_ns", otherwise=NOT_ESTIMABLE)
    columns |= means(summary, "reads_per_transaction", "wal_bytes_per_transaction", otherwise=UNKNOWN)
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)
