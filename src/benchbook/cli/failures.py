"""Errors and signals as a line or two on standard error and an exit code; a traceback only with ``--debug``."""

import errno
import os
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from benchbook import interruption, mishaps, project
from benchbook.errors import BenchbookError, MachineError, StoredRunError, shortened

DAMAGED, LACKS = StoredRunError.code, MachineError.code
"""Exit codes of commands that go through all that they check before they end."""
CODES = (
    "Exit codes: 0 done, 1 refused, 2 wrong use, 3 the machine lacks something, 4 another measurement runs, "
    "5 no such run is stored, 6 what is stored is damaged, 7 what was compared disagrees, 8 a claim is not "
    "decided by it, 128 and a signal's number."
)
QUIET = "benchbook.quiet"
"""Name of what a context remembers: whether the command was told to say nothing but its result."""


class Commands(TyperGroup):
    """The group of all commands: it turns what they raise into messages."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """``--debug`` may stand anywhere on the line, and ``--quiet`` of a command holds for what comes before it."""
        if "--debug" in args:
            args = ["--debug", *(each for each in args if each != "--debug")]
        ctx.meta[QUIET] = not {"--quiet", "-q"}.isdisjoint(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; exit by the kind of an error, 2 after a wrong use, else by the signal: 130 after Ctrl-C."""
        debug = bool(ctx.params.get("debug"))
        try:
            with interruption.interruptible():
                return super().invoke(ctx)
        except BenchbookError as error:
            complain(error, debug=debug)
            raise typer.Exit(error.code) from error
        except KeyboardInterrupt as stopped:
            with suppress(OSError):  # the terminal may be gone
                if debug:
                    typer.echo(traceback.format_exc(), err=True)
                typer.echo(str(stopped) or "stopped", err=True)
            raise typer.Exit(interruption.exit_code()) from None
        except Exception as error:
            if isinstance(error, BrokenPipeError | typer.Abort) or hasattr(error, "exit_code"):
                raise  # typer's own: help, wrong use, a reader that went away
            told = foreseen(error) or BenchbookError(
                f"unforeseen error: {type(error).__name__}: {error}",
                "repeat the command with --debug and report what it shows",
            )
            told.__cause__ = error
            complain(told, debug=debug)
            raise typer.Exit(told.code) from error


def wrong_use(wrong: object, why: str, option: str) -> None:
    """Refuse options that contradict each other. wrong: whether they do, or anything that says so by being there."""
    if wrong:
        raise typer.BadParameter(why, param_hint=option)


def complain(error: BenchbookError, *, debug: bool = False) -> None:
    """What is wrong and its mend, a line each; before them the traceback if asked for."""
    if debug:
        typer.echo("".join(traceback.format_exception(error)), err=True)
    for line in error.lines():
        typer.echo(line, err=True)


_REFUSED = {errno.EROFS, errno.EACCES, errno.EPERM}
_ABSENT = {errno.ENOENT, errno.ENOTDIR}
_TOO_MANY = {errno.EMFILE, errno.ENFILE}


def foreseen(error: Exception) -> BenchbookError | None:
    """What to tell of a trouble of the machine that any command may meet; None for a mistake of the program."""
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
