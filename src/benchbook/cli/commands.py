"""All commands under one name, with the options that hold for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_group

import benchbook
from benchbook import interruption
from benchbook.cli.failures import Commands
from benchbook.engines import leftovers

MODULES = {
    "list": "experiments",
    "show": "experiments",
    "run": "measuring",
    "runs": "stored",
    "publish": "stored",
    "verify": "stored",
    "plan": "planning",
    "verdicts": "verdicts",
    "build": "books",
    "archive": "books",
    "pdf": "books",
    "cite": "figures",
    "figure": "figures",
    "data": "figures",
    "edition": "editions",
    "bench": "performance",
    "drift": "performance",
    "doctor": "health",
}
"""Command to the module that declares it, in the order of the help."""


@cache
def _declared(module: str) -> Mapping[str, Any]:
    """The commands of one module by their names."""
    made = typer.Typer(rich_markup_mode="markdown")
    with interruption.at_once():
        import_module(f"benchbook.cli.{module}").add_to(made)
    return get_group(made).commands


class LoadedWhenAsked(Mapping[str, Any]):
    """Name to command, of which each is loaded when it is asked for: some bring libraries that others spare."""

    def __getitem__(self, name: str) -> Any:
        return _declared(MODULES[name])[name]

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


class Late(Commands):
    """The group of these commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = LoadedWhenAsked()

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names; typer's own looks at the commands too."""
        return list(self.commands)


app = typer.Typer(
    cls=Late,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Begin with: benchbook run hot_cold_keys --profile quick, then benchbook build.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"benchbook {benchbook.__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Cache-tuning notes, measured again on real engines: run an experiment, publish it, build the book."""
    # What a killed run left on this machine is put back and removed by whatever command comes next.
    leftovers.remove()
