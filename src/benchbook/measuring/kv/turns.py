"""Configurations of a group measured side by side: all filled first, then each a few ms at a time, round after round.

Two trials one after the other differ by what the machine did meanwhile; two that take turns share it. A trial stays the
replicate: all its turns give one number. What is looked up as soon as it is written takes no turns: by then the kernel
has written it out and the caches hold something else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchbook.engines import probe
from benchbook.engines.prepared import Prepared, Turn, prepared
from benchbook.errors import BenchbookError
from benchbook.measuring.kv import costs
from benchbook.measuring.kv.requests import Request
from benchbook.parameters.base import ExperimentParameters, param

MS = 1_000_000
FRUITLESS = 5
"""After so many turns of which nothing counts none will: one alone can be interrupted for all of its time."""
PER_LOOKUPS = 1_000
"""The series of a trial's turns holds ns for so many lookups, since it holds whole numbers."""


class TurnParameters(ExperimentParameters):
    """Base of the Parameters of chapters whose configurations take turns."""

    rounds: int = param(
        40, 2, 10_000, "turns that each configuration takes in a block, at least two; more where its look-ups need them"
    )
    turn_ms: int = param(25, 2, 10_000, "measured time of a turn in ms, at least 2 and a batch's beyond discard_ms")
    discard_ms: int = param(5, 0, 5_000, "of it, at its beginning, made but not counted, in ms, at least 0")


@dataclass
class Arm:
    """One configuration while it is measured. place: in its group."""

    place: int
    request: Request
    started_at: str = ""
    took_s: float = 0.0
    turns: list[Mapping[str, Any]] = field(default_factory=list)
    waiting: Prepared | None = None
    answer: probe.Answer | None = None
    error: BenchbookError | None = None

    @property
    def kept(self) -> int:
        """Lookups that count so far."""
        return sum(int(each["operations"]) for each in self.turns)

    @property
    def lookups(self) -> int:
        """Those that count at least."""
        return int(self.request["run"]["operations"])

    def begin(self, program: Path, folder: Path, living: ExitStack) -> None:
        """Fill its store and warm it; it and its process live as long as ``living``."""
        self.started_at = datetime.now(UTC).isoformat(timespec="seconds")
        limit_s = costs.limit_s(self.request)
        with self._working():
            self.waiting = living.enter_context(prepared(program, self.request, timeout_s=limit_s, folder=folder))

    def recall(self) -> None:
        """Bring its files back into the page cache: while others were filled, the kernel may have dropped them."""
        if self.error is None:
            with self._working():
                assert self.waiting is not None
                self.waiting.recall()

    def goes_on(self, taken: int, rounds: int) -> bool:
        """Whether it takes a turn after so many rounds: it does until it has had them all, and its lookups."""
        return self.error is None and (taken < rounds or self.kept < self.lookups)

    def take(self, parameters: Any) -> None:
        turn = Turn(parameters.turn_ms * MS, parameters.discard_ms * MS)
        with self._working():
            assert self.waiting is not None
            self.turns.append(self.waiting.turn(turn))
            if len(self.turns) >= FRUITLESS and not self.kept:
                raise BenchbookError(
                    f"a batch of lookups takes longer than a turn of {parameters.turn_ms} ms", "raise turn_ms"
                )

    def finish(self) -> None:
        if self.error is None:
            with self._working():
                assert self.waiting is not None
                self.answer = self.waiting.end()

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Its time, which the other arms' does not belong to; an error ends this arm alone."""
        clock = time.monotonic()
        try:
            yield
        except BenchbookError as error:
            self.error = error
        self.took_s += time.monotonic() - clock


def take(
    programs: Sequence[Path], requests: Sequence[Request], parameters: Any, folder: Path, between: Callable[[], None]
) -> Iterator[Arm]:  # fmt: skip
    """Measure all of them side by side; each with what it answered, then those that an error ended.

    programs: of each. parameters: with the fields of TurnParameters. between: called between fillings, and before each
    round. The order of turns follows from the first request's seed.
    """
    order = np.random.default_rng(np.random.SeedSequence(int(requests[0]["seed"]), spawn_key=(2,)))
    arms = [Arm(*each) for each in enumerate(requests)]
    with ExitStack() as living:
        for arm in arms:
            if arm.place:
                between()
            arm.begin(programs[arm.place], folder, living)
        for arm in arms:
            between()
            arm.recall()
        number = 0
        while taking := [arm for arm in arms if arm.goes_on(number, parameters.rounds)]:
            between()
            for at in order.permutation(len(taking)):
                taking[at].take(parameters)
            number += 1
        for arm in arms:
            arm.finish()
            if arm.error is None:
                yield arm
    yield from (arm for arm in arms if arm.error is not None)


def each_turn(turns: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """ns for 1,000 lookups in each turn that kept any, int64, shape (turns,)."""
    kept = [(each["measured_ns"], each["operations"]) for each in turns if each["operations"]]
    return np.array([round(PER_LOOKUPS * ns / lookups) for ns, lookups in kept], dtype=np.int64)


def of_turns(turns: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """What tells how turns went: how many, and what a lookup took in their discarded part against the rest."""
    kept_ns, kept = (sum(each[name] for each in turns) for name in ("measured_ns", "operations"))
    all_ns, every = (sum(each[name] for each in turns) for name in ("all_ns", "all_operations"))
    discarded = (all_ns - kept_ns) / (every - kept) if every > kept else None
    return {
        "turns": float(len(turns)),
        "discarded_lookups": float(every - kept),
        "discarded_over_kept": discarded / (kept_ns / kept) if discarded is not None and kept_ns else None,
    }


def turning_s(parameters: Any) -> float:
    """About how long the turns of one configuration take in a block, checking and drawing included; 0 without turns."""
    return float(2 * parameters.rounds * parameters.turn_ms / 1_000) if hasattr(parameters, "rounds") else 0.0


def divided(live_bytes: Sequence[int], peak_bytes: Sequence[int], available_bytes: int) -> list[list[int]]:
    """Places of those that live together, in their order: as many as memory holds, beside the largest one's filling.

    live_bytes: of each when it waits. peak_bytes: while it is filled. An arm that alone is too large is alone.
    """
    parts: list[list[int]] = [[]]
    held = 0
    for place, (live, peak) in enumerate(zip(live_bytes, peak_bytes, strict=True)):
        if parts[-1] and held + max(live, peak) > available_bytes:
            parts.append([])
            held = 0
        parts[-1].append(place)
        held += live
    return parts
