"""The SHA-256 that seals a complete run's record: whoever changes one of them has to change the other."""

import json
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
    complete, seal = record.get("state") == "complete", record.get(SEAL)
    ending = f',\n "{SEAL}": "{seal}"\n}}\n'
    untouched = text.endswith(ending) and _of(text.removesuffix(ending) + "\n}\n") == seal
    if complete and untouched and _says(text, record):
        return ""
    try:
        written = atomic.json_text(record)
    except (ValueError, RecursionError):
        written = ""
    if text != written:
        return "is not written as Benchbook writes it"
    if not complete:
        return ""
    return "has no seal" if seal is None else "was changed: its seal is not that of its content"


def _says(text: str, record: dict[str, Any]) -> bool:
    """Whether the lines, without their indentation, are the record; Python writes indented JSON ten times slower."""
    try:
        joined = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ": "))
    except (ValueError, RecursionError):
        return False
    return "".join(line.lstrip(" ") for line in text.split("\n")) == joined


def _of(text: str) -> str:
    return sha256(text.encode()).hexdigest()
