"""How long a round trip through the proxy really takes beyond one without it, over exchanges of one byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchbook.engines.delay import program
from benchbook.errors import MachineError

ALLOWED_SHARE, ALLOWED_MS = 0.2, 0.1
"""A measured trip may differ from what was asked by the larger of the two."""
ATTEMPTS = 3
_LEARNT_MS = 1.0
"""What passing on costs is learnt from trips at most this long: it hardly depends on them."""
_LEARNING = 200
_BUDGET_MS, _FEWEST, _MOST = 400.0, 50, 400

Hold = Callable[[int], object]


@dataclass(frozen=True)
class Certificate:
    """A round trip as asked and as measured, in an exchange of one byte between two programs.

    added_p50_ms, added_p99_ms: that quantile through the proxy less the median without it. direct_p50_us,
    direct_p99_us: without the proxy. exchanges: of each kind, in turn. hold_us: how long each direction is held,
    which is less than half of the trip by what passing on costs.
    """

    asked_ms: float
    added_p50_ms: float
    added_p99_ms: float
    direct_p50_us: float
    direct_p99_us: float
    exchanges: int
    hold_us: float

    @property
    def within(self) -> bool:
        """Whether the measured median is what was asked for, as closely as is allowed."""
        return abs(self.added_p50_ms - self.asked_ms) <= max(ALLOWED_SHARE * self.asked_ms, ALLOWED_MS)

    def __str__(self) -> str:
        return (
            f"round trip of {self.asked_ms:g} ms asked, P50 {self.added_p50_ms:.3f} and P99 {self.added_p99_ms:.3f} ms "
            f"measured over {self.exchanges} exchanges"
        )


def certified(asked_ms: float, direct: Path, delayed: Path, hold: Hold) -> Certificate:
    """Set the proxy so that an exchange through it takes ``asked_ms`` more, and measure what it takes.

    direct: an echo. delayed: the same one behind the proxy. hold: sets how many ns the proxy holds a direction.
    Raises MachineError when the measured median differs by more than is allowed three times over.
    """
    for _ in range(ATTEMPTS):
        found = measured(asked_ms, direct, delayed, _set(asked_ms, direct, delayed, hold))
        if found.within:
            return found
    raise MachineError(
        f"a round trip of {asked_ms:g} ms was asked for, and {found.added_p50_ms:.3f} ms is what the proxy adds here",
        "measure on a quieter machine, or ask for a longer round trip",
    )


def measured(asked_ms: float, direct: Path, delayed: Path, hold_ns: int) -> Certificate:
    """Measure the exchange without and through a proxy that holds each direction for ``hold_ns``."""
    exchanges = int(np.clip(_BUDGET_MS / max(asked_ms, 0.001), _FEWEST, _MOST))
    without, through = _exchanges(exchanges, direct, delayed)
    p50_ns, p99_ns = np.quantile(without, [0.5, 0.99])
    added_ms = (np.quantile(through, [0.5, 0.99]) - p50_ns) / 1e6
    return Certificate(
        asked_ms, float(added_ms[0]), float(added_ms[1]), p50_ns / 1e3, p99_ns / 1e3, exchanges, hold_ns / 1e3
    )


def _set(asked_ms: float, direct: Path, delayed: Path, hold: Hold) -> int:
    """Hold each direction for half of the trip less what passing on costs, which is measured first."""
    tried_ms = min(asked_ms, _LEARNT_MS)
    hold(int(tried_ms * 1e6 / 2))
    without, through = _exchanges(_LEARNING, direct, delayed)
    cost_ms = max(float(np.median(through) - np.median(without)) / 1e6 - tried_ms, 0.0)
    hold_ns = int(max(asked_ms - cost_ms, 0.0) * 1e6 / 2)
    hold(hold_ns)
    return hold_ns


def _exchanges(count: int, direct: Path, delayed: Path) -> np.ndarray:
    """Times of exchanges without the proxy and through it, in turn, in ns; shape (2, count)."""
    return np.array(json.loads(program.run("ping", str(count), str(direct), str(delayed), timeout_s=120)))
