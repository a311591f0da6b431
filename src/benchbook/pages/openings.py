"""The answer of a chapter: its title and numbers, how sure they are, and what it costs to measure it again."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from benchbook import store
from benchbook.errors import BenchbookError
from benchbook.figures import Finding, Opening
from benchbook.figures.lesson import DECIDED
from benchbook.model import FEWEST, Outcome, Verdict
from benchbook.numbers import judging
from benchbook.numbers.analysis import Analysis, Summarized
from benchbook.numbers.answers import Answer
from benchbook.numbers.host_kinds import mixture
from benchbook.numbers.sentences import too_few_blocks
from benchbook.numbers.summary import Summary
from benchbook.pages.lessons import Teaching, findings, joined, titled
from benchbook.pages.prose import filled
from benchbook.parameters import profiles
from benchbook.parameters.kinds import Kind
from benchbook.statistics.visits import count

TOOL = ".venv/bin/benchbook"
AS_ROOT = {
    "bound_memory": "bound memory",
    "lookup_memory_mib": "bound memory",
    "allow_slow_storage": "slow down storage",
    "allow_vm_settings": "set the kernel's limits",
    "allow_power_cut": "cut a disk's power",
}
"""What only root can do, by the parameter that asks for it; without root the rest is measured."""
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


def opening(summary: Summarized, teaching: Teaching) -> Opening:
    """The answer of the run that the summary holds; a number that it cannot give is left out."""
    chapter, answered = summary.chapter, judging.answered(summary)
    verdicts = judging.verdicts(summary)
    points = {each.claim_id: each.answer.told(summary) for each in answered if each.answer is not None}
    numbers: list[Finding | str] = []
    for number in teaching.numbers:
        if isinstance(number, str):
            numbers += findings(chapter.name, [_point(points, number)], verdicts)
        else:
            numbers += filled(partial(number, summary))
    words = titled(summary, teaching, verdicts)
    if isinstance(summary, Analysis):
        command, cost, quick = "", "Computed with every build of the book", ""
    else:
        command = f"{TOOL} run {chapter.name}"
        minutes = f"{store.measuring_s(summary.run.trials) / 60:.0f} minutes here"  # but for pauses
        disk = "".join(filled(partial(_disk, summary)))
        cost = f"{summary.run.blocks} blocks took {minutes}{disk}{_root(summary)}"
        quick = profiles.about(chapter.name, profiles.QUICK)
    return Opening(
        chapter.name,
        words,
        tuple(numbers),
        teaching.figure,
        command,
        cost,
        quick,
        joined(summary, teaching.first),
        teaching.claimed,
        sure(summary, verdicts),
    )


def _point(points: Mapping[str, Answer], claim_id: str) -> Answer:
    if claim_id not in points or not points[claim_id].said:
        raise BenchbookError(
            f"the chapter says nothing about the claim {claim_id} that its answer begins with",
            "correct `numbers` at the head of its page, or give the claim what is `said`",
        )
    return points[claim_id]


def _disk(summary: Summary) -> str:
    return f", up to {summary.chapter.needs(summary.parameters).disk_bytes / 1e9:.1f} GB of disk"


def _root(summary: Summary) -> str:
    fields = type(summary.parameters).model_fields
    *others, last = dict.fromkeys(words for name, words in AS_ROOT.items() if name in fields) or ("",)
    wanted = " and ".join(filter(None, (", ".join(others), last)))
    return f"; needs root to {wanted}" if wanted else ""


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
    intervals = "95 % intervals" if summary.run.blocks >= FEWEST else "too few for intervals"
    every = f"{summary.run.blocks} blocks{spread}, each with every configuration; {intervals}."
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
