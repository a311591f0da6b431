"""All commands under one name, with the options that hold for each of them."""

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_group

import benchbook
from benchbook import interruption
from benchbook.cli.failures import CODES, QUIET, Commands
from benchbook.engines import leftovers

COMMANDS = {
    "list": "experiments.list_experiments",
    "show": "experiments.show",
    "run": "measuring.run",
    "sweep": "sweeping.sweep",
    "queue": "own_machine.queued",
    "runs": "stored.runs",
    "publish": "stored.publish",
    "verify": "stored.verify",
    "compare": "comparing.compare_runs",
    "replicate": "replicating.replicate",
    "combine": "several_machines.combine",
    "pack": "several_machines.pack",
    "add": "several_machines.add",
    "export": "exporting.export",
    "judge": "judging.judge",
    "diagnose": "diagnosing.diagnose",
    "size": "sizing.size",
    "plan": "planning.plan",
    "verdicts": "verdicts.verdicts",
    "build": "books.build",
    "archive": "books.archive",
    "pdf": "books.pdf",
    "cite": "figures.cite",
    "figure": "figures.figure",
    "data": "figures.data",
    "edition": "editions.edition",
    "bench": "performance.bench",
    "chapter": "chapters.chapter",
    "trial": "trials.trial",
    "doctor": "own_machine.examine",
    "clean": "own_machine.clean",
}
"""Command to its function, in the order of the help; where the module has a ``group``, that of all its commands."""


@cache
def _loaded(name: str) -> Any:
    """The command of this name, or the group of commands."""
    module, _, what = COMMANDS[name].partition(".")
    with interruption.at_once():
        found = import_module(f"benchbook.cli.{module}")
    made = typer.Typer(rich_markup_mode="markdown")
    if hasattr(found, "group"):
        made.add_typer(found.group, name=name)
    else:
        made.command(name, cls=getattr(found, "Command", None))(getattr(found, what))
    return get_group(made).commands[name]


def _said(name: str) -> str:
    """What a command says of itself first: read, since its module may load libraries that the help of all can spare."""
    module, _, what = COMMANDS[name].partition(".")
    code = ast.parse(Path(__file__).with_name(f"{module}.py").read_text("utf-8"))
    (function,) = (each for each in code.body if isinstance(each, ast.FunctionDef) and each.name == what)
    return (ast.get_docstring(function) or "").partition("\n\n")[0].replace("\n", " ")


class Late(Commands):
    """The group of these commands, each of which is loaded when it is asked for: some bring what others spare."""

    _helps = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names; typer's own looks at the commands too."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of them, which for the help of all has nothing but its own first words; None for another name."""
        if cmd_name not in COMMANDS:
            return None
        if self._helps:
            return TyperCommand(cmd_name, help=_said(cmd_name), rich_markup_mode="markdown")
        return _loaded(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help of the group, for which no command is loaded."""
        self._helps = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._helps = False


app = typer.Typer(
    cls=Late,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=f"Begin with: benchbook run hot_cold_keys --profile quick, then benchbook build.\n\n{CODES}",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"benchbook {benchbook.__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Cache-tuning notes, measured again on real engines: run an experiment, publish it, build the book."""
    # What a killed run left on this machine is put back and removed by whatever command comes next.
    leftovers.remove(lambda sentence: None if context.meta.get(QUIET) else typer.echo(sentence, err=True))
