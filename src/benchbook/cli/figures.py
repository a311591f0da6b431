"""``cite``, ``figure`` and ``data``: one figure of the book as a reference, a drawing or a table."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from benchbook import project
from benchbook.book.assembly import chapter_plan
from benchbook.book.parts import tables
from benchbook.book.records import citation_forms, figure_list, whole_runs
from benchbook.cli import output_files
from benchbook.errors import BenchbookError, shortened
from benchbook.figures import contained, drawings
from benchbook.store import outputs

FIGURE = Annotated[str, typer.Argument(help="The figure's id, as in the line below it: fig-hot-cold-tails.")]


def cite(
    figure: FIGURE,
    form: Annotated[
        str, typer.Option("--format", metavar="|".join(citation_forms.FORMATS), help="Format of the reference.")
    ] = "text",
) -> None:
    """Print how to cite a figure of the last built book.

    Examples:

    benchbook cite fig-hot-cold-tails

    benchbook cite fig-hot-cold-tails --format bibtex
    """
    citation_forms.check(form)
    typer.echo(_found(figure)["citations"][form], nl=False)


def figure(
    figure: FIGURE,
    out: Annotated[
        Path,
        typer.Option("--out", help="File, pipe or device; - is standard output. The file's suffix sets the format."),
    ],
    form: Annotated[
        str | None, typer.Option("--format", metavar="svg|png|pdf|json", help="Format, whatever the suffix.")
    ] = None,
    theme: Annotated[
        str, typer.Option("--theme", metavar="|".join(drawings.THEMES), help="Colours of text, grid and background.")
    ] = "print",
    force: output_files.FORCE = False,
) -> None:
    """Write a figure as a drawing; json is plotly's own format and needs no browser, the others need Chromium.

    Examples:

    benchbook figure fig-hot-cold-tails --out tails.svg

    benchbook figure fig-hot-cold-tails --out tails.png --theme dark

    benchbook figure fig-hot-cold-tails --out - --format json
    """
    output_files.check(out)
    record = _found(figure)
    suffix = form if form is not None else out.suffix.removeprefix(".")
    if suffix == "json":
        content = json.dumps(contained.drawn(record["plot"]), separators=(",", ":")).encode()
    else:
        if suffix not in drawings.SUFFIXES:
            raise BenchbookError(
                f"{shortened(str(out if form is None else form))} does not say which format to write",
                "end the file name in .svg, .png, .pdf or .json, or give --format",
            )
        with drawings.browser():
            content = drawings.draw(record["plot"], suffix, theme)
    output_files.write(out, content, force=force)


def data(
    figure: FIGURE,
    out: Annotated[
        Path | None, typer.Option("--out", help="CSV file, pipe or device; - or nothing for standard output.")
    ] = None,
    force: output_files.FORCE = False,
) -> None:
    """Write the table behind a figure as CSV, with all digits and with units in the column names.

    Numbers have a decimal point; a spreadsheet with decimal commas opens it by Data, From Text/CSV, as English numbers.

    A file begins with a mark by which spreadsheets know UTF-8; what goes to standard output or into a pipe does not.

    Examples:

    benchbook data fig-hot-cold-tails

    benchbook data fig-hot-cold-tails --out tails.csv
    """
    output_files.check(out)
    table = _found(figure)["data"]
    text = tables.csv_text(table["columns"], table["data"])
    if out is None:
        typer.echo(text, nl=False)
    else:
        mark = "" if outputs.kind(out) is outputs.Kind.STREAM else tables.CSV_MARK
        output_files.write(out, f"{mark}{text}".encode(), force=force)


def _found(figure: str) -> dict[str, Any]:
    """A figure of the book that was last built, if its runs are whole; standard error says if what it is of changed."""
    root = project.root()
    figures = figure_list.stored(root)
    record = figure_list.find(figures, figure)
    whole_runs.check_behind(root, record, figures)
    if chapter_plan.is_older(root, record):
        typer.echo(chapter_plan.OLDER, err=True)
    return record
