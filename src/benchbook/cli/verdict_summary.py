"""Markdown tables of verdicts by note, written into a file between its two marks."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import starmap
from pathlib import Path

from benchbook.book.records.basis import DECIDING, FORESEEN, HERE, OPEN, Basis, population, tally
from benchbook.book.records.judged import Judged
from benchbook.errors import BenchbookError
from benchbook.figures.lesson import DECIDED
from benchbook.model import Outcome
from benchbook.store import atomic, outputs

BEGIN, END = "<!-- verdicts, from `benchbook verdicts --into` -->", "<!-- end of the verdicts -->"
"""What stands before and after the tables in a file."""


def row(way: Basis, outcome: Outcome) -> str:
    """The one row in which claims of this kind are counted: what is open has one for each kind of it."""
    if outcome in OPEN or outcome is Outcome.NOT_YET_RUN:
        return str(outcome)
    return f"{way}: {outcome}" if way in DECIDING else str(way)


_KNOWN = [(way, outcome) for way, outcomes in FORESEEN.items() for outcome in outcomes]
_ORDERED = sorted(_KNOWN, key=lambda each: each[1] not in DECIDED)
"""What was measured comes first, and what is open after all that is decided."""


def rows(named: Callable[[Basis, Outcome], str]) -> list[str]:
    """The names of all ways to come out, in the order of the table."""
    return [*dict.fromkeys(starmap(named, _ORDERED))]


def markdown(judged: Iterable[Judged]) -> str:
    """What the claims are, then the main ones and all of them, one row per note; it ends with a line feed."""
    every = list(judged)
    main = [each for each in every if each.claim.primary]
    tables = [f"The {len(main)} main claims:", _table(main, row), f"All {len(every)} claims:", _table(every, row)]
    return "\n\n".join([population(every), *(tables if main else tables[2:])]) + "\n"


def brief(judged: Iterable[Judged]) -> str:
    """What the claims are, and one table in which all that can be decided here stand together, open ones in one row."""
    every = list(judged)
    return f"{population(every)}\n\n{_table(every, _merged)}\n"


def _merged(way: Basis, outcome: Outcome) -> str:
    if outcome in OPEN:
        return "open"
    return str(outcome) if way in HERE else row(way, outcome)


def _table(judged: Sequence[Judged], named: Callable[[Basis, Outcome], str]) -> str:
    """A row for each name that occurs, a column for each note."""
    by_note = {note: Counter[str]() for note in sorted({each.claim.note for each in judged})}
    for note, found in by_note.items():
        for kind, number in tally(each for each in judged if each.claim.note == note).items():
            found[named(*kind)] += number
    lines = [f"| {' | '.join(['', *(f'note {note}' for note in by_note), 'all'])} |"]
    lines.append(f"|---|{'---:|' * (len(by_note) + 1)}")
    for name in rows(named):
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
