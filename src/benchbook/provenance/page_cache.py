"""Whether this kernel drops pages of the page cache that nobody read for a while, however much memory is free.

Some virtual machines do so with DAMON, to give memory back to their host. What a file's pages cost then depends on when
they were read last, and a store that waits for a minute is not warm any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ADMIN = Path("/sys/kernel/mm/damon/admin/kdamonds")


def dropped_after_s(admin: Path = ADMIN) -> float | None:
    """Seconds without access after which pages are dropped, the least of all schemes; None where none is at work."""
    return min(_ages(admin), default=None)


def _ages(admin: Path) -> Iterator[float]:
    for daemon in admin.glob("[0-9]*"):
        if _read(daemon / "state") != "on":
            continue
        for context in daemon.glob("contexts/[0-9]*"):
            step_us = _number(context / "monitoring_attrs/intervals/aggr_us")
            for scheme in context.glob("schemes/[0-9]*"):
                age = _number(scheme / "access_pattern/age/min")
                if _read(scheme / "action") == "pageout" and step_us is not None and age is not None:
                    yield age * step_us / 1e6


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:  # only root may look
        return ""


def _number(path: Path) -> int | None:
    text = _read(path)
    return int(text) if text.isdecimal() else None
