"""Several experiments measured one after the other: what a busy machine fails is tried once more at the end."""

from collections.abc import Sequence

import typer

from benchbook.cli import report
from benchbook.cli.progress import RunProgress
from benchbook.cli.request import Asked
from benchbook.errors import FullDiskError, MachineError, NoEngineError

SHOWN_INSTEAD = "the book shows what is published"


def every(asked: Sequence[Asked], *, quiet: bool, told: bool, wait: bool) -> list[Asked]:
    """Measure all; those that this machine could not measure, also not a second time. told: each says where it is.

    Raises FullDiskError at once: what else fails then may follow from it.
    """
    failed = _tried(asked, quiet=quiet, told=told, wait=wait)
    again = [each for each, error in failed if not isinstance(error, NoEngineError)]
    if again:
        typer.echo(f"once more, now that the others are done: {', '.join(each.name for each in again)}", err=True)
    missing = [each for each, _ in failed if each not in again]
    return missing + [each for each, _ in _tried(again, quiet=quiet, told=told, wait=wait)]


def say_why(name: str, what: str, error: MachineError) -> None:
    """Why the others go on without this experiment."""
    typer.echo(f"{name}: {what}, {error.problem}; {error.mend}; {SHOWN_INSTEAD}", err=True)


def _tried(asked: Sequence[Asked], *, quiet: bool, told: bool, wait: bool) -> list[tuple[Asked, MachineError]]:
    failed = []
    for place, each in enumerate(asked, start=1):
        if not quiet:
            typer.echo(f"experiment {place} of {len(asked)}: {each.name}", err=True)
        try:
            each.obtain(RunProgress(each.name, quiet=quiet), wait=wait)
        except FullDiskError:
            raise
        except MachineError as error:
            failed.append((each, error))
            say_why(each.name, "not measured", error)
            continue
        if told:
            report.of_run(each)
    return failed
