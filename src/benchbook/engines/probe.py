"""Probes: programs that are sent a request, measure, and write samples and counters (probes/PROTOCOL.md)."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import children, files, mishaps, project, temporary
from benchbook.engines.printed import last_line, printed_version
from benchbook.engines.probe_answer import BUILD, PROTOCOL, parse, read_samples
from benchbook.errors import BenchbookError, FullDiskError, MachineError, NoEngineError, shortened

FOLDER = "BENCHBOOK_PROBES"
_EXIT = {
    1: ("the engine failed or read a wrong value", "look at the message; run the probe's own tests with `make test`"),
    2: ("it crashed", "look whether disk or memory ran out; run the probe's own tests with `make test`"),
    3: ("the samples could not be written", "free disk space"),
    4: ("the request was refused", "correct the parameters that the message names"),
}
GRACE_S = 5
"""How long a probe may take to end once it is told to."""


@dataclass(frozen=True)
class Answer:
    """What a probe measured. series: latencies in ns by name, int64, shape (operations,). record: its JSON line."""

    series: Mapping[str, np.ndarray]
    record: Mapping[str, Any]


def find(name: str, built_in: str, mend: str) -> Path:
    """A probe's program; ``BENCHBOOK_PROBES`` names the folder, else ``.tools/<built_in>`` of the project.

    Raises NoEngineError with this mend when it is not built.
    """
    for folder in _folders(built_in):
        if found := shutil.which(name, path=str(folder)):
            return Path(found)
    raise NoEngineError(f"the measuring program {name} is not built", mend)


def version(program: Path) -> str:
    """What a probe says about its engine's version; raises MachineError when it does not start or says nothing."""
    return printed_version(program, r"(?s)\S(.*\S)?", BUILD)[0]


def ask(
    program: Path,
    request: Mapping[str, Any],
    *,
    timeout_s: float,
    folder: Path | None = None,
    store: Path | None = None,
) -> Answer:
    """Run a probe once and return what it measured.

    request: the fields of the protocol but for protocol, folder and samples. folder: the disk on which store and
    samples lie while it runs; both are removed at the end, whatever happens. store: a folder of the caller's for the
    store, which stays.
    Raises BenchbookError for a refused request, a wrong read, another protocol and an answer that contradicts
    itself, MachineError for a probe that does not start, crashes, is killed, exceeds timeout_s or finds no room.
    Nothing of a failed probe is returned.
    """
    with temporary.folder("probe", folder) as made, mishaps.disk_told():
        samples = made / "samples"
        whole = dict(request) | {
            "protocol": PROTOCOL, "folder": str(store or store_in(made)), "samples": str(samples)
        }  # fmt: skip
        output = _run(program, json.dumps(whole), timeout_s, made)
        record = parse(output)
        return Answer(read_samples(samples, record["series"]), record)


def store_in(folder: Path) -> Path:
    """A new folder for a store."""
    made = folder / "store"
    made.mkdir()
    return made


def _folders(built_in: str) -> list[Path]:
    named = os.environ.get(FOLDER)
    if named:
        if not Path(named).is_dir():
            raise MachineError(
                f"{FOLDER}={shortened(named)} is not a folder",
                "set it to the folder that holds the programs, or unset it to use those of the project",
            )
        return [Path(named)]
    return [folder / ".tools" / built_in for folder in project.homes()]


def _run(program: Path, request: str, timeout_s: float, folder: Path) -> str:
    with started(program) as process:
        try:
            written, said = process.communicate(request.encode(), timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise MachineError(
                f"{program.name} did not end within {timeout_s:,.0f} s", "ask for fewer operations or a longer limit"
            ) from None
    if process.returncode == 0:
        return written.decode(errors="replace")
    raise failure(program, process.returncode, said.decode(errors="replace"), folder)


def failure(program: Path, code: int, prose: str, folder: Path) -> BenchbookError:
    """The error of a probe that ended with this code. prose: what it said on standard error. folder: of its store."""
    if code < 0:
        return mishaps.killed(program.name, -code, folder)
    what, mend = _EXIT.get(code, (f"it ended with {code}", "run it again"))
    first = next((line.strip() for line in prose.splitlines() if line.strip()), "it said nothing")
    said = first if code == 2 else last_line(prose)  # what a crash was; its trace follows
    if mishaps.says_full(prose):
        return FullDiskError(f"{program.name}: {what}: {said}", "free disk space")
    if code != 4 and mishaps.nearly_full(folder):
        return mishaps.full(folder.parent, f"{program.name}: {said}")  # some engines call it an input/output error
    kind = MachineError if code in {2, 3} else BenchbookError
    return kind(f"{program.name}: {what}: {said}", mend)


@cache
def _loaded(program: Path) -> tuple[Path, ...]:
    """The program and the libraries that it is linked with, as far as the linker says."""
    said = ""
    with suppress(OSError, subprocess.TimeoutExpired):
        said = subprocess.run(["ldd", program], capture_output=True, text=True, timeout=30, check=False).stdout
    return (program, *(Path(found) for found in re.findall(r"=> (/\S+)", said)))


@contextmanager
def started(program: Path, stderr: Any = subprocess.PIPE) -> Iterator[subprocess.Popen[bytes]]:
    """A probe in a process group of its own, which is gone at the end, whatever happens.

    Its own files are read first, so that what the process reads from a device is its store.
    """
    for path in _loaded(program):
        with suppress(OSError):  # it says itself what it lacks
            files.read_through(path)
    try:
        process = children.start(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, bufsize=0,
            start_new_session=True, env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
        )  # fmt: skip
    except OSError as error:
        raise MachineError(
            f"{program.name} does not start ({error.strerror})", "build it with `make probes`"
        ) from error
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=GRACE_S)
        with suppress(ProcessLookupError):  # whatever it started and left
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(OSError):  # what nobody reads any more
                    pipe.close()
