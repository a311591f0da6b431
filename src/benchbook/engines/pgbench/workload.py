"""What pgbench is asked to do, refused with a mend when it cannot be done, and the arguments that say it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchbook.errors import BenchbookError

DATABASE = "pgbench"
"""A database of its own: its counters then hold what pgbench did and not what the observers asked."""
BUILT_IN = ("tpcb-like", "simple-update", "select-only")
PROTOCOLS = ("simple", "extended", "prepared")
MOST_CLIENTS = 10_000
LARGEST_SCALE = 100_000
_SCALE_BYTES = 15_200_000
_FIXED_BYTES = 60_000_000


@dataclass(frozen=True)
class Workload:
    """One run of pgbench.

    script: a built-in name or a file with a custom script. duration_s: whole seconds measured, after warm_up_s whole
    seconds that are run and dropped, while every client is busy (closed loop). seed: of pgbench's random numbers.
    log: write and read every transaction; without it there are only the seconds that pgbench reports.
    """

    script: str | Path = "tpcb-like"
    clients: int = 1
    threads: int = 1
    duration_s: int = 10
    warm_up_s: int = 0
    protocol: str = "simple"
    seed: int = 0
    log: bool = True

    def check(self) -> None:
        """Raise BenchbookError for a setting that pgbench would refuse, or take for something else."""
        if isinstance(self.script, Path):
            if not self.script.is_file():
                raise BenchbookError(f"there is no script {self.script.name}", "give the path of a pgbench script file")
        elif self.script not in BUILT_IN:
            raise BenchbookError(
                f"pgbench has no built-in script {self.script!r}",
                f"choose one of {', '.join(BUILT_IN)}, or give a script file as a Path",
            )
        if self.protocol not in PROTOCOLS:
            raise BenchbookError(f"protocol {self.protocol!r} is unknown", f"choose one of {', '.join(PROTOCOLS)}")
        _whole("clients", self.clients, 1, MOST_CLIENTS)
        _whole("threads", self.threads, 1, MOST_CLIENTS)
        _whole("duration_s", self.duration_s, 1, 10_000_000)
        _whole("warm_up_s", self.warm_up_s, 0, 10_000_000)
        _whole("seed", self.seed, 0, 2**63 - 1)
        if self.threads > self.clients:
            raise BenchbookError(
                f"{self.threads} threads share {self.clients} clients", "ask for at most one thread per client"
            )

    @property
    def limit_s(self) -> int:
        """When pgbench stops by itself, whole seconds after its launch, were it not stopped after the window."""
        return self.warm_up_s + self.duration_s + 30 + self.clients // 20

    def arguments(self, log_prefix: Path | None) -> list[str]:
        """Command-line arguments, without connection and program; log_prefix: where the log goes, if any."""
        script = ["--file", str(self.script)] if isinstance(self.script, Path) else ["--builtin", self.script]
        given = [
            *script, "--client", str(self.clients), "--jobs", str(self.threads), "--protocol", self.protocol,
            "--time", str(self.limit_s), "--progress", "1", "--random-seed", str(self.seed),
            "--no-vacuum",  # it would change a restored data set
        ]  # fmt: skip
        if log_prefix is not None:
            given += ["--log", "--log-prefix", str(log_prefix)]
        return given


def check_scale(scale: int) -> None:
    """Raise BenchbookError unless pgbench can make tables of this scale (100,000 accounts each)."""
    _whole("scale", scale, 1, LARGEST_SCALE)


def data_bytes(scale: int) -> int:
    """Estimated bytes of a cluster that holds pgbench's tables and indexes at a scale."""
    check_scale(scale)
    return scale * _SCALE_BYTES + _FIXED_BYTES


def _whole(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BenchbookError(
            f"{name}={value!r} is not a whole number from {least:,} to {most:,}", f"give {name} within these bounds"
        )
