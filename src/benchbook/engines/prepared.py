"""A probe that is filled and warmed, then waits, and measures in short turns when told to (probes/PROTOCOL.md)."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook import files, mishaps, temporary
from benchbook.engines import probe
from benchbook.engines.probe_answer import BUILD, PROTOCOL, parse, read_samples
from benchbook.errors import BenchbookError, MachineError

TURN_LIMIT_S = 120.0
"""A turn of some ms that takes so long will not end."""


@dataclass(frozen=True)
class Turn:
    """How long a turn is. for_ns: of measured time. discard_ns: of it, at its beginning, made and not kept."""

    for_ns: int
    discard_ns: int = 0


@contextmanager
def prepared(
    program: Path,
    request: Mapping[str, Any],
    *,
    timeout_s: float,
    folder: Path | None = None,
    store: Path | None = None,
) -> Iterator[Prepared]:
    """A probe that has filled its store and waits; it is gone at the end, whatever happens, and so is its store.

    Arguments and errors as of ``probe.ask``.
    """
    with temporary.folder("probe", folder) as made, mishaps.disk_told():
        holding, samples, prose = store or probe.store_in(made), made / "samples", made / "prose"
        whole = dict(request) | {
            "protocol": PROTOCOL, "folder": str(holding), "samples": str(samples), "turns": True
        }  # fmt: skip
        with prose.open("wb") as said, probe.started(program, stderr=said) as process:
            waiting = Prepared(program, process, samples, prose, holding)
            waiting.tell(whole)
            if waiting.said(timeout_s).get("ready") is not True:
                raise BenchbookError("the probe does not say that it is ready", BUILD)
            yield waiting


class Prepared:
    """A waiting probe. It uses no processor until it is told to take a turn."""

    def __init__(
        self, program: Path, process: subprocess.Popen[bytes], samples: Path, prose: Path, store: Path
    ) -> None:
        self._program, self.process = program, process
        self._samples, self._prose, self._store = samples, prose, store
        self._read = b""

    def turn(self, turn: Turn) -> dict[str, Any]:
        """What the probe says of the turn: kept and all lookups and their ns."""
        self.tell({"turn": {"for_ns": turn.for_ns, "discard_ns": turn.discard_ns}})
        answer = self.said(TURN_LIMIT_S).get("turn")
        if not isinstance(answer, dict):
            raise BenchbookError("the probe's answer to a turn is not one", BUILD)
        return answer

    def recall(self) -> None:
        """Read its store's files, but for logs, as if they had just been written: it may have waited for minutes."""
        files.recall(self._store, but=".log")

    def end(self, timeout_s: float = TURN_LIMIT_S) -> probe.Answer:
        """All that it measured."""
        self.tell({"end": True})
        record = parse(self.line(timeout_s) + "\n")
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise self._too_long(timeout_s) from None
        if self.process.returncode != 0:
            raise self._failure()
        return probe.Answer(read_samples(self._samples, record["series"]), record)

    def tell(self, what: Mapping[str, Any]) -> None:
        """Send it one line."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(what).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._failure() from None

    def said(self, timeout_s: float) -> dict[str, Any]:
        """The next line as an object."""
        try:
            found = json.loads(self.line(timeout_s))
        except ValueError as error:
            raise BenchbookError(f"the probe's line is not JSON ({error})", BUILD) from error
        if not isinstance(found, dict):
            raise BenchbookError("the probe's line is not an object", BUILD)
        return found

    def line(self, timeout_s: float) -> str:
        """The next line that it says; raises as ``probe.ask`` when it ends instead, or takes longer."""
        assert self.process.stdout is not None
        descriptor, until = self.process.stdout.fileno(), time.monotonic() + timeout_s
        with selectors.DefaultSelector() as waiting:
            waiting.register(descriptor, selectors.EVENT_READ)
            while b"\n" not in self._read:
                if not waiting.select(max(0.0, until - time.monotonic())):
                    raise self._too_long(timeout_s)
                some = os.read(descriptor, 1 << 16)
                if not some:
                    raise self._failure()
                self._read += some
        line, _, self._read = self._read.partition(b"\n")
        return line.decode()

    def _failure(self) -> BenchbookError:
        try:
            self.process.wait(probe.GRACE_S)
        except subprocess.TimeoutExpired:
            return BenchbookError(f"{self._program.name} said less than it should", BUILD)
        said = self._prose.read_text(errors="replace")
        return probe.failure(self._program, self.process.returncode, said, self._store.parent)

    def _too_long(self, timeout_s: float) -> MachineError:
        return MachineError(
            f"{self._program.name} did not answer within {timeout_s:,.0f} s",
            "ask for fewer operations or a longer limit",
        )
