"""The numbers of a run by name, and what they stand on, as plain JSON for pages of the book beside its chapters."""

from contextlib import suppress
from math import isfinite
from typing import Any

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.numbers.analysis import Analysis, Summarized
from benchbook.numbers.host_kinds import processor
from benchbook.numbers.quantities import Told
from benchbook.pages.names import Names
from benchbook.parameters.kinds import Kind
from benchbook.statistics.visits import count


def numbers(summary: Summarized, names: Names) -> dict[str, Any]:
    """Each number with its words and ends, and each word that is text or one number; None where the run has none."""
    found: dict[str, Any] = {}
    for name in sorted(names.own()):
        value = None
        with suppress(BenchbookError):
            value = names.of(summary, name)
        if isinstance(value, Told):
            ends = {"point": value.point, "low": value.low, "high": value.high}
            found[name] = {"text": str(value)} | {end: float(each) for end, each in ends.items() if isfinite(each)}
        elif isinstance(value, np.number):
            found[name] = value.item()
        elif value is None or isinstance(value, str | int | float):
            found[name] = value
    return found


def basis(summary: Summarized) -> dict[str, Any]:
    """Blocks, sessions, kinds of host, engine, runs, and the date of the last trial; nothing without a measurement."""
    if isinstance(summary, Analysis) or summary.chapter.kind is not Kind.MEASUREMENT:
        return {}
    run = summary.run
    started = run.trials["started_at"].astype(str) if "started_at" in run.trials else None
    return {
        "blocks": run.blocks,
        "visits": count(summary.visits),
        "hosts": len({processor(part.provenance) for part in run.parts}),
        "engine": summary.on(),
        "runs": [part.id for part in run.parts],
        "until": started.max()[:10] if started is not None else "",
    }
