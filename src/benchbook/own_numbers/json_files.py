"""Results as JSON: hyperfine, pyperf, Google Benchmark, Criterion, ClickBench, HammerDB, told apart by their keys."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchbook.errors import BenchbookError, shortened
from benchbook.own_numbers import text_files
from benchbook.own_numbers.series import Repetition, Series, moment, positive

MOST_BYTES = 256 << 20
PROCESS = "a process"
SAMPLES = "the samples that one process took"
_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_PYPERF = {"second": ("time", "s"), "byte": ("memory", "bytes"), "integer": ("number", "")}
Reader = Callable[[Any, Path], Iterator[Series]]


def content(file: Path) -> Any:
    """What a JSON file holds; raises BenchbookError where it is cut, damaged, or larger than 256 MiB."""
    if file.stat().st_size > MOST_BYTES:
        raise BenchbookError(f"{file.name} is larger than 256 MiB, which no known tool writes", "cut it to its results")
    try:
        return _parsed(file, file.stat().st_mtime_ns)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BenchbookError(f"{file.name} is cut or damaged JSON: {error}", "give the whole file") from None


@lru_cache(maxsize=1)
def _parsed(file: Path, changed_ns: int) -> Any:
    """Once for a file that is first told apart and then read."""
    return json.loads(file.read_bytes())


def kind(found: Any) -> str:
    """The tool that writes such JSON, or ""."""
    if isinstance(found, list):
        return "hammerdb" if "TEST RESULT" in json.dumps(found) else ""
    keys = found.keys() if isinstance(found, dict) else set()
    if "results" in keys and all(isinstance(each, dict) and "times" in each for each in found["results"]):
        return "hyperfine"
    if "benchmarks" in keys:
        return (
            "pyperf" if "version" in keys or any("runs" in each for each in found["benchmarks"]) else "google-benchmark"
        )
    if {"iters", "times"} <= keys or {"mean", "median"} <= keys:
        return "criterion"
    if {"result", "system"} <= keys and isinstance(found["result"], list):
        return "clickbench"
    return (
        "hammerdb" if "hammerdb" in str(found.get("schema", "")).lower() or "TEST RESULT" in json.dumps(found) else ""
    )


def read(tool: str, found: Any, file: Path) -> list[Series]:
    """The repetitions in it; raises BenchbookError where the tool's own keys are missing, or a result is no number."""
    readers: Mapping[str, Reader] = {
        "hyperfine": _hyperfine, "pyperf": _pyperf, "google-benchmark": _google, "criterion": _criterion,
        "clickbench": _clickbench, "hammerdb": _hammerdb,
    }  # fmt: skip
    try:
        series = list(readers[tool](found, file))
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BenchbookError(
            f"{file.name} is not as {tool} writes it: {type(error).__name__} {shortened(str(error), 80)}",
            "give the file as the tool wrote it; another version may write it otherwise",
        ) from None
    if not series:
        raise BenchbookError(f"{file.name} has no result", "give the file of a benchmark that ended")
    return series


def _hyperfine(found: Any, file: Path) -> Iterator[Series]:
    for each in found["results"]:
        if failed := sum(code != 0 for code in each.get("exit_codes") or []):
            raise BenchbookError(
                f"{file.name}: {failed} of {len(each['times'])} runs of {shortened(each['command'], 60)} failed",
                "mend the command, or leave it out",
            )
        runs = tuple(Repetition(positive(time, f"{file.name}: a time"), file.name) for time in each["times"])
        yield Series("hyperfine", each["command"], "time", "s", False, f"{PROCESS} of the command", "", runs)


def _pyperf(found: Any, file: Path) -> Iterator[Series]:
    if str(found.get("version", "1.0")) != "1.0":
        raise BenchbookError(
            f"{file.name} has pyperf's format {found['version']}, and 1.0 is known", "export it as 1.0"
        )
    common = found.get("metadata", {})
    for each in found["benchmarks"]:
        about = common | each.get("metadata", {})
        metric, unit = _PYPERF[about.get("unit", "second")]
        runs = []
        for run in each["runs"]:
            if not run.get("values"):  # a calibration
                continue
            own = about | run.get("metadata", {})
            samples = np.array([positive(value, f"{file.name}: a value") for value in run["values"]])
            host = str(own.get("hostname", ""))
            mean = float(samples.mean())
            runs.append(Repetition(mean, file.name, moment(own.get("date")), host=host, samples=samples))
        yield Series("pyperf", about["name"], metric, unit, False, PROCESS, SAMPLES, tuple(runs))


def _google(found: Any, file: Path) -> Iterator[Series]:
    about = found.get("context", {})
    samples: dict[str, list[float]] = {}
    for each in found["benchmarks"]:
        if each.get("run_type", "iteration") != "iteration" or each.get("error_occurred"):
            continue
        name = each.get("run_name", each["name"])
        time = positive(each["real_time"], f"{file.name}: {name}") * _UNITS[each.get("time_unit", "ns")]
        samples.setdefault(name, []).append(time)
    if not samples:
        raise BenchbookError(f"{file.name} has aggregates alone", "measure without --benchmark_report_aggregates_only")
    for name, times in samples.items():
        one = _of_process(times, file, moment(about.get("date")), str(about.get("host_name", "")))
        yield Series("Google Benchmark", name, "time", "s", False, PROCESS, SAMPLES, (one,))


def _criterion(found: Any, file: Path) -> Iterator[Series]:
    name = file.parent.parent.name if file.parent.name in {"new", "base"} else ""
    if "iters" in found:
        times = [
            1e-9 * positive(t, file.name) / positive(n, file.name)
            for t, n in zip(found["times"], found["iters"], strict=True)
        ]
    else:
        times = [1e-9 * positive(found["mean"]["point_estimate"], f"{file.name}: the mean")]
    yield Series("Criterion", name, "time", "s", False, PROCESS, SAMPLES, (_of_process(times, file, None, ""),))


def _of_process(times: list[float], file: Path, started: float | None, host: str) -> Repetition:
    samples = np.array(times)
    return Repetition(
        float(samples.mean()), file.name, started, host=host, samples=samples if samples.size > 1 else samples[:0]
    )


def _clickbench(found: Any, file: Path) -> Iterator[Series]:
    within = "the tries of one file: the first reads from the disk, the better of the others is the hot one"
    for query, tries in enumerate(found["result"]):
        for name, times in (("cold", tries[:1]), ("hot", tries[1:])):
            if times and all(isinstance(each, int | float) and math.isfinite(each) for each in times):
                value = max(float(min(times)), 0.001)  # what took less is given as 0
                one = Repetition(value, file.name, moment(found.get("date")), host=str(found.get("machine", "")))
                yield Series("ClickBench", f"Q{query} {name}", "time", "s", False, "a file", within, (one,))


def _hammerdb(found: Any, file: Path) -> Iterator[Series]:
    if not (isinstance(found, dict) and "nopm" in found.get("result", {})):
        yield from text_files.read("HammerDB", [json.dumps(found)], file.name)
        return
    job, plan = found.get("job", {}), found.get("benchmark_config", {})
    points = [
        point["value"] / 60 for each in found.get("transaction_count", {}).get("series", []) for point in each["points"]
    ]
    stretch_s = 10.0
    first, last = (int(60 * float(plan.get(name, 0)) / stretch_s) for name in ("rampup_minutes", "duration_minutes"))
    course = np.array(points[first : first + last], dtype=float)
    one = Repetition(
        positive(found["result"]["nopm"], f"{file.name}: NOPM"), file.name, moment(job.get("timestamp")),
        host=str(found.get("system", {}).get("cpumodel", "")), course=course, stretch_s=stretch_s,
    )  # fmt: skip
    yield Series("HammerDB", "", "throughput", "NOPM", True, "a run of HammerDB", text_files.SECONDS, (one,))
