"""Ways to use SQLite and the note's engine, by what is added to each system call: calls, price, who is ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from benchbook import kit, temporary
from benchbook.engines import slow_calls
from benchbook.engines.storage.compiling import compiled
from benchbook.measuring import kv


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile: about three quarters of a minute a block."""

    blocks: int = kit.common("blocks", 6)
    rows: int = kit.common("rows", 500_000, 1_000)
    value_bytes: int = kit.common("value_bytes", 100, 8, 4096)
    warm_lookups: int = kit.common("warm_lookups", 20_000, 1, 100_000_000)
    added_ns: tuple[Annotated[int, Field(ge=0, le=100_000)], ...] = Field(
        (0, 250, 500, 1_000), min_length=2, description="by how many ns each system call takes longer, growing from 0"
    )
    kept_samples: int = kit.common("kept_samples", 500)

    @model_validator(mode="after")
    def _growing(self) -> Self:
        grows = not self.added_ns[0] and [*self.added_ns] == sorted({*self.added_ns})
        kit.refuse(not grows, f"added_ns={self.added_ns} must grow, from 0")
        return self

    @property
    def most_ns(self) -> int:
        """The most that is added."""
        return self.added_ns[-1]


USES: dict[str, tuple[str, kv.Options]] = {
    "as_run": ("SQLite, prepared for every query", kv.uses.SQLITE_PER_QUERY),
    "once": ("SQLite, prepared once", kv.uses.SQLITE_AUTOCOMMIT),
    "held": ("SQLite, one read transaction", {**kv.uses.SQLITE_AUTOCOMMIT, "transaction": "read"}),
    "best": ("SQLite, one read transaction, file mapped", kv.uses.SQLITE_BEST),
    "engine": ("the note's engine", {**kv.ENGINE, "index_load": "single", **kv.BEFORE}),
    "value_file": ("value file", {**kv.uses.VALUE_FILE, **kv.uses.FASTER_LOADING["value_file"]}),
}
"""Use to its label and options. The note's engine is ALEX before RocksDB; its rows stay in the memtable."""
ASKING, SILENT = ("as_run", "once", "held"), ("best", "engine", "value_file")
"""Ways in which a look-up asks the kernel, for locks, or at least for a page that the cache lacks; and the rest."""
NOTHING = -1
"""In place of ns: a process without the library that lengthens calls."""


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every use as it is and with the most that is added, those that ask the kernel with all of it, one twice (A/A)."""
    p = parameters
    longer = [(use, ns) for use in ASKING for ns in p.added_ns] + [(use, p.most_ns) for use in SILENT]
    arms = [(use, NOTHING, use, "") for use in USES] + [(use, ns, f"{use}_{ns}", "") for use, ns in longer]
    for use, ns, name, more in [*arms, ("once", NOTHING, "once_again", ", again (A/A)")]:
        added = "" if ns == NOTHING else f", each call {ns:,} ns longer" if ns else ", calls counted"
        yield kit.Configuration(name, f"{USES[use][0]}{added}{more}", {"use": use, "ns": ns}, "look-ups")


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    p, (_, options) = parameters, USES[str(arm.settings["use"])]
    run = {"law": "uniform", "operations": 64, "warm_operations": p.warm_lookups, "batch_operations": 64}
    batch_rows = 0 if options["engine"] == "rocksdb" else 100_000  # 0: all rows as one, as the note did
    return kv.request(seed, options, p.rows, run, value_bytes=p.value_bytes, batch_rows=batch_rows)


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """The mean of the look-ups that count, and how many answers were compared."""
    found = kv.looked_up(asked.answer.record, asked.request["run"])
    return kv.Reading(found, "batch", asked.answer.series["batch.service"])


PROBING = kv.Probing("SQLite, RocksDB", ("SQLite", "RocksDB"), configurations, request_of, read)
reduce = kv.reduce


def needs(parameters: Parameters) -> kit.Needs:
    """The family's, and a C compiler for the library that lengthens calls."""

    def usable() -> None:
        compiled(slow_calls.NAME)

    return replace(PROBING.needs(parameters), usable=usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The family's, with a folder for the programs whose calls are lengthened."""
    with PROBING.session(parameters, progress) as made, temporary.folder("probe", made.folder) as scripts:
        yield Bench(**vars(made), scripts=scripts)


@dataclass(frozen=True)
class Bench(kv.Bench[Parameters]):
    """Trials whose program is started by a script of their own. scripts: the folder of these and of what they count."""

    scripts: Path = Path()

    def program_of(self, arm: kit.Configuration) -> Path:
        """The probe with the library, which begins to count anew; without it where nothing is to be added."""
        ns = int(arm.settings["ns"] or 0)
        return self.program if ns == NOTHING else slow_calls.slowed(self.program, self.scripts, arm.name, ns).program

    def _trial(self, planned: kit.PlannedTrial, request: kv.Request, answer: kv.Answer, *more: Any) -> kit.Trial:
        made, arm = super()._trial(planned, request, answer, *more), planned.configuration
        if arm.settings["ns"] == NOTHING:
            return made
        calls, added_ns = slow_calls.Slowed(self.scripts, arm.name).counted()
        lookups = float(made.metrics["lookups"] or 0) + self.parameters.warm_lookups
        found: kv.Metrics = {f"{kind}_per_lookup": number / lookups for kind, number in calls.items()}
        found |= {"calls_per_lookup": sum(calls.values()) / lookups, "added_per_lookup_ns": added_ns / lookups}
        return replace(made, metrics={**made.metrics, **found})


KINDS = {
    "locks_per_lookup": "locking (fcntl)", "reads_per_lookup": "reading (pread)",
    "states_per_lookup": "size of the file (fstat)", "names_per_lookup": "other files (stat, access)",
}  # fmt: skip
METRICS = {
    **kv.METRICS,
    "calls_per_lookup": kit.Metric("system calls of a look-up", "", 1, "{:.3g}".format, "calls"),
    **{name: kit.Metric(f"calls of a look-up: {words}", format="{:.3g}".format) for name, words in KINDS.items()},
    "added_per_lookup_ns": kit.Metric("time added to a look-up's system calls", "µs", 1e-3, heading="added"),
    "checked_reads": kit.Metric("number of answers that were checked"),
}
Summary = kv.Summary[Parameters]


def at(use: str, which: int = -1) -> Callable[[Summary], str]:
    """The configuration of a use with the most that is added to each call, or with another of ``added_ns``."""
    return lambda summary: f"{use}_{summary.parameters.added_ns[which]}"


def lowest(use: str) -> Callable[[Summary], str]:
    """That with the least that is added, where the run has two such: the clock is then read as in the most."""
    return lambda summary: at(use, min(1, len(summary.parameters.added_ns) - 2))(summary)


time, calls, added = kit.measured("lookup_mean_ns"), kit.counted("calls_per_lookup"), kit.counted("added_per_lookup_ns")
felt = {use: (time[at(use)] - time[lowest(use)]) / (added[at(use)] - added[lowest(use)]) for use in ASKING}
"""By how many ns a look-up takes longer for each ns that its calls do, between the least added and the most."""


def price(engine: np.ndarray, once: np.ndarray, felt: np.ndarray, calls: np.ndarray) -> np.ndarray:
    """By how many ns each call would have to be longer for a look-up to take as long as in the note's engine."""
    found: np.ndarray = (engine - once) / (felt * calls)
    return found


AA = ("once_again", "once")
NUMBERS = {
    "calls": {use: calls[f"{use}_0" if use in ASKING else at(use)].mean for use in (*ASKING, "best", "engine")},
    "felt": {use: slope.mean for use, slope in felt.items()},
    **{f"lead_{use}": time[at(use, 0)] / time["engine"] for use in ASKING},
    **{f"lead_{use}_most": time[at(use)] / time["engine"] for use in ASKING},
    "best": time["best"] / time["engine"],
    "best_over_file": time["best"] / time["value_file"],
    "unmoved": {use: time[at(use)] / time[use] for use in SILENT},
    "even": kit.blockwise(price, time["engine"], time["once"], felt["once"], calls[at("once")]).mean,
    "counted": time["once_0"] / time["once"],
    "same": time["once_again"] / time["once"],
}


def host_ns(summary: Summary) -> float:
    """What an empty system call costs on this run's host, in ns, Python's part included."""
    found = summary.run.provenance.get("system_call_ns")
    if found is None:
        raise kit.NotEstimableError("the run does not say what a system call costs", "measure again")
    return float(found)


WORDS = {"host_ns": host_ns}
LABELS = {use: label for use, (label, _) in USES.items()}
FIGURES = {
    "leads": kit.Lines(
        over=lambda summary: summary.parameters.added_ns, across="added to each system call (ns)",
        series={LABELS[use]: time[f"{use}_{{}}"] / time["engine"] for use in ASKING}, heading="use",
        axis="time over the note's engine", quantity="time over the engine's", rule=1, replicates="blocks",
    ),
    "calls": kit.Dots(
        rows=lambda summary: {
            (f"{use}_0" if use in ASKING else at(use)(summary)): LABELS[use] for use in (*ASKING, *SILENT)
        },
        row="use", series={words: kit.counted(kind)["{}"].mean for kind, words in KINDS.items()},
        heading="kind of call", axis="calls of a look-up", quantity="calls", scale="zero",
    ),
}  # fmt: skip
