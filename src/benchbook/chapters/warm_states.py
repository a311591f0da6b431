"""One warm server under a load that does not end, put into every state for some seconds at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

import numpy as np
from pydantic import model_validator

from benchbook import kit
from benchbook.engines.pgbench.load import load
from benchbook.engines.postgres import find
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring import pgbench
from benchbook.notes import nine_runs

AA = ("nothing_again", "nothing")
EMPTIES_POOL = 18
"""The first release whose pool can be emptied while it runs."""
PART_MS, MOST_PARTS = 500, 120
"""Parts of a turn for which throughput is stored."""


class Parameters(pgbench.Parameters):
    """Defaults are the standard profile: 750 MB of data, about eight minutes a block."""

    blocks: int = kit.common("blocks", 3)
    clients: int = kit.common("clients", 10)
    rounds: int = kit.param(2, 2, 10_000, "rounds in a block; each puts the server into every state once")
    turn_ms: int = kit.param(25_000, 200, 600_000, "length of a turn in ms")
    discard_ms: int = kit.param(
        2_000, 50, 300_000, "first part of a turn that does not count, in ms: the state begins"
    )  # fmt: skip
    rest_ms: int = kit.param(2_000, 0, 600_000, "time after a turn in which nothing is done to the server, in ms")
    fill_seconds: int = kit.common("fill_seconds", 5, low=1)

    @model_validator(mode="after")
    def _something_counts(self) -> Self:
        nothing = f"discard_ms={self.discard_ms} leaves nothing of a turn of {self.turn_ms} ms"
        kit.refuse(self.discard_ms >= self.turn_ms, nothing)
        return self

    @property
    def load_seconds(self) -> int:
        """How long a block's load lasts, in whole seconds, with some for the pool to be filled again."""
        turns = len(configurations(self)) * self.rounds
        return math.ceil(turns * (self.turn_ms + self.rest_ms) / 1_000 * 1.2) + 10

    @property
    def log_bytes(self) -> int:
        """Of a block: no checkpoint lies in it; as if each page were logged twice as a whole."""
        return pgbench.log_bytes(self, self.load_seconds + self.fill_seconds, images=2)


STATES = {
    "nothing": "nothing",
    "nothing_again": "nothing again (A/A)",
    "half_processor": "another program takes half a processor",
    "two_programs": "two other programs compute",
    "snapshot": "an idle transaction keeps a snapshot",
    "vacuum": "VACUUM of the accounts, again and again",
    "os_cache": "OS cache dropped, pool kept",
    "cold": "OS cache and pool dropped",
}


def configurations(parameters: Parameters) -> tuple[kit.Configuration, ...]:
    """Every state, and nothing twice (A/A)."""
    return tuple(
        kit.Configuration(name, label, {"state": name.removesuffix("_again")}, "one server")
        for name, label in STATES.items()
    )


def needs(parameters: Parameters) -> kit.Needs:
    """Of all blocks, and a server whose pool can be emptied."""

    def usable() -> None:
        if (major := find().major) < EMPTIES_POOL:
            raise MachineError(
                f"PostgreSQL {major} cannot empty its pool while it runs",
                f"use {EMPTIES_POOL} or later: unset BENCHBOOK_PG_BIN to use the embedded one",
            )

    block = [parameters.fill_seconds + parameters.load_seconds]
    return pgbench.needs(parameters, block, beside_s=10.0, usable=usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    p = parameters
    with pgbench.tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm", "pgstattuple") as found:
        yield Bench(p, found)


class Bench(pgbench.SideBySide[Parameters]):
    """One server, whose states take turns."""

    def settings(self, arm: kit.Configuration) -> pgbench.Settings:
        """Note 003's of its second round, with its pool, which has room for all data; no checkpoint in a block."""
        return pgbench.NOTE_003 | {
            "shared_buffers": f"{pgbench.pool_blocks(1 / 0.92 * self.tables.data_bytes) * 8}kB",
            "max_connections": self.parameters.max_connections, "wal_compression": self.tables.wal_compression,
            "wal_buffers": "16MB", "max_wal_size": "50GB", "checkpoint_timeout": "1h", "autovacuum": True,
        }  # fmt: skip

    def trial(self, planned: kit.PlannedTrial, bound: pgbench.MemoryBound) -> pgbench.Measured:
        """Fill the pool, put the server under load, let all states take their turns, check what was written."""
        assert self.turns is not None
        p, cluster, turns = self.parameters, self.tables.cluster, self.turns
        self.fill(self.tpcb(planned, p.fill_seconds, 1), p.fill_seconds)
        with pgbench.connect(cluster) as connection:
            connection.execute("CHECKPOINT")
        start, rows = self.look(), pgbench.history(cluster)
        # More than the turns take: it is stopped at their end.
        with load(cluster, self.tpcb(planned, p.load_seconds + 60), logs=self.tables.place.beside) as running:
            for _, arm in turns.rounds(p.rounds, planned.seed):
                self._turn(turns, arm, running.check)
        assert running.log is not None
        with pgbench.connect(cluster) as connection:
            pgbench.check_balances(connection)
        common = pgbench.of_caches(start, self.look()) | {
            "transactions": float(running.processed),
            "server_transactions": float(pgbench.history(cluster) - rows),
        }
        for each in turns.planned:
            name = each.configuration.name
            metrics, samples = turns.told(name, running.log, p.clients)
            metrics |= pgbench.states.over(turns.grown[name], int(metrics["counted_transactions"] or 0))
            along = course(running.log.end_us, [begun for begun, _ in turns.before[name]], p.turn_ms)
            turns.found[name] = {**common, **metrics, **along}, samples
        return turns.found[planned.configuration.name]

    def _turn(self, turns: pgbench.Turns, arm: kit.Configuration, check: Callable[[], None]) -> None:
        p, cluster, state = self.parameters, self.tables.cluster, str(arm.settings["state"])
        with cluster.connect() as observer:
            clock = time.monotonic()
            with pgbench.states.put_into(state, cluster) as own:
                took, begun, started = time.monotonic() - clock, time.time(), time.monotonic()
                time.sleep(p.discard_ms / 1_000)
                first, from_s = pgbench.states.counts(observer, cluster, own), time.time()
                time.sleep(max(0.0, p.turn_ms / 1_000 - (time.monotonic() - started)))
                to_s, last = time.time(), pgbench.states.counts(observer, cluster, own)
                check()
                dead = float(pgbench.tallies.asked(cluster, pgbench.states.DEAD))
            pgbench.states.left(state, cluster)
        turns.taken(arm.name, (begun, from_s, to_s), took, first, last)
        grown = turns.grown[arm.name]
        grown["dead_rows"] = max(grown.get("dead_rows", 0.0), dead)
        time.sleep(p.rest_ms / 1_000)


def course(end_us: np.ndarray, begun_us: Sequence[int], turn_ms: int) -> dict[str, float]:
    """TPS in each half second of a turn from its beginning, mean over turns, as ``half_second_01_tps``.

    end_us: when each transaction ended, in wall-clock microseconds, ascending. begun_us: when the turns began.
    """
    parts = min(MOST_PARTS, turn_ms // PART_MS)
    ends = np.add.outer(begun_us, np.arange(parts + 1) * PART_MS * 1_000)
    made = np.diff(np.searchsorted(end_us, ends), axis=1).mean(axis=0) * 1_000 / PART_MS
    return {f"half_second_{part:02}_tps": float(tps) for part, tps in enumerate(made, start=1)}


reduce = pgbench.reduce
USER, SYSTEM = "machine_user_per_transaction_s", "machine_system_per_transaction_s"
READ = "server_read_bytes_per_transaction"
METRICS = {
    **pgbench.METRICS,
    **{name: kit.Metric(f"{words} per transaction", "µs", 1e6) for name, words in {
        USER: "the machine's processor time in user mode", SYSTEM: "the machine's processor time in the kernel",
        "user_s_per_transaction": "the server's processor time in user mode",
        "system_s_per_transaction": "the server's processor time in the kernel",
        "cpu_per_transaction_s": "processor time of the server"}.items()},
    **{name: kit.Metric(words, format="{:.2f}".format) for name, words in {
        "disk_writes_per_transaction": "number of writes to the device per transaction",
        "cleaned_per_transaction": "pages that the background writer cleaned per transaction",
        "taken_processors": "processors that another program takes",
        "early_over_kept": "throughput of the first part of a turn over that of the rest"}.items()},
    **{name: kit.Metric(words) for name, words in {
        "half_second_#_tps": "throughput of a half second of a turn",
        READ: "bytes that the server read from the device per transaction",
        "vacuums": "number of VACUUMs begun", "processors": "number of processors", "turns": "number of turns",
        "counted_transactions": "number of transactions that count"}.items()},
    "disk_reads_per_transaction": kit.Metric("number of reads from the device per transaction", format="{:.3f}".format),
    "cpu_busy_share": pgbench.percent("share of the processors' time that was used"),
    "dead_rows": kit.Metric("number of dead rows of branches and tellers at most", heading="dead rows"),
    "switch_s": kit.Metric("time until the state began", "s", format="{:.2f}".format),
    **{f"sample_{name}_ns": pgbench.SPENT[f"sample_{name}_ns"] for name in ("mean", "p50")},
}  # fmt: skip
Summary = pgbench.Summary[Parameters]
tps, user, system = (kit.measured(name) for name in ("tps", USER, SYSTEM))
read, dead = kit.counted(READ), kit.counted("dead_rows")
NUMBERS = {
    **{name: tps[arm] / tps["nothing"] for name, arm in
       {"half": "half_processor", "busy": "two_programs", "snapshot": "snapshot", "vacuum": "vacuum",
        "os_cache": "os_cache", "cold": "cold", "same": "nothing_again"}.items()},
    "snapshot_user": user["snapshot"] / user["nothing"],
    "snapshot_system": system["snapshot"] / system["nothing"],
    "busy_user": user["two_programs"] / user["nothing"],
    "busy_system": system["two_programs"] / system["nothing"],
    "vacuum_user": user["vacuum"] / user["nothing"],
    "cold_reads": read["cold"].mean,
    "dead": dead["snapshot"].mean,
    "few_dead": dead["nothing"].mean,
    "taken": kit.counted("taken_processors")["two_programs"].mean,
}  # fmt: skip


def noted() -> dict[str, float]:
    """The note's slow warm runs, which read nothing, over its fast one: TPS, user and system time per transaction."""
    reports = nine_runs.reports()
    slow, fast = [reports[run_id] for run_id in ("115442", "115748")], reports[nine_runs.ROUND_2]
    found = {name: [float(each.course[f"{name}_us"].mean() / fast.course[f"{name}_us"].mean()) for each in slow]
             for name in ("user", "system")}  # fmt: skip
    found["tps"] = [each.tps / fast.tps for each in slow]
    return {name: sum(values) / len(values) for name, values in found.items()}


def ends(summary: Summary) -> dict[str, float]:
    """TPS in the first and in the last half second of a kept snapshot, mean over trials."""
    names = sorted(name for name in summary.run.trials.columns if name.startswith("half_second_"))
    if len(names) < 2 or not summary.has("snapshot", *names):
        raise BenchbookError("turns of this run have no half seconds", "give turn_ms of 1,000 or more")
    return {"first": summary.mean("snapshot", names[0]), "last": summary.mean("snapshot", names[-1])}


WORDS = {
    "apparatus": Summary.apparatus,
    "most_read": lambda summary: max(summary.values(arm, READ).max() for arm in ("two_programs", "snapshot")),
    "noted": lambda summary: noted(),
    "along": ends,
    "turns": pgbench.mean("nothing", "turns"),
    "cores": lambda summary: int(summary.mean("nothing", "processors")),
}


FIGURES = {
    "throughput": kit.Dots(
        rows={name: label for name, label in STATES.items() if name != "nothing"}, row="state", heading="", rule=1,
        series={"measured": tps["{}"] / tps["nothing"]}, scale="plain", replicates="blocks",
        given=lambda summary: [kit.Given("the note's slow warm runs, throughput", {"": noted()["tps"]}, "dash")],
        axis="throughput over that of the server left alone (above 1: faster)", quantity="TPS over nothing",
        nothing="This run measured no state", mend="measure again with `benchbook run warm_states`",
    ),
}  # fmt: skip
