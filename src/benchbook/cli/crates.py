"""``edition crate`` and ``verify --crate``: an edition as one file to take elsewhere, and its check there."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from benchbook import files, project, store, verification
from benchbook.cli.failures import DAMAGED
from benchbook.cli.formatting import moment, place
from benchbook.errors import printable


def write(name: str, out: Path) -> None:
    """Write the crate of an edition and say where it is and what its SHA-256 is."""
    from benchbook.book.crate import writing  # imported late: few commands need it, and it brings much with it

    undrawn = writing.write(project.root(), name, Path(os.path.realpath(out)))
    typer.echo(f"{files.sha256(out)}  {place(out.resolve())}")
    if undrawn:
        typer.echo(f"{len(undrawn)} figures in it have no SVG, PNG and PDF, such as {undrawn[0]}", err=True)
    typer.echo("publish the SHA-256 with it; `benchbook verify --crate FILE` checks the rest", err=True)


def verify(path: Path) -> None:
    """Check a crate and every run in it; exits 6 when anything is not as it was frozen, and names it."""
    from benchbook.book.crate import reading

    with reading.unpacked(path) as content:
        edition = content.edition
        typer.echo(
            f"edition {edition['name']} of {moment(edition['created'])} UTC, Benchbook {edition['version']}, "
            f"commit {edition['commit'] or 'unknown'}"
        )
        typer.echo(f"SHA-256 of the file {files.sha256(path)}")
        for problem in content.problems:
            typer.echo(printable(f"  {problem}"))
        failed = len(content.problems)
        for folder in content.runs:
            result = verification.verify(store.read_entry(folder, published=True), content.ledgers)
            typer.echo(f"{folder.name} ({folder.parent.name}): {result.summary}")
            for problem in result.problems:
                typer.echo(printable(f"  {problem}".replace(f"{content.folder}/", "")))
            failed += len(result.problems)
    if failed:
        typer.echo(f"error: {path} is not complete; the problems are listed above", err=True)
        typer.echo("fix: download it again from where it was published, and compare its SHA-256", err=True)
        raise typer.Exit(DAMAGED)
    typer.echo(f"complete: {content.described} files, {len(edition['runs'])} runs, {len(edition['figures'])} figures")
