"""What can be set in every chapter whose trials run on copies of pgbench's tables, with their memory bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

from pydantic import field_validator, model_validator

from benchbook.engines.postgres import identity
from benchbook.engines.storage import presets
from benchbook.engines.storage.caps import SMALLEST_IOPS
from benchbook.parameters.base import ExperimentParameters, common, param, refuse
from benchbook.parameters.needs import Needs

BYTES_PER_SCALE = 15_750_000
"""Heap and indexes of one unit of pgbench's scale, fresh; the run measures it too."""
PAGES_PER_SCALE = 1_640
"""Pages of pgbench_accounts in one unit of scale."""
RAM_OVER_DATA, SMALL_RAM_OVER_DATA = 3.0, 1.6
"""Note 002 has 61 GiB for some 20 GiB of data; in note 003 data are 2.5 times a pool of a quarter of the memory."""
NOTE_CLIENTS = 100
INTERVALS = 12
"""A trial is cut into as many parts as the note's 60 s held intervals of 5 s."""
MOST_TPS, WAL_BYTES_PER_TRANSACTION, WAL_BYTES_PER_PAGE = 10_000, 1_000, 9_000
RESTORED_BYTES_PER_SECOND, LOADED_BYTES_PER_SECOND = 400e6, 100e6 / 3
"""At which a trial's data are put back and read, and at which tables are loaded."""
RESERVED_CONNECTIONS = 20
"""For superusers, the observer and the samplers, beside the clients."""


class Parameters(ExperimentParameters):
    """Defaults are those of the standard profiles: 750 MB of data."""

    blocks: int = common("blocks", 6, words="complete blocks; each measures every configuration once")
    scale: int = common("scale", 50, words="pgbench scale factor; 50 is 0.73 GiB of tables and indexes")
    clients: int = common("clients", 20)
    threads: int = common("threads", 2, high=100)
    bound_memory: bool = param(
        True,
        words="bound the memory of server and page cache to 3 times the data (1.6 in the configurations of note 003) "
        "by a control group; needs root, and is labelled where it cannot be done",
    )
    keep_going: bool = param(
        True, words="record a trial whose server or pgbench died as failed and go on, instead of ending the run"
    )

    @model_validator(mode="after")
    def _a_client_for_each_thread(self) -> Self:
        each = f"threads={self.threads} exceeds clients={self.clients}: each thread needs a client"
        refuse(self.threads > self.clients, each)
        return self

    @property
    def max_connections(self) -> int:
        """What the server allows: the note's 300, or what the clients and the observers need."""
        return max(300, self.clients + RESERVED_CONNECTIONS)

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heap and indexes, for the checks before loading."""
        return self.scale * BYTES_PER_SCALE

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of one trial, whose changed pages each come with a full image."""
        raise NotImplementedError

    @property
    def disk_bytes(self) -> int:
        """Template, one restored copy and the log of one trial."""
        return int(self.data_bytes * 2.4) + self.log_bytes + 300_000_000

    @property
    def memory_bytes(self) -> int:
        """What a trial may use: three times the data."""
        return int(RAM_OVER_DATA * self.data_bytes) + 300_000_000


NOTE_WRITES_PER_TRANSACTION = 0.41
"""What note 002's disks could write of the pages that its small pool had to hand over, one for each transaction:
12,798 a second where 30,972 transactions a second were made (chapter cliff_reanalysis)."""
VOLUME_SPARE_BYTES = 700_000_000
"""On a volume beside the data: system catalogues, what the tables grow by, a file for the certificate."""


class StorageParameters(Parameters):
    """Of chapters some of whose configurations lie on storage that is made slow for their trials."""

    allow_slow_storage: bool = param(
        True,
        words="put the data on a volume of their own (a file behind a loop device) and cap it in the trials of the "
        "capped configurations (root only); without it those configurations are left out",
    )
    storage_iops: int = param(
        0, 0, 1_000_000, "writes a second that the capped volume lets pass, from 20, reads being free; 0: in note "
        "002's proportion to the transactions of a pilot; also by name: gp3_3000, gp3_16000 (EBS)",
    )  # fmt: skip
    storage_latency_ms: float = param(
        0.0, 0, presets.LONGEST_MS, "added to each flush of the log, and to each read past the page cache, in the "
        "capped configurations, in ms; EBS gp3 has about 1",
    )  # fmt: skip

    _of_a_known_volume = field_validator("storage_iops", mode="before")(presets.iops)

    @model_validator(mode="after")
    def _a_cap_that_is_kept(self) -> Self:
        uneven = f"storage_iops={self.storage_iops} is below {SMALLEST_IOPS}, which the kernel cannot keep evenly"
        refuse(0 < self.storage_iops < SMALLEST_IOPS, uneven)
        return self

    @property
    def volume_bytes(self) -> int:
        """Template, one restored copy, and what else lies beside them; the log is elsewhere."""
        return int(self.data_bytes * 2.4) + VOLUME_SPARE_BYTES

    @property
    def disk_bytes(self) -> int:
        """The volume, or template and copy, and the log of one trial."""
        return super().disk_bytes + (VOLUME_SPARE_BYTES if self.allow_slow_storage else 0)


def undelayed(why: str) -> Any:
    """A validator of a chapter in which no storage can be slow to answer. why: and what to give instead."""

    def check(self: Any) -> Any:
        refuse(self.storage_latency_ms > 0, f"storage_latency_ms={self.storage_latency_ms:g}: {why}; give 0")
        return self

    return model_validator(mode="after")(check)


def check_room(p: Parameters, left: int, smallest: float) -> None:
    """Refuse data too small for pool and server. left: bytes beside the largest pool. smallest: pool over the data."""
    least = 64 * 2**20 + p.clients * 3 * 2**20
    room = f"scale={p.scale} leaves {left / 2**20:,.0f} MiB beside the largest pool within the bound; the server and"
    refuse(p.bound_memory and left < least, f"{room} {p.clients} clients need {least / 2**20:,.0f} MiB")
    pool_kib = int(p.data_bytes * smallest) // 1024
    small = (
        f"scale={p.scale} makes the smallest pool, {100 * smallest:g} % of the data, {pool_kib} KiB; PostgreSQL pins"
    )
    refuse(pool_kib < 1024, f"{small} pages for {p.clients} clients and needs 1024 KiB")


def log_bytes(p: Parameters, seconds: float, images: int = 1) -> int:
    """Of the log of so many seconds of TPC-B in which each page is logged so many times as a whole."""
    made = int(MOST_TPS * seconds)
    return min(p.scale * PAGES_PER_SCALE, made) * WAL_BYTES_PER_PAGE * images + made * WAL_BYTES_PER_TRANSACTION


def needs(
    p: Any, trials: Iterable[float], *, beside_s: float, once_s: float = 0.0, loads: int = 1,
    usable: Callable[[], None] | None = None, restored: float = RESTORED_BYTES_PER_SECOND,
) -> Needs:  # fmt: skip
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL.

    trials: seconds of each trial of a block. beside_s: its start, stop and looks. once_s: what is measured once before
    them. loads: how often tables are loaded. usable: raises where the machine lacks what was asked for. restored: bytes
    a second at which a trial's data are put back and read. The parameters have ``disk_bytes``, ``memory_bytes``,
    ``data_bytes`` and ``blocks``.
    """
    beside = beside_s + 2 * p.data_bytes / restored
    block = sum(beside + each for each in trials)
    seconds = once_s + p.blocks * block + loads * p.data_bytes / LOADED_BYTES_PER_SECOND
    return Needs(p.disk_bytes, p.memory_bytes, identity, seconds / 60, usable)
