"""The tables of a run as files: samples trial by trial while it is measured, then one of trials and one of samples."""

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchbook import nofollow
from benchbook.errors import StoredRunError
from benchbook.store import schema

MOST_CELLS = 300_000_000
"""Rows times columns of a table that is read: a hundred times those of the largest published one, or 2.4 GB."""
MOST_LETTERS, MOST_UNPACKED = 10_000, 2 << 30
"""Letters of one text in a table, and bytes of all that a table holds when it is unpacked."""
_MEND = "restore it, or measure again"
PART = nofollow.RUN + 1
"""Levels of a trial's file in a run that is being measured, as ``nofollow.reading`` takes them."""


def read(path: Path, levels: int = nofollow.RUN, columns: Collection[str] | None = None) -> pd.DataFrame:
    """A table as a whole, or those of these columns that it has; levels: as ``nofollow.reading`` takes them.

    Its file alone is opened: to look for a folder of such takes longer than to read it. Raises StoredRunError, before
    anything is unpacked, where it has more rows, columns or letters than any run; pa.ArrowException, ValueError or
    OSError where it is no table.
    """
    with nofollow.reading(path, schema.MOST_TABLE_BYTES, levels) as file:
        found = pq.ParquetFile(file)
        rows, wide, unpacked = found.metadata.num_rows, found.metadata.num_columns, _unpacked(found.metadata)
        if rows * wide > MOST_CELLS:
            raise StoredRunError(f"{path} has {rows:,} rows of {wide:,} columns, more than any run", _MEND)
        if unpacked > MOST_UNPACKED:
            raise StoredRunError(f"{path} unpacks to {unpacked:,} bytes, more than any run", _MEND)
        if odd := [each.name for each in found.schema_arrow if not _is_plain(each.type)]:
            raise StoredRunError(f"{path} has {odd[0]!a}, no column of numbers or texts", _MEND)
        texts = {each.name: each.type for each in found.schema_arrow if _is_text(each.type)}
        packed = pq.ParquetFile(file, metadata=found.metadata, read_dictionary=[*texts])
        table = packed.read(columns=None if columns is None else [*columns])
    letters = 0
    for place, each in enumerate(table.schema):
        if pa.types.is_dictionary(each.type):
            letters += table.num_rows * _longest(path, each.name, table[place])
            if letters > MOST_UNPACKED:
                raise StoredRunError(f"{path} holds {letters:,} letters, more than any run", _MEND)
        if each.name in texts:
            table = table.set_column(place, each.name, table[place].cast(texts[each.name]))
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _is_plain(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return pa.types.is_primitive(kind) or pa.types.is_null(kind) or _is_text(kind)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def part(path: Path) -> pa.Table:
    """What ``write_part`` wrote; raises as ``read`` does."""
    with nofollow.reading(path, schema.MOST_TABLE_BYTES, PART) as file:
        return pq.ParquetFile(file).read()


def size(path: Path, levels: int = nofollow.RUN) -> tuple[int, int, int]:
    """Rows, columns and unpacked bytes of a table, by what its file says at its end; raises as ``read`` does."""
    with nofollow.reading(path, schema.MOST_TABLE_BYTES, levels) as file, pq.ParquetFile(file) as found:
        return found.metadata.num_rows, found.metadata.num_columns, _unpacked(found.metadata)


def _unpacked(found: pq.FileMetaData) -> int:
    return sum(found.row_group(place).total_byte_size for place in range(found.num_row_groups))


def _longest(path: Path, name: str, column: pa.ChunkedArray) -> int:
    """Letters of the longest text in a column of a dictionary; raises StoredRunError for more than any has."""
    longest = max((pc.max(pc.binary_length(chunk.dictionary)).as_py() or 0 for chunk in column.chunks), default=0)
    if longest > MOST_LETTERS:
        raise StoredRunError(f"{path} has a text of {longest:,} letters in the column {name}", _MEND)
    return int(longest)


def write_part(path: Path, samples: Mapping[str, np.ndarray]) -> None:
    """One trial's latencies in ns by series, in the order in which they happened."""
    table = pa.table(
        {
            "series": pa.array(
                np.repeat(np.array([*samples], dtype=np.str_), [*map(len, samples.values())]), pa.string()
            ).dictionary_encode(),
            "latency_ns": np.concatenate(
                [np.zeros(0, np.int64), *(np.asarray(values, dtype=np.int64) for values in samples.values())]
            ),
        }
    )
    pq.write_table(table, path, compression="zstd")


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
