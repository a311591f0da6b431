"""What can be set, and the configurations: two workloads, each under two labels, and TPC-B without our samplers."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.model import Configuration
from benchbook.parameters.base import ExperimentParameters

TABLE_BYTES_PER_SCALE = 15_200_000
SELECT, SELECT_AGAIN = "select_only", "select_only_again"
TPCB, TPCB_AGAIN, TPCB_PLAIN = "tpcb", "tpcb_again", "tpcb_plain"
WORKLOADS = {"select-only": (SELECT, SELECT_AGAIN), "TPC-B-like": (TPCB, TPCB_AGAIN)}
"""Workload as figures name it -> its two labels. Everything else of the two is the same."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: 15 blocks, so 30 trials of each workload; data 2.5 times the pool."""

    blocks: int = Field(15, ge=2, le=100, description="complete blocks; each measures every workload twice or more")
    scale: int = Field(50, ge=1, le=20_000, description="pgbench's scale: 100,000 accounts, about 15 MB, each")
    shared_buffers_mib: int = Field(290, ge=1, le=1_000_000, description="PostgreSQL's buffer pool in MiB")
    clients: int = Field(100, ge=1, le=2_000, description="pgbench clients, all busy all the time (closed loop)")
    threads: int = Field(1, ge=1, le=256, description="pgbench threads that serve the clients")
    warm_up_s: int = Field(
        5, ge=0, le=3_600, description="seconds after the cold start that the warm metrics leave out"
    )
    duration_s: int = Field(15, ge=1, le=36_000, description="seconds measured; the note measured 60")
    direct_io: bool = Field(
        False,
        description="read and write past the OS page cache (PostgreSQL 16+); the note's server went through it",
    )
    pin_cores: bool = Field(
        True, description="keep pgbench on one processor core and the server on the others (Linux, 2 cores or more)"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if self.threads > self.clients:
            raise ValueError(f"threads={self.threads} exceeds clients={self.clients}")
        return self

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of one copy of the cluster's data directory."""
        from benchbook.engines.pgbench import data_bytes  # late: a list of chapters needs no engine

        return data_bytes(self.scale)

    @property
    def data_over_pool(self) -> float:
        """Estimated bytes of tables and indexes over those of the buffer pool."""
        return self.scale * TABLE_BYTES_PER_SCALE / (self.shared_buffers_mib * 2**20)


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm, in the order of the figures. sampled: per-transaction log, and a look at the waits each second."""
    return (
        Configuration(SELECT, "select-only", {"script": "select-only", "sampled": True}),
        Configuration(SELECT_AGAIN, "select-only, again (A/A)", {"script": "select-only", "sampled": True}),
        Configuration(TPCB, "TPC-B-like", {"script": "tpcb-like", "sampled": True}),
        Configuration(TPCB_AGAIN, "TPC-B-like, again (A/A)", {"script": "tpcb-like", "sampled": True}),
        Configuration(TPCB_PLAIN, "TPC-B-like, plain command", {"script": "tpcb-like", "sampled": False}),
    )
