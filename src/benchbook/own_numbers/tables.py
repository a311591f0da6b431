"""A tidy table, CSV or Parquet: a row for each repetition, with its configuration, its value, and what is known."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from benchbook.errors import BenchbookError
from benchbook.own_numbers.series import MOST, Repetition, Series, moment, positive

NEEDED = "value"
WORDS = ("configuration", "block", "session", "host", "benchmark", "metric", "unit", "started")
MORE, LESS = ("tps", "qps", "ops", "/s", "per s", "throughput", "nopm", "rate"), ("latency", "time", "took", "duration")
TIMES = ("ns", "us", "µs", "ms", "s", "min")


def is_head(line: str) -> bool:
    """Whether a first line names the column that a table must have."""
    return any(NEEDED in _cells(line, mark) for mark in ",;\t")


def _cells(line: str, mark: str) -> list[str]:
    return [each.strip().strip('"').lower() for each in line.split(mark)]


def read(file: Path) -> dict[str, list[Series]]:
    """The series of each configuration; raises BenchbookError for a table without values, and for other cells."""
    table = _table(file)
    rows = table.to_pandas().rename(columns=lambda name: str(name).strip().lower())
    if NEEDED not in rows:
        raise BenchbookError(
            f"{file.name} has no column {NEEDED!r}", "name its columns: configuration, value, block, session"
        )
    if rows.empty:
        raise BenchbookError(f"{file.name} has no row", "give a table with a row for each repetition")
    for name in WORDS:
        rows[name] = rows[name].map(lambda cell: "" if pd.isna(cell) else str(cell)) if name in rows else ""
    found: dict[str, list[Series]] = {}
    for (configuration, benchmark, metric), part in rows.groupby(["configuration", "benchmark", "metric"], sort=False):
        units = sorted(set(part["unit"]))
        if len(units) > 1:
            raise BenchbookError(
                f"{file.name}: values of {configuration or 'the table'} are in {' and '.join(map(repr, units))}",
                "bring them to one unit",
            )
        one = Series(
            "table row", benchmark, metric or NEEDED, units[0], _more(metric, units[0]), "a row of the table", "",
            tuple(_repetitions(part, file)),
        )  # fmt: skip
        found.setdefault(configuration, []).append(one)
    return found


def _repetitions(part: pd.DataFrame, file: Path) -> Iterator[Repetition]:
    row: Any  # of columns that pandas knows no types of
    for place, row in zip(part.index, part.itertuples(), strict=True):
        value = row.value.item() if hasattr(row.value, "item") else row.value
        yield Repetition(
            positive(value, f"{file.name}: the value of row {place + 1}"), file.name, moment(row.started),
            row.block, row.session, row.host,
        )  # fmt: skip


def _more(metric: str, unit: str) -> bool | None:
    words = f"{metric} {unit}".lower()
    if any(each in words for each in MORE):
        return True
    return False if any(each in words for each in LESS) or unit in TIMES else None


def _table(file: Path) -> pa.Table:
    """At most a million rows of the columns that are known."""
    try:
        with file.open("rb") as opened:
            if opened.read(4) == b"PAR1":
                parquet = pq.ParquetFile(file)
                if parquet.metadata.num_rows > MOST:
                    raise _many(file)
                known = [name for name in parquet.schema_arrow.names if name.strip().lower() in (NEEDED, *WORDS)]
                return parquet.read(columns=known)
            opened.seek(0)
            head = opened.readline().decode("utf-8-sig", "replace").rstrip("\r\n")
        mark = next(each for each in ",;\t" if NEEDED in _cells(head, each))
        names = [each.strip().strip('"') for each in head.split(mark)]
        words = {name: pa.string() for name in names if name.lower() in WORDS}
        batches, count = [], 0
        with csv.open_csv(
            file,
            read_options=csv.ReadOptions(column_names=names, skip_rows=1),
            parse_options=csv.ParseOptions(delimiter=mark),
            convert_options=csv.ConvertOptions(
                column_types=words, include_columns=[name for name in names if name.lower() in (NEEDED, *WORDS)]
            ),
        ) as reader:
            for batch in reader:
                batches.append(batch)
                count += batch.num_rows
                if count > MOST:
                    raise _many(file)
            return pa.Table.from_batches(batches, reader.schema)
    except (pa.ArrowInvalid, OSError, StopIteration) as error:
        raise BenchbookError(
            f"{file.name} cannot be read as a table: {(str(error) or 'no column value').splitlines()[0]}",
            "give CSV or Parquet with the columns configuration and value",
        ) from None


def _many(file: Path) -> BenchbookError:
    return BenchbookError(f"{file.name} has more than {MOST:,} rows", "give one row a repetition, not one an operation")
