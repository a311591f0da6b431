"""How far the machine's drift could have carried a run's comparisons, from its canary readings.

How fast a processor is when quiet is read from all published canaries of that processor (and, for a run that is not
published, from those stored here), never from another processor's. How far a canary moves on a quiet machine is
measured by ``noise_floor``: its newest published run has the readings from which the spread is computed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchbook import project, statistics
from benchbook.errors import BenchbookError
from benchbook.model import Run
from benchbook.numbers.host_kinds import processor
from benchbook.parameters.profiles import precedence
from benchbook.statistics import Movement
from benchbook.store import part_of_blocks, parts, read_entry, schema
from benchbook.store.remembered import Remembered

SOURCE = "noise_floor"
HASHING, READING = "hash_p50_ns", "read_p50_ns"
READINGS = {READING: "direct 8 KiB reads", HASHING: "hashing 1 MiB"}
"""Column of a run's canary to its words."""
UNDER_LOAD, TURNS = frozenset({"switched_settings"}), "turns"
"""Chapters whose clients go on writing while they take turns, and the moment of a look in between.

Such a look times what the chapter itself does to the machine. Other chapters' processes are idle while turns are looked
at.
"""
CONTENDED = 2.0
"""Times its quiet level from which a block's direct reads say that the disk was not ours alone."""
AROUND_TRIALS = "trial"
"""Column of a canary that was looked at before and after every trial; others were around every block."""


def movement(run: Run, *, device: bool) -> Movement:
    """How far the machine could have carried a comparison in this run: the worse of its readings.

    device: whether direct reads count beside hashing, as they do where trials use the disk.
    """
    spreads, levels = published_spreads(), quiet_levels(local=not run.published)
    every, around = parts(run), around_trials(run)
    found = []
    for reading in readings(device=device):
        sessions = [shifts(each, reading, levels) for each in every]
        seen = statistics.movement(sessions, spreads.get(reading), around_trials=around)
        found.append(Movement(seen.w, f"{seen.reason} ({READINGS[reading]})"))
    return max(found, key=lambda each: each.w)


def around_trials(run: Run) -> bool:
    """Whether each part of a run looked at the canary before and after every trial."""
    if AROUND_TRIALS not in run.canary:
        return False
    of_block = part_of_blocks(run)
    looked = run.canary.loc[run.canary[AROUND_TRIALS].notna(), "block"].to_numpy(dtype=np.int64)
    return len({*of_block[looked].tolist()}) == len(run.parts)


def readings(*, device: bool) -> tuple[str, ...]:
    """The canaries that count for a run."""
    return (HASHING, READING) if device else (HASHING,)


def contended(run: Run) -> tuple[int, ...]:
    """Blocks in which a direct read took more than twice its quiet time: somebody else had the disk.

    They stay in every number; a reader should know of them. None where quiet times or looks are not known.
    """
    levels, found, before = quiet_levels(local=not run.published), [], 0
    for part in parts(run):
        seen = shifts(part, READING, levels)
        if seen.size:
            means = looks(part).assign(shift=seen).groupby("block")["shift"].mean()
            found += [before + int(block) for block in means.index[means > math.log(CONTENDED)]]
        before += part.blocks
    return tuple(found)


def loaded(experiment: str, moment: str) -> bool:
    """Whether what a chapter measures was running while somebody looked at the machine."""
    return moment == TURNS and experiment in UNDER_LOAD


def looks(run: Run) -> pd.DataFrame:
    """The looks of a run at the machine alone, as in its canary."""
    if run.experiment not in UNDER_LOAD:
        return run.canary
    return run.canary[run.canary["moment"] != TURNS]


def cache_bytes(provenance: Mapping[str, Any]) -> int | None:
    """The processor's last-level cache as the system gives it; None where it does not.

    It ends the recorded ``processor_model``; what Linux gives of an AMD processor is each core's second level.
    """
    if str(provenance.get("processor", "")).startswith("AMD"):
        return None
    told = re.search(r"(\d+) KB$", str(provenance.get("processor_model", "")))
    return 1024 * int(told[1]) if told else None


def quiet_levels(*, local: bool) -> dict[tuple[str, str], float]:
    """(processor, reading) to its quiet level in ns, where enough readings are stored. local: also unpublished runs."""
    return dict(_quiet_levels(tuple(_records(local=local))))


def _records(*, local: bool) -> Iterator[tuple[Path, bool, int]]:
    """Folder of each run, whether it is published, and when its record was written, in ns."""
    for parent, published in ((project.published(), True), *([(project.runs(), False)] if local else [])):
        for path in sorted(parent.glob(f"*/*/{schema.RUN}")):
            yield path.parent, published, path.stat().st_mtime_ns


Levels = tuple[tuple[tuple[str, str], float], ...]


@cache
def _quiet_levels(records: tuple[tuple[Path, bool, int], ...]) -> Levels:
    seen: dict[tuple[str, str], list[float]] = {}
    known = Remembered(project.runs())
    for folder, published, _ in records:
        record = read_entry(folder, published=published, known=known).record
        if record is None:  # `benchbook verify` says what is wrong with it
            continue
        alone = [look for look in record["canary"] if not loaded(record["experiment"], look["moment"])]
        name = processor(record["provenance"])
        for reading in READINGS:
            seen.setdefault((name, reading), []).extend(look[reading] for look in alone if look.get(reading))
    known.keep()
    levels = ((key, statistics.quiet_level(readings)) for key, readings in seen.items())
    return tuple((key, level) for key, level in levels if level is not None)


def shifts(run: Run, reading: str, levels: Mapping[tuple[str, str], float]) -> np.ndarray:
    """ln(reading / quiet level) of every look of a session at the machine alone; none where either is not known.

    levels: the quiet levels that count, by processor and reading. Whoever asks for many sessions looks for them once.
    """
    quiet, alone = levels.get((processor(run.provenance), reading)), looks(run)
    if quiet is None or reading not in alone or alone[reading].isna().any():
        return np.zeros(0)
    return np.log(alone[reading].to_numpy(dtype=float) / quiet)


def published_spreads() -> dict[str, float]:
    """Reading to the spread of the newest published run of ``noise_floor``; empty where none is published."""
    found = sorted((project.published() / SOURCE).glob(f"*/{schema.RUN}"))
    return dict(_spreads(max(found, key=lambda path: precedence(_published(path))))) if found else {}


@cache
def _spreads(path: Path) -> tuple[tuple[str, float], ...]:
    return tuple(spreads(pd.DataFrame(_published(path)["canary"])).items())


def _published(path: Path) -> dict[str, Any]:
    return schema.read_record(path.parent, published=True)


def spreads(canary: pd.DataFrame) -> dict[str, float]:
    """Reading to its spread on this quiet machine, as a share; a reading that the machine cannot take is left out.

    canary: as in a Run, in order of time.
    """
    found = {}
    for reading in READINGS:
        if reading not in canary or canary[reading].isna().any():
            continue
        try:
            found[reading] = statistics.canary_spread(canary[reading].to_numpy(dtype=float))
        except BenchbookError:  # too few readings, or a clock too coarse
            continue
    return found
