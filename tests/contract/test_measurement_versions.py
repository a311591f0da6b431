"""Code that measures has not changed since a chapter's newest published run, or somebody said what that means.

Who changes it raises the chapter's version, or says in a commit's message, on a line of its own:
``measurement unchanged: chapter, another: what did not change``. That holds for all that was committed until then.
"""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from benchbook import lab
from benchbook.provenance import closure, git
from benchbook.store import catalogue

SAID = re.compile(r"^measurement unchanged: ([a-z0-9_, ]+): \S", re.MULTILINE)
MEASURING = tuple(f"benchbook.{each}" for each in ("engines", "chapters", "measuring", "parameters"))
NUMBERS = re.compile(rb"^(?:METRICS\b|class Summary\b)", re.MULTILINE)
"""What parts a chapter's module: above it stands what is measured, below it what is made of that."""
NO_PROBE = ("*.md", "*_test.*", "probes/*/tests", "probes/*/fuzz", "probes/*/bench")
"""Of a probe's folder: what is in no program that measures."""


@cache
def reached(name: str) -> dict[str, bytes]:
    """What the module of a chapter reaches of what measures."""
    return closure.closure([lab.experiment(name).package], within=MEASURING)


@cache
def shared() -> Counter[str]:
    """By file how many chapters reach it."""
    return Counter(path for name in lab.names() for path in reached(name))


def measuring(name: str, root: Path) -> list[str]:
    """The chapter's module, what measures for it alone, and the probes that what they reach names."""
    found = reached(name)
    probes = [each.name for each in (root / "probes").iterdir() if each.is_dir()]
    own = [path for path in found if path.startswith(("chapters/", "measuring/")) and shared()[path] == 1]
    return [f"src/benchbook/{path}" for path in own] + [
        f"probes/{each}" for each in probes if any(f"probes/{each}".encode() in text for text in found.values())
    ]


def changed(here: git.Clone, since: str, name: str, files: list[str]) -> list[str]:
    """Of these files those that differ from the newest commit that speaks for the chapter, else from ``since``."""
    log = here.ask("log", "--format=%H%x00%B%x01", f"{since}..HEAD").decode()
    told = (each.strip().partition("\0") for each in log.split("\1"))
    spoken = (commit for commit, _, words in told if any(name in said.split(", ") for said in SAID.findall(words)))
    before = next(spoken, since)
    apart = [f":(exclude){each}" for each in NO_PROBE]
    found = here.ask("diff", "--name-only", before, "HEAD", "--", *files, *apart).decode().split()
    return [each for each in found if measured_part(here, before, each) != measured_part(here, "HEAD", each)]


def measured_part(here: git.Clone, commit: str, path: str) -> bytes:
    """Of a chapter's module what stands above its numbers; of another file its id."""
    try:
        text = here.ask("show", f"{commit}:{path}")
    except git.GitError:
        return b""
    module = re.fullmatch(r"src/benchbook/chapters/[a-z0-9_]+\.py", path)
    return NUMBERS.split(text, 1)[0] if module else text


def test_measuring_files_are_those_of_the_newest_published_run_or_of_a_newer_version(planned: str, root: Path) -> None:
    runs = [each.record for each in catalogue(planned) if each.published and each.record]
    if not runs:
        pytest.skip(f"no run of {planned} is published yet")
    newest = max(runs, key=lambda record: str(record["finished_at"]))
    commit = str(newest["provenance"]["commit"])
    try:
        here = git.clone(root)
        known = here.whole() and here.content(commit) is not None
    except git.GitError as error:
        pytest.skip(error.problem)
    if not known:
        pytest.skip(f"this history does not hold the commit {commit} that measured {planned}")
    if lab.experiment(planned).version == newest["measurement_version"]:
        found = changed(here, commit, planned, measuring(planned, root))
        assert found == [], f"raise its version, or commit `measurement unchanged: {planned}: what did not change`"
