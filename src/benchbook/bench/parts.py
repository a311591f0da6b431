"""The parts of the performance measurement by name; each is measured, dated and put into the record as it ends."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchbook import files, provenance
from benchbook.bench import analysis, building, engines
from benchbook.bench.measured import Measure, Say, Sizes
from benchbook.bench.record import FILE, Part, Performance, check_same_host, compare, read, with_part, write
from benchbook.errors import BenchbookError, MachineError, check_known
from benchbook.runner import Progress
from benchbook.runner.lock import host_lock


class _Told(Progress):
    """Passes on what is being waited for."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def say(self, text: str) -> None:
        self._say(text)


PARTS: dict[str, tuple[str, Measure]] = {
    "build": ("Building the book", building.measure),
    "analysis": ("Analysing latencies", analysis.measure),
    "engines": ("The learned index and the engines", engines.measure),
}
"""Name to title and what measures it, in the order in which the book shows them."""


def chosen(names: Sequence[str]) -> list[str]:
    """These parts, or all; raises BenchbookError, with the nearest name, for an unknown one."""
    for name in names:
        check_known("there is no part", name, PARTS)
    return [name for name in PARTS if name in names or not names]


def measure(names: Sequence[str], sizes: Sizes, path: Path, say: Say) -> Performance:
    """Measure parts one after the other; the file holds each as soon as it is there, beside those it held before.

    names: as ``chosen`` returns them, at least one. A part for which the machine lacks something is stored with the
    reason. Raises BenchbookError before measuring when the file is of another machine.
    """
    host = provenance.host(files.scratch())
    performance = read(path)
    if performance is not None:
        check_same_host(performance, host)
    for name in names:
        with host_lock(_Told(say)):  # waits for another measurement on this machine to end
            part = _measured(name, sizes, say)
        performance = with_part(performance, part, host, PARTS)
        write(path, performance)
    assert performance is not None
    return performance


def _measured(name: str, sizes: Sizes, say: Say) -> Part:
    """One part, measured now, with its ratios."""
    (title, measure_it), load = PARTS[name], os.getloadavg()[0]
    # The record is in git too, and every part before this one has changed it.
    code = provenance.code(but=FILE, say=say)
    dated = {
        "name": name,
        "title": title,
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": code["commit"],
        "dirty": code["dirty"],
        "load": round(load, 2),
    }
    try:
        found = measure_it(sizes, lambda line: say(f"{name}: {line}"))
    except MachineError as error:
        say(f"{name}: left out: {error.problem}; {error.mend}")
        return Part.model_validate({**dated, "skipped": f"{error.problem}; {error.mend}"})
    try:
        ratios = tuple(compare(found.timings, pair.name, pair.peer, main=pair.main) for pair in found.pairs)
    except ValueError as error:
        raise BenchbookError(f"part {name}: {error}", "measure it again") from error
    settings = dict(found.settings) | ({"small": True} if sizes.small else {})
    return Part.model_validate(
        {
            **dated,
            "settings": settings,
            "versions": dict(found.versions),
            "timings": found.timings,
            "comparisons": ratios,
        }
    )
