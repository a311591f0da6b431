"""Paragraphs of sentences with numbers, of which those are left out that the run cannot fill."""

import contextlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from benchbook.errors import BenchbookError
from benchbook.figures import Prose
from benchbook.numbers import looks
from benchbook.numbers.plans import FixedPlan
from benchbook.numbers.sentences import departing, opening
from benchbook.numbers.summary import NotEstimableError, Summary
from benchbook.statistics.visits import count

K = TypeVar("K")
T = TypeVar("T")


def filled(*parts: Callable[[], T]) -> list[T]:
    """Those of the parts, such as sentences or headlines, that the run can fill with numbers."""
    found = []
    for part in parts:
        with contextlib.suppress(BenchbookError):
            found.append(part())
    return found


def listed(*parts: Callable[[], T]) -> list[T]:
    """The same for what a sentence lists; raises NotEstimableError where the run can fill none of them."""
    found = filled(*parts)
    if not found:
        raise NotEstimableError("this run has nothing to list", "measure more of it")
    return found


def each(ask: Callable[[K], T], keys: Iterable[K]) -> list[T]:
    """What is asked of each of these, of which the run may lack some; raises as ``listed`` does."""
    return listed(*(partial(ask, key) for key in keys))


def design(summary: Summary, text: str, **wording: str) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    asked_for = summary.chapter.answers.given  # without claims there is no design to depart from
    departs = departing(summary.departures(), **wording) if asked_for else ""
    return Prose(f"{opening(summary.run)} {text}{planned(summary)}{departs}")


def planned(summary: Summary) -> str:
    """What was planned before it was seen, and what there is; sessions that no plan names are marked; else ""."""
    run = summary.run
    made, outside = looks.plans_of(run), looks.unplanned(run)
    told = " ".join(_plan(each, first=place == 0) for place, each in enumerate(made))
    off = f" No plan names {' and '.join(f'`{each}`' for each in outside)}." if outside else ""
    off += "".join(f" The plan of {each.date} names no visits and plans nothing." for each in looks.void(run))
    if not told and not off:
        return ""
    visits = count(summary.visits)
    there = "1 visit" if visits == 1 else f"{visits} visits"
    so_far = f"So far there {'is' if visits == 1 else 'are'} {there}, with {run.blocks} blocks in all."
    return " ".join(["", *([told] if told else []), f"{so_far}{off}"])


def _plan(plan: FixedPlan, *, first: bool) -> str:
    """What one plan asked for, in a sentence."""
    more = plan.sessions - 1
    if plan.visits is not None:
        asked = f"{plan.visits} visits in all, the further of {plan.blocks} blocks"
    else:
        asked = f"{more} further session{'s' * (more != 1)} of {plan.blocks} blocks"
    because = f", because {plan.reason.rstrip('.')}" if plan.reason else ""
    when = f"{'Planned' if first else 'Amended'} on {plan.date}, after {plan.stored} blocks ({plan.aim})"
    return f"{when}: {asked}{because}."
