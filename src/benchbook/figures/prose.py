"""Sentences with computed numbers in them, shown as text in the notebook and in the book."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Prose:
    """Markdown text made by code, so that text and data cannot drift apart."""

    text: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/markdown": self.text, "text/plain": self.text}
