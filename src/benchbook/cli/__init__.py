"""The command line: every command checks what it is given, asks a floor below, and prints what came of it."""

from __future__ import annotations

from benchbook import interruption

__all__ = ["main"]


def main() -> None:
    """The program ``benchbook``."""
    interruption.take()
    # Imported late: whoever imports a neighbour of this package needs neither typer nor rich, and Ctrl-C is answered.
    from benchbook.cli.commands import app

    try:
        app(prog_name="benchbook")
    finally:
        interruption.let_end()
