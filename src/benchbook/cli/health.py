"""``doctor``: what this machine has and lacks, and how to fix it."""

from dataclasses import asdict

import typer

from benchbook import doctor
from benchbook.cli import json_output
from benchbook.cli.failures import LACKS
from benchbook.cli.json_output import AS_JSON


def examine(as_json: AS_JSON = False) -> None:
    """Say what this machine has and lacks for measuring, and how to fix it; takes a few seconds.

    Times are in µs or ns as printed. Exits 3 only when something required is missing; a warning is not a failure.

    Examples:

    benchbook doctor

    benchbook doctor --json
    """
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
