"""How sure an answer is, in a sentence or two: what it stands on, and how many of the chapter's claims it decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from benchbook.figures.lesson import DECIDED
from benchbook.model import Outcome, Verdict
from benchbook.numbers.analysis import Analysis, Summarized
from benchbook.numbers.host_kinds import mixture
from benchbook.numbers.sentences import too_few_blocks
from benchbook.numbers.summary import Summary
from benchbook.parameters.kinds import Kind
from benchbook.statistics.visits import count

OPEN = {
    Outcome.ONE_VISIT: "open after one visit",
    Outcome.INCONCLUSIVE: "open because the interval is too wide",
    Outcome.OPEN_HOST: "open because hosts differ and not all of them are settled",
    Outcome.OPEN_CONDITION: "open because the claim's conditions are not those of this run, or are not named",
    Outcome.CHECK: "open because a check failed",
    Outcome.DESIGN: "open because this design cannot decide it",
}
"""What is said of a claim that was judged and stays open, by its outcome."""
FEW = "open because too few blocks have been measured so far"
"""The same where nothing else departs."""


def sure(summary: Summarized, verdicts: Iterable[Verdict]) -> str:
    """What stands behind the intervals, then what became of the claims."""
    few = [] if isinstance(summary, Analysis) else too_few_blocks(summary.run)
    return " ".join(filter(None, (_stands_on(summary), _decided(verdicts, few))))


def _stands_on(summary: Summarized) -> str:
    if isinstance(summary, Analysis):
        return "Recomputed from the notes' own numbers, most of them from single runs."
    if summary.chapter.kind == Kind.SIMULATION:
        return f"{summary.run.blocks} batches of simulated runs, 95 % intervals."
    visits = count(summary.visits)
    spread = f" in {visits} visits" if visits > 1 else " in one visit"
    mixed = mixture(summary.run.parts)
    hosts = f" They were measured on {mixed}." if mixed else ""
    every = f"{summary.run.blocks} blocks{spread}, each with every configuration; 95 % intervals."
    return f"{every}{_contended(summary)}{hosts}"


def _contended(summary: Summary) -> str:
    """A sentence on blocks in which somebody else had the disk; "" without any. They stay in every number."""
    found = summary.contended
    if not found:
        return ""
    one = len(found) == 1
    return (
        f" In {len(found)} of them a direct read of the disk took more than twice its quiet time; "
        f"{'it stays' if one else 'they stay'} in every number."
    )


def _decided(verdicts: Iterable[Verdict], few: Sequence[str]) -> str:
    """few: the departure of a run with too few blocks; none of any other."""
    given = [*verdicts]
    decided = sum(verdict.outcome in DECIDED for verdict in given)
    found = Counter(_open(verdict, few) for verdict in given if verdict.outcome in OPEN)
    judged = decided + found.total()
    if not judged:
        return ""
    if judged == 1:
        return f"The one judged claim is {next(iter(found), 'decided')}."
    if not found:
        return f"{'Both' if judged == 2 else f'All {judged}'} judged claims are decided."
    left = [f"{found[words]} {words}" for words in (*OPEN.values(), FEW) if found[words]]
    of = f"Of {judged} judged claims {decided or 'none'} {'is' if decided < 2 else 'are'} decided"
    return f"{of}; {', '.join(left)}."


def _open(verdict: Verdict, few: Sequence[str]) -> str:
    if few and verdict.outcome in (Outcome.INCONCLUSIVE, Outcome.ONE_VISIT):
        return FEW
    return OPEN[verdict.outcome]
