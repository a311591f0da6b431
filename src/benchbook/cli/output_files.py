"""Output that the user asked for, put into the file that they named or streamed, and its name and size told."""

from pathlib import Path
from typing import Annotated

import typer

from benchbook.cli.formatting import place, size
from benchbook.errors import BenchbookError
from benchbook.store import outputs

FORCE = Annotated[bool, typer.Option("--force", help="Replace a file that exists and differs.")]


def check(out: Path | None) -> None:
    """Refuse what cannot be written, before the work is done: raises BenchbookError."""
    if out is not None:
        outputs.kind(out)


def check_absent(out: Path) -> None:
    """The same, and a file that exists too: for what never comes out twice with the same bytes."""
    if outputs.kind(out) is outputs.Kind.FILE:
        raise outputs.taken(out)


def check_file(out: Path) -> None:
    """The same for what is read before it is written: only a regular file will do, or none yet."""
    if outputs.kind(out) is outputs.Kind.STREAM:
        raise BenchbookError(f"{out} is not a regular file", "name a file: it is read before it is written")


def write(out: Path, content: bytes, *, force: bool = False) -> None:
    """Write the content, and say on standard error where and how large it is."""
    outputs.write(out, content, typer.get_binary_stream("stdout"), force=force)
    where = out if outputs.kind(out) is outputs.Kind.STREAM else out.resolve()
    if out != outputs.STANDARD_OUTPUT:
        typer.echo(f"{place(where)} ({size(len(content))})", err=True)
