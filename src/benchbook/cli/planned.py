"""A number of blocks as sessions: what to measure, and the plan written down before it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

import typer

from benchbook import store
from benchbook.errors import BenchbookError
from benchbook.experiments import plans
from benchbook.experiments.shape.manifest import Chapter
from benchbook.model import Run


@dataclass(frozen=True)
class Planned:
    """blocks: that the aim takes in all, None where nobody would measure so many. aim: in words.

    sessions: in all; what is stored with the pilot's parameters is the first. command: that measures these parameters.
    """

    module: Chapter
    pilot: Run
    blocks: int | None
    sessions: int
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
    def each(self) -> int:
        """Blocks of each further session."""
        return max(1, math.ceil(((self.blocks or 0) - self.stored) / max(1, self.sessions - 1)))

    def say(self) -> None:
        """The sessions and the command that measures one."""
        if self.blocks is None or self.sessions == 1:
            return
        typer.echo(
            f"\nAs {self.sessions} sessions an hour or more apart: the {self.stored} blocks that are stored, then "
            f"{self.sessions - 1} times `{self.command} --blocks +{self.each}`."
        )

    def fix(self, reason: str = "") -> None:
        """Write it down; with a reason where it adds to an earlier plan."""
        if self.blocks is None:
            raise BenchbookError("no number of blocks reaches this aim", "choose a wider half-width, or a budget")
        today = datetime.now(UTC).date().isoformat()
        plan = plans.FixedPlan(
            self.module.name, self.key, today, self.sessions, self.each, self.aim, self.pilot.id, self.stored,
            " ".join(reason.split()),
        )  # fmt: skip
        plans.fix(plan)
        typer.echo(f"fixed in {plans.path().name}: commit it before the next block is measured")
