"""What stands for a summary where a test has no run: intervals over blocks of one session."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from benchbook.numbers.keeping import Keeping


class StandIn(SimpleNamespace):
    """own: what else is asked of it, by name."""

    def __init__(self, *, confidence: float = 0.95, **own: Any) -> None:
        super().__init__(confidence=confidence, once=Keeping().once, **own)

    def at(self, confidence: float) -> StandIn:
        """The same with intervals of another confidence."""
        own = {name: value for name, value in vars(self).items() if name not in ("confidence", "once")}
        return type(self)(confidence=confidence, **own)

    def estimated(self, statistic: Callable[..., Any], *values: Any, of: Any = None) -> Any:
        """An interval of this confidence. of: stands for the same blocks."""
        return statistic(*values, confidence=self.confidence)
