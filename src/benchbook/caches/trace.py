"""The keys of a trace, in the order in which they were asked for: all of them, or those of a sample of the keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from benchbook.errors import BenchbookError, check_known

PIECE = 1 << 22
_MIX = tuple(np.uint64(each) for each in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
WORDS = ("key", "keys", "id", "obj_id", "block", "page")
"""Columns that are taken for the keys, if none is named."""


@dataclass(frozen=True)
class Trace:
    """keys: hashed, uint64, shape (references,). sizes: of each in bytes, or None. total: references before sampling.

    rate: share of the keys that are in it.
    """

    keys: np.ndarray
    sizes: np.ndarray | None
    total: int
    rate: float = 1.0

    @cached_property
    def footprint(self) -> float:
        """Bytes of all keys, each once, or their number; of the whole trace, from the sample."""
        _, first = np.unique(self.keys, return_index=True)
        return (first.size if self.sizes is None else float(self.sizes[first].sum())) / self.rate

    def part(self, place: int, parts: int, by: int) -> Trace:
        """One of some parts of the keys that together are all of them. by: chooses one way of many to part them."""
        here = hashed(self.keys + np.uint64(by)) % np.uint64(parts) == place
        return Trace(self.keys[here], None if self.sizes is None else self.sizes[here], self.total, self.rate / parts)


def hashed(keys: np.ndarray) -> np.ndarray:
    """Well mixed numbers, uint64, of whole numbers (splitmix64)."""
    with np.errstate(over="ignore"):
        mixed = keys.astype(np.uint64) + _MIX[0]
        mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX[1]
        mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX[2]
        return mixed ^ (mixed >> np.uint64(31))


def of_keys(keys: np.ndarray) -> Trace:
    """The whole trace of these, whole numbers in the order in which they are asked for."""
    return Trace(hashed(keys), None, keys.size)


def read(
    file: Path,
    column: str = "",
    size_column: str = "",
    *,
    limit: int,
    rate: float | None = None,
    told: Callable[[float], None] | None = None,
) -> Trace:
    """A trace as text with a key a line, CSV, or Parquet; read in pieces.

    column, size_column: their names, where there is a head. limit: references that are kept; of a longer trace a sample
    of the keys is (SHARDS), in which each key has all its references. rate: of the keys that are kept, in place of
    that. told: how many references more have been read. Raises BenchbookError where there is no key, and for a size
    that is no whole number above 0.
    """
    if rate is not None and not 0 < rate <= 1:
        raise BenchbookError(f"a rate of {rate:g} is no share", "give one above 0, up to 1")
    share = rate or 1.0
    kept: list[tuple[np.ndarray, np.ndarray | None]] = []
    total = count = 0
    for keys, sizes in _pieces(file, column, size_column):
        total += keys.size
        if told:
            told(keys.size)
        here = _sampled(keys, share)
        kept.append((keys[here], None if sizes is None else sizes[here]))
        count += int(here.sum())
        while rate is None and count > limit:  # fewer keys, from here on and in what is kept
            share /= 2
            kept = [(k[now], None if s is None else s[now]) for k, s in kept for now in (_sampled(k, share),)]
            count = sum(k.size for k, _ in kept)
    if not count:
        raise BenchbookError(
            f"{file.name} has no key{' in the sample' if total else ''}", "give a trace with a key a line"
        )
    sized = [s for _, s in kept if s is not None]
    return Trace(np.concatenate([k for k, _ in kept]), np.concatenate(sized) if sized else None, total, share)


def _sampled(keys: np.ndarray, share: float) -> np.ndarray:
    if share >= 1:
        return np.ones(keys.size, dtype=bool)
    return hashed(keys ^ _MIX[1]) < np.uint64(min(int(share * 2**64), 2**64 - 1))


def _pieces(file: Path, column: str, size_column: str) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    try:
        with file.open("rb") as opened:
            head = opened.read(1 << 16)
        if not head.strip():
            raise BenchbookError(f"{file.name} is empty", "give a trace with a key a line")
        batches = _parquet(file, column, size_column) if head[:4] == b"PAR1" else _text(file, head, column, size_column)
        for batch in batches:
            sizes = _sizes(batch.column(1), file) if size_column else None
            yield _numbers(batch.column(0)), sizes
    except (pa.ArrowInvalid, OSError) as error:
        raise BenchbookError(
            f"{file.name} cannot be read as a trace: {str(error).splitlines()[0]}", "give text, CSV or Parquet"
        ) from None


def _parquet(file: Path, column: str, size_column: str) -> Iterator[pa.RecordBatch]:
    parquet = pq.ParquetFile(file)
    names = [_named(column, parquet.schema_arrow.names), *([size_column] if size_column else [])]
    for name in names:
        check_known("there is no column", name, parquet.schema_arrow.names)
    for batch in parquet.iter_batches(batch_size=1 << 20, columns=names):
        yield batch.select(names)


def _text(file: Path, head: bytes, column: str, size_column: str) -> Iterator[pa.RecordBatch]:
    if b"\0" in head:
        raise BenchbookError(f"{file.name} is no text", "give text, CSV or Parquet")
    line = head.splitlines()[0].decode("utf-8-sig", "replace")
    mark = next((each for each in ",;\t" if each in line), "\x1f")  # a key may have spaces
    names = [each.strip().strip('"') for each in line.split(mark)]
    headed = (
        bool(column or size_column)
        or names[0].lower() in WORDS
        or bool({*map(str.lower, names)} & {*WORDS} and len(names) > 1)
    )
    if not headed:
        names = [str(place) for place in range(len(names))]
    wanted = [_named(column, names), *([size_column] if size_column else [])]
    for name in wanted:
        check_known("there is no column", name, names)
    plain = (
        re.fullmatch(rb"\s*-?\d{1,18}\s*", head.splitlines()[-2 if len(head.splitlines()) > 1 else 0])
        and len(names) == 1
    )
    kinds = {wanted[0]: pa.int64() if plain else pa.string()}
    with csv.open_csv(
        file,
        read_options=csv.ReadOptions(column_names=names, skip_rows=int(headed), block_size=PIECE),
        parse_options=csv.ParseOptions(delimiter=mark, quote_char=False if mark == "\x1f" else '"'),
        convert_options=csv.ConvertOptions(column_types=kinds, include_columns=wanted, strings_can_be_null=False),
    ) as reader:
        yield from reader


def _named(column: str, names: list[str]) -> str:
    return column or next((name for name in names if name.lower() in WORDS), names[0])


def _numbers(keys: pa.Array) -> np.ndarray:
    if keys.null_count:
        raise BenchbookError("a key is missing", "give a key in each row")
    if pa.types.is_integer(keys.type):
        return hashed(keys.to_numpy(zero_copy_only=False))
    return pd.util.hash_array(keys.cast(pa.string()).to_pandas().to_numpy(), categorize=False)


def _sizes(sizes: pa.Array, file: Path) -> np.ndarray:
    found = sizes.to_pandas().to_numpy()
    if sizes.null_count or not np.issubdtype(found.dtype, np.number) or not (found > 0).all() or (found >= 2**32).any():
        raise BenchbookError(
            f"{file.name} has a size that is no number of bytes from 1 to 4 GiB", "mend or leave out its row"
        )
    return found.astype(np.int64)  # type: ignore[no-any-return]
