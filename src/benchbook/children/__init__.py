"""Programs that measure or are measured: none of them outlives this process, and all of them hold what it holds.

Linux ends such a program when the thread that started it ends: start them in threads that last. Elsewhere a program is
started as usual.
"""

import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchbook.children import launcher

_LAUNCHER = launcher.__file__
_RESET = (signal.SIGPIPE, signal.SIGXFSZ)
"""What Python ignores from its start on."""
_held: list[int] = []

Command = Sequence[str | os.PathLike[str]]


@contextmanager
def holding(descriptor: int) -> Iterator[None]:
    """Every program started meanwhile inherits this open file, so that a lock on it ends with the last of them."""
    _held.append(descriptor)
    try:
        yield
    finally:
        _held.remove(descriptor)


def start(
    command: Command,
    *,
    death: signal.Signals = signal.SIGKILL,
    account: pwd.struct_passwd | None = None,
    **options: Any,
) -> subprocess.Popen[Any]:
    """Start a program that gets the signal ``death`` when this process ends, however that comes.

    account: under which it runs; only root can ask for one. options: those of ``subprocess.Popen``.
    Returns when the program itself runs, some 20 ms later; raises OSError when it cannot be executed.
    """
    if sys.platform != "linux":
        if account is not None:
            options |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        return subprocess.Popen(command, pass_fds=_held, **options)
    program = shutil.which(command[0]) or os.fspath(command[0])
    who = ("-", "-") if account is None else (str(account.pw_uid), str(account.pw_gid))
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as errors:
        try:
            process: subprocess.Popen[Any] = subprocess.Popen(
                [
                    sys.executable, "-I", "-S", _LAUNCHER, str(writing), str(os.getpid()), str(int(death)),
                    ",".join(str(int(each)) for each in _RESET), *who, program, *command,
                ],
                pass_fds=(writing, *_held), **options,
            )  # fmt: skip
        finally:
            os.close(writing)
        try:
            number = errors.read()
        except BaseException:  # such as Ctrl-C
            end(process)
            raise
    if number:
        end(process)
        raise OSError(int(number), os.strerror(int(number)), program)
    return process


def run(command: Command, *, timeout_s: float | None, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end and return its status and what it wrote, as text.

    timeout_s: None for as long as it takes. options: those of ``start``. Raises OSError as that does, and
    subprocess.TimeoutExpired when it was ended because timeout_s had passed.
    """
    process = start(
        command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )
    try:
        said, told = process.communicate(timeout=timeout_s)
    finally:
        end(process)
    return subprocess.CompletedProcess(command, process.returncode, said, told)


def end(process: subprocess.Popen[Any]) -> None:
    """Kill a process if it still runs, wait for it, and close its pipes."""
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def end_if(number: int, still: Callable[[], bool]) -> bool:
    """Kill a process known by its number alone, if it is still the one that is meant; whether a signal was sent.

    still: asked while the process is held by a descriptor, so that its number cannot go to another one meanwhile. A
    number below 1 is no process: in a list it stands for one that cannot be seen from here, and to ``kill`` it would
    mean the caller's whole group. Nothing is sent to somebody else's process, and where the kernel has no descriptors
    of processes.
    """
    if number < 1:
        return False
    try:
        process = os.pidfd_open(number)
    except OSError:
        return False
    try:
        if still():
            signal.pidfd_send_signal(process, signal.SIGKILL)
            return True
    except OSError:
        pass
    finally:
        os.close(process)
    return False
