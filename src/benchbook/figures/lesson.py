"""What a chapter teaches in, what a notebook shows of it out: words for the page, a record for the page of lessons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from benchbook.model import Outcome

LESSON_MIME_TYPE = "application/vnd.benchbook.lesson+json"
"""A record with chapter, title, figure_id, findings, besides and advice."""

HELD, PARTLY, FAILED, OPEN = ("Held up", "Held up in direction, not in size", "Did not hold up", "Not decided")
SPEAKS_FOR, SPEAKS_PARTLY, SPEAKS_AGAINST, SPEAKS_NEITHER = (
    "Leans for, but a check failed",
    "Leans for the direction, but a check failed",
    "Leans against, but a check failed",
    "Not decided, and a check failed",
)
HEADINGS = (HELD, PARTLY, FAILED, SPEAKS_FOR, SPEAKS_PARTLY, SPEAKS_AGAINST, OPEN, SPEAKS_NEITHER)
"""Under which a claim stands, in the order of the page."""
_OF = {
    Outcome.REPRODUCED: HELD,
    Outcome.DIRECTION_ONLY: PARTLY,
    Outcome.CONTRADICTED: FAILED,
}
_ALONE: dict[str, str] = {
    Outcome.REPRODUCED: SPEAKS_FOR,
    Outcome.DIRECTION_ONLY: SPEAKS_PARTLY,
    Outcome.CONTRADICTED: SPEAKS_AGAINST,
}


@dataclass(frozen=True)
class Finding:
    """One claim of a note, in plain words, beside what was measured.

    said: what the note says, to be read after "that". seen: what was measured, with its interval, or why nothing can
    be said; without a full stop. lead: whether it belongs on the opening page. alone: as in a Verdict.
    """

    claim_id: str
    note: str
    outcome: Outcome
    said: str
    seen: str
    lead: bool = False
    alone: Outcome | None = None


@dataclass(frozen=True)
class Lesson:
    """What one chapter teaches.

    title: the lesson in one sentence, without full stop. figure_id: the figure that shows it. besides: sentences about
    what no claim of a note says. advice: what to do, in words that hold however the numbers came out.
    """

    chapter: str
    title: str
    figure_id: str
    findings: tuple[Finding, ...]
    besides: tuple[str, ...]
    advice: str

    def record(self) -> dict[str, Any]:
        """The lesson as plain JSON."""
        found = [
            asdict(finding) | {"outcome": str(finding.outcome), "alone": str(finding.alone or "")}
            for finding in self.findings
        ]
        return asdict(self) | {"findings": found, "besides": list(self.besides)}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        record = self.record()
        parts = list(self.besides)
        for name, group in grouped(record["findings"]).items():
            parts.append(f"{name}: " + " ".join("".join(sentence(finding)) for finding in group))
        text = "\n\n".join([*parts, self.advice])
        return {
            LESSON_MIME_TYPE: record,
            "text/markdown": f"**{self.title}.**\n\n{text}",
            "text/plain": f"{self.title}.\n\n{text}",
        }


def heading(outcome: str, alone: str = "") -> str:
    """Under which of HEADINGS a claim with this outcome stands. alone: as in a Verdict, or ""."""
    if Outcome(outcome) is Outcome.ENVIRONMENT:
        return _ALONE.get(alone, SPEAKS_NEITHER)
    return _OF.get(Outcome(outcome), OPEN)


def grouped(findings: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Findings by heading, in the order of HEADINGS; a heading without findings is left out."""
    groups: dict[str, list[Mapping[str, Any]]] = {name: [] for name in HEADINGS}
    for each in findings:
        groups[heading(each["outcome"], each["alone"])].append(each)
    return {name: group for name, group in groups.items() if group}


def sentence(finding: Mapping[str, Any]) -> tuple[str, str]:
    """What the note says and what was measured, as the two parts of one sentence."""
    return f"That {finding['said']}", f": {finding['seen']}."
