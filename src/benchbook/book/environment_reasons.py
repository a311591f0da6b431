"""Reasons of a table's verdicts in; what failed in the environment is said once above it, each row keeps its own part.

A chapter's claims mostly rest on the same checks of the same run. Said in every row, a check that failed buries what
was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from docutils import nodes

from benchbook.figures.prose import counted

UNSOUND = ", but the environment was not sound: "
"""What stands in a verdict's reason between what was found and the checks that failed."""
_CANARY = (
    " The canary is a small piece of work of fixed size, timed at both ends of every block. When its speed changes, "
    "the machine itself got faster or slower, so times and rates of this run show what the machine did and not only "
    "what was changed."
)


def shared_causes(reasons: Iterable[str]) -> list[str]:
    """The failed checks that more than one of these reasons name, in the order in which they come."""
    named = Counter(cause for reason in reasons for cause in dict.fromkeys(_parted(reason)[1]))
    return [cause for cause, times in named.items() if times > 1]


def own_reason(reason: str, said: Sequence[str]) -> str:
    """The reason without the checks that are said above the table; as it is where it names none of them."""
    found, causes = _parted(reason)
    own = [cause for cause in causes if cause not in said]
    if len(own) == len(causes):
        return reason
    rest = f"; and {'; '.join(own)}" if own else ""
    return f"{found}. Left open by the environment (see above){rest}."


def said_above(
    reasons: Sequence[str], alone: Sequence[str | None], start: Sequence[nodes.Node] = ()
) -> list[nodes.Node]:
    """Which checks failed, and how many verdicts they leave open; nothing where no two reasons share a check.

    reasons: of all verdicts of the table, whatever they are. alone: of each, what its interval alone would say, if any.
    start: inline nodes that the words begin with.
    """
    said = shared_causes(reasons)
    if not said:
        return []
    left = [any(cause in said for cause in _parted(reason)[1]) for reason in reasons]
    opening = nodes.Text("The environment did not pass every check while this run was measured:")
    first = nodes.paragraph("", "", *start, opening)
    checks = nodes.bullet_list()
    for cause in said:
        checks += nodes.list_item("", nodes.paragraph("", f"{cause[:1].upper()}{cause[1:]}."))
    words = f"This leaves {sum(left)} of the chapter's {len(reasons)} claims below open, whatever their intervals show."
    would = counted(outcome for outcome, open_ in zip(alone, left, strict=True) if outcome and open_)
    if would:
        words += f" By their intervals alone they would be: {would}."
    if any(cause.startswith("canary") for cause in said):
        words += _CANARY
    return [nodes.container("", first, checks, nodes.paragraph("", words), classes=["benchbook-environment"])]


def _parted(reason: str) -> tuple[str, list[str]]:
    """What was found, and the checks that failed."""
    found, unsound, causes = reason.partition(UNSOUND)
    return found, causes.removesuffix(".").split("; ") if unsound else []
