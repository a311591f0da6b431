"""How many blocks and sessions a run is to have: fixed from a pilot, written down before the rest is seen.

The file is ``data/plans.csv``; a plan is never changed, and git says when it came. Sessions may be added to one after
its data have been seen, in a row of its own that says why.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from benchbook import nofollow, project
from benchbook.errors import BenchbookError
from benchbook.store import atomic


@dataclass(frozen=True)
class FixedPlan:
    """One plan. key: of the parameters. sessions: in all. stored: blocks of the first one, which were there when it was
    fixed. blocks: of each of the others.

    aim: the half-width or the budget that it was made for, in words. pilot: the run whose spread was known. reason: of
    an amendment, why sessions are added to an earlier plan, though data had been seen; "" of a first plan. visits: how
    many there are to be in all, those that were there included; None of plans from before the rule counted visits.
    """

    experiment: str
    key: str
    date: str
    sessions: int
    blocks: int
    aim: str
    pilot: str
    stored: int
    reason: str = ""
    visits: int | None = None


VISITS_SINCE = "2026-11-29"
"""From this date on a plan names visits."""
COLUMNS = tuple(field.name for field in fields(FixedPlan))


def path() -> Path:
    """The file."""
    return project.published().parent / "plans.csv"


def plans() -> Iterator[FixedPlan]:
    """All of them, the oldest first; raises BenchbookError for a line that is not one."""
    if not path().is_file():  # nobody planned anything
        return
    rows = nofollow.rows(path())
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise BenchbookError(f"{path().name} does not have the columns {', '.join(COLUMNS)}", "restore it from git")
    for number, row in enumerate(rows, start=1):
        try:
            yield TypeAdapter(FixedPlan).validate_python({**row, "visits": row["visits"] or None})
        except ValidationError as error:
            what = error.errors(include_url=False)[0]
            raise BenchbookError(
                f"{path().name} row {number} is not a plan: {what['loc'][0]}: {what['msg']}", "restore it from git"
            ) from None


def fixed(experiment: str, key: str) -> FixedPlan | None:
    """The first plan of a run with these parameters; None where nobody made one."""
    return next(of(experiment, key), None)


def of(experiment: str, key: str) -> Iterator[FixedPlan]:
    """The plan of a run with these parameters, then its amendments; without those that lack their visits."""
    return (each for each in plans() if (each.experiment, each.key) == (experiment, key) and not without_visits(each))


def void(experiment: str, key: str) -> list[FixedPlan]:
    """Plans of a run that plan nothing, since they name no visits though the rule asked for them."""
    return [each for each in plans() if (each.experiment, each.key) == (experiment, key) and without_visits(each)]


def without_visits(plan: FixedPlan) -> bool:
    """Whether a plan names no visits, though the rule asked for them when it was made."""
    return plan.visits is None and plan.date >= VISITS_SINCE


def fix(plan: FixedPlan) -> None:
    """Write a plan down. Raises BenchbookError where there is one already, unless a reason says why it is amended."""
    known = fixed(plan.experiment, plan.key)
    if known is not None and not plan.reason:
        raise BenchbookError(
            f"{plan.experiment} has a plan, fixed on {known.date}: {known.sessions} sessions of {known.blocks} blocks",
            "keep to it; or add sessions and say why with --because, which the page repeats: data had been seen",
        )
    if known is None and plan.reason:
        raise BenchbookError(f"{plan.experiment} has no plan that could be amended", "leave out --because")
    every = [*plans(), plan]

    def write(target: Path) -> None:
        with target.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(COLUMNS)
            rows.writerows(["" if cell is None else cell for cell in astuple(each)] for each in every)

    atomic.write(path(), write)
