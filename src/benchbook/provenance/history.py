"""The states of a file: as it is now, and as it was at every commit that changed it."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from benchbook import nofollow
from benchbook.provenance import git


def states(root: Path, name: str) -> Iterator[bytes]:
    """Content of a file now, then at each commit that changed it, the newest first; now alone outside a git clone.

    name: relative to ``root``, with forward slashes. Nothing comes for a file that neither is nor was. Raises
    GitRefusedError after the content of now, where there is a clone and git does not answer.
    """
    path = root / name
    if path.is_file():
        yield nofollow.content(path, levels=nofollow.DATA)
    try:
        here = git.clone(root)
    except git.NoCloneError:
        return
    commits = here.ask("log", "--format=%H", "--", name).decode().split() if here.head() else []
    for commit in commits:
        content = here.content(f"{commit}:{name}")
        if content is not None:
            yield content


def state(root: Path, name: str, digest: str) -> bytes | None:
    """The state of a file that has this SHA-256 (64 hex digits), or None when there is none here; raises as states."""
    return next((content for content in states(root, name) if sha256(content).hexdigest() == digest), None)


def whole_history(root: Path) -> bool:
    """Whether every state that a file ever had is here: in a clone with its whole history that git answers for."""
    try:
        return git.clone(root).whole()
    except git.GitError:
        return False
