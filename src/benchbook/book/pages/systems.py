"""The table of the notes' systems: what works here, what stands in, what is missing."""

from collections import Counter
from pathlib import Path

from docutils import nodes

from benchbook import nofollow
from benchbook.book.parts import names
from benchbook.book.parts.frames import STACKED
from benchbook.book.parts.tables import table
from benchbook.errors import BenchbookError

FILE = Path("data") / "systems.csv"
COLUMNS = ("note", "system", "role", "kind", "here", "where")
STATES = {
    "works here": "work here",
    "stand-in": "have a stand-in",
    "not available here": "are not available here",
}
"""What a system can be here, and what is said of several."""


def systems(root: Path) -> list[dict[str, str]]:
    """One record per system; raises BenchbookError that names the line of a state or a column that is unknown."""
    path = root / FILE
    reader = nofollow.rows(path)
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise BenchbookError(f"{FILE} has the columns {reader.fieldnames}", f"give it {', '.join(COLUMNS)}")
    rows = list(reader)
    for line, row in enumerate(rows, start=2):
        if row["here"] not in STATES or not row["where"]:
            raise BenchbookError(f"line {line} of {FILE} has {row['here']!r}", f"use one of {', '.join(STATES)}")
    return rows


def shown(root: Path) -> list[nodes.Node]:
    """A sentence with the counts, and the table."""
    rows = systems(root)
    counts = Counter(row["here"] for row in rows)
    words = ", ".join(f"{counts[state]} {said}" for state, said in STATES.items() if counts[state])
    body = [[row["note"], row["system"], row["role"], row["here"], names.titled(row["where"])] for row in rows]
    columns = ["note", "system", "its part in the note", "here", "where, or why not"]
    return [nodes.paragraph("", f"{len(rows)} systems: {words}."), table(columns, body, ["benchbook-runs", STACKED])]
