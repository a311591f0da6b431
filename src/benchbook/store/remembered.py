"""Which records were found right before: by the SHA-256 of their text, so that listing runs checks each text once.

A text's check has no other input than the text and the code, so that the same text passes again. Reading a run to use
it checks its record anew, and its tables.
"""

import json
import re
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from benchbook import nofollow
from benchbook.errors import MachineError, StoredRunError
from benchbook.store import atomic

FILE = ".records-found-right.json"
_CHECKS = ("record.py", "schema.py", "seals.py", "atomic.py", "../plain.py")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Remembered:
    """Digests (SHA-256, 64 hex digits) of the records that were found right in a folder of runs by this code."""

    def __init__(self, runs: Path) -> None:
        """runs: the folder that holds the file; what cannot be read there, or other code wrote, is not remembered."""
        self._path = runs / FILE
        self._known = _read(self._path)
        self._new: set[str] = set()

    def __contains__(self, digest: str) -> bool:
        return digest in self._known or digest in self._new

    def add(self, digest: str) -> None:
        self._new.add(digest)

    def keep(self) -> None:
        """Write down what is new; a folder that is not there, full or read-only only costs the time of a check."""
        if self._new and self._path.parent.is_dir():
            with suppress(MachineError):
                atomic.write_json(self._path, {"code": _code(), "records": sorted(self._known | self._new)})


def _read(path: Path) -> set[str]:
    try:
        content = json.loads(nofollow.words(path))
    except (OSError, StoredRunError, ValueError, RecursionError):
        return set()
    if not isinstance(content, dict) or content.get("code") != _code() or not isinstance(content.get("records"), list):
        return set()
    return {each for each in content["records"] if isinstance(each, str) and _DIGEST.fullmatch(each)}


@cache
def _code() -> str:
    sources = b"".join((Path(__file__).parent / name).read_bytes() for name in _CHECKS)
    return sha256(sources + version("pydantic").encode()).hexdigest()
