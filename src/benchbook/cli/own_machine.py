"""``doctor``, ``queue`` and ``clean``: what this machine has and lacks, who measures on it, what killed runs left."""

from dataclasses import asdict
from itertools import count
from typing import Annotated, Any

import typer

from benchbook.cli import json_output
from benchbook.cli.failures import LACKS, wrong_use
from benchbook.cli.formatting import moment, print_table
from benchbook.cli.json_output import AS_JSON
from benchbook.errors import BenchbookError
from benchbook.runner import lock, queue
from benchbook.runner.queue import Turn

NOBODY = "nobody measures on this machine, and nobody waits"
UNSEEN = "a program measures on this machine that says nothing of itself: of an earlier version, or in a container"


def examine(as_json: AS_JSON = False) -> None:
    """Say what this machine has and lacks for measuring, and how to fix it; takes a few seconds.

    Times are in µs or ns as printed. Exits 3 only when something required is missing; a warning is not a failure.

    Examples:

    benchbook doctor

    benchbook doctor --json
    """
    from benchbook import doctor  # late: it brings every engine

    checks = doctor.examine()
    if as_json:
        json_output.echo([asdict(check) for check in checks])
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            typer.echo(f"{check.state:<8} {check.name:<{width}}  {check.detail}")
            if check.mend and check.state != doctor.State.OK:
                typer.echo(f"{'':<8} {'':<{width}}  fix: {check.mend}")
    if any(check.required and check.state == doctor.State.MISSING for check in checks):
        raise typer.Exit(LACKS)


def queued(as_json: AS_JSON = False) -> None:
    """Show who measures on this machine, until when, and who waits for it. Times are UTC.

    One measurement runs at a time, whichever clone and account it is of; who comes first is served first. A sweep keeps
    its place until its last point, `run --all` takes a new one for each experiment. What a program expects is an
    estimate, and none is known before the first trial of some experiments.

    Examples:

    benchbook queue

    benchbook queue --json
    """
    found = queue.turns()
    unseen = not any(turn.measures for turn in found) and lock.is_taken()
    if as_json:
        json_output.echo({"measured": unseen or any(turn.measures for turn in found), "places": [*map(_record, found)]})
        return
    if unseen:
        typer.echo(UNSEEN)
    elif not found:
        typer.echo(NOBODY)
    if found:
        print_table(["place", "state", "since", "ends about", "command"], [*map(_placed, count(1), found)])


def _placed(place: int, turn: Turn) -> list[str]:
    state, since = ("measuring", turn.measures) if turn.measures else ("waiting", turn.came)
    return [str(place), state, moment(since), moment(turn.ends), turn.command]


def _record(turn: Turn) -> dict[str, Any]:
    return {
        "command": turn.command,
        "came": turn.came or None,
        "measuring_since": turn.measures or None,
        "expected_end": turn.ends or None,
    }


def clean(
    server: Annotated[
        bool, typer.Option("--server", help="On the server of the service that BENCHBOOK_PG_SERVICE names.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before anything is dropped.")] = False,
) -> None:
    """Put back and remove what killed runs left on this machine or, with --server, on a server of your own.

    On this machine every command does so: kernel settings, loop devices, control groups, servers, folders. On a server
    of your own only schemas that the service's role owns and that bear our comment are looked at, and you are asked
    before one is dropped. What belongs to a run that goes on stays.

    Examples:

    benchbook clean

    BENCHBOOK_PG_SERVICE=name benchbook clean --server

    BENCHBOOK_PG_SERVICE=name benchbook clean --server --yes
    """
    from benchbook.engines import own_server  # late: it brings the client library

    if not server:
        wrong_use(yes, "on this machine nothing is asked; give it with --server", "--yes")
        typer.echo(_of_this_machine())
        return
    name = own_server.named_service()
    with own_server.connect(name) as connection:
        found = own_server.left_behind(connection)
        if not found:
            typer.echo("no run left anything there")
            return
        for schema, begun in found:
            typer.echo(f"{schema}  begun {begun}")
        if not yes and not typer.confirm(f"Drop {'it' if len(found) == 1 else f'these {len(found)}'}?", err=True):
            raise BenchbookError("nothing was dropped", "answer y, or give --yes")
        for schema, _ in found:
            own_server.removed(connection, schema)
            typer.echo(f"dropped {schema}")


def _of_this_machine() -> str:
    """What is left after every command's first act, which has put back and removed the rest."""
    from benchbook.engines import kernel_settings

    changed = kernel_settings.notes()
    if not changed:
        return "nothing that a killed run left is on this machine"
    return f"kernel settings stay changed while a measurement or a device needs them: {', '.join(map(str, changed))}"
