"""A stored run, read whole after its hashes were checked."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa

from benchbook.errors import StoredRunError
from benchbook.model import Run
from benchbook.store import schema
from benchbook.store.checks import check_files


def read_run(folder: Path, *, published: bool) -> Run:
    """The run in ``folder``. Raises StoredRunError when anything in it is missing, truncated or changed."""
    record = schema.read_record(folder)
    check_files(folder, record)
    try:
        trials = pd.read_parquet(folder / schema.TRIALS)
        samples = pd.read_parquet(folder / schema.SAMPLES)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise StoredRunError(f"{folder} holds an unreadable table ({error})", "restore it, or measure again") from error
    missing = [name for name in schema.TRIAL_COLUMNS if name not in trials]
    missing += [name for name in ("trial", "series", "latency_ns") if name not in samples]
    if missing:
        raise StoredRunError(f"the tables of {folder} lack {', '.join(missing)}", "restore it, or measure again")
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
        trials=trials,
        samples=samples,
        canary=pd.DataFrame(record["canary"]),
        published=published,
    )
