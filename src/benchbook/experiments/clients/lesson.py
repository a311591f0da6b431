"""What the chapter teaches beside its answers: where throughput peaks, what protocols give, what a pooler costs."""

from __future__ import annotations

from benchbook.experiments.clients.answers import AA, SCALING
from benchbook.experiments.clients.arms import DIRECT, POOLED, TWICE, protocol_name
from benchbook.experiments.clients.summary import Summary
from benchbook.experiments.shape.lessons import TOO_SHORT, Teaching
from benchbook.experiments.shape.numbers import compared, number
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import with_interval
from benchbook.figures.prose import digits


def rescued(summary: Summary) -> str:
    """What a pooler gives the most clients that were measured both ways."""
    both = [count for count in summary.pooled if count in summary.direct]
    if not both or summary.pooled[both[-1]] == POOLED:
        raise NotEstimableError("no more clients were measured both ways", "measure more counts")
    return compared(
        f"Throughput of {both[-1]:,} clients through PgBouncer, over that of as many that connect directly",
        summary.against_direct(both[-1]),
    )


def foretold(summary: Summary) -> str:
    """How well the law predicts."""
    if not summary.predicted:
        raise NotEstimableError("nothing was predicted", "measure more counts")
    count = summary.predicted[-1]
    found = summary.surprise(count)
    holds = "is not refuted by" if found.low <= 1 <= found.high else "is off for"
    return (
        f"The Universal Scalability Law, fitted to at most {summary.fitted[-1]} clients, {holds} {count:,}: measured "
        f"over predicted throughput is {with_interval(found)}."
    )


def spent(summary: Summary) -> str:
    """What the pooler takes of the processors that it shares with the server."""
    return (
        f"PgBouncer takes {digits(summary.mean(POOLED, 'pooler_cpu_us_per_transaction'))} µs of processor time for "
        "each transaction, on the machine that the server needs too."
    )


def title(summary: Summary) -> str:
    """What far more clients and prepared statements do, where that is beyond what equal configurations differ by."""
    most, equal = max(summary.direct), summary.gain(*AA)
    apart = max(equal.high, 1 / equal.low)
    many, kept = summary.gain(summary.direct[most], DIRECT), summary.gain(protocol_name("prepared", TWICE), DIRECT)
    clients = summary.parameters.clients
    said = {
        f"{most:,} clients that connect directly have {number(many)} times the throughput of {clients}": (
            many.high * apart < 1
        ),
        f"with prepared statements, {clients} have {number(kept)} times as much": kept.low > apart,
    }
    found = "; ".join(words for words, holds in said.items() if holds)
    return f"{found[:1].upper()}{found[1:]}" or TOO_SHORT


LESSON = Teaching(
    title,
    figure=SCALING,
    claimed="Note 003: 100 clients wait for reads at first and for the processors later; 50 clients on 4 threads, or "
    "a pooler, would do better.",
    advice="Before you choose a number of clients, measure throughput at several, and look at what the clients wait "
    "for at each. A connection that persists is opened once, but very many of them cost throughput. A pooler is for "
    "more connections than a server should have, or for short ones; it makes no transaction shorter, and it takes "
    "processor time of its own.",
    numbers=("R074", "R009", "R078"),
    besides=(rescued, foretold, spent),
)
