"""The chapter's other published runs, of earlier versions of what measures: shown beside a number, deciding nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchbook import project, statistics, store
from benchbook.experiments.host_kinds import processor_name
from benchbook.experiments.read_path.summary import Summary
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures.numbers import with_interval
from benchbook.figures.prose import digits
from benchbook.model import Effect, Run

TURNS = "turns"
"""Counted where configurations took turns."""


def told(summary: Summary, top: str, bottom: str, metric: str) -> str:
    """The ratio of a time of two configurations in each of the other runs, by processor and way to measure; "" without.

    A run that asked for other rows is left out.
    """
    found: dict[str, list[str]] = {}
    for run, effect in _ratios(summary, top, bottom, metric):
        how = "taking turns" if TURNS in run.trials else "measured one after the other"
        where = f"on {processor_name(run.provenance) or 'a processor that was not recorded'}, {how}"
        found.setdefault(where, []).append(with_interval(effect))
    return "; ".join(f"{' and '.join(numbers)} {where}" for where, numbers in found.items())


def from_to(summary: Summary, top: str, bottom: str, metric: str) -> str:
    """The least and the largest of these ratios; NotEstimableError where there is no other run."""
    found = [effect.point for _, effect in _ratios(summary, top, bottom, metric)]
    if not found:
        raise NotEstimableError("no other run of this chapter is published", "publish one")
    return f"{digits(min(found))} to {digits(max(found))}"


def here(summary: Summary) -> str:
    """The processors of this run."""
    names = dict.fromkeys(processor_name(part.provenance) for part in summary.run.parts)
    return " and ".join(filter(None, names)) or "a processor that was not recorded"


def _ratios(summary: Summary, top: str, bottom: str, metric: str) -> Iterator[tuple[Run, Effect]]:
    for run in _others(summary):
        times = [run.trials[run.trials["configuration"] == arm].sort_values("block") for arm in (top, bottom)]
        if metric in run.trials and not any(each.empty or each[metric].isna().any() for each in times):
            values = (each[metric].to_numpy(dtype=float) for each in times)
            yield run, statistics.ratio(*values, sessions=np.zeros(run.blocks, dtype=int))  # each is one session


def _others(summary: Summary) -> Iterator[Run]:
    version, rows = summary.run.measurement_version, summary.parameters.rows
    for folder in sorted((project.published() / summary.chapter.name).glob("*/run.json")):
        run = _stored(str(folder.parent))
        if run.measurement_version < version and run.parameters["rows"] == rows:
            yield run


@lru_cache(maxsize=32)
def _stored(folder: str) -> Run:
    """Published runs do not change."""
    return store.read_run(Path(folder), published=True)
