"""The tables of a run as files: samples trial by trial while it is measured, then one of trials and one of samples."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchbook.store import schema


def read(path: Path) -> pd.DataFrame:
    """A table as a whole. Its file alone is opened: to look for a folder of such takes longer than to read it."""
    found: pd.DataFrame = pq.ParquetFile(path).read().to_pandas()
    return found


def together(table: pd.DataFrame) -> pd.DataFrame:
    """The same table with columns of a type in one array: rows of hundreds of single columns are slow to choose."""
    return table.copy()


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
