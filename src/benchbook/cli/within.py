"""A time that measuring has to keep to: stopped after its first block where the blocks asked for do not fit."""

from __future__ import annotations

import time

from benchbook.cli.formatting import duration
from benchbook.errors import MachineError


class Within:
    """One time for all that a command measures; it runs from the first preparation on, not while others measure.

    limit_s: seconds.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._began: float | None = None

    def check(self, experiment: str, blocks: int, done: int, total: int, left_s: float | None) -> None:
        """Ask before each trial. done of total: trials that are stored; left_s: expected for the others, where known.

        Raises MachineError where the time is over, and after a whole block where the others would not fit.
        """
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        spent_s = now - self._began
        if done == total or left_s is None:
            return
        if spent_s < self._limit_s and (done < total / blocks or spent_s + left_s <= self._limit_s):
            return
        least = f"{max(spent_s + left_s, self._limit_s) / 60 + 1:.0f}m"
        raise MachineError(
            f"{experiment}: {blocks} blocks do not fit into {duration(self._limit_s)} on this machine: "
            f"{done} of {total} trials took {duration(spent_s)} with loading, and the others need {duration(left_s)}",
            f"what is stored is kept: `benchbook replicate {experiment} --blocks {blocks}` goes on with it; or give "
            f"--budget {least}",
        )
