"""``diagnose``: what counters of a cache, a database or a device forbid, and what they say."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from benchbook.cli import json_output
from benchbook.cli.json_output import AS_JSON
from benchbook.errors import BenchbookError, printable


def diagnose(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files; two looks give what happened between.")
    ],
    as_json: AS_JSON = False,
) -> None:
    """Diagnose counters: which causes cannot have acted, and is the cache too small or charged wrongly?

    Lines of Badger or ristretto ("hit: ... keys-added: ..."), RocksDB's statistics, PostgreSQL's pg_stat views as CSV
    or as psql prints them, iostat -x, and the output of pgbench or sysbench, whose course is looked at. Of a counter
    that comes twice the growth counts. Nothing is measured.

    Examples:

    benchbook diagnose badger.log

    benchbook diagnose before.txt after.txt
    """
    from benchbook.own_numbers import diagnosis, report, text_files
    from benchbook.own_numbers import files as reading

    texts = [reading.text(file) for file in files]
    went = [
        sentence
        for file, text in zip(files, texts, strict=True)
        for tool in dict.fromkeys(filter(None, map(text_files.kind, text.splitlines())))
        for sentence in report.went(text_files.read(tool, text.splitlines(), file.name)[0], tool)
    ]
    found = diagnosis.of_text("\n".join(texts))
    if not found and not went:
        raise BenchbookError(
            f"{', '.join(file.name for file in files)}: no counter is known",
            "give a line of Badger, RocksDB's statistics, pg_stat views, iostat -x, or pgbench's output",
        )
    if as_json:
        json_output.echo({"findings": [asdict(each) for each in found], "courses": went})
        return
    for kind in dict.fromkeys(each.kind for each in found):
        typer.echo(typer.style(kind, bold=True))
        for each in (one for one in found if one.kind == kind):
            typer.echo(printable(f"  {each.says}"))
            if each.forbids:
                typer.echo(f"    It cannot be: {each.forbids}.")
            if each.chapter:
                typer.echo(f"    Measured in the chapter {each.chapter}.")
    typer.echo("\n".join(map(printable, went)), nl=bool(went))
