"""What pgbench, sysbench and HammerDB print: summaries, and the reports of their seconds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.own_numbers.series import RUN, Repetition, Series, positive

SECONDS = "the seconds of a run: they depend on each other"
_PGBENCH_BEGIN = re.compile(r"^\s*(pgbench \(|transaction type:|starting vacuum)")
_PGBENCH = re.compile(r"^\s*progress: (\d+(?:\.\d+)?) s, (\d+(?:\.\d+)?) tps")
_PGBENCH_TPS = re.compile(r"^\s*tps = (\d+(?:\.\d+)?) \((.*)\)")
_PGBENCH_LATENCY = re.compile(r"^\s*latency average = (\d+(?:\.\d+)?) ms")
_SYSBENCH_BEGIN = re.compile(r"^\s*sysbench \d")
_SYSBENCH = re.compile(r"^\s*\[\s*(\d+)s\s*\]\s*(?:thds|threads): \d+,? tps: (\d+(?:\.\d+)?)")
_SYSBENCH_RATE = re.compile(
    r"^\s*(?:transactions:\s+\d+\s+\((\d+(?:\.\d+)?) per sec\.\)|events per second:\s+(\d+(?:\.\d+)?))"
)
_SYSBENCH_LATENCY = re.compile(r"^\s*avg:\s+(\d+(?:\.\d+)?)(?:ms)?\s*$")
_HAMMERDB = re.compile(r"TEST RESULT : System achieved (?:(\d+) NOPM from \d+|\d+ \D*?TPM at (\d+) NOPM)")
LINE = 1 << 16
"""Characters of a line that are looked at."""


@dataclass
class _Run:
    """One run as far as its lines have been read."""

    ends: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    rate: float | None = None
    latency_ms: float | None = None

    @property
    def empty(self) -> bool:
        return self.rate is None and not self.rates

    def add(self, end: float, rate: float) -> None:
        self.ends.append(end)
        self.rates.append(rate)


def kind(line: str) -> str:
    """The tool that writes such a line, or "" for one that tells nothing."""
    if _PGBENCH_BEGIN.match(line) or _PGBENCH.match(line) or _PGBENCH_TPS.match(line):
        return "pgbench"
    if _SYSBENCH_BEGIN.match(line) or _SYSBENCH.match(line) or _SYSBENCH_RATE.match(line):
        return "sysbench"
    return "HammerDB" if _HAMMERDB.search(line) else ""


def read(tool: str, lines: Iterable[str], source: str) -> list[Series]:
    """The runs in the output of a tool; raises BenchbookError where it tells of none."""
    runs = [
        run for run in {"pgbench": _pgbench, "sysbench": _sysbench, "HammerDB": _hammerdb}[tool](lines) if not run.empty
    ]
    if not runs:
        raise BenchbookError(f"{source} looks like {tool}'s, but has no result", "give the output of a run that ended")
    unit = "NOPM" if tool == "HammerDB" else "TPS"
    repeats = RUN.format(tool=tool)
    rates = tuple(_repetition(run, source) for run in runs)
    found = [Series(tool, "", "throughput", unit, True, repeats, SECONDS, rates)]
    slow = [run.latency_ms for run in runs]
    if all(each is not None for each in slow):
        means = tuple(Repetition(positive(each, f"{source}: mean latency"), source) for each in slow)
        found.append(Series(tool, "", "mean latency", "ms", False, repeats, SECONDS, means))
    return found


def _repetition(run: _Run, source: str) -> Repetition:
    ends, rates = np.array(run.ends), np.array(run.rates)
    lengths = np.diff(np.concatenate([[0.0], ends]))
    rate = run.rate if run.rate is not None else float(np.average(rates, weights=np.maximum(lengths, 1e-9)))
    stretch = float(np.median(lengths)) if lengths.size else 1.0
    return Repetition(positive(rate, f"{source}: throughput"), source, course=rates, stretch_s=max(stretch, 1e-9))


def _pgbench(lines: Iterable[str]) -> Iterator[_Run]:
    run = _Run()
    for line in lines:
        if found := _PGBENCH.match(line):
            if run.rate is not None or (run.ends and float(found[1]) <= run.ends[-1]):
                yield run
                run = _Run()
            run.add(float(found[1]), float(found[2]))
        elif found := _PGBENCH_TPS.match(line):
            # Before release 14 there are two: with the time of connecting, then without.
            if run.rate is None or "excluding" in found[2]:
                run.rate = float(found[1])
        elif found := _PGBENCH_LATENCY.match(line):
            run.latency_ms = float(found[1])
        elif _PGBENCH_BEGIN.match(line) and run.rate is not None:
            yield run
            run = _Run()
    yield run


def _sysbench(lines: Iterable[str]) -> Iterator[_Run]:
    run = _Run()
    for line in lines:
        if found := _SYSBENCH.match(line):
            if run.rate is not None or (run.ends and float(found[1]) <= run.ends[-1]):
                yield run
                run = _Run()
            run.add(float(found[1]), float(found[2]))
        elif found := _SYSBENCH_RATE.match(line):
            run.rate = float(found[1] or found[2])
        elif found := _SYSBENCH_LATENCY.match(line):
            run.latency_ms = float(found[1])
        elif _SYSBENCH_BEGIN.match(line) and run.rate is not None:
            yield run
            run = _Run()
    yield run


def _hammerdb(lines: Iterable[str]) -> Iterator[_Run]:
    for line in lines:
        for found in _HAMMERDB.finditer(line):
            yield _Run(rate=float(found[1] or found[2]))
