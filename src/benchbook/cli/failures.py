"""Errors in, two short lines on standard error and an exit code out; a traceback only with ``--debug``."""

from __future__ import annotations

import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from benchbook.errors import BenchbookError

FAILED, INTERRUPTED = 1, 130


class Commands(TyperGroup):
    """The group of all commands: it turns what they raise into messages."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """``--debug`` may stand anywhere on the line."""
        if "--debug" in args:
            args = ["--debug", *(each for each in args if each != "--debug")]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; exit 1 after an error, 130 after Ctrl-C, 2 after a wrong use of the command line."""
        debug = bool(ctx.params.get("debug"))
        try:
            return super().invoke(ctx)
        except BenchbookError as error:
            complain(error, debug=debug)
            raise typer.Exit(FAILED) from error
        except KeyboardInterrupt as interruption:
            if debug:
                typer.echo(traceback.format_exc(), err=True)
            typer.echo(str(interruption) or "stopped", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            if isinstance(error, BrokenPipeError | typer.Abort) or hasattr(error, "exit_code"):
                raise  # typer's own: help, wrong use, a reader that went away
            unforeseen = BenchbookError(
                f"unforeseen error: {type(error).__name__}: {error}",
                "repeat the command with --debug and report what it shows",
            )
            unforeseen.__cause__ = error
            complain(unforeseen, debug=debug)
            raise typer.Exit(FAILED) from error


def complain(error: BenchbookError, *, debug: bool = False) -> None:
    """What is wrong and its mend, a line each; before them the traceback if asked for."""
    if debug:
        typer.echo("".join(traceback.format_exception(error)), err=True)
    typer.echo(f"error: {error.problem}", err=True)
    typer.echo(f"mend: {error.mend}", err=True)
