"""``build``, ``archive`` and ``pdf``: the book from stored runs alone, and the built book as one file."""

from pathlib import Path
from typing import Annotated

import typer

from benchbook import lab, project
from benchbook.cli import output_files
from benchbook.cli.failures import wrong_use
from benchbook.cli.formatting import place
from benchbook.cli.parameter_options import PROFILE
from benchbook.parameters import profiles


def build(
    experiment: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[EXPERIMENT]...", help="Only these chapters, in seconds, as a preview beside the book; else all."
        ),
    ] = None,
    edition: Annotated[
        bool, typer.Option("--edition", help="Show only published runs: the same book on every machine.")
    ] = False,
    local: Annotated[
        bool, typer.Option("--local", help="Show the runs made here instead of the published ones.")
    ] = False,
    profile: Annotated[
        str | None,
        PROFILE(help="Show only runs made here with this profile; by default standard before paper before quick."),
    ] = None,
    drawings: Annotated[
        bool,
        typer.Option(
            "--drawings",
            help="Also make a static drawing of each figure, for readers without JavaScript and previews; needs "
            "Chromium, and some minutes the first time.",
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the location of the book.")] = False,
) -> None:
    """Build the book from stored runs, and print where it is. Building never measures.

    Every chapter shows its published run, and beside its numbers those of the run made here, if there is one. A chapter
    of which nothing is published shows the run made here. With --local it is the other way round: a chapter shows the
    run made here, and its published run only where there is none.

    Named chapters are built alone, for whoever changes their words: their links to other pages lead nowhere.

    Examples:

    benchbook build

    benchbook build lru

    benchbook build --edition

    benchbook build --edition --drawings

    benchbook build --local

    benchbook build --local --profile standard
    """
    wrong_use(edition and (local or profile is not None), "an edition shows nothing from this machine", "--edition")
    if profile is not None:
        profiles.check(profile)
    for name in experiment or []:
        lab.experiment(name)
    wrong_use(experiment and drawings, "single chapters are built without", "--drawings")
    from benchbook.book.assembly import assemble, preview  # imported late: no other command needs the whole building
    from benchbook.book.assembly.chapter_plan import Shown

    shown = Shown(edition, local, profile)
    if experiment:
        typer.echo(place(preview.build(list(dict.fromkeys(experiment)), shown, quiet=quiet)))
    else:
        typer.echo(place(assemble.build(shown, quiet=quiet, drawings=drawings)))


def archive(
    out: Annotated[
        Path | None, typer.Option("--out", help="HTML file, or - for standard output; default: _build/benchbook.html.")
    ] = None,
    force: output_files.FORCE = False,
) -> None:
    """Write the last built book as one HTML file that opens with a double click and works offline.

    It holds every page, every figure with its table and its citations, and plotly.js once. Drawings are saved by the
    buttons below them.

    Examples:

    benchbook archive

    benchbook archive --out benchbook-2026.1.html
    """
    from benchbook.book.onefile import archive as one_file  # brings a parser that no other command needs

    output_files.check(out)
    root = project.root()
    content = one_file.of(root).encode()
    output_files.write(out or root / "_build" / one_file.NAME, content, force=force or out is None)


def pdf(
    out: Annotated[
        Path | None, typer.Option("--out", help="PDF file, or - for standard output; default: _build/benchbook.pdf.")
    ] = None,
    force: output_files.FORCE = False,
) -> None:
    """Print the last built book as one PDF with all figures; needs Chromium and takes a minute or two.

    The book's first page leads to it; with --out no page changes. Tables behind figures, origins and citations stay in
    the pages and in the file that `benchbook archive` writes.

    Examples:

    benchbook pdf

    benchbook pdf --out benchbook-2026.1.pdf
    """
    from benchbook.book.onefile import printing
    from benchbook.book.pages import paper_line

    if out is not None:
        # Two prints differ in their dates, so an older file would be refused after minutes of work.
        (output_files.check if force else output_files.check_absent)(out)
    root = project.root()
    content = printing.of(root)
    output_files.write(out or root / "_build" / printing.NAME, content, force=force or out is None)
    if out is None:
        paper_line.lead(root / "_build" / "html", content)
