"""The protocol by which claims are judged, and from when on it stands still: ``data/protocol.csv``."""

from functools import cache
from pathlib import Path

from benchbook import nofollow, project


def versions(root: Path | None = None) -> list[dict[str, str]]:
    """Every version, the oldest first, with version, frozen (UTC), sha256 of what it consists of, and reason.

    None in a project that judges by no ledger of the book's. A test recomputes the hash of the last one.
    """
    path = (root or project.root()) / "data" / "protocol.csv"
    return [*nofollow.rows(path)] if path.is_file() else []


@cache
def frozen(root: Path) -> str:
    """When the protocol was frozen, such as 2026-11-30T05:00:00; "" where it is not."""
    return next((each["frozen"] for each in versions(root)), "")
