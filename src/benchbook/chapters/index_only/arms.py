"""What can be set, and the configurations: rows updated since the last VACUUM, and whether heaps fit the pool."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from benchbook.model import Configuration, Scalar
from benchbook.parameters.base import ExperimentParameters

BYTES_PER_ROW = 400
"""Heap and covering index of a row, with pages four fifths full."""
FILL = 0.8
ROWS_PER_PAGE = 34
"""With pages so full; the run counts them."""
COVERED = 3
"""Features that stand in the index too."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: 200 MB in five tables, of which the indexes are two fifths."""

    blocks: int = Field(
        3, ge=2, le=100, description="complete blocks of a session; each measures every configuration once"
    )
    n_tables: int = Field(5, ge=1, le=100, description="tables read per request, one row each")
    rows_per_table: int = Field(100_000, ge=1_000, le=10_000_000, description="rows of each table")
    fillfactor_percent: int = Field(
        80, ge=50, le=90, description="how full pages are; the rest is room for new versions of their rows"
    )
    updated_permille: tuple[Annotated[int, Field(ge=1, le=100)], ...] = Field(
        (2, 10, 50), description="rows updated since the last VACUUM, in thousandths, growing"
    )
    beside_mib: int = Field(
        8, ge=1, le=100_000, description="room in MiB that the small pool has beside the indexes, for pages of heaps"
    )
    slow_read_ms: float = Field(
        1.0, ge=0.05, le=100, description="added to each read of the server, as by a network between it and its disk"
    )
    trial_seconds: int = Field(4, ge=1, le=3_600, description="length of a trial in whole seconds")
    kept_samples: int = Field(
        400, ge=100, le=1_000_000, description="latencies stored per trial, evenly taken from all of them"
    )
    direct_io: bool = Field(
        True, description="read past the OS page cache, so that each miss in the pool reaches the device"
    )
    pin_cores: bool = Field(
        False, description="keep the client on one processor core and the server on the others (Linux, 2 or more)"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        doses = list(self.updated_permille)
        if doses != sorted(set(doses)) or not doses:
            raise ValueError(f"updated_permille={doses} must grow")
        if not self.direct_io:
            raise ValueError("direct_io=false: only reads past the page cache can be made slower; give true")
        return self

    @property
    def hot_keys(self) -> int:
        """Every key is asked for."""
        return self.rows_per_table

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heaps and indexes, for the check before loading."""
        return self.n_tables * self.rows_per_table * BYTES_PER_ROW


LARGE, SMALL = "large", "small"
POOLS = {LARGE: "all in the pool", SMALL: "heaps not in the pool"}
NONE, PLAIN, AGAIN = 0, "not_covered", "small_0_again"


def at(pool: str, permille: int) -> str:
    """Configuration name, such as small_10."""
    return f"{pool}_{permille}"


def not_covered(pool: str) -> str:
    """Configuration name of look-ups that ask for a column which the index lacks."""
    return f"{pool}_{PLAIN}"


def doses(parameters: Parameters) -> tuple[int, ...]:
    """Shares of rows updated, in thousandths, none first."""
    return (NONE, *parameters.updated_permille)


def share(permille: int) -> str:
    """A share in words."""
    return f"{permille / 10:g} % updated" if permille else "nothing updated"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every share in both pools, a column more without updates, and none in the small pool again."""
    return (
        *(_arm(at(pool, each), pool, each) for pool in POOLS for each in doses(parameters)),
        *(_arm(not_covered(pool), pool, NONE, covered=False) for pool in POOLS),
        _arm(AGAIN, SMALL, NONE, more=" (A/A)"),
    )


def _arm(name: str, pool: str, permille: int, *, covered: bool = True, more: str = "") -> Configuration:
    label = f"{share(permille) if covered else 'a column more'}, {POOLS[pool]}{more}"
    settings: dict[str, Scalar] = {"small_pool": pool == SMALL, "updated_permille": permille, "covered": covered}
    return Configuration(name, label, settings)
