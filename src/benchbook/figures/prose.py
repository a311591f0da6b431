"""Sentences with computed numbers in them, shown as text in the notebook and in the book."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchbook.model import Estimate


@dataclass(frozen=True)
class Prose:
    """Markdown text made by code, so that text and data cannot drift apart."""

    text: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/markdown": self.text, "text/plain": self.text}


def with_interval(estimate: Estimate, factor: float = 1.0) -> str:
    """A number and its interval to three digits, such as "0.296 [0.248, 0.352]"; factor: to another unit."""
    point, low, high = (value * factor for value in (estimate.point, estimate.low, estimate.high))
    return f"{point:.3g} [{low:.3g}, {high:.3g}]"
