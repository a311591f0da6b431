"""How long the list of stored runs takes with one run and with many, beside a plain loop over the same records."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchbook import project, provenance, store, temporary
from benchbook.bench import programs
from benchbook.bench.measured import Measured, Pair, Say, Sizes, interleaved, timed
from benchbook.bench.record import Timing, timing
from benchbook.errors import BenchbookError
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.store import RunWriter
from benchbook.store.schema import RUN

SEED = 1
EXPERIMENT = "made_up"
_SAMPLES = 20
_TIMEOUT_S = 600


def measure(sizes: Sizes, say: Say) -> Measured:
    """The runs are tiny and written by the store itself; raises BenchbookError when the catalogue misses one."""
    with temporary.folder("bench") as own:
        homes = {number: home(own / str(number), number) for number in sizes.runs}
        say("the runs are written")
        contestants = {}
        for number, folder in homes.items():
            _check(folder, number)
            contestants[f"catalogue-{number}"] = timed(_listing(folder))
            contestants[f"plain-{number}"] = timed(_plain(folder))
            contestants[f"command-{number}"] = _command(folder)
        seconds = interleaved(contestants, sizes.repeats, seed=SEED, say=say)
    timings: list[Timing] = []
    pairs: list[Pair] = []
    least = sizes.runs[0]
    for number in sizes.runs:
        runs = "1 run" if number == 1 else f"{number:,} runs"
        made = (
            ("catalogue", "catalogue", f"benchbook: catalogue of {runs}"),
            ("plain", "plain loop", f"json: a plain loop over {runs}"),
            ("command", "benchbook runs", f"the command `benchbook runs`, {runs}"),
        )
        for kind, short, label in made:
            name = f"{kind}-{number}"
            timings.append(timing(name, label, seconds[name], short=f"{short}, {number:,}"))
        pairs.append(Pair(f"catalogue-{number}", f"plain-{number}", main=number == sizes.runs[-1]))
        if number != least:
            pairs.append(Pair(f"command-{number}", f"command-{least}", main=number == sizes.runs[-1]))
    return Measured(tuple(timings), tuple(pairs), {"trials of a run": 1, "samples of a run": _SAMPLES})


def home(folder: Path, runs: int) -> Path:
    """A project with nothing but so many complete runs."""
    for name in ("data", "notebooks", "runs"):
        (folder / name).mkdir(parents=True)
    shutil.copyfile(project.root() / "_config.yml", folder / "_config.yml")
    (folder / "notebooks" / f"{EXPERIMENT}.ipynb").touch()  # an experiment is known by its notebook
    origin = provenance.host(folder) | provenance.code() | {"engine": "none", "engine_version": "1"}
    generator = np.random.default_rng(SEED)
    for number in range(runs):
        record = {
            "key": f"{number:012x}", "experiment": EXPERIMENT, "measurement_version": 1, "profile": "custom",
            "parameters": {"number": number}, "seed": SEED, "blocks": 1, "provenance": {},
        }  # fmt: skip
        writer = RunWriter.create(folder / "runs", record)
        writer.append(_trial(generator), writer.begin_session({}))
        writer.finish(origin)
    return folder


def _trial(generator: np.random.Generator) -> Trial:
    planned = PlannedTrial(0, 0, Configuration("only", "the only one"), SEED)
    samples = {"request": generator.integers(1_000, 1_000_000, _SAMPLES)}
    metrics: dict[str, float | None] = {"mean_ns": float(samples["request"].mean())}
    return Trial(planned, "2026-01-17T10:00:00+00:00", 1.0, metrics, {}, samples)


@contextmanager
def _at(folder: Path) -> Iterator[None]:
    """The project's folder for this process, put back at the end."""
    before = os.environ.get("BENCHBOOK_HOME")
    os.environ["BENCHBOOK_HOME"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["BENCHBOOK_HOME"]
        else:
            os.environ["BENCHBOOK_HOME"] = before


def _listing(folder: Path) -> Callable[[], object]:
    def work() -> object:
        with _at(folder):
            return store.catalogue()

    return work


def _plain(folder: Path) -> Callable[[], object]:
    def work() -> object:
        records = [json.loads(path.read_text("utf-8")) for path in folder.glob(f"runs/*/*/{RUN}")]
        return sorted(records, key=lambda record: str(record["started_at"]))

    return work


def _command(folder: Path) -> Callable[[], float]:
    command = programs.benchbook("runs")
    return lambda: programs.seconds(command, folder, {"BENCHBOOK_HOME": str(folder)}, timeout_s=_TIMEOUT_S)


def _check(folder: Path, number: int) -> None:
    with _at(folder):
        found = [entry for entry in store.catalogue() if entry.record and entry.record["state"] == "complete"]
    if len(found) != number:
        raise BenchbookError(f"the catalogue lists {len(found)} of {number} runs", "see what is wrong with the others")
