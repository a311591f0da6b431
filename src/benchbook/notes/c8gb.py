"""What note 002's own raw reports show about its claims."""

from __future__ import annotations

from benchbook import notes
from benchbook.claims.evidence import Reported

SCENARIO_B = "B"


def writer_idle() -> Reported | None:
    """C052, C054: what settings of the background writer did in Scenario B; None where it wrote a page there."""
    found = notes.table("raw/c8gb_reports").set_index("run").loc[SCENARIO_B]
    if found["buffers_clean"]:
        return None
    name = str(found["file"]).rpartition("-")[2]
    return Reported(
        f"In the note's own run of Scenario B the background writer wrote no page in {found['duration_s']} s and "
        f"{found['transactions']:,} transactions, so none of its settings could change anything (report "
        f"{name.removesuffix('.md')}, {notes.source(found)})."
    )
