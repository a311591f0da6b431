"""``export``: a stored run as tables for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from benchbook.cli.formatting import place
from benchbook.errors import BenchbookError, check_known
from benchbook.reuse import named_runs
from benchbook.reuse.export import Form, write


def export(
    run: Annotated[str, typer.Argument(help="A run's id, or an experiment: its published runs, pooled.")],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="A folder that is not there yet.")],
    form: Annotated[
        str, typer.Option("--format", metavar="|".join(Form), help="How the tables are written.")
    ] = Form.CSV.value,
    samples: Annotated[
        bool, typer.Option("--samples", help="Also the stored times of single operations: up to some MB.")
    ] = False,
) -> None:
    """Write a run's trials, estimates and configurations as tables, and what each column is; no built book is needed.

    The folder is a Frictionless data package: datapackage.json names every column with its meaning and unit, the run's
    parameters, and the code and machine that measured it.

    Examples:

    benchbook export hot_cold_keys --out hot-cold

    benchbook export 965802492b26 --format parquet --samples --out my-run
    """
    check_known("there is no format", form, Form)
    if not out.absolute().parent.is_dir():
        raise BenchbookError(f"{out.parent} is no folder", "make it, or name another place")
    module, found = named_runs.run(run)
    write(out, Form(form), module, found, samples=samples)
    typer.echo(place(out.resolve()))
