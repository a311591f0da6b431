"""What the chapter teaches beside its answers: SQLite used well, where the rows were, what the note's column means."""

from __future__ import annotations

from benchbook.experiments.families.kv.note import SIZES
from benchbook.experiments.scale import notes
from benchbook.experiments.scale.answers import SPEEDUPS
from benchbook.experiments.scale.arms import AFTER, AS_RUN, BEFORE, WELL, name, short
from benchbook.experiments.scale.speedups import QUERY, having, highest, on_hosts
from benchbook.experiments.scale.summary import Summary
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.sides import Turn
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import Headline
from benchbook.figures.lesson import FAILED


def well(summary: Summary) -> str:
    """What is left of the speed-up at the largest size."""
    sizes = having(summary, summary.rows, BEFORE, AS_RUN, WELL)
    if not sizes:
        raise NotEstimableError("SQLite used well was not timed", "measure again")
    rows = max(sizes)
    as_run, well = (on_hosts(summary, QUERY, rows, base=base) for base in (AS_RUN, WELL))
    slower = ", where SQLite is faster" if highest(summary, QUERY, rows, base=WELL) < 1 else ""
    return (
        f"At {short(rows)} rows, the speed-up of queries is {as_run} over SQLite as the note ran it, and {well} over "
        f"SQLite used well{slower}."
    )


def _meant() -> dict[int, str]:
    """Which number the note's column has at each of its numbers of rows."""
    return {rows: notes.definition(rows) for rows in SIZES}


def combined(summary: Summary) -> str:
    """What the note's column stands for."""
    kinds: dict[str, list[str]] = {}
    for rows, kind in _meant().items():
        kinds.setdefault(kind, []).append(short(rows))
    said = " and ".join(f"the {kind} at {', '.join(rows)}" for kind, rows in kinds.items())
    return f"The note's column of speed-ups mixes two numbers: {said} rows."


def in_memory(summary: Summary) -> Headline:
    """That no row was in a file."""
    rows = max(summary.rows)
    held, files = (summary.values(name(AFTER, rows), metric) for metric in ("memtable_rows", "table_files"))
    if held.min() < rows or files.max() > 0:
        raise NotEstimableError("some rows were in files", "say how many")
    return Headline(
        "004",
        f"Loaded the note's way, all {rows:,} rows were in RocksDB's memtable and none in a file: tuned filters and "
        "cache had nothing to do.",
    )


def column(summary: Summary) -> Headline:
    """That the note's column means one thing above and another below."""
    meant = _meant()
    first, last = min(meant), max(meant)
    if meant[first] == meant[last]:
        raise NotEstimableError("the column means one thing", "leave this out")
    return Headline(
        "004",
        f"Its speed-up column has the {meant[first]} at {short(first)} rows but the {meant[last]} at {short(last)}.",
        FAILED,
    )


LESSON = Teaching(
    Turn(
        "O002",
        above="The lead over SQLite as the note ran it grows with the rows: report queries and inserts separately",
        below="The lead over SQLite as the note ran it shrinks with the rows: report queries and inserts separately",
        open="How the lead over SQLite changes with the rows remains undecided here: report queries and inserts "
        "separately",
    ),
    figure=SPEEDUPS,
    claimed="Note 004: the learned index's lead over SQLite in queries shrinks from 4.82 times at 10,000 rows to "
    "1.27 at ten million; its table prints 3.54 for the first, the mean of inserts and queries.",
    numbers=("O002", well, combined),
    advice="Give every row of a table the same definition, put inserts and queries in separate columns, and show the "
    "comparator used well beside the one used by default.",
    besides=(well, combined),
    headlines=(in_memory, column),
)
