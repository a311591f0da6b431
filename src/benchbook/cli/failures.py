"""Errors and signals as a line or two on standard error and an exit code; a traceback only with ``--debug``."""

import traceback
from contextlib import suppress
from typing import Any

import typer
from typer.core import TyperGroup

from benchbook import interruption
from benchbook.cli import foreseen
from benchbook.errors import BenchbookError, MachineError, StoredRunError

DAMAGED, LACKS = StoredRunError.code, MachineError.code
"""Exit codes of commands that go through all that they check before they end."""
CODES = (
    "Exit codes: 0 done, 1 refused, 2 wrong use, 3 the machine lacks something, 4 another measurement runs, "
    "5 no such run is stored, 6 what is stored is damaged, 7 what was compared disagrees, 8 a main claim is not "
    "decided here, 128 and a signal's number."
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
            told = foreseen.of(error) or BenchbookError(
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
