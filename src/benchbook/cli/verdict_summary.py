"""Markdown tables of verdicts by note, written into a file between its two marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchbook.book.records.basis import Basis, basis, population
from benchbook.book.records.judged import Judged
from benchbook.errors import BenchbookError
from benchbook.figures.lesson import DECIDED
from benchbook.model import Outcome
from benchbook.store import atomic, outputs

BEGIN, END = "<!-- verdicts, from `benchbook verdicts --into` -->", "<!-- end of the verdicts -->"
"""What stands before and after the tables in a file."""
OPEN, WAITING = "open", "not yet run"
COUNTED: dict[Basis, tuple[Outcome, ...]] = {
    Basis.MEASURED: DECIDED,
    Basis.CONSTRUCTION: (Outcome.NO_EFFECT, Outcome.CONTRADICTED),
    Basis.REPORT: (Outcome.REPRODUCED, Outcome.CONTRADICTED),
    Basis.RECOMPUTED: (Outcome.REPRODUCED, Outcome.CONTRADICTED),
}
"""Outcomes that have a row of their own, by what decides; what was measured comes first."""
ROWS = (
    *(f"{way}: {outcome}" for way, outcomes in COUNTED.items() for outcome in outcomes),
    OPEN, WAITING, str(Basis.ELSEWHERE), str(Basis.OPINION),
)  # fmt: skip


def row(judged: Judged) -> str:
    """The one row that counts a claim."""
    way = basis(judged)
    if judged.outcome is Outcome.NOT_YET_RUN:
        return WAITING
    if way not in COUNTED:
        return str(way)
    return f"{way}: {judged.outcome}" if judged.outcome in COUNTED[way] else OPEN


def markdown(judged: Iterable[Judged]) -> str:
    """What the claims are, then the main ones and all of them, one row per note; it ends with a line feed."""
    every = list(judged)
    main = [each for each in every if each.claim.primary]
    tables = [f"The {len(main)} main claims:", _table(main), f"All {len(every)} claims:", _table(every)]
    return "\n\n".join([population(every), *(tables if main else tables[2:])]) + "\n"


def _table(judged: Sequence[Judged]) -> str:
    """A row for each way to come out that occurs, a column for each note."""
    by_note = {note: Counter[str]() for note in sorted({each.claim.note for each in judged})}
    for each in judged:
        by_note[each.claim.note][row(each)] += 1
    lines = [f"| {' | '.join(['', *(f'note {note}' for note in by_note), 'all'])} |"]
    lines.append(f"|---|{'---:|' * (len(by_note) + 1)}")
    for name in ROWS:
        counts = [found[name] for found in by_note.values()]
        if any(counts):
            lines.append(f"| {' | '.join([name, *(str(each or '') for each in (*counts, sum(counts)))])} |")
    return "\n".join(lines)


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
