"""What an owner asks of their own load: were hot keys measured, and could a larger pool help? Seen over a window."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from benchbook.engines.own_server.bounded import patience
from benchbook.engines.own_server.counters import Blocks, Statement, between, counted
from benchbook.engines.own_server.extensions import installed, view
from benchbook.engines.own_server.facts import Facts
from benchbook.engines.own_server.pool import Pool
from benchbook.engines.own_server.schema import STATEMENT_S
from benchbook.engines.own_server.service import Connection
from benchbook.engines.own_server.tables import BUSIEST, Table, tables

HOT, FEW_READS, SHOWN = 0.99, 0.001, 20
"""Share of requests for rows' blocks from which a load is hot; share of reads up to which no pool can save more."""
FLUSHED_S = 1.5
"""Sessions tell their counts at most so much later, unless a transaction lasts longer."""


@dataclass(frozen=True)
class Answer:
    """word: yes, no, partly, perhaps, or nothing. because: a sentence or two."""

    word: str
    because: str


@dataclass(frozen=True)
class Window:
    """What was seen. tables: those with requests first. distinct: blocks, at least and at most; None where unseen.

    pool_blocks, unused: of the pool; unused is None where it cannot be looked into. notes: what bounds the answers.
    """

    seconds: float
    block_bytes: int
    pool_blocks: int
    unused: int | None
    tables: list[tuple[Table, Blocks]]
    statements: list[Statement] | None
    distinct: tuple[int, int] | None
    notes: list[str]

    @property
    def total(self) -> Blocks:
        """Of all these tables."""
        return Blocks(*(sum(each) for each in zip(*(blocks for _, blocks in self.tables), strict=True)))

    def mib(self, blocks: float) -> str:
        """So many blocks as "1,234 MiB"."""
        return f"{blocks * self.block_bytes / 2**20:,.{0 if blocks * self.block_bytes >= 10 * 2**20 else 1}f} MiB"

    def hot(self) -> Answer:
        """Were hot keys measured?"""
        total = self.total
        if not total.asked:
            return Answer("nothing", "Nobody asked for these tables in the window. Run your load while it lasts.")
        hit, every = (total.heap_hit, total.heap_hit + total.heap_read)
        what = "rows"
        if not every:
            hit, every, what = total.index_hit, total.asked, "index entries"
        said = f"{percent(hit, every)} of {every:,} requests for blocks of {what} found theirs in the buffer pool."
        if hit >= HOT * every:
            return Answer(
                "yes", f"{said} A benchmark of this load says nothing of keys that were not asked for before."
            )
        if hit >= every / 2:
            return Answer("partly", f"{said} The slowest requests are those that read.")
        return Answer("no", f"{said} Most requests read, from the system's cache or from the disk.")

    def larger(self) -> Answer:
        """Could a larger pool help?"""
        total = self.total
        if not total.asked:
            return Answer("nothing", "Nobody asked for these tables in the window.")
        gain = (
            f"{percent(total.read, total.asked)} of {total.asked:,} requests read a block; no more than these can gain."
        )
        if total.read <= FEW_READS * total.asked:
            return Answer("no", gain)
        if self.unused is not None and self.unused >= max(total.read, self.pool_blocks // 100):
            return Answer("no", f"{gain} {self.mib(self.unused)} of the pool were unused: these were first reads.")
        most = self.held if self.distinct is None else self.distinct[1]
        again = max(total.read - most, sum(max(0, blocks.read - self._blocks(each)) for each, blocks in self.tables))
        if again > FEW_READS * total.asked:
            return Answer(
                "yes", f"{gain} At least {again:,} of these reads were of blocks that had been there within the window."
            )
        if self.distinct is not None and self.distinct[0] > self.pool_blocks:
            return Answer("yes", f"{gain} More different blocks were asked for than the pool holds.")
        if most <= self.pool_blocks:
            return Answer(
                "perhaps",
                f"{gain} The blocks that were asked for, {self.mib(most)} at most, fit into the pool of "
                f"{self.mib(self.pool_blocks)}: they were first reads, or other tables displaced them. "
                "Watch once more: first reads become fewer.",
            )
        return Answer(
            "perhaps",
            f"{gain} Up to {self.mib(most)} were asked for, and the pool has {self.mib(self.pool_blocks)}. "
            "A longer window shows whether blocks are read again.",
        )

    @property
    def held(self) -> int:
        """Blocks of all these tables."""
        return sum(self._blocks(each) for each, _ in self.tables)

    def _blocks(self, table: Table) -> int:
        return (table.heap_bytes + table.index_bytes) // self.block_bytes


def percent(part: int, whole: int) -> str:
    """A share, such as "99.98 %", never rounded up to all."""
    share = 100 * part / whole
    return f"{min(share, 99.99) if part < whole else share:.2f} %" if share > 1 else f"{share:.3g} %"


def watched(
    connection: Connection, facts: Facts, given: str, seconds: float, sleep: Callable[[float], None] = time.sleep
) -> Window:
    """Watch for so long what others ask of the tables that ``given`` names, by counters; of the tables nothing is read.

    Raises BenchbookError for a table that is none, and MachineError where the counters cannot be used.
    """
    with patience(connection, STATEMENT_S):
        chosen = tables(connection, given)
        statements = view(connection, "pg_stat_statements") if facts.statements else None
        buffers = view(connection, "pg_buffercache")
        pool = None if buffers is None else Pool(connection, buffers, chosen)
        if pool is not None:
            pool.begin()
        before, begun = counted(connection, chosen, statements), time.monotonic()
        while (left := begun + seconds - time.monotonic()) > 0:
            sleep(left if pool is None else min(left, pool.pause_s(seconds)))
            if pool is not None:
                pool.again()
        sleep(FLUSHED_S)
        after = counted(connection, chosen, statements)
        blocks, asked = between(before, after)
        took = time.monotonic() - begun
    if given.strip() == BUSIEST:
        chosen = sorted(chosen, key=lambda each: -blocks.get(each.oid, Blocks()).asked)[:SHOWN]
    shown = sorted(((each, blocks.get(each.oid, Blocks())) for each in chosen), key=lambda pair: -pair[1].asked)
    found = Window(
        took, facts.block_bytes, round(facts.pool_mib * 2**20 / facts.block_bytes),
        None if pool is None else pool.unused, shown, asked, None, _notes(facts, connection),
    )  # fmt: skip
    if pool is None:
        return found
    if pool.every > 1:
        found.notes.append(f"Different blocks are estimated from one in {pool.every} of the pool.")
    least, most = pool.distinct(found.total.asked, found.total.read)
    most = min(most, max(found.held, least))
    return replace(found, distinct=(least, most))


def _notes(facts: Facts, connection: Connection) -> list[str]:
    """What was not seen, and why."""
    notes = []
    if facts.replica:
        notes.append("The server is a replica: counted is what was asked of it, and nothing of its primary.")
    if facts.pooler:
        notes.append("A pooler stands before the server; the counters are the server's own.")
    for seen, name, what in (
        (facts.buffercache, "pg_buffercache", "how many different blocks were asked for"),
        (facts.statements, "pg_stat_statements", "which statements asked"),
    ):
        if not seen:
            there = installed(connection, name)
            lacks = "the role may not read it (GRANT pg_monitor)" if there else "it is not installed in this database"
            notes.append(f"Without {name}, {what} is not seen: {lacks}.")
    if facts.statements and not (facts.monitor or facts.superuser):
        notes.append(
            "Of pg_stat_statements the role sees its own statements alone (GRANT pg_read_all_stats shows all)."
        )
    return notes
