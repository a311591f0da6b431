"""Processes that work in a folder of ours, so that they can be ended: none of anybody else's, whatever it is named."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import psutil

from benchbook import accounts


def working_in(folder: Path, names: Collection[str]) -> list[psutil.Process]:
    """Living processes of these names, under an account of ours, whose working directory lies in a folder.

    What a process says of itself, such as its command line or a number that it wrote down, counts for nothing.
    """
    found = []
    for process in psutil.process_iter(["name"]):
        if process.info["name"] in names:
            with suppress(psutil.Error, OSError):
                if (
                    process.uids().real in accounts.ours()
                    and process.status() != psutil.STATUS_ZOMBIE
                    and Path(process.cwd()).is_relative_to(folder)
                ):
                    found.append(process)
    return found
