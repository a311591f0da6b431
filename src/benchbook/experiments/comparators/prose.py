"""The chapter's sentences and its tables, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.comparators.arms import (
    BASELINE,
    COLD,
    DYNAMODB,
    EMBEDDED,
    EMPTY,
    HOT,
    POSTGRES,
    POSTGRES_EMPTY,
    PROBE_EMPTY,
    REDIS,
    REDIS_EMPTY,
    REPEATED,
    STAND_IN,
    name_of,
)
from benchbook.experiments.comparators.summary import KIB, Summary, stated_ms, store_label
from benchbook.experiments.families.features import differences
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, Columns, levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, with_interval

LEAST_SHARE = 0.01


def stated() -> pd.DataFrame:
    """What the note and its repository say of DynamoDB, and where it comes from."""
    rows = [
        ("typical request", f"{stated_ms('typical'):g} ms", "constant; the mean in one notebook, P50 in another"),
        ("P99", f"{stated_ms('p99'):g} ms", "constant; “from user's production”"),
        ("key size, item size, region, client", "not stated", ""),
        ("state of its caches", "“100% memory-backed for hot keys”", "the note's word; nobody measured it"),
        ("systems that the fixed benchmark runs", f"{notes.reading('systems_measured_hot'):g}", "Lakebase"),
    ]
    return pd.DataFrame(rows, columns=["what", "stated", "how known"]).set_index("what")


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, where = summary.parameters, summary.run.provenance
    data = (where["heap_bytes"] + where["index_bytes"]) / 2**30
    others = summary.versions()
    return telling.design(
        summary,
        f"{len(summary.measured)} configurations: {summary.on()} with {p.n_tables} tables of {p.rows_per_table:,} rows "
        f"or more ({data:.2f} GiB with indexes) and a pool of {p.shared_buffers_mib:,} MiB"
        f"{f', and {others}, each with {p.store_rows:,} rows' if others else ''}. The hot set has "
        f"{p.hot_set_keys:,} keys, thus {p.hot_set_keys * p.n_tables:,} rows; a value takes {p.value_bytes} bytes. "
        f"{missing(summary).text}",
    )


def missing(summary: Summary) -> Prose:
    """Which stores this machine lacks, and how to get them."""
    absent = [f"{store} is left out ({why})" for store, why in summary.left_out.items()]
    return Prose(f"{'; '.join(absent)}." if absent else "No store was left out.")


def settings(summary: Summary) -> pd.DataFrame:
    """What was otherwise in the note."""
    return differences.differences(
        summary,
        ("the other system", "DynamoDB, a hosted service, not run", "stores on the same machine", "much faster"),
        ("request to it", "unknown; one call for many keys in an early version", "see the method", "unknown"),
    )


def clients(summary: Summary) -> Prose:
    """What each client spends on nothing, since embedded stores have no way to go."""

    def spent(store: str, empty: str, what: str) -> str:
        hot = name_of(store, HOT)
        part = summary.client_share(empty, hot)
        took = summary.latency(empty, "p50_ns").point * 1000
        share = f"{part:.0%}" if part >= LEAST_SHARE else f"less than {LEAST_SHARE:.0%}"
        return f"{what} takes {took:,.3g} µs, {share} of the median of a hot request on {store_label(store)}"

    parts = told(
        partial(spent, POSTGRES, POSTGRES_EMPTY, f"a pipeline of {summary.parameters.n_tables} empty statements"),
        partial(spent, REDIS, REDIS_EMPTY, "an empty command"),
        partial(spent, STAND_IN, PROBE_EMPTY, "the loop around the embedded engines"),
    )
    return Prose(
        f"What the clients cost, with nothing to look up: {'; '.join(parts)}. None of this is subtracted."
        if parts
        else "No empty request was timed in this run."
    )


def servers(summary: Summary) -> Prose:
    """How the two stores that pay for a round trip compare, and how the ones without compare with them."""

    def redis() -> str:
        return (
            f"Hot, PostgreSQL takes {with_interval(summary.pairing(REDIS, HOT, HOT))} times as long as Redis by "
            f"mean latency: both have a server, a socket and a Python client, but Redis gets one command where "
            f"PostgreSQL "
            f"gets {summary.parameters.n_tables} statements."
        )

    def embedded() -> str:
        found = {store: summary.pairing(store, HOT, HOT).point for store in EMBEDDED if store in summary.present(HOT)}
        low, high = min(found.values()), max(found.values())
        return (
            f"The embedded stores answer {low:,.3g} to {high:,.3g} times as fast. That is no verdict on PostgreSQL: "
            "they pay for no round trip, no protocol and no separate client."
        )

    return tell(redis, lambda: embedded() if len(summary.present(HOT)) > 1 else "")


def against_the_constants(summary: Summary) -> Prose:
    """Where this machine's numbers lie against the two constants, which says nothing about DynamoDB."""

    def sentence() -> str:
        slowest = max(summary.compared, key=lambda arm: summary.latency(arm, "p50_ns").point)
        took = summary.latency(slowest, "p50_ns").point
        typical = stated_ms("typical")
        side = "below" if took < typical else "above"
        return (
            f"The slowest median here, of “{summary.label(slowest)}”, is {took:.3g} ms, {side} the {typical:g} ms "
            "stated for DynamoDB. That compares a local disk and no network with a service behind one, so it says "
            "nothing "
            "about either: whether a hot Lakebase beats a hot DynamoDB cannot be tested here."
        )

    def works() -> str:
        arm = name_of(DYNAMODB, HOT)
        asked, kind = summary.values(arm, "requests").sum(), summary.run.provenance["stores"]["DynamoDB"]
        return (
            f"DynamoDB ({kind}) answered {asked:,.0f} requests for {summary.parameters.n_tables} keys each, every "
            f"value as it was written, with a median of {summary.latency(arm, 'p50_ns').point:.3g} ms. This shows that "
            "the client works, and makes no statement about the latency of the service."
        )

    return tell(sentence, works)


def noise(summary: Summary) -> Prose:
    """How far the baseline differs from itself."""

    def itself(metric: str) -> str:
        words = summary.METRICS[metric].brief
        return f"{words} {with_interval(summary.ratio((REPEATED, metric), (BASELINE, metric)))}"

    again = told(*(partial(itself, metric) for metric in ("mean_ns", "p50_ns", "p95_ns", "p99_ns")))
    return Prose(f"A hot PostgreSQL against itself (A/A), as ratios: {', '.join(again)}.")


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: certified state, quantiles with intervals in ms, what was read."""

    def states(arm: str) -> str:
        counts = summary.in_blocks(arm)["cache_state"].value_counts()
        return ", ".join(f"{state} ({count})" for state, count in counts.items())

    columns: Columns = {
        "certified cache": states,
        **levels(summary, "mean_ns", "p50_ns", "p95_ns", "p99_ns", otherwise=NOT_ESTIMABLE),
        **means(summary, "requests", KIB, "files_in_os_cache_at_start"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.measured], columns)


def certificates(summary: Summary) -> Prose:
    """Which trials were not in the state that they are named after."""
    wrong = []
    for arm in summary.compared:
        named = {"same": HOT, "disjoint": COLD}.get(str(summary.configurations[arm].settings["draw"]), EMPTY)
        states = summary.in_blocks(arm)["cache_state"]
        off = 0 if named == EMPTY else int((states != named).sum())
        if off:
            wrong.append(f"{off} of {len(states)} trials of “{summary.label(arm)}”")
    if not wrong:
        return Prose("Every trial was as hot or cold as its name says.")
    return Prose(f"Not wholly hot or cold: {', '.join(wrong)}.")
