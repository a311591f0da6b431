"""Time contestants round by round, each once per round, in shuffled order."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from benchbook.bench.measured import Say

Contestant = Callable[[], float]
"""Does its work once and returns the seconds that one operation took."""


def interleaved(
    contestants: Mapping[str, Contestant], repeats: int, *, seed: int, say: Say, warm_ups: int = 1
) -> dict[str, list[float]]:
    """Seconds by contestant, one value per round that counts, in the order of the rounds.

    So whatever changes on the machine meanwhile meets all of them, and a round is a block. seed: of the order.
    warm_ups: rounds before, which are dropped.
    """
    generator = np.random.default_rng(seed)
    names = list(contestants)
    found: dict[str, list[float]] = {name: [] for name in names}
    for number in range(-warm_ups, repeats):
        for place in generator.permutation(len(names)):
            name = names[place]
            seconds = contestants[name]()
            if number >= 0:
                found[name].append(seconds)
        say(f"warming up, {-number} to go" if number < 0 else f"round {number + 1} of {repeats}")
    return found


def timed(work: Callable[[], object]) -> Contestant:
    """A contestant whose whole call is one operation."""

    def run() -> float:
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun

    return run
