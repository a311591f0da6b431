"""The learned index and the engines beside their controls, from the output of ``.tools/kv/kv_bench``."""

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from benchbook import children, mishaps, temporary
from benchbook.bench.measured import Measured, Pair, Say, Sizes
from benchbook.bench.record import Timing, timing
from benchbook.engines import kv
from benchbook.errors import BenchbookError, MachineError, NoEngineError

PROGRAM = "kv_bench"
ALEX, BTREE, PGM, STORE = "alex", "btree", "PGM", "ALEX + value file"
_LOOKUP = re.compile(
    r"^(?P<set>\S+) +(?P<name>\S.*?) +(?P<ns>\d+\.\d) ns  x B-tree .*?(?:\| dependent +(?P<dependent>\d+\.\d) ns .*)?$"
)
_INSERT = re.compile(r"^(?P<set>\S+) +insert +alex +(?P<alex>\d+\.\d) ns  B-tree +(?P<btree>\d+\.\d) ns ")
_ENGINE = re.compile(r"^engines +(?P<name>\S.*?) +mean +(?P<mean>\d+\.\d) ns  P50 +(?P<p50>\d+\.\d) ns ")
_TIMEOUT_S = 7_200
_CONTROLS = (BTREE, PGM, "hash", "lower_bound", "alex huge pages", "alex SIMD", "alex batch 8", "alex batch 32")
_WORDS = {
    "lower_bound": "binary search in a sorted array", BTREE: "B-tree", "hash": "hash table",
    PGM: "PGM-index, error 16, over a sorted array",
}  # fmt: skip


def measure(sizes: Sizes, say: Say) -> Measured:
    """Each repeat is a process of its own that loads everything anew and interleaves the contestants inside it, in
    an order drawn anew each round, from keys drawn anew for it."""
    program = find()
    arguments = [
        "--keys", str(sizes.keys), "--lookups", str(sizes.lookups), "--repetitions", str(sizes.rounds),
        "--insert-repetitions", "1", "--engine-rows", str(sizes.rows), "--engine-repetitions", str(sizes.rounds),
    ]  # fmt: skip
    found: dict[str, list[float]] = defaultdict(list)
    for number in range(sizes.repeats):
        for name, seconds in parse(_run(program, [*arguments, "--seed", str(number + 1)])).items():
            found[name].append(seconds)
        say(f"round {number + 1} of {sizes.repeats}")
    if uneven := [name for name, values in found.items() if len(values) != sizes.repeats]:
        raise BenchbookError(f"{PROGRAM} left out {uneven[0]} in a round", "check its messages for a failure")
    timings = tuple(timing(name, _label(name), values, short=_short(name)) for name, values in found.items())
    settings = {"keys": sizes.keys, "lookups": sizes.lookups, "rows": sizes.rows, "rounds in a process": sizes.rounds}
    return Measured(timings, pairs(timings), settings, kv.versions())


def find() -> Path:
    """The program beside the key-value probe; raises NoEngineError when it is not built."""
    path = kv.find().with_name(PROGRAM)
    if not path.is_file():
        raise NoEngineError(f"{PROGRAM} is not built", "run `make probe-kv`")
    return path


def parse(printed: str) -> dict[str, float]:
    """Seconds of one operation by name: "set/look-up/contestant" and "set/chain/contestant" for look-ups one by one
    and for those whose key is the value before, "set/insert/contestant", "engines/mean/engine", "engines/p50/engine".

    Lines of another kind, such as the index's shape, are passed over. Raises BenchbookError when nothing is left.
    """
    found: dict[str, float] = {}
    for line in printed.splitlines():
        if match := _ENGINE.match(line):
            found[f"engines/mean/{match['name']}"] = _seconds(match["mean"])
            found[f"engines/p50/{match['name']}"] = _seconds(match["p50"])
        elif match := _INSERT.match(line):
            found[f"{match['set']}/insert/{ALEX}"] = _seconds(match["alex"])
            found[f"{match['set']}/insert/{BTREE}"] = _seconds(match["btree"])
        elif match := _LOOKUP.match(line):
            found[f"{match['set']}/look-up/{match['name']}"] = _seconds(match["ns"])
            if match["dependent"]:
                found[f"{match['set']}/chain/{match['name']}"] = _seconds(match["dependent"])
    if not found:
        raise BenchbookError(f"{PROGRAM} printed nothing that could be read", "build it again with `make probe-kv`")
    return found


def pairs(timings: tuple[Timing, ...]) -> tuple[Pair, ...]:
    """The index over each control of the same kind of work, and the store with it over each other engine."""
    made = []
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in timings:
        of, work, name = each.name.split("/", 2)
        groups[of, work].append(name)
    for (of, work), names in groups.items():
        subject = STORE if of == "engines" else ALEX
        if subject not in names:
            continue
        for peer in names:
            wanted = of == "engines" or peer in _CONTROLS
            if peer != subject and wanted:
                searched = (of, work, peer) == ("random", "look-up", "lower_bound")
                main = work == "mean" or peer in (BTREE, PGM) or searched
                made.append(Pair(f"{of}/{work}/{subject}", f"{of}/{work}/{peer}", main=main))
    return tuple(made)


def _seconds(nanoseconds: str) -> float:
    value = float(nanoseconds) / 1e9
    if value <= 0:
        raise BenchbookError(f"{PROGRAM} printed {nanoseconds} ns", "measure more operations")
    return value


def _label(name: str) -> str:
    of, work, contestant = name.split("/", 2)
    words = _WORDS.get(contestant, contestant)
    if of == "engines":
        return f"get, {work.replace('p50', 'median')}: {words}"
    kinds: Mapping[str, str] = {"look-up": "look-ups", "chain": "look-ups in a chain", "insert": "inserts"}
    return f"{of} keys, {kinds[work]}: {words}"


def _short(name: str) -> str:
    of, work, contestant = name.split("/", 2)
    words = {STORE: "ALEX + file", ALEX: "ALEX", BTREE: "B-tree"}.get(contestant, contestant)
    if of == "engines" or contestant != ALEX:
        return words
    return f"{words}, {of}{'' if work == 'look-up' else f' {work}'}"


def _run(program: Path, arguments: list[str]) -> str:
    # It keeps its stores where TMPDIR says; in a folder of ours they are gone even when it is killed.
    with temporary.folder("bench") as folder:
        environment = os.environ | {"TMPDIR": str(folder)}
        try:
            done = children.run([program, *arguments], timeout_s=_TIMEOUT_S, env=environment)
        except subprocess.TimeoutExpired:
            hours = f"{_TIMEOUT_S / 3600:.0f} h"
            raise MachineError(f"{PROGRAM} did not end within {hours}", "use a faster machine") from None
        if done.returncode < 0:
            raise mishaps.killed(PROGRAM, -done.returncode, folder)
    if done.returncode != 0 or done.stderr.strip():
        said = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
        raise MachineError(f"{PROGRAM} failed: {said[-1]}", "free memory and disk, or build it with `make probe-kv`")
    return done.stdout
