"""``trial``: a note of one's own in a project of its own, with claims, a chapter and pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchbook.cli.formatting import place
from benchbook.errors import BenchbookError
from benchbook.reuse import trial_project, trials
from benchbook.reuse.trial_project import FAMILIES

_HELP = """Put a note of your own on trial: a project with its claims and a chapter.

Examples:

benchbook trial new my_note.md --family pgbench

benchbook trial check
"""


def add_to(app: typer.Typer) -> None:
    """Declare the commands."""
    group = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)
    group.command("new")(new)
    group.command("check")(check)
    app.add_typer(group, name="trial", help=_HELP)


def new(
    note: Annotated[Path, typer.Argument(help="The note, a text or Markdown file; its name becomes the chapter's.")],
    family: Annotated[str, typer.Option("--family", metavar="|".join(FAMILIES), help="What measures it.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="A folder that is not there yet; default: the note's name."),
    ] = None,
) -> None:
    """Make a project for a note: its text, a list of claims to fill in, and a chapter that already measures something.

    Inside the folder every command works on the trial alone. Write each claim's quantity, rule and region before you
    measure; `benchbook trial check` says what is missing.

    Examples:

    benchbook trial new my_note.md --family pgbench

    cd my_note && benchbook trial check
    """
    folder = out or Path(note.stem)
    name = trial_project.new(note, family, folder)
    typer.echo(place(folder.resolve()))
    typer.echo(
        f"next, in that folder: fill in data/claims.csv, name each claim in chapters/{name}/page.md, `benchbook trial "
        f"check`, `benchbook run {name} --profile quick`, `benchbook build`",
        err=True,
    )


def check() -> None:
    """Say what keeps the trial's claims from being judged; exits 1 where something does.

    Each claim needs the note's own words, a quantity, a rule, a region and a number of its chapter.

    Examples:

    benchbook trial check
    """
    found = [*trials.wrong()]
    for each in found:
        typer.echo(each)
    if found:
        raise BenchbookError(
            f"{len(found)} things are missing or wrong", "write them into data/claims.csv, then repeat"
        )
    typer.echo("every claim can be judged")
