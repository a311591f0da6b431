"""``bench``: what the book's machinery costs beside named peers."""

from pathlib import Path
from typing import Annotated

import typer

from benchbook import project
from benchbook.bench.record import FILE, Performance
from benchbook.cli import output_files
from benchbook.cli.failures import wrong_use
from benchbook.cli.formatting import place, print_table


def bench(
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PART", help="Measure this part; may be repeated. Default: all."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="JSON file to write; default: data/performance.json.")
    ] = None,
    small: Annotated[
        bool,
        typer.Option("--small", help="Only try the parts with little work; these are not measurements; needs --out."),
    ] = False,
) -> None:
    """Measure the book's own speed beside named peers, on a quiet machine; takes half an hour or more.

    Parts: build, analysis, engines. Every repeat runs all contestants in shuffled order, and ratios get intervals
    over the repeats. The file holds each part as soon as it is measured, beside those that it held before. A part that
    needs what the machine lacks is left out, and the reason is stored.

    Examples:

    benchbook bench

    benchbook bench --only analysis --only engines

    benchbook bench --small --out /tmp/tried.json
    """
    from benchbook.bench import parts  # brings every engine, which no other command needs
    from benchbook.bench.measured import FULL, SMALL

    wrong_use(small and out is None, "numbers from little work are not published; name a file with --out", "--small")
    target = out if out is not None else project.root() / FILE
    output_files.check_file(target)
    names = parts.chosen(only or [])
    found = parts.measure(names, SMALL if small else FULL, target, lambda line: typer.echo(line, err=True))
    print_table(["part", "timed", "peer", "time / peer's", "from", "to"], _rows(found, names))
    typer.echo(place(target.resolve()))


def _rows(found: Performance, names: list[str]) -> list[list[str]]:
    """The main ratios of the parts that were measured now."""
    rows = []
    for part in found.parts:
        labels = {each.name: each.label for each in part.timings}
        for each in part.comparisons:
            if part.name in names and each.main:
                numbers = (each.ratio, each.low, each.high)
                rows.append([part.name, labels[each.name], labels[each.peer], *(f"{value:.3g}" for value in numbers)])
    return rows
