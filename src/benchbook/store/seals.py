"""The SHA-256 that seals a complete run's record: whoever changes one of them has to change the other."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from benchbook.store import atomic

SEAL = "seal"
"""The last field of a sealed record: SHA-256 (64 hex digits) of the file as it would be without this field."""


def sealed(record: dict[str, Any]) -> dict[str, Any]:
    """The record with its seal; one that it has already is replaced."""
    bare = {name: value for name, value in record.items() if name != SEAL}
    return bare | {SEAL: _of(atomic.json_text(bare))}


def problem(text: str, record: dict[str, Any]) -> str:
    """What is wrong with the file of a record, in words that follow its name; "" where nothing is.

    text: the file's content. record: what it says; one of an unfinished run has no seal yet.
    """
    try:
        written = atomic.json_text(record)
    except (ValueError, RecursionError):
        written = ""
    if text != written:
        return "is not written as Benchbook writes it"
    if record.get("state") != "complete":
        return ""
    seal = record.get(SEAL)
    if seal is None:
        return "has no seal"
    ending = f',\n "{SEAL}": "{seal}"\n}}\n'
    if not text.endswith(ending) or _of(text.removesuffix(ending) + "\n}\n") != seal:
        return "was changed: its seal is not that of its content"
    return ""


def _of(text: str) -> str:
    return sha256(text.encode()).hexdigest()
