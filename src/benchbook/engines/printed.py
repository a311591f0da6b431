"""What a program says of itself: its version, and which line tells why it failed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from benchbook import children
from benchbook.errors import MachineError

_VERSION_S = 30


def printed_version(
    program: Path, pattern: str, mend: str, environment: Mapping[str, str] | None = None
) -> re.Match[str]:
    """Where ``program --version`` tells its version; raises MachineError with this mend where it does not."""
    try:
        done = children.run([program, "--version"], timeout_s=_VERSION_S, env=environment)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(f"{program} does not start ({error})", mend) from error
    found = re.search(pattern, done.stdout)
    if done.returncode or found is None:
        raise MachineError(f"{program} does not say its version ({done.stdout.strip()[:80]!r})", mend)
    return found


def last_line(text: str) -> str:
    """The last one that is not empty and none of pgbench's reports of progress."""
    return _known(text)[-1]


def fatal_line(text: str) -> str:
    """The last one that names an error, else the last one."""
    lines = _known(text)
    return next((line for line in reversed(lines) if "FATAL" in line or "error:" in line), lines[-1])


def _known(text: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("progress:")] or ["it said nothing"]
