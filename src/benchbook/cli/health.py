"""``doctor``: what this machine has and lacks, and how to fix it."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from benchbook import doctor
from benchbook.cli.failures import LACKS


def examine(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of the checks instead.")] = False,
) -> None:
    """Say what this machine has and lacks for measuring, and how to fix it; takes a few seconds.

    Times are in µs or ns as printed. Exits 3 only when something required is missing; a warning is not a failure.

    Examples:

    benchbook doctor

    benchbook doctor --json
    """
    checks = doctor.examine()
    if as_json:
        typer.echo(json.dumps([asdict(check) for check in checks], indent=1, ensure_ascii=False))
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            typer.echo(f"{check.state:<8} {check.name:<{width}}  {check.detail}")
            if check.mend and check.state != doctor.State.OK:
                typer.echo(f"{'':<8} {'':<{width}}  fix: {check.mend}")
    if any(check.required and check.state == doctor.State.MISSING for check in checks):
        raise typer.Exit(LACKS)
