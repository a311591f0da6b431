"""All commands under one name, with the options that hold for each of them."""

from __future__ import annotations

from typing import Annotated

import typer

import benchbook
from benchbook.cli import (
    books,
    editions,
    experiments,
    figures,
    health,
    measuring,
    performance,
    planning,
    stored,
    verdicts,
)
from benchbook.cli.failures import Commands
from benchbook.engines import bounds, kernel_settings

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Begin with: benchbook run hot_cold_keys --profile quick, then benchbook build.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"benchbook {benchbook.__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Cache-tuning notes, measured again on real engines: run an experiment, publish it, build the book."""
    # What a killed run changed on this machine is put back by whatever command comes next.
    kernel_settings.restore_leftovers()
    bounds.remove_leftovers()


for module in (experiments, measuring, stored, planning, verdicts, books, figures, editions, performance, health):
    module.add_to(app)
