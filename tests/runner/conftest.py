"""An experiment without any engine: what the runner does with it is all that is tested."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import Field
from sealing import know

from benchbook.errors import MachineError
from benchbook.model import Configuration, Plan, PlannedTrial, Trial
from benchbook.parameters.base import ExperimentParameters
from benchbook.parameters.planning import blocked, continued


class Parameters(ExperimentParameters):
    """One parameter beside the common ones."""

    operations: int = Field(50, ge=1, description="samples per trial")


class StopError(Exception):
    """An engine that fails, or a key that somebody pressed."""


class FakeExperiment:
    """Draws numbers instead of measuring; fails before the trials named in ``fail_at``."""

    name = "made_up"
    version = 1
    Parameters = Parameters
    stop = StopError
    disk_bytes = 0
    minutes: float | None = None

    def __init__(self) -> None:
        self.measured: list[int] = []
        self.fail_at: set[int] = set()
        self.groups: dict[str, str] = {}
        self.together: list[list[int]] = []
        self.lacks_memory = False
        self.opened = self.closed = 0
        engine = {"engine": "made up", "engine_version": "1.0", "engine_source": "drawn", "engine_sha256": "0" * 64}
        self.says: dict[str, Any] = {**engine, "direct_io": True, "pinned": None}

    def stopped(self, at: int, run: Callable[..., object], **how: Any) -> None:
        """A run that ends before this trial."""
        self.fail_at = {at}
        with pytest.raises(StopError):
            run(self, **how)

    def plan(self, parameters: Parameters, *, first_block: int = 0, blocks: int | None = None) -> Plan:
        names = ("first", "second", "second_again")
        arms = [Configuration(name, name, group=self.groups.get(name, "")) for name in names]
        end = first_block + (parameters.blocks if blocks is None else blocks)
        return continued(blocked(arms, end, parameters.seed), first_block)

    def needs(self, parameters: Parameters) -> FakeExperiment:
        return self

    def engine(self) -> dict[str, Any]:
        return {name: value for name, value in self.says.items() if name.startswith("engine")}

    def check(self) -> None:
        if self.lacks_memory:
            raise MachineError("the run needs 9 GiB of memory", "ask for less")

    @contextmanager
    def session(self, parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[FakeSession]:
        self.opened += 1
        progress("loading", 1.0)
        try:
            yield FakeSession(self, parameters)
        finally:
            self.closed += 1

    def reduce(self, latencies: np.ndarray) -> Mapping[str, float | None]:
        return {"p50_ns": float(np.median(latencies))}


class FakeSession:
    """What the experiment opens."""

    def __init__(self, owner: FakeExperiment, parameters: Parameters) -> None:
        self._owner, self._parameters = owner, parameters

    def provenance(self) -> dict[str, Any]:
        return dict(self._owner.says)

    def side_by_side(
        self, planned: Sequence[PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[Trial]:
        self._owner.together.append([each.index for each in planned])
        failed = False
        for each in planned:
            between()
            try:
                yield self.measure(each)
            except StopError:
                failed = True
        if failed:
            raise StopError

    def measure(self, planned: PlannedTrial) -> Trial:
        if planned.index in self._owner.fail_at:
            self._owner.fail_at.discard(planned.index)
            raise StopError
        self._owner.measured.append(planned.index)
        samples = np.random.default_rng([planned.seed, planned.index]).integers(1, 10**6, self._parameters.operations)
        metrics = dict(self._owner.reduce(samples))
        return Trial(planned, "2026-01-17T10:00:00+00:00", 0.1, metrics, {"cache_state": "hot"}, {"request": samples})


@pytest.fixture
def experiment(home: Path, monkeypatch: pytest.MonkeyPatch) -> FakeExperiment:
    """The experiment, in a project of its own; the looks at the machine are quick."""
    from benchbook.runner import canary

    know(home, FakeExperiment.name)
    monkeypatch.setattr(canary, "HASHES", 3)
    monkeypatch.setattr(
        canary.files, "direct_reader", lambda *_: nullcontext(lambda count: np.resize(np.array([7, 8, 9]), count))
    )
    return FakeExperiment()


@pytest.fixture
def sticky() -> Iterator[Path]:
    """A folder like that for temporary files, which every account can reach."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="benchbook-test-") as name:
        Path(name).chmod(0o1777)
        yield Path(name)
