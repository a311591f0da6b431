"""What keeps what it has computed: the base of the summaries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Keeping:
    """What is asked for twice is computed once; a copy with another run or other parameters computes it anew."""

    _kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, name: str, compute: Callable[[], T]) -> T:
        """What is computed when it is first asked for, and kept."""
        if name not in self._kept:
            self._kept[name] = compute()
        kept: T = self._kept[name]
        return kept
