"""The command line: every command checks what it is given, asks a floor below, and prints what came of it."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """The program ``benchbook``."""
    # Imported late: whoever imports a neighbour of this package needs neither typer nor rich.
    from benchbook.cli.commands import app

    app(prog_name="benchbook")
