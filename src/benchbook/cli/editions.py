"""``edition``: freeze the book as it is now, list what was frozen, check that it is all still there, take it along."""

import os
from pathlib import Path
from typing import Annotated

import typer

from benchbook import files, project
from benchbook.book.parts import figure_files
from benchbook.book.records import editions
from benchbook.cli.failures import DAMAGED
from benchbook.cli.formatting import moment, place, print_table
from benchbook.figures.drawings import draw_all

group = typer.Typer(no_args_is_help=True)
NAME = Annotated[str, typer.Argument(help="The edition's name, such as 2026.1.")]


@group.callback()
def edition() -> None:
    """Freeze the book as an edition: its runs, ledger, code and every figure.

    Examples:

    benchbook edition create 2026.1

    benchbook edition list

    benchbook edition check 2026.1

    benchbook edition crate 2026.1 --out benchbook-2026.1.zip
    """


@group.command("create")
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
        count = draw_all(folder, records, lambda identity: typer.echo(f"drawn: {identity}", err=True))
        typer.echo(f"{count} figures drawn in {place(folder)}", err=True)
    typer.echo(f"edition in {place(editions.create(root, name))}; commit it, with data/figures")


@group.command("list")
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


@group.command("check")
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


@group.command("crate")
def crate(
    name: NAME, out: Annotated[Path, typer.Option("--out", help="Zip file to write; it must not exist yet.")]
) -> None:
    """Write an edition as one RO-Crate: runs, ledger, notebooks, figures, and which code made what, with all hashes.

    The same edition gives the same file to the last byte. Unpacked, it is a project folder, where `benchbook verify`
    checks the runs.

    Example: benchbook edition crate 2026.1 --out benchbook-2026.1.zip
    """
    from benchbook.book.crate import writing  # late: it brings much with it

    undrawn = writing.write(project.root(), name, Path(os.path.realpath(out)))
    typer.echo(f"{files.sha256(out)}  {place(out.resolve())}")
    if undrawn:
        typer.echo(f"{len(undrawn)} figures in it have no SVG, PNG and PDF, such as {undrawn[0]}", err=True)
    typer.echo("publish the SHA-256 with it; `benchbook verify` in the unpacked folder checks the runs", err=True)
