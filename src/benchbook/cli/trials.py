"""``trial``: a note of one's own in a project of its own, with claims, a chapter and pages."""

from pathlib import Path
from typing import Annotated

import typer

from benchbook.book.assembly import run_notebook
from benchbook.cli.formatting import place
from benchbook.errors import BenchbookError
from benchbook.reuse import trial_project, trials
from benchbook.reuse.trial_project import FAMILIES

group = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@group.callback()
def trial() -> None:
    """Put a note of your own on trial: a project with its claims and a chapter.

    Examples:

    benchbook trial new my_note.md --family pgbench

    benchbook trial check
    """


@group.command("new")
def new(
    note: Annotated[Path, typer.Argument(help="The note, a text or Markdown file; its name becomes the chapter's.")],
    family: Annotated[
        str | None, typer.Option("--family", metavar="|".join(FAMILIES), help="What measures it: a short chapter.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="CHAPTER", help="In place of it: the chapter of the book to begin as."),
    ] = None,
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

    benchbook trial new my_note.md --from lru

    cd my_note && benchbook trial check
    """
    folder = out or Path(note.stem)
    name = trial_project.new(note, trial_project.source(family, source), folder)
    typer.echo(place(folder.resolve()))
    typer.echo(
        f"next, in that folder: fill in data/claims.csv and data/conditions.csv, name each claim in "
        f"chapters/{name}.md, `benchbook trial check`, `benchbook run {name}`, `benchbook build`",
        err=True,
    )


@group.command("check")
def check(
    ledger: Annotated[
        bool, typer.Option("--ledger", help="Look at the list of claims alone: measure and execute nothing.")
    ] = False,
) -> None:
    """Say what keeps the trial's claims from being judged; exits 1 where something does.

    Each claim needs the note's own words, a quantity, a rule, a region, the conditions that its words name, and a
    number of its chapter. Then the notebook is executed to its end: with a stored run, or where there is none with one
    of the quick profile, which is measured now.

    Examples:

    benchbook trial check

    benchbook trial check --ledger
    """
    found = [*trials.wrong()]
    for each in found:
        typer.echo(each)
    if found:
        raise BenchbookError(
            f"{len(found)} things are missing or wrong", "write them into data/claims.csv, then repeat"
        )
    for each in trials.departing():
        typer.echo(each, err=True)
    if ledger:
        typer.echo("every claim has what judging asks for; the notebook was not executed")
        return
    executions = [run_notebook.of_run(run) for run in trials.runs()]
    run_notebook.execute(each for each in executions if not each.is_current)
    typer.echo("every claim can be judged, and the notebook runs to its end")
