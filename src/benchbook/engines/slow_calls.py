"""A program whose system calls take longer: started with a small library that lengthens and counts some of them."""

from __future__ import annotations

import shlex
import struct
from dataclasses import dataclass
from pathlib import Path

from benchbook.engines.storage.compiling import compiled

NAME = "calls"
KINDS = ("locks", "reads", "states", "names")
"""What is counted, in the order of probes/calls/calls.c: fcntl; pread; fstat; stat and access."""
_COUNTS = struct.Struct(f"@{len(KINDS) + 1}Q")


@dataclass(frozen=True)
class Slowed:
    """program: to be started instead. counts: the file in which its library counts; both lie in the caller's folder."""

    program: Path
    counts: Path

    def counted(self) -> tuple[dict[str, int], int]:
        """Calls of each kind since it was made, and by how many ns all of them were lengthened."""
        *calls, added_ns = _COUNTS.unpack(self.counts.read_bytes()[: _COUNTS.size])
        return dict(zip(KINDS, calls, strict=True)), added_ns


def slowed(program: Path, folder: Path, name: str, ns: int) -> Slowed:
    """A program that is this one, with each call ns longer (0: only counted). name: of its files in the folder.

    Raises NoEngineError without a C compiler.
    """
    script, counts = folder / f"{name}.sh", folder / f"{name}.counts"
    counts.write_bytes(bytes(_COUNTS.size))
    words = [f"LD_PRELOAD={compiled(NAME)}", f"BENCHBOOK_CALLS_COUNTS={counts}", f"BENCHBOOK_CALLS_NS={ns}"]
    command = shlex.join(["exec", "env", *words, str(program)])
    script.write_text(f'#!/bin/sh\n{command} "$@"\n', "utf-8")
    script.chmod(0o755)
    return Slowed(script, counts)
