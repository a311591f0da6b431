"""The command line: every command checks what it is given, asks a floor below, and prints what came of it."""

import os

from benchbook import accounts, interruption

__all__ = ["main"]


BUILD_DATE = "SOURCE_DATE_EPOCH"
"""An empty one is a number to the libraries that ask for it, and an error; it means none."""


def main() -> None:
    """The program ``benchbook``."""
    interruption.take()
    if not os.environ.get(BUILD_DATE):
        os.environ.pop(BUILD_DATE, None)
    accounts.give_home()
    # Imported late: whoever imports a neighbour of this package needs neither typer nor rich, and Ctrl-C is answered.
    from benchbook.cli.commands import app

    try:
        app(prog_name="benchbook")
    finally:
        interruption.let_end()
