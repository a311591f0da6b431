"""``chapter``: what a chapter is made of, for those who write one."""

from __future__ import annotations

from typing import Annotated

import typer

from benchbook import nofollow, project
from benchbook.cli.formatting import place
from benchbook.experiments import catalogue, notebook
from benchbook.store import atomic

_HELP = """Write what follows from a chapter's module and page.

Examples:

benchbook chapter notebooks

benchbook chapter notebooks lru
"""


def add_to(app: typer.Typer) -> None:
    """Declare the commands."""
    group = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)
    group.callback()(lambda: None)
    group.command("notebooks")(notebooks)
    app.add_typer(group, name="chapter", help=_HELP)


def notebooks(
    names: Annotated[list[str] | None, typer.Argument(help="Chapters; default: all.", metavar="[CHAPTER]...")] = None,
) -> None:
    """Write the notebooks that papermill and JupyterLab take: from each chapter's page and parameters.

    Prints those that changed. Whatever was written into a notebook by hand is replaced: write into the page.

    Examples:

    benchbook chapter notebooks

    benchbook chapter notebooks lru cost
    """
    for name in names or catalogue.names():
        path, text = project.notebooks() / f"{name}.ipynb", notebook.of(catalogue.experiment(name))
        if not path.is_file() or nofollow.words(path, levels=nofollow.DATA) != text:
            atomic.write(path, lambda temporary, text=text: temporary.write_text(text, "utf-8"))  # type: ignore[misc]
            typer.echo(place(path))
