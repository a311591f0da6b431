"""What a notebook shows of an answer and a lesson: words for the page, records for other pages of the book.

An answer comes before anything else: the verdict, three numbers, the figure that shows it, and its cost.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from benchbook.figures import contained
from benchbook.model import Evidence, Outcome

LESSON_MIME_TYPE = "application/vnd.benchbook.lesson+json"
"""A record with chapter, title, figure_id, findings, besides, advice, numbers and basis."""
OPENING_MIME_TYPE = "application/vnd.benchbook.opening+json"
"""A record with chapter, title, numbers, figure_id, command, cost, quick, advice, claimed and sure."""
CLAIMED, SURE, ADVICE = "What was claimed", "How sure", "What to do"
"""What stands before these parts of an answer."""

HELD, PARTLY, NONE, FAILED, HOST, CONDITION, OPEN = (
    "Holds", "Another size", "No effect", "Wrong", "Depends on the host", "Depends on a condition", "Open",
)  # fmt: skip
HEADINGS = (HELD, PARTLY, NONE, FAILED, HOST, CONDITION, OPEN)
"""Under which a claim stands, in the order of the page: the protocol's words, with one for all that is open."""
DECIDED = (
    Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.NO_EFFECT, Outcome.CONTRADICTED,
    Outcome.HOST, Outcome.CONDITION,
)  # fmt: skip
"""In the order of the headings, of which the last is for all others."""
WITHOUT_DATA = frozenset({Outcome.NOT_TESTABLE, Outcome.NOT_A_MEASUREMENT, Outcome.NOT_YET_RUN})
"""Of claims that no data were asked about, or none are there yet."""
_OF: dict[str, str] = dict(zip(DECIDED, HEADINGS, strict=False))


@dataclass(frozen=True)
class Finding:
    """One claim of a note, in plain words, beside what was measured.

    said: what the note says, to be read after "that". seen: what was measured, with its interval, or why nothing can
    be said; without a full stop. factor: from the claim's unit to that of ``seen``. evidence: what decides it.
    """

    claim_id: str
    note: str
    outcome: Outcome
    said: str
    seen: str
    factor: float = 1.0
    evidence: Evidence = Evidence.MEASURED

    def record(self) -> dict[str, Any]:
        """The finding as plain JSON."""
        return asdict(self) | {"outcome": str(self.outcome), "evidence": str(self.evidence)}


@dataclass(frozen=True)
class Lesson:
    """What one chapter teaches.

    title: the lesson in one sentence, without full stop. figure_id: the figure that shows it. besides: sentences about
    what no claim of a note says. advice: what to do, in sentences that this run could fill. numbers: the chapter's
    by name, for pages of the book: a record with text, point, low and high, a word or a count, or None where
    this run has none. basis: what they stand on, with blocks, visits, hosts (kinds), engine, runs and until (the
    date of the last trial); empty where nothing was measured.
    """

    chapter: str
    title: str
    figure_id: str
    findings: tuple[Finding, ...]
    besides: tuple[str, ...]
    advice: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    basis: Mapping[str, Any] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """The lesson as plain JSON."""
        lists = {"findings": [each.record() for each in self.findings], "besides": list(self.besides)}
        return asdict(self) | lists

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        record = self.record()
        parts = list(self.besides)
        for name, group in grouped(record["findings"]).items():
            parts.append(f"{name}: " + " ".join("".join(sentence(finding)) for finding in group))
        text = "\n\n".join([*parts, self.advice])
        return {
            LESSON_MIME_TYPE: record,
            "text/markdown": contained.markdown(f"**{self.title}.**\n\n{text}"),
            "text/plain": f"{self.title}.\n\n{text}",
        }


def heading(outcome: str) -> str:
    """Under which of HEADINGS a claim with this outcome stands."""
    return _OF.get(outcome, OPEN)


def grouped(findings: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Findings by heading, in the order of HEADINGS; a heading without findings is left out."""
    groups: dict[str, list[Mapping[str, Any]]] = {name: [] for name in HEADINGS}
    for each in findings:
        groups[heading(each["outcome"])].append(each)
    return {name: group for name, group in groups.items() if group}


def sentence(finding: Mapping[str, Any]) -> tuple[str, str]:
    """What the note says and what was measured, as the two parts of one sentence."""
    return f"Note {finding['note']} says that {finding['said']}", f": {finding['seen']}."


@dataclass(frozen=True)
class Opening:
    """The answer of one chapter.

    title: the verdict in one sentence, without full stop. numbers: what it stands on, each a claim of a note beside
    what was measured, or a whole sentence about what no claim says. figure_id: the figure that shows it. command: what
    measures it again from the repository's folder, "" where nothing is measured. cost: of that, in words. quick:
    what the command does with --profile quick, in sentences; "" where there is no such profile. advice: what to do, in
    whole sentences; "" for none. claimed: what the notes say, in whole sentences; "" for a question of the book's own.
    sure: on how much the answer stands, and how many claims it decides, in whole sentences; "" for none.
    """

    chapter: str
    title: str
    numbers: tuple[Finding | str, ...]
    figure_id: str
    command: str
    cost: str
    quick: str = ""
    advice: str = ""
    claimed: str = ""
    sure: str = ""

    @property
    def quick_command(self) -> str:
        """What tries the chapter out."""
        return f"{self.command} --profile quick"

    def record(self) -> dict[str, Any]:
        """The answer as plain JSON; a sentence stands under ``text``."""
        numbers = [{"text": each} if isinstance(each, str) else each.record() for each in self.numbers]
        return asdict(self) | {"numbers": numbers, "quick_command": self.quick_command}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        lines = [_line(each) for each in self.numbers]
        again = [f"`{self.command}`: {self.cost}." if self.command else f"{self.cost}."]
        if self.quick:
            again.append(f"`{self.quick_command}`: {self.quick}")
        listed = "\n".join(f"- {line}" for line in lines)
        again[:0] = [f"{words}: {text}" for words, text in ((SURE, self.sure), (ADVICE, self.advice)) if text]
        first = [f"{CLAIMED}: {self.claimed}"] if self.claimed else []
        return {
            OPENING_MIME_TYPE: self.record(),
            "text/markdown": contained.markdown("\n\n".join([*first, f"**{self.title}.**", listed, *again])),
            "text/plain": "\n".join([*first, f"{self.title}.", *lines, *again]),
        }


def _line(number: Finding | str) -> str:
    if isinstance(number, str):
        return number
    said, seen = sentence(asdict(number))
    return f"{said}. {heading(number.outcome)}{seen}"
