"""A stored run, read whole after its hashes were checked."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from benchbook import nofollow
from benchbook.errors import StoredRunError
from benchbook.model import Run
from benchbook.store import answers, schema, tables
from benchbook.store.checks import check_files

MOST_TRIALS = 2**31
"""Numbers of trials are stored in so many bits."""


def read_run(folder: Path, *, published: bool) -> Run:
    """The run in ``folder``. Raises StoredRunError when anything in it is missing, truncated, changed or impossible."""
    record = schema.read_record(folder, published=published)
    levels = nofollow.PUBLISHED if published else nofollow.RUN
    check_files(folder, record, levels)
    try:
        trials, samples = (tables.read(folder / name, levels) for name in (schema.TRIALS, schema.SAMPLES))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise StoredRunError(f"{folder} has an unreadable table ({error})", "restore it, or measure again") from error
    missing = [name for name in schema.TRIAL_COLUMNS if name not in trials]
    missing += [name for name in ("trial", "series", "latency_ns") if name not in samples]
    if missing:
        raise StoredRunError(f"the tables of {folder} lack {', '.join(missing)}", "restore it, or measure again")
    wrong = _impossible(record, trials, samples)
    if wrong:
        raise StoredRunError(f"the tables of {folder} are damaged: {wrong}", "restore it, or measure again")
    return Run(
        id=record["id"],
        experiment=record["experiment"],
        measurement_version=record["measurement_version"],
        parameters=record["parameters"],
        profile=record["profile"],
        seed=record["seed"],
        blocks=record["blocks"],
        provenance=record["provenance"]
        | {name: record.get(name) for name in ("started_at", "finished_at", "duration_s", "sessions", "files")},
        trials=trials.copy(),  # columns of a type in one array: rows of hundreds of single ones are slow to choose
        samples=samples,
        canary=pd.DataFrame(record["canary"]),
        published=published,
        first_block=record["first_block"],
        machines=(machine,) * record["blocks"] if (machine := record["provenance"].get(answers.MACHINE)) else (),
    )


def _impossible(record: dict[str, Any], trials: pd.DataFrame, samples: pd.DataFrame) -> str:
    """What the tables of a run cannot hold, by its record; "" where there is nothing."""
    # run.json is checked by models (store/record.py); pydantic knows neither columns nor dtypes, so this is by hand.
    for name, below in (("trial", MOST_TRIALS), ("block", record["blocks"]), ("session", len(record["sessions"]))):
        numbers = trials[name]
        if not pd.api.types.is_integer_dtype(numbers):
            return f"{name} is not a whole number"
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= below):
            return f"the numbers in {name} go from {numbers.min()} to {numbers.max()} and there are {below}"
    if not (trials["duration_s"] >= 0).all():
        return "a trial has no duration, or one below 0"
    if trials["started_at"].map(_is_no_time).any():
        return "a trial began at no time that can be read"
    if len(samples) and samples["latency_ns"].min() < 0:
        return "a latency is below 0"
    return ""


def _is_no_time(told: object) -> bool:
    """Of what a trial says of its beginning; trials of early runs do not say."""
    if told is None or told is pd.NaT or told != told:
        return False
    try:
        return not isinstance(told, str) or datetime.fromisoformat(told).tzinfo is None
    except ValueError:
        return True
