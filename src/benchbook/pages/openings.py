"""The answer of a chapter: its lesson's title, the numbers that it stands on, and what it costs to measure it again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchbook import store
from benchbook.errors import BenchbookError
from benchbook.figures import Finding, Opening
from benchbook.model import Run
from benchbook.numbers import judging
from benchbook.numbers.analysis import Analysis, Summarized
from benchbook.numbers.answers import Answer
from benchbook.numbers.summary import Summary
from benchbook.pages.certainty import sure
from benchbook.pages.lessons import Teaching, findings, joined, titled
from benchbook.pages.prose import filled
from benchbook.parameters import profiles

TOOL = ".venv/bin/benchbook"
AS_ROOT = {
    "bound_memory": "bound memory",
    "lookup_memory_mib": "bound memory",
    "allow_slow_storage": "slow down storage",
    "allow_vm_settings": "set the kernel's limits",
    "allow_power_cut": "cut a disk's power",
}
"""What only root can do, by the parameter that asks for it; without root the rest is measured."""


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
        cost = f"{_took(summary.run)}{''.join(filled(partial(_disk, summary)))}{_root(summary)}"
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
            "correct `numbers` in its lesson.py, or say it in its answers.py",
        )
    return points[claim_id]


def _disk(summary: Summary) -> str:
    return f", up to {summary.chapter.needs(summary.parameters).disk_bytes / 1e9:.1f} GB of disk"


def _root(summary: Summary) -> str:
    fields = type(summary.parameters).model_fields
    *others, last = dict.fromkeys(words for name, words in AS_ROOT.items() if name in fields) or ("",)
    wanted = " and ".join(filter(None, (", ".join(others), last)))
    return f"; needs root to {wanted}" if wanted else ""


def _took(run: Run) -> str:
    """The time that measuring the run's blocks took but for pauses."""
    return f"{run.blocks} blocks took {store.measuring_s(run.trials) / 60:.0f} minutes here"
