"""One trial: a store filled and warmed, then asked for random keys in turns, its system calls longer and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchbook import files, temporary
from benchbook.chapters.system_calls.arms import NOTHING, USES, Parameters, configurations
from benchbook.engines import kv
from benchbook.engines.probe import Answer
from benchbook.engines.slow_calls import NAME, Slowed, slowed
from benchbook.engines.storage.compiling import compiled
from benchbook.measuring.kv import bench
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.metrics import Metrics, looked_up
from benchbook.measuring.kv.requests import Request, request
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs

BATCH_OPERATIONS = 64
LOAD_BATCH_ROWS = 100_000


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p, (_, options) = parameters, USES[str(arm.settings["use"])]
    run: dict[str, Any] = {"law": "uniform", "operations": BATCH_OPERATIONS, "warm_operations": p.warm_lookups}
    batch_rows = 0 if options["engine"] == "rocksdb" else LOAD_BATCH_ROWS  # 0: all rows as one, as the note did
    return request(
        seed,
        options,
        p.rows,
        run | {"batch_operations": BATCH_OPERATIONS},
        value_bytes=p.value_bytes,
        batch_rows=batch_rows,
    )


def read(asked: Asked[Parameters]) -> Reading:
    """The mean of the look-ups that count, and how many answers were compared."""
    found = looked_up(asked.answer.record, asked.request["run"])
    return Reading(found, "batch", asked.answer.series["batch.service"])


PROBING = Probing("SQLite, RocksDB", ("SQLite", "RocksDB"), configurations, request_of, read)


def needs(parameters: Parameters) -> Needs:
    """The family's, and a C compiler for the library that lengthens calls."""

    def usable() -> None:
        compiled(NAME)

    return replace(PROBING.needs(parameters), usable=usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The family's, with a folder for the programs whose calls are lengthened."""
    progress("finding the probe", 1.0)
    scratch = files.scratch(needs(parameters).disk_bytes)
    with temporary.folder("probe", scratch) as scripts:
        yield Bench(PROBING, parameters, kv.find(), scratch, None, scripts)


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials whose program is started by a script of their own. scripts: the folder of these and of what they count."""

    scripts: Path = Path()

    def program_of(self, arm: Configuration) -> Path:
        """The probe with the library, which begins to count anew; without it where nothing is to be added."""
        ns = int(arm.settings["ns"] or 0)
        return self.program if ns == NOTHING else slowed(self.program, self.scripts, arm.name, ns).program

    def _trial(self, planned: PlannedTrial, request: Request, answer: Answer, *more: Any) -> Trial:
        made, arm = super()._trial(planned, request, answer, *more), planned.configuration
        if arm.settings["ns"] == NOTHING:
            return made
        calls, added_ns = Slowed(self.scripts, arm.name).counted()
        lookups = float(made.metrics["lookups"] or 0) + self.parameters.warm_lookups
        found: Metrics = {f"{kind}_per_lookup": number / lookups for kind, number in calls.items()}
        total = sum(calls.values())
        found |= {"calls_per_lookup": total / lookups, "added_per_lookup_ns": added_ns / lookups}
        return replace(made, metrics={**made.metrics, **found})


__all__ = ["needs", "read", "reduce", "request_of", "session"]
