"""Troubles of the machine that any command may meet, as the message and the fix that a user can act on."""

import errno
import os
from contextlib import suppress
from pathlib import Path

from benchbook import mishaps, project
from benchbook.errors import BenchbookError, MachineError, shortened

_REFUSED = {errno.EROFS, errno.EACCES, errno.EPERM}
_ABSENT = {errno.ENOENT, errno.ENOTDIR}
_TOO_MANY = {errno.EMFILE, errno.ENFILE}


def of(error: Exception) -> BenchbookError | None:
    """What to tell of an error that no command expected where it came; None for a mistake of the program."""
    from concurrent.futures.process import BrokenProcessPool  # slow to load, and no other command needs it

    if isinstance(error, BrokenProcessPool):
        from benchbook.book.assembly.ended import few_files

        return few_files() or MachineError(
            "a process that executes chapters was killed",
            "check whether memory ran out, free some, and repeat the command",
        )
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return MachineError("memory ran out", "close other programs, or use smaller parameters, and repeat the command")
    return _of_the_system(error) if isinstance(error, OSError) else None


def _of_the_system(error: OSError) -> BenchbookError | None:
    number = error.errno
    what = _place(error.filename2 or error.filename)
    if number == errno.ENAMETOOLONG:
        return BenchbookError("a file name is too long", "give a shorter one")
    if number in mishaps.FULL:
        return MachineError(
            f"the disk is full{what and f': {what} could not be written'}", "free some space, then repeat the command"
        )
    if number in _TOO_MANY:
        return MachineError(
            "too many files are open", "raise the limit, for example with `ulimit -n 4096`, and repeat the command"
        )
    if not what:
        return None
    reason = os.strerror(number) if number else str(error)
    if number in _REFUSED:
        return MachineError(
            f"{what} cannot be used: {reason}", "change its permissions, or work in a clone that you can write to"
        )
    if number in _ABSENT:
        return BenchbookError(
            f"{what} does not exist", "restore it, for example with `git checkout`, and repeat the command"
        )
    return None


def _place(name: object) -> str:
    """The file as the project names it, or whole where it lies elsewhere; "" where the system names none."""
    if not isinstance(name, str | bytes | os.PathLike):
        return ""
    path = Path(os.fsdecode(name))
    with suppress(BenchbookError, ValueError, OSError):
        path = path.relative_to(project.root())
    return shortened(str(path))
