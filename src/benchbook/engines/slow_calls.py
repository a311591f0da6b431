"""A program whose system calls take longer: started with a small library that lengthens and counts some of them."""

from __future__ import annotations

import shlex
import struct
from dataclasses import dataclass
from pathlib import Path

from benchbook.engines import noexec
from benchbook.engines.storage.compiling import compiled

NAME = "calls"
KINDS = ("locks", "reads", "states", "names")
"""What is counted, in the order of probes/calls/calls.c: fcntl; pread; fstat; stat and access."""
_COUNTS = struct.Struct(f"@{len(KINDS) + 1}Q")


@dataclass(frozen=True)
class Slowed:
    """What lies in the caller's folder under a name: a program to be started instead, and what its library counts."""

    folder: Path
    name: str

    @property
    def program(self) -> Path:
        """The script that starts it with the library."""
        return self.folder / f"{self.name}.sh"

    @property
    def counts(self) -> Path:
        """The file in which the library counts."""
        return self.folder / f"{self.name}.counts"

    def counted(self) -> tuple[dict[str, int], int]:
        """Calls of each kind since it was made, and by how many ns all of them were lengthened."""
        *calls, added_ns = _COUNTS.unpack(self.counts.read_bytes()[: _COUNTS.size])
        return dict(zip(KINDS, calls, strict=True)), added_ns


def slowed(program: Path, folder: Path, name: str, ns: int) -> Slowed:
    """A program that is this one, with each call ns longer (0: only counted). name: of its files in the folder.

    Raises NoEngineError without a C compiler, MachineError where no program can be started from the folder.
    """
    if why := noexec.refusal(folder):
        raise why
    made = Slowed(folder, name)
    made.counts.write_bytes(bytes(_COUNTS.size))
    words = [f"LD_PRELOAD={compiled(NAME)}", f"BENCHBOOK_CALLS_COUNTS={made.counts}", f"BENCHBOOK_CALLS_NS={ns}"]
    command = shlex.join(["exec", "env", *words, str(program)])
    made.program.write_text(f'#!/bin/sh\n{command} "$@"\n', "utf-8")
    made.program.chmod(0o755)
    return made
