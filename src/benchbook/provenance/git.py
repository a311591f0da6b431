"""Questions to git, answered as bytes."""

from __future__ import annotations

import subprocess
from pathlib import Path

_WAIT_S = 120


def ask(root: Path, *arguments: str, given: bytes | None = None) -> bytes | None:
    """What git writes when it is called in a clone; None where it fails, is missing, or takes minutes.

    given: for its standard input.
    """
    command = ["git", "--no-replace-objects", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=_WAIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
