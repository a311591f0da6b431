"""A run while it is measured: each finished trial is durable before the next begins; then one table of all."""

import errno
import json
import secrets
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import pyarrow as pa

from benchbook import files, nofollow
from benchbook.errors import StoredRunError
from benchbook.model import Trial
from benchbook.store import atomic, schema, seals, tables
from benchbook.store import record as fields
from benchbook.store.run_lock import RunLock


class RunWriter:
    """Writes one run. Make it with ``create`` or ``resume``; then ``append`` trials and ``finish``.

    It holds the run's lock until it is closed or the run is complete. Whatever writes raises StoredRunError once the
    lock is somebody else's.
    """

    def __init__(self, folder: Path, record: dict[str, Any], lock: RunLock) -> None:
        self.folder = folder
        self.record = record
        self.lock = lock
        self._parts = folder / schema.PARTS

    @classmethod
    def create(cls, runs: Path, record: Mapping[str, Any]) -> Self:
        """A new run in ``runs/<experiment>/<id>``; the record lacks only what this module adds.

        Raises StoredRunError when it would be one that nobody could read, before anything is measured.
        """
        now = datetime.now(UTC)
        group = runs / str(record["experiment"])
        first = f"{record['key']}-{now:%Y%m%dT%H%M%S}"
        full = {
            "schema": schema.SCHEMA,
            "id": first,
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
        making = group / f".{first}.{secrets.token_hex(4)}.new"  # what has no record yet is not a run
        with atomic.told_as_machine_error(making):
            atomic.make_folder(making / schema.PARTS)
            writer = cls(making, full, RunLock.take(making))
            try:
                writer._appear(group, first)
            except BaseException:
                writer.close()
                shutil.rmtree(making, ignore_errors=True)
                raise
        return writer

    @classmethod
    def resume(cls, folder: Path) -> Self:
        """Go on with an unfinished run.

        Raises StoredRunError when one of its trials is damaged, and HeldError, which is one, while it is measured.
        """
        _unfinished(folder)
        with atomic.told_as_machine_error(folder):
            lock = RunLock.take(folder)
            try:
                writer = cls(folder, _unfinished(folder), lock)  # as whoever had it last left it
                for path in writer._parts.glob("*.json"):
                    _read_part(path)
                for path in writer._parts.glob("*.parquet"):
                    if not path.with_suffix(".json").exists():  # its trial was cut off while it was stored
                        path.unlink()
            except BaseException:
                lock.close()
                raise
        return writer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others go on with the run, unless it is complete."""
        self.lock.close()

    def withdraw(self) -> None:
        """Take back a run that was just created, as if it had never been begun."""
        hidden = self.folder.with_name(f".{self.folder.name}.{secrets.token_hex(4)}.new")
        with atomic.told_as_machine_error(self.folder):
            self.folder.rename(hidden)
        self.lock.close()
        shutil.rmtree(hidden, ignore_errors=True)

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
        self.record["canary"].append(dict(look))
        self._save()

    def append(self, trial: Trial, session: int) -> None:
        """Make a finished trial durable: samples first, then the record that says that they are whole.

        Raises StoredRunError where the trial is stored already, which stays.
        """
        self.lock.check()
        index = trial.planned.index
        samples = self._parts / f"{index:05d}.parquet"
        atomic.write(samples, lambda path: tables.write_part(path, trial.samples), once=True)
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
        atomic.write_json(self._parts / f"{index:05d}.json", row, once=True)

    def finish(self, provenance: Mapping[str, Any]) -> Path:
        """Join the parts into the two tables, seal record and tables with their hashes, and remove the parts.

        Raises StoredRunError when the record would be one that nobody could read; every trial then stays stored.
        """
        self.lock.check()
        rows, samples = self._read_parts()
        atomic.write(self.folder / schema.TRIALS, lambda path: tables.write_trials(path, rows))
        atomic.write(self.folder / schema.SAMPLES, lambda path: tables.write_samples(path, samples))
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
        self.lock.remove()
        shutil.rmtree(self._parts)
        return self.folder

    def _read_parts(self) -> tuple[pd.DataFrame, pa.Table]:
        rows, samples = [], []
        for path in sorted(self._parts.glob("*.json")):
            row = _read_part(path)
            rows.append({name: row[name] for name in schema.TRIAL_COLUMNS} | row["metrics"] | row["labels"])
            table = tables.part(path.with_suffix(".parquet"))
            samples.append(table.add_column(0, "trial", pa.array(np.full(len(table), row["trial"], dtype=np.int32))))
        return pd.DataFrame(rows), pa.concat_tables(samples).unify_dictionaries()

    def _appear(self, group: Path, first: str) -> None:
        """Give the folder the run's id, with a number where another run of the same second has it already."""
        for number in count(1):
            self.record["id"] = first if number == 1 else f"{first}-{number}"
            folder = group / self.record["id"]
            if folder.exists():
                continue
            self._save()
            try:
                self.folder.rename(folder)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
                continue  # it came at this moment
            self.folder = self.lock.folder = folder
            self._parts = folder / schema.PARTS
            atomic.sync_folder(group)
            return

    def _save(self) -> None:
        self.lock.check()
        atomic.write_json(self.folder / schema.RUN, self.record)


def _unfinished(folder: Path) -> dict[str, Any]:
    record = schema.read_record(folder)
    if record["state"] != "measuring":
        raise StoredRunError(f"run {record['id']} is complete", "start a new one with --fresh")
    return record


def _read_part(path: Path) -> dict[str, Any]:
    """The record of one stored trial, after its samples were checked against it."""
    damage = f"{path} or its samples are damaged"
    mend = f"delete {path} and repeat the command: that trial is measured again"
    try:
        row: dict[str, Any] = json.loads(nofollow.words(path, levels=tables.PART))
        whole = nofollow.sha256(path.with_suffix(".parquet"), tables.PART) == row["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoredRunError(f"{damage} ({error})", mend) from None
    if not whole:
        raise StoredRunError(damage, mend)
    return row
