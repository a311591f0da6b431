"""The states of a file: as it is now, and as it was at every commit that changed it."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from benchbook.provenance import git


def states(root: Path, name: str) -> Iterator[bytes]:
    """Content of a file now, then at each commit that changed it, the newest first; now alone outside a git clone.

    name: relative to ``root``, with forward slashes. Nothing comes for a file that neither is nor was.
    """
    path = root / name
    if path.is_file():
        yield path.read_bytes()
    for commit in (git.ask(root, "log", "--format=%H", "--", name) or b"").decode().split():
        content = git.ask(root, "show", f"{commit}:./{name}")
        if content is not None:
            yield content


def state(root: Path, name: str, digest: str) -> bytes | None:
    """The state of a file that has this SHA-256 (64 hex digits), or None when there is none here."""
    return next((content for content in states(root, name) if sha256(content).hexdigest() == digest), None)
