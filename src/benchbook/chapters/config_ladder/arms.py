"""What can be set, and the configurations: the ladder's, which other chapters of its family take too."""

from __future__ import annotations

from benchbook.measuring.pgbench.ladder.arms import Parameters, configurations

__all__ = ["Parameters", "configurations"]
