"""What pgbench, sysbench and HammerDB print: summaries, and the reports of their seconds."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.own_numbers.series import RUN, Repetition, Series, positive

SECONDS = "the seconds of a run: they depend on each other"
_NUMBER = r"(\d+(?:\.\d+)?)"
_RATE = r"(?P<rate>\d+(?:\.\d+)?)"
PATTERNS = {
    "pgbench": (
        r"pgbench \(|transaction type:|starting vacuum",
        f"progress: {_NUMBER} s, {_NUMBER} tps",
        rf"tps = {_RATE}(?: \((?P<how>.*)\))?", f"latency average = {_NUMBER} ms",
    ),
    "sysbench": (
        r"sysbench \d",
        rf"\[\s*{_NUMBER}s\s*\]\s*(?:thds|threads): \d+,? tps: {_NUMBER}",
        rf"(?P<how>transactions:|events per second:|events/s \(eps\):)\s+(?:\d+\s+\()?{_RATE}",
        rf"avg:\s+{_NUMBER}(?:ms)?\s*$",
    ),
}  # fmt: skip
"""Of each tool: what a run begins with, a report of its course with end and rate, its rate, its mean latency in ms."""
_TOOLS = {tool: [re.compile(rf"\s*(?:{each})") for each in every] for tool, every in PATTERNS.items()}
_HAMMERDB = re.compile(r"TEST RESULT : System achieved (?:(\d+) NOPM from \d+|\d+ \D*?TPM at (\d+) NOPM)")
LINE = 1 << 16
"""Characters of a line that are looked at."""


@dataclass
class _Run:
    """One run as far as its lines have been read."""

    ends: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    rate: float | None = None
    how: str = ""
    latency_ms: float | None = None

    @property
    def empty(self) -> bool:
        return self.rate is None and not self.rates


def kind(line: str) -> str:
    """The tool that writes such a line, or "" for one that tells nothing."""
    for tool, (*telling, _) in _TOOLS.items():
        if any(each.match(line) for each in telling):
            return tool
    return "HammerDB" if _HAMMERDB.search(line) else ""


def read(tool: str, lines: Iterable[str], source: str) -> list[Series]:
    """The runs in the output of a tool; raises BenchbookError where it tells of none."""
    runs = [run for run in (_runs(tool, lines) if tool in _TOOLS else _hammerdb(lines)) if not run.empty]
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


def _runs(tool: str, lines: Iterable[str]) -> Iterator[_Run]:
    begin, course, rate, latency = _TOOLS[tool]
    run = _Run()
    for line in lines:
        if found := course.match(line):
            if run.rate is not None or (run.ends and float(found[1]) <= run.ends[-1]):
                yield run
                run = _Run()
            run.ends.append(float(found[1]))
            run.rates.append(float(found[2]))
        elif found := rate.match(line):
            how = found["how"] or ""
            if run.rate is not None and (how == run.how or "including" in how):
                yield run
                run = _Run()
            # pgbench before release 14 says it twice, including the time of connecting, then excluding it; sysbench
            # from 1.1 on says it of transactions, then of events.
            if run.rate is None or "excluding" in how:
                run.rate, run.how = float(found["rate"]), how
        elif found := latency.match(line):
            run.latency_ms = float(found[1])
        elif begin.match(line) and run.rate is not None:
            yield run
            run = _Run()
    yield run


def _hammerdb(lines: Iterable[str]) -> Iterator[_Run]:
    for line in lines:
        for found in _HAMMERDB.finditer(line):
            yield _Run(rate=float(found[1] or found[2]))
