"""``build``: the book, from stored runs alone."""

from __future__ import annotations

from typing import Annotated

import typer

from benchbook import book
from benchbook.cli.progress import interruptible
from benchbook.cli.texts import place
from benchbook.experiments import profiles
from benchbook.experiments.profiles import PROFILES


def add_to(app: typer.Typer) -> None:
    """Declare the command."""
    app.command("build")(build)


def build(
    edition: Annotated[bool, typer.Option("--edition", help="Show the published runs, not the local ones.")] = False,
    profile: Annotated[
        str, typer.Option("--profile", metavar="|".join(PROFILES), help="Whose local runs an ordinary build shows.")
    ] = "quick",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print where the book is and nothing else.")] = False,
) -> None:
    """Build the book from stored runs, and print where it is. Building never measures.

    Examples:

    benchbook build

    benchbook build --profile standard

    benchbook build --edition
    """
    profiles.check(profile)
    with interruptible():
        typer.echo(place(book.build(edition=edition, quiet=quiet, profile=profile)))
