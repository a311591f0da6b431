"""A number of blocks as visits: what to measure, and the plan written down before it is."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime

import typer

from benchbook import store
from benchbook.errors import BenchbookError
from benchbook.experiments.manifest import Chapter
from benchbook.model import Run
from benchbook.numbers import plans
from benchbook.numbers.body import LEAST_A_VISIT


@dataclass(frozen=True)
class Planned:
    """blocks: that the aim takes in all, None where nobody would measure so many. aim: in words.

    visits: in all, with those that are stored with the pilot's parameters. command: that measures these parameters.
    """

    module: Chapter
    pilot: Run
    blocks: int | None
    visits: int
    aim: str
    command: str

    @property
    def key(self) -> str:
        """Of the pilot's parameters."""
        parameters = self.module.Parameters.given(self.pilot.parameters)
        found: str = parameters.key(self.module.name, self.module.version)
        return found

    @property
    def stored(self) -> int:
        """Blocks that are there already."""
        complete = store.complete(self.module.name, self.key, published=None)
        return sum({each.id: int((each.record or {})["blocks"]) for each in complete}.values())

    @property
    def further(self) -> int:
        """Visits beside those that are stored."""
        return self.visits - int(store.visits_of(self.pilot).max(initial=0)) - 1

    @property
    def each(self) -> int:
        """Blocks of each further visit."""
        return max(LEAST_A_VISIT, math.ceil(((self.blocks or 0) - self.stored) / max(1, self.further)))

    def say(self) -> None:
        """The visits and the command that measures one."""
        if self.blocks is None or self.further < 1:
            return
        times = "once" if self.further == 1 else f"{self.further} times, 12 hours or more apart,"
        typer.echo(
            f"\nAs {self.visits} visits, 12 hours apart or on another processor model: the {self.stored} blocks that "
            f"are stored, then {times} `{self.command} --blocks +{self.each}`."
        )

    def fix(self, reason: str = "") -> None:
        """Write it down; with a reason where it adds to an earlier plan."""
        if self.blocks is None:
            raise BenchbookError("no number of blocks reaches this aim", "choose a wider half-width, or a budget")
        if self.further < 1:
            there = self.visits - self.further
            raise BenchbookError(
                f"{there} visit{'s are' if there > 1 else ' is'} stored, and the plan has {self.visits} in all",
                f"give --visits {there + 1} or more",
            )
        today = datetime.now(UTC).date().isoformat()
        plan = plans.FixedPlan(
            self.module.name, self.key, today, self.further + 1, self.each, self.aim, self.pilot.id, self.stored,
            " ".join(reason.split()), self.visits,
        )  # fmt: skip
        plans.fix(plan)
        typer.echo(f"fixed in {plans.path().name}: commit it before the next block is measured")
