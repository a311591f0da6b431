"""What a run of this chapter is asked beside what every run is: its sizes, and the time of a row."""

from __future__ import annotations

from benchbook.experiments.families.kv import summary
from benchbook.experiments.scale.arms import ASKED_ROWS, Parameters, short
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    MEND = "raise lookups or tail_lookups"

    @property
    def rows(self) -> list[int]:
        """Sizes with sequential keys, smallest first."""
        return sorted(self.parameters.rows)

    @property
    def random_rows(self) -> list[int]:
        """Sizes with random keys, smallest first."""
        return sorted(self.parameters.random_rows)

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """The same, and where a size was not asked for, that there is none."""
        if arm in self.configurations:
            return super().missing(arm, metric)
        return NotEstimableError(f"this run has no configuration {arm}", "ask for its number of rows")

    def row_us(self, arm: str) -> Estimate:
        """Microseconds for a row when all are inserted."""
        if arm not in self.configurations:
            raise self.missing(arm, "insert_s")
        return self.level(arm, "insert_s", 1e-6 * int(self.configurations[arm].settings["rows"] or 0))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        left = [short(rows) for rows in ASKED_ROWS if rows not in self.parameters.rows]
        return [*([f"no trials with {', '.join(left)} rows"] if left else []), *super().departures()]

    def sizes(self) -> str:
        """Look-ups, after the blocks."""
        return f", {self.parameters.lookups:,} look-ups a trial"
