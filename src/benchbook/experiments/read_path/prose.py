"""The chapter's sentences with numbers, and its table, computed from the run that the page shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.read_path.answers import right_of
from benchbook.experiments.read_path.arms import (
    ALEX_PRESENT,
    BTREE_PRESENT,
    BYPASS,
    BYPASS_AGAIN,
    DURABLE,
    HASH_PRESENT,
    LMDB_FOR_REDB,
    RIVALS,
    SQLITE_AUTOCOMMIT,
    SQLITE_BEST,
    VALUE_FILE,
    VALUE_FILE_AGAIN,
    VALUE_FILE_HASH,
    VALUE_FILE_SMALL,
)
from benchbook.experiments.read_path.figures import INDEX_BYTES, forecast, target
from benchbook.experiments.read_path.measure import NOT_COUNTED, WARM
from benchbook.experiments.read_path.summary import MEAN, P50, Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.judging import estimated
from benchbook.experiments.shape.tables import table
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, with_interval
from benchbook.model import Estimate

WAYS = {"stride": "fixed stride", "uniform": "uniform gets", "index": "index alone", "durable": "durable"}


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
    versions = ", ".join(f"{name} {version}" for name, version in run.provenance.get("versions", {}).items())
    text = (
        f"{len(summary.arms)} configurations, {p.rows:,} rows ({p.durable_rows:,} where writes, opening and scans are "
        f"timed). {versions}. {p.stride_operations:,} look-ups along the stride, {p.operations:,} random ones, "
        f"{p.existence_keys:,} of each class in an index alone, {p.scans:,} scans. The kernel chose the processor core."
    )
    if "cache_state" in run.trials:
        states = run.trials["cache_state"]
        text += f" {int((states == WARM).sum())} of {len(states)} trials read next to nothing from the device"
        unknown = int((states == NOT_COUNTED).sum())
        text += f"; {unknown} could not be told, since the kernel counts no reads." if unknown else "."
    return telling.design(summary, text)


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    low, high = forecast()
    return tell(
        lambda: (
            f"ALEX over the value file is {with_interval(estimated(summary, 'O054'))} times as fast as SQLite in the "
            f"note's way of asking; the note expected {low:g} to {high:g}."
        ),
        lambda: (
            f"Its time is {with_interval(estimated(summary, 'O088'))} times that of a B-tree index before RocksDB, the "
            "path with the index changed and the storage kept."
        ),
        lambda: (
            f"Its speed-up is {with_interval(estimated(summary, 'O095'))} times that of the best of the Option A "
            f"settings here ({summary.label(summary.best_option_a())})."
        ),
        otherwise="In this run nothing was timed along the stride.",
    )


def reached(summary: Summary) -> Prose:
    """The note's target: reached or not, against which SQLite."""
    wanted = target()
    ways: dict[str, Callable[[], Estimate]] = {
        "SQLite as the note ran it": lambda: estimated(summary, "O054"),
        "SQLite in autocommit, prepared once": lambda: summary.times_faster(VALUE_FILE, SQLITE_AUTOCOMMIT, P50),
        "SQLite at its best": lambda: summary.times_faster(VALUE_FILE, SQLITE_BEST, P50),
    }

    def against(name: str) -> str:
        found = ways[name]()
        verdict = "reached" if found.low > wanted else "missed" if found.high < wanted else "not decided"
        return f"against {name} **{verdict}** ({with_interval(found)} times)"

    parts = told(*(partial(against, name) for name in ways))
    if not parts:
        return Prose("This run cannot say whether the note's target is reached.")
    return Prose(
        f"The note's target is a speed-up of {wanted:g} or more at ten million rows; it does not say over which use of "
        f"SQLite. At {summary.parameters.rows:,} rows it is {', '.join(parts)}."
    )


def rivals(summary: Summary) -> Prose:
    """Every engine's P50 as a multiple of the value file's, with the A/A arm beside it."""

    def multiple(arm: str) -> str:
        return f"{summary.label(arm)} {with_interval(summary.times_faster(VALUE_FILE, arm, P50))}"

    lines = told(*(partial(multiple, arm) for arm in (*RIVALS, VALUE_FILE_SMALL)))
    if not lines:
        return Prose("Nothing was timed in this run.")
    share = summary.share_in_huge_pages()
    return tell(
        f"P50 of an engine over that of “{summary.label(VALUE_FILE)}”, one comparison at a time: {'; '.join(lines)} "
        "(its index in small pages).",
        lambda: (
            "The value file in huge pages against itself: "
            f"{with_interval(summary.times_faster(VALUE_FILE, VALUE_FILE_AGAIN, P50))}."
        ),
        "" if share is None else f"The kernel gave huge pages for {share:.0%} of the index.",
        "Neither CuckooTable nor the hash table keeps its keys in order: before a range can be read, all of them must "
        "be sorted.",
    )


def order(summary: Summary) -> Prose:
    """What the learned index buys over a hash table, and over a tree that has an order too."""

    def alone(arm: str, name: str) -> str:
        ratio = with_interval(summary.times_faster(ALEX_PRESENT, arm, MEAN))
        return f"{name} alone takes {ratio} times as long as ALEX alone for a dependent look-up"

    def over_the_file() -> str:
        ratio = with_interval(summary.times_faster(VALUE_FILE, VALUE_FILE_HASH, P50))
        return (
            "over the value file, where the value must be fetched too, the hash table takes, both in huge pages, "
            f"{ratio}"
        )

    def held() -> str:
        named = {ALEX_PRESENT: "ALEX", HASH_PRESENT: "hash table", BTREE_PRESENT: "B-tree"}
        counted = summary.having(named, INDEX_BYTES)
        numbers = ", ".join(f"{named[arm]} {summary.values(arm, INDEX_BYTES).mean():.1f}" for arm in counted)
        return f"bytes a key, key and eight-byte payload included: {numbers}" if numbers else ""

    ratios = (partial(alone, HASH_PRESENT, "a hash table"), partial(alone, BTREE_PRESENT, "a B-tree"))
    text = "; ".join(told(*ratios, over_the_file, held))
    if not text:
        return Prose("This run did not time the indexes alone.")
    return Prose(
        f"{text[0].upper()}{text[1:]}. Where nobody asks for a range, that is all a learned index has to offer beside "
        "a hash table; where somebody does, the hash table has no answer."
    )


def existence(summary: Summary) -> Prose:
    """Whether the index alone knows which keys exist."""

    def right() -> str:
        words = "; ".join(f"{found:,} of {tried:,} {name} keys" for name, (found, tried) in right_of(summary).items())
        return (
            f"Over all trials ALEX alone answered rightly for {words}. The keys are random 64-bit numbers, so that "
            "absent ones lie between those that are present."
        )

    return tell(right, otherwise="This run asked no index alone which keys exist.")


def durability(summary: Summary) -> Prose:
    """What makes a write durable in each engine, and what it costs."""

    def cost(arm: str) -> str:
        syncs = summary.values(arm, "syncs_per_batch").mean()
        written = with_interval(summary.level(arm, "write_ns_per_row"), 1e-3)
        return f"{summary.label(arm)} {syncs:.2g} syncs a write and {written} µs a row"

    parts = told(*(partial(cost, arm) for arm in summary.way(DURABLE)))
    if not parts:
        return Prose("No store was written durably in this run.")
    return Prose(
        f"Every write of {summary.parameters.durable_batch_rows:,} rows had to be on the disk before the next began: "
        f"{'; '.join(parts)}. The value file appends its records and a commit mark and syncs once. It is its own log: "
        "when it is opened, every record is read, its checksum compared, and the index built anew. A torn end behind "
        "the last mark is cut; a bad record before a mark ends the opening with its number and place. A test of the "
        "measuring program kills it fifty times while it writes, and finds every acknowledged row."
    )


def redb(summary: Summary) -> Prose:
    """LMDB in the place of redb: shown, and deciding nothing."""
    return tell(
        lambda: (
            "The note wants a file *like redb but faster*. redb is not measured here. LMDB, its relative, stands in "
            "its place and decides nothing: ALEX over the value file takes "
            f"{with_interval(summary.times_faster(LMDB_FOR_REDB, BYPASS, MEAN))} times LMDB's time along the stride."
        ),
        otherwise="LMDB was not timed along the stride in this run.",
    )


def advice(summary: Summary) -> Prose:
    """The two statements that no measurement decides, answered with what was measured."""

    def later() -> str:
        payoff = estimated(summary, "O095")
        judged = "cannot be told from"
        if not payoff.low <= 1 <= payoff.high:
            judged = "brings more than" if payoff.low > 1 else "brings less than"
        again = told(lambda: with_interval(summary.times_faster(BYPASS, BYPASS_AGAIN, MEAN)))
        itself = "".join(f" (the value file against itself: {each})" for each in again)
        return (
            f"*Leave Option B for later*: of what was measured here Option B {judged} further tuning of RocksDB, by a "
            f"factor of {with_interval(payoff)}{itself}. *Architectural complexity*: the value file's writing, reading "
            "and recovery fit on a few pages of C++, and appending records is the simplest way to durability. What it "
            "leaves out is the harder part: space of overwritten and deleted rows is never given back, all keys must "
            "fit into memory, opening reads every value, and there is one writer."
        )

    return tell(
        later, otherwise="This run timed no Option A setting, so it has nothing to set beside the note's order."
    )


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: times with intervals, bytes a key, memory, and how long filling the store took."""
    columns: dict[str, Callable[[str], str]] = {
        "mean (ns)": lambda arm: with_interval(summary.level(arm, MEAN)),
        "P50 (ns)": lambda arm: with_interval(summary.level(arm, P50)),
        "P99 (ns)": lambda arm: with_interval(summary.level(arm, "query_p99_ns")),
        "P99.9 (ns)": lambda arm: with_interval(summary.level(arm, "query_p999_ns")),
        "scan P50 (ns)": lambda arm: with_interval(summary.level(arm, "scan_p50_ns")),
        "file bytes a key": lambda arm: f"{summary.values(arm, 'disk_bytes_per_key').mean():,.1f}",
        "index bytes a key": lambda arm: f"{summary.values(arm, INDEX_BYTES).mean():,.1f}",
        "anonymous memory (MB)": lambda arm: f"{summary.values(arm, 'anonymous_bytes').mean() / 1e6:,.0f}",
        "filled in (s)": lambda arm: f"{summary.values(arm, 'load_s').mean():,.1f}",
    }
    rows = [
        ({"measured with": WAYS[summary.way_of(arm)], "configuration": summary.label(arm)}, arm) for arm in summary.arms
    ]
    return table(rows, columns).reset_index("configuration")
