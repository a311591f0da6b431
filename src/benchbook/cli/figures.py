"""``cite``, ``figure`` and ``data``: one figure of the book as a reference, a drawing or a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from benchbook import project
from benchbook.book import figure_pages, figure_records, references
from benchbook.cli import written
from benchbook.errors import BenchbookError
from benchbook.figures import drawings

FIGURE = Annotated[str, typer.Argument(help="The figure's id, as on the line below it: fig-hot-cold-tails.")]


def add_to(app: typer.Typer) -> None:
    """Declare the commands."""
    app.command("cite")(cite)
    app.command("figure")(figure)
    app.command("data")(data)


def cite(
    figure: FIGURE,
    form: Annotated[
        str, typer.Option("--format", metavar="|".join(references.FORMATS), help="In which form.")
    ] = "text",
) -> None:
    """Print how to cite a figure of the book as it was last built.

    Examples:

    benchbook cite fig-hot-cold-tails

    benchbook cite fig-hot-cold-tails --format bibtex
    """
    record = figure_records.find(figure_records.stored(project.root()), figure)
    typer.echo(references.cite(references.of_figure(project.root(), record), form), nl=False)


def figure(
    figure: FIGURE,
    out: Annotated[Path, typer.Option("--out", help="File to write: its ending says svg, png, pdf or json.")],
    theme: Annotated[
        str, typer.Option("--theme", metavar="|".join(drawings.THEMES), help="Colours of text, grid and ground.")
    ] = "print",
) -> None:
    """Write a figure as a drawing; json is plotly's own form and needs no browser, the others need Chromium.

    Examples:

    benchbook figure fig-hot-cold-tails --out tails.svg

    benchbook figure fig-hot-cold-tails --out tails.png --theme dark
    """
    record = figure_records.find(figure_records.stored(project.root()), figure)
    suffix = out.suffix.removeprefix(".")
    if suffix == "json":
        content = json.dumps(record["plot"], separators=(",", ":")).encode()
    else:
        if suffix not in drawings.SUFFIXES:
            raise BenchbookError(
                f"{out} does not say which kind of drawing it is", "end it in .svg, .png, .pdf or .json"
            )
        with drawings.browser():
            content = drawings.draw(record["plot"], suffix, theme)
    written.write(out, content)


def data(
    figure: FIGURE, out: Annotated[Path | None, typer.Option("--out", help="CSV file; standard output without.")] = None
) -> None:
    """Write the table behind a figure as CSV: every number with all its digits, units in the column names.

    Examples:

    benchbook data fig-hot-cold-tails

    benchbook data fig-hot-cold-tails --out tails.csv
    """
    text = figure_pages.csv_text(figure_records.find(figure_records.stored(project.root()), figure)["data"])
    if out is None:
        typer.echo(text, nl=False)
    else:
        written.write(out, text.encode())
