"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.read_path.answers import right_of
from benchbook.experiments.read_path.arms import (
    ALEX_PRESENT,
    BTREE_PRESENT,
    BYPASS,
    BYPASS_AGAIN,
    DURABLE,
    HALF,
    HASH_PRESENT,
    LMDB_FOR_REDB,
    ROCKSDB_TUNED,
    SQLITE_AS_RUN,
    VALUE_FILE,
    VALUE_FILE_HASH,
)
from benchbook.experiments.read_path.figures import INDEX_BYTES, forecast, together
from benchbook.experiments.read_path.measure import NOT_COUNTED, WARM
from benchbook.experiments.read_path.summary import EACH, MEAN, P50, Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.judging import estimated
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, with_interval
from benchbook.figures.prose import digits


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, run = summary.parameters, summary.run
    versions = ", ".join(f"{name} {version}" for name, version in run.provenance.get("versions", {}).items())
    text = (
        f"{len(summary.arms)} configurations, {p.rows:,} rows ({p.durable_rows:,} where writes, opening and scans are "
        f"timed). {versions}. {p.stride_operations:,} look-ups along the stride, {p.operations:,} random ones, "
        f"{p.existence_keys:,} of each class in an index alone, {p.scans:,} scans. {in_turns(p)} The kernel chose the "
        "processor core."
    )
    if "cache_state" in run.trials:
        states = run.trials.loc[~run.trials["configuration"].isin(summary.way(HALF)), "cache_state"]
        text += f" {int((states == WARM).sum())} of {len(states)} trials read next to nothing from the device"
        unknown = int((states == NOT_COUNTED).sum())
        text += f"; {unknown} are unknown, since the kernel counts no reads." if unknown else "."
    return telling.design(summary, text)


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""
    low, high = forecast()

    def unequal() -> str:
        first, second = (summary.passes(arm) for arm in (BYPASS, SQLITE_AS_RUN))
        if first <= 1:
            return ""
        return (
            f"But all look up for equally long, and the faster one asks more: {digits(first)} passes over the keys "
            f"against SQLite's {digits(second)}. A later pass asks for the row beside the last one's, which may still "
            "be in a cache. So this number is of unequal work, and random keys decide the claim."
        )

    def tuned() -> str:
        found = with_interval(summary.times_faster(VALUE_FILE, ROCKSDB_TUNED, EACH))
        return (
            "These two hold the passes too. At random keys, RocksDB as the note tuned it, compacted, takes "
            f"{found} times as long as the value file."
        )

    return tell(
        lambda: (
            "Along the stride, ALEX over the value file is "
            f"{with_interval(summary.times_faster(BYPASS, SQLITE_AS_RUN, MEAN))} times as fast as SQLite used the "
            f"note's way; the note expected {low:g} to {high:g}."
        ),
        unequal,
        lambda: (
            f"Its time is {with_interval(estimated(summary, 'O088'))} times that of a B-tree index in front of "
            "RocksDB, which changes the index and keeps the storage."
        ),
        lambda: (
            f"Its speed-up is {with_interval(estimated(summary, 'O095'))} times that of the best of the Option A "
            f"settings here ({summary.label(summary.best_option_a())})."
        ),
        tuned,
        otherwise="This run timed nothing along the stride.",
    )


def bytes_per_key(summary: Summary) -> Prose:
    """What a key takes in the value file and its index."""
    alone = 8 + summary.parameters.value_bytes
    return tell(
        lambda: f"ALEX and the value file take {together(summary):.1f} bytes for each key; key and value are {alone}.",
        otherwise="No store counted its bytes in this run.",
    )


def order(summary: Summary) -> Prose:
    """What the learned index buys over a hash table, and over a tree that has an order too."""

    def alone(arm: str, name: str) -> str:
        ratio = with_interval(summary.times_faster(ALEX_PRESENT, arm, MEAN))
        return f"{name} alone takes {ratio} times as long as ALEX alone for a dependent look-up"

    def over_the_file() -> str:
        ratio = with_interval(summary.times_faster(summary.base(VALUE_FILE_HASH), VALUE_FILE_HASH, P50))
        return (
            f"over the value file, where the value must also be fetched, the hash table takes {ratio}, both in huge "
            "pages"
        )

    def held() -> str:
        named = {ALEX_PRESENT: "ALEX", HASH_PRESENT: "hash table", BTREE_PRESENT: "B-tree"}
        counted = summary.having(named, INDEX_BYTES)
        numbers = ", ".join(f"{named[arm]} {summary.values(arm, INDEX_BYTES).mean():.1f}" for arm in counted)
        return f"bytes per key, including the key and an eight-byte payload: {numbers}" if numbers else ""

    ratios = (partial(alone, HASH_PRESENT, "a hash table"), partial(alone, BTREE_PRESENT, "a B-tree"))
    text = "; ".join(told(*ratios, over_the_file, held))
    if not text:
        return Prose("This run did not time the indexes alone.")
    return Prose(
        f"{text[0].upper()}{text[1:]}. Without range queries, this is all that a learned index has to offer over a "
        "hash table; a hash table cannot answer range queries."
    )


def existence(summary: Summary) -> Prose:
    """Whether the index alone knows which keys exist."""

    def right() -> str:
        words = "; ".join(f"{found:,} of {tried:,} {name} keys" for name, (found, tried) in right_of(summary).items())
        return (
            f"Over all trials, ALEX alone answered correctly for {words}. The keys are random 64-bit numbers, so "
            "absent keys lie between existing ones."
        )

    return tell(right, otherwise="This run did not test an index alone on which keys exist.")


def durability(summary: Summary) -> Prose:
    """What makes a write durable in each engine, and what it costs."""

    def cost(arm: str) -> str:
        syncs = summary.values(arm, "syncs_per_batch").mean()
        written = with_interval(summary.level(arm, "write_ns_per_row"), 1e-3)
        return f"{summary.label(arm)} {syncs:.2g} syncs per write and {written} µs per row"

    parts = told(*(partial(cost, arm) for arm in summary.way(DURABLE)))
    if not parts:
        return Prose("This run made no durable writes.")
    return Prose(
        f"Every write of {summary.parameters.durable_batch_rows:,} rows had to be on the disk before the next began: "
        f"{'; '.join(parts)}. The value file appends its records and a commit mark and syncs once. It is its own log: "
        "opening it reads every record, verifies its checksum and rebuilds the index. A torn end after the last mark "
        "is cut off; a bad record before a mark stops the opening, with its number and location. A test kills the "
        "measuring program fifty times while it writes, and finds every acknowledged row. LMDB also writes its first "
        "pages through a file opened for synchronous writing, which does not count as a sync."
    )


def redb(summary: Summary) -> Prose:
    """LMDB in the place of redb: shown, and deciding nothing."""
    return tell(
        lambda: (
            "The note wants a file *like redb but faster*. We do not measure redb. Its relative LMDB is measured "
            "instead and decides nothing: along the stride, ALEX over the value file takes "
            f"{with_interval(summary.times_faster(LMDB_FOR_REDB, BYPASS, MEAN))} times as long as LMDB."
        ),
        otherwise="This run did not time LMDB along the stride.",
    )


def advice(summary: Summary) -> Prose:
    """The two statements that no measurement decides, answered with what was measured."""

    def later() -> str:
        payoff = estimated(summary, "O095")
        judged = "cannot be distinguished from"
        if not payoff.low <= 1 <= payoff.high:
            judged = "brings more than" if payoff.low > 1 else "brings less than"
        again = told(lambda: with_interval(summary.times_faster(BYPASS, BYPASS_AGAIN, MEAN)))
        itself = "".join(f" (the value file against itself: {each})" for each in again)
        return (
            f"*Leave Option B for later*: as measured here, Option B {judged} further tuning of RocksDB, by a factor "
            f"of {with_interval(payoff)}{itself}. *Architectural complexity*: writing, reading and recovery of the "
            "value file fit on a few pages of C++, and appending records is the simplest way to durability. It leaves "
            "out the harder part: the space of overwritten and deleted rows is never freed, all keys must fit into "
            "memory, opening reads every value, and there is only one writer."
        )

    return tell(
        later, otherwise="This run timed no Option A setting, so it has nothing to compare with the note's order."
    )
