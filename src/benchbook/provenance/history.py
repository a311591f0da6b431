"""What a history says: every state of a file, what a file that never changes was at first, commits that it lacks."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path

from benchbook import nofollow, project
from benchbook.provenance import git

ABSENT = "absent-commits.csv"
"""Beside the ledger: commits that published runs name and that this history does not hold, since it was published later
than they were measured. What measured is then known by the declared version of the measurement alone."""


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


def absent(commit: str | None) -> bool:
    """Whether nobody can look a run's commit up here."""
    return commit in _listed(project.ledger().with_name(ABSENT))


@cache
def _listed(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    return frozenset(row["commit"] for row in nofollow.rows(path))


@dataclass(frozen=True)
class Introduced:
    """What git knows of the files of a folder.

    unknown: why git knows nothing, "" where it does. refusal: git's own, where there is a clone. first: path, relative
    to the project's root, to the object that was committed first. now: path to what lies there now.
    """

    unknown: str = ""
    refusal: git.GitRefusedError | None = None
    first: Mapping[str, str] = field(default_factory=dict)
    now: Mapping[str, str] = field(default_factory=dict)

    def altered(self, folder: str) -> list[str]:
        """Files below a folder that are no longer as they were first committed. folder: relative to the root."""
        return [name for name in self._below(folder) if name in self.first and self.first[name] != self.now[name]]

    def committed(self, folder: str) -> bool:
        """Whether every file below a folder was ever committed."""
        return not self.unknown and all(name in self.first for name in self._below(folder))

    def _below(self, folder: str) -> list[str]:
        return sorted(name for name in self.now if name.startswith(f"{folder}/"))


def introduced(root: Path, folder: str) -> Introduced:
    """The files below ``folder`` (relative to ``root``), in a few calls of git however many there are.

    Outside a clone, where git refuses, and in a clone without its whole history nothing is known: the first commit of
    such a history is not the one that brought the file.
    """
    try:
        return _compared(git.clone(root), folder)
    except git.NoCloneError as error:
        return Introduced(error.problem)
    except git.GitRefusedError as error:
        return Introduced(error.problem, error)


def _compared(here: git.Clone, folder: str) -> Introduced:
    if not here.whole():
        return Introduced("this clone has not its whole history (`git fetch --unshallow` gets it)")
    if not here.head():
        return Introduced("nothing is committed yet")
    root = here.root
    names = [
        path.relative_to(root).as_posix()
        for path in sorted((root / folder).rglob("*"))
        if path.is_file() and not path.is_symlink()
    ]
    # Parents before children, and merges with each of their parents: whatever brought a file, it is seen.
    log = here.ask("log", "--topo-order", "--reverse", "-m", "--diff-filter=A", "--raw", "--no-abbrev", "--no-renames",
                   "--format=", "-z", "--", folder)  # fmt: skip
    paths = "".join(f"{root / name}\n" for name in names)
    hashed = here.ask("hash-object", "--no-filters", "--stdin-paths", given=os.fsencode(paths))
    first: dict[str, str] = {}
    fields = os.fsdecode(log).split("\0")
    for change, name in zip(fields[::2], fields[1::2], strict=False):
        first.setdefault(name, change.split()[3])
    return Introduced(first=first, now=dict(zip(names, hashed.decode().split(), strict=True)))
