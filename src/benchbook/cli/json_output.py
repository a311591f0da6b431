"""What a command prints for a program instead of a reader: JSON, with the same names, units and times everywhere."""

from __future__ import annotations

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
    names = ("point", "low", "high", "confidence", "n", "method")
    return {name: None if given.bare and name in ("low", "high") else _plain(getattr(given, name)) for name in names}


def _plain(value: Any) -> Any:
    plain = value.item() if hasattr(value, "item") else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain
