"""What a chapter answers before anything else: the verdict, three numbers, the figure that shows it, and its cost."""

from dataclasses import asdict, dataclass
from typing import Any

from benchbook.figures import contained
from benchbook.figures.lesson import Finding, heading, sentence

OPENING_MIME_TYPE = "application/vnd.benchbook.opening+json"
"""A record with chapter, title, numbers, figure_id, command, cost, quick, advice, claimed and sure."""
CLAIMED, SURE, ADVICE = "What was claimed", "How sure", "What to do"
"""What stands before these parts of an answer."""


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
