"""``clean``: what killed runs left on this machine, and on a server of the user's own."""

from typing import Annotated

import typer

from benchbook.cli.failures import wrong_use
from benchbook.engines import kernel_settings, own_server
from benchbook.errors import BenchbookError


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
    if not server:
        wrong_use(yes, "on this machine nothing is asked; give it with --server", "--yes")
        typer.echo(_of_this_machine())
        return
    name = own_server.service()
    if name is None:
        raise BenchbookError(
            f"no server is named: {own_server.SERVICE} is not set", "set it to a section of ~/.pg_service.conf"
        )
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
    changed = kernel_settings.notes()
    if not changed:
        return "nothing that a killed run left is on this machine"
    return f"kernel settings stay changed while a measurement or a device needs them: {', '.join(map(str, changed))}"
