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

_KINDS = {
    name: pa.string() if name == "time" else pa.int64()
    for name in ("client", "number", "time", "script", "seconds", "microseconds")
}
_FAILED = pa.array(["failed", "serialization", "deadlock"])
_BLOCK_BYTES = 1 << 24


@dataclass(frozen=True)
class Log:
    """Every transaction of one pgbench, shape (transactions,), in order of completion.

    end_us: wall-clock time in microseconds since 1970. latency_us: 0 where not completed. completed: bool; what is not
    had failed. client: its number.
    """

    end_us: np.ndarray
    latency_us: np.ndarray
    completed: np.ndarray
    client: np.ndarray


def read_log(files: Sequence[Path]) -> Log:
    """Read the files of one pgbench's threads, about two million transactions a second.

    Raises BenchbookError when there is no transaction, or a line has other fields than these.
    """
    parts = [part for path in sorted(files) if (part := _read(path)) is not None]
    if not parts:
        raise BenchbookError("pgbench logged no transaction", "measure longer, or look whether the server hangs")
    table = pa.concat_tables(parts)
    time = table["time"].combine_chunks()
    failed = pc.is_in(time, value_set=_FAILED)
    try:
        latency = pc.cast(pc.if_else(failed, "0", time), pa.int64()).to_numpy()
    except pa.ArrowInvalid as error:
        raise _unreadable(files, error) from None
    end = table["seconds"].to_numpy() * 1_000_000 + table["microseconds"].to_numpy()
    order = np.argsort(end, kind="stable")
    return Log(
        end[order],
        latency[order],
        ~failed.to_numpy(zero_copy_only=False)[order],
        table["client"].to_numpy()[order],
    )


def _read(path: Path) -> pa.Table | None:
    """The rows of one file, None where it has none. pgbench's account could have put something else into its place."""
    try:
        with nofollow.opened(path) as file:
            if not os.fstat(file.fileno()).st_size:
                return None
            return csv.read_csv(
                file,
                read_options=csv.ReadOptions(column_names=list(_KINDS), block_size=_BLOCK_BYTES),
                parse_options=csv.ParseOptions(delimiter=" ", quote_char=False),
                convert_options=csv.ConvertOptions(column_types=_KINDS, null_values=[], strings_can_be_null=False),
            )
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable([path], error) from None


def _unreadable(files: Sequence[Path], error: Exception) -> BenchbookError:
    said = str(error).splitlines()[0]
    return BenchbookError(
        f"the log of pgbench cannot be read ({', '.join(path.name for path in files)}: {said})",
        "check the free space of the scratch disk, and that this PostgreSQL is release 14 or later",
    )
