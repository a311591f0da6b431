"""Read the files of ``pgbench --log``: one row per transaction, in order of completion."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from benchbook import nofollow
from benchbook.errors import BenchbookError

SKIPPED = "skipped"
_FIELDS = ("client", "number", "time", "script", "seconds", "microseconds", "lag")
_NOT_RUN = pa.array([SKIPPED, "failed", "serialization", "deadlock"])
_BLOCK_BYTES = 1 << 24


@dataclass(frozen=True)
class Log:
    """Every transaction of one pgbench, shape (transactions,), in order of completion.

    end_us: wall-clock time in microseconds since 1970. latency_us: from the scheduled start under a rate, else from
    the real one; 0 where not completed. lag_us: real behind scheduled start, None without a rate. completed,
    skipped: bool; what is neither had failed. client: its number.
    """

    end_us: np.ndarray
    latency_us: np.ndarray
    lag_us: np.ndarray | None
    completed: np.ndarray
    skipped: np.ndarray
    client: np.ndarray


def read_log(files: Sequence[Path], *, lag: bool) -> Log:
    """Read the files of one pgbench's threads, about two million transactions a second.

    lag: pgbench ran under ``--rate``, so that each line has a seventh field.
    Raises BenchbookError when there is no transaction, or a line has other fields than these.
    """
    read = [_read(path, _FIELDS if lag else _FIELDS[:-1]) for path in sorted(files)]
    parts = [part for part in read if part is not None]
    if not parts:
        raise BenchbookError("pgbench logged no transaction", "measure longer, or look whether the server hangs")
    table = pa.concat_tables(parts)
    time = table["time"].combine_chunks()
    not_run = pc.is_in(time, value_set=_NOT_RUN)
    skipped = pc.equal(time, SKIPPED).to_numpy(zero_copy_only=False)
    try:
        latency = pc.cast(pc.if_else(not_run, "0", time), pa.int64()).to_numpy()
    except pa.ArrowInvalid as error:
        raise _unreadable(files, error) from None
    end = table["seconds"].to_numpy() * 1_000_000 + table["microseconds"].to_numpy()
    order = np.argsort(end, kind="stable")
    return Log(
        end[order],
        latency[order],
        table["lag"].to_numpy()[order] if lag else None,
        ~not_run.to_numpy(zero_copy_only=False)[order],
        skipped[order],
        table["client"].to_numpy()[order],
    )


def _read(path: Path, fields: tuple[str, ...]) -> pa.Table | None:
    """The rows of one file, None where it has none. pgbench's account could have put something else into its place."""
    kinds = {name: pa.string() if name == "time" else pa.int64() for name in fields}
    try:
        with nofollow.opened(path) as file:
            if not os.fstat(file.fileno()).st_size:
                return None
            return csv.read_csv(
                file,
                read_options=csv.ReadOptions(column_names=list(fields), block_size=_BLOCK_BYTES),
                parse_options=csv.ParseOptions(delimiter=" ", quote_char=False),
                convert_options=csv.ConvertOptions(column_types=kinds, null_values=[], strings_can_be_null=False),
            )
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable([path], error) from None


def _unreadable(files: Sequence[Path], error: Exception) -> BenchbookError:
    said = str(error).splitlines()[0]
    return BenchbookError(
        f"the log of pgbench cannot be read ({', '.join(path.name for path in files)}: {said})",
        "check the free space of the scratch disk, and that this PostgreSQL is release 14 or later",
    )
