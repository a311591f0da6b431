"""``chapter``: what a chapter is made of, for those who write one."""

from typing import Annotated

import typer

from benchbook import nofollow, project
from benchbook.cli.formatting import place
from benchbook.experiments import catalogue, notebook
from benchbook.reuse import chapter_files
from benchbook.store import atomic

group = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@group.callback()
def chapter() -> None:
    """Begin a chapter, or write what follows from its module and page.

    Examples:

    benchbook chapter new my_chapter --from turns

    benchbook chapter notebooks
    """


@group.command("new")
def new(
    name: Annotated[str, typer.Argument(help="Of its module, page and notebook.")],
    source: Annotated[
        str, typer.Option("--from", metavar="CHAPTER", help="The chapter to begin as: one without claims.")
    ],
) -> None:
    """Begin a chapter of the book as another one: a module, a page, their notebook, and a line of the contents.

    CONTRIBUTING.md says what to change then, and how to measure it.

    Examples:

    benchbook chapter new my_chapter --from turns
    """
    for path in chapter_files.add(name, source):
        typer.echo(place(path))


@group.command("notebooks")
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
            atomic.write_text(path, text)
            typer.echo(place(path))
