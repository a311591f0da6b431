"""``SHA256SUMS`` beside the published runs: the SHA-256 of each of their files; a new run's lines are added."""

import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from benchbook import nofollow
from benchbook.errors import StoredRunError
from benchbook.store import atomic

FILE = "SHA256SUMS"
MEND = f"restore data/published, {FILE} included, with `git checkout` or from a copy"
Listed = Mapping[str, Mapping[str, str]]
"""Folder of a published run, as experiment/id, to the names of its files with their SHA-256 (64 hex digits)."""
_LINE = re.compile(r"([0-9a-f]{64})  ([^/\s]+/[^/\s]+)/([^/\s]+)\n")


def read(published: Path) -> Listed:
    """What is listed in the folder of the published runs; nothing where the file is missing.

    Raises StoredRunError when a line is none of ``sha256sum``, twice there or not in its place.
    """
    try:
        content = nofollow.content(published / FILE, levels=nofollow.RUN)
    except FileNotFoundError:
        return MappingProxyType({})
    except OSError as error:
        raise StoredRunError(f"{FILE} cannot be read ({error.strerror})", MEND) from error
    return parse(content)


@lru_cache(maxsize=4)
def parse(content: bytes) -> Listed:
    """The same of the file's content."""
    found: dict[str, dict[str, str]] = {}
    before = ""
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(keepends=True), start=1):
        match = _LINE.fullmatch(line)
        if match is None or line[66:] <= before:
            raise StoredRunError(f"{FILE} is damaged in line {number}", MEND)
        before = line[66:]
        found.setdefault(match[2], {})[match[3]] = match[1]
    return MappingProxyType({folder: MappingProxyType(own) for folder, own in found.items()})


def text(listed: Listed) -> str:
    """The file's content: what ``sha256sum --check`` reads, sorted by path."""
    rows = sorted((f"{folder}/{name}", digest) for folder, own in listed.items() for name, digest in own.items())
    return "".join(f"{digest}  {path}\n" for path, digest in rows)


def add(published: Path, name: str, folder: Path) -> None:
    """List a run of whose name, experiment/id, nothing else may be listed. folder: where its files lie now."""
    own = {path.name: nofollow.sha256(path, nofollow.PUBLISHED) for path in folder.iterdir()}
    with _alone(published):
        listed = read(published)
        if listed.get(name, own) != own:
            raise StoredRunError(f"{FILE} lists other files of {name}", MEND)
        atomic.write_text(published / FILE, text({**listed, name: own}))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While no other process that asks the same changes the folder's list."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def problem(folder: Path, recorded: Mapping[str, str], listed: Listed) -> str:
    """What of a published run is not as listed, in words that follow its name; "" where nothing is.

    recorded: SHA-256 of its record's file as it is, and of its tables as the record has them; whether the tables still
    have them is looked at elsewhere.
    """
    own = listed.get(f"{folder.parent.name}/{folder.name}")
    if own is None:
        return f"is not listed in {FILE}"
    there = {path.name for path in folder.iterdir()}
    if own.keys() - there:
        return f"lacks {', '.join(sorted(own.keys() - there))}, listed in {FILE}"
    if there - own.keys():
        return f"has {', '.join(sorted(there - own.keys()))}, not listed in {FILE}"
    other = sorted(name for name in own.keys() | recorded.keys() if own.get(name) != recorded.get(name))
    return f"has another {' and another '.join(other)} than listed in {FILE}" if other else ""
