"""What can be set, and the configurations: which keys are measured, and how slow their reads and their trips are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.measuring.features.arms import arm, hot_share, neighbours
from benchbook.measuring.features.parameters import Features
from benchbook.model import Configuration, Plan, Scalar

BASELINE = "same_keys"
REPEATED = "same_keys_again"
DISJOINT, BY_CHANCE = "disjoint", "by_chance"
MIXED = hot_share(80)
KEYS: dict[str, tuple[str, str, dict[str, Scalar]]] = {
    BASELINE: ("same keys", "same", {}),
    DISJOINT: ("disjoint keys", "disjoint", {}),
    BY_CHANCE: ("disjoint keys by chance", "disjoint", {"chance": True}),
}
"""Which keys are measured at several latencies: in words, their draw, and what it asks for."""
COLD = (DISJOINT, BY_CHANCE)
LOOKUP, REQUEST = "lookup", "request"
VARIED = {LOOKUP: "reads vary by look-up", REQUEST: "reads vary by request"}
"""From what to what the delay of reads varies, in words: those of one look-up, or of one request, wait alike."""
_LONGEST_MS = 100.0


@dataclass(frozen=True)
class Place:
    """What is added to each read that reaches the storage and to each round trip, in ms."""

    read_ms: float
    trip_ms: float

    def __str__(self) -> str:
        return f"+{self.read_ms:g} ms a read, +{self.trip_ms:g} ms a trip"


class Parameters(Features):
    """Defaults are the standard profile: 11 GB in 30 tables, a pool that holds the warmed pages but not all."""

    blocks: int = Field(
        3,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    client_mode: Literal["serial"] = Field(
        "serial", description="one round trip for each look-up, one after the other, as the note's text has it"
    )
    measured_requests: int = Field(
        10_000, ge=100, le=1_000_000,
        description="unwarmed keys drawn for a block, those that share no page with the warmed ones first; no trial "
        "asks for more of them",
    )  # fmt: skip
    requests: int = Field(
        1_000, ge=10, le=100_000, description="measured requests of a trial, as many as the note measured"
    )
    dose_requests: int = Field(
        300, ge=10, le=100_000, description="the same where other latencies than the central ones are added, or varied"
    )
    read_ms: float = Field(
        0.5, gt=0, le=_LONGEST_MS, description="latency in ms that is added to each read of the server"
    )
    trip_ms: float = Field(
        1.0, gt=0, le=_LONGEST_MS, description="round trip in ms that is added between client and server"
    )
    other_read_ms: tuple[float, ...] = Field(
        (0.0, 0.25, 1.0), description="other latencies of a read with the same round trip; 0 takes the cause away"
    )
    short_trip_ms: float = Field(
        0.25, ge=0, le=_LONGEST_MS,
        description="a shorter round trip, measured with the slowest reads; 0: it is not measured",
    )  # fmt: skip
    varied: tuple[Literal["lookup", "request"], ...] = Field(
        ("lookup", "request"),
        description="ways in which the latency of reads also varies around its mean, half of it exponentially: from "
        "one look-up, or from one request, to the next; none: it is the same for all",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        for name in ("requests", "dose_requests"):
            if getattr(self, name) > self.measured_requests:
                raise ValueError(f"{name}={getattr(self, name):,} exceeds measured_requests={self.measured_requests:,}")
        if any(not 0 <= each <= _LONGEST_MS for each in self.other_read_ms):
            raise ValueError(f"other_read_ms={self.other_read_ms} must lie between 0 and {_LONGEST_MS:g}")
        reads = [f"{each:g}" for each in (self.read_ms, *self.other_read_ms)]  # as their configurations are named
        if len(set(reads)) != len(reads):
            raise ValueError(f"other_read_ms={self.other_read_ms} names a value twice, or read_ms={self.read_ms:g}")
        if len(set(self.varied)) != len(self.varied):
            raise ValueError(f"varied={self.varied} names a way twice")
        if self.short_trip_ms >= self.trip_ms:
            raise ValueError(f"short_trip_ms={self.short_trip_ms:g} is no shorter than trip_ms={self.trip_ms:g}")
        if not self.direct_io:
            raise ValueError("direct_io=False: only direct reads can be slowed")
        return self

    @property
    def centre(self) -> Place:
        """Where the claims' numbers are taken."""
        return Place(self.read_ms, self.trip_ms)

    @property
    def doses(self) -> tuple[Place, ...]:
        """The other latencies of reads over the same way, from the lowest."""
        return tuple(Place(each, self.trip_ms) for each in sorted(self.other_read_ms))

    @property
    def corner(self) -> Place | None:
        """The slowest reads over the shorter way, where it is measured."""
        slowest = max(self.read_ms, *self.other_read_ms)
        return Place(slowest, self.short_trip_ms) if self.short_trip_ms else None

    @property
    def elsewhere(self) -> tuple[Place, ...]:
        """Where else than at the centre disjoint keys are measured."""
        return (*self.doses, *([self.corner] if self.corner else []))


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """The arms at the centre, those at other latencies, and those whose reads vary."""
    p, every = parameters, parameters.requests
    centre: dict[str, Scalar] = {"read_ms": p.read_ms, "trip_ms": p.trip_ms}
    labels = {BASELINE: "same keys (hot)", DISJOINT: "disjoint keys (the note's mistake)"}
    own = {
        keys: arm(keys, labels.get(keys, words), draw, **more, **centre, requests=every)
        for keys, (words, draw, more) in KEYS.items()
    }
    return (
        own[BASELINE],
        arm(REPEATED, "same keys, again (A/A)", "same", **centre, requests=every),
        arm(MIXED, "80 % hot", "mix", share=0.8, **centre, requests=every),
        own[DISJOINT],
        own[BY_CHANCE],
        *(_at(keys, place, p) for place in p.elsewhere for keys in measured_at(place, p)),
        *(_varying(keys, by, p) for by in p.varied for keys in COLD),
    )


def measured_at(place: Place, parameters: Parameters) -> tuple[str, ...]:
    """Which keys are measured there: cold ones; warmed ones, which read nothing, only over another way.

    By chance not where nothing is added to reads: no claim is decided there.
    """
    hot = (BASELINE,) if place.trip_ms != parameters.trip_ms else ()
    return (*hot, *(COLD if place.read_ms else (DISJOINT,)))


def _at(keys: str, place: Place, parameters: Parameters) -> Configuration:
    words, draw, more = KEYS[keys]
    own: dict[str, Scalar] = {"read_ms": place.read_ms, "trip_ms": place.trip_ms}
    name, requests = at(keys, place, parameters), parameters.dose_requests
    return arm(name, f"{words}, {place}", draw, **more, **own, requests=requests)


def _varying(keys: str, by: str, parameters: Parameters) -> Configuration:
    words, draw, more = KEYS[keys]
    own: dict[str, Scalar] = {"read_ms": parameters.read_ms, "trip_ms": parameters.trip_ms, "varied": by}
    return arm(varying(keys, by), f"{words}, {VARIED[by]}", draw, **more, **own, requests=parameters.dose_requests)


def at(keys: str, place: Place, parameters: Parameters) -> str:
    """Configuration name of keys at a place, such as disjoint_read_0_25_trip_1; warmed ones differ by the way alone."""
    if place == parameters.centre or (keys == BASELINE and place.trip_ms == parameters.trip_ms):
        return keys
    return f"{keys}_read_{place.read_ms:g}_trip_{place.trip_ms:g}".replace(".", "_")


def varying(keys: str, by: str) -> str:
    """Configuration name of keys whose reads vary, such as disjoint_varied_by_request."""
    return f"{keys}_varied_by_{by}"


def plan(parameters: Parameters) -> Plan:
    """Blocks in which the arms at the centre follow each other, and so do those at each other place."""
    own = {each.name: _group(each) for each in configurations(parameters)}
    return neighbours(configurations(parameters), own.__getitem__, parameters.blocks, parameters.seed)


def _group(configuration: Configuration) -> str:
    if configuration.name in (BASELINE, REPEATED, MIXED, DISJOINT, BY_CHANCE):
        return "centre"
    if "varied" in configuration.settings:
        return "varied"
    return f"trip {configuration.settings['trip_ms']}"
