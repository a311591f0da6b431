"""Wall time of ``make book`` by phase in a fresh clone with empty caches, of its second run and of ``make edition``."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchbook import files, project, temporary
from benchbook.bench import programs
from benchbook.bench.measured import Measured, Say
from benchbook.bench.record import timing
from benchbook.bench.sizes import Sizes
from benchbook.errors import BenchbookError
from benchbook.provenance import git

ALL_TARGET_S, FIRST_TARGET_S, BUILDING_TARGET_S, AGAIN_TARGET_S = 720.0, 180.0, 90.0, 10.0
_TIMEOUT_S = 7_200
_BYTES = 8 * 2**30
PHASES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("setup", "make setup: Python packages", ("make", "setup")),
    ("published", "building the published book", (".venv/bin/benchbook", "build")),
    ("probes", "make probes: the measuring programs in Go and C++", ("make", "probes")),
    (
        "measuring",
        "measuring every chapter (quick profile)",
        (".venv/bin/benchbook", "run", "--all", "--profile", "quick"),
    ),
    ("building", "building the book", (".venv/bin/benchbook", "build")),
)
"""The steps of ``make book``, in its order."""


def measure(sizes: Sizes, say: Say) -> Measured:
    """One clone, once: what is fetched and compiled the first time cannot be repeated in it. Takes a network.

    Raises BenchbookError with the last words of the step that failed, MachineError without room on the disk.
    """
    found: dict[str, float] = {}
    with _fresh_clone() as (clone, variables):
        for name, label, command in PHASES:
            say(label)
            found[name] = programs.seconds(command, clone, variables, timeout_s=_TIMEOUT_S)
        say("make book again")
        found["again"] = programs.seconds(["make", "book"], clone, variables, timeout_s=_TIMEOUT_S)
    targets = {"building": BUILDING_TARGET_S}
    timings = [timing(name, label, [found[name]], targets.get(name)) for name, label, _ in PHASES]
    every = sum(found[name] for name, _, _ in PHASES)
    timings.append(
        timing("first", "setup and the published book", [found["setup"] + found["published"]], FIRST_TARGET_S)
    )
    timings.append(timing("all", "make book, all five phases", [every], ALL_TARGET_S))
    timings.append(timing("again", "make book again, nothing changed", [found["again"]], AGAIN_TARGET_S))
    return Measured(tuple(timings), (), {"packages of the system": "there already", "caches of uv and Go": "empty"})


@contextmanager
def _fresh_clone() -> Iterator[tuple[Path, dict[str, str]]]:
    """A clone of the last commit on the scratch disk, and the variables that keep its caches beside it."""
    with temporary.folder("bench", files.scratch(_BYTES)) as folder:
        folder.chmod(0o755)  # an unprivileged server must reach its programs in the clone
        clone = folder / "clone"
        done = subprocess.run(
            ["git", "clone", "--quiet", "--no-hardlinks", str(project.root()), str(clone)],
            capture_output=True, text=True, check=False, env=git.environment(),
        )  # fmt: skip
        if done.returncode != 0:
            raise BenchbookError(f"git cannot clone the project: {done.stderr.strip()}", "run this in a git clone")
        caches = {"UV_CACHE_DIR": "uv", "GOCACHE": "go-build", "GOMODCACHE": "go-modules"}
        yield clone, {variable: str(folder / cache) for variable, cache in caches.items()}
