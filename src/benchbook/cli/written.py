"""A file that the user asked for in, the file in place out: written whole or not at all, and its name told."""

from __future__ import annotations

from pathlib import Path

import typer

from benchbook.cli.texts import place, size
from benchbook.errors import BenchbookError
from benchbook.store import atomic


def check(out: Path) -> None:
    """Refuse a file that cannot be written, before the work is done: raises BenchbookError."""
    if not out.resolve().parent.is_dir():
        raise BenchbookError(f"{out.parent} is no folder", "make it, or name another file")
    if out.is_dir():
        raise BenchbookError(f"{out} is a folder", "name a file in it")


def write(out: Path, content: bytes) -> None:
    """Put the content in place at once, and say on standard error where and how large it is."""
    check(out)

    def fill(temporary: Path) -> None:
        temporary.write_bytes(content)

    atomic.write(out.resolve(), fill)
    typer.echo(f"{place(out.resolve())} ({size(len(content))})", err=True)
