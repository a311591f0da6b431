"""Judged claims in, a Markdown table of counts by note out, and that table into a file between its two marks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchbook.book.judged import Judged
from benchbook.book.verdict_table import said_alone
from benchbook.errors import BenchbookError
from benchbook.experiments import notes
from benchbook.model import Outcome
from benchbook.store import atomic

BEGIN, END = "<!-- verdicts, from `benchbook verdicts --into` -->", "<!-- end of the verdicts -->"
"""What stands before and after the table in a file."""
COLUMNS: dict[str, tuple[Outcome, ...]] = {
    "reproduced": (Outcome.REPRODUCED,),
    "direction only": (Outcome.DIRECTION_ONLY,),
    "contradicted": (Outcome.CONTRADICTED,),
    "inconclusive": (Outcome.INCONCLUSIVE, Outcome.ENVIRONMENT),
    "not testable here": (Outcome.NOT_TESTABLE,),
    "not a measurement": (Outcome.NOT_A_MEASUREMENT,),
    "not yet run": (Outcome.NOT_YET_RUN,),
}
"""Column to the outcomes that it counts."""


def markdown(judged: Iterable[Judged]) -> str:
    """One row per note and one for all of them, and what failed checks leave open; it ends with a line feed."""
    every = list(judged)
    titles = notes.table("documents").set_index("note")["title"]
    head = ["note", *COLUMNS]
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * len(COLUMNS)}"]
    for note in dict.fromkeys(each.claim.note for each in every):
        own = [each for each in every if each.claim.note == note]
        lines.append(_row(f"{note} {titles[note]}", own))
    lines.append(_row("all", every))
    alone = said_alone(each.verdict.alone for each in every)
    return "\n".join([*lines, *(["", alone] if alone else [])]) + "\n"


def _row(name: str, judged: list[Judged]) -> str:
    counts = [sum(each.outcome in outcomes for each in judged) for outcomes in COLUMNS.values()]
    return f"| {' | '.join([name, *(str(count or '') for count in counts)])} |"


def put_into(path: Path, table: str) -> None:
    """Replace what stands between the two marks; raises BenchbookError when the file has not each of them once."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise BenchbookError(f"{path} cannot be read ({error})", "name an existing file") from error
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise BenchbookError(f"{path} has no place for the verdicts", f"write the lines {BEGIN} and {END} into it")
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    atomic.write_text(path.resolve(), f"{before}\n\n{table}\n{after}")
