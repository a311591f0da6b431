"""``edition``: freeze the book as it is now, list what was frozen, check that it is all still there, take it along."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchbook import project
from benchbook.book.assembly import exports
from benchbook.book.parts import figure_files
from benchbook.book.records import editions
from benchbook.cli import crates
from benchbook.cli.failures import DAMAGED
from benchbook.cli.formatting import moment, place, print_table

NAME = Annotated[str, typer.Argument(help="The edition's name, such as 2026.1.")]


def add_to(app: typer.Typer) -> None:
    """Declare the commands."""
    edition = typer.Typer(
        no_args_is_help=True,
        help="Freeze the book as an edition: its runs, ledger, code and every figure.\n\n"
        "Examples:\n\nbenchbook edition create 2026.1\n\nbenchbook edition list\n\nbenchbook edition check 2026.1\n\n"
        "benchbook edition crate 2026.1 --out benchbook-2026.1.zip",
    )
    edition.command("create")(create)
    edition.command("list")(list_editions)
    edition.command("check")(check)
    edition.command("crate")(crate)
    app.add_typer(edition, name="edition")


def create(
    name: NAME,
    drawings: Annotated[
        bool, typer.Option("--drawings/--no-drawings", help="Draw each figure as SVG, PNG and PDF; needs Chromium.")
    ] = True,
) -> None:
    """Freeze the book that was last built with `benchbook build --edition`, under a name that never changes again.

    Example: benchbook edition create 2026.1
    """
    root = project.root()
    records, _ = editions.planned(root, name)
    if drawings:
        folder = root / figure_files.PUBLISHED
        count = exports.draw(folder, records, lambda identity: typer.echo(f"drawn: {identity}", err=True))
        typer.echo(f"{count} figures drawn in {place(folder)}", err=True)
    typer.echo(f"edition in {place(editions.create(root, name))}; commit it, with data/figures")


def list_editions() -> None:
    """List the editions, the oldest first.

    Example: benchbook edition list
    """
    root = project.root()
    found = [editions.read(root, name) for name in editions.names(root)]
    if not found:
        typer.echo("there is no edition yet; `benchbook edition create NAME` makes one", err=True)
        return
    rows = [
        [each["name"], each["version"], moment(each["created"]), str(len(each["runs"])), str(len(each["figures"]))]
        for each in found
    ]
    print_table(["edition", "version", "created (UTC)", "runs", "figures"], rows)


def check(name: NAME) -> None:
    """Check that every run and figure of an edition is here as it was frozen; exits 6 when one is not.

    Example: benchbook edition check 2026.1
    """
    root = project.root()
    editions.figures(root, name)
    problems = editions.problems(root, name)
    for problem in problems:
        typer.echo(f"  {problem}")
    if problems:
        typer.echo(f"error: the edition {name} is not complete; the problems are listed above", err=True)
        typer.echo("fix: restore the files with `git checkout`", err=True)
        raise typer.Exit(DAMAGED)
    typer.echo(f"edition {name} is complete")


def crate(
    name: NAME,
    out: Annotated[Path, typer.Option("--out", help="Zip file to write; it must not exist yet.")],
) -> None:
    """Write an edition as one RO-Crate: runs, ledger, notebooks, figures, and which code made what, with all hashes.

    The same edition gives the same file to the last byte. `benchbook verify --crate FILE` checks it on any machine.

    Example: benchbook edition crate 2026.1 --out benchbook-2026.1.zip
    """
    crates.write(name, out)
