"""A run while it is measured: each finished trial is durable before the next begins; then one table of all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchbook import files
from benchbook.errors import StoredRunError
from benchbook.model import Trial
from benchbook.store import atomic, schema, seals
from benchbook.store import record as fields


class RunWriter:
    """Writes one run. Make it with ``create`` or ``resume``; then ``append`` trials and ``finish``."""

    def __init__(self, folder: Path, record: dict[str, Any]) -> None:
        self.folder = folder
        self.record = record
        self._parts = folder / schema.PARTS

    @classmethod
    def create(cls, runs: Path, record: Mapping[str, Any]) -> RunWriter:
        """A new run in ``runs/<experiment>/<id>``; the record lacks only what this module adds.

        Raises StoredRunError when it would be one that nobody could read, before anything is measured.
        """
        now = datetime.now(UTC)
        group = runs / str(record["experiment"])
        identity = first = f"{record['key']}-{now:%Y%m%dT%H%M%S}"
        number = 1
        while (group / identity).exists():
            number += 1
            identity = f"{first}-{number}"
        full = {
            "schema": schema.SCHEMA,
            "id": identity,
            "first_block": 0,
            **record,
            "state": "measuring",
            "started_at": now.isoformat(timespec="seconds"),
            "finished_at": None,
            "canary": [],
            "sessions": [],
            "files": {},
        }
        wrong = fields.problem(full)
        if wrong:
            raise StoredRunError(f"no run of {group.name} can begin: {wrong}", "fix the code that measures")
        making = group / f".{identity}.new"  # what has no record yet is not a run
        with atomic.told_as_machine_error(making):
            shutil.rmtree(making, ignore_errors=True)
            atomic.make_folder(making / schema.PARTS)
            cls(making, full)._save()
            making.rename(group / identity)
            atomic.sync_folder(group)
        return cls(group / identity, full)

    @classmethod
    def resume(cls, folder: Path) -> RunWriter:
        """Go on with an unfinished run. Raises StoredRunError when one of its trials is damaged."""
        record = schema.read_record(folder)
        if record["state"] != "measuring":
            raise StoredRunError(f"run {record['id']} is complete", "start a new one with --fresh")
        writer = cls(folder, record)
        for path in writer._parts.glob("*.json"):
            _read_part(path)
        return writer

    @property
    def done(self) -> set[int]:
        """Indices of the trials that are on disk."""
        return {int(path.stem) for path in self._parts.glob("*.json")}

    def begin_session(self, session: Mapping[str, Any]) -> int:
        """Record that measuring starts (again); returns the session's number, from 0."""
        self.record["sessions"].append(dict(session))
        self._save()
        return len(self.record["sessions"]) - 1

    def add_canary(self, look: Mapping[str, Any]) -> None:
        """Record one look at the machine."""
        self.record["canary"].append(dict(look))
        self._save()

    def append(self, trial: Trial, session: int) -> None:
        """Make a finished trial durable: samples first, then the record that says that they are whole."""
        index = trial.planned.index
        samples = self._parts / f"{index:05d}.parquet"
        table = pa.table(
            {
                "series": pa.array(
                    np.repeat(np.array([*trial.samples], dtype=np.str_), [*map(len, trial.samples.values())]),
                    pa.string(),
                ).dictionary_encode(),
                "latency_ns": np.concatenate(
                    [np.zeros(0, np.int64), *(np.asarray(values, dtype=np.int64) for values in trial.samples.values())]
                ),
            }
        )
        atomic.write(samples, lambda path: pq.write_table(table, path, compression="zstd"))
        row = {
            "trial": index,
            "block": trial.planned.block,
            "configuration": trial.planned.configuration.name,
            "seed": trial.planned.seed,
            "session": session,
            "started_at": trial.started_at,
            "duration_s": round(trial.duration_s, 3),
            "metrics": dict(trial.metrics),
            "labels": dict(trial.labels),
            "sha256": files.sha256(samples),
        }
        atomic.write_json(self._parts / f"{index:05d}.json", row)

    def finish(self, provenance: Mapping[str, Any]) -> Path:
        """Join the parts into the two tables, seal record and tables with their hashes, and remove the parts.

        Raises StoredRunError when the record would be one that nobody could read; every trial then stays stored.
        """
        rows, samples = self._read_parts()
        atomic.write(self.folder / schema.TRIALS, lambda path: write_trials(path, rows))
        atomic.write(self.folder / schema.SAMPLES, lambda path: write_samples(path, samples))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        complete = self.record | {
            "files": {
                name: {"sha256": files.sha256(self.folder / name), "bytes": (self.folder / name).stat().st_size}
                for name in (schema.TRIALS, schema.SAMPLES)
            },
            "provenance": dict(provenance),
            "finished_at": max(now, self.record["started_at"]),  # the clock may have been set back meanwhile
            "duration_s": round(float(rows["duration_s"].sum()), 1),
            "state": "complete",
        }
        wrong = fields.problem(complete)
        if wrong:
            raise StoredRunError(
                f"run {self.record['id']} cannot be completed: {wrong}",
                "fix the code that measures; every trial is stored",
            )
        self.record = seals.sealed(complete)
        self._save()
        shutil.rmtree(self._parts)
        return self.folder

    def _read_parts(self) -> tuple[pd.DataFrame, pa.Table]:
        rows, samples = [], []
        for path in sorted(self._parts.glob("*.json")):
            row = _read_part(path)
            rows.append({name: row[name] for name in schema.TRIAL_COLUMNS} | row["metrics"] | row["labels"])
            table = pq.read_table(path.with_suffix(".parquet"))
            samples.append(table.add_column(0, "trial", pa.array(np.full(len(table), row["trial"], dtype=np.int32))))
        return pd.DataFrame(rows), pa.concat_tables(samples).unify_dictionaries()

    def _save(self) -> None:
        atomic.write_json(self.folder / schema.RUN, self.record)


def _read_part(path: Path) -> dict[str, Any]:
    """The record of one stored trial, after its samples were checked against it."""
    damage = f"{path} or its samples are damaged"
    mend = f"delete {path} and repeat the command: that trial is measured again"
    try:
        row: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        whole = files.sha256(path.with_suffix(".parquet")) == row["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoredRunError(f"{damage} ({error})", mend) from None
    if not whole:
        raise StoredRunError(damage, mend)
    return row


def write_trials(path: Path, rows: pd.DataFrame) -> None:
    """One row per trial; metrics as float64 with missing values where not estimable."""
    typed = rows.copy()
    for name in typed.columns:
        if name not in schema.TRIAL_COLUMNS and typed[name].map(lambda value: not isinstance(value, str)).all():
            typed[name] = typed[name].astype("float64")
    typed.to_parquet(path, compression="zstd", index=False)


def write_samples(path: Path, samples: pa.Table) -> None:
    """The operations' latencies, in order; 32-bit where no latency reaches 2.1 s, to keep published runs small."""
    latencies = samples["latency_ns"].to_numpy()
    kind = pa.int32() if latencies.max(initial=0) < 2**31 else pa.int64()
    narrow = samples.set_column(2, "latency_ns", pa.array(latencies, type=kind))
    pq.write_table(
        narrow, path, compression="zstd", compression_level=19, use_dictionary=["series"],
        column_encoding={"trial": "DELTA_BINARY_PACKED", "latency_ns": "BYTE_STREAM_SPLIT"},
    )  # fmt: skip
