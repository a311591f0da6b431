"""What killed runs left on this machine: settings, control groups, servers, volumes, folders; put back and removed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from benchbook import temporary
from benchbook.engines import bounds, kernel_settings
from benchbook.engines.storage import leftovers as storage


def remove(say: Callable[[str], object] = lambda sentence: None) -> list[Path]:
    """Undo what owners that no longer live left behind, and nothing else; the folders removed.

    say: told of each volume and of what stays, in a sentence each, and where root does so of the folders, in one.
    Takes a few milliseconds when there is nothing.
    """
    kernel_settings.restore_leftovers()
    bounds.remove_leftovers()
    for sentence in storage.remove():
        say(sentence)
    removed = temporary.remove_leftovers(
        _stop, lambda found, why: say(f"{found}, which a killed run left, cannot be removed ({why.strerror})")
    )
    if removed and os.geteuid() == 0:
        say(f"removed what killed runs left: {', '.join(map(str, removed))}")
    return removed


def _stop(folder: Path) -> None:
    """End the server that still works in a cluster's folder."""
    from benchbook.engines.postgres import leftovers  # brings psycopg, which is needed only where a server was left

    if folder.name.startswith(leftovers.PREFIX):
        leftovers.stop(folder)
