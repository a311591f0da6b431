"""What a command prints for a program instead of a reader: JSON, with the same names, units and times everywhere."""

import json
import math
from typing import Annotated, Any

import typer

from benchbook.model import Estimate

AS_JSON = Annotated[bool, typer.Option("--json", help="Print JSON for a program instead.")]


def echo(content: Any) -> None:
    """Print plain values, lists and dictionaries; an end that is open is null."""
    typer.echo(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False))


def estimate(given: Estimate) -> dict[str, Any]:
    """A number with its interval; of fewer than three blocks without its ends."""
    ends = ("low", "high") if given.bare else ()
    return {name: None if name in ends else _plain(value) for name, value in given.fields.items()}


def _plain(value: Any) -> Any:
    plain = value.item() if hasattr(value, "item") else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain
