"""``build``, ``archive`` and ``pdf``: the book from stored runs alone, and the built book as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchbook import book, project
from benchbook.cli import written
from benchbook.cli.progress import interruptible
from benchbook.cli.texts import place
from benchbook.experiments import profiles
from benchbook.experiments.profiles import PROFILES


def add_to(app: typer.Typer) -> None:
    """Declare the commands."""
    app.command("build")(build)
    app.command("archive")(archive)
    app.command("pdf")(pdf)


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


def archive(
    out: Annotated[
        Path | None, typer.Option("--out", help="HTML file to write; _build/benchbook.html without.")
    ] = None,
) -> None:
    """Write the book that was last built as one HTML file that opens by a double click and needs no network.

    It holds every page, every figure with its table and its citations, and plotly.js once. Drawings are saved by the
    buttons below them.

    Examples:

    benchbook archive

    benchbook archive --out benchbook-2026.1.html
    """
    from benchbook.book import archive as one_file  # brings a parser that no other command needs

    if out is not None:
        written.check(out)
    root = project.root()
    content = one_file.of(root).encode()
    written.write(out or root / "_build" / one_file.NAME, content)


def pdf(
    out: Annotated[Path | None, typer.Option("--out", help="PDF file to write; _build/benchbook.pdf without.")] = None,
) -> None:
    """Print the book that was last built as one PDF with every figure drawn; needs Chromium and takes a minute or two.

    Tables behind figures, origins and citations stay in the pages and in the file that `benchbook archive` writes.

    Examples:

    benchbook pdf

    benchbook pdf --out benchbook-2026.1.pdf
    """
    from benchbook.book import printing

    if out is not None:
        written.check(out)
    root = project.root()
    with interruptible():
        content = printing.of(root)
    written.write(out or root / "_build" / printing.NAME, content)
