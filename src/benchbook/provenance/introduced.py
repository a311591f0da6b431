"""Files that never change, compared with what git first had of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchbook.provenance import git


@dataclass(frozen=True)
class Introduced:
    """What git knows of the files of a folder.

    unknown: why git knows nothing, "" where it does. first: path, relative to the project's root, to the object that
    was committed first. now: path to what lies there now.
    """

    unknown: str = ""
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
    """The files below ``folder`` (relative to ``root``), in three calls of git however many there are.

    Without git, outside a clone, and in a clone without its whole history nothing is known: its first commit is not the
    one that brought the file.
    """
    shallow = _git(root, "rev-parse", "--is-shallow-repository")
    if shallow is None:
        return Introduced("this is not a git clone")
    if shallow.strip() != "false":
        return Introduced("this clone has not its whole history (`git fetch --unshallow` gets it)")
    names = [path.relative_to(root).as_posix() for path in sorted((root / folder).rglob("*")) if path.is_file()]
    # Parents before children, and merges with each of their parents: whatever brought a file, it is seen.
    log = _git(root, "log", "--topo-order", "--reverse", "-m", "--diff-filter=A", "--raw", "--no-abbrev",
               "--no-renames", "--relative", "--format=", "-z", "--", folder)  # fmt: skip
    hashed = _git(
        root,
        "hash-object",
        "--no-filters",
        "--stdin-paths",
        given="".join(f"{root.resolve() / name}\n" for name in names),
    )
    if log is None or hashed is None:
        return Introduced("git cannot be asked, or nothing is committed yet")
    first: dict[str, str] = {}
    fields = log.split("\0")
    for change, name in zip(fields[::2], fields[1::2], strict=False):
        first.setdefault(name, change.split()[3])
    return Introduced("", first, dict(zip(names, hashed.split(), strict=True)))


def _git(root: Path, *arguments: str, given: str | None = None) -> str | None:
    answer = git.ask(root, *arguments, given=None if given is None else given.encode("utf-8", "surrogateescape"))
    return None if answer is None else answer.decode("utf-8", "surrogateescape")
