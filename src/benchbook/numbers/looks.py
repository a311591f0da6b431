"""Which sessions of a run were planned before they began, and after which of them its verdicts were looked at (d1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from benchbook.model import Part, Run
from benchbook.numbers import plans
from benchbook.numbers.plans import FixedPlan
from benchbook.parameters.base import key_of

AMENDED = "2026-11-29T03:30"
"""When the rule began to count visits and looks; runs from before are judged as four sessions that were planned."""
PLANNED_BEFORE = 4
"""So many sessions the rule from before asked for; what fell after more of them had been looked at again."""


def begun(part: Part) -> str:
    """When a session began, in UTC, as its id has it; "" for an id of another form."""
    try:
        return datetime.strptime(part.id.rpartition("-")[2], "%Y%m%dT%H%M%S").isoformat()
    except ValueError:
        return ""


def planned_by(parts: Sequence[Part], made: Sequence[FixedPlan]) -> list[int | None]:
    """For each session, in the order of time, the place of the plan that asked for it; None where none did.

    The first session is the pilot, of the first plan, or -1 where there is none. A plan counts for sessions that begin
    on its date or later, and for no more than it names; since the rule counts visits, one that names them goes first.
    """
    left = [each.sessions - 1 for each in made]
    found: list[int | None] = []
    for place, part in enumerate(parts):
        if place == 0:
            found.append(0 if made else -1)
            continue
        day = begun(part)[:10]
        since = begun(part) >= AMENDED
        open_ = [n for n, each in enumerate(made) if left[n] > 0 and each.date <= day]
        plan = min(open_, key=lambda n: (since and made[n].visits is None, n), default=None)
        if plan is not None:
            left[plan] -= 1
        found.append(plan)
    return found


def of(run: Run) -> list[int]:
    """How many of a run's sessions had been measured at each look at its verdicts, the last with all of them.

    Of sessions from before the rule the first four are one look, and each further one another. Since then the sessions
    of a plan are one look, together with fewer than four from before; each that no plan names is one of its own.
    """
    parts = run.parts
    by = planned_by(parts, plans_of(run))
    old = sum(begun(each) < AMENDED for each in parts)
    looks = [*range(PLANNED_BEFORE, old + 1)]
    for place in range(old, len(parts)):
        last = place + 1 == len(parts) or by[place] is None or by[place + 1] != by[place]
        if last:
            looks.append(place + 1)
    return looks or [len(parts)]


def plans_of(run: Run) -> list[FixedPlan]:
    """The plan of a run, then its amendments; none where nobody made one."""
    return [*plans.of(run.experiment, key_of(run.experiment, run.measurement_version, run.parameters))]


def void(run: Run) -> list[FixedPlan]:
    """Its plans that plan nothing, since they name no visits."""
    return plans.void(run.experiment, key_of(run.experiment, run.measurement_version, run.parameters))


def unplanned(run: Run) -> list[str]:
    """Ids of the sessions that no plan names; of a run of a single session none."""
    by = planned_by(run.parts, plans_of(run))
    return [part.id for part, plan in zip(run.parts, by, strict=True) if plan is None]
