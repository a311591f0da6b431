"""What a notebook shows of a lesson: words for the page, a record for the page of lessons."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from benchbook.figures import contained
from benchbook.model import Evidence, Outcome

LESSON_MIME_TYPE = "application/vnd.benchbook.lesson+json"
"""A record with chapter, title, figure_id, findings, besides, advice, numbers and basis."""

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
