"""What the logs of note 001's own benchmark, of the day after the note's run, show about its claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from benchbook import notes
from benchbook.claims.evidence import Reported
from benchbook.figures.prose import in_letters, listed
from benchbook.measuring.badger.notes import FAST

BURSTS, COUNTERS = "raw/badger_bursts", "raw/badger_counters"
PRINTED = {"mean_ms": "mean", "p95_ms": "P95"}
"""Latencies of a burst in the logs, and what they are called."""
Shown = Callable[[], Reported]


def bursts(column: str) -> pd.DataFrame:
    """Latencies in ms: a row for each name in the order of the runs, a column for each round. column: of PRINTED."""
    found = notes.table(BURSTS)
    return found.pivot(index=["started", "relay_label"], columns="round", values=column).sort_index()


def first_over_later(column: str) -> float:
    """The name that was run first over the later ones: geometric means, of them and of the rounds."""
    first, *later = np.log(bursts(column).to_numpy())
    return float(np.exp(np.mean(first - np.mean(later, axis=0))))


def counted(last: bool) -> pd.DataFrame:
    """Counters of the block cache, a row for each log, after a minute or at its end. asked: hits and misses."""
    found = notes.table(COUNTERS).sort_values(["run_id", "file", "at_s"])
    found["asked"] = found["hit"] + found["miss"]
    return found.drop_duplicates(["run_id", "file"], keep="last" if last else "first")


def ratio(top: str, bottom: str, *, last: bool = False) -> tuple[float, list[float]]:
    """One counter over another in all logs together, and in each. last: at their end, not after the first minute."""
    found = counted(last)
    return float(found[top].sum() / found[bottom].sum()), (found[top] / found[bottom]).tolist()


def order(column: str) -> Shown:
    """Whether a burst's latency is the same at whatever place the program is run. column: of PRINTED."""

    def found() -> Reported:
        each = [f"{' and '.join(f'{ms:.2f}' for ms in row)} ms as {label}" for label, row in _by_label(column)]
        return Reported(
            f"One Badger program was run under {in_letters(len(each))} names, one after the other; its bursts had a "
            f"{PRINTED[column]} of {listed(each)}; it does not give the same number again, even under one name; the "
            f"log of {FAST} opens a Badger store too. First name over later ones: {first_over_later(column):.2f}, in "
            f"one sequence, which shows no effect of the order {_source()}",
            first_over_later(column),
        )

    return found


def held_mb() -> tuple[float, float]:
    """The least and the most that the block cache held in a log after a minute: cost added less cost evicted."""
    found = counted(last=False)
    held = (found["cost_added_bytes"] - found["cost_evicted_bytes"]) / 1e6
    return float(held.min()), float(held.max())


def counters(words: str, top: str, bottom: str, factor: float = 1.0) -> Shown:
    """A ratio of two counters of the block cache after its first minute. words: what it is; factor: to its words."""

    def found() -> Reported:
        value, each = ratio(top, bottom)
        shown, (least, most) = listed([f"{factor * one:.3g}" for one in each]), held_mb()
        return Reported(
            f"{in_letters(len(each)).capitalize()} logs of the same program have {words} of {shown} after a minute, "
            f"{factor * value:.3g} together; their cache held {least:,.0f} to {most:,.0f} MB, so it was not of the "
            f"64 MB that the note names {_source()}",
            value,
        )

    return found


def _by_label(column: str) -> Iterable[tuple[str, list[float]]]:
    found = bursts(column)
    return zip(found.index.get_level_values("relay_label"), found.to_numpy().tolist(), strict=True)


def _source() -> str:
    return f"(logs of 17 November 2025 in {notes.source(notes.table(COUNTERS).iloc[0])})"
