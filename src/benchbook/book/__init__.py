"""Stored runs, notebooks and prose in, the rendered book out; nothing here measures."""

from __future__ import annotations

from pathlib import Path

__all__ = ["build"]


def build(edition: bool = False, quiet: bool = False, profile: str = "quick") -> Path:
    """Build the book and return its index page; see :func:`benchbook.book.assemble.build`."""
    # Imported late: Sphinx imports this package for its extension and needs none of the building.
    from benchbook.book.assemble import build as assemble

    return assemble(edition=edition, quiet=quiet, profile=profile)
