"""What killed runs left on this machine: its settings, control groups, servers and folders; put back and removed."""

from __future__ import annotations

from pathlib import Path

from benchbook import temporary
from benchbook.engines import bounds, kernel_settings


def remove() -> list[Path]:
    """Undo what owners that no longer live left behind, and nothing else; the folders removed.

    Takes a few milliseconds when there is nothing.
    """
    kernel_settings.restore_leftovers()
    bounds.remove_leftovers()
    return temporary.remove_leftovers(_stop)


def _stop(folder: Path) -> None:
    """End the server that still works in a cluster's folder."""
    from benchbook.engines.postgres import leftovers  # brings psycopg, which is needed only where a server was left

    if folder.name.startswith(leftovers.PREFIX):
        leftovers.stop(folder)
