"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

import pandas as pd

from benchbook.errors import BenchbookError
from benchbook.experiments import notes
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.read_path.arms import (
    ALEX_PRESENT,
    BTREE_PRESENT,
    BYPASS,
    BYPASS_AGAIN,
    DURABLE_LMDB,
    DURABLE_ROCKSDB,
    DURABLE_SQLITE,
    DURABLE_VALUE_FILE,
    HASH_PRESENT,
    LMDB_FOR_REDB,
    RIVALS,
    VALUE_FILE,
    VALUE_FILE_AGAIN,
    VALUE_FILE_HASH,
    VALUE_FILE_SMALL,
)
from benchbook.experiments.read_path.judgements import ESTIMANDS, MEAN, answered
from benchbook.experiments.read_path.measure import NOT_COUNTED, WARM
from benchbook.experiments.read_path.speed_figures import P50, forecast, target
from benchbook.experiments.read_path.summary import Summary
from benchbook.experiments.sentences import departing, opening
from benchbook.figures import Prose, with_interval
from benchbook.model import Estimate


def note_claims() -> pd.DataFrame:
    """The note's three options with what it expects of each, beside what it had measured."""
    options = notes.table("omendb_options").set_index("id")
    rows = [
        {
            "option": f"{name}: {row['name']}",
            "speed-up over SQLite": _range(row["expected_speedup_lo"], row["expected_speedup_hi"]),
            "kind": "expected",
        }
        for name, row in options.iterrows()
    ]
    speed = notes.table("omendb_speedup").set_index("scale_rows").loc[10_000_000]
    for state in ("before", "after"):
        rows.append(
            {"option": f"measured {state} tuning", "speed-up over SQLite": f"{speed[state]:g}", "kind": "measured"}
        )
    return pd.DataFrame(rows).set_index("option")


def _range(low: float, high: float) -> str:
    return f"{low:g} or more" if pd.isna(high) else f"{low:g} to {high:g}"


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, run = summary.parameters, summary.run
    versions = run.provenance.get("versions", {})
    text = (
        f"{opening(run)} {len(summary.labels)} configurations, "
        f"{p.rows:,} rows ({p.durable_rows:,} where writes, opening and scans are timed). "
        + ", ".join(f"{name} {version}" for name, version in versions.items())
        + f". {p.stride_operations:,} look-ups along the stride, {p.operations:,} random ones, {p.existence_keys:,} of "
        f"each class in an index alone, {p.scans:,} scans. The kernel chose the processor core."
    )
    if "cache_state" in run.trials:
        states = run.trials["cache_state"]
        text += f" {int((states == WARM).sum())} of {len(states)} trials read next to nothing from the device"
        unknown = int((states == NOT_COUNTED).sum())
        text += f"; {unknown} could not be told, since the kernel counts no reads." if unknown else "."
    return Prose(text + departing(summary.departures()))


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    sentences = []
    speed = _estimated(summary, "O054")
    if speed is not None:
        low, high = forecast()
        sentences.append(
            f"ALEX over the value file is {with_interval(speed)} times as fast as SQLite in the note's way of asking; "
            f"the note expected {low:g} to {high:g}."
        )
    storage = _estimated(summary, "O088")
    if storage is not None:
        sentences.append(
            f"Its time is {with_interval(storage)} times that of a B-tree index before RocksDB, the path with the "
            "index changed and the storage kept."
        )
    payoff = _estimated(summary, "O095")
    if payoff is not None:
        sentences.append(
            f"Its speed-up is {with_interval(payoff)} times that of the best of the Option A settings here "
            f"({summary.labels[summary.best_option_a()]})."
        )
    return Prose(" ".join(sentences) or "In this run nothing was timed along the stride.")


def reached(summary: Summary) -> Prose:
    """The note's target: reached or not, against which SQLite."""
    wanted, parts = target(), []
    ways = {
        "SQLite as the note ran it": ("O054", None),
        "SQLite in autocommit, prepared once": (None, "sqlite_autocommit"),
        "SQLite at its best": (None, "sqlite_best"),
    }
    for name, (claim, arm) in ways.items():
        try:
            found = (
                ESTIMANDS[claim].compute(summary, 0.95)
                if claim is not None
                else summary.times_faster(VALUE_FILE, str(arm), P50)
            )
        except BenchbookError:
            continue
        verdict = "reached" if found.low > wanted else "missed" if found.high < wanted else "not decided"
        parts.append(f"against {name} **{verdict}** ({with_interval(found)} times)")
    if not parts:
        return Prose("This run cannot say whether the note's target is reached.")
    return Prose(
        f"The note's target is a speed-up of {wanted:g} or more at ten million rows; it does not say over which use of "
        f"SQLite. At {summary.parameters.rows:,} rows it is {', '.join(parts)}."
    )


def rivals(summary: Summary) -> Prose:
    """Every engine's P50 as a multiple of the value file's, with the A/A arm beside it."""
    lines = [
        f"{summary.labels[arm]} {with_interval(summary.times_faster(VALUE_FILE, arm, P50))}"
        for arm in (*RIVALS, VALUE_FILE_SMALL)
        if summary.has(arm, P50) and summary.has(VALUE_FILE, P50)
    ]
    if not lines:
        return Prose("Nothing was timed in this run.")
    again = summary.times_faster(VALUE_FILE, VALUE_FILE_AGAIN, P50)
    return Prose(
        f"P50 of an engine over that of “{summary.labels[VALUE_FILE]}”, one comparison at a time: "
        f"{'; '.join(lines)} (its index in small pages). The value file in huge pages against itself: "
        f"{with_interval(again)}. {_given(summary)}Neither CuckooTable nor the hash table keeps its keys in order: "
        "before a range can be read, all of them must be sorted."
    )


def _given(summary: Summary) -> str:
    """How much of the index lay in huge pages."""
    share = summary.share_in_huge_pages()
    return "" if share is None else f"The kernel gave huge pages for {share:.0%} of the index. "


def order(summary: Summary) -> Prose:
    """What the learned index buys over a hash table, and over a tree that has an order too."""
    parts = []
    for arm, name in ((HASH_PRESENT, "a hash table"), (BTREE_PRESENT, "a B-tree")):
        if summary.has(arm, MEAN) and summary.has(ALEX_PRESENT, MEAN):
            ratio = summary.times_faster(ALEX_PRESENT, arm, MEAN)
            parts.append(
                f"{name} alone takes {with_interval(ratio)} times as long as ALEX alone for a dependent look-up"
            )
    if summary.has(VALUE_FILE_HASH, P50) and summary.has(VALUE_FILE, P50):
        ratio = summary.times_faster(VALUE_FILE, VALUE_FILE_HASH, P50)
        parts.append(
            "over the value file, where the value must be fetched too, the hash table takes, both in huge pages, "
            f"{with_interval(ratio)}"
        )
    bytes_of = {
        name: summary.values(arm, "index_bytes_per_key").mean()
        for arm, name in ((ALEX_PRESENT, "ALEX"), (HASH_PRESENT, "hash table"), (BTREE_PRESENT, "B-tree"))
        if summary.has(arm, "index_bytes_per_key")
    }
    if bytes_of:
        held = ", ".join(f"{name} {value:.1f}" for name, value in bytes_of.items())
        parts.append(f"bytes a key, key and eight-byte payload included: {held}")
    if not parts:
        return Prose("This run did not time the indexes alone.")
    text = "; ".join(parts)
    return Prose(
        f"{text[0].upper()}{text[1:]}. Where nobody asks for a range, that is all a learned index has to offer beside "
        "a hash table; where somebody does, the hash table has no answer."
    )


def existence(summary: Summary) -> Prose:
    """Whether the index alone knows which keys exist."""
    try:
        found = answered(summary)
    except NotEstimableError as error:
        return Prose(f"This run cannot say: {error.problem}.")
    words = "; ".join(f"{right:,} of {tried:,} {name} keys" for name, (right, tried) in found.items())
    return Prose(
        f"Over all trials ALEX alone answered rightly for {words}. The keys are random 64-bit numbers, so that absent "
        "ones lie between those that are present."
    )


def durability(summary: Summary) -> Prose:
    """What makes a write durable in each engine, and what it costs."""
    parts = []
    for arm in (DURABLE_VALUE_FILE, DURABLE_SQLITE, DURABLE_LMDB, DURABLE_ROCKSDB):
        if summary.has(arm, "syncs_per_batch") and summary.has(arm, "write_ns_per_row"):
            parts.append(
                f"{summary.labels[arm]} {summary.values(arm, 'syncs_per_batch').mean():.2g} syncs a write and "
                f"{with_interval(summary.level(arm, 'write_ns_per_row'), 1e-3)} µs a row"
            )
    if not parts:
        return Prose("No store was written durably in this run.")
    p = summary.parameters
    return Prose(
        f"Every write of {p.durable_batch_rows:,} rows had to be on the disk before the next began: "
        f"{'; '.join(parts)}. The value file appends its records and a commit mark and syncs once. It is its own log: "
        "when it is opened, every record is read, its checksum compared, and the index built anew. A torn end behind "
        "the last mark is cut; a bad record before a mark ends the opening with its number and place. A test of the "
        "measuring program kills it fifty times while it writes, and finds every acknowledged row."
    )


def redb(summary: Summary) -> Prose:
    """LMDB in the place of redb: shown, and deciding nothing."""
    if not summary.has(LMDB_FOR_REDB, MEAN) or not summary.has(BYPASS, MEAN):
        return Prose("LMDB was not timed along the stride in this run.")
    ratio = summary.times_faster(LMDB_FOR_REDB, BYPASS, MEAN)
    return Prose(
        f"The note wants a file *like redb but faster*. redb is not measured here. LMDB, its relative, stands in its "
        f"place and decides nothing: ALEX over the value file takes {with_interval(ratio)} times LMDB's time along the "
        "stride."
    )


def advice(summary: Summary) -> Prose:
    """The two statements that no measurement decides, answered with what was measured."""
    again = ""
    if summary.has(BYPASS_AGAIN, MEAN) and summary.has(BYPASS, MEAN):
        again = f" (the value file against itself: {with_interval(summary.times_faster(BYPASS, BYPASS_AGAIN, MEAN))})"
    payoff = _estimated(summary, "O095")
    if payoff is None:
        return Prose("This run timed no Option A setting, so it has nothing to set beside the note's order of options.")
    judged = "brings more than" if payoff.low > 1 else "brings less than" if payoff.high < 1 else "cannot be told from"
    return Prose(
        f"*Leave Option B for later*: of what was measured here Option B {judged} further tuning of RocksDB, by a "
        f"factor of {with_interval(payoff)}{again}. *Architectural complexity*: the value file's writing, reading and "
        "recovery fit on a few pages of C++, and appending records is the simplest way to durability. What it leaves "
        "out is the harder part: space of overwritten and deleted rows is never given back, all keys must fit into "
        "memory, opening reads every value, and there is one writer."
    )


def _estimated(summary: Summary, claim: str) -> Estimate | None:
    try:
        return ESTIMANDS[claim].compute(summary, 0.95)
    except BenchbookError:
        return None
