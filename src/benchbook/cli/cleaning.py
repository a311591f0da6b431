"""``clean``: what a killed run left on a server of the user's own."""

from __future__ import annotations

from typing import Annotated

import typer

from benchbook.engines import own_server
from benchbook.errors import BenchbookError


def add_to(app: typer.Typer) -> None:
    """Declare the command."""
    app.command("clean")(clean)


def clean(
    server: Annotated[
        bool, typer.Option("--server", help="On the server of the service that BENCHBOOK_PG_SERVICE names.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before anything is dropped.")] = False,
) -> None:
    """Drop the schemas that killed runs left on a server of your own; those of running ones stay.

    Only schemas that the service's role owns and that bear our comment are looked at. What runs leave on this machine
    is removed by the next command of any kind.

    Examples:

    BENCHBOOK_PG_SERVICE=name benchbook clean --server

    BENCHBOOK_PG_SERVICE=name benchbook clean --server --yes
    """
    name = own_server.service()
    if not server:
        raise BenchbookError("clean was not told what to clean", "give --server")
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
