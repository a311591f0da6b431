"""What can be set, and the configurations: ways of asking for a row of each table, over ways of different length."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.measuring.features.arms import arm, neighbours
from benchbook.measuring.features.parameters import Features
from benchbook.model import Configuration, Plan, Scalar

SERIAL, PIPELINE, UNIONS, UNION, FUNCTION = "serial", "pipeline", "unions", "one_union", "one_function"
CONNECTIONS = "connections"
COUNTED = "counted_on_the_wire"
PARTS = 3
"""Every trial asks for a third of the tables, for two thirds and for all of them, in turn."""
CLAIMED_MS = 1.0
"""The added round trip at which the claims compare medians."""
_LONGEST_MS = 50.0


class Parameters(Features):
    """Defaults are the standard profile: 1.1 GB in 30 tables, all ways of asking over five lengths of the way."""

    rows_per_table: int = Field(20_000, ge=1_000, le=100_000_000, description="rows that every table has")
    fillfactor_percent: int = Field(
        20, ge=10, le=100, description="how full pages of tables and indexes are; 20 puts 7 rows on a page"
    )
    shared_buffers_mib: int = Field(512, ge=1, le=1_000_000, description="PostgreSQL's buffer pool in MiB")
    hot_set_keys: int = Field(60, ge=1, le=1_000_000, description="warmed keys; hot requests ask for no others")
    warmup_requests: int = Field(
        60, ge=1, le=1_000_000, description="requests before the measured ones; at least as many as warmed keys"
    )
    measured_requests: int = Field(
        600, ge=100, le=1_000_000,
        description="requests of a trial whose P50 the claims ask for, a third with each number of tables; a P50 "
        "needs 200 with all tables, hence 600",
    )  # fmt: skip
    window_requests: int = Field(
        600, ge=50, le=1_000_000, description="requests after which the client collects its garbage, untimed"
    )
    fewer_requests: int = Field(
        90, ge=3, le=1_000_000, description="requests of other trials with a trip of at most 1 ms added"
    )
    far_requests: int = Field(30, ge=3, le=1_000_000, description="requests of other trials with a longer one added")
    client_mode: Literal["pipeline"] = Field(
        "pipeline", description="how the warm-up asks; the measured requests ask in every way"
    )
    key_existence: Literal["all_tables"] = Field("all_tables", description="every key exists in every table")
    added_trip_ms: tuple[float, ...] = Field(
        (0.0, 0.5, 1.0, 5.0, 20.0),
        description="round trips in ms that are added between client and server, by a proxy (needs Linux); 1 is one",
    )
    disjoint_trip_ms: tuple[float, ...] = Field(
        (0.0, 1.0, 5.0), description="those of them with which keys that were not warmed are asked for too; 1 is one"
    )
    connections: tuple[int, ...] = Field(
        (2, 3, 4), description="numbers of connections among which a request divides its tables, asked one by one"
    )
    tables_per_union: int = Field(3, ge=2, le=100, description="tables in a statement of the grouped unions")
    counted_trip_ms: float = Field(
        10.0, ge=2, le=_LONGEST_MS, allow_inf_nan=False,
        description="round trip in ms that is added while trips are counted on the wire; the client must be able to "
        "send a whole request in less time",
    )  # fmt: skip

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if self.n_tables % PARTS:
            raise ValueError(
                f"n_tables={self.n_tables} must be a multiple of {PARTS}: a third of them is asked for too"
            )
        for name in ("measured_requests", "fewer_requests", "far_requests"):
            if getattr(self, name) % PARTS:
                raise ValueError(f"{name}={getattr(self, name)} must be a multiple of {PARTS}")
            if getattr(self, name) > self.measured_requests:
                raise ValueError(f"{name}={getattr(self, name)} exceeds measured_requests={self.measured_requests}")
        if self.warmup_requests < self.hot_set_keys:
            raise ValueError(
                f"warmup_requests={self.warmup_requests} does not warm hot_set_keys={self.hot_set_keys} keys"
            )
        for name in ("added_trip_ms", "disjoint_trip_ms"):
            values = getattr(self, name)
            if any(not 0 <= value <= _LONGEST_MS for value in values):
                raise ValueError(f"{name}={values} must lie between 0 and {_LONGEST_MS:g}")
            if len({f"{value:g}" for value in values}) != len(values):  # as their configurations are named
                raise ValueError(f"{name}={values} names a value twice")
            if CLAIMED_MS not in values:
                raise ValueError(f"{name}={values} lacks {CLAIMED_MS:g}, at which the claims are asked")
        if missing := set(self.disjoint_trip_ms) - set(self.added_trip_ms):
            raise ValueError(f"disjoint_trip_ms has {sorted(missing)}, which added_trip_ms={self.added_trip_ms} lacks")
        if len(self.added_trip_ms) < 2:
            raise ValueError(f"added_trip_ms={self.added_trip_ms} needs a second value: a line needs two points")
        if len(set(self.connections)) != len(self.connections):
            raise ValueError(f"connections={self.connections} names a value twice")
        if any(not 2 <= each <= min(8, self.n_tables // PARTS) for each in self.connections):
            raise ValueError(
                f"connections={self.connections} must lie between 2 and {min(8, self.n_tables // PARTS)}: each has a "
                f"table of the {self.n_tables // PARTS} that the smallest requests read"
            )
        return self

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many tables a request reads: the least first."""
        return tuple(self.n_tables * part // PARTS for part in range(1, PARTS + 1))

    @property
    def modes(self) -> tuple[str, ...]:
        """The ways of asking, in the order of the figures."""
        return (SERIAL, PIPELINE, UNIONS, UNION, FUNCTION, *(connections(each) for each in self.connections))


def connections(number: int) -> str:
    """The way of asking over several connections at once, each its share of the tables one by one."""
    return f"{CONNECTIONS}_{number}"


def words(mode: str, tables_per_union: int) -> str:
    """What figures call a way of asking."""
    plain = {
        SERIAL: "one by one", PIPELINE: "pipeline", UNIONS: f"unions of {tables_per_union} tables",
        UNION: "one union", FUNCTION: "one function",
    }  # fmt: skip
    return plain.get(mode) or f"{mode.rpartition('_')[2]} connections"


def cell(mode: str, trip_ms: float, *, disjoint: bool = False) -> str:
    """Configuration name of a way of asking with an added round trip, such as pipeline_trip_0_5."""
    return f"{mode}{'_disjoint' * disjoint}_trip_{trip_ms:g}".replace(".", "_")


BASELINE = cell(PIPELINE, CLAIMED_MS)
REPEATED = f"{BASELINE}_again"
SERIALLY = cell(SERIAL, CLAIMED_MS)
DISJOINT, DISJOINT_SERIALLY = (cell(mode, CLAIMED_MS, disjoint=True) for mode in (PIPELINE, SERIAL))


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every way over every length, the baseline again, both of the claims' ways with other keys, and the counting."""
    p = parameters
    hot = [_cell(p, mode, trip) for mode in p.modes for trip in p.added_trip_ms]
    cold = [_cell(p, mode, trip, disjoint=True) for mode in (SERIAL, PIPELINE) for trip in p.disjoint_trip_ms]
    again = _cell(p, PIPELINE, CLAIMED_MS)
    return (
        *hot,
        Configuration(REPEATED, f"{again.label}, again (A/A)", again.settings),
        *cold,
        arm(COUNTED, "trips counted on the wire", "same", mode=COUNTED, trip_ms=p.counted_trip_ms, requests=PARTS),
    )


def _cell(p: Parameters, mode: str, trip_ms: float, *, disjoint: bool = False) -> Configuration:
    far = trip_ms > CLAIMED_MS
    medians = mode == PIPELINE or (mode == SERIAL and not far)
    own: dict[str, Scalar] = {
        "mode": mode, "trip_ms": trip_ms,
        "requests": p.measured_requests if medians else p.far_requests if far else p.fewer_requests,
    }  # fmt: skip
    label = f"{words(mode, p.tables_per_union)}, +{trip_ms:g} ms{', disjoint keys' * disjoint}"
    return arm(cell(mode, trip_ms, disjoint=disjoint), label, "disjoint" if disjoint else "same", **own)


def plan(parameters: Parameters) -> Plan:
    """Blocks in which what is compared, all of one length of the way, is measured within a minute or two."""
    lengths = {each.name: f"{each.settings['trip_ms']}" for each in configurations(parameters)}
    return neighbours(configurations(parameters), lengths.__getitem__, parameters.blocks, parameters.seed)
