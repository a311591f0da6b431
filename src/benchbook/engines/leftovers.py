"""What killed runs left on this machine: settings, control groups, servers, volumes, folders; put back and removed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from benchbook import temporary
from benchbook.engines import bounds, kernel_settings
from benchbook.engines.storage import leftovers as storage


def remove(say: Callable[[str], object] | None = None) -> list[Path]:
    """Undo what owners that no longer live left behind, and nothing else; the folders removed.

    say: told of each volume, of what stays, of a damaged note of the kernel's settings, and where root does so of the
    folders, in a sentence each; without it such a note is left to who can be told. Takes a few milliseconds when there
    is nothing.
    """
    tell = say or (lambda sentence: None)
    kernel_settings.restore_leftovers(say)
    bounds.remove_leftovers()
    for sentence in storage.remove():
        tell(sentence)
    removed = temporary.remove_leftovers(
        _stop, lambda found, why: tell(f"{found}, which a killed run left, cannot be removed ({why.strerror})")
    )
    if removed and os.geteuid() == 0:
        tell(f"removed what killed runs left: {', '.join(map(str, removed))}")
    return removed


def _stop(folder: Path) -> None:
    """End the server that still works in a cluster's folder."""
    from benchbook.engines.postgres import leftovers  # brings psycopg, which is needed only where a server was left

    if folder.name.startswith(leftovers.PREFIX):
        leftovers.stop(folder)
