"""The files of ``pgbench --log``: a line for each transaction, or for each interval; read in pieces."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from benchbook.errors import BenchbookError
from benchbook.own_numbers.series import RUN, Repetition, Series, Told, positive, silent

TRANSACTIONS, INTERVALS = range(6, 9), range(6, 16)
"""How many columns a line has: a lag and the number of retries may follow; of intervals, up to nine more."""
_EPOCH = 100_000_000, 100_000_000_000
_FAILED = pa.array(["failed", "skipped", "serialization", "deadlock"])
_THREAD = re.compile(r"(.+)\.\d+$")
PIECE = 1 << 22
"""Bytes that are read at once."""
_STEPS = 200
"""Of latencies, for each factor of e: quantiles are known to half a percent."""
WITHIN = "its transactions and its seconds: they depend on each other"


def kind(line: str) -> str:
    """Which log has such a line: "transactions", "intervals" or "" for none. Six columns are both, and told apart."""
    fields = line.split()
    if not all(re.fullmatch(r"-?\d+|failed|skipped|serialization|deadlock|-", each) for each in fields):
        return ""
    if len(fields) in TRANSACTIONS and _epoch(fields[4]) and fields[5].isdigit() and int(fields[5]) < 1_000_000:
        return "transactions"
    if len(fields) in INTERVALS and _epoch(fields[0]) and fields[4].isdigit() and int(fields[4]) <= int(fields[5]):
        return "intervals"
    return ""


def _epoch(text: str) -> bool:
    return text.isdigit() and _EPOCH[0] < int(text) < _EPOCH[1]


def grouped(files: Iterable[Path]) -> list[list[Path]]:
    """The files of each run: pgbench writes one a thread, all with the name of the first and a number behind it."""
    given = sorted(files)
    found: dict[Path, list[Path]] = {}
    for file in given:
        thread = _THREAD.match(str(file))
        first = Path(thread[1]) if thread and Path(thread[1]) in given else file
        found.setdefault(first, []).append(file)
    return list(found.values())


def read(log: str, files: list[Path], told: Told = silent) -> list[Series]:
    """Throughput and latencies of one run. log: as ``kind`` gives it. Raises BenchbookError for other lines."""
    return (_transactions if log == "transactions" else _intervals)(files, told)


def _transactions(files: list[Path], told: Told) -> list[Series]:
    counts: dict[int, int] = {}
    steps = np.zeros(64 * _STEPS, dtype=np.int64)
    begun, ended, total_us = np.inf, -np.inf, 0.0
    for table in _rows(files, told, text=2):
        failed = pc.is_in(table[2], value_set=_FAILED)
        try:
            latency = pc.cast(pc.if_else(failed, "0", table[2]), pa.int64()).to_numpy()
        except pa.ArrowInvalid as error:
            raise _unreadable(files[0], error) from None
        done = ~failed.to_numpy(zero_copy_only=False)
        seconds, parts = table[4].to_numpy(), table[5].to_numpy()
        if not ((seconds > _EPOCH[0]) & (seconds < _EPOCH[1]) & (parts >= 0) & (parts < 1_000_000)).all():
            raise _order(files[0])
        end = seconds[done] + parts[done] / 1e6
        took = latency[done]
        if not took.size:
            continue
        if took.min() < 0:
            raise _order(files[0])
        begun, ended = min(begun, float((end - took / 1e6).min())), max(ended, float(end.max()))
        for second, count in zip(*np.unique(seconds[done], return_counts=True), strict=True):
            counts[int(second)] = counts.get(int(second), 0) + int(count)
        steps += np.bincount((np.log(np.maximum(took, 1)) * _STEPS).astype(np.int64), minlength=steps.size)
        total_us += float(took.sum())
    done_in_all = int(steps.sum())
    if not done_in_all or ended <= begun:
        raise BenchbookError(
            f"{files[0].name} has no completed transaction", "give the log of a run that did something"
        )
    first = min(counts)
    course = np.array([counts.get(second, 0) for second in range(first, max(counts) + 1)], dtype=float)
    about = files[0].name, begun
    ranks = np.cumsum(steps)
    quantile = {p: np.exp((np.searchsorted(ranks, p * done_in_all) + 0.5) / _STEPS) / 1e3 for p in (0.5, 0.99)}
    return [
        # The first and the last second are not whole.
        _series("throughput", "TPS", True, done_in_all / (ended - begun), *about, course=course[1:-1]),
        _series("mean latency", "ms", False, total_us / done_in_all / 1e3, *about),
        _series("P50", "ms", False, float(quantile[0.5]), *about),
        _series("P99", "ms", False, float(quantile[0.99]), *about),
    ]


def _intervals(files: list[Path], told: Told) -> list[Series]:
    counts: dict[int, int] = {}
    total, sum_us = 0, 0.0
    for table in _rows(files, told):
        for start, count, latency in zip(*(table[place].to_pylist() for place in range(3)), strict=True):
            if not _EPOCH[0] < start < _EPOCH[1] or count < 0:
                raise _order(files[0])
            counts[start] = counts.get(start, 0) + count
            total, sum_us = total + count, sum_us + latency
    starts = sorted(counts)
    if len(starts) < 2 or not total:
        raise BenchbookError(
            f"{files[0].name} has {len(starts)} interval{'s' * (len(starts) != 1)}",
            "give the log of a longer run, or one without --aggregate-interval",
        )
    length = float(np.median(np.diff(starts)))
    course = np.array([counts[start] for start in starts]) / length
    seconds = starts[-1] - starts[0]
    about = files[0].name, float(starts[0])
    rate = sum(counts[start] for start in starts[:-1]) / seconds  # the last interval may have been cut short
    return [
        _series("throughput", "TPS", True, rate, *about, course=course[:-1], stretch_s=length),
        _series("mean latency", "ms", False, sum_us / total / 1e3, *about),
    ]


def _series(metric: str, unit: str, more: bool, value: float, source: str, begun: float, **course: object) -> Series:
    repetition = Repetition(positive(value, f"{source}: {metric}"), source, begun, **course)  # type: ignore[arg-type]
    return Series("pgbench", "", metric, unit, more, RUN.format(tool="pgbench"), WITHIN, (repetition,))


def _rows(files: list[Path], told: Told, text: int | None = None) -> Iterator[pa.Table]:
    """The lines in pieces of PIECE bytes. text: the column that may hold words."""
    for file in files:
        with file.open("rb") as lines:
            first = lines.readline()
            if not first.strip():
                continue
            lines.seek(0, 2)
            lines.seek(lines.tell() - 1)
            if lines.read(1) != b"\n":
                raise BenchbookError(f"{file.name} ends within a line", "it was cut: give the whole file")
        names = [str(place) for place in range(len(first.split()))]
        kinds: Mapping[str, pa.DataType] = {
            name: pa.string() if place == text or place > 5 else pa.int64() for place, name in enumerate(names)
        }
        try:
            with csv.open_csv(
                file,
                read_options=csv.ReadOptions(column_names=names, block_size=PIECE),
                parse_options=csv.ParseOptions(delimiter=" ", quote_char=False),
                convert_options=csv.ConvertOptions(column_types=kinds, null_values=[], strings_can_be_null=False),
            ) as reader:
                for batch in reader:
                    yield pa.Table.from_batches([batch])
                    told(PIECE)
        except (pa.ArrowInvalid, OSError) as error:
            raise _unreadable(file, error) from None


def _order(file: Path) -> BenchbookError:
    return BenchbookError(
        f"{file.name} has other columns than pgbench writes, or in another order",
        "give it as pgbench wrote it: client, transaction, microseconds, script, seconds since 1970, microseconds",
    )


def _unreadable(file: Path, error: Exception) -> BenchbookError:
    return BenchbookError(
        f"{file.name} cannot be read as pgbench's log: {str(error).splitlines()[0]}",
        "give the file as pgbench wrote it",
    )
