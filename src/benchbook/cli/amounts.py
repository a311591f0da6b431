"""Half-widths and times as users write them."""

from __future__ import annotations

import math

from benchbook.errors import BenchbookError

_UNITS_S = {"h": 3_600.0, "m": 60.0, "s": 1.0}


def share(text: str) -> float:
    """A half-width as a share: "2%", "2 %" and "0.02" are the same.

    Raises BenchbookError for anything else, and for what is not above 0 and below 1.
    """
    plain = text.strip()
    percent = plain.endswith("%")
    try:
        value = float(plain.removesuffix("%").strip()) / (100 if percent else 1)
    except ValueError:
        value = math.nan
    if not 0 < value < 1:
        hint = f"; did you mean {plain}%?" if not percent and 1 <= value < 100 else ""
        raise BenchbookError(f"{text!r} is not a half-width between 0 and 100 %{hint}", "give one such as 2% or 0.02")
    return value


def seconds(text: str) -> float:
    """A time such as "3h", "90m", "60s" or "1.5 h" in seconds; raises BenchbookError for anything else."""
    plain = text.strip()
    try:
        value = float(plain[:-1].strip()) * _UNITS_S[plain[-1:]]
    except (ValueError, KeyError):
        value = math.nan
    if not 0 < value < math.inf:
        raise BenchbookError(f"{text!r} is not a time", "give one such as 3h, 90m or 60s")
    return value
