"""The program that delays (probes/delay): where it lies, and a child of it that obeys lines."""

from __future__ import annotations

import json
import os
import pwd
import selectors
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from benchbook import children, files, mishaps
from benchbook.engines import probe
from benchbook.errors import MachineError

PROGRAM = "delay"
BUILD = "run `make probe-delay`; it needs Linux and a C compiler"
_PATIENCE_S = 30.0
_GRACE_S = 5.0
_QUIETER = "try again on a quieter machine"


def find() -> Path:
    """The program; raises NoEngineError when it is not built."""
    return probe.find(PROGRAM, PROGRAM, BUILD)


def version() -> str:
    """What the program says it is, such as "delay 1"; raises MachineError when it is missing or does not start."""
    return probe.version(find())


def identity() -> dict[str, str]:
    """Which proxy delays, for a run's record."""
    return {"proxy": version(), "proxy_sha256": files.sha256(find())}


def run(*words: str, timeout_s: float) -> str:
    """What a call of the program prints; raises MachineError when it fails or takes longer."""
    try:
        done = children.run([find(), *words], timeout_s=timeout_s)
    except subprocess.TimeoutExpired:
        raise MachineError(f"{PROGRAM} {words[0]} did not end within {timeout_s:.0f} s", _QUIETER) from None
    except OSError as error:
        raise MachineError(f"{PROGRAM} does not start ({error.strerror})", BUILD) from error
    if done.returncode:
        raise _ended(done.returncode, done.stderr)
    return done.stdout


class Child:
    """A program that serves until its standard input ends, or this process does, and answers lines with lines."""

    def __init__(self, process: subprocess.Popen[str], name: str) -> None:
        self._process = process
        self._name = name

    def answer(self, line: str = "") -> dict[str, Any]:
        """The next answer, to ``line`` if one is given. Raises MachineError when the program has died or is silent."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            if line:
                self._process.stdin.write(f"{line}\n")
                self._process.stdin.flush()
            with selectors.DefaultSelector() as waiting:
                waiting.register(self._process.stdout, selectors.EVENT_READ)
                if not waiting.select(_PATIENCE_S):
                    raise MachineError(f"{self._name} says nothing for {_PATIENCE_S:.0f} s", _QUIETER)
            said = self._process.stdout.readline()
        except BrokenPipeError:
            said = ""
        if not said:
            raise self._death()
        answered: dict[str, Any] = json.loads(said)
        return answered

    def gone(self) -> MachineError | None:
        """What ended the program, or made it silent; None while it serves."""
        try:
            self.answer("report")
        except MachineError as error:
            return error
        return None

    def _death(self) -> MachineError:
        assert self._process.stderr is not None
        return _ended(self._process.wait(), self._process.stderr.read(), self._name)


@contextmanager
def serving(
    name: str, program: Path, *words: str, account: pwd.struct_passwd | None = None, first: bool = False
) -> Iterator[Child]:
    """Start the program to serve; ended at the end, and with this process. name: what messages call it.

    account: under which it serves. first: there too with the priority that it has under root.
    """
    pipe = subprocess.PIPE
    try:
        with _coming_first() if first and account is not None else nullcontext():
            process = children.start(
                [program, *words], stdin=pipe, stdout=pipe, stderr=pipe, text=True, env={"LC_ALL": "C"},
                start_new_session=True,  # so that Ctrl-C does not reach it before its clients have ended
                account=account,
            )  # fmt: skip
    except OSError as error:
        raise MachineError(f"{PROGRAM} does not start ({error.strerror})", BUILD) from error
    try:
        yield Child(process, name)
    finally:
        assert process.stdin is not None
        with suppress(OSError):  # it may have died
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_GRACE_S)
        process.stdin = None
        children.end(process)


@contextmanager
def _coming_first() -> Iterator[None]:
    """What is started meanwhile has the priority that the program asks for, which only root may give another account.

    The program takes what it has already, and tells what that is.
    """
    policy, parameters, nice = os.sched_getscheduler(0), os.sched_getparam(0), os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        with suppress(PermissionError):  # as in a container
            os.setpriority(os.PRIO_PROCESS, 0, -20)
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, parameters)
        os.setpriority(os.PRIO_PROCESS, 0, nice)


def _ended(code: int, said: str, name: str = PROGRAM) -> MachineError:
    if code < 0:
        return mishaps.killed(name, -code)
    lines = said.strip().splitlines() or [f"it ended with {code}"]
    return MachineError(f"{name}: {lines[-1]}", f"see the message; then {mishaps.AGAIN}")
