"""Stored runs, notebooks and prose in, the rendered book out; nothing here measures."""

from __future__ import annotations

from pathlib import Path

__all__ = ["build"]


def build(edition: bool = False, local: bool = False, profile: str | None = None, quiet: bool = False) -> Path:
    """Build the book and return its index page; see ``assemble.build``, and ``Shown`` for what it shows."""
    # Imported late: Sphinx imports this package for its extension and needs none of the building.
    from benchbook.book.assemble import build as assemble
    from benchbook.book.chapter_plan import Shown

    return assemble(Shown(edition, local, profile), quiet=quiet)
