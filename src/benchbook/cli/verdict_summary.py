"""Markdown tables of verdicts by note, written into a file between its two marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchbook.book.records.basis import Basis, basis, population
from benchbook.book.records.judged import Judged
from benchbook.errors import BenchbookError
from benchbook.experiments import notes
from benchbook.model import Outcome
from benchbook.store import atomic, outputs

BEGIN, END = "<!-- verdicts, from `benchbook verdicts --into` -->", "<!-- end of the verdicts -->"
"""What stands before and after the tables in a file."""
OPEN, WAITING = "not decided", "not yet run"
MEASURED = {
    Outcome.REPRODUCED: "reproduced",
    Outcome.DIRECTION_ONLY: "direction only",
    Outcome.CONTRADICTED: "contradicted",
}
RECOMPUTED = {Outcome.REPRODUCED: "recomputed: reproduced", Outcome.CONTRADICTED: "recomputed: contradicted"}
COLUMNS = (*MEASURED.values(), OPEN, *RECOMPUTED.values(), WAITING, str(Basis.ELSEWHERE), str(Basis.OPINION))
"""The first four count what was measured here."""


def column(judged: Judged) -> str:
    """The one column that counts a claim."""
    way = basis(judged)
    if judged.outcome is Outcome.NOT_YET_RUN:
        return WAITING
    if way is Basis.RECOMPUTED:
        return RECOMPUTED.get(judged.outcome, OPEN)
    return MEASURED.get(judged.outcome, OPEN) if way is Basis.MEASURED else str(way)


def markdown(judged: Iterable[Judged]) -> str:
    """What the claims are, then the main ones and all of them, one row per note; it ends with a line feed."""
    every = list(judged)
    main = [each for each in every if each.claim.primary]
    tables = [f"The {len(main)} main claims:", _table(main), f"All {len(every)} claims:", _table(every)]
    return "\n\n".join([population(every), *(tables if main else tables[2:])]) + "\n"


def _table(judged: Sequence[Judged]) -> str:
    titles = notes.table("documents").set_index("note")["title"]
    lines = [f"| {' | '.join(['note', *COLUMNS])} |", f"|---|{'---:|' * len(COLUMNS)}"]
    for note in dict.fromkeys(each.claim.note for each in judged):
        lines.append(_row(f"{note} {titles[note]}", [each for each in judged if each.claim.note == note]))
    return "\n".join([*lines, _row("all", judged)])


def _row(name: str, judged: Iterable[Judged]) -> str:
    found = Counter(column(each) for each in judged)
    return f"| {' | '.join([name, *(str(found[each] or '') for each in COLUMNS)])} |"


def put_into(path: Path, table: str) -> None:
    """Replace what stands between the two marks; raises BenchbookError when the file has not each of them once."""
    if outputs.kind(path) is outputs.Kind.STREAM:
        raise BenchbookError(f"{path} is not a regular file", "name an existing file")
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise BenchbookError(f"{path} cannot be read ({error})", "name an existing file") from error
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise BenchbookError(f"{path} has no place for the verdicts", f"write the lines {BEGIN} and {END} into it")
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    atomic.write_text(path.resolve(), f"{before}\n\n{table}\n{after}")
