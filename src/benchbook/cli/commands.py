"""All commands under one name, with the options that hold for each of them."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_group

import benchbook
from benchbook import interruption
from benchbook.cli.failures import CODES, QUIET, Commands
from benchbook.engines import leftovers

COMMANDS = {
    "list": ("experiments.list_experiments", "List the experiments and whether each has a stored run."),
    "show": (
        "experiments.show",
        "Show an experiment's parameters: meaning, type, unit, bounds, default and value in each profile.",
    ),
    "run": ("measuring.run", "Measure an experiment and execute its notebook."),
    "sweep": (
        "sweeping.sweep",
        "Measure an experiment at every point of a grid of parameters, and say how its numbers respond.",
    ),
    "queue": ("queueing.show", "Show who measures on this machine, until when, and who waits for it. Times are UTC."),
    "runs": (
        "stored.runs",
        "List the stored runs, local and published, oldest first, and why a run counts as damaged. Times are UTC.",
    ),
    "publish": (
        "stored.publish",
        "Copy a complete local run of at most 5 MB to data/published, where the book cites it. It never changes again.",
    ),
    "verify": (
        "stored.verify",
        "Check stored runs: seals, hashes, schema, completeness, metrics recomputed from the samples "
        "(to 1e-9, relative).",
    ),
    "compare": (
        "comparing.compare_runs",
        "Compare two runs of one experiment, number by number: how far they are apart, with a 95 % interval.",
    ),
    "replicate": (
        "replicating.replicate",
        "Measure a published experiment on this machine, and say claim by claim whether it comes out the same.",
    ),
    "combine": (
        "several_machines.combine",
        "Combine a chapter's numbers over machines: the published runs, those made here and those that were added.",
    ),
    "pack": (
        "several_machines.pack",
        "Write a run as one file that another clone can `benchbook add`: its record and tables, sealed as they are.",
    ),
    "add": (
        "several_machines.add",
        "Take in runs of other machines: each is checked, and kept apart from those made here and those published.",
    ),
    "export": (
        "exporting.export",
        "Write a run's trials, estimates and configurations as tables, and what each column is; "
        "no built book is needed.",
    ),
    "plan": (
        "planning.plan",
        "Say how many blocks, trials and minutes a confidence interval of a given half-width needs.",
    ),
    "verdicts": (
        "verdicts.verdicts",
        "Judge the notes' claims by the stored runs: a chapter's published runs, or else those made here.",
    ),
    "build": ("books.build", "Build the book from stored runs, and print where it is. Building never measures."),
    "archive": (
        "books.archive",
        "Write the last built book as one HTML file that opens with a double click and works offline.",
    ),
    "pdf": (
        "books.pdf",
        "Print the last built book as one PDF with all figures; needs Chromium and takes a minute or two.",
    ),
    "cite": ("figures.cite", "Print how to cite a figure of the last built book."),
    "figure": (
        "figures.figure",
        "Write a figure as a drawing; json is plotly's own format and needs no browser, the others need Chromium.",
    ),
    "data": (
        "figures.data",
        "Write the table behind a figure as CSV, with all digits and with units in the column names.",
    ),
    "edition": ("editions.group", "Freeze the book as an edition: its runs, ledger, code and every figure."),
    "bench": (
        "performance.bench",
        "Measure the book's own speed beside named peers, on a quiet machine; takes half an hour or more.",
    ),
    "chapter": ("chapters.group", "Begin a chapter, or write what follows from its module and page."),
    "trial": ("trials.group", "Put a note of your own on trial: a project with its claims and a chapter."),
    "doctor": (
        "health.examine",
        "Say what this machine has and lacks for measuring, and how to fix it; takes a few seconds.",
    ),
    "clean": (
        "cleaning.clean",
        "Put back and remove what killed runs left on this machine or, with --server, on a server of your own.",
    ),
}
"""Command to its function, or to the group of several, and to what it does, in the order of the help.

The sentences stand here too, so that the help of all commands needs none of them; a test compares them.
"""


@cache
def _loaded(name: str) -> Any:
    """The command of this name, or the group of commands."""
    module, _, what = COMMANDS[name][0].partition(".")
    with interruption.at_once():
        found = getattr(import_module(f"benchbook.cli.{module}"), what)
    made = typer.Typer(rich_markup_mode="markdown")
    if isinstance(found, typer.Typer):
        made.add_typer(found, name=name)
    else:
        made.command(name)(found)
    return get_group(made).commands[name]


class LoadedWhenAsked(Mapping[str, Any]):
    """Name to command, of which each is loaded when it is asked for: some bring libraries that others spare."""

    def __getitem__(self, name: str) -> Any:
        return _loaded(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Named(LoadedWhenAsked):
    """Name to a command that has nothing but its help."""

    def __getitem__(self, name: str) -> Any:
        return TyperCommand(name, help=COMMANDS[name][1], rich_markup_mode="markdown")


class Late(Commands):
    """The group of these commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = LoadedWhenAsked()

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names; typer's own looks at the commands too."""
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help of the group, for which no command is loaded."""
        self.commands = Named()
        try:
            super().format_help(ctx, formatter)
        finally:
            self.commands = LoadedWhenAsked()


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
