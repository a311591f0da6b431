"""Which line of what a program wrote tells why it failed."""

from __future__ import annotations


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
